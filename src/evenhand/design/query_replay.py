"""A replay of queries on outputs whose labels are known: error against labels used.

docs/active-quality-estimation.md says what is replayed, and what it shows. Parameters of the
process are searched for again whenever labels have grown by `relearn`; the posterior is that of all
labels after every batch. The formulas are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import Openable, carries_excluded, takes_judgments
from evenhand.data.exclusions import Exclusion, list_findings, write_contract
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.results import Beside, Shown
from evenhand.design.next_outputs import (
    RANDOM_QUERY,
    FeaturedOutputs,
    Numbers,
    Query,
    QueryState,
    choose_outputs,
    keep_rated,
    read_outputs,
    remark_counts,
)
from evenhand.design.texts import say
from evenhand.errors import InvalidJudgments, UnknownOption, listing, require_option, require_seed
from evenhand.numerics import Array
from evenhand.numerics.distributions import t_quantile
from evenhand.numerics.gaussian_process import Points
from evenhand.numerics.newton import one_blas_thread
from evenhand.ratings.features import OutputFeatures, learn_scaling
from evenhand.ratings.process_search import OutputProcess, begin, condition, relearn
from evenhand.render.document import Column, Document, Finding, Table, write_signature

# How much of the labels a query needs: a curve has got there at the first look from which on its
# mean error stays within a slack of the full pool's (the first look below may be chance). Between
# two looks the error is taken to fall in a straight line. Where the noise of a look is as large as
# the slack, the last crossing comes later than that of the curve without noise, and the interval
# lies too high with it. Where the labels to begin with do as well as all there is no share.

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


# Does any part of the pool beat all of it? At each look l of each query, D_l is the mean over test
# outputs and repeats of what the absolute error of the full pool has more than that of the part:
#
# V_l = Var over items of test outputs / C  +  Var over repeats / R          T_l = D_l / √V_l
#
# The greatest T of all looks and queries is compared with what it would be if no part were better:
# deviations from the means of items and of repeats get random signs, T is computed anew with its
# own V, and the greatest of these is drawn 999 times. V counts what items and repeats have in
# common twice, which is on the safe side. Rates: tests/experiments/test_e10_query_curves.py.
#
# Sources: Westfall & Young (1993), Resampling-Based Multiple Testing (the greatest T); Cameron,
# Gelbach & Miller (2011), J. Business & Economic Statistics 29:238-249 (two kinds of clusters).

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


def _say_less(what: str, query: str, words: tuple[str, str], ends: Interval) -> Finding:
    low, high = ends.lower, ends.upper
    if low <= 0 <= high:
        return say(f"{what}-undecided", query=query, low=low, high=high)
    if ends.value < 0:
        low, high = -high, -low
    code = f"{what}-{words[ends.value < 0]}"
    return say(code, query=query, amount=abs(ends.value), low=low, high=high)


def _write_share(one: LabelShare) -> str:
    share = 1.0 if one.share is None else one.share
    return f"{'≤ ' if one.at_start else ''}{100 * share:.0f} %"


# Intervals at one look are Student's t over repeats, paired by repeat, and about these test
# outputs. Over the whole curve, of shares and of parts the variance over test items and that over
# repeats are added (as above); degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin
# 2:110-114).

MEASURES: Final = ("mae", "rmse")
LEVEL: Final = 0.95


@dataclass(frozen=True)
class Interval:
    value: float  # the mean
    lower: float  # end of its interval
    upper: float  # the other


@dataclass(frozen=True, eq=False, repr=False)
class QueryCurves(Shown):
    """Queries replayed on outputs whose labels are known.

    Attributes:
        queries: Q names.
        labels: (L,) labels at each look, those of the full pool last.
        errors: (Q, L, R, t) prediction less label of each test output, in points.
        items: (t,) item of each test output.
        n_outputs: that pools were drawn from.
        spread: standard deviation of the test labels, in points.
        seed: of resamples and signs.
        notes: what must stand beside the numbers.
        signature: what makes them again.
    """

    queries: tuple[str, ...]
    labels: Numbers
    errors: Array
    items: Numbers
    n_outputs: int
    spread: float
    seed: int
    notes: tuple[str, ...]
    signature: str
    excluded: tuple[Exclusion, ...] = ()

    def __post_init__(self) -> None:
        require_option("query", RANDOM_QUERY, self.queries)

    @property
    def pool(self) -> int:
        """Outputs of a pool."""
        return int(self.labels[-1])

    @property
    def repeats(self) -> int:
        """How often queries were replayed."""
        return int(self.errors.shape[2])

    def measure(self, measure: str = "mae") -> Array:
        """Return the (Q, L, R) errors, in points.

        Raises:
            UnknownOption: neither "mae" nor "rmse".
        """
        require_option("measure", measure, MEASURES)
        if measure == "mae":
            return np.asarray(np.abs(self.errors).mean(axis=-1))
        return np.asarray(np.sqrt((self.errors**2).mean(axis=-1)))

    def find_shares(self, measure: str = "mae", slack: float = SLACK) -> tuple[LabelShare, ...]:
        """Return the share of labels that each query needs to be as good as the full pool.

        Args:
            measure: "mae" or "rmse".
            slack: by how much its error may be above, as a proportion.

        Raises:
            UnknownOption: an unknown measure.
        """
        means, base = self.measure(measure).mean(axis=2), self.queries.index(RANDOM_QUERY)
        shares = np.array([find_share(curve, self.labels, slack) for curve in means])
        again = np.array(
            [
                [find_share(one, self.labels, slack) for one in drawn]
                for drawn in self._drawn[measure]
            ]
        )
        ends = np.vstack([shares, np.quantile(again, ENDS, axis=0)])
        spared = np.quantile(again[:, [base]] - again, ENDS, axis=0)
        saved = np.vstack([shares[base] - shares, spared])
        rows, none = [], (None, None, None)
        for q, (name, curve) in enumerate(zip(self.queries, means, strict=True)):
            helps = curve[0] > curve[-1]
            share: Three = tuple(ends[:, q].tolist()) if helps else none
            less: Three = tuple(saved[:, q].tolist()) if helps and q != base else none
            at_start = bool(np.all(curve <= curve[-1] * (1.0 + slack)))
            rows.append(LabelShare(name, measure, slack, *share, at_start, *less))
        return tuple(rows)

    @cached_property
    def _drawn(self) -> dict[str, Array]:
        """(B, Q, L) mean errors of each measure; repeats and items are drawn anew."""
        drawn, errors, items = dict[str, Array](), self.errors, self.items
        repeats, n_items = self.repeats, int(items.max()) + 1
        for measure in MEASURES:
            rng = np.random.Generator(np.random.PCG64(self.seed))
            weight = rng.multinomial(n_items, np.full(n_items, 1 / n_items), RESAMPLES).T
            often = rng.multinomial(repeats, np.full(repeats, 1 / repeats), RESAMPLES).T / repeats
            drawn[measure] = np.empty((RESAMPLES, *errors.shape[:2]))
            for q, look in np.ndindex(*errors.shape[:2]):
                size = np.abs(errors[q, look]) if measure == "mae" else errors[q, look] ** 2
                sums = np.zeros((n_items, repeats))
                np.add.at(sums, items, size.T)
                means = sums.T @ weight / (np.bincount(items) @ weight)
                means = means if measure == "mae" else np.sqrt(means)
                drawn[measure][:, q, look] = (means * often).sum(axis=0)
        return drawn

    def compare_all(self) -> dict[str, Interval]:
        """Return by how much each query's MAE is less than that of random, over the whole curve.

        The mean over looks between start and full pool, each counted once: one number, so that no
        look is picked out. Looks are dense where labels are few, so that few labels weigh most.
        Intervals are about other repeats and other test items.
        """
        means = np.abs(self.errors[:, 1:-1]).mean(axis=1)
        gain = means[self.queries.index(RANDOM_QUERY)] - means
        less, spreads = take_apart(gain, self.items)
        dfs = [spread.shape[1] - 1 for spread in spreads]
        parts = [
            (spread**2).sum(axis=1) / (spread.shape[1] * df)
            for spread, df in zip(spreads, dfs, strict=True)
        ]
        intervals = {}
        for q, name in enumerate(self.queries):
            mean, variances = float(less[q]), [float(part[q]) for part in parts]
            variance, half = sum(variances), 0.0
            if variance:
                below = sum(part**2 / df for part, df in zip(variances, dfs, strict=True))
                quantile = t_quantile(0.5 + LEVEL / 2, variance**2 / below)
                half = float(quantile * variance**0.5)
            intervals[name] = Interval(mean, mean - half, mean + half)
        return {name: one for name, one in intervals.items() if name != RANDOM_QUERY}

    @cached_property
    def parts(self) -> tuple[PartTest, ...]:
        """The best part of each query beside the full pool; see `compare_parts`."""
        whole = np.abs(self.errors[:, -1:])
        gain = (whole - np.abs(self.errors[:, :-1])).reshape(-1, *self.errors.shape[2:])
        rng = np.random.Generator(np.random.PCG64([self.seed, 3]))
        greatest = compare_parts(gain, self.items, rng)
        looks, parts = len(self.labels) - 1, []
        critical = float(np.quantile(greatest.null, 1 - ALPHA, method="higher"))
        for q, query in enumerate(self.queries):
            look = int(np.argmax(greatest.statistic[q * looks : (q + 1) * looks]))
            at, labels = q * looks + look, int(self.labels[look])
            less, error = float(greatest.less[at]), float(greatest.error[at])
            lower, p = None, None
            if self.repeats >= MIN_REPEATS:
                lower = less - critical * error if error > 0 else None
                beyond = np.count_nonzero(greatest.null >= greatest.statistic[at])
                p = float((1 + beyond) / (1 + DRAWS))
            parts.append(PartTest(query, labels, labels / self.pool, less, lower, p))
        return tuple(parts)

    @property
    def says(self) -> tuple[Finding, ...]:
        """What was found, in words."""
        counts = {"pool": self.pool, "tests": self.errors.shape[-1], "spread": self.spread}
        lines = [say("full-pool", mae=float(self.measure()[0, -1].mean()), **counts)]
        shares, wider = self.find_shares(), self.find_shares(slack=WIDER_SLACK)
        if shares[0].share is None:
            lines.append(say("labels-do-not-help", start=int(self.labels[0]), pool=self.pool))
        else:
            texts = []
            for row in shares:
                text = f"{row.query} {_write_share(row)}"
                if row.lower is not None and row.upper is not None:
                    text += f" ({100 * row.lower:.0f} to {100 * row.upper:.0f})"
                texts.append(text)
            lines.append(say("label-shares", slack=100 * shares[0].slack, shares=", ".join(texts)))
            percents = ", ".join(f"{row.query} {_write_share(row)}" for row in wider)
            lines.append(say("label-shares-wider", slack=100 * wider[0].slack, shares=percents))
            for row in shares:
                low, high = row.saved_lower, row.saved_upper
                if row.saved is not None and low is not None and high is not None:
                    saved = Interval(100 * row.saved, 100 * low, 100 * high)
                    lines.append(_say_less("labels", row.query, ("fewer", "more"), saved))
        for query, less in self.compare_all().items():
            lines.append(_say_less("error", query, ("less", "more"), less))
        if self.repeats < MIN_REPEATS:
            return (*lines, say("repeats-few", repeats=self.repeats, least=MIN_REPEATS))
        best = min(self.parts, key=lambda one: 1.0 if one.p is None else one.p)
        if not best.better:
            return (*lines, say("no-part-better", p=best.p))
        code = "part-better" if best.lower is None else "part-better-at-least"
        part = {**asdict(best), "least": None if best.lower is None else max(best.lower, 0.0)}
        return (*lines, say(code, **part))

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each query and look: its errors, and how much less than random's."""
        errors, rows = {name: self.measure(name) for name in MEASURES}, []
        base = self.queries.index(RANDOM_QUERY)
        for (q, query), look in product(enumerate(self.queries), range(len(self.labels))):
            labels = int(self.labels[look])
            row: dict[str, Any] = {"query": query, "labels": labels, "share": labels / self.pool}
            of_query: dict[str, Interval | None]
            of_query = {name: average(error[q, look]) for name, error in errors.items()}
            for name, error in errors.items():
                less = average(error[base, look] - error[q, look])
                of_query[f"{name}_less"] = None if q == base else less
            for name, one in of_query.items():
                ends = (None,) * 3 if one is None else vars(one).values()
                row |= dict(zip((name, f"{name}_lower", f"{name}_upper"), ends, strict=True))
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            **write_contract(self, "pool", "repeats", "spread", "says"),
            "points": self.records(),
            "shares": [
                asdict(one)
                for measure in MEASURES
                for slack in (SLACK, WIDER_SLACK)
                for one in self.find_shares(measure, slack)
            ],
            "less_than_random": {name: asdict(less) for name, less in self.compare_all().items()},
            "parts": [{**asdict(one), "better": one.better} for one in self.parts],
            "outputs": self.n_outputs,
            "test_outputs": self.errors.shape[-1],
        }

    def document(self) -> Document:
        """Return what people read: errors by labels, and what they say."""
        last, means = len(self.labels) - 1, self.measure("mae").mean(axis=2)
        rows = tuple(
            {"labels": int(self.labels[i]), **dict(zip(self.queries, means[:, i], strict=True))}
            for i in sorted({round(part * last / 6) for part in range(7)})
        )
        columns = (
            Column("labels", "labels", "count"),
            *(Column(name, name, ".3g") for name in self.queries),
        )
        caption = "Mean absolute error on test outputs, in points"
        return Document(
            answer=self.says,
            parts=(Table("errors", caption, columns, rows, legend=(self.signature,)),),
            findings=list_findings(self.notes, self.excluded),
        )


