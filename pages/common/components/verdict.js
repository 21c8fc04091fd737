// What is said about one answer.
const SIGNS = { right: "✓", wrong: "✗", empty: "·", unreadable: "?" };

export default function ({ data, parentElement }) {
  rootOf(parentElement, "verdict").replaceChildren(
    h("p", { class: data.state, role: "status" }, h("b", { "aria-hidden": "true" }, SIGNS[data.state]), h("span", {}, data.text)));
}
