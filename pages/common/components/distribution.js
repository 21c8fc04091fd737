// Draws one next-token distribution before and after the sampler. All numbers and labels come ready-made.
const percent = (share) => `${(100 * share).toFixed(4)}%`;

const chips = ({ tokens, count }) =>
  h("div", { class: "chips", role: "list", "aria-label": "tokens that the model reads" },
    tokens.map(({ text, kind, title }) => h("span", { class: `token ${kind}`, title, role: "listitem" }, text)),
    h("span", { class: "count small" }, count));

const legend = () =>
  h("div", { class: "legend small" },
    h("span", {}, h("i", { class: "before" }), "model, T = 1"),
    h("span", {}, h("i", { class: "after" }), "after the sampler"),
    h("span", {}, h("i", { class: "cut" }), "cut"));

// Rows keep their elements from one drawing to the next, so that a bar moves instead of jumping.
const bar = (root, position, { rank, name, title, before, after, label, reason, state }, scale) => {
  let row = root.children[position];
  if (!row) {
    row = h("div", {},
      h("span", { class: "rank number small" }), h("span", { class: "token" }),
      h("span", { class: "track" }, h("span", { class: "bar before" }), h("span", { class: "bar" })),
      h("span", { class: "percent number" }), h("span", { class: "reason small" }));
    root.append(row);
  }
  row.className = state;
  const [rankCell, token, track, share, why] = row.children;
  rankCell.textContent = rank;
  token.textContent = name;
  token.title = title;
  const isCut = state.includes("is-cut");
  track.children[0].style.width = percent(before / scale);
  track.children[1].className = isCut ? "bar cut" : "bar after";
  track.children[1].style.width = percent((isCut ? before : after) / scale);
  share.textContent = label;
  why.textContent = reason;
};

const tailRow = ({ name, before, after, cut, label, reason }, scale) =>
  h("div", { class: cut ? "tail is-cut" : "tail" },
    h("span", { class: "name small" }, name),
    h("span", { class: "track" },
      h("span", { class: "bar before", style: `width:${percent(Math.min(1, before / scale))}` }),
      h("span", { class: cut ? "bar cut" : "bar after", style: `width:${percent(Math.min(1, (cut ? before : after) / scale))}` })),
    h("span", { class: "percent number" }, label), h("span", { class: "reason small" }, reason));

const cumulative = ({ u, label, pieces }) =>
  h("div", { class: "cumulative" },
    h("span", { class: "small number" }, "one number u picks the token"),
    h("div", { class: "line" },
      pieces.map(({ share, picked, title }) =>
        h("span", { class: picked ? "piece picked" : "piece", style: `width:${percent(share)}`, title })),
      u === null ? null : h("span", { class: "u", style: `left:${percent(u)}` })),
    h("span", { class: "small" }, label));

const stages = (all) =>
  h("div", { class: "stages" },
    all.flatMap(({ title, value, note }, index) => [
      index ? h("span", { class: "arrow", "aria-hidden": "true" }, "→") : null,
      h("div", { class: "card" }, h("span", { class: "small" }, title), h("b", { title: value }, value),
        h("span", { class: "small" }, note))]));

// The bars stay in place between drawings (an element that is moved loses its transition); the rest is made anew.
const SECTIONS = ["prompt", "key", "bars", "draw", "way"];

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "distribution");
  if (!root.children.length) root.append(...SECTIONS.map((name) => h("div", { class: name })));
  const [prompt, key, bars, draw, way] = root.children;
  prompt.replaceChildren(chips(data.prompt));
  key.replaceChildren(legend());
  bars.querySelector(".tail")?.remove();
  while (bars.children.length > data.rows.length) bars.lastChild.remove();
  data.rows.forEach((row, position) => bar(bars, position, row, data.scale));
  if (data.tail) bars.append(tailRow(data.tail, data.scale));
  draw.replaceChildren(cumulative(data.draw));
  way.replaceChildren(stages(data.stages));
}
