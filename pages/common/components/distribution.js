// Draws one next-token distribution before and after the sampler. All numbers and labels come ready-made.
const percent = (share) => `${(100 * share).toFixed(4)}%`;

const chips = ({ tokens, count }) =>
  h("div", { class: "chips", role: "list", "aria-label": "tokens that the model reads" },
    tokens.map(({ text, kind, title }) => h("span", { class: `token ${kind}`, title, role: "listitem" }, marked(text))),
    h("span", { class: "count small" }, count));

const legend = () =>
  h("div", { class: "legend small" },
    h("span", {}, h("i", { class: "before" }), "model, T = 1"),
    h("span", {}, h("i", { class: "after" }), "after the sampler"),
    h("span", {}, h("i", { class: "cut" }), "cut"));

// A solid bar for what is kept, a hatched one for what was cut, and the model's own probability as an outline.
const track = () => h("span", { class: "track" }, h("span", { class: "bar" }), h("span", { class: "bar before" }));

const setTrack = ({ children: [solid, outline] }, { before, after, cut }, scale) => {
  solid.className = cut === null ? "bar after" : "bar cut";
  solid.style.width = percent(Math.min(1, (cut ?? after) / scale));
  outline.style.width = percent(Math.min(1, before / scale));
};

// Rows keep their elements from one drawing to the next, so that a bar moves instead of jumping.
const setRow = (bars, position, row, scale) => {
  let element = bars.children[position];
  if (!element) {
    element = h("div", {},
      h("span", { class: "rank number small" }), h("span", { class: "token" }), track(),
      h("span", { class: "percent number" }), h("span", { class: "reason small" }));
    bars.append(element);
  }
  const [rank, token, line, label, reason] = element.children;
  element.className = row.state;
  rank.textContent = row.rank;
  token.replaceChildren(...marked(row.name));
  token.title = row.title;
  setTrack(line, row, scale);
  label.textContent = row.label;
  reason.textContent = row.reason;
};

const tailRow = (tail, scale) => {
  const line = track();
  setTrack(line, tail, scale);
  return h("div", { class: `tail ${tail.cut === null ? "" : "is-cut"} ${tail.beyond ? "beyond" : ""}` },
    h("span", { class: "name small" }, tail.name), line,
    h("span", { class: "percent number" }, tail.label), h("span", { class: "reason small" }, tail.reason));
};

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
      index ? h("span", { class: "arrow", "aria-hidden": "true" }, "›") : null,
      h("div", { class: "card" }, h("span", { class: "small" }, title), h("b", { title: value }, marked(value)),
        h("span", { class: "small" }, note))]));

// The bars stay in place between drawings (an element that is moved loses its transition); the rest is made anew.
const SECTIONS = ["prompt", "key", "bars", "draw", "way", "summary"];

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "distribution");
  if (!root.children.length) root.append(...SECTIONS.map((name) => h("div", { class: name })));
  const [prompt, key, bars, draw, way, summary] = root.children;
  prompt.replaceChildren(chips(data.prompt));
  key.replaceChildren(legend());
  bars.querySelector(".tail")?.remove();
  while (bars.children.length > data.rows.length) bars.lastChild.remove();
  data.rows.forEach((row, position) => setRow(bars, position, row, data.scale));
  if (data.tail) bars.append(tailRow(data.tail, data.scale));
  draw.replaceChildren(cumulative(data.draw));
  way.replaceChildren(stages(data.stages));
  summary.replaceChildren(h("span", { class: "small" }, data.summary));
}
