"""The golden numbers themselves, derived a second time by statsmodels and scipy.

A test that compares Evenhand with a wrong golden number proves nothing, so what tests/golden
carries from R is checked here against other software, on the same counts.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from evenhand import datasets
from golden_numbers import FOLDER, Golden, entries

FILES = sorted(FOLDER.glob("*.json"))


def summed(entry: Golden, cell: Any) -> list[Any]:
    """The cells of Dras's Table 1 summed over judges."""
    totals: dict[tuple[int, int], np.ndarray] = {}
    for _, i, j, *counts in entry.input["cells"]:
        totals[i, j] = totals.get((i, j), np.zeros(3)) + counts
    return [cell(i, j, *counts) for (i, j), counts in totals.items()]


def by_judge(entry: Golden, cell: Any) -> list[Any]:
    return [
        cell(i, j, *counts, tuple(float(judge == other) for other in (1, 2, 3)))
        for judge, i, j, *counts in entry.input["cells"]
    ]


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


def test_the_readme_names_every_file() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in FILES if f"`{path.stem}`" not in readme] == []


@pytest.mark.parametrize("entry", entries("01_llbt_single_pair"), ids=lambda entry: entry.id)
def test_single_pairs(entry: Golden, oracle: Any, cell: Any) -> None:
    fit = oracle([cell(0, 1, *entry.input.values())], 2)
    fit.assert_gives({name: entry.expected[name] for name in ("o1", "g1")})
    odds = np.exp(2 * fit.estimates[0])
    assert odds == pytest.approx(entry.expected["odds_plus_vs_minus"], rel=1e-8)


def test_the_golden_counts_are_the_bundled_table(golden: Any) -> None:
    given = golden("02_llbt_multi_pair_judges", "eq1_with_ties").input
    rows = {
        (given["judges"][judge], given["systems"][i], given["systems"][j], outcome, count)
        for judge, i, j, *counts in given["cells"]
        for outcome, count in zip(("left", "tie", "right"), counts, strict=True)
        if count
    }
    assert rows == set(datasets.load("dras2015_table1").rows)


@pytest.mark.parametrize(
    ("name", "ties"),
    [("eq1_with_ties", "free"), ("eq1_gamma_zero", "zero"), ("plain_BT_ties_discarded", "dropped")],
)
def test_dras_table_1_by_treatment_of_ties(
    name: str, ties: str, golden: Any, oracle: Any, cell: Any
) -> None:
    entry = golden("02_llbt_multi_pair_judges", name)
    fit = oracle(summed(entry, cell), 4, ties=ties)
    fit.assert_gives(entry.expected["coef"])
    assert fit.deviance == pytest.approx(entry.expected["deviance"], abs=1e-5)
    assert fit.df == entry.expected["df"]


def test_dras_table_1_with_ties_as_half_wins(golden: Any, oracle: Any, cell: Any) -> None:
    entry = golden("02_llbt_multi_pair_judges", "half_win_ties")
    halved = [
        one._replace(won=one.won + one.tied / 2, lost=one.lost + one.tied / 2)
        for one in summed(entry, cell)
    ]
    fit = oracle(halved, 4, ties="dropped")
    np.testing.assert_allclose(2 * fit.estimates, entry.expected["coef_log_worth"], atol=1e-6)
    np.testing.assert_allclose(
        2 * np.sqrt(np.diag(fit.covariance)), entry.expected["se"], atol=1e-6
    )


def test_dras_table_1_by_judge(golden: Any, oracle: Any, cell: Any) -> None:
    entry = golden("02_llbt_multi_pair_judges", "eq2_judge_covariate")
    fit = oracle(by_judge(entry, cell), 4)
    names = [f"o{k}{judge}" for judge in ("", ":J2", ":J3", ":J4") for k in (1, 2, 3)] + ["g1"]
    assert set(names) == set(entry.expected["coef"])
    fit.assert_gives({name: entry.expected["coef"][name] for name in names})
    assert fit.deviance == pytest.approx(entry.expected["deviance"], abs=1e-5)
    assert fit.df == entry.expected["df"]


