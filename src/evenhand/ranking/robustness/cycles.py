"""What a Bradley-Terry model leaves of every pair of systems, and how much of it noise makes.

docs/robustness.md has the statistic T = Σ r² / w, its replicates without cycles, and sources. Noise
moves residuals only where worths cannot follow: P r, with P = I − w X H⁻¹ Xᵀ. With an order effect
δ in the model, p̂ depends on the side, r and w are sums over both sides, and X has one more column.

    by judge, or by item    r* = Σ v_g √(J/(J − 1)) P r_g,  v Webb's weights
    by both                 d = a (d_J + d_I), pair by pair at the variance V_J + V_I − V_JI

V_JI is over cells of a judge and an item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.tally import Tally, join_codes
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_level, require_seed
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.bootstrap import draw_webb
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.clustering import (
    Clustering,
    Evidence,
    choose_clustering,
    choose_factors,
    merge_factors,
    wanted_factors,
)
from evenhand.ranking.sides import count_sides, note_sides
from evenhand.ranking.texts import say_of_robustness as say
from evenhand.render.document import Column, Document, Form, Table, write_signature

MAX_TABLE_NUMBERS: Final = 30_000_000  # Numbers in a table of pairs by judges
N_REPLICATES: Final = 999
ROUNDING: Final = 1e-9  # A statistic below it is rounding: worths describe every pair exactly
BOTH: Final = ("judge", "item")


@dataclass(frozen=True, eq=False)
class PairResiduals:
    """Pairs that were compared decisively, with what the model leaves of them."""

    systems: tuple[str, ...]  # names
    first: Integers  # (P,) code of the system first by name
    second: Integers  # (P,) code of the other
    totals: Array  # (S, P) decisive votes N, of sides first those shown in the order of names
    wins: Array  # (S, P) votes for the system first by name, W
    chances: Array  # (S, P) p̂
    worth: Array  # (K,) fitted log-worths
    total: Array  # (P,) decisive votes on each pair
    won: Array  # (P,) those for the system first by name
    residual: Array  # (P,) r
    weight: Array  # (P,) w, over both sides
    lean: Array  # (P,) what an advantage of the first output moves: w by one side less the other
    design: Array  # (P, K − 1) +1 and −1 for the two systems, of all but the last

    @property
    def sided(self) -> bool:  # whether an advantage of the first output was fitted
        return len(self.totals) > 1

    @property
    def statistic(self) -> float:
        return float((self.residual**2 / self.weight).sum())

    @property
    def explained(self) -> float:
        """Σ w d², d the fitted log-odds: what worths explain, on the scale of T."""
        apart = self.worth[self.first] - self.worth[self.second]
        return float((self.weight * apart**2).sum())

    @property
    def df(self) -> int:
        # An order effect takes one where each pair has a side of its own, and none where both sides
        # are as frequent: there it moves nothing that is summed over both.
        free = len(self.first) - len(self.systems) + 1
        if not self.sided:
            return free
        across, worths = self.design.T @ self.lean, self.information[:-1, :-1]
        follows = float(across @ np.linalg.solve(worths, across))
        order = float((self.lean**2 / self.weight).sum()) - follows
        return free - round(order / (float(self.weight.sum()) - follows))

    def follow(self, rows: Array) -> Array:
        """Return (G, K or so) how far parameters follow each row of residuals: H⁻¹ Zᵀ r."""
        size = len(self.first)
        scores = np.concatenate([rows[:, :size] @ self.design, rows[:, size:]], axis=1)
        return np.asarray(np.linalg.solve(self.information, scores.T).T)

    def project(self, rows: Array) -> Array:
        """Return (G, P) P r: what parameters cannot follow."""
        size, worths = len(self.first), len(self.systems) - 1
        moved = self.follow(rows)
        left = rows[:, :size] - self.weight * (self.design @ moved[:, :worths].T).T
        return left - moved[:, worths:] * self.lean if self.sided else left

    @property
    def information(self) -> Array:
        """(p, p) H: worths, the last system at zero, then the order effect where it is fitted."""
        design, weight = self.design, self.weight
        worths = design.T @ (weight[:, None] * design)
        if not self.sided:
            return np.asarray(worths)
        across = design.T @ self.lean
        return np.block([[worths, across[:, None]], [across[None], weight.sum()]])


def decisive_votes(tally: Tally) -> tuple[Integers, Flags, Array, Array]:
    """Return (C,) keys of pairs, whether sides are swapped, wins and decisive votes."""
    # Wins are of the system that is first by name; sides are swapped where it was not shown first.
    swap = tally.left > tally.right
    low = np.where(swap, tally.right, tally.left).astype(np.int64)
    high = np.where(swap, tally.left, tally.right)
    won = np.where(swap, tally.losses, tally.wins)
    return low * len(tally.systems) + high, swap, won, tally.wins + tally.losses


def find_residuals(tally: Tally, *, order_effect: bool = False) -> PairResiduals:
    fit = BradleyTerry(ties="discard", order_effect=order_effect).fit(tally)
    key, swap, won, total = decisive_votes(tally)
    used = total > 0
    pairs = np.unique(key[used])
    cell = np.searchsorted(pairs, key[used]) + len(pairs) * (swap[used] & order_effect)
    shape = (1 + order_effect, len(pairs))
    wins, totals = (
        np.asarray(
            np.bincount(cell, votes[used], minlength=shape[0] * shape[1]), dtype=np.float64
        ).reshape(shape)
        for votes in (won, total)
    )
    first, second = np.divmod(pairs, len(tally.systems))
    worth = fit.log_worth
    ahead = 2 * fit.likelihood.parts(fit.beta)[2] if order_effect else 0.0
    sides = np.array([1.0, -1.0])[: shape[0], None] * ahead
    chances = 1 / (1 + np.exp(worth[second] - worth[first] - sides))
    weights, systems = totals * chances * (1 - chances), np.arange(len(worth) - 1)
    return PairResiduals(
        tally.systems,
        first,
        second,
        totals,
        wins,
        chances,
        worth,
        total=np.asarray(totals.sum(axis=0)),
        won=np.asarray(wins.sum(axis=0)),
        residual=np.asarray((wins - totals * chances).sum(axis=0)),
        weight=np.asarray(weights.sum(axis=0)),
        lean=np.asarray(weights[0] - weights[-1]),
        design=(first[:, None] == systems) * 1.0 - (second[:, None] == systems),
    )


def split_residuals(whole: PairResiduals, tally: Tally, name: str) -> Array:
    """Return (G, P) residuals of each judge (or item) for each pair; they sum to r."""
    # Where an order effect is fitted, its score stands behind them: (G, P + 1).
    factor, size = tally.factor(name), len(whole.first)
    if factor.size * size > MAX_TABLE_NUMBERS:
        raise UnknownOption(
            f"{size:,} pairs by {factor.size:,} {name}s are too many to look for cycles"
        )
    rows, pair, residual, side = _place_votes(whole, tally)
    codes = factor.codes[rows].astype(np.int64)
    flat = np.bincount(codes * size + pair, residual, minlength=factor.size * size)
    table = np.asarray(flat, dtype=np.float64).reshape(factor.size, size)
    if not whole.sided:
        return table
    return np.column_stack([table, np.bincount(codes, side * residual, minlength=factor.size)])


def _place_votes(whole: PairResiduals, tally: Tally) -> tuple[Integers, Integers, Array, Array]:
    # The side is 1 where the system first by name was shown first, else −1.
    key, swap, won, total = decisive_votes(tally)
    rows = np.flatnonzero(total > 0)
    swap = swap[rows]
    pair = np.searchsorted(whole.first * len(tally.systems) + whole.second, key[rows])
    chance = whole.chances[swap * (1 if whole.sided else 0), pair]
    return rows, pair, won[rows] - total[rows] * chance, np.where(swap, -1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Spread:
    across: Array  # (P,) Σ_g (P r_g)², what worths cannot follow, for each pair
    along: float  # Σ_g Σ w (x H⁻¹ Xᵀ r_g)², what they follow, on the scale of T


def _square_gaps(whole: PairResiduals, both: Array) -> Array:
    """Return (P,) Σ (a − b)² of the systems of each pair, from (K, K) sums of products."""
    ends = both[whole.first, whole.first] + both[whole.second, whole.second]
    return np.asarray(ends - 2 * both[whole.first, whole.second])


def measure_cells(whole: PairResiduals, tally: Tally, names: tuple[str, str]) -> Spread:
    # Cells can be many, so that no table of cells by pairs is made.
    rows, pair, residual, side = _place_votes(whole, tally)
    factors = [tally.factor(name) for name in names]
    joined = join_codes([(factor.codes[rows], factor.size) for factor in factors])
    _, cell = np.unique(joined, return_inverse=True)
    # Scores of the order effect, then residuals of each pair on which a cell has votes
    sides = np.asarray(np.bincount(cell, side * residual), dtype=np.float64)
    keys, inverse = np.unique(cell * len(whole.first) + pair, return_inverse=True)
    cell, pair = np.divmod(keys, len(whole.first))
    residual = np.asarray(np.bincount(inverse, residual), dtype=np.float64)

    cells, size = len(sides), len(whole.systems)
    flat = np.zeros(cells * size)
    for sign, end in ((1.0, whole.first), (-1.0, whole.second)):
        flat += sign * np.bincount(cell * size + end[pair], residual, minlength=len(flat))
    scores = flat.reshape(cells, size)[:, :-1]
    scores = np.column_stack([scores, sides]) if whole.sided else scores
    moved = np.linalg.solve(whole.information, scores.T).T
    worths = np.zeros((cells, size))
    worths[:, :-1] = moved[:, : size - 1]
    order = moved[:, size - 1] if whole.sided else np.zeros(cells)
    apart = worths[cell, whole.first[pair]] - worths[cell, whole.second[pair]]
    followed = whole.weight[pair] * apart + whole.lean[pair] * order[cell]
    gaps, turn = _square_gaps(whole, worths.T @ worths), order @ worths
    squares = whole.weight**2 * gaps + whole.lean**2 * (order @ order)
    squares += 2 * whole.weight * whole.lean * (turn[whole.first] - turn[whole.second])
    across = np.bincount(pair, residual * (residual - 2 * followed), minlength=len(squares))
    scale = cells / max(cells - 1, 1)
    return Spread(scale * (across + squares), scale * float(gaps @ whole.weight))


def draw_wild(
    whole: PairResiduals, rows: Array, replicates: int, rng: np.random.Generator
) -> Array:
    """Return (B, P) residuals of replicates in which judges' residuals have random signs."""
    rows = rows[np.abs(rows).sum(axis=1) > 0]
    if len(rows) < 2:
        raise NotIdentified("decisive votes are of one cluster: there is no spread between")
    scale = np.sqrt(len(rows) / (len(rows) - 1))
    return np.asarray(scale * draw_webb((replicates, len(rows)), rng) @ whole.project(rows))


