"""Single numbers of a fit: a coefficient, a contrast of two systems, a likelihood-ratio test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.errors import UnknownOption
from evenhand.numerics.distributions import chi2_tail, two_sided_p

if TYPE_CHECKING:
    from evenhand.preference.fit import Fit


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


def compare_nested(one: Fit, other: Fit) -> LRTest:
    """Test the smaller of two models against the larger.

    Raises:
        UnknownOption: the two are not of the same data in the same form.

    """
    small, large = sorted((one, other), key=lambda fit: len(fit.names))
    _refuse_unlike(small, large)
    df = len(large.names) - len(small.names)
    statistic = 2 * (large.loglik - small.loglik)
    return LRTest(statistic, df, chi2_tail(statistic, df))


def _refuse_unlike(small: Fit, large: Fit) -> None:
    """Refuse where the likelihoods are not of the same data, or the models are not nested."""
    if small.tally.fold().pool().digest != large.tally.fold().pool().digest:
        raise UnknownOption("a likelihood-ratio test needs two models of the same judgments")
    forms = {_form(small), _form(large)}
    if len(forms) > 1:
        raise UnknownOption(
            f"no likelihood-ratio test between {' and '.join(sorted(forms))}: they are not models"
            " of the same outcomes, so that their likelihoods cannot be compared"
        )
    if small.model.prior or large.model.prior:
        raise UnknownOption("a likelihood-ratio test needs maximum likelihood: fit without a prior")
    if small.tally.squares is not None:
        raise UnknownOption("importance weights have no likelihood: no likelihood-ratio test")
    if len(small.names) == len(large.names):
        raise UnknownOption(
            "the two models have as many parameters: neither is a special case of the other"
        )
    missing = {name for name in small.names if name not in large.names}
    if missing and not small.model.system_covariates:
        raise UnknownOption(
            f"the models are not nested: {', '.join(sorted(missing))} is in the smaller only"
        )


def _form(fit: Fit) -> str:
    """Return which outcomes the likelihood is of."""
    three = {"davidson": "three outcomes", "none": "three outcomes"}
    if fit.model.ties in three and fit.tally.ties.any():
        return three[fit.model.ties]
    return {"davidson": "two outcomes", "none": "three outcomes"}.get(
        fit.model.ties, f"ties={fit.model.ties}"
    )


def format_p(p: float) -> str:
    """Write a p-value with four digits, or as a bound.

    >>> format_p(0.0088), format_p(1e-9)
    ('.0088', '<.0001')
    """
    if p < 0.0001:  # noqa: PLR2004 - the papers' tables print four digits
        return "<.0001"
    return f"{p:.4f}".removeprefix("0") if p < 1 else "1.0000"
