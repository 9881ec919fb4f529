"""A table of ratings is read once, in every engine alike."""

import subprocess
import sys
from collections import Counter
from dataclasses import fields

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.ratings import Ratings
from evenhand.data.source import AnnotationColumn, Source
from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.formats.reading import read
from frames_of_engines import ORDERED, every_engine, handle

SCORES = {
    "judge": ["j2", "j1", "j2", "j1", "j3"],
    "item": [7, 7, 10, 10, 7],
    "system": ["B", "A", "B", "A", "A"],
    "criterion": ["x", "x", "y", "x", "y"],
    "task": ["de", "de", "de", "fr", "fr"],
    "score": [4.0, 2.0, None, 5.0, 1.0],
    "input": ["speech", "text", "text", "text", "speech"],
}
FULL = SCORES | {"score": [4, 2, 3, 5, 1]}


def told(rows):
    """Every row by the names of its labels, with its score."""
    names = ("tasks", "judges", "items", "systems", "criteria")
    codes = (rows.task, rows.judge, rows.item, rows.system, rows.criterion)
    columns = [
        [getattr(rows, name)[code] for code in own.tolist()]
        for name, own in zip(names, codes, strict=True)
    ]
    return Counter(zip(*columns, rows.score.tolist(), strict=True))


@every_engine
def test_every_label_and_score_is_read(engine):
    rows = handle(Ratings, FULL, engine).rows()
    assert told(rows) == Counter(
        {
            ("de", "j2", "de / 7", "B", "x", 4.0): 1,
            ("de", "j1", "de / 7", "A", "x", 2.0): 1,
            ("de", "j2", "de / 10", "B", "y", 3.0): 1,
            ("fr", "j1", "fr / 10", "A", "x", 5.0): 1,
            ("fr", "j3", "fr / 7", "A", "y", 1.0): 1,
        }
    )
    assert (rows.missing, rows.notes, rows.kind, rows.expected, rows.moment) == (0, (), *[None] * 3)


@every_engine
def test_rows_without_a_score_are_left_out_and_counted(engine):
    rows = handle(Ratings, SCORES, engine).rows()
    assert (rows.size, rows.missing) == (4, 1)
    assert rows.notes == ("rows without a score are excluded: 1 of 5",)
    assert rows.items == ("de / 7", "fr / 10", "fr / 7")  # de / 10 has no score
    items = [rows.items[code] for code in rows.item]
    systems = [rows.systems[code] for code in rows.system]
    assert sorted(zip(items, systems, rows.score, strict=True)) == [
        *(("de / 7", "A", 2), ("de / 7", "B", 4)),
        *(("fr / 10", "A", 5), ("fr / 7", "A", 1)),
    ]


@every_engine
def test_a_table_without_any_score_is_refused(engine):
    data = handle(Ratings, FULL | {"score": [float("nan")] * 5}, engine)
    with pytest.raises(InvalidJudgments, match=r"'score' of votes\.csv has no score in any of 5"):
        data.rows()


@pytest.mark.parametrize("large", [float("inf"), -1e160])
@pytest.mark.parametrize("engine", ORDERED)
def test_an_infinite_score_or_one_without_a_square_is_refused_with_its_row(engine, large):
    data = handle(Ratings, FULL | {"score": [1.0, 2.0, large, 4.0, 5.0]}, engine)
    with pytest.raises(InvalidJudgments, match=r"'score' of votes\.csv \(row 3\) is infinite"):
        data.rows()


@pytest.mark.parametrize("engine", ORDERED)
@pytest.mark.parametrize("role", ["judge", "system", "criterion", "task"])
def test_a_missing_label_is_refused_with_its_rows(engine, role):
    labels = [FULL[role][0], None, None, *FULL[role][3:]]
    data = handle(Ratings, FULL | {role: labels}, engine)
    with pytest.raises(InvalidJudgments, match=rf"missing in column '{role}' .* \(rows 2, 3\)"):
        data.rows()


@pytest.mark.parametrize("engine", ORDERED)
def test_a_label_that_is_missing_beside_a_missing_score_does_no_harm(engine):
    """Row 3 has neither; row 4 is the one that is named."""
    judges = ["j2", "j1", None, "j1", "j3"]
    assert handle(Ratings, SCORES | {"judge": judges}, engine).rows().missing == 1
    data = handle(Ratings, SCORES | {"judge": [*judges[:3], None, "j3"]}, engine)
    with pytest.raises(InvalidJudgments, match=r"\(row 4\)"):
        data.rows()


def test_a_label_with_a_blank_before_it_is_refused():
    data = handle(Ratings, FULL | {"judge": ["j2", " j2", "j1", "j1", "j3"]}, "duckdb")
    with pytest.raises(InvalidJudgments, match=r"label ' j2' .* \(row 2\) has a blank"):
        data.rows()


