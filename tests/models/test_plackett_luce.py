"""Plackett-Luce and Davidson-Luce against R, choix, brute force and Davidson's model on pairs.

R: PlackettLuce 0.4.5, `PlackettLuce(R, weights, npseudo = 0)`; tests/golden/07_plackett_luce.json.
"""

from itertools import combinations, permutations

import choix
import numpy as np
import pytest

from evenhand.data.orders import Orders
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.orders import PlackettLuce
from golden_numbers import entries
from ordered import draw_luce, ranked, without_ties
from tallies import tally

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
EVERY = pytest.mark.parametrize("entry", entries("07_plackett_luce"), ids=lambda one: one.id)


def everything(fit):
    """Log-worths, the reference at 0, then log δ."""
    return np.concatenate([fit.log_worth, fit.beta[len(fit.systems) - 1 :]])


def close(found, expected, tolerance=1e-8):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@EVERY
def test_estimates_errors_and_deviance_are_those_of_r(entry):
    fit, expected = PlackettLuce().fit(ranked(entry.input["rows"])), entry.expected
    names = [*fit.systems, *(f"tie{name[1:]}" for name in fit.names if name[0] == "g")]
    assert names == list(expected["log_worth_ref_last"])
    close(everything(fit), list(expected["log_worth_ref_last"].values()), entry.tolerance["est"])
    own = np.sqrt(np.diag(fit.beta_vcov))[len(fit.systems) - 1 :]
    errors = np.concatenate([np.sqrt(np.diag(fit.worth_vcov)), own])
    close(errors, list(expected["se_ref_last"].values()), entry.tolerance["se"])
    assert fit.loglik == pytest.approx(expected["logLik"], abs=entry.tolerance["logLik"])
    assert fit.deviance == pytest.approx(expected["deviance"], abs=1e-7)
    assert fit.df == expected["df_residual"]
    assert len(fit.beta) == expected["df_model"]


@EVERY
def test_z_and_p_against_the_first_system_are_those_of_r(entry):
    fit = PlackettLuce(reference="P").fit(ranked(entry.input["rows"]))
    rows = list(entry.expected["summary_ref_first"].values())
    assert fit.coefficients[0].stderr is None
    for found, (estimate, stderr, z, p) in zip(fit.coefficients[1:], rows[1:], strict=True):
        scale = 2 if found.name[0] == "o" else 1  # R has log-worths, the papers λ
        assert scale * found.estimate == pytest.approx(estimate, abs=3e-6)
        assert scale * found.stderr == pytest.approx(stderr, abs=1e-5)
        assert found.z == pytest.approx(z, abs=2e-5)
        assert found.p == pytest.approx(p, rel=1e-3)


@EVERY
def test_a_prior_of_one_is_half_a_win_and_half_a_loss_against_a_ghost_as_in_r(entry):
    fit = PlackettLuce(prior=1.0).fit(ranked(entry.input["rows"]))
    close(
        everything(fit), list(entry.expected["npseudo_default_0.5"]["log_worth_ref_last"].values())
    )
    plain = PlackettLuce().fit(ranked(entry.input["rows"]))
    assert (fit.n_judgments, fit.df) == (plain.n_judgments, plain.df)
    assert fit.loglik < plain.loglik
    assert fit.signature_parts == ("davidson", "prior 1 per system")


def test_without_ties_estimates_are_those_of_choix():
    codes = draw_luce(np.array([1.0, 0.3, 0.0, -0.2, -0.9]), 80, 4, np.random.default_rng(3))
    fit = PlackettLuce().fit(without_ties(codes, "ABCDE"))
    for solve in (choix.ilsr_rankings, choix.opt_rankings):
        theirs = solve(5, codes.tolist(), alpha=0.0)
        close(fit.log_worth - fit.log_worth.mean(), theirs - theirs.mean(), 1e-5)


def test_a_weight_of_a_tied_set_is_delta_times_the_geometric_mean_of_worths():
    fit = PlackettLuce().fit(ranked(TIED))
    pi = dict(zip(fit.systems, np.exp(fit.log_worth), strict=True))
    delta = {1: 1.0} | {
        int(n[1:]): np.exp(b) for n, b in zip(fit.names, fit.beta, strict=True) if n[0] == "g"
    }
    assert sorted(delta) == [1, 2, 3]

    def weight(tied):
        return delta[len(tied)] * np.prod([pi[name] for name in tied]) ** (1 / len(tied))

    def stage(tied, left):
        rivals = [s for size in delta for s in combinations(left, size)]
        return weight(tied) / sum(map(weight, rivals))

    expected = stage("C", "ABCD") * stage("AD", "ABD")
    assert fit.log_prob(["C", ("A", "D"), "B"]) == pytest.approx(np.log(expected), rel=1e-12)


PAIRS = tally(
    *[("A", "B", 9, 3, 4), ("B", "C", 8, 2, 5), ("A", "C", 6, 4, 2), ("C", "D", 5, 5, 6)],
    *[("A", "D", 7, 1, 3)],
)


def test_on_pairs_it_is_davidsons_model_with_nu_for_delta():
    luce, davidson = PlackettLuce().fit(PAIRS), BradleyTerry().fit(PAIRS)
    close(luce.estimate, davidson.estimate)
    close(luce.vcov, davidson.vcov)
    close(luce.worth_vcov, davidson.worth_vcov)
    assert luce.loglik == pytest.approx(davidson.loglik, rel=1e-12)
    assert luce.df == davidson.likelihood.counts.sum() * 2 - 4
    pairs = list(permutations("ABCD", 2))
    close(luce.predict(pairs), davidson.predict(pairs))
    for one, other in zip(luce.contrasts(pairs), davidson.contrasts(pairs), strict=True):
        close((one.estimate, one.stderr), (other.estimate, other.stderr))
    close(luce.quasi_variances().variances, davidson.quasi_variances().variances)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda fit: fit.predict([("A", "Z")]), "no system 'Z' in this fit"),
        (lambda fit: fit.log_prob(["A", ("B", "A")]), "ranks a system twice"),
        (lambda fit: fit.contrasts([("A", "A")]), "cannot be contrasted with itself"),
    ],
)
def test_what_a_fit_does_not_know_is_refused(ask, message):
    with pytest.raises(InvalidJudgments, match=message):
        ask(PlackettLuce().fit(ranked(TIED)))


def test_a_reference_that_is_no_system_is_refused():
    with pytest.raises(InvalidJudgments, match="reference 'Z' is not among the systems"):
        PlackettLuce(reference="Z").fit(ranked(TIED))


def test_too_many_systems_are_sent_to_comparisons():
    names = tuple(f"s{i:04d}" for i in range(2001))
    outputs = np.array([[i, (i + 1) % 2001] for i in range(2001)], dtype=np.int32)
    orders = Orders(names, outputs, np.tile(np.array([0, 1], np.int32), (2001, 1)), np.ones(2001))
    with pytest.raises(NotIdentified, match="2,001 systems are too many"):
        PlackettLuce().fit(orders)
