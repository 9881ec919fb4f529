"""Two systems of a ranking beside each other, and how often each of K is predicted to win.

docs/ranking.md has the formula. Predicted rates are about systems, also of those that nobody
compared, and hold as far as one worth for each describes all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.results import Shown
from evenhand.errors import UnknownOption
from evenhand.models.base import FittedModel
from evenhand.numerics import Array
from evenhand.ranking.texts import say
from evenhand.render.document import Column, Document, Finding, Table, whole, write_value

MAX_SYSTEMS: Final = 500  # Most systems whose rates are predicted all at once
WINS: Final = "wins: predicted share of the answers that are no ties"
# Fields of a pair that are of the whole ranking
OF_THE_RANKING: Final = ("basis", "signature", "notes", "excluded")


def predict_chances(fit: FittedModel, pairs: Sequence[tuple[str, str]]) -> Array:
    """Return (n, 3) chances of first, tie, second, each shown left as often as right."""
    turned = fit.predict([(second, first) for first, second in pairs])
    return np.asarray((fit.predict(pairs) + turned[:, ::-1]) / 2)


def find_rates(chances: Array) -> Array:
    return np.asarray(chances[:, 0] / (chances[:, 0] + chances[:, 2]))


def bound_rate(
    fit: FittedModel, rate: float, gap: float, ends: tuple[float, float]
) -> tuple[float, float] | None:
    """Return the rates at both ends of a difference in log-worth; None where it has none."""
    gaps = np.array([gap, *ends])
    chances = fit.predict_gaps(gaps)
    rates = 1 / (1 + np.exp(-gaps)) if chances is None else find_rates(chances)
    if not np.isclose(rates[0], rate, rtol=0, atol=1e-9):  # more counts than the difference
        return None
    return float(rates[1]), float(rates[2])


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Shown):
    """Two systems of a ranking: who is better, how often it is preferred, and how sure that is."""

    first: str  # the system that was asked for first
    second: str  # the other
    scale: str  # what the difference is of, such as "log-worth"
    difference: float  # first less second
    stderr: float | None  # its standard error, or None
    lower: float | None  # lower end of its interval, or None
    upper: float | None  # upper end
    p_adjusted: float | None  # p-value, adjusted for all pairs of the ranking
    win: float | None  # predicted share of the first in answers that are no ties, or None
    win_lower: float | None  # lower end of its interval, by that of the difference
    win_upper: float | None  # upper end
    tie: float | None  # the predicted share of ties in all answers
    better: str | None  # the system that is decided to be better; None where it is undecided
    wins: float | None  # comparisons of the two that the first won; None where they are not known
    ties: float | None  # comparisons of the two that are ties
    losses: float | None  # comparisons of the two that the second won
    judgments_needed: float | None  # judgments still needed to decide it; None if not known
    simultaneous: bool  # whether the interval holds for all pairs of the ranking at once
    level: float  # nominal level of the interval (proportion)
    says: str  # the result in a sentence
    basis: str  # what it rests on
    signature: str  # one line that reproduces the ranking
    notes: tuple[Finding, ...]
    excluded: tuple[Exclusion, ...] = ()

    @property
    def compared(self) -> float | None:
        """Comparisons of the two with each other; None where they are not known."""
        if self.wins is None or self.ties is None or self.losses is None:
            return None
        return self.wins + self.ties + self.losses

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the notes, before them why it is decided where its interval holds no difference.

        P-values are adjusted in steps, and intervals are not: they hold for all pairs at once.
        """
        if self.better is None or self.lower is None or self.upper is None:
            return self.notes
        steps = [say("decided-in-steps", better=self.better)] * (self.lower <= 0 <= self.upper)
        return (*steps, *self.notes)

    def row(self) -> dict[str, Any]:
        names = [one.name for one in fields(self) if one.name not in OF_THE_RANKING]
        counts = {name: getattr(self, name) for name in ("wins", "ties", "losses", "compared")}
        return {name: getattr(self, name) for name in names} | {
            name: None if count is None else whole(count) for name, count in counts.items()
        }

    def to_dict(self) -> dict[str, Any]:
        return {**write_contract(self, findings=self.findings), **self.row()}

    def document(self) -> Document:
        known = () if self.win_lower is None else (self.win_lower, self.win_upper)
        ends = () if self.lower is None else (self.lower, self.upper)
        counts = ((self.wins, "won"), (self.ties, "tied"), (self.losses, "lost"))
        of_these = ", ".join(f"{n:,.6g} {what}" for n, what in counts if n is not None)
        needed = self.judgments_needed
        more = None if needed is None else float(f"{needed:.1e}")  # to two digits
        of = ", all systems" * self.simultaneous
        predicted = (
            (f"wins of {self.first}", write_value(self.win, "share"), known, "interval share"),
            ("ties", write_value(self.tie, "share"), (), ""),
        )
        met = (("compared with each other", write_value(self.compared, "count"), (), ""),)
        lines = (
            *(predicted if self.win is not None else ()),
            (f"difference in {self.scale}", write_value(self.difference, "two"), ends, "interval"),
            ("p, adjusted for all pairs", write_value(self.p_adjusted, "p"), (), ""),
            *(met if self.compared is not None else ()),
            *([("of these", of_these, (), "")] if self.compared else []),
            *([(f"judgments needed{of}", f"about {more:,.0f} more", (), "")] if more else []),
        )
        rows = tuple(
            {"what": what, "value": value, "interval": write_value(some, kind) if some else ""}
            for what, value, some, kind in lines
        )
        level = f"{100 * self.level:g} % interval"
        columns = (Column("what", "", "name"), Column("value", ""), Column("interval", level))
        legend = (WINS,) * (self.win is not None)
        legend += ("intervals hold for all pairs of systems at once",) * self.simultaneous
        caption = f"{self.first} against {self.second}"
        return write_document(
            self,
            Table("pair", caption, columns, rows, legend=legend),
            basis=self.basis,
            answer=(self.says,),
            findings=self.findings,
            csv_rows=({name: one for name, one in self.row().items() if name != "says"},),
        )


