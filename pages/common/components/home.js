// Draws the way from one token to an agent. All numbers and words come ready-made.
const percent = (share) => `${(100 * share).toFixed(3)}%`;

// A symbol of the lecture: `W_t` and `W_{1:t−1}` with their index lowered.
const symbol = (text) =>
  text.split(/(_\{[^}]*\}|_\w+)/).filter(Boolean).map((piece) =>
    piece[0] === "_" ? h("sub", {}, piece.replace(/^_\{?|\}$/g, "")) : piece);

const token = (text, kind = "") => h("span", { class: `token chip ${kind}` }, marked(text));

const head = ({ name, symbol: sign, about }) =>
  h("header", {}, h("div", { class: "name" }, h("b", {}, name), h("span", { class: "symbol" }, symbol(sign))),
    h("p", { class: "small" }, about));

const arrow = (label = "") =>
  h("div", { class: "arrow" }, h("span", { class: "small" }, label), h("i", { "aria-hidden": "true" }));

// The upright pieces of the way back: up to the text, and down from the token.
const riser = (kind) => h("i", { class: `riser ${kind}`, "aria-hidden": "true" });

// The address stays in the link, for a new tab and for copying; a plain click keeps the session.
const door = ({ screen, label, href }, open) => {
  const embedded = new URLSearchParams(window.location.search).get("embed") === "true" ? "&embed=true" : "";
  return h("a", {
    class: "door", href: href + embedded,
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      open(screen);
    },
  }, label, h("span", { "aria-hidden": "true" }, "›"));
};

const rail = ({ title, about, door: way }, open) =>
  h("div", { class: "rail" }, h("h3", {}, title), h("p", { class: "small" }, about), door(way, open));

const bar = ({ prob, label }, scale, kind) =>
  h("div", { class: `row ${kind}` },
    h("span", { class: "track" }, h("i", { style: `width:${percent(prob / scale)}` })), h("span", { class: "number" }, label));

const oneToken = ({ section, stations, arrows, back, text, rows, tail, pieces, u, u_label, drawn }, open) => {
  const [read, scored, distributed, picked] = stations;
  const scale = Math.max(tail.prob, ...rows.map(({ prob }) => prob));
  const state = (name) => (name === drawn ? "drawn" : "");
  const station = (kind, about, ...content) =>
    h("section", { class: `station ${kind}` }, head(about), h("div", { class: "content" }, ...content));
  return [
    rail(section, open),
    h("div", { class: "one card" },
      station("text", read, h("div", { class: "chips" }, text.map((name) => token(name)), token(drawn, "next")), riser("to")),
      arrow(arrows[0]),
      station("logits", scored,
        rows.map(({ name, logit }) =>
          h("div", { class: `row ${state(name)}` }, h("span", { class: "token" }, marked(name)), h("span", { class: "number" }, logit))),
        h("div", { class: "row tail small" }, h("span", {}, tail.name), h("span", { class: "number" }, tail.logit))),
      arrow(arrows[1]),
      station("distribution", distributed,
        rows.map((row) => bar(row, scale, state(row.name))), bar(tail, scale, "tail")),
      arrow(arrows[2]),
      station("picked", picked,
        h("div", { class: "u small", style: `left:${percent(u)}` }, u_label),
        h("div", { class: "line" }, pieces.map((share) => h("i", { style: `width:${percent(share)}` })),
          h("span", { class: "mark", style: `left:${percent(u)}` })),
        token(drawn, "drawn"), riser("from")),
      h("div", { class: "back" }, h("span", { class: "small" }, symbol(back)))),
  ];
};

const stop = (station) =>
  h("section", { class: "stop card", style: station.part ? `--c: var(--part-${station.part})` : null },
    head(station), h("div", { class: "shown" }, station.shown));

const loop = ({ section, inside, stations }, open) => [
  h("div", { class: "inside" }, h("span", { class: "small" }, inside)),
  rail(section, open),
  h("div", { class: "stops" }, stations.flatMap((station, index) => [index ? arrow() : null, stop(station)])),
];

const stretch = ({ part, tokens, new: fresh, about }) =>
  h("span", { class: "stretch", title: about, style: `--c: var(--part-${part}); flex-grow:${tokens}` },
    h("i", { class: "old", style: `flex-grow:${tokens - fresh}` }), h("i", { class: "new", style: `flex-grow:${fresh}` }));

const context = ({ section, station, total, resent, fresh, window: room, entries, parts, append, back, end, answer }, open) => [
  h("div", { class: "ways" }, h("span", { class: "up small" }, back), h("span", { class: "down small" }, append)),
  rail(section, open),
  h("div", { class: "context card" },
    h("div", { class: "name" }, h("b", {}, station.name), h("span", { class: "symbol" }, symbol(station.symbol)),
      h("span", { class: "total" }, h("b", {}, total), h("span", { class: "small" }, h("i", { class: "old" }), resent),
        h("span", { class: "small" }, h("i", { class: "new" }), fresh), h("span", { class: "small" }, room))),
    h("div", { class: "strip" }, entries.map(({ symbol: sign, tokens, stretches }) =>
      h("div", { class: `entry ${sign ? "" : "opening"}`, style: `flex-grow:${tokens}` },
        h("div", { class: "bar" }, stretches.map(stretch)), h("div", { class: "symbol" }, symbol(sign))))),
    h("div", { class: "legend small" }, parts.map(({ part, name, tokens }) =>
      h("span", {}, h("i", { style: `--c: var(--part-${part})` }), `${name} `, h("b", {}, tokens)))),
    h("p", { class: "end" }, h("span", { class: "small" }, end), " ", h("q", {}, answer))),
];

export default function ({ data, parentElement, setTriggerValue }) {
  const open = (screen) => setTriggerValue("door", screen);
  rootOf(parentElement, "home").replaceChildren(
    h("div", { class: "picture" }, oneToken(data.token, open), loop(data.loop, open), context(data.context, open)));
}
