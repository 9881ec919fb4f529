"""One function of outputs, learned from some labels: what is each worth, and how sure is that?

    y = m + f(x) + ε        Cov[f(x), f(x')] = s² k(x, x'),  k(x, x) = 1        ε ~ N(0, σ²)

It is the process of `MultiTaskGP` with one judge: squared exponential with a length scale for each
feature, its mean integrated out, the same priors. What is new is that labels come in batches:
parameters are learned at stated steps from where the last search ended, and from at most so many
labels drawn by chance; the posterior always rests on all of them.

Labels are standardised by their own mean and deviation, since others are not known yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.gaussian_process import Points, Posterior, correlate, weigh_exactly
from evenhand.ratings.judge_process import Standard
from evenhand.ratings.process_search import (
    MIN_NOISE,
    Coregion,
    JudgedPoints,
    Layout,
    Problem,
    read_parameters,
    start_parameters,
)

Array = NDArray[np.float64]

MIN_LABELS: Final = 3  # Below which parameters stay at their priors


@dataclass(frozen=True, eq=False)
class OutputProcess:
    known: Points  # features of the outputs with labels
    standard: Standard  # constants of the labels
    vector: Array  # parameters, as they were searched for
    at: Coregion  # the same, by name
    posterior: Posterior  # of the function

    @property
    def noise(self) -> float:
        """Variance of one label around the function, on standardised labels."""
        return float(self.at.noise[0]) + MIN_NOISE

    def predict_mean(self, points: Points) -> Array:
        """Return (n,) means alone, in points of the scale: at no more cost than covariances."""
        cross, _ = self.at.covariance(_ask(points), _ask(self.known))
        scale = self.standard.deviation
        return np.asarray(self.standard.mean + scale * (cross @ self.posterior.weights))

    def predict(self, points: Points) -> tuple[Array, Array]:
        """Return (n,) means and standard deviations of the function, in points of the scale."""
        judged = _ask(points)
        cross, _ = self.at.covariance(judged, _ask(self.known))
        mean, variance = self.posterior.predict(cross, self.at.variances(judged))
        scale = self.standard.deviation
        return self.standard.mean + scale * mean, scale * np.sqrt(variance)

    def covariance(self, a: Points, b: Points) -> Array:
        """Return the (n, m) covariances that are left, on standardised labels."""
        judged, other, known = _ask(a), _ask(b), _ask(self.known)
        before, _ = self.at.covariance(judged, other)
        one, _ = self.at.covariance(judged, known)
        two = one if a is b else self.at.covariance(other, known)[0]
        return np.asarray(before - (one @ self.posterior.reduction) @ two.T)

    def correlate(self, a: Points, b: Points) -> Array:
        return correlate(a, b, self.at.log_scales)


def begin(points: Points) -> Array:
    """Return parameters before any label: the centres of their priors."""
    layout, rng = _lay_out(points), np.random.default_rng(0)  # nothing is drawn with one function
    return start_parameters(layout, points.numbers.shape[1], rng)


def relearn(
    points: Points, target: Array, start: Array, most: int, rng: np.random.Generator
) -> Array:
    """Search for the likeliest parameters, given (n,) labels."""
    if len(target) < MIN_LABELS or np.ptp(target) == 0:
        return start
    rows = np.arange(len(target))
    if len(rows) > most:
        rows = np.sort(rng.permutation(rows)[:most])
    y = _standardise(target).standardise(target)
    problem = Problem(_lay_out(points), _ask(points.take(rows)), y[rows])
    try:
        return problem.climb(start)[0]
    except NotConverged:  # a warm start may lie where the surface is flat
        return problem.climb(begin(points))[0]


def condition(points: Points, target: Array, vector: Array) -> OutputProcess:
    """Return what is believed, given parameters and (n,) labels."""
    at, judged = read_parameters(_lay_out(points), vector), _ask(points)
    standard = _standardise(target)
    covariance, _ = at.covariance(judged, judged)
    noise = np.full(len(target), float(at.noise[0]) + MIN_NOISE)
    evidence = weigh_exactly(covariance, noise, standard.standardise(target))
    return OutputProcess(points, standard, vector, at, evidence.posterior)


def _standardise(target: Array) -> Standard:
    """Return the constants of labels; labels that are all alike have no deviation to divide by."""
    deviation = float(target.std())
    return Standard(float(target.mean()), deviation if np.ptp(target) > 0 else 1.0)


def _lay_out(points: Points) -> Layout:
    scales = points.numbers.shape[1] + points.labels.shape[1]
    return Layout("full", 1, 1, scales, means=False, noises=False)


def _ask(points: Points) -> JudgedPoints:
    return JudgedPoints(np.zeros(len(points), np.int64), points)
