"""Write core/lm/data/smollm2_tokenizer.json.gz from the vocabulary and merges inside the model's GGUF.

    python scripts/export_tokenizer.py path/to/SmolLM2-135M-Instruct.Q4_1.gguf

The tokenizer is kept in the repository so that token counts are exact before the model is installed.
The pre-tokenizer (digits split singly, then GPT-2's pattern) and the decoder are those that the GGUF names
with `tokenizer.ggml.pre = smollm`: see LLAMA_VOCAB_PRE_TYPE_SMOLLM in llama.cpp, src/llama-vocab.cpp. The
output is the same byte for byte on every run.
"""

import gzip
import json
import sys
from pathlib import Path

from gguf import GGUFReader

TARGET = Path(__file__).parent.parent / "core" / "lm" / "data" / "smollm2_tokenizer.json.gz"
CONTROL = 3  # gguf.TokenType.CONTROL


def tokenizer_json(gguf_path: Path) -> str:
    """The GGUF's tokenizer in the format of the `tokenizers` package (a `tokenizer.json`)."""
    fields = GGUFReader(gguf_path).fields
    tokens: list[str] = fields["tokenizer.ggml.tokens"].contents()
    kinds: list[int] = fields["tokenizer.ggml.token_type"].contents()
    merges: list[str] = fields["tokenizer.ggml.merges"].contents()
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [
                {
                    "id": id_,
                    "content": token,
                    "single_word": False,
                    "lstrip": False,
                    "rstrip": False,
                    "normalized": False,
                    "special": True,
                }
                for id_, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
                if kind == CONTROL
            ],
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
            },
            "post_processor": None,
            "decoder": byte_level,
            "model": {
                "type": "BPE",
                "vocab": {token: id_ for id_, token in enumerate(tokens)},
                "merges": [merge.split(" ") for merge in merges],
            },
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    TARGET.write_bytes(gzip.compress(tokenizer_json(Path(sys.argv[1])).encode(), compresslevel=9, mtime=0))
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")
