// The sampling laboratory: dials, and the next-token distribution that follows them while they are dragged.
// Python hears of the settings when a dial is let go.
const share = (part, scale) => `${(100 * Math.min(1, part / scale)).toFixed(4)}%`;

const chips = ({ tokens, count: total }) =>
  h("div", { class: "chips", role: "list", "aria-label": "tokens that the model reads" },
    tokens.map(({ text, kind, title }) => h("span", { class: `token ${kind}`, title, role: "listitem" }, marked(text))),
    h("span", { class: "count small" }, total));

const legend = () =>
  h("div", { class: "legend small" },
    h("span", {}, h("i", { class: "before" }), "model, T = 1"),
    h("span", {}, h("i", { class: "after" }), "after the sampler"),
    h("span", {}, h("i", { class: "cut" }), "cut"));

// A solid bar for what is kept, a hatched one for what was cut, and the model's own probability as an outline.
const track = () => h("span", { class: "track" }, h("span", { class: "bar" }), h("span", { class: "bar before" }));

const setTrack = ({ children: [solid, outline] }, { before, after, cut }, scale) => {
  solid.className = cut === null ? "bar after" : "bar cut";
  solid.style.width = share(cut ?? after, scale);
  outline.style.width = share(before, scale);
};

// Rows keep their elements from one drawing to the next: a drag makes many drawings a second.
const setRow = (bars, position, row, scale) => {
  let element = bars.children[position];
  if (!element) {
    element = h("div", {},
      h("span", { class: "rank number small" }), h("span", { class: "token" }), track(),
      h("span", { class: "percent number" }), h("span", { class: "reason small" }));
    bars.append(element);
  }
  const [rank, token, line, label, reason] = element.children;
  element.className = `${row.cut === null ? "" : "is-cut"} ${row.picked ? "is-picked" : ""}`;
  rank.textContent = whole(row.rank + 1);
  if (token.dataset.name !== row.name) {
    token.dataset.name = row.name;
    token.replaceChildren(...marked(row.name));
  }
  token.title = row.title;
  setTrack(line, row, scale);
  label.textContent = row.label;
  reason.textContent = row.reason;
};

const setTail = (element, tail, scale) => {
  element.hidden = !tail;
  if (!tail) return;
  const [name, line, label, reason] = element.children;
  const beyond = (tail.cut ?? tail.after) > scale || tail.before > scale;
  element.className = `tail ${tail.cut === null ? "" : "is-cut"} ${beyond ? "beyond" : ""}`;
  name.textContent = tail.name;
  setTrack(line, tail, scale);
  label.textContent = tail.label;
  reason.textContent = tail.reason;
};

const setLine = (element, { pieces, u, label }) => {
  const [, line, text] = element.children;
  line.replaceChildren(
    ...pieces.map(({ share: part, picked, title }) =>
      h("span", { class: picked ? "piece picked" : "piece", style: `width:${share(part, 1)}`, title })),
    ...(u === null ? [] : [h("span", { class: "u", style: `left:${share(u, 1)}` })]));
  text.textContent = label;
};

const stages = (strip) =>
  strip.flatMap(({ title, value, note }, index) => [
    index ? h("span", { class: "arrow", "aria-hidden": "true" }, "›") : null,
    h("div", { class: "card" }, h("span", { class: "small" }, title), h("b", { title: value }, marked(value)),
      h("span", { class: "small" }, note))]);

const DIALS = [
  { name: "temperature", label: "Temperature T", max: 3, step: 0.05, neutral: 1, off: "" },
  { name: "top_k", label: "Top-k", max: 100, step: 1, neutral: 0, off: "off" },
  { name: "top_p", label: "Top-p", max: 1, step: 0.01, neutral: 1, off: "off" },
  { name: "min_p", label: "Min-p", max: 1, step: 0.01, neutral: 0, off: "off" },
];

const shown = ({ step, neutral, off }, value) => (off && value === neutral ? off : step === 1 ? String(value) : value.toFixed(2));

const HINTS = {
  temperature: ({ temperature: t }) =>
    t === 0 ? "greedy: no chance is left" : t < 1 ? "below 1 sharpens" : t > 1 ? "above 1 flattens" : "the model's own distribution",
  top_k: ({ top_k: k }) => (k ? `the ${k === 1 ? "most probable" : `${k} most probable`}` : "a fixed number of tokens"),
  top_p: ({ top_p: p }) => (p < 1 ? `the fewest that reach ${p.toFixed(2)}` : "the fewest that reach a mass"),
  min_p: ({ min_p: m }) => (m > 0 ? `at least ${m.toFixed(2)} of the first` : "relative to the most probable"),
};

// Streamlit hears no shortcut while an input has the focus. A dial needs the arrows alone, so it passes letters on.
const passLettersOn = (event) => {
  if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopPropagation();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, code: event.code, keyCode: event.keyCode, bubbles: true }));
};

