"""The log-linear family against R on published tables.

Software, calls and tolerances stand in tests/golden/README.md.
"""

import re

import narwhals as nw
import polars as pl
import pytest

from evenhand import datasets
from evenhand.data.comparisons import Comparisons
from evenhand.models.bradley_terry import BradleyTerry
from golden_numbers import golden
from tallies import table


def bundled(name):
    one = datasets.load(name)
    return table(one.rows, one.columns)


def assert_log_worths(fit, expected):
    """Estimates and errors against the reference system of the R table."""
    reference = expected["reference"]
    for name, row in expected["log_worth"].items():
        found = fit.contrasts([(name, reference)])[0]
        assert found.estimate == pytest.approx(row["est"], abs=1e-6)
        assert found.stderr == pytest.approx(row["se"], abs=1e-6)
        assert found.p == pytest.approx(row["p"], rel=1e-4)


@pytest.mark.parametrize("name", ["citations_BTm", "baseball_BTm"])
def test_btm_of_bradleyterry2(name):
    entry = golden(name, name)
    fit = BradleyTerry(ties="discard").fit(bundled(entry.input["dataset"]))
    assert_log_worths(fit, entry.expected)


def test_home_advantage_of_btm_is_twice_the_symmetric_order_effect():
    entry = golden("baseball_BTm_home", "baseball_BTm_home")
    fit = BradleyTerry(order_effect=True).fit(bundled("baseball1987"))
    assert_log_worths(fit, entry.expected)
    order = fit.coefficients[-1]
    assert order.name == "order"
    assert 2 * order.estimate == pytest.approx(entry.expected["order_effect"]["est"], abs=1e-6)
    assert 2 * order.stderr == pytest.approx(entry.expected["order_effect"]["se"], abs=1e-6)
    assert order.p == pytest.approx(entry.expected["order_effect"]["p"], rel=1e-4)


def test_prefmods_position_stands_on_one_cell_and_is_twice_the_symmetric_order_effect():
    entry = golden("baseball_prefmod_llbt_pos", "baseball_prefmod_llbt_pos")
    teams = {"MIL": "Milwaukee", "DET": "Detroit", "TOR": "Toronto", "NY": "New York"}
    teams |= {"BOS": "Boston", "CLE": "Cleveland", "BAL": "Baltimore"}
    fit = BradleyTerry(order_effect=True, reference="Baltimore").fit(bundled("baseball1987"))
    found = {one.label: one for one in fit.coefficients}
    for short, row in entry.expected["lambda"].items():
        assert found[teams[short]].estimate == pytest.approx(row["est"], abs=1e-6)
        assert found[teams[short]].stderr == pytest.approx(row["se"], abs=1e-6)
    assert 2 * found["order"].estimate == pytest.approx(entry.expected["pos"]["est"], abs=1e-6)
    assert 2 * found["order"].stderr == pytest.approx(entry.expected["pos"]["se"], abs=1e-6)
    worths = golden("baseball_prefmod_worth", "baseball_prefmod_worth").expected
    for short, worth in worths.items():
        assert fit.worths[teams[short]] == pytest.approx(worth, abs=1e-6)


# six business schools: the answers are read from EVENHAND_DATA


@pytest.fixture(scope="module")
def schools(data_folder):
    path = data_folder / "classics" / "canonical" / "cemspc.csv"
    frame = pl.read_csv(path, infer_schema=False).rename({"system_a": "left", "system_b": "right"})
    return Comparisons(nw.from_native(frame), positions_known=False)


def test_schools_with_ties(schools):
    entry = golden("cemspc_llbt_ties", "cemspc_llbt_ties")
    expected = entry.expected
    fit = BradleyTerry(reference="Stockholm").fit(schools)
    found = {one.label: one for one in fit.coefficients}
    rows = {expected["systems"][short]: row for short, row in expected["lambda"].items()}
    for label, row in (rows | {"tie": expected["g1"]}).items():
        assert found[label].estimate == pytest.approx(row["est"], abs=1e-6)
        assert found[label].stderr == pytest.approx(row["se"], abs=1e-6)
    worths = golden("cemspc_llbt_ties_worth", "cemspc_llbt_ties_worth").expected
    for short, worth in worths.items():
        assert fit.worths[expected["systems"][short]] == pytest.approx(worth, abs=1e-6)


def test_schools_with_two_judge_covariates(schools):
    expected = golden("cemspc_llbt_ties_ENG_SEX", "cemspc_llbt_ties_ENG_SEX").expected
    model = BradleyTerry(judge_covariates=("ENG", "SEX"), reference="Stockholm")
    fit = model.fit(schools)
    found = {one.label: one for one in fit.coefficients}
    for name, row in (expected["lambda"] | {"tie": expected["g1"]}).items():
        short, _, group = name.partition(":")
        school = expected["systems"].get(short, short)
        label = school + re.sub(r"^(\D+)(\d)$", r":\1=\2", group)
        assert found[label].estimate == pytest.approx(row["est"], abs=1e-6), label
        assert found[label].stderr == pytest.approx(row["se"], abs=1e-6), label
