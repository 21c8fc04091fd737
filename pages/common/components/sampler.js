// The sampler in the browser, so that a picture follows a slider while it is dragged: the twin of core/sampling,
// rule for rule, on logits in falling order. Tests hold the two together.

// Decimals are not exact in binary: see core/sampling/stages.py.
const BOUNDARY = 1e-9;

// Sums over the ranks go block by block. Logits next to each other in a large vocabulary are almost equal, so that a
// block's sum at any temperature follows from sums of powers that are made once: see `addBlock`.
const BLOCK = 64;
const POWERS = 9;
const NEAR = 1 / 8; // of a block's middle, in units of T: the powers that are left out are below 1e-12 of the sum

// Logits of one prompt in falling order, and how far each lies below the first. Those that are allowed come first.
const sortedLogits = (falling) => {
  const gap = new Float64Array(falling.length);
  for (let rank = 0; rank < gap.length; rank += 1) gap[rank] = falling[0] - falling[rank];
  let allowed = gap.length;
  while (allowed && falling[allowed - 1] === -Infinity) allowed -= 1;
  const blocks = Math.ceil(allowed / BLOCK);
  const sorted = {
    logits: falling, gap, allowed,
    middle: new Float64Array(blocks), // of the gaps of a block
    reach: new Float64Array(blocks), // from the middle to either end
    powers: new Float64Array(blocks * POWERS), // sums of (gap - middle)^m / m!
    spare: newTempered(blocks), untempered: newTempered(blocks),
  };
  for (let block = 0; block < blocks; block += 1) sumPowers(sorted, block);
  temper(sorted, 1, sorted.untempered);
  return sorted;
};

const sumPowers = ({ gap, allowed, middle, reach, powers }, block) => {
  const start = block * BLOCK;
  const stop = Math.min(start + BLOCK, allowed);
  middle[block] = (gap[start] + gap[stop - 1]) / 2;
  reach[block] = (gap[stop - 1] - gap[start]) / 2;
  for (let rank = start; rank < stop; rank += 1) {
    const distance = gap[rank] - middle[block];
    for (let m = 0, power = 1; m < POWERS; m += 1, power *= distance / m) powers[block * POWERS + m] += power;
  }
};

const newTempered = (blocks) => ({
  temperature: NaN, // none yet
  end: 0, // the rank from which on weights change no sum
  sums: new Float64Array(blocks + 1), // of the weights before a block
  moments: new Float64Array(blocks + 1), // of weight times exponent before a block, for the entropy
});

// Adds the weights exp(-gap / T) of the ranks [start, stop) to the totals.
const addWeights = ({ gap }, temperature, start, stop, totals) => {
  for (let rank = start; rank < stop; rank += 1) {
    const weight = Math.exp(gap[rank] / -temperature);
    if (!weight) break;
    totals.sum += weight;
    totals.moment -= weight * (gap[rank] / temperature);
  }
};

// Adds the weights of a block. About its middle, exp(-(middle + d) / T) = exp(-middle / T) Σ (-1 / T)^m d^m / m!, so
// their sum is a polynomial of -1 / T; the sum of weight times d is its derivative.
const addBlock = (sorted, temperature, block, totals) => {
  const x = -1 / temperature;
  if (!(sorted.reach[block] * -x < NEAR)) { // also where T is so small that x is infinite
    addWeights(sorted, temperature, block * BLOCK, Math.min((block + 1) * BLOCK, sorted.allowed), totals);
    return;
  }
  let value = 0, slope = 0;
  for (let at = (block + 1) * POWERS - 1; at >= block * POWERS; at -= 1) {
    slope = slope * x + value;
    value = value * x + sorted.powers[at];
  }
  const exponent = sorted.middle[block] * x;
  const weight = Math.exp(exponent);
  totals.sum += weight * value;
  totals.moment += weight * (exponent * value + x * slope);
};

// T = 0 is the limit: the first token has all the weight. The filters never change weights, so they are made anew with
// another temperature alone.
const temper = (sorted, temperature, into) => {
  if (into.temperature === temperature) return into;
  const { sums, moments } = into;
  const end = temperature === 0 ? Math.min(1, sorted.allowed) : sorted.allowed;
  const totals = { sum: 0, moment: 0 };
  let block = 0;
  while (block * BLOCK < end) {
    if (temperature === 0) totals.sum = 1;
    else addBlock(sorted, temperature, block, totals);
    block += 1;
    const added = totals.sum - sums[block - 1];
    sums[block] = totals.sum;
    moments[block] = totals.moment;
    // Weights fall: once all that are left together cannot change the sum, they are done.
    if (added / BLOCK * (end - block * BLOCK) < 1e-17 * totals.sum) break;
  }
  sums.fill(totals.sum, block + 1);
  moments.fill(totals.moment, block + 1);
  into.temperature = temperature;
  into.end = Math.min(block * BLOCK, end);
  into.sorted = sorted;
  return into;
};

// Sum of the weights, and of weight times exponent, of the ranks before this one.
const totalsBefore = ({ sorted, temperature, end, sums, moments }, rank) => {
  const block = Math.ceil(Math.min(rank, end) / BLOCK);
  if (rank >= end || rank % BLOCK === 0) return { sum: sums[block], moment: moments[block] };
  const totals = { sum: sums[block - 1], moment: moments[block - 1] };
  addWeights(sorted, temperature, (block - 1) * BLOCK, rank, totals);
  return totals;
};

const sumBefore = (tempered, rank) => totalsBefore(tempered, rank).sum;

const weightAt = ({ gap, allowed }, temperature, rank) => {
  if (rank >= allowed) return 0;
  return temperature === 0 ? Number(rank === 0) : Math.exp(gap[rank] / -temperature);
};

