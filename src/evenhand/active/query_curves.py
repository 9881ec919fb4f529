"""What a replay of queries found: error against labels used, and what that says.

Intervals at one look are Student's t over repeats, paired by repeat, and about these test outputs.
Over the whole curve, of shares and of parts other test items are counted too: they are mostly the
larger part of chance. There the variance over items and that over repeats are added (part_test.py);
degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin 2:110-114).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.active.label_share import (
    SLACK,
    WIDER,
    LabelShare,
    compare_shares,
    resample_means,
)
from evenhand.active.part_test import ENOUGH, GreatestT, PartTest, compare_parts, take_apart
from evenhand.active.query import RANDOM
from evenhand.active.query_words import write_findings
from evenhand.errors import require_option
from evenhand.judgments.notebook import InNotebooks
from evenhand.numerics.distributions import t_quantile

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

MEASURES: Final = ("mae", "rmse")
LEVEL: Final = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval.

    Attributes:
        value: the mean.
        lower: end of its interval.
        upper: the other.

    """

    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class QueryPoint:
    """A query at one look.

    Attributes:
        query: its name.
        labels: used so far.
        share: of the pool's.
        mae: mean absolute error on the test outputs, in points of the scale.
        rmse: root mean squared error.
        mae_less: by how much the MAE is less than that of random choices; None for these.
        rmse_less: the same of the RMSE.

    """

    query: str
    labels: int
    share: float
    mae: Interval
    rmse: Interval
    mae_less: Interval | None
    rmse_less: Interval | None


