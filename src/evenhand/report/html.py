"""The report as one page that needs nothing else: styles, charts and numbers are inside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from evenhand.report import colours
from evenhand.report.caveat import is_caveat
from evenhand.report.document import (
    FAILED,
    NOT_RUN,
    PASSED,
    UNDECIDED,
    WARNING,
    Column,
    Figure,
    Part,
    Report,
    Section,
)
from evenhand.report.numbers import write_value
from evenhand.report.packing import embed, pack

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# Most bytes of a page of several tasks whose parts stand in it as they are; in a larger one they
# are packed
LARGE: Final = 1_900_000
SHORT: Final = 8  # Letters of a name that never needs the least width of a first column
# What no line may break: a percentage, a set of ranks, an option of a command
HELD: Final = re.compile(r"\d[\d.,]* %|\d+–\d+|(?<!\w)--[a-z][a-z-]*")
# An answer of at most so many letters is in the first, second ... size of type.
SIZES: Final = (70, 130, 210, 300)
STYLES: Final = ("base.css", "report.css", "tables.css", "print.css")
# Each file knows those before it
SCRIPTS: Final = ("theme.js", "chart.js", "tooltip.js", "figures.js", "downloads.js", "page.js")


def write_page(report: Report) -> str:
    """Write the page. Every number on it stands in its JSON, at the path beside it."""
    from markupsafe import Markup

    environment = _make_environment()
    several = len(report.parts) > 1 or report.overview is not None
    bodies = _write_bodies(environment, report, several=several)
    frame = {
        "report": report,
        "several": several,
        "anchors": _name_anchors(report.parts),
        "data": Markup(embed("report", report.to_dict())),
        "drawing": Markup(embed("drawing", _find_drawing(report), 0)),
        "vega": Markup(_pack_vega()),
        "light": Markup(colours.write_variables(colours.LIGHT)),
        "dark": Markup(colours.write_variables(colours.DARK)),
        "css": Markup("".join(map(_read, STYLES))),
        "js": Markup("".join(map(_read, SCRIPTS))),
    }
    template = environment.get_template("report.html")
    page = template.render(frame, bodies=bodies, packed=False)
    if several and len(page.encode()) > LARGE:
        page = template.render(frame, bodies=[Markup(pack(one)) for one in bodies], packed=True)
    return page


def _make_environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(_read),
    )
    environment.filters |= {"written": write_value, "size": size_answer, "sign": find_sign}
    environment.filters |= {"prose": hold_together, "spread": is_spread}
    environment.globals |= {
        "states": (PASSED, FAILED, WARNING, UNDECIDED, NOT_RUN),
        "find_home": find_home,
        "is_caveat": is_caveat,
    }
    return environment


def _write_bodies(environment: Environment, report: Report, *, several: bool) -> list[Markup]:
    """Write what stands in each part."""
    macros: Any = environment.get_template("parts.html").module
    return [
        macros.part(part, place, find_hero(part), several)
        for place, part in enumerate(report.parts)
    ]


def _name_anchors(parts: Sequence[Part]) -> dict[str, str]:
    return {part.name: f"part-{place}" for place, part in enumerate(parts)}


def _read(name: str) -> str:
    return (files("evenhand.report") / "page" / name).read_text(encoding="utf-8")


@cache
def _pack_vega() -> str:
    return pack(_read("vega.js"))


def hold_together(text: str) -> Markup:
    """Write a sentence in which no line breaks within what belongs together.

    >>> str(hold_together("56.4 % of A & B: add --full"))
    '<span class="w">56.4 %</span> of A &amp; B: add <span class="w">--full</span>'
    """
    from markupsafe import Markup, escape

    written = str(escape(text))
    return Markup(HELD.sub(r'<span class="w">\g<0></span>', written))


def is_spread(column: Column, rows: Sequence[dict[str, Any]]) -> bool:
    """Tell whether a first column holds names that need a least width.

    >>> is_spread(Column("system", "system"), [{"system": "a name of many words"}])
    True
    """
    texts = (row[column.key] for row in rows)
    return column.kind == "text" and any(len(str(text)) > SHORT for text in texts)


def find_home(part: Part, name: str, before: str) -> str:
    """Return the anchor of the section that made a check; anchors of the part begin with a text."""
    made = (one.name for one in part.sections if name in {check.name for check in one.checks})
    return before + next(made, "")


def find_hero(part: Part) -> tuple[int, int]:
    """Return the place of the section, and in it that of the figure, of the first screen.

    It is the forest plot of the ranking, or else the first figure of the first section; (-1, -1)
    where there is none.
    """
    for place, section in enumerate(part.sections):
        for number, figure in enumerate(section.figures):
            if (section.name, figure.name) == ("ranking", "forest"):
                return place, number
    return (0, 0) if part.sections and part.sections[0].figures else (-1, -1)


def size_answer(answer: tuple[str, ...]) -> int:
    """Return the size of type in which an answer takes at most about four lines, 1 the largest.

    >>> size_answer(("A is the best of 3 systems.",)), size_answer(("A" * 200, "B" * 200))
    (1, 5)
    """
    letters = sum(map(len, answer))
    return 1 + sum(letters > size for size in SIZES)


def find_sign(section: Section) -> str:
    """Return what stands beside a section in the list of contents: its worst state, or nothing.

    >>> find_sign(Section("a", "A", not_run="unknown judges")), find_sign(Section("b", "B"))
    ('not run', '')
    """
    states = {check.state for check in section.checks}
    for state in (FAILED, WARNING):
        if state in states:
            return state
    if section.not_run or states == {NOT_RUN}:
        return NOT_RUN
    return UNDECIDED if states and states <= {NOT_RUN, UNDECIDED} else ""


def _find_drawing(report: Report) -> dict[str, Any]:
    """Return how figures are drawn: their specifications by path, and colours."""
    specs: dict[str, Any] = {}
    if report.overview is not None:
        specs |= _of_section(report.overview, "/overview")
    for place, part in enumerate(report.parts):
        for number, section in enumerate(part.sections):
            specs |= _of_section(section, f"/parts/{place}/sections/{number}")
    return {
        "specs": specs,
        "light": colours.LIGHT,
        "dark": colours.DARK,
        "darkened": colours.FIGURES,
    }


def _of_section(section: Section, path: str) -> dict[str, Any]:
    return {
        f"{path}/figures/{place}": _specify(figure) for place, figure in enumerate(section.figures)
    }


def _specify(figure: Figure) -> dict[str, Any]:
    return {"wide": figure.wide, "spec": dict(figure.spec)}
