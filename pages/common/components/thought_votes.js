// Self-consistency: how many chains end at each option, and the chains themselves.
const barOf = ({ letter, text, right, share, label, first }) =>
  h("div", { class: `option ${first ? "first" : ""}` },
    h("span", { class: "name" }, `(${letter}) ${text}`, right ? h("span", { class: "small" }, " right") : null, first ? h("span", { class: "small" }, " majority") : null),
    h("span", { class: "track" }, h("i", { style: wide(share) })),
    h("span", { class: "number" }, label));

const rowOf = ({ name, text, answer, right }) =>
  h("tr", {}, h("th", { scope: "row", class: "small" }, name), h("td", { class: "text" }, text), h("td", { class: right ? "yes" : "no" }, answer));

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "thought");
  const { view } = data;
  root.dataset.chains = view.rows.length;
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "halves" },
      h("section", { class: "votes" },
        h("h3", {}, view.asks), view.bars.map(barOf), h("p", {}, h("b", {}, view.finding)),
        h("p", { class: "small" }, data.rule),
        h("h3", {}, "All bundled questions"), h("p", {}, data.together),
        h("p", { class: "small" }, `Captured beforehand on ${data.captured}, by scripts/capture_thoughts.py.`)),
      h("section", { class: "chains" }, h("table", {}, h("tbody", {}, data.coming ? rowOf({ name: "…", text: data.coming, answer: "", right: true }) : null, view.rows.map(rowOf)))))]);
}
