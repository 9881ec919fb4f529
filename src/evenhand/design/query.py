"""Queries: which outputs are labelled next, what that needs, and whether a part beats all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import require_scores
from evenhand.data.engine import COUNT, fetch_columns
from evenhand.data.groups import admit_unrated
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.tables import is_unscored
from evenhand.design.texts import say
from evenhand.errors import InvalidJudgments, UnknownOption, listing, require_option
from evenhand.numerics import Array
from evenhand.numerics.gaussian_process import Points, pick_by_error, pick_by_variance
from evenhand.ratings.features import OUTPUT, FeatureTable, OutputFeatures
from evenhand.ratings.process_search import OutputProcess

# Which outputs without a label are labelled next?
#
# random        any, all alike
# uncertainty   the greatest predictive variance v
# density       v times (mean similarity to all outputs without a label)^β
# oracle        the label that most lowers the squared error over the whole pool
#
# Similarity is the model's own k. By `spread` the outputs of a batch are taken one after another, v
# being what is left of it once those before have labels; the mean similarity of density stays that
# to all which waited before the batch. Without `spread` the batch is what scores highest at first.
#
# The oracle looks at the labels of the pool, never at test outputs. It is greedy, one label at a
# time, and for this model: a bound in that loose sense only of what choosing may gain if one knew.
#
# Sources: Beck, Specia & Cohn (2013), ACL, of which the abstract is what is known to us; Settles &
# Craven (2008), EMNLP, eq. 13 (information density; its similarity is a cosine). That the
# similarity is k, how a batch is spread, and the oracle are ours.

Numbers = NDArray[np.int64]

RANDOM_QUERY: Final = "random"
STRATEGIES: Final = (RANDOM_QUERY, "uncertainty", "density", "oracle")


@dataclass(frozen=True, eq=False)
class QueryState:
    process: OutputProcess  # what is believed of outputs
    points: Points  # features of the whole pool
    waiting: Numbers  # (u,) numbers of the outputs without a label, ascending
    truth: Array | None = None  # (n,) labels of the whole pool; only an oracle has them


@dataclass(frozen=True)
class Query:
    """How outputs to label are chosen.

    Attributes:
        strategy: of STRATEGIES.
        power: β of density.
        spread: whether an output of a batch counts as labelled when the next is chosen.

    """

    strategy: str = "uncertainty"
    power: float = 1.0
    spread: bool = True

    def __post_init__(self) -> None:
        require_option("strategy", self.strategy, STRATEGIES)
        if not 0 <= self.power < np.inf:
            raise UnknownOption(f"power {self.power:g}: a number from 0, such as 1")
        if self.power != 1.0 and self.strategy != "density":
            raise UnknownOption(f"power {self.power:g}: only density has one")
        if not self.spread and self.strategy not in ("uncertainty", "density"):
            raise UnknownOption(f"spread=False: {self.strategy} has no scores to rank a batch by")

    @property
    def name(self) -> str:
        """What it is called in tables."""
        power = f" β={self.power:g}" if self.power != 1.0 else ""
        return f"{self.strategy}{power}{'' if self.spread else ', not spread'}"

    def choose(self, scene: QueryState, size: int, rng: np.random.Generator) -> Numbers:
        """Return the numbers of outputs to label, in the order of choice.

        Args:
            scene: what is known.
            size: how many; all that wait where there are fewer.
            rng: of random choices.

        Raises:
            UnknownOption: an oracle without the labels.

        """
        return self.pick(scene, size, rng)[0]

    def pick(
        self, scene: QueryState, size: int, rng: np.random.Generator
    ) -> tuple[Numbers, Array | None]:
        """Return the numbers that `choose` returns, and the variance of each when it was chosen.

        Variances are of the function, on standardised labels; those chosen before count as
        labelled where a batch is spread. None where variances did not choose.
        """
        size, process = min(size, len(scene.waiting)), scene.process
        if self.strategy == RANDOM_QUERY:
            return np.asarray(rng.permutation(scene.waiting)[:size]), None
        left = scene.points.take(scene.waiting)
        if self.strategy == "oracle":
            if scene.truth is None:
                raise UnknownOption(
                    "an oracle knows the labels, which nobody has in a campaign: choose"
                    " uncertainty or density; trace_queries shows the oracle beside them on outputs"
                    " that have labels"
                )
            covariance = process.covariance(scene.points, left)
            standardise = process.standard.standardise
            wrong = standardise(scene.truth) - standardise(process.predict_mean(scene.points))
            taken = pick_by_error(covariance, scene.waiting, process.noise, wrong, size)
            return np.asarray(scene.waiting[taken]), None
        covariance, weight = process.covariance(left, left), self.weigh(process, left)
        if self.spread:
            taken, variance = pick_by_variance(covariance, process.noise, weight, size)
        else:
            taken = np.argsort(-np.diag(covariance) * weight, kind="stable")[:size]
            variance = np.diag(covariance)[taken]
        return np.asarray(scene.waiting[taken]), variance

    def weigh(self, process: OutputProcess, left: Points) -> Array:
        """Return what each output's variance is multiplied by."""
        if self.strategy != "density":
            return np.ones(len(left))
        return np.asarray(process.correlate(left, left).mean(axis=1) ** self.power)


