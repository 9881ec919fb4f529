"""Is there a preference at all? The classical tests of judgments, and the model beside them.

Every pair has its sign test. A single pair has every variant of the test, and λ and γ of the
log-linear model; three systems or more have Friedman's test of agreement between blocks.

Where judges or items give several answers, clustered p-values of pairs stand beside.

Source: Dras (2015), sections 3 and 5. When not to use it: none of these tests says how much better
a system is; `evenhand.rank` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.exclusions import Exclusion, list_findings, sign_excluded, write_contract
from evenhand.data.groups import choose_groups, count_levels, tally_groups
from evenhand.data.joining import say_alike
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown, write_signature
from evenhand.data.taking import Openable
from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    require_option,
)
from evenhand.models.base import Coefficient
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.clustering import Evidence, choose_factors
from evenhand.ranking.tests import (
    Friedman,
    PairTests,
    SignTest,
    cluster_pairs,
    score_blocks,
    sign_test_pairs,
    sign_tests,
)
from evenhand.ranking.texts import say
from evenhand.ranking.wald import count_ways
from evenhand.render.counts import plural, say_tally, whole
from evenhand.render.document import ALWAYS, Column, Document, Table, Text
from evenhand.render.findings import Finding
from evenhand.render.values import write_p

BLOCKS: Final = ("judge", "item", "ranking")
SIGNIFICANT: Final = 0.05  # P-value at which a preference is said to be there
MAX_PAIRS_SHOWN: Final = 60  # Most pairs that a terminal shows; the files have all of them
MAX_PLACES_SHOWN: Final = 12  # Most mean places that are listed
AGAINST: Final = "ties that count against a system have no clustered test"
# Comparisons of each judge, item or ranking, on average, that are no independent answers
MIN_REPEATED: Final = 2
# Effective judges or items below which these tests and `rank` may well decide different pairs: both
# then know little of how much judges differ, a pair alone the less
FEW_BESIDE_RANK: Final = 12.0


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceTests(Shown):
    """The tests of one set of judgments."""

    tally: Tally  # the counts
    pairs: PairTests  # the sign tests of all pairs
    variants: tuple[SignTest, ...]  # every variant, where there is one pair
    # λ of the first system and γ, where there is one pair and they exist
    model: tuple[Coefficient, ...]
    friedman: Friedman | None  # Friedman's test, where there are three systems and complete blocks
    blocks: str  # what its blocks are
    # what is not there and why, what was excluded, what speaks against the assumptions
    notes: tuple[str, ...]
    # which of judge, item and ranking give many comparisons each, so that comparisons are not
    # independent
    repeated: tuple[str, ...] = ()
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def signature(self) -> str:
        """One line that reproduces the tests."""
        pairs = self.pairs
        parts = [f"sign test {pairs.variant}" + (f", new {pairs.new}" if pairs.new else "")]
        parts += [f"clustered by {'+'.join(pairs.clusterings)}"] if pairs.clusterings else []
        parts += [f"Friedman by {self.blocks}"] if self.friedman else []
        signature = write_signature(parts, self.tally.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def says(self) -> str:
        """The result in a sentence."""
        return self._say_pair() if len(self.pairs.p) == 1 else self._say_pairs()

    def _say_pair(self) -> Finding:
        pairs = self.pairs
        first, second = (pairs.systems[int(side[0])] for side in (pairs.first, pairs.second))
        p, values = float(pairs.p[0]), {"first": first, "second": second, "how": pairs.title}
        if pairs.clustered is not None and not np.isnan(pairs.clustered[0]):
            clustered = float(pairs.clustered[0])
            code = "preferred-clustered" if clustered <= SIGNIFICANT else "not-preferred-clustered"
            return say(
                code,
                "info",
                p=clustered,
                independent=p,
                ways=" and ".join(pairs.clusterings),
                **values,
            )
        independent = "preferred-if-independent" if self.repeated else "preferred"
        return say(independent if p <= SIGNIFICANT else "not-preferred", "info", p=p, **values)

    def _say_pairs(self) -> Finding:
        pairs, of = self.pairs, len(self.pairs.p)
        n = int((pairs.holm <= SIGNIFICANT).sum())
        if pairs.clustered_holm is None:
            if not n:
                return say("no-pair-differs", "info")
            code = "pairs-differ-if-independent" if self.repeated else "pairs-differ"
            return say(code, "info", n=n, of=of)
        clustered = int((pairs.clustered_holm <= SIGNIFICANT).sum())
        ways, tested = " and ".join(pairs.clusterings), of - len(pairs.without_spread)
        every, none = plural(of, "pair"), "No pair differs"
        if tested < of:
            every = f"the {plural(tested, 'pair')} that can be tested"
            none = f"None of {every} differs"
        code = "pairs-differ-clustered" if clustered else "no-pair-differs-clustered"
        code = code if tested else "no-pair-testable"
        values = {"n": clustered, "of": of, "tested": tested, "ways": ways, "independent": n}
        return say(code, "info", pairs=every, none=none, **values)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand test --json`, one group."""
        pairs, friedman = self.pairs, None
        if (found := self.friedman) is not None:
            places = dict(zip(found.systems, found.mean_places.tolist(), strict=True))
            fields = ("statistic", "df", "p", "f", "f_df", "f_p", "kendall_w", "assumes", "ignores")
            values = {name: getattr(found, name) for name in fields}
            friedman = {"by": self.blocks, "blocks": found.blocks, **values, "mean_places": places}
        # a direction that was read off the data has no one-sided p-value
        turned = {} if pairs.new else {"greater": None}
        return {
            **write_contract(self, "says"),
            "ties_as": pairs.variant,
            "sides": 1 if pairs.new else 2,
            "new": pairs.new,
            "pairs": pairs.rows(),
            "clusterings": list(pairs.clusterings),
            "untested": pairs.untested,
            "variants": [asdict(variant) | turned for variant in self.variants],
            "model": [asdict(coefficient) for coefficient in self.model],
            "friedman": friedman,
            "assumes": list(pairs.assumes),
            "ignores": list(pairs.ignores),
            "n_judgments": whole(self.tally.n_judgments),
            "n_comparisons": whole(self.tally.n_comparisons),
        }

    def document(self) -> Document:
        """Return what people read: which pairs differ, the tests of each, agreement of blocks."""
        tally, pairs, friedman = self.tally, self.pairs, self.friedman
        systems, ties = len(tally.systems), float(tally.ties.sum())
        counts = say_tally(tally.n_judgments, tally.n_comparisons, systems, ties)
        sides = f"one-sided: is {pairs.new} preferred?" if pairs.new else "two-sided."
        parts: list[Table | Text] = [_tabulate_pairs(pairs)]
        parts += [_tabulate_variants(pairs, self.variants, self.model)] if self.variants else []
        parts += [_tabulate_model(self.model)] if self.model else []
        parts += [] if friedman is None else [_write_friedman(friedman, self.blocks)]
        # How often the first of two systems wins, where some comparison was decided
        variants = self.variants
        first = pairs.systems[int(pairs.first[0])]
        shares = [
            say(
                "share-preferred",
                "info",
                first=first,
                share=100 * one.better / (one.better + one.worse),
                low=100 * one.interval[0],
                high=100 * one.interval[1],
            )
            for one in variants
            if one.interval is not None and one.better + one.worse
        ]
        agreed = []
        if friedman is not None:
            code = "order-agreed" if friedman.p <= SIGNIFICANT else "order-not-agreed"
            blocks = plural(friedman.blocks, self.blocks)
            agreed = [say(code, "info", blocks=blocks, p=friedman.p, w=friedman.kendall_w)]
        return Document(
            basis=f"{counts}. Sign test, {pairs.title}; {sides}",
            answer=(self.says, *shares, *agreed),
            parts=tuple(parts),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )


