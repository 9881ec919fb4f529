"""Systems scored again without some judges: what of their scores and order stays.

The score of a system is the mean of its scores, as in Hamon, Mostefa & Arranz (2007): no judge is
corrected for. Their table 4 is Pearson's correlation, over systems, of the scores by all judges and
by those kept; they also correlate with the scores by the removed judges alone. Correlations over
systems that differ as much as a human translation does from a machine's are high whatever is
removed: they are given again without references, and within each input type.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, end, listing, suggest
from evenhand.judgments.rating_rows import RatingRows
from evenhand.numerics.correlation import pearson, spearman
from evenhand.screening.system_scores import Correlation, Rescoring, SystemFacts, SystemScore

Array = NDArray[np.float64]
_ROUNDING = 1e-9
"""Mean scores this near are level."""


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Sums of scores of one criterion by judge and system.

    Attributes:
        criterion: the criterion.
        judges: names.
        systems: names.
        total: (J, S) sums of scores.
        count: (J, S) numbers of scores.

    """

    criterion: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    total: Array
    count: Array

    @classmethod
    def of(cls, rows: RatingRows, criterion: str = "") -> ScoreTable:
        """Sum the scores of rows, all of which belong to one criterion."""
        shape = len(rows.judges), len(rows.systems)
        cell = rows.judge.astype(np.int64) * shape[1] + rows.system
        size = shape[0] * shape[1]
        total = np.bincount(cell, rows.score, minlength=size).astype(np.float64).reshape(shape)
        count = np.bincount(cell, minlength=size).astype(np.float64).reshape(shape)
        return cls(criterion, rows.judges, rows.systems, total, count)

    def sums(self, judges: Collection[str]) -> tuple[Array, Array]:
        """Return (S,) sums and numbers of the scores of some judges.

        Raises:
            UnknownOption: a judge who is not there.

        """
        place = {name: code for code, name in enumerate(self.judges)}
        for name in judges:
            if name not in place:
                hint = end(suggest(name, self.judges))
                raise UnknownOption(f"no judge '{name}' to leave out{hint}")
        chosen = sorted(place[name] for name in judges)
        return self.total[chosen].sum(axis=0), self.count[chosen].sum(axis=0)


def rescore(
    table: ScoreTable, judges: Collection[str], method: str, facts: SystemFacts | None = None
) -> Rescoring:
    """Score systems by all judges, without some, and by those alone.

    Args:
        table: sums of scores under one criterion.
        judges: who is removed; those who gave no score here change nothing.
        method: what chose them.
        facts: references and input types.

    Raises:
        UnknownOption: a judge who is not there.

    """
    about = facts or SystemFacts()
    every, n = table.total.sum(axis=0), table.count.sum(axis=0)
    gone, n_gone = table.sums(judges)
    full, kept, removed = _mean(every, n), _mean(every - gone, n - n_gone), _mean(gone, n_gone)
    references = np.array([name in about.references for name in table.systems])
    inputs = np.array([about.inputs.get(name, "") for name in table.systems])
    left, lost = float(n.sum() - n_gone.sum()), float(n_gone.sum())
    return Rescoring(
        method,
        table.criterion,
        tuple(sorted(judges)),
        int(n.sum()),
        int(lost),
        float((every - gone).sum() / left) if left else None,
        float(gone.sum() / lost) if lost else None,
        _systems(table, about, (full, kept, removed), (n, n_gone)),
        correlate(full, kept),
        correlate(full, removed),
        correlate(full[~references], kept[~references]) if about.references else None,
        {
            name: correlate(full[inputs == name], kept[inputs == name])
            for name in sorted(set(about.inputs.values()))
        },
    )


def correlate(one: Array, other: Array) -> Correlation:
    """Correlate two columns of system scores, over the systems that both score.

    Args:
        one: (S,) scores, NaN where a system has none.
        other: (S,) scores.

    """
    both = ~np.isnan(one) & ~np.isnan(other)
    n = int(both.sum())
    if n < 2:
        return Correlation(None, None, n, "fewer than two systems have both scores")
    straight, ranks = pearson(one[both], other[both]), spearman(one[both], other[both])
    why = None if straight is not None else "all systems score alike"
    return Correlation(straight, ranks, n, why)