# An output's label is the mean of its ratings. Outputs are in the order of their names, so that
# nothing that is drawn later depends on the order of the table.


@dataclass(frozen=True, eq=False)
class FeaturedOutputs:
    """n outputs, in the order of their names."""

    items: tuple[str, ...]  # (n,) names of their items, with the task where there are tasks
    systems: tuple[str, ...]  # (n,) names of their systems
    table: FeatureTable  # features
    label: Array  # (n,) mean rating; 0 where it is not known
    ratings: Numbers  # (n,) how many ratings that is the mean of
    digest: str  # of the ratings and the features
    notes: tuple[str, ...] = ()  # what was left out in reading

    def __len__(self) -> int:
        return len(self.items)

    @property
    def names(self) -> list[tuple[str, str]]:
        return list(zip(self.items, self.systems, strict=True))

    @property
    def item_codes(self) -> Numbers:
        return np.unique(np.array(self.items), return_inverse=True)[1].reshape(-1).astype(np.int64)

    def take(self, rows: NDArray[Any]) -> FeaturedOutputs:
        at = rows.tolist()
        return replace(
            self,
            items=tuple(self.items[i] for i in at),
            systems=tuple(self.systems[i] for i in at),
            table=self.table.take(rows),
            label=self.label[rows],
            ratings=self.ratings[rows],
        )


def read_outputs(data: Ratings | RatingRows, features: OutputFeatures) -> FeaturedOutputs:
    """Return the outputs that have ratings; controls and repeats are excluded."""
    if OUTPUT in features.labels:
        raise UnknownOption(
            f"'{OUTPUT}' is no feature to choose by: it is unlike that of every other output;"
            " name columns that are known before anybody rates, or texts"
        )
    rows = features.read_rows(data)
    for role, plural in (("criterion", "criteria"), ("task", "tasks")):
        names, labels = rows.labels(role)
        several = [names[code] for code in np.unique(labels)]
        if len(several) > 1 and (role == "criterion" or role not in features.labels):
            more = "" if role == "criterion" else f", or make '{role}' a label among the features"
            raise InvalidJudgments(
                f"ratings of several {plural} ({listing(several)}): an output has one label here;"
                f" choose one{more}"
            )
    items, systems = np.array(rows.items), np.array(rows.systems)
    order = np.lexsort((rows.score, systems[rows.system], items[rows.item]))
    rows = rows.take(order)
    first = np.flatnonzero(np.diff(rows.output, prepend=-1))
    sizes = np.diff(first, append=rows.size)
    table = features.read(rows)
    _refuse_unlike(
        table.take(np.repeat(first, sizes)),
        table,
        lambda row: f"{rows.items[rows.item[row]]}, {rows.systems[rows.system[row]]}",
    )
    # labels as numbers that a digest takes
    codes = [np.unique(label.astype(str), return_inverse=True)[1] for label in table.labels.T]
    numbers = [code.reshape(-1).astype(np.float64) for code in codes]
    return FeaturedOutputs(
        tuple(items[rows.item[first]].tolist()),
        tuple(systems[rows.system[first]].tolist()),
        table.take(first),
        np.add.reduceat(rows.score, first) / sizes,
        sizes.astype(np.int64),
        digest_ratings(rows, [*table.numbers.T, *numbers]),
        rows.notes,
    )


