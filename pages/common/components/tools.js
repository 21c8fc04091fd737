// What the pictures of the tool screen share: text with its line breaks shown, and the keys of the presenter.

// A line break is one for who copies, with a sign painted beside it for who reads.
const code = (text) =>
  text.split(/(\n)/).filter(Boolean).map((piece) =>
    piece === "\n" ? h("span", { class: "break", "data-mark": "↵" }, "\n") : piece);

const part = (name) => `--part: var(--part-${name})`;

// PageDown and PageUp ask for the next thing and the one before; which thing, the page knows.
const turning = (setTriggerValue) => {
  const listening = new AbortController();
  document.addEventListener("keydown", (event) => {
    const way = { PageDown: "next", PageUp: "back" }[event.key];
    if (!way || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || typing(event)) return;
    event.preventDefault();
    setTriggerValue("step", way);
  }, { signal: listening.signal });
  return () => listening.abort();
};
