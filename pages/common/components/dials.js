// The dials of a sampler. `lab` has the `settings`, and the dials and engines of its `data`, takes a change by `set`, and is told by
// `report` that a dial was let go.
const share = (part, scale) => `${(100 * Math.min(1, part / scale)).toFixed(4)}%`;

const STAGE_NAMES = { temperature: "T", "top-k": "top-k", "top-p": "top-p", "min-p": "min-p" };

// Streamlit hears no shortcut while an input has the focus. A dial needs the arrows alone, so it passes letters on.
const passLettersOn = (event) => {
  if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopPropagation();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, code: event.code, keyCode: event.keyCode, bubbles: true }));
};

const shown = ({ setting, step, neutral }, value) =>
  value === neutral && setting !== "temperature" ? "off" : step === 1 ? String(value) : value.toFixed(2);

const HINTS = {
  temperature: ({ temperature: t }) =>
    t === 0 ? "greedy: no chance is left" : t < 1 ? "below 1 sharpens: less diverse" : t > 1 ? "above 1 flattens: more diverse" : "the model's own distribution",
  top_k: ({ top_k: k }) => (k ? `the ${k === 1 ? "most probable" : `${k} most probable`}` : "a fixed number of tokens"),
  top_p: ({ top_p: p }) => (p < 1 ? `the fewest that reach ${p.toFixed(2)}` : "usually the fewest that reach 0.9–0.95"),
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
    lab.set({ order: String(rest) === String(lab.data.engines[lab.settings.engine].order) ? [] : rest });
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
        if (element.dataset.exchange === exchange) return;
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

// `facts`: what stands below the dials.
const dialsOf = (lab, facts) => {
  const dials = lab.data.dials.map((dial) => {
    const value = h("output", { class: "number" });
    const hint = h("span", { class: "small" });
    const range = h("input", {
      type: "range", min: 0, max: dial.highest, step: dial.step, "aria-label": dial.label,
      oninput: () => lab.set({ [dial.setting]: Number(range.value) }),
      onchange: () => lab.report(),
      onkeydown: passLettersOn,
      ondblclick: () => { lab.set({ [dial.setting]: dial.neutral }); lab.report(); },
    });
    const follow = (settings) => {
      const set = settings[dial.setting];
      if (Number(range.value) !== set) range.value = set;
      if (range.shown !== set) range.style.setProperty("--share", share(set, dial.highest));
      range.shown = set;
      say(value, shown(dial, set));
      say(hint, HINTS[dial.setting](settings));
    };
    return { follow, element: h("label", { class: "dial" }, h("span", { class: "name" }, dial.label), value, range, hint) };
  });
  const engine = h("select", { "aria-label": "engine", onchange: () => { if (engine.value) { lab.set({ engine: engine.value, order: [] }); lab.report(); } } },
    Object.keys(lab.data.engines).map((name) => h("option", { value: name }, name)));
  const own = h("option", { value: "" }, "own order"); // in the list while the stages stand in another order than the engine's
  engine.append(own);
  const order = orderOf(lab);
  return {
    element: h("div", { class: "dials card" }, dials.map(({ element }) => element),
      h("div", { class: "dial" }, h("span", { class: "name" }, "Engine"), engine, order.element), facts),
    follow: (settings, commute) => {
      dials.forEach(({ follow }) => follow(settings));
      const inForce = settings.order.length ? "" : settings.engine;
      hide(own, Boolean(inForce));
      if (engine.value !== inForce) engine.value = inForce;
      entitle(engine, inForce ? "" : `Ties as in ${settings.engine}`);
      order.follow(commute);
    },
  };
};
