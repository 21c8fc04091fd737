// What the pictures of the messages screen share: text with nothing hidden in it, colours, and owners.

// What has no form of its own is named by its code point, and spaces that could be overlooked get a dot. All of
// it is painted: what is copied is what was sent. Each is isolated, so that one which turns the direction of
// writing turns nothing but itself.
const HIDDEN = /(^ +| {2,}| +$|\n|[^\S \n]|\p{C}+)/u;
const NAMED = { "\t": "⇥", "\r": "␍" };
const codePoints = (text) =>
  [...text].map((one) => NAMED[one] ?? `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`).join("");
const sign = (run) =>
  run === "\n" ? h("span", { class: "sign", "data-sign": "↵" }, "\n")
    : run[0] === " " ? h("span", { class: "space" }, run)
      : h("span", { class: "sign", "data-sign": codePoints(run) }, run);
const shown = (text) =>  // what is split at stands at the odd places
  text.split(HIDDEN).map((run, index) => index % 2 ? sign(run) : run).filter(Boolean);

const colour = (part) => part ? `--part: var(--part-${part})` : null;

// A token: what it stands for, and its number where it is known.
const chipOf = ([text, id, control], about = null) =>
  h("span", { class: control ? "chip control" : "chip", "data-about": about }, h("b", {}, text), id === null ? null : h("small", {}, String(id)));

// Neighbours of one owner, as one group each.
const grouped = (items) => {
  const groups = [];
  for (const item of items) {
    if (groups.length && groups.at(-1).owner === item.owner) groups.at(-1).items.push(item);
    else groups.push({ owner: item.owner, items: [item] });
  }
  return groups;
};

// Everything of one owner, in all views, is lit together.
const collectOwners = (root) => {
  root.owners = new Map();
  for (const element of root.querySelectorAll("[data-owner]")) {
    const { owner } = element.dataset;
    if (!root.owners.has(owner)) root.owners.set(owner, []);
    root.owners.get(owner).push(element);
  }
};

const light = (root, owner) => {
  if (root.lit === owner) return;
  for (const element of root.owners.get(root.lit) ?? []) element.classList.remove("lit");
  for (const element of root.owners.get(owner) ?? []) element.classList.add("lit");
  root.lit = owner;
};

// Brings the first of an owner into view, in every scrolling place but the one that the reader is in.
const reveal = (root, owner, but) => {
  const done = new Set([but]);
  for (const element of root.owners.get(owner) ?? []) {
    const place = element.closest(".scroll");
    if (done.has(place)) continue;
    done.add(place);
    const seen = place.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    if (box.top < seen.top || Math.min(box.bottom, box.top + seen.height / 2) > seen.bottom)
      place.scrollTop += box.top - seen.top - 0.2 * seen.height;
  }
};

// What is out of view has no size of its own before it is shown, so the way there is found in some steps.
const settle = (root, owner, but, times = 4) => {
  reveal(root, owner, but);
  cancelAnimationFrame(root.settling);
  if (times) root.settling = requestAnimationFrame(() => settle(root, owner, but, times - 1));
};

// Hovering and focus light an owner; where its like is out of view, it comes into view after a moment.
const DWELL = 160; // milliseconds
const lighting = (root, signal, resting) => {
  const over = ({ target }) => {
    const element = target.closest("[data-owner]");
    if (!element || !element.dataset.owner) return;
    light(root, element.dataset.owner);
    clearTimeout(root.dwell);
    root.dwell = setTimeout(() => settle(root, element.dataset.owner, element.closest(".scroll")), DWELL);
  };
  const out = () => {
    clearTimeout(root.dwell);
    light(root, resting());
  };
  root.addEventListener("pointerover", over, { signal });
  root.addEventListener("focusin", over, { signal });
  root.addEventListener("pointerleave", out, { signal });
};
