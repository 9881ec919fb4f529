"""Sign tests against R, scipy and the TrinomialTest package: tests/golden/03."""

import time
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.numerics.distributions import trinomial_tail, upper_tail
from evenhand.ranking.sign_tests import choose_variant, sign_test, sign_tests
from golden_numbers import entries

EVERY = pytest.mark.parametrize("entry", entries("03_sign_tests"), ids=lambda entry: entry.id)
NAMES = {
    "ignore": "ignore_ties",
    "ignore-normal": "asymptotic_conditional",
    "split": "split_even_drop_odd_tie",
    "split-normal": "split_even_normal",
    "against": "ties_against_new_system",
    "trinomial": "trinomial",
}
COUNTS = st.integers(0, 20)


def counts_of(entry):
    return [entry.input[name] for name in ("n_plus", "n_zero", "n_minus")]


@EVERY
@pytest.mark.parametrize("variant", NAMES)
def test_p_values_are_those_of_r_and_scipy(entry, variant):
    found = sign_test(*counts_of(entry), variant=variant)
    expected = entry.expected[NAMES[variant]]
    slack = entry.tolerance["p_abs"]
    if "two_sided" in expected:
        assert found.p == pytest.approx(expected["two_sided"], rel=0, abs=slack)
    if "greater" in expected:
        assert found.greater == pytest.approx(expected["greater"], rel=0, abs=slack)
    if "z" in expected:
        assert found.z == pytest.approx(expected["z"], abs=1e-9)


@EVERY
def test_the_interval_is_that_of_r_and_the_trinomial_tail_that_of_the_package(entry):
    better, ties, worse = counts_of(entry)
    expected = entry.expected["ignore_ties"]["ci95_clopper_pearson"]
    assert sign_test(better, ties, worse).interval == pytest.approx(expected, rel=0, abs=1e-9)
    ahead = sign_test(max(better, worse), ties, min(better, worse), variant="trinomial")
    expected = entry.expected["trinomial"]["one_sided_in_observed_direction"]
    assert ahead.greater == pytest.approx(expected, rel=0, abs=1e-9)


