"""Published judgments of language models whose answers are nested: one prompt or text a row.

Of each the judgments are read that name the system that was judged. A note says where judges are
known by their place in a list only. Whose answers failed to be read by the projects themselves
(MT-Bench writes -1 and "error", Arena-Hard null) gave no judgment; they are excluded and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from evenhand.data.exclusions import exclude_by_format
from evenhand.formats.records import (
    Record,
    Row,
    keep_flat,
    list_flat,
    list_unread,
    read_each,
    read_score,
    take_rows,
)
from evenhand.formats.roles import UNKNOWN_POSITIONS
from evenhand.formats.table import (
    Handle,
    Layout,
    ReadOptions,
    Table,
    make_comparisons,
    make_rankings,
    make_ratings,
)
from evenhand.formats.texts import say

FAILED: Final = "answers of the judge that could not be read by its makers"
ONE_POLICY: Final = "comparisons of two summaries by one policy"
_MISSING: Final = ("", "N/A")
_Reader: TypeAlias = Callable[[Record, Counter[str]], Iterator[Row]]


def _rate(record: Record, row: Row, scores: Mapping[str, Any]) -> Iterator[Row]:
    for criterion, value in scores.items():
        score = None if value in _MISSING else read_score(record, value)
        yield {**row, "criterion": criterion, "score": score}


def _named(record: Record, given: Any, key: str, what: str) -> str:
    name = record.label(record.mapping(given, what).get(key), key)
    if not name:
        raise record.refuse(f"{what} has no {key}")
    return name


# SummEval: {"id", "model_id", "decoded", "expert_annotations": [{"coherence": 2, …}, …],
# "turker_annotations": […]}. Judges have no names: they are numbered within their group.
def _read_summeval(record: Record, _: Counter[str]) -> Iterator[Row]:
    for group in ("expert", "turker"):
        given = record.sequence(record.data(f"{group}_annotations") or [], f"{group}_annotations")
        for at, scores in enumerate(given, start=1):
            row = {
                "judge": f"{group}_{at}",
                "item": record.need("id"),
                "system": record.need("model_id"),
                "group": group,
                "output": record.text("decoded"),
            }
            yield from _rate(record, row, record.mapping(scores, "an annotation"))


# Summarize from human feedback: {"info": {"id"}, "summaries": [{"policy"}, {"policy"}], "choice",
# "worker"}, and for scores {"info", "summary": {"policy", "axes": {"overall": "6", …}}, "worker"}.
# Two samples of one policy say nothing of policies.
def _read_choice(record: Record, left_out: Counter[str]) -> Iterator[Row]:
    summaries = record.sequence(record.data("summaries"), "summaries")
    if len(summaries) != 2:
        raise record.refuse(f"two summaries are compared, not {len(summaries)}")
    left, right = (_named(record, one, "policy", "a summary") for one in summaries)
    choice = record.choose(record.need("choice"), "choice", ("0", "1"))
    if left == right:
        left_out[ONE_POLICY] += 1
        return
    yield {
        "judge": record.need("worker"),
        "item": _named(record, record.data("info"), "id", "info"),
        "left": left,
        "right": right,
        "outcome": ("left", "right")[int(choice)],
        UNKNOWN_POSITIONS: True,
    }


def _read_axes(record: Record, _: Counter[str]) -> Iterator[Row]:
    summary = record.mapping(record.data("summary"), "summary")
    row = {
        "judge": record.need("worker"),
        "item": _named(record, record.data("info"), "id", "info"),
        "system": _named(record, summary, "policy", "summary"),
        "output": record.label(summary.get("text"), "text"),
    }
    yield from _rate(record, row, record.mapping(summary.get("axes"), "axes"))


# UltraFeedback: {"instruction", "completions": [{"model", "response", "annotations":
# {"helpfulness": {"Rating": "4"}, …}}]}. The judge, GPT-4, is not named in the file.
def _read_ultrafeedback(record: Record, _: Counter[str]) -> Iterator[Row]:
    for given in record.sequence(record.data("completions"), "completions"):
        one = record.mapping(given, "a completion")
        annotations = record.mapping(one.get("annotations") or {}, "annotations")
        ratings = {
            criterion: record.mapping(each, "an annotation").get("Rating")
            for criterion, each in annotations.items()
        }
        row = {
            "item": record.need("instruction"),
            "system": _named(record, one, "model", "a completion"),
            "output": record.label(one.get("response"), "response"),
        }
        yield from _rate(record, row, ratings)


# USR (Topical-Chat, Persona-Chat): {"context", "annotators": ["a", …], "responses": [{"model",
# "Natural": [3, 2, …], …}]}, with a score of each annotator in each list.
def _read_usr(record: Record, _: Counter[str]) -> Iterator[Row]:
    judges = [
        record.label(one, "an annotator")
        for one in record.sequence(record.data("annotators"), "annotators")
    ]
    for given in record.sequence(record.data("responses"), "responses"):
        one = record.mapping(given, "a response")
        lists = {key: value for key, value in one.items() if isinstance(value, list)}
        if any(len(scores) != len(judges) for scores in lists.values()):
            raise record.refuse("each list of scores has one for each of the annotators")
        for at, judge in enumerate(judges):
            row = {
                "judge": judge,
                "item": record.need("context"),
                "system": _named(record, one, "model", "a response"),
                "output": record.label(one.get("response"), "response"),
            }
            yield from _rate(record, row, {key: scores[at] for key, scores in lists.items()})


# Nectar: {"prompt", "answers": [{"answer", "model", "rank": 1.0}, …]}.
def _read_nectar(record: Record, _: Counter[str]) -> Iterator[Row]:
    for given in record.sequence(record.data("answers"), "answers"):
        one = record.mapping(given, "an answer")
        yield {
            "item": record.need("prompt"),
            "ranking": record.number,
            "system": _named(record, one, "model", "an answer"),
            "rank": read_score(record, one.get("rank")),
        }


# MT-Bench: {"question_id", "model", "judge": ["gpt-4", "single-v1"], "score", "turn"}, and of pairs
# {"model_1", "model_2", "g1_winner", "g2_winner"}, asked in both orders: model_2 is left in the
# second. The two turns of a question are two items, as of people's (`understand_arena`).
def _read_mt_bench(record: Record, left_out: Counter[str]) -> Iterator[Row]:
    score = read_score(record, record.need("score"))
    if score == -1:
        left_out[FAILED] += 1
        return
    row = {"system": record.need("model"), "score": score}
    yield {**_place(record), **row}


def _read_games(record: Record, left_out: Counter[str]) -> Iterator[Row]:
    models = [record.need("model_1"), record.need("model_2")]
    for game, (left, right) in (("g1", models), ("g2", models[::-1])):
        known = ("model_1", "model_2", "tie", "error")
        winner = record.choose(record.need(f"{game}_winner"), f"{game}_winner", known)
        if winner == "error":
            left_out[FAILED] += 1
            continue
        first = "model_1" if game == "g1" else "model_2"
        outcome = "tie" if winner == "tie" else "left" if winner == first else "right"
        yield {**_place(record), "left": left, "right": right, "outcome": outcome}


def _place(record: Record) -> Row:
    judge = record.data("judge") if record.text("judge").startswith("[") else record.text("judge")
    names = judge if isinstance(judge, list) else [judge]
    return {
        "judge": " ".join(record.label(one, "judge") for one in names),
        "item": record.need("question_id"),
        "turn": record.need("turn"),
    }


# Arena-Hard: {"question_id" or "uid", "model", "judge", "baseline", "games": [{"score": "A>>B"},
# {"score": "B>A"}]}. A is the baseline in the first game, the model in the second. Older files do
# not name the baseline.
_GAME: Final = {"A>>B": "left", "A>B": "left", "A=B": "tie", "B>A": "right", "B>>A": "right"}


def _read_arena_hard(record: Record, left_out: Counter[str]) -> Iterator[Row]:
    baseline, model = record.text("baseline") or "baseline", record.need("model")
    games = record.sequence(record.data("games"), "games")
    for at, given in enumerate(games):
        score = record.label(record.mapping(given, "a game").get("score"), "score")
        if not score:
            left_out[FAILED] += 1
            continue
        left, right = (model, baseline) if at % 2 else (baseline, model)
        yield {
            "judge": record.need("judge"),
            "item": record.text("uid") or record.need("question_id"),
            "left": left,
            "right": right,
            "outcome": _GAME[record.choose(score, "score", tuple(_GAME))],
            "strength": score,
        }


_READ: Final[Mapping[str, tuple[_Reader, Callable[..., Handle]]]] = {
    "summeval": (_read_summeval, make_ratings),
    "feedback_choices": (_read_choice, make_comparisons),
    "feedback_axes": (_read_axes, make_ratings),
    "ultrafeedback": (_read_ultrafeedback, make_ratings),
    "usr": (_read_usr, make_ratings),
    "nectar": (_read_nectar, make_rankings),
    "mt_bench": (_read_mt_bench, make_ratings),
    "mt_bench_pairs": (_read_games, make_comparisons),
    "arena_hard": (_read_arena_hard, make_comparisons),
}


def _understand(table: Table, options: ReadOptions, *, name: str) -> Handle:
    layout = next(one for one in LAYOUTS if one.name == name)
    read, make = _READ[name]
    flat, left_out = list_flat(table, layout.reads), Counter[str]()
    rows = read_each(table, lambda one: [keep_flat(one, flat, row) for row in read(one, left_out)])
    notes = [say("judges-by-place")] if name == "summeval" else []
    if len({(row["item"], row["turn"]) for row in rows if "turn" in row}) > len(
        {row["item"] for row in rows if "turn" in row}
    ):
        rows = [{**row, "item": f"{row['item']}:{row['turn']}"} for row in rows]
        notes.append(say("turns", item="question_id", turn="turn"))
    unread = list_unread(table, (*layout.reads, *flat))
    if name == "arena_hard" and "baseline" not in table.columns:
        notes.append(say("baseline-unnamed"))
    excluded = exclude_by_format(left_out, "{what} excluded: {n:,}")
    return take_rows(
        layout, table, rows, options, make=make, unread=unread, notes=notes, excluded=excluded
    )


def _layout(name: str, title: str, *needs: str, also: tuple[str, ...] = ()) -> Layout:
    return Layout(name, title, needs, understand=partial(_understand, name=name), also=also)


LAYOUTS: Final = (
    _layout(
        "summeval",
        "SummEval annotations",
        *("id", "model_id", "expert_annotations"),
        also=("turker_annotations", "decoded"),
    ),
    _layout("feedback_choices", "choices of summaries", "info", "summaries", "choice", "worker"),
    _layout("feedback_axes", "scores of summaries", "info", "summary", "worker"),
    _layout("ultrafeedback", "UltraFeedback annotations", "instruction", "models", "completions"),
    _layout("usr", "USR annotations", "context", "annotators", "responses"),
    _layout("nectar", "Nectar rankings", "prompt", "answers", "num_responses"),
    _layout(
        "mt_bench_pairs",
        "MT-Bench judgments of pairs",
        *("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "turn"),
        also=("judge",),
    ),
    _layout(
        "mt_bench",
        "MT-Bench scores",
        *("question_id", "model", "judge", "judgment", "score", "turn"),
    ),
    _layout(
        "arena_hard",
        "Arena-Hard judgments",
        *("model", "judge", "games"),
        also=("uid", "question_id", "baseline"),
    ),
)
