// What the pictures of the tool screen share: text with its line breaks shown, and the keys of the presenter.

// A line break is one for who copies, with a sign painted beside it for who reads.
const code = (text) =>
  text.split(/(\n)/).filter(Boolean).map((piece) =>
    piece === "\n" ? h("span", { class: "break", "data-mark": "↵" }, "\n") : piece);

const part = (name) => `--part: var(--part-${name})`;

// PageDown and PageUp ask for the next thing and the one before; which thing, the page knows. Fast presses are
// summed up and reported together: of two reports that come during one run of the page, the first would be lost.
const REST = 80; // milliseconds

const turning = (root, setTriggerValue) => {
  root.report = setTriggerValue;
  const listening = listensAnew(root);
  document.addEventListener("keydown", (event) => {
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    if (!by || event.shiftKey || !forPage(event)) return;
    event.preventDefault();
    root.by = (root.by ?? 0) + by;
    clearTimeout(root.timer);
    root.timer = setTimeout(() => {
      root.report("step", root.by);
      root.by = 0;
    }, REST);
  }, { signal: listening.signal });
  return () => listening.abort();
};
