"""The bundled tables: their counts beside totals that the sources print, and their layout.

That every number they promise is found again is tested by `evenhand demo`.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from evenhand import datasets
from evenhand.datasets import Dataset
from evenhand.errors import UnknownOption

TABLES = [datasets.load(name) for name in datasets.names()]


def records(table: Dataset) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def first_preferences(table: Dataset) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in records(table):
        if row["outcome"] != "tie":
            total[row[row["outcome"]]] += row["weight"]
    return total


def tallied(table: Dataset, *, by_judge: bool) -> dict[tuple[str, str, str], list[int]]:
    """Counts (left, tie, right) by (judge or blank, left, right)."""
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in records(table):
        key = (row["judge"] if by_judge else "", row["left"], row["right"])
        counts[key][("left", "tie", "right").index(row["outcome"])] += row["weight"]
    return counts


def test_first_preferences_of_dras_table_1_are_402_334_127_54() -> None:
    # summed by hand from Dras (2015), Table 1; section 2 names the order A-D-B-C
    table = datasets.load("dras2015_table1")
    assert first_preferences(table).most_common() == [("A", 402), ("D", 334), ("B", 127), ("C", 54)]


@pytest.mark.parametrize(
    ("name", "n_judgments", "address"),
    [
        ("dras2015_table1", 4 * 240, "Dras (2015), section 2: four judges, 240 pairs each"),
        ("dras2015_modpref", 120, "61 + 24 + 35"),
        ("collins2005", 199, "one fewer than two answers to each of 100 sentences"),
        ("collins2005_judges", 200, "two answers to each of 100 sentences"),
        ("baseball1987", 21 * 13, "prefmod, ?baseball: 21 pairs of teams, 13 games each"),
        ("pudding", 745, "PlackettLuce, ?pudding: the sum of r_ij"),
        ("citations", 3727, "Agresti (2002), p. 448, off the diagonal"),
    ],
)
def test_tables_count_as_many_judgments_as_their_source(
    name: str, n_judgments: int, address: str
) -> None:
    assert datasets.load(name).n_judgments == n_judgments, address


def test_the_annotators_of_collins_cross_as_in_figure_1_of_dras() -> None:
    # Dras (2015), Figure 1(a): rows annotator 1, columns annotator 2, in the order R, B, E
    answers: dict[Any, dict[Any, str]] = defaultdict(dict)
    for row in records(datasets.load("collins2005_judges")):
        answers[row["item"]][row["judge"]] = row["outcome"]
    crossed = Counter((one["1"], one["2"]) for one in answers.values())
    order = ("left", "right", "tie")
    assert [[crossed[first, second] for second in order] for first in order] == [
        *([33, 2, 5], [2, 13, 5], [9, 4, 27])
    ]


def test_each_judge_of_dras_table_1_compares_every_pair_forty_times() -> None:
    counts = tallied(datasets.load("dras2015_table1"), by_judge=True)
    assert {sum(triple) for triple in counts.values()} == {40}
    assert len(counts) == 4 * 6


def test_every_pair_of_baseball_teams_plays_thirteen_games_in_both_places() -> None:
    counts = tallied(datasets.load("baseball1987"), by_judge=False)
    assert len(counts) == 7 * 6
    for (_, home, away), games in counts.items():
        assert sum(games) + sum(counts["", away, home]) == 13


def test_pudding_pairs_have_the_printed_numbers_of_comparisons() -> None:
    # PlackettLuce vignette, section 2.1.1: r_ij of the first six pairs
    counts = tallied(datasets.load("pudding"), by_judge=False)
    printed = {"12": 57, "13": 47, "23": 48, "14": 54, "24": 51, "34": 54}
    assert {
        pair: sum(counts["", f"brand {pair[0]}", f"brand {pair[1]}"]) for pair in printed
    } == printed


def test_citations_have_the_printed_row_sums() -> None:
    # Agresti (2002), p. 448: Biometrika cited 730 + 498 + 221 times by the other three, and so on
    assert first_preferences(datasets.load("citations")) == {
        "Biometrika": 730 + 498 + 221,
        "Comm Statist": 33 + 68 + 17,
        "JASA": 320 + 813 + 142,
        "JRSS-B": 284 + 276 + 325,
    }


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_csv_text_reads_back_as_the_rows(table: Dataset) -> None:
    read = list(csv.DictReader(io.StringIO(table.csv())))
    assert [[*line] for line in read] == [list(table.columns)] * len(table.rows)
    assert [tuple(line.values()) for line in read] == [tuple(map(str, row)) for row in table.rows]
    assert table.csv().endswith("\n")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_rows_keep_to_the_projects_long_layout(table: Dataset) -> None:
    assert table.columns[-4:] == ("left", "right", "outcome", "weight")
    crossed = {"item"} if table.name == "collins2005_judges" else set()
    assert set(table.columns[:-4]) <= {"judge", *crossed}, "items are not invented"
    for row in records(table):
        assert row["left"] != row["right"]
        assert row["outcome"] in {"left", "tie", "right"}
        assert isinstance(row["weight"], int)
        assert row["weight"] > 0
    assert len({row[:-1] for row in table.rows}) == len(table.rows), "a cell stands once"


def test_only_the_tables_by_judge_name_judges() -> None:
    by_judge = [table.name for table in TABLES if "judge" in table.columns]
    assert by_judge == ["collins2005_judges", "dras2015_table1"]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_cites_who_printed_it_and_where(table: Dataset) -> None:
    assert re.search(r"\(\d{4}\)", table.source), "a year"
    assert re.search(r"Table \d|Figure \d|Example \d|pp?\. \d", table.source), "a table or page"
    assert all(number.address for number in table.numbers)
    assert table.numbers


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_numbers_name_systems_of_their_table(table: Dataset) -> None:
    judges = {row["judge"] for row in records(table) if "judge" in row}
    for number in table.numbers:
        named = re.split(r" - |:", number.of) if number.of else []
        assert set(named) <= {*table.systems, *judges}, number


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UnknownOption, match="Did you mean 'citations'"):
        datasets.load("citation")


def test_tables_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        datasets.load("pudding").rows = ()  # type: ignore[misc]


def test_loading_a_table_imports_neither_numpy_nor_duckdb() -> None:
    code = (
        "import sys; from evenhand import datasets; datasets.load('pudding').csv(); "
        "print(sorted({'numpy', 'duckdb', 'narwhals', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
