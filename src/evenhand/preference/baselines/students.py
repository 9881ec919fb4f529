"""Independent students: each system by its own counts, whomever it met, then put together again.

    Q(π | s) = (α + Σ_s2 n_π(s, s2) + n_π̂(s2, s)) / (3α + n(s))

are the chances of system s against its opponents as they came. Of two systems they make

    asymmetric    Q(π | s1, s2) = Q(π | s1)
    arithmetic    Q(π | s1, s2) = (Q(π | s1) + Q(π̂ | s2)) / 2
    geometric     Q(π | s1, s2) ∝ √(Q(π | s1) · Q(π̂ | s2))

Source: Hopkins & May (2013), section 6.2, with α = 1, who render Bojar et al.'s (2011) rule as a
model by them. As printed the geometric one has = for ∝ and does not sum to one: here it is divided
by its sum, and `printed` gives the numbers as they stand in the paper, which are no chances.

When not to use them: where systems met opponents of different strength, as in campaigns that pair
at will; a system is then praised for its opponents. The asymmetric one does not mirror: what it
says of (a, b) and of (b, a) need not agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, require_option
from evenhand.judgments.forms import Judgments
from evenhand.preference.baselines.dirichlet import require_strength, shares
from evenhand.preference.baselines.fit import BaselineFit, name_shares
from evenhand.preference.coefficients import Coefficient
from evenhand.preference.pair_counts import Codes, code_sides, pair_up

Array = NDArray[np.float64]
Reconstruction = Literal["asymmetric", "arithmetic", "geometric"]
RECONSTRUCTIONS: Final[tuple[str, ...]] = get_args(Reconstruction)
_ONE_SIDED: Final = (
    "only the system named first is asked: what is said of (a, b) and of (b, a) need not agree"
)


@dataclass(frozen=True)
class IndependentStudents:
    """Each system by its own counts.

    Attributes:
        reconstruction: how two systems' chances become those of their pair: asymmetric, arithmetic
            or geometric.
        strength: pseudo-counts α of each outcome of each system, above zero.

    >>> from evenhand.judgments import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = IndependentStudents("arithmetic").fit(Tally(("new", "old"), one, two, *counts))
    >>> fit.predict([("new", "old")]).round(3).tolist()
    [[0.504, 0.203, 0.293]]
    """

    reconstruction: Reconstruction = "geometric"
    strength: float = 1.0

    def __post_init__(self) -> None:
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
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
        said = ("each system is taken as if it had met the others equally often",)
        notes = counts.note_unseen("all outcomes are equally likely for it")
        if self.reconstruction == "asymmetric":
            notes = (*notes, _ONE_SIDED)
        return BaselineFit(self, law, counts, said, notes)


@dataclass(frozen=True, eq=False)
class Students:
    """Chances of two systems from those of each.

    Attributes:
        reconstruction: how they are put together.
        ability: (K, 3) chances of each system to be preferred, to tie, to lose.

    """

    reconstruction: Reconstruction
    ability: Array

    def chances(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) chances."""
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
        """Return o and g of each system."""
        return tuple(
            coefficient
            for i, (system, chances) in enumerate(zip(systems, self.ability, strict=True))
            for coefficient in name_shares(str(i + 1), system, chances)
        )

    def extras(self, systems: Sequence[str]) -> Mapping[str, Any]:
        """Return each system's chances."""
        names = ("system", "preferred", "tied", "lost")
        rows = ((name, *own) for name, own in zip(systems, self.ability.tolist(), strict=True))
        return {"abilities": [dict(zip(names, row, strict=True)) for row in rows]}


def printed(fit: BaselineFit, pairs: Sequence[tuple[str, str]]) -> Array:
    """Return (n, 3) numbers of the geometric reconstruction as the paper prints it: no chances.

    They sum to less than one unless the two systems' chances mirror each other, so that a
    perplexity of them compares with none of a distribution.

    Args:
        fit: a fit of geometric independent students.
        pairs: the system named first, and the other.

    Raises:
        InvalidJudgments: a system that the fit does not know, or a system with itself.
        UnknownOption: a fit of another model.

    """
    if not isinstance(fit.law, Students) or fit.law.reconstruction != "geometric":
        raise UnknownOption("only geometric independent students are printed without their sum")
    return fit.law.means(*code_sides(fit.systems, pairs))
