"""Models compared on held-out judgments, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import align, effective, label, plural, share, width
from evenhand.cli.words import block
from evenhand.judgments.votes import TIE, Votes
from evenhand.ranking.cross_validation import HeldOutScore, ModelComparison
from evenhand.ranking.predictions import count_effective
from evenhand.report.tables.latex import NONE, escape, number, tabular

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
SLOW: Final = 100.0  # Seconds that are told without a decimal
WHY: Final = "why"  # Column of CSV in which refusals have their reason


class CompareResult(GroupedResult[ModelComparison]):
    """What `evenhand compare` found: a table of models for each group."""

    lacking = "has no comparison"

    def draw(self, part: ModelComparison, columns: int) -> list[str]:
        """Return what was held out, the table, and what it says."""
        lines = _table(part, columns)
        legend = _legend(part)
        return [
            label("", ", ".join(count_votes(part.held_out)), columns),
            label("hides", say_held_out(part), columns),
            "",
            *([click.style(lines[0], dim=True), *lines[1:], ""] if lines else []),
            *block("says", say_comparison(part), columns),
            *([label("table", legend, columns)] if legend else []),
            *(label("note", note, columns, colour="yellow") for note in _notes(part)),
            label("sign", part.signature, columns),
        ]

    def describe(self, part: ModelComparison) -> dict[str, Any]:
        """Return the JSON of one comparison."""
        return part.to_dict() | count_sides(part.held_out) | {"says": say_comparison(part)}

    def rows(self, part: ModelComparison) -> list[dict[str, Any]]:
        """Return a row for each model, those refused last and without numbers."""
        keys = list(HeldOutScore.__dataclass_fields__)
        refused = [
            dict.fromkeys(keys) | {"model": name, "seconds": part.seconds[name], WHY: why}
            for name, why in part.refused.items()
        ]
        return [*({**one, WHY: None} for one in part.records()), *refused]

    def tabulate(self, name: str, part: ModelComparison) -> str:
        """Return the table for a paper."""
        header = ("model", "perplexity", "interval", r"$\Delta$ bits", "interval", "CPU s")
        rows = [_typeset(one, part) for one in part.scores]
        said = [*([name] if name else []), part.signature, say_held_out(part)]
        return tabular("lrrrrr", header, [rows], [*said, *self.say(part)])

    def say(self, part: ModelComparison) -> list[str]:
        """Return what was found, and what must stand beside it."""
        return [*say_comparison(part), *_notes(part)]


def count_votes(votes: Votes) -> list[str]:
    """Say how many held-out judgments there are, of how many judges, items and systems."""
    counts = count_sides(votes)
    rankings = counts["n_judgments"]
    said = [plural(votes.size, "comparison")]
    if rankings != votes.size:
        said = [f"{plural(rankings, 'answer')} → {said[0]}"]
    for one in ("judge", "item", "system"):
        if (many := counts[f"n_{one}s"]) is not None:
            uneven = effective(many, counts["effective_judges"]) if one == "judge" else ""
            said.append(plural(many, one) + uneven)
    return [*said, f"{share(int((votes.outcome == TIE).sum()), votes.size)} ties"]


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
    """Say what was hidden from the models."""
    times = f", {part.repeats} times anew" if part.repeats > 1 else ""
    return f"every comparison once{times}, in {part.folds} folds: {BLOCKS[part.blocks]}"


def say_comparison(part: ModelComparison) -> list[str]:
    """Say which models predict best, and which are left out of these, and why."""
    worse = [one for one in part.scores if not one.among_best]
    if not worse:
        return [*part.says]
    first, *more = worse
    ends = f"{first.behind_lower:.4f} to {first.behind_upper:.4f}"
    said = (
        f"{first.model} is not among the best: it is worse than {first.beaten_by} by"
        f" {first.behind:.4f} bits ({ends})"
    )
    also = [f"also left out: {', '.join(one.model for one in more)}"] if more else []
    return [*part.says, said, *also]


def _table(part: ModelComparison, columns: int) -> list[str]:
    """Return the table, titles first, with as much beside the perplexity as there is room for."""
    lines: list[str] = []
    for shown, digits in LAYOUTS if part.scores else ():
        rows = [_titles(part, shown), *(_cells(one, part, shown, digits) for one in part.scores)]
        lines = [
            " ".join([row[0], "  ".join(row[1:])]).rstrip() for row in align(rows, left=(0, 1))
        ]
        if max(map(width, lines)) <= columns:
            break
    return lines


def _titles(part: ModelComparison, shown: Sequence[str]) -> list[str]:
    level = f"{100 * part.level:g} %"
    perplexity = f"perplexity ({level})" if "interval" in shown else "perplexity"
    return ["", "model", perplexity, f"above best, bits ({level})", *(["CPU"] * ("cpu" in shown))]


def _cells(
    one: HeldOutScore, part: ModelComparison, shown: Sequence[str], digits: int
) -> list[str]:
    """Return the line of a model."""
    own = f"{one.perplexity:.3f}"
    if "interval" in shown:
        own += f" ({one.lower:.3f} to {one.upper:.3f})"
    ends = f"({one.difference_lower:.{digits}f} to {one.difference_upper:.{digits}f})"
    apart = BEST if one.model == part.best else f"{one.difference:.{digits}f} {ends}"
    mark = MARK if one.among_best and one.model != part.best else ""
    return [mark, one.model, own, apart, *([say_seconds(one.seconds)] if "cpu" in shown else [])]


def say_seconds(seconds: float) -> str:
    """Write CPU time.

    >>> say_seconds(0.04), say_seconds(3.21), say_seconds(250.4)
    ('0.0 s', '3.2 s', '250 s')
    """
    return f"{seconds:.0f} s" if seconds >= SLOW else f"{seconds:.1f} s"


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
