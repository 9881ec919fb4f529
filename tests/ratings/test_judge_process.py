"""What a fit of judges' processes says of judges, pairs and outputs, against formulas by hand."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments
from evenhand.ratings.features import OutputFeatures
from evenhand.ratings.judge_process import MultiTaskGP
from evenhand.ratings.process_search import MIN_NOISE, JudgedPoints
from ratings.judge_processes import FEATURES, ONE, draw, number_factor, rate, small


@pytest.fixture(scope="module")
def fit():
    return MultiTaskGP().fit(draw(1).seen, FEATURES)


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


def test_leniency_counts_outputs_once_and_is_that_of_predictions():
    """By the mean of predictions for every judge and each different output."""
    data = draw(4, each=40)
    fit = MultiTaskGP(draws=0).fit(data.seen, FEATURES)
    known = np.unique(data.seen.item)
    first = np.array([np.flatnonzero(data.seen.item == one)[0] for one in known])
    rows = data.seen.take(first)
    each = [
        fit.predict(replace(rows, judge=np.full(len(known), d, dtype=np.int32))).mean.mean()
        for d in range(5)
    ]
    np.testing.assert_allclose(list(fit.leniency.values()), each - np.mean(each), atol=1e-8)


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


def test_the_average_of_judges_is_that_of_the_dense_formula():
    rows = small(24, 3)
    fit = MultiTaskGP(draws=0).fit(rows, ONE)
    known, at, scale = fit.problem.judged, fit.at, fit.learned.standard.deviation
    point = fit.learned.scaling.apply(ONE.tabulate([{"a": 0.3}]))
    judged = [JudgedPoints(np.array([d]), point) for d in range(3)]
    cross = np.mean([dense(at, one, known) for one in judged], axis=0)
    before = np.mean([[dense(at, one, other)[0, 0] for other in judged] for one in judged])
    inverse = np.linalg.inv(dense(at, known, known) + np.diag(at.noise[known.judge] + MIN_NOISE))
    found = fit.predict_average(ONE.tabulate([{"a": 0.3}]))
    mean = float((cross @ inverse @ fit.problem.y)[0])
    assert found.mean[0] == pytest.approx(fit.learned.standard.mean + scale * mean)
    variance = before - float((cross @ inverse @ cross.T)[0, 0])
    assert found.variance[0] == pytest.approx(scale**2 * variance)
    assert found.noise[0] == pytest.approx(scale**2 * at.noise.sum() / 9)


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


def test_correlations_that_are_set_have_no_interval():
    pair = MultiTaskGP("full").fit(small(40, 2), ONE).similarity()[0]
    assert (pair["correlation"], pair["lower"], pair["known"]) == (1.0, None, False)


def test_predictions_of_judges_with_few_ratings_are_wider_and_it_is_said():
    rows = draw(1).seen
    few = (rows.judge != 4) | (np.cumsum(rows.judge == 4) <= 3)
    rows = rows.take(few)
    known, free = (MultiTaskGP(draws=n).fit(rows, FEATURES) for n in (0, 30))
    output = {"a": 0.1, "b": 0.2}
    wide = [
        float(np.subtract(*fit.predict_one("j0004", output).interval()[::-1])[0])
        for fit in (known, free)
    ]
    assert wide[1] > 1.1 * wide[0]
    assert "j0004 (3)" in free.predict_one("j0004", output).notes[0]
    assert free.predict_one("j0001", output).notes == ()


def test_outputs_that_nobody_rated_are_predicted_from_a_table(fit):
    outputs = FEATURES.tabulate([{"a": 0.1, "b": 0.2}, {"a": -1, "b": 1}])
    found = fit.predict(outputs, "j0001")
    one = fit.predict_one("j0001", {"a": -1, "b": 1})
    assert found.mean[1] == pytest.approx(one.mean[0])
    assert fit.predict(outputs, ["j0002", "j0001"]).mean[1] == pytest.approx(one.mean[0])
    assert fit.predict_average(outputs).mean.shape == (2,)
    with pytest.raises(InvalidJudgments, match="name them"):
        fit.predict(outputs)
    with pytest.raises(InvalidJudgments, match="3 judges for 2 outputs"):
        fit.predict(outputs, ["j0001"] * 3)


def test_an_output_is_told_by_item_and_system():
    label = OutputFeatures((), ("each output",))
    rows = small(40, 4)
    fit = MultiTaskGP(draws=0).fit(rows, label)
    named = fit.predict_one("j0001", {"each output": "i0003 / s"})
    assert fit.predict_one("j0001", item="i0003", system="s").mean == named.mean
    assert fit.predict_one("j0001", item="i9999", system="s").variance > named.variance


def test_a_label_that_was_never_seen_is_said_with_the_nearest():
    rows = small(40, 4)
    domain = number_factor(rows.item % 2 + 1)
    domain = replace(domain, labels=("news", "chat"))
    fit = MultiTaskGP(draws=0).fit(
        replace(rows, factors={"domain": domain}), OutputFeatures((), ("domain",))
    )
    found = fit.predict_one("j0001", {"domain": "nwes"})
    assert "'domain' was never 'nwes'" in found.notes[0]
    assert "Did you mean 'news'?" in found.notes[0]