@dataclass(frozen=True, eq=False, repr=False)
class QueryCurves(InNotebooks):
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

    def __post_init__(self) -> None:
        """Refuse curves without random choices.

        Raises:
            UnknownOption: for that reason.

        """
        require_option("query", RANDOM, self.queries)

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

    @cached_property
    def table(self) -> tuple[QueryPoint, ...]:
        """A row for each query and look."""
        found = {name: self.measure(name) for name in MEASURES}
        base = {name: own[self.queries.index(RANDOM)] for name, own in found.items()}
        rows = []
        for q, name in enumerate(self.queries):
            for look, labels in enumerate(self.labels.tolist()):
                own = {one: values[q, look] for one, values in found.items()}
                less = {one: base[one][look] - own[one] for one in MEASURES}
                rows.append(
                    QueryPoint(
                        name,
                        labels,
                        labels / self.pool,
                        *(average(own[one]) for one in MEASURES),
                        *(None if name == RANDOM else average(less[one]) for one in MEASURES),
                    )
                )
        return tuple(rows)

    def find_shares(self, measure: str = "mae", slack: float = SLACK) -> tuple[LabelShare, ...]:
        """Return the share of labels that each query needs to be as good as the full pool.

        Args:
            measure: "mae" or "rmse".
            slack: by how much its error may be above, as a proportion.

        Raises:
            UnknownOption: an unknown measure.

        """
        means = self.measure(measure).mean(axis=2)
        queries = (self.queries, self.queries.index(RANDOM))
        drawn = self._drawn[measure]
        return compare_shares(queries, (means, drawn), self.labels, measure, slack)

    @cached_property
    def _drawn(self) -> dict[str, Array]:
        """(B, Q, L) mean errors with repeats and items drawn anew, of each measure."""
        return {one: resample_means(self.errors, self.items, one, self.seed) for one in MEASURES}

    def compare_all(self) -> dict[str, Interval]:
        """Return by how much each query's MAE is less than that of random, over the whole curve.

        The mean over looks between start and full pool, each counted once: one number, so that no
        look is picked out. Looks are dense where labels are few, so that few labels weigh most.
        Intervals are about other repeats and other test items.
        """
        means = np.abs(self.errors[:, 1:-1]).mean(axis=1)
        gain = means[self.queries.index(RANDOM)] - means
        less, spreads = take_apart(gain, self.items)
        parts = [(own**2).sum(axis=1) / (own.shape[1] * (own.shape[1] - 1)) for own in spreads]
        free = [own.shape[1] - 1 for own in spreads]
        return {
            name: _surround(float(less[q]), (float(parts[0][q]), float(parts[1][q])), free)
            for q, name in enumerate(self.queries)
            if name != RANDOM
        }

    @cached_property
    def parts(self) -> tuple[PartTest, ...]:
        """The best part of each query beside the full pool; see part_test.py."""
        whole = np.abs(self.errors[:, -1:])
        gain = (whole - np.abs(self.errors[:, :-1])).reshape(-1, *self.errors.shape[2:])
        rng = np.random.Generator(np.random.PCG64([self.seed, 3]))
        found = compare_parts(gain, self.items, rng)
        looks = len(self.labels) - 1
        return tuple(
            self._pick(found, q, slice(q * looks, (q + 1) * looks))
            for q in range(len(self.queries))
        )

    def _pick(self, found: GreatestT, query: int, own: slice) -> PartTest:
        at = int(np.argmax(found.statistic[own]))
        less, error = float(found.less[own][at]), float(found.error[own][at])
        labels = int(self.labels[at])
        where = (self.queries[query], labels, labels / self.pool, less)
        if self.repeats < ENOUGH:
            return PartTest(*where, None, None)
        p = found.find_p(float(found.statistic[own][at]))
        return PartTest(*where, less - found.critical * error if error > 0 else None, p)

    @property
    def says(self) -> tuple[str, ...]:
        """What was found, in words."""
        return tuple(write_findings(self))

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each query and look."""
        rows = []
        for point in self.table:
            row: dict[str, Any] = {"query": point.query, "labels": point.labels}
            row["share"] = point.share
            for name in ("mae", "rmse", "mae_less", "rmse_less"):
                own: Interval | None = getattr(point, name)
                row[name] = None if own is None else own.value
                row[f"{name}_lower"] = None if own is None else own.lower
                row[f"{name}_upper"] = None if own is None else own.upper
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "points": self.records(),
            "shares": [
                asdict(one)
                for measure in MEASURES
                for slack in (SLACK, WIDER)
                for one in self.find_shares(measure, slack)
            ],
            "less_than_random": {name: asdict(own) for name, own in self.compare_all().items()},
            "parts": [{**asdict(one), "better": one.better} for one in self.parts],
            "pool": self.pool,
            "outputs": self.n_outputs,
            "test_outputs": self.errors.shape[-1],
            "repeats": self.repeats,
            "spread": self.spread,
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __repr__(self) -> str:
        found = self.measure("mae").mean(axis=2)
        lines = ["  ".join(["labels", *self.queries])]
        for look, labels in enumerate(self.labels.tolist()):
            lines.append("  ".join([f"{labels:6}", *(f"{own:.3g}" for own in found[:, look])]))
        return "\n".join([*lines, *self.says, *self.notes, self.signature])


def average(values: Array) -> Interval:
    """Return a mean with its 95 % interval, Student's t.

    >>> average(np.array([1.0, 2.0, 3.0]))
    Interval(value=2.0, lower=-0.484..., upper=4.484...)
    """
    n = len(values)
    half = t_quantile(0.5 + LEVEL / 2, n - 1) * float(values.std(ddof=1)) / n**0.5
    mean = float(values.mean())
    return Interval(mean, mean - half, mean + half)


def _surround(mean: float, parts: tuple[float, float], free: list[int]) -> Interval:
    """Return a mean with its 95 % interval, from two parts of a variance and their freedom."""
    variance = sum(parts)
    if variance == 0:
        return Interval(mean, mean, mean)
    below = sum(part**2 / n for part, n in zip(parts, free, strict=True))
    half = float(t_quantile(0.5 + LEVEL / 2, variance**2 / below) * variance**0.5)
    return Interval(mean, mean - half, mean + half)
