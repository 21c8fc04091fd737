// The sampler in the browser, so that a picture follows a slider while it is dragged: the twin of core/sampling,
// rule for rule, on logits in falling order. Tests hold the two together.

// Decimals are not exact in binary: see core/sampling/stages.py.
const BOUNDARY = 1e-9;

// Logits of one prompt in falling order, and how far each lies below the first. Those that are allowed come first.
const sortedLogits = (falling) => {
  const gap = new Float64Array(falling.length);
  for (let rank = 0; rank < gap.length; rank += 1) gap[rank] = falling[0] - falling[rank];
  let allowed = gap.length;
  while (allowed && gap[allowed - 1] === Infinity) allowed -= 1;
  const sorted = { logits: falling, gap, allowed, spare: newTempered(gap.length), untempered: newTempered(gap.length) };
  temper(sorted, 1, sorted.untempered);
  return sorted;
};

const newTempered = (length) => ({
  temperature: NaN, // none yet
  sums: new Float64Array(length + 1), // of the weights before a rank
  moments: new Float64Array(length + 1), // of weight times exponent before a rank, for the entropy
});

// Weights exp((z - max) / T). T = 0 is the limit: the first token has all the weight. The filters never change them,
// so they are made anew with another temperature alone.
const temper = ({ gap, allowed }, temperature, into) => {
  if (into.temperature === temperature) return into;
  const { sums, moments } = into;
  into.temperature = temperature;
  const end = temperature === 0 ? 1 : allowed;
  let rank = 0, sum = 0, moment = 0;
  while (rank < end) {
    const exponent = temperature === 0 ? 0 : gap[rank] / -temperature;
    const weight = Math.exp(exponent);
    // Weights fall: once all that are left together cannot change the sum, they are done.
    if (weight * (end - rank) < 1e-17 * sum) break;
    rank += 1;
    sums[rank] = sum += weight;
    moments[rank] = moment += weight * exponent;
  }
  sums.fill(sum, rank + 1);
  moments.fill(moment, rank + 1);
  return into;
};

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

const stageOf = (name, active, kept, removed, tempered, sorted) => {
  const total = tempered.sums[kept];
  const entropy = (Math.log(total) - tempered.moments[kept] / total) / Math.LN2;
  // The temperature by itself, because the same arrays may serve another one before this stage is read.
  return { name, active, kept, removed, normaliser: total, entropy, tempered, temperature: tempered.temperature, total, sorted };
};

const mass = ({ tempered, kept, total }, start, stop) =>
  Math.max(0, tempered.sums[Math.min(stop, kept)] - tempered.sums[Math.min(start, kept)]) / total;

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
      const { sums } = before.tempered;
      return Math.min(firstRank(before.kept, (rank) => sums[rank + 1] >= threshold) + 1, before.kept);
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
const drawnRank = ({ tempered: { sums }, kept }, u) => firstRank(kept - 1, (rank) => sums[rank + 1] > u * sums[kept]);

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
