// What a picture of the sampler says: rows, tail, line and strip, from the stages that `reshape` returns.

const ROWS = 12;
const PIECES = 60; // of the line that u picks on; more would be narrower than a pixel

// One digit after the point, and never 0 or 100 for what is neither.
const percentage = (share) => {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share >= 0.9995 && share < 1) return "> 99.9 %";
  return `${(100 * share).toFixed(1)} %`;
};

const whole = (number) => number.toLocaleString("en-US", { maximumFractionDigits: 0 });
const count = (tokens) => `${whole(tokens)} token${tokens === 1 ? "" : "s"}`;

// A cut token is shown as large as it was before the stage that cut it.
const lastShare = (stages, start, stop) => {
  const index = stages.findIndex(({ kept }) => kept <= start);
  if (index === 0) return 0; // a mask forbids it
  return mass(stages.at(index < 0 ? -1 : index - 1), start, stop);
};

const rowOf = (stages, rank, { name, title }, picked) => {
  const cut = cutBy(stages, rank);
  const after = probability(stages.at(-1), rank);
  return {
    rank, name, title, after,
    before: probability(stages[0], rank),
    cut: cut === null ? null : lastShare(stages, rank, rank + 1),
    label: percentage(cut === null ? after : lastShare(stages, rank, rank + 1)),
    reason: cut === null ? (picked ? "picked" : "") : `cut by ${cut}`,
    picked,
  };
};

// All tokens without a row, as one. `outsider`: a picked token from far down that has the last row instead.
const tailOf = (stages, rows, size, outsider) => {
  const first = outsider ? rows - 1 : rows;
  const share = (stage) => Math.max(0, mass(stage, first, size) - (outsider ? probability(stage, outsider) : 0));
  const final = stages.at(-1);
  const kept = Math.max(0, final.kept - first) - (outsider && outsider < final.kept ? 1 : 0);
  const cutters = stages.slice(1).filter(({ kept: left }, index) => stages[index].kept > Math.max(left, first));
  const beforeCut = cutters.length ? stages[stages.indexOf(cutters[0]) - 1] : stages[0];
  const shown = share(kept ? final : beforeCut);
  return {
    name: `${whole(size - rows)} more`,
    before: share(stages[0]),
    after: share(final),
    cut: kept ? null : shown,
    label: percentage(shown),
    reason: kept ? `${whole(kept)} kept` : `cut by ${cutters.map(({ name }) => name).join(" and ") || "mask"}`,
  };
};

// The kept tokens end to end, by falling probability; the last piece is all the others.
const lineOf = (final, nameOf, pick) => {
  const first = Math.min(PIECES, final.kept);
  const pieces = [];
  for (let rank = 0; rank < first && probability(final, rank) > 0; rank += 1) {
    const share = probability(final, rank);
    pieces.push({ share, picked: rank === pick?.rank, title: `${nameOf(rank).name} ${percentage(share)}` });
  }
  if (final.kept > first) {
    pieces.push({ share: mass(final, first, final.kept), picked: pick?.rank >= first, title: `${count(final.kept - first)} more` });
  }
  return { pieces, u: pick?.u ?? null, label: !pick ? "press Draw" : pick.u === null ? "greedy: no u" : `u = ${pick.u.toFixed(4)}` };
};

const TITLES = {
  temperature: ({ temperature }) => (temperature === 0 ? "T = 0: greedy" : `÷ T = ${temperature.toFixed(2)}`),
  "top-k": ({ top_k: k }) => (k > 0 ? `top-k ${k}` : "top-k off"),
  "top-p": ({ top_p: p }) => (p < 1 ? `top-p ${p.toFixed(2)}` : "top-p off"),
  "min-p": ({ min_p: minimum }) => (minimum > 0 ? `min-p ${minimum.toFixed(2)}` : "min-p off"),
};

const bits = (entropy) => `${entropy.toFixed(2)} bit`;

// The whole way of a token: softmax, the engine's stages, renormalisation, the draw.
const stripOf = (stages, settings, nameOf, pick) => {
  const [start, ...rest] = stages;
  const final = stages.at(-1);
  const left = rest.reduce((product, { removed }) => product * (1 - removed), 1);
  return [
    { title: "softmax", value: count(start.kept), note: bits(start.entropy) },
    ...rest.map((stage) => ({
      title: TITLES[stage.name](settings),
      value: count(stage.kept),
      note: stage.name === "temperature" ? bits(stage.entropy) : stage.removed ? `− ${percentage(stage.removed)}` : "nothing cut",
    })),
    { title: "renormalised", value: count(final.kept), note: `× ${(1 / left).toFixed(2)}, ${bits(final.entropy)}` },
    pick
      ? { title: "token", value: nameOf(pick.rank).name, note: pick.u === null ? "the most probable" : `u = ${pick.u.toFixed(4)}` }
      : { title: "token", value: "–", note: "not drawn yet" },
  ];
};

// `pick`: {by: "draw" | "greedy", u}, or null. `nameOf(rank)`: {name, title} of a token.
const pictureOf = (sorted, settings, engine, nameOf, choice) => {
  const stages = reshape(sorted, settings, engine);
  const final = stages.at(-1);
  const size = sorted.logits.length;
  const pick = choice && (choice.by === "draw" ? { rank: drawnRank(final, choice.u), u: choice.u } : { rank: 0, u: null });
  const length = Math.min(ROWS, size);
  const outsider = pick && pick.rank >= length ? pick.rank : null;
  const ranks = Array.from({ length }, (_, rank) => (outsider !== null && rank === length - 1 ? outsider : rank));
  const rows = ranks.map((rank) => rowOf(stages, rank, nameOf(rank), rank === pick?.rank));
  const scale = Math.max(...rows.flatMap(({ before, after }) => [before, after]));
  return {
    rows, scale,
    tail: size > length ? tailOf(stages, length, size, outsider) : null,
    line: lineOf(final, nameOf, pick),
    strip: stripOf(stages, settings, nameOf, pick),
    kept: final.kept,
    entropy: final.entropy,
    choices: 2 ** final.entropy,
  };
};
