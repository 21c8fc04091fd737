// The same conversation as native calls and as ReAct text. What one of them loses hangs below its message.
const lostOf = (reasons) => reasons.map(({ reason }) => h("p", { class: "lost small" }, reason));
const of = (losses, owner) => losses.filter((loss) => loss.owner === owner);

const nativeOf = ({ cards, native_loses: losses }) =>
  cards.cards.map((card) => {
    const element = cardOf(card, cards.lanes);
    element.lastChild.append(...lostOf(of(losses, card.owner)));
    return element;
  });

// A message can stand in several places of the text: what is lost of it is told at the last.
const textOf = ({ lines, text_loses: losses }) => {
  const groups = grouped(lines);
  return groups.map(({ owner, items }, index) => {
    const last = groups.findLastIndex((group) => group.owner === owner) === index;
    return h("div", { class: "block", "data-owner": owner },
      items.map(({ part, label, text }) =>
        h("div", { class: "line source", style: colour(part) }, label ? h("b", {}, `${label}: `) : null, shown(text))),
      last ? lostOf(of(losses, owner)) : null);
  });
};

const side = (title, about, children) =>
  h("section", { class: "side card" },
    h("header", {}, h("h3", {}, title), h("span", { class: "small" }, about)),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, children));

const choose = (root, index) => {
  const cards = root.querySelectorAll(".message");
  root.selected = Math.max(0, Math.min(cards.length - 1, index));
  light(root, String(root.selected));
  settle(root, String(root.selected), null);
};

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "dialects");
  if (root.version !== data.version) {
    const { view } = data;
    root.version = data.version;
    root.lit = null;
    root.style.setProperty("--lanes", view.cards.lanes || 1);
    root.replaceChildren(
      side("Native calls", "fields: an id pairs each result with its call", nativeOf(view)),
      side("ReAct text", "one string: labels and order must tell it all", textOf(view)));
    collectOwners(root);
    choose(root, data.message);
  }
  const listening = listensAnew(root);
  const { signal } = listening;
  lighting(root, signal, () => String(root.selected));
  root.addEventListener("click", ({ target }) => {
    const owner = target.closest("[data-owner]")?.dataset.owner;
    if (owner) choose(root, Number(owner));
  }, { signal });
  document.addEventListener("keydown", (event) => {
    if (!forPage(event)) return;
    const to = { PageDown: root.selected + 1, PageUp: root.selected - 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(root, to);
  }, { signal });
  return () => listening.abort();
}
