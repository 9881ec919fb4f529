"""Several ways to rank the same judgments, side by side.

Besides the default ranking (`bradley-terry`) stand the rules of `evenhand.ranking.rules`. They
answer different questions, so they may differ on the same counts; the table says where and how
much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.exclusions import Exclusion, list_texts, sign_excluded, write_excluded
from evenhand.data.groups import choose_groups, say_pooled, tally_groups
from evenhand.data.joining import say_names
from evenhand.data.rankings import Rankings
from evenhand.data.results import Grouped, draw_table, exactly, write_signature
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    suggest,
)
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.cluster_means import average_ranks
from evenhand.ranking.rank import rank, rank_each
from evenhand.ranking.ranking import Ranking, align_columns
from evenhand.ranking.rules import RULES
from evenhand.ranking.settings import Progress, Settings, choose_log_linear
from evenhand.ranking.signature import name_model

# How far two rankings of the same systems are apart, and on which pairs rules disagree.
#
# Kendall distance   D = #(pairs in opposite order) + ½ #(pairs tied in exactly one of the two)
# Kendall's τ_b      (C − O) / √((n − n₁)(n − n₂)),  C and O pairs in the same and in opposite
# order, n all pairs, n₁ and n₂ those tied in the one and in the other
# Spearman's ρ       Pearson's correlation of places, ties sharing the mean of theirs
#
# D is K^(p) with p = ½ of Fagin, Kumar, Mahdian, Sivakumar & Vee (2006), "Comparing partial
# rankings", SIAM Journal on Discrete Mathematics 20; without ties it is the number of swaps of
# neighbours that turn one order into the other (Kendall 1938). τ_b: Kendall (1945), "The treatment
# of ties in ranking problems". ρ: Spearman (1904). All three look at the order alone, never at the
# numbers behind it.

Array = NDArray[np.float64]
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
    opposite = half = 0
    for mine, theirs in zip(_signs(one), _signs(other), strict=True):
        opposite += int(np.count_nonzero(mine * theirs < 0))
        half += int(np.count_nonzero((mine == 0) != (theirs == 0)))
    return opposite + half / 2


def kendall_tau(one: Scores, other: Scores) -> float:
    """Return Kendall's τ_b of two rankings, −1 to 1."""
    _require_same([one, other])
    _require_order(one, other)
    agreed = mine_ordered = theirs_ordered = 0
    for mine, theirs in zip(_signs(one), _signs(other), strict=True):
        agreed += int((mine * theirs).sum(dtype=np.int64))
        mine_ordered += int(np.count_nonzero(mine))
        theirs_ordered += int(np.count_nonzero(theirs))
    return float(agreed / np.sqrt(float(mine_ordered) * theirs_ordered))


def spearman_rho(one: Scores, other: Scores) -> float:
    _require_same([one, other])
    _require_order(one, other)
    ranks = average_ranks(np.stack([one.values, other.values]))
    mine, theirs = ranks - ranks.mean(axis=1, keepdims=True)
    return float((mine @ theirs) / np.sqrt((mine @ mine) * (theirs @ theirs)))


def distance_matrix(rankings: Sequence[Scores]) -> Array:
    """Return the Kendall distances between several rankings, shape (M, M)."""
    _require_same(rankings)
    distances = np.zeros((len(rankings), len(rankings)))
    for i, j in combinations(range(len(rankings)), 2):
        distances[i, j] = distances[j, i] = kendall_distance(rankings[i], rankings[j])
    return distances


