"""`evenhand inspect`: what is in this file?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from evenhand.cli.options import output_options, reading_options, verb
from evenhand.cli.result import Column, draw_table, tabulate
from evenhand.cli.running import ProgressDisplay, take_output, take_reading
from evenhand.cli.terminal import block, effective, label, plural, share, whole
from evenhand.data.exclusions import list_texts
from evenhand.formats.inspection import Inspection, Part, Scores


@verb("evenhand inspect battles.parquet", "evenhand inspect votes.csv --column judge=annotator")
@reading_options
@output_options
def inspect() -> None:
    """Say what is in a file: judgments, judges, items, systems, ties.

    Also how many items several judges share, whether positions are balanced,
    and whether the comparisons link all systems. Every value is checked on
    the way.
    """
    reading, place = take_reading(), take_output()
    with ProgressDisplay("counting"):
        from evenhand import formats

        inspection = formats.inspect(reading.open())

    place.deliver(InspectResult(inspection))


# Exclusions that the counts below tell
COUNTED: Final = ("blank-rankings", "blank-ranks", "no-score")
COUNTS: Final = ("judgments", "comparisons")
UNKNOWN: Final = "—"


@dataclass(frozen=True)
class InspectResult:
    inspection: Inspection

    def text(self, columns: int) -> str:
        inspection = self.inspection
        shown = [one for one in inspection.excluded if one.code not in COUNTED]
        excluded = list_texts(shown, inspection.notes)
        lines = block("read", [inspection.name, *inspection.notes, *excluded], columns)
        if inspection.covariates:
            lines.append(label("", f"other columns: {', '.join(inspection.covariates)}", columns))
        lines += block("holds", _holds(inspection.total), columns)
        lines += block("score", [_score(one) for one in inspection.scores], columns)
        ties = inspection.total.tie_share
        of_all = [] if ties is None else [f"{share(ties, 1)} of comparisons"]
        lines += block("ties", of_all, columns)
        lines += block("order", _order(inspection.total), columns)
        lines += block("links", _links(inspection.total), columns)
        if inspection.tasks:
            lines += ["", *draw_table(COLUMNS, inspection.tasks, columns)]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        contract = self.inspection.to_dict()
        for part in (contract["total"], *contract["tasks"]):
            part.update({key: whole(part[key]) for key in COUNTS if part[key] is not None})
        return contract

    def records(self) -> list[dict[str, Any]]:
        contract = self.contract()
        parts = [contract["total"], *contract["tasks"]]
        return [
            {
                key: (": ".join(map(str, value)) if isinstance(value, list | tuple) else value)
                for key, value in part.items()
            }
            for part in parts
        ]

    def latex(self) -> str:
        parts = self.inspection.tasks or (self.inspection.total,)
        comments = [self.inspection.name, *(one.text for one in self.inspection.excluded)]
        return tabulate(COLUMNS, [parts], comments)

    def remarks(self) -> list[str]:
        return [
            *self.inspection.notes,
            *list_texts(self.inspection.excluded, self.inspection.notes),
        ]


def _holds(part: Part) -> list[str]:
    kind = "judgment" if part.rankings is None else "ranking"
    counts = [plural(part.judgments if part.rankings is None else part.rankings, kind)]
    if part.blank_rankings:
        counts[0] += f", {part.blank_rankings:,} of them blank"
    if part.rankings is not None and part.comparisons is not None:
        counts[0] += f" → {plural(part.comparisons, 'comparison')}"
    if part.judges is not None:
        counts.append(plural(part.judges, "judge") + effective(part.judges, part.effective_judges))
    counts += [] if part.items is None else [plural(part.items, "item")]
    sentences = [", ".join([*counts, plural(part.systems, "system")])]
    if part.controls is not None and part.repeats is not None:
        sentences.append(f"{plural(part.controls, 'control')}, {plural(part.repeats, 'repeat')}")
    if part.blank_ranks and part.ranks:
        besides = " of the others" if part.blank_rankings else ""
        sentences.append(f"{part.blank_ranks:,} of {part.ranks:,} ranks{besides} are blank")
    if part.shared_items is not None:
        judged = part.shared_judgments
        on = "" if judged is None else f" ({share(judged, 1)} of judgments)"
        sentences.append(f"{plural(part.shared_items, 'item')} judged by two or more judges{on}")
    return sentences


def _score(one: Scores) -> str:
    name = f"{one.criterion}: " if one.criterion else ""
    missing = f", {one.missing:,} missing" if one.missing else ""
    if one.mean is None:
        return f"{name}none{missing}"
    return (
        f"{name}{one.count:,} from {one.lowest:g} to {one.highest:g}, mean {one.mean:.3g}{missing}"
    )


def _order(part: Part) -> list[str]:
    sentences = []
    if part.left_share is not None:
        sentences.append(f"left is preferred in {share(part.left_share, 1)} of decided comparisons")
    if part.min_left_share is not None and part.max_left_share is not None:
        (least, low), (most, high) = part.min_left_share, part.max_left_share
        if low == high:
            sentences.append(f"each system stands left {share(low, 1)} of the time")
        else:
            sentences.append(
                f"{least} stands left {share(low, 1)} of the time, {most} {share(high, 1)}"
            )
    return sentences


def _links(part: Part) -> list[str]:
    if part.components is None:
        return []
    if part.components > 1:
        return [f"{part.components} groups of systems were never compared: no common scale"]
    if not part.strongly_connected:
        return [
            "no chain of preferences leads from every system to every other: some worths"
            " are infinite"
        ]
    return ["a chain of preferences or ties leads from every system to every other"]


def _linked(part: Part) -> str:
    if part.components is None:
        return UNKNOWN
    if part.components > 1:
        return f"{part.components} parts"
    return "yes" if part.strongly_connected else "one way"


def _count(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:,}"


def _percent(proportion: float | None) -> str:
    return UNKNOWN if proportion is None else share(proportion, 1)


COLUMNS: Final = (
    Column.names("task", lambda part: part.task or ""),
    Column.number("judgments", lambda part: f"{part.judgments:,.0f}"),
    Column.number("judges", lambda part: _count(part.judges)),
    Column.number("items", lambda part: _count(part.items)),
    Column.number("systems", lambda part: _count(part.systems)),
    Column.number("ties", lambda part: _percent(part.tie_share)),
    Column.number("left", lambda part: _percent(part.left_share)),
    Column.number("linked", _linked),
)
