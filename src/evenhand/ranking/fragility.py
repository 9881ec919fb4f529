"""Fragility: how few votes, judges or items carry a conclusion, and which ones.

Units are put in order by their influence on the difference between two systems, largest first, or
of votes that leave a pair undecided by their influence on the difference over its error, and taken
away until a ranking from scratch no longer says what was concluded (Broderick, Giordano &
Meager 2020, An automatic finite-sample robustness metric, arXiv:2011.14999; Huang, Shen, Wei &
Broderick 2025, Dropping just a handful of preferences can change top large language model rankings,
arXiv:2508.11847). Every set that is reported was verified so; with one unit less in the same order
the conclusion stands. Judges, items or rankings that alone link a system to the others are tried as
a set. A smaller set of other units may exist: the number is an upper bound.

When not to use it: to say how sure a conclusion is. Few votes carry every close race, however
honest; rank sets say how sure it is. Fragility says which comparisons to look at first, and accuses
nobody: votes that are alike carry it alike, whoever gave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from evenhand.errors import require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.names import take_names
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.ranking.fragility_case import open_case
from evenhand.ranking.fragility_claims import find_claims, require_claims, say_few, say_level
from evenhand.ranking.fragility_flips import examine
from evenhand.ranking.fragility_result import OPENED, TURNED, Fragility
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import choose_log_linear

OUTCOMES: Final = (TURNED, OPENED)


def find_fragility(
    data: Comparisons | Rankings,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    after: Sequence[int] = (),
    model: BradleyTerry | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    board: Ranking | None = None,
    most: int | None = None,
    outcomes: Sequence[str] = OUTCOMES,
) -> Fragility:
    """Find the fewest votes, judges and items without which conclusions no longer stand.

    Args:
        data: comparisons or rankings of one task.
        pairs: (better, worse): conclusions to be asked about.
        after: places above borders, counted from 1. With neither, the first system, whom it is
            decided to beat, and the borders between clusters are asked about.
        model: settings of the log-linear model.
        cluster: judgments that hang together, as in `rank`.
        level: of rank sets (proportion).
        seed: of rank sets.
        board: the ranking of these data under these settings, where it is known: it is then not
            made again.
        most: how many of the conclusions that the board says first are asked about, where none
            was named; None for all.
        outcomes: "turned" (another system is then ahead), "opened" (it is then no longer decided,
            which takes a ranking at each step), or both.

    Raises:
        UnknownOption: a conclusion that the ranking does not draw, several tasks, an outcome that
            does not exist, or a model that knows controls or judge covariates.
        InvalidJudgments: neither comparisons nor rankings; says what to do.
        UnknownColumn: a column of the clusters that were asked for is not there.
        NotIdentified: the data determine no worths.

    >>> import evenhand, pandas as pd
    >>> rows = [("A", "B", "left")] * 7 + [("A", "B", "right")] * 4
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> evenhand.find_fragility(votes).says
    ('A is first: without 4 of 11 votes B is ahead',)
    """
    outcomes = take_names(outcomes)
    for outcome in outcomes:
        require_option("outcome", outcome, OUTCOMES)
    spec = choose_log_linear(model)
    table = require_pairs(data, "conclusions are of comparisons or rankings, not of")
    with one_blas_thread():
        case = open_case(table, spec, cluster=cluster, level=level, seed=seed, board=board)
        asked = require_claims(case.ranking, pairs, after)
        claims = asked or find_claims(case.ranking)[:most]
        found = examine(case, claims, outcomes)
    said = (*say_left_out(data, table), *say_level(case.ranking), *say_few(case.ranking, claims))
    return replace(found, notes=(*said, *found.notes))
