"""Several ways to rank the same judgments, side by side.

Besides the default ranking (`bradley-terry`) stand the rules of `evenhand.scoring`. They answer
different questions, so they may differ on the same counts; the table says where and how much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    require_option,
)
from evenhand.judgments.alike import say_names
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.groups import choose_groups, say_pooled, tally_groups
from evenhand.judgments.model import Scores
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import exactly
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.fit import Fit
from evenhand.ranking.method_table import MODEL, GroupedMethodTables, MethodTable
from evenhand.ranking.rank import rank, rank_each
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Progress, Settings, choose_log_linear
from evenhand.ranking.signature import name_model
from evenhand.scoring.rules import RULES

REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownOption)
"""Why a method may have no scores for some judgments."""


@dataclass(frozen=True)
class Asked:
    """Which methods, and how.

    Attributes:
        methods: their names, in the order of the columns.
        settings: of the default ranking; the seed is everybody's.

    """

    methods: tuple[str, ...]
    settings: Settings


@dataclass(frozen=True)
class Ranked:
    """What the default ranking says of the groups: ranked, or why not; nothing if not asked."""

    groups: Mapping[str, Ranking]
    refused: Mapping[str, EvenhandError | str]


def compare_methods(
    data: Comparisons | Rankings,
    *,
    methods: str | Sequence[str] = "all",
    model: BradleyTerry | None = None,
    interval: str = "rank-sets",
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    group_by: str | None = None,
    progress: Progress | None = None,
) -> MethodTable | GroupedMethodTables:
    """Rank systems by several methods, and say where these differ.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task.
        methods: a name, several, or "all": "bradley-terry" is the default ranking (`rank`), the
            others are the rules of `evenhand.scoring`.
        model: the model of "bradley-terry"; likewise interval, cluster and level, as for `rank`.
        interval: see model.
        cluster: see model.
        level: see model.
        seed: of everything random; it stands in the signatures.
        group_by: a column whose levels are ranked apart.
        progress: called with steps done and to do.

    Returns:
        A table of methods; one per group where `group_by` is given, one per task where there are
        several. A method that cannot rank a group says why in `refused`.

    Raises:
        NotIdentified: no method can rank anything; says why.
        InvalidJudgments: a value in the data that cannot be.
        UnknownOption: a method or setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "y", "x", "x"], "right": ["y", "x", "y", "y"]}
    >>> data = read(pl.DataFrame(votes | {"winner": ["left", "left", "tie", "left"]}))
    >>> found = compare_methods(data, methods=["bradley-terry", "origwmt"])
    >>> found.systems, found.places.tolist()
    (('x', 'y'), [[1, 1], [2, 2]])

    """
    table = require_pairs(data, "only comparisons and rankings can be ranked, not")
    names = choose_methods(methods)
    settings = Settings(choose_log_linear(model), interval, cluster, level, seed, progress)
    asked = Asked(names, settings)
    by = choose_groups(table, group_by)
    tallies = tally_groups(table, by)
    ranked = _rank(table, by, settings) if MODEL in names else Ranked({}, {})
    pooled = (*say_left_out(data, table), *say_pooled(table, by))
    tables: dict[str, MethodTable] = {}
    for name, tally in tallies.items():
        step = _count_steps(progress, len(tables) * len(names), len(tallies) * len(names))
        tables[name] = _compare(tally, asked, _pick(ranked, name), pooled, step)
    _refuse_empty(tables, by)
    if by is None or (group_by is None and len(tables) == 1):
        return next(iter(tables.values()))
    return GroupedMethodTables(tables, by)


def choose_methods(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of methods, each once; "all" stands for the default and every rule.

    Raises:
        UnknownOption: there is no such method, or none was named.

    >>> choose_methods("bradley-terry")
    ('bradley-terry',)
    """
    every = (MODEL, *RULES)
    names = [asked] if isinstance(asked, str) else list(asked)
    for name in names:
        require_option("method", name, ("all", *every))
    if not names:
        raise UnknownOption(f"no method is named: choose of {' | '.join(every)}, or all")
    return every if "all" in names else tuple(dict.fromkeys(names))


