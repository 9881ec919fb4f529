"""Columns take their roles: labels, numbers, and what was recorded beside judgments."""

import datetime as dt
import uuid
import warnings
from decimal import Decimal

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.ratings import Ratings
from evenhand.data.source import AnnotationColumn
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, rows_of, tally_of

# Columns take their roles: what is a label, and what is not.


BASE = {"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]}


def _frame(**more):
    return pl.DataFrame(BASE | more)


def test_text_columns_reach_duckdb_without_a_cast(tmp_path) -> None:
    _frame(item=[1, 2]).write_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet")
    assert isinstance(data, Comparisons)
    query = data.frame.to_native().sql_query().lower()
    shown = query.partition(" from ")[0]
    assert shown.count("cast(") == 1, query  # of the item, a whole number


@pytest.mark.parametrize(
    "labels",
    [
        pl.Series([7, 8], dtype=pl.UInt8),
        pl.Series([7, 8]).cast(pl.String).cast(pl.Categorical),
        pl.Series(["7", "8"], dtype=pl.Enum(["7", "8"])),
    ],
    ids=str,
)
def test_whole_numbers_and_categories_become_text(labels) -> None:
    frame = _frame(judge=labels)
    for one in (frame, frame.lazy(), frame.to_arrow(), frame.to_pandas()):
        assert tally_of(one, ("judge",)).factor("judge").labels == ("7", "8")


def test_categories_dates_and_uuids_become_text() -> None:
    connection = duckdb.connect()
    connection.sql("create type side as enum ('left', 'right')")
    relation = connection.sql("select 'A' as \"left\", 'B' as \"right\", 'left'::side as winner")
    assert tally_of(relation).systems == ("A", "B")
    days = [dt.date(2024, 1, 2), dt.date(2024, 1, 3)]
    assert tally_of(_frame(item=days), ("item",)).factor("item").labels[0] == "2024-01-02"
    one = str(uuid.UUID(int=1))
    relation = duckdb.sql(f"select 'A' \"left\", 'B' \"right\", 'tie' winner, '{one}'::uuid item")
    assert tally_of(relation, ("item",)).factor("item").labels == (one,)
    judges = pd.Series(["j", None]).astype("category")
    data = read(pd.DataFrame(BASE | {"judge": judges}))
    assert isinstance(data, Comparisons)
    with pytest.raises(InvalidJudgments, match=r"missing in column 'judge' .*\(row 2\)"):
        data.tally(("judge",))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.5, 2.0], "fractions"),
        ([1.0, float("nan")], "floats (fractions, or no numbers)"),
        ([1.0, 2.0], "fractions"),
        ([True, False], "true or false"),
        ([[1], [2]], "nested values"),
        ([{"a": 1}, {"a": 2}], "nested values"),
        ([dt.datetime(2024, 1, day, tzinfo=dt.UTC) for day in (2, 3)], "values of type Datetime"),
    ],
    ids=str,
)
def test_what_cannot_name_anything_is_refused(values, words, tmp_path) -> None:
    frame = _frame(judge=values)
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (frame, frame.lazy(), frame.to_arrow(), tmp_path / "t.parquet"):
        said = refusal(source, InvalidJudgments)
        assert "column 'judge'" in said
        assert words.split()[0] in said


def test_columns_of_pandas_that_name_nothing_are_explained() -> None:
    frame = pd.DataFrame(BASE | {"item": [1, None]})
    words = refusal(frame, InvalidJudgments)
    assert "whole numbers as floats: a value is missing (row 2)" in words
    assert "frame['item'].astype('Int64')" in words
    assert "fractions" in refusal(pd.DataFrame(BASE | {"item": [1.5, 2]}), InvalidJudgments)
    frame = pd.DataFrame(BASE | {"item": pd.Series(["a", 1], dtype=object)})
    assert "not all text" in refusal(frame, InvalidJudgments)


