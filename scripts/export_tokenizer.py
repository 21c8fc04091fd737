"""Write core/lm/data/smollm2_tokenizer.json.gz from the vocabulary and merges inside the model's GGUF.

    python -m scripts.export_tokenizer path/to/SmolLM2-135M-Instruct.Q4_1.gguf

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

from core.lm.gguf_tokenizer import read_tokenizer

TARGET = Path(__file__).parent.parent / "core" / "lm" / "data" / "smollm2_tokenizer.json.gz"


def tokenizer_json(gguf_path: Path) -> str:
    """The GGUF's tokenizer in the format of the `tokenizers` package (a `tokenizer.json`), without spaces."""
    fields = GGUFReader(gguf_path).fields
    metadata = {name: field.contents() for name, field in fields.items() if name.startswith("tokenizer.")}
    described = json.loads(read_tokenizer("SmolLM2", metadata).json)
    return json.dumps(described, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    TARGET.write_bytes(gzip.compress(tokenizer_json(Path(sys.argv[1])).encode(), compresslevel=9, mtime=0))
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")
