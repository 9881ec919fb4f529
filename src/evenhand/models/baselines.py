"""Baselines to compare models with: uniform, each pair, or each system, by its own counts.

    Q(π | s1, s2) = (α + n_π) / (3α + n)        n: of the judgments that count for s1 and s2

Source: Hopkins & May (2013), sections 5 and 6. Which judgments count, where this differs from the
paper, and when not to use them: docs/models/baselines.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, get_args

import numpy as np

from evenhand.data.controls import Judgments, count_pairs, takes_judgments
from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified, UnknownOption, require_option
from evenhand.models.base import Codes, Coefficient, FittedModel
from evenhand.models.design import require_counts
from evenhand.models.existence import require_two
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.render.document import Finding


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


class Baseline:
    """Settings of a model whose chances follow from counts."""

    @takes_judgments("data")
    def fit(self, data: Judgments) -> BaselineFit:
        """Count the outcomes.

        Raises:
            InvalidJudgments: a bad cell, or something that holds no judgments on pairs.
            NotIdentified: there are fewer than two systems; under `AdjustedUniform` of strength 0
                also no judgments, or only ties.
            UnknownOption: importance weights.
        """
        tally = count_pairs(data)
        require_two(tally.systems)
        require_counts(tally)
        return self._count(tally.pool())

    def _count(self, shown: Tally) -> BaselineFit:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BaselineFit(FittedModel):
    """A fit whose chances follow from counts; so does what else it has."""

    model: Baseline  # the settings
    systems: tuple[str, ...] = field(init=False)
    loglik: float = field(init=False)  # of the judgments that the chances were made of
    n_judgments: float = field(init=False)
    n_comparisons: float = field(init=False)
    notes: tuple[str, ...] = field(init=False)
    shown: Tally  # what was counted, as it was shown

    scale = "half log-odds"
    worth_vcov = None

    def __post_init__(self) -> None:
        shown, counts = self.shown, self.shown.counts
        for name in ("systems", "n_judgments", "n_comparisons"):
            object.__setattr__(self, name, getattr(shown, name))
        chances = self.chances(shown.left.astype(np.intp), shown.right.astype(np.intp))
        loglik = float((counts[counts > 0] * np.log(chances[counts > 0])).sum())
        object.__setattr__(self, "loglik", loglik)
        object.__setattr__(self, "notes", self._note())

    @abstractmethod
    def chances(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) chances of pairs."""

    @abstractmethod
    def _say(self) -> tuple[Finding, ...]:
        """Say what was counted."""

    def _note(self) -> tuple[Finding, ...]:
        return ()

    @cached_property
    def folded(self) -> Tally:
        return self.shown.fold() if len(self.shown.left) else self.shown

    def _note_unseen(self, code: str) -> tuple[Finding, ...]:
        pairs, systems = self.folded, self.shown.systems
        seen = np.unique(np.concatenate([pairs.left, pairs.right]))
        unseen = [systems[i] for i in np.setdiff1d(np.arange(len(systems)), seen).tolist()]
        return (say(code, systems=unseen),) if unseen else ()

    @cached_property
    def log_worth(self) -> Array:
        """(K,) mean ln(P(win) / P(loss)) against all systems, itself too; of sum zero."""
        k = len(self.systems)
        odds = np.zeros((k, k))
        left, right = np.nonzero(~np.eye(k, dtype=np.bool_))
        chances = self.chances(left, right)
        odds[left, right] = np.log(chances[:, 0]) - np.log(chances[:, 2])
        return np.asarray((odds - odds.T).mean(axis=1) / 2)

    @property
    def says(self) -> tuple[Finding, ...]:
        return (*self._say(), say("no-errors"))

    @property
    def signature_parts(self) -> tuple[str, ...]:
        strength = getattr(self.model, "strength", None)
        return () if strength is None else (f"strength {strength:g}",)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        return self.chances(*self.codes(pairs, apart=True).T)


def name_shares(suffix: str, label: str, chances: Array) -> tuple[Coefficient, Coefficient]:
    """Return (3,) chances of left, tie, right as two coefficients, without errors."""
    won, tied, lost = np.log(chances).tolist()
    tie = tied - (won + lost) / 2
    return (
        Coefficient(f"o{suffix}", label, (won - lost) / 2, None, None, None),
        Coefficient(f"g{suffix}", f"tie of {label}", tie, None, None, None),
    )


@dataclass(frozen=True)
class IndependentPairs(Baseline):
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
        none = "pairs that were never compared would have no chances at all"
        require_strength(self.strength, least=none)

    def _count(self, shown: Tally) -> BaselineFit:
        return PairsFit(model=self, shown=shown)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PairsFit(BaselineFit):
    model: IndependentPairs

    def chances(self, left: Codes, right: Codes) -> Array:
        k, pairs = len(self.shown.systems), self.folded
        key = np.minimum(left, right) * k + np.maximum(left, right)
        known = np.append(pairs.left.astype(np.intp) * k + pairs.right, k * k)
        at = np.searchsorted(known, key)
        counts = np.append(pairs.counts, np.zeros((1, 3)), axis=0)
        rows = np.where((known[at] == key)[:, None], counts[at], 0.0)  # 0 where none was compared
        asked = np.where((left > right)[:, None], rows[:, ::-1], rows)
        return shares(asked, self.model.strength)

    def _say(self) -> tuple[Finding, ...]:
        k = len(self.systems)
        pairs, compared = k * (k - 1) // 2, len(self.folded.left)
        return (say("pairs-compared", "info", compared=compared, pairs=pairs),)

    def _note(self) -> tuple[Finding, ...]:
        return self._note_unseen("unseen-pairs")

    def _compared(self) -> list[tuple[int, int, Array]]:
        pairs = self.folded
        chances = shares(pairs.counts, self.model.strength)
        return list(zip(pairs.left.tolist(), pairs.right.tolist(), chances, strict=True))

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        coefficients: list[Coefficient] = []
        for i, j, chances in self._compared():
            label = f"{self.systems[i]} : {self.systems[j]}"
            coefficients += name_shares(f"{i + 1}:{j + 1}", label, chances)
        return tuple(coefficients)

    @property
    def extras(self) -> Mapping[str, Any]:
        names, systems = ("first", "second", "left", "tie", "right"), self.systems
        rows = ((systems[i], systems[j], *p.tolist()) for i, j, p in self._compared())
        return {"pairs": [dict(zip(names, row, strict=True)) for row in rows]}


