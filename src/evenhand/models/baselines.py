"""Baselines to compare models with: uniform, each pair, or each system, by its own counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Judgments
from evenhand.errors import NotIdentified, UnknownOption, require_option
from evenhand.models.coefficients import Coefficient
from evenhand.models.fitted import ShownFit
from evenhand.models.large import Codes, PairCounts, code_sides, pair_up
from evenhand.models.texts import say

Array = NDArray[np.float64]


def require_strength(strength: float, *, least: str) -> None:
    if not (np.isfinite(strength) and strength >= 0):
        raise UnknownOption(
            f"strength cannot be {strength}: it is a number of pseudo-counts, such as 1"
        )
    if not strength and least != "zero":
        raise UnknownOption(f"strength cannot be 0: {least}; take a number such as 1")


def shares(counts: Array, strength: float) -> Array:
    """Return (n, 3) chances by (n, 3) counts and a symmetric Dirichlet prior."""
    padded = counts + strength
    return np.asarray(padded / padded.sum(axis=1, keepdims=True))


class PairLaw(Protocol):
    def chances(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) chances."""

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:
        """Return every parameter: o is ½ ln(won / lost), g is ln(tied / √(won · lost))."""

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:
        """Return what stands beside the coefficients, for machines."""


@dataclass(frozen=True, eq=False, repr=False)
class BaselineFit(ShownFit):
    model: Baseline  # the settings
    law: PairLaw  # chances of pairs
    counts: PairCounts  # what was counted
    findings: tuple[str, ...] = ()  # lines for people
    notes: tuple[str, ...] = ()  # what a report should say beside the numbers

    @property
    def systems(self) -> tuple[str, ...]:
        return self.counts.systems

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean ln(P(win) / P(loss)) against all systems, itself too; of sum zero."""
        k = len(self.systems)
        odds = np.zeros((k, k))
        left, right = np.nonzero(~np.eye(k, dtype=np.bool_))
        chances = self.law.chances(left, right)
        odds[left, right] = np.log(chances[:, 0]) - np.log(chances[:, 2])
        return np.asarray((odds - odds.T).mean(axis=1) / 2)

    @property
    def worth_vcov(self) -> None:
        return None

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        return self.law.coefficients(self.systems)

    @property
    def scale(self) -> str:
        return "half log-odds"

    @property
    def extras(self) -> Mapping[str, Any]:
        return self.law.extras(self.systems)

    @cached_property
    def loglik(self) -> float:
        """Log-likelihood (nats) of the judgments that the chances were made of, prior excluded."""
        shown = self.counts.shown
        counts = shown.counts
        chances = self.law.chances(shown.left.astype(np.intp), shown.right.astype(np.intp))
        seen = counts > 0
        return float((counts[seen] * np.log(chances[seen])).sum())

    @property
    def n_judgments(self) -> float:
        return self.counts.shown.n_judgments

    @property
    def n_comparisons(self) -> float:
        return self.counts.shown.n_comparisons

    @property
    def says(self) -> tuple[str, ...]:
        return (*self.findings, say("no-errors"))

    @property
    def signature_parts(self) -> tuple[str, ...]:
        return self.model.signature_parts

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        return self.law.chances(*code_sides(self.systems, pairs))


Baseline: TypeAlias = "IndependentPairs | IndependentStudents | Uniform | AdjustedUniform"


def name_shares(suffix: str, label: str, chances: Array) -> tuple[Coefficient, Coefficient]:
    """Return (3,) chances of left, tie, right as two coefficients, without errors."""
    won, tied, lost = np.log(chances).tolist()
    rows = (
        (f"o{suffix}", label, (won - lost) / 2),
        (f"g{suffix}", f"tie of {label}", tied - (won + lost) / 2),
    )
    first, second = (Coefficient(*row, None, None, None) for row in rows)
    return first, second


# Independent pairs: the chances of each pair by its own counts.
#
# Q(π | s1, s2) = (α + n_π(s1, s2) + n_π̂(s2, s1)) / (3α + n(s1, s2) + n(s2, s1))
#
# π̂ is π with left and right exchanged: a pair and its mirror image share counts. Source: Hopkins &
# May (2013), section 6.1, with α = 1.
#
# When not to use it: with few judgments for each of the K(K − 1)/2 pairs. It learns nothing of a
# pair from other pairs, so that it needs many more judgments than models with a worth for each
# system; beyond that it is right about systems that beat each other in a circle, which those are
# not.


@dataclass(frozen=True)
class IndependentPairs:
    """Each pair by its own counts.

    Attributes:
        strength: pseudo-counts α of each outcome of each pair, above zero.

    >>> from evenhand.data import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = IndependentPairs().fit(Tally(("new", "old"), one, two, *counts))
    >>> fit.predict([("old", "new")]).round(3).tolist()
    [[0.293, 0.203, 0.504]]
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        require_strength(
            self.strength, least="pairs that were never compared would have no chances at all"
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return (f"strength {self.strength:g}",)

    def fit(self, data: Judgments) -> BaselineFit:
        """Count the outcomes of each pair.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        k = len(counts.systems)
        findings = (
            say("pairs-compared", "info", compared=len(counts.low), pairs=k * (k - 1) // 2),
        )
        notes = counts.note_unseen("unseen-pairs")
        return BaselineFit(self, OwnCounts(counts, self.strength), counts, findings, notes)


@dataclass(frozen=True, eq=False)
class OwnCounts:
    counts: PairCounts  # the counts
    strength: float  # pseudo-counts of each outcome

    def chances(self, left: Codes, right: Codes) -> Array:
        return shares(self.counts.between(left, right), self.strength)

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:
        chances_by_pair = shares(self.counts.counts, self.strength)
        sides = zip(
            self.counts.low.tolist(), self.counts.high.tolist(), chances_by_pair, strict=True
        )
        return tuple(
            coefficient
            for i, j, chances in sides
            for coefficient in name_shares(
                f"{i + 1}:{j + 1}", f"{systems[i]} : {systems[j]}", chances
            )
        )

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:
        chances = shares(self.counts.counts, self.strength).tolist()
        low, high = self.counts.low.tolist(), self.counts.high.tolist()
        names = ("first", "second", "left", "tie", "right")
        rows = ((systems[i], systems[j], *p) for i, j, p in zip(low, high, chances, strict=True))
        return {"pairs": [dict(zip(names, row, strict=True)) for row in rows]}


# Independent students: each system by its own counts, whomever it met, then put together again.
#
# Q(π | s) = (α + Σ_s2 n_π(s, s2) + n_π̂(s2, s)) / (3α + n(s))
#
# are the chances of system s against its opponents as they came. Of two systems they make
#
# asymmetric    Q(π | s1, s2) = Q(π | s1)
# arithmetic    Q(π | s1, s2) = (Q(π | s1) + Q(π̂ | s2)) / 2
# geometric     Q(π | s1, s2) ∝ √(Q(π | s1) · Q(π̂ | s2))
#
# Source: Hopkins & May (2013), section 6.2, with α = 1, who render Bojar et al.'s (2011) rule as a
# model by them. As printed the geometric one has = for ∝ and does not sum to one: here it is
# divided by its sum, and `printed` gives the numbers as they stand in the paper, which are no
# chances.
#
# When not to use them: where systems met opponents of different strength, as in campaigns that pair
# at will; a system is then praised for its opponents. The asymmetric one does not mirror: what it
# says of (a, b) and of (b, a) need not agree.

Reconstruction = Literal["asymmetric", "arithmetic", "geometric"]
RECONSTRUCTIONS: Final[tuple[str, ...]] = get_args(Reconstruction)


@dataclass(frozen=True)
class IndependentStudents:
    """Each system by its own counts.

    Attributes:
        reconstruction: how two systems' chances become those of their pair: asymmetric, arithmetic
            or geometric.
        strength: pseudo-counts α of each outcome of each system, above zero.

    >>> from evenhand.data import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = IndependentStudents("arithmetic").fit(Tally(("new", "old"), one, two, *counts))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.504, 0.203, 0.293]]
    """

    reconstruction: Reconstruction = "geometric"
    strength: float = 1.0

    def __post_init__(self) -> None:
        require_option("reconstruction", self.reconstruction, RECONSTRUCTIONS)
        require_strength(
            self.strength, least="systems that were never compared would have no chances at all"
        )

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return (self.reconstruction, f"strength {self.strength:g}")

    def fit(self, data: Judgments) -> BaselineFit:
        """Count the outcomes of each system.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        law = Students(self.reconstruction, shares(counts.by_system(), self.strength))
        findings = (say("met-equally", "info"),)
        notes = counts.note_unseen("unseen-systems")
        if self.reconstruction == "asymmetric":
            notes = (*notes, say("one-sided-chances"))
        return BaselineFit(self, law, counts, findings, notes)


