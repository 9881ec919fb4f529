"""Fleiss' κ: agreement beyond what judges would reach who scored at random.

    κ = (P̄_o − P̄_e) / (1 − P̄_e)
    P̄_o = 1/N Σ_i 1/(n (n − 1)) Σ_j n_ij (n_ij − 1)     n_ij of n judges gave unit i score j
    P̄_e = Σ_j (1/(N n) Σ_i n_ij)²

Sources: Fleiss (1971), Psychological Bulletin 76:378-382; printed so by Hamon, Mostefa and Arranz
(2007), section 3.2. The formula is for n judges on every unit. Where their number differs, each
unit's own n_i stands in P̄_o, and all scores in place of N n: a generalisation, and labelled so.
Units of one judge are left out.

What it ignores: how far apart two scores are; a five against a four is as bad as against a one.
When not to use it: on scales with an order (α or AC2 see it), and where nearly all scores are
alike: P̄_e is then near 1 and κ low, however well judges agree (Feinstein & Cicchetti 1990).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.coincidences import Coincidences
from evenhand.agreement.n_agreement import n_agreement
from evenhand.agreement.sums import Ratio, Sums, check_categories
from evenhand.errors import NotIdentified

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FleissParts:
    """The three numbers of a printed table.

    Attributes:
        observed: P̄_o, mean share of pairs of judges that agree (proportion).
        chance: P̄_e, what chance would give (proportion).
        kappa: κ; None where all scores are alike.

    """

    observed: float
    chance: float
    kappa: float | None


def fleiss_kappa(sums: Sums) -> Ratio:
    """Return κ, one per resample; it does not exist where all scores are alike.

    Raises:
        NotIdentified: too many different scores to be categories.

    """
    observed, chance = _parts(sums)
    return Ratio(observed - chance, np.where(sums.varied, 1 - chance, 0.0))


def fleiss_parts(
    coincidences: Coincidences, *, judges: tuple[int, int] | None = None
) -> FleissParts:
    """Return P̄_o, P̄_e and κ as a paper prints them.

    Args:
        coincidences: pairs of scores of all units.
        judges: fewest and most judges of a unit; None for the generalisation to unequal numbers.

    Raises:
        NotIdentified: no unit has two judges, or their number differs and the printed formula was
            asked for.

    """
    if not coincidences.units:
        raise NotIdentified("no output was scored by two judges: nothing agrees or disagrees")
    if judges is not None and judges[0] != judges[1]:
        raise NotIdentified(
            f"Fleiss' formula is for the same number of judges on every output; here {judges[0]} to"
            f" {judges[1]} judges scored one",
            ["use α or AC1, or the generalisation to unequal numbers"],
        )
    sums = Sums(coincidences)
    observed, chance = (float(part[0]) for part in _parts(sums))
    return FleissParts(observed, chance, fleiss_kappa(sums).value)


def _parts(sums: Sums) -> tuple[Array, Array]:
    """(B,) P̄_o and P̄_e; 0 of resamples without a unit of two judges, which do not vary."""
    check_categories(sums.points)
    agree = n_agreement(sums, 0)
    shares = sums.mass / np.where(sums.scores > 0, sums.scores, 1.0)[:, None]
    observed = agree.over / np.where(agree.exists, agree.under, 1.0)
    return observed, np.asarray((shares**2).sum(axis=1))
