"""Our own tables, those of other tools, and what a record holds."""

import json

import polars as pl
import pytest

import evenhand
from evenhand.data.controls import leave_out_controls
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat
from evenhand.formats.reading import read
from evenhand.formats.records import Record, Screen, read_exclusive, read_inclusive, read_score
from evenhand.models.dawid_skene import DawidSkene
from outside_files import DPO, MLQE, SUBSET2EVALUATE
from read_tables import cells_of, refusal, rows_of, tally_of

# Our own tables, and those of other tools.


# Our own comparisons, rankings and ratings, and tables like them.


@pytest.mark.parametrize(
    "words", ["left,tie,right", "a,tie,b", "A,same,B", "first,both bad,second"]
)
def test_outcomes_are_understood_in_common_words(words: str, save) -> None:
    rows = "".join(f"x,y,{word}\n" for word in words.split(","))
    path = save("t.csv", "system_a,system_b,preference\n" + rows)
    assert read(path).source.format == "comparisons"
    assert cells_of(tally_of(path)) == {("x", "y"): (1, 1, 1)}


def test_ids_are_checked_when_they_are_mapped(save) -> None:
    rows = "".join(f"{i},A,B,left\n" for i in (1, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8))
    path = save("t.csv", "id,left,right,outcome\n" + rows)
    assert tally_of(path).n_comparisons == 14
    words = refusal(path, InvalidJudgments, columns={"id": "id"})
    assert "stands more than once" in words
    named = words.split(" in column")[0].removeprefix("id ").split(", ")
    assert len(named) == 5
    assert set(named) < {"1", "4", "5", "6", "7", "8"}
    path = save("t.csv", "id,left,right,outcome\n,A,B,left\n,A,B,left\n1,A,B,left\n")
    assert tally_of(path, columns={"id": "id"}).n_comparisons == 3


def test_rankings_and_ratings_keep_what_they_know(save) -> None:
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
    rows = "t1,r,A,1\nt1,r,B,2\nt2,r,A,2\nt2,r,B,1\n"
    tally = tally_of(save("t.csv", "task,ranking,system,rank\n" + rows), ("task",))
    assert tally.n_judgments == 2
    assert cells_of(tally.split("task")["t2"]) == {("A", "B"): (0, 0, 1)}
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


# A matrix of judges by items.


TEXT = "worker,i1,i2\nann,4,\nben,2,3\n"


def test_a_matrix_is_read_where_it_is_asked_for(save) -> None:
    assert "no known layout" in refusal(save("m.csv", TEXT), UnknownFormat)
    path = save("m.csv", TEXT.replace("worker", "name"))
    assert "begins with a column 'judge'" in refusal(path, UnknownColumn, format="matrix")


# Crowd-kit's pairwise table.


HEADER = "worker,left,right,label\n"
FINE = HEADER + "w1,Pizza,Sushi,Pizza\nw2,Pizza,Sushi,Sushi\nw2,Sushi,Pizza,tie\nw3,A,B,right\n"


def test_the_name_of_the_winner_is_its_side_also_where_it_looks_like_one(save) -> None:
    path = save("t.csv", HEADER + "w,b,a,a\n")
    assert cells_of(tally_of(path)) == {("b", "a"): (0, 0, 1)}
    path = save("t.csv", "system_a,system_b,winner,judge\nx,y,y,j\n")
    assert cells_of(tally_of(path, format="crowd-kit")) == {("x", "y"): (0, 0, 1)}
    own = tally_of(path, format="crowd-kit", outcomes={"nobody": "tie"})
    assert own.n_comparisons == 1
    path = save("t.csv", "left,right,outcome,winner\nA,B,left,A\n")
    assert read(path).source.format == "comparisons"
    assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0)}


@pytest.mark.parametrize("label", ["Taco", "a", "model_a", "pizza"])
def test_a_label_that_names_neither_is_refused_and_never_guessed(label: str, save) -> None:
    words = refusal(save("t.csv", f"{FINE}w4,Pizza,Sushi,{label}\n"), InvalidJudgments)
    assert f"unknown outcome '{label}' in column 'label' of " in words
    assert "t.csv (line 6)" in words


# Crowd-kit's long table of labels.


def test_labels_of_tasks_are_scores_and_categories_are_refused(save) -> None:
    text = "task,worker,label\nt1,w1,4\nt1,w2,4\nt1,w3,cat\n"
    with pytest.raises(UnknownFormat, match=r"'cat' .*\(line 4\).* replace categories by numbers"):
        read(save("t.csv", text))
    fit = DawidSkene().fit(read(save("n.csv", text.replace("cat", "5"))))
    assert fit.labels == ("4",)
    categories = pl.DataFrame({"task": ["t"], "worker": ["w"], "label": ["cat"]})
    with pytest.raises(UnknownFormat, match="is a category"):
        read(categories.with_columns(pl.col("label").cast(pl.Categorical)))


# Chosen and rejected answers.


def test_the_chosen_model_wins_at_no_known_place(save) -> None:
    beside = {"judge": "ann", "weight": 3, "task": "t", "item": "i1", "lang": "de"}
    data = read(save("dpo.jsonl", json.dumps({**json.loads(DPO), **beside})))
    (row,) = rows_of(data)
    assert (row["judge"], row["task"], row["item"], row["lang"]) == ("ann", "t", "i1", "de")
    assert data.tally().n_judgments == 3
    assert "not read: chosen, rejected" in data.source.notes
    text = json.dumps({**json.loads(DPO), "rejected_model": json.loads(DPO)["chosen_model"]})
    with pytest.raises(
        InvalidJudgments, match=r"is compared with itself .*, or leave such rows out$"
    ):
        read(save("dpo.jsonl", text)).tally()