const dialsOf = (lab) => {
  const dials = DIALS.map((dial) => {
    const value = h("output", { class: "number" });
    const hint = h("span", { class: "small" });
    const range = h("input", {
      type: "range", min: 0, max: dial.max, step: dial.step, "aria-label": dial.label,
      oninput: () => lab.set({ [dial.name]: Number(range.value) }),
      onchange: () => lab.report(),
      onkeydown: passLettersOn,
      ondblclick: () => { lab.set({ [dial.name]: dial.neutral }); lab.report(); },
    });
    const follow = (settings) => {
      range.value = settings[dial.name];
      range.style.setProperty("--share", share(settings[dial.name], dial.max));
      value.textContent = shown(dial, settings[dial.name]);
      hint.textContent = HINTS[dial.name](settings);
    };
    return { follow, element: h("label", { class: "dial" }, h("span", { class: "name" }, dial.label), value, range, hint) };
  });
  const engine = h("select", { "aria-label": "engine", onchange: () => { lab.set({ engine: engine.value }); lab.report(); } },
    Object.keys(lab.data.engines).map((name) => h("option", { value: name }, name)));
  const order = h("span", { class: "small" });
  const entropy = h("b"), choices = h("b");
  return {
    element: h("div", { class: "dials card" }, dials.map(({ element }) => element),
      h("label", { class: "dial" }, h("span", { class: "name" }, "Engine"), engine, order),
      h("div", { class: "facts" },
        h("div", {}, h("span", { class: "small" }, "entropy"), entropy),
        h("div", { title: "2 to the power of the entropy" }, h("span", { class: "small" }, "like choosing from"), choices))),
    follow: (settings, picture) => {
      dials.forEach(({ follow }) => follow(settings));
      engine.value = settings.engine;
      order.textContent = lab.data.engines[settings.engine].order.map((name) => (name === "temperature" ? "T" : name)).join(" → ");
      entropy.textContent = bits(picture.entropy);
      choices.textContent = picture.choices < 1000 ? picture.choices.toFixed(1) : whole(picture.choices);
    },
  };
};

const build = (root, lab) => {
  const parts = {
    prompt: h("div"),
    bars: h("div", { class: "bars" }),
    tail: h("div", {}, h("span", { class: "name small" }), track(), h("span", { class: "percent number" }), h("span", { class: "reason small" })),
    line: h("div", { class: "cumulative" },
      h("span", { class: "small number" }, "one number u picks the token"), h("div", { class: "line" }), h("span", { class: "small" })),
    strip: h("div", { class: "stages" }),
    dials: dialsOf(lab),
  };
  root.append(
    h("div", { class: "picture" }, parts.prompt, legend(), parts.bars, h("div", { class: "bars" }, parts.tail), parts.line),
    parts.dials.element,
    parts.strip);
  return parts;
};

const makeLab = (root) => {
  const lab = {
    settings: null,
    set(change) {
      lab.settings = { ...lab.settings, ...change };
      lab.pending ??= requestAnimationFrame(() => { lab.pending = null; lab.draw(); });
    },
    report() { lab.setStateValue("settings", lab.settings); },
    nameOf(rank) {
      const { names, ids, choice } = lab.data;
      const known = choice && choice.rank === rank ? choice : rank < names.length ? { name: names[rank], id: ids[rank] } : null;
      const logit = lab.sorted.logits[rank].toFixed(3);
      return known
        ? { name: known.name, title: `token ${known.id}, logit ${logit}` }
        : { name: `(rank ${whole(rank + 1)})`, title: `logit ${logit}` };
    },
    draw() {
      const logits = globalThis.loopscopeLogits?.get(lab.data.key);
      if (!logits) return; // they are on their way
      if (lab.key !== lab.data.key) {
        lab.key = lab.data.key;
        lab.sorted = sortedLogits(logits);
      }
      const { parts, data, settings } = lab;
      const picture = pictureOf(lab.sorted, settings, data.engines[settings.engine], lab.nameOf, data.choice);
      while (parts.bars.children.length > picture.rows.length) parts.bars.lastChild.remove();
      picture.rows.forEach((row, position) => setRow(parts.bars, position, row, picture.scale));
      setTail(parts.tail, picture.tail, picture.scale);
      setLine(parts.line, picture.line);
      parts.strip.replaceChildren(...stages(picture.strip).filter(Boolean));
      parts.dials.follow(settings, picture);
      root.dataset.key = lab.key; // what is drawn, for whoever waits for it
    },
  };
  return lab;
};

const labs = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = rootOf(parentElement, "distribution");
  const lab = labs.get(root) ?? makeLab(root);
  lab.data = data;
  lab.setStateValue = setStateValue;
  if (!labs.has(root)) {
    labs.set(root, lab);
    lab.parts = build(root, lab);
  }
  if (lab.revision !== data.revision) {
    lab.revision = data.revision;
    lab.settings = data.settings;
  }
  lab.parts.prompt.replaceChildren(chips(data.prompt));
  lab.draw();
  lab.listening?.abort();
  lab.listening = new AbortController();
  document.addEventListener("loopscope-logits", () => lab.draw(), { signal: lab.listening.signal });
  return () => lab.listening.abort();
}
