// The sampling laboratory: dials, and the next-token distribution that follows them while they are dragged.
// Python hears of the settings when a dial is let go.
const chips = ({ tokens, count: total }) =>
  h("div", { class: "chips", role: "list", "aria-label": "tokens that the model reads" },
    tokens.map(({ text, kind, title }) => h("span", { class: `token ${kind}`, title, role: "listitem" }, marked(text))),
    h("span", { class: "count small" }, total));

const legend = () =>
  h("div", { class: "legend small" },
    h("span", {}, h("i", { class: "before" }), "model, T = 1"),
    h("span", {}, h("i", { class: "after" }), "after the sampler"),
    h("span", {}, h("i", { class: "cut" }), "cut: by the model's share"));

// A solid bar for what is kept, a hatched one for what was cut, the model's own probability as an outline, and what
// was drawn in many draws as a mark over the band in which it is expected.
const track = () =>
  h("span", { class: "track" }, h("span", { class: "bar" }), h("span", { class: "bar before" }),
    h("span", { class: "band" }), h("span", { class: "mark" }));

const setTrack = ({ children: [solid, outline, band, mark] }, { before, after, cut }, scale, drawn) => {
  hide(band, !drawn?.possible);
  hide(mark, !drawn?.possible);
  if (drawn?.possible) {
    band.style.left = share(drawn.low, scale);
    band.style.width = share(Math.min(drawn.high, scale) - drawn.low, scale);
    mark.style.left = share(drawn.share, scale);
  }
  dress(solid, cut === null ? "bar after" : "bar cut");
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
  const [rank, token, line, percent, reason] = element.children;
  dress(element, `${row.cut === null ? "" : "is-cut"} ${row.picked ? "is-picked" : ""}`);
  if (element.dataset.rank !== String(row.rank)) element.dataset.rank = row.rank;
  say(rank, whole(row.rank + 1));
  sayMarked(token, row.name);
  entitle(token, row.title);
  setTrack(line, row, scale, drawn);
  say(percent, row.label);
  setReason(reason, row.reason, drawn);
};

const setReason = (element, reason, drawn) => {
  say(element, drawn?.possible ? drawn.label : reason);
  entitle(element, drawn?.possible ? drawn.title : "");
};

const setTail = (element, tail, scale, drawn) => {
  hide(element, !tail);
  if (!tail) return;
  const [name, line, percent, reason] = element.children;
  const beyond = (tail.cut ?? tail.after) > scale || tail.before > scale;
  dress(element, `tail ${tail.cut === null ? "" : "is-cut"} ${beyond ? "beyond" : ""}`);
  say(name, tail.name);
  setTrack(line, tail, scale, drawn);
  say(percent, tail.label);
  setReason(reason, tail.reason, drawn);
};

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

// The line is a dial as well: u can be set by hand. Its pieces are two paths, in turn: sixty elements would each be laid
// out.
const lineOfU = (lab) => {
  const paths = [svg("path", { class: "piece" }), svg("path", { class: "piece other" })];
  const picked = h("span", { class: "picked" });
  const mark = h("span", { class: "u" });
  const range = h("input", {
    type: "range", min: 0, max: 0.9999, step: 0.0001, "aria-label": "u, the number that picks the token",
    oninput: () => lab.setChoice({ by: "hand", u: Number(range.value) }),
    onchange: () => lab.reportChoice(),
    onkeydown: passLettersOn,
  });
  const label = h("span", { class: "small" });
  return {
    element: h("div", { class: "cumulative" },
      h("span", { class: "small number" }, "one number u picks the token"), h("div", { class: "line" },
        svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }, ...paths), picked, mark, range),
      label),
    show: ({ pieces, u, label: text }) => {
      const drawn = ["", ""];
      let left = 0;
      pieces.forEach((piece, index) => {
        drawn[piece.picked ? 0 : index % 2] += `M${left} 0h${piece.share}v1H${left}z`;
        if (piece.picked) {
          picked.style.left = share(left, 1);
          picked.style.width = share(piece.share, 1);
        }
        left += piece.share;
      });
      paths.forEach((path, index) => path.setAttribute("d", drawn[index]));
      hide(picked, !pieces.some((piece) => piece.picked));
      hide(mark, u === null);
      mark.style.left = share(u ?? 0, 1);
      range.value = u ?? 0;
      say(label, text);
    },
  };
};

