"""What `meta_evaluate` found: metrics best first, clusters, pairs, the ceiling of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

import numpy as np

from evenhand.data.exclusions import Exclusion, write_document
from evenhand.data.results import Grouped, Shown
from evenhand.metrics.comparison import STATISTICS, UNASKED, name_statistic
from evenhand.metrics.texts import say
from evenhand.numerics import Array
from evenhand.render.document import Column, Document, Finding, Form, Table, join_names, plural

MAX_PAIRS_SHOWN: Final = 10  # In a terminal
WIDE: Final[tuple[Form, ...]] = ("markdown", "html")  # Where there is room


@dataclass(frozen=True)
class MetricPair:
    """Two metrics, that which agrees better first."""

    first: str
    second: str
    difference: float  # between their statistics
    p: float  # two-sided
    p_adjusted: float  # over all pairs of metrics
    judge_stderr: float | None  # of the difference, for other judges; None where not known
    decided: bool  # by p, and beyond what other judges could change

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True, eq=False, repr=False)
class MetaEvaluation(Shown):
    """How well metrics agree with people, best first by the first statistic."""

    gold: str  # what people were asked
    systems: tuple[str, ...]
    items: int  # 0 where systems have scores as a whole
    judges: int | None  # None where they are not known
    metrics: tuple[str, ...]
    values: Mapping[str, Array]  # statistic → (M,), NaN where it is not defined
    cluster: tuple[int | None, ...] | None  # of metrics that nothing tells apart; None: not tested
    wmt_rank: tuple[int | None, ...] | None  # by the shared task's rule, without adjustment
    pairs: tuple[MetricPair, ...]
    ceiling: Mapping[str, float | None]  # statistic → half of the judges with the other half
    judge_stderr: Array | None  # (M,) of the first statistic, for other judges
    epsilon: Array | None  # (M,) mean ε of acc-eq, or of preferences
    spa_error: Array | None  # (M,)
    chance: float | None
    distance: tuple[float | None, ...]  # from which on 95 % of pairs are in people's order
    people_means: Array  # (K,)
    metric_means: Array  # (M, K)
    interval: Array | None  # (M, 2) of preferences, clustered
    test: str
    notes: tuple[Finding, ...]
    signature: str
    excluded: tuple[Exclusion, ...] = ()

    @property
    def statistic(self) -> str:
        """The first statistic, by which metrics are ordered and tested."""
        return next(iter(self.values))

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """Metrics that share a cluster, best first; () where metrics were not compared."""
        if self.cluster is None:
            return ()
        return tuple(
            tuple(m for m, c in zip(self.metrics, self.cluster, strict=True) if c == number)
            for number in dict.fromkeys(filter(None, self.cluster))
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each metric, best first."""
        rows = []
        for at, metric in enumerate(self.metrics):
            row: dict[str, Any] = {
                "metric": metric,
                "cluster": None if self.cluster is None else self.cluster[at],
                "wmt_rank": None if self.wmt_rank is None else self.wmt_rank[at],
                **{_key(name): write_plain(one[at]) for name, one in self.values.items()},
            }
            for key in ("judge_stderr", "epsilon", "spa_error"):
                given = getattr(self, key)
                row[key] = None if given is None else write_plain(given[at])
            if self.interval is not None:
                row |= {
                    "lower": write_plain(self.interval[at, 0]),
                    "upper": write_plain(self.interval[at, 1]),
                }
            rows.append({**row, "distance": self.distance[at]})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values, for JSON."""
        return {
            **super().to_dict(),
            "gold": self.gold,
            "systems": list(self.systems),
            "items": self.items,
            "judges": self.judges,
            "statistic": self.statistic,
            "test": self.test,
            "ceiling": {_key(name): value for name, value in self.ceiling.items()},
            "chance": self.chance,
            "excluded": [one.to_dict() for one in self.excluded],
        }

    def document(self) -> Document:
        """Return what people read: who leads, a table of metrics, a table of pairs."""
        columns = [Column("metric", "metric", "name")]
        if self.cluster is not None:
            columns += [
                Column("cluster", "cluster", "count"),
                Column("wmt_rank", "WMT rank", "count", "by WMT's rule, p not adjusted", only=WIDE),
            ]
        for name in self.values:
            only = WIDE if name == "acc-eq-star" and self._unasked else ()
            says = "the tie limit is the best on the same items" if name == "acc-eq-star" else ""
            columns.append(Column(_key(name), STATISTICS[name][1], "three", says, only=only))
            if self.interval is not None and name == self.statistic:
                columns.append(Column(("lower", "upper"), "95 % interval", "interval"))
        if self.judge_stderr is not None:
            columns.append(Column("judge_stderr", "± judges", "three"))
        if any(one is not None for one in self.distance):
            says = "of systems this far apart or farther, 95 % of pairs are in people's order"
            columns.append(
                Column("distance", "difference for 95 % agreement", "figures", says, only=WIDE)
            )
        rows: list[Mapping[str, Any]] = [*self.records()]
        if any(one is not None for one in self.ceiling.values()):
            ceiling = {_key(name): value for name, value in self.ceiling.items()}
            rows.append({**dict.fromkeys(rows[0]), "metric": "people", **ceiling})
        m = len(self.metrics)
        cluster = self.cluster or ()
        lines = tuple(at for at in range(1, m) if cluster and cluster[at] != cluster[at - 1])
        parts = [
            Table("metrics", "Metrics", tuple(columns), tuple(rows), lines, legend=self._legend)
        ]
        if self.pairs:
            judged = any(one.judge_stderr is not None for one in self.pairs)
            of_pairs = (
                Column("first", "metric", "name"),
                Column("second", "against", "name"),
                Column("difference", "difference", "three"),
                Column("p", "p", "p"),
                Column("p_adjusted", "p, adjusted", "p"),
                *([Column("judge_stderr", "± judges", "three", priority=2)] if judged else []),
                Column("decided", "decided", "yes"),
            )
            pair_rows = tuple(one.to_dict() for one in self.pairs)
            parts.append(
                Table("pairs", "Pairs of metrics", of_pairs, pair_rows, limit=MAX_PAIRS_SHOWN)
            )
        counts = [plural(len(self.systems), "system")]
        counts += [plural(self.items, "item")] if self.items else []
        counts += [] if self.judges is None else [plural(self.judges, "judge")]
        compared = f" Test: {self.test}." if self.pairs else ""
        what = plural(len(self.metrics), "metric")
        gold = "people's scores" if self.gold == "scores" else self.gold
        return write_document(
            self,
            *parts,
            basis=f"{what} against {gold}: {', '.join(counts)}.{compared}",
            answer=self._answer,
            csv_rows=tuple(rows),
        )

    @property
    def _unasked(self) -> bool:
        """Whether statistics are those without --statistic."""
        return {*self.values, "spa"} == {*UNASKED}

    @property
    def _answer(self) -> tuple[str, ...]:
        title, value = name_statistic(self.statistic), self.values[self.statistic]
        if isnan(value[0]) or np.ptp(self.metric_means[0]) == 0:  # the first of constant metrics
            return ()
        top = float(value[0])
        if not self.pairs:
            same = [m for m, v in zip(self.metrics, value.tolist(), strict=True) if v == top]
            if len(same) > 1:
                return (say("tied-first", metrics=same, statistic=title, value=top),)
            code = "single" if len(value) == 1 else "leads"
            return (say(code, metric=self.metrics[0], statistic=title, value=top),)
        best, worse = self.metrics[0], {one.second for one in self.pairs if one.decided}
        tested = {name for one in self.pairs for name in (one.first, one.second)}
        first = [one for one in self.metrics if one in tested - worse]
        even = [one.second for one in self.pairs if one.first == best and not one.decided]
        if not even:
            return (say("leads-alone", metric=best, statistic=title, value=top),)
        if len(first) == 1:
            return (
                say("leads-open", metric=best, statistic=title, metrics=join_names(even, "or")),
            )
        decided, of = sum(one.decided for one in self.pairs), len(self.pairs)
        if not decided:
            return (say("none-decided", statistic=title, of=of),)
        told = {"metrics": join_names(first, "or"), "decided": decided, "of": of}
        return (say("shares-first", statistic=title, **told),)

    @property
    def _legend(self) -> tuple[str, ...]:
        told = {
            "preference": "share of judgments agreed with: ties count; scores within ε tie; ε is"
            " chosen on other items",
            "spa": "SPA: agreement of people and metric in how sure they are of each pair of"
            " systems; 1 is best",
            "pa": "PA: share of pairs of systems in people's order",
            "acc-eq": "acc-eq: share of pairs of outputs of an item in people's order; scores"
            " within ε tie; ε is chosen on other items",
        }
        if not self._unasked:
            told["acc-eq-star"] = (
                "acc*-eq: share of pairs of outputs in people's order; scores within ε tie; ε is"
                " the best for these outputs"
            )
        legend = [text for name, text in told.items() if name in self.values]
        if self.cluster is not None:
            legend.append("cluster: between two clusters every pair of metrics is decided")
        if self.judge_stderr is not None:
            title = STATISTICS[self.statistic][1]
            legend.append(f"± judges: standard error of {title} from excluding each judge in turn")
        if any(one is not None for one in self.ceiling.values()):
            legend.append(
                "people: half of each output's judges against the other half; a metric above it is"
                " not better than people, since it is compared with all judges"
            )
        return tuple(legend)


def _key(name: str) -> str:
    return name.replace("-", "_")


def write_plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class GroupedEvaluations(Grouped[MetaEvaluation]):
    """Metrics against people, task by task and criterion by criterion."""

    REFUSED = "not compared"
