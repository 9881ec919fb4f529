"""What a coefficient is called, and when its size misleads."""

from __future__ import annotations

from typing import Final

WORDS: Final = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
"""Largest κ of each word but the first, which stands for κ below zero."""

HIGH: Final = 0.7
"""Observed agreement from which a low κ is a paradox rather than disagreement."""
LOW: Final = 0.4
"""κ up to which it is called low: at most "fair"."""


def name_kappa(kappa: float) -> str:
    """Return Landis and Koch's word for a κ.

    The borders are convention, not inference (Landis & Koch 1977, Biometrics 33:159-174, p. 165).

    >>> [name_kappa(kappa) for kappa in (-0.1, -0.0001, 0.2, 0.21, 0.5, 0.81)]
    ['poor', 'slight', 'slight', 'fair', 'moderate', 'almost perfect']
    """
    if round(kappa, 3) < 0:  # as it is printed: of two zeros none is called poor
        return WORDS[0][1]
    return next(word for most, word in WORDS[1:] if kappa <= most or most == 1.0)


def warn_prevalence(observed: float, kappa: float | None, prevails: float) -> str | None:
    """Return a warning where κ is low though judges agree; None where nothing is odd.

    Where one answer is given nearly always, chance agreement is high and κ has hardly any room:
    the first paradox of Feinstein & Cicchetti (1990), Journal of Clinical Epidemiology 43:543-549.

    Args:
        observed: share of pairs of judges that agree (proportion).
        kappa: κ of the same judgments; None where it does not exist.
        prevails: share of the answer that is given most often (proportion).

    >>> warn_prevalence(0.9, 0.1, 0.92)[:47]
    'κ is low though judges agree in 90 % of pairs: '
    >>> warn_prevalence(0.9, 0.8, 0.6) is None
    True
    """
    if kappa is None or observed < HIGH or kappa > LOW:
        return None
    agree, same = 100 * observed, 100 * prevails
    return (
        f"κ is low though judges agree in {agree:.0f} % of pairs: {same:.0f} % of answers are the"
        " same one, so that chance alone explains most agreement (Feinstein & Cicchetti 1990);"
        " read κ beside the agreement itself"
    )
