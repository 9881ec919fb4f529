"""Tables that are no CSV with a header."""

import gzip

import pytest

from evenhand.errors import UnknownFormat
from evenhand.formats.files import name_appraise_columns
from evenhand.formats.reading import read
from outside_files import APPRAISE_DIRECT, APPRAISE_DOCUMENTS
from read_tables import rows_of


@pytest.mark.parametrize(
    "line",
    [
        "judge,item,left,right,outcome,x,y",
        "u,s,1,TGT,english,deu,10",
        "u,s,1,TGT,eng,deu,10,doc,maybe",
        "u,s,1,OTHER,eng,deu,10",
    ],
)
def test_other_tables_are_not_taken_for_appraises(line) -> None:
    assert name_appraise_columns(line.split(",")) == ()


def test_files_of_one_shape_are_read_together(save) -> None:
    paths = [save("a.csv", APPRAISE_DIRECT), save("b.csv", APPRAISE_DIRECT.replace("0101", "0102"))]
    assert {row["judge"] for row in rows_of(paths)} == {"engdeu0101", "engdeu0102"}


def test_files_of_two_shapes_are_refused(save) -> None:
    paths = [save("a.csv", APPRAISE_DIRECT), save("b.csv", APPRAISE_DOCUMENTS)]
    with pytest.raises(UnknownFormat, match="has documentID, isCompleteDocument too"):
        read(paths)


def test_segments_of_two_files_are_numbered_in_each(save) -> None:
    paths = [save("en-de.mqm.seg.score", "A 1\nA 2\n"), save("en-cs.mqm.seg.score", "A 3\n")]
    found = [(row["task"], row["item"], row["score"]) for row in rows_of(paths)]
    assert sorted(found) == [("en-cs", "1", 3), ("en-de", "1", 1), ("en-de", "2", 2)]


@pytest.mark.parametrize("name", ["en-de.human.seg.score.csv", "en-de.run.seg.rating.tsv"])
def test_a_name_like_mt_metrics_evals_with_another_ending_is_any_table(name, save) -> None:
    mark = "," if name.endswith("csv") else "\t"
    text = "system,score,judge\nA,1,j\nB,2,j\n".replace(",", mark)
    assert [row["score"] for row in rows_of(save(name, text))] == [1, 2]


def test_files_of_mt_metrics_eval_may_be_packed(save) -> None:
    path = save("en-de.mqm.seg.score.gz", gzip.compress(b"A 1\nA 2\n"))
    assert [row["item"] for row in rows_of(path)] == ["1", "2"]
