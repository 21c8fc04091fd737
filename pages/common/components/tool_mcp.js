// An exchange with an MCP server: the model at the left, the runtime's messages to the server and back at the right.
const crossing = ({ to_server: out, title, about, text }, index, open) =>
  h("li", { class: out ? "out" : "in" },
    h("details", { open: index === open },
      h("summary", {}, h("span", { class: "arrow", "aria-label": out ? "to the server" : "from the server" }, out ? "→" : "←"),
        h("b", { class: "mono" }, title), h("span", { class: "small" }, about)),
      h("div", { class: "source", tabindex: 0 }, text)));

const offer = ({ title, description }, of) =>
  h("li", { class: "offered", style: part(of) }, h("b", { class: "mono" }, title), h("p", { class: "small" }, description));

const text = ({ title, text, part: of, is_error: isError }) =>
  [h("h3", {}, title), h("div", { class: isError ? "source said bad" : "source said", style: part(of) }, code(text))];

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { sees, decides, part: of, offered, said, crossings, discovered, asked, lesson, trust } = data.view;
  const list = (from, to, open) =>
    h("ol", { class: "crossings" }, crossings.slice(from, to).map((one, index) => crossing(one, index, open)));
  const crossed = (title, ...which) => crossings.slice(which[0], which[1]).length ? [h("h3", {}, title), list(...which)] : [];
  root.replaceChildren(h("div", { class: "mcp" },
    h("section", { class: "card" }, h("h2", {}, sees),
      decides ? h("p", {}, decides) : null,
      offered.length ? h("ul", {}, offered.map((one) => offer(one, of))) : h("p", { class: "small" }, "No tool yet."),
      trust ? h("p", { class: "small bad" }, trust) : null,
      said.flatMap(text)),
    h("section", { class: "card lanes" },
      h("div", { class: "ends" }, h("b", {}, "runtime"), h("span", { class: "small" }, "JSON-RPC, one message a line"), h("b", {}, "server")),
      crossed("discovery", 0, discovered, asked ? null : discovered - 1),
      crossed(asked, discovered, crossings.length, crossings.length - discovered - 2),
      h("p", {}, lesson))));
  return turning(root, setTriggerValue);
}
