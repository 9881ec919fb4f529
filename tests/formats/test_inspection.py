"""What is in a table of judgments."""

import re

import polars as pl
import pytest

from evenhand.errors import InvalidJudgments
from evenhand.formats.inspection import inspect
from evenhand.formats.reading import read
from evenhand.render.text import render_text

ROWS = [
    *[("j1", "1", "A", "B", "left"), ("j1", "2", "A", "B", "right"), ("j1", "3", "A", "C", "tie")],
    *[("j2", "1", "B", "A", "left"), ("j2", "4", "C", "B", "left")],
]
TABLE = pl.DataFrame(ROWS, ["judge", "item", "left", "right", "outcome"], orient="row")


def test_comparisons_are_counted() -> None:
    part = inspect(read(TABLE)).total
    assert (part.judgments, part.comparisons, part.systems, part.judges, part.items) == (
        *(5, 5, 3),
        *(2, 4),
    )
    assert part.effective_judges == pytest.approx(25 / 13)  # loads 3 and 2: 5² / (3² + 2²)
    assert (part.shared_items, part.shared_judgments) == (1, 2 / 5)
    assert part.tie_share == 1 / 5
    assert part.left_share == 3 / 4
    assert part.min_left_share == ("B", 1 / 4)  # left once of four
    assert part.max_left_share == ("A", 3 / 4)
    assert (part.components, part.strongly_connected) == (1, True)
    assert (part.rankings, part.blank_rankings) == (None, None)


@pytest.mark.parametrize(
    ("rows", "components", "strong"),
    [
        ("A,B,left\nB,A,left\n", 1, True),
        ("A,B,left\nC,D,left\n", 2, False),
        ("A,B,left\nB,C,left\n", 1, False),
        ("A,B,left\nB,C,left\nC,A,left\n", 1, True),
        ("A,B,tie\nB,C,tie\n", 1, True),
        ("A,B,tie\nC,B,left\n", 1, False),
    ],
)
def test_connectivity_is_that_of_the_graph_of_preferences(rows, components, strong, save) -> None:
    part = inspect(read(save("t.csv", "left,right,winner\n" + rows))).total
    assert (part.components, part.strongly_connected) == (components, strong)


def test_rankings_count_as_one_judgment_each(save) -> None:
    rows = "j,1,r1,A,1\nj,1,r1,B,2\nj,1,r1,C,2\nk,1,r2,A,1\nk,1,r2,B,\nk,2,r3,A,\n"
    found = inspect(read(save("t.csv", "judge,item,ranking,system,rank\n" + rows)))
    part = found.total
    assert found.kind == "rankings"
    assert (part.rankings, part.blank_rankings, part.judgments, part.comparisons) == (3, 1, 1, 3)
    assert (part.items, part.shared_items, part.judges) == (1, 0, 1)
    assert part.left_share is None
    assert part.min_left_share is None


def test_tasks_are_counted_apart_and_together() -> None:
    two = pl.concat([TABLE.with_columns(task=pl.lit("x")), TABLE.with_columns(task=pl.lit("y"))])
    found = inspect(read(two))
    alone = inspect(read(TABLE)).total
    assert [part.task for part in found.tasks] == ["x", "y"]
    assert {part.items for part in found.tasks} == {alone.items}
    assert (found.total.items, found.total.judges, found.total.judgments) == (8, 2, 10)
    assert found.total.shared_judgments == alone.shared_judgments
    assert found.total.components is None
    one = inspect(read(TABLE.with_columns(task=pl.lit("x"))))
    assert one.tasks == ()
    assert one.total.task == "x"


def test_parts_that_a_table_does_not_know_are_none(save) -> None:
    found = inspect(read(save("t.csv", "left,right,winner\nA,B,left\n")))
    part = found.total
    assert (part.judges, part.effective_judges, part.items, part.shared_items) == (None,) * 4
    assert (found.format, found.covariates) == ("evalica", ())
    part = inspect(read(save("t.csv", "item,left,right,winner\n1,A,B,left\n1,A,B,tie\n"))).total
    assert (part.items, part.shared_items, part.shared_judgments) == (1, None, None)
    text = "judge,item,left,right,winner,weight\nj,1,A,B,left,3\nk,1,A,B,tie,1\nk,2,A,B,right,4\n"
    part = inspect(read(save("t.csv", text))).total
    assert (part.judgments, part.tie_share, part.shared_judgments) == (8, 1 / 8, 4 / 8)