def test_labels_are_compared_exactly_and_empty_ones_are_missing(save) -> None:
    path = save("t.csv", "left,right,winner\na b,A b,left\na b,a  b,left\n")
    assert tally_of(path).systems == ("A b", "a  b", "a b")
    text = save("t.csv", 'left,right,winner\nA,B,left\n"",B,left\n')
    lines = save("t.jsonl", '{"left":"","right":"B","winner":"tie"}\n')
    assert "missing in column 'left'" in refusal(text, InvalidJudgments)
    assert "missing in column 'left'" in refusal(lines, InvalidJudgments)
    assert "missing in column 'left'" in refusal(pl.DataFrame(BASE | {"left": ["", "B"]}))
    path = save("t.csv", "left,right,winner\nA,B, yes \nA,B,no\n")
    tally = tally_of(path, outcomes={" yes ": "left", "no": "right"})
    assert cells_of(tally) == {("A", "B"): (1, 0, 1)}


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\u2003", "\u3000"])
def test_blanks_around_labels_are_stripped_and_counted(blank: str, save) -> None:
    text = f"left,right,winner\nA,B,left\nA,{blank}B,left\nA{blank},B,{blank}left{blank}\n"
    note = "blanks around labels were stripped: 1 in 'left', 1 in 'right', 1 in 'winner'."
    table = pl.read_csv(text.encode())
    for source in (save("t.csv", text), table, table.lazy(), table.to_pandas(), table.to_arrow()):
        data = read(source)
        assert cells_of(data.tally()) == {("A", "B"): (3, 0, 0)}
        assert note in data.source.notes


def test_blanks_far_down_are_stripped_when_the_table_is_counted() -> None:
    """Beyond the rows that are looked at when a table is opened."""
    sides = ["A", "B"] * 30_000
    table = pl.DataFrame(
        {"left": sides, "right": sides[::-1], "outcome": ["left"] * 59_999 + [" tie"]}
    )
    data = read(table)
    assert not any("stripped" in note for note in data.source.notes)
    assert evenhand.rank(data).excluded == ()
    stripped = data.strip_labels()
    assert "blanks around labels were stripped: 1 in 'outcome'." in stripped.source.notes
    assert stripped.tally().counts.sum() == 60_000


def test_unknown_outcomes_and_self_comparisons_name_their_rows(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\nA,B,lft\nB,B,tie\n")
    words = refusal(path, InvalidJudgments)
    assert "unknown outcome 'lft' in column 'winner' of " in words
    assert "(line 3)" in words
    assert "--outcome 'lft=left'" in words
    same = save("s.csv", "left,right,winner\nA,B,left\nB,B,tie\n")
    assert "'B' is compared with itself" in refusal(same, InvalidJudgments)
    assert "(line 3)" in refusal(same, InvalidJudgments)


def test_a_dot_in_the_name_of_a_column_is_no_table(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "judge,item,a.system,a_system,score,Input.src\n"
        "j,1,x,p,3,de\nj,1,y,p,4,en\nk,1,x,p,2,de\nk,1,y,p,5,en\n"
    )
    data = read(path, columns={"system": "a.system"}, where="Input_src = 'de'")
    assert [row["score"] for row in rows_of(data)] == [3, 2]
    note = "a dot in the name of a column is written _ here: a_system_, Input_src."
    assert note in data.source.notes
    ranked = evenhand.rank(read(path, columns={"system": "a.system"}), interval="model")
    assert sorted(ranked.systems) == ["x", "y"]


# Ranks, weights and scores: what is a number, and what is refused.


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


def test_scores_and_ranks_are_checked_in_every_frame(tmp_path) -> None:
    table = {"ranking": ["r", "r"], "system": ["A", "B"]}
    assert "rank 0 " in refusal(pl.DataFrame(table | {"rank": [0, 1]}), InvalidJudgments)
    assert "rank 1.5 " in refusal(pd.DataFrame(table | {"rank": [1.5, 1]}), InvalidJudgments)
    assert "rank 'x'" in refusal(pl.LazyFrame(table | {"rank": ["x", "1"]}), InvalidJudgments)
    assert "not numbers" in refusal(pl.DataFrame(table | {"rank": [True, False]}))
    table = {"ranking": ["r", "r", "r"], "system": ["A", "B", "C"], "rank": [1.0, None, 2.0]}
    gaps = pl.DataFrame(table)
    for frame in (
        gaps,
        gaps.with_columns(pl.col("rank").fill_null(float("nan"))),
        gaps.to_pandas(),
    ):
        assert cells_of(tally_of(frame)) == {("A", "C"): (1, 0, 0)}
    table = pl.DataFrame({"ranking": [1, 1], "system": ["A", "B"], "rank": [1, 0]})
    table.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InvalidJudgments, match=r"rank 0 .*\(row 2\)"):
        read(tmp_path / "t.parquet")
    fine = read(table.with_columns(rank=pl.Series([1, 2])))
    assert isinstance(fine, Rankings)
    assert fine.count() == 1


