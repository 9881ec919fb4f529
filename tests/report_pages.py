"""Reports to look at, the numbers that stand on their pages, and pages in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from evenhand.render.document import Column, Table, write_value
from evenhand.report.document import Block, Check, Figure, Part, Section
from evenhand.report.figures.style import take_chart
from evenhand.report.figures.systems import draw_forest
from evenhand.report.html import Report, write_page

LONG = "w" * 200
HOSTILE = (
    "<script>window.broken=1</script>",
    "</script><script>window.broken=2</script>",
    "\"><img src=x onerror='window.broken=3'>",
    "{{ 7 * 7 }}",
    "=1+1",
    "مثال من اليمين",
    "👩\u200d🔬 team",
    LONG,
    "a'b\"c`d\\e&amp;",
)
SILENT = {"script", "style", "text"}  # the last within figures: their rows are in the JSON
VOID = {"meta", "br", "img", "link", "input", "hr"}


def make_rows(names: tuple[str, ...]) -> list[dict[str, Any]]:
    """A row for each system, as the ranking has them."""
    return [
        {
            "system": name,
            "places": f"{place + 1}–{place + 2}",
            "estimate": 1 - place / 7,
            "lower": 0.7 - place / 7,
            "upper": 1.3 - place / 7,
            "cluster": 1 + place // 2,
            "wins": 1200 - place,
            "ties": 31,
            "losses": 7 + place,
            "opponents": 3,
        }
        for place, name in enumerate(names)
    ]


def make_forest(names: tuple[str, ...]) -> Figure:
    drawn = draw_forest(make_rows(names))
    return take_chart(drawn, "forest", "Systems, 95 % intervals", "Systems 1 to 9", table="board")


def make_board(names: tuple[str, ...]) -> Table:
    columns = (
        Column("places", "rank set"),
        Column("system", "system"),
        Column("estimate", "log-worth", "two"),
        Column("wins", "wins", "count", "out of 12 kinds"),
        Column("share", "share", "share"),
        Column("p", "p", "p"),
        Column("state", "state"),
    )
    states = ("passed", "failed", "warning", "not run", "cannot tell")
    rows = [
        {**row, "share": None, "p": 10.0 ** -(place % 5), "state": states[place % 4]}
        for place, row in enumerate(make_rows(names))
    ]
    return Table("board", "The 9 systems", columns, tuple(rows), (2,))


def make_part(names: tuple[str, ...], name: str = "") -> Part:
    """A part with every kind of thing in it."""
    checks = (
        Check("judges", "Can the 44 judges be trusted?", "failed", "3 flagged of 44", "drop 3"),
        Check("agreement", "Do judges agree?", "passed", "κ is 0.27"),
        Check("order", "Does order matter?", "not run", "positions of 12 are unknown"),
        Check("model", "Does the model fit?", "passed", "p is .31"),
    )
    again = make_forest(names)
    sections = (
        Section(
            "ranking",
            "Who is better",
            says=(f"{names[0]} leads 12 others.",),
            figures=(again,),
            tables=(make_board(names),),
            command="evenhand rank votes.csv --seed 7",
        ),
        Section(
            "judges",
            "The judges",
            checks=checks,
            figures=(again,),
            tables=(make_board(names),),
            notes=("5 rows were left out.",),
            blocks=(
                Block("methods.txt", "Methods in 2 lines", "\nWe asked 44 judges\n<b>twice</b>."),
            ),
        ),
        Section("order", "Order", not_run="positions of 12 rows are not known"),
    )
    return Part(name, (f"{names[0]} is the best of 9.",), sections, "evenhand 0.1 | n=13822")


def make_report(names: tuple[str, ...] = ("A", "B", "C"), tasks: tuple[str, ...] = ("",)) -> Report:
    """A report of one part or of several with their overview."""
    parts = tuple(make_part(names, task) for task in tasks)
    rows = tuple({"task": task, "n": 100 + place} for place, task in enumerate(tasks))
    table = Table("tasks", "The tasks", (Column("task", "task"), Column("n", "n", "count")), rows)
    overview = Section("overview", "Overview", says=("2 tasks.",), tables=(table,))
    several = len(tasks) > 1
    return Report(
        f"A report for 2026 on {names[0]}",
        parts,
        "evenhand report votes.csv",
        "0.1.0",
        overview if several else None,
        ("read 12 rows",),
    )


def read_held(page: str, name: str) -> Any:
    """Return the JSON inside a page."""
    found = re.search(
        rf'<script type="application/(\w+)" id="{name}">(.*?)</script>', page, re.DOTALL
    )
    assert found, name
    return json.loads(found[2] if found[1] == "json" else unpack(found[2]))


def unpack(letters: str) -> str:
    return gzip.decompress(base64.b64decode(letters)).decode()


class Texts(HTMLParser):
    """The texts of a page with the path that each stands for, and the key within it.

    The key of a cell stands at the head of its column; what stands in one element is one text.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str, str]] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._keys: list[str] = []
        self._row = self._cell = -1
        self._last: object = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        if tag == "table":
            self._keys, self._row = [], -1
        elif tag == "tr":
            self._row, self._cell = self._row + bool(self._keys), -1
        elif "data-key" in held:
            self._keys.append(held["data-key"] or "")
        elif tag in {"td", "th"}:
            self._cell += 1
            held |= {"data-path": f"{self._find('data-path')[0]}/{self._row}"}
            held |= {"key": self._keys[self._cell]}
        if tag not in VOID:
            self._open.append((tag, held))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        path, holder = self._find("data-path")
        again = holder is not None and holder is self._last
        if any(tag in SILENT for tag, _ in self._open) or not (again or data.strip()):
            return
        if self._open[-1][0] == "pre":  # browsers leave out the line break behind the tag
            data = data.removeprefix("\n")
        before = self.found.pop()[0] if again else ""
        self.found.append((before + data, path, (holder or {}).get("key") or ""))
        self._last = holder

    def _find(self, name: str) -> tuple[str, dict[str, str | None] | None]:
        """Return an attribute of the innermost open element that has it, and that element's."""
        held = next((held for _, held in self._open[::-1] if name in held), None)
        return (held[name] or "" if held else ""), held


def follow(path: str, held: Any) -> Any:
    for key in path.split("/")[1:]:
        held = held[int(key)] if isinstance(held, list) else held[key]
    return held


def find_untold(page: str) -> list[str]:
    """Return the numbers of a page that its JSON does not hold, with what it holds instead."""
    held = read_held(page, "report")
    wrong = []
    for text, path, key in Texts(page).found:
        if not re.search(r"\d", text):
            continue
        if not path:
            wrong.append(f"{text!r} has no path")
        elif (told := _tell(held, path, key)) != text:
            wrong.append(f"{text!r} at {path} {key}: the JSON says {told!r}")
    return wrong


def _tell(held: Any, path: str, key: str) -> str:
    """Write what the JSON holds as the page must write it."""
    value = follow(path, held)
    if not key:
        return str(value)
    columns = follow(path.rpartition("/rows/")[0], held)["columns"]
    kind = next(column["kind"] for column in columns if column["key"] == key)
    return write_value(value.get(key), kind)


def show(
    browser: Any,
    path: Path,
    report: Report,
    *,
    width: int = 1280,
    scheme: str = "light",
    anchor: str = "",
) -> Any:
    """Open a report as a file in a browser without network; all that it asks for is kept."""
    path.write_text(write_page(report), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.context.set_offline(True)
    page.asked, page.told = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda told: page.told.append(told.text))
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.goto(path.as_uri() + anchor)
    page.wait_for_selector("html[data-ready]", state="attached")
    return page
