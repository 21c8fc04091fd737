// One text by rounds: where each token came from, and one round: the drafted tokens with their tests, then the target's own.
const ORIGINS = { draft: "drafted and accepted", residual: "from the residual", bonus: "the bonus", own: "the target's own, nothing drafted" };

// The numbers stand in columns of their own, headed by their unit.
const bare = (label) => label.replace(" %", "");

const overlapOf = (scale) => (row) =>
  h("div", { class: `pair ${row.drafted ? "is-drafted" : ""}`, title: `p = ${row.labels[0]}, q = ${row.labels[1]}` },
    h("span", { class: "token" }, marked(row.name)),
    h("span", { class: "track" }, h("i", { class: "bar q", style: wide(row.q / scale) }), h("i", { class: "bar before", style: wide(row.p / scale) })),
    h("span", { class: "number small" }, bare(row.labels[0])), h("span", { class: "number small" }, bare(row.labels[1])));

const testOf = (token) =>
  h("div", { class: "test", title: token.test }, h("span", { class: "track" }, h("i", { class: "bar after", style: wide(token.bar) }),
    token.u === null ? null : h("i", { class: "u", style: `left:${(100 * token.u).toFixed(2)}%` })),
    h("div", { class: "small" }, token.test));

const SIGNS = { accepted: "✓", rejected: "✗", "not tested": "–" };

const draftedOf = (token, place) =>
  h("section", { class: `drafted card ${token.verdict.replace(" ", "-")}` },
    h("div", { class: "what" }, h("span", { class: "small" }, `draft ${place + 1}`), h("b", { class: "token" }, marked(token.name)),
      h("span", { class: "verdict" }, `${SIGNS[token.verdict]} ${token.verdict}`)),
    testOf(token),
    h("div", { class: "pairs" }, h("div", { class: "pair small" }, h("span"), h("span"), h("span", { class: "number" }, "p, %"), h("span", { class: "number" }, "q, %")),
      token.rows.map(overlapOf(Math.max(...token.rows.map(({ p, q }) => Math.max(p, q)))))),
    h("div", { class: "small" }, token.overlap));

const lastOf = (last) =>
  h("section", { class: `drafted card last ${last.origin}` },
    h("div", { class: "what" }, h("span", { class: "small" }, "the target's own"), h("b", { class: "token" }, marked(last.name)), h("span", { class: "verdict" }, last.origin === "own" ? "" : last.origin)),
    h("div", { class: "small" }, last.how),
    h("div", { class: "pairs" }, last.rows.map(([name, share, label], _, rows) =>
      h("div", { class: "pair" }, h("span", { class: "token" }, marked(name)), h("span", { class: "track" }, h("i", { class: "bar own", style: wide(share / rows[0][1]) })),
        h("span", { class: "number small own-label" }, label)))));

const roundOf = ({ round, note }) => [
  h("div", { class: "round-head" }, h("b", { class: "big" }, round.title), h("span", {}, round.summary), h("span", { class: "small" }, round.passes)),
  note ? h("div", { class: "good", role: "status" }, note) : null,
  h("div", { class: "small key" }, swatch("after", "accept bar, min(1, p / q)"), swatch("u", "u: accepted where it falls on the bar"),
    swatch("before", "p of the target"), swatch("q", "q of the draft")),
  h("div", { class: "cards" }, round.drafted.map(draftedOf), round.last ? lastOf(round.last) : null),
].filter(Boolean);

const stages = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "speculative");
  if (!stages.has(root)) {
    const stage = { count: h("div", { class: "small count" }), round: h("div", { class: "round" }) };
    const legend = h("div", { class: "small key" }, Object.entries(ORIGINS).map(([kind, text]) => swatch(`origin ${kind}`, text)));
    stage.chips = chipsOf({ choose: (position) => stage.act({ do: "choose", index: stage.of[position] }), read: () => {} });
    stages.set(root, stage);
    root.append(h("div", { class: "head" }, legend, stage.count), stage.chips.element, stage.round);
  }
  const stage = stages.get(root);
  stage.act = (act) => setTriggerValue("act", act);
  stage.of = data.chips.map(({ round }) => round);
  const chips = data.chips.map(({ name, origin, round }) => ({
    text: name, kind: round === data.index ? `${origin} here` : origin, title: `round ${round + 1}, ${ORIGINS[origin]}`, share: round === data.index ? 1 : 0.3,
  }));
  stage.chips.show({ chips, cycle: null }, { prompt: data.prompt, colour: "share", chosen: null });
  stage.count.textContent = data.count;
  renew(stage.round, JSON.stringify([data.round, data.note]), () => roundOf(data));
  root.dataset.tokens = chips.length; // for whoever waits for it
  root.dataset.rounds = (stage.of.at(-1) ?? -1) + 1;
  return stepping(root, stage.act);
}
