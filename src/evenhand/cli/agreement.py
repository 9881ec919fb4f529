"""`evenhand agreement`: do judges agree, with each other and with themselves?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import (
    OneOf,
    level_option,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, part_groups
from evenhand.cli.running import ProgressDisplay, remarks_on, take_output, take_reading
from evenhand.cli.terminal import align, block, cut, label, plural, say_end, width
from evenhand.errors import UnknownOption, listing
from evenhand.judges.agreement_table import AgreementPart, AgreementTable
from evenhand.judges.units import Coefficient
from evenhand.report.latex import escape, number, tabular

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings

CLUSTERS: Final = ("item", "judge")
MODES: Final = ("strict", "wmt")

_measure_option = section("What to measure")
_certainty_option = section("Uncertainty")

measure_options = stack(
    _measure_option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Each value of this column too, such as an input type. Repeatable; several are"
        " crossed. Default: criterion, where there is one.",
    ),
    _measure_option(
        "--scale",
        metavar="LOW-HIGH",
        help="Scores that can be given: 1-5 (whole steps), 0..1 (no steps) or 1,2,3,5. Default:"
        " those that occur.",
    ),
    _measure_option(
        "--coefficient",
        "coefficients",
        multiple=True,
        metavar="NAME|all",
        help="A coefficient or a family of them, such as alpha, cohen, icc or kappa. Repeatable."
        " Default: those usual for such judgments.",
    ),
    _measure_option(
        "--mode",
        type=OneOf(MODES),
        help="Pairwise κ of comparisons: strict (different judges, whatever the order on the"
        " screen) or wmt (as the organisers count). Default: both.",
    ),
)

certainty_options = stack(
    _certainty_option(
        "--cluster", type=OneOf(CLUSTERS), default="item", help="What is drawn again for intervals."
    ),
    level_option(_certainty_option),
    seed_option(_certainty_option),
)


@verb(
    "evenhand agreement scores.csv --scale 1-5 --by criterion",
    "evenhand agreement scores.csv --by criterion --by input_type",
    "evenhand agreement wmt16.csv --mode wmt",
)
@reading_options
@measure_options
@certainty_options
@output_options
def agreement(
    *,
    by: tuple[str, ...],
    scale: str | None,
    coefficients: tuple[str, ...],
    mode: str | None,
    cluster: str,
    level: float,
    seed: int,
) -> None:
    """Measure how far judges agree.

    Of ratings, comparisons or rankings, with intervals that allow for
    items being hard or easy. Several tasks are kept apart, unless you say
    --by task.
    """
    reading, place = take_reading(), take_output()
    with ProgressDisplay("comparing"):
        data = reading.open()
        from evenhand.judges.agreement import measure_agreement

        result = measure_agreement(
            data,
            by=by or ("criterion",),
            coefficients=_choose(data, coefficients, mode),
            scale=scale,
            level=level,
            cluster=cluster,
            seed=seed,
        )
        from evenhand.data.rankings import Rankings

        table = data.comparisons() if isinstance(data, Rankings) else data
        remarks = remarks_on(table, "controls", "repeats")

    place.deliver(AgreementResult(*part_groups(result), remarks))


def _choose(
    data: Comparisons | Rankings | Ratings, coefficients: tuple[str, ...], mode: str | None
) -> tuple[str, ...]:
    """Return the coefficients that are meant; a mode says which pairwise κ."""
    from evenhand.data.ratings import Ratings

    if mode is None:
        return coefficients or ("default",)
    if isinstance(data, Ratings):
        raise UnknownOption(
            f"--mode {mode} is about pairwise κ of comparisons, and {data.source.name} holds"
            " ratings: leave it out"
        )
    return (*(coefficients or ("default",)), mode)


MAX_PARTS: Final = 30  # Most parts in the table for people
MAX_ITEMS: Final = 3  # Items on which judges are farthest apart that people are shown
LANDIS_KOCH: Final = "(Landis & Koch 1977)"  # What follows the word for a κ
PAIRS: Final = ", mean over pairs by common units"
# Beginnings of names, and what stands above them; those of none come first
_HEADINGS: Final = (
    (("cohen", "pearson", "spearman"), "two judges at a time, pairs counting by common outputs"),
    (("icc", "kendall-w"), "judges who scored the same outputs"),
    (("intra", "kappa-intra"), "judges with themselves, asked again"),
    (("kappa",), "comparisons of the same two outputs"),
)
# Coefficients in the table of parts, and their titles
_COLUMNS: Final = {
    "n-agreement-0": "same",
    "n-agreement-1": "±1",
    "n-agreement-2": "±2",
    "fleiss": "Fleiss κ",
    "alpha-ordinal": "α ordinal",
    "alpha-interval": "α interval",
    "kappa-strict": "κ strict",
    "kappa-wmt": "κ WMT",
}


class AgreementResult(GroupedResult[AgreementTable]):
    lacking = "has no agreement"

    def draw(self, part: AgreementTable, columns: int) -> list[str]:
        return [
            label("", _say_counts(part), columns),
            *([label("scale", part.scale, columns)] if part.scale else []),
            "",
            *block("says", part.says, columns),
            *_draw_coefficients(part.whole, columns),
            *_draw_parts(part, columns),
            *_draw_items(part.whole, columns),
            *say_end(self.say(part), part.signature, columns),
        ]

    def tabulate(self, part: AgreementTable) -> str:
        blocks = [
            [
                (
                    escape(subset.name),
                    escape(one.title),
                    number(one.value, 3),
                    _interval(one, number),
                )
                for one in subset.coefficients
            ]
            for subset in part.parts
        ]
        header = ("part", "coefficient", "value", "interval")
        comments = [part.signature, *part.says, *part.notes]
        return tabular("llrr", header, [rows for rows in blocks if rows], comments)

    def say(self, part: AgreementTable) -> Sequence[str]:
        notes = [*part.whole.notes, *part.notes]
        notes += [_explain(one) for one in part.whole.coefficients if one.why is not None]
        return tuple(dict.fromkeys([*notes, *_note_coefficients(part.whole)]))


def _explain(one: Coefficient) -> str:
    why = one.why or ""
    return why if why.startswith(one.title.partition(",")[0]) else f"{one.name}: {why}"


def _note_coefficients(part: AgreementPart) -> list[str]:
    """Return what stands beside single coefficients, and which, but for words and counts of κ."""
    names_by_note: dict[str, list[str]] = {}
    for one in part.coefficients:
        for note in one.notes:
            if not note.endswith(LANDIS_KOCH) and not note.startswith("P(A)"):
                names_by_note.setdefault(note, []).append(one.name)
    return [f"{listing(names, 2)}: {note}" for note, names in names_by_note.items()]


def _say_counts(table: AgreementTable) -> str:
    whole = table.whole
    if not whole.units:
        return "no output was judged by two judges"
    answers = "score" if table.kind == "ratings" else "comparison"
    outputs = "output" if table.kind == "ratings" else "output pair"
    counts = f"{plural(whole.ratings, answers)} of {plural(whole.units, outputs)} by two"
    most = f" to {whole.most_judges}" if whole.most_judges > 2 else ""
    return f"{counts}{most} judges, {plural(whole.judges, 'judge')} in all"


def _draw_coefficients(part: AgreementPart, columns: int) -> list[str]:
    held = [one for one in part.coefficients if one.value is not None]
    if not held:
        return []
    rows = align([_cells(one) for one in held], left=(2,))
    room = columns - 3 - max(sum(width(cell) + 2 for cell in row) for row in rows)
    lines_by_heading: dict[str, list[str]] = {}
    titles = align(
        [(cut(one.title.removesuffix(PAIRS).removeprefix("themselves: "), room),) for one in held],
        left=(0,),
    )
    for one, (title,), cells in zip(held, titles, rows, strict=True):
        line = "  ".join([f"   {title}", *cells]).rstrip()
        heading = next((text for starts, text in _HEADINGS if one.name.startswith(starts)), "")
        lines_by_heading.setdefault(heading, []).append(line)
    lines = []
    for heading, group in lines_by_heading.items():
        lines += ["", *([click.style(f" {heading}", dim=True)] if heading else []), *group]
    return lines


def _cells(one: Coefficient) -> tuple[str, str, str]:
    word = next(
        (note.removesuffix(LANDIS_KOCH) for note in one.notes if note.endswith(LANDIS_KOCH)), ""
    )
    return _show(one.value), _interval(one, lambda end, _: _show(end)), word.strip()


def _show(value: float | None) -> str:
    return "—" if value is None else f"{value:z.3f}"


def _interval(one: Coefficient, write: Callable[[float, int], str]) -> str:
    if one.lower is None or one.upper is None:
        return ""
    return f"{write(one.lower, 3)} to {write(one.upper, 3)}"


def _draw_parts(table: AgreementTable, columns: int) -> list[str]:
    """Return a line for each part but the whole, with the coefficients that tell most."""
    parts = table.parts[:-1]
    if not parts:
        return []
    shown = _choose_columns(table, columns)
    rows = [(part.name, *_part_cells(part, shown)) for part in parts[:MAX_PARTS]]
    name = Column.names(cut(", ".join(table.by), 24))
    lines = draw_table((name, "outputs", *(_COLUMNS[one] for one in shown)), rows, columns)
    more = len(parts) - MAX_PARTS
    rest = [f" ... and {more:,} more: --csv has all of them"] if more > 0 else []
    return ["", *lines, *rest]


def _choose_columns(table: AgreementTable, columns: int) -> list[str]:
    held = {one.name for part in table.parts[:-1] for one in part.coefficients}
    wanted, room = [], columns - 40
    for name in (name for name in _COLUMNS if name in held):
        room -= max(width(_COLUMNS[name]), 6) + 2
        if room < 0:
            break
        wanted.append(name)
    return wanted


def _part_cells(part: AgreementPart, shown: Sequence[str]) -> tuple[str, ...]:
    known = {one.name: one.value for one in part.coefficients}
    return f"{part.units:,}", *(_show(known.get(name)) for name in shown)


def _draw_items(part: AgreementPart, columns: int) -> list[str]:
    listed = part.doubtful[:MAX_ITEMS]
    alone = len({one.task for one in listed}) == 1
    if not listed:
        return [""]
    names = [one.item.removeprefix(f"{one.task} / ") if alone else one.item for one in listed]
    items = [
        f"{name} ({one.difference:.2f} on {plural(one.units, 'output')})"
        for name, one in zip(names, listed, strict=True)
    ]
    return ["", label("items", f"judges are farthest apart on {', '.join(items)}", columns)]
