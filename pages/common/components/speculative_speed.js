// Does it pay: what was counted and timed here, the predictions over drafts and γ, and what the papers measured.
const cellOf = (cell) =>
  h("td", { class: cell.pays ? "pays" : "", style: `--ink: ${Math.min(1, Math.abs(Math.log2(Math.max(cell.value, 0.05))) / 1.8).toFixed(3)}` }, cell.label);

const rowOf = (kind) => (row) =>
  h("tr", { class: kind }, h("th", { scope: "row" }, row.name), row.cells.map(cellOf), h("td", { class: "note small" }, row.note));

const mapOf = ({ map, supposed }) =>
  h("table", { class: "map" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "γ"), map.gammas.map((gamma) => h("th", { scope: "col" }, gamma)), h("th"))),
    h("tbody", {}, map.rows.map(rowOf("")), supposed.rows.map(rowOf("supposed"))));

const lineOf = (line) =>
  h("tr", {}, h("th", { scope: "row" }, line.name), h("td", { class: "number" }, line.value), h("td", { class: "small" }, line.note));

const paperOf = (paper) =>
  h("tr", {}, h("th", { scope: "row" }, paper.title), h("td", { class: "number" }, paper.speed_up), h("td", { class: "small" }, paper.measured_on));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "speed");
  renew(root, JSON.stringify(data), () => [
    h("section", { class: "predicted" }, h("b", { class: "big" }, data.map.summary), h("div", {}, data.what_if), mapOf(data), h("div", {}, data.over_run),
      h("div", { class: "small" }, `Predicted speed-up; blue pays. ${data.measured_on} ${data.prediction}`)),
    h("section", { class: "measured" }, h("b", { class: "big" }, "This text, this draft"), h("table", {}, h("tbody", {}, data.lines.map(lineOf))),
      h("b", {}, "In the papers"), h("table", {}, h("tbody", {}, data.papers.map(paperOf)))),
  ]);
  root.dataset.lines = data.lines.length;
  return stepping(root, (act) => setTriggerValue("act", act));
}
