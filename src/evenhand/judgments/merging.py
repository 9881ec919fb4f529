"""One output of several systems: identical outputs shown once, under a name such as "A+B".

Such an output gives comparisons for each of its systems with the others, and none between its own
systems: nobody was asked about them. Taking it for a tie of the two inflates agreement and tie
parameters. Names are taken apart only where the caller says by which sign (`merged="+"`), since a
sign may also be part of a name; `say_merged` tells where names look like it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.judgments.engine import COUNT, Frame, fetch_columns, small_table
from evenhand.judgments.source import Source

SIGN: Final = "+"  # The sign that WMT put between the systems of one output
PART: Final = "evenhand_part"
ENTRY: Final = "evenhand_entry"
COMPARED: Final = "each of these is compared with the others, not with one another"


@dataclass(frozen=True)
class Parts:
    """Names of outputs and the systems that they stand for, one system an entry."""

    # (P,) names as they stand in the table; a merged name once for each of its systems
    labels: tuple[str, ...]
    systems: tuple[str, ...]  # (P,) the systems
    note: str  # what was taken apart, for the reader


def find_parts(
    frame: Frame, columns: Sequence[str], sign: str, source: Source, *, told: str = COMPARED
) -> Parts | None:
    """Look up all names of outputs and take the merged ones apart; None where none is merged."""
    if not sign.strip():
        raise UnknownOption(
            "merged is empty: say which sign stands between the systems of one output, such as '+'"
        )
    labels = sorted({label for name in columns for label in _count_names(frame, name)})
    merged = [label for label in labels if sign in label]
    if not merged:
        return None
    taken = {label: label.split(sign) for label in merged}
    for label, systems in taken.items():
        _refuse_parts(label, systems, f"'{source.named(columns[0])}' of {source.name}")
    pairs = [(label, system) for label in labels for system in taken.get(label, [label])]
    only = sorted({system for _, system in pairs}.difference(labels))
    shortest = min(merged, key=len)
    note = (
        f"{len(merged):,} of {len(labels):,} names stand for several systems, such as"
        f" '{shortest}': {told}"
    )
    if only:
        note += f"; only ever found in such names: {listing(only)}"
    return Parts(tuple(label for label, _ in pairs), tuple(system for _, system in pairs), note)


def _count_names(frame: Frame, column: str) -> list[str]:
    text = frame.select(nw.col(column).cast(nw.String))
    found = fetch_columns(text.group_by(column).agg(nw.len().alias(COUNT)))[column]
    return [label for label in found.tolist() if label is not None]


def _refuse_parts(label: str, systems: Sequence[str], where: str) -> None:
    said = f"name '{label}' in column {where}"
    if not all(systems):
        raise InvalidJudgments(
            f"{said} has an empty part: between the signs of a merged name stands a system"
        )
    padded = [system for system in systems if system != system.strip()]
    if padded:
        raise InvalidJudgments(
            f"{said} has the part '{padded[0]}' with a blank before or after it: labels are"
            " compared exactly, put the blanks into the sign (merged=' + ') or take them out"
        )
    doubled = [system for system in systems if systems.count(system) > 1]
    if doubled:
        raise InvalidJudgments(f"{said} names system '{doubled[0]}' twice: name it once")


def spread(frame: Frame, column: str, parts: Parts, source: Source) -> Frame:
    """Turn each row into one for each system of the output that a column names."""
    names = frame.collect_schema().names()
    if frame.collect_schema()[column] != nw.String:
        frame = frame.with_columns(nw.col(column).cast(nw.String))
    columns = {column: parts.labels, PART: parts.systems}
    table = small_table(frame, columns, source.connection)
    joined = frame.join(table, on=column, how="left")  # type: ignore[arg-type]
    return joined.select(
        *[nw.col(PART).alias(name) if name == column else nw.col(name) for name in names]
    )


def say_none(sign: str) -> str:
    """Say that nothing had to be taken apart.

    >>> say_none("+")
    "no name holds '+': every output is of one system"
    """
    return f"no name holds '{sign}': every output is of one system"


def say_merged(systems: Sequence[str], sign: str = SIGN) -> tuple[str, ...]:
    """Say how to read names that look merged, if there are some: every part is a name itself.

    >>> say_merged(["a", "b", "b+a", "c+d"])
    ("1 of 4 systems is named like several of the others, 'b+a': if such an output was shown once
    for all of them, read with --merged + (in Python merged='+') to count it for each",)
    >>> say_merged(["Transformer+R2L", "Transformer"])
    ()
    """
    names = set(systems)
    merged = [name for name in systems if sign in name and names.issuperset(name.split(sign))]
    if not merged:
        return ()
    be, such = ("is", "") if len(merged) == 1 else ("are", "such as ")
    shortest = min(merged, key=len)
    return (
        f"{len(merged):,} of {len(systems):,} systems {be} named like several of the others,"
        f" {such}'{shortest}': if such an output was shown once for all of them, read with"
        f" --merged {sign} (in Python merged='{sign}') to count it for each",
    )
