"""Tokens per second: the bare model, the generation loop, and the generation screen in a browser.

    python benchmarks/generation.py                           # the first two
    python benchmarks/generation.py http://localhost:8501     # and the screen of a running Loopscope

Model and loop are measured in turns, token by token, and the tenth of the tokens that came fastest counts:
other work on the machine can only make a token slower. Of the screen, the rate of all tokens is printed, and
that of the fastest ten in a row: on a machine that does nothing else they are about the same.
"""

import argparse
import os
import shutil
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.decoding import step
from core.lm import embedded
from core.sampling import SamplerSettings, uniform

PROMPT = "Her name was"
TOKENS = 60
TARGET = 15
RUN = 10
WATCH = """(picture, tokens) => new Promise((done) => {
  const seen = [];
  const note = () => {
    const count = Number(picture.dataset.tokens);
    if (count && count !== seen.at(-1)?.[1]) seen.push([performance.now(), count]);
    if (count >= tokens) done(seen);
  };
  new MutationObserver(note).observe(picture, { attributes: true });
  setTimeout(() => done(seen), 120000);
})"""  # [milliseconds, tokens] whenever the number of tokens in the picture changes
SETTINGS = {
    "T = 1": SamplerSettings(),
    "T = 0": SamplerSettings(temperature=0),
    "T = 0.8, top-p 0.95": SamplerSettings(temperature=0.8, top_p=0.95),
}


def loop(settings: SamplerSettings) -> None:
    """Print the rate of a bare greedy loop beside that of `step`, each on a text of its own."""
    model = embedded()
    bare = model.tokenizer.encode(PROMPT)
    text = list(bare)
    model.next_logits(bare)
    alone, drawn = [], []
    for index in range(TOKENS):
        start = time.perf_counter()
        bare.append(int(model.next_logits(bare).argmax()))
        between = time.perf_counter()
        text.append(step(model, text, settings, uniform(0, index)).token_id)
        alone.append(between - start)
        drawn.append(time.perf_counter() - between)
    model_alone, both = (statistics.quantiles(seconds, n=10)[0] for seconds in (alone, drawn))
    print(
        f"bare model {1 / model_alone:5.1f} tokens/s   loop {1 / both:5.1f} tokens/s   "
        f"drawing adds {1e3 * (both - model_alone):4.1f} ms",
        flush=True,
    )


def screen(address: str) -> None:
    """Play `TOKENS` tokens in a browser and print the rate at which they appear."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROME_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{address}/generation?prompt={PROMPT}&T=1&seed=2")
        picture = page.locator(".generation[data-tokens]")
        picture.wait_for()
        page.keyboard.press("p")

        seen = picture.evaluate(WATCH, TOKENS)
        browser.close()
    runs = (
        (seen[i], next((later for later in seen[i:] if later[1] >= seen[i][1] + RUN), None))
        for i in range(len(seen))
    )
    rates = [1e3 * (last[1] - first[1]) / (last[0] - first[0]) for first, last in runs if last]
    (start, first), (end, last) = seen[0], seen[-1]
    print(
        f"{'screen':<22}in the browser {1e3 * (last - first) / (end - start):5.1f} tokens/s, "
        f"fastest {RUN} or more in a row {max(rates, default=0):5.1f} (target {TARGET})"
    )


def main() -> None:
    """Print a line for each settings, and one for the screen if an address is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("address", nargs="?", help="of a running Loopscope")
    address = parser.parse_args().address
    for name, settings in SETTINGS.items():
        print(f"{name:<22}", end="")
        loop(settings)
    if address:
        screen(address)


if __name__ == "__main__":
    main()
