"""Single numbers of a fit: a coefficient, a contrast of two systems, a likelihood-ratio test."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from evenhand.numerics.distributions import two_sided_p


@dataclass(frozen=True)
class Coefficient:
    """One parameter on the λ scale.

    Attributes:
        name: as in the papers: o1..oK, g1, order.
        label: in the user's words: the system, tie, order.
        estimate: the estimate; 0 for the reference.
        stderr: model-based standard error; None for the reference.
        z: estimate / stderr.
        p: two-sided normal p-value.

    """

    name: str
    label: str
    estimate: float
    stderr: float | None
    z: float | None
    p: float | None

    @classmethod
    def make(cls, name: str, label: str, estimate: float, stderr: float | None) -> Coefficient:
        """Return a coefficient with its Wald test."""
        if stderr is None:
            return cls(name, label, estimate, None, None, None)
        z = estimate / stderr
        return cls(name, label, estimate, stderr, z, two_sided_p(z))


@dataclass(frozen=True)
class Contrast:
    """The difference of two systems in log-worth (natural log-odds).

    Attributes:
        systems: first minus second.
        estimate: the difference.
        stderr: its standard error.
        z: estimate / stderr.
        p: two-sided normal p-value.

    """

    systems: tuple[str, str]
    estimate: float
    stderr: float
    z: float
    p: float

    @classmethod
    def make(cls, systems: tuple[str, str], estimate: float, stderr: float) -> Contrast:
        """Return a contrast with its Wald test."""
        z = estimate / stderr
        return cls((systems[0], systems[1]), estimate, stderr, z, two_sided_p(z))


@dataclass(frozen=True)
class LRTest:
    """A likelihood-ratio test of two nested models; it assumes independent judgments.

    Attributes:
        statistic: twice the difference in log-likelihood.
        df: difference in the number of parameters.
        p: χ² p-value.
        note: what the test assumes.

    """

    statistic: float
    df: int
    p: float
    note: str = "assumes independent judgments"

    def __str__(self) -> str:
        return f"LR {self.statistic:.4f} on {self.df} df, p {format_p(self.p)} ({self.note})"


def finite(value: float) -> float | None:
    """Return a number that JSON has, None for an end that there is not.

    >>> finite(0.5), finite(float("inf"))
    (0.5, None)
    """
    return value if isfinite(value) else None


def format_p(p: float) -> str:
    """Write a p-value with four digits, or as a bound.

    >>> format_p(0.0088), format_p(1e-9)
    ('.0088', '<.0001')
    """
    if p < 0.0001:
        return "<.0001"
    return f"{p:.4f}".removeprefix("0") if p < 1 else "1.0000"