def read_either(
    data: Ratings, features: OutputFeatures
) -> tuple[FeaturedOutputs | None, FeaturedOutputs | None]:
    """Return the outputs that have ratings, and those that only stand in rows without a score."""
    # Either is None where there are none. A row without a score of an output that has ratings is
    # left out, once its features are seen to be the same.
    require_scores(data, "outputs are chosen by ratings, not by")
    data = admit_unrated(data)
    unrated = data.frame.filter(is_unscored(data.frame)).with_columns(score=nw.lit(0.0))
    parts: list[FeaturedOutputs | None] = []
    for part in (keep_rated(data), replace(data, frame=unrated)):
        n_rows = fetch_columns(part.frame.select(nw.len().alias(COUNT)))[COUNT][0]
        parts.append(read_outputs(part, features) if n_rows > 0 else None)
    rated, waiting = parts
    if rated is None or waiting is None:
        return rated, waiting
    known = {name: row for row, name in enumerate(rated.names)}
    at = np.array([known.get(name, -1) for name in waiting.names])
    both = rated.take(at[at >= 0])
    _refuse_unlike(
        both.table,
        waiting.take(np.flatnonzero(at >= 0)).table,
        lambda row: ", ".join(both.names[row]),
    )
    new = np.flatnonzero(at < 0)
    return rated, waiting.take(new) if len(new) else None


def keep_rated(data: Ratings) -> Ratings:
    return replace(data, frame=data.frame.filter(~is_unscored(data.frame)))


def join_outputs(rated: FeaturedOutputs | None, waiting: FeaturedOutputs) -> FeaturedOutputs:
    """Put outputs together: those with ratings first, then those that wait, with none."""
    n = len(waiting)
    none = replace(waiting, label=np.zeros(n), ratings=np.zeros(n, dtype=np.int64))
    if rated is None:
        return none
    return FeaturedOutputs(
        (*rated.items, *none.items),
        (*rated.systems, *none.systems),
        rated.table.join(none.table),
        np.concatenate([rated.label, none.label]),
        np.concatenate([rated.ratings, none.ratings]),
        sha256(f"{rated.digest} {none.digest}".encode()).hexdigest(),
        tuple(dict.fromkeys([*rated.notes, *none.notes])),
    )


def remark_counts(ratings: Numbers) -> tuple[str, ...]:
    """Say where labels rest on different numbers of ratings, which the model does not know."""
    if not len(ratings) or np.ptp(ratings) == 0:
        return ()
    return (say("labels-uneven", least=int(ratings.min()), most=int(ratings.max())),)


def _refuse_unlike(one: FeatureTable, two: FeatureTable, name: Callable[[int], str]) -> None:
    """Refuse a feature that is not the same in all rows of an output, which `name` names."""
    pairs = [*zip(one.numbers.T, two.numbers.T, strict=True)]
    pairs += [*zip(one.labels.T, two.labels.T, strict=True)]
    for feature, (first, column) in zip([*one.names, *one.label_names], pairs, strict=True):
        other = np.flatnonzero(first != column)
        if len(other):
            row = int(other[0])
            raise InvalidJudgments(
                f"feature '{feature}' differs between rows of one output ({name(row)}:"
                f" {first[row]} and {column[row]}): what is known before anybody rates is the same"
                " in all rows"
            )


# How much of the labels a query needs: a curve has got there at the first look from which on its
# mean error stays within a slack of the full pool's (the first look below may be chance). Between
# two looks the error is taken to fall in a straight line. Intervals are percentiles; they draw
# repeats and items of test outputs anew, both at the same time and the same ones for all queries,
# so that shares may be compared. Where the noise of a look is as large as the slack, the last
# crossing comes later than that of the curve without noise, and the interval lies too high with it;
# with about 10 repeats it is rather too short as well. Where the labels to begin with do as well as
# all of them there is no share. The method is ours.

Three = tuple[float | None, float | None, float | None]

