"""Every value off a task is refused in words; every value on it becomes rows of our tables."""

import math

import pytest

from evenhand import formats
from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.design.tasks import Answer, PairTask, RankTask, RatingTask, SpanTask, Ticket
from evenhand.errors import CampaignError, InvalidJudgments

PAIR = PairTask(name="preference")
RANK = RankTask(name="order", n=3)
RATING = RatingTask(name="fluency", low=1, high=5)
HALVES = RatingTask(name="halves", low=0, high=1, step=0.5)
ESA = SpanTask(name="esa", categories=("accuracy", "style"))
MQM = SpanTask(name="mqm", score=False, severities={"minor": 1, "major": 5, "critical": 25})
TEXT = "un texto"
SHOWN = {2: ("eins", "zwei"), 3: ("a", "b", "c"), 1: (TEXT,)}
SPAN = {"start": 0, "end": 2, "severity": "minor", "category": "style"}


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (PAIR, {"outcome": "middle"}),
        (PAIR, {"outcome": "both_bad"}),
        (PAIR, {"outcome": "left", "score": 3}),
        (PAIR, {}),
        (PAIR, "left"),
        (PairTask(name="p", ties=False), {"outcome": "tie"}),
        (RANK, {"ranks": [1, 2]}),
        (RANK, {"ranks": [0, 1, 2]}),
        (RANK, {"ranks": [1, 2, 4]}),
        (RANK, {"ranks": [1, 2, None]}),
        (RANK, {"ranks": [True, 2, 3]}),
        (RankTask(name="r", n=3, ties=False), {"ranks": [1, 1, 2]}),
        (RATING, {"score": 99999}),
        (RATING, {"score": 0}),
        (RATING, {"score": 2.5}),
        (RATING, {"score": math.nan}),
        (RATING, {"score": math.inf}),
        (RATING, {"score": True}),
        (RATING, {"score": "3"}),
        (RATING, {"score": 10**400}),
        (RATING, {"score": 10**5000}),
        (RANK, {"ranks": [10**5000, 1, 2]}),
        (HALVES, {"score": 0.3}),
        (ESA, {"spans": []}),
        (ESA, {"spans": [{**SPAN, "end": 9}], "score": 3}),
        (ESA, {"spans": [{**SPAN, "start": 2}], "score": 3}),
        (ESA, {"spans": [{**SPAN, "severity": "huge"}], "score": 3}),
        (ESA, {"spans": [{**SPAN, "category": None}], "score": 3}),
        (ESA, {"spans": [{**SPAN, "side": "reference"}], "score": 3}),
        (ESA, {"spans": [{**SPAN, "colour": "red"}], "score": 3}),
        (MQM, {"spans": [SPAN]}),
    ],
)
def test_values_off_the_task_are_refused(task, answer):
    with pytest.raises(InvalidJudgments):
        task.validate(answer, SHOWN[task.width], source="a source")


def test_a_comment_is_taken_where_it_is_asked_for_only():
    with pytest.raises(InvalidJudgments, match="no field 'comment'"):
        PAIR.validate({"outcome": "tie", "comment": "hm"}, SHOWN[2])
    task = PairTask(name="p", comment=True)
    assert task.validate({"outcome": "tie", "comment": " hm "}, SHOWN[2]).comment == "hm"
    for bad in (7, "x" * 5001, "\ud800", "\0"):
        with pytest.raises(InvalidJudgments, match="a comment"):
            task.validate({"outcome": "tie", "comment": bad}, SHOWN[2])


def test_an_error_may_lie_in_a_source_that_is_shown():
    mark = {**SPAN, "end": 8, "side": "source"}
    told = {"spans": [mark], "score": 7}
    assert ESA.validate(told, (TEXT,), source="a source").spans[0].side == "source"
    with pytest.raises(InvalidJudgments, match="an error lies in output"):
        SpanTask(name="e", shows=(), categories=("style",)).validate(told, (TEXT,), "a source")


def test_what_is_missing_is_marked_from_0_to_0():
    (one,) = MQM.validate({"spans": [{"start": 0, "end": 0, "severity": "major"}]}, (TEXT,)).spans
    assert one.missing


TICKET = Ticket(7, "ann", "x", "i1", ("A",))


def test_an_mqm_score_is_minus_the_sum_of_weights():
    marks = [{"start": 0, "end": 2, "severity": one} for one in ("minor", "critical", "major")]
    answer = MQM.validate({"spans": marks}, (TEXT,))
    assert MQM.rows(TICKET, answer)[0]["score"] == -31
    assert MQM.rows(TICKET, MQM.validate({"spans": []}, (TEXT,)))[0]["score"] == 0


def two(kind="target", expected=""):
    return Ticket(8, "ann", "preference", "i1", ("B", "A"), kind, None, expected)


@pytest.mark.parametrize(
    ("task", "ticket", "answer", "kind"),
    [
        (PairTask(name="preference", both_bad=True), two(), Answer(outcome="both_bad"), "target"),
        (PAIR, two("control", "left"), Answer(outcome="left"), "control"),
        (PAIR, two("repeat"), Answer(outcome="tie"), "repeat"),
        (PAIR, two("anchor"), Answer(outcome="right"), "target"),
        (RATING, Ticket(9, "ann", "fluency", "i1", ("A",), "control", None, "bad"),
         Answer(score=1.0), "bad"),
        (RATING, Ticket(9, "ann", "fluency", "i1", ("A",), "control", None, "4"),
         Answer(score=5.0), "control"),
        (RANK, Ticket(3, "ann", "order", "i1", ("C", "A", "B")), Answer(ranks=(2, 1, 2)), "target"),
        (ESA, Ticket(4, "ann", "esa", "i1", ("A",)), Answer(score=80.0, spans=()), "target"),
    ],
)  # fmt: skip
def test_rows_are_rows_of_our_tables(task, ticket, answer, kind, tmp_path):
    import csv

    rows = task.rows(ticket, answer)
    assert {one["kind"] for one in rows} == {kind}
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    table = formats.read(str(path))
    made = {"comparisons": Comparisons, "rankings": Rankings, "ratings": Ratings}[task.table]
    assert isinstance(table, made)


def test_training_makes_no_rows():
    for task, systems in ((PAIR, ("A", "B")), (RANK, ("A", "B", "C")), (RATING, ("A",))):
        ticket = Ticket(0, "ann", task.name, "try", systems, "training")
        assert task.rows(ticket, Answer()) == ()


@pytest.mark.parametrize(
    ("made", "settings", "said"),
    [
        (PairTask, {"name": ""}, "a task needs a name"),
        (PairTask, {"name": "p", "shows": ("sauce",)}, "Did you mean 'source'"),
        (PairTask, {"name": "p", "ties": "yes"}, "true or false"),
        (RankTask, {"name": "r", "n": 1}, "a number of outputs from 2"),
        (RatingTask, {"name": "r", "low": 5, "high": 1}, "above low"),
        (RatingTask, {"name": "r", "step": 7}, "whole steps"),
        (RatingTask, {"name": "r", "step": 0}, "whole steps"),
        (RatingTask, {"name": "r", "high": math.nan}, "high cannot be nan: it is a number"),
        (SpanTask, {"name": "s", "severities": {}}, "severities with their weights"),
        (SpanTask, {"name": "s", "severities": {"minor": -1}}, "severities with their weights"),
        (SpanTask, {"name": "s", "categories": ("a", "a")}, "names a twice"),
    ],
)
def test_settings_that_cannot_be_are_refused(made, settings, said):
    with pytest.raises(CampaignError, match=said):
        made(**settings)
