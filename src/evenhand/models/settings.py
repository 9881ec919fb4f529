"""What can be chosen of a log-linear Bradley-Terry model; `bradley_terry.py` has the equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

import numpy as np

from evenhand.errors import UnknownOption, listing, require_option
from evenhand.numerics import Array

Ties = Literal["davidson", "rao-kupper", "glenn-david", "half-win", "discard", "none"]
TIES: Final[tuple[str, ...]] = get_args(Ties)
# Treatments of ties that controls are fitted beside
BESIDE_CONTROLS: Final = ("davidson", "half-win", "discard", "none")


def require_prior(prior: float) -> None:
    if not (np.isfinite(prior) and prior >= 0):
        raise UnknownOption(
            f"prior cannot be {prior}: it is a number of pseudo-comparisons per system, such as 1,"
            " or 0 for none"
        )


@dataclass(frozen=True)
class LogLinearSettings:
    """Settings of `BradleyTerry`, which says what they mean; what fits it takes them from here."""

    ties: Ties = "davidson"
    order_effect: bool = False
    judge_covariates: tuple[str, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)
    system_covariates: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    reference: str | None = None
    prior: float = 0.0
    tie_covariates: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_option("ties", self.ties, TIES)
        for role in ("judge_covariates", "tie_covariates", "controls"):
            named = getattr(self, role)
            covariates = (named,) if isinstance(named, str) else tuple(named)
            object.__setattr__(self, role, covariates)
            if len(set(covariates)) < len(covariates):
                what = f"{role.replace('_', ' ')} {listing(covariates)}"
                raise UnknownOption(f"{what}: one is named twice")
        if self.tie_covariates and self.ties != "davidson":
            raise UnknownOption(
                "tie covariates give each group a γ of its own, which ties davidson has and"
                f" {self.ties} has not: choose davidson, or leave them out"
            )
        unknown = [name for name in self.references if name not in self.covariates]
        if unknown:
            raise UnknownOption(f"references names '{unknown[0]}', which is no judge covariate")
        require_prior(self.prior)
        if not self.controls:
            return
        if self.ties not in BESIDE_CONTROLS:
            raise UnknownOption(
                f"controls are fitted with ties {' | '.join(BESIDE_CONTROLS)}, not with {self.ties}"
            )
        if self.covariates:
            raise UnknownOption(
                "controls and covariates of judges cannot be fitted at once: leave out"
                f" {listing(self.covariates)}, or fit each group apart (--group-by"
                f" {self.covariates[0]})"
            )
        if self.system_covariates:
            raise UnknownOption(
                "controls are fitted beside free worths of systems: leave out system covariates"
                f" {listing(list(self.system_covariates))}"
            )

    @property
    def covariates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.judge_covariates, *self.tie_covariates]))

    def treat_ties(self, counts: Array) -> Array:
        """Return (C, 3) counts as the tie rule takes them: dropped, split in halves, or as is."""
        if self.ties == "discard":
            return np.asarray(counts * np.array([1.0, 0.0, 1.0]))
        if self.ties == "half-win":
            half = counts[:, 1:2] / 2
            return np.concatenate([counts[:, :1] + half, 0 * half, counts[:, 2:] + half], axis=1)
        return counts

    def fit(self, data: Any, *, start: Any = None) -> Any:
        raise NotImplementedError


# How settings are said, the same wherever they stand.

TIE_TITLES: Final = {
    "davidson": "Davidson ties",
    "rao-kupper": "Rao-Kupper ties",
    "glenn-david": "Glenn-David ties",
    "half-win": "ties are half a win for each",
    "discard": "ties discarded",
    "none": "γ = 0, tie cells kept",
}


def say_model(model: LogLinearSettings) -> str:
    parts = ["Bradley-Terry", TIE_TITLES[model.ties]]
    if model.order_effect:
        parts.append("order effect")
    parts += [f"worths by {covariate}" for covariate in model.judge_covariates]
    parts += [f"ties by {covariate}" for covariate in model.tie_covariates]
    if model.system_covariates:
        parts.append(f"worths are a sum over {listing(list(model.system_covariates))}")
    parts += [f"{control} held equal" for control in model.controls]
    if model.prior:
        parts.append(f"prior {model.prior:g}")
    return ", ".join(parts)
