"""The chat template that comes with a model: in a GGUF, or in a folder of Hugging Face.

Keys: GGUF specification, docs/gguf.md of ggml, "Tokenizer"; Hugging Face transformers,
tokenization_utils_base.py. A template names the tokens that open and close a text, and leaves it to the
tokenizer which they are; so they are set in front of it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.messages.gguf_metadata import read_gguf
from core.messages.templates import is_jinja

_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")
_MOST_BYTES = 20_000_000  # of a file that is read whole; the largest tokenizer_config.json known has 2 MB


def template_of(path: str | Path) -> str:
    """The text of a model's chat template, ready for `core.messages.render`.

    Args:
        path: a GGUF, a folder of Hugging Face, or one of that folder's files (`chat_template.jinja`,
            `tokenizer_config.json`).

    Raises:
        InputError: it cannot be read, or holds no chat template.
    """
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise InputError(f"A chat template is read from the path of a file or folder, not from {path!r}.")
    place = Path(path).expanduser()
    try:
        if place.is_dir():
            text, tokens = _of_folder(place)
        elif place.suffix == ".gguf":
            text, tokens = _of_gguf(place)
        elif place.suffix == ".json":
            config = _json(place)
            text, tokens = _template(config), config
        else:
            text, tokens = _text(place), {}
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror or error}.") from None
    if not isinstance(text, str) or not is_jinja(text):
        raise InputError(
            f"{place.name} holds no chat template; models that were not tuned for chat have none."
        )
    return "".join(map(_setting, _TOKENS, map(_token, map(tokens.get, _TOKENS)))) + text


def _of_folder(folder: Path) -> tuple[str | None, Mapping[str, Any]]:
    config, special = (
        _json(path) if (path := folder / name).is_file() else {}
        for name in ("tokenizer_config.json", "special_tokens_map.json")
    )
    tokens = special | {key: value for key, value in config.items() if value is not None}
    if (jinja := folder / "chat_template.jinja").is_file():
        return _text(jinja), tokens
    if (older := folder / "chat_template.json").is_file():
        return _template(_json(older)), tokens
    return _template(config), tokens


def _of_gguf(path: Path) -> tuple[str | None, Mapping[str, Any]]:
    ids = {f"tokenizer.ggml.{name}_token_id": f"{key}_token" for name, key in _GGUF_NAMES.items()}
    try:
        found = read_gguf(path, {"tokenizer.chat_template", "tokenizer.ggml.tokens", *ids})
        vocabulary = found.get("tokenizer.ggml.tokens") or []
        tokens = {name: vocabulary[found[key]] for key, name in ids.items() if key in found and vocabulary}
        return found.get("tokenizer.chat_template"), tokens
    except (ValueError, LookupError, TypeError):
        raise InputError(f"{path.name} is no GGUF, or not a whole one: fetch it again.") from None


_GGUF_NAMES = {"bos": "bos", "eos": "eos", "unknown": "unk", "padding": "pad"}


def _template(config: Mapping[str, Any]) -> str | None:
    """One template, or the one for chat of several: the default, or else the first."""
    template = config.get("chat_template")
    if isinstance(template, str):
        return template
    if not isinstance(template, list):
        return None
    several = [one for one in template if isinstance(one, dict) and isinstance(one.get("template"), str)]
    several.sort(key=lambda one: one.get("name") != "default")
    return str(several[0]["template"]) if several else None


def _token(token: object) -> str | None:
    """A token as text; newer files describe it by an object."""
    if isinstance(token, Mapping):
        token = token.get("content")
    return token if isinstance(token, str) else None


def _setting(name: str, token: str | None) -> str:
    # JSON's escapes are Jinja's too; ASCII alone, as the file may hold anything.
    return "" if token is None else f"{{% set {name} = {json.dumps(token)} %}}"


def _text(path: Path) -> str:
    if path.stat().st_size > _MOST_BYTES:
        raise InputError(f"{path.name} is too large to be a chat template.")
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path.name} is no text in UTF-8.") from None


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path.name} is no JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(f"{path.name} must hold an object.")
    return value