SLACK: Final = 0.01  # An error within this proportion of the full pool's is as good
WIDER_SLACK: Final = 0.02  # Another slack, to show how much hangs on the first
RESAMPLES: Final = 999
ENDS: Final = (0.025, 0.975)


@dataclass(frozen=True)
class LabelShare:
    query: str  # its name
    measure: str  # "mae" or "rmse"
    slack: float  # by how much its error may be above that of the full pool, as a proportion of it
    share: float | None  # of the labels; 1: all of them; None: those to begin with do
    lower: float | None  # lower end of the 95 % interval, over repeats and items of test outputs
    upper: float | None  # upper end
    at_start: bool  # whether every look is within the slack: the share is the start's or less
    saved: float | None  # share of random choices less this one; None for random choices
    saved_lower: float | None  # lower end of its 95 % interval, from the same resamples
    saved_upper: float | None  # upper end


def find_share(means: Array, looks: Numbers, slack: float) -> float:
    """Return the share of labels from which on (L,) errors stay within the slack of the last.

    >>> find_share(np.array([5.0, 3.0, 2.0, 2.0]), np.array([10, 20, 40, 100]), 0.25)
    0.3
    """
    limit = means[-1] * (1.0 + slack)
    above = np.flatnonzero(means > limit)
    if not len(above):
        return float(looks[0] / looks[-1])
    last = int(above[-1])
    part = (means[last] - limit) / (means[last] - means[last + 1])
    return float((looks[last] + part * (looks[last + 1] - looks[last])) / looks[-1])


