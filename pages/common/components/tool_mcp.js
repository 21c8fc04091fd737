// An exchange with an MCP server: the model at the left, the runtime's messages to the server and back at the right.
const crossing = ({ to_server: out, title, about, text }, index, open) =>
  h("li", { class: out ? "out" : "in" },
    h("details", { open: index === open },
      h("summary", {}, h("span", { class: "arrow", "aria-label": out ? "to the server" : "from the server" }, out ? "→" : "←"),
        h("b", { class: "mono" }, title), h("span", { class: "small" }, about)),
      h("div", { class: "source", tabindex: 0 }, text)));

const toolOf = ({ name, description, fields }) =>
  h("li", { class: "offered", style: part("tool-schemas") }, h("b", { class: "mono" }, `${name}(${fields})`),
    h("p", { class: "small" }, description));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "tools");
  const { tools, crossings, discovered, call, result, is_error: isError, lesson, trust } = data.view;
  const list = (from, to, open) =>
    h("ol", { class: "crossings" }, crossings.slice(from, to).map((one, index) => crossing(one, index, open)));
  const said = (title, text, name, bad) => text
    ? [h("h3", {}, title), h("div", { class: bad ? "source said bad" : "source said", style: part(name) }, code(text))]
    : [];
  const crossed = (title, ...which) => crossings.slice(which[0], which[1]).length ? [h("h3", {}, title), list(...which)] : [];
  root.replaceChildren(h("div", { class: "mcp" },
    h("section", { class: "card" }, h("h2", {}, "What the model sees"),
      tools.length ? h("ul", {}, tools.map(toolOf)) : h("p", { class: "small" }, "No tool yet."),
      trust ? h("p", { class: "small bad" }, trust) : null,
      said("its call", call, "tool-call"), said("the result", result, "tool-result", isError)),
    h("section", { class: "card lanes" },
      h("div", { class: "ends" }, h("b", {}, "runtime"), h("span", { class: "small" }, "JSON-RPC, one message a line"), h("b", {}, "server")),
      crossed("discovery", 0, discovered, call ? null : discovered - 1),
      crossed("the call", discovered, crossings.length, 0),
      h("p", {}, lesson))));
  return turning(root, setTriggerValue);
}
