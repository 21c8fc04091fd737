// Several texts after one prompt side by side: at several temperatures, or the beams of a search.
const lane = (read, act, index) => {
  const title = h("b"), note = h("div", { class: "small" }), ending = h("div", { class: "small" }), best = h("div", { class: "small" }), repeats = h("div", { class: "small repeats" });
  const chips = chipsOf({ choose: null, read });
  const open = h("button", { type: "button", class: "open", onclick: () => act()({ do: "open", index }) }, "Open");
  return {
    element: h("section", { class: "lane card" }, h("div", { class: "top" }, title, best, open), note, repeats, chips.element, ending),
    show: (data, prompt, colour) => {
      title.textContent = data.title;
      say(note, data.note);
      dress(best, data.best ? "small best" : "small");
      say(best, data.best ? "best of four" : "");
      ending.replaceChildren(...marked(data.text.ending));
      repeats.textContent = data.text.cycle?.text ?? "";
      open.disabled = !data.text.chips.length;
      chips.show(data.text, { prompt, colour, chosen: null });
    },
  };
};

const boards = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = rootOf(parentElement, "temperatures");
  if (!boards.has(root)) {
    const reading = h("div", { class: "small reading" });
    const read = (title) => { reading.textContent = title ?? "Point at a token to read its numbers."; };
    read(null);
    const board = { legend: h("div", { class: "legend small" }), count: h("div", { class: "small count" }), reading };
    board.lanes = data.lanes.map((_, index) => lane(read, () => board.act, index));
    boards.set(root, board);
    root.append(h("div", { class: "head" }, board.legend, board.count), h("div", { class: "lanes" }, board.lanes.map(({ element }) => element)), reading);
  }
  const board = boards.get(root);
  board.act = (act) => setTriggerValue("act", act);
  board.legend.replaceChildren(h("span", {}, `${COLOURS[data.colour].label} ${COLOURS[data.colour].about}`), ...swatches(data.colour));
  board.lanes.forEach(({ show }, index) => show(data.lanes[index], data.prompt, data.colour));
  board.count.textContent = data.count;
  root.dataset.tokens = data.lanes.reduce((sum, { text }) => sum + text.chips.length, 0);
  countsPresses(root, ["s", "pagedown"], (presses) => setStateValue("presses", presses));
  return () => root.pressing.abort();
}