def disagreements(rankings: Sequence[Scores]) -> tuple[Disagreement, ...]:
    """Return the pairs that some rules order one way and some the other; ties do not count."""
    _require_same(rankings)
    disputed = []
    for i, rows in enumerate(zip(*map(_signs, rankings), strict=True)):
        signs = np.stack(rows)
        for j in np.flatnonzero((signs > 0).any(axis=0) & (signs < 0).any(axis=0)).tolist():
            pair = rankings[0].systems[i], rankings[0].systems[i + 1 + j]
            first, second, level = (
                tuple(
                    one.rule
                    for one, here in zip(rankings, (signs[:, j] == way).tolist(), strict=True)
                    if here
                )
                for way in (1, -1, 0)
            )
            disputed.append(Disagreement(pair, first, second, level))
    return tuple(disputed)


def _signs(scores: Scores) -> Iterator[Signs]:
    """Yield for each system whether it stands before (1), with (0) or behind each later one."""
    places = scores.places
    for i in range(len(places)):
        yield np.sign(places[i + 1 :] - places[i]).astype(np.int8)


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


def _require_order(*rankings: Scores) -> None:
    for one in rankings:
        if len(set(one.values.tolist())) < 2:
            raise NotIdentified(
                f"{one.rule} puts all systems on one place: there is no order to correlate with"
            )