def tabulate_groups(pairs: Mapping[str, Pair], by: str) -> Document:
    """Return a row for each group: what is known of the same two systems in it."""
    one = next(iter(pairs.values()))
    columns = (
        Column("group", by, "name"),
        Column("difference", "difference", "two"),
        Column(("lower", "upper"), f"{100 * one.level:g} % interval", "interval"),
        Column("p_adjusted", "p, adjusted", "p"),
        *([Column("win", f"wins of {one.first}", "share")] * (one.win is not None)),
        Column("better", "better", "name"),
    )
    keys = ("difference", "lower", "upper", "p_adjusted", "win", "better")
    rows = ({"group": name, **{k: getattr(it, k) for k in keys}} for name, it in pairs.items())
    scales = " or ".join(dict.fromkeys(it.scale for it in pairs.values()))
    caption = f"{one.first} against {one.second} in each group"
    legend = (f"difference: {one.first} less {one.second} in {scales}, each group by itself",)
    return Document(parts=(Table("groups", caption, columns, tuple(rows), legend=legend),))


@dataclass(frozen=True, eq=False, repr=False)
class WinRates(Shown):
    """How often each system is predicted to be preferred to each other, by the model that ranks."""

    systems: tuple[str, ...]  # names, best first
    rates: Array  # (K, K) share of the row's system in untied answers; NaN of itself
    ties: Array  # (K, K) share of ties in all answers; likewise
    basis: str  # what they rest on
    signature: str  # one line that reproduces the ranking
    notes: tuple[Finding, ...]
    excluded: tuple[Exclusion, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        rates, ties = self.rates.tolist(), self.ties.tolist()
        return [
            {"first": one, "second": other, "win": rates[i][j], "tie": ties[i][j]}
            for i, one in enumerate(self.systems)
            for j, other in enumerate(self.systems)
            if i != j
        ]

    def to_dict(self) -> dict[str, Any]:
        return {**write_contract(self), "systems": list(self.systems), "win_rates": self.rows()}

    def document(self) -> Document:
        columns = [Column("system", "system", "name")]
        columns += [Column(f"of {at}", name, "share") for at, name in enumerate(self.systems)]
        rows = tuple(
            {"system": name}
            | {f"of {j}": None if i == j else rate for j, rate in enumerate(self.rates[i].tolist())}
            for i, name in enumerate(self.systems)
        )
        caption = "How often the system of the row is predicted to win against that of the column"
        table = Table("win-rates", caption, tuple(columns), rows, legend=(WINS,))
        csv_rows = tuple(self.rows())
        return write_document(self, table, basis=self.basis, answer=(), csv_rows=csv_rows)


def predict_rates(fit: FittedModel, systems: tuple[str, ...]) -> tuple[Array, Array]:
    """Return (K, K) shares of the row in answers that are no ties, and of ties; NaN of itself."""
    k = len(systems)
    if k > MAX_SYSTEMS:
        raise UnknownOption(
            f"win rates are shown of at most {MAX_SYSTEMS:,} systems, and there are {k:,}: ask for"
            " one pair (--pair A,B, in Python ranking.pair('A', 'B'))"
        )
    first, second = np.triu_indices(k, 1)
    pairs = [(systems[i], systems[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    chances = predict_chances(fit, pairs)
    rates, ties = np.full((k, k), np.nan), np.full((k, k), np.nan)
    rates[first, second] = find_rates(chances)
    rates[second, first] = 1 - rates[first, second]
    ties[first, second] = ties[second, first] = chances[:, 1]
    return rates, ties