@every_engine
def test_other_columns_are_read_as_factors(engine):
    rows = handle(Ratings, FULL, engine).rows(factors=["input", "task"])
    own = rows.factors["input"]
    assert (own.labels, own.loads.tolist(), own.size) == (("speech", "text"), [2, 3], 2)
    said = [own.labels[code] for code in own.codes.tolist()]
    found = Counter(zip(said, rows.score.tolist(), strict=True))
    assert found == Counter(zip(FULL["input"], FULL["score"], strict=True))
    assert rows.factors["task"].codes.tolist() == rows.task.tolist()
    parts = rows.split(["input", "criterion"])
    assert {key: part.size for key, part in parts.items()} == {
        ("speech", "x"): 1,
        ("speech", "y"): 1,
        ("text", "x"): 2,
        ("text", "y"): 1,
    }


KINDS = FULL | {"kind": ["TGT", "BAD", "chk", "good", None]}


@every_engine
def test_kinds_are_read_in_the_words_of_appraise_too(engine):
    rows = handle(Ratings, KINDS, engine).rows()
    kinds = zip(rows.kind.tolist(), rows.direction.tolist(), strict=True)
    by_score = dict(zip(rows.score.tolist(), kinds, strict=True))
    assert by_score == {
        4.0: (TARGET, 0),
        2.0: (CONTROL, -1),
        3.0: (REPEAT, 0),
        5.0: (CONTROL, 1),
        1.0: (TARGET, 0),
    }
    assert rows.notes == ("judgments without a kind are targets: 1 of 5",)
    assert rows.targets().size == 2


@every_engine
def test_what_is_expected_is_a_score_or_good_or_bad(engine):
    """Without a column of kinds, what something is expected of is a control."""
    rows = handle(Ratings, FULL | {"expected": [None, "5", "bad", "good", ""]}, engine).rows()
    order = np.argsort(-rows.score)  # 5, 4, 3, 2, 1: expected good, nothing, bad, 5, nothing
    assert rows.kind[order].tolist() == [CONTROL, TARGET, CONTROL, CONTROL, TARGET]
    assert rows.direction[order].tolist() == [1, 0, -1, 0, 0]
    assert np.array_equal(rows.expected[order], [np.nan] * 3 + [5, np.nan], equal_nan=True)


def test_a_column_that_was_guessed_and_holds_something_else_is_left_aside_with_a_note():
    table = FULL | {"when": ["noon", "dusk", "noon", "dawn", "dusk"]}
    data = handle(Ratings, table, "duckdb")
    source = Source(
        name="votes.csv", annotations={"shown_at": AnnotationColumn("when", sure=False)}
    )
    rows = Ratings(data.frame, source).rows()
    assert rows.moment is None
    assert rows.notes[0].startswith("column 'when' is not taken as shown_at: it holds dawn, dusk")


@every_engine
def test_an_empty_selection_is_refused(engine):
    data = handle(Ratings, FULL, engine).where(nw.col("judge") == "nobody")
    with pytest.raises(InvalidJudgments, match=r"no ratings in votes\.csv"):
        data.rows()


def test_a_file_is_read_without_a_data_frame_library(tmp_path):
    """Importing pandas costs a second, four times what a million ratings cost to read."""
    path = tmp_path / "ratings.parquet"
    table = KINDS | {"seconds": [1.0, 2.0, None, 3.0, 4.0], "score": [1.0, None, 3.0, 4.0, 5.0]}
    pl.DataFrame(table).write_parquet(path)
    code = (
        f"import sys, evenhand; evenhand.read({str(path)!r}).rows(factors=['input']);"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'scipy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@every_engine
def test_columns_of_the_wrong_kind_are_refused(engine):
    for more, asked, why in (
        ({"score": ["good", "bad", "good", "1", "2"]}, (), "holds string: scores are numbers"),
        ({"length": [1.5, 2.5, 3.5, 4.5, 5.5]}, ["length"], "by text or whole numbers"),
    ):
        with pytest.raises(InvalidJudgments, match=why):
            handle(Ratings, FULL | more, engine).rows(factors=asked)
    with pytest.raises(UnknownColumn, match="ratings need the column score; score not found"):
        handle(Ratings, {"system": ["A"], "judge": ["j"]}, engine)


def test_rows_that_are_taken_are_taken_of_every_column() -> None:
    beside = {"kind": ["target", "control"], "seconds": [3, 4], "shown_at": [10, 20]}
    asked = {"judge": ["a", "b"], "item": ["q", "r"], **beside}
    scores = read({**asked, "system": ["x", "y"], "score": [1, 2], "expected": [None, 2]}).rows()
    pairs = {"left": ["x", "y"], "right": ["y", "x"], "outcome": ["left", "tie"]}
    votes = read({**asked, **pairs, "expected": [None, "tie"]}).votes()
    for rows in (scores, votes):
        last = rows.take(np.array([False, True]))
        held = {one.name: getattr(rows, one.name) for one in fields(rows)}
        columns = {name for name, one in held.items() if isinstance(one, np.ndarray)}
        assert {*beside, "moment", "expected", "judge"} - {"shown_at"} <= columns
        assert all(getattr(last, name).tolist() == held[name][1:].tolist() for name in columns)
    assert scores.take(np.array([1])).score.tolist() == [2.0]
