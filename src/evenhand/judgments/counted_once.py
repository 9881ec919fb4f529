"""Comparisons that are counted once: what a finer count knows is not asked of the table again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from evenhand.judgments.comparisons import BOUND_BY, TASK_BOUND, Comparisons
from evenhand.judgments.names import take_names
from evenhand.judgments.tally import Tally


@dataclass(frozen=True, eq=False, repr=False)
class CountedOnce(Comparisons):
    """Comparisons that remember how they were counted; a part of them does not."""

    @classmethod
    def of(cls, data: Comparisons) -> CountedOnce:
        """Return the same comparisons, which remember from now on."""
        return cls(**{one.name: getattr(data, one.name) for one in fields(data)})

    @cached_property
    def _counts(self) -> list[Tally]:
        return []

    def tally(self, by: Sequence[str] = (), *, limits: Mapping[str, int] | None = None) -> Tally:
        """Count outcomes, or sum what was counted; see `Comparisons.tally`."""
        if limits:
            return super().tally(by, limits=limits)
        by = take_names(by)
        factors = tuple(self.require(name) for name in by)
        coarse = (coarsen(known, factors) for known in self._counts)
        found = next((one for one in coarse if one is not None), None)
        if found is None:
            found = super().tally(by)
            self._counts.append(found)
        return found


def coarsen(known: Tally, by: Sequence[str]) -> Tally | None:
    """Return the counts by fewer factors; None where they do not follow."""
    if not set(by) <= set(known.factors) or any(one.merged for one in known.factors.values()):
        return None
    pooled = known.pool(by)
    task = known.factors.get("task")
    bound = [name for name in by if name in TASK_BOUND]
    if task is None or "task" in by or not bound:
        return pooled
    if len(task.labels) != 1:
        return None
    renamed = {
        name: replace(own, labels=tuple(f"{task.labels[0]}{BOUND_BY}{one}" for one in own.labels))
        for name, own in pooled.factors.items()
        if name in bound
    }
    return replace(pooled, factors={**pooled.factors, **renamed})
