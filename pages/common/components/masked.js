// What the pictures of the constrained screen share: bars, struck tokens, and the key of the presenter.
const wide = (share) => `width:${(100 * share).toFixed(3)}%`;

// PageDown asks for a step; PageUp and the letters are the buttons'.
const stepping = (root, act) => {
  const listening = listensAnew(root);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "PageDown" || event.shiftKey || !forPage(event)) return;
    event.preventDefault();
    act({ do: "step" });
  }, { signal: listening.signal });
  return () => listening.abort();
};

const swatch = (name, text) => h("span", {}, h("i", { class: name }), text);

const sentences = (texts) => texts.filter(Boolean).map((text) => h("span", {}, marked(text)));