// The strip of stages. While a token is followed, its share after each stage stands where the stage's own note was: a
// long name is cut short, the share never.
const stageCard = () =>
  h("div", { class: "card" }, h("span", { class: "small" }), h("b"), h("span", { class: "small" }),
    h("span", {}, h("span", { class: "name" }), h("span")));

const showStages = (strip, stages, followed) =>
  counted(strip, stages.length, stageCard).forEach((card, index) => {
    const [title, value, note, followedHere] = card.children;
    const stage = stages[index];
    const token = followed?.[index];
    say(title, stage.title);
    sayMarked(value, stage.value);
    entitle(value, stage.value);
    say(note, stage.note);
    hide(note, Boolean(token));
    showFollowed(followedHere, token);
  });

const showFollowed = (element, token) => {
  hide(element, !token);
  dress(element, !token ? "" : token.value === "cut" ? "small follow gone" : "small follow");
  if (!token) return;
  sayMarked(element.firstChild, token.name);
  say(element.lastChild, token.value);
  entitle(element, `${token.name} ${token.value}`);
};

const factsOf = () => {
  const entropy = h("b"), choices = h("b");
  return {
    element: h("div", { class: "facts" },
      h("div", {}, h("span", { class: "small" }, "entropy"), entropy),
      h("div", { title: "2 to the power of the entropy" }, h("span", { class: "small" }, "like choosing from"), choices)),
    show: (picture) => {
      say(entropy, bits(picture.entropy));
      say(choices, picture.choices < 1000 ? picture.choices.toFixed(1) : whole(picture.choices));
    },
  };
};

const build = (root, lab) => {
  const facts = factsOf();
  const parts = {
    facts,
    prompt: h("div"),
    bars: h("div", { class: "bars" }),
    tail: h("div", {}, h("span", { class: "name small" }), track(), h("span", { class: "percent number" }), h("span", { class: "reason small" })),
    line: lineOfU(lab),
    parting: h("div", { class: "small parting" }),
    strip: h("div", { class: "stages" }),
    dials: dialsOf(lab, facts.element),
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
    sent: 0, // how often u was set by hand
    set(change) {
      lab.settings = { ...lab.settings, ...change };
      lab.pending ??= requestAnimationFrame(() => { lab.pending = null; lab.draw(); });
    },
    report() { lab.setStateValue("settings", lab.settings); },
    setChoice(choice) {
      lab.choice = choice;
      lab.set({});
    },
    reportChoice() { lab.setStateValue("u", { value: lab.choice.u, sent: ++lab.sent }); },
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
      const parting = () => partingOf(keptByEngine(lab.sorted, settings, data.engines), ours, picture.kept, lab.nameOf);
      sayMarked(parts.parting, tally ? tally.summary : parting());
      showStages(parts.strip, picture.strip, picture.followed);
      parts.dials.follow(settings, commuting(lab.sorted, settings, rule));
      parts.facts.show(picture);
      if (root.dataset.key !== lab.key) root.dataset.key = lab.key; // what is drawn, for whoever waits for it
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
    root.classList.add("beside-dials");
    lab.parts = build(root, lab);
  }
  if (lab.revision !== data.revision) {
    lab.revision = data.revision;
    lab.settings = data.settings;
  }
  if (data.heard >= lab.sent) lab.choice = data.choice; // else Python has not heard of the last u yet
  lab.parts.prompt.replaceChildren(chips(data.prompt));
  lab.draw();
  document.addEventListener("loopscope-logits", () => lab.draw(), { signal: listensAnew(root).signal });
  countsPresses(root, ["d"], (presses) => setStateValue("presses", presses));
  return () => { root.listening.abort(); root.pressing.abort(); };
}
