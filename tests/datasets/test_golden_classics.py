"""The R tables of the classics, derived a second time by statsmodels and scipy.

BradleyTerry2 and prefmod computed them; see tests/golden/README.md for the calls.
"""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from evenhand import datasets


def bundled(name: str, cell: Any, systems: list[str]) -> list[Any]:
    """A bundled table as cells, the systems in the given order."""
    counts: dict[tuple[int, int], list[int]] = {}
    for left, right, outcome, weight in datasets.load(name).rows:
        pair = systems.index(str(left)), systems.index(str(right))
        counts.setdefault(pair, [0, 0, 0])[("left", "tie", "right").index(str(outcome))] += weight
    return [cell(*pair, *triple) for pair, triple in counts.items()]


@pytest.mark.parametrize("name", ["citations_BTm", "baseball_BTm", "baseball_BTm_home"])
def test_bradley_terry_tables_of_r(name: str, golden: Any, oracle: Any, cell: Any) -> None:
    entry = golden(name, name)
    coefficients = entry.expected["log_worth"]
    systems = [*coefficients, entry.expected["reference"]]
    cells = bundled(entry.input["dataset"], cell, systems)
    home = {key: entry.expected[key] for key in ("order_effect",) if key in entry.expected}
    fit = oracle(cells, len(systems), ties="dropped", order=bool(home))
    fit.assert_gives(coefficients | home, scale=2)


def test_prefmod_on_baseball_with_position(golden: Any, oracle: Any, cell: Any) -> None:
    name = "baseball_prefmod_llbt_pos"
    expected = golden(name, name).expected
    teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
    cells = bundled("baseball1987", cell, teams)
    fit = oracle(cells, 7, ties="dropped", order=True)
    estimates = [one["est"] for one in expected["lambda"].values()]
    np.testing.assert_allclose(fit.estimates[:6], estimates, atol=1e-6)
    assert 2 * fit.estimates[6] == pytest.approx(expected["pos"]["est"], abs=1e-6)
    worths = np.exp(2 * np.append(fit.estimates[:6], 0))
    printed = golden("baseball_prefmod_worth", "baseball_prefmod_worth").expected
    np.testing.assert_allclose(worths / worths.sum(), list(printed.values()), atol=1e-6)


def test_springall_with_half_wins_and_covariates(golden: Any, oracle: Any, cell: Any) -> None:
    entry = golden("springall_BTm", "springall_BTm")
    flavour, gel = (np.array(x) for x in entry.input["object_covariates"].values())
    design = np.column_stack([flavour, gel, flavour**2, gel**2, flavour * gel])
    cells = [
        cell(i, j, won + tied / 2, 0, lost + tied / 2)
        for i, j, won, tied, lost in entry.input["cells"]
    ]
    fit = oracle(cells, design, ties="dropped")
    fit.assert_gives(entry.expected["beta"], scale=2)


def students(folder: Path) -> list[dict[str, str]]:
    with (folder / "classics" / "canonical" / "cemspc.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def school_cells(folder: Path, cell: Any, systems: dict[str, str], groups: Any) -> list[Any]:
    places = list(systems.values())
    counts = Counter(
        (row["system_a"], row["system_b"], groups(row), row["outcome"]) for row in students(folder)
    )
    triples = {key[:3] for key in counts}
    return [
        cell(
            places.index(left),
            places.index(right),
            *(counts[left, right, group, outcome] for outcome in ("a", "tie", "b")),
            group,
        )
        for left, right, group in sorted(triples)
    ]


def test_schools_with_ties(golden: Any, oracle: Any, cell: Any, data_folder: Path) -> None:
    expected = golden("cemspc_llbt_ties", "cemspc_llbt_ties").expected
    cells = school_cells(data_folder, cell, expected["systems"], lambda _: ())
    fit = oracle(cells, 6)
    fit.assert_gives(expected["lambda"] | {"g1": expected["g1"]})
    worths = np.exp(2 * np.append(fit.estimates[:5], 0))
    printed = golden("cemspc_llbt_ties_worth", "cemspc_llbt_ties_worth").expected
    np.testing.assert_allclose(worths / worths.sum(), list(printed.values()), atol=1e-6)


def test_schools_with_two_judge_covariates(
    golden: Any, oracle: Any, cell: Any, data_folder: Path
) -> None:
    expected = golden("cemspc_llbt_ties_ENG_SEX", "cemspc_llbt_ties_ENG_SEX").expected
    cells = school_cells(
        data_folder,
        cell,
        expected["systems"],
        lambda row: (float(row["ENG"] == "2"), float(row["SEX"] == "2")),
    )
    fit = oracle(cells, 6)
    schools = list(expected["systems"])[:-1]
    names = [f"{school}{group}" for group in ("", ":ENG2", ":SEX2") for school in schools]
    fit.assert_gives({name: expected["lambda"][name] for name in names} | {"g1": expected["g1"]})


def test_salad_patterns_are_the_maximum_that_scipy_finds(golden: Any, data_folder: Path) -> None:
    ranks: dict[str, dict[str, int]] = {}
    with (data_folder / "classics" / "canonical" / "salad.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            ranks.setdefault(row["ranking_id"], {})[row["system"]] = int(row["rank"])

    def net_wins(ranking: dict[str, int]) -> np.ndarray:
        wins = np.zeros(4)
        for i, j in combinations(range(4), 2):
            sign = 1 if ranking["ABCD"[i]] < ranking["ABCD"[j]] else -1
            wins[[i, j]] += sign, -sign
        return wins

    orders = (dict(zip("ABCD", order, strict=True)) for order in permutations(range(4)))
    patterns = np.array([net_wins(order) for order in orders])
    seen = sum(net_wins(ranking) for ranking in ranks.values())

    def loss(free: np.ndarray) -> float:
        worths = np.append(free, 0)
        return float(len(ranks) * np.log(np.exp(patterns @ worths).sum()) - seen @ worths)

    worths = np.exp(2 * np.append(minimize(loss, np.zeros(3), method="BFGS").x, 0))
    printed = golden("salad_pattR_worth", "salad_pattR_worth").expected
    np.testing.assert_allclose(worths / worths.sum(), list(printed.values()), atol=1e-5)
