// The five rules, what was found of each in the schema, and how. The calls that were tried stand under the last one.
const MARKS = { good: "✓", bad: "!", open: "?" };

const finding = ({ tone, text, how }) =>
  h("li", { class: "finding" }, h("b", { class: `sign ${tone}`, "aria-label": tone }, MARKS[tone]),
    h("span", {}, text, " ", h("span", { class: "small" }, how)));

const trial = ({ fault, refused, why }) =>
  h("li", { class: `trial ${refused ? "refused" : "passes"}`, title: why || "The schema has nothing against it." },
    h("span", {}, fault), h("b", {}, refused ? "refused" : "passes"));

const ruleOf = ({ name, asks, findings, trials }, index) =>
  h("li", { class: "rule card" },
    h("h2", {}, `${index + 1} · ${name}`), h("p", { class: "small asks" }, asks),
    h("ul", {}, findings.map(finding)),
    trials.length ? h("ul", { class: "trials" }, trials.map(trial)) : null);

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { told, call, result, rules } = data.view;
  root.replaceChildren(
    h("p", { class: "told" }, told),
    h("p", { class: "form" }, h("b", { class: "small" }, "its result has the form "),
      h("span", { class: "source", style: part("tool-result"), title: call }, code(result.trimEnd()))),
    h("ol", { class: "rules" }, rules.map(ruleOf)));
  return turning(root, setTriggerValue);
}
