"""Statistics of metrics on one set of outputs, and tests between metrics by one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from evenhand.errors import (
    UnknownOption,
    listing,
    require_option,
    require_seed,
    sentence_hint,
    suggest,
)
from evenhand.metrics import comparison
from evenhand.metrics import statistics as measures
from evenhand.metrics.comparison import MIN_SYSTEMS, TESTS, Differences, Scaled
from evenhand.metrics.statistics import Steps
from evenhand.metrics.texts import say
from evenhand.numerics import Array, Flags, Integers
from evenhand.render.document import Finding

APART: Final = 25.0  # Points of people between outputs that kendall-like compares

# Statistic → its level, title, and the word that asks for it where that is not its name
STATISTICS: Final[Mapping[str, tuple[str, str, str]]] = {
    "preference": ("judgment", "share of judgments agreed with", ""),
    "spa": ("system", "SPA", ""),
    "pa": ("system", "PA", ""),
    "system-pearson": ("system", "Pearson sys.", "pearson"),
    "system-spearman": ("system", "Spearman sys.", "spearman"),
    "system-tau-b": ("system", "τ-b sys.", "tau-b"),
    "tie-aware": ("system", "tie-aware", ""),
    "acc-eq": ("segment", "acc-eq", ""),
    "acc-eq-star": ("segment", "acc*-eq", ""),
    "segment-pearson": ("segment", "Pearson seg.", "pearson"),
    "segment-spearman": ("segment", "Spearman seg.", "spearman"),
    "segment-tau-b": ("segment", "τ-b seg.", "tau-b"),
    "tau-c": ("segment", "τ-c seg.", ""),
    "kendall-like": ("segment", "Kendall-like", ""),
}
UNASKED: Final = ("spa", "pa", "system-pearson", "acc-eq", "acc-eq-star", "segment-pearson")
UNASKED_OF_SYSTEMS: Final = ("pa", "system-pearson", "system-spearman", "system-tau-b")
UNASKED_OF_VOTES: Final = ("preference", "pa", "system-pearson", "system-tau-b")
OF_MEANS: Final = ("pa", "system-pearson", "system-spearman", "system-tau-b")
OF_PAIRS: Final = ("spa", "acc-eq", "acc-eq-star")
OF_SEGMENT_PAIRS: Final = ("acc-eq", "acc-eq-star", "kendall-like")
LEVELS: Final = ("system", "segment")
SPA_RULES: Final = ("mid-p", "wmt")
MIN_OF_R: Final = 4  # Systems: r of fewer is too coarse to test, and that of two is 1 or -1
LEAST_SYSTEMS: Final = {"perm-sys": MIN_SYSTEMS, **dict.fromkeys(TESTS[1:], MIN_OF_R)}


def name_statistic(name: str) -> str:
    """Return a statistic's title as a sentence has it: Pearson of systems."""
    return STATISTICS[name][1].replace("sys.", "of systems").replace("seg.", "of segments")


def has_test(name: str, test: str, group: str) -> bool:
    if name == "segment-pearson":
        return group == "none"
    if test == "perm-sys":
        return name in ("preference", "spa", *OF_MEANS) or (name in OF_PAIRS and group == "item")
    return name == "system-pearson" if test == "williams" else name in OF_MEANS


@dataclass(frozen=True)
class Wishes:
    statistics: tuple[str, ...] | None
    level: str | None
    group: str
    test: str
    spa: str
    seed: int

    def __post_init__(self) -> None:
        require_option("group", self.group, measures.GROUPS)
        require_option("test", self.test, TESTS)
        require_option("spa", self.spa, SPA_RULES)
        if self.level is not None:
            require_option("level", self.level, LEVELS)
        require_seed(self.seed)

    def choose(self, available: Sequence[str], unasked: Sequence[str]) -> tuple[str, ...]:
        chosen = self._list_chosen(available, unasked)
        segments = any(STATISTICS[one][0] == "segment" for one in chosen)
        idle = {
            f"--spa {self.spa} applies to SPA": self.spa != "mid-p" and "spa" not in chosen,
            f"--group {self.group} applies to statistics of segments": self.group != "item"
            and not segments,
        }
        for applies, unused in idle.items():
            if unused:
                raise UnknownOption(
                    f"{applies} alone, and computed are {listing(chosen)}: leave it out"
                )
        if self.test == "perm-sys":
            return chosen
        tested = [one for one in chosen if has_test(one, self.test, self.group)]
        if not tested or (self.statistics and tested[0] != chosen[0]):
            raise UnknownOption(
                f"{self.test} does not apply to {name_statistic(chosen[0])}: pass --statistic"
                " pearson --level system"
            )
        return tuple(dict.fromkeys((tested[0], *chosen)))

    def _list_chosen(self, available: Sequence[str], unasked: Sequence[str]) -> tuple[str, ...]:
        there = [one for one in available if self.level in (None, STATISTICS[one][0])]
        if not there:
            why = "scores of metrics, or judgments of people, are of systems as a whole"
            if "preference" in available:
                why = "people compared outputs and gave them no scores"
            raise UnknownOption(
                f"there are no statistics at the level of {self.level}s: {why}. Leave out --level"
                f" {self.level}"
            )
        if not self.statistics:
            return tuple(one for one in unasked if one in there)
        words = {one: STATISTICS[one][2] or one for one in STATISTICS}
        chosen = []
        for word in self.statistics:
            named = [one for one in STATISTICS if word in (one, words[one])]
            if not named:
                known = [*dict.fromkeys(words.values())]
                hint = sentence_hint(suggest(word, known))
                raise UnknownOption(f"no statistic '{word}': choose {' | '.join(known)}{hint}")
            fitting = [one for one in named if one in there]
            if not fitting:
                why, can = "cannot be computed here:", dict.fromkeys(words[one] for one in there)
                if any(one in available for one in named):
                    why = f"is not a statistic of {self.level}s: leave out --level {self.level}, or"
                raise UnknownOption(f"{word} {why} choose {' | '.join(can)}")
            chosen += fitting
        return tuple(dict.fromkeys(chosen))


