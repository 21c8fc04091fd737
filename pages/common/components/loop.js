// The ReAct loop at one step: pseudocode, messages and context side by side. Words and counts come ready-made;
// what grows with the run is here from the start and shown as far as the step has come.
const percent = (share) => `${(100 * share).toFixed(3)}%`;
const mark = (item, isCurrent, value) => {
  if (isCurrent) item.setAttribute("aria-current", value);
  else item.removeAttribute("aria-current");
};
const partColour = (part) => `--part: var(--part-${part})`;

// What a panel is about is scrolled into view, once all panels have found their size.
const keepInView = ({ list, item }) => {
  if (!item) return;
  const above = item.offsetTop - list.scrollTop;
  const below = above + item.offsetHeight - list.clientHeight;
  if (above < 0) list.scrollTop += above - 8;
  else if (below > 0) list.scrollTop += Math.min(below + 8, above);
};

const codeLine = ({ number, indent, words, comment }) =>
  h("li", { style: `--indent: ${indent}`, title: comment || null },
    h("span", { class: "number small" }, `${number}`),
    h("span", { class: "words" }, words.map(({ text, keyword }) => h(keyword ? "b" : "span", {}, text))));

const code = ({ code: lines }) => {
  const items = lines.map(codeLine);
  const variables = h("dl", { class: "variables" });
  const show = ({ line, passed, variables: values }) => {
    variables.replaceChildren(...values.map(({ name, value }) =>
      h("div", {}, h("dt", { class: "small" }, name), h("dd", {}, value))));
    items.forEach((item, index) => {
      const isCurrent = lines[index].number === line;
      item.classList.toggle("passed", passed.includes(lines[index].number));
      mark(item, isCurrent, "step");
    });
    return { list: panel, item: items.find((item) => item.hasAttribute("aria-current")) };
  };
  const panel = h("section", { class: "card code", "aria-label": "pseudocode" },
    h("p", { class: "procedure" }, h("b", {}, "Prompt-ToolLoop"), "(user_input)"),
    h("ol", {}, items), variables);
  return { panel, show };
};

const ladder = () => {
  const title = h("h3", { class: "small" });
  const rungs = h("dl", {});
  const message = h("p", { class: "why small" });
  const show = ({ ladder: { title: name, rungs: checks, message: why } }) => {
    title.textContent = name;
    rungs.replaceChildren(...checks.map(({ name: check, verdict, tone }) =>
      h("div", {}, h("dt", {}, check), h("dd", { class: tone }, verdict))));
    message.textContent = why;
  };
  return { panel: h("section", { class: "card ladder", "aria-label": "validation" }, title, rungs, message), show };
};

// A call is shown as code, and under it as the model wrote it; a text that has tokens is those tokens.
const messageCard = ({ kind, part, text, is_code, call_id, pair, tokens, is_error, drawn, instead_of: was }, chips) =>
  h("li", { class: "message card", style: partColour(part), "data-pair": pair },
    h("div", { class: "head" },
      h("span", { class: "kind small" }, kind),
      was === null ? null : h("span", { class: "changed small", title: `It was: ${was}` }, "changed by hand"), is_error ? h("span", { class: "error small" }, "error") : null,
      call_id ? h("span", { class: "id small" }, call_id) : null, h("span", { class: "tokens small" }, tokens)),
    drawn && !is_code ? null : h("p", { class: is_code ? "text mono" : "text" }, text),
    drawn ? h("div", { class: is_code ? "drawn" : "" }, chips) : null,
    h("p", { class: "waiting small" }, "waiting for the tool"));

// What is asked for is said, and not that it be the other way: an ask that is heard twice does no harm.
const pausing = (paused) => paused ? "go on" : "pause";

// What a run that is going waits for: the reply as far as it has come, and the way to pause or stop.
const comingCard = ({ text, note, paused }, act) =>
  h("li", { class: "message card coming", style: partColour("assistant") },
    h("div", { class: "head" },
      h("span", { class: "kind small" }, paused ? "paused" : "coming in"),
      h("button", { type: "button", class: "small", onclick: () => act(pausing(paused)) }, paused ? "Go on " : "Pause ", h("kbd", {}, "P")),
      h("button", { type: "button", class: "small", onclick: () => act("stop") }, "Stop ", h("kbd", {}, "S"))),
    text ? h("p", { class: "text" }, text) : null,
    note ? h("p", { class: "small" }, note) : null);

const LIVE_KEYS = { p: ({ paused }) => pausing(paused), s: () => "stop" };

const messages = ({ cards }, token, coming, act) => {
  const items = cards.map((card) => {
    if (!card.drawn) return messageCard(card);
    const chips = tokenChips(card.drawn, act);
    chips.show(token);
    return messageCard(card, chips.element);
  });
  const stream = coming ? comingCard(coming, act) : null;
  const list = h("ol", { class: "messages", "aria-label": "messages", tabindex: "0" }, items, stream);
  const light = (pair, on) => items.forEach((item, index) =>
    item.classList.toggle("paired", on && cards[index].pair === pair));
  items.forEach((item, index) => {
    if (cards[index].pair === null) return;
    item.addEventListener("pointerenter", () => light(cards[index].pair, true));
    item.addEventListener("pointerleave", () => light(cards[index].pair, false));
  });
  const show = ({ card }, step) => {
    let last = null;
    items.forEach((item, index) => {
      const { since, awaited } = cards[index];
      const here = since !== null && step >= since;
      const waits = !here && awaited !== null && step >= awaited;
      item.hidden = !here && !waits;
      item.classList.toggle("ghost", waits);
      item.classList.toggle("new", since === step);
      mark(item, index === card, "true");
      if (here) last = item;
    });
    const newest = stream && cards.every(({ since }) => since === null || step >= since);
    return { list, item: newest ? stream : card === null ? last : items[card] };
  };
  return { panel: list, show };
};

