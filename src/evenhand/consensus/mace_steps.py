"""The steps of MACE, over all answers at once.

Given T, an answer by judge l is worth s ξ[a] where it is not T's label and (1 − s) + s ξ[a] where
it is. With b = log s ξ[a] (of judge and label) what matters for T is the gain log(1 + exp(k − b)),
k = log(1 − s), of the answers that are the label itself: one sparse product with a vector by judge
and label gives the sums of all units, and its transpose the expected counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answers import Answers
from evenhand.consensus.incidence import softmax

Array = NDArray[np.float64]
SETTLED: Final = 1e-11
"""Nats per answer; an iteration that rises by less changes next to nothing."""
EQUAL: Final = 0.01
"""Nats; ends that differ by less are equally high."""
SAME: Final = 0.01
"""Ends whose probabilities all differ by less are one end."""


@dataclass(frozen=True, eq=False)
class Knowing:
    """Who said what where it may be right.

    Attributes:
        matrix: (U·C, J·C) sparse; at unit and label, judge and label as shown, how often the judge
            gave it.
        said: (J, C) answers of each judge, as shown.
        units: U.
        labels: C.

    """

    matrix: Any
    said: Array
    units: int
    labels: int

    @classmethod
    def of(cls, answers: Answers) -> Knowing:
        """Build the matrix."""
        from scipy.sparse import csr_array

        c, j = len(answers.labels), len(answers.judges)
        spoken = answers.judge * c + answers.said
        places = (answers.unit * c + answers.label, spoken)
        shape = (answers.units * c, j * c)
        matrix = csr_array((np.ones(answers.size), places), shape=shape)
        said = np.bincount(spoken, minlength=j * c).reshape(j, c).astype(np.float64)
        return cls(matrix, said, answers.units, c)

    def to_units(self, gains: Array) -> Array:
        """Sum (J, C) gains over the answers that are each label: (U, C)."""
        return np.asarray(self.matrix @ gains.reshape(-1)).reshape(self.units, self.labels)

    def to_judges(self, posterior: Array) -> Array:
        """Sum (U, C) probabilities of being right over each judge's answers: (J, C)."""
        return np.asarray(self.matrix.T @ posterior.reshape(-1)).reshape(self.said.shape)


@dataclass(frozen=True, eq=False)
class Odds:
    """Log-weights of knowing and spamming; under variational Bayes they do not sum to one.

    Attributes:
        know: (J,) k = log(1 − s).
        spam: (J, C) b = log s ξ.
        posteriors: parameters of the Dirichlet posteriors of s and of ξ, of their priors, and the
            expected logs; none under EM.

    """

    know: Array
    spam: Array
    posteriors: tuple[tuple[Array, Array, Array], ...] = ()

    @property
    def penalty(self) -> float:
        """What is taken from the log-likelihood: divergence of posteriors from priors (nats)."""
        return sum(diverge(*one) for one in self.posteriors)

    @classmethod
    def of_counts(cls, know: Array, spam: Array, smoothing: float) -> Odds:
        """Return the shares of smoothed counts: the M-step of EM.

        Args:
            know: (J,) expected answers that were known.
            spam: (J, C) expected answers that were spam, by label.
            smoothing: added to each count.

        """
        known, spammed = know + smoothing, spam.sum(axis=1) + smoothing
        strategies = spam + smoothing
        log_strategies = np.log(strategies / strategies.sum(axis=1, keepdims=True))
        log_spam = np.log(spammed / (known + spammed))
        return cls(np.log(known / (known + spammed)), log_spam[:, None] + log_strategies)


def bound(know: Array, spam: Array, prior: tuple[float, float], pseudo: float) -> Odds:
    """Return expected logs under the posteriors Beta and Dirichlet: the step of VB.

    Args:
        know: (J,) expected answers that were known.
        spam: (J, C) expected answers that were spam, by label.
        prior: parameters of the Beta, of knowing and of spamming.
        pseudo: parameter of the Dirichlet for each label.

    """
    from scipy.special import psi

    coin = np.stack([know + prior[0], spam.sum(axis=1) + prior[1]], axis=1)
    strategies = spam + pseudo
    log_coin = psi(coin) - psi(coin.sum(axis=1, keepdims=True))
    log_strategies = psi(strategies) - psi(strategies.sum(axis=1, keepdims=True))
    of_strategies = strategies, np.full(spam.shape[1], pseudo), log_strategies
    posteriors = (coin, np.array(prior), log_coin), of_strategies
    return Odds(log_coin[:, 0], log_coin[:, 1:] + log_strategies, posteriors)


