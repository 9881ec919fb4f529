"""What a report makes of itself, and what it leaves to a command: by counts, never by the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking
    from evenhand.report.study import Study

WAYS: Final = 200  # Clusters beyond which those of one way are merged when rank sets are made
OWN: Final = 30_000  # Effort of the smallest ranking
COUNTED: Final = 25  # Effort of counting a comparison
# Effort of all rankings that one section of one task makes; some three seconds
RANKINGS: Final = 6_000_000
# Judges and items that may be left out one by one, times systems squared; some three seconds
REMOVALS: Final = 60_000_000
VOTES: Final = 200_000  # Comparisons of which a section may count what is left without some of them


def rank_effort(ranking: Ranking) -> float:
    """Return the effort of making a ranking with rank sets once more."""
    ways = (ranking.n_judges or 0, ranking.n_items or 0)
    worlds = len(ranking.systems) ** 2 * sum(min(one, WAYS) for one in ways)
    return OWN + COUNTED * ranking.n_comparisons + worlds


def may_rank(study: Study, times: int) -> bool:
    """Whether a section may make so many rankings."""
    settings = study.settings
    return settings.full or times * rank_effort(study.ranking) * settings.tasks <= RANKINGS


def may_remove(study: Study) -> bool:
    """Whether a section may leave out every judge and every item."""
    ranking, settings = study.ranking, study.settings
    units = (ranking.n_judges or 0) + (ranking.n_items or 0)
    effort = units * len(ranking.systems) ** 2 * settings.tasks
    few = effort <= REMOVALS and ranking.n_comparisons * settings.tasks <= VOTES
    return settings.full or few


def say_how(command: str, what: str) -> str:
    """Say that something is not made here, and which command makes it.

    >>> say_how("evenhand doubt votes.csv", "What else changes")
    'What else changes is not run here. To make it: evenhand doubt votes.csv, or --full.'
    """
    return f"{what} is not run here. To make it: {command}, or --full."
