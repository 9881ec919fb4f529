"""The rules by name, and where each is written; a rule is imported when it is asked for.

Every rule is a function `score(tally) -> Scores` of a tally of comparisons, of which it takes the
counts of pairs alone; those with `seeded` draw something, and take `seed=` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from evenhand.errors import require_option
from evenhand.judgments.model import Scores


@dataclass(frozen=True)
class Rule:
    """A rule of the registry.

    Attributes:
        name: as users ask for it.
        place: "module:function" that scores a tally.
        title: a few words for a table.
        seeded: whether it takes `seed=`.

    """

    name: str
    place: str
    title: str
    seeded: bool = False

    def load(self) -> Callable[..., Scores]:
        """Import the function."""
        module, _, function = self.place.partition(":")
        found: Callable[..., Scores] = getattr(import_module(module), function)
        return found


RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule
    for rule in (
        Rule("origwmt", "evenhand.scoring.origwmt:score_origwmt", "not worse, ties won"),
        Rule("bojar", "evenhand.scoring.bojar:score_bojar", "wins of decided comparisons"),
        Rule("win-rate", "evenhand.scoring.win_rate:score_win_rate", "wins of all, ties lost"),
        Rule(
            "expected-wins",
            "evenhand.scoring.expected_wins:score_expected_wins",
            "opponents alike, missing pairs left out",
        ),
        Rule(
            "expected-wins-zero",
            "evenhand.scoring.expected_wins:score_expected_wins_zero",
            "opponents alike, missing pairs 0",
        ),
        Rule(
            "expected-net-wins",
            "evenhand.scoring.expected_net_wins:score_expected_net_wins",
            "wins less losses, opponents alike",
        ),
        Rule("soccer", "evenhand.scoring.soccer:score_soccer", "ties half a win, opponents alike"),
        Rule("vilar", "evenhand.scoring.vilar:score_vilar", "mean of +1, 0, -1"),
        Rule("vilar-sort", "evenhand.scoring.vilar_sort:score_vilar_sort", "sorted by majorities"),
        Rule(
            "feedback-arc-set",
            "evenhand.scoring.feedback_arc_set:score_feedback_arc_set",
            "fewest net wins contradicted",
            seeded=True,
        ),
        Rule(
            "feedback-arc-set-raw",
            "evenhand.scoring.feedback_arc_set:score_feedback_arc_set_raw",
            "fewest wins contradicted",
            seeded=True,
        ),
        Rule(
            "feedback-arc-set-share",
            "evenhand.scoring.feedback_arc_set:score_feedback_arc_set_share",
            "smallest net shares contradicted",
            seeded=True,
        ),
        Rule(
            "most-probable",
            "evenhand.scoring.most_probable:score_most_probable",
            "all pairs most probably right",
            seeded=True,
        ),
        Rule("playoffs", "evenhand.scoring.playoffs:score_playoffs", "knockout wins", seeded=True),
        Rule("trueskill", "evenhand.scoring.trueskill:score_trueskill", "as WMT14-16", seeded=True),
    )
}


def find_rule(name: str) -> Rule:
    """Return a rule by name.

    Raises:
        UnknownOption: there is none of that name.

    """
    require_option("method", name, tuple(RULES))
    return RULES[name]
