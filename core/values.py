"""The base of all values that are stored in, or read from, a file."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A pure, frozen value: equal by content, without behaviour that changes anything."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
