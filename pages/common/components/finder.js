// The statements of the lecture as a list that gets shorter with every word.
const words = (text) => text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const holds = (text, asked) => asked.every((word) => text.includes(` ${word}`));

const finder = (statements, go) => {
  const known = statements.map((one, at) => {
    const text = ` ${words(one.text).join(" ")}`;
    const row = h("button", { type: "button", class: "statement", onclick: () => go(at) }, h("span", {}, one.text), h("span", { class: "small" }, one.where));
    return { part: one.part, row, text, all: `${text} ${words(`${one.where} ${one.part}`).join(" ")}` };
  });
  const list = h("div", { class: "found" });
  const field = h("input", { type: "search", "aria-label": "Find in the lecture", placeholder: "A word of the lecture", autofocus: true });
  const show = () => {
    const asked = words(field.value);
    const rank = ({ text, all }) => [text.includes(` ${asked.join(" ")}`), holds(text, asked), holds(all, asked)].indexOf(true);
    const ranks = known.map(rank);
    const found = [0, 1, 2].flatMap((wanted) => known.filter((_, at) => ranks[at] === wanted));
    list.replaceChildren(...found.flatMap(({ part, row }, at) => asked.length || part === found[at - 1]?.part ? [row] : [h("h2", {}, part), row]));
    if (!found.length) list.append(h("p", { class: "small" }, "No statement has all of these words."));
    list.scrollTop = 0;
  };
  const panel = h("div", { class: "finder" }, field, list);
  panel.addEventListener("keydown", (event) => {
    const stops = [field, ...list.querySelectorAll("button")];
    const at = stops.indexOf(panel.getRootNode().activeElement);
    const to = { ArrowDown: stops[at + 1], ArrowUp: stops[at - 1] }[event.key];
    if (event.key === "Enter" && at === 0) stops[1]?.click();
    else if (to) to.focus();
    else return;
    event.preventDefault();
  });
  field.addEventListener("input", show);
  show();
  return panel;
};
