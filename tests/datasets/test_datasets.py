"""The bundled tables: their counts beside totals that the sources print."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from evenhand import datasets
from evenhand.datasets import Dataset
from evenhand.datasets.simulated import SIMULATED, draw_table
from evenhand.errors import UnknownOption
from golden_numbers import FOLDER

# The bundled tables: their counts beside totals that the sources print, and their layout.


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


def test_cells_are_those_that_the_sources_print() -> None:
    # summed by hand from Dras (2015), Table 1; section 2 names the order A-D-B-C
    table = datasets.load("dras2015_table1")
    assert first_preferences(table).most_common() == [("A", 402), ("D", 334), ("B", 127), ("C", 54)]
    # Dras (2015), Figure 1(a): rows annotator 1, columns annotator 2, in the order R, B, E
    answers: dict[Any, dict[Any, str]] = defaultdict(dict)
    for row in records(datasets.load("collins2005_judges")):
        answers[row["item"]][row["judge"]] = row["outcome"]
    crossed = Counter((one["1"], one["2"]) for one in answers.values())
    order = ("left", "right", "tie")
    assert [[crossed[first, second] for second in order] for first in order] == [
        *([33, 2, 5], [2, 13, 5], [9, 4, 27])
    ]
    counts = tallied(datasets.load("dras2015_table1"), by_judge=True)
    assert {sum(triple) for triple in counts.values()} == {40}
    assert len(counts) == 4 * 6
    counts = tallied(datasets.load("baseball1987"), by_judge=False)
    assert len(counts) == 7 * 6
    for (_, home, away), games in counts.items():
        assert sum(games) + sum(counts["", away, home]) == 13
    # PlackettLuce vignette, section 2.1.1: r_ij of the first six pairs
    counts = tallied(datasets.load("pudding"), by_judge=False)
    printed = {"12": 57, "13": 47, "23": 48, "14": 54, "24": 51, "34": 54}
    assert {
        pair: sum(counts["", f"brand {pair[0]}", f"brand {pair[1]}"]) for pair in printed
    } == printed
    # Agresti (2002), p. 448: Biometrika cited 730 + 498 + 221 times by the other three, and so on
    assert first_preferences(datasets.load("citations")) == {
        "Biometrika": 730 + 498 + 221,
        "Comm Statist": 33 + 68 + 17,
        "JASA": 320 + 813 + 142,
        "JRSS-B": 284 + 276 + 325,
    }


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


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_cites_who_printed_it_and_where(table: Dataset) -> None:
    assert re.search(r"\(\d{4}\)", table.source), "a year"
    assert re.search(r"Table \d|Figure \d|Example \d|pp?\. \d", table.source), "a table or page"
    assert all(number.address for number in table.numbers)
    assert table.numbers


def test_tables_are_found_by_name_and_cite_their_numbers(golden) -> None:
    with pytest.raises(UnknownOption, match="Did you mean 'citations'"):
        datasets.load("citation")
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in FILES if f"`{path.stem}`" not in readme] == []
    given = golden("02_llbt_multi_pair_judges", "eq1_with_ties").input
    rows = {
        (given["judges"][judge], given["systems"][i], given["systems"][j], outcome, count)
        for judge, i, j, *counts in given["cells"]
        for outcome, count in zip(("left", "tie", "right"), counts, strict=True)
        if count
    }
    assert rows == set(datasets.load("dras2015_table1").rows)


def test_loading_a_table_imports_neither_numpy_nor_duckdb() -> None:
    code = (
        "import sys; from evenhand import datasets; datasets.load('pudding').csv(); "
        "print(sorted({'numpy', 'duckdb', 'narwhals', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Golden numbers say what they are and who computed them; their counts are those of the tables.


FILES = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_entry_says_what_it_is_and_who_computed_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert content["file"] == path.stem
    assert content["source"]
    assert "software" in content
    for entry in content["entries"]:
        assert {"id", "definition", "input", "expected", "tolerance", "obtained_by"} <= set(entry)
    assert not re.search(r"/(work|tmp|home|root)\b", text), "no paths of one machine"


# Simulated tables follow the model that they state.


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(draw_table(name))))


@pytest.mark.parametrize("name", SIMULATED)
def test_sides_are_drawn_by_lot_and_titles_say_simulated(name):
    """Of n pairs the first name of the two stands left in n/2, within 4 sd of the binomial."""
    assert name.endswith("_simulated")
    assert SIMULATED[name].title.endswith("(simulated)")
    table = rows(name)
    first = sum(row["left"] < row["right"] for row in table)
    assert abs(first - len(table) / 2) < 2 * len(table) ** 0.5


def test_simulated_tables_follow_what_they_state() -> None:
    # 600 judgments, each a tie with chance 0.2: sd 9.8.
    ties = Counter(row["outcome"] for row in rows("arena_simulated"))["tie"]
    assert abs(ties - 120) < 40
    pairs = Counter(
        (row["item"], *sorted((row["left"], row["right"]))) for row in rows("study_simulated")
    )
    assert set(pairs.values()) == {3}
    assert len(pairs) == 100
