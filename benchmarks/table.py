"""Rows into tables, and text into the marked places of a page of documentation."""

import os
import platform
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.row import Row

HEADINGS = (
    "contender", "form", "gives", "CPU s", "wall s", "peak MB", "x floor", "x best peer",
    "max diff", "runs", "also",
)  # fmt: skip
ORDER = {"floor": 0, "ours": 1, "peer": 2}
TEXT = (0, 1, 2, 10)


def setting(rows: Sequence[Row], blas_threads: int) -> str:
    """One paragraph: the machine and the versions."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    packages = dict.fromkeys(one for row in rows for one in row.versions.split())
    threads = f"{blas_threads} BLAS thread(s)" if blas_threads else "BLAS threads as found"
    told = ", ".join(packages).replace("=", " ")
    return f"{machine}; Python {platform.python_version()}; {told}; {threads} for peers."


def case(rows: Sequence[Row]) -> str:
    """The table of one case: floors, Evenhand, then the peers, the fastest first."""
    in_order = sorted(
        rows, key=lambda row: (ORDER[row.role], row.cpu_s or 0 if row.role == "peer" else 0)
    )
    lines = [cells(row) for row in in_order if row.cpu_s is not None]
    failed = [f"{row.contender} ({row.note})" for row in in_order if row.cpu_s is None]
    missing = f"\nNot measured: {'; '.join(failed)}.\n" if failed else ""
    return f"### {rows[0].suite}: {rows[0].case}\n\n{aligned(HEADINGS, lines, TEXT)}\n{missing}"


def cells(row: Row) -> list[str]:
    """One row as text."""
    style = ".3f" if (row.cpu_s or 0) >= 0.01 else ".4f"
    return [
        row.contender if not row.contender.startswith("python -c") else f"`{row.contender}`",
        row.form.replace("_", " "),
        row.gives,
        number(row.cpu_s, style),
        number(row.wall_s, style),
        number(row.peak_mb, ".0f"),
        number(row.times_floor, ".2f"),
        number(row.times_peer, ".2f"),
        number(row.difference, ".0e"),
        str(row.runs),
        row.also,
    ]


def number(value: float | None, style: str) -> str:
    """A number in a style, or nothing."""
    return "" if value is None else format(value, style)


def aligned(
    headings: Sequence[str], lines: Sequence[Sequence[str]], text: Sequence[int] = (0,)
) -> str:
    """A Markdown table whose columns line up in a terminal; all but `text` to the right.

    Columns without anything in them are left out.
    """
    kept = [i for i in range(len(headings)) if i == 0 or any(line[i] for line in lines)]
    widths = {i: max(len(line[i]) for line in (headings, *lines)) for i in kept}

    def line(values: Sequence[str]) -> str:
        padded = [
            values[i].ljust(widths[i]) if i in text else values[i].rjust(widths[i]) for i in kept
        ]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[i] if i in text else "-" * (widths[i] - 1) + ":" for i in kept]
    return "\n".join([line(headings), f"| {' | '.join(rule)} |", *map(line, lines)])


def by_case(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows that stand together."""
    for _, some in groupby(rows, key=lambda row: (row.suite, row.case)):
        yield list(some)


def write_docs(page: Path, mark: str, text: str) -> None:
    """Replace what stands between two marks of a page. Raises `ValueError` without them."""
    begin, end = (f"<!-- {mark}: {which} -->" for which in ("begin", "end"))
    before, found, rest = page.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} lacks the marks {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")
