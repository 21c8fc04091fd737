// The task of an exercise, or the steps of its solution, with tables and text that is given.
const tableOf = ({ columns, rows }) =>
  h("table", {},
    h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map(([head, ...cells]) =>
      h("tr", {}, h("th", { scope: "row" }, head), cells.map((cell) => h("td", {}, cell))))));

const codeOf = ({ text, caption }) =>
  h("figure", {}, caption ? h("figcaption", { class: "small" }, caption) : null, h("pre", { class: "mono" }, text));

const givenOf = (given) => given.columns ? h("div", { class: "wide" }, tableOf(given)) : codeOf(given);

// Enter in a number checks all: Streamlit has taken the number over when the key comes here.
const checkOnEnter = ({ key, isComposing, target }) => {
  if (key === "Enter" && !isComposing && target.matches(".st-key-answers [data-testid='stTextInput'] input"))
    document.querySelector(".st-key-exercise_check button").click();
};

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "exercise");
  if (!document.checksOnEnter) document.addEventListener("keydown", checkOnEnter);
  document.checksOnEnter = true;
  // Another exercise was chosen, or Enter has checked the last answer: now the keys belong to the page.
  if (root.name && root.name !== data.name || data.done && !root.done) document.activeElement?.blur();
  root.name = data.name;
  root.done = data.done;
  root.replaceChildren(
    ...(data.task ? [h("p", { class: "task" }, data.task)] : []),
    ...data.given.map(givenOf),
    ...(data.steps.length
      ? [h("ol", { class: "steps" }, data.steps.map(({ text, given }) =>
          h("li", {}, text, given ? givenOf(given) : null)))]
      : []));
}
