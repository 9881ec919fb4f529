"""What a fit of judges' processes says of judges, pairs and outputs, against formulas by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from evenhand.errors import InvalidJudgments
from evenhand.ratings.features import OutputFeatures
from evenhand.ratings.judge_process import MultiTaskGP
from evenhand.ratings.process_search import MIN_NOISE, JudgedPoints
from ratings.judge_processes import FEATURES, ONE, draw, rate, small


@pytest.fixture(scope="module")
def data():
    return draw(1)


@pytest.fixture(scope="module")
def fit(data):
    return MultiTaskGP().fit(data.seen, FEATURES)


def test_leniency_is_what_judges_give_beside_the_mean_of_all_for_the_same_outputs():
    rows = small(200, 4)
    shift = np.array([6.0, -6.0, 0.0, 0.0])
    rows = replace(rows, score=rows.score + shift[rows.judge])
    fit = MultiTaskGP().fit(rows, ONE)
    found = np.array(list(fit.leniency.values()))
    assert found.sum() == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(found, shift, atol=1.0)
    ends = np.array([(r["leniency_lower"], r["leniency_upper"]) for r in fit.records()])
    assert ((ends[:, 0] < found) & (found < ends[:, 1])).all()
    plain = np.array([rows.score[rows.judge == d].mean() for d in range(4)])  # all rated all
    assert np.abs(found - (plain - plain.mean())).max() < 0.5
    assert (ends[:, 1] - ends[:, 0] < 4).all()


def dense(at, a, b):
    """Covariances one by one, as the docstring has them."""
    found = np.empty((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            gap = (a.points.numbers[i] - b.points.numbers[j]) / np.exp(at.log_scales)
            same = a.judge[i] == b.judge[j]
            common = at.loadings[a.judge[i]] @ at.loadings[b.judge[j]]
            found[i, j] = (common + at.private[a.judge[i]] * same) * np.exp(-0.5 * gap @ gap)
            found[i, j] += 1.0 + at.spread * same
    return found


def test_predictions_of_a_judge_are_those_of_the_dense_formula():
    rows = small(24, 3)
    fit = MultiTaskGP(draws=0).fit(rows, ONE)
    known, at, scale = fit.problem.judged, fit.at, fit.learned.standard.deviation
    outputs = ONE.tabulate([{"a": 0.3}])
    judged = JudgedPoints(np.array([2]), fit.learned.scaling.apply(outputs))
    cross = dense(at, judged, known)[0]
    inverse = np.linalg.inv(dense(at, known, known) + np.diag(at.noise[known.judge] + MIN_NOISE))
    found = fit.predict(outputs, fit.judges[2])
    mean = float(cross @ inverse @ fit.problem.y)
    assert found.mean[0] == pytest.approx(fit.learned.standard.mean + scale * mean)
    variance = dense(at, judged, judged)[0, 0] - float(cross @ inverse @ cross)
    assert found.variance[0] == pytest.approx(scale**2 * variance)
    assert found.noise[0] == pytest.approx(scale**2 * at.noise[2])


def test_correlations_are_known_where_judges_share_and_not_on_noise(fit):
    pairs = {(one["other"], one["judge"]): one for one in fit.similarity()}
    assert pairs["j0000", "j0001"]["known"]
    assert pairs["j0000", "j0001"]["lower"] > 0
    assert not pairs["j0000", "j0003"]["known"]
    rng, judge = np.random.default_rng(0), np.arange(300) % 3
    noise = rate(judge, np.arange(300) // 3, rng.normal(50, 10, 300), a=rng.normal(size=300))
    for one in MultiTaskGP().fit(noise, ONE).similarity():
        assert not one["known"]
        assert one["lower"] < 0 < one["upper"]
        assert one["upper"] - one["lower"] > 0.5


def test_outputs_that_nobody_rated_are_predicted_from_a_table(fit):
    outputs = FEATURES.tabulate([{"a": 0.1, "b": 0.2}, {"a": -1, "b": 1}])
    found = fit.predict(outputs, "j0001")
    one = fit.predict(FEATURES.tabulate([{"a": -1, "b": 1}]), "j0001")
    assert found.mean[1] == pytest.approx(one.mean[0])
    assert fit.predict(outputs, ["j0002", "j0001"]).mean[1] == pytest.approx(one.mean[0])
    with pytest.raises(InvalidJudgments, match="name them"):
        fit.predict(outputs)
    with pytest.raises(InvalidJudgments, match="3 judges for 2 outputs"):
        fit.predict(outputs, ["j0001"] * 3)


# Processes over judges: predictions, similarity, what is refused, and what is said beside.


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
            "none": MultiTaskGP("none", draws=0).fit(data.seen, FEATURES),
            "full": MultiTaskGP("full", draws=0).fit(data.seen, FEATURES),
        }.items()
    }
    assert rmse["low rank"] < rmse["none"] < rmse["full"]
    assert fit.correlation[0, 1] > 0.5 > abs(fit.correlation[0, 3])


def test_many_ratings_rest_on_some_and_it_is_said(data, fit):
    few = MultiTaskGP(exact=200, inducing=150).fit(data.seen, FEATURES)
    assert "only through 150 of them" in few.notes[-1]
    assert "FITC 150" in few.signature
    every = MultiTaskGP(exact=200, inducing=300).fit(data.seen, FEATURES)
    assert every.evidence == pytest.approx(fit.evidence, abs=0.5)
    gap = every.predict(data.unseen).mean - fit.predict(data.unseen).mean
    assert np.abs(gap).max() < 0.5


def test_one_judge_is_alike_to_nobody_and_one_never_seen_is_refused():
    fit = MultiTaskGP().fit(small(30, 1), ONE)
    assert fit.correlation == pytest.approx(1.0)
    assert "one judge" in " ".join(fit.notes)
    assert fit.similarity() == []
    with pytest.raises(InvalidJudgments, match=r"nothing was learned of j9999.*who were seen"):
        fit.predict(FEATURES.tabulate([{"a": 0, "b": 0}]), "j9999")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (rate([0, 1], [0, 1], [1, 2], a=[1, 2]), "2 ratings of outputs"),
        (rate([0, 1, 0], [0, 1, 2], [4, 4, 4], a=[1, 2, 3]), "all 3 ratings are 4"),
        (rate([0, 1, 0], [0, 1, 2], [4, 5, 4], a=[1, 1, 1]), "no feature differs"),
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


# Predictions that mix draws of the parameters.
