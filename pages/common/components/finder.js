// The statements of the lecture as a list that gets shorter with every word.
const finder = (statements, go) => {
  const search = searcher(statements.map(({ text, where, part, behind }) => [text, `${where} ${part}`, behind]));
  const rows = statements.map((one, at) =>
    h("button", { type: "button", class: "statement", onclick: () => go(at) }, h("span", {}, one.text), h("span", { class: "small" }, one.where)));
  const list = h("div", { class: "found" });
  const field = h("input", { type: "search", "aria-label": "Find in the lecture", placeholder: "Words of the lecture", autofocus: true });
  const show = () => {
    const found = search(field.value);
    const all = !field.value.trim();
    const begins = (at) => all && statements[at].part !== statements[at - 1]?.part;
    list.replaceChildren(...found.flatMap((at) => begins(at) ? [h("h2", {}, statements[at].part), rows[at]] : [rows[at]]));
    if (!found.length) list.append(h("p", { class: "small" }, "No statement has any of these words: try others of the sentence."));
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