def test_what_the_expansion_to_pairs_would_lose_is_refused(save) -> None:
    head = "ranking,system,rank,position\nr,A,1,1\n"
    for row, words in {
        "r,A,2,2": "system 'A' appears twice in ranking 'r'",
        "r,B,2,1": "position '1' appears twice in ranking 'r'",
        "r,B,2,": "a value is missing in column 'position'",
        "r,,2,2": "a value is missing in column 'system'",
        ",B,2,2": "a value is missing in column 'ranking'",
        "r,B,2,top": "position 'top' in column 'position'",
    }.items():
        assert words in refusal(save("t.csv", head + row + "\n"), InvalidJudgments)


def test_weights_are_frequencies_or_importance(save) -> None:
    tally = tally_of(save("t.csv", WEIGHED.format("3.0")))
    assert cells_of(tally) == {("A", "B"): (2, 0, 0), ("B", "A"): (0, 3, 0)}
    zero = tally_of(save("z.csv", WEIGHED.format("0")))
    assert (zero.zero_weight, zero.n_comparisons) == (1, 2)
    tally = tally_of(save("t.csv", WEIGHED.format(".5")), weights="importance")
    assert cells_of(tally)["B", "A"] == (0, 0.5, 0)
    assert tally.squares is not None
    bare = save("u.csv", "left,right,winner\nA,B,left\n")
    assert "needs a weight column" in refusal(bare, UnknownOption, weights="importance")
    assert "choose frequency | importance" in refusal(bare, UnknownOption, weights="often")


