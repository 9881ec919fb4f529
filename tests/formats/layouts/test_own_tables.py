"""Our own comparisons, rankings and ratings, and tables like them."""

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of


@pytest.mark.parametrize(
    "words", ["left,tie,right", "a,tie,b", "A,same,B", "first,both bad,second"]
)
def test_outcomes_are_understood_in_common_words(words: str, save) -> None:
    rows = "".join(f"x,y,{word}\n" for word in words.split(","))
    path = save("t.csv", "system_a,system_b,preference\n" + rows)
    assert read(path).source.format == "comparisons"
    assert cells_of(tally_of(path)) == {("x", "y"): (1, 1, 1)}


def test_a_column_called_id_is_checked_when_it_is_mapped(save) -> None:
    rows = "".join(f"{i},A,B,left\n" for i in (1, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8))
    path = save("t.csv", "id,left,right,outcome\n" + rows)
    assert tally_of(path).n_comparisons == 14
    words = refusal(path, InvalidJudgments, columns={"id": "id"})
    assert "stands more than once" in words
    named = words.split(" in column")[0].removeprefix("id ").split(", ")
    assert len(named) == 5
    assert set(named) < {"1", "4", "5", "6", "7", "8"}


def test_missing_ids_are_not_each_others_doubles(save) -> None:
    path = save("t.csv", "id,left,right,outcome\n,A,B,left\n,A,B,left\n1,A,B,left\n")
    assert tally_of(path, columns={"id": "id"}).n_comparisons == 3


def test_rankings_keep_ties_blanks_and_their_judge(save) -> None:
    path = save(
        "t.csv",
        "annotator,segment,ranking_id,system,rank\nj,1,r1,A,1\nj,1,r1,B,1\nj,1,r1,C,\nk,1,r2,A,-1\n",
    )
    data = read(path)
    assert isinstance(data, Rankings)
    assert (data.count(), data.count_blank(), data.count_used()) == (2, 1, 1)
    tally = data.comparisons().tally(("judge", "ranking"))
    assert cells_of(tally.pool()) == {("A", "B"): (0, 1, 0)}
    assert (tally.n_judgments, tally.factor("ranking").labels) == (1, ("r1",))


def test_rankings_of_different_tasks_are_different(save) -> None:
    rows = "t1,r,A,1\nt1,r,B,2\nt2,r,A,2\nt2,r,B,1\n"
    tally = tally_of(save("t.csv", "task,ranking,system,rank\n" + rows), ("task",))
    assert tally.n_judgments == 2
    assert cells_of(tally.split("task")["t2"]) == {("A", "B"): (0, 0, 1)}


def test_ratings_keep_what_they_know(save) -> None:
    path = save(
        "t.csv",
        "rater,segment_id,system,aspect,rating,kind,duration_s,doc\nj,1,A,fluency,71,target,3,d\n",
    )
    data = read(path)
    assert isinstance(data, Ratings)
    assert data.columns == [
        *("judge", "item", "system", "criterion", "score", "kind", "seconds"),
        "doc",
    ]


def test_unknown_positions_are_remembered(save) -> None:
    path = save("t.csv", "left,right,outcome,positions_unknown\nA,B,left,true\n")
    data = read(path)
    assert isinstance(data, Comparisons)
    assert not data.positions_known
    assert data.source.notes[1] == "which output stood left is not known"
