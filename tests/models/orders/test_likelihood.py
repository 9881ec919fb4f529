"""Laws of models of rankings: derivatives, names, order of rows, counting twice, clusters."""

import numpy as np
import pytest

from derivatives import assert_derivatives
from evenhand.data.orders import Orders, count_orders
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.orders import OrderLikelihood, PatternModel, PlackettLuce
from ordered import ranked, table_of

TIED = [
    ("A>B>C", 3),
    ("B>A=C", 2),
    ("C>D>A>B", 2),
    ("D=A>C", 1),
    ("B>D", 4),
    ("A=B=C>D", 1),
    ("D>C>B", 2),
    ("B=C>A", 1),
]
PLAIN = [(text.replace("=", ">"), count) for text, count in TIED]
MODELS = {
    "luce": (PlackettLuce(), TIED),
    "plain luce": (PlackettLuce(), PLAIN),
    "luce under a prior": (PlackettLuce(prior=2.0), TIED),
    "pattern": (PatternModel(), TIED),
    "plain pattern": (PatternModel(), PLAIN),
    "pattern under a prior": (PatternModel(prior=2.0), TIED),
}
EVERY = pytest.mark.parametrize(("model", "rows"), MODELS.values(), ids=MODELS)
UNPENALISED = pytest.mark.parametrize(
    ("model", "rows"), [MODELS[name] for name in MODELS if "prior" not in name]
)


def close(found, expected, tolerance=1e-8):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@EVERY
def test_gradient_and_information_are_finite_differences(model, rows):
    likelihood = model.fit(ranked(rows)).likelihood
    at = np.linspace(-0.6, 0.7, likelihood.size)
    assert_derivatives(likelihood.expand, at, slope=1e-7, bend=1e-7)
    assert likelihood.expand(at).value == pytest.approx(
        likelihood.orders.weights @ likelihood.log_probs(at)
    )


@EVERY
def test_the_choice_of_reference_changes_no_contrast(model, rows):
    fits = [type(model)(prior=model.prior, reference=name).fit(ranked(rows)) for name in "AC"]
    pairs = [("A", "B"), ("B", "D"), ("A", "D")]
    for one, two in zip(*(fit.contrasts(pairs) for fit in fits), strict=True):
        close((one.estimate, one.stderr), (two.estimate, two.stderr))
    assert fits[0].log_worth[0] == fits[1].log_worth[2] == 0
    assert [fit.reference for fit in fits] == ["A", "C"]


@UNPENALISED
def test_counting_every_ranking_twice_keeps_estimates_and_halves_variances(model, rows):
    one, two = model.fit(ranked(rows)), model.fit(ranked([(text, 2 * n) for text, n in rows]))
    close(two.beta, one.beta)
    close(two.vcov, one.vcov / 2)
    close(two.loglik, 2 * one.loglik)
    assert two.df + len(two.beta) == 2 * (one.df + len(one.beta))


def score_by_differences(likelihood, beta, row, step=1e-6):
    """Score of one ranking, given once."""

    def one(at):
        return likelihood.log_probs(at)[row]

    return [(one(beta + step * e) - one(beta - step * e)) / (2 * step) for e in np.eye(len(beta))]


@UNPENALISED
def test_errors_by_ranking_are_the_sandwich_of_single_scores(model, rows):
    data = table_of(rows)
    fit = model.fit(data)
    weights = fit.likelihood.orders.weights
    scores = [score_by_differences(fit.likelihood, fit.beta, r) for r in range(len(weights))]
    meat = sum(w * np.outer(s, s) for w, s in zip(weights, scores, strict=True))
    n, p = weights.sum(), len(fit.beta)
    expected = n / (n - 1) * (n - 1) / (n - p) * fit.beta_vcov @ meat @ fit.beta_vcov
    found = fit.cluster_vcov(data, "ranking")
    assert (found.by, found.kind, found.clusters) == ("ranking", "CR1", n)
    close(found.worth_vcov[:3, :3], expected[:3, :3], 1e-5)
    close(found.vcov[:3, :3], expected[:3, :3] / 4, 1e-5)
    close(found.vcov[3:, 3:], expected[3:, 3:], 1e-5)
    assert (found.worth_vcov[3] == 0).all()


@UNPENALISED
def test_errors_by_judge_are_the_linearised_jackknife(model, rows):
    data = table_of(rows)
    fit = model.fit(data)
    apart = count_orders(data, "judge")
    total, changes = fit.likelihood.expand(fit.beta).information, []
    for judge in range(apart.level.size):
        own = apart.weights * (apart.level.codes == judge)
        part = Orders(apart.systems, apart.outputs, apart.places, own)
        expansion = OrderLikelihood(fit.likelihood.law, part, 3).expand(fit.beta)
        changes.append(np.linalg.solve(total - expansion.information, expansion.gradient))
    d = np.array(changes) - np.mean(changes, axis=0)
    found = fit.cluster_vcov(data, "judge")
    assert (found.kind, found.clusters) == ("CV3", 7)
    close(found.worth_vcov[:3, :3], (6 / 7 * d.T @ d)[:3, :3])


def test_counting_every_ranking_twice_leaves_errors_by_judge_as_they_are():
    tables = table_of(TIED), table_of(TIED, weight=2)
    fits = [PlackettLuce().fit(one) for one in tables]
    close(fits[1].worth_vcov, fits[0].worth_vcov / 2)
    found = [fit.cluster_vcov(one, "judge") for fit, one in zip(fits, tables, strict=True)]
    close(found[1].worth_vcov, found[0].worth_vcov)


def test_what_no_cluster_can_tell_is_refused():
    data = table_of(TIED)
    fit = PlackettLuce().fit(data)
    with pytest.raises(InvalidJudgments, match="not the rankings that the model was fitted to"):
        fit.cluster_vcov(table_of(TIED[1:]), "judge")
    circle = [("A>B>C", 1), ("B>C>A", 1), ("C>A>B", 1)]
    for rows, judges, by, message in (
        (circle, "x", "judge", "all rankings are of one cluster"),
        (circle[:2], "x", "ranking", "2 rankings for 2 parameters are too few"),
        (
            [("A>B", 3), ("B>A", 3), ("A>C", 1), ("C>A", 1)],
            "xyxyxyzz",
            "judge",
            "without z some systems are linked to the rest by nothing",
        ),
    ):
        data = table_of(rows, judges)
        with pytest.raises(NotIdentified, match=message):
            PlackettLuce().fit(data).cluster_vcov(data, by)
