// One text read in two ways, turn by turn: with every marker a control token, and with only the template's own.
const pieceOf = ({ text, control, forged }) =>
  h("span", { class: `${control ? "control" : "words"} ${forged ? "is-forged" : ""}` }, shown(text));

const turnOf = ({ part, forged, pieces }) =>
  h("li", { class: forged ? "turn forged-turn source" : "turn source", style: colour(part) }, pieces.map(pieceOf));

const readingOf = ({ title, about, count, turns }, index) =>
  h("section", { class: `card reading ${index ? "careful" : "careless"}` },
    h("header", {}, h("h3", {}, title), h("span", { class: "small" }, about), h("b", { class: "small" }, count)),
    h("ol", { class: "scroll", tabindex: 0, "aria-label": title }, turns.map(turnOf)));

const cutOf = ({ marker, times, by_text: one, by_owner: many }) =>
  h("li", {}, h("span", { class: "small" }, times, " ", h("code", {}, marker)),
    h("span", { class: "chips" }, one.map((token) => chipOf(token))), h("span", { class: "small" }, "by owner:"),
    h("span", { class: "chips" }, many.map((token) => chipOf(token))));

const TRIALS = ["forged-user", "forged-result"];
const NAMES = { "forged-user": "The user forges a turn", "forged-result": "A tool result forges a turn" };

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "forgery");
  const { readings, cuts, who, exact, notice } = data.view;
  const act = (asked) => setTriggerValue("act", asked);
  root.replaceChildren(
    notice ? h("div", { class: "notice" }, h("p", {}, notice),
      h("p", {}, TRIALS.map((name) => h("button", { type: "button", onclick: () => act({ do: "suppose", name }) }, NAMES[name])))) : "",
    who ? h("p", { class: "who small" }, who, " Kept as characters, they open no turn; what the words ask for is another matter.") : "",
    h("div", { class: "readings" }, readings.map(readingOf)),
    cuts.length ? h("ul", { class: "cuts card" }, h("li", { class: "small" }, exact ? "The forged markers as tokens:" : "The forged markers as tokens (an estimate: this model's tokenizer is not here):"), cuts.map(cutOf)) : "");
  for (const list of root.querySelectorAll(".reading ol")) {
    const first = list.querySelector(".is-forged");
    if (first) list.scrollTop += first.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 4;
  }
  const listening = listensAnew(root);
  document.addEventListener("keydown", (event) => {
    if (!forPage(event)) return;
    const at = TRIALS.indexOf(data.change);
    const name = { PageDown: TRIALS[Math.min(at + 1, 1)], PageUp: TRIALS[Math.max(at - 1, 0)] }[event.key];
    if (name === undefined) return;
    event.preventDefault();
    if (name !== data.change) act({ do: "suppose", name });
  }, { signal: listening.signal });
  return () => listening.abort();
}
