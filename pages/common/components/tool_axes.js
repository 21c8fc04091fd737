// The two axes of a tool call: format from top to bottom, kind from left to right, and in each corner what is written.
const cornerOf = ({ whose, written, reading, call, result }) =>
  h("section", { class: "card corner" },
    h("p", { class: "small whose" }, whose),
    h("div", { class: "source", style: part("tool-call"), tabindex: 0 }, code(written)),
    h("p", { class: "small" }, `↓ ${reading}, then the same checks`),
    h("div", { class: "source read", title: call }, call),
    h("div", { class: "source result", style: part("tool-result") }, code(result.trimEnd())));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { task, corners } = data.view;
  const names = (axis) => [...new Set(corners.map((corner) => corner[axis]))];
  const heads = names("kind").map((name) => h("h2", {}, name));
  const rows = names("format").map((format) =>
    [h("h2", { class: "format" }, format), ...corners.filter((corner) => corner.format === format).map(cornerOf)]);
  root.replaceChildren(
    h("p", { class: "told" }, task),
    h("div", { class: "axes" }, h("span", {}), heads, rows.flat()),
    h("p", { class: "small" }, "Format and kind are independent. A third axis is where the tool comes from: written into the runtime, or discovered over MCP."));
  return turning(root, setTriggerValue);
}