def resample_means(errors: Array, items: Numbers, measure: str, seed: int) -> Array:
    """Return (B, Q, L) mean errors over repeats and items drawn anew, from (Q, L, R, t) errors.

    items: (t,) item of each test output; its outputs are drawn together.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    repeats, n_items = errors.shape[2], int(items.max()) + 1
    weight = rng.multinomial(n_items, np.full(n_items, 1 / n_items), RESAMPLES).T
    often = rng.multinomial(repeats, np.full(repeats, 1 / repeats), RESAMPLES).T / repeats
    resamples = np.empty((RESAMPLES, *errors.shape[:2]))
    for q, look in np.ndindex(*errors.shape[:2]):
        size = np.abs(errors[q, look]) if measure == "mae" else errors[q, look] ** 2
        sums = np.zeros((n_items, repeats))
        np.add.at(sums, items, size.T)
        means = sums.T @ weight / (np.bincount(items) @ weight)
        means = means if measure == "mae" else np.sqrt(means)
        resamples[:, q, look] = (means * often).sum(axis=0)
    return resamples


def compare_shares(
    queries: tuple[tuple[str, ...], int],
    means: tuple[Array, Array],
    looks: Numbers,
    measure: str,
    slack: float,
) -> tuple[LabelShare, ...]:
    """Return what each query needs.

    means: (Q, L) mean errors, and (B, Q, L) resamples of them, at (L,) numbers of labels.
    """
    (names, base), (whole, drawn) = queries, means
    shares = np.array([find_share(curve, looks, slack) for curve in whole])
    again = np.array([[find_share(curve, looks, slack) for curve in one] for one in drawn])
    ends = np.vstack([shares, np.quantile(again, ENDS, axis=0)])
    spared = np.quantile(again[:, [base]] - again, ENDS, axis=0)
    saved = np.vstack([shares[base] - shares, spared])
    rows = []
    for q, name in enumerate(names):
        share: Three = (None, None, None)
        less: Three = (None, None, None)
        if whole[q, 0] > whole[q, -1]:
            share = tuple(ends[:, q].tolist())
            less = tuple(saved[:, q].tolist()) if q != base else less
        at_start = bool(np.all(whole[q] <= whole[q, -1] * (1.0 + slack)))
        rows.append(LabelShare(name, measure, slack, *share, at_start, *less))
    return tuple(rows)


# Does any part of the pool beat all of it? At each look l of each query, D_l is the mean over test
# outputs and repeats of what the absolute error of the full pool has more than that of the part:
#
# V_l = Var over items of test outputs / C  +  Var over repeats / R          T_l = D_l / √V_l
#
# The greatest T of all looks and queries is compared with what it would be if no part were better:
# deviations from the means of items and of repeats get random signs, T is computed anew with its
# own V, and the greatest of these is drawn 999 times.
#
# V counts what items and repeats have in common twice, which is on the safe side. Random signs take
# deviations to be symmetric: where gains have a long tail to the left false alarms are more than 5
# %, and the fewer repeats the more. Below 10 repeats no verdict is given. The rates are counted in
# tests/experiments/test_e10_query_curves.py.
#
# Sources: Westfall & Young (1993), Resampling-Based Multiple Testing (the greatest T); Cameron,
# Gelbach & Miller (2011), J. Business & Economic Statistics 29:238-249 (two kinds of clusters).
# That they are put together so is ours.

DRAWS: Final = 999
# Repeats below which no verdict is given: random signs of so few are far off
MIN_REPEATS: Final = 10
BLOCK: Final = 111  # Draws at a time: a sign for each of them and each item is in memory
ALPHA: Final = 0.05


@dataclass(frozen=True)
class PartTest:
    query: str  # its name
    labels: int  # of the part with the greatest T
    share: float  # of the pool
    less: float  # by how much its mean absolute error is less than that of the full pool, in points
    # lower end of a 95 % bound that holds for all looks of all queries at once; None with fewer
    # than 10 repeats, and where every part says the same as the whole
    lower: float | None
    # chance of such a T anywhere if no part were better, all looks and queries counted; None with
    # fewer than 10 repeats
    p: float | None

    @property
    def better(self) -> bool:
        return self.p is not None and self.p <= ALPHA


@dataclass(frozen=True, eq=False)
class GreatestT:
    less: Array  # (K,) D
    error: Array  # (K,) √V
    null: Array  # (DRAWS,) the greatest T without any difference

    @property
    def statistic(self) -> Array:
        """(K,) T; -∞ where a part and the whole say the same of every output."""
        flat = self.error == 0
        return np.where(flat, -np.inf, self.less / np.where(flat, 1.0, self.error))

    def find_p(self, statistic: float) -> float:
        return float((1 + np.count_nonzero(self.null >= statistic)) / (1 + len(self.null)))

    @property
    def critical(self) -> float:
        """What the greatest T is at most, in 95 % without any difference."""
        return float(np.quantile(self.null, 1 - ALPHA, method="higher"))


def compare_parts(gain: Array, items: Numbers, rng: np.random.Generator) -> GreatestT:
    """Compare parts of pools with the whole: (K, R, t) by how much part k is less far off."""
    less, spreads = take_apart(gain, items)
    sizes = [spread.shape[1] for spread in spreads]
    squares = [(spread**2).sum(axis=1) for spread in spreads]
    error = _error(squares, [np.zeros(len(gain))] * 2, sizes)
    null = []
    for start in range(0, DRAWS, BLOCK):
        draws = min(BLOCK, DRAWS - start)
        means = [
            rng.choice((-1.0, 1.0), (draws, size)) @ spread.T / size
            for spread, size in zip(spreads, sizes, strict=True)
        ]
        part = GreatestT(means[0] + means[1], _error(squares, means, sizes), np.empty(0))
        null.append(part.statistic.max(axis=1))
    return GreatestT(less, error, np.concatenate(null))


def take_apart(gain: Array, items: Numbers) -> tuple[Array, list[Array]]:
    """Return (K,) means, and deviations from them: (K, C) of items and (K, R) of repeats."""
    sums = np.zeros((len(gain), int(items.max()) + 1))
    np.add.at(sums.T, items, gain.mean(axis=1).T)
    by_item = sums * (sums.shape[1] / gain.shape[2])  # so that their mean is D
    by_repeat = gain.mean(axis=2)
    less = by_repeat.mean(axis=1)
    return less, [by_item - less[:, None], by_repeat - less[:, None]]


def _error(squares: list[Array], means: list[Array], sizes: list[int]) -> Array:
    """Return √V from sums of squares about 0 and the means about which they are to be."""
    parts = [
        np.maximum(square - size * mean**2, 0.0) / (size * (size - 1))
        for square, mean, size in zip(squares, means, sizes, strict=True)
    ]
    return np.asarray(np.sqrt(parts[0] + parts[1]))
