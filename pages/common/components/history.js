// Streamlit makes every change of the address a step of the browser's history, so that Back would not leave a screen for a
// long while. Here another page or another run is a step, and nothing else.
const runOf = (address) => address.searchParams.get("scenario");

export default function () {
  if (history.pushState.onlyPagesAndRuns) return;
  const push = history.pushState.bind(history);
  const pushState = (state, unused, to) => {
    const here = new URL(location.href), there = new URL(to, here);
    const same = here.pathname === there.pathname && (runOf(here) === null || runOf(here) === runOf(there));
    if (same) history.replaceState(state, unused, to);
    else push(state, unused, to);
  };
  history.pushState = Object.assign(pushState, { onlyPagesAndRuns: true });
}
