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

// A solid bar for what is kept, a hatched one for what was cut, the model's own probability as an outline, and what
// was drawn in many draws as a mark over the band in which it is expected.
const track = () =>
  h("span", { class: "track" }, h("span", { class: "bar" }), h("span", { class: "bar before" }),
    h("span", { class: "band" }), h("span", { class: "mark" }));

const setTrack = ({ children: [solid, outline, band, mark] }, { before, after, cut }, scale, drawn) => {
  band.hidden = mark.hidden = !drawn?.possible;
  if (drawn?.possible) {
    band.style.left = share(drawn.low, scale);
    band.style.width = share(Math.min(drawn.high, scale) - drawn.low, scale);
    mark.style.left = share(drawn.share, scale);
  }
  solid.className = cut === null ? "bar after" : "bar cut";
  solid.style.width = share(cut ?? after, scale);
  outline.style.width = share(before, scale);
};

// Rows keep their elements from one drawing to the next: a drag makes many drawings a second.
const setRow = (bars, position, row, scale, follow, drawn) => {
  let element = bars.children[position];
  if (!element) {
    const start = () => follow(Number(element.dataset.rank));
    element = h("div", { tabindex: 0, onpointerenter: start, onfocus: start, onpointerleave: () => follow(null), onblur: () => follow(null) },
      h("span", { class: "rank number small" }), h("span", { class: "token" }), track(),
      h("span", { class: "percent number" }), h("span", { class: "reason small" }));
    bars.append(element);
  }
  const [rank, token, line, label, reason] = element.children;
  element.className = `${row.cut === null ? "" : "is-cut"} ${row.picked ? "is-picked" : ""}`;
  element.dataset.rank = row.rank;
  rank.textContent = whole(row.rank + 1);
  if (token.dataset.name !== row.name) {
    token.dataset.name = row.name;
    token.replaceChildren(...marked(row.name));
  }
  token.title = row.title;
  setTrack(line, row, scale, drawn);
  label.textContent = row.label;
  setReason(reason, row.reason, drawn);
};

const setReason = (element, reason, drawn) => {
  element.textContent = drawn?.possible ? drawn.label : reason;
  element.title = drawn?.possible ? drawn.title : "";
};

const setTail = (element, tail, scale, drawn) => {
  element.hidden = !tail;
  if (!tail) return;
  const [name, line, label, reason] = element.children;
  const beyond = (tail.cut ?? tail.after) > scale || tail.before > scale;
  element.className = `tail ${tail.cut === null ? "" : "is-cut"} ${beyond ? "beyond" : ""}`;
  name.textContent = tail.name;
  setTrack(line, tail, scale, drawn);
  label.textContent = tail.label;
  setReason(reason, tail.reason, drawn);
};

// Streamlit hears no shortcut while an input has the focus. A dial needs the arrows alone, so it passes letters on.
const passLettersOn = (event) => {
  if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopPropagation();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, code: event.code, keyCode: event.keyCode, bubbles: true }));
};

// The line is a dial as well: u can be set by hand.
const lineOfU = (lab) => {
  const pieces = h("div", { class: "pieces" });
  const range = h("input", {
    type: "range", min: 0, max: 0.9999, step: 0.0001, "aria-label": "u, the number that picks the token",
    oninput: () => lab.setChoice({ by: "hand", u: Number(range.value) }),
    onchange: () => lab.reportChoice(),
    onkeydown: passLettersOn,
  });
  const label = h("span", { class: "small" });
  return {
    element: h("div", { class: "cumulative" },
      h("span", { class: "small number" }, "one number u picks the token"), h("div", { class: "line" }, pieces, range), label),
    show: ({ pieces: shares, u, label: text }) => {
      pieces.replaceChildren(
        ...shares.map(({ share: part, picked, title }) =>
          h("span", { class: picked ? "piece picked" : "piece", style: `width:${share(part, 1)}`, title })),
        ...(u === null ? [] : [h("span", { class: "u", style: `left:${share(u, 1)}` })]));
      range.value = u ?? 0;
      label.textContent = text;
    },
  };
};

// The strip of stages. While a token is followed, its share after each stage stands where the stage's own note was.
const stages = (strip, followed) =>
  strip.flatMap(({ title, value, note }, index) => {
    const token = followed?.[index];
    const last = token === undefined ? h("span", { class: "small" }, note)
      : h("span", { class: `small follow ${token.endsWith(" cut") ? "gone" : ""}` }, marked(token));
    return [
      index ? h("span", { class: "arrow", "aria-hidden": "true" }, "›") : null,
      h("div", { class: "card" }, h("span", { class: "small" }, title), h("b", { title: value }, marked(value)), last)];
  });

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

const MEETS = [
  "This stage and the next commute at these settings: either order gives the same distribution. ",
  "This stage and the next do not commute at these settings: the other order keeps other tokens. ",
];

