"""Whether a fit has controls, told without importing what fits them: most fits have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from evenhand.preference.fit import Fit

if TYPE_CHECKING:
    from evenhand.preference.controls.fit import ControlledFit


def is_controlled(fit: object) -> TypeGuard[ControlledFit]:
    """Say whether a fit is one with comparison covariates, which keeps its rows."""
    return isinstance(fit, Fit) and bool(fit.model.controls)
