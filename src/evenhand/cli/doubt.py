"""`evenhand doubt`: what would change the answer?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import (
    cluster_options,
    given_options,
    group_option,
    model_options,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.rank_result import Shares, choose_model, make_mix, mix_options
from evenhand.cli.result import GroupedResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_tables,
)
from evenhand.cli.terminal import align, block, cut, hang, label, plural, say_end, width, wrap
from evenhand.errors import listing
from evenhand.ranking.robustness.fragility import Flip, Fragility
from evenhand.ranking.robustness.removal import NO_RANKING
from evenhand.ranking.robustness.sensitivity import Choice, Doubts, Sensitivity
from evenhand.report.latex import escape, escape_control, tabular

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons

_doubts_option = section("What is doubted")

doubt_options = stack(
    _doubts_option(
        "--pair",
        "pairs",
        nargs=2,
        multiple=True,
        metavar="BETTER WORSE",
        help="Ask what carries this order of two systems. Repeatable. Default: the first system,"
        " whom it is decided to beat, and the borders between clusters.",
    ),
    _doubts_option(
        "--after",
        type=int,
        multiple=True,
        metavar="PLACE",
        help="Ask what carries the border after a place. Repeatable.",
    ),
)


@verb(
    "evenhand doubt votes.csv",
    "evenhand doubt votes.csv --pair opus lark",
    "evenhand doubt votes.csv --ties discard --judge-cap median",
    "evenhand doubt wmt12.RNK_results.csv --task en-de --after 3",
)
@reading_options
@group_option
@doubt_options
@model_options
@mix_options
@cluster_options
@seed_option(_doubts_option)
@output_options
def doubt(
    *,
    group_by: str | None,
    pairs: tuple[tuple[str, str], ...],
    after: tuple[int, ...],
    ties: str,
    order_effect: bool,
    reference: str | None,
    prior: float,
    mixes: tuple[Shares, ...],
    per: str,
    judge_cap: str | None,
    cluster: str | None,
    level: float,
    seed: int,
) -> None:
    """Say what would change the answer.

    How few votes, judges and items carry each conclusion, and whose they are;
    the ranking under each reasonable choice; and whether preferences go round
    in circles more than noise makes them. Each task apart. With the options
    of `evenhand rank` the ranking that they make is doubted.
    """
    reading, place, given = take_reading(), take_output(), given_options()
    settings = {"ties": ties, "reference": reference, "prior": prior, "order_effect": order_effect}
    with ProgressDisplay("doubting"):
        from evenhand.data.rankings import Rankings
        from evenhand.ranking.robustness.sensitivity import raise_doubts

        options: dict[str, Any] = {
            "model": choose_model(None, (), settings, given),
            "mix": make_mix(mixes, per),
            "judge_cap": judge_cap,
            "cluster": cluster,
            "level": level,
            "seed": seed,
        }
        opened = reading.open_pairs("doubt")  # with controls, which say whom to leave out
        data = opened.comparisons() if isinstance(opened, Rankings) else opened

        def work(part: Comparisons) -> Doubts:
            return raise_doubts(part, pairs=pairs, after=after, **options)

        results, refused = work_on_tables(data, group_by, work)
        remarks = remarks_on(data, "controls")

    place.deliver(DoubtResult(results, refused, remarks))


MAX_NAME: Final = 24  # Columns that a system's name has in a table
NO_CHANGE: Final = "nothing"  # What a choice changes that changes nothing
MAX_CONCLUSIONS: Final = 3  # Conclusions that are spelled out in the terminal; JSON has all
MAX_CHANGES: Final = 3  # Most changes that are named
# Least columns for what changes beside a choice; its place below one, as that of counts
MIN_ROOM, INDENT = 20, 4
LEGEND: Final = {
    "reversed": "reversed: without so many, or fewer others, another system is ahead",
    "undecided": "undecided: without so many, or fewer others, it is no longer decided",
}


class DoubtResult(GroupedResult[Doubts]):
    lacking = "has no ranking to be doubted"

    def draw(self, part: Doubts, columns: int) -> list[str]:
        choices = part.sensitivity.choices
        counts = (
            f"{plural(len(choices[0].systems), 'system')}, {plural(len(choices), 'way')} to rank"
        )
        cycles = () if part.cycles is None else part.cycles.says
        few = part.fragility.says[:MAX_CONCLUSIONS]
        # A line for each choice, with what it changes
        cells = [one for one in _cells(part.sensitivity) if one[-1] != NO_CHANGE]
        same = [one[0] for one in _cells(part.sensitivity) if one[-1] == NO_CHANGE]
        shown = [(name, cut(first, MAX_NAME), decided) for name, first, decided, _ in cells]
        rows = align([("choice", "first", "decided"), *shown], left=(0, 1))
        lines = []
        changes = ["what changes", *(changed for *_, changed in cells)]
        for aligned, changed in zip(rows, changes, strict=True):
            start = " " + "  ".join(aligned) + "  "
            if columns - width(start) >= MIN_ROOM:
                lines += [line.rstrip() for line in hang(start, changed, columns)]
            else:
                lines.append(start.rstrip())
                lines += hang(" " * INDENT, changed, columns) if changed else []
        none = wrap(f"nothing changes under: {listing(same)}", columns - 1) if same else []
        return [
            label("", counts, columns),
            "",
            click.style(" How few carry it?", bold=True),
            *_flips(part.fragility, columns),
            *_whose(part.fragility, columns),
            "",
            click.style(" Under other choices", bold=True),
            *[_dim(lines[0]), *lines[1:], *(f" {line}" for line in none)],
            "",
            *block("says", [*few, *part.sensitivity.says, *cycles], columns),
            *say_end(_notes(part), part.signature, columns),
        ]

    def describe(self, part: Doubts) -> dict[str, Any]:
        return {**part.to_dict(), "notes": _notes(part)}

    def rows(self, part: Doubts) -> list[dict[str, Any]]:
        keys = ("claim", "how", "unit", "fewest", "total", "share", "left")
        return [{key: getattr(one, key) for key in keys} for one in part.fragility.flips]

    def tabulate(self, part: Doubts) -> str:
        header = ("choice", "first", "decided pairs", "what changes")
        rows = [
            (escape(one), escape(first), decided, escape(changed))
            for one, first, decided, changed in _cells(part.sensitivity)
        ]
        comments = [part.signature, *self.say(part)]
        return tabular("llrl", header, [rows], comments)

    def say(self, part: Doubts) -> Sequence[str]:
        return [*part.says, *_notes(part)]


def _notes(part: Doubts) -> list[str]:
    cycles = () if part.cycles is None else part.cycles.notes
    return list(
        dict.fromkeys([*part.notes, *part.fragility.notes, *part.sensitivity.notes, *cycles])
    )


def _flips(fragility: Fragility, columns: int) -> list[str]:
    if not fragility.flips:
        return [" no conclusion to ask about"]
    units = list(dict.fromkeys(one.unit for one in fragility.flips))
    rows = [("is", *(f"{unit}s" for unit in units))]
    for flips in fragility.conclusions:
        by_unit = {one.unit: one for one in flips}
        rows.append((flips[0].how, *(_few(by_unit.get(unit)) for unit in units)))
    counts = ["  ".join(cells) for cells in align(rows, left=(0,))]
    claims = ["conclusion", *(escape_control(flips[0].claim) for flips in fragility.conclusions)]
    room = max(width(claim) for claim in claims)
    if 3 + room + width(counts[0]) <= columns:
        both = align(list(zip(claims, counts, strict=True)), left=(0, 1))
        lines = [" " + "  ".join(cells).rstrip() for cells in both]
    else:  # the claim whole, and what carries it below
        lines = [" " * INDENT + counts[0]]
        for before, claim, count in zip(["", *claims[1:]], claims[1:], counts[1:], strict=False):
            if claim != before:
                lines += [f" {line}" for line in wrap(claim, columns - 1)]
            lines.append(" " * INDENT + count)
    # Say what the words of the table mean, those that are there
    words = []
    for word, meaning in LEGEND.items():
        left = {flip.left for flip in fragility.flips if flip.how == word}
        if left:
            words.append(f"{meaning}, or nothing ranked" if NO_RANKING in left else meaning)
    stood = {flip.exact: flip for flip in reversed(fragility.flips) if flip.fewest is None}
    for exact, flip in sorted(stood.items()):
        rest = "no other set turns it" if exact else "larger sets were not tried"
        kind = flip.unit + "s"
        words.append(f"{_few(flip)}: it stands without all {kind} that speak for it; {rest}")
    legend = wrap("; ".join(words), columns - 1)
    return [_dim(lines[0]), *lines[1:], *(_dim(f" {line}") for line in legend)]


def _dim(line: str) -> str:
    return click.style(line, dim=True)


def _few(one: Flip | None) -> str:
    if one is None:
        return ""
    if one.fewest is None:
        return f"not by {one.tried:,} of {one.total:,}"
    return f"{one.fewest:,} of {one.total:,}"


def _whose(fragility: Fragility, columns: int) -> list[str]:
    lines: list[str] = []
    listed = [
        flips for flips in fragility.conclusions if any(one.fewest is not None for one in flips)
    ]
    for flips in listed[:MAX_CONCLUSIONS]:
        title = f"{flips[0].claim} ({flips[0].how}):"
        lines += [f" {line}" for line in wrap(title, columns - 1)]
        for one in flips:
            if one.whose:
                lines += hang(f"   {one.unit + 's':<9}", one.whose, columns)
    if len(listed) > MAX_CONCLUSIONS:
        more = plural(len(listed) - MAX_CONCLUSIONS, "more conclusion")
        lines.append(click.style(f" of {more}, and one by one: --json", dim=True))
    return ["", click.style(" Who and what are they?", bold=True), *lines] if lines else []


def _cells(sensitivity: Sensitivity) -> list[tuple[str, str, str, str]]:
    return [
        (one.name, "", "", f"no ranking: {one.refused}")
        if one.refused is not None
        else (
            one.name,
            listing(one.first, 2),
            str(len(one.decided)),
            _say_changes(sensitivity, one),
        )
        for one in sensitivity.choices
    ]


def _say_changes(sensitivity: Sensitivity, one: Choice) -> str:
    if one is sensitivity.choices[0]:
        return ""
    return listing(sensitivity.changes(one), MAX_CHANGES) or NO_CHANGE