def draw_parametric(whole: PairResiduals, replicates: int, rng: np.random.Generator) -> Array:
    """Return (B, P) residuals of replicates in which every vote follows the model by itself."""
    # Each is fitted again by a step of Newton's, which is P applied to its residuals.
    votes = whole.totals.round().astype(np.int64)
    drawn = rng.binomial(votes, whole.chances, (replicates, *votes.shape))
    apart = drawn - whole.totals * whole.chances
    rows = apart.sum(axis=1)
    if whole.sided:
        rows = np.column_stack([rows, (apart[:, 0] - apart[:, 1]).sum(axis=1)])
    return whole.project(rows)


def statistics(whole: PairResiduals, residuals: Array) -> Array:
    return np.asarray((residuals**2 / whole.weight).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Replicates:
    residuals: Mapping[str, Array]  # (B, P) by clustering, those of all together last
    spurious: float  # Σ w d² that noise adds to what worths explain

    @property
    def clusterings(self) -> tuple[str, ...]:
        return tuple(name for name in self.residuals if name in (*BOTH, "ranking"))

    def p(self, whole: PairResiduals) -> float:
        """Return the share of replicates with a T as large; of several clusterings the largest."""
        if whole.statistic < ROUNDING:
            return 1.0
        least = whole.statistic * (1 - 1e-12)
        above = [int((statistics(whole, one) >= least).sum()) for one in self.residuals.values()]
        return (1 + max(above)) / (1 + N_REPLICATES)


def draw_replicates(
    whole: PairResiduals, evidence: Evidence, chosen: Clustering, rng: np.random.Generator
) -> tuple[Replicates, Clustering]:
    """Draw by each clustering, and by judge and item together where both cluster."""
    drawn: dict[str, Array] = {}
    spreads: dict[str, Spread] = {}
    for name in chosen.clusterings:
        rows = split_residuals(whole, evidence.tallies[name], name)
        try:
            drawn[name] = draw_wild(whole, rows, N_REPLICATES, rng)
        except NotIdentified as refusal:
            note = say("no-clustering", factor=name, why=refusal.fault)
            chosen = replace(chosen, notes=(*chosen.notes, note))
        else:
            rows = rows[np.abs(rows).sum(axis=1) > 0]
            left, moved = whole.project(rows), whole.follow(rows)
            worths = np.pad(moved[:, : len(whole.systems) - 1], ((0, 0), (0, 1)))
            followed = _square_gaps(whole, worths.T @ worths) @ whole.weight
            # a spread over G clusters is too small by it
            inflation = len(rows) / max(len(rows) - 1, 1)
            spreads[name] = Spread(inflation * (left**2).sum(axis=0), inflation * float(followed))
    if len(drawn) > 1:
        judges, items = (spreads[name] for name in BOTH)
        cells = measure_cells(whole, evidence.tallies[BOTH[0]], BOTH)
        total = judges.across + items.across
        variance = np.maximum(total - cells.across, 0.0)
        scale = np.sqrt(np.divide(variance, total, out=np.zeros_like(total), where=total > 0))
        drawn["+".join(BOTH)] = scale * (drawn[BOTH[0]] + drawn[BOTH[1]])
        return Replicates(drawn, max(judges.along + items.along - cells.along, 0.0)), chosen
    if drawn:
        (spread,) = spreads.values()
        return Replicates(drawn, spread.along), chosen
    if evidence.whole.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, so that the model knows no noise: give judges, or"
            " leave the weights out"
        )
    independent = draw_parametric(whole, N_REPLICATES, rng)
    return Replicates({"": independent}, len(whole.systems) - 1.0), chosen


