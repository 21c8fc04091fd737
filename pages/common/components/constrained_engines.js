// One step under each engine: the same logits, mask, dials and numbers, beside the lecture's formula.
const cell = (share, label) => h("td", {}, h("i", { class: "fill", style: wide(share) }), h("span", { class: "number" }, label));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "engines");
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "big" }, data.summary),
    h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, data.title), data.columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, data.rows.map((row) => h("tr", {},
        h("th", { scope: "row", class: `token ${row.forbidden ? "struck" : ""}` }, marked(row.name)),
        row.numbers.map((number, place) => cell(number, row.labels[place])))))),
    h("div", { class: "small said" }, sentences([
      "transformers and vLLM mask the logits first, then come temperature and filters.",
      "llama.cpp and Ollama draw first, and only what the grammar refuses is drawn again under the mask.", data.refusals])),
    h("div", { class: "small" }, [`With ${data.settings}.`, data.hint, data.over ? "" : "PageDown goes to the next token."].filter(Boolean).join(" ")),
  ]);
  root.dataset.columns = data.columns.length;
  return stepping(root, (act) => setTriggerValue("act", act));
}
