"""What stands in a figure, taken out of it again."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from evenhand.report.figures.style import Chart, render


def values(chart: Chart) -> list[dict[str, Any]]:
    """All rows of data in a chart."""
    return [dict(row) for rows in chart.datasets.values() for row in rows]


def svg(chart: Any) -> str:
    """The picture of a chart, or of a figure of matplotlib."""
    return render(chart.draw() if isinstance(chart, Chart) else chart, "svg").decode()


def size(chart: Any) -> tuple[float, float]:
    """Width and height of the picture, in pixels."""
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg(chart))
    assert found
    return float(found[1]), float(found[2])


def texts(chart: Any) -> list[str]:
    """All words in the picture, in the order in which they are drawn."""
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg(chart))]


def heights(chart: Any, words: set[str]) -> dict[str, float]:
    """Vertical place of texts with these words, in pixels."""
    found = re.findall(r'<text[^>]*? y="([\d.-]+)"[^>]*>([^<]*)</text>', svg(chart))
    return {word: float(y) for y, word in found if word in words}


def colours(chart: Any) -> set[str]:
    """All colours in the picture."""
    return set(re.findall(r"#[0-9a-f]{6}\b", svg(chart)))


def marks(chart: Any, colour: str) -> int:
    """How many points of a colour the picture has."""
    return len(re.findall(rf"<use [^>]*fill: {colour}", svg(chart)))
