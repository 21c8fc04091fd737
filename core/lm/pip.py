"""Run pip for one package, with its progress, and tell its failures in a sentence."""

import importlib.metadata
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

TIME_LIMIT = 1800  # seconds for a whole run of pip; each of its requests gives up after 15 seconds of silence

# What pip says, and what that means: (pattern, reason, way out). The first match counts.
_MEANINGS = (
    (
        r"No module named pip",
        "This Python has no pip to download with",
        "run `{python} -m ensurepip`, or with uv `uv pip install --no-deps {package}`, and try again",
    ),
    (
        r"externally-managed-environment",
        "This Python belongs to the operating system and takes no packages",
        "start Loopscope from a virtual environment, as `python dev.py run` does",
    ),
    (
        r"No space left on device|Errno 28|not enough space on the disk|Disk quota exceeded",
        "The disk is full, so the embedded model was not downloaded",
        "make room and try again",
    ),
    (
        r"Permission denied|Errno 13|Read-only file system|Access is denied",
        "pip may not write into the packages of this Python",
        "start Loopscope from a virtual environment of your own, as `python dev.py run` does",
    ),
    (
        r"IncompleteRead|Connection broken: |incomplete-download|DO NOT MATCH THE HASHES|is invalid",
        "The download broke off or arrived damaged",
        "try again",
    ),
    (
        r"onnection|onnect |timed out|Temporary failure|getaddrinfo|ProxyError|SSLError|unreachable",
        "The package registry cannot be reached",
        "check the network or the proxy and try again; until then the bundled examples work",
    ),
    (
        r"No matching distribution",
        "The package registry that pip asks does not have {package}",
        "point pip to one that has it (`pip config set global.index-url ...`) and try again",
    ),
)


class Failure(Exception):
    """Why pip failed, and the way out: two clauses without a full stop."""


def install(package: str, options: Sequence[str], progress: Callable[[float | None], None]) -> None:
    """Install one package without its dependencies into this Python, as a wheel.

    Args:
        package: a requirement, such as `name==1.0`.
        options: further options of `pip install`.
        progress: called with the share that is downloaded, 0 to 1, or None where pip does not tell.

    Raises:
        Failure: with two arguments, the reason and the way out.
    """
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--timeout", "15", "--retries", "2"]
    command += [*_progress_option(), *options, package]
    said = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            process.kill()

        limit = threading.Timer(TIME_LIMIT, stop)
        limit.start()
        try:
            for line in process.stdout:
                if counted := re.match(r"Progress (\d+) of (\d+)", line):
                    done, total = map(int, counted.groups())
                    progress(done / total if total else None)
                else:
                    said.append(line.strip())
            status = process.wait()
        finally:
            limit.cancel()
            process.kill()  # where the person has interrupted, or `progress` has raised
    if stopped.is_set():
        raise Failure(
            f"The download was stopped after {TIME_LIMIT // 60} minutes", "try again on a faster network"
        )
    if status != 0:
        raise _failure(package, said)


def _progress_option() -> list[str]:
    """Ask pip for progress that programs can read; it can since version 24.1."""
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        return []
    major, minor = (int(part) for part in f"{version}.0".split(".")[:2])
    return ["--progress-bar", "raw"] if (major, minor) >= (24, 1) else []


def _failure(package: str, said: list[str]) -> Failure:
    text = "\n".join(said)
    for pattern, reason, way_out in _MEANINGS:
        if re.search(pattern, text):
            names = {"package": package, "python": sys.executable}
            return Failure(reason.format(**names), way_out.format(**names))
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    reason = errors[-1][:200].rstrip(".") if errors else "it does not say why"
    return Failure(f"pip could not install {package} ({reason})", "run it in a terminal to see more")
