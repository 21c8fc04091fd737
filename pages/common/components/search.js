// Finds texts by some of their words. A rare word counts more than a frequent one, a word itself more than one of the
// same stem, and what a text says more than what is said around it.
const COUNTS = [4, 2, 1]; // the fields of a text, from what it says outwards
const LONG = 5; // letters from which a word has a stem
const FAR = 0.4; // of the best score: what is below is not meant

const wordsOf = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/\p{N}+(?:\.\p{N}+)*|\p{L}[\p{L}\p{N}]*/gu) ?? [];
const stemOf = (word) => word.slice(0, Math.max(LONG, word.length - 4));

// The last word may still be going on.
const fit = (word, asked, last) => {
  if (word === asked) return 1;
  if (last && word.startsWith(asked)) return 0.9;
  return asked.length > LONG && word.startsWith(stemOf(asked)) ? 0.6 : 0;
};

// `texts`: the fields of each. Returns what gives, for words, the places of the texts that fit, the best first.
const searcher = (texts) => {
  const known = texts.map((fields) => fields.map((field) => [...new Set(wordsOf(field))]));
  return (query) => {
    const asked = [...new Set(wordsOf(query))];
    const fits = asked.map((one, at) => known.map((fields) =>
      Math.max(...fields.map((words, field) => COUNTS[field] * Math.max(0, ...words.map((word) => fit(word, one, at === asked.length - 1)))))));
    const rarity = fits.map((each) => Math.log(1 + texts.length / Math.max(1, each.filter(Boolean).length)));
    const scores = texts.map((_, at) => fits.reduce((sum, each, one) => sum + rarity[one] * each[at], 0));
    const best = Math.max(...scores);
    const places = texts.map((_, at) => at);
    if (!asked.length) return places;
    return places.filter((at) => scores[at] > 0 && scores[at] >= FAR * best).sort((one, other) => scores[other] - scores[one]);
  };
};
