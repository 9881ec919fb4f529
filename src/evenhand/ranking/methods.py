"""Systems by several methods side by side: places, distances, and the pairs they dispute.

Besides the default ranking (`bradley-terry`) stand the rules of `evenhand.ranking.rules`. They
answer different questions, so they may differ on the same counts; the table says where and how
much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, groupby
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    leave_out_controls,
    require_pairs,
    say_left_out,
)
from evenhand.data.exclusions import Exclusion, list_findings, sign_excluded, write_excluded
from evenhand.data.groups import choose_groups, group_ratings, say_pooled, tally_groups
from evenhand.data.joining import say_names
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.references import check_references, exclude_references, find_references
from evenhand.data.results import Grouped, Shown, try_each
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.means import standardise
from evenhand.models.rating_fit import take_scores
from evenhand.models.registry import RATING_MODELS
from evenhand.numerics import Array, Integers
from evenhand.numerics.pair_tests import rank_sum_tests
from evenhand.ranking import rules
from evenhand.ranking.clustering import FACTORS, wanted_factors
from evenhand.ranking.inference import Settings, choose_log_linear, name_model, refuse_of_ratings
from evenhand.ranking.intervals import Progress, find_clusters, rank_ranges
from evenhand.ranking.rank import rank_each
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.ratings import (
    name_groups,
    rank_scores,
    refuse_interval,
    settle_direction,
)
from evenhand.ranking.score_tests import MeanScores
from evenhand.ranking.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    describe_findings,
    exactly,
    join_names,
    plural,
    say_tally,
    take_findings,
    whole,
    write_signature,
)

MODEL: Final = "bradley-terry"  # The default ranking, under the name of its model


# How far two rankings of the same systems are apart, by their order alone.
#
# Kendall distance   D = #(pairs in opposite order) + ½ #(pairs tied in exactly one of the two)
#
# D is K^(p) with p = ½ of Fagin, Kumar, Mahdian, Sivakumar & Vee (2006), "Comparing partial
# rankings", SIAM Journal on Discrete Mathematics 20; without ties it is the number of swaps of
# neighbours that turn one order into the other (Kendall 1938).


@dataclass(frozen=True)
class Disagreement:
    systems: tuple[str, str]  # the two, by name
    first_better: tuple[str, ...]  # rules that put the first before the second
    second_better: tuple[str, ...]  # rules that put the second before the first
    level: tuple[str, ...]  # rules that give both the same score


def kendall_distance(one: Scores, other: Scores) -> float:
    """Count the pairs of systems that two rankings order differently; ties in one count half."""
    _require_same([one, other])
    mine, theirs = _signs(one), _signs(other)  # in which every pair appears twice
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


def _signs(scores: Scores) -> NDArray[np.int8]:
    """Return (K, K) 1 where the row stands before the column, −1 behind it, 0 beside it."""
    places = scores.places
    before = (places[:, None] < places).astype(np.int8)
    return before - before.T


def _require_same(rankings: Sequence[Scores]) -> None:
    if not rankings:
        raise InvalidJudgments("there are no rankings to compare: name at least one")
    first, *others = rankings
    for other in others:
        if odd := sorted(set(first.systems) ^ set(other.systems)):
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
        every = plural(pairs, "pair")
        if not self.scores:
            return ["No method gives scores."]
        if len(self.scores) == 1:
            sentences = [f"Only {next(iter(self.scores))} gives scores."]
        elif self.disputes:
            sentences = [f"Methods order {len(self.disputes):,} of {every} differently."]
        else:
            sentences = [f"All methods agree on the order of {'all ' * (pairs > 1)}{every}."]
        if self.ranking is not None and self.ranking.better_than is not None:
            n, level = int(self.ranking.better_than.sum()), self.ranking.level
            sentences.append(f"{self.default} decides {n:,} of {every} at level {level:g}.")
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
        return self._sign(method)

    @property
    def signatures(self) -> str:
        """One line that reproduces all numbers."""
        return self._sign(*self.scores)

    def _sign(self, *methods: str) -> str:
        settings = "; ".join(", ".join([one, *self.scores[one].settings]) for one in methods)
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
            {"place": int(places[i]), "system": scores.systems[i], "score": float(scores.values[i])}
            | {name: None if one is None else one[i].item() for name, one in known.items()}
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
        rows = []
        for (name, scores), apart in zip(self.scores.items(), self.distances[0], strict=True):
            place = dict(zip(scores.systems, scores.places.tolist(), strict=True))
            order = [" = ".join(same) for _, same in groupby(scores.order, key=place.__getitem__)]
            rows.append({"method": name, "distance": float(apart), "order": order})
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
    return f"{say_tally(table.n_judgments, table.n_comparisons, len(table.systems), table.ties)}."


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


@dataclass(frozen=True)
class Rule:
    title: str  # a few words for a table
    score: Callable[..., Scores]  # scores a tally
    seeded: bool = False  # whether it draws something, and takes `seed=`
    ranged: bool = False  # whether it has ranges of its own, by resampling
    in_all: bool = True  # whether `--method all` takes it; costly variants are asked for


_by_raw = partial(rules.score_feedback_arc_set, weights="raw")
_by_share = partial(rules.score_feedback_arc_set, weights="share")
_as_wmt15 = partial(rules.score_trueskill, settings=rules.WMT15)
_with_zero = partial(rules.score_expected_wins, zero=True)

# The rules by the name that users ask for
RULES: Final[Mapping[str, Rule]] = {
    "origwmt": Rule("not worse, ties won", partial(rules.score_share, rule="origwmt")),
    "bojar": Rule("wins of decided comparisons", rules.score_bojar),
    "win-rate": Rule("wins of all, ties lost", partial(rules.score_share, rule="win-rate")),
    "expected-wins": Rule(
        "mean of wins by opponent, missing pairs excluded", rules.score_expected_wins
    ),
    "expected-wins-zero": Rule("mean of wins by opponent, missing pairs 0", _with_zero),
    "expected-net-wins": Rule(
        "mean of wins less losses by opponent", partial(rules.score_share, rule="expected-net-wins")
    ),
    "soccer": Rule("mean by opponent, ties half a win", partial(rules.score_share, rule="soccer")),
    "vilar": Rule("mean of +1, 0, -1", rules.score_vilar),
    "vilar-sort": Rule("sorted by majorities", rules.score_vilar_sort),
    "feedback-arc-set": Rule(
        "fewest net wins contradicted", rules.score_feedback_arc_set, seeded=True
    ),
    "feedback-arc-set-raw": Rule("fewest wins contradicted", _by_raw, seeded=True),
    "feedback-arc-set-share": Rule("smallest net shares contradicted", _by_share, seeded=True),
    "most-probable": Rule("all pairs most probably right", rules.score_most_probable, seeded=True),
    "playoffs": Rule("knockout wins", rules.score_playoffs, seeded=True),
    "trueskill": Rule("as WMT16", rules.score_trueskill, seeded=True, ranged=True),
    "trueskill-wmt15": Rule(
        "as WMT15: not resampled", _as_wmt15, seeded=True, ranged=True, in_all=False
    ),
}

# Why a method may have no scores for some judgments
REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownOption)


@carries_excluded(*OF_SYSTEMS)
def compare_methods(
    data: Comparisons | Rankings | Ratings | Openable,
    *,
    methods: str | Sequence[str] = "all",
    model: BradleyTerry | None = None,
    interval: str = "rank-sets",
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    group_by: str | None = None,
    criterion: str | None = None,
    lower_is_better: bool | None = None,
    references: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> MethodTable | GroupedMethodTables:
    """Rank systems by several methods, and say where these differ.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task. Or ratings.
        methods: a name, several, or "all": "bradley-terry" is the default ranking (`rank`), the
            others are the rules of `evenhand.ranking.rules`. Of ratings "adjusted" is the default,
            and there are "mean", "z", "mixed" and "wmt-da".
        model: the model of "bradley-terry"; likewise interval, cluster and level, as for `rank`.
        interval: see model; "bootstrap" also gives rules rank ranges and clusters (Koehn 2012).
        cluster: see model; for rules, what is drawn whole: by default judges where they are known,
            else rankings.
        level: see model.
        seed: of everything random; it stands in the signatures.
        group_by: a column whose levels are ranked apart.
        criterion: of ratings, only this criterion; by default each by itself.
        lower_is_better: of ratings, as for `rank`; likewise references.
        references: see lower_is_better.
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
    if isinstance(data, Ratings | RatingRows):
        if model is not None:
            raise UnknownOption("methods of ratings have models of their own: leave it out")
        direction: Any = {"lower_is_better": lower_is_better, "references": references}
        asked = Settings(None, interval, cluster, level, seed, **direction)
        return compare_rating_methods(data, methods, asked, group_by)
    refuse_of_ratings(criterion, lower_is_better, references)
    table = require_pairs(data, "only comparisons and rankings can be ranked, not")
    names = choose_methods(methods)
    settings = Settings(choose_log_linear(model), interval, cluster, level, seed, progress)
    by = choose_groups(table, group_by)
    drawn: tuple[str, ...] | None = None
    if interval == "bootstrap":
        present = [name for name in ("judge", "ranking") if table.has(name) and name != by]
        drawn = tuple(present[:1])
        if cluster is not None:
            drawn = wanted_factors(cluster, {name for name in FACTORS if table.has(name)}, by)
            drawn = () if cluster == "judgment" else drawn
        own = [name for name in names if name in RULES and RULES[name].ranged]
        if own and ((drawn and cluster is not None) or level != rules.LEVEL):
            raise UnknownOption(
                f"{listing(own)} draws comparisons, as at WMT, and has ranges of {rules.LEVEL}:"
                " leave cluster and level out, or the method"
            )
    tallies = tally_groups(table, by, drawn or ())
    rankings: dict[str, Ranking | str] = {}
    if MODEL in names:
        ranked = rank_each(table, by, settings)
        rankings = {**ranked.groups, **ranked.refused}
    notes = (*say_left_out(data, table), *say_pooled(table, by))
    tables: dict[str, MethodTable] = {}
    for group, tally in tallies.items():
        before, total = len(tables) * len(names), len(tallies) * len(names)

        def step(done: int, before: int = before, total: int = total) -> None:
            if progress is not None:
                progress(before + done, total)

        found = _compare(tally, names, rankings.get(group), settings, drawn=drawn, step=step)
        tables[group] = replace(found, notes=(*notes, *found.notes))
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


