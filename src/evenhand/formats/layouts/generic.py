"""Our own layouts, and tables of other tools: crowd-kit, Evalica, preference pairs, MLQE, labels.

docs/formats.md lists the columns of each, and what it is read as.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import narwhals as nw

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import advise_without
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.labels import Complete
from evenhand.data.ratings import Ratings
from evenhand.data.source import find_rows, name_rows
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption, listing
from evenhand.formats import records
from evenhand.formats import table as tables
from evenhand.formats.grades import is_no_number, read_probability
from evenhand.formats.roles import (
    UNKNOWN_POSITIONS,
    Header,
    assign,
    find_mark,
    find_probability,
    find_side,
    names_loser,
)
from evenhand.formats.texts import say

COMPARISONS: Final = tables.Layout(
    "comparisons",
    "comparisons",
    ("left", "right", "outcome"),
    make=tables.make_comparisons,
    roles=tables.COMPARISON_ROLES,
    by_role=True,
)


RANKINGS: Final = tables.Layout(
    "rankings",
    "rankings",
    ("ranking", "system", "rank"),
    make=tables.make_rankings,
    roles=tables.RANKING_ROLES,
    by_role=True,
)


@tables.Layout(
    "unnamed_rankings",
    "rankings without ids",
    ("judge", "item", "system", "rank"),
    roles=tuple(role for role in tables.RANKING_ROLES if role != "ranking"),
    by_role=True,
    condition=lambda header: bool(header.missing(["ranking"])),
).read_by
def unnamed_rankings(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    roles = assign(table.header(options), unnamed_rankings.roles, unnamed_rankings.needs)
    parts = [nw.col(roles[role]).cast(nw.String).str.strip_chars() for role in ("judge", "item")]
    name = nw.concat_str([part.fill_null("") for part in parts], separator=" / ")
    named = table.with_frame(table.frame.with_columns(name.alias("ranking")))
    data = tables.make_rankings(named, options, unnamed_rankings, {"ranking": "ranking"})
    return replace(data, source=data.source.noting(say("unnamed-rankings")))


RATINGS: Final = tables.Layout(
    "ratings",
    "ratings",
    ("system", "score"),
    make=tables.make_ratings,
    roles=tables.RATING_ROLES,
    by_role=True,
)


# Nothing in the header of a matrix tells it from another table, so it is read only where it is
# asked for. What is rated is the item, so it is taken as system.


@tables.Layout(
    "matrix",
    "a matrix of judges by items",
    ("judge", "a column for each item"),
    condition=lambda _: False,
).read_by
def matrix(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    judge, *items = table.columns
    if Header((judge,)).missing(["judge"]) or not items:
        raise UnknownColumn(
            f"{matrix.title} begins with a column 'judge' and has one column for each item, not"
            f" '{judge}' as in {table.name}"
        )
    rows, blank = [], 0
    for record in records.read_records(table):
        name = record.need(judge)
        scores = {item: record.text(item) for item in items}
        blank += sum(not score for score in scores.values())
        rows += [
            {"judge": name, "system": item, "score": score}
            for item, score in scores.items()
            if score
        ]
    excluded = exclude_by_format({"blank cells": blank})
    return records.take_rows(matrix, table, rows, options, unread=(), excluded=excluded)


# A label is the name of the winner, or a side. One that is neither is refused with its rows when
# something is first counted.
_FIXED: Final = {"left": "left", "right": "right", "outcome": "label", "judge": "worker"}


@tables.Layout(
    "crowd_kit",
    "crowd-kit comparisons",
    ("worker", "left", "right", "label"),
    roles=tables.COMPARISON_ROLES,
).read_by
def crowd_kit(table: tables.Table, options: tables.ReadOptions) -> Comparisons:
    roles = assign(table.header(options), crowd_kit.roles, ("left", "right", "outcome"), _FIXED)
    if names_loser(roles["outcome"]):
        raise UnknownOption(
            f"column '{roles['outcome']}' of {table.name} holds losers, and labels of crowd-kit are"
            " winners: leave out --from crowd-kit"
        )
    table, notes = tables.strip_labels(table, roles)
    left, right, label = (
        tables.read_label(table, roles[r], r) for r in ("left", "right", "outcome")
    )
    side = (
        nw.when(label == left)
        .then(nw.lit("left"))
        .otherwise(nw.when(label == right).then(nw.lit("right")).otherwise(label))
    )
    turned = table.with_frame(table.frame.with_columns(side.alias(roles["outcome"])))
    sides = Complete(tables.SIDES | dict(options.outcomes or {}))
    data = tables.make_comparisons(turned, replace(options, outcomes=sides), crowd_kit, _FIXED)
    return replace(data, source=data.source.noting(*notes))


# The task is the thing that is rated, so it is taken as system.


@tables.Layout(
    "crowd_kit_long",
    "crowd-kit labels as ratings",
    ("task", "worker", "label"),
    roles=tuple(role for role in tables.RATING_ROLES if role != "task"),
    condition=lambda header: not any(map(header.candidates, ("left", "right", "system", "score"))),
).read_by
def crowd_kit_long(table: tables.Table, options: tables.ReadOptions) -> Ratings:
    label = options.columns.get("score") or table.header(options).named("label") or "label"
    kinds = nw.String | nw.Categorical | nw.Enum
    if label in table.columns and isinstance(table.schema[label], kinds):
        text = table.frame.with_columns(nw.col(label).cast(nw.String))
        rows = find_rows(text, is_no_number(label))
        if rows:
            raise UnknownFormat(
                f"label '{rows[0][label]}' in column '{label}' of {table.name}{name_rows(rows)} is"
                " a category, not a score: replace categories by numbers (1, 2, ...), and evenhand"
                " labels gives the most probable one of each task"
            )
    fixed = {"system": "task", "judge": "worker", "score": "label"}
    return tables.make_ratings(table, options, crowd_kit_long, fixed)


EVALICA: Final = tables.Layout(
    "evalica",
    "Evalica comparisons",
    ("left", "right", "winner"),
    make=tables.make_comparisons,
    fixed={"left": "left", "right": "right", "outcome": "winner"},
    roles=tables.COMPARISON_ROLES,
    condition=lambda header: header.named("outcome") is None,
)


# Without names of models there is nothing to rank. Left is the model that comes first by name,
# since nobody recorded who stood there. The item is `item`, `prompt_id` or the prompt.
MODELS: Final = ("chosen_model", "rejected_model")


@tables.Layout(
    "dpo",
    "chosen and rejected answers",
    ("chosen", "rejected"),
    also=("prompt", *MODELS, "prompt_id"),
).read_by
def dpo(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    if not set(MODELS) <= set(table.columns):
        raise UnknownColumn(
            f"{table.name} does not say whose answers were chosen and rejected: add the columns"
            f" {' and '.join(MODELS)}"
        )
    flat, unread = records.split_unread(table, dpo.reads)
    rows = records.read_each(table, lambda one: [_read(one, flat)])
    unread += ["chosen", "rejected"]
    return records.take_rows(dpo, table, rows, options, make=tables.make_comparisons, unread=unread)


def _read(record: records.Record, flat: Sequence[str]) -> records.Row:
    """Compare two models; what stands beside, such as judge, item, weight and task, is kept."""
    chosen, rejected = (record.need(name) for name in MODELS)
    left, right = sorted((chosen, rejected))
    row = {
        "left": left,
        "right": right,
        "outcome": "left" if left == chosen else "right",
        UNKNOWN_POSITIONS: True,
    }
    if not record.text("item"):
        row["item"] = record.text("prompt_id") or record.text("prompt")
        flat = [name for name in flat if name != "item"]
    return records.keep_flat(record, flat, row)


# Left is the system that comes first by name, since nobody recorded who stood there.


@tables.Layout(
    "winners",
    "winners and losers",
    ("winner", "loser"),
    roles=tuple(
        role for role in tables.COMPARISON_ROLES if role not in ("left", "right", "outcome")
    ),
    condition=lambda header: header.missing(("left", "right")) == ["left", "right"],
).read_by
def winners(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    header = table.header(options)
    winner, loser = (header.named(name) or name for name in winners.needs)
    records.require_columns(table, [winner, loser], winners.title)
    blank = [nw.col(name).cast(nw.String).str.strip_chars() for name in (winner, loser)]
    empty = [one.is_null() | (one == "") for one in blank]
    rows = find_rows(table.frame, empty[0] | empty[1])
    if rows:
        out = advise_without(table.frame, {winner: [""], loser: [""]})
        raise InvalidJudgments(
            f"no {winner} or no {loser} in {table.name}{name_rows(rows)}: of ties give both names"
            f" and 1 in a column tie, which is 0 elsewhere; or leave such rows out ({out})"
        )
    won, lost = (tables.read_label(table, name, "system") for name in (winner, loser))
    before = won <= lost
    left, right = (nw.when(before).then(a).otherwise(b) for a, b in ((won, lost), (lost, won)))
    side = nw.when(before).then(nw.lit("left")).otherwise(nw.lit("right"))
    ties = [name for name in table.columns if find_mark(name) == "tie"]
    for tie in ties:
        tied, decided = (tables.holds(table, tie, *of) for of in (tables.ONE, tables.ZERO))
        bad = find_rows(table.frame, ~(tied | decided), 3)
        if bad:
            raise InvalidJudgments(
                f"'{bad[0][tie]}' in column '{tie}' of {table.name}{name_rows(bad)}: 1 says that"
                " the row is a tie, 0 that it is none"
            )
        side = nw.when(tied).then(nw.lit("tie")).otherwise(side)
    named = [left.alias("left"), right.alias("right"), side.alias("outcome")]
    frame = table.frame.with_columns(*named, nw.lit("yes").alias(UNKNOWN_POSITIONS))
    turned = table.with_frame(frame.drop(winner, loser))
    sides = {role: role for role in ("left", "right", "outcome")}
    data = tables.make_comparisons(turned, options, winners, sides)
    return replace(data, source=data.source.noting(*(say("ties", column=tie) for tie in ties)))


# Where both sides have a probability, what is left to 1 is a tie. Rankings by people with verdicts
# take the number itself, also where an outcome stands beside it.


@tables.Layout(
    "probabilities",
    "probabilities that an output is better",
    ("left", "right"),
    roles=tables.COMPARISON_ROLES,
    by_role=True,
    condition=lambda header: any(map(find_probability, header.columns)),
).read_by
def probabilities(table: tables.Table, options: tables.ReadOptions) -> Comparisons:
    named, likely = read_probability(table.frame, table.name, table.columns)
    if not named:  # it was asked for
        return tables.make_comparisons(table, options, probabilities)
    if not find_rows(table.frame, ~likely.is_null(), 1):
        raise InvalidJudgments(
            f"no row of {table.name} has a probability: all values of {listing(named)} are missing"
        )
    turned = table.with_frame(table.frame.with_columns(find_side(likely).alias("outcome")))
    data = tables.make_comparisons(turned, options, probabilities, {"outcome": "outcome"})
    return replace(data, source=data.source.noting(say("probabilities", columns=named)))


# All scores of a segment stand in one cell, such as [61, 70, 42], and nobody says whose they are.
# The one system is called `translation`.


@records.row_layout(
    "mlqe",
    "MLQE scores",
    ("index", "original", "translation", "scores"),
    also=("z_scores",),
    keeps=True,
    note=lambda _: (
        "whose scores they are is not recorded: 'place' is the place in the list, not a judge",
    ),
)
def mlqe(record: records.Record) -> Iterator[records.Row]:
    scores = record.sequence(record.data("scores"), "scores")
    given = record.data("z_scores")
    standardised = [None] * len(scores) if given is None else record.sequence(given, "z_scores")
    if len(standardised) != len(scores):
        raise record.refuse("scores and z_scores are lists of one length")
    for at, score in enumerate(scores):
        yield {
            "item": record.need("index"),
            "system": "translation",
            "score": records.read_score(record, score),
            "place": at + 1,
            "z_score": records.read_score(record, standardised[at]),
            "source": record.text("original"),
            "output": record.text("translation"),
        }


# One item a line: {"i": 0, "src": "…", "tgt": {"SYS": "…"}, "doc": "…",
#                   "scores": {"SYS": {"human": 80, "COMET": 0.7}}}


@records.row_layout(
    "subset2evaluate",
    "subset2evaluate items",
    ("i", "src", "tgt", "scores"),
    also=("doc", "domain"),
    keeps=True,
)
def subset2evaluate(record: records.Record) -> Iterator[records.Row]:
    outputs = record.mapping(record.data("tgt") or {}, "tgt")
    for system, given in record.mapping(record.data("scores"), "scores").items():
        named = record.mapping(given, f"the scores of {records.shorten(system)}")
        for criterion, score in named.items():
            yield {
                "item": record.need("i"),
                "system": system,
                "criterion": criterion,
                "score": records.read_score(record, score),
                "document": record.text("doc"),
                "domain": record.text("domain"),
                "source": record.text("src"),
                "output": record.label(outputs.get(system), "an output"),
            }


# Labels of items: several judges say what an item is, and no output of a system is judged.
#
# Snow et al. (2008), whose tables many programs for labels are tried on:
#
#     !amt_annotation_ids  !amt_worker_ids  orig_id  response  gold
#     1                    A19IBSKBTABMR3   2        0         1
#
# (tabs between). The response is the score; `gold` is the experts' answer, and is kept beside it.
# Under names of our own, judge, item and score, labels are read only with `--from labels`: a table
# of ratings whose column of systems has another name looks the same.


SNOW: Final = tables.Layout(
    "snow",
    "labels by workers of Mechanical Turk",
    ("!amt_worker_ids", "orig_id", "response"),
    make=tables.make_labels,
    fixed={"judge": "!amt_worker_ids", "item": "orig_id", "score": "response"},
)
LABELS: Final = tables.Layout(
    "labels",
    "labels of items",
    ("judge", "item", "score"),
    make=tables.make_labels,
    roles=tuple(role for role in tables.RATING_ROLES if role != "system"),
    by_role=True,
    condition=lambda _: False,
)


# {"article": "…", "summary_sentences": [
#     {"sentence": "…", "responses": [{"worker_id": 0, "response": "yes"}, …]}, …]}
#
# The item is the number of the line and that of the sentence, both from 1.
_QAGS_ANSWERS: Final = {"yes": 1, "no": 0}


@records.row_layout(
    "qags", "QAGS responses", ("article", "summary_sentences"), make=tables.make_labels
)
def qags(record: records.Record) -> Iterator[records.Row]:
    sentences = record.sequence(record.data("summary_sentences"), "summary_sentences")
    for at, sentence in enumerate(sentences, start=1):
        given = record.mapping(sentence, "a sentence of a summary")
        for response in record.sequence(given.get("responses"), "the responses to a sentence"):
            one = record.mapping(response, "a response")
            answer = record.label(one.get("response"), "a response").casefold()
            yield {
                "judge": record.label(one.get("worker_id"), "worker_id"),
                "item": f"{record.number}:{at}",
                "score": _QAGS_ANSWERS[record.choose(answer, "response", tuple(_QAGS_ANSWERS))],
                "document": record.number,
                "source": record.verbatim("article"),
                "output": record.label(given.get("sentence"), "a sentence"),
            }
