"""The two commands of Loopscope, on Linux, macOS and Windows, with the standard library alone.

    python dev.py run [--host HOST] [--port PORT] [--headless]
    python dev.py test [-- ARGUMENTS FOR PYTEST]

Both first bring `.venv` up to date. Its stamp file holds a fingerprint of the requirements that are
installed, and the word `unfinished` while something changes there: an environment that was left
unfinished is made anew and never used.
"""

import argparse
import contextlib
import errno
import hashlib
import http.client
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

if sys.version_info < (3, 11):  # noqa: UP036 - the one line that an older Python is meant to reach
    sys.exit(
        f"Loopscope needs Python 3.11 or newer, and this is {sys.version.split()[0]}: start a newer one."
    )

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK_NAME = "loopscope.lock"
STAMP_NAME = "loopscope.stamp"
UNFINISHED = "unfinished"
REQUIREMENTS = {  # pip reads the first file, which names the others
    "run": ["requirements.txt", "constraints.txt"],
    "test": ["requirements-dev.txt", "requirements.txt", "constraints.txt"],
}
DEFAULT_PORT = 8501
START_SECONDS = 60
# A server, a browser and a model for each. In the order of the folders what takes longest, in the browser,
# comes first; in that of pytest-xdist, by the number of tests, one of the two waits for the other in the end.
TWO_AT_A_TIME = ["--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"]

# What pip, venv and the system say, by what it means for the person.
DISK_FULL = ["No space left on device", "WinError 112", "Disk quota exceeded"]
DAMAGED = ["DO NOT MATCH THE HASHES", "BadZipFile", " is invalid."]
UNREACHABLE = ["Failed to establish", "Failed to connect", "NameResolutionError", "Max retries exceeded"]
UNREACHABLE += ["timed out", "TimeoutError", "ProxyError", "IncompleteRead", "Connection broken"]
UNREACHABLE += ["Connection reset", "Connection aborted"]


class Stop(Exception):
    """The command cannot go on; the text tells the person why, and the way out."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Run or test Loopscope.")
    commands = parser.add_subparsers(dest="command", required=True)
    run_parser = commands.add_parser("run", help="install what is missing, start Loopscope, open the browser")
    run_parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1, this machine only")
    run_parser.add_argument("--port", type=int, help=f"default: {DEFAULT_PORT}, or the next one that is free")
    run_parser.add_argument("--headless", action="store_true", help="do not open the browser")
    test_parser = commands.add_parser("test", help="lint, format check, types and all tests")
    test_parser.add_argument("pytest_arguments", nargs="*", help="after --, arguments for pytest")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if options.command == "run":
            run(options.host, options.port, options.headless)
        else:
            test(options.pytest_arguments)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 1
    except OSError as error:
        print(explain_os_error(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    return 0


# Running


def run(host: str, asked_port: int | None, headless: bool) -> None:
    server = installer = None
    try:
        # The lock is held until the server listens, so that two starts at once cannot choose the same port.
        with only_start():
            prepare("run")
            port = choose_port(host, asked_port)
            # Both at once spares a second start 0.4 s; nothing of the app runs before the warm-up.
            installer = start_model_installer()
            server = start_server(host, port)
            try:
                await_model(installer)
            except Stop as stop:
                say(f"{stop} Loopscope starts without it, on the bundled examples.")
            warm_up(server, host, port)
        address = f"http://{reachable(host)}:{port}"
        say(f"Loopscope runs at {address} - Ctrl-C stops it.")
        if not headless and has_screen():
            webbrowser.open(address)
        code = server.wait()
    finally:
        for process in (server, installer):
            if process:
                end(process)
    if code:
        raise Stop(f"Streamlit ended with exit code {code}; its own message is above.")


def choose_port(host: str, asked: int | None) -> int:
    """The asked port, or else the first free one from the default on."""
    if asked is not None and not 0 < asked < 65536:
        raise Stop(f"{asked} is no port: --port takes a number from 1 to 65535.")
    try:
        if asked is not None:
            if not is_free(host, asked):
                raise Stop(f"Port {asked} on {host} is taken or not allowed: choose another one with --port.")
            return asked
        for port in range(DEFAULT_PORT, DEFAULT_PORT + 100):
            if is_free(host, port):
                if port != DEFAULT_PORT:
                    say(f"Port {DEFAULT_PORT} is taken, so Loopscope takes {port}.")
                return port
    except OSError as error:
        raise Stop(f"Loopscope cannot listen on {host}, port {asked or DEFAULT_PORT}: {error}.") from None
    raise Stop(f"All ports from {DEFAULT_PORT} to {DEFAULT_PORT + 99} are taken: choose another with --port.")


def is_free(host: str, port: int) -> bool:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        # Elsewhere this frees a port that has just closed; on Windows it would share a taken one.
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def start_server(host: str, port: int) -> subprocess.Popen[bytes]:
    command = [str(venv_python()), "-m", "streamlit", "run", "app.py"]
    command += ["--server.address", host, "--server.port", str(port)]
    command += ["--server.headless", "true", "--logger.hideWelcomeMessage", "true"]
    return subprocess.Popen(command, cwd=ROOT)


def warm_up(server: subprocess.Popen[bytes], host: str, port: int) -> None:
    """Wait until the server answers, then run app.py once: before that, links to other pages fail."""
    deadline = time.monotonic() + START_SECONDS
    while status_of(host, port, "/_stcore/health") != 200:
        if server.poll() is not None:
            raise Stop("Streamlit ended before it answered; its own message is above.")
        if time.monotonic() > deadline:
            raise Stop(f"Streamlit did not answer within {START_SECONDS} s; start again.")
        time.sleep(0.05)
    if status_of(host, port, "/_stcore/script-health-check") != 200:
        say("The first page did not run through; its error is above or on the page.")


def status_of(host: str, port: int, path: str) -> int | None:
    """The HTTP status, or None if nothing answered. Proxies set in the environment play no part."""
    connection = http.client.HTTPConnection(reachable(host).strip("[]"), port, timeout=START_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def reachable(host: str) -> str:
    """The host as it stands in an address, for `0.0.0.0` and `::` that of this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


