"""Rules so simple that their scores can be counted by hand; they stand in for the registry's."""

from collections.abc import Callable

import numpy as np
import pytest

from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import NotIdentified
from evenhand.ranking.methods import RULES, Rule


def score_wins(tally: Tally) -> Scores:
    """Comparisons won."""
    return Scores("wins", tally.systems, _sum(tally, tally.wins, tally.losses), "wins")


def score_unbeaten(tally: Tally) -> Scores:
    """Minus the comparisons lost, with ranges and clusters of one place each."""
    values = -_sum(tally, tally.losses, tally.wins)
    place = np.argsort(np.argsort(-values, kind="stable")) + 1
    known = {"stderr": np.full(len(values), 0.5), "rank_lower": place, "rank_upper": place}
    return Scores("under another name", tally.systems, values, "lost", cluster=place, **known)


def score_by_lot(tally: Tally, *, seed: int) -> Scores:
    """The order of names from some place on."""
    values = -((np.arange(len(tally.systems)) + seed) % len(tally.systems)).astype(float)
    settings = (f"seed={seed}",)
    return Scores("lot", tally.systems, values, "place", settings=settings, notes=("drawn",))


def score_never(tally: Tally) -> Scores:
    """Refuse."""
    raise NotIdentified("never says anything")


def _sum(tally: Tally, as_left: np.ndarray, as_right: np.ndarray) -> np.ndarray:
    k = len(tally.systems)
    left = np.bincount(tally.left, as_left, minlength=k)
    return left + np.bincount(tally.right, as_right, minlength=k)


SIMPLE = {
    "wins": Rule("comparisons won", score_wins),
    "fewest-losses": Rule("comparisons lost", score_unbeaten),
    "lot": Rule("by lot", score_by_lot, seeded=True),
    "never": Rule("refuses", score_never),
}


def use_rules(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Rule]:
    """Put these rules in the place of all others; returns the way to look one up."""
    for name in list(RULES):
        monkeypatch.delitem(RULES, name)
    for name, rule in SIMPLE.items():
        monkeypatch.setitem(RULES, name, rule)
    return RULES.__getitem__