def _tabulate_pairs(pairs: PairTests) -> Table:
    ways = " and ".join(f"{one}s" for one in pairs.clusterings)
    clustered = (
        Column("p_clustered", "p, clustered", "p"),
        Column("holm_clustered", "Holm, clustered", "p", priority=3),
    )
    legend = [f"p holds if {'; '.join(pairs.assumes)}"]
    legend += [f"clustered: accounts for {ways}, ties ignored"] if ways else []
    return Table(
        "pairs",
        "Sign tests of pairs, smallest p first",
        (
            Column("first", "system", "name"),
            Column("second", "against", "name"),
            *(Column(name, name, "count") for name in ("better", "ties", "worse")),
            Column("p", "p", "p"),
            Column("holm", "Holm", "p", priority=2 if ways else ALWAYS),
            Column("fdr", "B-H", "p", priority=1),
            *(clustered if ways else ()),
        ),
        tuple(pairs.rows()),
        limit=MAX_PAIRS_SHOWN,
        legend=tuple(legend),
    )


def _tabulate_variants(
    pairs: PairTests, variants: Sequence[SignTest], model: Sequence[Coefficient]
) -> Table:
    rows = [
        {"variant": one.variant, "title": one.title, "z": one.z, "p": one.p, "greater": one.greater}
        for one in variants
    ]
    rows += [
        {"variant": "model", "title": "log-linear, λ", "z": worth.z, "p": worth.p, "greater": None}
        for worth in model[:1]
        if worth.z is not None and worth.p is not None
    ]
    columns = [Column("variant", "variant"), Column("title", "of the test")]
    columns += [Column("z", "z", "three"), Column("p", "p", "p")]
    columns += [Column("greater", "one-sided p", "p")] if pairs.new else []
    return Table("variants", "The same pair by other tests", tuple(columns), tuple(rows))


