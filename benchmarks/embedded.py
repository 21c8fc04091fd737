"""The embedded model against llama.cpp on the same file, in one run; its start; its memory.

    python benchmarks/embedded.py

Needs the packages of requirements-dev.txt, and a machine that does nothing else: threads of BLAS and of
llama.cpp alike wait for one another where cores are taken. Ends with status 1 if a target is missed.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.lm import embedded, load_tokenizer
from core.lm.install import find_gguf

PROMPT = "The history of the city begins in the Middle Ages, when merchants settled by the river. " * 40
PROMPT_TOKENS = 512
DECODED = 64
ROUNDS = 3  # of each side, in turn; the best counts, since only a disturbance can make a round slower
SESSIONS = 20
STREAMLIT = (
    220_000_000  # resident bytes of a server of this app with a few sessions, without the model; measured
)

START = """
import time
begin = time.perf_counter()
from core.lm import embedded
model = embedded()
model.next_logits(model.tokenizer.encode("The capital of France is"))
print(time.perf_counter() - begin)
"""


def ours(ids: list[int]) -> tuple[float, float]:
    """Seconds for the prompt, and tokens per second after it."""
    model = embedded()
    model.next_logits(ids[-1:])  # a warm-up, and no prefix of the prompt
    begin = time.perf_counter()
    logits = model.next_logits(ids)
    prompt = time.perf_counter() - begin
    text = [*ids]
    begin = time.perf_counter()
    for _ in range(DECODED):
        text.append(int(logits.argmax()))
        logits = model.next_logits(text)
    return prompt, DECODED / (time.perf_counter() - begin)


class LlamaCpp:
    def __init__(self) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(find_gguf())
        params.n_ctx, params.n_parallel, params.port, params.verbosity = 1024, 1, 0, -1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count()
        self._server = xllamacpp.Server(params)

    def measure(self, ids: list[int]) -> tuple[float, float]:
        """As `ours`, by llama.cpp's own clock."""
        body = {
            "prompt": ids,
            "n_predict": DECODED,
            "temperature": 0,
            "cache_prompt": False,
            "ignore_eos": True,
        }
        request = urllib.request.Request(
            self._server.listening_address + "/completion",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            timings: dict[str, Any] = json.load(response)["timings"]
        return timings["prompt_ms"] / 1000, timings["predicted_per_second"]


def start_seconds() -> float:
    """From the first import in a new process to the first distribution, the model being installed."""
    root = Path(__file__).parent.parent
    run = subprocess.run([sys.executable, "-c", START], cwd=root, capture_output=True, text=True, check=True)
    return float(run.stdout)


def memory(ids: list[int]) -> int:
    """Resident bytes of this process after many prompts have filled the cache; without a Streamlit server."""
    model = embedded()
    for session in range(SESSIONS):
        model.next_logits([session + 100, *ids[:300]])
    return psutil.Process().memory_info().rss


def main() -> None:
    ids = load_tokenizer().encode(PROMPT)[:PROMPT_TOKENS]
    before = psutil.Process().memory_info().rss
    start = min(start_seconds() for _ in range(ROUNDS))
    resident = memory(ids) - before + STREAMLIT
    theirs = LlamaCpp()
    mine, other = [], []
    for round_ in range(ROUNDS):
        text = [round_ + 100, *ids[1:]]  # a new first token: nothing of it is cached
        mine.append(ours(text))
        other.append(theirs.measure(text))
    (our_prompt, our_decode), (their_prompt, their_decode) = (
        (min(prompt for prompt, _ in rounds), max(rate for _, rate in rounds)) for rounds in (mine, other)
    )
    decode_ratio, prompt_ratio = our_decode / their_decode, their_prompt / our_prompt
    rows: list[tuple[str, str, str, str, str, bool]] = [
        (
            "decode, tokens/s",
            f"{our_decode:.1f}",
            f"{their_decode:.1f}",
            f"{decode_ratio:.2f}",
            ">= 0.25",
            decode_ratio >= 0.25,
        ),
        (
            f"prompt of {len(ids)}, s",
            f"{our_prompt:.2f}",
            f"{their_prompt:.2f}",
            f"{prompt_ratio:.2f}",
            ">= 0.90",
            prompt_ratio >= 0.9,
        ),
        ("start to first distribution, s", f"{start:.2f}", "", "", "<= 1.50", start <= 1.5),
        ("server's memory, MB", f"{resident / 1e6:.0f}", "", "", "< 900", resident < 900e6),
    ]
    print(f"{'':32}{'ours':>8}{'llama.cpp':>11}{'ratio':>8}{'target':>8}")
    for name, our, their, ratio, target, met in rows:
        print(f"{name:32}{our:>8}{their:>11}{ratio:>8}{target:>8}  {'met' if met else 'MISSED'}")
    if not all(row[-1] for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
