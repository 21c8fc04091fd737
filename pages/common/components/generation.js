// One text, token by token: the chips, the distribution behind the chosen one, and the branches.
// Every act goes to Python as the trigger "act"; the colour and what is hovered stay here.
const width = (share, scale) => `width:${(100 * Math.min(1, share / scale)).toFixed(3)}%`;

const legend = (stage) =>
  h("div", { class: "legend small" },
    h("span", { class: "seg", role: "group", "aria-label": "colour of the tokens" },
      Object.entries(COLOURS).map(([name, { label }]) =>
        h("button", {
          type: "button", "aria-pressed": String(name === stage.data.colour),
          onclick: () => stage.act({ do: "colour", colour: name }),
        }, label))),
    h("span", {}, COLOURS[stage.data.colour].about),
    swatches(stage.data.colour));

// Solid what is kept, hatched what was cut, and the model's own probability as an outline.
const trackOf = ({ before, after, cut }, scale) =>
  h("span", { class: `track ${Math.max(before, after) > scale ? "beyond" : ""}` },
    h("i", { class: cut ? "bar cut" : "bar after", style: width(after, scale) }), h("i", { class: "bar before", style: width(before, scale) }));

const rowOf = (row, scale, branch) =>
  h("button", {
    type: "button", class: `row ${row.taken ? "taken" : ""} ${row.cut ? "is-cut" : ""}`, onclick: row.taken ? null : () => branch(row.id),
    title: row.taken ? "the token that was taken" : "take this one instead, and keep both branches", "aria-disabled": String(row.taken),
  },
    h("span", { class: "number small" }, row.rank),
    h("span", { class: "token" }, marked(row.name)),
    trackOf(row, scale),
    h("span", { class: "number percent" }, row.label),
    h("span", { class: "small note" }, row.note));

const panelOf = (panel, position, act) =>
  h("div", { class: "panel card" },
    h("div", { class: "what" }, h("span", {}, panel.title, " ", h("b", { class: "token" }, marked(panel.token))), h("span", { class: "small" }, panel.how)),
    h("div", { class: "small key" }, h("span", {}, h("i", { class: "before" }), "model, T = 1"), h("span", {}, h("i", { class: "after" }), "after the sampler")),
    h("div", { class: "rows" },
      panel.rows.map((row) => rowOf(row, panel.scale, (id) => act({ do: "branch", position, id }))),
      panel.tail && h("div", { class: `row tail ${panel.tail.cut ? "is-cut" : ""}` }, h("span", { class: "small name" }, panel.tail.name),
        trackOf(panel.tail, panel.scale), h("span", { class: "number percent" }, panel.tail.label), h("span", { class: "small note" }, panel.tail.note))),
    h("div", { class: "small" }, panel.facts),
    h("div", { class: "small" }, "The road not taken: click a token to branch there."),
    h("a", {
      href: panel.href, class: "small",
      onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab, by the browser
        event.preventDefault();
        act({ do: "sampling" });
      },
    }, "Open this draw on the sampling screen"));

const branchesOf = (branches, act) =>
  branches.length < 2 ? [] : [
    h("div", { class: "small" }, "Branches: all stay. Click one, or press its number."),
    ...branches.map(({ where, text, count, current }, index) =>
      h("button", { type: "button", class: "branch", "aria-pressed": String(current), onclick: () => act({ do: "go", index }) },
        h("kbd", {}, index + 1), h("span", { class: "small" }, where), h("span", { class: "token" }, marked(text)), h("span", { class: "small" }, count)))];

// The clipboard is closed to pages that come over plain http from another machine: then the text is selected.
const plainText = () => {
  const text = h("pre", { tabindex: 0, "aria-label": "the text as a string" });
  const button = h("button", {
    type: "button", class: "copy",
    onclick: async () => {
      getSelection().selectAllChildren(text);
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected: press Ctrl+C";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    },
  }, "Copy");
  return { text, element: h("details", { class: "plain" }, h("summary", { class: "small" }, "As plain text"), button, text) };
};

const hint = ({ data }) =>
  data.text.chips.length ? "Point at a token to read its numbers; click it for its distribution." : "Play, or go step by step.";

const build = (root, stage) => {
  const reading = h("div", { class: "small reading" });
  const parts = {
    legend: h("div"), count: h("div", { class: "small count" }), reading, plain: plainText(), side: h("div", { class: "side" }), branches: h("div", { class: "branches" }),
    note: h("div", { class: "small note", role: "status" }), chance: h("div", { class: "small number chance" }),
    chips: chipsOf({
      choose: (position) => stage.act({ do: "choose", position }),
      read: (title) => { reading.textContent = title ?? hint(stage); },
    }),
  };
  root.append(
    h("div", { class: "main" }, h("div", { class: "head" }, parts.legend, parts.count), parts.chips.element, parts.chance, parts.note, parts.reading, parts.branches, parts.plain.element),
    parts.side);
  return parts;
};

const onKey = (stage) => (event) => {
  const index = Number(event.key) - 1;
  if (!forPage(event) || event.key.length > 1 || stage.data.branches.length < 2 || !stage.data.branches[index]) return;
  stage.act({ do: "go", index });
  event.preventDefault();
};

const stages = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = rootOf(parentElement, "generation");
  const stage = stages.get(root) ?? {};
  stage.data = data;
  stage.act = (act) => setTriggerValue("act", act);
  if (!stages.has(root)) {
    stages.set(root, stage);
    stage.parts = build(root, stage);
  }
  const { parts } = stage;
  renew(parts.legend, data.colour, () => [legend(stage)]);
  parts.chips.show(data.text, data);
  renew(parts.note, JSON.stringify([data.text.cycle?.text, data.text.ending, data.note]), () => [
    ...(data.text.cycle ? [h("span", { class: "repeats" }, data.text.cycle.text)] : []),
    ...marked([data.text.ending, data.note].filter(Boolean).join(" "))]);
  renew(parts.side, JSON.stringify(data.panel), () => (data.panel ? [panelOf(data.panel, data.position, stage.act)] : []));
  renew(parts.branches, JSON.stringify(data.branches), () => branchesOf(data.branches, stage.act));
  say(parts.chance, data.chance);
  parts.count.textContent = data.count;
  parts.plain.text.textContent = data.plain;
  if (!root.querySelector(".chips button:hover")) parts.reading.textContent = hint(stage);
  root.dataset.tokens = data.text.chips.length; // for whoever waits for it
  document.addEventListener("keydown", onKey(stage), { signal: listensAnew(root).signal });
  countsPresses(root, ["s", "pagedown"], (presses) => setStateValue("presses", presses));
  return () => { root.listening.abort(); root.pressing.abort(); };
}
