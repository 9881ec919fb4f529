"""Which systems differ in their scores? The classical tests of ratings, and the clustered one.

What is tested are the mean scores of outputs, each output once however often it was scored
(docs/significance.md, Scores). What is said first goes by the clustered p-values, those of
`evenhand.rank`. Source: METHODS of each test in `evenhand.numerics.pair_tests`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand import errors
from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.exclusions import (
    Exclusion,
    note_groups,
    sign_excluded,
    write_contract,
    write_document,
)
from evenhand.data.groups import choose_criterion, group_ratings
from evenhand.data.joining import say_alike
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.references import check_references, exclude_references
from evenhand.data.results import Grouped, Shown, try_each
from evenhand.models.means import standardise
from evenhand.models.rating_fit import RatingFit, find_unlinked, take_scores
from evenhand.numerics import Array, pair_tests
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import t_tail
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.clustering import WIDE
from evenhand.ranking.inference import Settings
from evenhand.ranking.intervals import list_known
from evenhand.ranking.ratings import (
    choose_rating_model,
    name_groups,
    rank_scores,
    settle_direction,
)
from evenhand.ranking.significance import (
    MAX_PAIRS_SHOWN,
    SIGNIFICANT,
    Friedman,
    SkillingsMack,
    friedman_test,
    skillings_mack_test,
)
from evenhand.ranking.texts import say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    join_names,
    plural,
    take_findings,
    write_p,
    write_signature,
)

Codes = NDArray[np.int64]
ROLES: Final = ("task", "judge", "item", "system", "criterion")
BLOCKS: Final = ("item", "judge")
CLUSTERED_MODELS: Final = ("adjusted", "mean", "z")  # Others have errors of their own
MIN_ITEMS: Final = 2  # Items that a paired test needs at least
MIN_DRAWS: Final = 9_999  # Flips that are drawn at least
DRAWS_PER_PAIR: Final = 2_000  # Flips for each pair, so that Holm's p-value can be .0005
MAX_FLIPS: Final = 2e10  # Most differences × flips that are drawn: a second of work
DIGITS: Final = 13  # Digits of a mean score beyond which there is rounding
DIGITS_APART: Final = 11  # The same of a difference
CLUSTERED: Final = "clustered"
PAIRED: Final = ("t", "signed_rank", "permutation")


@dataclass(frozen=True)
class PairTest:
    title: str  # of its column
    assumes: str  # in a few words


TESTS: Final[Mapping[str, PairTest]] = {
    CLUSTERED: PairTest("clustered", "{ways} drawn from many like them"),
    "permutation": PairTest("permutation", "independent items, symmetric differences"),
    "t": PairTest("t", "independent items, normal differences"),
    "signed_rank": PairTest("signed ranks", "independent items, symmetric differences"),
    "rank_sum": PairTest("rank sum", "independent outputs, not paired by item"),
}


@dataclass(frozen=True, eq=False)
class MeanScores:
    """The mean score of every output, each once."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    item: Codes  # (n,) number of the item of an output, from 0; the output where nobody knows it
    system: Codes  # (n,) code of its system
    score: Array  # (n,) its mean score; larger is better
    items: int  # how many items
    paired: bool  # whether items are known

    @classmethod
    def of(cls, rows: RatingRows, sign: float, by: str = "item") -> MeanScores:
        present, system = np.unique(rows.system, return_inverse=True)
        names = tuple(rows.systems[code] for code in present.tolist())
        labels, codes = rows.labels(by)
        paired, k = labels != ("",), len(names)
        item = number_groups(codes) if paired else np.arange(rows.size)
        cell, at = np.unique(item * k + system.reshape(-1), return_inverse=True)
        score = np.bincount(at.reshape(-1), sign * rows.score) / np.bincount(at.reshape(-1))
        digits = DIGITS - ceil(log10(max(float(np.abs(rows.score).max()), 1e-290)))
        items = int(item.max()) + 1
        return cls(names, cell // k, cell % k, np.round(score, digits), items, paired)

    @property
    def mean(self) -> Array:
        return np.asarray(np.bincount(self.system, self.score) / np.bincount(self.system))

    def tabulate(self) -> Array:
        """Return (K, I) mean scores, NaN where an item has no output of a system."""
        table = np.full((len(self.systems), self.items), np.nan)
        table[self.system, self.item] = self.score
        return table


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of systems, or those of one, tested in every way."""

    first: Codes  # (P,) code of `new`, else of the system that scores better
    second: Codes  # (P,) code of the other
    items: Array  # (P,) items that both have
    difference: Array  # (P,) mean difference over these; of means of all outputs where too few
    p: Mapping[str, Array]  # test → (P,) p-values, NaN where it cannot be made
    draws: int | None  # flips that are drawn of a pair; None where by saddlepoint
    # (P,) adjusted p-values that account for judges and items, and the difference that is tested
    clustered: Array | None = None
    adjusted: Array | None = None
    compared: str = ""  # what that is a difference of, such as raw mean scores
    ways: tuple[str, ...] = ()  # what they account for: judge, item
    limit: str | None = None  # to whom they are limited, such as "for these 3 judges only"

    def holm(self, name: str) -> Array:
        """(P,) p-values adjusted over all pairs that have the test, NaN of the others."""
        if name == CLUSTERED:
            return np.full(len(self.first), np.nan) if self.clustered is None else self.clustered
        return adjust_known(self.p[name])


def adjust_known(p: Array) -> Array:
    """Return (P,) p-values adjusted by Holm's method over those that are no NaN."""
    adjusted, known = np.full(len(p), np.nan), ~np.isnan(p)
    adjusted[known] = holm(p[known])
    return adjusted


def compare_pairs(scores: MeanScores, new: int | None, seed: int) -> Pairs:
    """Test all pairs of systems, two-sided; or those of one, one-sided."""
    k, mean, one_sided = len(scores.systems), scores.mean, new is not None
    if new is None:
        one, other = np.triu_indices(k, 1)
    else:
        other = np.flatnonzero(np.arange(k) != new)
        one = np.full(k - 1, new)
    table = scores.tabulate() if scores.paired else np.full((k, 1), np.nan)
    step = max(1, pair_tests.MAX_CELLS // table.shape[1])
    work = len(one) * table.shape[1]
    draws: int | None = max(MIN_DRAWS, DRAWS_PER_PAIR * len(one) - 1)
    draws = draws if draws * work <= MAX_FLIPS else None
    found: list[tuple[Array, ...]] = []
    for start in range(0, len(one), step):
        gap = table[one[start : start + step]] - table[other[start : start + step]]
        known = ~np.isnan(gap)
        largest = float(np.abs(gap, where=known, out=np.zeros_like(gap)).max(initial=0.0))
        digits = DIGITS_APART - ceil(log10(max(largest, 1e-290)))
        d = np.where(known, np.round(gap, digits), 0.0)
        items = known.sum(axis=1).astype(np.float64)
        flips = pair_tests.flip_tests(d, draws=draws, seed=seed, one_sided=one_sided)
        ranks = pair_tests.signed_rank_tests(d, one_sided=one_sided)
        tests = [pair_tests.t_tests(d, items, one_sided=one_sided), ranks, flips]
        tests = [np.where(items >= MIN_ITEMS, p, np.nan) for p in tests]
        apart = np.divide(d.sum(axis=1), items, out=np.full(len(d), np.nan), where=items > 0)
        found.append((apart, items, *tests))
    apart, items, *paired = (np.concatenate(parts) for parts in zip(*found, strict=True))
    apart = np.where(items >= MIN_ITEMS, apart, mean[one] - mean[other])
    sums = pair_tests.rank_sum_tests(scores.system, scores.score, k, one_sided=one_sided)
    p = dict(zip(PAIRED, paired, strict=True)) | {"rank_sum": sums[one, other]}
    turn = (apart < 0) & (new is None)
    first, second = np.where(turn, other, one), np.where(turn, one, other)
    return Pairs(first, second, items, np.where(turn, -apart, apart), p, draws)


def account_for_clusters(
    pairs: Pairs,
    rows: RatingRows,
    systems: Sequence[str],
    settings: Settings,
    *,
    one_sided: bool,
) -> tuple[Pairs, list[Finding]]:
    """Add p-values that account for judges and items, those of a ranking, or say why not."""
    # adjusted over all pairs by max-|t|; one-sided those of t, by Holm's method
    try:
        ranking = rank_scores(rows, replace(settings, references=()))
    except (errors.NotIdentified, errors.NotConverged) as refusal:
        unlinked = find_unlinked(take_scores(rows))
        if unlinked is not None:
            return pairs, [unlinked.say("unlinked")]
        return pairs, [say("not-clustered", why=str(refusal.without_options()))]
    notes = [
        say("few-judges-tested", **one.values) if one.code in WIDE else one
        for one in ranking.notes
        if one.severity != "info" and one not in rows.notes
    ]
    ways = tuple(way.name for way in ranking.ways if way.name in ("judge", "item"))
    stderr, listed = ranking.pair_stderr, ranking.pairs()
    if not ways or stderr is None or listed is None:
        why = "systems are too many" if ways else "neither judges nor items can be clustered by"
        return pairs, [*notes, say("not-clustered", why=why)]
    place = np.array([ranking.systems.index(name) for name in systems])
    one, other = place[pairs.first], place[pairs.second]
    sign = -1.0 if ranking.lower_is_better else 1.0
    adjusted = sign * (ranking.estimate[one] - ranking.estimate[other])
    p = np.full((len(systems), len(systems)), np.nan)
    upper = np.triu_indices(len(systems), 1)
    p[upper] = p.T[upper] = np.array([pair["p_adjusted"] for pair in listed], dtype=np.float64)
    clustered = p[one, other]
    if one_sided:
        known, error = ~np.isnan(clustered), stderr[one, other]
        tails = np.full(len(clustered), np.nan)
        for at in np.flatnonzero(known).tolist():
            tail = t_tail(adjusted[at] / error[at], ranking.df) / 2
            tails[at] = tail if adjusted[at] > 0 else 1 - tail
        clustered = adjust_known(tails)
    turn = (adjusted < 0) & (not one_sided)
    first = np.where(turn, pairs.second, pairs.first)
    second = np.where(turn, pairs.first, pairs.second)
    pairs = replace(
        pairs,
        first=first,
        second=second,
        difference=np.where(turn, -pairs.difference, pairs.difference),
        clustered=clustered,
        adjusted=np.where(turn, -adjusted, adjusted),
        compared=ranking.fit.title if isinstance(ranking.fit, RatingFit) else settings.name,
        ways=ways,
        limit=ranking.headline,
    )
    lacking = int(np.isnan(clustered).sum())
    notes += [say("pairs-not-clustered", n=lacking, of=len(clustered))] if lacking else []
    return pairs, notes


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTests(Shown):
    """The tests of one set of scores."""

    scores: MeanScores  # the mean scores of outputs
    pairs: Pairs  # the tests of all pairs
    friedman: Friedman | SkillingsMack | None  # whether systems differ at all
    blocks: str  # what its blocks are
    criterion: str  # under which outputs were scored, "" for none
    new: str | None  # the system that had to score better, whose pairs alone are tested
    lower_is_better: bool  # whether lower scores are
    n_judgments: int  # scores
    repeats: int  # how many of them are repeats
    judges: int  # how many judges gave them, 0 where nobody knows
    standardised: bool  # whether they are standardised by judge
    notes: tuple[str, ...]  # what cannot be tested and why, what was excluded
    signature: str  # one line that reproduces the tests
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the ratings

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that some pair has: the clustered one, then those of most pairs first."""
        made = {name: int((~np.isnan(self.pairs.holm(name))).sum()) for name in TESTS}
        names = [name for name in made if made[name]]
        return tuple(sorted(names, key=lambda name: (name != CLUSTERED, -made[name])))

    @property
    def decided(self) -> NDArray[np.bool_]:
        """(P,) whether a pair differs by the first of its tests, which is believed."""
        if self.untestable:
            return np.zeros(len(self.pairs.first), dtype=np.bool_)
        return np.asarray(self.pairs.holm(self.tests[0]) <= SIGNIFICANT)

    @property
    def untestable(self) -> bool:
        """Whether no pair has a clustered test, since nothing links systems."""
        return bool(self._differ) and CLUSTERED not in self.tests

    @property
    def _differ(self) -> tuple[str, ...]:
        """What some systems do not share: "judge", "item"."""
        for one in take_findings(self.notes):
            if one.code == "unlinked":
                return tuple(one.values["links"])
            if one.code == "different-items":
                return ("item",)
        return ()

    @property
    def says(self) -> Finding:
        """The result in a sentence."""
        pairs, (believed, *others) = self.pairs, self.tests
        if self.untestable:
            decided = {one: int((pairs.holm(one) <= SIGNIFICANT).sum()) for one in self.tests}
            named = [f"{n:,} by {TESTS[one].title}" for one, n in decided.items()]
            on = {"judge": "by", "item": "on"}
            how = [f"{on[one]} different {one}s" for one in self._differ]
            return say(
                "no-scores-testable", "info", how=join_names(how), others=errors.listing(named)
            )
        clustered, one = believed == CLUSTERED, len(pairs.first) == 1
        values: dict[str, Any] = {"test": TESTS[believed].title, "ways": " and ".join(pairs.ways)}
        values["limit"] = f" {pairs.limit}" if clustered and pairs.limit else ""
        if one:
            told = [f"p {write_p(float(pairs.p[name][0]))}" for name in others]
            first, second = (self.scores.systems[side[0]] for side in (pairs.first, pairs.second))
            values |= {"first": first, "second": second, "p": float(pairs.holm(believed)[0])}
            code = "scores-better" if self.decided[0] else "scores-not-better"
        else:
            told = [f"{int((pairs.holm(name) <= SIGNIFICANT).sum()):,}" for name in others]
            tested = int((~np.isnan(pairs.holm(believed))).sum())
            values |= {"n": int(self.decided.sum()), "of": tested}
            code = "scores-differ" if values["n"] else "no-scores-differ"
        named = [f"{said} by {TESTS[name].title}" for said, name in zip(told, others, strict=True)]
        values["others"] = f"{':' if clustered else ';'} {errors.listing(named)}" if named else ""
        return say(f"{code}-clustered" if clustered else code, "info", **values)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each pair, those that differ most surely first."""
        pairs, systems = self.pairs, self.scores.systems
        sign = -1.0 if self.lower_is_better else 1.0
        unknown = np.full(len(pairs.first), np.nan)
        adjusted = unknown if pairs.adjusted is None else sign * pairs.adjusted
        columns: dict[str, list[Any]] = {
            "first": [systems[i] for i in pairs.first.tolist()],
            "second": [systems[i] for i in pairs.second.tolist()],
            "items": list(map(int, pairs.items)),
            "difference": (sign * pairs.difference).tolist(),
            "difference_adjusted": list_known(adjusted),
            "p_clustered": list_known(pairs.holm(CLUSTERED)),
        }
        for name, p in pairs.p.items():
            columns |= {f"p_{name}": list_known(p), f"holm_{name}": list_known(pairs.holm(name))}
        believed = self.tests[0]
        least = [pairs.holm(believed), *([] if believed == CLUSTERED else [pairs.p[believed]])]
        order = np.lexsort((-pairs.difference, *reversed(least))).tolist()
        return [{name: values[at] for name, values in columns.items()} for at in order]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand test --json` of ratings, one group."""
        friedman = None
        if (block := self.friedman) is not None:
            names = ["statistic", "df", "p", "blocks", "assumes", "ignores"]
            names += ["f", "f_df", "f_p", "kendall_w"] if isinstance(block, Friedman) else []
            friedman = {"test": _name_test(block), "by": self.blocks}
            friedman |= {name: getattr(block, name) for name in names}
        return {
            **write_contract(self, "says", "criterion", "standardised", "lower_is_better", "new"),
            "sides": 1 if self.new else 2,
            "tests": self._describe_tests(),
            "pairs": self.records(),
            "friedman": friedman,
            "n_judgments": self.n_judgments,
            "repeats": self.repeats,
            "n_outputs": len(self.scores.score),
        }

    def _describe_tests(self) -> dict[str, dict[str, Any]]:
        """Return what each test assumes, and how many pairs differ by it."""
        ways = " and ".join(f"{way}s" for way in self.pairs.ways)
        tests = {}
        for name in self.tests:
            test, p = TESTS[name], self.pairs.holm(name)
            counts = {"differ": int((p <= SIGNIFICANT).sum()), "tested": int((~np.isnan(p)).sum())}
            tests[name] = {"title": test.title, "assumes": test.assumes.format(ways=ways), **counts}
        return tests

    def document(self) -> Document:
        """Return what people read: which pairs differ, the tests of each, what tests assume."""
        scores, friedman = self.scores, self.friedman
        by = f" by {plural(self.judges, 'judge')}" if self.judges else ""
        items = f", {plural(scores.items, 'item')}" if scores.paired else ""
        counts = plural(self.n_judgments, "score")
        counts += f" ({plural(self.repeats, 'repeat')})" * bool(self.repeats)
        sides = f"one-sided: does {self.new} score better?" if self.new else "two-sided."
        about = f"{self.criterion}: " if self.criterion else ""
        better = " Scores are standardised by judge." if self.standardised else ""
        better += " Lower scores are better." if self.lower_is_better else ""
        answer = [self.says]
        # to which systems no other is shown to be superior, where these are not all
        beaten, every = {*self.pairs.second[self.decided].tolist()}, np.argsort(-scores.mean)
        names = [scores.systems[one] for one in every.tolist() if one not in beaten]
        if beaten and self.new is None and len(every) > 2:
            answer.append(say("scores-unbeaten", "info", names=join_names(names), systems=names))
        if friedman is not None:
            code = "systems-differ" if friedman.p <= SIGNIFICANT else "systems-not-differ"
            how = f"{_name_test(friedman)}'s test over {plural(friedman.blocks, self.blocks)}"
            assumed = "judges are independent"
            if self.blocks == "item":
                assumed = "items are independent and judges do not matter"
            whole = friedman.df == len(scores.systems) - 1
            where = "on the whole" if whole else f"within groups that {self.blocks}s link"
            values = {"where": where, "how": how, "p": friedman.p, "assumed": assumed}
            answer.append(say(code, "info", **values))
        rows = [{"test": name} | row for name, row in self._describe_tests().items()]
        of_tests = (
            Column("title", "test"),
            Column("differ", "pairs differ", "count"),
            Column("tested", "of", "count"),
            Column("assumes", "assumes", "prose"),
        )
        caption = "What each test finds, and what it assumes"
        others = "all tests but the clustered one" if CLUSTERED in self.tests else "these tests"
        legend = (
            f"{others} ignore judges: their tastes, and their severity towards the systems they"
            " happened to score, count as differences of systems",
        )
        tests = Table("tests", caption, of_tests, tuple(rows), legend=legend)
        return write_document(
            self,
            self._tabulate_pairs(),
            tests,
            basis=f"{about}{counts}{by} of {len(scores.score):,} outputs{items},"
            f" {plural(len(scores.systems), 'system')}. Tests of mean scores of outputs,"
            f" {sides}{better}",
            answer=answer,
            csv_rows=tuple(self.records()),
        )

    def _tabulate_pairs(self) -> Table:
        keys = {name: "p_clustered" if name == CLUSTERED else f"holm_{name}" for name in self.tests}
        legend = ["p-values are adjusted for the number of pairs, by Holm's method"]
        clustered = CLUSTERED in keys
        legend[0] += "; clustered: by max-|t|" if clustered and not self.new else ""
        legend += [f"difference: of {self.pairs.compared}"] if clustered else []
        difference = "difference_adjusted" if clustered else "difference"
        rows = self.records()
        if not self.scores.paired:  # no items are known
            rows = [{**row, "items": None} for row in rows]
        return Table(
            "pairs",
            "Pairs of systems, smallest p first",
            (
                Column("first", "system", "name"),
                Column("second", "against", "name"),
                Column(difference, "difference", "two"),
                Column("items", "items", "count", priority=1),
                *(
                    Column(key, TESTS[name].title, "p", priority=8 - at)
                    for at, (name, key) in enumerate(keys.items())
                ),
            ),
            tuple(rows),
            limit=MAX_PAIRS_SHOWN,
            legend=tuple(legend),
        )


def _name_test(test: Friedman | SkillingsMack) -> str:
    return "Friedman" if isinstance(test, Friedman) else "Skillings-Mack"


@dataclass(frozen=True, eq=False, repr=False)
class GroupedTests(Grouped[ScoreTests]):
    """The tests of each task, criterion and level of a further column."""

    REFUSED = "not tested"

    def document(self) -> Document:
        """Return the groups side by side: how many pairs differ by each test."""
        names = dict.fromkeys(name for one in self.groups.values() for name in one.tests)
        rows = []
        for group, one in self.groups.items():
            differ = {name: int((one.pairs.holm(name) <= SIGNIFICANT).sum()) for name in one.tests}
            rows.append({"group": group, "pairs": len(one.pairs.first), **differ})
        columns = (
            Column("group", self.by, "name"),
            Column("pairs", "pairs", "count"),
            *(Column(name, TESTS[name].title, "count") for name in names),
        )
        limits = {group: one.pairs.limit for group, one in self.groups.items()}
        few = [f"{group} {limit}" for group, limit in limits.items() if limit]
        legend = ["p-values are adjusted within each group, not over all groups"]
        legend += [f"clustered is limited: {errors.listing(few)}"] if few else []
        caption = "Pairs that differ in each group, by test"
        return Document(parts=(Table("groups", caption, columns, tuple(rows), legend=(*legend,)),))


@controls.takes_judgments("data")
def find_differences(
    data: Ratings | controls.Openable,
    *,
    criterion: str | None = None,
    group_by: str | None = None,
    new: str | None = None,
    blocks: str = "item",
    model: str | None = None,
    lower_is_better: bool | None = None,
    references: Sequence[str] | None = None,
    seed: int = SEED,
) -> ScoreTests | GroupedTests:
    """Test which systems differ in their scores, by the classical tests and a clustered one.

    Args:
        data: ratings, or what `evenhand.read` opens as such; several tasks and criteria are tested
            apart. Controls are excluded; repeats count like any other score.
        criterion: only this one.
        group_by: a further column whose levels are tested apart.
        new: the system that is to score better: only its pairs, one-sided. Otherwise all pairs,
            two-sided.
        blocks: in what systems are ranked to see whether they differ at all: item | judge.
        model: of the clustered test: adjusted (for judges and items, the default), mean or z; with
            z the classical tests are of scores standardised by judge too, as in WMT.
        lower_is_better: whether lower scores are better; by default where the name of the
            criterion says so, such as "errors", and no score is below 0.
        references: systems that are human references, which are in no pair. By default those whose
            names say so, such as "ref-A"; () for none.
        seed: of the flips of signs that are drawn.

    Returns:
        The tests; by group where there are several tasks, criteria or levels.

    Raises:
        NotIdentified: nothing to compare, such as one system only.
        InvalidJudgments: no ratings, or no such criterion.
        UnknownOption: no such kind of block.
        UnknownColumn: no such column.

    >>> import polars as pl, evenhand
    >>> rows = [(f"{i}", s, i % 7 + 2 * (s == "new")) for i in range(30) for s in ("new", "old")]
    >>> frame = pl.DataFrame(rows, schema=["item", "system", "score"], orient="row")
    >>> found = evenhand.find_differences(evenhand.read(frame))
    >>> found.records()[0]["difference"], round(found.records()[0]["p_rank_sum"], 4)
    (2.0, 0.0012)
    """
    errors.require_option("blocks", blocks, BLOCKS)
    errors.require_seed(seed)
    if model is not None:
        errors.require_option("model", model, CLUSTERED_MODELS)
    table = controls.require_scores(
        controls.take(data), "differences of scores are tested in ratings, not in"
    )
    if not isinstance(table, Ratings):
        raise errors.InvalidJudgments(
            "differences are tested in what evenhand.read opens: pass that"
        )
    chosen = choose_criterion(table, criterion)
    table = controls.leave_out_controls(chosen)
    column = None if group_by is None else table.require(group_by)
    rows = table.rows(factors=[] if column is None or column in ROLES else [column])
    if not rows.size:
        raise errors.NotIdentified("there are no scores", ["collect some"])
    parts = group_ratings(rows, column)
    settings = Settings(
        choose_rating_model(model),
        "rank-sets",
        seed=seed,
        lower_is_better=lower_is_better,
        references=check_references(rows.systems, references),
    )
    groups, refused = try_each(
        parts,
        lambda part: run_score_tests(part, settings, new, blocks),
        () if len(parts) == 1 else (errors.NotIdentified,),
    )
    if not groups:
        raise errors.NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    groups = dict(note_groups(groups, controls.find_excluded(chosen)))
    if len(parts) == 1 and group_by is None:
        return next(iter(groups.values()))
    return GroupedTests(groups, name_groups(rows, column), refused)


def run_score_tests(
    rows: RatingRows, settings: Settings, new: str | None = None, blocks: str = "item"
) -> ScoreTests:
    settings, seed = settle_direction(rows, settings), settings.seed
    lower, standard = bool(settings.lower_is_better), settings.name == "z"
    sign = -1.0 if lower else 1.0
    rows, excluded = exclude_references(
        rows, settings.references, kept=() if new is None else (new,)
    )
    compared = replace(rows, score=standardise(take_scores(rows))) if standard else rows
    scores = MeanScores.of(compared, sign)
    systems = scores.systems
    if len(systems) < 2:
        raise errors.NotIdentified(
            f"there are scores of one system only, {systems[0]}: nothing to compare it with",
            ["collect scores of another system on the same items"],
        )
    if np.ptp(compared.score) == 0:
        raise errors.NotIdentified("all scores are equal: there is nothing to test")
    if new is not None and new not in systems:
        hint = errors.suggest(new, systems) or f" There are {errors.listing(systems)}"
        raise errors.NotIdentified(f"nobody scored a system '{new}'.{hint}")
    pairs = compare_pairs(scores, None if new is None else systems.index(new), seed)
    alone = int((pairs.items < MIN_ITEMS).sum())
    one_sided = new is not None
    pairs, notes = account_for_clusters(pairs, rows, systems, settings, one_sided=one_sided)
    ranked = scores if blocks == "item" else MeanScores.of(compared, sign, blocks)
    friedman, more = _test_blocks(ranked, blocks)
    notes += [*more, *take_findings(say_alike(systems))]
    if not scores.paired:
        notes.append(say("scores-without-items"))
    elif alone:
        notes.append(say("scores-unpaired", n=alone, of=len(pairs.items)))
    parts = [f"tests of {'z-' * standard}scores" + (f", new {new}" if new else "")]
    parts += [f"{settings.name} clustered by {'+'.join(pairs.ways)}"] if pairs.ways else []
    parts += ["flips by saddlepoint" if pairs.draws is None else f"B={pairs.draws} seed={seed}"]
    parts += [f"{_name_test(friedman)} by {blocks}"] if friedman else []
    parts += ["lower is better"] if lower else []
    judges = len(np.unique(compared.judge)) if rows.judges != ("",) else 0
    return ScoreTests(
        scores=scores,
        pairs=pairs,
        friedman=friedman,
        blocks=blocks,
        criterion=rows.criteria[int(rows.criterion[0])],
        new=new,
        lower_is_better=lower,
        n_judgments=compared.size,
        repeats=compared.repeats,
        judges=judges,
        standardised=standard,
        notes=(*rows.notes, *notes),
        signature=sign_excluded(write_signature(parts, rows.size, digest_ratings(rows)), excluded),
        excluded=excluded,
    )


def _test_blocks(
    scores: MeanScores, by: str
) -> tuple[Friedman | SkillingsMack | None, list[Finding]]:
    if len(scores.systems) == 2:
        return None, []
    if not scores.paired:
        return None, [say("no-blocks", by=by)]
    try:
        if len(scores.score) == scores.items * len(scores.systems):
            return friedman_test(scores.tabulate().T, scores.systems), []
        test = skillings_mack_test(scores.item, scores.system, scores.score, scores.systems)
    except errors.NotIdentified as refusal:
        return None, [say("no-friedman", why=str(refusal))]
    complete = int((np.bincount(scores.item) == len(scores.systems)).sum())
    return test, [say("blocks-lack-systems", n=scores.items - complete, of=scores.items, by=by)]