MAX_PAIRS_LISTED: Final = 10
MAX_TRIPLES: Final = 50_000  # Cycles of three that are tested
MAX_CYCLES_NAMED: Final = 3
MAX_JUDGES_LISTED: Final = 5  # Judges and items that are listed for each cycle
TRIPLES_AT_ONCE: Final = 1_000
POWER: Final = 0.8  # Chance with which a deviation is to show
CONFIDENCE: Final = 0.95  # Of each majority of a cycle, one-sided
_SIGNS: Final = np.array([1.0, 1.0, -1.0])


@dataclass(frozen=True)
class Deviation:
    first: str  # the system that won more often than expected
    second: str  # the other
    votes: float  # decisive votes on the pair
    won: float  # share of these for the first (proportion)
    expected: float  # the same by the model
    z: float  # residual over its spread in replicates that worths describe; at least 0
    p: float  # adjusted for all pairs


@dataclass(frozen=True)
class Contribution:
    name: str  # of the judge or item
    share: float  # of the cycle's excess (proportion; all of them sum to one, some are below zero)
    votes: float  # its decisive votes on the three pairs


@dataclass(frozen=True)
class Cycle:
    systems: tuple[str, str, str]  # in the order of preference, the first by name begins
    won: tuple[float, float, float]  # share of decisive votes for each against the next
    excess: float  # log-odds round the cycle that no worths explain, to first order
    z: float  # the same over its spread in replicates without cycles
    p: float  # adjusted for all cycles of three
    judges: tuple[Contribution, ...]  # what judges add, the most first; empty if unknown
    items: tuple[Contribution, ...]  # likewise items

    @property
    def closed(self) -> bool:
        return min(self.won) > 0.5

    @property
    def says(self) -> str:
        names = (*self.systems, self.systems[0])
        wins = [
            f"{names[i]} over {names[i + 1]} in {100 * share:.0f} %"
            for i, share in enumerate(self.won)
        ]
        code = "majority-cycle" if self.closed else "cycle-without-majority"
        return say(code, "info", wins=wins, p=self.p)


