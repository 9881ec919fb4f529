"""Comparisons as pairs of outputs, and which systems and groups of them only the prior places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import Judgments, note_tasks, refuse_form, take_pairs
from evenhand.data.rankings import Rankings
from evenhand.data.streams import spread_bits
from evenhand.data.tally import Tally
from evenhand.data.votes import RIGHT, Votes
from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.models.design import require_counts, require_few
from evenhand.models.existence import refuse_nothing, require_two
from evenhand.models.texts import say
from evenhand.numerics import Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.sampling import MIN_DRAWS
from evenhand.render.document import Finding

# Comparisons as pairs of outputs: what one system made of one item, seen by one or many judges.
#
# Data become arrays that depend on nothing but who was preferred to whom on one and the same item:
# not on the order of rows, on sides, or on names of items and judges, and on names of systems only
# where the data do not tell them apart. So neither do seeded draws.


FRESH: Final = say("no-items", "warning")
RANKED: Final = say("no-items-of-rankings", "warning")
_ROUNDS: Final = 3  # How far systems look at opponents of their opponents to be distinguished


@dataclass(frozen=True, eq=False)
class OutputPairs:
    systems: tuple[str, ...]  # the K systems, sorted by name
    code: Integers  # (K,) number of each system in what follows
    author: Integers  # (N,) number of the system that made each output
    one: Integers  # (C,) an output of each comparison, its author numbered below the other's
    other: Integers  # (C,) the other output
    outcome: Integers  # (C,) LEFT where `one` was preferred, TIE, or RIGHT
    n_judgments: float  # answers; a ranking is one
    notes: tuple[str, ...] = ()  # what must be said of the data


def pair_outputs(data: Judgments) -> OutputPairs:
    """Return comparisons as pairs of outputs: what a system made of an item, under a criterion."""
    # Where nothing names items, outputs of one ranking are shared by its comparisons, and other
    # comparisons have outputs of their own.
    notes = note_tasks(data)
    if isinstance(data, Comparisons | Rankings):
        data = take_pairs(data).votes()
    if not isinstance(data, Votes | Tally):
        raise refuse_form(data, "preferences")
    k = len(data.systems)
    require_two(data.systems)
    require_few(data.systems)
    if isinstance(data, Votes):
        outcome = data.outcome.astype(np.int64)
        sides = data.left, data.right
        item, note = data.item.astype(np.int64), tuple[str, ...]()
        answer = np.arange(data.size) if data.answer is None else data.answer.astype(np.int64)
        n_judgments = float(len(np.unique(answer)))
        if data.items == ("",):
            item, note = answer, (RANKED if n_judgments < data.size else FRESH,)
        if data.criterion is not None:
            item = number_groups(item, data.criterion)
    else:
        require_counts(data)
        counts = data.counts.reshape(-1)
        if not np.array_equal(counts, np.rint(counts)):
            raise InvalidJudgments(
                "counts must be whole numbers: this model looks at each comparison"
            )
        cell, outcome = np.divmod(np.repeat(np.arange(len(counts)), counts.astype(np.int64)), 3)
        sides, n_judgments = (data.left[cell], data.right[cell]), data.n_judgments
        named = [name for name in ("item", "ranking") if name in data.factors][:1]
        within = [name for name in (*named, "task") if name in data.factors]
        keys = [data.whole_factor(name).codes[cell] for name in within]
        item = number_groups(*keys) if named else np.arange(len(cell))
        note = () if named == ["item"] else (RANKED,) if named else (FRESH,)
    if not len(outcome):
        refuse_nothing(data.tally() if isinstance(data, Votes) else data)
    # number systems, items and outputs by what was said of them, and put rows in order
    left, right = (side.astype(np.int64) for side in sides)
    code = _number_systems(k, left, right, outcome)
    left, right = code[left], code[right]
    low, high = np.minimum(left, right), np.maximum(left, right)
    outcome = np.where(left < right, outcome, RIGHT - outcome)
    dense = number_groups(item)
    marks = np.zeros(int(dense.max(initial=0)) + 1, dtype=np.uint64)
    np.add.at(marks, dense, spread_bits(((low * k + high) * 3 + outcome).astype(np.uint64)))
    item = _places(marks)[dense]
    order = np.lexsort((outcome, high, low, item))
    item, low, high = item[order], low[order], high[order]
    keys = np.concatenate((item, item)) * k + np.concatenate((low, high))
    outputs, output = np.unique(keys, return_inverse=True)
    one, other = output.reshape(2, -1)
    pairs = (outputs % k, one, other, outcome[order])
    return OutputPairs(data.systems, code, *pairs, n_judgments, (*note, *notes))


def _number_systems(k: int, left: Integers, right: Integers, outcome: Integers) -> Integers:
    """Return the number of each system by whom it won, lost and tied against, (K,)."""
    marks = np.zeros(k, dtype=np.uint64)
    for _ in range(_ROUNDS):
        seen = marks.copy()
        for system, rival, result in ((left, right, outcome), (right, left, RIGHT - outcome)):
            mark = spread_bits(marks[rival] + spread_bits(result.astype(np.uint64)))
            np.add.at(seen, system, mark)
        marks = spread_bits(seen)
    return _places(marks)


def _places(marks: NDArray[Any]) -> Integers:
    place = np.empty(len(marks), dtype=np.int64)
    place[np.argsort(marks, kind="stable")] = np.arange(len(marks))
    return place


class Chains:
    """Settings of what is drawn, as Hopkins & May had them by `paper`."""

    chains: int
    sweeps: int
    burn_in: int
    seed: int

    @classmethod
    def paper(cls, seed: int = SEED) -> Self:
        """Return the settings of the paper: one chain of 200 sweeps, the first 50 excluded."""
        return cls(chains=1, sweeps=200, burn_in=50, seed=seed)  # type: ignore[call-arg]

    def check_chains(self) -> None:
        if self.chains < 1:
            raise UnknownOption(f"chains cannot be {self.chains}: there is one at least")
        if self.burn_in < 0 or self.sweeps - self.burn_in < MIN_DRAWS:
            raise UnknownOption(
                f"sweeps={self.sweeps} and burn_in={self.burn_in} leave too little: take"
                f" {MIN_DRAWS} sweeps more than burn-in, or more"
            )


_MAX_SYSTEMS_NAMED: Final = 4


def note_parts(pairs: OutputPairs) -> list[Finding]:
    k, name = len(pairs.systems), np.argsort(pairs.code)
    one, other = (name[pairs.author[side]] for side in (pairs.one, pairs.other))
    seen = np.isin(np.arange(k), np.concatenate((one, other)))
    unseen = [pairs.systems[i] for i in np.flatnonzero(~seen).tolist()]
    notes = []
    if unseen:
        notes.append(say("never-compared", "warning", systems=unseen))
    part, groups = weak_components(Graph(k, one.astype(np.intp), other.astype(np.intp))), []
    for group in np.unique(part[seen]).tolist():
        names = [pairs.systems[i] for i in np.flatnonzero(part == group).tolist()]
        groups.append(listing(names, _MAX_SYSTEMS_NAMED))
    if len(groups) > 1:
        notes.append(say("unlinked-groups", "warning", groups=" | ".join(groups)))
    return notes