def _rank(table: Comparisons, by: str | None, settings: Settings) -> Ranked:
    """Make the default ranking of every group; what cannot be ranked says why."""
    if by is not None:
        found = rank_each(table, by, settings)
        return Ranked(found.groups, found.refused)
    try:
        one = rank(
            table,
            model=settings.model,
            interval=settings.interval,
            cluster=settings.cluster,
            level=settings.level,
            seed=settings.seed,
            progress=settings.progress,
        )
    except (NotIdentified, NotConverged) as refusal:
        return Ranked({}, {"": refusal})
    return Ranked({"": one} if isinstance(one, Ranking) else {}, {})


def _count_steps(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    """Return a way to tell how many methods of a group are done."""

    def step(done: int) -> None:
        if progress is not None:
            progress(before + done, total)

    return step


def _pick(ranked: Ranked, name: str) -> Ranking | str | None:
    """Return the ranking of a group, or why there is none; None if it was not asked for."""
    why = ranked.refused.get(name)
    return ranked.groups.get(name) if why is None else str(why)


def _compare(
    tally: Tally,
    asked: Asked,
    ranked: Ranking | str | None,
    notes: tuple[str, ...],
    step: Callable[[int], None],
) -> MethodTable:
    """Score one group by every method."""
    scores: dict[str, Scores] = {}
    refused: dict[str, str] = {}
    names = say_names(tally.systems)
    if isinstance(ranked, str):
        refused[MODEL] = ranked
    for done, name in enumerate(asked.methods):
        step(done)
        try:
            if name != MODEL:
                scores[name] = _score(name, tally, asked.settings.seed)
            elif isinstance(ranked, Ranking):
                found = read_scores(ranked)  # what is said of all methods is said once
                scores[name] = replace(found, notes=tuple(n for n in found.notes if n not in names))
        except REFUSALS as refusal:
            refused[name] = str(refusal)
    return MethodTable(
        methods=asked.methods,
        scores=scores,
        refused=refused,
        ranking=ranked if isinstance(ranked, Ranking) else None,
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        ties=float(tally.ties.sum()),
        digest=tally.digest,
        known=tally.systems,
        notes=(*notes, *names),
    )


def _score(name: str, tally: Tally, seed: int) -> Scores:
    rule = RULES[name]
    score = rule.load()
    found = score(tally, seed=seed) if rule.seeded else score(tally)
    return replace(found, rule=name)


def read_scores(ranking: Ranking) -> Scores:
    """Return a ranking in the shape of a rule's scores; estimates of one place are one number."""
    order = np.argsort(ranking.systems)
    first = np.searchsorted(ranking.rank, ranking.rank)
    ranges = (ranking.rank_lower, ranking.rank_upper, ranking.cluster)
    lowest, highest, cluster = (None if part is None else part[order] for part in ranges)
    return Scores(
        rule=MODEL,
        systems=tuple(sorted(ranking.systems)),
        values=ranking.log_worth[first][order],
        unit="log-worth",
        stderr=None if ranking.stderr is None else ranking.stderr[order],
        rank_lower=lowest,
        rank_upper=highest,
        cluster=cluster,
        settings=(*_model_of(ranking), ranking.method, f"level {exactly(ranking.level)}"),
        notes=tuple(filter(None, (ranking.headline, *ranking.notes))),
    )


def _model_of(ranking: Ranking) -> tuple[str, ...]:
    return (name_model(ranking.fit),) if isinstance(ranking.fit, Fit) else (ranking.model,)


def _refuse_empty(tables: Mapping[str, MethodTable], by: str | None) -> None:
    """Refuse where no method can rank any group.

    Raises:
        NotIdentified: names groups and methods, and says why.

    """
    if any(table.scores for table in tables.values()):
        return
    whys = [
        f"{f'{by} {group}: ' if by is not None else ''}{method}: {why}"
        for group, table in tables.items()
        for method, why in table.refused.items()
    ]
    raise NotIdentified("; ".join(whys))
