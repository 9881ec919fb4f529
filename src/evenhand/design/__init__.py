"""WHAT IS ASKED OF WHOM: campaigns of judgments, read from a file and dealt out, or simulated.

>>> from evenhand import design
>>> design.SIMULATED
('hamon2007_simulated',)
>>> design.simulate("hamon2007_simulated").size
40720
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.errors import require_option
from evenhand.public_names import lazy_getattr

if TYPE_CHECKING:
    from evenhand.design.assignment import Assignment, assign
    from evenhand.design.campaign import Campaign, Design, Item, Judge, TextField, Training, Wording
    from evenhand.design.guarantees import DesignCheck, verify_collected, verify_design
    from evenhand.design.reading import make_campaign, read_campaign
    from evenhand.design.simulated_ratings import SimulatedRatings
    from evenhand.design.tasks import PairTask, RankTask, RatingTask, SpanTask, Ticket

__all__ = [
    "SIMULATED",
    "Assignment",
    "Campaign",
    "Design",
    "DesignCheck",
    "Item",
    "Judge",
    "PairTask",
    "RankTask",
    "RatingTask",
    "SpanTask",
    "TextField",
    "Ticket",
    "Training",
    "Wording",
    "assign",
    "make_campaign",
    "read_campaign",
    "simulate",
    "verify_collected",
    "verify_design",
]

SIMULATED: Final = ("hamon2007_simulated",)  # Names of campaigns that can be simulated as they are
# Public name → the module that holds it; imported when it is used
_ROOMS: Final = {
    **dict.fromkeys(("Assignment", "assign"), "assignment"),
    **dict.fromkeys(("Campaign", "Judge"), "campaign"),
    **dict.fromkeys(("Design", "Item", "TextField", "Training", "Wording"), "campaign"),
    **dict.fromkeys(("DesignCheck", "verify_collected", "verify_design"), "guarantees"),
    **dict.fromkeys(("PairTask", "RankTask", "RatingTask", "SpanTask", "Ticket"), "tasks"),
    **dict.fromkeys(("make_campaign", "read_campaign"), "reading"),
}
__getattr__ = lazy_getattr(
    "evenhand.design", {name: f"evenhand.design.{room}" for name, room in _ROOMS.items()}
)


def simulate(name: str, seed: int = 20131) -> SimulatedRatings:
    """Draw a campaign by its name."""
    require_option("simulated campaign", name, SIMULATED)
    from evenhand.design.simulated_ratings import CAMPAIGN

    return CAMPAIGN.simulate(seed)
