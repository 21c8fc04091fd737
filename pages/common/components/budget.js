// Draws what is sent at every call, and shows the text of what is selected. All numbers and words come ready-made.
// Steps and parts are shown at once, here; the server hears of them for the address and the other screens.
const WHOLE = "";
const percent = (share) => `${(100 * share).toFixed(3)}%`;
const colour = (key) => `--c: var(--part-${key})`;

// What has no form of its own is named by its code point; a space is a real one with a dot painted under it,
// so that what is copied is what was sent.
const INVISIBLE = /( +|\n|[^\S \n]|\p{C})/u;
const SIGNS = { "\t": "⇥", "\r": "␍" };
const codePoint = (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
const visible = (text) =>
  text.split(INVISIBLE).filter(Boolean).map((run) =>
    run[0] === " " ? h("span", { class: "space" }, run)
      : run === "\n" ? h("span", { class: "mark", "data-mark": "↵" }, run)
        : INVISIBLE.test(run) ? h("span", { class: "mark", "data-mark": SIGNS[run] ?? codePoint(run) })
          : run);

// ---- the bars ----

const stack = ({ parts }, slices, whole) =>
  h("div", { class: "stack", style: `height:${percent(slices.reduce((sum, { tokens }) => sum + tokens, 0) / whole)}` },
    slices.map(({ part, tokens, new: fresh, about }) => {
      const { key } = parts[part];
      return h("div", { class: "slice", "data-part": key, "data-about": about, style: `${colour(key)};flex-grow:${tokens}` },
        // Where it is not known what is re-sent, nothing is drawn pale.
        h("i", { class: "old", style: `flex-grow:${fresh === null ? 0 : tokens - fresh}` }),
        h("i", { class: "new", style: `flex-grow:${fresh ?? tokens}` }));
    }));

// The names of the parts lie above all bars and lines.
const tags = ({ parts, top }, { slices, total }) =>
  h("div", { class: "tags", style: `height:${percent(total / top)}` }, slices.map(({ part, tokens }) =>
    h("div", { class: "tagged", "data-tag": parts[part].key, style: `flex-grow:${tokens}` },
      h("span", { class: "tag small" }, parts[part].name))));

// What a strategy leaves out stands hatched on top of what is sent.
const lost = ({ parts, top }, call) =>
  h("div", { class: "stack lost", style: `bottom:${percent(call.total / top)};height:${percent(leftOut(call) / top)}` },
    call.lost.map(({ part, tokens, about }) =>
      h("div", { class: "slice", "data-about": about, style: `${colour(parts[part].key)};flex-grow:${tokens}` })));
const leftOut = ({ lost }) => lost.reduce((sum, { tokens }) => sum + tokens, 0);
const SIGN = { refused: "✕", damaged: "!" };

const reserved = ({ reserve }) => reserve.toLocaleString("en");

const blank = ({ calls }) => calls.length > 0 && calls.every(({ slices }) => !slices);
const bar = (view, call) => {
  if (!call.slices) return blank(view) ? [] : [h("div", { class: "unknown small" }, view.calls.length <= 8 ? call.about : "?")];
  const top = percent((call.total + leftOut(call)) / view.top);
  const room = view.window - view.reserve;
  const free = view.on_axis && !call.lost.length ? Math.max(0, room - call.total) : 0;
  return [
    h("div", { class: "free", "data-about": call.free_about, style: `bottom:${top};height:${percent(free / view.top)}` }),
    free && view.reserve ? h("div", {
      class: "reserve", "data-about": `call ${call.number}: ${reserved(view)} kept free for the answer`,
      style: `bottom:${percent(room / view.top)};height:${percent(view.reserve / view.top)}`,
    }) : null,
    stack(view, call.slices, view.top),
    view.calls.length > 6 ? null : tags(view, call),
    call.lost.length ? lost(view, call) : null,
    h("div", { class: "total small", style: `bottom:${top}` },
      h("i", {}, SIGN[call.mark] ?? ""), h("b", {}, call.read ? `${call.label} → ${call.read}` : call.label), h("span", {}, ` ${call.news}`)),
  ].filter(Boolean);
};

const column = (view, call, index) =>
  h("div", {
    class: `column ${call.over ? "over" : ""} ${call.mark}`, "data-call": index, "data-about": `call ${call.number}: ${call.about}`,
  },
    h("div", { class: "pillar" }, bar(view, call)),
    h("div", { class: "name small" }, 
      view.calls.length <= 8 ? `call ${call.number}` : h("span", { class: call.named ? "" : "unnamed" }, call.number)));

const line = (view) =>
  h("div", { class: "window", style: `bottom:${percent(view.window / view.top)}` },
    h("span", { class: "small" }, view.window_label));

// The whole window to scale beside the bars, where the bars would vanish on its axis.
const overview = (view) => [
  h("div", { class: "overview" },
    h("div", { class: "pillar" }, h("div", { class: "free" }), h("div", { class: "fill" }),
      h("div", { class: "window" }, h("span", { class: "small" }, view.window_label))),
    h("div", { class: "name small" }, "whole window")),
  h("div", { class: "zoom", "aria-hidden": "true", style: `--low:${percent(1 - view.top / view.window)}` }),
];

const chart = (view) =>
  h("div", { class: `chart card ${view.calls.length > 6 ? "many" : ""} ${view.calls.length > 100 ? "crowd" : ""} ${view.on_axis ? "on-axis" : ""}` },
    h("div", { class: "legend small" },
      h("b", {}, "Tokens sent by each call"),
      h("span", {}, h("i", { class: "old" }), "re-sent: the call before began with it too"),
      h("span", {}, h("i", { class: "new" }), "new"),
      h("span", {}, h("i", { class: "free" }), "free"),
      view.calls.some(({ lost }) => lost.length) ? h("span", {}, h("i", { class: "gone" }), "left out") : null,
      view.calls.some(({ mark }) => mark === "refused") ? h("span", { class: "sign" }, "✕ refused") : null,
      view.calls.some(({ mark }) => mark === "damaged") ? h("span", { class: "sign" }, "! damaged") : null,
      h("output", { class: "readout" })),
    h("div", { class: "plot" },
      view.window && !view.on_axis ? overview(view) : null,
      h("div", { class: "axes" },
        h("div", { class: "grid" }, view.ticks.map(({ at, label }) =>
          h("div", { class: "tick small", style: `bottom:${percent(at / view.top)}` }, h("span", {}, label)))),
        h("div", { class: "columns" }, view.calls.map((call, index) => column(view, call, index))),
        // A run of which nothing is known says it once.
        blank(view) ? h("p", { class: "blank" }, `The token counts are not in this trace. ${view.uncounted}`) : null,
        view.on_axis ? h("div", { class: "lines" }, line(view)) : null)));

// ---- the list and the text of one call ----

const row = ({ key, digit, name, tokens, note }, selected) =>
  h("button", {
    class: "row", type: "button", "data-part": key, style: key ? colour(key) : null, "aria-pressed": String(selected),
    tabindex: selected ? 0 : -1, "aria-keyshortcuts": digit, title: `${name} (key ${digit})`,
  },
    h("kbd", { class: "small" }, digit), h("i", { class: key ? "square" : "square all" }), h("span", {}, name),
    h("span", { class: "number" }, tokens), h("span", { class: "note small" }, note));

const list = (view, call, part, upcoming) => {
  const of = new Map((call.slices ?? []).map((slice) => [slice.part, slice]));
  const absent = { label: call.slices ? "–" : "?", note: "" };
  const rows = view.parts.map(({ key, name }, index) => {
    const { label, note } = of.get(index) ?? absent;
    return row({ key, digit: String(index + 1), name, tokens: label, note }, part === key);
  });
  return [
    h("h3", {}, h("span", { class: "title" }, `Call ${call.number}`),
      h("span", { class: "small" }, upcoming ? "not sent yet: it comes next" : call.about)),
    call.server ? h("p", { class: `small server ${call.server.short ? "bad" : ""}` }, call.server.text) : null,
    h("div", { class: "rows", role: "group", "aria-label": "parts of the context" },
      row({ key: WHOLE, digit: "0", name: "whole context", tokens: call.label, note: call.read ? `${call.read} read` : call.news }, part === WHOLE),
      rows,
      view.reserve ? h("div", { class: "row" }, h("kbd"), h("i", { class: "square reserved" }), h("span", {}, "kept for the answer"),
        h("span", { class: "number" }, reserved(view)), h("span", { class: "note small" })) : null,
      h("div", { class: call.over ? "row over" : "row" }, h("kbd"), h("i", { class: "square free" }),
        h("span", {}, view.free_label),
        h("span", { class: "number" }, call.free), h("span", { class: "note small" }, call.free_note))),
  ].filter(Boolean);
};

// A call begins with pieces of the one before, which does so too.
const laidOut = ({ calls }, index) => {
  const parts = [];
  for (let at = index, wanted = Infinity; at >= 0 && wanted > 0; at -= 1) {
    const { taken, stretches } = calls[at].laid ?? { taken: 0, stretches: [] };
    const own = stretches.flatMap(({ start, stop, fell }) => Array.from({ length: stop - start }, (_, n) => ({ number: start + n, fell })));
    parts.unshift(own.slice(0, Math.max(0, wanted - taken)));
    wanted = Math.min(wanted, taken);
  }
  return parts.flat();
};

// A piece that is sent is new or not by where it stands in the call.
const piecesOf = (view, index) => {
  const { fresh, seam } = view.calls[index].laid;
  let place = 0;
  return laidOut(view, index).map(({ number, fell }) => {
    const piece = view.pieces[number];
    const at = fell ? -1 : place++;
    const isNew = fresh !== null && at >= fresh && piece.new;
    const told = fell ? "fell out" : fresh === null || !piece.new ? "" : !isNew ? "re-sent" : at === fresh && seam ? seam : piece.new;
    return { ...piece, state: fell ? "fell" : isNew ? "is-new" : "", note: [piece.count, told].filter(Boolean).join(", ") };
  });
};

// A long context is cut short in front of what is new: to draw all of it takes longer than a step may.
const NEAR = 10000; // characters, three times as many as fit the panel

const startOf = ({ texts }, pieces) => {
  const first = pieces.findIndex(({ state }) => state !== "");
  let start = first < 0 ? pieces.length : first;
  let characters = 0;
  while (start > 0 && (characters += texts[pieces[start - 1].text].length) <= NEAR) start -= 1;
  return start;
};

// `all` asks for the whole text, and is null where the whole text is asked for.
const text = (view, index, part, all) => {
  if (view.calls[index].laid === null) return h("p", { class: "small" }, "The text of this call is not in this trace.");
  const pieces = piecesOf(view, index);
  const before = h("button", { type: "button", class: "before small", onclick: all }, "Show what stands before");
  const cut = (whole) => {
    const start = all ? startOf(view, whole) : 0;
    return [start ? before : null, whole.slice(start)];
  };
  if (part === WHOLE) {
    const [more, shown] = cut(pieces);
    return h("div", { class: "running" }, more, shown.map((piece) => {
      const { key, name } = view.parts[piece.part];
      return h("span", {
        class: `piece ${piece.state}`, "data-part": key, "data-about": `${name}: ${piece.note}`, style: colour(key),
      }, visible(view.texts[piece.text]));
    }));
  }
  const chosen = pieces.filter((piece) => view.parts[piece.part].key === part);
  const about = h("p", { class: "small about" }, view.parts.find(({ key }) => key === part).about);
  if (!chosen.length) return [about, h("p", { class: "small" }, "This part does not occur in this call.")];
  const [more, shown] = cut(chosen);
  return [about, more, ...shown.map((piece) =>
    h("section", { class: piece.state, style: colour(part) },
      h("header", { class: "small" }, h("b", {}, piece.label), h("span", {}, piece.note)),
      h("div", { class: "piece" }, visible(view.texts[piece.text]))))].filter(Boolean);
};

// The sums first: what happens to a call can be long, and they stay where they are while one steps.
const overTheRun = ({ facts, fit, offers, moral, act }, { number, fates, sum }) => [
  h("h3", {}, "Over the run"),
  h("dl", {}, facts.map(({ label, value }) =>
    h("div", {}, h("dt", { class: "small" }, label), h("dd", { class: /\d/.test(value) ? null : "small" }, value)))),
  fit ? h("p", { class: "small fit" }, fit, offers.map((offer) =>
    h("button", { type: "button", class: "small", onclick: () => act(offer) }, offer.text))) : null,
  fates.length ? h("h3", {}, `Call ${number}: what happens`) : null,
  fates.map(({ text, bad }) => h("p", { class: bad ? "small fate bad" : "small fate" }, text)),
  sum ? h("p", { class: "small moral" }, h("b", {}, `Call ${number}`), ` = ${sum}`) : null,
  h("p", { class: "small moral" }, moral),
].flat().filter(Boolean);

// ---- the screen ----

const picture = (view) =>
  h("div", { class: "picture" },
    chart(view),
    h("div", { class: "panels" },
      h("div", { class: "card list" }),
      h("div", { class: "card text", tabindex: 0, role: "region", "aria-label": "text of the selection" }),
      h("div", { class: "card run" })));

const show = (root) => {
  const { view, chosen: part } = root;
  const inForce = view.call_at[root.step - 1] ?? null;
  const index = inForce ?? 0;
  const shown = JSON.stringify([inForce, part]);
  if (root.shown === shown) return;
  if (!view.calls.length) {
    root.querySelector(".list").replaceChildren(h("p", { class: "small" }, "No model is called in this run: nothing is sent."));
    return;
  }
  root.shown = shown;
  const call = view.calls[index];
  // Only what changes is touched: there may be hundreds of bars.
  root.querySelectorAll(".column.selected").forEach((element) => element.classList.remove("selected", "upcoming"));
  root.columns[index].classList.add("selected");
  root.columns[index].classList.toggle("upcoming", inForce === null);
  root.querySelector(".overview .fill")?.replaceChildren(...(call.slices ? [stack(view, call.slices, view.window)] : []));
  if (root.marked !== part) {
    root.marked = part;
    root.querySelectorAll(".columns :is(.slice, .tagged)").forEach((element) =>
      element.classList.toggle("chosen", (element.dataset.part ?? element.dataset.tag) === part));
  }
  const held = root.getRootNode().activeElement?.matches("button.row");
  root.querySelector(".list").replaceChildren(...list(view, call, part, inForce === null));
  if (held) root.querySelector(".row[aria-pressed=true]").focus({ preventScroll: true });
  const panel = root.querySelector(".text");
  const all = () => panel.replaceChildren(...[text(view, index, part, null)].flat());
  panel.replaceChildren(...[text(view, index, part, all)].flat());
  root.querySelector(".run").replaceChildren(...overTheRun(view, call));
  // What is new stands at the end: bring the first of it into view, below a line of what it follows.
  const fresh = index > 0 ? panel.querySelector(".is-new") : null;
  panel.scrollTop = fresh ? fresh.offsetTop - 28 : 0;
};

const choosePart = (root, part) => {
  if (part === root.chosen) return;
  root.chosen = part;
  show(root);
  root.report("step", { step: root.step, revision: root.revision });
};

// A bar stands for the step at which its call was made, so it presses that step's dot.
const chooseCall = (root, index) => {
  if (root.view.call_at[root.step - 1] === index) return;
  root.querySelectorAll(".stepper .dot")[root.view.calls[index].step].click();
};

const clicked = (root, { target }) => {
  const part = target.closest("[data-part]")?.dataset.part;
  const index = target.closest("[data-call]")?.dataset.call;
  if (index !== undefined) {
    chooseCall(root, Number(index));
    if (part !== undefined) choosePart(root, part);
  } else if (part !== undefined && getSelection().isCollapsed) choosePart(root, part === root.chosen ? WHOLE : part);
};

const hovered = (root, { type, target }) => {
  const words = type === "pointerout" ? "" : target.closest("[data-about]")?.dataset.about;
  root.querySelector(".readout").textContent = words ?? "";
};

const pressed = (root, event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
  const rows = [...root.querySelectorAll("button.row")];
  const at = rows.indexOf(root.getRootNode().activeElement);
  const row = /^[0-9]$/.test(event.key) ? rows[Number(event.key)]
    : at < 0 ? undefined
      : { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1] }[event.key];
  if (!row) return;
  event.preventDefault();
  choosePart(root, row.dataset.part);
};

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = rootOf(parentElement, "budget");
  const drawn = JSON.stringify([data.view, data.offers]);
  if (root.opening !== data.opening) { // a link may open another part of the screen in view
    root.opening = data.opening;
    root.chosen = data.part;
  }
  if (!data.view.parts.some(({ key }) => key === root.chosen)) root.chosen = WHOLE;
  if (root.drawn !== drawn) {
    root.drawn = drawn;
    const act = (offer) => setTriggerValue("act", offer);
    root.view = { ...data.view, uncounted: data.uncounted, offers: data.offers, act };
    root.shown = null;
    root.querySelector(":scope > .picture")?.remove();
    root.prepend(picture(root.view));
    root.columns = [...root.querySelectorAll(".column")];
    root.marked = null;
  }
  // The part travels with the step: the server owns the address, and what it has not heard of it would wipe out.
  root.report = (name, value) => setStateValue(name, { ...value, part: root.chosen });
  const stop = stepper(root, data, root.report, () => show(root));

  const listening = listensAnew(root, "choosing");
  const { signal } = listening;
  const listen = (target, type, act) => target.addEventListener(type, (event) => act(root, event), { signal });
  listen(root, "click", clicked);
  listen(root, "pointerover", hovered);
  listen(root, "pointerout", hovered);
  listen(document, "keydown", pressed);
  return () => {
    listening.abort();
    stop();
  };
}
