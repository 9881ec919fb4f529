"""What a fit of judge slopes says, predicts and hands to machines; nothing too much."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

from evenhand import read
from evenhand.models.judge_slopes import JudgeSlopes
from judge_panels import tastes
from slope_campaigns import campaign, outcome_logs


@pytest.fixture(scope="module")
def one():
    return campaign(15, 30, 0.6, seed=31)


@pytest.fixture(scope="module")
def fit(one):
    return JudgeSlopes().fit(one)


def ranked(seed):
    """Rankings of five systems by judges who are all the same: 12 judges, 15 rankings each."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(0.8, -0.8, 5)
    rows = [
        (f"r{i}", f"j{i % 12:02d}", "ABCDE"[s], k + 1)
        for i in range(180)
        for k, s in enumerate(np.argsort(-(worth + rng.gumbel(size=5))))
    ]
    return read(pl.DataFrame(rows, schema=["ranking", "judge", "system", "rank"], orient="row"))


def test_identical_judges_of_rankings_are_never_called_different():
    by_pairs = 0
    for seed in range(10):
        data = ranked(seed)
        fit = JudgeSlopes().fit(data)
        assert fit.n_comparisons == 10 * fit.n_judgments
        assert (fit.tau_test, fit.tau_interval, fit.tau_method) == (None, None, "none")
        assert "tau-of-rankings" in [note.code for note in fit.notes]
        said = {line.code for line in fit.says}
        assert not said & {"slopes-differ", "flattest"}
        pairs = data.comparisons().tally(by=("judge",))
        alone = replace(pairs, n_judgments=pairs.n_comparisons)
        by_pairs += JudgeSlopes().fit(alone).tau_test.p < 0.05
    print(f"as pairs {by_pairs} of 10 are called different")  # noqa: T201 - counts of a simulation
    assert by_pairs >= 3  # what the rule is for


def test_what_is_said_of_different_judges_leaves_room_for_taste():
    called = 0
    for seed in range(500, 510):
        fit = JudgeSlopes().fit(tastes((40, 4, 30), 0.7, seed=seed))
        called += fit.tau_test.p < 0.05
        assert (fit.says[0].code == "slopes-differ") == (fit.tau_test.p <= 0.05)
        assert f"Log-likelihood {fit.loglik:.4f}, without slopes {fit.flat_loglik:.4f}." in fit.says
    assert called >= 8  # though every slope is 1


def test_predictions_are_exact_where_slopes_differ_most(fit):
    wide = replace(fit, tau=4.0)
    gap = fit.lambdas[0] - fit.lambdas[2]

    def mixed(z):
        logs = outcome_logs(np.exp(4 * z) * gap, fit.estimate[-1], "davidson")
        return stats.norm.pdf(z) * np.exp(logs[0])

    expected = integrate.quad(mixed, -9, 9, points=np.linspace(-2, 2, 41).tolist(), limit=400)[0]
    assert wide.predict([("s0", "s2")])[0, 0] == pytest.approx(expected, abs=1e-8)


def test_extras_hold_what_machines_need_beside_coefficients(one, fit):
    extras = json.loads(json.dumps(fit.extras, allow_nan=False))
    assert extras["tau"] == fit.tau
    assert extras["tau_interval"] == list(fit.tau_interval)
    assert (extras["lr_statistic"], extras["lr_p"]) == (fit.tau_test.statistic, fit.tau_test.p)
    assert [row["judge"] for row in extras["slopes"]] == list(fit.slopes.judges)
    assert extras["slopes"][3] == {
        "judge": fit.slopes.judges[3],
        "estimate": fit.slopes.estimate[3],
        "lower": fit.slopes.lower[3],
        "upper": fit.slopes.upper[3],
        "comparisons": 30,
    }
    endless = replace(fit, tau_interval=(0.1, np.inf), tau_test=None).extras
    assert endless["tau_interval"] == [0.1, None]
    assert endless["lr_p"] is None
    assert replace(fit, tau_interval=None).extras["tau_interval"] == [None, None]
