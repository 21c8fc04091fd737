// What a reader types, and what comes first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { searcher } = await load(["search.js"], ["searcher"]);

const TEXTS = [
  ["It terminates when a response contains no tool call", "ReAct, line 5", ""],
  ["T = 0 is a division by zero", "Sampling, T = 0", ""],
  ["Natural formats", "Tools, Interface", "Counting lines by hand spends attention on bookkeeping."],
  ["A turn may request several tools", "ReAct, both run at once", ""],
  ["Top-k = 2 keeps {0.6, 0.3} and renormalises them to {0.67, 0.33}", "Sampling", ""],
  ["Top-k = 2 keeps {0.4, 0.3} and renormalises them to {0.57, 0.43}", "Sampling", ""],
  ["The augmented action space Â = A ∪ L", "ReAct, Formulas", ""],
];
const find = searcher(TEXTS);

for (const [query, first] of [
  ["termination", 0],
  ["no tool call", 0],
  ["divide-by-zero", 1],
  ["bookkeep", 2],
  ["SEVERAL tools", 3],
  ["renormalise 0.67", 4],
  ["renormalise 0.57", 5],
  ["augmented â", 6],
]) {
  test(`“${query}” leads to “${TEXTS[first][0]}”`, () => assert.equal(find(query)[0], first));
}

test("nothing asked is everything, in order", () => assert.deepEqual(find(" "), TEXTS.map((_, at) => at)));
test("words that no text has find nothing", () => assert.deepEqual(find("photosynthesis"), []));
test("what a text says counts more than what stands around it", () => assert.deepEqual(find("formats formulas").slice(0, 2), [2, 6]));