@given(COUNTS, COUNTS, COUNTS)
def test_the_trinomial_tail_is_the_sum_over_all_outcomes(better, ties, worse):
    n = better + ties + worse
    if not n:
        return
    same = (1 - ties / n) / 2
    total = sum(
        factorial(n)
        / (factorial(up) * factorial(n - up - down) * factorial(down))
        * same ** (up + down)
        * (ties / n) ** (n - up - down)
        for up in range(n + 1)
        for down in range(n + 1 - up)
        if up - down >= better - worse
    )
    assert trinomial_tail(better - worse, n, ties) == pytest.approx(total, rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("lead", "trials", "ties"), [(150, 200, 100), (180, 200, 100), (290, 300, 240)]
)
def test_the_trinomial_tail_is_the_exact_sum_where_it_is_tiny(lead, trials, ties):
    # most of such a tail lies where ties are far rarer than they are on average
    chance = Fraction(ties, trials)
    total = Fraction(0)
    for tied in range(trials - lead + 1):
        decided = trials - tied
        ahead = sum(comb(decided, up) for up in range((decided + lead + 1) // 2, decided + 1))
        tie = comb(trials, tied) * chance**tied * (1 - chance) ** decided
        total += tie * Fraction(ahead, 2**decided)
    assert total < Fraction(1, 10**30)
    assert trinomial_tail(lead, trials, ties) == pytest.approx(float(total), rel=1e-9, abs=0)


@given(COUNTS, COUNTS, COUNTS)
def test_exchanging_the_systems_keeps_two_sided_p_values(better, ties, worse):
    if not better + ties + worse:
        return
    for one, other in zip(
        sign_tests(better, ties, worse), sign_tests(worse, ties, better), strict=True
    ):
        assert one.p == pytest.approx(other.p, abs=1e-12)
        assert 0 <= one.p <= 1


@given(st.integers(-3, 60), st.integers(0, 60))
def test_binomial_tails_are_those_of_scipy(successes, trials):
    found = upper_tail(np.array([float(successes)]), np.array([float(trials)]))[0]
    assert found == pytest.approx(stats.binom.sf(successes - 1, trials, 0.5), abs=1e-12)


def test_nothing_but_ties_is_no_evidence_and_no_error():
    for one in sign_tests(0, 7, 0):
        assert (one.p, one.z if one.variant == "ignore-normal" else None) == (1.0, None)
    assert sign_test(0, 7, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize("n", [3_000, 1_000_000])
def test_many_comparisons_meet_the_normal_distribution_and_take_no_time(n):
    ties, lead = n // 3, int(2 * (2 * n / 3) ** 0.5)
    began = time.process_time()
    found = trinomial_tail(lead, n, ties)
    assert time.process_time() - began < 1.0
    # continuity correction of half a step of 1
    expected = stats.norm.sf((lead - 0.5) / (n - ties) ** 0.5)
    assert found == pytest.approx(expected, rel=3e-3)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(InvalidJudgments, match="none may be negative"):
        sign_test(-1, 0, 3)
    with pytest.raises(UnknownOption, match="importance weights are no counts"):
        sign_test(1.5, 0, 3)
    with pytest.raises(InvalidJudgments, match="nothing to test"):
        sign_test(0, 0, 0)
    with pytest.raises(UnknownOption, match=r"ties_as cannot be 'splt'.*'split'"):
        sign_test(1, 0, 0, variant="splt")


@EVERY
def test_ties_half_against_lie_between_ties_ignored_and_ties_against(entry):
    """z in closed form; with 0 for the half it is McNemar's, with 1 that of `against`."""
    better, ties, worse = counts_of(entry)
    found = sign_test(better, ties, worse, variant="half-against")
    z = (better - worse - ties / 2) / (better + worse + ties / 4) ** 0.5
    assert found.z == pytest.approx(z, abs=1e-12)
    assert found.greater == pytest.approx(stats.norm.sf(z), abs=1e-12)
    other = stats.norm.sf((worse - better - ties / 2) / (better + worse + ties / 4) ** 0.5)
    assert found.p == pytest.approx(min(2 * min(found.greater, other), 1), abs=1e-12)
    ignored = sign_test(better, ties, worse, variant="ignore-normal").greater
    against = stats.norm.sf((better - worse - ties) / (better + ties + worse) ** 0.5)
    assert ignored <= found.greater <= against or better < worse


@EVERY
@pytest.mark.parametrize("share", [0, 0.25, 0.3, 0.5, 0.75, 1])
def test_ties_that_are_split_are_votes_of_a_binomial(entry, share):
    """Ties that are assigned by a share, one dropped where it cannot be assigned whole."""
    better, ties, worse = counts_of(entry)
    exact = Fraction(str(share))
    own, others = (int(part * ties) for part in (exact, 1 - exact))
    n = better + worse + own + others
    found = sign_test(better, ties, worse, variant=f"split:{share}")
    greater = stats.binom.sf(better + own - 1, n, 0.5)
    less = stats.binom.sf(worse + own - 1, n, 0.5)
    assert found.greater == pytest.approx(greater, abs=1e-12)
    assert found.p == pytest.approx(min(2 * min(greater, less), 1), abs=1e-12)


@EVERY
@pytest.mark.parametrize(
    ("weighed", "named"),
    [
        *(("split:0.5", "split"), ("split:0", "against"), ("against:0", "ignore-normal")),
        ("against:.5", "half-against"),
    ],
)
def test_named_treatments_are_shares_and_weights(entry, weighed, named):
    found, expected = (sign_test(*counts_of(entry), variant=name) for name in (weighed, named))
    assert (found.p, found.greater, found.z) == (expected.p, expected.greater, expected.z)


@pytest.mark.parametrize(
    ("tied", "weight"), [(0.1, 0.5), (0.6, 0.5), (0.3, 0.2), (0.3, 0.8), (0.4, 1)]
)
def test_ties_against_keep_their_level_at_the_border_of_the_hypothesis(tied, weight):
    """P(first) − P(second) = K P(tie), by 200,000 simulated tables of 150 comparisons."""
    apart, rng = tied * weight, np.random.default_rng(2001)
    chances = [(1 - tied + apart) / 2, tied, (1 - tied - apart) / 2]
    better, ties, worse = rng.multinomial(150, chances, size=200_000).T.astype(float)
    p = choose_variant(f"against:{weight}").tail(better, ties, worse)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.01)
