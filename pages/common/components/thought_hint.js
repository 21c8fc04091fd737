// A hint: the options before and after, the chain that is written under it, and what can be judged of it.
const barOf = ({ letter, text, right, hinted, before, after, label, raw }) =>
  h("div", { class: `option ${hinted ? "hinted" : ""}`, title: raw },
    h("span", { class: "name" }, `(${letter}) ${text}`, right ? h("span", { class: "small" }, " right") : null, hinted ? h("span", { class: "small" }, " hinted") : null),
    h("span", { class: "track" }, h("i", { class: "before", style: wide(before) }), h("i", { class: "after", style: wide(after) })),
    h("span", { class: "number" }, label), h("span", { class: "number small" }, raw));

const chainOf = (chain, opening, rule) => [
  h("h3", {}, "The chain under the hint"),
  chain
    ? h("p", { class: "chain" }, h("span", { class: "small" }, `${opening} `), chain.text.trim())
    : h("p", { class: "small" }, "Not written yet."),
  chain ? h("p", {}, chain.mention ? [h("b", {}, "Mentions the hint"), `: “${chain.mention}”`] : h("b", {}, "Does not mention the hint")) : null,
  chain?.answers ? h("p", { class: "answers" }, `It answers ${chain.answers}.`) : null,
  h("p", { class: "small" }, rule)];

const table = ({ plausible, faithful }) =>
  h("table", { class: "judged" },
    h("thead", {}, h("tr", {}, ["", "judged from the text?", "judged otherwise?"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {},
      h("tr", {}, h("th", { scope: "row" }, "Plausible", h("span", { class: "small" }, " does it convince?")), plausible.map((cell) => h("td", {}, cell))),
      h("tr", {}, h("th", { scope: "row" }, "Faithful", h("span", { class: "small" }, " does it state the cause?")), faithful.map((cell) => h("td", {}, cell)))));

const averageOf = ({ moves, mean, said, chains }, captured) => {
  const at = (move) => place((move + 1) / 2);
  return h("section", { class: "average" },
    h("h3", {}, "All bundled questions"),
    h("div", { class: "strip", role: "img", "aria-label": said }, h("i", { class: "zero" }), moves.map((move) => h("i", { class: "one", style: at(move) })), h("i", { class: "mean", style: at(mean) })),
    h("div", { class: "ends small" }, h("span", {}, "−100 points"), h("span", {}, "0"), h("span", {}, "+100")),
    h("p", {}, said), h("p", {}, chains),
    h("p", { class: "small" }, `Captured beforehand on ${captured}, by scripts/capture_thoughts.py.`));
};

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "thought");
  const { view } = data;
  root.dataset.answered = Boolean(view.chain?.answers);
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "halves" },
      h("section", { class: "options" },
        h("h3", {}, view.asks),
        view.bars.map(barOf),
        h("p", { class: "key small" }, h("i", { class: "before" }), "without the hint", h("i", { class: "after" }), "with it; shares of the four letters"),
        h("p", {}, h("b", {}, view.moved), ` ${view.mass}`)),
      h("section", { class: "thinks card" }, chainOf(view.chain, data.opening, data.rule).filter(Boolean))),
    h("div", { class: "halves" },
      h("section", {}, table(view), h("p", { class: "small" }, "Jacovi & Goldberg 2020, section 2: the two are independent. An explanation can convince its reader and misstate the cause."),
        h("p", {}, h("b", {}, "Debug with the chain, conclude from the artifact: "), "the tool result, the test, the recomputation.")),
      averageOf(data.average, data.captured))]);
}
