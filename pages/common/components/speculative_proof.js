// The proof by counting: what each rule drew, beside the target's own distribution.
const ruleOf = (row) =>
  h("section", { class: `rule card ${row.holds ? "holds" : row.holds === null ? "open" : "fails"}` },
    h("b", {}, row.name),
    h("div", { class: `big ${row.holds ? "good" : row.holds === null ? "" : "bad"}` }, row.verdict),
    h("div", {}, row.test), h("div", { class: "small" }, row.accepted),
    h("div", { class: "pairs" }, row.bars.map(([name, counted, p]) =>
      h("div", { class: "pair", title: `counted ${(100 * counted).toFixed(2)} %, p = ${(100 * p).toFixed(2)} %` },
        h("span", { class: "token" }, marked(name)),
        h("span", { class: "track" }, h("i", { class: "bar counted", style: wide(counted) }), h("i", { class: "bar before", style: wide(p) })),
        h("span", { class: "number small" }, `${(100 * counted).toFixed(1)} %`)))));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "proof");
  renew(root, JSON.stringify(data), () => data.rows.length ? [
    h("div", { class: "small key" }, h("span", {}, data.title), swatch("before", "p of the target"), swatch("after", "counted")),
    h("div", { class: "rules" }, data.rows.map(ruleOf)),
    h("div", { class: "small" }, "p-value: how probable counts at least this far from p are if the rule draws from p; by chance alone it is below 0.01 once in a hundred times. All three rules had the same drafted tokens and the same numbers u."),
  ] : [h("p", {}, "Nothing is drafted at this place, so the target draws alone: choose another round or another draft.")]);
  root.dataset.rules = data.rows.length;
  return stepping(root, (act) => setTriggerValue("act", act));
}