def has_screen() -> bool:
    """Without one, `webbrowser` may start a browser in the terminal and wait for it."""
    return not sys.platform.startswith("linux") or not {"DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(os.environ)


def end(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# Testing


def test(pytest_arguments: list[str]) -> None:
    with only_start():
        prepare("test")
        heading("Embedded model")
        await_model(start_model_installer("--gguf"))  # llama.cpp reads the file as it was published
        heading("Chromium")
        chromium = find_chromium() or install_chromium()
        say(chromium)
    steps = {
        "Lint": ["ruff", "check", "."],
        "Format": ["ruff", "format", "--check", "."],
        "Types": ["mypy"],
        "Tests": ["pytest", *(pytest_arguments or TWO_AT_A_TIME)],
    }
    for name, command in steps.items():
        heading(name)
        environment = {**os.environ, "CHROME_PATH": chromium}
        if subprocess.run([venv_python(), "-m", *command], cwd=ROOT, env=environment).returncode:
            raise Stop(f"{name}: failed; what is wrong stands above.")


def find_chromium() -> str | None:
    named = os.environ.get("CHROME_PATH")
    if named:
        if not Path(named).is_file():
            raise Stop(f"CHROME_PATH names {named}, which is no file: correct it or unset it.")
        return named
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"):
        found = shutil.which(name)
        if found:
            return found
    names = ("Google Chrome", "Chromium")
    places = [Path(f"/Applications/{name}.app/Contents/MacOS/{name}") for name in names]
    for folder in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        places += [Path(os.environ.get(folder, ROOT), "Google", "Chrome", "Application", "chrome.exe")]
    return next((str(place) for place in places if place.is_file()), None)


def install_chromium() -> str:
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "-y", "chromium"]):
            subprocess.run(["apt-get", *arguments], env=quiet, stdin=subprocess.DEVNULL)
        found = find_chromium()
        if found:
            return found
    subprocess.run([venv_python(), "-m", "playwright", "install", "chromium"])
    script = "from playwright.sync_api import sync_playwright as start\n"
    script += "with start() as playwright: print(playwright.chromium.executable_path)"
    path = subprocess.run([venv_python(), "-c", script], stdout=subprocess.PIPE, text=True).stdout.strip()
    if not Path(path).is_file():
        raise Stop("No Chromium was found or could be installed: install Chrome, or set CHROME_PATH to one.")
    return path


# Installing


