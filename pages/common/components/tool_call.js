// A call on its way: the checks in a row, and the message that answers it, under the check where the way ended.
const rung = ({ name, question, verdict, tone, note }, index) =>
  h("li", { class: `rung card ${tone}`, style: `grid-column: ${index + 1}` },
    h("p", { class: "small" }, `${index + 1} · ${name}`),
    h("p", { class: "question" }, question),
    h("p", { class: `verdict ${tone}` }, verdict),
    h("p", { class: "small note" }, note));

const entry = ({ name, function: run, found }) =>
  h("li", { class: found ? (run ? "entry found" : "entry missing") : "entry" },
    h("span", {}, name), " → ", h("span", {}, run || "not in the table: nothing is executed"));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { form, name, call_id: id, before, fault, after, program, rungs, outcome, tool_set: toolSet, result, is_error: isError, guard } = data.view;
  const failed = rungs.findIndex(({ tone }) => tone === "bad");
  const end = failed >= 0 ? failed + 1 : rungs[0].tone === "open" ? 1 : rungs.length;
  root.replaceChildren(h("div", { class: "way" },
    h("div", { class: "message card", style: part("tool-call") },
      h("p", { class: "head" }, h("b", {}, "The model requests ", name), h("span", { class: "id" }, id), h("span", { class: "small" }, form)),
      h("div", { class: "source", tabindex: 0 }, code(before),
        fault === null ? null : h("mark", { title: "Here it stops being JSON." }, code(fault)), code(after)),
      program ? h("p", { class: "small" }, "the program in it:") : null,
      program ? h("div", { class: "source", tabindex: 0 }, code(program)) : null),
    h("ol", { class: "rungs", "aria-label": "checks" }, rungs.map(rung),
      h("li", { class: `drop ${isError ? "bad" : "good"}`, style: `grid-column: ${end}`, "aria-hidden": "true" }, h("i", {}))),
    h("div", { class: `message card answer ${isError ? "error" : ""}`, style: part("tool-result") },
      h("p", { class: "head" }, h("b", {}, "What goes back to the model"), h("span", { class: "id" }, id),
        h("span", { class: isError ? "small bad" : "small good" }, isError ? "tool result, an error" : "tool result")),
      h("div", { class: "source", tabindex: 0 }, code(result)),
      guard ? h("p", { class: "small" }, guard) : null),
    h("p", { class: "outcome" }, outcome),
    toolSet.length ? h("section", { class: "card set" },
      h("p", {}, h("b", {}, "The tool set, an allowlist: "), "the name in a call is looked up here, and nothing else is ever executed. Without it, a name could run a function that nobody meant to offer."),
      h("ul", { class: "entries" }, toolSet.map(entry))) : null));
  return turning(root, setTriggerValue);
}