Reconstruction = Literal["asymmetric", "arithmetic", "geometric"]
RECONSTRUCTIONS: Final[tuple[str, ...]] = get_args(Reconstruction)


@dataclass(frozen=True)
class IndependentStudents(Baseline):
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
        none = "systems that were never compared would have no chances at all"
        require_strength(self.strength, least=none)

    def _count(self, shown: Tally) -> BaselineFit:
        return StudentsFit(model=self, shown=shown)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StudentsFit(BaselineFit):
    model: IndependentStudents

    @cached_property
    def ability(self) -> Array:
        """(K, 3) chances of each system to be preferred, to tie, to lose."""
        sums, pairs = np.zeros((len(self.shown.systems), 3)), self.folded
        np.add.at(sums, pairs.left, pairs.counts)
        np.add.at(sums, pairs.right, pairs.counts[:, ::-1])
        return shares(sums, self.model.strength)

    def chances(self, left: Codes, right: Codes) -> Array:
        if self.model.reconstruction == "asymmetric":
            return self.ability[left]
        if self.model.reconstruction == "arithmetic":
            return np.asarray((self.ability[left] + self.ability[right][:, ::-1]) / 2)
        means = self.means(left, right)
        return np.asarray(means / means.sum(axis=1, keepdims=True))

    def means(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) geometric means as the paper prints them, which do not sum to one."""
        return np.sqrt(self.ability[left] * self.ability[right][:, ::-1])

    def _say(self) -> tuple[Finding, ...]:
        return (say("met-equally", "info"),)

    def _note(self) -> tuple[Finding, ...]:
        notes = self._note_unseen("unseen-systems")
        one_sided = self.model.reconstruction == "asymmetric"
        return (*notes, say("one-sided-chances")) if one_sided else notes

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        coefficients: list[Coefficient] = []
        for place, system in enumerate(self.systems, start=1):
            coefficients += name_shares(str(place), system, self.ability[place - 1])
        return tuple(coefficients)

    @property
    def extras(self) -> Mapping[str, Any]:
        names = ("system", "preferred", "tied", "lost")
        rows = zip(self.systems, self.ability.tolist(), strict=True)
        return {"abilities": [dict(zip(names, (name, *row), strict=True)) for name, row in rows]}

    @property
    def signature_parts(self) -> tuple[str, ...]:
        return (self.model.reconstruction, *super().signature_parts)


@dataclass(frozen=True)
class Uniform(Baseline):
    """Left, tie and right are equally likely, whatever was judged.

    >>> from evenhand.data import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = Uniform().fit(Tally(("new", "old"), one, two, *counts, n_judgments=120))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.333, 0.333, 0.333]]
    """

    estimated: ClassVar[bool] = False  # whether the chance of a tie is estimated

    def _count(self, shown: Tally) -> BaselineFit:
        return UniformFit(model=self, shown=shown, tie=1 / 3)


@dataclass(frozen=True)
class AdjustedUniform(Baseline):
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
    estimated: ClassVar[bool] = True  # see Uniform

    def __post_init__(self) -> None:
        require_strength(self.strength, least="zero")

    def _count(self, shown: Tally) -> BaselineFit:
        left, ties, right = shown.counts.sum(axis=0).tolist()
        total = left + ties + right
        if not (total or self.strength):
            raise NotIdentified("the share of ties is not identified: there is no comparison")
        if not (left + right + self.strength):
            raise NotIdentified(
                f"every comparison is a tie ({ties:,.0f}): left and right would have no chance",
                ["take a strength above 0"],
            )
        share = (ties + self.strength) / (total + 3 * self.strength)
        return UniformFit(model=self, shown=shown, tie=share)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class UniformFit(BaselineFit):
    model: Uniform | AdjustedUniform
    tie: float  # chance of a tie; left and right share the rest

    def chances(self, left: Codes, right: Codes) -> Array:  # noqa: ARG002 - as every baseline
        side = (1 - self.tie) / 2
        return np.tile([side, self.tie, side], (len(left), 1))

    def _say(self) -> tuple[Finding, ...]:
        if not self.model.estimated:
            return ()
        return (say("same-for-all", tie=self.tie, side=(1 - self.tie) / 2),)

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        if not (self.model.estimated and 0 < self.tie < 1):
            return ()
        gamma = float(np.log(2 * self.tie / (1 - self.tie)))
        return (Coefficient("g1", "tie", gamma, None, None, None),)

    @property
    def extras(self) -> Mapping[str, Any]:
        return {"tie": self.tie}
