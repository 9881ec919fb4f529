"""What stands in a figure, taken out of it again."""

from __future__ import annotations

import re
from typing import Any

from evenhand.report.figures.drawing import render


def values(chart: Any) -> list[dict[str, Any]]:
    """All rows of data in a chart."""
    spec = chart.to_dict()
    held = [spec, *spec.get("layer", [])]
    rows = [row for one in held for row in one.get("data", {}).get("values", [])]
    return rows + [row for one in spec.get("datasets", {}).values() for row in one]


def size(chart: Any) -> tuple[float, float]:
    """Width and height of the picture, in pixels."""
    svg = render(chart, "svg").decode()
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
    assert found, svg[:200]
    return float(found[1]), float(found[2])


def texts(chart: Any) -> list[str]:
    """All words in the picture, in the order in which they are drawn."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", render(chart, "svg").decode())


def heights(chart: Any, words: set[str]) -> dict[str, float]:
    """Vertical place of marks with these words, in pixels of the plot."""
    svg = render(chart, "svg").decode()
    found = re.findall(r"<text[^>]*translate\([\d.-]+,([\d.-]+)\)[^>]*>([^<]*)</text>", svg)
    return {word: float(y) for y, word in found if word in words}