def _mean(total: Array, count: Array) -> Array:
    """Return means, NaN where there is nothing."""
    found = np.full(len(total), np.nan)
    np.divide(total, count, out=found, where=count > 0)
    return found


def _systems(
    table: ScoreTable,
    about: SystemFacts,
    means: tuple[Array, Array, Array],
    counts: tuple[Array, Array],
) -> tuple[SystemScore, ...]:
    """Return the systems that have a score, best first."""
    full, kept, removed = means
    scored = np.flatnonzero(counts[0])
    best_first = scored[np.argsort(-full[scored], kind="stable")]
    return tuple(
        SystemScore(
            table.systems[at],
            about.inputs.get(table.systems[at]),
            table.systems[at] in about.references,
            float(full[at]),
            None if np.isnan(kept[at]) else float(kept[at]),
            None if np.isnan(removed[at]) else float(removed[at]),
            int(counts[0][at]),
            int(counts[1][at]),
        )
        for at in best_first.tolist()
    )


def describe_change(rows: RatingRows, judges: Collection[str]) -> str:
    """Say what leaving judges out changes in the order of systems by mean score.

    Args:
        rows: scores of outputs (controls and repeats are left out); tasks and criteria are ordered
            apart, and told apart where there are several.
        judges: who is left out.

    Raises:
        UnknownOption: a judge who is not there.

    """
    return describe_changes(rows, [judges])[0]


def describe_changes(rows: RatingRows, sets: Sequence[Collection[str]]) -> list[str]:
    """Say it for several sets of judges, such as each judge alone, from one pass over the rows."""
    parts = rows.targets().split(("task", "criterion"))
    tables = {", ".join(filter(None, key)): ScoreTable.of(part) for key, part in parts.items()}
    return [_describe(tables, judges) for judges in sets]


def _describe(tables: Mapping[str, ScoreTable], judges: Collection[str]) -> str:
    """Return the changes of all tables in which the judges have scores."""
    said, alike = [], 0
    for name, table in tables.items():
        gone, lost = table.sums(judges)
        if not lost.any():
            continue
        change = _changed(table, gone, lost)
        alike += not change
        said += [f"{name}: {change}" if name and len(tables) > 1 else change] if change else []
    if not said and not alike:
        return "no score of an output is lost: the order of systems stays as it is"
    if not said:
        return "the order of systems by mean score stays as it is"
    return "; ".join(said)


def _changed(table: ScoreTable, gone: Array, lost: Array) -> str:
    """Return what changes in one order of systems, "" where nothing does."""
    every, n = table.total.sum(axis=0), table.count.sum(axis=0)
    before, after = _mean(every, n), _mean(every - gone, n - lost)
    names = table.systems
    unscored = [names[at] for at in np.flatnonzero((n > 0) & (n == lost)).tolist()]
    both = np.flatnonzero(~np.isnan(after))
    swapped = [
        (i, j)
        for i, j in combinations(both[np.argsort(-before[both], kind="stable")].tolist(), 2)
        if _turns(before[i] - before[j], after[i] - after[j])
    ]
    said = [f"nobody else scored {listing(unscored, 3)}"] if unscored else []
    if swapped:
        of = f"{len(swapped):,} of {len(both) * (len(both) - 1) // 2:,} pairs of systems"
        pairs = [
            f"{names[j]} passes {names[i]} ({_step(before, after, j)}; {_step(before, after, i)})"
            for i, j in swapped[:2]
        ]
        said.append(f"{of} change order: {listing(pairs, 2)}{', ...' * (len(swapped) > 2)}")
    return ", ".join(said)


def _turns(before: float, after: float) -> bool:
    """Say whether a difference changes its sign; what is within rounding is level."""
    return before > _ROUNDING and after < -_ROUNDING


def _step(before: Array, after: Array, at: int) -> str:
    return f"{before[at]:.4g} to {after[at]:.4g}"
