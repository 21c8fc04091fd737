"""From bytes to values: encodings, JSON, JSON lines, zip."""

import codecs
import io
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import InputError
from core.traces.lenient_json import JSONBroken, json_lines, parse_json

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile  # reads members compressed by zstd (method 93), as newer Pythons do

MOST_BYTES = 32 * 2**20
"""The largest file that is read. Ten megabytes take less than two seconds."""

MOST_UNPACKED = 128 * 2**20
"""The most that the members of a zip may unpack to, together."""

MOST_NOTICES = 3
"""Of the same kind, for one file."""

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ZEROS = {
    # JSON begins with ASCII characters, so the zeros among its first bytes tell the encoding (RFC 4627, 3).
    "000.": "utf-32-be",
    ".000": "utf-32-le",
    "0.0.": "utf-16-be",
    ".0.0": "utf-16-le",
}
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True)
class Content:
    """What a file holds: a JSON value, the values of JSON lines as a list, a text, or a zip's members."""

    value: Any
    notices: tuple[str, ...] = ()
    members: dict[str, Any] | None = None


def read_file(data: bytes) -> Content:
    """What the bytes of a file hold.

    Raises:
        InputError: empty, too large, not text, a broken zip, or JSON of which nothing can be read.
    """
    if len(data) > MOST_BYTES:
        raise InputError(
            f"The file has {len(data) / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read. "
            "Export a shorter run."
        )
    if data.startswith(b"PK\x03\x04"):
        return _unzipped(data)
    written, notices = _decoded(data)
    stripped = written.lstrip()
    if not stripped:
        raise InputError("The file is empty; choose one that holds a run.")
    if stripped[0] not in '{["':
        return Content(written, notices)
    try:
        return Content(parse_json(written), notices)
    except JSONBroken as error:
        lines = json_lines(written)
        if stripped[0] == "{" and lines.values and len(lines.values) >= len(lines.broken):
            broken = [f"Line {number:,} is not JSON and was left out." for number in lines.broken]
            return Content(list(lines.values), (*notices, *_few(broken)))
        if error.readable is not None:
            return Content(error.readable, (*notices, error.sentence))
        if stripped[0] == "[":  # a text may begin with a bracket too
            return Content(written, notices)
        raise InputError(error.sentence) from error


def _few(notices: Sequence[str]) -> tuple[str, ...]:
    """The first notices, and how many more there are."""
    more = len(notices) - MOST_NOTICES
    return tuple(notices) if more <= 0 else (*notices[:MOST_NOTICES], f"There are {more:,} more such faults.")


# --- text


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding), ()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"The file says that it is {encoding.upper()}, but byte {error.start:,} does not fit; "
                    "save it as UTF-8."
                ) from error
    guess = ZEROS.get("".join(".0"[byte == 0] for byte in data[:4]))
    if guess:
        try:
            return data.decode(guess), ()
        except UnicodeDecodeError:
            pass
    notices: tuple[str, ...] = ()
    try:
        written = data.decode("utf-8")
    except UnicodeDecodeError as error:
        written = data.decode("cp1252", errors="replace")
        notices = (
            f"The file is not UTF-8 (byte {error.start:,}); it was read as Windows-1252, so letters beyond "
            "ASCII may be wrong.",
        )
    control = CONTROL.search(written)
    if control:
        raise InputError(
            f"This is not a text file: it has a control character at position {control.start():,}."
        )
    return written, notices


# --- zip


def _unzipped(data: bytes) -> Content:
    """The JSON members of a zip. Sizes in its directory may lie, so what is unpacked is counted."""
    members: dict[str, Any] = {}
    notices: list[str] = []
    left = MOST_UNPACKED
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # a damaged zip raises errors of many kinds: of zipfile, zlib, zstd, struct
        raise InputError(f"The zip is damaged and cannot be unpacked: {_first_line(error)}.") from error
    for name in archive.namelist():
        if not name.endswith(".json"):
            continue
        try:
            with archive.open(name) as member:
                unpacked = member.read(left + 1)
        except Exception as error:
            notices.append(_as_line(f"{name:.80} is damaged and was left out: {_first_line(error)}."))
            continue
        left -= len(unpacked)
        if left < 0:
            raise InputError(
                f"The zip unpacks to more than {MOST_UNPACKED // 2**20} MB; export fewer samples."
            )
        try:
            members[name] = parse_json(unpacked.decode("utf-8", errors="replace"))
        except JSONBroken as error:
            notices.append(_as_line(f"In {name:.80}: {error.sentence}"))
            members[name] = error.readable
    if notices and not members:
        raise InputError(f"The zip is damaged: {notices[0]}")
    return Content(None, _few(notices), members)


def _first_line(error: Exception) -> str:
    return f"{(str(error).splitlines() or [type(error).__name__])[0]:.80}".rstrip(".")


def _as_line(sentence: str) -> str:
    return " ".join(sentence.split())
