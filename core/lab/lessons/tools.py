"""What happens to a call? Three checks before any tool runs."""

# %% [markdown]
# # What happens to a call?
#
# A model asks for a tool by writing text. Before the runtime runs anything, it checks the call: are the
# arguments JSON, was a tool of this name advertised, do the arguments match its JSON Schema? The first check
# that fails goes back to the model as the result, so that it can repair the call. Whether a well-formed call
# is *permitted* is a question of its own, which these checks do not answer.

# %%
import ast
import json

# %% state
name, arguments = "get_weather", '{"city": 5}'
tools = {
    "get_weather": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
}
read_python_too = False  # whether a Python literal is read as well

# %% [markdown]
# **The schema.** These are the words of JSON Schema that the tools use: `type`, `enum`, `minimum`, `maximum`,
# `required`, `properties`, `additionalProperties`, `items`. In Python, True is a number; in JSON it is none.

# %%
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: v.is_integer() if isinstance(v, float) else type(v) is int,
}


def problems(value, schema, path="$"):
    """What is wrong with a value, each with its path."""
    found = []
    if "type" in schema and not TYPES[schema["type"]](value):
        return [f"{path} is {value!r}, but must be of type {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path} is {value!r}, but must be one of {schema['enum']}")
    if TYPES["number"](value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{path} is {value!r}, which is out of range")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{path}.{key} is missing" for key in schema.get("required", []) if key not in value]
        for key, one in value.items():
            if key in known:
                found += problems(one, known[key], f"{path}.{key}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{path}.{key} is not a known property")
    if isinstance(value, list):
        for number, one in enumerate(value):
            found += problems(one, schema.get("items", {}), f"{path}[{number}]")
    return found


# %% [markdown]
# **The checks**, in their order. JSON knows no NaN, and a key that stands there twice says two things.


# %%
def parsed(text):
    """JSON as its standard has it: Python's own reader takes NaN, and a key twice. A code fence comes off."""

    def refused(constant):
        raise TypeError(f"JSON knows no {constant}")

    def once(pairs):
        if len({key for key, _ in pairs}) < len(pairs):
            raise TypeError("a key stands there twice")
        return dict(pairs)

    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip() or "{}"
    try:
        return json.loads(text, parse_constant=refused, object_pairs_hook=once)
    except ValueError:
        if read_python_too:
            return ast.literal_eval(text)
        raise


def check(name, arguments):
    """The check that fails and what it says; None and the arguments if all pass."""
    try:
        values = parsed(arguments)
    except (ValueError, TypeError, SyntaxError) as error:
        return "json", f"invalid JSON: {error}"
    if name not in tools:
        return "tool", f"unknown tool {name!r}, available: {', '.join(sorted(tools))}"
    if not isinstance(values, dict):
        return "schema", "the arguments must be an object"
    if found := problems(values, tools[name]):
        return "schema", "; ".join(found)
    return None, values


failed, said = check(name, arguments)
print(f"{name}({arguments})")
for stage in ("json", "tool", "schema"):
    print(f"  {stage:7}", "failed: " + said if stage == failed else "passed")
    if stage == failed:
        break

# %% [markdown]
# **Break it yourself.** The same call, broken in a few ways, and how far each comes.

# %% notebook
import plotly.graph_objects as go

variants = {
    "as it is": (name, arguments),
    "cut off": (name, arguments[: len(arguments) * 2 // 3]),
    "single quotes": (name, arguments.replace('"', "'")),
    "another name": (name + "s", arguments),
    "no arguments": (name, "{}"),
    "a field too many": (name, arguments.rstrip().removesuffix("}") + ', "extra": 1}'),
}
stages = ["json", "tool", "schema", None]
reached = {title: stages.index(check(*call)[0]) for title, call in variants.items()}
figure = go.Figure(go.Bar(y=list(reached), x=list(reached.values()), orientation="h", marker_color="#0072B2"))
figure.update_layout(xaxis_title="checks passed, of 3", xaxis_range=[0, 3], template="plotly_white")
figure

# %% [markdown]
# **The same verdict as on the screen?**

# %% screen
screen = "schema"

# %% notebook
assert failed == screen
