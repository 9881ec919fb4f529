"""What every fit makes of its numbers: rows of coefficients, worths, contrasts of systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, name_near
from evenhand.preference.coefficients import Coefficient, Contrast

Array = NDArray[np.float64]


def find_system(systems: Sequence[str], system: str) -> int:
    """Return the code of a system.

    Raises:
        InvalidJudgments: there is none of that name.

    >>> find_system(["a", "b"], "b")
    1
    """
    if system not in systems:
        hint = name_near(system, systems)
        raise InvalidJudgments(f"no system '{system}' in this fit.{hint}")
    return list(systems).index(system)


def share_worths(systems: Sequence[str], log_worth: Array) -> dict[str, float]:
    """Return the worth π of each system; they sum to one.

    >>> share_worths(["a", "b"], np.log([3.0, 1.0]))
    {'a': 0.75, 'b': 0.25}
    """
    shifted = np.exp(log_worth - log_worth.max())
    return dict(zip(systems, (shifted / shifted.sum()).tolist(), strict=True))


def list_coefficients(
    names: Sequence[str], labels: Sequence[str], estimate: Array, stderr: Array | None
) -> list[Coefficient]:
    """Return one row for each parameter, with its Wald test where it has an error."""
    errors = [None] * len(names) if stderr is None else stderr.tolist()
    return [
        Coefficient.make(*row) for row in zip(names, labels, estimate.tolist(), errors, strict=True)
    ]


def reference_row(systems: Sequence[str], reference: int) -> Coefficient:
    """Return the row of the reference system, which stands at 0 without error."""
    return Coefficient(f"o{reference + 1}", systems[reference], 0.0, None, None, None)


def code_pairs(systems: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the codes of pairs of different systems.

    Raises:
        InvalidJudgments: a system that the fit does not know, or a system with itself.

    """
    same = [left for left, right in pairs if left == right]
    if same:
        raise InvalidJudgments(f"'{same[0]}' cannot be contrasted with itself")
    return [(find_system(systems, left), find_system(systems, right)) for left, right in pairs]


def contrast_systems(
    systems: Sequence[str], log_worth: Array, vcov: Array, pairs: Sequence[tuple[str, str]]
) -> tuple[Contrast, ...]:
    """Return differences in log-worth between pairs of systems, with their errors.

    Args:
        systems: the K systems.
        log_worth: (K,) estimates.
        vcov: (K, K) their covariance.
        pairs: first minus second.

    Raises:
        InvalidJudgments: a system that the fit does not know, or a system with itself.

    """
    return tuple(
        Contrast.make(
            pair,
            float(log_worth[a] - log_worth[b]),
            float(np.sqrt(vcov[a, a] + vcov[b, b] - 2 * vcov[a, b])),
        )
        for pair, (a, b) in zip(pairs, code_pairs(systems, pairs), strict=True)
    )
