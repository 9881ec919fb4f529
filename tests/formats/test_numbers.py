"""Ranks, weights and scores: what is a number, and what is refused."""

import warnings
from decimal import Decimal

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

RANKED = "judge,item,ranking,system,rank\nj,1,r1,A,1\nj,1,r1,B,{}\nj,1,r1,C,2\n"
WEIGHED = "left,right,winner,weight\nA,B,left,2\nB,A,tie,{}\n"


@pytest.mark.parametrize("rank", ["", "-1", " ", "-1.0"])
def test_blank_and_minus_one_are_not_ranked(rank: str, save) -> None:
    assert cells_of(tally_of(save("t.csv", RANKED.format(rank)))) == {("A", "C"): (1, 0, 0)}


@pytest.mark.parametrize("rank", ["1", "1.0", " 1 ", "1e0", "+1"])
def test_a_whole_number_is_a_rank_however_it_is_written(rank: str, save) -> None:
    cells = cells_of(tally_of(save("t.csv", RANKED.format(rank))))
    assert cells == {("A", "B"): (0, 1, 0), ("A", "C"): (1, 0, 0), ("B", "C"): (1, 0, 0)}


@pytest.mark.parametrize("rank", ["0", "1.5", "-2"])
def test_ranks_that_are_no_ranks_are_refused_with_their_row(rank: str, save) -> None:
    words = refusal(save("t.csv", RANKED.format(rank)), InvalidJudgments)
    assert f"rank {rank} " in words
    assert "(line 3)" in words
    assert "−1 or blank means not ranked" in words


@pytest.mark.parametrize("rank", ["second", "inf", "1,5", "0x1", "1 2", "１"])
def test_ranks_in_words_are_refused_with_their_row(rank: str, save) -> None:
    words = refusal(save("t.csv", RANKED.format(f'"{rank}"')), InvalidJudgments)
    assert f"rank '{rank}' in column 'rank'" in words
    assert "(line 3) is not a number" in words


def test_ranks_are_refused_in_frames_too() -> None:
    table = {"ranking": ["r", "r"], "system": ["A", "B"]}
    assert "rank 0 " in refusal(pl.DataFrame(table | {"rank": [0, 1]}), InvalidJudgments)
    assert "rank 1.5 " in refusal(pd.DataFrame(table | {"rank": [1.5, 1]}), InvalidJudgments)
    assert "rank 'x'" in refusal(pl.LazyFrame(table | {"rank": ["x", "1"]}), InvalidJudgments)
    assert "not numbers" in refusal(pl.DataFrame(table | {"rank": [True, False]}))


