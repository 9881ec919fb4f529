"""What is said of a judge's comparisons, line by line of the card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import LEFT, TIE, Votes
from evenhand.numerics.binomial import clopper_pearson
from evenhand.numerics.distributions import normal_quantile
from evenhand.screening.card import Evidence
from evenhand.screening.comparison_checks import Checks
from evenhand.screening.comparison_habits import VoteHabit
from evenhand.screening.comparison_slopes import Slopes
from evenhand.screening.comparison_times import Times
from evenhand.screening.mixture import Mixture

Array = NDArray[np.float64]
LEVEL: Final = 0.95
"""Of the intervals on a card (proportion)."""


@dataclass(frozen=True, eq=False)
class Findings:
    """All that was found from one campaign of comparisons.

    Attributes:
        votes: judgments of outputs as such.
        slopes: how strongly each judge follows the others.
        mixture: who is honest, careless or reversed.
        controls: answers to controls, or None.
        repeats: answers given again, or None.
        times: how long judges take, or None.
        habits: how judges press the keys.
        habit_p: adjusted p-values of each, as its judges.

    """

    votes: Votes
    slopes: Slopes
    mixture: Mixture
    controls: Checks | None
    repeats: Checks | None
    times: Times | None
    habits: tuple[VoteHabit, ...]
    habit_p: tuple[Array, ...]


def gather_evidence(found: Findings, threshold: float) -> list[tuple[Evidence, ...]]:
    """Return the lines of every judge's card, in the order of the judges' codes.

    Args:
        found: what was found.
        threshold: adjusted p-value up to which a habit is flagged.

    """
    lines: list[list[Evidence]] = [[] for _ in found.votes.judges]
    parts: list[Sequence[tuple[int, Evidence]]] = [
        _slopes(found.slopes, found.mixture),
        _agreement(found.votes, found.slopes),
        _controls(found.controls, found.mixture),
        _repeats(found.repeats, found.mixture),
        *(
            _habit(habit, p, threshold)
            for habit, p in zip(found.habits, found.habit_p, strict=True)
        ),
        _seconds(found.times, found.mixture),
    ]
    for part in parts:
        for judge, line in part:
            lines[judge].append(line)
    return [tuple(one) for one in lines]


def _slopes(slopes: Slopes, mixture: Mixture) -> list[tuple[int, Evidence]]:
    z = normal_quantile((1 + LEVEL) / 2)
    n = np.bincount(slopes.judge, minlength=len(slopes.slope))
    found = []
    for judge, (b, error) in enumerate(zip(slopes.slope, slopes.error, strict=True)):
        says = "no decisive vote: nothing shows whether the judge follows the others"
        if n[judge]:
            low, high = b - z * error, b + z * error
            says = (
                f"follows the other judges with a slope of {b:z.2f} ({low:z.2f} to {high:z.2f});"
                f" honest judges have {mixture.mean:.2f} on average, one who answers at random has"
                " 0"
            )
        ends = (float(b - z * error), float(b + z * error))
        odds = float(mixture.log_odds[judge])
        found.append((judge, Evidence("slope", says, float(b), *ends, odds)))
    return found


def _agreement(votes: Votes, slopes: Slopes) -> list[tuple[int, Evidence]]:
    """Compare with the others on output pairs where two or more others all said the same."""
    sure, size = slopes.others.agreed, len(votes.judges)
    lead = slopes.others.lead
    right = sure & (votes.outcome != TIE) & ((votes.outcome == LEFT) == (lead > 0))
    asked, agreed = (np.bincount(votes.judge, v, size) for v in (sure, right))
    found = []
    for judge in np.flatnonzero(asked).tolist():
        n, k = int(asked[judge]), int(agreed[judge])
        low, high = clopper_pearson(k, n, LEVEL)
        rest = asked.sum() - n
        beside = f", the other judges {100 * (agreed.sum() - k) / rest:.0f} %" if rest else ""
        says = (
            f"where two or more others all prefer one output: agrees in {k} of {n}"
            f" ({100 * k / n:.0f} %){beside}"
        )
        found.append((judge, Evidence("agreement", says, k / n, low, high)))
    return found


def _controls(checks: Checks | None, mixture: Mixture) -> list[tuple[int, Evidence]]:
    if checks is None:
        return []
    found, odds = [], mixture.odds_of(checks.logs).tolist()
    for judge in np.flatnonzero(checks.asked).tolist():
        hit, n = int(checks.seen[judge, 0]), int(checks.asked[judge])
        says = (
            f"controls: {hit} of {n} as expected; all judges {100 * checks.usual[0]:.0f} %,"
            f" by chance {100 * checks.chance[judge, 0]:.0f} %"
        )
        ends = clopper_pearson(hit, n, LEVEL)
        found.append((judge, Evidence("controls", says, hit / n, *ends, odds[judge])))
    return found


def _repeats(checks: Checks | None, mixture: Mixture) -> list[tuple[int, Evidence]]:
    if checks is None:
        return []
    found, odds = [], mixture.odds_of(checks.logs).tolist()
    for judge in np.flatnonzero(checks.asked).tolist():
        same, n = float(checks.seen[judge, 0]), float(checks.asked[judge])
        says = (
            f"asked again: the same answer in {same:.0f} of {n:.0f}; all judges"
            f" {100 * checks.usual[0]:.0f} %, by chance {100 * checks.chance[judge, 0]:.0f} %"
        )
        ends = clopper_pearson(same, n, LEVEL)
        found.append((judge, Evidence("repeats", says, same / n, *ends, odds[judge])))
    return found


def _habit(habit: VoteHabit, adjusted: Array, threshold: float) -> list[tuple[int, Evidence]]:
    name, say = {
        "position-biased": ("position", _say_position),
        "drifting": ("session", _say_drift),
        "coarse": ("ties", _say_ties),
    }[habit.name]
    lines = []
    for k, (judge, p) in enumerate(zip(habit.judges.tolist(), adjusted, strict=True)):
        says = f"{say(habit, k)} (adjusted p {p:.2g}; flagged from {threshold:.2g} down)"
        lines.append((judge, Evidence(name, says, float(habit.value[k]))))
    return lines


def _say_position(habit: VoteHabit, k: int) -> str:
    share, median = (100 / (1 + np.exp(-odds)) for odds in (habit.value[k], habit.usual))
    return (
        f"the output shown first was preferred in {100 * habit.share[k]:.0f} % of decisive votes;"
        f" between equals about {share:.0f} %, the median judge {median:.0f} %"
    )


def _say_drift(habit: VoteHabit, k: int) -> str:
    way = "falls" if habit.value[k] < 0 else "rises"
    return (
        f"within a session the slope {way} by {abs(habit.value[k]):.2f} from the first to the last"
        f" answer; the median judge's changes by {habit.usual:+z.2f}"
    )


def _say_ties(habit: VoteHabit, k: int) -> str:
    median = 100 / (1 + np.exp(-habit.usual))
    return f"ties in {100 * habit.share[k]:.0f} % of judgments, the median judge {median:.0f} %"


def _seconds(times: Times | None, mixture: Mixture) -> list[tuple[int, Evidence]]:
    if times is None:
        return []
    odds = mixture.odds_of(times.logs).tolist()
    return [
        (
            judge,
            Evidence(
                "seconds",
                f"takes {median:.1f} seconds for a judgment (median), the median judge"
                f" {times.usual:.1f}",
                median,
                log_odds=odds[judge],
            ),
        )
        for judge, median in zip(times.judges.tolist(), times.seconds.tolist(), strict=True)
    ]
