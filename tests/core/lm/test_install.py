"""Each failure of the installation, made to happen: pip and a registry are real, the model is tiny."""

import base64
import errno
import hashlib
import http.server
import importlib
import importlib.metadata
import os
import subprocess
import sys
import threading
import time
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import filelock
import pytest

from core.lm import install as install_module
from core.lm import pip
from core.lm.install import InstallError, find, find_gguf, install, weights_path

from .conftest import TinyGguf

# `core.lm.embedded` as an attribute is the function of that name.
embedded_module = importlib.import_module("core.lm.embedded")

PACKAGE, VERSION = "loopscope-tiny-model", "0.1.2"


@pytest.fixture(autouse=True)
def tiny(tmp_path: Path, tiny_gguf: TinyGguf, monkeypatch: pytest.MonkeyPatch) -> TinyGguf:
    """Install a tiny model from a package of its own, into folders of the test."""
    for name, value in {
        "PACKAGE": PACKAGE,
        "VERSION": VERSION,
        "SIZE": tiny_gguf.size,
        "SHA256": tiny_gguf.sha256,
    }.items():
        monkeypatch.setattr(install_module, name, value)
    packages = tmp_path / "packages"
    packages.mkdir()
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setenv("PIP_TARGET", str(packages))
    monkeypatch.setenv("PIP_UPGRADE", "1")  # with a target, pip replaces nothing otherwise
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # the discard port: nobody answers
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(embedded_module, "_opened", None)
    return tiny_gguf


