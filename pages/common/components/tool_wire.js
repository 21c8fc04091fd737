// The same tool, call and result in four forms, row by row. What does not stand in all four is lit.
const lineOf = ({ indent, pieces }) =>
  h("div", { class: "line", style: `--indent: ${indent}` },
    pieces.map(({ text, lit }) => lit ? h("mark", {}, text) : text));

const PARTS = { advertised: "tool-schemas", call: "tool-call", result: "tool-result" };

const sectionOf = ({ name, about, lines, lost }, column) =>
  h("section", { class: "message card", style: `${part(PARTS[name])}; grid-column: ${column}` },
    h("p", { class: "small" }, h("b", {}, name), " ", about),
    h("div", { class: "source", tabindex: 0 }, lines.map(lineOf)),
    lost.map((words) => h("p", { class: "small lost" }, words)));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { forms } = data.view;
  root.replaceChildren(
    h("p", { class: "key small" }, h("mark", {}, "Lit"), " is what does not stand in all of them: the envelope, which the API fixes and not the model. The rest is the developer's and the model's."),
    h("div", { class: "forms" }, forms.map(({ name, sections, problem }, index) => [
      h("h2", { style: `grid-column: ${index + 1}` }, name),
      ...sections.map((section) => sectionOf(section, index + 1)),
      problem ? h("p", { class: "problem card", style: `grid-column: ${index + 1}` }, problem) : null,
    ]).flat()));
  return turning(root, setTriggerValue);
}
