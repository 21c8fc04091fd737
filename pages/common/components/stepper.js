// The stepper: a timeline that is also the control. It moves in the browser, at once, and reports where it
// stands when the moving has stopped: a server that is asked at every press would swallow fast presses.
//
// stepper(root, { timeline, anchor }, setStateValue, onStep) draws itself into `root` and returns the cleanup.
//   timeline  [{ part, kind, turn, place, caption }], one entry a step, made by core.figures.loop_view
//   anchor    { step, revision }: the step to stand on whenever `revision` is a new one; the same revision
//             never moves anybody, so a rerun that is late cannot pull the reader back
//   reported  as the state "step": { step, revision }
//   onStep    is called with the number of the step, from 1, after every move and once at the start
const REPORT_AFTER = 150; // milliseconds of rest

const stepKeys = { PageDown: (at) => at + 1, PageUp: (at) => at - 1, Home: () => 1, End: () => Infinity };

// A step in the address replaces the last one: going back leaves the screen, it does not undo each step.
const writeAddress = (step) => {
  const address = new URL(window.location.href);
  address.searchParams.set("step", step);
  window.history.replaceState(window.history.state, "", address);
};

const stepButton = (name, label, key, onclick) =>
  h("button", { type: "button", class: name, onclick, "aria-keyshortcuts": key, title: `${label} step (${key})` },
    h("span", {}, label), h("kbd", { "aria-hidden": "true" }, key === "PageUp" ? "PgUp" : "PgDn"));

// Each turn has a label, unless they are so many that several share the place of one.
const LABELS = 14;
const turnsOf = (timeline) => {
  const turns = [];
  timeline.forEach(({ turn }, index) => {
    if (turns.length && turns.at(-1).turn === turn) turns.at(-1).end = index + 2;
    else turns.push({ turn, start: index + 1, end: index + 2 });
  });
  const together = Math.ceil(turns.length / LABELS);
  const labelled = turns.filter((_, index) => index % together === 0);
  labelled.forEach((group, index) => { group.end = labelled[index + 1]?.start ?? turns.at(-1).end; });
  return labelled.map((group) => ({ ...group, word: together > 1 && group.turn > 1 ? "" : "turn " }));
};

const stepper = (root, { timeline, anchor }, setStateValue, onStep) => {
  const last = timeline.length;
  const within = (step) => Math.max(1, Math.min(last, step));
  if (root.revision !== anchor.revision) {
    clearTimeout(root.timer);
    root.timer = null;
    root.revision = anchor.revision;
    root.step = anchor.step;
  }

  const report = () => {
    if (!root.timer) return;
    clearTimeout(root.timer);
    root.timer = null;
    writeAddress(root.step);
    setStateValue("step", { step: root.step, revision: root.revision });
  };
  const go = (step) => {
    if (within(step) === root.step) return;
    root.step = within(step);
    show();
    clearTimeout(root.timer);
    root.timer = setTimeout(report, REPORT_AFTER);
  };

  const dots = timeline.map(({ part, kind, caption }, index) =>
    h("button", {
      type: "button", class: `dot ${kind}`, style: `--part: var(--part-${part})`, tabindex: "-1",
      title: caption, "aria-label": `step ${index + 1}: ${caption}`, onclick: () => go(index + 1),
    }, h("i", {})));
  const turns = turnsOf(timeline).map(({ turn, start, end, word }) =>
    h("span", { class: "turn small", style: `grid-column: ${start} / ${end}` }, turn ? `${word}${turn}` : ""));
  const slider = h("input", {
    type: "range", min: 1, max: last, step: 1, "aria-label": "step", oninput: () => go(Number(slider.value)),
  });
  const back = stepButton("back", "Back", "PageUp", () => go(root.step - 1));
  const next = stepButton("next", "Next", "PageDown", () => go(root.step + 1));
  const place = h("span", { class: "place" });
  const caption = h("span", { class: "what", "aria-live": "polite" });
  const bar = h("div", { class: "stepper", role: "group", "aria-label": "steps of the run", style: `--steps: ${last}` },
    back, h("div", { class: "track" }, h("div", { class: "turns", "aria-hidden": "true" }, turns),
      h("div", { class: "dots" }, dots), slider),
    next, h("div", { class: "caption small" }, place, caption));

  const show = () => {
    const current = timeline[root.step - 1];
    dots.forEach((dot, index) => {
      dot.classList.toggle("reached", index < root.step);
      if (index === root.step - 1) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    slider.value = root.step;
    slider.setAttribute("aria-valuetext", `${current.place}: ${current.caption}`);
    back.disabled = root.step === 1;
    next.disabled = root.step === last;
    place.textContent = current.place;
    caption.textContent = current.caption;
    onStep(root.step);
  };

  const listening = listensAnew(root);
  document.addEventListener("keydown", (event) => {
    const move = stepKeys[event.key];
    if (!move || event.shiftKey || !forPage(event)) return;
    event.preventDefault();
    go(move(root.step));
  }, { signal: listening.signal });
  // Whoever turns elsewhere right after a move, to another screen say, takes the step along.
  for (const turning of ["pointerover", "pointerdown"]) {
    document.addEventListener(turning, (event) => {
      if (!event.composedPath().includes(root)) report();
    }, { capture: true, signal: listening.signal });
  }

  root.querySelector(":scope > .stepper")?.remove();
  root.append(bar);
  show();
  return () => {
    listening.abort();
    clearTimeout(root.timer);
  };
};
