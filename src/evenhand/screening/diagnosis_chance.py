"""How many judges the limits leave outside when only chance tells them apart.

The deviation of one of J independent normal values from their mean, in units of their own standard
deviation s (divisor J − 1), follows Thompson's law (W. R. Thompson, Annals of Mathematical
Statistics 6, 1935, 214-219):

    P(|x − mean| > k s) = P(|T| > t),   t = k √J √(J − 2) / √((J − 1)² − J k²)

with T on J − 2 degrees of freedom, and 0 where k is (J − 1) / √J or more: few judges cannot be far
from a mean to which each of them belongs.
"""

from __future__ import annotations

from math import sqrt

from evenhand.numerics.distributions import t_tail
from evenhand.screening.outliers import Limits


def share_outside(limits: Limits, judges: int) -> float:
    """Return the share of judges with normal values outside centre ± k sd (proportion).

    Args:
        limits: k and the divisor of the standard deviation.
        judges: how many judges have a value, two or more.

    >>> round(share_outside(Limits(1.0), 3), 4), round(share_outside(Limits(1.0), 1000), 4)
    (0.3333, 0.3173)
    """
    k = limits.k if limits.ddof else limits.k * sqrt((judges - 1) / judges)
    below = (judges - 1) ** 2 - judges * k * k
    if below <= 0:
        return 0.0
    if judges == 2:
        return 1.0  # both are (x − y) / 2 from their mean, whatever they are
    return t_tail(k * sqrt(judges * (judges - 2) / below), judges - 2)