def test_scores_that_are_text_in_a_pandas_frame_are_read_without_a_warning() -> None:
    """pandas warns of a pattern with groups: (?:...) is none."""
    frame = pd.DataFrame({"item": ["1", "1"], "system": ["A", "B"], "score": ["1.5", "2e0"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(frame)
    assert isinstance(found, Ratings)
    assert fetch_columns(found.frame)["score"].tolist() == [1.5, 2.0]


def test_missing_floats_are_blank_ranks_in_every_frame() -> None:
    table = {"ranking": ["r", "r", "r"], "system": ["A", "B", "C"], "rank": [1.0, None, 2.0]}
    gaps = pl.DataFrame(table)
    for frame in (
        gaps,
        gaps.with_columns(pl.col("rank").fill_null(float("nan"))),
        gaps.to_pandas(),
    ):
        assert cells_of(tally_of(frame)) == {("A", "C"): (1, 0, 0)}


def test_what_the_expansion_to_pairs_would_lose_is_refused(save) -> None:
    head = "ranking,system,rank,position\nr,A,1,1\n"
    for row, words in {
        "r,A,2,2": "system 'A' stands twice in ranking 'r'",
        "r,B,2,1": "position '1' stands twice in ranking 'r'",
        "r,B,2,": "a value is missing in column 'position'",
        "r,,2,2": "a value is missing in column 'system'",
        ",B,2,2": "a value is missing in column 'ranking'",
        "r,B,2,top": "position 'top' in column 'position'",
    }.items():
        assert words in refusal(save("t.csv", head + row + "\n"), InvalidJudgments)


def test_the_position_is_the_place_on_the_screen(save) -> None:
    path = save("t.csv", "ranking,system,rank,position\nr,A,1,2\nr,B,2,1\n")
    assert cells_of(tally_of(path)) == {("B", "A"): (0, 0, 1)}
    bare = save("u.csv", "ranking,system,rank\nr,B,1\nr,A,2\n")
    assert cells_of(tally_of(bare)) == {("A", "B"): (0, 0, 1)}
    assert not tally_of(bare).positions_known


def test_weights_are_frequencies(save) -> None:
    tally = tally_of(save("t.csv", WEIGHED.format("3.0")))
    assert cells_of(tally) == {("A", "B"): (2, 0, 0), ("B", "A"): (0, 3, 0)}
    zero = tally_of(save("z.csv", WEIGHED.format("0")))
    assert (zero.zero_weight, zero.n_comparisons) == (1, 2)


def test_importance_weights_may_be_fractions(save) -> None:
    tally = tally_of(save("t.csv", WEIGHED.format(".5")), weights="importance")
    assert cells_of(tally)["B", "A"] == (0, 0.5, 0)
    assert tally.squares is not None
    bare = save("u.csv", "left,right,winner\nA,B,left\n")
    assert "needs a weight column" in refusal(bare, UnknownOption, weights="importance")
    assert "choose frequency | importance" in refusal(bare, UnknownOption, weights="often")


def test_scores_are_numbers_or_blank(save) -> None:
    data = read(save("t.csv", "judge,system,score,seconds\nj,A,71.5,3\nj,B,,\nj,C,-1e2,4.5\n"))
    assert isinstance(data, Ratings)
    there = fetch_columns(data.frame.filter(~nw.col("score").is_null()))
    assert there["score"].tolist() == [71.5, -100.0]


def test_a_score_in_words_is_refused_with_its_row(save) -> None:
    path = save("t.csv", 'judge,system,score\nj,A,71\nj,B,"7,5"\n')
    with pytest.raises(InvalidJudgments, match=r"score '7,5' in column 'score' of .* \(line 3\)"):
        read(path)


def test_ranks_of_a_parquet_file_are_checked_when_it_is_read(tmp_path) -> None:
    table = pl.DataFrame({"ranking": [1, 1], "system": ["A", "B"], "rank": [1, 0]})
    table.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InvalidJudgments, match=r"rank 0 .*\(row 2\)"):
        read(tmp_path / "t.parquet")
    fine = read(table.with_columns(rank=pl.Series([1, 2])))
    assert isinstance(fine, Rankings)
    assert fine.count() == 1


def test_a_remedy_is_named_only_where_it_helps(save) -> None:
    """Rows can be skipped where others stay; a comma may part thousands."""
    rows = "judge,item,system,score\na,1,x,{}\na,1,y,{}\n"
    assert "--skip-bad-rows" in refusal(save("t.csv", rows.format("so-so", 3)))
    assert "--skip-bad-rows" not in refusal(save("t.csv", rows.format("so-so", "hm")))
    assert "write thousands without a comma" in refusal(save("t.csv", rows.format('"1,005"', 3)))
    assert "thousands" not in refusal(save("t.csv", rows.format('"10,5"', 3)))


OBJECTS = {
    "text beside numbers": (["3", 4, "5", 2.0], [3, 4, 5, 2]),
    "Decimal": ([Decimal("3.5"), Decimal(4), Decimal("2.25"), Decimal(1)], [3.5, 4, 2.25, 1]),
    "Decimal beside text and floats": ([Decimal("3.5"), "4", 2, 1.0], [3.5, 4, 2, 1]),
    "missing ones": ([Decimal("3.5"), None, "NA", 1], [3.5, 1]),
    "parts and the whole numbers that they are": (["3/5", "3", 4, "2/5"], [3, 3, 4, 2]),
    "per cent and numbers of it": (["85 %", "50", 70, "100%"], [85, 50, 70, 100]),
}


@pytest.mark.parametrize(("values", "scores"), OBJECTS.values(), ids=OBJECTS)
def test_scores_of_several_types_in_one_column_are_read(values, scores) -> None:
    frame = pd.DataFrame({"system": [*"ABAB"], "score": pd.Series(values, dtype=object)})
    assert read(frame).rows().score.tolist() == scores


@pytest.mark.parametrize(
    "values",
    [
        # two notations that are two scales: nobody knows which is meant
        ["85 %", "0.9", "70 %", "0.5"],
        ["3/5", "0.6", "4/5", "0.2"],
        ["3/5", "7", "4/5", "2"],
        [True, 3, False, 2],
        [[1], 3, 4, 2],
    ],
)
def test_scores_on_two_scales_in_one_column_are_refused(values) -> None:
    frame = pd.DataFrame({"system": [*"ABAB"], "score": pd.Series(values, dtype=object)})
    refusal(frame, InvalidJudgments)


def test_names_of_items_with_a_comma_stay_as_they_are(save) -> None:
    table = read(save("t.tsv", "judge\titem\tsystem\tscore\na\t3,5\tx\t1,5\na\t2,5\ty\t2\n"))
    assert table.rows().items == ("2,5", "3,5")
    assert table.rows().score.tolist() == [1.5, 2.0]
    assert table.source.named("item") == "item"
    assert "before decimals in score." in " ".join(table.source.notes)


def test_an_object_in_the_place_of_a_name_is_refused_by_what_is_in_it(save) -> None:
    lines = [
        f'{{"annotator": {{"id": "{judge}"}}, "item": 1, "system": "{system}", "score": 3}}\n'
        for judge, system in ("ax", "by")
    ]
    path = save("t.jsonl", "".join(lines))
    said = refusal(path, InvalidJudgments)
    assert "such as --column judge=annotator.id" in said
    assert read(path, columns={"judge": "annotator.id"}).rows().judges == ("a", "b")
