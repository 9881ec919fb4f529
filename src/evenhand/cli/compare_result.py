"""Models compared on held-out judgments, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

from evenhand.cli.result import (
    NO_VALUE,
    Column,
    GroupedResult,
    draw_table,
    first_fitting,
    fits,
    tabulate,
)
from evenhand.cli.terminal import block, cut, effective, label, plural, say_notes, share
from evenhand.data.votes import TIE, Votes
from evenhand.errors import NotIdentified
from evenhand.ranking.cross_validation import HeldOutScore, ModelComparison
from evenhand.ranking.learning_curves import Enough, LearningCurves
from evenhand.ranking.predictions import count_effective
from evenhand.report.latex import NONE, escape, number, tabular

MARK: Final = "≈"  # Stands before models that cannot be told from the best
# What is shown beside the perplexity, and decimals of differences: the first that fits
LAYOUTS: Final = (
    (("interval", "cpu"), 4),
    (("interval", "cpu"), 3),
    (("interval",), 3),
    (("cpu",), 3),
    ((), 3),
)
BLOCKS: Final = {
    "judge": "no judge on both sides",
    "item": "no item on both sides",
    "both": "neither a judge nor an item on both sides",
    "ranking": "no ranking on both sides",
    "judgment": "judge and item may be on both sides, which flatters",
}
BEST: Final = "best"
MAX_WITH_TENTHS: Final = 100.0  # Seconds that are told without a decimal
WHY: Final = "why"  # Column of CSV in which refusals have their reason


class CompareResult(GroupedResult[ModelComparison]):
    lacking = "has no comparison"

    def draw(self, part: ModelComparison, columns: int) -> list[str]:
        legend = _legend(part)
        return [
            label("", ", ".join(count_votes(part.held_out)), columns),
            label("hides", say_held_out(part), columns),
            "",
            *([*_table(part, columns), ""] if part.scores else []),
            *block("says", say_comparison(part), columns),
            *([label("table", legend, columns)] if legend else []),
            *say_notes(_notes(part), columns),
            label("sign", part.signature, columns),
        ]

    def describe(self, part: ModelComparison) -> dict[str, Any]:
        return part.to_dict() | count_sides(part.held_out) | {"says": say_comparison(part)}

    def rows(self, part: ModelComparison) -> list[dict[str, Any]]:
        keys = list(HeldOutScore.__dataclass_fields__)
        refused = [
            dict.fromkeys(keys) | {"model": name, "seconds": part.seconds[name], WHY: why}
            for name, why in part.refused.items()
        ]
        return [*({**one, WHY: None} for one in part.records()), *refused]

    def tabulate(self, part: ModelComparison) -> str:
        header = ("model", "perplexity", "interval", r"$\Delta$ bits", "interval", "CPU s")
        rows = [_typeset(one, part) for one in part.scores]
        comments = [part.signature, say_held_out(part)]
        return tabular("lrrrrr", header, [rows], [*comments, *self.say(part)])

    def say(self, part: ModelComparison) -> list[str]:
        return [*say_comparison(part), *_notes(part)]


def count_votes(votes: Votes) -> list[str]:
    counts = count_sides(votes)
    rankings = counts["n_judgments"]
    texts = [plural(votes.size, "comparison")]
    if rankings != votes.size:
        texts = [f"{plural(rankings, 'answer')} → {texts[0]}"]
    for one in ("judge", "item", "system"):
        if (many := counts[f"n_{one}s"]) is not None:
            uneven = effective(many, counts["effective_judges"]) if one == "judge" else ""
            texts.append(plural(many, one) + uneven)
    return [*texts, f"{share(int((votes.outcome == TIE).sum()), votes.size)} ties"]


def count_sides(votes: Votes) -> dict[str, Any]:
    """Count answers, judges, items and systems of votes; None where nobody names them."""
    sides = {*votes.left.tolist(), *votes.right.tolist()}
    known = {"judges": votes.judges != ("",), "items": votes.items != ("",)}
    codes = {"judges": votes.judge, "items": votes.item}
    return {
        "n_judgments": votes.size if votes.answer is None else len({*votes.answer.tolist()}),
        **{f"n_{name}": len({*codes[name].tolist()}) if known[name] else None for name in codes},
        "n_systems": len(sides),
        "effective_judges": count_effective(votes),
    }


def say_held_out(part: ModelComparison) -> str:
    times = f", {part.repeats} times anew" if part.repeats > 1 else ""
    return f"every comparison once{times}, in {part.folds} folds: {BLOCKS[part.blocks]}"


def say_comparison(part: ModelComparison) -> list[str]:
    worse = [one for one in part.scores if not one.among_best]
    if not worse:
        return [*part.says]
    first, *more = worse
    ends = f"{first.behind_lower:.4f} to {first.behind_upper:.4f}"
    sentence = (
        f"{first.model} is not among the best: it is worse than {first.beaten_by} by"
        f" {first.behind:.4f} bits ({ends})"
    )
    also = [f"also left out: {', '.join(one.model for one in more)}"] if more else []
    return [*part.says, sentence, *also]


def _table(part: ModelComparison, columns: int) -> list[str]:
    """Return the table, titles first, with as much beside the perplexity as there is room for."""
    marks = [MARK if one.among_best and one.model != part.best else "" for one in part.scores]
    blank = max(marks, default="") and " "
    tables = []
    for shown, digits in LAYOUTS:
        rows = [
            (f"{mark or blank} {one.model}", *_cells(one, part, shown, digits))
            for mark, one in zip(marks, part.scores, strict=True)
        ]
        heads: list[Column | str] = [Column(f"{blank} model"), *_titles(part, shown)]
        tables.append(draw_table(heads, rows, indent=""))
    return first_fitting(tables, columns)


def _titles(part: ModelComparison, shown: Sequence[str]) -> list[str]:
    level = f"{100 * part.level:g} %"
    perplexity = f"perplexity ({level})" if "interval" in shown else "perplexity"
    return [perplexity, f"above best, bits ({level})", *(["CPU"] * ("cpu" in shown))]


def _cells(
    one: HeldOutScore, part: ModelComparison, shown: Sequence[str], digits: int
) -> list[str]:
    perplexity = f"{one.perplexity:.3f}"
    if "interval" in shown:
        perplexity += f" ({one.lower:.3f} to {one.upper:.3f})"
    ends = f"({one.difference_lower:.{digits}f} to {one.difference_upper:.{digits}f})"
    apart = BEST if one.model == part.best else f"{one.difference:.{digits}f} {ends}"
    return [perplexity, apart, *([say_seconds(one.seconds)] if "cpu" in shown else [])]


def say_seconds(seconds: float) -> str:
    """Write CPU time.

    >>> say_seconds(0.04), say_seconds(3.21), say_seconds(250.4)
    ('0.0 s', '3.2 s', '250 s')
    """
    return f"{seconds:.0f} s" if seconds >= MAX_WITH_TENTHS else f"{seconds:.1f} s"


def _legend(part: ModelComparison) -> str:
    if not part.scores:
        return ""
    guessing = "perplexity 3 is guessing, lower is better"
    if len(part.scores) == 1:
        return guessing
    marked = f"{MARK} cannot be told from the best" if len(part.best_set) > 1 else "the best"
    return (
        f"{marked}: all models looked at at once, so that one may stay though it looks far from"
        " the best, if its own noise is large, and leave though it looks near, if another is"
        f" surely better; {guessing}; above best: differences on the same"
        " judgments, each interval of its pair alone"
    )


def _notes(part: ModelComparison) -> list[str]:
    refused = [f"{name} is not compared: {why}" for name, why in part.refused.items()]
    return [*refused, *part.notes]


def _typeset(one: HeldOutScore, part: ModelComparison) -> tuple[str, ...]:
    """Return the row of a model in LaTeX, those that cannot be told from the best in bold."""
    name = escape(one.model)
    best = one.model == part.best
    apart = f"{number(one.difference_lower, 4)} to {number(one.difference_upper, 4)}"
    return (
        rf"\textbf{{{name}}}" if one.among_best else name,
        number(one.perplexity, 3),
        f"{number(one.lower, 3)} to {number(one.upper, 3)}",
        NONE if best else number(one.difference, 4),
        NONE if best else apart,
        number(one.seconds, 1),
    )


MAX_TASK: Final = 24  # Most columns of the name of a task
SETS: Final = (
    Column("task", lambda one: cut(one.task, MAX_TASK) or "all"),
    Column.number("k", "most", ",", "$k$", typeset="{:,}".format),
    *(Column.number(name, name, ",", typeset="{:,}".format) for name in ("items", "test", "train")),
)
LEGEND: Final = (
    "above, the test sets: items with at most k comparisons are held out, the others train; below,"
    " perplexity by training comparisons: 3 is guessing, lower is better"
)
BOTH_SIDES: Final = (
    "held out are items: a judge may be on both sides, so this is of new items, not of new judges"
)


@dataclass(frozen=True, eq=False)
class CurvesResult(GroupedResult[LearningCurves]):
    # whom models were trained on and whom they were tested on, such as ("group=crowd",
    # "group=expert"); or None
    transfer: tuple[str, str] | None = None
    lacking = "has no curves"

    def draw(self, part: LearningCurves, columns: int) -> list[str]:
        return [
            *([label("", say_transfer(self.transfer), columns)] if self.transfer else []),
            label("", f"held out: {', '.join(count_votes(part.held_out))}", columns),
            "",
            *_print(SETS, part.test_sets, columns),
            "",
            *_draw_curves(part, columns),
            "",
            *block("says", say_curves(part), columns),
            label("table", LEGEND, columns),
            *say_notes(self._notes(part), columns),
            label("sign", part.signature, columns),
        ]

    def describe(self, part: LearningCurves) -> dict[str, Any]:
        enough = _find_enough(part)
        trained, tested = self.transfer or (None, None)
        details = {
            "trained_on": trained,
            "tested_on": tested,
            "enough": None if enough is None else asdict(enough),
            "says": say_curves(part),
            "notes": self._notes(part),
        }
        return part.to_dict() | count_sides(part.held_out) | details

    def rows(self, part: LearningCurves) -> list[dict[str, Any]]:
        why = {(one.model, one.size): one.why for one in reversed(part.refusals)}
        return [{**row, WHY: why.get((row["model"], row["size"]))} for row in part.records()]

    def tabulate(self, part: LearningCurves) -> str:
        comments = [part.signature, *self.say(part)]
        sets = tabulate(SETS, [part.test_sets], comments)
        return sets + "\n" + tabulate(_choose_columns(part), [part.order])

    def say(self, part: LearningCurves) -> list[str]:
        whom = [say_transfer(self.transfer)] if self.transfer else []
        return [*whom, *say_curves(part), *self._notes(part)]

    def _notes(self, part: LearningCurves) -> list[str]:
        alike = () if self.transfer or part.held_out.judges == ("",) else (BOTH_SIDES,)
        rest = replace(part, refusals=()).notes  # refusals are told here by model
        options = [note.replace("overlap='drop'", "--overlap drop") for note in rest]
        return [*_say_refusals(part), *alike, *options]


def say_transfer(transfer: tuple[str, str]) -> str:
    """Say whom models were trained on and whom they were tested on.

    >>> say_transfer(("group=crowd", "group=expert"))
    'trained on group=crowd, tested on group=expert'
    """
    return f"trained on {transfer[0]}, tested on {transfer[1]}"


def say_curves(part: LearningCurves) -> list[str]:
    best, size = part.order[0], part.largest
    at = part.sizes.index(size)
    if part.curve(best)[at].perplexity is None:
        return [*part.says]
    apart = {
        model: part.difference(model, best, size)
        for model in part.order[1:]
        if part.curve(model)[at].perplexity is not None
    }
    near = [model for model, gap in apart.items() if gap.lower <= 0]
    sentences = [*part.says]
    if near:
        sentences.append(f"not told from it, each compared alone: {', '.join(near)}")
    worse = [model for model in apart if model not in near]
    if worse:
        gap = apart[worse[0]]
        others = len(worse) - 1
        more = f"; {others} more {'is' if others == 1 else 'are'} worse still" if others else ""
        sentences.append(
            f"{worse[0]} is worse by {gap.value:.3f} ({gap.lower:.3f} to {gap.upper:.3f}){more}"
        )
    enough = _find_enough(part)
    return [*sentences, *(() if enough is None else enough.says)]


def _find_enough(part: LearningCurves) -> Enough | None:
    """Say how many comparisons are enough for the best model; None where curves do not show it."""
    from evenhand.ranking.learning_curves import find_enough

    try:
        return find_enough(part, part.order[0])
    except NotIdentified:
        return None


def _print(heads: Sequence[Column], rows: Sequence[Any], columns: int) -> list[str]:
    return first_fitting((draw_table(heads, rows, gap=gap) for gap in ("  ", " ")), columns)


def _draw_curves(part: LearningCurves, columns: int) -> list[str]:
    table = _choose_columns(part)
    lines = draw_table(table, part.order)
    return lines if fits(lines, columns) else _print(table[:-1], part.order, columns)


def _choose_columns(part: LearningCurves) -> list[Column]:
    def find(at: int, model: str) -> float | None:
        return part.curve(model)[at].perplexity

    return [
        Column("model", str),
        *(Column.number(f"{n:,}", partial(find, at), ".3f") for at, n in enumerate(part.sizes)),
        Column.number("CPU", part.seconds.get, say_seconds, only="text"),
    ]


def _say_refusals(part: LearningCurves) -> list[str]:
    refused: dict[str, list[Any]] = {}
    for one in part.refusals:
        refused.setdefault(one.model, []).append(one)
    return [
        f"{model}: {plural(len(runs), 'training')} refused, up to {max(one.size for one in runs):,}"
        f" comparisons, so that {NO_VALUE} stands there: {runs[0].why}"
        for model, runs in refused.items()
    ]
