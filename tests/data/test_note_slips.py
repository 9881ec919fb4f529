"""Slips that a ranking of ratings names, in the words of `inspect`."""

import polars as pl
import pytest

import evenhand
from evenhand.formats.inspection import inspect

JUDGES = ("ann", "ben", "cy", "dee", "eve", "fay")


def table(judge=lambda name, _: name, system=lambda name, _: name, again=0):
    rows = [
        (judge(j, i), str(i), system(s, i), (7 * at + 3 * i + k) % 5 + 1)
        for at, j in enumerate(JUDGES)
        for i in range(12)
        for k, s in enumerate(("Alpha", "beta"))
    ]
    rows += rows[:again]
    return pl.DataFrame(rows, schema=["judge", "item", "system", "score"], orient="row")


CASES = {
    "pasted": (table(again=40), "identical-rows", "40 rows equal another row in every column"),
    "capitals": (
        table(system=lambda name, item: name.lower() if item % 3 else name),
        "similar-names",
        "'Alpha' and 'alpha' are taken for two systems",
    ),
    "blanks": (
        table(judge=lambda name, item: "an n" if name == "ann" and item % 2 else name),
        "similar-names",
        "'an n' and 'ann' are taken for two judges",
    ),
    "sums": (
        table(judge=lambda name, _: "Summe" if name == "fay" else name),
        "summary-rows",
        "taken for judges by name: Summe",
    ),
    "sums of systems": (
        table(system=lambda name, item: "TOTAL" if item == 3 else name),
        "summary-rows",
        "taken for systems by name: TOTAL",
    ),
    "sums of items": (
        table().with_columns(pl.col("item").replace({"3": "SD", "4": "Mean"})),
        "summary-rows",
        "taken for items by name: Mean, SD",
    ),
}


@pytest.mark.parametrize(("frame", "code", "said"), CASES.values(), ids=CASES)
def test_rank_and_inspect_say_the_same_once(frame, code, said):
    data = evenhand.read(frame)
    of_rank = [one for one in evenhand.rank(data).notes if one.code == code]
    of_inspect = [one for one in inspect(data).notes if getattr(one, "code", "") == code]
    assert of_rank == of_inspect
    assert len(of_rank) == 1
    assert of_rank[0].startswith(said)


def test_rows_that_sum_up_are_left_out_by_the_condition_that_is_named(tmp_path):
    path = tmp_path / "s.csv"
    CASES["sums"][0].rename({"judge": "rater"}).write_csv(path)
    (note,) = [one for one in evenhand.rank(path).notes if one.code == "summary-rows"]
    assert """--where "\\"rater\\" <> 'Summe'\"""" in note
    ranking = evenhand.rank(evenhand.read(path, where="\"rater\" <> 'Summe'"))
    assert ranking.n_judges == len(JUDGES) - 1
    assert not [one for one in ranking.notes if one.code == "summary-rows"]
