"""Comparisons, rankings and ratings, and their tally.

Tables are handles on somebody's data, never copies: a frame of any engine, and the names of the
columns that play each role.
"""

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.source import Source
from evenhand.data.tally import Factor, Tally

__all__ = ["Comparisons", "Factor", "Rankings", "Ratings", "Source", "Tally"]
