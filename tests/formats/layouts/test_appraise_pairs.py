"""Appraise's contrastive scores."""

from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.formats.reading import read
from outside_files import APPRAISE_DIRECT, APPRAISE_PAIRS
from read_tables import cells_of, refusal, rows_of, tally_of

HEADER = "user,system,segID,type,src,tgt,score,position,start\n"


def test_the_two_rows_of_a_judgment_are_found_by_user_segment_and_start(save) -> None:
    path = save("pairs.csv", APPRAISE_PAIRS)
    assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0), ("A", "C"): (0, 1, 0)}
    assert not read(path).positions_known
    assert [row["left_score"] for row in rows_of(path)] == ["7", "5"]


def test_positions_are_those_of_the_screen_where_they_are_told(save) -> None:
    text = HEADER + "u,B,1,TGT,eng,deu,5,first,9\nu,A,1,TGT,eng,deu,7,second,9\n"
    assert cells_of(tally_of(save("p.csv", text))) == {("B", "A"): (0, 0, 1)}
    turned = HEADER + "u,A,1,TGT,eng,deu,7,second,9\nu,B,1,TGT,eng,deu,5,first,9\n"
    assert cells_of(tally_of(save("t.csv", turned))) == {("B", "A"): (0, 0, 1)}
    twice = save("q.csv", text.replace("second", "first"))
    assert "both outputs of the pair have one position" in refusal(twice, InvalidJudgments)


def test_a_row_without_its_fellow_is_refused(save) -> None:
    lines = APPRAISE_PAIRS.splitlines(keepends=True)
    words = refusal(save("pairs.csv", "".join(lines[:3])), InvalidJudgments)
    assert "line 2 of" in words
    assert "1 rows have this user, segID and start: a pair has two" in words


def test_scores_without_times_are_pairs_of_nobody_knows_what(save) -> None:
    path = save("t.csv", APPRAISE_DIRECT)
    assert "has no start" in refusal(path, UnknownColumn, format="appraise-pairs")


def test_the_scores_can_be_read_as_ratings(save) -> None:
    data = read(save("pairs.csv", APPRAISE_PAIRS), format="appraise")
    assert data.rows().score.tolist() == [5, 5, 7, 5]


def test_two_segments_that_began_at_once_are_two_pairs(save) -> None:
    text = HEADER + "".join(
        f"u,{system},{segment},TGT,eng,deu,{score},{place},9\n"
        for segment in (1, 2)
        for system, score, place in (("B", 5, "first"), ("A", 7, "second"))
    )
    assert cells_of(tally_of(save("p.csv", text))) == {("B", "A"): (0, 0, 2)}
