// Finding a statement begins with the key that does so on every screen.
export default function ({ parentElement }) {
  const root = rootOf(parentElement, "find");
  if (root.firstChild) return;
  const begin = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "/" }));
  root.append(h("button", { type: "button", onclick: begin }, "Find in the lecture", h("kbd", {}, "/")));
}
