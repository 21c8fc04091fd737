// No instruction, an instruction, a mask: the share of texts of each kind that hold, each with its interval.
const place = (share) => `left:${(100 * share).toFixed(2)}%`;

const bar = ({ arm, name, share: [low, share, high], label }) =>
  h("div", { class: `arm ${arm}` }, h("span", { class: "small" }, name),
    h("span", { class: "track" }, h("i", { class: "bar", style: wide(share) }),
      high > low ? h("i", { class: "interval", style: `${place(low)};${wide(high - low)}` }) : null),
    h("span", { class: "small number" }, label));

const rowOf = (row) =>
  h("section", { class: "share" }, h("b", {}, row.name), row.bars.map(bar));

const pairOf = ({ seed, texts }) =>
  h("tr", {}, h("th", { scope: "row", class: "small" }, seed), texts.flatMap(([text, verdict]) => [
    h("td", { class: "token" }, marked(text)), h("td", { class: `small ${verdict === "conforms" ? "good" : ""}` }, verdict)]));

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "trial");
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "big" }, "The prompt asks for the form; the mask holds to it."),
    h("div", {}, data.finding),
    h("div", { class: "shares" }, data.rows.map(rowOf)),
    ...data.texts.length ? [h("div", { class: "small" }, data.summary),
    h("div", { class: "texts" }, h("table", {},
      h("thead", {}, h("tr", {}, ["", ...data.arms.flatMap((arm) => [arm, ""])].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, data.texts.map(pairOf))))] : [h("p", {}, "How often does the whole text hold? For each seed the model answers without the instruction, with it, and masked, and each answer is checked by other means than the grammar.")],
  ]);
  root.dataset.pairs = data.texts.length;
}