@dataclass(frozen=True, repr=False)
class Cycles(Shown):
    """How well worths alone describe preferences."""

    statistic: float  # T, Pearson's X² over pairs
    df: int  # pairs less free worths
    noise: float  # mean of T in replicates without cycles
    p: float | None  # share of such replicates with a T as large, the largest of all clusterings
    share: float  # of the variance of log-odds that is cyclic, noise subtracted (proportion)
    clusterings: tuple[str, ...]  # what clusters; empty where votes count one by one
    order_effect: bool  # whether an advantage of the output shown first stood beside worths
    replicates: int  # replicates that were drawn
    level: float  # at which cycles are called real (proportion)
    cycles: tuple[Cycle, ...]  # the strongest cycles of three that are more than noise
    triples_tested: bool  # whether cycles of three were looked for, as where there are not too many
    deviations: tuple[Deviation, ...]  # the pairs that worths describe worst, noise or not
    headline: str | None  # what must be known first, such as "for these 3 judges only"
    notes: tuple[str, ...]  # what else should be known
    signature: str  # what made the numbers
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def real(self) -> bool:
        """Whether there is more than noise."""
        return self.p is not None and self.p <= 1 - self.level

    @property
    def says(self) -> tuple[str, ...]:
        """The finding in sentences."""
        if self.p is None:
            return (say("no-cycles-seen", "info"),)
        ways = " and ".join(self.clusterings)
        by = f"clustered by {ways}" if ways else "votes taken as independent"
        test = {"statistic": self.statistic, "df": self.df, "noise": self.noise, "p": self.p}
        if not self.real:
            return (say("no-cycles", "info", by=by, **test),)
        first = say("cycles", "info", share=self.share, by=by, **test)
        silent = self.triples_tested and not self.cycles
        none = (say("no-cycle-stands-out", "info"),) if silent else ()
        return (first, *none, *(cycle.says for cycle in self.cycles))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        fields = asdict(self)
        del fields["notes"]
        return {
            **fields,
            **write_contract(self, "says", "real", "clusterings"),
            "deviations": [asdict(pair) for pair in self.deviations],
            "cycles": [
                {**asdict(one), "closed": one.closed, "says": one.says} for one in self.cycles
            ],
        }

    def document(self) -> Document:
        """Return what people read: whether preferences are cyclic, and the pairs that stand out."""
        columns = (
            Column("first", "system", "name"),
            Column("second", "against", "name"),
            Column("votes", "votes", "count"),
            Column("won", "won", "share"),
            Column("expected", "expected", "share"),
            Column("z", "z", "one", "deviation over its spread in replicates without cycles"),
            Column("p", "adjusted p", "p", "that some pair deviates so far by chance"),
        )
        rows = tuple(asdict(one) for one in self.deviations)
        deviations = Table("deviations", "Pairs that worths describe worst", columns, rows)
        threes = tuple(
            {
                "systems": " → ".join(one.systems),
                **{f"won{at}": share for at, share in enumerate(one.won, start=1)},
                "closed": one.closed,
                "z": one.z,
                "p": one.p,
                "judges": _name_most(one.judges),
                "items": _name_most(one.items),
            }
            for one in self.cycles
        )
        of_threes = (
            Column("systems", "cycle", says="each preferred to the next more than worths explain"),
            Column("won1", "1st over 2nd", "share", "share of decisive votes"),
            Column("won2", "2nd over 3rd", "share"),
            Column("won3", "3rd over 1st", "share"),
            Column("closed", "majorities", "yes", "whether three majorities make it a cycle"),
            Column("z", "z", "one", "excess over its spread in replicates without cycles"),
            Column("p", "adjusted p", "p", "that some cycle of three is so strong by chance"),
            Column("judges", "judges who add most"),
            Column("items", "items that add most"),
        )
        forms: tuple[Form, ...] = ("html", "latex", "markdown")
        cycles = Table("cycles", "Intransitive threes", of_threes, threes, only=forms)
        return write_document(self, *(one for one in (deviations, cycles) if one.rows))


