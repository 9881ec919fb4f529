"""Systems by several methods side by side: places, distances, and the pairs they dispute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.exclusions import Exclusion, list_findings, sign_excluded, write_excluded
from evenhand.data.results import Grouped, Shown, exactly, write_signature
from evenhand.data.votes import Scores
from evenhand.errors import (
    InvalidJudgments,
    listing,
)
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array, Integers
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import name_model
from evenhand.ranking.texts import say
from evenhand.render.counts import plural, say_tally, whole
from evenhand.render.document import Column, Document, Table, Text
from evenhand.render.findings import Finding, describe_findings, take_findings
from evenhand.render.values import join_names

MODEL: Final = "bradley-terry"  # The default ranking, under the name of its model


# How far two rankings of the same systems are apart, and on which pairs rules disagree.
#
# Kendall distance   D = #(pairs in opposite order) + ½ #(pairs tied in exactly one of the two)
#
# D is K^(p) with p = ½ of Fagin, Kumar, Mahdian, Sivakumar & Vee (2006), "Comparing partial
# rankings", SIAM Journal on Discrete Mathematics 20; without ties it is the number of swaps of
# neighbours that turn one order into the other (Kendall 1938). It looks at the order alone, never
# at the numbers behind it.

Signs = NDArray[np.int8]


@dataclass(frozen=True)
class Disagreement:
    systems: tuple[str, str]  # the two, by name
    first_better: tuple[str, ...]  # rules that put the first before the second
    second_better: tuple[str, ...]  # rules that put the second before the first
    level: tuple[str, ...]  # rules that give both the same score


def kendall_distance(one: Scores, other: Scores) -> float:
    """Count the pairs of systems that two rankings order differently; ties in one count half."""
    _require_same([one, other])
    mine, theirs = _signs(one), _signs(other)  # in which every pair stands twice
    opposite = np.count_nonzero(mine * theirs < 0) / 2
    return opposite + np.count_nonzero((mine == 0) != (theirs == 0)) / 4


def distance_matrix(rankings: Sequence[Scores]) -> Array:
    _require_same(rankings)
    distances = np.zeros((len(rankings), len(rankings)))
    for i, j in combinations(range(len(rankings)), 2):
        distances[i, j] = distances[j, i] = kendall_distance(rankings[i], rankings[j])
    return distances


def disagreements(rankings: Sequence[Scores]) -> tuple[Disagreement, ...]:
    """Return the pairs that some rules order one way and some the other; ties do not count."""
    _require_same(rankings)
    systems, signs = rankings[0].systems, np.stack([_signs(one) for one in rankings])
    disputed = []
    for i, j in np.argwhere(np.triu((signs > 0).any(axis=0) & (signs < 0).any(axis=0))).tolist():
        said = [(one.rule, int(sign)) for one, sign in zip(rankings, signs[:, i, j], strict=True)]
        sides = (tuple(rule for rule, sign in said if sign == way) for way in (1, -1, 0))
        disputed.append(Disagreement((systems[i], systems[j]), *sides))
    return tuple(disputed)


def _signs(scores: Scores) -> Signs:
    """Return (K, K) 1 where the row stands before the column, −1 behind it, 0 beside it."""
    places = scores.places
    before = (places[:, None] < places).astype(np.int8)
    return before - before.T


def _require_same(rankings: Sequence[Scores]) -> None:
    if not rankings:
        raise InvalidJudgments("there are no rankings to compare: name at least one")
    first, *others = rankings
    for other in others:
        odd = sorted(set(first.systems) ^ set(other.systems))
        if odd:
            raise InvalidJudgments(
                f"{first.rule} and {other.rule} rank different systems: {listing(odd)} in one of"
                " them only; compare rankings of the same systems"
            )


@dataclass(frozen=True, eq=False, repr=False)
class MethodTable(Shown):
    """Places of the same systems by several methods."""

    methods: tuple[str, ...]  # all that were asked for, in this order
    scores: Mapping[str, Scores]  # method → its scores, of those that could rank
    refused: Mapping[str, str]  # method → why it could not
    ranking: Ranking | None  # the default ranking, or None where it was not asked for or refused
    n_judgments: float  # answers, a ranking being one
    n_comparisons: float  # pairs
    ties: float  # tied pairs
    digest: str  # SHA-256 of the counts
    known: tuple[str, ...]  # the K systems by name, whether or not a method could rank them
    notes: tuple[str, ...] = ()  # what should be known of the judgments
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from them
    default: str = MODEL  # the method that `ranking` is of
    counted: str = ""  # how many ratings there are, in words; "" of comparisons
    titles: Mapping[str, str] = field(default_factory=dict)  # method → a few words; of rules none

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
    def says(self) -> str:
        """How many pairs methods order differently, and how many the model decides."""
        return " ".join(self._answer())

    def _answer(self) -> list[str]:
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        if not self.scores:
            return ["No method gives scores."]
        if len(self.scores) == 1:
            sentences = [f"Only {next(iter(self.scores))} gives scores."]
        elif self.disputes:
            n = len(self.disputes)
            sentences = [f"Methods order {n:,} of {plural(pairs, 'pair')} differently."]
        else:
            sentences = [
                f"All methods agree on the order of {'all ' * (pairs > 1)}{plural(pairs, 'pair')}."
            ]
        decided = None if self.ranking is None else self.ranking.better_than
        if decided is not None:
            sentences.append(
                f"{self.default} decides {int(decided.sum()):,} of {plural(pairs, 'pair')} at level"
                f" {self.ranking.level:g}."  # type: ignore[union-attr]
            )
        return sentences

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

        disputed = disagreements(list(self.scores.values())) if self.scores else ()
        return tuple(sorted(disputed, key=rank_dispute))

    def signature(self, method: str) -> str:
        """Return the line that reproduces one method's numbers.

        Raises:
            InvalidJudgments: the method has no scores here.

        """
        if method not in self.scores:
            why = self.refused.get(method, "it was not asked for")
            raise InvalidJudgments(f"there are no scores by {method}: {why}")
        if method == self.default and self.ranking is not None:
            return sign_excluded(self.ranking.signature, self.excluded)
        return self._sign(self._settings(method))

    @property
    def signatures(self) -> str:
        """One line that reproduces all numbers."""
        return self._sign("; ".join(map(self._settings, self.scores)))

    def _settings(self, method: str) -> str:
        return ", ".join([method, *self.scores[method].settings])

    def _sign(self, settings: str) -> str:
        signature = write_signature([settings], self.n_judgments, self.digest)
        return sign_excluded(signature, self.excluded)

    def rows(self) -> list[dict[str, Any]]:
        """Return one mapping per system, in the order of the table, with plain numbers.

        `places` has each method's place, None where it could not rank; `scores` the numbers behind.
        """
        by_name = sorted(self.systems)
        rows = []
        for system, places in zip(self.systems, self.places.tolist(), strict=True):
            place, code = dict(zip(self.scores, places, strict=True)), by_name.index(system)
            number = {name: scores.values[code].item() for name, scores in self.scores.items()}
            rows.append(
                {
                    "system": system,
                    "places": {method: place.get(method) for method in self.methods},
                    "scores": {method: number.get(method) for method in self.methods},
                }
            )
        return rows

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
                **{
                    name: None if column is None else column[i].item()
                    for name, column in known.items()
                },
            }
            for i in np.argsort(-scores.values, kind="stable")
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand rank --method`, one group."""
        names = list(self.scores)
        return {
            "signature": self.signatures if self.scores else None,
            "excluded": write_excluded(self.excluded),
            "n_judgments": whole(self.n_judgments),
            "n_comparisons": whole(self.n_comparisons),
            "methods": [
                {
                    "method": name,
                    "unit": self.scores[name].unit,
                    "findings": describe_findings(self.scores[name].notes),
                    "signature": self.signature(name),
                    "systems": self.board(name),
                }
                for name in names
            ],
            "refused": dict(self.refused),
            "says": self.says,
            "systems": self.rows(),
            "distances": [
                {"methods": [names[i], names[j]], "kendall": float(self.distances[i, j])}
                for i, j in combinations(range(len(names)), 2)
            ],
            "disputes": [asdict(one) for one in self.disputes],
            "findings": describe_findings(self.notes),
        }

    def of_method(self, method: str) -> MethodBoard:
        """Return what one method says, as a result of its own.

        Raises:
            InvalidJudgments: the method has no scores here.

        """
        self.signature(method)
        return MethodBoard(self, method)

    def document(self) -> Document:
        """Return what people read: how far methods agree, and on which pairs they differ."""
        findings = [
            say("method-refused", "warning", method=name, why=why)
            for name, why in self.refused.items()
        ]
        if len(self.scores) > 1:
            findings.append(say("same-judgments"))
        findings += take_findings(self.notes)
        findings += [
            Finding(one.code, f"{name}: {one}", one.severity, one.values)
            for name, scores in self.scores.items()
            for one in take_findings(scores.notes)
            if one.severity == "warning"
        ]
        heads = abbreviate(self.methods)
        caption = ", ".join(f"{head} {name}" for name, head in heads.items())
        parts: list[Table | Text] = [
            Table(
                name="places",
                caption=f"Places by method: {caption}",
                columns=(
                    Column("system", "system", "name"),
                    *(Column(name, head, "integer") for name, head in heads.items()),
                ),
                rows=tuple({"system": row["system"], **row["places"]} for row in self.rows()),
                only=("latex", "markdown", "html", "csv") if self.scores else ("csv",),
            )
        ]
        if self.scores:
            parts.append(self._tabulate_orders())
        if self.disputes:
            lines = [self._say_dispute(one) for one in self.disputes[:MAX_DISPUTES]]
            more = len(self.disputes) - MAX_DISPUTES
            lines += [f"and {plural(more, 'more pair')}"] if more > 0 else []
            parts.append(Text("Pairs that methods order differently", tuple(lines)))
        return Document(
            basis=_say_counts(self),
            answer=tuple(self._answer()),
            parts=tuple(parts),
            findings=list_findings(findings, self.excluded),
            signature=self.signatures if self.scores else "",
        )

    def _tabulate_orders(self) -> Table:
        first = next(iter(self.scores))
        rows = [
            {"method": name, "distance": distance, "order": self._name_order(scores)}
            for (name, scores), distance in zip(
                self.scores.items(), self.distances[0].tolist(), strict=True
            )
        ]
        pairs = plural(len(self.systems) * (len(self.systems) - 1) / 2, "pair")
        return Table(
            name="orders",
            caption="Systems by each method, best first",
            columns=(
                Column("method", "method", "name"),
                Column("distance", "distance", "general"),
                Column("order", "systems, best first", "names"),
            ),
            rows=tuple(rows),
            legend=(
                f"distance: of {pairs}, those in another order than by {first}; ties in one of the"
                " two count half (Kendall)",
            ),
            only=("text", "markdown", "html"),
        )

    @staticmethod
    def _name_order(scores: Scores) -> list[str]:
        place = dict(zip(scores.systems, scores.places.tolist(), strict=True))
        return [" = ".join(same) for _, same in groupby(scores.order, key=place.__getitem__)]

    def _say_dispute(self, one: Disagreement) -> str:
        """Say the order that most methods see, and which do not; of equally many, the table's."""
        place = self.systems.index
        (first, second), most, least = one.systems, one.first_better, one.second_better
        if (len(least), -place(second)) > (len(most), -place(first)):
            first, second, most, least = second, first, least, most
        text = f"{first} before {second}: {len(most)} of {len(self.scores)} methods, not"
        tied = f"; tied: {', '.join(one.level)}" if one.level else ""
        return f"{text} {', '.join(least)}{tied}"