// The first rank in [0, end) for which `holds` is true, where it stays true from there on; else `end`.
const firstRank = (end, holds) => {
  let low = 0;
  while (low < end) {
    const middle = (low + end) >> 1;
    if (holds(middle)) end = middle;
    else low = middle + 1;
  }
  return low;
};

// The first rank in [0, end) whose running sum `reaches`, else `end`: its block, then the rank within.
const firstSum = (tempered, end, reaches) => {
  const block = firstRank(tempered.sums.length - 1, (index) => reaches(tempered.sums[index + 1]));
  const stop = Math.min((block + 1) * BLOCK, end);
  let sum = tempered.sums[block];
  for (let rank = block * BLOCK; rank < stop; rank += 1) {
    sum += weightAt(tempered.sorted, tempered.temperature, rank);
    if (reaches(sum)) return rank;
  }
  return Math.min((block + 1) * BLOCK - 1, end);
};

const stageOf = (name, active, kept, removed, tempered, sorted) => {
  const { sum: total, moment } = totalsBefore(tempered, kept);
  const entropy = (Math.log(total) - moment / total) / Math.LN2;
  // The temperature by itself, because the same arrays may serve another one before this stage is read.
  return { name, active, kept, removed, normaliser: total, entropy, tempered, temperature: tempered.temperature, total, sorted };
};

const mass = ({ tempered, kept, total }, start, stop) =>
  Math.max(0, sumBefore(tempered, Math.min(stop, kept)) - sumBefore(tempered, Math.min(start, kept))) / total;

const probability = ({ sorted, temperature, kept, total }, rank) =>
  (rank < kept ? weightAt(sorted, temperature, rank) / total : 0);

const FILTERS = {
  "top-k": {
    setting: "top_k",
    isActive: (k) => k > 0,
    // In some engines every tie with the k-th stays; k = 1 is greedy and keeps one token in all.
    kept: (before, k, { logits }, keepsTies) => {
      if (k >= before.kept) return before.kept;
      let kept = k;
      if (keepsTies && k > 1) while (kept < before.kept && logits[kept] === logits[k - 1]) kept += 1;
      return kept;
    },
  },
  "top-p": {
    setting: "top_p",
    isActive: (p) => p < 1,
    // The smallest prefix with mass >= p: the token that crosses it is kept.
    kept: (before, p) => {
      const threshold = (p - BOUNDARY) * before.total;
      return Math.min(firstSum(before.tempered, before.kept, (sum) => sum >= threshold) + 1, before.kept);
    },
  },
  "min-p": {
    setting: "min_p",
    isActive: (minimum) => minimum > 0,
    // p >= min_p * p_max, that is (max - z) / T <= -ln min_p.
    kept: (before, minimum, { gap }) => {
      const furthest = (BOUNDARY - Math.log(minimum)) * before.tempered.temperature;
      return firstRank(before.kept, (rank) => gap[rank] > furthest);
    },
  },
};

const filtered = (name, before, settings, sorted, keepsTies) => {
  const { setting, isActive, kept: keptBy } = FILTERS[name];
  const value = settings[setting];
  const active = isActive(value);
  const kept = active ? keptBy(before, value, sorted, keepsTies) : before.kept;
  if (kept === before.kept) return { ...before, name, active, removed: 0, normaliser: 1 };
  const after = stageOf(name, active, kept, mass(before, kept, before.kept), before.tempered, sorted);
  return { ...after, normaliser: after.total / before.total };
};

const tempered = (before, temperature, sorted) => {
  if (temperature === 1) return { ...before, name: "temperature", active: false, removed: 0, normaliser: before.total };
  const into = temper(sorted, temperature, sorted.spare);
  if (temperature === 0) return stageOf("temperature", true, 1, mass(before, 1, before.kept), into, sorted);
  return stageOf("temperature", true, before.kept, 0, into, sorted);
};

// The softmax and the four stages in the order given. At another temperature a second call on the same logits
// overwrites the first.
const reshape = (sorted, settings, { order, keepsTies }) => {
  const stages = [stageOf("softmax", true, sorted.allowed, 0, sorted.untempered, sorted)];
  for (const name of order) {
    const before = stages.at(-1);
    stages.push(name === "temperature"
      ? tempered(before, settings.temperature, sorted)
      : filtered(name, before, settings, sorted, keepsTies));
  }
  return stages;
};

// The rank that u in [0, 1) draws: the first, by falling probability, at which the running sum exceeds u.
const drawnRank = ({ tempered, kept, total }, u) => firstSum(tempered, kept - 1, (sum) => sum > u * total);

// What removed the token at a rank: a stage's name, "mask", or null if it is kept.
const cutBy = (stages, rank) => {
  const index = stages.findIndex(({ kept }) => rank >= kept);
  return index < 0 ? null : index === 0 ? "mask" : stages[index].name;
};

// How many tokens the settings keep in each engine: [{name, kept}].
const keptByEngine = (sorted, settings, engines) =>
  Object.entries(engines).map(([name, engine]) => ({ name, kept: reshape(sorted, settings, engine).at(-1).kept }));

// For each pair of neighbours in this order, whether their exchange keeps the same tokens at these settings. What is
// kept and T determine the distribution, so then the two stages commute here.
const commuting = (sorted, settings, { order, keepsTies }) => {
  const kept = (stages) => reshape(sorted, settings, { order: stages, keepsTies }).at(-1).kept;
  const as = kept(order);
  return order.slice(1).map((second, index) =>
    kept(order.toSpliced(index, 2, second, order[index])) === as);
};