@dataclass(frozen=True, eq=False)
class Measured:
    values: Mapping[str, Array]  # statistic → (M,)
    epsilons: Array  # (M, FOLDS) of acc-eq, in steps
    stars: Array  # (M,) of acc*-eq, in steps
    spa_error: Array  # (M,) standard error of SPA by chance of the draws
    chance: float | None  # what noise reaches by acc-eq
    # statistic → (M,) groups of segments that have none, since scores are equal; of how many
    undefined: Mapping[str, tuple[Array, int]]
    people: Array  # (K,) means, in steps
    metrics: Array  # (M, K) means, in steps

    def take(self, kept: Any) -> Measured:
        return Measured(
            {name: one[kept] for name, one in self.values.items()},
            self.epsilons[kept],
            self.stars[kept],
            self.spa_error[kept],
            self.chance,
            {name: (one[kept], n) for name, (one, n) in self.undefined.items()},
            self.people,
            self.metrics[kept],
        )


@dataclass(frozen=True, eq=False)
class Study:
    """Scores of people (1, K, S) and of metrics (M, K, S) on the same outputs."""

    people: Steps
    scores: Steps
    fold: Integers  # (S,) part of each item
    names: tuple[str, ...]  # statistics
    group: str
    whole: bool  # whether equal sums count whole in SPA
    seed: int
    # items → p-values of metrics on them, which are the same whatever people said
    flipped: dict[bytes, Array] = field(default_factory=dict)

    @property
    def judged(self) -> Flags:
        return np.asarray(~np.isnan(self.people.whole[0]))

    def measure(self, by: Steps, of: Steps, epsilon: Array | None = None) -> Measured:
        """Compute all statistics of (M, K, S) scores with (1, K, S) of people.

        epsilon: (M, FOLDS) limits of ties to take for acc-eq; else they are found.
        """
        people, scores, judged = by.whole[0], of.whole, ~np.isnan(by.whole[0])
        values, error = dict[str, Array](), np.zeros(len(scores))
        (h,), x = (measures.average_systems(judged, one) for one in (by, of))
        within = [one for one in self.names if one in OF_SEGMENT_PAIRS]
        pairs = measures.pair_segments(people, self.group) if within else None
        limits = np.zeros((len(scores), measures.FOLDS)) if epsilon is None else epsilon
        stars, undefined = np.zeros(len(scores)), dict[str, tuple[Array, int]]()
        for name in self.names:
            word = STATISTICS[name][2] or name
            if name in OF_MEANS:
                values[name] = measures.correlate_systems(h, x, word)
            elif name == "tie-aware":
                values[name] = np.array([measures.tie_aware(people, one) for one in scores])
            elif name == "spa":
                values[name], error = self._soften(people, scores)
            elif pairs is None or name not in OF_SEGMENT_PAIRS:
                each = [measures.correlate_segments(people, m, word, self.group) for m in scores]
                values[name] = np.array([value for value, _, _ in each])
                undefined[name] = np.array([n - found for _, found, n in each]), each[0][2]
            elif not pairs.size:
                values[name] = np.full(len(scores), np.nan)
            else:
                flat = scores.reshape(len(scores), -1)
                apart = [one[pairs.first] - one[pairs.second] for one in flat]
                if name == "acc-eq-star":
                    found = [measures.calibrate(pairs, one) for one in apart]
                    values[name], stars = np.array(found).T
                elif name == "kendall-like":
                    least = APART / by.size[0]
                    like = (measures.kendall_like(pairs, people, one, least) for one in apart)
                    values[name] = np.fromiter(like, dtype=np.float64)
                elif epsilon is not None:
                    far, limit = np.array(apart), epsilon[:, self.fold[pairs.item]]
                    values[name] = (measures.sign_beyond(far, limit) == pairs.order) @ pairs.weight
                else:
                    fitted = [measures.cross_fit(pairs, one, self.fold) for one in apart]
                    values[name] = np.array([one for one, _ in fitted])
                    limits = np.array([one for _, one in fitted])
        chance = None
        if pairs is not None and pairs.size and {"acc-eq", "acc-eq-star"} & {*self.names}:
            chance = measures.bound_chance(pairs)
        return Measured(values, limits, stars, error, chance, undefined, h, x)

    def _flip(self, people: Array, scores: Array, items: Flags) -> tuple[Array, Array, Array]:
        """Return flips of items, and (batches, P) p-values of people and (M, batches, P) ones."""
        flips = measures.flip_items(int(items.sum()), np.random.default_rng(self.seed))
        batches = measures.BATCHES if len(flips) % measures.BATCHES == 0 else 1
        how: Any = {"whole": self.whole, "batches": batches}
        key = items.tobytes()
        if key not in self.flipped:
            each = [measures.flip_test(one[:, items], flips, **how) for one in scores]
            self.flipped[key] = np.array(each)
        return flips, measures.flip_test(people[:, items], flips, **how), self.flipped[key]

    def _soften(self, people: Array, scores: Array) -> tuple[Array, Array]:
        """Return (M,) SPA, and its standard errors by chance of the draws."""
        items = measures.find_items(people)
        if not items.any():
            return np.full(len(scores), np.nan), np.zeros(len(scores))
        _, by_people, by_metric = self._flip(people, scores, items)
        spa = measures.soft_accuracy(by_people.mean(axis=0), by_metric.mean(axis=1))
        batches = len(by_people)
        if batches == 1:  # all flips were counted
            return spa, np.zeros(len(scores))
        drawn = measures.soft_accuracy(by_people, by_metric)  # (M, batches)
        return spa, np.asarray(drawn.std(axis=1, ddof=1) / batches**0.5)

    def require_systems(self, test: str) -> Finding | None:
        """Return a finding where a test needs more systems."""
        least, systems = LEAST_SYSTEMS.get(test, 0), len(self.judged)
        if systems >= least:
            return None
        remedy = " --test perm-both --statistic pearson --level system compares metrics on these"
        remedy += " systems only."
        told = {"test": test, "least": least, "systems": systems}
        return say("few-systems", "warning", **told, remedy=remedy if systems >= MIN_OF_R else "")

    def compare(self, name: str, test: str, measured: Measured) -> Differences | Finding:
        """Test all pairs of metrics by a statistic; a finding says why it is not done."""
        if not has_test(name, test, self.group):
            first = "--statistic pearson"
            if self.group != "none":
                first = "--statistic spa; Pearson of segments has a test with --group none"
            return say("untestable", statistic=name_statistic(name), first=first)
        pairs = np.triu_indices(len(self.scores.whole), 1)
        judged, rng = self.judged, np.random.default_rng(self.seed)
        cells = self.scores.whole[:, judged]
        if name in OF_PAIRS or (name == "pa" and test == "perm-sys"):
            people, scores = self.people.whole[0], self.scores.whole
            metrics = Scaled.by(cells, scores)
            if name == "pa":
                parts = comparison.share_order(measured.people, measured.metrics)
            elif name == "spa":
                items = measures.find_items(people)
                flips, by_people, by_metric = self._flip(people, scores, items)
                p = by_people.mean(axis=0), by_metric.mean(axis=1)
                chosen = scores[:, :, items]
                parts = comparison.soften(metrics, chosen, flips, *p, whole=self.whole)
            else:
                stars = np.repeat(measured.stars[:, None], people.shape[1], axis=1)
                limit = stars if name == "acc-eq-star" else measured.epsilons[:, self.fold]
                own = measures.split_accuracy(people, scores, limit)
                limit = limit / metrics.unit[:, None]
                parts = comparison.share_accuracy(people, metrics, limit, own)
            return comparison.test_pair_sums(parts, pairs, rng)
        pearson = name == "segment-pearson"
        rows = cells if pearson else measured.metrics
        # r changes by at most twice what standardised scores change by
        spread = np.where(np.ptp(rows, axis=1) > 0, rows.std(axis=1), np.inf)
        rounding = 4 * self.scores.error / spread
        same = comparison.SAME + rounding[pairs[0]] + rounding[pairs[1]]
        if test == "williams":
            gold = self.people.whole[0, judged] if pearson else measured.people
            return comparison.test_williams(gold, rows, pairs, same)
        if name in OF_MEANS and test == "perm-sys":
            cells = measured.metrics  # on one scale, however noisy segments are
        of_people = Scaled.by(self.people.whole[:, judged], self.people.whole)
        of_metrics = Scaled.by(cells, self.scores.whole)
        word, values = STATISTICS[name][2] or name, measured.values[name]
        measure = comparison.measure_pearson if pearson else comparison.measure_systems(word)
        how: Any = {"judged": judged, "test": test, "values": values, "same": same}
        return comparison.test_sums(of_metrics, of_people, measure, pairs, rng, **how)
