// What a program may try, and what the sandbox makes of it.
const attempt = ({ wants, code: program, result, stopped }) =>
  h("li", {}, h("b", {}, wants), h("span", { class: "source" }, code(program)),
    h("span", { class: stopped ? "verdict good" : "verdict bad" }, stopped ? "stopped" : "not stopped"),
    h("span", { class: "small" }, result));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  root.replaceChildren(
    h("p", { class: "told" }, "A program can try anything: arbitrary code is harder to restrict than a specific tool, so it runs in a sandbox."),
    h("section", { class: "card tried" }, h("ul", {}, data.view.tried.map(attempt))));
  return turning(root, setTriggerValue);
}
