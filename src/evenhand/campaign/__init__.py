"""WHAT SHALL WE ASK: campaigns of judgments, planned or simulated.

>>> from evenhand import campaign
>>> campaign.SIMULATED
('hamon2007_simulated',)
>>> campaign.simulate("hamon2007_simulated").size
40720
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.errors import require_option

if TYPE_CHECKING:
    from evenhand.campaign.simulated_ratings import SimulatedRatings

__all__ = ["SIMULATED", "simulate"]

SIMULATED: Final = ("hamon2007_simulated",)
"""Names of campaigns that can be simulated as they are."""


def simulate(name: str, seed: int = 20131) -> SimulatedRatings:
    """Draw a campaign by its name.

    Raises:
        UnknownOption: no campaign has this name.

    """
    require_option("simulated campaign", name, SIMULATED)
    from evenhand.campaign.hamon2007 import simulate_hamon2007

    return simulate_hamon2007(seed)