@dataclass(frozen=True, eq=False, repr=False)
class MethodBoard(Shown):
    table: MethodTable
    method: str

    def to_dict(self) -> dict[str, Any]:
        scores = self.table.scores[self.method]
        return {
            "signature": self.table.signature(self.method),
            "excluded": write_excluded(self.table.excluded),
            "method": self.method,
            "unit": scores.unit,
            "n_judgments": whole(self.table.n_judgments),
            "n_comparisons": whole(self.table.n_comparisons),
            "systems": self.table.board(self.method),
            "findings": describe_findings((*self.table.notes, *scores.notes)),
        }

    def document(self) -> Document:
        scores, rows = self.table.scores[self.method], self.table.board(self.method)
        first = [row["system"] for row in rows if row["place"] == 1]
        verb = "ranks first" if len(first) == 1 else "share first place"
        columns = [Column("place", "place", "integer"), Column("system", "system", "name")]
        counted = all(float(row["score"]).is_integer() for row in rows)
        if scores.unit != "place":  # of rules that only order the score is the place
            columns.append(Column("score", scores.unit, "count" if counted else "four"))
            if scores.stderr is not None:
                columns.append(Column("stderr", "s.e.", "four"))
        if scores.rank_lower is not None:
            columns.append(Column(("rank_lower", "rank_upper"), "range", "range"))
        clusters = [row["cluster"] for row in rows]
        title = self.table.titles.get(self.method, self.method)
        return Document(
            basis=f"{_say_counts(self.table)} {self.method}: {title}.",
            answer=(f"{join_names(first)} {verb} by {self.method}.",),
            parts=(
                Table(
                    name="scores",
                    caption=f"Systems by {self.method}, best first",
                    columns=tuple(columns),
                    rows=tuple(rows),
                    lines=tuple(i for i in range(1, len(rows)) if clusters[i] != clusters[i - 1]),
                ),
            ),
            findings=list_findings((*self.table.notes, *scores.notes), self.table.excluded),
            signature=self.table.signature(self.method),
        )


