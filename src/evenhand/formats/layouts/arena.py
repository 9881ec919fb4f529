"""Arena battles: two models, and which of them won.

    question_id,model_a,model_b,winner,judge,...
    58210e39,vicuna-13b,koala-13b,model_a,arena_user_973,...

`winner` is `model_a`, `model_b`, `tie` or `tie (bothbad)`; both kinds of tie are ties. The minimal
file has only the first three columns. `question_id` is the item.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import narwhals as nw

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import mark_whole
from evenhand.data.engine import count_labels
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.source import find_rows, name_rows
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption, listing
from evenhand.formats.records import require_columns
from evenhand.formats.table import COMPARISON_ROLES, Layout, ReadOptions, Table, make_comparisons

ARENA: Final = Layout(
    "arena",
    "arena battles",
    ("model_a", "model_b", "winner"),
    make=make_comparisons,
    fixed={"left": "model_a", "right": "model_b", "outcome": "winner"},
    roles=COMPARISON_ROLES,
)


# The raw log of an arena: one event a line, some of them votes.
#
#     {"tstamp": 1682351591.1, "type": "leftvote", "models": ["a", "b"], "states": [...], "ip": "…"}
#
# Votes are `leftvote`, `rightvote`, `tievote` and `bothbad_vote`; other events are no judgments,
# they are left out and counted. Where `models` holds blanks, since the models were hidden, the
# names stand in `states`. The judge is `ip` where there is one.
_VOTES: Final = ("leftvote", "rightvote", "tievote", "bothbad_vote")


def understand_arena_log(table: Table, options: ReadOptions) -> Comparisons:
    require_columns(table, ARENA_LOG.needs, ARENA_LOG.title)
    if table.connection is None:
        raise UnknownFormat("the raw log of an arena is read from its JSON Lines file only")
    assigned = {"left", "right", "outcome"} & set(options.columns)
    if assigned:
        raise UnknownOption(
            f"the {min(assigned)} of {ARENA_LOG.title} stands in its models and type"
        )
    counted = count_labels(table.frame, "type")
    votes = sum(int(n) for kind, n in counted.items() if kind in _VOTES)
    if not votes:
        raise UnknownFormat(f"{table.name} is a log without votes ({', '.join(_VOTES)})")
    frame = nw.from_native(table.frame.to_native().project(_projection(table)))
    vote_table = table.with_frame(frame.filter(nw.col("outcome").is_in(list(_VOTES))))
    fixed = {"left": "left", "right": "right", "outcome": "outcome", "judge": "ip"}
    data = make_comparisons(vote_table, options, ARENA_LOG, fixed)
    others = int(sum(counted.values())) - votes
    if not others:
        return data
    words = "event that is no vote" if others == 1 else "events that are no votes"
    excluded = exclude_by_format({words: others}, "{n:,} {what} excluded")
    return replace(data, source=data.source.excluding(*excluded))


ARENA_LOG: Final = Layout(
    "arena_log",
    "arena votes",
    ("type", "models"),
    understand=understand_arena_log,
    roles=COMPARISON_ROLES,
    condition=lambda header: header.holds(["tstamp"]) and header.named("winner") is None,
)


def _projection(table: Table) -> str:
    """Return the SQL columns: both models, the vote, and the rest but what these came from."""
    sides = []
    for side, at in (("left", 0), ("right", 1)):
        name = f"nullif(models ->> '$[{at}]', '')"
        if "states" in table.columns:
            name = f"coalesce({name}, states ->> '$[{at}].model_name')"
        sides.append(f'{name} as "{side}"')
    gone = [name for name in ("models", "type", "states") if name in table.columns]
    return f'{", ".join(sides)}, "type" as outcome, * exclude ({", ".join(gone)})'


# Arena battles with one column for each outcome, as in Kaggle's competition files.
#
#     id,model_a,model_b,prompt,...,winner_model_a,winner_model_b,winner_tie
#     30192,gpt-4,koala-13b,...,1,0,0
#
# Exactly one of the three is 1 in every row, the others are 0.
_MARKS: Final = {"winner_model_a": "left", "winner_model_b": "right", "winner_tie": "tie"}
_OUTCOME: Final = "outcome"
_ONE: Final = (1, ("1", "1.0", "true"))
_ZERO: Final = (0, ("0", "0.0", "false"))


def understand_arena_one_hot(table: Table, options: ReadOptions) -> Comparisons:
    header = table.header(options)
    lacking = [name for name in ARENA_ONE_HOT.needs if header.named(name) is None]
    if lacking:
        raise UnknownColumn(
            f"{ARENA_ONE_HOT.title} need {listing(lacking)}, not found in {table.name}"
        )
    if _OUTCOME in options.columns or options.outcomes is not None:
        raise UnknownOption(
            f"the outcome of {ARENA_ONE_HOT.title} stands in {listing(list(_MARKS))}"
        )
    columns = [header.named(name) or name for name in _MARKS]
    refuse_uneven(table, columns)
    outcome = nw.lit("tie")
    for column, label in zip(columns[:2], ("left", "right"), strict=True):
        outcome = nw.when(_is(table, column, *_ONE)).then(nw.lit(label)).otherwise(outcome)
    others = [name for name in table.columns if name not in {*columns, _OUTCOME}]
    frame = table.frame.select(*others, outcome.alias(_OUTCOME))
    fixed = {"left": "model_a", "right": "model_b", "outcome": _OUTCOME}
    return make_comparisons(table.with_frame(frame), options, ARENA_ONE_HOT, fixed)


ARENA_ONE_HOT: Final = Layout(
    "arena_one_hot",
    "arena battles with one column for each outcome",
    ("model_a", "model_b", *_MARKS),
    understand=understand_arena_one_hot,
    roles=COMPARISON_ROLES,
)


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
