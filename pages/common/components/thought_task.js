// A serial task answered in three ways: shares over the length with their intervals, then the questions of one length.
const WIDTH = 640, HEIGHT = 250, LEFT = 44, RIGHT = 60, BOTTOM = 30, TOP = 10;
const SHIFT = { at_once: -9, own: 0, given: 9 };

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const plot = ({ points, lengths, length, guess }) => {
  const step = (WIDTH - LEFT - RIGHT) / lengths.length;
  const x = (n) => LEFT + step * (lengths.indexOf(n) + 0.5);
  const y = (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
  const text = (at, height, said, kind) => svg("text", { x: at, y: height, class: kind }, said);
  const level = (share, kind) => svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share), class: kind });
  const mark = { at_once: (a, b) => svg("circle", { cx: a, cy: b, r: 5 }),
    own: (a, b) => svg("rect", { x: a - 4.5, y: b - 4.5, width: 9, height: 9 }),
    given: (a, b) => svg("path", { d: `M${a} ${b - 6}l6 10h-12z` }) };
  const arm = (point) => ({ way, name, share: [low, share, high], label }) => {
    const at = x(point.length) + SHIFT[way];
    return svg("g", { class: `way ${way} ${point.captured >= point.total ? "captured" : ""}` },
      svg("title", {}, `${point.length} items, ${name}: ${label}`),
      svg("line", { x1: at, x2: at, y1: y(low), y2: y(high) }), mark[way](at, y(share)));
  };
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "share of right answers over the number of items" },
    svg("rect", { x: x(length) - step / 2, y: TOP, width: step, height: HEIGHT - TOP - BOTTOM, class: "here" }),
    ...[0, 0.5, 1].flatMap((share) => [level(share, "grid"), text(LEFT - 6, y(share) + 4, `${100 * share} %`, "end")]),
    ...(guess ? [level(guess, "guess"), text(WIDTH - RIGHT + 6, y(guess) + 4, "guessing", "start")] : []),
    ...lengths.map((n) => text(x(n), HEIGHT - 10, n === lengths[0] ? `${n} items` : n, "middle")),
    ...points.flatMap((point) => point.arms.map(arm(point))));
};

const key = (points) => h("ul", { class: "key" },
  (points[0]?.arms ?? []).map(({ way, name }) => h("li", { class: `way ${way}` }, h("i", {}), name)),
  h("li", { class: "small" }, "lines: 95 % intervals (Wilson)"));

const tick = (right) => h("td", { class: right ? "yes" : "no" }, right ? "right" : "wrong");

const rowOf = ({ given, answer, right, lines }) =>
  h("tr", {}, h("td", { class: "mono" }, given), h("td", { class: "mono" }, answer), right.map(tick),
    h("td", { class: "mono chain" }, lines.map(({ text, right: held }) => h("span", { class: held ? null : "no" }, text))));

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "thought");
  root.dataset.rows = data.rows.length;
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "over" },
      h("figure", {}, plot(data), key(data.points)),
      h("div", { class: "told" },
        h("h3", {}, `${data.length} items`),
        data.said.length ? data.said.map((line) => h("p", {}, line)) : h("p", {}, "Nothing is asked yet under this seed and length."),
        data.points.some(({ captured }) => captured) ? h("p", { class: "small" }, `Hollow marks: all of it captured beforehand on ${data.captured}, by scripts/capture_thoughts.py. Filled ones hold questions that were answered here.`) : null)),
    data.rows.length ? h("div", { class: "rows" }, h("table", {},
      h("thead", {}, h("tr", {}, ["question", "answer", "at once", "own steps", "after right steps", "its own chain"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, data.rows.map(rowOf)))) : null,
  ].filter(Boolean));
}