def _say_counts(table: MethodTable) -> str:
    if table.counted:
        return f"{table.counted}."
    k = len(table.systems)
    return f"{say_tally(table.n_judgments, table.n_comparisons, k, table.ties)}."


MAX_DISPUTES: Final = 5  # Disputed pairs that are named; JSON has them all


def abbreviate(methods: Sequence[str]) -> Mapping[str, str]:
    """Give every method a head of a few letters, no two alike.

    >>> dict(abbreviate(["bradley-terry", "bojar", "win-rate", "won-rows"]))
    {'bradley-terry': 'BT', 'bojar': 'Boj', 'win-rate': 'WR', 'won-rows': 'WR2'}
    """
    heads: dict[str, str] = {}
    for name in methods:
        words = name.split("-")
        head = "".join(word[0] for word in words).upper()
        head = head if len(words) > 1 else name[:3].capitalize()
        same = sum(one.rstrip("23456789") == head for one in heads.values())
        heads[name] = f"{head}{same + 1}" if same else head
    return heads


@dataclass(frozen=True, eq=False, repr=False)
class GroupedMethodTables(Grouped[Any]):
    groups: Mapping[str, MethodTable]

    def to_dict(self) -> dict[str, Any]:
        return {"groups": {name: table.to_dict() for name, table in self.groups.items()}}


