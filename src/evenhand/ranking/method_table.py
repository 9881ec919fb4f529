"""What several methods say of the same systems, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, suggest
from evenhand.judgments.model import Scores
from evenhand.judgments.notebook import draw_groups, draw_table
from evenhand.judgments.signature import write_signature
from evenhand.ranking.distances import Disagreement, disagreements, distance_matrix
from evenhand.ranking.ranking import Ranking

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
MODEL: Final = "bradley-terry"
"""The default ranking, under the name of its model."""


@dataclass(frozen=True, eq=False, repr=False)
class MethodTable:
    """Places of the same systems by several methods.

    Attributes:
        methods: all that were asked for, in this order.
        scores: method → its scores, of those that could rank.
        refused: method → why it could not.
        ranking: the default ranking, or None where it was not asked for or refused.
        n_judgments: answers, a ranking being one.
        n_comparisons: pairs.
        ties: tied pairs.
        digest: SHA-256 of the counts.
        known: the K systems by name, whether or not a method could rank them.
        notes: what should be known of the judgments.

    """

    methods: tuple[str, ...]
    scores: Mapping[str, Scores]
    refused: Mapping[str, str]
    ranking: Ranking | None
    n_judgments: float
    n_comparisons: float
    ties: float
    digest: str
    known: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The K systems in the order of the default ranking, else by mean place, then by name."""
        if self.ranking is not None:
            return self.ranking.systems
        if not self.scores:
            return self.known
        means = np.mean([scores.places for scores in self.scores.values()], axis=0)
        return tuple(self.known[i] for i in np.argsort(means, kind="stable"))

    @cached_property
    def places(self) -> Integers:
        """(K, M) places of the systems by each method that could rank, in the order of `scores`."""
        at = {name: i for i, name in enumerate(sorted(self.systems))}
        rows = [at[name] for name in self.systems]
        places = [scores.places[rows] for scores in self.scores.values()]
        return np.stack(places, axis=1) if places else np.zeros((len(rows), 0), dtype=np.int64)

    @property
    def shown(self) -> dict[str, list[str]]:
        """Method → what its column shows of the systems: places, of the model ranks with ranges."""
        columns = zip(self.scores, self.places.T.astype(str).tolist(), strict=True)
        found: dict[str, list[str]] = dict(columns)
        ranking = self.ranking
        if MODEL in found and ranking is not None and ranking.rank_lower is not None:
            found[MODEL] = [
                f"{row['rank_lower']}"
                + f"-{row['rank_upper']}" * (row["rank_lower"] != row["rank_upper"])
                for row in ranking.rows()
            ]
        return found

    @property
    def says(self) -> str:
        """What agreement of the methods is worth, and how many pairs the model decides."""
        same = "methods share the same judgments: their agreement is no evidence"
        if self.ranking is None:
            return f"{same}, and no method here says which pairs are decided"
        better, k = self.ranking.better_than, len(self.systems)
        if better is None:
            return same
        pairs = k * (k - 1) // 2
        plural = "s" * (pairs != 1)
        return f"{same}; {MODEL} decides {int(better.sum()):,} of {pairs:,} pair{plural}"

    @cached_property
    def distances(self) -> Array:
        """(M, M) Kendall distances between methods that could rank, in the order of `scores`."""
        return distance_matrix(list(self.scores.values())) if self.scores else np.zeros((0, 0))

    @cached_property
    def disputes(self) -> tuple[Disagreement, ...]:
        """Pairs of systems that methods order differently, the most disputed first.

        A pair is the more disputed the more methods are in the minority of those that order it; of
        pairs equally disputed the one nearer to the top comes first.
        """
        place = {system: i for i, system in enumerate(self.systems)}

        def rank_dispute(one: Disagreement) -> tuple[int, int, int]:
            minority = min(len(one.first_better), len(one.second_better))
            upper, lower = sorted(place[system] for system in one.systems)
            return -minority, upper, lower

        found = disagreements(list(self.scores.values())) if self.scores else ()
        return tuple(sorted(found, key=rank_dispute))

    def signature(self, method: str) -> str:
        """Return the line that reproduces one method's numbers.

        Raises:
            InvalidJudgments: the method has no scores here.

        """
        if method not in self.scores:
            why = self.refused.get(method, "it was not asked for")
            raise InvalidJudgments(f"there are no scores by {method}: {why}")
        if method == MODEL and self.ranking is not None:
            return self.ranking.signature
        return self._sign(self._settings(method))

    @property
    def signatures(self) -> str:
        """One line that reproduces all numbers."""
        return self._sign("; ".join(map(self._settings, self.scores)))

    def _settings(self, method: str) -> str:
        return ", ".join([method, *self.scores[method].settings])

    def _sign(self, settings: str) -> str:
        return write_signature([settings], self.n_judgments, self.digest)

    def rows(self) -> list[dict[str, Any]]:
        """Return one mapping per system, in the order of the table, with plain numbers.

        `places` has each method's place, None where it could not rank; `scores` the numbers behind.
        """
        codes = [sorted(self.systems).index(name) for name in self.systems]
        values = [[scores.values[i].item() for scores in self.scores.values()] for i in codes]
        columns = [dict(zip(self.scores, row, strict=True)) for row in self.places.tolist()]
        numbers = [dict(zip(self.scores, row, strict=True)) for row in values]
        return [
            {
                "system": system,
                "places": {method: place.get(method) for method in self.methods},
                "scores": {method: number.get(method) for method in self.methods},
            }
            for system, place, number in zip(self.systems, columns, numbers, strict=True)
        ]

    def board(self, method: str) -> list[dict[str, Any]]:
        """Return what one method says of each system, best first, with plain numbers.

        Raises:
            InvalidJudgments: the method has no scores here.

        """
        self.signature(method)
        scores, places = self.scores[method], self.scores[method].places
        parts = ("stderr", "rank_lower", "rank_upper", "cluster")
        known = {name: getattr(scores, name) for name in parts}
        return [
            {
                "place": int(places[i]),
                "system": scores.systems[i],
                "score": float(scores.values[i]),
                **{name: None if own is None else own[i].item() for name, own in known.items()},
            }
            for i in np.argsort(-scores.values, kind="stable")
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand rank --method`, one group."""
        names = list(self.scores)
        return {
            "signature": self.signatures if self.scores else None,
            "n_judgments": self.n_judgments,
            "n_comparisons": self.n_comparisons,
            "methods": [self._describe(name) for name in names],
            "refused": dict(self.refused),
            "says": self.says,
            "systems": self.rows(),
            "distances": [
                {"methods": [names[i], names[j]], "kendall": float(self.distances[i, j])}
                for i, j in combinations(range(len(names)), 2)
            ],
            "disputes": [asdict(one) for one in self.disputes],
            "notes": list(self.notes),
        }

    def _describe(self, method: str) -> dict[str, Any]:
        scores = self.scores[method]
        return {
            "method": method,
            "unit": scores.unit,
            "notes": list(scores.notes),
            "signature": self.signature(method),
            "systems": self.board(method),
        }

    def _repr_html_(self) -> str:
        rows = zip(self.systems, *self.shown.values(), strict=True) if self.scores else ()
        said = [f"{name} refused: {why}" for name, why in self.refused.items()]
        said += [self.says, self.signatures] if self.scores else []
        said[-1:-1] = [f"note: {note}" for note in self.notes]
        return draw_table(("system", *self.scores), list(rows), said)

    def __str__(self) -> str:
        lines = [f"{name} refused: {why}" for name, why in self.refused.items()]
        lines += [*self._draw(), self.says] if self.scores else []
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _draw(self) -> list[str]:
        rows = [("system", *self.scores)]
        rows += list(zip(self.systems, *self.shown.values(), strict=True))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ]

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class GroupedMethodTables:
    """One table of methods per task or other group.

    Attributes:
        groups: name → table.
        by: the column that tells the groups apart.

    """

    groups: Mapping[str, MethodTable]
    by: str

    def __getitem__(self, name: str) -> MethodTable:
        if name not in self.groups:
            raise InvalidJudgments(f"no {self.by} '{name}'.{suggest(name, self.groups)}")
        return self.groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of grouped tables."""
        return {"groups": {name: table.to_dict() for name, table in self.groups.items()}}

    def _repr_html_(self) -> str:
        shown = {name: one._repr_html_() for name, one in self.groups.items()}
        return draw_groups(self.by, shown, {})

    def __str__(self) -> str:
        return "\n\n".join(f"{self.by} {name}\n{one}" for name, one in self.groups.items())

    __repr__ = __str__
