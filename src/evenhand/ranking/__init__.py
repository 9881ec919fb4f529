"""Rankings with honest uncertainty."""

from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking

__all__ = ["GroupedRankings", "Ranking", "rank"]
