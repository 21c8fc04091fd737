import pytest

from core.lm.tokenizer import Tokenizer
from core.lm.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\n", "↵"),
        (" ", "·"),
        ("  ", "··"),
        ("\t", "⇥"),
        ("", "∅"),
        ("\u00a0", "⟨U+00A0⟩"),
        (" the", "·the"),
        ("the", "the"),
        ("\r\n", "⟨U+000D⟩↵"),
        ("\u200b", "⟨U+200B⟩"),
        ("\n\n", "↵↵"),
        ("\x00", "⟨U+0000⟩"),
        ("\u00ad", "⟨U+00AD⟩"),
        ("\u202e", "⟨U+202E⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("·", "⟨U+00B7⟩"),
        ("日本 ß", "日本·ß"),
    ],
)
def test_nothing_is_invisible(text: str, shown: str) -> None:
    assert visible(text.encode()) == shown


@pytest.mark.parametrize(
    ("data", "shown"), [(b"\xe2\x80", "⟨E2 80⟩"), (b"\x98", "⟨98⟩"), (b"a\xf0\x9f b", "a⟨F0 9F⟩·b")]
)
def test_bytes_that_are_not_utf8_are_hexadecimal(data: bytes, shown: str) -> None:
    assert visible(data) == shown


@pytest.mark.parametrize(
    "text",
    [
        "costs·$5·or·$6",
        "*a*·_b_·~c~",
        "`",
        "#·x",
        ":red[x]·:smile:",
        "a<br>b",
        "[x](y)",
        "<script>alert(1)</script>",
        "<think>hm</think>",
        "<|im_start|>",
        "a·<·b·&&·c·>·d",
        "&lt;",
        "</div></span>",
        '"·onmouseover="x',
    ],
)
def test_markup_is_kept_character_for_character(text: str) -> None:
    assert visible(text.replace("·", " ").encode()) == text


def test_no_two_tokens_of_the_vocabulary_look_alike(tokenizer: Tokenizer) -> None:
    forms = {visible(tokenizer.token_bytes(id_)) for id_ in range(tokenizer.vocab_size)}
    assert len(forms) == tokenizer.vocab_size