def _tabulate_model(model: Sequence[Coefficient]) -> Table:
    rows = []
    for one in model:
        name, odds = f"λ of {one.label}", exp(2 * one.estimate)
        row = {"name": "γ", "odds": None} if one.label == "tie" else {"name": name, "odds": odds}
        rows.append(row | asdict(one) | {"name": row["name"]})
    columns = (
        Column("name", "parameter", "name"),
        Column("estimate", "estimate", "four"),
        Column("stderr", "s.e.", "four"),
        Column("z", "z", "three"),
        Column("p", "p", "p"),
        Column("odds", "odds", "two"),
    )
    return Table("model", "Log-linear model of the pair", columns, tuple(rows))


def _write_friedman(friedman: Friedman, blocks: str) -> Text:
    f = "every block gives the same order, exact"
    if friedman.f is not None:
        f = f"F {friedman.f:.3f} on {friedman.f_df[0]} and {friedman.f_df[1]} df"
    places = sorted(zip(friedman.mean_places.tolist(), friedman.systems, strict=True))
    listed = ", ".join(f"{name} {place:.2f}" for place, name in places[:MAX_PLACES_SHOWN])
    more = len(places) - MAX_PLACES_SHOWN
    return Text(
        f"Friedman's test over {plural(friedman.blocks, blocks)}",
        (
            f" χ² {friedman.statistic:.3f} on {friedman.df} df, p {write_p(friedman.p)}; {f}, p"
            f" {write_p(friedman.f_p)}",
            f" mean places: {listed}{f' and {more:,} more systems' if more > 0 else ''}",
            f" p holds if {'; '.join(friedman.assumes)}",
        ),
    )


@carries_excluded("controls")
def find_preferences(
    data: Comparisons | Rankings | Openable,
    *,
    ties_as: str = "ignore",
    new: str | None = None,
    blocks: str = "judge",
) -> PreferenceTests:
    """Run the classical tests that the judgments allow.

    Args:
        data: comparisons or rankings, of one task.
        ties_as: what a tie is in the sign test of a pair: ignore | ignore-normal | split |
            split-normal | against | trinomial.
        new: the system that is to be preferred: only its pairs, one-sided. Otherwise all pairs,
            two-sided.
        blocks: whose orders Friedman's test compares: judge | item | ranking.

    Raises:
        UnknownOption: there is no such treatment of ties or kind of block, or importance weights.
        NotIdentified: nobody compared the new system.
        InvalidJudgments: a value in the data that cannot be, or several tasks.

    >>> from evenhand import datasets, read
    >>> import polars as pl
    >>> one = datasets.load("dras2015_table1")
    >>> data = read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))
    >>> found = find_preferences(data)
    >>> print(found.says)
    6 of 6 pairs differ (p ≤ .05 after Holm's adjustment) if all judgments are independent.
    >>> round(found.friedman.statistic, 1)
    10.2
    """
    require_option("blocks", blocks, BLOCKS)
    table = require_pairs(
        data,
        "preferences are tested in comparisons or rankings, not in",
        "find_differences tests them",
    )
    groups = tally_groups(table, choose_groups(table, None), [blocks] if table.has(blocks) else [])
    if len(groups) > 1:
        raise InvalidJudgments(
            f"{table.source.name} has {len(groups)} tasks: choose one, data.select_task('...')"
        )
    (tally,) = groups.values()
    repeats = find_repeats(table)
    clustered = count_clusters(table, None, repeats).get("", {})
    tests = run_tests(tally, blocks, clustered, ties_as=ties_as, new=new, repeats=repeats)
    return replace(tests, notes=(*say_left_out(data, table), *tests.notes))


