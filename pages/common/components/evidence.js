// Each figure as a small picture: two values on an axis, or so many dots of so many.
const percent = (value, end) => `${(100 * value) / end}%`;

const row = ({ label, first, second }, { rows, end, change, line }) => {
  const decimals = rows.every((one) => Number.isInteger(one.first) && Number.isInteger(one.second)) ? 0 : 1;
  const said = (value) => value.toFixed(decimals);
  const [low, high] = [Math.min(first, second), Math.max(first, second)];
  const bar = h("i", { class: change ? "way" : "span", style: `left: ${percent(low, end)}; width: ${percent(high - low, end)}` });
  const end_ = (value, kind) => h("i", { class: `end ${kind}`, style: `left: ${percent(value, end)}` });
  return h("div", { class: "row" },
    h("span", { class: "label" }, label),
    h("span", { class: "axis" },
      line ? h("i", { class: "line", style: `left: ${percent(line[0], end)}` }) : null,
      bar,
      change ? [end_(first, "before"), end_(second, "after")] : null),
    h("span", { class: "number" }, change ? `${said(first)} → ${said(second)}` : low === 0 ? said(high) : `${said(low)} to ${said(high)}`));
};

const plot = (picture) => h("figure", { class: picture.rows.length > 2 ? null : "few" },
  picture.rows.map((one) => row(one, picture)),
  h("figcaption", { class: "small" }, picture.unit,
    picture.change ? [" · ", h("i", { class: "key before" }), " with  ", h("i", { class: "key after" }), " without"] : null,
    picture.line ? [" · ", h("i", { class: "key line" }), ` ${picture.line[1]}`] : null));

const share = ({ some, of, what }) => h("figure", { class: "share" },
  h("div", { class: "dots", role: "img", "aria-label": `${some} of ${of}` },
    Array.from({ length: of }, (_, index) => h("i", { class: index < some ? "some" : null }))),
  h("figcaption", { class: "small" }, h("b", {}, `${some} of ${of}`), ` ${what}`));

const figure = ({ picture }) => picture.rows ? plot(picture) : share(picture);

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "evidence");
  const chosen = (card) => card.slug === data.chosen;
  const covered = (card) => chosen(card) && data.covered;
  const cards = [...data.cards.filter(chosen), ...data.cards.filter((card) => !chosen(card))];
  renew(root, JSON.stringify(data), () => cards.map((card) => h("article", { class: `card ${chosen(card) ? "chosen" : ""}`, id: card.slug },
    h("h3", {}, covered(card) ? "What came out?" : card.claim),
    covered(card) ? h("p", { class: "covered" }, "?") : figure(card),
    h("dl", {},
      h("dt", {}, "measured"), h("dd", {}, card.measured),
      covered(card) ? null : [h("dt", {}, "not shown"), h("dd", {}, card.not_shown)]),
    h("footer", {},
      h("cite", { class: "small" }, card.source),
      card.screen ? h("button", { type: "button", onclick: () => setTriggerValue("door", card.slug) }, `${card.invitation} ›`) : null))));
}
