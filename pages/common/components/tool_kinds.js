// Two kinds of tools on one task: the same JSON call, and what each costs.
const pair = ({ call, program, result, is_error: isError }) =>
  h("li", {},
    h("div", { class: "source call", style: part("tool-call"), tabindex: 0 }, code(call)),
    program ? h("p", { class: "small inside" }, "the program in it:") : null,
    program ? h("div", { class: "source inside", style: part("tool-call"), tabindex: 0 }, code(program)) : null,
    h("div", { class: `source result ${isError ? "bad" : ""}`, style: part("tool-result") }, code(result.trimEnd())));

const fact = ({ name, value, share }) =>
  h("div", {}, h("dt", { class: "small" }, name), h("dd", { class: "number" }, value),
    h("dd", { class: "track", "aria-hidden": "true" }, h("i", { style: `width: ${(100 * share).toFixed(2)}%` })));

const kindOf = ({ title, note, calls, facts }) =>
  h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "small" }, note),
    h("ol", { class: "pairs" }, calls.map(pair)), h("dl", { class: "facts" }, facts.map(fact)));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { task, kinds, counted_by: counting } = data.view;
  root.replaceChildren(
    h("p", { class: "told" }, task),
    h("div", { class: "kinds" }, kinds.map(kindOf)),
    h("p", { class: "small" }, counting));
  return turning(root, setTriggerValue);
}
