"""The numbers of a Llama model as Hugging Face writes them, config.json, and what of it is not computed here.

Keys and what they mean where they are left out: transformers, models/llama/configuration_llama.py
(`LlamaConfig`); positions: modeling_rope_utils.py, where version 5 gathers `rope_theta` and `rope_scaling`
into `rope_parameters`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import InputError
from core.lm.llama import Shape
from core.lm.not_computed import NotComputed

LLAMA = "LlamaForCausalLM"

Count = Annotated[int, Field(gt=0, le=10_000_000)]
Even = Annotated[int, Field(gt=0, le=1_000_000, multiple_of=2)]  # components turn in pairs
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Config(BaseModel):
    """The keys that the forward pass depends on, and those that name the tokens of the ends."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    vocab_size: Count
    hidden_size: Even
    intermediate_size: Count
    num_hidden_layers: Annotated[int, Field(gt=0, le=1000)]
    num_attention_heads: Count
    num_key_value_heads: Count | None = None
    head_dim: Even | None = None
    max_position_embeddings: Count
    rms_norm_eps: Positive = 1e-6
    rope_theta: Positive = 10_000.0
    rope_scaling: dict[str, Any] | None = None
    rope_parameters: dict[str, Any] | None = None
    partial_rotary_factor: float | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    mlp_bias: bool = False
    tie_word_embeddings: bool = False
    quantization_config: dict[str, Any] | None = None
    bos_token_id: int | None = 1
    eos_token_id: int | list[int] | None = 2

    @property
    def rope(self) -> dict[str, Any]:
        """How positions are told: in one place by version 5 of transformers, in two by those before it."""
        return {
            "rope_theta": self.rope_theta,
            "partial_rotary_factor": self.partial_rotary_factor,
            **(self.rope_scaling or {}),
            **(self.rope_parameters or {}),
        }

    def shape(self, name: str) -> Shape:
        """The architecture.

        Raises:
            InputError: its numbers do not fit each other.
        """
        kv_heads = self.num_key_value_heads or self.num_attention_heads
        head_width, left = divmod(self.hidden_size, self.num_attention_heads)
        if self.head_dim is None and (left or head_width % 2):
            raise InputError(
                f"The config.json of {name} is not right: {self.hidden_size} components do not divide into "
                f"{self.num_attention_heads} heads of an even width."
            )
        if self.num_attention_heads % kv_heads:
            raise InputError(
                f"The config.json of {name} is not right: {self.num_attention_heads} heads cannot share "
                f"{kv_heads} heads of keys and values."
            )
        return Shape(
            vocab_size=self.vocab_size,
            context_length=self.max_position_embeddings,
            layers=self.num_hidden_layers,
            width=self.hidden_size,
            heads=self.num_attention_heads,
            kv_heads=kv_heads,
            head_width=self.head_dim or head_width,
            mlp_width=self.intermediate_size,
            rope_base=float(self.rope["rope_theta"]),
            norm_epsilon=self.rms_norm_eps,
        )


def read_config(name: str, content: dict[str, Any]) -> Config:
    """The configuration of a model that Loopscope can compute.

    Args:
        name: of the model, for the sentence.
        content: of config.json.

    Raises:
        InputError: it is of another architecture, has a part that the forward pass lacks, or makes no sense.
    """
    kind, classes = content.get("model_type"), content.get("architectures") or [LLAMA]
    if kind != "llama" or classes != [LLAMA]:
        other = kind if classes == [LLAMA] else classes[0] if isinstance(classes, list) else classes
        raise NotComputed(f"{name} has the architecture {other}, and Loopscope computes only {LLAMA}")
    try:
        config = Config.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        what = first["msg"].replace("Input", str(first["loc"][0])).replace("Field", str(first["loc"][0]))
        raise InputError(f"The config.json of {name} is not right: {what}. Fetch it again.") from None
    rope = config.rope
    theta, kept = rope["rope_theta"], rope["partial_rotary_factor"]
    if not isinstance(theta, int | float) or not 0 < theta < 1e18:
        raise InputError(f"The config.json of {name} is not right: rope_theta is {theta!r}. Fetch it again.")
    different = {
        "is quantised": config.quantization_config is not None,
        "has an output matrix of its own, not tied to its embedding": not config.tie_word_embeddings,
        "adds biases": config.attention_bias or config.mlp_bias,
        "scales its positions": rope.get("rope_type", rope.get("type", "default")) != "default",
        "turns only a part of each head": kept not in (None, 1),
        f"has the activation {config.hidden_act}, not silu": config.hidden_act not in ("silu", "swish"),
    }
    for what, present in different.items():
        if present:
            raise NotComputed(f"{name} {what}, which Loopscope does not compute")
    return config