@contextlib.contextmanager
def only_start() -> Iterator[None]:
    """One start at a time in this folder. The system drops the lock of a process that ends: none is stale."""
    VENV.mkdir(exist_ok=True)
    with (VENV / LOCK_NAME).open("wb") as file:
        # pip inherits the lock: if this process alone is killed, nobody clears the folder under pip's feet.
        os.set_inheritable(file.fileno(), True)
        if not try_lock(file):
            say("Another start is at work in this folder; this one goes on when that is done.")
            while not try_lock(file):
                time.sleep(0.1)
        yield


def try_lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def prepare(command: str) -> None:
    """Bring `.venv` up to date. When nothing has changed, this costs two small reads and no process."""
    stamp = read_stamp()
    if UNFINISHED not in stamp and fingerprint(command) in stamp and venv_python().is_file():
        return
    if UNFINISHED in stamp or not venv_works():
        stamp = []
        make_venv()
    write_stamp([*stamp, UNFINISHED])
    say(f"Installing {REQUIREMENTS[command][0]} into .venv (some minutes the first time).")
    pip = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    result = call([venv_python(), *pip, "-r", REQUIREMENTS[command][0]])
    if result.returncode:
        if mentions(result.stderr, UNREACHABLE) and not mentions(result.stderr, DISK_FULL):
            write_stamp(stamp)  # pip fetches all before it changes anything: what was there still works
        raise Stop(explain_pip(result.stderr))
    # The test requirements hold those to run, so what is installed for the tests serves both.
    write_stamp([fingerprint(name) for name in ("run", command)])


def fingerprint(command: str) -> str:
    return hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in REQUIREMENTS[command])).hexdigest()


def read_stamp() -> list[str]:
    try:
        return (VENV / STAMP_NAME).read_text("utf-8").split()
    except FileNotFoundError:
        return []


def write_stamp(lines: list[str]) -> None:
    draft = VENV / f"{STAMP_NAME}.new"
    draft.write_text("\n".join(lines), "utf-8")
    draft.replace(VENV / STAMP_NAME)


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def venv_works() -> bool:
    """An environment that was made by hand is used too, if its Python is new enough and has pip."""
    check = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    return venv_python().is_file() and call([venv_python(), "-c", check]).returncode == 0


def make_venv() -> None:
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Stop(f"This Python has no venv: on Debian or Ubuntu, apt install python{version}-venv.")
    for entry in VENV.iterdir():
        if entry.name != LOCK_NAME:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    write_stamp([UNFINISHED])
    say("Making the environment .venv.")
    # Started from inside an environment, even from this one, the Python beneath it is what lasts.
    python = getattr(sys, "_base_executable", None) or sys.executable
    result = call([python, "-m", "venv", VENV], stdout=subprocess.PIPE)
    if result.returncode:
        raise Stop(explain_pip(result.stdout + result.stderr))


def start_model_installer(*options: str) -> subprocess.Popen[str]:
    command: list[str | Path] = [venv_python(), "-m", "core.lm.install", *options]
    return subprocess.Popen(
        command, cwd=ROOT, close_fds=False, stderr=subprocess.PIPE, text=True, errors="replace"
    )


def await_model(installer: subprocess.Popen[str]) -> None:
    _, errors = installer.communicate()
    if installer.returncode:
        raise Stop(last_line(errors) or "The embedded model could not be installed.")


def call(command: list[str | Path], stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run in the project's folder, let it print, keep its errors. It inherits the lock (see `only_start`)."""
    return subprocess.run(
        command, cwd=ROOT, close_fds=False, stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace"
    )


# Saying what is wrong


def explain_pip(output: str) -> str:
    # venv keeps to itself why it failed, so the disk is asked as well.
    if mentions(output, DISK_FULL) or shutil.disk_usage(ROOT).free < 50_000_000:
        return "The disk is full: free about 3 GB and start again."
    if mentions(output, DAMAGED):
        return "A package arrived damaged and was not installed: start again."
    if mentions(output, UNREACHABLE):
        return "No package registry could be reached: check the network or pip's settings, and start again."
    return f"The installation failed: {last_line(output) or 'no reason was given.'}"


def explain_os_error(error: OSError) -> str:
    return explain_pip(DISK_FULL[0]) if error.errno == errno.ENOSPC else f"The system refused: {error}."


def mentions(output: str, phrases: list[str]) -> bool:
    return any(phrase in output for phrase in phrases)


def last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or [""])[-1].removeprefix("ERROR: ")


def say(text: str) -> None:
    print(text, flush=True)


def heading(text: str) -> None:
    say(f"\n== {text} ==")


if __name__ == "__main__":
    sys.exit(main())
