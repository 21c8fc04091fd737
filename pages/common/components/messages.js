// One conversation in four views. Numbers and words come ready-made; here they are drawn, lit together and selected.
// An edit is typed here and made by the page, which sends everything anew.

// ---- typed messages ----

const toolsOf = (names, count) =>
  names ? h("p", { class: "advertised small", "data-owner": "tools", style: colour("tool-schemas") }, h("b", {}, "tools "), names, h("span", { class: "count" }, count ?? "")) : null;

const typed = ({ cards, tools, counts }) => [
  toolsOf(tools, counts.tools),
  ...cards.cards.map((card) => cardOf(card, cards.lanes, counts[card.owner])),
  cards.cards.length ? null : h("p", { class: "small" }, "No message: add one."),
].filter(Boolean);

const formOf = (card, save, cancel) => {
  const inputs = card.fields.map(({ name, label, text, short }) => {
    const input = h(short ? "input" : "textarea", { name, "aria-label": label, spellcheck: "false" });
    input.value = text;
    if (!short) input.rows = Math.min(9, 2 + Math.ceil(text.length / 32));
    return h("label", { class: "small" }, label, input);
  });
  const done = () => save(Object.fromEntries(inputs.map((label) => [label.lastChild.name, label.lastChild.value])));
  return h("form", {
    onsubmit: (event) => { event.preventDefault(); done(); },
    onkeydown: (event) => {
      if (event.key === "Escape") cancel();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  }, inputs, h("p", { class: "acts" },
    h("button", { type: "submit", class: "small" }, "Save ", h("kbd", {}, "Ctrl ↵")),
    h("button", { type: "button", class: "small", onclick: cancel }, "Cancel ", h("kbd", {}, "Esc"))));
};

// ---- JSON, text, tokens ----

const json = ({ lines, problem }) => problem
  ? [h("p", { class: "problem bad" }, problem)]
  : grouped(lines).map(({ owner, items }) =>
    h("div", { class: "block", "data-owner": owner }, items.map(({ part, indent, text }) =>
      h("div", { class: part ? "line" : "line envelope", style: `--indent: ${indent}; ${colour(part) ?? ""}` }, shown(text)))));

const lesson = ({ words, owner, where, lesson: told, nine }, act) =>
  h("div", { class: "refusal", "data-owner": owner },
    h("p", { class: "small bad" }, `The template itself refuses ${where}:`),
    h("blockquote", { class: "source" }, words),
    h("p", {}, told),
    nine ? h("button", { type: "button", onclick: () => act({ do: "nine" }) }, "Rename the ids ", h("kbd", {}, "N")) : null);

const text = ({ runs, refusal, problem }, act) => refusal ? [lesson(refusal, act)]
  : problem ? [h("p", { class: "problem bad" }, problem)]
    : grouped(runs).map(({ owner, items }) =>
      h("span", { class: "block", "data-owner": owner }, items.map(({ part, about, pieces }) =>
        h("span", { class: `run ${part}`, style: colour(part), "data-about": about }, pieces.flatMap(({ text: written, forged }) =>
          forged ? h("span", { class: "forged", "data-about": `${about}: this marker is only text` }, shown(written)) : shown(written))))));

const tokens = ({ runs, refusal, exact }) => refusal
  ? [h("p", { class: "small" }, "No text, so no tokens.")]
  : grouped(runs).map(({ owner, items }) =>
    h("div", { class: "block", "data-owner": owner }, items.map(({ part, about, tokens: cut }) =>
      h("span", { class: `chips ${part}`, style: colour(part) }, cut.map(([written, id, control]) =>
        chipOf([written, id, control], exact ? `token ${id}, ${about}` : `estimated, ${about}`))))));

// ---- the four columns ----

const menu = (label, name, options, chosen, key, act) =>
  h("label", { class: "menu" }, h("select", {
    "aria-label": label, title: `${label} (key ${key})`, "aria-keyshortcuts": key,
    onchange: ({ target }) => { target.blur(); act({ do: name, name: target.value }); },
  }, options.map((option) => h("option", { value: option.name, selected: option.name === chosen }, option.title))), h("kbd", {}, key));

const column = (name, head, ...body) =>
  h("section", { class: `column ${name} card` }, h("header", {}, head), ...body);

const scrolling = (name, label) => h("div", { class: `scroll ${name}`, tabindex: 0, role: "region", "aria-label": label });

const ACTS = [["user", "user", "U"], ["answer", "answer", "A"], ["call", "call", "K"], ["result", "result", "O"]];
const toolbar = (doing) =>
  h("footer", { class: "acts small" },
    h("button", { type: "button", onclick: () => doing("edit"), "aria-keyshortcuts": "E" }, "Edit ", h("kbd", {}, "E")),
    h("button", { type: "button", onclick: () => doing("remove"), "aria-keyshortcuts": "Delete" }, "Remove ", h("kbd", {}, "Del")),
    h("span", {}, "Add"),
    ACTS.map(([verb, name, key]) =>
      h("button", { type: "button", onclick: () => doing(verb), "aria-keyshortcuts": key, title: `Add ${name} behind the selected message` },
        `${name} `, h("kbd", {}, key))));

const frame = (root) => [
  h("div", { class: "columns" },
    column("typed", h("h3", {}, "In code, a type per role: each has other fields"), scrolling("cards", "typed messages"), toolbar((verb) => root.doing(verb))),
    column("wire", h("div", { class: "switch" }), scrolling("json source", "the provider's JSON"), h("footer", { class: "small scroll" })),
    column("written", h("div", { class: "switch" }), scrolling("text source", "the text that the model continues"), h("footer", { class: "small scroll" })),
    column("cut", h("h3", {}), scrolling("tokens", "the tokens"), h("footer", { class: "small" }, h("p", { class: "counted" }), h("output", {})))),
];

const draw = (root, { view }) => {
  const at = (selector) => root.querySelector(selector);
  const { wire, rendered } = view;
  root.view = view;
  root.style.setProperty("--lanes", view.cards.lanes || 1);
  at(".typed .scroll").replaceChildren(...typed(view));
  at(".wire .switch").replaceChildren(menu("Provider", "provider", view.providers, view.provider, "J", root.act));
  at(".wire .scroll").replaceChildren(...json(wire));
  at(".wire footer").replaceChildren(
    h("p", { class: wire.tone }, wire.verdict),
    ...wire.lost.map((words) => h("p", {}, words)));
  at(".written .switch").replaceChildren(menu("Chat template", "template", view.templates, view.template, "T", root.act));
  at(".written .scroll").replaceChildren(...text(rendered, root.act));
  at(".written footer").replaceChildren(
    ...(rendered.forged ? [h("p", { class: "bad" }, rendered.forged)] : []),
    ...rendered.notes.map((words) => h("p", {}, words)),
    ...(rendered.format ? [h("p", {}, `A chat template makes of the messages one sequence, which the model continues. ${rendered.format}`)] : []));
  at(".cut h3").replaceChildren(rendered.count || "Tokens");
  at(".cut .scroll").replaceChildren(...tokens(rendered));
  at(".cut .counted").replaceChildren(rendered.counted_by);
  at(`.typed .message[data-owner="${rendered.refusal?.owner}"]`)?.append(
    h("p", { class: "small bad refused" }, "The template refuses this message."));
  collectOwners(root);
  root.lit = null;
};

// ---- selection and keys ----

const REPORT_AFTER = 150; // milliseconds of rest
const last = (root) => root.view.cards.cards.length - 1;

const select = (root, message, { from = null, silently = false } = {}) => {
  root.selected = Math.max(0, Math.min(last(root), message));
  const cards = root.querySelectorAll(".typed .message");
  cards.forEach((card, index) => {
    card.classList.toggle("selected", index === root.selected);
    card.tabIndex = index === root.selected ? 0 : -1;
  });
  light(root, String(root.selected));
  settle(root, String(root.selected), from);
  if (silently) return;
  clearTimeout(root.timer);
  root.timer = setTimeout(() => root.report({ message: root.selected, revision: root.revision }), REPORT_AFTER);
};

const edit = (root) => {
  const card = root.querySelectorAll(".typed .message")[root.selected];
  if (!card || card.querySelector("form")) return;
  const kept = [...card.children];
  const form = formOf(root.view.cards.cards[root.selected],
    (fields) => root.act({ do: "edit", message: root.selected, fields }),
    () => { card.replaceChildren(...kept); card.focus(); });
  card.replaceChildren(kept[0], form);
  (form.querySelector("textarea") ?? form.querySelector("input")).focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
};

const turned = (options, chosen) => options[(options.findIndex(({ name }) => name === chosen) + 1) % options.length].name;

const pressed = (root, event) => {
  if (!forPage(event)) return;
  const { view, selected } = root;
  const goes = {
    PageDown: selected + 1, PageUp: selected - 1, ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: last(root),
  }[event.key];
  const verb = ACTS.find(([, , key]) => key.toLowerCase() === event.key.toLowerCase())?.[0];
  if (goes !== undefined) select(root, goes);
  else if (verb) root.doing(verb);
  else if (event.key === "Delete" || event.key === "Backspace") root.doing("remove");
  else if (event.key === "e" || event.key === "E") edit(root);
  else if (event.key === "n" && view.rendered.refusal?.nine) root.act({ do: "nine" });
  else if (event.key === "j") root.act({ do: "provider", name: turned(view.providers, view.provider) });
  else if (event.key === "t") root.act({ do: "template", name: turned(view.templates, view.template) });
  else return;
  // A click on empty space gave it the focus: a key would have the browser frame the whole page.
  if (document.activeElement?.dataset.testid === "stMain") document.activeElement.blur();
  event.preventDefault();
};

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = rootOf(parentElement, "messages");
  root.report = (value) => setStateValue("selected", value);
  root.act = (asked) => setTriggerValue("act", asked);
  root.doing = (verb) => verb === "edit" ? edit(root) : root.act({ do: verb, message: root.selected });
  if (!root.firstChild) root.append(...frame(root));
  const anew = root.revision !== data.anchor.revision;
  if (anew) root.selected = data.anchor.message;
  root.revision = data.anchor.revision;
  if (root.version !== data.version) {
    root.version = data.version;
    draw(root, data);
    select(root, root.selected, { silently: true });
  } else if (anew) select(root, root.selected, { silently: true });

  const listening = listensAnew(root);
  const { signal } = listening;
  lighting(root, signal, () => String(root.selected));
  root.addEventListener("pointerover", ({ target }) => {
    root.querySelector("output").textContent = target.closest("[data-about]")?.dataset.about ?? "";
  }, { signal });
  root.addEventListener("click", ({ target }) => {
    if (target.closest("form, button, select") || !getSelection().isCollapsed) return;
    const owner = target.closest("[data-owner]")?.dataset.owner;
    if (/^\d+$/.test(owner ?? "")) select(root, Number(owner), { from: target.closest(".scroll") });
  }, { signal });
  root.addEventListener("dblclick", ({ target }) => target.closest(".typed .message") && !target.closest("form") && edit(root), { signal });
  document.addEventListener("keydown", (event) => pressed(root, event), { signal });
  return () => listening.abort();
}
