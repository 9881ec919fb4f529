"""Processes over judges: predictions, similarity, what is refused, and what is said beside."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ratings.features import OutputFeatures
from evenhand.ratings.judge_process import MultiTaskGP
from evenhand.ratings.process_search import MIN_NOISE
from ratings.judge_processes import FEATURES, ONE, draw, rate, small


@pytest.fixture(scope="module")
def data():
    return draw(1)


@pytest.fixture(scope="module")
def fit(data):
    return MultiTaskGP().fit(data.seen, FEATURES)


def test_pooled_predictions_are_those_of_scikit_learn_at_the_same_parameters(data):
    model = MultiTaskGP("full", judge_means=False, judge_noise=False, draws=0)
    fit = model.fit(data.seen, FEATURES)
    learned, at = fit.learned, fit.at
    kernel = ConstantKernel(at.similarity[0, 0]) * RBF(np.exp(at.log_scales))
    kernel += ConstantKernel(1.0) + WhiteKernel(at.noise[0] + MIN_NOISE)
    rival = GaussianProcessRegressor(kernel, optimizer=None)
    points, others = (
        learned.scaling.apply(FEATURES.read(rows)).numbers for rows in (data.seen, data.unseen)
    )
    rival.fit(points, learned.standard.standardise(data.seen.score))
    mean, deviation = rival.predict(others, return_std=True)
    found, scale = fit.predict(data.unseen), learned.standard.deviation
    np.testing.assert_allclose(found.mean, learned.standard.mean + scale * mean, atol=1e-6)
    both = (found.variance + found.noise) / scale**2
    np.testing.assert_allclose(both + MIN_NOISE, deviation**2, atol=1e-6)
    assert fit.evidence == pytest.approx(rival.log_marginal_likelihood_value_, rel=1e-8)


def test_judges_who_are_alike_are_found_and_predicted_better(data, fit):
    rmse = {
        sharing: np.sqrt(np.mean((one.predict(data.unseen).mean - data.unseen.score) ** 2))
        for sharing, one in {
            "low rank": fit,
            "none": MultiTaskGP("none").fit(data.seen, FEATURES),
            "full": MultiTaskGP("full").fit(data.seen, FEATURES),
        }.items()
    }
    assert rmse["low rank"] < rmse["none"] < rmse["full"]
    assert fit.correlation[0, 1] > 0.5 > abs(fit.correlation[0, 3])


def test_neither_the_order_of_rows_nor_a_second_fit_changes_anything(data, fit):
    order = np.random.default_rng(2).permutation(data.seen.size)
    again = MultiTaskGP().fit(data.seen.take(order), FEATURES)
    np.testing.assert_array_equal(again.correlation, fit.correlation)
    assert (again.signature, again.evidence) == (fit.signature, fit.evidence)


def test_the_average_of_judges_is_the_mean_of_their_predictions(data, fit):
    rows = data.unseen.take(np.array([0]))
    each = [
        fit.predict(replace(rows, judge=np.array([d], dtype=np.int32))).mean[0] for d in range(5)
    ]
    found = fit.predict_average(rows)
    assert found.mean[0] == pytest.approx(np.mean(each), rel=1e-10)


def test_a_judge_never_seen_is_refused_and_the_average_offered(fit):
    with pytest.raises(InvalidJudgments, match=r"nothing was learned of j9999.*predict_average"):
        fit.predict_one("j9999", {"a": 0, "b": 0})


def test_many_ratings_rest_on_some_and_it_is_said(data, fit):
    few = MultiTaskGP(exact=200, inducing=150).fit(data.seen, FEATURES)
    assert "only through 150 of them" in few.notes[-1]
    assert "FITC 150" in few.signature
    every = MultiTaskGP(exact=200, inducing=300).fit(data.seen, FEATURES)
    assert every.evidence == pytest.approx(fit.evidence, abs=0.5)
    gap = every.predict(data.unseen).mean - fit.predict(data.unseen).mean
    assert np.abs(gap).max() < 0.5


def test_one_judge_is_a_process_with_nobody_to_be_alike():
    fit = MultiTaskGP().fit(small(30, 1), ONE)
    assert fit.correlation == pytest.approx(1.0)
    assert "one judge" in " ".join(fit.notes)
    assert fit.similarity() == []


def test_more_judges_than_data_are_defined_and_said():
    rows = small(12, 12)
    fit = MultiTaskGP().fit(replace(rows, factors=small(12, 2).factors), ONE)
    assert np.isfinite(fit.predict(replace(rows, factors=small(12, 2).factors)).mean).all()
    said = " ".join(fit.notes)
    assert "12 judges have fewer than 5 ratings" in said
    assert "parameters and 12 ratings" in said


def test_what_is_private_and_what_is_noise_are_told_apart_only_where_they_can_be():
    rng = np.random.default_rng(5)
    far = rate(np.arange(40) % 2, np.arange(40), rng.normal(50, 9, 40), a=np.arange(40) * 1.0)
    label = OutputFeatures((), ("each output",))
    fit = MultiTaskGP("none").fit(far, label)
    alone = MultiTaskGP("none").fit(draw(1).seen, FEATURES)
    assert "only their sum" in " ".join(fit.notes)
    assert fit.records()[0]["noise"] is None
    assert alone.separable.all()
    assert alone.records()[0]["noise"] > 0


def test_judges_without_near_outputs_are_marked():
    rows = small(60, 2)
    a = np.where(rows.judge == 0, -50.0, 50.0) + np.random.default_rng(1).normal(size=60)
    rows = rate(rows.judge, rows.item, 50 + 5 * np.sin(a) + rows.judge, a=a)
    fit = MultiTaskGP().fit(rows, ONE)
    assert not fit.near[0, 1]
    assert fit.near[0, 0]
    assert fit.similarity()[0]["near"] is False
    assert "1 of 1 pair of judges rated nothing near" in " ".join(fit.notes)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (rate([0, 1], [0, 1], [1, 2], a=[1, 2]), "2 ratings of outputs"),
        (rate([0, 1, 0], [0, 1, 2], [4, 4, 4], a=[1, 2, 3]), "all 3 ratings are 4"),
        (rate([0, 1, 0], [0, 1, 2], [4, 5, 4], a=[1, 1, 1]), "no feature differs"),
        (rate([0, 1, 0], [0, 1, 2], [1e200, 5, 4], a=[1, 2, 3]), "scores are too large"),
    ],
)
def test_ratings_that_tell_nothing_are_refused(rows, said):
    with pytest.raises(InvalidJudgments, match=said):
        MultiTaskGP().fit(rows, ONE)


def test_several_criteria_are_refused_unless_they_are_a_label():
    rows = small(40, 2)
    rows = replace(
        rows, criteria=("adequacy", "fluency"), criterion=(rows.item % 2).astype(np.int32)
    )
    with pytest.raises(InvalidJudgments, match=r"several criteria \(adequacy, fluency\)"):
        MultiTaskGP().fit(rows, ONE)
    fit = MultiTaskGP().fit(rows, OutputFeatures(("a",), ("criterion",)))
    assert set(fit.length_scales) == {"a", "criterion"}


@pytest.mark.parametrize(
    "settings",
    [{"sharing": "all"}, {"rank": 0}, {"sharing": "none", "rank": 2}, {"exact": 0}, {"draws": -1}],
)
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(UnknownOption):
        MultiTaskGP(**settings)
