"""The signature: one line that says what made a number, so that it can be made again."""

from __future__ import annotations

from evenhand.judgments.levels import Levels
from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit
from evenhand.ranking.intervals import Intervals
from evenhand.ranking.settings import Settings


def sign(
    fit: Fit, tally: Tally, levels: Levels, intervals: Intervals | None, settings: Settings
) -> str:
    """Return the signature of a ranking; the digest is of the counts, never of the file."""
    from evenhand import __version__

    judges = levels.count("judge")
    how = intervals.method if intervals is not None else "no intervals"
    parts = [
        f"evenhand {__version__}",
        name_model(fit),
        *(["importance weights"] if tally.squares is not None else []),
        f"{how}, level {settings.level:g}",
        f"seed={settings.seed}",
        f"n={exactly(tally.n_judgments)}" + (f" J={judges}" if judges is not None else ""),
        f"sha256 {tally.digest[:12]}",
    ]
    return " | ".join(parts)


def name_model(fit: Fit) -> str:
    """Return the settings of a model that change its numbers."""
    model = fit.model
    parts = [model.ties, *(["order effect"] if model.order_effect else [])]
    parts += [f"covariate {name}" for name in model.system_covariates]
    parts += [f"prior {model.prior:g} per system"] if model.prior else []
    return " + ".join(parts)


def exactly(number: float) -> str:
    """Write a number with all of its digits.

    >>> exactly(1234567.0), exactly(12.5)
    ('1234567', '12.5')
    """
    return str(int(number)) if number.is_integer() else repr(number)
