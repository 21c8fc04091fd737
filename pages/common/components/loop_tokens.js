// The tokens of a reply: chips on its card, and the panel of the one that was clicked.
// tokenChips(stretch, act) -> { element, show(token) }; tokenPanel(panel, act) -> an element.
// A token is named "call.position", both from 1. Acts: "token=1.12", "token=" to close, "sampling".
const NO_PROMPT = { before: "", tokens: [] };

const tokenChips = ({ call, first, chips }, act) => {
  const named = (position) => `${call}.${first + position + 1}`;
  const { element, show } = chipsOf({ choose: (position) => act(`token=${named(position)}`), read: () => {} });
  element.setAttribute("aria-label", "tokens of the reply");
  const showChosen = (token) => {
    const chosen = chips.findIndex((_, position) => named(position) === token);
    show({ chips, cycle: null }, { prompt: NO_PROMPT, colour: "probability", chosen: chosen < 0 ? null : chosen });
    element.querySelectorAll("button.chip").forEach((chip, position) => {
      chip.dataset.token = named(position);
      chip.setAttribute("aria-pressed", String(position === chosen));
    });
    // With none chosen the keys begin at the first one, which is the one that is read first.
    if (chosen < 0) element.querySelectorAll("button.chip").forEach((chip, position) => { chip.tabIndex = position ? -1 : 0; });
  };
  return { element, show: showChosen };
};

const alternative = ({ name, share, label, note }) =>
  h("li", { class: note },
    h("span", { class: "token" }, marked(name)),
    h("span", { class: "track", "aria-hidden": "true" }, h("i", { style: `width: ${(100 * share).toFixed(2)}%` })),
    h("span", { class: "number" }, label),
    h("span", { class: "small" }, note));

const placeOf = (place) =>
  place.length
    ? h("p", { class: "place token" }, place.map(({ text, part, own }) =>
      h("span", { class: own ? "own" : null, style: `--part: var(--part-${part})` }, marked(text))))
    : null;

const toSampling = (href, act) =>
  h("a", {
    href, class: "small",
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab, by the browser
      event.preventDefault();
      act("sampling");
    },
  }, "Open this draw on the sampling screen");

const tokenPanel = ({ title, name, how, rows, rest, share, place, href, note }, act) =>
  h("section", { class: "card token-panel", "aria-label": "the token and what else it might have been" },
    h("div", { class: "head" },
      h("h3", { class: "small" }, title),
      h("button", { type: "button", class: "small", onclick: () => act("token="), title: "back to the context (Esc)" }, "Close ", h("kbd", {}, "Esc"))),
    h("p", { class: "name token" }, marked(name)),
    h("p", { class: "small" }, marked(how)),
    href ? toSampling(href, act) : null,
    h("ul", { class: "alternatives" }, rows.map(alternative)),
    rest ? h("p", { class: "small" }, rest) : null,
    placeOf(place),
    h("p", { class: "small" }, share),
    note ? h("p", { class: "small" }, note) : null);
