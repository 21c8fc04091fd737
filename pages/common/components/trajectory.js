// A run as its trajectory: a row for each call, with its reason and what came of it; under it the review.
const opens = (step, act, ...inside) =>
  h("button", { type: "button", title: `Step ${step} of the loop`, onclick: () => act(`step=${step}`) }, ...inside);

const lineOf = ({ step, tool, arguments: given, reason, times, verdict, tone, result }, act) =>
  h("tr", {},
    h("td", {}, opens(step, act, `${step}`)),
    h("td", { class: "mono call" }, h("b", {}, tool), " ", given),
    h("td", { class: "number small" }, times),
    h("td", { class: `verdict ${tone}` }, verdict),
    h("td", {}, reason || h("span", { class: "small" }, "none")),
    h("td", { class: "mono result", title: result }, result));

const HEADS = [
  ["step"],
  ["signature", "tool and arguments, keys in order, without the reason"],
  [""],
  ["runtime"],
  ["reason", "one sentence: for audit, debugging and discipline. More costs tokens and time in every call"],
  ["result", "its start"],
];

const table = ({ lines, ended }, act) =>
  h("div", { class: "card calls", tabindex: "0", role: "region", "aria-label": "trajectory" },
    h("table", {},
      h("thead", {}, h("tr", {}, HEADS.map(([name, about]) =>
        h("th", {}, name, about ? h("span", { class: "small" }, ` ${about}`) : null)))),
      h("tbody", {}, lines.map((line) => lineOf(line, act)),
        lines.length ? null : h("tr", {}, h("td", { colspan: "6", class: "small" }, "This run calls no tool.")),
        ended ? h("tr", { class: "ended" }, h("td", {}, opens(ended[0], act, `${ended[0]}`)), h("td", { colspan: "5" }, ended[1])) : null)));

const review = ({ patterns }) =>
  h("section", { class: "card", "aria-label": "review" },
    h("table", {},
      h("thead", {}, h("tr", {}, ["a regular review of stored runs looks for", "which suggests", "in this run"].map((name) => h("th", {}, name)))),
      h("tbody", {}, patterns.map(({ pattern, suggests, found, how, tone }) =>
        h("tr", {}, h("td", {}, pattern), h("td", { class: "small" }, suggests),
          h("td", { class: `verdict ${tone}`, title: how || null }, found))))),
    h("p", { class: "small" }, "Ten varied questions, all runs kept: for the most common, change one instruction or description, and compare."));

const instructions = ({ instructions: given }) =>
  h("section", { class: "card", "aria-label": "instructions" },
    h("table", {},
      h("thead", {}, h("tr", {}, ["an agent is told", "which prevents"].map((name) => h("th", {}, name)))),
      h("tbody", {}, given.map(({ says, prevents }) =>
        h("tr", {}, h("td", {}, says), h("td", { class: "small" }, prevents))))));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(rootOf(parentElement, "trajectory"), "screen");
  const { view, note } = data;
  const act = (name) => setTriggerValue("act", name);
  root.replaceChildren(
    h("p", { class: "about-run small" },
      h("span", { class: "note" }, note),
      h("button", { type: "button", onclick: () => act("steps") }, "Step by step ", h("kbd", {}, "T")),
      h("span", {}, view.sums)),
    table(view, act),
    h("div", { class: "below" }, review(view), instructions(view)));
  const listening = listensAnew(root);
  document.addEventListener("keydown", (event) => {
    if (event.key === "t" && forPage(event)) act("steps");
  }, { signal: listening.signal });
  return () => listening.abort();
}
