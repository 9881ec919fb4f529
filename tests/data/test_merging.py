"""One output of several systems: what its judgments say of each of them, and what they do not."""

import narwhals as nw
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read
from evenhand.formats.writing import write
from evenhand.judges.agreement import measure_agreement
from evenhand.judges.screening import screen_judges
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from frames_of_engines import every_engine, handle, native
from read_tables import cells_of

RANKED = {
    "judge": ["j1"] * 3 + ["j2"] * 3,
    "ranking": ["r1"] * 3 + ["r2"] * 3,
    "position": [2, 1, 3, 1, 2, 3],
    "system": ["A+C", "B", "D", "B+D", "A", "C"],
    "rank": [1, 2, 2, 2, 2, -1],
    "weight": [1, 1, 1, 3, 3, 3],
}
"""r1 shows B, A+C, D and says A+C > B = D; r2, of weight 3, shows B+D, A and says B+D = A."""

VOTES = {
    "left": ["A+B", "C", "A", "A+B"],
    "right": ["C", "A", "B", "C+D"],
    "outcome": ["left", "tie", "right", "tie"],
}


def without(name, columns):
    return {key: values for key, values in columns.items() if key != name}


def cells(data):
    """(left, right) → wins, ties, losses of left."""
    return cells_of(data.tally())


@every_engine
def test_a_merged_output_of_a_ranking_is_compared_for_each_of_its_systems(engine):
    data = handle(Rankings, without("weight", RANKED), engine).split_merged("+")
    tally = data.comparisons().tally()
    assert cells_of(tally) == {
        ("B", "A"): (0, 1, 1),  # B stood before A+C and was worse, then B+D before A, a tie
        ("B", "C"): (0, 0, 1),
        ("B", "D"): (0, 1, 0),
        ("A", "D"): (1, 0, 0),
        ("C", "D"): (1, 0, 0),
        ("D", "A"): (0, 1, 0),
    }
    assert (tally.n_judgments, tally.n_comparisons) == (2, 7)
    assert data.merged


@every_engine
def test_one_answer_on_a_merged_output_is_a_comparison_of_each_of_its_systems(engine):
    tally = handle(Comparisons, VOTES, engine).split_merged("+").tally()
    assert cells_of(tally) == {
        ("A", "B"): (0, 0, 1),
        ("A", "C"): (1, 1, 0),
        ("A", "D"): (0, 1, 0),
        ("B", "C"): (1, 1, 0),
        ("B", "D"): (0, 1, 0),
        ("C", "A"): (0, 1, 0),
    }
    assert (tally.n_judgments, tally.n_comparisons) == (4, 8)


def test_weighted_answers_on_merged_outputs_are_counted_once_in_every_group():
    votes = VOTES | {"weight": [2, 1, 1, 3], "task": ["x", "x", "x", "y"]}
    data = handle(Comparisons, votes, "duckdb").split_merged("+")
    assert data.count_judgments() == 7
    part = inspect(data)
    assert [(one.task, one.judgments, one.comparisons) for one in (part.total, *part.tasks)] == [
        (None, 7, 18),
        ("x", 4, 6),
        ("y", 3, 12),
    ]


def test_rows_keep_their_number_after_they_became_several():
    votes = VOTES | {"outcome": ["left", "tie", "right", "nobody"]}
    data = handle(Comparisons, votes, "pandas").split_merged("+")
    with pytest.raises(InvalidJudgments, match=r"unknown outcome 'nobody' .* \(row 4\)"):
        data.tally()


@pytest.mark.parametrize("analyse", [rank, screen_judges, measure_agreement])
def test_every_analysis_names_the_first_bad_lines_of_a_file_with_merged_outputs(tmp_path, analyse):
    rows = [
        f"j{n % 5},q{n},{'AB'[n % 2]},C,{'lfet' if n in {3, 8, 40} else 'left'},+"
        for n in range(1, 50)
    ]
    rows[29] = "j0,q30,A+B,C,tie,+"
    file = tmp_path / "votes.csv"
    header = "judge,item,left,right,outcome,system_separator"
    file.write_text("\n".join([header, *rows]), encoding="utf-8")
    with pytest.raises(InvalidJudgments, match=r"unknown outcome 'lfet' .* \(lines 4, 9, 41\)"):
        analyse(read(file))


