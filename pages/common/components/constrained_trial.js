// An instruction against a mask: the share of free and masked texts that hold, each with its interval.
const place = (share) => `left:${(100 * share).toFixed(2)}%`;

const bar = (kind, [low, share, high], label) =>
  h("div", { class: `arm ${kind}` }, h("span", { class: "small" }, kind),
    h("span", { class: "track" }, h("i", { class: "bar", style: wide(share) }),
      h("i", { class: "interval", style: `${place(low)};${wide(high - low)}` })),
    h("span", { class: "small number" }, label));

const rowOf = (row) =>
  h("section", { class: "share" }, h("b", {}, row.name), bar("free", row.free, row.free_label), bar("masked", row.masked, row.masked_label));

const pairOf = (pair) =>
  h("tr", {}, h("th", { scope: "row", class: "small" }, pair.seed),
    h("td", { class: "token" }, marked(pair.free)), h("td", { class: `small ${pair.free_verdict === "conforms" ? "good" : ""}` }, pair.free_verdict),
    h("td", { class: "token" }, marked(pair.masked)), h("td", { class: `small ${pair.masked_verdict === "conforms" ? "good" : ""}` }, pair.masked_verdict));

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "trial");
  renew(root, JSON.stringify(data), () => data.rows.length ? [
    h("div", { class: "big" }, "The prompt asks for the form; the mask holds to it."),
    h("div", { class: "shares" }, data.rows.map(rowOf)),
    h("div", { class: "small" }, data.summary),
    h("div", { class: "texts" }, h("table", {},
      h("thead", {}, h("tr", {}, ["", "free", "", "masked", ""].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, data.texts.map(pairOf)))),
  ] : [h("p", {}, "An instruction such as “Answer only in JSON” raises the probability of the form; a mask leaves nothing else. How often does either hold? For each seed the model answers the same prompt twice, once free and once masked, and each answer is checked by other means than the grammar.")]);
  root.dataset.pairs = data.texts.length;
}
