"""The first of a judge's two answers is the first in the table, whatever joins the table needs."""

from itertools import combinations
from random import Random

import duckdb
import polars as pl
import pytest

from evenhand import measure_agreement, read

FORMS = ("pandas", "polars", "lazy", "parquet", "csv", "duckdb")


def two_rankings(*, mixed):
    """Three judges rank four outputs of each of 12 items twice, without order or names in it."""
    luck, rows = Random(3), []
    for _ in range(2):
        for item in luck.sample(range(12), 12):
            for judge in "xyz":
                own = [("A", 1), ("B+C", 2), ("D", luck.choice([1, 2, 3]))]
                marks = [(name, luck.choice([rank, 3])) for name, rank in luck.sample(own, 3)]
                name = f"r{luck.random()}"
                rows += [(name, judge, f"i{item}", system, rank) for system, rank in marks]
    rows = luck.sample(rows, len(rows)) if mixed else rows
    return pl.DataFrame(rows, ["ranking", "judge", "item", "system", "rank"], orient="row")


def list_pairs(table, sign):
    """Pairs of each ranking, in the order in which rankings begin."""
    rankings = {}
    for row in table.iter_rows(named=True):
        names = row["system"].split("+") if sign else [row["system"]]
        own = rankings.setdefault(row["ranking"], [])
        own += [{**row, "system": name, "output": row["system"]} for name in names]
    for rows in rankings.values():
        for one, other in combinations(sorted(rows, key=lambda row: row["system"]), 2):
            if one["output"] != other["output"]:
                said = (one["rank"] < other["rank"]) - (one["rank"] > other["rank"])
                yield one["judge"], one["item"], one["system"], other["system"], said


def share_same(pairs):
    """Mean share over output pairs of pairs of judges whose first answers are the same."""
    units = {}
    for judge, item, low, high, said in pairs:
        units.setdefault((item, low, high), {}).setdefault(judge, said)
    told = [list(combinations(own.values(), 2)) for own in units.values() if len(own) > 1]
    return sum(sum(a == b for a, b in own) / len(own) for own in told) / len(told)


def write(table, form, folder):
    """Return a table in some form."""
    if form in ("parquet", "csv", "duckdb"):
        path = folder / f"table.{'csv' if form == 'csv' else 'parquet'}"
        (table.write_csv if form == "csv" else table.write_parquet)(path)
        return duckdb.sql(f"select * from '{path}'") if form == "duckdb" else path
    return {"pandas": table.to_pandas, "polars": table.clone, "lazy": table.lazy}[form]()


def same_answer(data):
    found = measure_agreement(data, coefficients="n-agreement")
    return found.whole["n-agreement-0"].value


@pytest.mark.parametrize(("sign", "mixed"), [("+", True)])
@pytest.mark.parametrize("form", FORMS)
def test_of_two_rankings_the_one_that_begins_first_counts(form, sign, mixed, tmp_path):
    # expected by going through the rows one by one
    table = two_rankings(mixed=mixed)
    expected = share_same(list_pairs(table, sign))
    data = read(write(table, form, tmp_path), **({"system_separator": sign} if sign else {}))
    assert same_answer(data) == pytest.approx(expected)
