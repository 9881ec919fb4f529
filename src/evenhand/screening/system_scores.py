"""Scores of systems by all judges and without some: what a rescoring holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Correlation:
    """How two columns of system scores go together.

    Attributes:
        pearson: of the scores; None where they have none.
        spearman: of their ranks, or None.
        systems: number of systems that both columns score.
        why: why there is none.

    """

    pearson: float | None
    spearman: float | None
    systems: int
    why: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True)
class SystemScore:
    """Mean scores of one system.

    Attributes:
        system: the name.
        input: its input type; None where there is no such column, or it has several.
        reference: whether it is a human reference, the ceiling.
        full: mean of all its scores.
        kept: mean of the scores by judges who are kept; None if there are none.
        removed: mean of the scores by judges who are removed, or None.
        n: number of all its scores.
        n_removed: number of those removed.

    """

    system: str
    input: str | None
    reference: bool
    full: float
    kept: float | None
    removed: float | None
    n: int
    n_removed: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Rescoring:
    """What becomes of systems when some judges' scores under one criterion are removed.

    Attributes:
        method: what chose the judges: a method, or several joined by " or " / " and ".
        criterion: the criterion.
        judges: the judges removed, sorted.
        n: scores in all.
        n_removed: scores removed.
        kept_mean: mean of the scores that are kept; None if there are none.
        removed_mean: mean of the removed scores, or None.
        systems: scores of systems, the best by all judges first.
        kept: scores by all judges with scores by the kept ones.
        removed: scores by all judges with scores by the removed ones alone.
        without_references: as `kept`, human references aside; None where none are named.
        by_input: as `kept`, within each input type.

    """

    method: str
    criterion: str
    judges: tuple[str, ...]
    n: int
    n_removed: int
    kept_mean: float | None
    removed_mean: float | None
    systems: tuple[SystemScore, ...]
    kept: Correlation
    removed: Correlation
    without_references: Correlation | None = None
    by_input: Mapping[str, Correlation] = field(default_factory=dict)

    @property
    def share_lost(self) -> float:
        """Share of the scores that are removed (proportion)."""
        return self.n_removed / self.n

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        beside = self.without_references
        return {
            **vars(self),
            "judges": list(self.judges),
            "share_lost": self.share_lost,
            "systems": [one.to_dict() for one in self.systems],
            "kept": self.kept.to_dict(),
            "removed": self.removed.to_dict(),
            "without_references": None if beside is None else beside.to_dict(),
            "by_input": {name: one.to_dict() for name, one in self.by_input.items()},
        }


@dataclass(frozen=True)
class SystemFacts:
    """What is known of systems beside their scores.

    Attributes:
        references: systems that are human references.
        inputs: system → its input type.

    """

    references: frozenset[str] = frozenset()
    inputs: Mapping[str, str] = field(default_factory=dict)
