"""One colour for each part of the context, the same on every screen (Okabe-Ito, tuned for dark)."""

from core.trace import Part

LIGHT: dict[Part, str] = {
    Part.SYSTEM: "#0072B2",
    Part.TOOLS: "#56B4E9",
    Part.USER: "#009E73",
    Part.ASSISTANT: "#E69F00",
    Part.TOOL_CALL: "#D55E00",
    Part.TOOL_RESULT: "#CC79A7",
    Part.RETRIEVED: "#F0E442",
    Part.MEMORY: "#8C8C00",
    Part.TEMPLATE: "#7F7F7F",
}

DARK: dict[Part, str] = LIGHT | {
    Part.SYSTEM: "#3D9BD6",
    Part.USER: "#1FB98D",
    Part.TOOL_CALL: "#F0803C",
    Part.MEMORY: "#B0B030",
    Part.TEMPLATE: "#9AA3AD",
}


def css() -> str:
    """The palette as CSS custom properties that follow light and dark: `--part-tool-call` and so on."""
    colours = "".join(
        f"  --part-{part.value.replace(' ', '-')}: light-dark({LIGHT[part]}, {DARK[part]});\n"
        for part in Part
    )
    return f":host {{\n{colours}}}\n"