// The stages as chips in their order: dragged, or moved with the arrow keys.
const orderOf = (lab) => {
  const list = h("div", { class: "order", role: "list", "aria-label": "order of the stages" });
  const order = () => orderIn(lab.settings, lab.data.engines);
  const move = (name, to) => {
    const rest = order().filter((other) => other !== name);
    rest.splice(Math.max(0, Math.min(rest.length, to)), 0, name);
    lab.set({ order: rest });
    lab.report();
  };
  let dragged = null;
  const chip = (name) => {
    const at = () => order().indexOf(name);
    return h("span", {
      class: "chip", role: "listitem", tabindex: 0, draggable: "true", "data-stage": name,
      ondragstart: (event) => { dragged = name; event.dataTransfer.setData("text/plain", name); },
      ondragover: (event) => dragged && event.preventDefault(),
      ondrop: (event) => { event.preventDefault(); if (dragged && dragged !== name) move(dragged, at()); dragged = null; },
      onkeydown: (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        move(name, at() + step);
      },
    }, STAGE_NAMES[name]);
  };
  const chips = Object.fromEntries(Object.keys(STAGE_NAMES).map((name) => [name, chip(name)]));
  return {
    element: list,
    follow: (commute) => {
      const wanted = order().map((name) => chips[name]);
      wanted.forEach((element, index) => {
        const exchange = commute[index] === undefined ? "" : commute[index] ? "same" : "other";
        element.dataset.exchange = exchange;
        element.title = { same: MEETS[0], other: MEETS[1], "": "" }[exchange] + "Drag, or move with the arrow keys.";
      });
      if (wanted.every((element, index) => list.children[index] === element)) return;
      const focused = list.getRootNode().activeElement;
      list.replaceChildren(...wanted);
      if (wanted.includes(focused)) focused.focus();
    },
  };
};

const orderIn = ({ order, engine }, engines) => (order.length ? order : engines[engine].order);

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
  const engine = h("select", { "aria-label": "engine", onchange: () => { lab.set({ engine: engine.value, order: [] }); lab.report(); } },
    Object.keys(lab.data.engines).map((name) => h("option", { value: name }, name)));
  const order = orderOf(lab);
  const entropy = h("b"), choices = h("b");
  return {
    element: h("div", { class: "dials card" }, dials.map(({ element }) => element),
      h("div", { class: "dial" }, h("span", { class: "name" }, "Engine"), engine, order.element),
      h("div", { class: "facts" },
        h("div", {}, h("span", { class: "small" }, "entropy"), entropy),
        h("div", { title: "2 to the power of the entropy" }, h("span", { class: "small" }, "like choosing from"), choices))),
    follow: (settings, picture, commute) => {
      dials.forEach(({ follow }) => follow(settings));
      engine.value = settings.engine;
      order.follow(commute);
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
    line: lineOfU(lab),
    parting: h("div", { class: "small parting" }),
    strip: h("div", { class: "stages" }),
    dials: dialsOf(lab),
  };
  root.append(
    h("div", { class: "picture" }, parts.prompt, legend(), parts.bars, h("div", { class: "bars" }, parts.tail), parts.line.element, parts.parting),
    parts.dials.element,
    parts.strip);
  return parts;
};

const makeLab = (root) => {
  const lab = {
    settings: null,
    followed: null,
    set(change) {
      lab.settings = { ...lab.settings, ...change };
      lab.pending ??= requestAnimationFrame(() => { lab.pending = null; lab.draw(); });
    },
    report() { lab.setStateValue("settings", lab.settings); },
    setChoice(choice) {
      lab.choice = choice;
      lab.set({});
    },
    reportChoice() { lab.setStateValue("u", lab.choice.u); },
    follow(rank) {
      lab.followed = rank;
      lab.set({});
    },
    nameOf(rank) {
      const { names, ids, choice } = lab.data;
      const known = choice && choice.rank === rank ? choice : rank < names.length ? { name: names[rank], id: ids[rank] } : null;
      const logit = lab.sorted.logits[rank].toFixed(3);
      return known
        ? { name: known.name, title: `token ${known.id}, logit ${logit}` }
        : { name: `(rank ${whole(rank + 1)})`, title: `logit ${logit}`, unnamed: true };
    },
    draw() {
      const logits = globalThis.loopscopeLogits?.get(lab.data.key);
      if (!logits) return; // they are on their way
      if (lab.key !== lab.data.key) {
        lab.key = lab.data.key;
        lab.sorted = sortedLogits(logits);
      }
      const { parts, data, settings } = lab;
      const rule = { order: orderIn(settings, data.engines), keepsTies: data.engines[settings.engine].keepsTies };
      const picture = pictureOf(lab.sorted, settings, rule, lab.nameOf, lab.choice, lab.followed);
      // Python counts when a dial is let go; until then the count belongs to other settings.
      const tally = data.tally && JSON.stringify(data.tally.of) === JSON.stringify(settings) ? data.tally : null;
      while (parts.bars.children.length > picture.rows.length) parts.bars.lastChild.remove();
      picture.rows.forEach((row, position) => setRow(parts.bars, position, row, picture.scale, lab.follow, row.rank === position ? tally?.marks[position] : null));
      setTail(parts.tail, picture.tail, picture.scale, tally?.tail);
      parts.line.show(picture.line);
      const ours = settings.order.length ? "your order" : settings.engine;
      parts.parting.replaceChildren(...tally ? [tally.summary] : marked(partingOf(keptByEngine(lab.sorted, settings, data.engines), ours, picture.kept, lab.nameOf)));
      parts.strip.replaceChildren(...stages(picture.strip, picture.followed).filter(Boolean));
      parts.dials.follow(settings, picture, commuting(lab.sorted, settings, rule));
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
  lab.choice = data.choice;
  lab.parts.prompt.replaceChildren(chips(data.prompt));
  lab.draw();
  lab.listening?.abort();
  lab.listening = new AbortController();
  document.addEventListener("loopscope-logits", () => lab.draw(), { signal: lab.listening.signal });
  return () => lab.listening.abort();
}
