"""MLQE's lists of scores."""

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import MLQE
from read_tables import refusal, rows_of


def test_each_score_of_a_list_is_a_rating_of_an_unknown_judge(save) -> None:
    data = read(save("train.tsv", MLQE))
    assert [(row["score"], row["place"], row["z_score"]) for row in rows_of(data)] == [
        (61, "1", "-0.2"),
        (70, "2", "0.4"),
    ]
    assert not data.has("judge")
    assert "not a judge" in data.source.notes[-1]


def test_lists_of_two_lengths_are_refused(save) -> None:
    words = refusal(save("t.tsv", MLQE.replace("[-0.2, 0.4]", "[-0.2]")), InvalidJudgments)
    assert "line 2 of" in words
    assert "one length" in words


def test_other_columns_are_kept(save) -> None:
    row = rows_of(save("train.tsv", MLQE))[0]
    assert (row["mean"], row["z_mean"], row["model_scores"]) == ("65.5", "0.1", "-1")


def test_what_is_no_list_is_refused_with_its_row(save) -> None:
    for text in (MLQE.replace("[-0.2, 0.4]", "5"), MLQE.replace("[61, 70]", "{[1]: 2}")):
        assert "line 2 of" in refusal(save("t.tsv", text), InvalidJudgments)