def test_scores_are_numbers_or_blank_also_as_text_of_pandas(save) -> None:
    data = read(save("t.csv", "judge,system,score,seconds\nj,A,71.5,3\nj,B,,\nj,C,-1e2,4.5\n"))
    assert isinstance(data, Ratings)
    there = fetch_columns(data.frame.filter(~nw.col("score").is_null()))
    assert there["score"].tolist() == [71.5, -100.0]
    # pandas warns of a pattern with groups: (?:...) is none.
    frame = pd.DataFrame({"item": ["1", "1"], "system": ["A", "B"], "score": ["1.5", "2e0"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(frame)
    assert isinstance(found, Ratings)
    assert fetch_columns(found.frame)["score"].tolist() == [1.5, 2.0]
    frame = pa.table(BASE | {"seconds": [1.5, 2.5], "seen": [True, False]})
    data = read(frame)
    assert isinstance(data, Comparisons)
    assert data.frame.collect_schema()["seconds"].is_float()
    assert data.tally(("seen",)).factor("seen").labels == ("false", "true")


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


def test_objects_in_place_of_names_and_commas_in_them(save) -> None:
    table = read(save("t.tsv", "judge\titem\tsystem\tscore\na\t3,5\tx\t1,5\na\t2,5\ty\t2\n"))
    assert table.rows().items == ("2,5", "3,5")
    assert table.rows().score.tolist() == [1.5, 2.0]
    assert table.source.named("item") == "item"
    assert "before decimals in score." in " ".join(table.source.notes)
    lines = [
        f'{{"annotator": {{"id": "{judge}"}}, "item": 1, "system": "{system}", "score": 3}}\n'
        for judge, system in ("ax", "by")
    ]
    path = save("t.jsonl", "".join(lines))
    said = refusal(path, InvalidJudgments)
    assert "such as --column judge=annotator.id" in said
    assert read(path, columns={"judge": "annotator.id"}).rows().judges == ("a", "b")


# Columns for what was recorded beside a judgment, by their names.


RATED = {"system": ["A", "B", "A", "B"], "score": [1, 2, 3, 4]}
COMPARED = {"left": ["A", "B"], "right": ["B", "C"], "outcome": ["left", "tie"]}
ASIDES_RANKED = {"ranking": ["r", "r"], "system": ["A", "B"], "rank": [1, 2]}


def rated(**columns):
    data = read(pl.DataFrame(RATED | columns))
    assert isinstance(data, Ratings)
    return data


def compared(wishes=None, **columns):
    data = read(pl.DataFrame(COMPARED | columns), columns=wishes)
    assert isinstance(data, Comparisons)
    return data


def test_kinds_and_seconds_that_are_none_are_left_alone_where_they_were_guessed() -> None:
    data = rated(type=["TGT", "BAD", "CHK", "TGT"])
    assert data.source.notes[0] == "read ratings: system, score, kind=type"
    assert data.rows().kind.tolist() == [TARGET, CONTROL, REPEAT, TARGET]
    data = rated(duration_s=["3 min", "4", "5", "6"])
    assert (data.rows().seconds, data.covariates) == (None, ["duration_s"])
    with pytest.raises(InvalidJudgments, match="seconds '3 min' in column 'seconds'"):
        rated(seconds=["3 min", "4", "5", "6"])


@pytest.mark.parametrize("values", [["chat", "news", "chat", "TGT"], [1, 2, 3, 4]])
def test_a_type_of_anything_else_stays_a_covariate_and_a_note_says_so(values):
    data = rated(type=values)
    assert data.rows().kind is None
    assert data.covariates == ["type"]
    assert data.source.notes[1].startswith("column 'type' is not taken as kind: it holds ")


def test_kinds_are_read_where_they_are_called_so_or_asked_for() -> None:
    with pytest.raises(InvalidJudgments, match=r"taken as kind, holds chat: expected target \| "):
        rated(kind=["chat", "target", "target", "target"]).rows()
    data = read(pl.DataFrame(RATED | {"sort": list("abcd")}), columns={"kind": "sort"})
    with pytest.raises(InvalidJudgments, match="'sort' of data frame, taken as kind, holds a, b"):
        data.rows()
    assert compared(kind=["chat", "news"]).tally(["kind"]).factor("kind").labels == ("chat", "news")
    data = compared({"kind": "sort", "seconds": "ms"}, sort=["control", "target"], ms=[5, 6])
    votes = data.votes()
    assert (votes.kind.tolist(), votes.seconds.tolist()) == ([CONTROL, TARGET], [5, 6])
    with pytest.raises(UnknownOption, match="no role 'knd'"):
        compared({"knd": "sort"}, sort=["control", "target"])
    data = read(pl.DataFrame(ASIDES_RANKED | {"item_type": ["CHK"] * 2, "time_s": [8, 8]}))
    assert isinstance(data, Rankings)
    votes = data.comparisons().votes()
    assert (votes.kind.tolist(), votes.seconds.tolist()) == ([REPEAT], [8])
    # UKPConvArg1's `gold` names arguments (a1, a2, equal).
    assert compared(gold=["a1", "equal"]).votes().expected is None


def test_columns_beside_keep_their_names() -> None:
    data = compared(duration_s=[3, 4], submit_time=["1970-01-01 00:00:05", None])
    assert data.covariates == ["duration_s", "submit_time"]
    assert data.source.annotations == {
        "seconds": AnnotationColumn("duration_s", sure=False),
        "shown_at": AnnotationColumn("submit_time", sure=False),
    }
    votes = data.votes()
    assert (votes.seconds.tolist(), votes.moment[0]) == ([3, 4], 5)
    assert votes.notes == ("beside the judgments: seconds=duration_s, shown_at=submit_time",)
    # `judge` is asked for as the kind; the role judge is played by `annotator`.
    table = COMPARED | {"judge": ["target", "control"], "annotator": ["a", "b"]}
    data = read(pl.DataFrame(table), columns={"judge": "annotator", "kind": "judge"})
    assert data.covariates == ["original_judge"]
    assert data.votes().kind.tolist() == [TARGET, CONTROL]
    assert rated(t0=[1.5] * 4, timestamp=[1.5] * 4).rows().moment is None
    data = compared(duration_s=[1, 2], time_s=[1, 2])
    assert data.votes().seconds is None
    assert data.covariates == ["duration_s", "time_s"]
    exact = rated(shown_at=[7] * 4, timestamp=["x"] * 4).rows()
    assert exact.moment.tolist() == [7] * 4


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
    ranked = ASIDES_RANKED | {"ranking": ["r", "r"], "kind": ["control"] * 2}
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


def test_weights_mean_nothing_for_ratings() -> None:
    data = rated(weight=[2, 1, 1, 1])
    assert data.source.notes[-1] == "ratings have no weights: column 'weight' is not used"
    table = pl.DataFrame({"judge": ["a"], "item": ["1"], "system": ["x"], "score": [1], "w": [2]})
    with pytest.raises(UnknownColumn, match="holds ratings, which have no weights"):
        read(table, columns={"weight": "w"})
