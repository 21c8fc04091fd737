// The text that a model receives, each stretch in the colour of its part, with what the tool costs above it.
const shareOf = ({ part: name, name: words, label, share }) =>
  h("li", { style: `${part(name)}; flex-grow: ${share}`, title: `${words}: ${label} tokens` }, h("i", {}));

const key = ({ part: name, name: words, label }) =>
  h("span", { style: part(name) }, h("i", {}), `${words} `, h("b", {}, label));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { stretches, shares, cost, in_every_call: repeated, counted_by: counting, notice } = data.view;
  const text = h("div", { class: "text card source", tabindex: 0, role: "region", "aria-label": "what the model receives" },
    stretches.map(({ part: name, name: words, text: written }) =>
      h("span", { class: `stretch ${name}`, style: part(name), title: words }, code(written))));
  root.replaceChildren(h("div", { class: "seen" },
    notice ? h("p", { class: "notice card" }, notice) : null,
    h("p", { class: "cost" }, h("b", {}, cost), " ", repeated),
    h("ul", { class: "shares", "aria-hidden": "true" }, shares.map(shareOf)),
    h("p", { class: "legend small" }, shares.map(key)),
    text,
    h("p", { class: "small" }, counting)));
  // What the tool brought is brought into view, below a line of what stands before it.
  const first = text.querySelector(".tool-call") ?? text.querySelector(".tool-schemas");
  text.scrollTop = first ? Math.max(0, first.offsetTop - text.offsetTop - text.clientHeight / 3) : 0;
  return turning(root, setTriggerValue);
}
