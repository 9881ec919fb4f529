"""mElo: Bradley and Terry's model with a part in which systems may beat each other in circles.

For systems i and j with worths r and points c_i in k planes:

    P(i preferred) : P(tie) : P(j preferred) = e^{x/2} : e^γ : e^{−x/2},
    x = r_i − r_j + c_iᵀ Ω c_j,    Ω = [[0, 1], [−1, 0]] in each plane

c_iᵀ Ω c_j is the area that i and j span: a rank-2k skew matrix. Points have a Gaussian prior (a
penalty of s/2 Σ‖c‖²), worths a weak one (a ghost). What the points say of a system against all
others is taken into its worth, so that r is its mean log-odds and the rest is circles alone.

Source: Balduzzi, Tuyls, Pérolat & Graepel (2018), Re-evaluating evaluation, NeurIPS 31, whose
mElo_2k is updated game by game; here it is fitted at once. Ties as Davidson's (1970).

The penalty is for prediction: noise alone leaves circles under it, in most campaigns of many
systems. A circle is named only where the residuals without circles have a larger norm than in all
but 5 % of campaigns simulated without circles.

When not to use it: to rank, where there are circles: no order then says who beats whom. With few
judgments on a pair it has little to find circles in. Judges of different taste are no circles, but
they weaken those that there are. One ranking cannot contain a circle, so that rankings have less
noise of this kind than is simulated: circles in them are named too seldom, not too often.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption, require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.forms import Judgments
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.cyclic.circles import take_out_gradient
from evenhand.preference.cyclic.fit import MEloFit
from evenhand.preference.cyclic.likelihood import CyclicLikelihood, cyclic_part
from evenhand.preference.cyclic.noise import Noise
from evenhand.preference.cyclic.search import Summit, climb_all, climb_flat, principal_planes
from evenhand.preference.cyclic.strength import SHARE, Strength, choose_held_out, noise_limit
from evenhand.preference.pair_counts import PairCounts, pair_up
from evenhand.preference.support import refuse_nothing
from evenhand.preference.ties.laws import Davidson, TwoOutcomes

Array = NDArray[np.float64]
MeloTies = Literal["davidson", "discard"]
TIES: Final[tuple[str, ...]] = get_args(MeloTies)
CHOICES: Final = ("noise", "held-out")
MOST: Final = 500
"""Most systems: every pair has a number of its own."""


@dataclass(frozen=True)
class MElo:
    """Settings of an mElo.

    Attributes:
        ties: davidson (a common γ) or discard (drop tied comparisons).
        k: planes; 2k is the rank of the part that goes in circles.
        strength: the penalty s on points; "noise" for .7 of the largest that noise reaches in
            large campaigns, which noise may exceed; "held-out" to choose by five folds of the
            comparisons.
        prior: pseudo-comparisons of every system with a ghost, half of them won; above 0.
        starts: climbs, the first of them from what residuals show, the others from random points.
        seed: of the random starts, the folds and the simulated campaigns.

    >>> from evenhand.judgments import Tally
    >>> left, right = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    >>> counts = np.full(3, 80.0), np.zeros(3), np.full(3, 20.0)
    >>> rock = Tally(("paper", "rock", "scissors"), left, right, *counts, n_judgments=300)
    >>> fit = MElo(strength=5.0).fit(rock)
    >>> fit.predict([("paper", "rock"), ("scissors", "rock")]).round(2).tolist()
    [[0.77, 0.0, 0.23], [0.23, 0.0, 0.77]]
    """

    ties: MeloTies = "davidson"
    k: int = 1
    strength: float | Literal["noise", "held-out"] = "noise"
    prior: float = 1.0
    starts: int = 4
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        require_option("ties", self.ties, TIES)
        for name, least in (("k", 1), ("starts", 1), ("seed", 0)):
            _require_whole(name, getattr(self, name), least)
        if isinstance(self.strength, str):
            require_option("strength", self.strength, CHOICES)
        else:
            _require_positive("strength", self.strength)
        _require_positive("prior", self.prior)

    def fit(self, data: Judgments) -> MEloFit:
        """Fit by maximum penalised likelihood.

        Raises:
            NotIdentified: no comparisons, fewer than two systems or too many, or no preference.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: importance weights.
            NotConverged: no start ended at a maximum.

        """
        counts = pair_up(data)
        if self.ties == "discard":
            counts = replace(counts, counts=counts.counts * np.array([1.0, 0.0, 1.0]))
        _require_preferences(counts)
        with one_blas_thread():
            return self._fit(counts)

    def _fit(self, counts: PairCounts) -> MEloFit:
        tied = bool(counts.counts[:, 1].any())
        law = Davidson() if tied else TwoOutcomes()
        planes = min(self.k, (len(counts.systems) - 1) // 2)
        rng = np.random.Generator(np.random.PCG64(self.seed))
        likelihood = CyclicLikelihood(counts, law, planes, 1.0, self.prior)
        flat = climb_flat(likelihood)
        strength = self._strengthen(likelihood, flat, rng)
        weak = bool(planes) and strength.value < noise_limit(likelihood, flat) / 2
        likelihood = replace(likelihood, strength=strength.value)
        best = climb_all(likelihood, flat, self.starts, rng) if planes else flat
        systems, gamma = likelihood.split(best.beta)
        worth, coordinates = _settle(systems, planes)
        return MEloFit(
            model=self,
            systems=counts.systems,
            log_worth=worth,
            coordinates=coordinates,
            gamma=gamma if tied else None,
            law=law,
            strength=strength,
            noise=Noise(likelihood, flat, self.seed) if planes else None,
            loglik=likelihood.loglik(best.beta),
            flat_loglik=likelihood.loglik(flat.beta),
            starts=best.starts,
            agreed=best.agreed,
            n_judgments=counts.shown.n_judgments,
            n_comparisons=float(counts.counts.sum()),
            notes=self._note(counts, planes, tied=tied, weak=weak),
        )

    def _strengthen(
        self, likelihood: CyclicLikelihood, flat: Summit, rng: np.random.Generator
    ) -> Strength:
        """Return the penalty as it was asked for."""
        if not isinstance(self.strength, str):
            return Strength(self.strength, 0.0, "as named")
        limit = noise_limit(likelihood, flat)
        if self.strength == "noise" or not likelihood.planes:
            return Strength(SHARE * limit, SHARE, f"{SHARE:g} of the limit of noise")
        share, _ = choose_held_out(likelihood, rng)
        return Strength(share * limit, share, f"{share:g} of the limit of noise, by held-out folds")

    def _note(self, counts: PairCounts, planes: int, *, tied: bool, weak: bool) -> tuple[str, ...]:
        """Return what a report should say beside the estimates."""
        notes = list(counts.note_unseen("its worth is the prior's"))
        if not tied and self.ties != "discard":
            notes.append("no ties observed: γ = −∞, not estimated; fitted without ties")
        if 0 < planes < self.k:
            most = f"{planes} plane{'s' if planes > 1 else ''}"
            notes.append(f"{len(counts.systems)} systems go in circles in at most {most}")
        if weak and not isinstance(self.strength, str):
            notes.append(
                "the penalty is below half the limit of noise: starts may end apart, and more of"
                " them may find a better maximum"
            )
        if counts.shown.n_judgments < counts.shown.n_comparisons * (1 - 1e-9):
            notes.append(
                "one ranking cannot contain a circle: less goes in circles by noise than in"
                " comparisons one by one"
            )
        return tuple(notes)


def _require_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return
    raise UnknownOption(f"{name} cannot be {value!r}: it is a whole number, {least} or more")


def _require_positive(name: str, value: object) -> None:
    if (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and 0 < value < np.inf
    ):
        return
    raise UnknownOption(f"{name} cannot be {value!r}: it is a number above 0")


def _require_preferences(counts: PairCounts) -> None:
    """Refuse judgments of which nothing can be learned, or more systems than can be held."""
    if len(counts.systems) > MOST:
        raise NotIdentified(
            f"{len(counts.systems):,} systems are too many for mElo (at most {MOST})",
            ["leave some out", "fit a model without circles, such as --model bradley-terry"],
        )
    if not counts.counts.any():
        refuse_nothing(counts.shown)
    if not counts.counts[:, [0, 2]].any():
        raise NotIdentified(
            "every judgment is a tie: γ = +∞ and the worths are arbitrary; there is nothing to rank"
        )


def _settle(systems: Array, planes: int) -> tuple[Array, Array]:
    """Return worths and points in one of the many ways that give the same chances, always that."""
    worth, coordinates = take_out_gradient(systems[:, 0], systems[:, 1:])
    if planes:
        coordinates = principal_planes(cyclic_part(coordinates), planes)
    for array in (worth, coordinates):
        array.flags.writeable = False
    return worth, coordinates
