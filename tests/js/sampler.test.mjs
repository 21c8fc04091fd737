// The browser's sampler against the engines' own fixtures, and its pictures against the lecture's numbers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./load.mjs";

const NAMES = ["sortedLogits", "reshape", "probability", "drawnRank", "keptByEngine", "commuting", "pictureOf",
  "partingOf", "percentage"];
const {
  sortedLogits, reshape, probability, drawnRank, keptByEngine, commuting, pictureOf, partingOf, percentage,
} = await load(["sampler.js", "sampler_view.js"], NAMES);

const ENGINES = {
  transformers: { order: ["temperature", "top-k", "top-p", "min-p"], keepsTies: true },
  "llama.cpp": { order: ["top-k", "top-p", "min-p", "temperature"], keepsTies: false },
};
const OFF = { temperature: 1, top_k: 0, top_p: 1, min_p: 0 };
const FLAT = [0.4, 0.3, 0.25, 0.03, 0.02];
const letters = (rank) => ({ name: "ABCDE"[rank], title: "" });

const falling = (logits) => {
  const ids = logits.map((_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);
  return { ids, sorted: sortedLogits(Float64Array.from(ids, (id) => logits[id])) };
};
const close = (actual, expected, tolerance) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} within ${tolerance}`);

for (const [name, tolerance] of [["transformers", 1e-9], ["llama.cpp", 2e-6]]) {
  const file = new URL(`../goldens/sampler_${name.replace(".", "")}.json`, import.meta.url);
  test(`${name}: tokens and probabilities as the engine itself gives them`, () => {
    for (const { logits, settings, kept, probs } of JSON.parse(readFileSync(file, "utf8"))) {
      const { ids, sorted } = falling(logits);
      const final = reshape(sorted, settings, ENGINES[name]).at(-1);
      assert.deepEqual(ids.slice(0, final.kept).sort((a, b) => a - b), [...kept].sort((a, b) => a - b));
      kept.forEach((id, index) => close(probability(final, ids.indexOf(id)), probs[index], tolerance));
    }
  });
}

test("sums over a large vocabulary are those of its weights, added one by one", () => {
  // As those of a language model: the k-th of n logits that have a Gumbel distribution lies near its quantile.
  const logits = Float32Array.from({ length: 152_064 }, (_, rank) => -2 * Math.log(-Math.log(1 - (rank + 0.5) / 152_064)));
  const sorted = sortedLogits(logits);
  for (const temperature of [0.01, 0.2, 0.7, 1, 2.8]) {
    const weights = Array.from(logits, (logit) => Math.exp((logit - logits[0]) / temperature));
    const total = weights.reduce((sum, weight) => sum + weight);
    const entropy = weights.reduce((sum, weight) => sum - (weight ? weight / total * Math.log2(weight / total) : 0), 0);
    const final = reshape(sorted, { ...OFF, temperature, top_p: 0.9 }, ENGINES.transformers);
    close(final[1].total / total, 1, 1e-11);
    close(final[1].entropy, entropy, 1e-9);
    let kept = 0;
    for (let sum = 0; sum < 0.9 * total; kept += 1) sum += weights[kept];
    assert.equal(final.at(-1).kept, kept);
  }
});

// Results of core/sampling for many logits and settings, written by the test that starts this one.
if (process.env.LOOPSCOPE_TWIN) {
  test("every stage agrees with core to 1e-9", () => {
    const cases = JSON.parse(readFileSync(process.env.LOOPSCOPE_TWIN, "utf8"));
    assert.ok(cases.length > 100);
    for (const { falling: logits, settings, engine, stages, draws } of cases) {
      const sorted = sortedLogits(Float64Array.from(logits, (logit) => logit ?? -Infinity));
      const mine = reshape(sorted, settings, engine);
      assert.deepEqual(mine.map(({ name }) => name), stages.map(({ name }) => name));
      mine.forEach((stage, index) => {
        const core = stages[index];
        assert.equal(stage.kept, core.kept, `${stage.name} of ${JSON.stringify(settings)}`);
        assert.equal(stage.active, core.active);
        close(stage.removed, core.removed, 1e-9);
        close(stage.entropy, core.entropy, 1e-9);
        close(stage.normaliser / core.normaliser, 1, 1e-9);
        core.probs.forEach((share, rank) => close(probability(stage, rank), share, 1e-9));
      });
      for (const [u, rank] of draws) assert.equal(drawnRank(mine.at(-1), u), rank, `u = ${u}`);
    }
  });
}

const picture = (settings, choice = null, engine = ENGINES.transformers) =>
  pictureOf(falling(FLAT.map(Math.log)).sorted, { ...OFF, ...settings }, engine, letters, choice);

test("the lecture's k = 2 keeps A and B with 57 % and 43 %", () => {
  assert.deepEqual(picture({ top_k: 2 }).rows.slice(0, 2).map(({ label }) => label), ["57.1 %", "42.9 %"]);
});

test("a cut token shows what cut it", () => {
  const { label, reason } = picture({ top_k: 2 }).rows[2];
  assert.deepEqual([label, reason], ["25.0 %", "cut by top-k"]);
});

test("what is cut shows its share of the model's own distribution, whatever T is and whatever cut it", () => {
  const { rows } = picture({ temperature: 2, top_k: 4, min_p: 0.5 });
  assert.deepEqual(rows.slice(3).map(({ label, reason }) => [label, reason]), [["3.0 %", "cut by min-p"], ["2.0 %", "cut by top-k"]]);
  assert.equal(long({ temperature: 2, top_p: 0.3 }).tail.label, "24.0 %");
});

test("the line of u is divided as the kept probabilities are", () => {
  const { line } = picture({ top_p: 0.9 }, { u: 0.5 });
  line.pieces.forEach(({ share }, rank) => close(share, FLAT[rank] / 0.95, 1e-12));
  assert.deepEqual(line.pieces.map(({ picked }) => picked), [false, true, false]);
});

test("the strip follows the engine's order", () => {
  const { strip } = picture({ temperature: 0.5, top_k: 2 }, null, ENGINES["llama.cpp"]);
  assert.deepEqual(strip.map(({ title }) => title),
    ["logits", "softmax", "top-k 2", "top-p off", "min-p off", "÷ T = 0.50", "renormalised", "token"]);
});

test("where T comes first, it divides the logits before the softmax", () => {
  const { strip } = picture({ temperature: 0.5 });
  assert.deepEqual(strip.slice(0, 4).map(({ title }) => title), ["logits", "÷ T = 0.50", "softmax", "top-k off"]);
  assert.equal(strip[2].note, "1.51 bit"); // squares of 0.4, 0.3, 0.25, 0.03 and 0.02, over their sum
});

test("at T = 0 the softmax is left out where the temperature comes first, and only there", () => {
  const greedy = picture({ temperature: 0 }).strip;
  assert.deepEqual(greedy.slice(1, 3).map(({ title, value, note }) => [title, value, note]),
    [["T = 0: argmax", "1 token", "the largest logit"], ["softmax", "left out", "division by zero"]]);
  assert.equal(greedy.at(-2).value, "left out");
  const last = picture({ temperature: 0 }, null, ENGINES["llama.cpp"]).strip;
  assert.deepEqual(last.slice(1, 2).map(({ title, value }) => [title, value]), [["softmax", "5 tokens"]]);
});

test("the strip says what each stage took away", () => {
  const { strip } = picture({ top_p: 0.9 });
  assert.deepEqual(strip[4], { title: "top-p 0.90", value: "3 tokens", note: "− 5.0 %" });
  assert.deepEqual(strip[5], { title: "min-p off", value: "3 tokens", note: "nothing cut" });
});

// Twenty tokens: the first with 0.43, the others with 0.03 each.
const long = (settings, choice = null) => {
  const logits = [0.43, ...Array(19).fill(0.03)].map(Math.log);
  const names = (rank) => ({ name: `t${rank}`, title: "" });
  return pictureOf(falling(logits).sorted, { ...OFF, ...settings }, ENGINES.transformers, names, choice);
};

test("the tail is one bar with its count and mass", () => {
  const { name, label, reason, cut } = long({}).tail;
  assert.deepEqual([name, label, reason, cut], ["8 more", "24.0 %", "8 kept", null]);
});

test("a cut tail shows its mass in the model and what cut it", () => {
  const { label, reason, after } = long({ top_p: 0.4 }).tail;
  assert.deepEqual([label, reason, after], ["24.0 %", "cut by top-p", 0]);
});

test("a tail that is cut by two filters names both", () => {
  // Ties with the 16th stay: 20 tokens pass top-k, so the mass filter alone cuts. Without ties both would.
  const distinct = Array.from({ length: 20 }, (_, rank) => -rank / 100);
  const names = (rank) => ({ name: `t${rank}`, title: "" });
  const settings = { ...OFF, top_k: 16, top_p: 0.5 };
  const { tail } = pictureOf(falling(distinct).sorted, settings, ENGINES.transformers, names, null);
  assert.equal(tail.reason, "cut by top-k and top-p");
});

test("a picked token from the tail takes the last row and leaves the tail", () => {
  const { rows, tail } = long({}, { u: 0.999 });
  assert.deepEqual(rows.map(({ rank }) => rank), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19]);
  assert.ok(rows.at(-1).picked);
  close(tail.after, 8 * 0.03, 1e-12); // ranks 11 to 18
});

test("greedy picks the first token without u", () => {
  const { line, strip } = picture({}, { u: null });
  assert.equal(line.label, "greedy: no u");
  assert.deepEqual(strip.at(-1), { title: "token", value: "A", note: "argmax of P" });
});

test("T = 0 is greedy, and a tiny T neither overflows nor becomes NaN", () => {
  for (const temperature of [0, 5e-324, 1e-300]) {
    const stages = reshape(falling([1e4, 9e3, -1e4]).sorted, { ...OFF, temperature }, ENGINES.transformers);
    assert.deepEqual([0, 1, 2].map((rank) => probability(stages.at(-1), rank)), [1, 0, 0]);
    assert.equal(stages.at(-1).entropy, 0);
  }
});

test("a percentage is never rounded to impossible or certain", () => {
  assert.deepEqual([0, 1, 0.0004, 0.99951, 0.25].map(percentage), ["0.0 %", "100.0 %", "< 0.1 %", "> 99.9 %", "25.0 %"]);
});

test("a followed token shows its share after each stage, and where it is cut", () => {
  const { followed } = pictureOf(falling(FLAT.map(Math.log)).sorted, { ...OFF, top_p: 0.9 }, ENGINES.transformers, letters, null, 3);
  assert.deepEqual(followed.map(({ value }) => value), ["-3.51", "-3.51", "3.0 %", "3.0 %", "cut", "cut", "cut"]); // ln 0.03
  assert.ok(followed.every(({ name }) => name === "D"));
});

test("engines that part are named with the tokens that they treat differently", () => {
  // softmax(6, 4, 2) reaches 0.8 with one token, softmax(3, 2, 1) needs two.
  const { sorted } = falling([3, 2, 1]);
  const settings = { ...OFF, temperature: 0.5, top_p: 0.8 };
  const text = partingOf(keptByEngine(sorted, settings, ENGINES), "transformers", 1, letters);
  assert.equal(text, "llama.cpp keeps 1 more token than transformers: B.");
  const same = keptByEngine(sorted, OFF, ENGINES);
  assert.equal(partingOf(same, "transformers", 3, letters), "Every engine keeps the same tokens at these settings.");
});

test("tokens whose names the browser was not sent are counted and not listed", () => {
  const { sorted } = falling([3, 2, 1]);
  const byEngine = keptByEngine(sorted, { ...OFF, temperature: 0.5, top_p: 0.8 }, ENGINES);
  const unnamed = () => ({ name: "(rank 2)", title: "", unnamed: true });
  assert.equal(partingOf(byEngine, "transformers", 1, unnamed), "llama.cpp keeps 1 more token than transformers.");
});

test("temperature commutes with top-k, and not with top-p", () => {
  const { sorted } = falling([3, 2, 1]);
  const settings = { ...OFF, temperature: 0.5, top_k: 2, top_p: 0.8 };
  assert.deepEqual(commuting(sorted, settings, { order: ["temperature", "top-p", "top-k", "min-p"], keepsTies: true }), [false, true, true]);
  assert.deepEqual(commuting(sorted, settings, { order: ["temperature", "top-k", "top-p", "min-p"], keepsTies: true }), [true, true, true]);
});
