"""Docstrings as the site shows them: examples in blocks of code, fields with their comments."""

import re
from pathlib import Path
from typing import Any

from griffe import Class, Extension, Object

# to Markdown `>>>` is a quotation
_EXAMPLE = re.compile(
    r"^(?P<indent> *)>>> .*(?:\n(?P=indent)\S.*|\n(?P=indent) +\S.*)*", re.MULTILINE
)


class FencedExamples(Extension):
    """Puts a fence around each example, and lists the fields of classes with their comments."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called by griffe for every module, class, function and attribute."""
        if obj.docstring is None:
            return
        obj.docstring.value = _EXAMPLE.sub(_fence, obj.docstring.value)
        if isinstance(obj, Class) and "Attributes:\n" not in obj.docstring.value:
            fields = [f"    {name}: {text}" for name, text in _read_comments(obj).items()]
            if fields:
                obj.docstring.value += "\n\nAttributes:\n" + "\n".join(fields)


def _fence(match: re.Match[str]) -> str:
    indent = match["indent"]
    return f"{indent}```pycon\n{match[0]}\n{indent}```"


def _read_comments(one: Class) -> dict[str, str]:
    """Return what stands behind each field, or in the lines above it."""
    lines = Path(str(one.filepath)).read_text("utf-8").splitlines()
    fields: dict[str, str] = {}
    for name, member in one.attributes.items():
        if name.startswith("_") or member.docstring or "property" in member.labels:
            continue
        if member.filepath != one.filepath or not member.annotation or not member.lineno:
            continue
        last = (member.endlineno or member.lineno) - 1
        behind, above, at = lines[last].partition("  # ")[2], [], member.lineno - 2
        while not behind and lines[at].strip().startswith("# "):
            above.insert(0, lines[at].strip()[2:])
            at -= 1
        if text := behind or " ".join(above):
            fields[name] = text if text.endswith(".") else f"{text}."
    return fields
