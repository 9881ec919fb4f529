"""Arena battles, and what LLM judges said of language models: AlpacaEval, MT-Bench, Arena-Hard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import narwhals as nw

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import mark_whole
from evenhand.data.engine import count_labels, count_rows
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.joining import list_places
from evenhand.data.labels import OUTCOMES, Outcome
from evenhand.data.source import find_rows, fold, name_rows
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption, listing
from evenhand.formats import records
from evenhand.formats.roles import UNKNOWN_POSITIONS, Header, find_mark
from evenhand.formats.table import (
    COMPARISON_ROLES,
    ONE,
    ROWS_LOOKED_AT,
    ZERO,
    Handle,
    Layout,
    ReadOptions,
    Table,
    holds,
    make_comparisons,
    make_ratings,
)
from evenhand.formats.texts import say
from evenhand.render.document import Finding


def make_turns(
    table: Table, options: ReadOptions, layout: Layout, fixed: Mapping[str, str] | None = None
) -> Handle:
    """Make comparisons of which each turn of a question is an item, where some have several."""
    header = table.header(options)
    turn, items = header.named("turn"), header.candidates("item")
    asked = {*options.columns.values()}
    if turn and turn not in asked and len(items) == 1 and "item" not in options.columns:
        # MT-Bench numbers questions, each of two turns that are judged apart
        first = table.frame.select(items[0], turn).head(ROWS_LOOKED_AT)
        turns = first.group_by(items[0]).agg(nw.col(turn).n_unique().alias("turns"))
        if count_rows(turns.filter(nw.col("turns") > 1)):
            parts = [nw.col(name).cast(nw.String) for name in (items[0], turn)]
            item = nw.concat_str(parts, separator=":").alias(items[0])
            table = table.with_frame(table.frame.with_columns(item))
            return _note_turns(make_comparisons(table, options, layout, fixed), items[0], turn)
    return make_comparisons(table, options, layout, fixed)


ARENA: Final = Layout(
    "arena",
    "arena battles",
    ("model_a", "model_b", "winner"),
    make=make_turns,
    fixed={"left": "model_a", "right": "model_b", "outcome": "winner"},
    roles=COMPARISON_ROLES,
)


def _note_turns(data: Handle, item: str, turn: str) -> Handle:
    note = say("turns", item=item, turn=turn)
    return replace(data, source=replace(data.source.noting(note), turn=turn))


# {"tstamp": 1682351591.1, "type": "leftvote", "models": ["a", "b"], "states": [...], "ip": "…"}
#
# Where `models` holds blanks, since the models were hidden, the names stand in `states`.
_VOTES: Final = ("leftvote", "rightvote", "tievote", "bothbad_vote")


@Layout(
    "arena_log",
    "arena votes",
    ("type", "models"),
    roles=COMPARISON_ROLES,
    condition=lambda header: header.holds(["tstamp"]) and header.named("winner") is None,
).read_by
def arena_log(table: Table, options: ReadOptions) -> Comparisons:
    records.require_columns(table, arena_log.needs, arena_log.title)
    if table.connection is None:
        raise UnknownFormat("the raw log of an arena is read from its JSON Lines file only")
    assigned = {"left", "right", "outcome"} & set(options.columns)
    if assigned:
        raise UnknownOption(
            f"the {min(assigned)} of {arena_log.title} stands in its models and type"
        )
    counted = count_labels(table.frame, "type")
    votes = sum(int(n) for kind, n in counted.items() if kind in _VOTES)
    if not votes:
        raise UnknownFormat(f"{table.name} is a log without votes ({', '.join(_VOTES)})")
    sides = []
    for side, at in (("left", 0), ("right", 1)):
        name = f"nullif(models ->> '$[{at}]', '')"
        if "states" in table.columns:
            name = f"coalesce({name}, states ->> '$[{at}].model_name')"
        sides.append(f'{name} as "{side}"')
    gone = ", ".join(one for one in ("models", "type", "states") if one in table.columns)
    columns = f'{", ".join(sides)}, "type" as outcome, * exclude ({gone})'
    frame = nw.from_native(table.frame.to_native().project(columns))
    vote_table = table.with_frame(frame.filter(nw.col("outcome").is_in(list(_VOTES))))
    fixed = {"left": "left", "right": "right", "outcome": "outcome", "judge": "ip"}
    data = make_comparisons(vote_table, options, arena_log, fixed)
    others = int(sum(counted.values())) - votes
    if not others:
        return data
    words = "event that is no vote" if others == 1 else "events that are no votes"
    excluded = exclude_by_format({words: others}, "{n:,} {what} excluded")
    return replace(data, source=data.source.excluding(*excluded))


# Exactly one of the columns is 1 in every row, the others are 0. One of the three may be missing:
# without the tie there are none, and a row in which neither one side nor the tie is 1 is the other
# side's.
_KAGGLE: Final = ("winner_model_a", "winner_model_b", "winner_tie")
_OUTCOME: Final = "outcome"


def find_marks(header: Header) -> dict[Outcome, str]:
    """Return the column of each outcome; nothing where there are not two, or one has several."""
    marks: dict[Outcome, str] = {}
    for column in header.columns:
        outcome = find_mark(column)
        if outcome is not None:
            if outcome in marks:
                return {}
            marks[outcome] = column
    if {*marks} == {"tie"}:  # beside it bare names of sides are marks as well
        bare: dict[Outcome, str | None] = {"left": header.named("a"), "right": header.named("b")}
        marks |= {side: column for side, column in bare.items() if column}
    return marks if len(marks) > 1 else {}


def _has_marks(header: Header) -> bool:
    marks = find_marks(header).values()
    return bool(marks) and {*header.candidates(_OUTCOME)} <= {*marks}


@Layout(
    "arena_one_hot",
    "comparisons with one column for each outcome",
    ("left", "right"),
    roles=COMPARISON_ROLES,
    by_role=True,
    condition=_has_marks,
).read_by
def arena_one_hot(table: Table, options: ReadOptions) -> Comparisons:
    marks = find_marks(table.header(options))
    if not marks:
        raise UnknownColumn(
            f"{arena_one_hot.title} need a column for each of them, such as {listing(_KAGGLE)}, not"
            f" found in {table.name}"
        )
    if _OUTCOME in options.columns or options.outcomes is not None:
        raise UnknownOption(
            f"the outcome of {arena_one_hot.title} stands in {listing([*marks.values()])}"
        )
    # Refuse rows in which not exactly one of the columns is 1 and the others 0.
    columns = [*marks.values()]
    whole = "tie" not in marks or len(marks) == 3
    one = nw.sum_horizontal(*(mark_whole(holds(table, column, *ONE)) for column in columns))
    zero = nw.sum_horizontal(*(mark_whole(holds(table, column, *ZERO)) for column in columns))
    even = (one + zero == len(columns)) & ((one == 1) if whole else (one <= 1))
    bad = find_rows(table.frame, ~even)
    if bad:
        values = ", ".join(str(bad[0][column]) for column in columns)
        how = "exactly one" if whole else "at most one"
        raise InvalidJudgments(
            f"{listing(columns)} of {table.name} hold {values}{name_rows(bad)}: {how} of them must"
            " be 1 and the others 0"
        )
    (last,) = {*OUTCOMES} - {*[*marks][:2]}
    outcome = nw.lit(last)
    for label, column in [*marks.items()][:2]:
        outcome = nw.when(holds(table, column, *ONE)).then(nw.lit(label)).otherwise(outcome)
    others = [name for name in table.columns if name not in {*marks.values(), _OUTCOME}]
    frame = table.frame.select(*others, *list_places(table.frame), outcome.alias(_OUTCOME))
    fixed = {"left": "model_a", "right": "model_b", "outcome": _OUTCOME}
    data = make_comparisons(table.with_frame(frame), options, arena_one_hot, fixed)
    words = {column: outcome for outcome, column in marks.items()}
    known = tuple(map(fold, words)) == tuple(map(fold, _KAGGLE))
    note = say("marks", "info" if known else "note", marks=[f"{w} = {o}" for w, o in words.items()])
    return data if known else replace(data, source=data.source.noting(note))


# 1 is for the first output, 2 for the second, 1.5 (0 in older files) a tie, and null no answer; a
# number between is a mean or a probability, and counts for the nearer output.


def _count_graded(rows: Sequence[records.Row]) -> list[Finding]:
    graded = sum(row["preference"] not in (None, 0, 1, 1.5, 2) for row in rows)
    return [say("graded", rows=graded, of=len(rows))] if graded else []


@records.row_layout(
    "alpaca_eval",
    "AlpacaEval annotations",
    ("instruction", "generator_1", "generator_2", "preference"),
    also=("annotator",),
    keeps=True,
    make=make_comparisons,
    note=_count_graded,
)
def alpaca_eval(record: records.Record) -> Iterator[records.Row]:
    preference = records.read_score(record, record.text("preference") or None)
    outcome = None
    if preference is not None:
        if preference and not 1 <= preference <= 2:
            raise record.refuse(f"a preference is 0 or from 1 to 2, not {preference:g}")
        outcome = "tie" if preference in (0, 1.5) else "left" if preference < 1.5 else "right"
    yield {
        "judge": record.text("annotator"),
        "item": record.need("instruction"),
        "left": record.need("generator_1"),
        "right": record.need("generator_2"),
        "outcome": outcome,
        "preference": preference,
        UNKNOWN_POSITIONS: True,
    }


# Three people, in a column each, compare the answers of two models, whose names stand in `cmp_key`
# with _ between them, or in columns that are named.
_ANSWERS: Final = {"0": "tie", "1": "left", "2": "right"}
_ANNOTATOR: Final = re.compile(r"annotator_?\d+")


@Layout(
    "pandalm",
    "PandaLM annotations",
    ("instruction", "response1", "response2", "annotator1"),
    also=("cmp_key", "input"),
    roles=("left", "right"),
).read_by
def pandalm(table: Table, options: ReadOptions) -> Handle:
    records.require_columns(table, pandalm.needs, pandalm.title)
    judges = [name for name in table.columns if _ANNOTATOR.fullmatch(name)]
    models = [options.columns.get(side, "") for side in ("left", "right")]
    flat, unread = records.split_unread(table, (*pandalm.reads, *judges, *filter(None, models)))

    def read(record: records.Record) -> Iterator[records.Row]:
        pair = record.text("cmp_key").split("_")
        if not all(models) and len(pair) != 2:
            raise record.refuse(
                f"cmp_key '{record.text('cmp_key')}' names no two models with one _ between them:"
                " name the columns that hold them, --column left=NAME --column right=NAME"
            )
        names = [record.need(name) if name else pair[at] for at, name in enumerate(models)]
        for judge in judges:
            answer = record.text(judge)
            row = {
                "judge": judge,
                "item": " ".join(filter(None, map(record.text, ("instruction", "input")))),
                "left": names[0],
                "right": names[1],
                "outcome": answer and _ANSWERS[record.choose(answer, judge, tuple(_ANSWERS))],
                UNKNOWN_POSITIONS: True,
            }
            yield records.keep_flat(record, flat, row)

    plain, rows = replace(options, columns={}), records.read_each(table, read)
    return records.take_rows(pandalm, table, rows, plain, make=make_comparisons, unread=unread)


# A pair is asked in both orders: model_2 is left in the second game. Verdicts that the makers could
# not read are -1, "error", or null in Arena-Hard.
_FAILED: Final = "answers of the judge that could not be read by its makers"
_MODELS: Final = ("model_1", "model_2")


def _take_verdicts(
    layout: Layout,
    table: Table,
    options: ReadOptions,
    read: Callable[[records.Record, Counter[str]], Iterator[records.Row]],
    make: Callable[..., Handle] = make_comparisons,
) -> Handle:
    failed = Counter[str]()
    flat, unread = records.split_unread(table, layout.reads)
    rows = records.read_each(
        table, lambda one: [records.keep_flat(one, flat, row) for row in read(one, failed)]
    )
    turns = {(row["item"], row["turn"]) for row in rows if "turn" in row}
    apart = len(turns) > len({item for item, _ in turns})
    if apart:
        rows = [{**row, "item": f"{row['item']}:{row['turn']}"} for row in rows]
    excluded = exclude_by_format(failed, "{what} excluded: {n:,}")
    data = records.take_rows(
        layout, table, rows, options, make=make, unread=unread, excluded=excluded
    )
    return _note_turns(data, "question_id", "turn") if apart else data


@Layout(
    "mt_bench", "MT-Bench scores", ("question_id", "model", "judge", "judgment", "score", "turn")
).read_by
def mt_bench(table: Table, options: ReadOptions) -> Handle:
    def read(record: records.Record, failed: Counter[str]) -> Iterator[records.Row]:
        score = records.read_score(record, record.need("score"))
        failed[_FAILED] += score == -1
        if score != -1:
            yield {**_place(record), "system": record.need("model"), "score": score}

    return _take_verdicts(mt_bench, table, options, read, make_ratings)


@Layout(
    "mt_bench_pairs",
    "MT-Bench judgments of pairs",
    ("question_id", *_MODELS, "g1_winner", "g2_winner", "turn"),
    also=("judge",),
).read_by
def mt_bench_pairs(table: Table, options: ReadOptions) -> Handle:
    def read(record: records.Record, failed: Counter[str]) -> Iterator[records.Row]:
        models = {name: record.need(name) for name in _MODELS}
        for game, sides in (("g1_winner", _MODELS), ("g2_winner", _MODELS[::-1])):
            winner = record.choose(record.need(game), game, (*_MODELS, "tie", "error"))
            failed[_FAILED] += winner == "error"
            if winner != "error":
                left, right = (models[side] for side in sides)
                outcome = {sides[0]: "left", sides[1]: "right"}.get(winner, winner)
                yield {**_place(record), "left": left, "right": right, "outcome": outcome}

    return _take_verdicts(mt_bench_pairs, table, options, read)


def _place(record: records.Record) -> records.Row:
    judge = record.text("judge")
    names = record.data("judge") if judge.startswith("[") else [judge]
    return {
        "judge": " ".join(record.label(one, "judge") for one in names),
        "item": record.need("question_id"),
        "turn": record.need("turn"),
    }


# The baseline stands left in the first of the games, such as [{"score": "A>>B"}, {"score": "B>A"}].
# Older files do not name it.
_GAME: Final = {"A>>B": "left", "A>B": "left", "A=B": "tie", "B>A": "right", "B>>A": "right"}


@Layout(
    "arena_hard",
    "Arena-Hard judgments",
    ("model", "judge", "games"),
    also=("uid", "question_id", "baseline"),
).read_by
def arena_hard(table: Table, options: ReadOptions) -> Handle:
    def read(record: records.Record, failed: Counter[str]) -> Iterator[records.Row]:
        sides = [record.text("baseline") or "baseline", record.need("model")]
        for at, given in enumerate(record.sequence(record.data("games"), "games")):
            score = record.label(record.mapping(given, "a game").get("score"), "score")
            failed[_FAILED] += not score
            if score:
                left, right = sides[::-1] if at % 2 else sides
                yield {
                    "judge": record.need("judge"),
                    "item": record.text("uid") or record.need("question_id"),
                    "left": left,
                    "right": right,
                    "outcome": _GAME[record.choose(score, "score", tuple(_GAME))],
                    "strength": score,
                }

    data = _take_verdicts(arena_hard, table, options, read)
    named = "baseline" in table.columns
    return data if named else replace(data, source=data.source.noting(say("baseline-unnamed")))