def write_wheel(folder: Path, gguf: bytes) -> Path:
    path = folder / f"loopscope_tiny_model-{VERSION}-py3-none-any.whl"
    info = f"loopscope_tiny_model-{VERSION}.dist-info"
    files = {
        "loopscope_tiny_model/tiny.gguf": gguf,
        "loopscope_tiny_model/padding": bytes(600_000),  # pip shows its progress from 512 kB on
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


@pytest.fixture
def registry(tmp_path: Path, tiny: TinyGguf, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A registry with the tiny model. `.cut` is how much of the file it sends, `.hang` how long it waits."""
    state = SimpleNamespace(wheel=write_wheel(tmp_path, tiny.path.read_bytes()), cut=None, hang=0.0)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(state.hang)
            data = state.wheel.read_bytes()
            kind = "application/octet-stream"
            if not self.path.endswith(".whl"):
                data, kind = f'<a href="/{state.wheel.name}">{state.wheel.name}</a>'.encode(), "text/html"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: state.cut] if kind != "text/html" else data)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    yield state
    server.shutdown()


@pytest.fixture
def packaged(tmp_path: Path, tiny: TinyGguf) -> Path:
    """The tiny model is installed as a package already. Returns its model file."""
    zipfile.ZipFile(write_wheel(tmp_path, tiny.path.read_bytes())).extractall(tmp_path / "packages")
    return tmp_path / "packages" / "loopscope_tiny_model" / "tiny.gguf"


def quiet(*_: object) -> None:
    pass


def nothing_is_installed() -> bool:
    """Neither usable, nor left behind."""
    return find() is None and not list(weights_path().parent.glob("*.f32")) + list(
        weights_path().parent.glob("*.part")
    )


# It works


@pytest.mark.usefixtures("registry")
def test_the_model_is_fetched_checked_and_converted_with_progress(tmp_path: Path) -> None:
    told: list[tuple[float | None, str]] = []
    path = install(lambda share, doing: told.append((share, doing)))
    assert path == find() == weights_path()
    assert path.parent == tmp_path / "cache"
    assert [doing for share, doing in told if share is None][-2:] == [
        "Downloading the embedded model, 98 MB",
        "Converting the embedded model, once",
    ]
    assert (1.0, "Downloading the embedded model, 98 MB") in told
    assert told[-1] == (1.0, "The embedded model is ready")


def test_a_second_installation_converts_nothing(packaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(quiet)
    packaged.unlink()
    monkeypatch.setattr(install_module, "convert", None)
    install(quiet)


def test_the_package_is_found_without_importing_it(packaged: Path) -> None:
    assert find_gguf() == packaged
    assert "loopscope_tiny_model" not in sys.modules


def test_the_pinned_size_and_sha256_are_those_of_the_real_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    gguf = find_gguf()
    assert gguf is not None
    assert gguf.stat().st_size == install_module.SIZE == 98_362_432
    assert hashlib.sha256(gguf.read_bytes()).hexdigest() == install_module.SHA256
    assert importlib.metadata.version(install_module.PACKAGE) == install_module.VERSION


def test_what_a_killed_start_left_is_cleared_away(packaged: Path) -> None:
    part = weights_path().with_suffix(".part")
    part.parent.mkdir()
    part.write_bytes(b"half")
    install(quiet)
    assert not part.exists()
    assert packaged.exists()


# The registry


def test_no_registry() -> None:
    with pytest.raises(InstallError, match=r"^The package registry cannot be reached: check the network"):
        install(quiet)
    assert nothing_is_installed()


def test_a_registry_that_does_not_have_it(registry: SimpleNamespace) -> None:
    registry.wheel = registry.wheel.rename(
        registry.wheel.with_name("loopscope_tiny_model-9-py3-none-any.whl")
    )
    with pytest.raises(InstallError, match=f"does not have {PACKAGE}=={VERSION}: point pip"):
        install(quiet)
    assert nothing_is_installed()


def test_half_a_download(registry: SimpleNamespace) -> None:
    registry.cut = 3000
    with pytest.raises(InstallError, match=r"^The download broke off or arrived damaged: try again\.$"):
        install(quiet)
    assert nothing_is_installed()


def test_another_file_than_the_known_one(registry: SimpleNamespace, tiny: TinyGguf, tmp_path: Path) -> None:
    data = bytearray(tiny.path.read_bytes())
    data[-1] ^= 1
    registry.wheel = write_wheel(tmp_path, bytes(data))
    with pytest.raises(
        InstallError, match=r"downloaded is damaged \(its SHA-256 is not the known one\): try again"
    ):
        install(quiet)
    assert nothing_is_installed()


def test_a_download_that_takes_too_long(registry: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.hang = 5
    monkeypatch.setattr(pip, "TIME_LIMIT", 1)
    with pytest.raises(InstallError, match="The download was stopped after"):
        install(quiet)
    assert nothing_is_installed()


def test_no_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=os.name != "nt")
    bare = tmp_path / "bare" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    monkeypatch.setattr(pip, "sys", SimpleNamespace(executable=str(bare)))
    with pytest.raises(InstallError, match="This Python has no pip to download with: run"):
        install(quiet)
    assert nothing_is_installed()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "disk is full",
        ),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'",
            "may not write",
        ),
        ("error: externally-managed-environment", "belongs to the operating system"),
        ("ERROR: Something new.", r"could not install x==1 \(Something new\)"),
        ("", "does not say why"),
    ],
)
def test_what_pip_says_becomes_a_sentence(said: str, sentence: str) -> None:
    with pytest.raises(pip.Failure, match=sentence):
        raise pip._failure("x==1", [said])


# The model file in the package


@pytest.mark.usefixtures("registry")
def test_a_damaged_model_file_is_fetched_anew(packaged: Path, tiny: TinyGguf) -> None:
    packaged.write_bytes(packaged.read_bytes()[:1000])
    install(quiet)
    assert packaged.read_bytes() == tiny.path.read_bytes()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:1000], r"it has 1,000 of [\d,]+ bytes"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "its SHA-256 is not the known one"),
    ],
    ids=["truncated", "bit flipped"],
)
def test_a_damaged_model_file_that_cannot_be_replaced(
    packaged: Path, damage: Callable[[bytes], bytes], reason: str
) -> None:
    packaged.write_bytes(damage(packaged.read_bytes()))
    with pytest.raises(
        InstallError, match=rf"is damaged \({reason}\) and was not replaced \(The package registry"
    ):
        install(quiet)
    assert nothing_is_installed()


# The cache folder


@pytest.mark.usefixtures("packaged")
def test_too_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_module.shutil, "disk_usage", lambda _: SimpleNamespace(free=100_000_000))
    with pytest.raises(
        InstallError, match=r"needs 560 MB, the disk of .* has 100 MB: make room, or name a folder"
    ):
        install(quiet)
    assert nothing_is_installed()


@pytest.mark.usefixtures("packaged")
def test_the_disk_fills_up_while_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("core.lm.weights.os.fsync", full)
    with pytest.raises(
        InstallError, match=r"^The disk of .* is full, so the embedded model was not written: make"
    ):
        install(quiet)
    assert nothing_is_installed()


@pytest.mark.usefixtures("packaged")
def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LOOPSCOPE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        InstallError, match=r"cannot be written \(.*\): allow it, or name another folder in the env"
    ):
        install(quiet)


@pytest.mark.usefixtures("packaged")
def test_a_folder_without_the_right_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(weights_path().parent))

    # Nothing is forbidden to root, who runs these tests in containers: so the system's refusal is acted.
    monkeypatch.setattr(filelock.FileLock, "acquire", forbidden)
    with pytest.raises(InstallError, match="cannot be written"):
        install(quiet)


@pytest.mark.usefixtures("packaged")
def test_a_conversion_that_is_interrupted_leaves_nothing() -> None:
    def interrupt(share: float | None, doing: str) -> None:
        if doing.startswith("Converting") and share is not None and share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(interrupt)
    assert nothing_is_installed()


@pytest.mark.usefixtures("packaged")
def test_a_damaged_conversion_is_never_opened_and_made_anew(flip_byte: Callable[[Path, int], None]) -> None:
    path = install(quiet)
    flip_byte(path, -100)
    with pytest.raises(InstallError, match="was not usable, because its content is damaged, and was removed"):
        embedded_module.embedded()
    assert nothing_is_installed()
    install(quiet)
    assert embedded_module.embedded().vocab_size == TinyGguf.vocab_size


def test_opening_before_installing_says_what_to_do() -> None:
    with pytest.raises(InstallError, match=r"is not installed yet: .*python -m core.lm.install"):
        embedded_module.embedded()


# Two starts at once

START = """
import sys, time
from pathlib import Path
from core.lm import install as module
module.PACKAGE, module.VERSION, size, module.SHA256 = sys.argv[1:5]
module.SIZE = int(size)
real = module.convert
def slow(*args):
    time.sleep(1)
    real(*args)
module.convert = slow
sys.path.insert(0, sys.argv[5])
module.main()
"""


@pytest.mark.usefixtures("packaged")
def test_of_two_starts_at_once_one_converts_and_the_other_waits_and_says_so(
    tiny: TinyGguf, tmp_path: Path
) -> None:
    arguments = [PACKAGE, VERSION, str(tiny.size), tiny.sha256, str(tmp_path / "packages")]
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", START, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[3],
        )
        for _ in range(2)
    ]
    outputs = [start.communicate(timeout=60)[0] for start in starts]
    assert [start.returncode for start in starts] == [0, 0]
    assert sum("Converting" in output for output in outputs) == 1
    assert all("The embedded model is ready" in output for output in outputs)
    assert find() is not None


@pytest.mark.usefixtures("packaged")
def test_a_start_that_waits_says_so_and_gives_up_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_module, "WAIT", 0.2)
    weights_path().parent.mkdir()
    told: list[str] = []
    with (
        filelock.FileLock(weights_path().with_suffix(".lock")),
        pytest.raises(InstallError, match="Another start"),
    ):
        install(lambda _, doing: told.append(doing))
    assert told == ["Another start is installing the embedded model; waiting for it"]


# The command


@pytest.mark.usefixtures("packaged")
def test_the_command_prints_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    install_module.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Checking the embedded model"
    assert lines[-1] == "The embedded model is ready: 100 %"


def test_the_command_ends_with_the_sentence() -> None:
    with pytest.raises(SystemExit, match=r"^The package registry cannot be reached: .*\.$"):
        install_module.main()