def average(values: Array) -> Interval:
    """Return a mean with its 95 % interval, Student's t."""
    n = len(values)
    half = t_quantile(0.5 + LEVEL / 2, n - 1) * float(values.std(ddof=1)) / n**0.5
    mean = float(values.mean())
    return Interval(mean, mean - half, mean + half)


# Shares of the pool at which a curve is looked at, and at the start, and at all of it
SHARES: Final = (
    *(0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25),
    *(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
)
USUAL_POOL: Final = 1000  # Most outputs of a pool where nothing is said of it
MIN_OUTPUTS: Final = 5  # Test outputs, and labels beyond the start, below which nothing is measured


@dataclass(frozen=True)
class QueryReplay:
    """How queries are replayed.

    Attributes:
        repeats: how often, each with a pool and a start of its own.
        pool: outputs that are drawn as the pool; None for all that are no test outputs, up to
            1,000.
        test_share: of the items whose outputs are test outputs, where none are given.
        start: outputs with a label before the first query, at random.
        batch: most outputs that are chosen before labels are shown.
        relearn: growth of the labels after which parameters are searched for again.
        search: most labels that a search looks at.
        seed: of everything random.
    """

    repeats: int = 10
    pool: int | None = None
    test_share: float = 0.3
    start: int = 10
    batch: int = 50
    relearn: float = 1.25
    search: int = 500
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.repeats < 2:
            raise UnknownOption(f"{self.repeats} repeats have no interval: ask for 2 or more")
        for name in ("start", "batch", "search"):
            if getattr(self, name) < 1:
                raise UnknownOption(f"{name} {getattr(self, name)}: a number from 1")
        require_seed(self.seed)
        if not 0 < self.test_share < 1:
            raise UnknownOption(f"test share {self.test_share:g}: a proportion, such as .3")
        if not self.relearn >= 1:
            raise UnknownOption(f"relearn {self.relearn:g}: a factor from 1, such as 1.25")
        if self.pool is not None and self.pool < self.start + MIN_OUTPUTS:
            raise UnknownOption(
                f"a pool of {self.pool} with {self.start} labels to start with leaves nothing to"
                f" choose: {self.start + MIN_OUTPUTS} or more"
            )

    def plan_looks(self, pool: int) -> Numbers:
        """Return the numbers of labels at which a curve is looked at, the full pool last.

        >>> QueryReplay(start=20).plan_looks(100).tolist()
        [20, 25, 30, 40, 50, 60, 70, 80, 90, 100]
        """
        sizes = {round(share * pool) for share in SHARES}
        return np.array(sorted({self.start, pool, *(one for one in sizes if one > self.start)}))


@dataclass(frozen=True, eq=False)
class Trial:
    points: Points  # features of the pool, standardised by the pool
    label: Array  # (n,) labels of the pool
    test: Points  # features of the test outputs
    truth: Array  # (t,) labels of these
    how: QueryReplay  # the replay

    def learn(self, labelled: Numbers, vector: Array, rng: np.random.Generator) -> Array:
        rows = np.sort(labelled)
        return relearn(self.points.take(rows), self.label[rows], vector, self.how.search, rng)

    def condition(self, labelled: Numbers, vector: Array) -> OutputProcess:
        rows = np.sort(labelled)
        return condition(self.points.take(rows), self.label[rows], vector)

    def measure(self, process: OutputProcess) -> Array:
        return np.asarray(process.predict_mean(self.test) - self.truth)


def make_trial(pool: FeaturedOutputs, held: FeaturedOutputs, how: QueryReplay) -> Trial:
    """Put features on the pool's scale; they are known without any label."""
    scaling = learn_scaling(pool.table)
    test = scaling.apply(held.table)
    return Trial(scaling.apply(pool.table), pool.label, test, held.label, how)


def run_trial(
    trial: Trial, queries: Sequence[Query], looks: Numbers, seed: tuple[int, int]
) -> Array:
    """Return the (Q, L, t) errors of queries at (L,) numbers of labels, the last being all."""

    def make_rng(stream: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([seed[0], 2, seed[1], stream]))

    errors = np.empty((len(queries), len(looks), len(trial.truth)))
    start = make_rng(1).permutation(len(trial.label))[: looks[0]]
    vector = begin(trial.points)
    for i, query in enumerate(queries):
        rng, labelled, learned, own = make_rng(2 + i), start, 0.0, begin(trial.points)
        while True:
            if len(labelled) >= trial.how.relearn * learned:
                own, learned = trial.learn(labelled, own, rng), float(len(labelled))
            process = trial.condition(labelled, own)
            look = int(np.searchsorted(looks[:-1], len(labelled)))
            if looks[look] == len(labelled):
                errors[i, look] = trial.measure(process)
                look += 1
            if look == len(looks) - 1:
                break
            waiting = np.setdiff1d(np.arange(len(trial.label)), labelled)
            truth = trial.label if query.strategy == "oracle" else None
            scene = QueryState(process, trial.points, waiting, truth)
            wanted = min(int(looks[look]) - len(labelled), trial.how.batch)
            labelled = np.concatenate([labelled, query.choose(scene, wanted, rng)])
        vector = own if query.strategy == RANDOM_QUERY else vector
    every = np.arange(len(trial.label))
    errors[:, -1] = trial.measure(trial.condition(every, trial.learn(every, vector, make_rng(0))))
    return errors


Tell = Callable[[int, int], None]

QUERIES: Final = tuple(Query(one) for one in (RANDOM_QUERY, "uncertainty", "density", "oracle"))
# Most outputs of a pool: everything here is exact, and costs their number cubed
MAX_POOL: Final = 4000
MIN_TEST_OUTPUTS: Final = 100  # Test outputs below which that is said


@takes_judgments("test")
@carries_excluded("controls", "repeats")
def trace_queries(
    data: Ratings | RatingRows | Openable,
    features: OutputFeatures,
    queries: Sequence[Query] = QUERIES,
    how: QueryReplay | None = None,
    *,
    test: Ratings | RatingRows | Openable | None = None,
    tell: Tell | None = None,
) -> QueryCurves:
    """Replay queries on ratings that were collected.

    Args:
        data: ratings; an output's label is their mean. One criterion, one task unless the task is
            a label among the features.
        features: what is known of outputs before anybody rates them.
        queries: what is replayed; random is added where it is not among them.
        how: the replay.
        test: ratings of test outputs; unless given, some items are held out.
        tell: is told repeats done and all.

    Raises:
        InvalidJudgments: labels that are all the same, too few outputs, features that are missing
            or the same everywhere, or test outputs that are in the pool as well.
        UnknownOption: a query that is named twice, or settings that do not fit the data.
    """
    how = QueryReplay() if how is None else how
    queries = tuple(queries)
    if not any(one.strategy == RANDOM_QUERY for one in queries):
        queries = (Query(RANDOM_QUERY), *queries)
    names = tuple(one.name for one in queries)
    if len(set(names)) < len(names):
        raise UnknownOption(f"queries are named once each: {listing(list(names))}")
    rest = read_outputs(data, features)
    if test is not None:
        held = read_outputs(test, features)
        both = sorted(set(rest.names) & set(held.names))
        if both:
            raise InvalidJudgments(
                f"{len(both):,} test outputs are in the pool as well, such as"
                f" {' / '.join(both[0])}: errors on them would say nothing"
            )
    else:  # whole items are held out
        items = int(rest.item_codes.max()) + 1
        rng = np.random.Generator(np.random.PCG64([how.seed, 0]))
        tested = rng.permutation(items)[: round(how.test_share * items)]
        is_tested = np.isin(rest.item_codes, tested)
        rest, held = (rest.take(np.flatnonzero(one)) for one in (~is_tested, is_tested))
    size = _check_pool(rest, held, how)
    looks = how.plan_looks(size)
    errors = np.empty((len(queries), len(looks), how.repeats, len(held)))
    with one_blas_thread():
        for repeat in range(how.repeats):
            if tell is not None:
                tell(repeat, how.repeats)
            rng = np.random.Generator(np.random.PCG64([how.seed, 1, repeat]))
            rows = np.sort(rng.permutation(len(rest))[:size])
            trial = make_trial(rest.take(rows), held, how)
            errors[:, :, repeat] = run_trial(trial, queries, looks, (how.seed, repeat))
    notes = [*dict.fromkeys([*rest.notes, *held.notes]), *remark_counts(rest.ratings)]
    if size == len(rest):
        notes.append(say("pool-fixed"))
    if len(held) < MIN_TEST_OUTPUTS:
        notes.append(say("tests-few", tests=len(held)))
    parts = (
        "queries " + ", ".join(names),
        f"features {features}",
        f"pool={size} test={len(held)} start={how.start} batch={how.batch}"
        f" relearn={how.relearn:g} search={how.search} R={how.repeats} seed={how.seed}",
    )
    used = int(rest.ratings.sum() + held.ratings.sum())
    signature = write_signature(parts, used, rest.digest)
    about = (len(rest), float(held.label.std()), how.seed, tuple(notes), signature)
    return QueryCurves(names, looks, errors, held.item_codes, *about)


def _check_pool(rest: FeaturedOutputs, held: FeaturedOutputs, how: QueryReplay) -> int:
    size = min(len(rest), USUAL_POOL) if how.pool is None else how.pool
    if how.pool is not None and size > len(rest):
        raise UnknownOption(
            f"a pool of {size:,} cannot be drawn: {len(rest):,} outputs are no test outputs"
        )
    if size > MAX_POOL:
        raise UnknownOption(
            f"a pool of {size:,} outputs: everything here is exact, and the most is {MAX_POOL:,};"
            " draw a part with QueryReplay(pool=1000)"
        )
    if len(held) < MIN_OUTPUTS or size < how.start + MIN_OUTPUTS:
        raise InvalidJudgments(
            f"{size} outputs in the pool, {len(held)} to test on: a replay needs {MIN_OUTPUTS} test"
            f" outputs and {MIN_OUTPUTS} in the pool beyond the {how.start} labels that it starts"
            " with"
        )
    if len(set(held.items)) < 2:
        raise InvalidJudgments(
            f"all {len(held)} test outputs are of one item, {held.items[0]}: what other items would"
            " say cannot be told; test on two or more"
        )
    if np.ptp(rest.label) == 0:
        raise InvalidJudgments(
            f"all {len(rest):,} outputs have the label {rest.label[0]:g}: there is nothing to learn"
        )
    return size


def choose_part(
    part: Ratings,
    features: OutputFeatures,
    query: Query,
    request: tuple[int, int],
    replays: tuple[int, Tell | None],
) -> Beside:
    """Choose outputs, and say what queries would have saved on those that have ratings."""
    (n, seed), (times, tell) = request, replays
    outputs = choose_outputs(part, features, query, n=n, seed=seed)
    if not times:
        return Beside(outputs, "savings")
    if query.strategy == RANDOM_QUERY:
        raise UnknownOption("--savings compares a policy with random ones: choose another policy")
    how = QueryReplay(repeats=times, batch=n, seed=seed)
    queries = (Query(RANDOM_QUERY), query, Query("oracle"))
    curves = trace_queries(keep_rated(part), features, queries, how, tell=tell)
    return Beside(outputs, "savings", curves)