def diverge(posterior: Array, prior: Array, logs: Array) -> float:
    """Sum the Kullback-Leibler divergences of Dirichlet posteriors from their common prior.

    Args:
        posterior: (J, C) parameters.
        prior: (C,) parameters.
        logs: (J, C) expected logs under the posteriors.

    """
    from scipy.special import gammaln

    norms = gammaln(posterior.sum(axis=1)) - gammaln(posterior).sum(axis=1)
    norm = gammaln(prior.sum()) - gammaln(prior).sum()
    return float((norms - norm).sum() + ((posterior - prior) * logs).sum())


def start_odds(knowing: Knowing, noise: float, rng: np.random.Generator) -> Odds:
    """Draw a start: weights from 1 to 1 + noise, scaled to sum to one."""
    j, c = knowing.said.shape
    coin, strategies = (1 + noise * rng.random((j, width)) for width in (2, c))
    coin /= coin.sum(axis=1, keepdims=True)
    strategies /= strategies.sum(axis=1, keepdims=True)
    return Odds(np.log(coin[:, 0]), np.log(coin[:, 1:]) + np.log(strategies))


@dataclass(frozen=True, eq=False)
class State:
    """What follows from log-weights.

    Attributes:
        posterior: (U, C) probability of each label.
        know: (J, C) expected answers that were known, by label.
        spam: (J, C) expected answers that were spam.
        gains: (J, C) what an answer adds to the log-weight of its label.
        loglik: log of the summed weights (nats).
        odds: the log-weights.
        rise: of the objective in the last iteration, as far as there was one.
        steps: iterations that led here.

    """

    posterior: Array
    know: Array
    spam: Array
    gains: Array
    loglik: float
    odds: Odds
    rise: float = np.inf
    steps: int = 0

    @property
    def objective(self) -> float:
        """Log-likelihood, or the lower bound of the evidence under variational Bayes (nats)."""
        return self.loglik - self.odds.penalty

    def judge_answers(self, answers: Answers) -> Array:
        """Return (n,) how probable it is that each answer is right by what the others say.

        What the answer itself adds to its unit's label is taken out again.
        """
        others, rows = self.posterior[answers.unit], np.arange(answers.size)
        alone = others[rows, answers.label] * np.exp(-self.gains[answers.judge, answers.said])
        others[rows, answers.label] = 0.0
        return np.asarray(alone / (alone + others.sum(axis=1)))


def expect(knowing: Knowing, odds: Odds) -> State:
    """Return labels and expected counts, given log-weights: the E-step."""
    above = odds.know[:, None] - odds.spam
    gains = np.logaddexp(0, above)
    posterior, log_sums = softmax(knowing.to_units(gains))
    right = knowing.to_judges(posterior)
    know = right * np.exp(above - gains)
    loglik = float((knowing.said * odds.spam).sum() + log_sums.sum())
    loglik -= knowing.units * np.log(knowing.labels)
    return State(posterior, know, knowing.said - know, gains, loglik, odds)


Maximise = Callable[[Knowing, Array, Array], Odds]
"""Log-weights from expected answers that were known and that were spam."""


def climb(knowing: Knowing, start: Odds, maximise: Maximise, iterations: int) -> State:
    """Iterate from a start.

    Args:
        knowing: the answers.
        start: log-weights.
        maximise: the M-step.
        iterations: how many.

    """
    state = before = expect(knowing, start)
    for _ in range(iterations):
        before, state = state, expect(knowing, maximise(knowing, state.know, state.spam))
    return replace(state, rise=state.objective - before.objective, steps=iterations)


def settle(knowing: Knowing, state: State, maximise: Maximise, most: int) -> State:
    """Iterate until next to nothing changes, so that ends and labels can be compared.

    Args:
        knowing: the answers.
        state: where to go on from.
        maximise: the M-step.
        most: iterations at most.

    """
    height, steps = state.objective, state.steps
    for _ in range(most):
        if state.rise < SETTLED * knowing.said.sum():
            break
        steps += 1
        state = expect(knowing, maximise(knowing, state.know, state.spam))
        above = state.objective
        state, height = replace(state, rise=above - height, steps=steps), above
    return state


def keep_highest(best: list[State], end: State) -> list[State]:
    """Return the ends that are as high as any, each once.

    Args:
        best: the highest ends so far.
        end: another.

    """
    rise = end.objective - best[0].objective if best else np.inf
    if rise > EQUAL:
        return [end]
    known = any(abs(end.posterior - one.posterior).max() < SAME for one in best)
    return best if rise < -EQUAL or known else [*best, end]
