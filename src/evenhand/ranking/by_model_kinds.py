"""Which kinds of intervals a model has, known before anything is fitted.

posterior   models fitted by draws
sandwich    models whose fits know covariances by cluster
model       models with a covariance of their own
bootstrap   models that know no errors
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, runtime_checkable

from evenhand.errors import UnknownOption
from evenhand.preference.models import Fitted, Posterior
from evenhand.ranking.settings import ModelSettings

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "plackett-luce": ("sandwich", "model"),
    "pattern": ("sandwich", "model"),
    "random-judges": ("model",),
    "judge-slopes": ("model",),
    "irt-gaussian": ("posterior",),
    "irt-categorical": ("posterior",),
    "melo": ("bootstrap",),
    "independent-pairs": ("bootstrap",),
    "asymmetric-students": ("bootstrap",),
    "arithmetic-students": ("bootstrap",),
    "geometric-students": ("bootstrap",),
}
"""Model of the registry → its kinds of intervals, the usual one first."""


@runtime_checkable
class Clustered(Protocol):
    """A fit that knows covariances by cluster."""

    def cluster_vcov(self, data: Any, by: str) -> Any:
        """Return covariances by a column, with `kind` and `worth_vcov`."""


def list_kinds(fit: Fitted) -> tuple[str, ...]:
    """Return the kinds of intervals that a fit has, the usual one first."""
    if isinstance(fit, Posterior):
        return ("posterior",)
    if fit.worth_vcov is None:
        return ("bootstrap",)
    return ("sandwich", "model") if isinstance(fit, Clustered) else ("model",)


def refuse_kinds(settings: ModelSettings) -> None:
    """Refuse what a model of the registry does not have, before a fit that may take long.

    Raises:
        UnknownOption: a kind or a clustering that the model does not have.

    """
    if settings.name in KINDS:
        choose_kind(KINDS[settings.name], settings)


def choose_kind(kinds: tuple[str, ...], settings: ModelSettings) -> str:
    """Return the kind of intervals: what was asked for, or the usual one.

    Args:
        kinds: those that the model has, the usual one first.
        settings: what was asked.

    Raises:
        UnknownOption: a kind or a clustering that the model does not have.

    """
    kind = settings.interval or kinds[0]
    if kind not in kinds:
        has = " or ".join(f"'{one}'" for one in kinds)
        raise UnknownOption(
            f"interval '{kind}' does not apply to {settings.name}, whose intervals are {has}: leave"
            " it out"
        )
    if settings.cluster is not None and kind in ("posterior", "model"):
        raise UnknownOption(
            f"cluster does not apply to {settings.name}, whose {kind} intervals know no clusters:"
            " leave it out, or choose bradley-terry"
        )
    return kind
