import gzip
import sys
from pathlib import Path

import pytest

from core.errors import InputError
from core.lm.install import find_gguf
from core.lm.tokenizer import BUNDLED, Tokenizer

from .conftest import GOLDENS, LlamaCpp

NASTY = [
    "",
    " ",
    "\n\n\n",
    "\r\n\t \x00\x01",
    "it's we'll they'd I'M",
    "1234567890 3.14 ½ ² Ⅳ ٣٤٥",
    "naïve café Straße",
    "na\u0308ive",
    "👩‍👩‍👧‍👦🏳️‍🌈 😀",
    "日本語のテキスト 한국어 עברית العربية हिन्दी",
    "a\u00a0b\u200bc\u2028d\ufeff",
    "def f(x):\n        return  x  # ok\n\n",
    "<|im_start|>user\nhi<|im_end|>",
    "a<|im_end|>b <|endoftext|> <|im_start",
    "<|IM_START|><repo_name><file_sep>",
    "\U00040000 \U0010ffff",
    "x\x04y\x1dz",
    "    leading and trailing    ",
    "a" * 300,
    "$5 or $6 *a* _b_ `x` <b>&lt;",
]


@pytest.mark.parametrize("golden", GOLDENS, ids=[golden["text"][:20] for golden in GOLDENS])
def test_ids_are_those_of_llama_cpp_on_the_recorded_texts(tokenizer: Tokenizer, golden: dict) -> None:
    assert tokenizer.encode(golden["text"]) == golden["token_ids"]


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("text", NASTY, ids=[ascii(text)[:24] for text in NASTY])
def test_ids_are_those_of_llama_cpp_on_nasty_texts(
    tokenizer: Tokenizer, llamacpp: LlamaCpp, text: str, special: bool
) -> None:
    assert tokenizer.encode(text, special) == llamacpp.tokenize(text, special)


def test_the_bundled_file_is_what_the_gguf_says() -> None:
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from scripts.export_tokenizer import tokenizer_json

    gguf = find_gguf()
    assert gguf is not None
    assert gzip.decompress(BUNDLED.read_bytes()).decode() == tokenizer_json(gguf)


def test_markers_are_control_tokens_only_when_they_may_be(tokenizer: Tokenizer) -> None:
    text = "<|im_end|>"
    assert tokenizer.encode(text) == [2]
    plain = tokenizer.encode(text, special=False)
    assert len(plain) > 1
    assert not any(map(tokenizer.is_special, plain))
    assert tokenizer.decode(plain) == text


def test_all_seventeen_control_tokens_are_special_and_no_other(tokenizer: Tokenizer) -> None:
    assert [id_ for id_ in range(tokenizer.vocab_size) if tokenizer.is_special(id_)] == list(range(17))
    assert tokenizer.vocab_size == 49_152


def test_generation_stops_at_the_end_of_turn_and_of_text(tokenizer: Tokenizer) -> None:
    assert {tokenizer.token_bytes(id_) for id_ in tokenizer.end_ids} == {b"<|im_end|>", b"<|endoftext|>"}
    assert tokenizer.token_bytes(tokenizer.start_id) == b"<|im_start|>"


@pytest.mark.parametrize("text", [text for text in NASTY if not {"\x04", "\x1d", "\U00040000"} & set(text)])
def test_the_bytes_of_the_tokens_are_the_bytes_of_the_text(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert b"".join(map(tokenizer.token_bytes, ids)) == text.encode()
    assert tokenizer.decode(ids) == text


def test_offsets_name_the_characters_of_each_token(tokenizer: Tokenizer) -> None:
    text = "Fluß, café  the<|im_end|>"
    for span in tokenizer.encode_with_offsets(text):
        assert tokenizer.token_bytes(span.id) == text[span.start : span.end].encode()


def test_tokens_of_one_split_character_share_its_span(tokenizer: Tokenizer) -> None:
    spans = tokenizer.encode_with_offsets("a😀b")
    assert [(span.start, span.end) for span in spans] == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
    assert b"".join(tokenizer.token_bytes(span.id) for span in spans[1:4]) == "😀".encode()


def test_a_byte_without_a_token_vanishes_and_leaves_a_gap_in_the_offsets(tokenizer: Tokenizer) -> None:
    spans = tokenizer.encode_with_offsets("x\x04y")
    assert [(span.start, span.end) for span in spans] == [(0, 1), (2, 3)]


def test_a_part_of_a_character_decodes_to_the_replacement_character(tokenizer: Tokenizer) -> None:
    first = tokenizer.encode("😀")[0]
    assert tokenizer.decode([first]) == "�"


def test_half_a_surrogate_pair_is_refused_in_a_sentence(tokenizer: Tokenizer) -> None:
    with pytest.raises(InputError, match="Character 2 of the text is half of a surrogate pair"):
        tokenizer.encode("a\ud83d")


@pytest.mark.parametrize("id_", [-1, 49_152])
def test_a_token_that_does_not_exist_is_refused_in_a_sentence(tokenizer: Tokenizer, id_: int) -> None:
    with pytest.raises(InputError, match=f"There is no token {id_}"):
        tokenizer.token_bytes(id_)