@every_engine
def test_a_system_on_both_sides_through_its_names_is_refused(engine):
    votes = {"left": ["A+B", "A"], "right": ["B+C", "B"], "outcome": ["left", "tie"]}
    data = handle(Comparisons, votes, engine).split_merged("+")
    with pytest.raises(InvalidJudgments) as caught:
        data.tally()
    row = "" if engine == "polars lazy" else " (row 1)"
    assert str(caught.value) == (
        f"'B' stands on both sides in votes.csv{row}, alone or in the name of a merged output:"
        " exclude these rows, or read the names as they are (--system-separator '', in Python"
        " system_separator='')"
    )


@every_engine
def test_a_system_twice_in_a_ranking_through_its_names_is_refused(engine):
    columns = RANKED | {"system": ["A+C", "B", "C+D", "B+D", "A", "C"]}
    data = handle(Rankings, columns, engine).split_merged("+")
    with pytest.raises(InvalidJudgments) as caught:
        data.comparisons().tally()
    assert str(caught.value) == (
        "system 'C' appears twice in ranking 'r1' of votes.csv, in 'A+C' and in 'C+D': a"
        " ranking has one output of each system; correct the names, or read them as they are"
        " (--system-separator '', in Python system_separator='')"
    )


@pytest.mark.parametrize(
    ("name", "sign", "words"),
    [
        ("A++B", "+", r"name 'A\+\+B' in column 'system' of votes\.csv has an empty part"),
        ("+A", "+", "has an empty part"),
        ("A + B", "+", "has the part 'A ' with a blank before or after it"),
        ("A+B+A", "+", "names system 'A' twice"),
    ],
)
def test_names_that_cannot_be_taken_apart_are_refused(name, sign, words):
    columns = {"ranking": ["r", "r"], "system": [name, "C"], "rank": [1, 2]}
    with pytest.raises(InvalidJudgments, match=words):
        handle(Rankings, columns, "polars").split_merged(sign)


def test_a_sign_may_have_blanks_but_must_be_there():
    columns = {"ranking": ["r", "r"], "system": ["A + B", "C"], "rank": [1, 2]}
    data = handle(Rankings, columns, "polars")
    assert data.split_merged(" + ").comparisons().tally().systems == ("A", "B", "C")
    with pytest.raises(UnknownOption, match="system_separator is empty"):
        data.split_merged(" ")


def test_systems_that_only_merged_names_hold_are_named():
    note = handle(Rankings, RANKED, "polars").split_merged("+").source.notes[-1]
    assert note == (
        "2 of 6 names stand for several systems, such as 'A+C': each of these is compared with the"
        " others, not with one another"
    )
    columns = {"ranking": ["r", "r"], "system": ["Transformer+R2L", "C"], "rank": [1, 2]}
    note = handle(Rankings, columns, "polars").split_merged("+").source.notes[-1]
    assert note.endswith("; only ever found in such names: R2L, Transformer")


def test_read_takes_names_apart_after_rows_and_task_are_chosen():
    columns = RANKED | {"task": ["x"] * 3 + ["y"] * 3}
    frame = native(columns, "polars")
    one = read(frame, task="y", system_separator="+")
    assert cells(one.comparisons()) == {("B", "A"): (0, 3, 0), ("D", "A"): (0, 3, 0)}
    kept = read(frame, where=nw.col("system") != "B+D", system_separator="+")
    assert kept.comparisons().tally().systems == ("A", "B", "C", "D")
    assert kept.comparisons().tally().n_judgments == 1
    every = read(frame, system_separator="+").comparisons()
    assert every.select_task("y").tally().n_judgments == 3
    found = rank(every, model=BradleyTerry(ties="half-win", prior=1))
    assert {name: one.n_judgments for name, one in found.groups.items()} == {"x": 1, "y": 3}


