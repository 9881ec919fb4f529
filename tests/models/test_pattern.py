"""The pattern model against prefmod, a list of all rankings, and Davidson's model on pairs."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.optimize import minimize

import evenhand
from evenhand.errors import InvalidJudgments
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.orders import PatternLaw, PatternModel
from golden_numbers import golden
from ordered import all_rankings, ranked, without_ties
from tallies import tally

TIED = [("A>B>C", 3), ("B>A=C", 2), ("C>D>A>B", 2), ("D=A>C", 1), ("B>D", 4), ("A=B=C>D", 1)]
PLAIN = [(text.replace("=", ">"), count) for text, count in TIED] + [("D>C>B>A", 1)]


def close(found, expected, tolerance=1e-8):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def energy(groups, lambdas, gamma):
    """Σ over pairs of ±(λ_i − λ_j), or γ for a tie."""
    place = {one: at for at, group in enumerate(groups) for one in group}
    total = 0.0
    for a, b in combinations(place, 2):
        sign = np.sign(place[b] - place[a])
        total += sign * (lambdas[a] - lambdas[b]) if sign else gamma
    return total


def test_salad_dressings_have_the_worths_of_prefmod(data_folder):
    entry = golden("salad_pattR_worth", "salad_pattR_worth")
    fit = PatternModel().fit(evenhand.read(data_folder / "classics" / "canonical" / "salad.csv"))
    for name, worth in entry.expected.items():
        assert fit.worths[name] == pytest.approx(worth, abs=entry.tolerance["worth"])
    assert fit.n_judgments == 32
    assert fit.df == 32 * 23 - 3


@pytest.mark.parametrize(("rows", "free"), [(PLAIN, 3), (TIED, 4)], ids=["plain", "tied"])
def test_estimates_maximise_the_likelihood_over_listed_rankings(rows, free):
    parsed = [(tuple(tuple(g.split("=")) for g in text.split(">")), n) for text, n in rows]

    def loss(b):
        lambdas = dict(zip("ABCD", [*b[:3], 0.0], strict=True))
        gamma, total = (b[3] if free == 4 else 0.0), 0.0
        for groups, n in parsed:
            outputs = tuple(sorted(one for group in groups for one in group))
            rivals = all_rankings(outputs)
            if free == 3:
                rivals = [one for one in rivals if len(one) == len(outputs)]
            energies = np.array([energy(one, lambdas, gamma) for one in rivals])
            total -= n * (energy(groups, lambdas, gamma) - np.logaddexp.reduce(energies))
        return total

    found = minimize(loss, np.zeros(free), method="BFGS", options={"gtol": 1e-6})
    fit = PatternModel().fit(ranked(rows))
    close(fit.estimate, found.x, 1e-5)
    assert fit.loglik == pytest.approx(-loss(fit.estimate), rel=1e-10)


def test_on_pairs_it_is_davidsons_model():
    pairs = tally(*[("A", "B", 9, 3, 4), ("B", "C", 8, 2, 5), ("A", "C", 6, 4, 2)])
    pattern, davidson = PatternModel().fit(pairs), BradleyTerry().fit(pairs)
    assert pattern.names == davidson.names
    close(pattern.estimate, davidson.estimate)
    close(pattern.vcov, davidson.vcov)
    assert pattern.loglik == pytest.approx(davidson.loglik, rel=1e-12)
    asked = list(permutations("ABC", 2))
    close(pattern.predict(asked), davidson.predict(asked))


@pytest.mark.parametrize("m", [5, 10])
def test_sums_over_long_rankings_are_those_of_their_score(m):
    worths = np.random.default_rng(m).normal(size=(1, m))
    law, step = PatternLaw(ties=m < 9), 1e-5
    extras = np.array([0.3]) if m < 9 else np.zeros(0)
    moments = law.moments(worths, extras)
    for i in range(m):
        nudge = np.zeros(m)
        nudge[i] = step
        ahead, behind = (law.moments(worths + sign * nudge, extras) for sign in (1, -1))
        slope = (ahead.log_z - behind.log_z) / (2 * step)
        close(moments.mean[:, i], slope, 1e-7)
        bend = (ahead.mean - behind.mean) / (2 * step)
        variance = moments.second - moments.mean[:, :, None] * moments.mean[:, None, :]
        close(variance[:, i], bend, 1e-6)


@pytest.mark.parametrize(
    ("ties", "counts"), [(False, [1, 2, 6, 24, 120]), (True, [1, 3, 13, 75, 541])]
)
def test_with_equal_worths_all_rankings_are_as_likely(ties, counts):
    law = PatternLaw(ties)
    for m, count in enumerate(counts, start=1):  # factorials; Fubini numbers, OEIS A000670
        assert law.count_rivals(m) == count
        moments = law.moments(np.zeros((1, m)), np.zeros(int(ties)))
        assert np.exp(moments.log_z[0]) == pytest.approx(count, rel=1e-12)


def test_long_rankings_are_refused_with_their_length():
    codes = np.tile(np.arange(13), (2, 1))
    codes[1] = codes[1, ::-1]
    with pytest.raises(InvalidJudgments, match=r"a ranking of 13 outputs .*at most 12 here"):
        PatternModel().fit(without_ties(codes, "abcdefghijklm"))
    rows = [("A>B>C>D>E>F>G>H>I>J", 1), ("J>I>H>G>F>E>D>C>B>A", 1)]
    assert PatternModel().fit(ranked(rows)).loglik == pytest.approx(-2 * np.log(3628800))
    with pytest.raises(InvalidJudgments, match=r"a ranking of 10 outputs .*at most 9 here"):
        PatternModel().fit(ranked([*rows, ("A=B", 1)]))


def test_without_ties_the_model_says_that_it_has_none():
    assert PatternModel().fit(ranked(PLAIN)).notes == ("No ties observed: patterns without ties.",)