# MLQE's lists of scores.


def test_each_score_of_a_list_is_a_rating_and_other_columns_are_kept(save) -> None:
    words = refusal(save("t.tsv", MLQE.replace("[-0.2, 0.4]", "[-0.2]")), InvalidJudgments)
    assert "line 2 of" in words
    assert "one length" in words
    for text in (MLQE.replace("[-0.2, 0.4]", "5"), MLQE.replace("[61, 70]", "{[1]: 2}")):
        assert "line 2 of" in refusal(save("t.tsv", text), InvalidJudgments)


# Items of subset2evaluate.


def test_metrics_and_human_scores_are_criteria_and_other_keys_are_told(save) -> None:
    line = {**json.loads(SUBSET2EVALUATE), "subset2evaluate_utility": 2.5, "more": {"a": 1}}
    data = read(save("items.jsonl", json.dumps(line)))
    row = rows_of(data)[0]
    assert (row["time"], row["cost"], row["ref"]) == ("1", "1", "r")
    assert row["subset2evaluate_utility"] == "2.5"
    assert "not read: more" in data.source.notes
    line = {**json.loads(SUBSET2EVALUATE), "scores": {"S": 80}}
    words = refusal(save("items.jsonl", json.dumps(line)), InvalidJudgments)
    assert "line 1 of" in words
    assert "the scores of S: expected an object with names, not 80" in words


# Labels of items, which are outputs of no system.


SNOW = """!amt_annotation_ids\t!amt_worker_ids\torig_id\tresponse\tgold
1\tW1\t7\t0\t1
2\tW2\t7\t1\t1
3\tW1\t8\t1\t0
"""


def test_labels_of_items_are_read_and_name_no_systems(save) -> None:
    data = read(save("rte.standardized.tsv", SNOW))
    rows = [(row["judge"], row["item"], row["score"], row["gold"]) for row in rows_of(data)]
    assert rows == [("W1", "7", 0, "1"), ("W2", "7", 1, "1"), ("W1", "8", 1, "0")]
    assert not data.has("system")
    assert data.rows().systems == ("",)
    data = read(save("rte.standardized.tsv", SNOW))
    for work in (leave_out_controls, evenhand.make_report):
        with pytest.raises(UnknownColumn, match="holds labels of items and names no systems"):
            work(data)
    path = save("labels.csv", "worker,segment,grade\nann,1,4\n")
    with pytest.raises(UnknownColumn, match="--from labels"):
        read(path)
    assert rows_of(path, format="labels") == [{"judge": "ann", "item": "1", "score": 4}]


# Records of any shape on their way to rows of a table.


HERE = Record(3, {}, "t")


@pytest.mark.parametrize(
    "text", ["__import__('os')", "{[1]: 2}", "[" * 3000, "[" + "9" * 5000 + "]", "{'a': }"]
)
def test_what_is_no_value_is_refused_and_never_run(text) -> None:
    with pytest.raises(InvalidJudgments, match="row 3 of t: 'x' is not JSON"):
        Record(3, {"x": text}, "t").data("x")


@pytest.mark.parametrize("value", [[1], {"a": 1}, 1.5, True])
def test_a_name_is_text_or_a_whole_number(value) -> None:
    with pytest.raises(InvalidJudgments, match="row 3 of t: x is a name or a number, not"):
        HERE.label(value, "x")


@pytest.mark.parametrize(
    "value", ["", "good", "1_000", "nan", float("nan"), float("inf"), True, [1]]
)
def test_a_score_is_a_number(value) -> None:
    with pytest.raises(InvalidJudgments, match="row 3 of t: a score is a number"):
        read_score(HERE, value)


# Errors as other projects mark them.


MARKS_HERE = Record(4, {}, "t")


@pytest.mark.parametrize(("start", "end"), [(3, 1), (-1, 2), (0.5, 2), (True, 2), ("a", "b")])
def test_places_that_are_none_are_refused(start, end) -> None:
    with pytest.raises(InvalidJudgments, match="row 4 of t: "):
        read_inclusive(
            MARKS_HERE, [{"start_i": start, "end_i": end, "severity": "minor"}], "category"
        )
    with pytest.raises(InvalidJudgments, match="row 4 of t: "):
        read_exclusive(MARKS_HERE, [{"start": start, "end": end, "severity": "minor"}])


@pytest.mark.parametrize(
    ("text", "start", "last", "found"),
    [
        ("abc", 0, 1, (0, 2)),
        ("a😀b", 1, 2, (1, 2)),
        ("a😀b", 1, 1, (1, 2)),  # one half of a pair is the whole character
        ("a😀b", 3, 3, (2, 3)),
        ("a\nb", 1, 1, (2, 3)),
        ("ab", 2, 2, (0, 0)),
        ("ab", 5, 6, (5, 7)),  # behind the text: left as it is
    ],
)
def test_units_of_a_page_become_characters(text, start, last, found) -> None:
    assert Screen.of(text).find(start, last) == found