def choose_methods(
    methods: str | Sequence[str], of_ratings: Sequence[str] = (), usual: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the names of methods, each once; "all" stands for the usual ones."""
    every = of_ratings or (MODEL, *RULES)
    usual = usual or (MODEL, *(name for name, rule in RULES.items() if rule.in_all))
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        require_option("method", name, ("all", *every))
    if not names:
        raise UnknownOption(f"no method is named: choose of {' | '.join(every)}, or all")
    named = (name for name in names if name != "all")
    return tuple(dict.fromkeys((*(usual if "all" in names else ()), *named)))


def _compare(
    tally: Tally,
    methods: tuple[str, ...],
    ranked: Ranking | str | None,
    settings: Settings,
    *,
    drawn: tuple[str, ...] | None,
    step: Callable[[int], None],
) -> MethodTable:
    # drawn: the factors whose levels are drawn for ranges of rules; None for no ranges
    level, seed, names = settings.level, settings.seed, say_names(tally.systems)

    def score(name: str) -> Scores:
        step(methods.index(name))
        if name == MODEL:
            if not isinstance(ranked, Ranking):
                raise NotIdentified(str(ranked))
            scored = read_scores(ranked)  # what is said of all methods is said once
            return replace(scored, notes=tuple(one for one in scored.notes if one not in names))
        rule = RULES[name]
        own = partial(rule.score, seed=seed) if rule.seeded else rule.score
        if drawn is not None and not rule.ranged:
            own = partial(rules.score_with_clusters, own, by=drawn, level=level, seed=seed)
        return replace(own(tally), rule=name)

    scores, refused = try_each({name: name for name in methods}, score, REFUSALS)
    if isinstance(ranked, str):
        refused = {MODEL: ranked} | refused
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
        titles={name: rule.title for name, rule in RULES.items()},
    )


# Of ratings: several models, and the clusters that WMT would draw. `wmt-da` is how WMT ranked by
# direct assessments (Bojar et al. 2016, Findings of the 2016 Conference on Machine Translation,
# section 3): scores are standardised by judge, averaged within an output and then over outputs; two
# systems differ where Wilcoxon's rank sum test of their outputs' means has p < .05, one-sided; a
# line stands where every system above it is better than every one below.

DEFAULT: Final = "adjusted"
WMT: Final = "wmt-da"
WMT_LEVEL: Final = 0.05  # p-value below which WMT calls a difference significant
# Method → what it is, in a few words; all of them but the ordinal model are of "all"
METHODS: Final = {
    **{name: entry.title for name, entry in RATING_MODELS.items()},
    WMT: "z-scores, with WMT's clusters by rank sum tests",
}
IN_ALL: Final = ("adjusted", "mean", "z", "mixed", WMT)


def compare_rating_methods(
    data: Ratings | RatingRows,
    methods: str | Sequence[str],
    settings: Settings,
    group_by: str | None,
) -> MethodTable | GroupedMethodTables:
    names = choose_methods(methods, [*METHODS], IN_ALL)
    refuse_interval(settings.interval)
    if isinstance(data, Ratings):
        data = leave_out_controls(data).rows(factors=[] if group_by is None else [group_by])
    references = check_references(data.systems, settings.references)
    tables: dict[str, MethodTable] = {}
    for group, rows in group_ratings(data, group_by).items():
        asked = settle_direction(rows, replace(settings, references=()))
        scores: dict[str, Scores] = {}
        refused: dict[str, str] = {}
        usual: Ranking | None = None
        of_systems, excluded = exclude_references(rows, references)
        for name in names:
            try:
                if name == WMT:
                    lower = bool(asked.lower_is_better)
                    scores[name] = score_as_wmt(rows, lower_is_better=lower, references=references)
                    continue
                own = name not in (DEFAULT, "mean", "z")  # errors of the model's own, unclustered
                model = RATING_MODELS[name].make()
                how = replace(asked, model=model, cluster=None if own else settings.cluster)
                ranking = rank_scores(of_systems, how)
                scored = read_scores(ranking)  # its settings begin with the name of the model
                scores[name] = replace(scored, rule=name, settings=scored.settings[1:])
                usual = ranking if name == DEFAULT else usual
            except (NotIdentified, NotConverged, UnknownOption) as refusal:
                refused[name] = str(refusal)
        n = float(of_systems.size)
        systems = next((one.systems for one in scores.values()), rows.systems)
        tables[group] = MethodTable(
            methods=names,
            scores=scores,
            refused=refused,
            ranking=usual,
            n_judgments=n,
            n_comparisons=n,
            ties=0.0,
            digest=digest_ratings(rows),  # those of references too: WMT standardises judges by them
            known=systems,
            notes=(*rows.notes, *say_names(systems)),
            default=DEFAULT,
            counted=f"{plural(n, 'rating')}, {plural(len(systems), 'system')}",
            titles=METHODS,
            excluded=excluded,
        )
    if not any(one.scores for one in tables.values()):
        reasons = (f"{m}: {why}" for one in tables.values() for m, why in one.refused.items())
        raise NotIdentified("; ".join(dict.fromkeys(reasons)))
    if [*tables] == [""]:
        return tables[""]
    return GroupedMethodTables(tables, name_groups(data, group_by))


def score_as_wmt(
    rows: RatingRows, *, lower_is_better: bool = False, references: Sequence[str] | None = None
) -> Scores:
    """Return mean z-scores with the clusters of WMT; human references are excluded."""
    scores = take_scores(rows)
    if "item" not in scores.factors:
        raise NotIdentified(
            "WMT's tests are of outputs, and no column names the items",
            ["name it (--column item=NAME)"],
        )
    apart = [rows.systems.index(name) for name in find_references(scores.systems, references)]
    standard = replace(rows, score=standardise(scores)).take(~np.isin(rows.system, apart))
    means = MeanScores.of(standard, -1.0 if lower_is_better else 1.0)
    k = len(means.systems)
    higher = rank_sum_tests(means.system, means.score, k, one_sided=True) < WMT_LEVEL
    better = (higher & ~np.eye(k, dtype=np.bool_)).astype(np.int8)
    decided = better - better.T
    order = np.argsort(-means.mean, kind="stable")
    cluster = np.empty(k, dtype=np.int64)
    cluster[order] = find_clusters(order, decided)
    lower, upper = rank_ranges(decided)
    return Scores(
        rule=WMT,
        systems=means.systems,
        values=means.mean,
        unit="minus z" if lower_is_better else "z",
        rank_lower=lower,
        rank_upper=upper,
        cluster=cluster,
        settings=(f"rank sum p < {WMT_LEVEL:g}", *["lower is better"] * lower_is_better),
    )
