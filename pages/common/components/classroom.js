// The keys that every screen has. What they show lies above the page, in the browser's top layer.
const SVG = "http://www.w3.org/2000/svg";
const TOLD_FOR = 12_000; // milliseconds in which one has read where to look
const SIDEBAR = 160; // pixels: the screen begins further right where there is a sidebar
const QUIET = 4; // modules of white around a QR code, as its standard asks

const svg = (tag, attributes) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

const qr = (rows) => {
  const size = rows.length + 2 * QUIET;
  const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" });
  const dark = rows.flatMap((row, y) => [...row].flatMap((module, x) => module === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : []));
  picture.append(svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: dark.join(""), fill: "#000" }));
  return picture;
};

const listed = (title, rows) => rows.length
  ? h("section", {}, h("h2", {}, title), h("dl", {}, rows.flatMap(([key, what]) => [h("dt", {}, key.split("  ").map((one) => h("kbd", {}, one))), h("dd", {}, what)])))
  : null;

const VIEWS = {
  keys: ({ here, everywhere }) => [h("div", { class: "lists" }, listed("Here", here), listed("On every screen", everywhere))],
  share: ({ shared }) => shared?.of === location.href
    ? [
      shared.code.length ? qr(shared.code) : null,
      h("p", { class: "link mono" }, shared.link),
      h("p", { class: "small" }, shared.note),
      shared.link ? h("button", { type: "button", onclick: ({ target }) => copy(target, shared.link) }, "Copy") : null,
    ]
    : [h("p", { class: "small" }, "The link is made …")],
  find: (data, { finder }) => [finder ?? h("p", { class: "small" }, "The lecture is looked up …")],
};
const NAMES = { keys: "Keys", share: "Link for the class", find: "The lecture" };

const copy = (button, text) => navigator.clipboard.writeText(text).then(
  () => { button.textContent = "Copied"; },
  () => { button.textContent = "Select the link above and copy it"; }, // a browser may forbid it where there is no https
);

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "classroom");
  if (!root.sheet) {
    root.sheet = h("div", { class: "sheet card", popover: "auto", role: "dialog" });
    root.light = h("div", { class: "light", popover: "manual", "aria-hidden": "true" });
    root.sheet.addEventListener("toggle", ({ newState }) => { if (newState === "closed") root.view = null; });
    root.found = h("div", { class: "told card", popover: "manual", role: "status" });
    root.append(root.sheet, root.light, root.found);
  }
  root.go = (at, place) => {
    root.sheet.hidePopover();
    setTriggerValue("go", [at, place]);
  };
  const next = () => root.go(data.found.at, (data.found.place + 1) % data.found.places);
  if (data.statements) root.finder ??= finder(data.statements, (at) => root.go(at, 0));
  const draw = () => {
    root.sheet.setAttribute("aria-label", NAMES[root.view]);
    const shown = VIEWS[root.view](data, root).filter(Boolean);
    if (shown[0] === root.finder && root.finder.parentNode === root.sheet) return; // somebody types in it
    root.sheet.replaceChildren(...shown);
    root.sheet.querySelector("input")?.focus();
  };
  const open = (view) => {
    const again = root.view === view;
    root.sheet.hidePopover();
    if (again) return;
    root.view = view;
    draw();
    root.sheet.showPopover();
    root.sheet.querySelector("input")?.select();
  };
  if (root.view) draw();
  if (data.found && root.count !== data.found.count) {
    root.count = data.found.count;
    const { text, where, place, places } = data.found;
    const more = h("button", { type: "button", class: "small", onclick: next }, `place ${place + 1} of ${places}, the next `, h("kbd", {}, "."));
    root.found.replaceChildren(h("strong", {}, text), h("span", { class: "small" }, where), ...(places > 1 ? [more] : []));
    const { left } = root.getBoundingClientRect();
    root.found.style.setProperty("--left", `${left}px`);
    root.found.classList.toggle("aside", left > SIDEBAR); // beside what it points at, not on it
    root.found.showPopover();
    clearTimeout(root.telling);
    root.telling = setTimeout(() => root.found.isConnected && root.found.hidePopover(), TOLD_FOR);
  }

  const place = ({ clientX, clientY }) => {
    root.light.style.setProperty("--x", `${clientX}px`);
    root.light.style.setProperty("--y", `${clientY}px`);
  };
  const acts = {
    "?": () => open("keys"),
    q: () => {
      if (root.view !== "share") setTriggerValue("share", location.href);
      open("share");
    },
    "/": () => {
      if (!root.finder) setTriggerValue("find", true);
      open("find");
    },
    ".": () => data.found?.places > 1 && next(),
    l: () => root.light.togglePopover(),
    x: () => {
      const there = new URL(location.href);
      if (there.searchParams.has("embed")) there.searchParams.delete("embed");
      else there.searchParams.set("embed", "true");
      location.assign(there);
    },
  };
  const listening = listensAnew(root);
  // A choice from a menu gives the keys back to the page; whoever chose by the keyboard stays there.
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[role=option]")) setTimeout(() => document.activeElement?.blur());
  }, { signal: listening.signal });
  // What was found is told until the reader acts elsewhere, and not for long.
  const acted = (event) => {
    if (event.composedPath().includes(root.found)) return;
    if (event.key === "Escape" && root.found.matches(":popover-open")) event.stopImmediatePropagation(); // what a link opened stays open
    root.found.hidePopover();
  };
  for (const act of ["pointerdown", "keydown", "wheel"]) window.addEventListener(act, acted, { capture: true, passive: true, signal: listening.signal });
  document.addEventListener("pointermove", place, { signal: listening.signal });
  document.addEventListener("keydown", (event) => {
    if (!forPage(event)) return;
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }, { signal: listening.signal });
  return () => {
    listening.abort();
    root.view = null;
    for (const layer of [root.sheet, root.light, root.found]) if (layer.isConnected) layer.hidePopover();
  };
}
