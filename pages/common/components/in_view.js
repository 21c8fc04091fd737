// What a link opens below the fold is brought into view, once; what comes late into the page moves it out again meanwhile.
const FOR = 2000; // ms

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "in-view");
  if (data.once === null || root.dataset.once === String(data.once)) return;
  root.dataset.once = data.once;
  const show = () => document.querySelector(data.of)?.scrollIntoView({ block: "start" });
  const watching = new ResizeObserver(show);
  const main = document.querySelector("[data-testid='stMainBlockContainer']");
  if (main) watching.observe(main);
  show();
  const stop = () => watching.disconnect();
  for (const act of ["wheel", "pointerdown", "keydown"]) document.addEventListener(act, stop, { once: true, capture: true });
  setTimeout(stop, FOR);
}