const context = ({ contexts, largest }) => {
  const panel = h("section", { class: "card context", "aria-label": "context" });
  const show = ({ context: index }) => {
    const { title, parts, total, window: size, label, note } = contexts[index];
    panel.replaceChildren(...[
      h("h3", { class: "small" }, title),
      h("p", { class: "total" }, h("b", {}, label), " ", h("span", { class: "small" }, note)),
      h("div", { class: "bar", "aria-hidden": "true" }, parts.map(({ part, tokens, name, label: count }) =>
        h("span", { style: `${partColour(part)}; width: ${percent(tokens / largest)}`, title: `${name}: ${count}` }))),
      total !== null && size !== null
        ? h("div", { class: "window", title: `${label} ${note}`, "aria-hidden": "true" },
          h("span", { style: `width: ${percent(Math.min(1, total / size))}` }))
        : null,
      h("ul", {}, parts.map(({ part, name, label: count }) =>
        h("li", { style: partColour(part) }, h("i", {}), h("span", {}, name), h("span", { class: "number" }, count)))),
    ].filter(Boolean));
  };
  return { panel, show };
};

const notation = ({ symbols }) => {
  const name = h("p", { class: "small" });
  const items = symbols.map(({ letter, index }) =>
    h("span", { class: "entry" }, h("span", { class: "symbol" }, letter, h("sub", {}, index))));
  const list = h("p", { class: "tuple" }, items);
  const show = ({ context_name: k, symbols: count, about }) => {
    name.replaceChildren(...(k ? ["c", h("sub", {}, k), " ="] : ["the context ="]));
    items.forEach((item, index) => {
      item.hidden = index >= count;
      item.classList.toggle("last", index === count - 1);
      item.classList.toggle("about", index === about);
    });
    return { list, item: items[about ?? count - 1] };
  };
  const key = h("p", { class: "small" }, "c", h("sub", {}, "0"), " system prompt and tools", h("br"),
    "o observation: a tool's output", h("br"), "t thought · a action: a tool runs");
  return { panel: h("section", { class: "card notation", "aria-label": "the context in symbols" }, name, list, key), show };
};

const change = () => {
  const text = h("p", {});
  const panel = h("section", { class: "card change" }, h("h3", { class: "small" }, "what changed in this step"), text);
  return { panel, show: (frame) => { text.textContent = frame.change; } };
};

// What is to be seen in the run, and why it stopped.
const aboutRun = ({ note, ended }, act) =>
  h("p", { class: "about-run small" },
    h("span", { class: "note", title: note || null }, note),
    h("button", { type: "button", title: "each call with its reason and its result, and a review", onclick: () => act("trajectory") },
      "Trajectory ", h("kbd", {}, "T")),
    h("span", { class: "ended", title: ended }, "stop reason: ", h("b", {}, ended)));

// A redrawing puts new chips in the place of the old ones: the focus goes to the one that had it.
const focusedToken = (root) => root.getRootNode().activeElement?.dataset?.token;
const focusToken = (root, token) =>
  token && root.querySelector(`.chip[data-token="${token}"]`)?.focus({ preventScroll: true });

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const act = (name) => setTriggerValue("act", name);
  const root = rootOf(rootOf(parentElement, "loop"), "screen");
  const { view, panel } = data;
  const focused = focusedToken(root);
  const left = [code(view), ladder()];
  const middle = [messages(view, panel?.token, data.coming, act)];
  const right = panel ? [] : [change(), context(view), notation(view)];
  const columns = [left, middle, right].map((column) => h("div", { class: "column" }, column.map(({ panel: card }) => card)));
  if (panel) columns[2].append(tokenPanel(panel, act));
  root.classList.toggle("live", Boolean(data.coming));
  root.replaceChildren(aboutRun(view, act), h("div", { class: "columns" }, columns));
  focusToken(root, focused);
  const parts = [...left, ...middle, ...right];
  let at = null; // the step at which the panel was drawn: whoever steps on looks at something else
  const leave = stepper(root, data, setStateValue, (step) => {
    parts.map(({ show }) => show(view.frames[step - 1], step)).forEach((current) => current && keepInView(current));
    if (panel && at !== null && at !== step) act("token=");
    at = step;
  });
  const listening = listensAnew(root, "acting");
  document.addEventListener("keydown", (event) => {
    if (!forPage(event)) return;
    if (panel && event.key === "Escape") act("token=");
    else if (event.key === "t") act("trajectory");
    else if (data.coming && LIVE_KEYS[event.key]) act(LIVE_KEYS[event.key](data.coming));
  }, { signal: listening.signal });
  return () => {
    listening.abort();
    leave();
  };
}
