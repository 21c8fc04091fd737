// What a picture of the sampler says: rows, tail, line and strip, from the stages that `reshape` returns.

const ROWS = 12;
const PIECES = 60; // of the line that u picks on; more would be narrower than a pixel

// One digit after the point, and never 0 or 100 for what is neither.
const percentage = (share) => {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share >= 0.9995 && share < 1) return "> 99.9 %";
  return `${(100 * share).toFixed(1)} %`;
};

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }); // made once: it takes longer than a sum over all tokens
const whole = (number) => WHOLE.format(number);
const count = (tokens) => `${whole(tokens)} token${tokens === 1 ? "" : "s"}`;

// Nobody masks on this screen: a logit of −∞, the logarithm of 0, was given.
const cutReason = (cutters) => {
  const stages = cutters.filter((name) => name !== "mask");
  return stages.length ? `cut by ${stages.join(" and ")}` : "logit −∞";
};

// What is cut is shown as large as in the model's own distribution, whatever cut it: so all that is struck compares.
const rowOf = (stages, rank, { name, title }, picked) => {
  const cut = cutBy(stages, rank);
  const [before, after] = [probability(stages[0], rank), probability(stages.at(-1), rank)];
  return {
    rank, name, title, before, after,
    cut: cut === null ? null : before,
    label: percentage(cut === null ? after : before),
    reason: cut !== null ? cutReason([cut]) : picked ? "picked" : rank === 0 ? "greedy" : "",
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
  const shown = share(kept ? final : stages[0]);
  return {
    name: `${whole(size - rows)} more`,
    before: share(stages[0]),
    after: share(final),
    cut: kept ? null : shown,
    label: percentage(shown),
    reason: kept ? `${whole(kept)} kept` : cutReason(cutters.map(({ name }) => name)),
  };
};

// The kept tokens end to end, by falling probability; the last piece is all the others.
const lineOf = (final, pick) => {
  const first = Math.min(PIECES, final.kept);
  const pieces = [];
  for (let rank = 0; rank < first; rank += 1) {
    const share = probability(final, rank);
    if (!share) break;
    pieces.push({ share, picked: rank === pick?.rank });
  }
  if (final.kept > first) pieces.push({ share: mass(final, first, final.kept), picked: pick?.rank >= first });
  return { pieces, u: pick?.u ?? null, label: !pick ? "press Draw, or drag" : pick.u === null ? "greedy: no u" : `u = ${pick.u.toFixed(4)}` };
};

const TITLES = {
  temperature: ({ temperature }) => (temperature === 0 ? "T = 0: argmax" : `÷ T = ${temperature.toFixed(2)}`),
  "top-k": ({ top_k: k }) => (k > 0 ? `top-k ${k}` : "top-k off"),
  "top-p": ({ top_p: p }) => (p < 1 ? `top-p ${p.toFixed(2)}` : "top-p off"),
  "min-p": ({ min_p: minimum }) => (minimum > 0 ? `min-p ${minimum.toFixed(2)}` : "min-p off"),
};

const bits = (entropy) => `${entropy.toFixed(2)} bit`;

// The way of a token begins with its logit. Where T comes first, it divides the logits, and the softmax follows.
const temperedFirst = (stages) => stages[1].name === "temperature";

// A token followed through the cards of the strip: its logit, and what is left of it after each stage.
const followedThrough = (stages, rank, { name }, logit, { temperature }) => {
  const after = (stage) => ({ name, value: rank < stage.kept ? percentage(probability(stage, rank)) : "cut" });
  const score = (value) => ({ name, value: Number.isFinite(value) ? value.toFixed(2) : "−∞" });
  const [start, tempered, ...rest] = stages;
  const cards = temperedFirst(stages)
    ? [score(logit), temperature === 0 ? { name, value: "–" } : score(logit / temperature), after(tempered), ...rest.map(after)]
    : [score(logit), ...stages.map(after)];
  return [...cards, after(stages.at(-1))];
};

// Where the engines part at these settings, or that they don't. `ours` keeps `kept` tokens.
const partingOf = (byEngine, ours, kept, nameOf) => {
  const groups = new Map();
  for (const { name, kept: theirs } of byEngine) {
    if (theirs !== kept) groups.set(theirs, [...(groups.get(theirs) ?? []), name]);
  }
  if (!groups.size) return "Every engine keeps the same tokens at these settings.";
  return [...groups].map(([theirs, names]) => {
    const difference = Math.abs(theirs - kept);
    const first = Math.min(theirs, kept);
    const examples = Array.from({ length: Math.min(difference, 4) }, (_, index) => nameOf(first + index))
      .filter(({ unnamed }) => !unnamed).map(({ name }) => name);
    const rest = examples.length && difference > examples.length ? "  and so on" : "";
    const more = `${whole(difference)} ${theirs > kept ? "more" : "fewer"} token${difference === 1 ? "" : "s"}`;
    return `${names.join(" and ")} ${names.length > 1 ? "keep" : "keeps"} ${more} than ${ours}${examples.length ? ": " : ""}${examples.join("  ")}${rest}`;
  }).join("; ") + ".";
};

// The whole way of a token: logits, softmax and the stages in their order, renormalisation, the draw.
const stripOf = (stages, settings, nameOf, pick) => {
  const [start, ...rest] = stages;
  const final = stages.at(-1);
  const left = rest.reduce((product, { removed }) => product * (1 - removed), 1);
  const softmax = (stage) => ({ title: "softmax", value: count(stage.kept), note: bits(stage.entropy) });
  const card = (stage) => ({
    title: TITLES[stage.name](settings),
    value: count(stage.kept),
    note: stage.name === "temperature" ? bits(stage.entropy) : stage.removed ? `− ${percentage(stage.removed)}` : "nothing cut",
  });
  // At T = 0 the engine divides nothing and draws nothing: what stands first then leaves the softmax out.
  const greedy = temperedFirst(stages) && settings.temperature === 0;
  const leftOut = (title, note) => ({ title, value: "left out", note });
  const scores = { title: "logits", value: count(start.kept), note: "one score each" };
  const first = temperedFirst(stages)
    ? [{ ...card(rest[0]), value: count(greedy ? 1 : start.kept), note: greedy ? "the largest logit" : "every score" },
      greedy ? leftOut("softmax", "division by zero") : softmax(rest[0]), ...rest.slice(1).map(card)]
    : [softmax(start), ...rest.map(card)];
  return [
    scores,
    ...first,
    greedy
      ? leftOut("renormalised", "one token, 100 %")
      : { title: "renormalised", value: count(final.kept), note: `× ${(1 / left).toFixed(2)}, ${bits(final.entropy)}` },
    pick
      ? { title: "token", value: nameOf(pick.rank).name, note: pick.u === null ? "argmax of P" : `u = ${pick.u.toFixed(4)}` }
      : { title: "token", value: "–", note: "not drawn yet" },
  ];
};

// `choice`: {u}, a number or null for greedy; null if no token is picked. `followed`: a rank, or null. `nameOf(rank)`: {name, title} of a token.
const pictureOf = (sorted, settings, engine, nameOf, choice, followed = null) => {
  const stages = reshape(sorted, settings, engine);
  const final = stages.at(-1);
  const size = sorted.logits.length;
  const pick = choice && (choice.u !== null ? { rank: drawnRank(final, choice.u), u: choice.u } : { rank: 0, u: null });
  const length = Math.min(ROWS, size);
  const outsider = pick && pick.rank >= length ? pick.rank : null;
  const ranks = Array.from({ length }, (_, rank) => (outsider !== null && rank === length - 1 ? outsider : rank));
  const rows = ranks.map((rank) => rowOf(stages, rank, nameOf(rank), rank === pick?.rank));
  const scale = Math.max(...rows.flatMap(({ before, after }) => [before, after]));
  return {
    rows, scale,
    tail: size > length ? tailOf(stages, length, size, outsider) : null,
    line: lineOf(final, pick),
    strip: stripOf(stages, settings, nameOf, pick),
    followed: followed === null || followed >= size ? null : followedThrough(stages, followed, nameOf(followed), sorted.logits[followed], settings),
    kept: final.kept,
    entropy: final.entropy,
    choices: 2 ** final.entropy,
  };
};
