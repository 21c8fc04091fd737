// Two kinds of tools on one task, and what the sandbox of the general one stops.
const pair = ({ call, result, is_error: isError }) =>
  h("li", {},
    h("div", { class: "source call", style: part("tool-call"), tabindex: 0 }, code(call)),
    h("div", { class: `source result ${isError ? "bad" : ""}`, style: part("tool-result") }, code(result.trimEnd())));

const fact = ({ name, value, share }) =>
  h("div", {}, h("dt", { class: "small" }, name), h("dd", { class: "number" }, value),
    h("dd", { class: "track", "aria-hidden": "true" }, h("i", { style: `width: ${(100 * share).toFixed(2)}%` })));

const kindOf = ({ title, note, calls, facts }) =>
  h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "small" }, note),
    h("ol", { class: "pairs" }, calls.map(pair)), h("dl", { class: "facts" }, facts.map(fact)));

const attempt = ({ wants, code: program, result, stopped }) =>
  h("li", {}, h("b", {}, wants), h("span", { class: "source" }, code(program)),
    h("span", { class: stopped ? "verdict good" : "verdict bad" }, stopped ? "stopped" : "not stopped"),
    h("span", { class: "small" }, result));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { task, kinds, counted_by: counting, tried } = data.view;
  root.replaceChildren(
    h("p", { class: "told" }, task),
    h("div", { class: "kinds" }, kinds.map(kindOf)),
    h("section", { class: "card tried" },
      h("h2", {}, "A program can try anything: what it gets from the sandbox"),
      h("ul", {}, tried.map(attempt))),
    h("p", { class: "small" }, counting));
  return turning(root, setTriggerValue);
}
