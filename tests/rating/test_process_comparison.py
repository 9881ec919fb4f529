"""Processes beside each other on held-out ratings: same ratings, paired differences."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import evenhand.rating.process_comparison as comparison
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.rating.coregion import Asked
from evenhand.rating.features import OutputFeatures, learn_scaling
from evenhand.rating.process_comparison import HeldOut, ProcessErrors, compare_processes
from evenhand.rating.ridge import fit_ridge, spread_columns
from rating.judge_processes import draw, rate

FEATURES = OutputFeatures(("a", "b"), ())


@pytest.fixture(scope="module")
def seen():
    return draw(3, each=30).seen


@pytest.fixture(scope="module")
def errors(seen):
    return compare_processes(seen, FEATURES, HeldOut(folds=2))


def test_every_rating_is_predicted_once_by_every_method(seen, errors):
    assert errors.residual.keys() == {*comparison.MODELS, "ridge", "judge mean"}
    assert {len(own) for own in errors.residual.values()} == {seen.size}
    assert errors.left_out == 0
    table = {row.method: row for row in errors.tabulate()}
    assert table["multi-task"].mae_more is None
    assert table["judge mean"].rmse == pytest.approx(
        np.sqrt(np.mean(errors.residual["judge mean"] ** 2))
    )


def test_items_are_held_out_whole(seen):
    only = {"multi-task": comparison.MODELS["multi-task"]}
    found = compare_processes(seen, FEATURES, HeldOut(folds=2, by="item"), only)
    assert len(found.item) == seen.size
    assert len(np.unique(found.item)) == len(np.unique(seen.item))


def test_ratings_of_judges_of_whom_nothing_is_seen_are_counted():
    rng = np.random.default_rng(1)
    judge = np.r_[np.zeros(20, int), np.ones(20, int), 2]
    rows = rate(judge, np.arange(41), rng.normal(50, 9, 41), a=rng.normal(size=41))
    only = {"multi-task": comparison.MODELS["multi-task"]}
    assert compare_processes(rows, OutputFeatures(("a",), ()), HeldOut(2), only).left_out == 1


def test_differences_are_paired_and_items_hang_together():
    rng = np.random.default_rng(2)
    best, item = rng.normal(size=400), np.repeat(np.arange(40), 10)
    own = best + 0.5 * np.sign(best) * (1 + rng.normal(size=40)[item])
    table = ProcessErrors({"multi-task": best, "other": own}, {}, item, 0).tabulate(0.95)
    more = table[1].mae_more
    difference = np.abs(own) - np.abs(best)
    means = difference.reshape(40, 10).mean(axis=1)
    half = 1.959964 * means.std(ddof=1) / np.sqrt(40)
    assert more.estimate == pytest.approx(means.mean())
    assert (more.lower, more.upper) == pytest.approx((means.mean() - half, means.mean() + half))


def test_the_error_of_a_root_mean_square_is_that_of_a_bootstrap():
    rng = np.random.default_rng(3)
    best, other = rng.normal(size=(2, 300)) * [[1.0], [1.2]]
    more = ProcessErrors({"multi-task": best, "other": other}, {}, np.arange(300), 0)
    gap = more.tabulate()[1].rmse_more
    draws = rng.integers(0, 300, (4000, 300))
    roots = [np.sqrt((own[draws] ** 2).mean(axis=1)) for own in (best, other)]
    assert (gap.upper - gap.lower) / 2 / 1.96 == pytest.approx((roots[1] - roots[0]).std(), rel=0.1)


def test_ridge_is_that_of_scikit_learn_at_the_same_penalty(seen):
    table = FEATURES.read(seen)
    asked = Asked(seen.judge.astype(np.int64), learn_scaling(table).apply(table))
    found = fit_ridge(asked, seen.score)
    x = spread_columns(asked, found.sizes)
    rival = Ridge(found.penalty, fit_intercept=False).fit(x, seen.score - seen.score.mean())
    np.testing.assert_allclose(found.weights, rival.coef_, atol=1e-8)


def test_fewer_units_than_folds_are_refused(seen):
    with pytest.raises(InvalidJudgments, match="2 ratings in 5 folds"):
        compare_processes(seen.take(np.arange(2)), FEATURES)


@pytest.mark.parametrize("how", [{"folds": 1}, {"share": 0}, {"by": "judge"}, {"level": 1}])
def test_settings_that_cannot_be_are_refused(how):
    with pytest.raises(UnknownOption):
        HeldOut(**how)


def test_what_a_judge_said_twice_of_an_output_is_held_out_together(seen):
    twice = seen.take(np.repeat(np.arange(seen.size), 2))
    only = {"multi-task": comparison.MODELS["multi-task"]}
    found = compare_processes(twice, FEATURES, HeldOut(folds=2), only)
    pairs = np.sort(np.abs(found.residual["multi-task"]))
    np.testing.assert_array_equal(pairs[::2], pairs[1::2])
