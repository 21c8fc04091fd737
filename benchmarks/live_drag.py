"""How fast the distribution follows a dial in the browser, over the whole vocabulary of a large model.

    python benchmarks/live_drag.py

Draws the real component in headless Chromium with made-up logits, up to the 152,064 of Qwen2.5's vocabulary,
and drags the temperature, the dial that costs most, for a second. Targets: p95 of a redraw at most 8 ms, no
frame dropped. The time of a redraw is that of its script; layout and paint show in the frames. "Work" is
what the page's main thread computes for a frame on average, script, layout and paint together, in CPU time,
which other programs do not lengthen: far below 16.7 ms, a dropped frame is not the page's own.

Chromium starts without the page that it would prepare for its own window meanwhile, and the drag waits two
seconds until the rest of its start is over: neither is the page's work, and both would compete with it.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import CDPSession, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.figures import palette
from core.figures.dials import dials_view
from core.figures.distribution_view import engines
from pages.common.components import FOLDER

VOCABULARIES = (49_152, 152_064)
BROWSER = ["--no-sandbox", "--disable-features=PreloadTopChromeWebUI"]
SCRIPTS = ("dom.js", "sampler.js", "sampler_view.js", "dials.js", "distribution.js")
STYLES = ("base.css", "bars.css", "dials.css", "distribution.css")

SET_UP = """async ({script, style, dials, engines, size}) => {
  const blob = (text, type) => URL.createObjectURL(new Blob([text], { type }));
  const component = (await import(blob(script, "text/javascript"))).default;
  const host = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  host.appendChild(document.createElement("style")).textContent = style;

  // The logits of a language model fall off roughly like these.
  const logits = Float32Array.from({ length: size }, () => -2 * Math.log(-Math.log(Math.random())));
  logits.sort().reverse();
  globalThis.loopscopeLogits = new Map([["key", logits]]);
  const names = Array.from({ length: 500 }, (_, rank) => `·token${rank}`);
  const settings = { temperature: 1, top_k: 0, top_p: 0.95, min_p: 0, engine: "transformers", order: [] };
  const data = {
    key: "key", revision: "1", settings, dials, engines, names, ids: names.map((_, rank) => rank),
    prompt: { tokens: [], count: "" }, choice: { u: 0.5, rank: 1, id: 1, name: names[1] },
    heard: 0, tally: null,
  };
  component({ data, parentElement: host, setStateValue: () => {} });

  const redraws = [];
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => request((now) => {
    const begin = performance.now();
    callback(now);
    redraws.push(performance.now() - begin);
  });
  const dial = host.querySelector("[aria-label='Temperature T']");
  const nextFrame = () => new Promise((done) => request(done));
  globalThis.drag = async (milliseconds) => {
    const frames = [];
    redraws.length = 0;
    let last = await nextFrame();
    for (const end = last + milliseconds; last < end;) {
      dial.value = 0.2 + 2.6 * Math.random();
      dial.dispatchEvent(new Event("input"));
      const now = await nextFrame();
      frames.push(now - last);
      last = now;
    }
    return { redraws, frames };
  };
  await drag(100); // the scripts are compiled
}"""


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def worked(devtools: CDPSession) -> float:
    """Seconds of CPU time that the page's main thread has worked."""
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def main() -> None:
    browser_path = os.environ.get("CHROME_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
    script = "".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    style = palette.css() + "".join((FOLDER / name).read_text(encoding="utf-8") for name in STYLES)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=BROWSER)
        print("logits    redraw: median      p95      worst    frames    dropped (over 25 ms)    work")
        for size in VOCABULARIES:
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            argument = {
                "script": script,
                "style": style,
                "dials": dials_view(),
                "engines": engines(),
                "size": size,
            }
            devtools = page.context.new_cdp_session(page)
            devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
            page.evaluate(SET_UP, argument)
            page.wait_for_timeout(2000)
            before = worked(devtools)
            found = page.evaluate("drag(1000)")
            work = 1e3 * (worked(devtools) - before) / len(found["frames"])
            redraws, frames = found["redraws"], found["frames"]
            print(
                f"{size:>7,}   {percentile(redraws, 0.5):13.2f} ms {percentile(redraws, 0.95):6.2f} ms "
                f"{max(redraws):7.2f} ms {len(frames):9} {sum(frame > 25 for frame in frames):9} "
                f"{work:17.1f} ms"
            )
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
