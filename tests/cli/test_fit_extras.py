"""What a model has beside its coefficients, in the output of `evenhand fit --model NAME`."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from evenhand import JudgeSlopes, RandomJudges, read
from evenhand.models.base import Coefficient, tabulate_coefficients
from evenhand.render.text import draw_table


@pytest.fixture
def ranked(folder):
    """Rankings of three systems by eight judges."""
    rng = np.random.default_rng(3)
    rows = [
        f"r{i},j{i % 8},{'ABC'[s]},{k + 1}"
        for i in range(80)
        for k, s in enumerate(np.argsort(-(np.array([0.5, 0.1, 0.0]) + rng.gumbel(size=3))))
    ]
    Path("ranked.csv").write_text("\n".join(["ranking,judge,system,rank", *rows]) + "\n")
    return "ranked.csv"


def test_json_of_random_judges_has_sigma_its_interval_and_its_test(evenhand, table1):
    found = evenhand("fit", table1, "--model", "random-judges", "--json").json["extras"]
    fit = RandomJudges().fit(read(table1))
    assert found["sigma"] == pytest.approx(fit.sigma, rel=1e-6)
    ends = [end if np.isfinite(end) else None for end in fit.sigma_interval]
    assert found["sigma_interval"] == pytest.approx(ends, rel=1e-6)
    assert found["sigma_ml"] == pytest.approx(fit.sigma_ml, rel=1e-6)
    assert found["lr_statistic"] == pytest.approx(fit.lr_test.statistic, rel=1e-6)
    assert found["lr_p"] == pytest.approx(fit.lr_test.p, rel=1e-6)
    assert found["pooled_loglik"] == pytest.approx(fit.pooled_loglik, rel=1e-9)
    assert found["n_judges"] == 4


def test_json_of_judge_slopes_has_interval_test_and_every_slope(evenhand, table1):
    found = evenhand("fit", table1, "--model", "judge-slopes", "--json").json["extras"]
    fit = JudgeSlopes().fit(read(table1))
    assert found["tau"] == fit.tau
    assert found["tau_interval"][0] == fit.tau_interval[0]
    assert found["lr_p"] == fit.tau_test.p
    assert [row["judge"] for row in found["slopes"]] == list(fit.slopes.judges)
    assert [row["upper"] for row in found["slopes"]] == fit.slopes.upper.tolist()


def test_rankings_have_null_where_they_allow_no_test(evenhand, ranked):
    for model in ("random-judges", "judge-slopes"):
        found = evenhand("fit", ranked, "--model", model, "--json").json["extras"]
        assert (found["lr_statistic"], found["lr_p"]) == (None, None)


def test_csv_has_a_row_for_every_extra_number_and_end_of_an_interval(evenhand, table1):
    words = ["fit", table1, "--model", "random-judges"]
    extras = evenhand(*words, "--json").json["extras"]
    rows = list(csv.DictReader(io.StringIO(evenhand(*words, "--csv").out)))
    own = {row["name"]: row["estimate"] for row in rows if row["label"] == "extra"}
    assert float(own["sigma"]) == extras["sigma"]
    lower, upper = extras["sigma_interval"]
    assert float(own["sigma_interval_lower"]) == lower
    assert own["sigma_interval_upper"] == ("" if upper is None else str(upper))
    assert float(own["lr_p"]) == extras["lr_p"]


def test_csv_of_judge_slopes_has_tau_once_and_no_judges(evenhand, table1):
    said = evenhand("fit", table1, "--model", "judge-slopes", "--csv").out
    names = [row["name"] for row in csv.DictReader(io.StringIO(said))]
    assert names.count("tau") == 1
    assert {"tau_interval_lower", "tau_interval_upper", "lr_p"} <= set(names)
    assert "slopes" not in names


def test_models_without_extras_have_none(evenhand, ranked):
    assert evenhand("fit", ranked, "--model", "plackett-luce", "--json").json["extras"] == {}


def test_a_standard_error_is_shown_where_there_is_neither_z_nor_p():
    rows = [
        Coefficient.make("o1", "A", 0.25, 0.1),
        Coefficient("tau", "judge slopes", 0.5, 0.125, None, None),
    ]
    shown = draw_table(tabulate_coefficients(rows, ["A"], of_systems={}))
    assert shown[2].split() == ["tau", "judge", "slopes", "0.5000", "0.1250", "–", "–"]