@dataclass(frozen=True, eq=False)
class Students:
    reconstruction: Reconstruction  # how they are put together
    ability: Array  # (K, 3) chances of each system to be preferred, to tie, to lose

    def chances(self, left: Codes, right: Codes) -> Array:
        if self.reconstruction == "asymmetric":
            return self.ability[left]
        if self.reconstruction == "arithmetic":
            return np.asarray((self.ability[left] + self.ability[right][:, ::-1]) / 2)
        means = self.means(left, right)
        return np.asarray(means / means.sum(axis=1, keepdims=True))

    def means(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) geometric means, which do not sum to one."""
        return np.sqrt(self.ability[left] * self.ability[right][:, ::-1])

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:
        return tuple(
            coefficient
            for i, (system, chances) in enumerate(zip(systems, self.ability, strict=True))
            for coefficient in name_shares(str(i + 1), system, chances)
        )

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:
        names = ("system", "preferred", "tied", "lost")
        rows = (
            (name, *chances) for name, chances in zip(systems, self.ability.tolist(), strict=True)
        )
        return {"abilities": [dict(zip(names, row, strict=True)) for row in rows]}


def printed(fit: BaselineFit, pairs: Sequence[tuple[str, str]]) -> Array:
    """Return (n, 3) geometric means as the paper prints them, which do not sum to one."""
    if not isinstance(fit.law, Students) or fit.law.reconstruction != "geometric":
        raise UnknownOption("only geometric independent students are printed without their sum")
    return fit.law.means(*code_sides(fit.systems, pairs))


# Chances that are the same for all pairs: uniform, and uniform but for the share of ties.  Uniform:
# Q(π | s1, s2) = 1/3 adjusted uniform:    Q(tie) = (α + n_tie) / (3α + n),   Q(left) = Q(right) =
# (1 − Q(tie)) / 2  Source: Hopkins & May (2013), sections 5.1 and 5.2. Their formula of the second
# has α = 0; they say elsewhere that the Dirichlet strength of each baseline was 1, which is the
# default here. Perplexity of the first is 3 on any judgments.  When not to use them: to rank. They
# know nothing of systems; a model that does not beat the second on judgments that it has not seen
# has learned nothing but how often judges tie.


@dataclass(frozen=True)
class Uniform:
    """Left, tie and right are equally likely, whatever was judged.

    >>> from evenhand.data import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = Uniform().fit(Tally(("new", "old"), one, two, *counts, n_judgments=120))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return ()

    def fit(self, data: Judgments) -> BaselineFit:
        """Note the systems; nothing is estimated.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        return BaselineFit(self, SameForAll(1 / 3, estimated=False), counts)


@dataclass(frozen=True)
class AdjustedUniform:
    """A tie as likely as ties were, left and right equally likely.

    Attributes:
        strength: pseudo-counts α of each outcome; 0 gives the formula as it is printed.

    >>> from evenhand.data import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = AdjustedUniform(strength=0).fit(Tally(("new", "old"), one, two, *counts))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.4, 0.2, 0.4]]
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        require_strength(self.strength, least="zero")

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return (f"strength {self.strength:g}",)

    def fit(self, data: Judgments) -> BaselineFit:
        """Count the ties.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems; or no judgments, or only
                ties, and strength 0.
            UnknownOption: importance weights.

        """
        counts = pair_up(data)
        left, ties, right = counts.totals.tolist()
        total = left + ties + right
        if not (total or self.strength):
            raise NotIdentified("the share of ties is not identified: there is no comparison")
        if not (left + right + self.strength):
            raise NotIdentified(
                f"every comparison is a tie ({ties:,.0f}): left and right would have no chance",
                ["take a strength above 0"],
            )
        share = (ties + self.strength) / (total + 3 * self.strength)
        findings = (say("same-for-all", tie=share, side=(1 - share) / 2),)
        return BaselineFit(self, SameForAll(share, estimated=True), counts, findings)


@dataclass(frozen=True)
class SameForAll:
    tie: float  # chance of a tie; left and right share the rest
    estimated: bool  # whether it was found in judgments

    def chances(self, left: Codes, right: Codes) -> Array:  # noqa: ARG002 - as every law
        side = (1 - self.tie) / 2
        return np.tile([side, self.tie, side], (len(left), 1))

    def coefficients(self, systems: Sequence[str]) -> tuple[Coefficient, ...]:  # noqa: ARG002
        if not (self.estimated and 0 < self.tie < 1):
            return ()
        gamma = float(np.log(2 * self.tie / (1 - self.tie)))
        return (Coefficient("g1", "tie", gamma, None, None, None),)

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:  # noqa: ARG002 - as every law
        return {"tie": self.tie}
