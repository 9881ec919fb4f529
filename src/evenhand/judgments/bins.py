"""Bins of a covariate: numbers become a few levels, in the engine that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.judgments.engine import Frame, is_nan
from evenhand.judgments.source import Source, find_rows, name_rows

_NUMBER: Final = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"


def name_bins(edges: Sequence[float]) -> list[str]:
    """Return what the bins between some edges are called; an edge belongs to the bin above it."""
    rising = all(low < high for low, high in pairwise(edges))
    if not edges or not rising or not all(map(isfinite, edges)):
        raise UnknownOption(f"edges of bins are numbers that rise, such as 100, 200; not {edges}")
    between = [f"{low:.15g} to {high:.15g}" for low, high in pairwise(edges)]
    return [f"below {edges[0]:.15g}", *between, f"{edges[-1]:.15g} and above"]


def add_bins(frame: Frame, column: str, edges: Sequence[float], name: str, source: Source) -> Frame:
    """Add the bin of a column of numbers; where a number is missing, its bin is."""
    names, value = name_bins(edges), _read_numbers(frame, column, source)
    label: nw.Expr = nw.when(value >= edges[-1]).then(nw.lit(names[-1]))
    for edge, own in zip(reversed(edges), reversed(names[:-1]), strict=True):
        label = nw.when(value < edge).then(nw.lit(own)).otherwise(label)
    return frame.with_columns(label.alias(name))


def _read_numbers(frame: Frame, column: str, source: Source) -> nw.Expr:
    dtype, value = frame.collect_schema()[column], nw.col(column)
    if dtype.is_float():
        return nw.when(~is_nan(frame, column)).then(value)
    if dtype.is_numeric():
        return value
    if dtype != nw.String:
        raise UnknownOption(
            f"column '{column}' of {source.name} holds {str(dtype).lower()}: bins"
            " are made of numbers"
        )
    text = value.str.strip_chars()
    rows = find_rows(frame, ~value.is_null() & (text != "") & ~text.str.contains(_NUMBER))
    if rows:
        raise InvalidJudgments(
            f"'{rows[0][column]}' in column '{column}' of {source.name}{name_rows(rows)} is not a"
            " number: bins are made of numbers"
        )
    return nw.when(text != "").then(text).cast(nw.Float64)
