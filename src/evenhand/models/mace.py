"""MACE: every judge either knows the label, or spams in a way of one's own.

    P(a_il = a | T_i = c) = (1 − s_l) 1[a = c] + s_l ξ_l[a],    T_i uniform on the C labels

Source: Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), Learning whom to trust with MACE, NAACL-HLT,
1120-1130. A spammer's answer is what stood on the screen: left, tie or right, whichever system that
was. The highest end of random starts is climbed on until next to nothing changes; where different
ends are equally high, they are averaged. When not to use it: docs/models/labels.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.errors import UnknownOption, require_option
from evenhand.models import labels
from evenhand.models.answers import Answers, softmax
from evenhand.models.texts import say_labels
from evenhand.numerics import Array

# The steps of MACE, over all answers at once.
#
# Given T, an answer by judge l is worth s ξ[a] where it is not T's label and (1 − s) + s ξ[a] where
# it is. With b = log s ξ[a] (of judge and label) what matters for T is the gain log(1 + exp(k −
# b)), k = log(1 − s), of the answers that are the label itself: one sparse product with a vector by
# judge and label gives the sums of all units, and its transpose the expected counts.

SETTLED: Final = 1e-11  # Nats per answer; an iteration that rises by less changes next to nothing
MAX_HEIGHT_DIFFERENCE: Final = 0.01  # Nats; ends that differ by less are equally high
MAX_SAME_DIFFERENCE: Final = 0.01  # Ends whose probabilities all differ by less are one end


@dataclass(frozen=True, eq=False)
class Knowing:
    # (U·C, J·C) sparse; at unit and label, judge and label as shown, how often the judge gave it
    matrix: Any
    given: Array  # (J, C) answers of each judge, as shown
    units: int  # U
    labels: int  # C

    @classmethod
    def of(cls, answers: Answers) -> Knowing:
        from scipy.sparse import csr_array

        c, j = len(answers.labels), len(answers.judges)
        spoken = answers.judge * c + answers.shown
        places = (answers.unit * c + answers.label, spoken)
        matrix = csr_array((np.ones(answers.size), places), shape=(answers.units * c, j * c))
        given = np.bincount(spoken, minlength=j * c).reshape(j, c).astype(np.float64)
        return cls(matrix, given, answers.units, c)


@dataclass(frozen=True, eq=False)
class Odds:
    """Log-weights of knowing and spamming; under variational Bayes they do not sum to one."""

    know: Array  # (J,) k = log(1 − s)
    spam: Array  # (J, C) b = log s ξ
    # parameters of the Dirichlet posteriors of s and of ξ, of their priors, and the expected
    # logs; none under EM
    posteriors: tuple[tuple[Array, Array, Array], ...] = ()


def bound(know: Array, spam: Array, prior: tuple[float, float], pseudo: float) -> Odds:
    """Return expected logs under the posteriors Beta and Dirichlet: the step of VB."""
    from scipy.special import psi

    coin = np.stack([know + prior[0], spam.sum(axis=1) + prior[1]], axis=1)
    strategies = spam + pseudo
    log_coin = psi(coin) - psi(coin.sum(axis=1, keepdims=True))
    log_strategies = psi(strategies) - psi(strategies.sum(axis=1, keepdims=True))
    of_strategies = strategies, np.full(spam.shape[1], pseudo), log_strategies
    posteriors = (coin, np.array(prior), log_coin), of_strategies
    return Odds(log_coin[:, 0], log_coin[:, 1:] + log_strategies, posteriors)


def diverge(posterior: Array, prior: Array, logs: Array) -> float:
    """Sum the Kullback-Leibler divergences of (J, C) Dirichlet posteriors from a prior."""
    from scipy.special import gammaln

    norms = gammaln(posterior.sum(axis=1)) - gammaln(posterior).sum(axis=1)
    norm = gammaln(prior.sum()) - gammaln(prior).sum()
    return float((norms - norm).sum() + ((posterior - prior) * logs).sum())


def start_odds(knowing: Knowing, noise: float, rng: np.random.Generator) -> Odds:
    j, c = knowing.given.shape
    coin, strategies = (1 + noise * rng.random((j, width)) for width in (2, c))
    coin /= coin.sum(axis=1, keepdims=True)
    strategies /= strategies.sum(axis=1, keepdims=True)
    return Odds(np.log(coin[:, 0]), np.log(coin[:, 1:]) + np.log(strategies))


@dataclass(frozen=True, eq=False)
class State:
    posterior: Array  # (U, C) probability of each label
    know: Array  # (J, C) expected answers that were known, by label
    spam: Array  # (J, C) expected answers that were spam
    gains: Array  # (J, C) what an answer adds to the log-weight of its label
    loglik: float  # log of the summed weights (nats)
    odds: Odds  # the log-weights
    rise: float = np.inf  # of the objective in the last iteration, as far as there was one
    steps: int = 0  # iterations that led here

    @property
    def objective(self) -> float:
        """Log-likelihood, or the lower bound of the evidence under variational Bayes (nats)."""
        return self.loglik - sum(diverge(*one) for one in self.odds.posteriors)

    def judge_answers(self, answers: Answers) -> Array:
        """Return (n,) how probable it is that each answer is right by what the others say."""
        # what the answer itself adds to its unit's label is taken out again
        others, rows = self.posterior[answers.unit], np.arange(answers.size)
        alone = others[rows, answers.label] * np.exp(-self.gains[answers.judge, answers.shown])
        others[rows, answers.label] = 0.0
        return np.asarray(alone / (alone + others.sum(axis=1)))


def expect(knowing: Knowing, odds: Odds) -> State:
    """Return labels and expected counts, given log-weights: the E-step."""
    above = odds.know[:, None] - odds.spam
    gains = np.logaddexp(0, above)
    # gains over the answers that are each label, (U, C); their chances to be right by judge, (J, C)
    sums = np.asarray(knowing.matrix @ gains.reshape(-1))
    posterior, log_sums = softmax(sums.reshape(knowing.units, knowing.labels))
    right = np.asarray(knowing.matrix.T @ posterior.reshape(-1)).reshape(gains.shape)
    know = right * np.exp(above - gains)
    loglik = float((knowing.given * odds.spam).sum() + log_sums.sum())
    loglik -= knowing.units * np.log(knowing.labels)
    return State(posterior, know, knowing.given - know, gains, loglik, odds)


# Log-weights from expected answers that were known and that were spam
Maximise = Callable[[Knowing, Array, Array], Odds]


def climb(knowing: Knowing, start: Odds, maximise: Maximise, iterations: int) -> State:
    state = before = expect(knowing, start)
    for _ in range(iterations):
        before, state = state, expect(knowing, maximise(knowing, state.know, state.spam))
    return replace(state, rise=state.objective - before.objective, steps=iterations)


def settle(knowing: Knowing, state: State, maximise: Maximise, most: int) -> State:
    """Iterate until next to nothing changes, so that ends and labels can be compared."""
    height, steps = state.objective, state.steps
    for _ in range(most):
        if state.rise < SETTLED * knowing.given.sum():
            break
        steps += 1
        state = expect(knowing, maximise(knowing, state.know, state.spam))
        above = state.objective
        state, height = replace(state, rise=above - height, steps=steps), above
    return state


def keep_highest(best: list[State], end: State) -> list[State]:
    rise = end.objective - best[0].objective if best else np.inf
    if rise > MAX_HEIGHT_DIFFERENCE:
        return [end]
    known = any(abs(end.posterior - one.posterior).max() < MAX_SAME_DIFFERENCE for one in best)
    return best if rise < -MAX_HEIGHT_DIFFERENCE or known else [*best, end]


# Nats per answer; a last iteration that rises by less is called converged
CONVERGED_RISE: Final = 1e-6
SETTLING_FACTOR: Final = 20  # The highest end may take so many times the iterations of a start


@dataclass(frozen=True)
class MACE(labels.LabelModel):
    """Settings.

    Attributes:
        method: vb (variational Bayes) | em.
        restarts: random starts.
        iterations: of each start; the highest end may take twenty times as many.
        know: first parameter of the Beta prior, of knowing; of vb.
        spam: second parameter, of spamming; of vb.
        strategy: m, answers that the prior of ξ is worth, all labels together; of vb. The authors'
            program has 10 for each label.
        smoothing: answers added to each count, of em; None for .01/C.
        noise: how far starts are apart: weights before scaling are 1 to 1 + noise.
        seed: of the starts.
    """

    method: str = "vb"
    restarts: int = 10
    iterations: int = 50
    know: float = 0.5
    spam: float = 0.5
    strategy: float = 10.0
    smoothing: float | None = None
    noise: float = 0.5
    seed: int = SEED

    def __post_init__(self) -> None:
        require_option("method", self.method, ("vb", "em"))
        for name in ("restarts", "iterations"):
            if getattr(self, name) < 1:
                raise UnknownOption(f"{name} must be at least 1")
        for name in ("know", "spam", "strategy", "noise"):
            if not getattr(self, name) > 0:
                raise UnknownOption(f"{name} must be above 0")
        if self.smoothing is not None and not self.smoothing > 0:
            raise UnknownOption("smoothing must be above 0, or None for .01 by number of labels")

    def _fit(self, answers: Answers) -> labels.LabelFit:
        knowing = Knowing.of(answers)
        rng = np.random.default_rng(self.seed)
        highest, best, ends = list[State](), list[State](), []
        for _ in range(self.restarts):
            start = start_odds(knowing, self.noise, rng)
            end = climb(knowing, start, self._maximise, self.iterations)
            ends.append(end.objective)
            highest = keep_highest(highest, end)
        for end in highest:
            most = SETTLING_FACTOR * self.iterations
            best = keep_highest(best, settle(knowing, end, self._maximise, most))
        pseudo, smooth = self._pseudo(knowing), self._smooth(knowing)
        # estimates of ξ, and of s: its mean under VB, its share of smoothed counts in EM
        added = [smooth] * 2 if self.method == "em" else self._coin
        strategies, spamming = [], []
        for end in best:
            counts = end.spam + pseudo
            strategies.append(counts / counts.sum(axis=1, keepdims=True))
            total = knowing.given.sum(axis=1) + sum(added)
            spamming.append((end.spam.sum(axis=1) + added[1]) / total)
        strategy = np.mean(strategies, axis=0)
        prior = f"Beta({self.know:g}, {self.spam:g}), Dirichlet({pseudo:.6g})"
        if self.method == "em":
            prior = f"smoothing {smooth:.6g}"
        starts = f"{self.restarts} x {self.iterations} iterations, noise {self.noise:g}"
        parts = [f"MACE {self.method}, {prior}", starts, f"seed={self.seed}"]
        right = np.mean([one.judge_answers(answers) for one in best], axis=0)
        wrong = strategy[answers.judge, answers.shown]
        skills = labels.integrate_skills(answers.judge, right, wrong, self._coin)
        posterior = np.mean([one.posterior for one in best], axis=0)
        notes, steps, rise = labels.note_labels(answers, posterior), best[0].steps, best[0].rise
        if len(best) > 1:
            notes.append(say_labels("equal-optima", n=len(best)))
        converged = bool(rise < CONVERGED_RISE * answers.size)
        if not converged:
            notes.append(say_labels("not-converged", "warning", steps=steps, rise=float(rise)))
        heights = sorted(ends, reverse=True)
        if len(ends) > 1 and sum(heights[0] - end < 1 for end in heights) == 1:
            apart = {"starts": len(ends), "difference": float(heights[0] - heights[1])}
            notes.append(say_labels("single-optimum", **apart))
        return labels.LabelFit(
            model=self,
            answers=answers,
            posterior=posterior,
            skills=labels.list_skills(answers, skills),
            measure="competence",
            parameters={"spamming": np.mean(spamming, axis=0), "strategies": strategy},
            loglik=None if self.method == "vb" else best[0].objective,
            objective=best[0].objective,
            steps=steps,
            converged=converged,
            notes=tuple(notes),
            signature=labels.sign_labels(answers, parts),
        )

    def _maximise(self, knowing: Knowing, know: Array, spam: Array) -> Odds:
        if self.method == "em":  # the shares of smoothed counts
            smooth = self._smooth(knowing)
            known, spammed = know.sum(axis=1) + smooth, spam.sum(axis=1) + smooth
            strategies = spam + smooth
            log_strategies = np.log(strategies / strategies.sum(axis=1, keepdims=True))
            log_spam = np.log(spammed / (known + spammed))[:, None] + log_strategies
            return Odds(np.log(known / (known + spammed)), log_spam)
        return bound(know.sum(axis=1), spam, (self.know, self.spam), self._pseudo(knowing))

    @property
    def _coin(self) -> tuple[float, float]:
        """The Beta prior of competence; Jeffreys' beside EM, which has none."""
        return (self.know, self.spam) if self.method == "vb" else labels.PRIOR

    def _smooth(self, knowing: Knowing) -> float:
        return 0.01 / knowing.labels if self.smoothing is None else self.smoothing

    def _pseudo(self, knowing: Knowing) -> float:
        """Return the answers that are added to each label of a judge's strategy."""
        return self.strategy / knowing.labels if self.method == "vb" else self._smooth(knowing)
