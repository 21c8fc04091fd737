"""From bytes to values: encodings, JSON, JSON lines, zip, and what is left of a file that breaks off."""

import codecs
import io
import re
import sys
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from core.errors import InputError
from core.traces.shape import INCOMPLETE

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile  # reads members compressed by zstd (method 93), as newer Pythons do

MOST_BYTES = 32 * 2**20
"""The largest file that is read. Ten megabytes take less than two seconds."""

MOST_UNPACKED = 128 * 2**20
"""The most that the members of a zip may unpack to, together."""

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
    lines: bool = False
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
        return Content(written, notices=notices)
    try:
        return Content(parse_json(written), notices=notices)
    except JSONBroken as error:
        first, _, rest = stripped.partition("\n")
        if rest.strip() and _is_json(first):
            content = _json_lines(written)
        elif error.readable is not None:
            content = Content(error.readable, notices=(error.sentence,))
        elif stripped[0] == "[" and "\n" in stripped:  # a text may begin with a bracket too
            return Content(written, notices=notices)
        else:
            raise InputError(error.sentence) from error
        return Content(content.value, content.lines, notices + content.notices)


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
    try:
        written, notices = data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        written = data.decode("cp1252", errors="replace")
        notices = (
            f"The file is not UTF-8 (byte {error.start:,}); it was read as Windows-1252, so letters beyond "
            "ASCII may be wrong.",
        )  # type: ignore[assignment]
    control = CONTROL.search(written)
    if control:
        raise InputError(
            f"This is not a text file: it has a control character at position {control.start():,}."
        )
    return written, notices


# --- JSON


class JSONBroken(ValueError):
    """JSON that breaks off or is wrong; `readable` is what stands before the fault, or `None`."""

    def __init__(self, sentence: str, readable: Any) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.readable = readable


def parse_json(written: str) -> Any:
    """The value of a JSON text, with what programs write beyond the standard: NaN, half surrogate pairs.

    Raises:
        JSONBroken: naming line and column.
    """
    try:
        return from_json(written)
    except ValueError as error:
        problem = str(error)
    if "surrogate" in problem or "hex escape" in problem:
        try:
            return from_json(_without_half_pairs(written))
        except ValueError as error:
            problem = str(error)
    readable, place = None, re.search(r" at line (\d+) column (\d+)$", problem)
    what = problem[: place.start()] if place else problem
    where = f"line {int(place[1]):,}, column {int(place[2]):,}" if place else "its beginning"
    if place:
        try:
            end = _offset(written, int(place[1]), int(place[2]))
            readable = _marked(from_json(written[:end], allow_partial=True), written[:end])
        except ValueError:
            readable = None
    if what.startswith("EOF"):
        sentence = f"The file breaks off at {where}, in the middle of its JSON."
    elif what.startswith("recursion"):
        sentence = f"The JSON is nested too deeply at {where}; no run is."
    else:
        sentence = f"The JSON is broken at {where}: {what}."
    return _fail(sentence, readable)


def _fail(sentence: str, readable: Any) -> Any:
    raise JSONBroken(sentence, readable)


STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def _marked(readable: Any, written: str) -> Any:
    """The value of a text that breaks off, with a mark in every object that is still open at its end."""
    brackets = STRING.sub("", written).partition('"')[0]
    still_open = sum(map(brackets.count, "{[")) - sum(map(brackets.count, "}]"))
    value = readable
    for _ in range(still_open):
        members = list(value.values()) if isinstance(value, dict) else value
        if isinstance(value, dict):
            value[INCOMPLETE] = True
        if not isinstance(members, list) or not members:
            break
        value = members[-1]
    return readable


def _offset(written: str, line: int, column: int) -> int:
    """The place in the text, just before the character at fault. Columns count bytes of UTF-8, from 1."""
    start = 0
    for _ in range(line - 1):
        start = written.find("\n", start) + 1
    row = written[start : start + column].encode("utf-8", "surrogatepass")
    return start + len(row[: max(column - 1, 0)].decode("utf-8", "ignore"))


ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)


def _without_half_pairs(written: str) -> str:
    """The text with each half of a surrogate pair replaced: cutting a text by UTF-16 units leaves such."""
    return ESCAPE.sub(lambda match: r"\ufffd" if match[1] else match[0], written)


def _is_json(written: str) -> bool:
    try:
        return isinstance(from_json(written), dict | list)
    except ValueError:
        return False


def _json_lines(written: str) -> Content:
    values, broken = [], []
    for number, line in enumerate(written.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(parse_json(line))
        except JSONBroken as error:
            broken.append((number, error.sentence.split(": ")[-1].rstrip(".")))
    notices = [f"Line {number:,} is not JSON and was left out." for number, _ in broken[:3]]
    if len(broken) > 3:
        notices.append(f"So were {len(broken) - 3:,} more lines.")
    return Content(values, lines=True, notices=tuple(notices))


# --- zip


def _unzipped(data: bytes) -> Content:
    """The JSON members of a zip. Sizes in its directory may lie, so what is unpacked is counted."""
    members: dict[str, Any] = {}
    notices: list[str] = []
    left = MOST_UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if not info.filename.endswith(".json"):
                    continue
                with archive.open(info) as member:
                    unpacked = member.read(left + 1)
                left -= len(unpacked)
                if left < 0:
                    raise InputError(
                        f"The zip unpacks to more than {MOST_UNPACKED // 2**20} MB; export fewer samples."
                    )
                try:
                    members[info.filename] = parse_json(unpacked.decode("utf-8", errors="replace"))
                except JSONBroken as error:
                    notices.append(f"In {info.filename}: {error.sentence}")
                    members[info.filename] = error.readable
    except InputError:
        raise
    except Exception as error:  # a damaged zip raises errors of many kinds: of zipfile, zlib, zstd, struct
        raise InputError(f"The zip is damaged and cannot be unpacked: {_first_line(error)}.") from error
    return Content(None, notices=tuple(notices), members=members)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def parsed(value: object) -> object:
    """A value that a tracer may have written as JSON text: parsed if it is such, else as it stands."""
    if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
        return value
    try:
        return parse_json(value)
    except JSONBroken:
        return value
