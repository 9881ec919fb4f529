"""What a test of the fit could have seen, in words: without that, its silence says nothing."""

from __future__ import annotations

from typing import Final

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.report.refused import say_refused
from evenhand.report.study import Study

# How far off pairs may be, at most, that a silent test says something: 60 to 40 for 50 to 50
ENOUGH: Final = 0.10


def say_visible(visible: float) -> str:
    """Say what would have shown.

    >>> say_visible(0.074)
    'pairs usually off by 7 votes in 100 would likely show'
    >>> say_visible(0.004)
    'pairs usually off by less than 1 vote in 100 would likely show'
    """
    return f"pairs usually off by {_count(visible)} in 100 would likely show"


def _count(share: float) -> str:
    votes = f"{100 * share:.0f}"
    if votes == "0":
        return "less than 1 vote"
    return f"{votes} vote" if votes == "1" else f"{votes} votes"


def say_refusal(study: Study, refusal: NotIdentified | NotConverged | UnknownOption) -> str:
    """Write why pairs were not tested, without advice that was already followed."""
    model = study.settings.model
    if model is None or not model.prior or isinstance(refusal, UnknownOption):
        return say_refused(refusal)
    return f"the test takes no prior, and without one {refusal.without_options()}"
