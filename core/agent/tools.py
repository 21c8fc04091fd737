"""A tool: a typed Python function, and the schema by which it is advertised to the model."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pydantic
import pydantic_core
from pydantic.json_schema import GenerateJsonSchema

from core.errors import InputError
from core.messages.types import ToolSchema


@dataclass(frozen=True)
class Tool:
    """A function that a model may ask for.

    `schema` is what the model is told; `function` runs in the runtime and is never seen by the model.
    """

    schema: ToolSchema
    function: Callable[..., object]

    @property
    def name(self) -> str:
        """The name by which the model calls the tool."""
        return self.schema.name

    @classmethod
    def from_function(cls, function: Callable[..., object]) -> "Tool":
        """The tool of a typed function.

        The name is the function's, the description its docstring, the JSON Schema comes from its annotations:
        `Annotated[str, Field(description=...)]` describes an argument, a default makes it optional, and
        arguments that the function does not have are forbidden.

        Raises:
            InputError: it is no function that can be called and waited for, or it takes arguments that JSON
                cannot name or express.
        """
        if not inspect.isroutine(function) or inspect.iscoroutinefunction(function):
            raise InputError(
                f"A tool is made of an ordinary function, defined by `def`, not of {function!r:.60}."
            )
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise InputError(
                    f"{function.__name__} cannot be a tool: a call names every argument, "
                    f"and {name!r} cannot be named."
                )
            if parameter.annotation is parameter.empty:
                raise InputError(
                    f"{function.__name__} cannot be a tool: give the argument {name!r} a type, such as `str`."
                )
        try:
            parameters = _arguments_schema(function)
        except pydantic.errors.PydanticUserError as error:
            raise InputError(f"{function.__name__} cannot be a tool: {error.message}") from error
        description = " ".join((inspect.getdoc(function) or "").split())
        return cls(
            ToolSchema(name=function.__name__, description=description, parameters=parameters),
            pydantic.validate_call(function),
        )

    def execute(self, arguments: Mapping[str, Any]) -> str:
        """The result as the text that goes back to the model: a string as it is, anything else as JSON.

        Raises:
            InputError: the function returned what JSON cannot express.
            BaseException: whatever the function raises.
        """
        result = self.function(**arguments)
        if not isinstance(result, str):
            try:
                plain = pydantic_core.to_jsonable_python(result)
                result = json.dumps(plain, ensure_ascii=False, allow_nan=False)
            except (ValueError, TypeError, RecursionError) as error:
                raise InputError(
                    f"The tool {self.name} returned a result that JSON cannot express: {error}."
                ) from error
        return well_formed(result)


def well_formed(text: str) -> str:
    """The text with U+FFFD for every half of a surrogate pair: no UTF-8, so no model, can take one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _arguments_schema(function: Any) -> dict[str, Any]:
    return pydantic.TypeAdapter(function).json_schema(schema_generator=_PlainSchema)


class _PlainSchema(GenerateJsonSchema):
    """Without titles: they repeat the names of the fields, and each one costs tokens in every call."""

    def field_title_should_be_set(self, schema: Any) -> Literal[False]:  # noqa: ARG002
        return False

    def sort(self, value: Any, parent_key: str | None = None) -> Any:  # noqa: ARG002
        """In the order in which people write a schema (type, properties, required), not the alphabet's."""
        return value
