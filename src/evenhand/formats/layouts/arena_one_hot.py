"""Arena battles with one column for each outcome, as in Kaggle's competition files.

    id,model_a,model_b,prompt,...,winner_model_a,winner_model_b,winner_tie
    30192,gpt-4,koala-13b,...,1,0,0

Exactly one of the three is 1 in every row, the others are 0.
"""

from __future__ import annotations

from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing
from evenhand.formats.handles import COMPARISON_ROLES, Named, make_comparisons
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.portable import mark_whole
from evenhand.judgments.source import find_rows, name_rows

NAME: Final = "arena_one_hot"
TITLE: Final = "arena battles with one column for each outcome"
NEEDS: Final = ("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie")
ROLES: Final = COMPARISON_ROLES

_MARKS: Final = {"winner_model_a": "left", "winner_model_b": "right", "winner_tie": "tie"}
_OUTCOME: Final = "outcome"
_ONE: Final = (1, ("1", "1.0", "true"))
_ZERO: Final = (0, ("0", "0.0", "false"))


def recognise(header: Header) -> bool:
    """Say whether both models and the three outcome columns are there."""
    return header.holds(NEEDS)


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Turn the three columns into one outcome."""
    header = table.header(wishes)
    lacking = [name for name in NEEDS if header.named(name) is None]
    if lacking:
        raise UnknownColumn(f"{TITLE} need {listing(lacking)}, not found in {table.name}")
    if _OUTCOME in wishes.columns or wishes.outcomes is not None:
        raise UnknownOption(f"the outcome of {TITLE} stands in {listing(list(_MARKS))}")
    columns = [header.named(name) or name for name in _MARKS]
    refuse_uneven(table, columns)
    outcome = nw.lit("tie")
    for column, label in zip(columns[:2], ("left", "right"), strict=True):
        outcome = nw.when(_is(table, column, *_ONE)).then(nw.lit(label)).otherwise(outcome)
    others = [name for name in table.columns if name not in {*columns, _OUTCOME}]
    frame = table.frame.select(*others, outcome.alias(_OUTCOME))
    fixed = {"left": "model_a", "right": "model_b", "outcome": _OUTCOME}
    return make_comparisons(table.with_frame(frame), wishes, Named(NAME, TITLE), fixed)


def refuse_uneven(table: Table, columns: list[str]) -> None:
    """Refuse rows in which not exactly one of the columns is 1 and the others 0."""
    one = [mark_whole(_is(table, column, *_ONE)) for column in columns]
    zero = [mark_whole(_is(table, column, *_ZERO)) for column in columns]
    even = (nw.sum_horizontal(*one) == 1) & (nw.sum_horizontal(*zero) == len(columns) - 1)
    bad = find_rows(table.frame, ~even)
    if bad:
        values = ", ".join(str(bad[0][column]) for column in columns)
        raise InvalidJudgments(
            f"{listing(columns)} of {table.name} hold {values}{name_rows(bad)}: exactly one of"
            " them must be 1 and the others 0"
        )


def _is(table: Table, column: str, number: int, words: tuple[str, ...]) -> nw.Expr:
    """Return the condition that a column holds a number, however its kind of table writes it."""
    dtype = table.schema[column]
    if dtype == nw.Boolean:
        held = nw.col(column) if number else ~nw.col(column)
    elif dtype.is_numeric():
        held = nw.col(column) == number
    else:
        held = nw.col(column).cast(nw.String).str.strip_chars().str.to_lowercase().is_in(words)
    return held.fill_null(value=False)
