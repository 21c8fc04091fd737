// The typed messages as cards, with the lines that tie results to calls in the margin.

const gutter = (lanes, of) =>
  h("span", { class: "gutter", style: `--lanes: ${of}`, "aria-hidden": "true" }, lanes.map(({ lane, how, stub }) =>
    h("i", { class: `lane ${how} ${stub ? "stub" : ""}`, style: `--lane: ${lane}` })));

const rowOf = (row, of) =>
  h("div", { class: "row", style: colour(row.part) },
    row.label || row.call_id
      ? h("p", { class: "head small" }, h("span", {}, row.label), row.call_id ? h("code", {}, row.call_id) : null)
      : null,
    h("div", { class: row.is_code ? "body source" : "body" }, row.text ? shown(row.text) : h("i", { class: "pale" }, "empty")),
    row.faults.map((fault) => h("p", { class: "small bad" }, fault)),
    gutter(row.lanes, of));

const cardOf = (card, of, count = "") =>
  h("article", { class: "message", "data-owner": card.owner, tabindex: -1, style: colour(card.part), "aria-label": `message ${card.number}: ${card.type}` },
    h("p", { class: "type small" }, h("b", {}, card.type), h("span", { title: count ? "with what the template writes around it" : null }, `${count} `, h("span", { class: "pale" }, `[${card.number}]`)), gutter(passing(card), of)),
    card.rows.map((row) => rowOf(row, of)),
    card.answers.map((answer) => h("p", { class: "answer small" }, answer)));

// What runs beside the head of a card is what runs into its first row from above.
const passing = ({ rows }) => rows[0].lanes.filter(({ how, stub }) => how !== "start" && !(stub && how === "end"))
  .map((lane) => ({ ...lane, how: "pass" }));
