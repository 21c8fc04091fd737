// Streamlit makes every change of the address a step of the browser's history, so that Back would not leave a screen for a
// long while. Here another page, another run or another exercise is a step, and nothing else.
const STEPS = { exercises: ["kind", "seed"] }; // of a screen that shows no run
const stays = (here, there) => {
  const names = STEPS[here.pathname.split("/").pop()] ?? ["scenario"];
  return here.pathname === there.pathname && names.every((name) => {
    const [before, after] = [here, there].map(({ searchParams }) => searchParams.get(name));
    return before === null || after === null || before === after;
  });
};

export default function () {
  if (history.pushState.onlySteps) return;
  const push = history.pushState.bind(history);
  const pushState = (state, unused, to) => {
    const here = new URL(location.href), there = new URL(to, here);
    if (stays(here, there)) history.replaceState(state, unused, to);
    else push(state, unused, to);
  };
  history.pushState = Object.assign(pushState, { onlySteps: true });
}
