"""Cycles: are preferences intransitive, more than noise makes them, and whose votes make them so?

The part of the log-odds of pairs that no worths explain is cyclic (HodgeRank: Jiang,
Lim, Yao & Ye 2011, Mathematical Programming 127:203-244). Noise makes some of it, and judges with
tastes make more: raw counts of cycles show nothing. Here the statistic T = Σ r²/w is set beside
replicates without cycles in which judges, items and both together keep their residuals with random
signs; only where judges are not known are votes drawn one by one (`cycle_residuals`). T also says
how well the Bradley-Terry model fits.

When not to use it: to choose a model. Cycles can be real and too small to predict anything by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.exclusions import Exclusion, list_findings, write_excluded
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown, write_signature
from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_level, require_seed
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import choose_clustering, choose_factors, wanted_factors
from evenhand.ranking.robustness.cycle_residuals import (
    N_REPLICATES,
    PairResiduals,
    decisive_votes,
    draw_replicates,
    find_residuals,
    split_pairs,
)
from evenhand.ranking.robustness.removal import merge_evidence
from evenhand.ranking.robustness.texts import say
from evenhand.ranking.sides import count_sides, note_sides
from evenhand.render.document import Column, Document, Form, Table
from evenhand.render.findings import describe_findings

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
    """Three systems of which each is preferred to the next more often than worths explain."""

    # in the order of preference, the last preferred to the first; the first by name begins
    systems: tuple[str, str, str]
    # share of decisive votes for each against the next (proportion)
    won: tuple[float, float, float]
    excess: float  # log-odds round the cycle that no worths explain, to first order
    z: float  # the same over its spread in replicates without cycles
    p: float  # adjusted for all cycles of three
    # what judges add, the most first; empty where they are not known
    judges: tuple[Contribution, ...]
    items: tuple[Contribution, ...]  # likewise items

    @property
    def closed(self) -> bool:
        """Whether each is in fact preferred to the next, by more than half of the votes."""
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
    # share of such replicates with a T as large; of several clusterings the largest
    p: float | None
    share: float  # of the variance of log-odds that is cyclic, noise subtracted (proportion)
    clusterings: tuple[str, ...]  # what clusters; empty where votes count one by one
    order_effect: bool  # whether an advantage of the output shown first stood beside worths
    replicates: int  # replicates that were drawn
    level: float  # at which cycles are called real (proportion)
    cycles: tuple[Cycle, ...]  # the strongest cycles of three that are more than noise
    triples_tested: bool  # whether cycles of three were looked for, as where there are not too many
    # the pairs that worths describe worst, more than noise or not
    deviations: tuple[Deviation, ...]
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
        by = "votes taken as independent"
        if self.clusterings:
            by = f"clustered by {' and '.join(self.clusterings)}"
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
            "excluded": write_excluded(self.excluded),
            "clusterings": list(self.clusterings),
            "findings": describe_findings(self.notes),
            "real": self.real,
            "says": list(self.says),
            "deviations": [asdict(pair) for pair in self.deviations],
            "cycles": [
                {**asdict(cycle), "closed": cycle.closed, "says": cycle.says}
                for cycle in self.cycles
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
        caption = "Pairs that worths describe worst"
        deviations = Table("deviations", caption, columns, rows)
        return Document(
            answer=self.says,
            parts=tuple(one for one in (deviations, self._tabulate()) if one.rows),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )

    def _tabulate(self) -> Table:
        """Return the table of cycles, which sentences tell in a terminal."""
        rows = tuple(
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
        columns = (
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
        return Table("cycles", "Intransitive threes", columns, rows, only=forms)


def _name_most(parts: tuple[Contribution, ...]) -> str | None:
    return ", ".join(f"{one.name} ({100 * one.share:.0f} %)" for one in parts[:3]) or None


@carries_excluded("controls")
def find_cycles(
    data: Comparisons | Rankings,
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
    table = require_pairs(data, "cycles are sought in comparisons or rankings, not in")
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
    return replace(cycles, notes=(*say_left_out(data, table), *notes, *cycles.notes))


def choose_sides(tally: Tally, *, order_effect: bool | None) -> tuple[bool, tuple[str, ...]]:
    # A preference for one side makes cycles where sides do: a before b, b before c, c before a.
    # Where sides were randomised it makes none.
    if order_effect or not tally.positions_known:
        return bool(order_effect), ()
    notes = note_sides(tally.systems, count_sides(tally))
    if not notes:
        return False, ()
    if order_effect is None:
        try:
            find_residuals(tally, order_effect=True)
        except (NotIdentified, NotConverged, UnknownOption):
            return False, (*notes, say("cycles-or-sides", "warning"))
        return True, (*notes, say("cycles-beside-sides"))
    return False, (*notes, say("cycles-or-sides", "warning"))


def look_for_cycles(
    tally: Tally, level: float, seed: int, *, cluster: str | None = None, order_effect: bool = False
) -> Cycles:
    whole = find_residuals(tally, order_effect=order_effect)
    evidence = merge_evidence(tally)
    chosen = choose_factors(evidence) if cluster is None else choose_clustering(cluster, evidence)
    rng = Generator(PCG64(SeedSequence(seed)))
    replicates, chosen = draw_replicates(whole, evidence, chosen, rng)
    residuals = list(replicates.residuals.values())
    noise = replicates.noise(whole)
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


# Pairs of systems that the model describes worst, and cycles of three, allowing for how many were
# looked at. The residual r of a pair, or the log-odds round a cycle, stands over its spread in
# replicates in which worths describe everything:
#
# z = r / √(mean of r*² over replicates),   p = (1 + #{replicates: max |z*| ≥ |z|}) / (1 + B)
#
# max being over all pairs (or cycles) of a replicate, so that with chance 1 − level none is named
# without cause (single-step max-T: Westfall & Young 1993, Resampling-based multiple testing). Of
# several clusterings the smallest |z| and the largest p count.


def list_deviations(whole: PairResiduals, replicates: Sequence[Array]) -> tuple[Deviation, ...]:
    """Return the pairs farthest from the model, the farthest first."""
    z, p = weigh_pairs(whole, replicates)
    order = np.lexsort((np.arange(len(z)), -np.abs(z), p))[:MAX_PAIRS_LISTED]
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


def weigh_triples(
    whole: PairResiduals, triples: Integers, replicates: Sequence[Array]
) -> tuple[Array, Array]:
    """Return (T,) z of each cycle and (T,) p, adjusted by the largest |z| of every replicate."""
    observed = _excess(whole.residual / whole.weight, triples)
    z, p = np.full(len(observed), np.inf), np.zeros(len(observed))
    for drawn in replicates:
        odds = drawn / whole.weight
        own_z, largest = np.zeros(len(observed)), np.zeros(len(odds))
        for start in range(0, len(observed), TRIPLES_AT_ONCE):
            rows = slice(start, start + TRIPLES_AT_ONCE)
            excess = _excess(odds, triples[rows])
            spread = np.sqrt((excess**2).mean(axis=0))
            known = spread > 0
            own_z[rows][known] = observed[rows][known] / spread[known]
            if known.any():
                largest = np.maximum(largest, np.abs(excess[:, known] / spread[known]).max(axis=1))
        z, p = _least_sure(z, p, own_z, largest)
    return z, p


def _name_cycles(
    whole: PairResiduals, tally: Tally, triples: Integers, replicates: Sequence[Array], level: float
) -> tuple[Cycle, ...]:
    z, p = weigh_triples(whole, triples, replicates)
    cycles = []
    for at in np.argsort(-np.abs(z), kind="stable")[:MAX_CYCLES_NAMED].tolist():
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
    parts = split_pairs(whole, tally, name, pairs) / whole.weight[pairs]
    excess, factor = _excess(parts, np.arange(3)), tally.factor(name)
    key, _, _, decided = decisive_votes(tally)
    rows = np.isin(key, (whole.first * len(tally.systems) + whole.second)[pairs])
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
    # Each must be more than chance makes, one-sided at .05, votes taken for independent: a share p
    # of n votes of equals is about normal with mean 1/2 and standard deviation 1/(2 √n). Nothing is
    # sure where pairs deviate from worths no more than by chance.
    if not cycles.real:
        return None
    key, _, _, decided = decisive_votes(tally)
    quantile, size = normal_quantile(CONFIDENCE), len(tally.systems)
    for cycle in cycles.cycles:
        codes = [tally.systems.index(name) for name in cycle.systems]
        pairs = zip(codes, (*codes[1:], codes[0]), strict=True)
        votes = [float(decided[key == min(pair) * size + max(pair)].sum()) for pair in pairs]
        sure = [
            (won - 0.5) * 2 * n**0.5 >= quantile for won, n in zip(cycle.won, votes, strict=True)
        ]
        if cycle.closed and all(sure):
            return cycle
    return None


def find_visible(cycles: Cycles, tally: Tally) -> float | None:
    """Return by how much pairs must be off, typically, to show with a chance of .8 (proportion)."""
    # Without that, the silence of a test says nothing. T over the factor c by which judges and
    # items spread it is about χ² on df. Pairs off by d (proportion) move it by λ = 4 n d² df / (P
    # c), with n decided comparisons of P pairs: 4 stands for 1/(p q), which is at least that. d is
    # where λ gives a power of .8.
    # Returns about that much, at most 1/2; None where nothing could be seen, however far pairs are
    #     off.
    if cycles.p is None:
        return None
    from scipy.special import chdtri, chndtrinc

    key, _, _, decided = decisive_votes(tally)
    pairs = len(np.unique(key[decided > 0]))
    shift = float(chndtrinc(chdtri(cycles.df, 1 - cycles.level), cycles.df, 1 - POWER))
    spread = cycles.noise / cycles.df
    visible = float(np.sqrt(shift * spread * pairs / (4 * decided.sum() * cycles.df)))
    return visible if visible <= 0.5 else None
