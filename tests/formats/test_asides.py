"""Columns for what was recorded beside a judgment, by their names."""

import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.ratings import Ratings
from evenhand.data.source import AnnotationColumn
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read

RATED = {"system": ["A", "B", "A", "B"], "score": [1, 2, 3, 4]}
COMPARED = {"left": ["A", "B"], "right": ["B", "C"], "outcome": ["left", "tie"]}
RANKED = {"ranking": ["r", "r"], "system": ["A", "B"], "rank": [1, 2]}


def rated(**columns):
    data = read(pl.DataFrame(RATED | columns))
    assert isinstance(data, Ratings)
    return data


def compared(wishes=None, **columns):
    data = read(pl.DataFrame(COMPARED | columns), columns=wishes)
    assert isinstance(data, Comparisons)
    return data


def test_a_type_of_known_kinds_is_the_kind():
    data = rated(type=["TGT", "BAD", "CHK", "TGT"])
    assert data.source.notes[0] == "read ratings: system, score, kind=type"
    assert data.rows().kind.tolist() == [TARGET, CONTROL, REPEAT, TARGET]


@pytest.mark.parametrize("values", [["chat", "news", "chat", "TGT"], [1, 2, 3, 4]])
def test_a_type_of_anything_else_stays_a_covariate_and_a_note_says_so(values):
    data = rated(type=values)
    assert data.rows().kind is None
    assert data.covariates == ["type"]
    assert data.source.notes[1].startswith("column 'type' is not taken as kind: it holds ")


def test_a_kind_that_is_called_so_must_hold_kinds():
    with pytest.raises(InvalidJudgments, match=r"taken as kind, holds chat: expected target \| "):
        rated(kind=["chat", "target", "target", "target"]).rows()
    data = read(pl.DataFrame(RATED | {"sort": list("abcd")}), columns={"kind": "sort"})
    with pytest.raises(InvalidJudgments, match="'sort' of data frame, taken as kind, holds a, b"):
        data.rows()


def test_of_two_columns_that_could_play_a_soft_role_none_does():
    assert rated(t0=[1.5] * 4, timestamp=[1.5] * 4).rows().moment is None
    data = compared(duration_s=[1, 2], time_s=[1, 2])
    assert data.votes().seconds is None
    assert data.covariates == ["duration_s", "time_s"]
    exact = rated(shown_at=[7] * 4, timestamp=["x"] * 4).rows()
    assert exact.moment.tolist() == [7] * 4


def test_columns_of_comparisons_keep_their_names():
    data = compared(duration_s=[3, 4], submit_time=["1970-01-01 00:00:05", None])
    assert data.covariates == ["duration_s", "submit_time"]
    assert data.source.annotations == {
        "seconds": AnnotationColumn("duration_s", sure=False),
        "shown_at": AnnotationColumn("submit_time", sure=False),
    }
    votes = data.votes()
    assert (votes.seconds.tolist(), votes.moment[0]) == ([3, 4], 5)
    assert votes.notes == ("beside the judgments: seconds=duration_s, shown_at=submit_time",)


def test_a_column_can_be_asked_for():
    data = compared({"kind": "sort", "seconds": "ms"}, sort=["control", "target"], ms=[5, 6])
    votes = data.votes()
    assert (votes.kind.tolist(), votes.seconds.tolist()) == ([CONTROL, TARGET], [5, 6])
    with pytest.raises(UnknownOption, match="no role 'knd'"):
        compared({"knd": "sort"}, sort=["control", "target"])


def test_a_covariate_that_was_guessed_never_stops_the_votes():
    votes = compared(type=["chat", "news"], timestamp=["noon", "dusk"]).votes()
    assert (votes.kind, votes.moment) == (None, None)
    assert [note.split(":")[0] for note in votes.notes[1:]] == [
        "column 'type' is not taken as kind",
        "column 'timestamp' is not taken as shown_at",
    ]
    # a column with the very name is ours as soon as a label of ours is in it
    assert compared(kind=["chat", "news"]).votes().kind is None
    with pytest.raises(InvalidJudgments, match="taken as kind, holds news"):
        compared(kind=["control", "news"]).votes()


def test_a_kind_of_comparisons_does_not_stop_a_ranking():
    assert compared(kind=["chat", "news"]).tally(["kind"]).factor("kind").labels == ("chat", "news")