def _name_most(parts: tuple[Contribution, ...]) -> str | None:
    return ", ".join(f"{one.name} ({100 * one.share:.0f} %)" for one in parts[:3]) or None


@controls.carries_excluded(*controls.OF_SYSTEMS)
def find_cycles(
    data: Comparisons | Rankings | controls.Openable,
    *,
    cluster: str | None = None,
    order_effect: bool | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> Cycles:
    """Ask whether preferences are cyclic, more than noise makes them.

    Args:
        data: comparisons or rankings of one task; ties are excluded.
        cluster: judgments that are correlated, as in `rank`; by default what the data have.
        order_effect: whether the output shown first may have an advantage that makes no cycle; by
            default where sides were not randomised.
        level: at which cycles are called real (proportion).
        seed: of the replicates.

    Raises:
        UnknownOption: several tasks, or importance weights without judges.
        NotIdentified: decisive votes determine no worths or, if asked for, no order effect; or
            clusters were asked for of which there is only one.
        UnknownColumn: a column of the clusters that were asked for is not there.
        InvalidJudgments: neither comparisons nor rankings; says what to do.

    >>> import evenhand, pandas as pd
    >>> round_ = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    >>> rows = [(*pair, "left") for pair in round_] * 15 + [(*pair, "right") for pair in round_] * 5
    >>> turned = {"left": "right", "right": "left"}
    >>> rows += [(other, one, turned[outcome]) for one, other, outcome in rows]
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> cycles = evenhand.find_cycles(votes)
    >>> cycles.real, cycles.cycles[0].systems
    (True, ('paper', 'rock', 'scissors'))
    """
    require_level(level)
    require_seed(seed)
    table = controls.require_pairs(data, "cycles are sought in comparisons or rankings, not in")
    if len(table.tasks()) > 1:
        raise UnknownOption("cycles are of one board: choose a task")
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    wanted_factors(cluster, set(present))
    tally = table.tally(by=present)
    if table.rankings is not None:
        tally = replace(tally, positions_known=False)
    with one_blas_thread():
        sided, notes = choose_sides(tally, order_effect=order_effect)
        cycles = look_for_cycles(tally, level, seed, cluster=cluster, order_effect=sided)
    return replace(cycles, notes=(*controls.say_left_out(data, table), *notes, *cycles.notes))


def choose_sides(tally: Tally, *, order_effect: bool | None) -> tuple[bool, tuple[str, ...]]:
    # where sides were randomised, a preference for one makes no cycles
    known = tally.positions_known and not order_effect
    notes = note_sides(tally.systems, count_sides(tally)) if known else ()
    if not notes:
        return bool(order_effect), ()
    if order_effect is None:
        with suppress(NotIdentified, NotConverged, UnknownOption):
            find_residuals(tally, order_effect=True)
            return True, (*notes, say("cycles-beside-sides"))
    return False, (*notes, say("cycles-or-sides", "warning"))


def look_for_cycles(
    tally: Tally, level: float, seed: int, *, cluster: str | None = None, order_effect: bool = False
) -> Cycles:
    whole = find_residuals(tally, order_effect=order_effect)
    evidence = Evidence.of(merge_factors(tally))
    chosen = choose_factors(evidence) if cluster is None else choose_clustering(cluster, evidence)
    rng = Generator(PCG64(SeedSequence(seed)))
    replicates, chosen = draw_replicates(whole, evidence, chosen, rng)
    residuals = list(replicates.residuals.values())
    noise = float(statistics(whole, residuals[-1]).mean())  # of all clusterings together
    p, share = None, 0.0
    deviations: tuple[Deviation, ...] = ()
    if whole.df > 0:
        p = replicates.p(whole)
        deviations = list_deviations(whole, residuals)
        # Noise is subtracted from what is cyclic, and from what worths explain
        cyclic = max(0.0, whole.statistic - noise)
        along_worths = max(0.0, whole.explained - replicates.spurious)
        share = cyclic / (cyclic + along_worths) if cyclic else 0.0
    cycles: tuple[Cycle, ...] = ()
    tested = False
    notes: tuple[str, ...] = chosen.notes
    if chosen.headline and p is not None:
        notes = (say("cycles-limited", limit=chosen.headline), *notes)
    if p is not None and p <= 1 - level:
        triples = list_triples(whole)
        if triples is None:
            notes += (say("too-many-triples"),)
        elif len(triples):
            tested = True
            cycles = _name_cycles(whole, tally, triples, residuals, level)
    by = "+".join(replicates.clusterings)
    parts = ["cycles", *(["order effect"] if order_effect else [])]
    parts += [f"wild by {by}" if by else "parametric", f"B={N_REPLICATES}", f"seed={seed}"]
    return Cycles(
        statistic=whole.statistic,
        df=whole.df,
        noise=noise,
        p=p,
        share=share,
        clusterings=replicates.clusterings,
        order_effect=order_effect,
        replicates=N_REPLICATES,
        level=level,
        cycles=cycles,
        triples_tested=tested,
        deviations=deviations,
        headline=chosen.headline,
        notes=notes,
        signature=write_signature(parts, tally.n_judgments, tally.digest),
    )


# Pairs of systems that the model describes worst, and cycles of three. The residual r of a pair, or
# the log-odds round a cycle, stands over its spread in replicates in which worths describe all:
#
# z = r / √(mean of r*² over replicates),   p = (1 + #{replicates: max |z*| ≥ |z|}) / (1 + B)
#
# max being over all pairs (or cycles) of a replicate, so that with chance 1 − level none is named
# without cause (single-step max-T: Westfall & Young 1993, Resampling-based multiple testing). Of
# several clusterings the smallest |z| and the largest p count.


def list_deviations(whole: PairResiduals, replicates: Sequence[Array]) -> tuple[Deviation, ...]:
    """Return the pairs farthest from the model, the farthest first."""
    z, p = weigh_pairs(whole, replicates)
    # what is equal but for rounding, which differs by processor, stands in the order of names
    order = np.lexsort((np.arange(len(z)), -np.abs(z).round(9), p))[:MAX_PAIRS_LISTED]
    expected = (whole.totals * whole.chances).sum(axis=0) / whole.total
    won = whole.won / whole.total
    deviations = []
    for at in order.tolist():
        names = (whole.systems[whole.first[at]], whole.systems[whole.second[at]])
        shares = (float(won[at]), float(expected[at]))
        if z[at] < 0:  # the system that won more often than expected comes first
            names, shares = names[::-1], (1 - shares[0], 1 - shares[1])
        votes = float(whole.total[at])
        deviations.append(Deviation(*names, votes, *shares, abs(float(z[at])), float(p[at])))
    return tuple(deviations)


def weigh_pairs(whole: PairResiduals, replicates: Sequence[Array]) -> tuple[Array, Array]:
    """Return (P,) z of each pair and (P,) p, adjusted by the largest |z| of every replicate."""
    # A pair whose residual no replicate moves has z 0 and p 1: worths follow it whatever is said.
    z, p = np.full(len(whole.first), np.inf), np.zeros(len(whole.first))
    for drawn in replicates:
        spread = np.sqrt((drawn**2).mean(axis=0))
        known = spread > 1e-9 * np.sqrt(whole.weight)
        scale = np.where(known, spread, 1.0)
        largest = np.abs(drawn / scale * known).max(axis=1, initial=0.0)
        z, p = _least_sure(z, p, np.where(known, whole.residual / scale, 0.0), largest)
    return z, np.where(z == 0, 1.0, p)


def _least_sure(z: Array, p: Array, other: Array, largest: Array) -> tuple[Array, Array]:
    """Return the smaller |z| and the larger p, with those of another clustering."""
    above = len(largest) - np.searchsorted(np.sort(largest), np.abs(other) * (1 - 1e-12))
    p = np.maximum(p, (1 + above) / (1 + len(largest)))
    return np.where(np.abs(other) < np.abs(z), other, z), p


def _excess(odds: Array, pairs: Integers) -> Array:
    """Return (..., T): log-odds round each cycle i, j, k, from those of pairs (..., P)."""
    return np.asarray((odds[..., pairs] * _SIGNS).sum(axis=-1))


def list_triples(whole: PairResiduals) -> Integers | None:
    """Return (T, 3) the pairs ij, jk and ik of cycles; None of more than can be tested."""
    k = len(whole.systems)
    if k * (k - 1) * (k - 2) // 6 > MAX_TRIPLES:
        return None
    number = np.full((k, k), -1, dtype=np.int64)
    number[whole.first, whole.second] = np.arange(len(whole.first))
    i, j, m = np.array(list(combinations(range(k), 3)), dtype=np.int64).reshape(-1, 3).T
    pairs = np.stack([number[i, j], number[j, m], number[i, m]], axis=1)
    return np.asarray(pairs[(pairs >= 0).all(axis=1)])


def _name_cycles(
    whole: PairResiduals, tally: Tally, triples: Integers, replicates: Sequence[Array], level: float
) -> tuple[Cycle, ...]:
    observed = _excess(whole.residual / whole.weight, triples)
    z, p = np.full(len(observed), np.inf), np.zeros(len(observed))
    for drawn in replicates:
        odds = drawn / whole.weight
        own_z, largest = np.zeros(len(observed)), np.zeros(len(odds))
        for start in range(0, len(observed), TRIPLES_AT_ONCE):
            rows = slice(start, start + TRIPLES_AT_ONCE)
            around = _excess(odds, triples[rows])
            spread = np.sqrt((around**2).mean(axis=0))
            known = spread > 0
            own_z[rows][known] = observed[rows][known] / spread[known]
            if known.any():
                largest = np.maximum(largest, np.abs(around[:, known] / spread[known]).max(axis=1))
        z, p = _least_sure(z, p, own_z, largest)
    cycles = []
    for at in np.argsort(-np.abs(z).round(9), kind="stable")[:MAX_CYCLES_NAMED].tolist():
        if p[at] > 1 - level:
            continue
        pairs = triples[at]
        excess = float(_excess(whole.residual / whole.weight, pairs))
        codes = [*whole.first[pairs[:2]].tolist(), int(whole.second[pairs[1]])]
        i, j, k = (whole.systems[code] for code in codes)
        ij, jk, ik = (whole.won[pairs] / whole.total[pairs]).tolist()
        shares = {
            name: _find_contributions(whole, tally, name, pairs)
            for name in ("judge", "item")
            if name in tally.factors and len(tally.factors[name].labels) > 1
        }
        cycle = Cycle(
            systems=(i, j, k) if excess > 0 else (i, k, j),
            won=(ij, jk, 1 - ik) if excess > 0 else (ik, 1 - jk, 1 - ij),
            excess=abs(excess),
            z=abs(float(z[at])),
            p=float(p[at]),
            judges=shares.get("judge", ()),
            items=shares.get("item", ()),
        )
        cycles.append(cycle)
    return tuple(cycles)


def _find_contributions(
    whole: PairResiduals, tally: Tally, name: str, pairs: Integers
) -> tuple[Contribution, ...]:
    factor = tally.factor(name)
    rows, at, residual, _ = _place_votes(whole, tally)
    sums = [
        np.bincount(factor.codes[rows[at == pair]], residual[at == pair], minlength=factor.size)
        for pair in pairs.tolist()
    ]
    excess = _excess(np.stack(sums, axis=1) / whole.weight[pairs], np.arange(3))
    key, _, _, decided = decisive_votes(tally)
    rows = np.flatnonzero(np.isin(key, (whole.first * len(tally.systems) + whole.second)[pairs]))
    votes = np.bincount(factor.codes[rows], decided[rows], factor.size)
    total = float(excess.sum())
    order = np.argsort(-excess * np.sign(total), kind="stable")[:MAX_JUDGES_LISTED]
    return tuple(
        Contribution(factor.labels[code], float(excess[code] / total), float(votes[code]))
        for code in order.tolist()
        if excess[code] / total > 0
    )


def find_sure_circle(cycles: Cycles, tally: Tally) -> Cycle | None:
    """Return the strongest cycle whose three majorities are all sure; None where there is none."""
    # One-sided at .05, votes taken for independent: a share of n votes of equals is about normal
    # with mean 1/2 and standard deviation 1/(2 √n).
    if not cycles.real:
        return None
    key, _, _, decided = decisive_votes(tally)
    bound, size = normal_quantile(CONFIDENCE), len(tally.systems)
    for cycle in cycles.cycles:
        codes = [tally.systems.index(name) for name in cycle.systems]
        pairs = zip(codes, (*codes[1:], codes[0]), strict=True)
        votes = [float(decided[key == min(pair) * size + max(pair)].sum()) for pair in pairs]
        sure = [(won - 0.5) * 2 * n**0.5 >= bound for won, n in zip(cycle.won, votes, strict=True)]
        if cycle.closed and all(sure):
            return cycle
    return None


def find_visible(cycles: Cycles, tally: Tally) -> float | None:
    """Return by how much pairs must be off, typically, to show with a chance of .8 (proportion)."""
    # Without that, the silence of a test says nothing. T over the factor c by which judges and
    # items spread it is about χ² on df. Pairs off by d (proportion) move it by λ = 4 n d² df / (P
    # c), with n decided comparisons of P pairs: 4 stands for 1/(p q), which is at least that. d is
    # where λ gives a power of .8: at most 1/2, or None where nothing could be seen.
    if cycles.p is None:
        return None
    from scipy.special import chdtri, chndtrinc

    key, _, _, decided = decisive_votes(tally)
    pairs = len(np.unique(key[decided > 0]))
    shift = float(chndtrinc(chdtri(cycles.df, 1 - cycles.level), cycles.df, 1 - POWER))
    spread = cycles.noise / cycles.df
    visible = float(np.sqrt(shift * spread * pairs / (4 * decided.sum() * cycles.df)))
    return visible if visible <= 0.5 else None