@pytest.mark.parametrize("engine", [pl.DataFrame, lambda rows: pl.DataFrame(rows).to_pandas()])
def test_a_score_of_a_merged_output_is_that_of_each_of_its_systems(engine):
    ratings = engine({"item": ["1", "1"], "system": ["A+B", "C"], "score": [3, 5]})
    data = read(ratings, system_separator="+")
    rows = data.rows()
    found = sorted(zip([rows.systems[code] for code in rows.system], rows.score, strict=True))
    assert found == [("A", 3), ("B", 3), ("C", 5)]
    assert "a score of such an output is that of each; bias, labels" in data.source.notes[-1]
    assert "every output is of one system" in read(ratings, system_separator="|").source.notes[-1]


def test_names_that_look_merged_are_pointed_out_in_fits_refusals_and_inspections():
    votes = {
        "left": ["A", "B", "C", "A+B", "B", "C"],
        "right": ["B", "C", "A", "C", "A", "A+B"],
        "outcome": ["left", "left", "left", "left", "left", "left"],
    }
    said = "1 of 4 systems is named like several of the others, 'A+B'. If such an output was shown"
    data = read(pl.DataFrame(votes))
    assert inspect(data).notes[-1].startswith(said)
    assert BradleyTerry(ties="half-win").fit(data).notes[-1].startswith(said)
    with pytest.raises(Exception, match="1 of 4 systems is named like"):
        rank(read(pl.DataFrame(votes).head(5)))
    odd = read(
        pl.DataFrame(votes).with_columns(pl.all().str.replace_all("A+B", "A+X", literal=True))
    )
    assert "named like" not in "".join(inspect(odd).notes)  # X is nobody
    one = read(pl.DataFrame(votes), system_separator="+")
    assert "named like" not in "".join((*inspect(one).notes, *BradleyTerry().fit(one).notes))


def test_what_is_excluded_is_counted_in_comparisons():
    votes = read(pl.DataFrame(VOTES | {"judge": list("aabb")}), system_separator="+")
    (excluded,) = votes.without(judges=["b"]).excluded
    assert excluded.clause.startswith("5 of 8 comparisons, ")  # of two rows in four


def test_written_comparisons_are_taken_apart_and_written_rankings_are_not(tmp_path):
    votes = read(pl.DataFrame(VOTES), system_separator="+")
    again = read(write(votes, tmp_path / "votes.csv"))
    assert again.tally().digest == votes.tally().digest
    assert again.columns == ["left", "right", "outcome", "ranking"]
    ranked = read(pl.DataFrame(RANKED), system_separator="+")
    path = write(ranked, tmp_path / "ranked.parquet")
    digest = ranked.comparisons().tally().digest
    assert read(path, system_separator="+").comparisons().tally().digest == digest
    pairs = read(write(ranked, tmp_path / "pairs.jsonl", kind="comparisons"))
    assert pairs.tally().digest == digest


@pytest.mark.parametrize("library", [pl.DataFrame, dict])
def test_to_compare_judges_an_answer_on_equal_outputs_counts_once(library) -> None:
    asked = {"judge": ["a", "b"], "item": ["q", "q"], "system_separator": ["+", "+"]}
    compared = {"left": ["B+A", "C"], "right": ["C", "A+B"], "outcome": ["left", "tie"]}
    pairs = read(library({**asked, **compared}))
    assert pairs.tally().n_comparisons == 4
    alone = pairs.keep_asked().tally()
    assert (alone.systems, alone.n_comparisons) == (("A", "C"), 2)
    scores = read(library({**asked, "system": ["B+A", "C"], "score": [4, 2]}))
    assert (scores.rows().size, scores.keep_asked().rows().size) == (3, 2)
    assert scores.keep_asked().rows().systems == ("A", "C")
