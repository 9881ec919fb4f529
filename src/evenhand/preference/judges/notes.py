"""When σ cannot be told from the answers, and when it can hardly: refusals and notes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.numerics.graph import solve_differences
from evenhand.preference.board import make_board
from evenhand.preference.cells import Cells
from evenhand.preference.judges.check import IntegralCheck
from evenhand.preference.judges.dealing import DealTest
from evenhand.preference.judges.estimation import MORE
from evenhand.preference.judges.profile import Interval

FEW: Final = 6
"""Judges below which nothing is said of a population of judges."""
WIDE: Final = 1.0
"""Width of an interval of σ from 0 on that says hardly anything."""
THIN: Final = 0.1
"""Share of effective draws below which importance sampling says little."""
OFF: Final = 0.02
"""Shift of σ, relative, from which on the integrals are called poor."""


def refuse_without_judges(tally: Tally, judge: NDArray[np.integer], labels: Sequence[str]) -> None:
    """Refuse answers that leave σ without a finite estimate.

    Where some tastes explain every answer of every judge with certainty, ever larger tastes fit
    ever better: no closed walk through one judge's answers has as many preferences as ties or more,
    so that no judge contradicts himself or herself.

    Raises:
        NotIdentified: one judge, a single judgment from each, or no judge who contradicts himself.

    """
    if len(labels) == 1:
        raise NotIdentified(
            f"how much judges differ cannot be told from one judge ({labels[0]})",
            ["collect answers of several judges", MORE[1]],
        )
    answers = np.bincount(judge, tally.wins + tally.ties + tally.losses)
    if answers.max() <= 1:
        raise NotIdentified(
            f"how much judges differ cannot be told from chance: each of {len(labels):,} judges"
            " gave one judgment",
            ["collect several from each", MORE[1]],
        )
    if (tally.wins * tally.losses).any():
        return
    if not _contradicts(tally, judge, labels):
        raise NotIdentified(
            "σ has no finite estimate: no judge ever contradicts himself or herself, so that"
            " tastes alone could explain all of them",
            MORE,
        )


def _contradicts(tally: Tally, judge: NDArray[np.integer], labels: Sequence[str]) -> bool:
    """Say whether some walk through one judge's answers has as many preferences as ties or more."""
    cells = Cells(
        tally.systems,
        tally.left,
        tally.right,
        tally.wins,
        tally.ties,
        tally.losses,
        group=judge,
        groups=labels,
    )
    board = make_board(cells)
    steps = board.steps(ties=True)
    # a simple walk has n_nodes steps at most: one with as many preferences as ties is forbidden too
    return solve_differences(steps.graph, steps.gain * (board.n_nodes + 1) - 1).cycle is not None


def note_few(judges: int) -> tuple[str, ...]:
    """Say so where there are too few judges to speak of a population."""
    if judges >= FEW:
        return ()
    return (
        f"{judges} judges are too few to say how much judges differ: σ is about these, and"
        " contrasts ± 1.96 standard errors cover less than 95 % (.82 of simulated contrasts of 2"
        " judges, .83 of 3, .90 to .94 of 5)",
    )


def note_rankings(test: DealTest | None) -> tuple[str, ...]:
    """Say what σ is where one answer is several comparisons."""
    known = (
        "the test deals rankings to judges at random"
        if test is not None
        else "no test, since the data do not tell rankings apart"
    )
    return (
        "comparisons of one ranking hang together, which σ takes for taste: σ is an upper"
        f" bound, without interval; {known}; fit one comparison of each ranking to see the taste"
        " alone",
    )


def note_result(sigma: float, interval: Interval, check: IntegralCheck | None) -> tuple[str, ...]:
    """Say so where σ is hardly known, where it is 0, or where the integrals are poor."""
    low, high = interval.lower, interval.upper
    notes = []
    if high == inf or (low == 0 and high > WIDE):
        notes.append(
            "the answers hardly say how much judges differ: more judgments per judge are needed"
        )
    if check is None:
        notes.append(
            "σ is 0, the edge of what it can be: standard errors take judgments for independent"
        )
    elif check.worst < THIN:
        notes.append(
            f"importance sampling checks the integrals badly: of {check.draws} draws"
            f" {check.worst:.1%} count for some judges"
        )
    if check is not None and abs(check.sigma_shift) > max(OFF * sigma, 3 * check.sigma_error):
        notes.append(
            f"the integrals over tastes are poor: σ would move by {check.sigma_shift:+.3f}"
        )
    return tuple(notes)
