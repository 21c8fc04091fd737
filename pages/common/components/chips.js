// Generated tokens as chips. Ink in the chip and a thin bar under it say the same: how probable, or how surprising, the
// token was. Chips keep their elements from one drawing to the next, since a text grows many times a second.
//
// chipsOf({ choose, read }) -> { element, show(text, { prompt, colour, chosen }) }
//   choose(position)  a chip was clicked or Enter pressed on it; without it the chips are no buttons
//   read(title)       the pointer or the focus is on a chip, or (null) no longer
const COLOURS = {
  probability: { label: "Probability", about: "in the model (T = 1)", marks: [["1 %", 0.01], ["10 %", 0.1], ["50 %", 0.5], ["100 %", 1]] },
  surprisal: { label: "Surprisal", about: "−log₂ of that probability", marks: [["0 bit", 0], ["3 bit", 0.25], ["6 bit", 0.5], ["12 bit or more", 1]] },
};

const ink = (share) => `--share:${share}`;

const swatches = (colour) =>
  COLOURS[colour].marks.map(([label, share]) =>
    h("span", { class: "swatch" }, h("span", { class: "chip", style: ink(share) }, label, h("i", {}))));

const chipOf = ({ choose, read }) => {
  const name = h("span", { class: "token" });
  const element = h(choose ? "button" : "span", {
    class: "chip", ...(choose ? { type: "button", tabindex: -1 } : {}),
    onclick: choose && (() => choose(element.position)),
    onpointerenter: () => read(element.title), onfocus: () => read(element.title),
    onpointerleave: () => read(null), onblur: () => read(null),
  }, name, h("i", {}));
  element.fill = (chip, position, colour) => {
    element.position = position;
    const share = chip[colour];
    if (element.chip === chip.title + chip.text && element.share === share) return;
    element.chip = chip.title + chip.text;
    element.share = share;
    element.setAttribute("style", ink(share));
    element.title = chip.title;
    element.setAttribute("aria-label", `token ${position + 1}: ${chip.text}, ${chip.title}`);
    element.dataset.kind = chip.kind;
    name.replaceChildren(...marked(chip.text));
  };
  return element;
};

// After a line break the chips go on in a new line.
const endLine = (chip, wanted) => {
  if (wanted === Boolean(chip.lineEnd)) return;
  if (wanted) {
    chip.lineEnd = h("span", { class: "line-end" });
    chip.after(chip.lineEnd);
  } else {
    chip.lineEnd.remove();
    chip.lineEnd = null;
  }
};

const setFlag = (element, name, on) => {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
};

const chipsOf = ({ choose, read }) => {
  const before = h("span", { class: "prompt" });
  const element = h("div", { class: "chips", role: "group", "aria-label": "generated tokens" }, before);
  const chips = [];
  // Measured when somebody scrolls, and moved once all is drawn: each measuring in between would lay the page out anew.
  let atEnd = true;
  element.addEventListener("scroll", () => { atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40; });
  const toEnd = () => { element.scrollTop = element.scrollHeight; };
  if (choose) {
    element.addEventListener("keydown", (event) => {
      const at = chips.indexOf(event.composedPath()[0]);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: chips.length - 1 }[event.key];
      if (at < 0 || to === undefined || !chips[to]) return;
      event.preventDefault();
      chips[to].focus();
    });
  }
  const show = ({ chips: tokens, cycle }, { prompt, colour, chosen }) => {
    const key = JSON.stringify(prompt);
    if (before.dataset.key !== key) {
      before.dataset.key = key;
      before.replaceChildren(
        ...(prompt.before ? [h("span", { class: "small" }, `${prompt.before} … `)] : []),
        ...prompt.tokens.map((text) => h("span", { class: "token" }, marked(text))));
    }
    while (chips.length > tokens.length) {
      const chip = chips.pop();
      chip.lineEnd?.remove();
      chip.remove();
    }
    tokens.forEach((token, position) => {
      if (!chips[position]) {
        chips.push(chipOf({ choose, read }));
        element.append(chips[position]);
      }
      const chip = chips[position];
      chip.fill(token, position, colour);
      endLine(chip, token.text.endsWith("↵") && !tokens[position + 1]?.text.startsWith("↵"));
      const inCycle = Boolean(cycle) && position >= cycle.start;
      setFlag(chip, "cycle", inCycle);
      setFlag(chip, "opens", inCycle && (position - cycle.start) % cycle.period === 0);
      setFlag(chip, "chosen", position === chosen);
      if (choose) chip.tabIndex = position === (chosen ?? tokens.length - 1) ? 0 : -1;
    });
    if (atEnd) requestAnimationFrame(toEnd);
  };
  return { element, show };
};