def run_tests(
    tally: Tally,
    blocks: str,
    clustered: Mapping[str, Tally],
    *,
    ties_as: str,
    new: str | None,
    repeats: Mapping[str, str],
) -> PreferenceTests:
    """Run the tests of one group, of counts by block, and by each factor that may correlate them.

    What repeats: judge, item or ranking → how many comparisons each gives, where these are many.
    """
    pairs = sign_test_pairs(tally, variant=ties_as, new=new)
    pairs, notes = _cluster(pairs, tally, clustered, repeats)
    notes += say_alike(tally.systems)
    if pairs.untested and new:
        notes.append(say("pairs-never-compared-with", n=pairs.untested, new=new))
    elif pairs.untested:
        notes.append(say("pairs-never-compared", n=pairs.untested))
    if len(tally.systems) != 2:
        friedman, why = _test_blocks(tally, blocks)
        notes += why
        return PreferenceTests(tally, pairs, (), (), friedman, blocks, tuple(notes), (*repeats,))
    variants = sign_tests(*(int(side[0]) for side in (pairs.better, pairs.ties, pairs.worse)))
    model: tuple[Coefficient, ...] = ()  # λ of the first system and γ
    try:
        fit = BradleyTerry(reference=pairs.systems[int(pairs.second[0])]).fit(tally)
        model = tuple(one for one in fit.coefficients if one.stderr is not None)
        notes += fit.notes
    except (NotIdentified, NotConverged) as refusal:
        notes.append(say("no-model-beside", why=str(refusal.without_options())))
    return PreferenceTests(tally, pairs, variants, model, None, blocks, tuple(notes), (*repeats,))


def count_clusters(
    table: Comparisons, by: str | None, repeats: Mapping[str, str]
) -> dict[str, dict[str, Tally]]:
    """Count by judge and by item in each group, where either gives many comparisons."""
    if not {"judge", "item"} & {*repeats}:
        return {}
    return count_ways(table, by, ())


def _cluster(
    pairs: PairTests, tally: Tally, clustered: Mapping[str, Tally], repeats: Mapping[str, str]
) -> tuple[PairTests, list[str]]:
    if not repeats:
        return pairs, []
    each = [*repeats.values()]
    if pairs.variant == "against":
        return pairs, [say("correlated-unclustered", "warning", repeats=each, why=AGAINST)]
    chosen = choose_factors(Evidence(clustered, tally))
    ways = [one for one in chosen.clusterings if one in ("judge", "item")]
    if not ways:
        if chosen.headline:
            return pairs, [say("correlated-few", "warning", repeats=each, limit=chosen.headline)]
        why = next(iter(chosen.notes), "neither judges nor items are known")
        return pairs, [say("correlated-unclustered", "warning", repeats=each, why=why)]
    pairs = cluster_pairs(pairs, {way: clustered[way] for way in ways})
    notes: list[str] = [say("clustered-limited", limit=chosen.headline)] if chosen.headline else []
    if lacking := pairs.without_spread:
        way = " or ".join(ways)
        notes.append(say("pairs-without-spread", n=len(lacking), way=way, names=lacking))
    effective = {way: clustered[way].factor(way).effective for way in ways}
    fewest = min(effective, key=lambda way: effective[way])
    if len(pairs.systems) > 2 and effective[fewest] < FEW_BESIDE_RANK:
        values = {"effective": effective[fewest], "factor": fewest}
        notes.append(say("few-clusters-beside-rank", **values))
    return pairs, notes


def find_repeats(table: Comparisons) -> dict[str, str]:
    """Say which of judge, item and ranking give many comparisons each, and how many."""
    many: dict[str, str] = {}
    for role in BLOCKS:
        loads = count_levels(table, role) if table.has(role) else None
        if loads is not None and loads.sum() >= MIN_REPEATED * len(loads):
            mean = f"{loads.sum() / len(loads):,.1f}".removesuffix(".0")
            each = f"{mean} each on average" if len(loads) > 1 else f"all {mean}"
            many[role] = f"{plural(len(loads), role)} with {each}"
    return many


def _test_blocks(tally: Tally, blocks: str) -> tuple[Friedman | None, tuple[Finding, ...]]:
    try:
        scored = score_blocks(tally, blocks)
        friedman = scored.test()
    except UnknownColumn:
        return None, (say("no-blocks", by=blocks),)
    except NotIdentified as refusal:
        return None, (say("no-friedman", why=str(refusal)),)
    lost = scored.incomplete
    if not lost:
        return friedman, ()
    of = len(scored.names) + len(lost)
    return friedman, (say("blocks-incomplete", n=len(lost), of=of, by=blocks, names=lost),)