def test_rankings_hand_on_what_was_recorded_beside_them():
    data = read(pl.DataFrame(RANKED | {"item_type": ["CHK"] * 2, "time_s": [8, 8]}))
    assert isinstance(data, Rankings)
    votes = data.comparisons().votes()
    assert (votes.kind.tolist(), votes.seconds.tolist()) == ([REPEAT], [8])


def test_a_column_that_gave_its_name_to_a_role_is_found_under_its_new_name():
    """`judge` is asked for as the kind; the role judge is played by `annotator`."""
    table = COMPARED | {"judge": ["target", "control"], "annotator": ["a", "b"]}
    data = read(pl.DataFrame(table), columns={"judge": "annotator", "kind": "judge"})
    assert data.covariates == ["original_judge"]
    assert data.votes().kind.tolist() == [TARGET, CONTROL]


def test_gold_labels_of_others_are_not_what_is_expected():
    """UKPConvArg1's `gold` names arguments (a1, a2, equal)."""
    assert compared(gold=["a1", "equal"]).votes().expected is None


def test_seconds_in_words_are_no_seconds_where_they_were_guessed():
    data = rated(duration_s=["3 min", "4", "5", "6"])
    assert (data.rows().seconds, data.covariates) == (None, ["duration_s"])
    with pytest.raises(InvalidJudgments, match="seconds '3 min' in column 'seconds'"):
        rated(seconds=["3 min", "4", "5", "6"])


@pytest.mark.parametrize("mark", [[True, False, False, True], ["True", "False", "false", "TRUE"]])
def test_scores_of_whole_documents_are_a_criterion_of_their_own(mark):
    data = rated(criterion=["da"] * 4, isCompleteDocument=mark)
    rows = data.rows()
    assert rows.criteria == ("da", "da (document)")
    assert rows.criterion.tolist() == [1, 0, 0, 1]
    assert data.source.notes[-1].startswith(
        "2 of 4 scores are of whole documents (isCompleteDocument)"
    )
    assert rated(is_doc=mark).rows().criteria == ("score", "score (document)")


@pytest.mark.parametrize("mark", [[False] * 4, ["a", "b", "c", "d"]])
def test_a_mark_that_marks_no_documents_or_something_else_changes_nothing(mark):
    data = rated(criterion=["da"] * 4, is_doc=mark)
    assert data.rows().criteria == ("da",)
    assert len(data.source.notes) == 1


def test_controls_and_repeats_are_counted():
    total = inspect(rated(kind=["BAD", "target", "CHK", None])).total
    assert (total.controls, total.repeats) == (1, 1)
    total = inspect(compared(kind=["good", "repeat"], weight=[3, 2])).total
    assert (total.controls, total.repeats) == (3, 2)
    ranked = RANKED | {"ranking": ["r", "r"], "kind": ["control"] * 2}
    total = inspect(read(pl.DataFrame(ranked))).total
    assert (total.controls, total.repeats) == (1, 0)
    assert inspect(compared(type=["chat", "news"])).total.controls is None
    with pytest.raises(InvalidJudgments, match="taken as kind, holds chat"):
        inspect(compared(kind=["chat", "target"]))


@pytest.mark.parametrize("mark", [[1, 0, 0, 1], ["yes", "no", "No", "Yes"]])
def test_documents_are_marked_by_one_or_yes_too(mark):
    assert rated(is_doc=mark).rows().criterion.tolist() == [1, 0, 0, 1]


def test_documents_of_which_some_are_not_marked_are_said_to_stay():
    data = rated(is_doc=[None, True, True, True])
    assert data.rows().criteria == ("",)
    assert data.source.notes[-1] == (
        "column 'is_doc' does not say of 1 scores whether they are of documents: scores of"
        " documents are not kept apart"
    )


def test_a_column_of_weights_is_said_to_mean_nothing_for_ratings():
    data = rated(weight=[2, 1, 1, 1])
    assert data.source.notes[-1] == "ratings have no weights: column 'weight' is not used"


def test_weights_of_ratings_are_refused_in_words():
    table = pl.DataFrame({"judge": ["a"], "item": ["1"], "system": ["x"], "score": [1], "w": [2]})
    with pytest.raises(UnknownColumn, match="holds ratings, which have no weights"):
        read(table, columns={"weight": "w"})
