"""Sensitivity: the same judgments ranked under each reasonable choice, in one table.

A ranking rests on choices that others would make otherwise: what a tie says, what hangs together,
whether the output shown first has an advantage, how much a busy judge counts, and whether judges
who are to be doubted count at all. A conclusion that only one of them draws is a conclusion about
that choice (Steegen, Tuerlinckx, Gelman & Vanpaemel 2016, Increasing transparency through a
multiverse analysis, Perspectives on Psychological Science 11:702-712).

When not to use it: to choose the ranking that one likes. The default was chosen beforehand, by
experiments with known truth; the others show what hangs on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from evenhand.errors import EvenhandError, NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.judge_cap import choose_weights
from evenhand.judgments.levels import Levels
from evenhand.judgments.mix import Mix
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.preference.bradley_terry import BradleyTerry, Ties
from evenhand.ranking.clustering import Clustering
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.ordering import order_systems
from evenhand.ranking.position_bias import share_of_both_orders
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.sensitivity_result import ASKED, DEFAULT, Choice, Sensitivity
from evenhand.ranking.settings import Settings, choose_log_linear
from evenhand.screening.card import Screening
from evenhand.screening.screen import screen_judges

TIES: Final[Mapping[Ties, str]] = {
    "davidson": "ties by Davidson",
    "rao-kupper": "ties by Rao and Kupper",
    "half-win": "a tie is half a win",
    "discard": "ties left out",
}
CLUSTERED: Final = {
    "judge": "clustered by judge alone",
    "item": "clustered by item alone",
    "judge+item": "clustered by judge and item",
    "judgment": "votes taken for independent",
}
UNASKED: Final = (
    "which pairs each choice decides was not asked, nor what clusters change: they change no order"
)
Run = Callable[..., Ranking | GroupedRankings]
Offer = tuple[str, Callable[[], Ranking | GroupedRankings]]


def vary_choices(
    data: Comparisons | Rankings,
    *,
    model: BradleyTerry | None = None,
    cluster: str | None = None,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    board: Ranking | None = None,
    decide: bool = True,
    screening: Screening | None = None,
) -> Sensitivity:
    """Rank under each reasonable choice and see which conclusions survive all of them.

    Args:
        data: comparisons or rankings of one task.
        model: settings of the log-linear model that was asked for; each choice differs from what
            was asked, or from the default, in one thing.
        cluster: judgments that hang together, as in `rank`.
        mix: how much judges and items of each kind count, as in `rank`.
        judge_cap: "median" or None, as in `rank`.
        level: of rank sets under each choice (proportion).
        seed: of rank sets.
        board: the ranking that was asked for, where it is known: it is then not made again.
        decide: whether each choice also says which pairs it decides, which takes nearly all of
            the time. Without, there are orders alone, and no choice of what hangs together, which
            changes none.
        screening: which judges are to be doubted, where it is known.

    Raises:
        UnknownOption: several tasks, or settings that do not fit.
        UnknownColumn: a column that was asked for is not there.
        NotIdentified: the data determine no worths under what was asked.

    >>> import evenhand, pandas as pd
    >>> rows = [("A", "B", "left")] * 40 + [("A", "B", "right")] * 9 + [("A", "B", "tie")] * 20
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> evenhand.vary_choices(votes).says
    ('A leads in all 4 rankings', '1 of 1 decided pairs survive all 4 rankings')
    """
    table = require_pairs(data, "choices are varied on comparisons or rankings, not on")
    if len(table.tasks()) > 1:
        raise UnknownOption("choices are varied on one board: choose a task")
    spec = choose_log_linear(model)
    weights: dict[str, Any] = {"mix": mix, "judge_cap": judge_cap}
    how = rank if decide else order_alone
    ranked = partial(how, model=spec, cluster=cluster, level=level, seed=seed, **weights)
    run = partial(ranked, table, **({} if decide else {"counted": table.tally()}))
    asked = board or _only(run())
    notes = [*say_left_out(data, table)]
    offers = [
        *_offer_ties(asked, spec, run),
        *(_offer_clusters(asked, table, run) if decide else ()),
        *_offer_order(table, spec, run, notes),
        *_offer_loads(table, weights, run, notes),
        *_offer_judges(screening or data, table, ranked, notes),
    ]
    usual = replace(spec, reference=None) == BradleyTerry() and not any([cluster, mix, judge_cap])
    first = _describe(DEFAULT if usual else ASKED, asked)
    choices = [first, *(_try(name, make) for name, make in offers)]
    notes += [] if decide else [UNASKED]
    return Sensitivity(tuple(choices), level, tuple(notes), asked.signature, decide)


def order_alone(
    table: Comparisons,
    *,
    model: BradleyTerry,
    cluster: str | None,
    level: float,
    seed: int,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    counted: Tally | None = None,
) -> Ranking:
    """Rank without intervals: who is ahead of whom, by the model alone.

    Args:
        table: comparisons of one task.
        model: settings of the log-linear model.
        cluster: as in `rank`; it changes no order.
        level: stands in the ranking.
        seed: likewise.
        mix: as in `rank`.
        judge_cap: as in `rank`.
        counted: the counts, where they are known and nothing is weighed.

    Raises:
        NotIdentified: the data determine no worths.
        UnknownOption: a setting that does not fit.

    """
    if model.controls:
        raise UnknownOption("under controls orders are not asked alone: let each choice decide")
    weighing = choose_weights(mix, judge_cap)
    weighed = table if weighing is None else weighing.weigh(table)
    settings = Settings(model, "rank-sets", cluster, level, seed, None, weighed.mix)
    tally = weighed.tally() if counted is None or weighing is not None else counted
    evidence, levels = Evidence.of(tally), Levels({})
    fit = model.fit(evidence.whole)
    return order_systems(fit, evidence, levels, (Clustering(()), None), settings)


def _only(found: Ranking | GroupedRankings) -> Ranking:
    """Return the ranking of one task, also where the table names the task."""
    return found if isinstance(found, Ranking) else next(iter(found.groups.values()))


def _offer_ties(asked: Ranking, spec: BradleyTerry, run: Run) -> Iterator[Offer]:
    if asked.ties.any():
        for ties, name in TIES.items():
            if ties != spec.ties:
                yield name, partial(run, model=replace(spec, ties=ties))


def _offer_clusters(asked: Ranking, table: Comparisons, run: Run) -> Iterator[Offer]:
    ways = () if asked.rank_sets is None else asked.rank_sets.ways
    present = [name for name in ("judge", "item") if table.has(name)]
    wanted = [*present, *(["judge+item"] if len(present) > 1 else []), "judgment"]
    for cluster in wanted:
        if tuple(cluster.split("+")) != ways:
            yield CLUSTERED[cluster], partial(run, cluster=cluster)


def _offer_order(
    table: Comparisons, spec: BradleyTerry, run: Run, notes: list[str]
) -> Iterator[Offer]:
    other = partial(run, model=replace(spec, order_effect=not spec.order_effect))
    if spec.order_effect:
        yield "no advantage of the first output", other
    elif not table.positions_known:
        notes.append("which output was shown first is not known: no advantage of the first")
    elif not share_of_both_orders(table.tally()):
        notes.append(
            "every pair of systems was always shown in one order, so that no advantage of the first"
            " output can be told"
        )
    else:
        yield "advantage of the first output", other


def _offer_loads(
    table: Comparisons, weights: Mapping[str, object], run: Run, notes: list[str]
) -> Iterator[Offer]:
    if weights["judge_cap"]:
        yield "busy judges count in full", partial(run, judge_cap=None)
        return
    if weights["mix"]:
        yield "judgments as they come", partial(run, mix=None)
        return
    if not table.has("judge"):
        notes.append("judges are not known: none can be capped or left out")
        return
    loads = table.tally(by=("judge",)).factor("judge").loads
    if np.ptp(loads) > 0 and table.mix is None and not table.has("weight"):
        yield "busy judges capped at the median", partial(run, judge_cap="median")


def _offer_judges(
    data: Comparisons | Rankings | Screening, table: Comparisons, ranked: Run, notes: list[str]
) -> Iterator[Offer]:
    if not table.has("judge"):
        return
    flagged = _find_flagged(data, notes)
    if flagged:
        name = f"without flagged judges ({listing(flagged, 3)})"
        yield name, partial(ranked, table.without(judges=flagged))


def _find_flagged(data: Comparisons | Rankings | Screening, notes: list[str]) -> Sequence[str]:
    """Return the judges who are to be doubted, or note why nobody is."""
    try:
        found = data if isinstance(data, Screening) else screen_judges(data)
    except (NotIdentified, UnknownOption) as refusal:
        notes.append(f"no judge is left out: {refusal}")
        return ()
    flagged = [card.judge for card in found.flagged]
    if not flagged:
        why = f": {found.abstains}" if found.abstains else ""
        notes.append(f"no judge is flagged{why}")
    return flagged


def _try(name: str, make: Callable[[], Ranking | GroupedRankings]) -> Choice:
    """Rank by a choice, or say why it gives no ranking."""
    try:
        found = make()
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        return Choice(name, (), (), (), (), (), _plain(refusal))
    return _describe(name, _only(found))


def _plain(refusal: EvenhandError) -> str:
    return str(refusal.without_options() if hasattr(refusal, "without_options") else refusal)


def _describe(name: str, found: Ranking) -> Choice:
    sets = found.rank_sets
    pairs = [] if sets is None else sets.to_dict(found.systems)["decided"]
    lower, upper = (np.zeros(0, int),) * 2 if sets is None else sets.bounds
    return Choice(
        name,
        found.systems,
        tuple(found.rank.tolist()),
        tuple(lower.tolist()),
        tuple(upper.tolist()),
        tuple((better, worse) for better, worse in pairs),
    )
