"""The cumulative logit of ratings against statsmodels, quadrature and closed forms."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import NotIdentified
from evenhand.models.ordinal import Ordinal
from golden_numbers import golden
from models.scored import rows_of

PLAIN = Ordinal(judge_sd=0, spacing_sd=0, item_sd=0, output_sd=0)
FIRST = np.array([[-1.0, 1, 0], [-1, 0, 1]])  # the others less the first system


def rated():
    data = golden("ordinal_ratings", "plain").input
    return rows_of(data["j"], data["i"], data["s"], data["y"])


def crossed(seed, n=150, *, sizes=(6, 12, 3), categories=5):
    """Scores in random cells, of judges who differ in severity."""
    rng = np.random.Generator(np.random.PCG64(seed))
    judge, item, system = (rng.integers(0, size, n) for size in sizes)
    worth = rng.normal(0, 1, sizes[0])[judge] + rng.normal(0, 1, sizes[1])[item]
    latent = worth + np.linspace(-1, 1, sizes[2])[system] + rng.logistic(size=n)
    cuts = np.linspace(-2, 2, categories - 1)
    return rows_of(judge, item, system, 1 + (latent[:, None] > cuts).sum(axis=1))


def test_without_effects_it_is_the_ordered_model_of_statsmodels():
    entry = golden("ordinal_ratings", "plain")
    fit, want, near = PLAIN.fit(rated()), entry.expected, entry.tolerance
    assert FIRST @ fit.estimate == pytest.approx(want["mu"], abs=near)
    assert FIRST @ fit.vcov @ FIRST.T == pytest.approx(np.array(want["vcov"]), abs=near)
    assert fit.cutpoints - fit.estimate[0] == pytest.approx(want["cut"], abs=near)
    assert fit.loglik == pytest.approx(want["loglik"], abs=1e-9)
    assert fit.judge_cutpoints == {}


def test_cutpoints_of_judges_are_at_the_mode_of_the_penalised_likelihood():
    entry = golden("ordinal_ratings", "given")
    fit = Ordinal(judge_sd=1, spacing_sd=0.4, item_sd=0.8, output_sd=0.6).fit(rated())
    want, near = entry.expected, entry.tolerance
    assert FIRST @ fit.estimate == pytest.approx(want["mu"], abs=near)
    assert FIRST @ fit.vcov @ FIRST.T == pytest.approx(np.array(want["vcov"]), abs=near)
    assert fit.cutpoints.mean() - fit.estimate[0] == pytest.approx(want["m"], abs=near)
    assert np.log(np.diff(fit.cutpoints)) == pytest.approx(want["g"], abs=near)
    severity = [cuts.mean() - fit.cutpoints.mean() for cuts in fit.judge_cutpoints.values()]
    assert severity == pytest.approx(want["a"], abs=near)
    assert fit.loglik == pytest.approx(want["loglik"], abs=near)


def test_the_sd_of_judges_is_that_of_laplaces_approximation_and_near_the_exact_one():
    entry = golden("ordinal_ratings", "judges")
    fit = Ordinal(spacing_sd=0, item_sd=0, output_sd=0).fit(rated())
    want, near = entry.expected, entry.tolerance
    assert fit.sds["judge"] == pytest.approx(want["sd"], abs=near)
    assert FIRST @ fit.estimate == pytest.approx(want["mu"], abs=near)
    assert FIRST @ fit.vcov @ FIRST.T == pytest.approx(np.array(want["vcov"]), abs=near)
    assert fit.loglik == pytest.approx(want["loglik"], abs=1e-6)
    exact = want["exact"]
    assert fit.sds["judge"] == pytest.approx(exact["sd"], rel=0.02)
    assert FIRST @ fit.estimate == pytest.approx(exact["mu"], rel=0.04)


@pytest.mark.parametrize(
    ("sizes", "categories"), [((6, 12, 3), 5), ((5, 10, 4), 3), ((6, 12, 3), 2)]
)
def test_the_slope_of_the_likelihood_by_sds_is_that_of_central_differences(
    monkeypatch, sizes, categories
):
    asked = []

    def minimize(loss, start, **options):
        asked.append(loss)
        return scipy.optimize.OptimizeResult(x=start)

    monkeypatch.setattr(scipy.optimize, "minimize", minimize)
    Ordinal().fit(crossed(3, 300, sizes=sizes, categories=categories))
    (loss,) = asked
    at = np.array([0.7, 0.4, 0.6, 0.5] if categories > 2 else [0.7, 0.6, 0.5])

    def difference(step):
        return np.array([loss(at + h)[0] - loss(at - h)[0] for h in step * np.eye(len(at))])

    # of fourth order, so that steps can be wide beside the rounding of the mode
    want = (8 * difference(2e-3) - difference(4e-3)) / (12 * 2e-3)
    assert loss(at)[1] == pytest.approx(want, rel=1e-5)


def test_two_categories_of_two_systems_are_the_log_of_the_odds_ratio():
    counts = np.array([[12, 7], [5, 16]])
    system, score = (
        np.repeat([[0, 0], [1, 1]], counts.ravel()),
        np.repeat([0, 1] * 2, counts.ravel()),
    )
    fit = PLAIN.fit(rows_of(0 * score, np.arange(40), system, score))
    (contrast,) = fit.contrasts([("s001", "s000")])
    assert contrast.estimate == pytest.approx(np.log(16 * 12 / (7 * 5)), rel=1e-8)
    assert contrast.stderr**2 == pytest.approx((1 / counts).sum(), rel=1e-8)
    assert fit.chances == pytest.approx(counts / counts.sum(axis=1, keepdims=True), rel=1e-8)
    assert contrast.df == np.inf


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_turning_the_scale_turns_the_worths(seed):
    model = Ordinal(judge_sd=0.8, spacing_sd=0.3, item_sd=0.5, output_sd=0.4)
    rows = crossed(seed)
    fit = model.fit(rows)
    turned = model.fit(rows_of(rows.judge, rows.item, rows.system, 6 - rows.score))
    assert turned.estimate == pytest.approx(-fit.estimate, abs=1e-5)
    assert turned.cutpoints == pytest.approx(-fit.cutpoints[::-1], abs=1e-5)
    assert turned.vcov == pytest.approx(fit.vcov, abs=1e-5)
    assert turned.loglik == pytest.approx(fit.loglik, abs=1e-6)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_only_the_order_of_scores_counts(seed):
    rows = crossed(seed, 80)
    other = rows_of(rows.judge, rows.item, rows.system, np.exp(rows.score))
    assert PLAIN.fit(other).estimate == pytest.approx(PLAIN.fit(rows).estimate, abs=1e-12)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_a_penalty_without_end_gives_the_plain_model(seed):
    rows = crossed(seed)
    plain = PLAIN.fit(rows)
    fit = Ordinal(judge_sd=1e-5, spacing_sd=1e-5, item_sd=1e-5, output_sd=1e-5).fit(rows)
    assert fit.estimate == pytest.approx(plain.estimate, abs=1e-6)
    assert fit.vcov == pytest.approx(plain.vcov, abs=1e-6)
    assert fit.loglik == pytest.approx(plain.loglik, abs=1e-5)
    for cuts in fit.judge_cutpoints.values():
        assert cuts == pytest.approx(plain.cutpoints, abs=1e-6)


def test_a_judge_of_few_scores_is_shrunk_more():
    # each of two judges gives the lowest score only: one 20 times, the other once
    rng = np.random.Generator(np.random.PCG64(5))
    judge = np.concatenate((np.repeat(np.arange(6), 30), np.full(20, 6), [7]))
    system = rng.integers(0, 2, len(judge))
    score = np.where(judge < 6, rng.integers(1, 5, len(judge)), 1)
    fit = Ordinal(judge_sd=1, spacing_sd=0, item_sd=0, output_sd=0).fit(
        rows_of(judge, np.arange(len(judge)), system, score)
    )
    moved = {name: (cuts - fit.cutpoints).mean() for name, cuts in fit.judge_cutpoints.items()}
    assert moved["j006"] > 2 * moved["j007"] > 0
    assert all(np.all(np.diff(cuts) > 0) for cuts in fit.judge_cutpoints.values())


def test_simulated_effects_are_found():
    rows = crossed(11, 4000, sizes=(25, 60, 4))
    fit = Ordinal(output_sd=0).fit(rows)
    assert fit.sds["judge"] == pytest.approx(1, abs=0.35)
    assert fit.sds["item"] == pytest.approx(1, abs=0.25)
    assert fit.sds["spacing"] < 0.1
    z = (fit.estimate - np.linspace(-1, 1, 4)) / np.sqrt(np.diag(fit.vcov))
    assert np.abs(z).max() < 3.5


def test_what_a_design_does_not_tell_is_left_out_and_said():
    rng = np.random.Generator(np.random.PCG64(6))
    system, score = rng.integers(0, 2, 60), rng.integers(1, 4, 60)
    fit = Ordinal().fit(rows_of(np.zeros(60, int), np.arange(60), system, score))
    assert fit.sds == {"judge": 0, "spacing": 0, "item": 0, "output": 0}
    said = " ".join(map(str, fit.notes))
    assert "one judge" in said
    assert "Each item has one score" in said


def test_what_has_no_answer_is_refused():
    judge, item, system = np.indices((3, 4, 2))
    many = np.arange(24).reshape(judge.shape)
    with pytest.raises(NotIdentified, match=r"at most 7 categories, and there are 24 .*adjusted"):
        Ordinal().fit(rows_of(judge, item, system, many))
    with pytest.raises(NotIdentified, match="all scores are equal"):
        Ordinal().fit(rows_of(judge, item, system, 0 * judge))
    # 1 and 2 against 2 and 3: the cutpoints and the systems can move apart for ever
    apart = 1 + system + item % 2
    with pytest.raises(NotIdentified, match="scores of s001 do not overlap with those of s000"):
        Ordinal().fit(rows_of(judge, item, system, apart))
