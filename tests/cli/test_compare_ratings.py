"""`evenhand compare` of ratings: models of scores by what they say of scores they have not seen."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import evenhand as package
from evenhand.models.means import Adjusted, Means

SEVERITY, ITEM, NOISE = 0.9, 0.5, 0.7
WORTHS = {"ada": 2.6, "bell": 3.1, "cray": 3.6}


def draw(seed=0, *, judges=10, items=24, share=0.6, worths=WORTHS):
    rng = np.random.default_rng(seed)
    lean, hard = rng.normal(0, SEVERITY, judges), rng.normal(0, ITEM, items)
    rows = [
        (
            f"j{j}",
            f"i{i}",
            name,
            int(np.clip(round(w + lean[j] - hard[i] + rng.normal(0, NOISE)), 1, 5)),
        )
        for j in range(judges)
        for i in range(items)
        for name, w in worths.items()
        if rng.random() < share
    ]
    return pd.DataFrame(rows, columns=["judge", "item", "system", "score"])


@pytest.fixture(scope="module")
def scores():
    return draw()


def test_losses_are_those_of_a_normal_distribution_cut_at_the_middles_between_scores():
    table = draw(3)
    rows = package.read(table).rows()
    train, test = rows.take(rows.judge < 7), rows.take(rows.judge >= 7)
    predicted = Means().fit(train).predict(test, np.arange(1.0, 6.0))
    known = table[table.judge.isin(["j0", "j1", "j2", "j3", "j4", "j5", "j6"])]
    groups = known.groupby("system").score
    left = known.score - groups.transform("mean")
    sd = np.sqrt((left**2).sum() / (len(known) - 3))
    for row in range(0, test.size, 7):
        name, score = test.systems[test.system[row]], test.score[row]
        mean, n = groups.mean()[name], groups.size()[name]
        law = norm(mean, sd * np.sqrt(1 + 1 / n))
        low = -np.inf if score == 1 else score - 0.5
        high = np.inf if score == 5 else score + 0.5
        assert predicted.mean[row] == pytest.approx(mean)
        assert predicted.log_chance[row] == pytest.approx(np.log(law.cdf(high) - law.cdf(low)))


@pytest.mark.parametrize("name", ["no-systems", "adjusted", "mean", "z", "mixed", "ordinal"])
@pytest.mark.parametrize("new", [True, False], ids=["new", "known"])
def test_chances_of_all_scores_add_up_to_one(scores, name, new):
    from dataclasses import replace

    from evenhand.models.registry import SCORE_MODELS

    rows = package.read(scores).rows()
    train = rows.take((rows.judge < 7) & (rows.item < 15)) if new else rows
    fit = SCORE_MODELS[name].make().fit(train)
    test = rows.take((rows.judge >= 7) & (rows.item >= 15))
    points = np.arange(1.0, 6.0)
    total = sum(
        np.exp(fit.predict(replace(test, score=np.full(test.size, one)), points).log_chance)
        for one in points
    )
    np.testing.assert_allclose(total, 1, atol=1e-12)


def test_known_judges_are_predicted_with_their_severity(scores):
    rows = package.read(scores).rows()
    fit = Adjusted().fit(rows)
    predicted = fit.predict(rows, np.arange(1.0, 6.0))
    np.testing.assert_allclose(rows.score - predicted.mean, fit.residual, atol=1e-9)


def test_systems_that_differ_are_found_and_equal_ones_are_not(scores):
    models = ["no-systems", "mean", "adjusted"]
    found = package.compare_models(package.read(scores), models=models)
    assert found.order[-1] == "no-systems"
    assert "no-systems" not in found.best_set
    equal = package.read(draw(5, worths=dict.fromkeys("abc", 3.0)))
    assert "no-systems" in package.compare_models(equal, models=models).best_set


def test_an_own_judges_severity_is_worth_knowing_where_judges_are_known(scores):
    models = ["mean", "adjusted"]
    known = package.compare_models(package.read(scores), models=models, by="judgment")
    assert known.difference("mean", "adjusted").lower > 0
    assert known.error("mean", "adjusted").lower > 0
    new = package.compare_models(package.read(scores), models=models, by="judge")
    assert new.error("adjusted").value > known.error("adjusted").value


def test_the_error_in_points_is_the_root_of_the_mean_square(scores):
    found = package.compare_models(package.read(scores), models=["mean"], by="judgment")
    assert found.squares is not None
    assert found.error("mean").value == pytest.approx(np.sqrt(found.squares[0].mean()))
