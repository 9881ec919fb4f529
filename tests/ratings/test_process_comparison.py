"""Processes beside each other on held-out ratings: same ratings, paired differences."""

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.linear_model import Ridge

import evenhand
from evenhand.errors import InvalidJudgments
from evenhand.ratings.features import OutputFeatures, learn_scaling
from evenhand.ratings.judge_process import MultiTaskGP, sort_rows
from evenhand.ratings.process_comparison import (
    PENALTIES,
    HeldOut,
    JudgeLikeness,
    ProcessErrors,
    compare_processes,
    fit_ridge,
    spread_columns,
)
from evenhand.ratings.process_search import JudgedPoints
from ratings.judge_processes import FEATURES, draw, rate


@pytest.fixture(scope="module")
def seen():
    return draw(3, each=30).seen


@pytest.fixture(scope="module")
def errors(seen):
    return compare_processes(seen, FEATURES, HeldOut(folds=2, splits=1))


def errors_by(best, own, judge, item):
    """Errors of two methods, each rating predicted once."""
    own = {"multi-task": best, "other": own}
    return ProcessErrors(own, {}, np.arange(len(best)), judge, item, 0)


def test_differences_are_paired_and_items_hang_together():
    """One judge: Student's t on the items' means, as the jackknife of equal items has it."""
    rng = np.random.default_rng(2)
    best, item = rng.normal(size=400), np.repeat(np.arange(40), 10)
    own = best + 0.5 * np.sign(best) * (1 + rng.normal(size=40)[item])
    found = errors_by(best, own, np.zeros(400, dtype=int), item)
    more = found.tabulate()[1].mae_more
    means = (np.abs(own) - np.abs(best)).reshape(40, 10).mean(axis=1)
    ends = student.interval(0.95, 39, means.mean(), means.std(ddof=1) / np.sqrt(40))
    assert (more.lower, more.upper) == pytest.approx(ends)
    assert found.notes == ("for this judge only",)


def test_one_item_and_few_judges_give_no_interval():
    rng = np.random.default_rng(1)
    found = errors_by(*rng.normal(size=(2, 50)), np.arange(50) % 2, np.zeros(50, dtype=int))
    assert found.tabulate()[1].mae_more is None
    assert "for this item only" in found.notes


def test_the_error_of_a_root_mean_square_is_that_of_a_bootstrap():
    rng = np.random.default_rng(3)
    best, other = rng.normal(size=(2, 300)) * [[1.0], [1.2]]
    gap = errors_by(best, other, np.zeros(300, dtype=int), np.arange(300)).tabulate()[1].rmse_more
    draws = rng.integers(0, 300, (4000, 300))
    roots = [np.sqrt((own[draws] ** 2).mean(axis=1)) for own in (best, other)]
    assert (gap.upper - gap.lower) / 2 / 1.96 == pytest.approx((roots[1] - roots[0]).std(), rel=0.1)


def test_what_intervals_hold_is_counted_anew_from_a_fit(seen):
    """Fold by fold: the 90 % interval of a fit to what that fold learns from."""
    only = {"multi-task": MultiTaskGP(draws=0)}
    found = compare_processes(seen, FEATURES, HeldOut(folds=2, splits=1), only)
    rows, _ = sort_rows(seen, FEATURES.read(seen))
    first = found.rating[: np.flatnonzero(np.diff(found.rating) < 0)[0] + 1]
    held = np.isin(np.arange(rows.size), first)
    fit = only["multi-task"].fit(rows.take(~held), FEATURES)
    low, high = fit.predict(rows.take(held)).interval(0.9)
    score = rows.take(held).score
    expected = (low <= score) & (score <= high)
    np.testing.assert_array_equal(found.held["multi-task"][: len(first)], expected)
    assert 0.75 < expected.mean() < 1.0


def test_errors_of_likeness_say_what_is_off_and_how_much_more(seen):
    model = MultiTaskGP(draws=0)
    drawn, judge = np.random.default_rng(5).normal(size=(2, 40)), np.arange(40) % 8
    errors = errors_by(*drawn, judge, np.arange(40))
    found = JudgeLikeness(model.fit(seen, FEATURES), errors=errors).to_dict()["errors"]
    keys = ["method", "mae", "rmse", "covered", "mae_more", "rmse_more", "mae_these"]
    assert [list(row) for row in found] == [keys, keys]
    assert found[0]["mae_more"] is None
    assert list(found[1]["mae_more"]) == ["value", "stderr", "lower", "upper", "p"]


def test_ratings_that_leave_nothing_to_learn_or_predict_are_refused(seen):
    rng = np.random.default_rng(1)
    rows = rate(np.arange(40), np.arange(40), rng.normal(50, 9, 40), a=rng.normal(size=40))
    with pytest.raises(InvalidJudgments, match="nothing is left to predict"):
        compare_processes(rows, OutputFeatures(("a",), ()), HeldOut(2))
    rows = rate(np.arange(8) % 2, np.arange(8) // 2, [1] * 7 + [2], a=np.arange(8.0))
    with pytest.raises(InvalidJudgments, match=r"for fold \d of 2 \(\d ratings\): all"):
        compare_processes(rows, OutputFeatures(("a",), ()), HeldOut(2))
    with pytest.raises(InvalidJudgments, match="2 ratings in 5 folds"):
        compare_processes(seen.take(np.arange(2)), FEATURES)


def test_ridge_and_its_penalty_are_those_of_scikit_learn(seen):
    """It leaves the mean out of the residual degrees of freedom; ours counts it as one more row."""
    table = FEATURES.read(seen)
    judged = JudgedPoints(seen.judge.astype(np.int64), learn_scaling(table).apply(table))
    x, y = spread_columns(judged, judged), seen.score - seen.score.mean()
    n, scores = len(seen.score), []
    for penalty in PENALTIES:
        hat = x @ np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T)
        scores.append(((y - hat @ y) ** 2).sum() / (n - 1 - np.trace(hat)) ** 2)
    weights, penalty = fit_ridge(x, y)
    assert penalty == PENALTIES[int(np.argmin(scores))] > min(PENALTIES)
    rival = Ridge(penalty, fit_intercept=False).fit(x, y)
    np.testing.assert_allclose(weights, rival.coef_, atol=1e-8)


# Multi-task processes on ratings of WMT22, where EVENHAND_DATA names their folder.


@pytest.mark.slow
def test_judges_of_wmt22_who_share_are_predicted_better(data_folder):
    """With a fifth of zho-eng seen; docs/papers/cohn_specia2013.md has the means over tasks."""
    file = data_folder / "wmt22_calibration" / "ratings.parquet"
    ratings = evenhand.read(file, where="is_doc = false", task="zho-eng")
    features = OutputFeatures(("seg",), ("each output", "doc", "system"))
    table = compare_processes(ratings, features, HeldOut(folds=2, splits=1, share=0.4)).tabulate()
    for row in table[1:]:
        assert row.mae_these.lower > 0, row.method
