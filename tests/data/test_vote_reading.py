"""A table of comparisons is read once, with who said what of which output pair."""

from collections import Counter

import pytest

from evenhand.data import row_reading as vote_reading
from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.source import AnnotationColumn, Source
from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.errors import InvalidJudgments, UnknownOption
from frames_of_engines import ORDERED, every_engine, handle

VOTES = {
    "left": ["B", "A", "A", "B"],
    "right": ["A", "C", "B", "C"],
    "outcome": ["left", "tie", "right", "left"],
    "judge": ["j2", "j1", "j1", "j3"],
    "item": ["1", "1", "2", "1"],
    "task": ["fr", "de", "de", "de"],
}


def told(votes):
    """Every vote by the names of its labels."""
    columns = [
        [getattr(votes, name)[code] for code in getattr(votes, role).tolist()]
        for name, role in (("tasks", "task"), ("judges", "judge"), ("items", "item"))
    ]
    sides = [[votes.systems[code] for code in own.tolist()] for own in (votes.left, votes.right)]
    return Counter(zip(*columns, *sides, votes.outcome.tolist(), strict=True))


@every_engine
def test_every_vote_is_read_as_it_was_shown(engine):
    votes = handle(Comparisons, VOTES, engine).votes()
    assert told(votes) == Counter(
        {
            ("fr", "j2", "fr / 1", "B", "A", LEFT): 1,
            ("de", "j1", "de / 1", "A", "C", TIE): 1,
            ("de", "j1", "de / 2", "A", "B", RIGHT): 1,
            ("de", "j3", "de / 1", "B", "C", LEFT): 1,
        }
    )
    assert (votes.answer, votes.kind, votes.seconds, votes.notes) == (None, None, None, ())
    assert votes.positions_known


def test_preferences_do_not_depend_on_who_stood_left():
    votes = handle(Comparisons, VOTES, "polars").votes()
    # B over A, A = C, B over A, B over C; + for the first by name
    assert votes.preferred.tolist() == [-1, 0, -1, 1]
    assert len(set(votes.pair.tolist())) == 4


@every_engine
def test_weights_repeat_rows_and_zeros_are_left_out(engine):
    votes = handle(Comparisons, VOTES | {"weight": [3, 1, 0, 2]}, engine).votes()
    assert sorted(told(votes).values()) == [1, 2, 3]
    assert votes.size == 6
    assert votes.notes == ("rows of weight 0 are excluded: 1",)


def test_importance_weights_count_no_votes():
    data = handle(Comparisons, VOTES | {"weight": [0.5] * 4}, "polars", weights="importance")
    with pytest.raises(UnknownOption, match=r"importance weights of votes\.csv count no votes"):
        data.votes()


def test_more_votes_than_can_be_kept_are_refused():
    data = handle(Comparisons, VOTES | {"weight": [50_000_000, 1, 1, 1]}, "polars")
    with pytest.raises(InvalidJudgments, match="add up to 50,000,003 votes"):
        data.votes()
    assert vote_reading.MAX_VOTES == 50_000_000


@pytest.mark.parametrize("engine", ORDERED)
def test_a_missing_label_and_an_unknown_outcome_are_refused_with_their_rows(engine):
    data = handle(Comparisons, VOTES | {"item": ["1", None, "2", "1"]}, engine)
    with pytest.raises(InvalidJudgments, match=r"missing in column 'item' .* \(row 2\)"):
        data.votes()
    data = handle(Comparisons, VOTES | {"outcome": ["left", "tie", "rihgt", "left"]}, engine)
    with pytest.raises(InvalidJudgments, match=r"unknown outcome 'rihgt' .* \(row 3\)"):
        data.votes()
    data = handle(Comparisons, VOTES | {"right": ["A", "C", "B", "B"]}, engine)
    with pytest.raises(InvalidJudgments, match=r"'B' is compared with itself .* \(row 4\)"):
        data.votes()


RANKED = {
    "judge": ["j1"] * 3 + ["j2"] * 2,
    "item": ["1"] * 5,
    "ranking": ["r1"] * 3 + ["r2"] * 2,
    "system": ["A", "B", "C", "A", "B+C"],
    "rank": [1, 2, 2, 2, 1],
    "duration_s": [9.0] * 3 + [4.0] * 2,
}


@every_engine
def test_rankings_keep_the_answer_that_their_comparisons_belong_to(engine):
    source = Source(name="ranks.csv", annotations={"seconds": AnnotationColumn("duration_s")})
    ranked = handle(Rankings, RANKED, engine)
    votes = Rankings(ranked.frame, source).comparisons().votes()
    assert votes.size == 4
    assert sorted(Counter(votes.answer.tolist()).values()) == [1, 3]
    assert sorted(votes.seconds.tolist()) == [4, 9, 9, 9]
    assert not votes.positions_known
    assert votes.notes == ("beside the judgments: seconds=duration_s",)


@every_engine
def test_controls_carry_the_outcome_that_is_expected(engine):
    table = VOTES | {"kind": ["control", "target", "CHK", None], "expected": ["b", None, "a", ""]}
    votes = handle(Comparisons, table, engine).votes()
    found = Counter(zip(votes.kind.tolist(), votes.expected.tolist(), strict=True))
    assert found == Counter({(CONTROL, RIGHT): 1, (TARGET, -1): 2, (REPEAT, -1): 1})
    assert votes.notes == (
        "judgments without a kind are targets: 1 of 4",
        "what is expected of judgments that are no controls is not used: 1",
    )


def test_expected_labels_mean_what_outcomes_mean():
    table = VOTES | {"outcome": list("1021"), "expected": ["2", None, None, None]}
    own = {"1": "left", "0": "tie", "2": "right"}
    votes = handle(Comparisons, table, "duckdb", outcome_labels=own).votes()
    assert votes.expected.tolist() == [RIGHT, -1, -1, -1]
    with pytest.raises(InvalidJudgments, match="taken as expected, holds a1, no outcomes"):
        handle(Comparisons, VOTES | {"expected": ["a1"] * 4}, "duckdb").votes()


WEIGHTED = {
    "ranking": ["1", "1", "1", "2", "2", "2"],
    "system": ["a", "b", "c", "a", "b", "c"],
    "rank": [1, 2, 2, 1, 1, 2],
    "weight": [3, 3, 3, 1, 1, 1],
}


@every_engine
def test_a_ranking_of_weight_three_is_three_answers_also_as_votes(engine):
    data = handle(Rankings, WEIGHTED, engine).comparisons()
    table, votes = data.tally(), data.votes()
    assert votes.tally().n_judgments == table.n_judgments == 4
    assert votes.tally().digest == table.digest
    assert sorted(Counter(votes.answer.tolist()).values()) == [3, 3, 3, 3]