Integers = NDArray[np.int64]
MODEL: Final = "bradley-terry"  # The default ranking, under the name of its model


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
        excluded: what was excluded from them.

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
    excluded: tuple[Exclusion, ...] = ()

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
        columns_by_method: dict[str, list[str]] = dict(columns)
        ranking = self.ranking
        if MODEL in columns_by_method and ranking is not None and ranking.rank_lower is not None:
            columns_by_method[MODEL] = [
                f"{row['rank_lower']}"
                + f"-{row['rank_upper']}" * (row["rank_lower"] != row["rank_upper"])
                for row in ranking.rows()
            ]
        return columns_by_method

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
        return (
            f"{same}; {MODEL} decides {int(better.sum()):,} of {pairs:,} pair{'s' * (pairs != 1)}"
        )

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
        if method == MODEL and self.ranking is not None:
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
            "n_judgments": self.n_judgments,
            "n_comparisons": self.n_comparisons,
            "methods": [
                {
                    "method": name,
                    "unit": self.scores[name].unit,
                    "notes": list(self.scores[name].notes),
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
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        rows = zip(self.systems, *self.shown.values(), strict=True) if self.scores else ()
        lines = [f"{name} refused: {why}" for name, why in self.refused.items()]
        lines += [self.says, self.signatures] if self.scores else []
        lines[-1:-1] = self._list_notes()
        return draw_table(("system", *self.scores), list(rows), lines)

    def __str__(self) -> str:
        lines = [f"{name} refused: {why}" for name, why in self.refused.items()]
        if self.scores:
            rows = [("system", *self.scores)]
            rows += list(zip(self.systems, *self.shown.values(), strict=True))
            lines += [*align_columns(rows, left=1), self.says]
        return "\n".join([*lines, *self._list_notes()])

    def _list_notes(self) -> list[str]:
        notes = [f"note: {note}" for note in self.notes]
        return [*notes, *list_texts(self.excluded, self.notes)]

    __repr__ = __str__


@dataclass(frozen=True, eq=False, repr=False)
class GroupedMethodTables(Grouped[Any]):
    groups: Mapping[str, MethodTable]

    def _hint(self, name: str) -> str:
        return suggest(name, self.groups)

    def to_dict(self) -> dict[str, Any]:
        return {"groups": {name: table.to_dict() for name, table in self.groups.items()}}


# Why a method may have no scores for some judgments
REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownOption)


@carries_excluded("controls")
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
            others are the rules of `evenhand.ranking.rules`.
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
    by = choose_groups(table, group_by)
    tallies = tally_groups(table, by)
    rankings = _rank(table, by, settings) if MODEL in names else {}
    notes = (*say_left_out(data, table), *say_pooled(table, by))
    tables: dict[str, MethodTable] = {}
    for group, tally in tallies.items():
        before, total = len(tables) * len(names), len(tallies) * len(names)

        def step(done: int, before: int = before, total: int = total) -> None:
            if progress is not None:
                progress(before + done, total)

        table_of_group = _compare(tally, names, rankings.get(group), seed, step)
        tables[group] = replace(table_of_group, notes=(*notes, *table_of_group.notes))
    if not any(one.scores for one in tables.values()):
        reasons = [
            f"{f'{by} {group}: ' if by is not None else ''}{method}: {why}"
            for group, one in tables.items()
            for method, why in one.refused.items()
        ]
        raise NotIdentified("; ".join(reasons))
    if by is None or (group_by is None and len(tables) == 1):
        return next(iter(tables.values()))
    return GroupedMethodTables(tables, by)


def choose_methods(methods: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of methods, each once; "all" stands for the default and rules `in_all`."""
    every = (MODEL, *RULES)
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        require_option("method", name, ("all", *every))
    if not names:
        raise UnknownOption(f"no method is named: choose of {' | '.join(every)}, or all")
    if "all" not in names:
        return tuple(dict.fromkeys(names))
    usual = (MODEL, *(name for name, rule in RULES.items() if rule.in_all))
    return tuple(dict.fromkeys((*usual, *(name for name in names if name != "all"))))


def _rank(table: Comparisons, by: str | None, settings: Settings) -> dict[str, Ranking | str]:
    if by is not None:
        grouped = rank_each(table, by, settings)
        return {**grouped.groups, **grouped.refused}
    try:
        ranking = rank(
            table,
            model=settings.model,
            interval=settings.interval,
            cluster=settings.cluster,
            level=settings.level,
            seed=settings.seed,
            progress=settings.progress,
        )
    except (NotIdentified, NotConverged) as refusal:
        return {"": str(refusal)}
    return {"": ranking} if isinstance(ranking, Ranking) else {}


def _compare(
    tally: Tally,
    methods: tuple[str, ...],
    ranked: Ranking | str | None,
    seed: int,
    step: Callable[[int], None],
) -> MethodTable:
    scores: dict[str, Scores] = {}
    refused: dict[str, str] = {}
    names = say_names(tally.systems)
    if isinstance(ranked, str):
        refused[MODEL] = ranked
    for done, name in enumerate(methods):
        step(done)
        try:
            if name != MODEL:
                score = RULES[name].load()
                scored = score(tally, seed=seed) if RULES[name].seeded else score(tally)
                scores[name] = replace(scored, rule=name)
            elif isinstance(ranked, Ranking):
                scored = read_scores(ranked)  # what is said of all methods is said once
                scores[name] = replace(
                    scored, notes=tuple(n for n in scored.notes if n not in names)
                )
        except REFUSALS as refusal:
            refused[name] = str(refusal)
    return MethodTable(
        methods=methods,
        scores=scores,
        refused=refused,
        ranking=ranked if isinstance(ranked, Ranking) else None,
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        ties=float(tally.ties.sum()),
        digest=tally.digest,
        known=tally.systems,
        notes=names,
    )


def read_scores(ranking: Ranking) -> Scores:
    """Return a ranking in the shape of a rule's scores; estimates of one place are one number."""
    order = np.argsort(ranking.systems)
    first = np.searchsorted(ranking.rank, ranking.rank)
    ranges = (ranking.rank_lower, ranking.rank_upper, ranking.cluster)
    lowest, highest, cluster = (None if part is None else part[order] for part in ranges)
    model = name_model(ranking.fit) if isinstance(ranking.fit, Fit) else ranking.model
    return Scores(
        rule=MODEL,
        systems=tuple(sorted(ranking.systems)),
        values=ranking.log_worth[first][order],
        unit="log-worth",
        stderr=None if ranking.stderr is None else ranking.stderr[order],
        rank_lower=lowest,
        rank_upper=highest,
        cluster=cluster,
        settings=(model, ranking.method, f"level {exactly(ranking.level)}"),
        notes=tuple(filter(None, (ranking.headline, *ranking.notes))),
    )
