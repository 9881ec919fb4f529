"""Which judges are alike, for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from evenhand.cli.alike_text import draw_errors, draw_judges, draw_pairs, say_features, say_open
from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import label, plural
from evenhand.cli.words import block, sign
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.report.tables.latex import escape, number, tabular

KEYS: Final = ("what", "name", "other", "estimate", "lower", "upper", "known")  # Columns of CSV
OF_JUDGES: Final = ("ratings", "leniency", "private", "noise", "private_and_noise")


class AlikeResult(GroupedResult[JudgeLikeness]):
    """What `evenhand alike` found: how alike judges are, in each group."""

    lacking = "says nothing of judges"

    def draw(self, part: JudgeLikeness, columns: int) -> list[str]:
        """Return counts, the judges, how alike they are, and what is said of it."""
        found = part.process
        pairs, opened = draw_pairs(part, columns), say_open(part)
        return [
            label("", _say_counts(part), columns),
            label("model", f"a Gaussian process over judges; {found.learned.features}", columns),
            "",
            *draw_judges(part, columns),
            "",
            *pairs,
            *([label("open", opened, columns)] if opened else []),
            "",
            *([*draw_errors(part, columns), ""] if part.table else []),
            label("moves", say_features(part), columns),
            *block("says", part.says, columns),
            *(label("note", note, columns, colour="yellow") for note in part.notes),
            sign(found.signature, columns),
        ]

    def describe(self, part: JudgeLikeness) -> dict[str, Any]:
        """Return the JSON of one part."""
        return part.to_dict()

    def rows(self, part: JudgeLikeness) -> list[dict[str, Any]]:
        """Return a row for each number: of judges, of pairs, of features and of errors."""
        return [dict(zip(KEYS, row, strict=True)) for row in _list_numbers(part)]

    def tabulate(self, name: str, part: JudgeLikeness) -> str:
        """Return the matrix as a table for a paper; what is open is left blank."""
        judges = part.judges
        rows = [
            (
                escape(judge),
                number(part.records[judge]["leniency"], 1),
                *(_cell(part, judge, other) for other in judges[:at]),
                *[""] * (len(judges) - 1 - at),
            )
            for at, judge in enumerate(judges)
        ]
        header = ("judge", "lenient by", *map(escape, judges[:-1]))
        comments = [*([name] if name else []), part.process.signature, *self.say(part)]
        return tabular("l" + "r" * len(judges), header, [rows], comments)

    def say(self, part: JudgeLikeness) -> Sequence[str]:
        """Return what was found, and what must stand beside it."""
        return [*part.says, *part.notes]


def _say_counts(part: JudgeLikeness) -> str:
    ratings = sum(row["ratings"] for row in part.records.values())
    return f"{plural(ratings, 'rating')}, {plural(len(part.judges), 'judge')}"


def _cell(part: JudgeLikeness, judge: str, other: str) -> str:
    pair = part.both[judge, other]
    return number(pair.correlation, 2) if pair.known else ""


def _list_numbers(part: JudgeLikeness) -> Iterator[tuple[Any, ...]]:
    """Return what, name, other, estimate, lower, upper, known."""
    for judge, row in part.records.items():
        for what in OF_JUDGES:
            known = row[what] is not None
            ends = (row.get(f"{what}_lower"), row.get(f"{what}_upper"))
            yield (what, judge, None, row[what], *ends, known)
    for at, judge in enumerate(part.judges):
        for other in part.judges[:at]:
            one = part.both[judge, other]
            yield ("correlation", judge, other, one.correlation, one.lower, one.upper, one.known)
    for name, kept in part.kept.items():
        yield ("feature", name, None, kept, None, None, None)
    for error in part.table:
        more = {"mae": error.mae_more, "rmse": error.rmse_more}
        for what, value in (("mae", error.mae), ("rmse", error.rmse)):
            yield (what, error.method, None, value, None, None, None)
            gap = more[what]
            if gap is not None:
                yield (f"{what}_more", error.method, None, gap.value, gap.lower, gap.upper, None)
