"""The signature: one line that says what made a number, so that it can be made again."""

from __future__ import annotations

from typing import Protocol

from evenhand.judgments.levels import Levels
from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit
from evenhand.ranking.intervals import Intervals


class Signed(Protocol):
    """What the signature must know of the settings."""

    @property
    def level(self) -> float:
        """Nominal level."""

    @property
    def seed(self) -> int:
        """Seed of everything random."""


def sign(
    fit: Fit, tally: Tally, levels: Levels, intervals: Intervals | None, settings: Signed
) -> str:
    """Return the signature of a ranking; the digest is of the counts, never of the file."""
    from evenhand import __version__

    judges = levels.count("judge")
    model = fit.model
    parts = [
        f"evenhand {__version__}",
        model.ties + (" + order effect" if model.order_effect else ""),
        *([f"prior {model.prior:g} per system"] if model.prior else []),
        f"{intervals.method if intervals is not None else 'no intervals'}, level {settings.level:g}",
        f"seed={settings.seed}",
        f"n={tally.n_judgments:g}" + (f" J={judges}" if judges is not None else ""),
        f"sha256 {tally.digest[:12]}",
    ]
    return " | ".join(parts)
