// Two runs beside each other: a row for each pair of steps, the pair in view in full, and what a review found.
const partOf = (cell) => (cell ? `--part: var(--part-${cell.part})` : null);

// The loops that the run went round: reasoning stays at the model, acting passes through the environment.
const loopsOf = ({ thoughts, actions, observations, about }) =>
  h("span", { class: "loops small", title: about, role: "img", "aria-label": about },
    h("span", { class: thoughts ? "own" : "own none" }, thoughts), h("b", {}, "LM"),
    h("span", { class: "ways" },
      h("span", { class: actions ? "there" : "none" }, actions), h("span", { class: observations ? "back" : "none" }, observations)),
    h("b", { class: actions ? "" : "none" }, "Env"));

const side = ({ source, sums, loops }) =>
  h("div", { class: "side" }, h("span", {}, sums), loopsOf(loops), h("span", { class: "small" }, source));

const cellOf = (cell) =>
  cell
    ? h("span", { class: "cell", style: partOf(cell), title: cell.line },
      h("span", { class: "number small" }, cell.number), h("i", {}), h("span", { class: "line" }, cell.line))
    : h("span", { class: "cell none small" }, "no counterpart");

const rowOf = ({ left, right, same }, index, parted) =>
  h("li", { class: `pair ${same ? "same" : "differs"} ${index === parted ? "parted" : ""}` },
    cellOf(left), h("span", { class: "sign" }, same ? "=" : "≠"), cellOf(right));

const wholeOf = (cell) =>
  h("p", { class: "whole card", style: partOf(cell) }, cell ? cell.whole : "no counterpart");

const finding = ({ kind, text, steps, how }) =>
  h("li", {},
    h("p", {}, h("b", {}, kind), " ", h("span", { class: "small" }, steps), ": ", text),
    h("p", { class: "small" }, how));

const findingsOf = ({ findings }) =>
  h("ul", { class: "card findings" },
    h("li", { class: "small" }, "Review"),
    findings.length ? findings.map(finding) : h("li", { class: "small" }, "Nothing: no rule of it applies."));

export default function ({ data, parentElement, setStateValue }) {
  const root = rootOf(rootOf(parentElement, "compare"), "screen");
  const { view } = data;
  const items = view.rows.map((row, index) => rowOf(row, index, view.parted));
  const list = h("ol", { class: "pairs card", tabindex: "0", "aria-label": "pairs of steps" }, items);
  const detail = h("div", { class: "two detail", "aria-live": "polite" });
  root.replaceChildren(
    h("div", { class: "two sides" }, view.sides.map(side)),
    h("p", { class: "sentence" }, view.sentence),
    list, detail,
    h("div", { class: "two review", role: "group", "aria-label": "review of both runs" }, view.sides.map(findingsOf)));
  return stepper(root, data, setStateValue, (step) => {
    const { left, right } = view.rows[step - 1];
    items.forEach((item, index) => {
      if (index === step - 1) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    detail.replaceChildren(wholeOf(left), wholeOf(right));
    // A third of the list stays above the pair in view: what both runs had in common leads up to it.
    list.scrollTop = items[step - 1].offsetTop - list.clientHeight / 3;
  });
}
