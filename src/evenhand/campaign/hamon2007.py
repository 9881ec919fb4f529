"""The campaign of Hamon, Mostefa & Arranz (2007), simulated with honest judges.

The judgments of the paper (English to Spanish, TC-STAR 2006) are not published. What is printed of
the design is kept: 26 systems in three input types, 6 on speech recognition (ASR), 9 on manual
transcriptions (Verbatim) and 11 on final text editions (FTE), a human translation among each of the
last two; 10,180 outputs, each scored for fluency and adequacy by two of 125 judges on five points.
What is not printed is ours: how much systems, outputs and judges differ, chosen so that n-agreement
and κ come near tables 1 and 2. No judge is careless. What the paper's methods remove here, they
remove of honest judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from evenhand.campaign.simulated_ratings import (
    SEED,
    Criterion,
    InputType,
    RatingCampaign,
    SimulatedRatings,
)

REFERENCES: Final = ("Human-Verbatim", "Human-FTE")


def _spread(
    name: str, n: int, ends: tuple[float, float], human: float | None
) -> Mapping[str, float]:
    """Return n systems of evenly spaced worth, the last of them human if so wished."""
    machines = n if human is None else n - 1
    worth = {
        f"{name}-{at + 1}": round(float(one), 3)
        for at, one in enumerate(np.linspace(*ends, machines))
    }
    return worth if human is None else {**worth, f"Human-{name}": human}


CAMPAIGN: Final = RatingCampaign(
    inputs=(
        InputType("ASR", 390, _spread("ASR", 6, (-0.05, -0.6), None)),
        InputType("Verbatim", 392, _spread("Verbatim", 9, (0.25, -0.35), 1.3)),
        InputType("FTE", 392, _spread("FTE", 11, (0.45, -0.25), 1.4)),
    ),
    judges=125,
    criteria={
        "fluency": Criterion((-0.93, -0.44, 0.0, 0.6), noise=0.68),
        "adequacy": Criterion((-1.06, -0.54, -0.06, 0.54), noise=0.83),
    },
)


def simulate_hamon2007(seed: int = SEED) -> SimulatedRatings:
    """Draw the campaign.

    Args:
        seed: of the generator.

    >>> table = simulate_hamon2007()
    >>> table.size, len(set(table.columns["judge"])), len(set(table.columns["system"]))
    (40720, 125, 26)
    """
    return CAMPAIGN.simulate(seed)