def read_scores(ranking: Ranking) -> Scores:
    """Return a ranking in the shape of a rule's scores; estimates of one place are one number.

    Scores of which lower ones are better change their sign, so that larger ones come first.
    """
    order = np.argsort(ranking.systems)
    first = np.searchsorted(ranking.rank, ranking.rank)
    ranges = (ranking.rank_lower, ranking.rank_upper, ranking.cluster)
    lowest, highest, cluster = (None if part is None else part[order] for part in ranges)
    model = name_model(ranking.fit) if isinstance(ranking.fit, Fit) else ranking.model
    of_ratings = ranking.log_worth is None
    values, unit = (ranking.estimate, ranking.scale) if of_ratings else (ranking.worth, "log-worth")
    return Scores(
        rule=MODEL,
        systems=tuple(sorted(ranking.systems)),
        values=(-1.0 if ranking.lower_is_better else 1.0) * values[first][order],
        unit=f"minus {unit}" if ranking.lower_is_better else unit,
        stderr=None if ranking.stderr is None else ranking.stderr[order],
        rank_lower=lowest,
        rank_upper=highest,
        cluster=cluster,
        settings=(model, ranking.method, f"level {exactly(ranking.level)}"),
        notes=(
            *([say("limited", limit=ranking.headline)] if ranking.headline else []),
            *ranking.notes,
        ),
    )