def test_the_printed_deviances_belong_to_exchanged_columns(
    golden: Any, oracle: Any, cell: Any
) -> None:
    # Dras (2015), section 5, prints 30.646 on 8 and 221.22 on 9 degrees of freedom
    entry = golden("02_llbt_multi_pair_judges", "paper_order_eq1")
    for ties, printed, half_digit in (("free", 30.646, 5e-4), ("zero", 221.22, 5e-3)):
        fit = oracle(summed(entry, cell), 4, ties=ties)
        assert fit.deviance == pytest.approx(printed, abs=half_digit)


@pytest.mark.parametrize(
    ("name", "link", "get"),
    [
        ("rao_kupper", expit, lambda it: [*it["log_worth"][:3], it["log_theta"]]),
        ("thurstone_ties_probit", ndtr, lambda it: [*it["est"][1:], it["est"][0]]),
    ],
)
def test_threshold_models_are_the_maximum_that_scipy_finds(
    name: str, link: Any, get: Any, golden: Any, cell: Any
) -> None:
    entry = golden("02_llbt_multi_pair_judges", name)
    pairs = summed(entry, cell)
    left, right = np.array([[one.left, one.right] for one in pairs]).T
    counts = np.array([[one.won, one.tied, one.lost] for one in pairs])

    def loss(parameters: np.ndarray) -> float:
        worths, threshold = np.append(parameters[:3], 0), np.exp(parameters[3])
        difference = worths[left] - worths[right]
        won, lost = link(difference - threshold), link(-difference - threshold)
        return -float((counts * np.log(np.column_stack([won, 1 - won - lost, lost]))).sum())

    found = minimize(loss, [0, 0, 0, -1], method="BFGS", options={"gtol": 1e-4})
    np.testing.assert_allclose([*found.x[:3], np.exp(found.x[3])], get(entry.expected), atol=1e-5)
    assert -found.fun == pytest.approx(entry.expected["logLik"], abs=1e-5)


def test_order_effect(golden: Any, oracle: Any, cell: Any) -> None:
    entry = golden("05_order_effect", "davidson_beaver")
    cells = [cell(*numbers) for numbers in entry.input["cells"]]
    symmetric = oracle(cells, 4, order=True)
    expected = entry.expected["symmetric_pm_delta"]
    symmetric.assert_gives(expected["coef"])
    without = oracle(cells, 4)
    without.assert_gives(entry.expected["no_order"]["coef"])
    assert symmetric.deviance == pytest.approx(expected["deviance"], abs=1e-5)
    statistic = without.deviance - symmetric.deviance
    assert statistic == pytest.approx(entry.expected["lr_order"]["stat"], abs=1e-5)
    one_sided = entry.expected["first_only_davidson_beaver"]["coef"]
    gamma, delta = symmetric.estimates[-2:]
    assert one_sided["first"]["est"] == pytest.approx(2 * delta, abs=1e-6)
    assert one_sided["g1"]["est"] == pytest.approx(gamma + delta, abs=1e-6)


@pytest.mark.parametrize(("name", "columns"), [("both", ["x1", "x2"]), ("x1_only", ["x1"])])
def test_object_covariates(
    name: str, columns: list[str], golden: Any, oracle: Any, cell: Any
) -> None:
    entry = golden("06_object_covariates", "objcov")
    covariates = entry.input["object_covariates"]
    design = np.column_stack([covariates[column] for column in columns])
    fit = oracle(summed(entry, cell), design)
    fit.assert_gives(entry.expected[name]["coef"])
    assert fit.deviance == pytest.approx(entry.expected[name]["deviance"], abs=1e-5)
    assert fit.df == entry.expected[name]["df"]
