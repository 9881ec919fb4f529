"""WHAT WAS SAID: comparisons, rankings and ratings, and their tally.

Tables are handles on somebody's data, never copies: a frame of any engine, and the names of the
columns that play each role.
"""

from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import Source
from evenhand.judgments.tally import Factor, Tally

__all__ = ["Comparisons", "Factor", "Rankings", "Ratings", "Source", "Tally"]