def test_scores_are_described_by_criterion(save) -> None:
    text = "judge,item,system,criterion,score\nj,1,A,x,1\nk,1,A,x,3\nj,2,B,x,\nj,2,B,y,-4.5\n"
    found = inspect(read(save("t.csv", text)))
    part = found.total
    assert (found.kind, part.judgments, part.systems, part.judges) == ("ratings", 4, 2, 2)
    assert (part.items, part.shared_items) == (2, 1)
    assert part.effective_judges == pytest.approx(16 / 10)
    first, second = found.scores
    assert (first.criterion, first.count, first.missing) == ("x", 2, 1)
    assert (first.lowest, first.mean, first.highest) == (1, 2, 3)
    assert (second.criterion, second.count, second.mean) == ("y", 1, -4.5)
    found = inspect(read(save("t.csv", "system,criterion,score\nA,x,\nB,x,\nA,y,2\n")))
    first = found.scores[0]
    assert (first.count, first.missing, first.lowest, first.mean) == (0, 2, None, None)
    (only,) = inspect(read(save("t.csv", "system,score\nA,1\nB,2\n"))).scores
    assert (only.criterion, only.count, only.mean) == (None, 2, 1.5)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("j,3,A,B,lft", "unknown outcome 'lft'"),
        ("j,3,A,A,left", "compared with itself"),
        (",3,A,B,left", "missing in column 'judge'"),
        ("j,,A,B,left", "missing in column 'item'"),
    ],
)
def test_every_value_is_checked(row: str, words: str, save) -> None:
    path = save("t.csv", f"judge,item,left,right,outcome\nj,1,A,B,tie\n{row}\n")
    with pytest.raises(InvalidJudgments) as caught:
        inspect(read(path))
    assert words in str(caught.value)
    assert re.search(r"\((row 2|line 3)\)", str(caught.value))


def test_all_engines_see_the_same(tmp_path) -> None:
    two = pl.concat([TABLE.with_columns(task=pl.lit("x")), TABLE.with_columns(task=pl.lit("y"))])
    two.write_parquet(tmp_path / "t.parquet")
    sources = (two, two.lazy(), two.to_arrow(), two.to_pandas(), tmp_path / "t.parquet")
    found = [inspect(read(source)) for source in sources]
    assert len({(one.total, one.tasks) for one in found}) == 1


def test_blank_ranks_are_counted_besides_blank_rankings_by_task(save) -> None:
    lines = ["task,ranking,system,rank"]
    lines += ["x,1,A,1", "x,1,B,", "x,1,C,2", "x,2,A,", "x,2,B,-1", "y,1,A,1", "y,1,B,2"]
    found = inspect(read(save("t.csv", "\n".join(lines))))
    assert (found.total.blank_rankings, found.total.ranks, found.total.blank_ranks) == (1, 5, 1)
    assert [(part.ranks, part.blank_ranks) for part in found.tasks] == [(3, 1), (2, 0)]


@pytest.mark.parametrize("rest", ["left,right,outcome\n", "system,score\n"])
def test_items_that_differ_only_in_how_a_number_is_written_are_pointed_out(rest, save) -> None:
    row = "A,B,left" if "left" in rest else "A,3"

    def look(*items: str) -> list[str]:
        rows = "".join(f"j{at},{item},{row}\n" for at, item in enumerate(items))
        notes = inspect(read(save("t.csv", f"judge,item,{rest}{rows}"))).notes
        return [one for one in notes if "differ only" in one]

    (said,) = look("7", "007", "8", "10", "100")
    assert said.startswith(
        "'007' and '7' are taken for two items: they differ only in how a number"
    )
    assert look("7", "8", "70", "a-7", "A7", "0.7") == []


@pytest.mark.parametrize(
    ("criterion", "low", "better"),
    [
        ("fluency", 1, "higher"),
        ("Toxicity", 1, "lower"),
        ("number of hallucinations", 0, "lower"),
        ("errors", -3, "higher"),  # points are taken off
        ("absence of harm", 1, "higher"),
    ],
)
def test_which_scores_are_better_is_said_of_each_criterion(criterion, low, better):
    columns = {
        "judge": ["ann", "ben"],
        "item": ["1", "1"],
        "system": ["x", "y"],
        "criterion": [criterion] * 2,
        "score": [low, 5],
    }
    found = inspect(read(columns))
    assert found.to_dict()["scores"][0]["better"] == better
    assert f"5  {better}" in render_text(found.document())
    labels = read({name: columns[name] for name in ("judge", "item", "score")}, format="labels")
    assert inspect(labels).to_dict()["scores"][0]["better"] is None
