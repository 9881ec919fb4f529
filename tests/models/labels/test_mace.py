"""MACE: crowd-kit's, simulated truth, what is said and refused."""

import itertools

import numpy as np
import pytest
from crowdkit import aggregation as crowd_kit
from scipy import integrate, stats

from evenhand.errors import UnknownOption
from evenhand.models.mace import (
    MACE,
    Knowing,
    Odds,
    bound,
    climb,
    diverge,
    expect,
    start_odds,
)
from label_crowds import as_crowd_kit, coded, given, spammers


def crowd_kits_start(judges: int, labels: int) -> Odds:
    """Where every restart of crowd-kit 1.4.2 begins: one seed draws them all."""
    coin, strategies = (
        stats.uniform(1, 1.5).rvs(size=(judges, width), random_state=0) for width in (2, labels)
    )
    coin /= coin.sum(axis=1, keepdims=True)
    strategies /= strategies.sum(axis=1, keepdims=True)
    return Odds(np.log(coin[:, 1]), np.log(coin[:, :1]) + np.log(strategies))


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("method", ["vb", "em"])
@pytest.mark.parametrize("iterations", [1, 10])
def test_from_the_same_start_it_is_crowd_kits(method, iterations):
    """Rows by judge and label, since crowd-kit mixes up judges who come in another order."""
    answers = spammers(1, size=(150, 8, 3)).answers
    frame = as_crowd_kit(answers).sort_values(["worker", "label"])
    theirs = crowd_kit.MACE(n_restarts=1, n_iter=iterations, method=method, random_state=0).fit(
        frame
    )
    model = MACE(method=method, strategy=30)
    knowing = Knowing.of(answers)
    end = climb(knowing, crowd_kits_start(8, 3), model._maximise, iterations)
    expected = theirs.probas_.loc[list(answers.columns["item"][0]), list(answers.labels)]
    assert end.posterior == pytest.approx(expected.to_numpy(), abs=1e-10)


def test_intervals_hold_the_competences_and_probabilities_are_honest():
    """Of 600 intervals of 95 % all but some 30 hold; labels called 95 % sure are right as often."""
    held, sure, claimed = [], [], []
    for seed in range(10, 20):
        crowd = spammers(seed)
        fit = MACE(restarts=2).fit(crowd.answers)
        held += [
            one.lower <= skill <= one.upper
            for one, skill in zip(fit.skills, crowd.skill, strict=True)
        ]
        above = fit.confidence >= 0.8
        sure += (fit.best == crowd.truth)[above].tolist()
        claimed += fit.confidence[above].tolist()
    assert 0.91 < np.mean(held) < 0.98
    assert np.mean(sure) == pytest.approx(np.mean(claimed), abs=0.02)


@pytest.mark.parametrize("method", ["vb", "em"])
def test_no_start_decides_between_two_judges_who_disagree(method):
    """Either may be the one who knows; one random start would call one of them right."""
    rows = [(f"v{i}", judge, "xy"[i % 2]) for i in range(2) for judge in "ab"]
    fit = MACE(method).fit(given([*rows, ("u1", "a", "x"), ("u1", "b", "y")]))
    assert fit.labels[0] is None
    assert fit.skills[0].value == pytest.approx(fit.skills[1].value, abs=0.01)
    assert any("No unit has more than two answers" in note for note in fit.notes)


def test_the_threshold_is_that_of_the_authors_program():
    """Entropies are sorted; those up to number ⌊share · U⌋ stay: at .8 81 of 100."""
    fit = MACE(restarts=2).fit(spammers(5, size=(100, 20, 3)).answers)
    ordered = np.sort(stats.entropy(fit.posterior, axis=1))
    for share, at in ((0.8, 80), (0.0, 0), (1.0, 99)):
        kept = fit.most_certain(share)
        assert kept.sum() == (ordered <= ordered[at] + 1e-12).sum()
    withheld = fit.keep(0.8)
    assert sum(label is not None for label in withheld.labels) == fit.most_certain(0.8).sum()
    assert any("Threshold 0.8" in note for note in withheld.notes)
    with pytest.raises(UnknownOption, match="threshold 2 is no share"):
        fit.keep(2)


CODES = np.array([[0, 0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2, 0]])


def every_state(odds: Odds) -> tuple[float, np.ndarray, np.ndarray]:
    """Log-likelihood, (U, C) posterior and (J,) answers known, summed over T and every S."""
    unit, judge, label = CODES
    total, posterior, known = 0.0, np.zeros((3, 3)), np.zeros(3)
    for u in range(3):
        rows = np.flatnonzero(unit == u)
        weights, knows = np.zeros(3), np.zeros((3, len(rows)))
        for t, states in itertools.product(range(3), itertools.product([0, 1], repeat=len(rows))):
            weight = 1 / 3
            for row, knowing in zip(rows, states, strict=True):
                j, a = judge[row], label[row]
                weight *= np.exp(odds.know[j]) * (a == t) if knowing else np.exp(odds.spam[j, a])
            weights[t] += weight
            knows[t] += weight * np.array(states)
        posterior[u] = weights / weights.sum()
        total += np.log(weights.sum())
        np.add.at(known, judge[rows], knows.sum(axis=0) / weights.sum())
    return total, posterior, known


def test_expectations_are_sums_over_every_state():
    knowing = Knowing.of(coded(CODES, (3, 3, 3)))
    odds = start_odds(knowing, 2.0, np.random.default_rng(1))
    state = expect(knowing, odds)
    loglik, posterior, known = every_state(odds)
    assert state.objective == pytest.approx(loglik, abs=1e-12)
    assert state.posterior == pytest.approx(posterior, abs=1e-12)
    assert state.know.sum(axis=1) == pytest.approx(known, abs=1e-12)
    assert (state.know + state.spam).sum(axis=1).tolist() == [2, 3, 2]


def test_an_answer_is_judged_by_the_others_alone():
    """The same posterior as if that answer were not there."""
    answers = coded(CODES, (3, 3, 3))
    knowing = Knowing.of(answers)
    odds = start_odds(knowing, 2.0, np.random.default_rng(1))
    found = expect(knowing, odds).judge_answers(answers)
    for row in range(answers.size):
        rest = np.arange(answers.size) != row
        codes = np.stack([answers.unit, answers.judge, answers.label])
        without = expect(Knowing.of(coded(codes[:, rest], (3, 3, 3))), odds)
        expected = without.posterior[codes[0, row], codes[2, row]]
        assert found[row] == pytest.approx(expected, abs=1e-12)


def test_the_divergence_of_betas_is_their_integral():
    posterior, prior = stats.beta(3.5, 1.2), stats.beta(0.5, 0.5)
    expected = integrate.quad(
        lambda q: posterior.pdf(q) * (posterior.logpdf(q) - prior.logpdf(q)), 0, 1
    )[0]
    odds = bound(np.array([3.0]), np.array([[0.7]]), (0.5, 0.5), 10.0)
    penalty = sum(diverge(*one) for one in odds.posteriors)
    assert penalty == pytest.approx(expected, abs=1e-6)  # one label: its Dirichlet is certain
