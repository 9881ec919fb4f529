"""The agreement that judges would reach if each followed the same worths, beside the observed one.

How far judges can agree depends on what they are asked: of two equal systems every answer is a
coin, and two judges who do nothing wrong agree no more than chance. A model of worths says how
often. Let p_u(o) be its probability that vote u has outcome o: one output, neither, the other. Two
votes u and v of different judges on the same two outputs, independent given the worths, agree with
probability Σ_o p_u(o) p_v(o). Over all M comparable pairs of votes, those that κ is made of,

    P*(A) = (1/M) Σ_{u<v} Σ_o p_u(o) p_v(o)
    p*    = mean over votes of the probability of a tie,   P*(E) = p*² + (1 − p*)²/2
    κ*    = (P*(A) − P*(E)) / (1 − P*(E))

P(A) is a mean of indicators with these expectations, so E P(A) = P*(A) exactly; κ is a ratio, and
E κ = κ* up to terms of the order of 1/M. n-agreement at n = 0 is P(A). Within a group of n votes
the sum over pairs is (|Σ_u p_u|² − Σ_u |p_u|²)/2, so nothing goes through pairs of votes.

What a difference means. Judges who differ at random around the same worths still agree as
expected, since votes of two judges are independent given the pair of systems. Less is observed
where the model is wrong about pairs or about ties. More is observed where items differ: both
judges see that this one output is bad, and worths are means over items. So κ above κ* is usual,
and κ below it is a finding.

When not to use it: with few votes for each parameter of the model. The worths are fitted to the
same votes, which makes probabilities too extreme: P*(A) is too large by about Σ_o Var p̂(o), in all
parameters/votes times a half at most. Between two careless panels κ and κ* are both near 0: that κ
is as expected does not show that judges took care.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.votes import Votes
from evenhand.judges.agreement_intervals import draw_items, find_interval, refuse_interval
from evenhand.judges.counts import Ratio
from evenhand.judges.preferences import compare_votes, correct_chance, leave_repeats
from evenhand.numerics import Array

# (first, second) names of systems → (n, 3) probabilities of left, tie, right
Predict = Callable[[Sequence[tuple[str, str]]], Array]


@dataclass(frozen=True)
class ExpectedAgreement:
    observed: float  # P(A), share of comparable pairs of votes that agree (proportion)
    expected: float  # P*(A), the share that the worths give (proportion)
    kappa: float  # κ of the votes
    expected_kappa: float  # κ* of the worths
    difference: float  # κ − κ*
    # lower end of the interval of the difference, items drawn; None with few items
    lower: float | None
    upper: float | None  # upper end, or None
    comparable: int  # pairs of votes of different judges on the same two outputs

    @property
    def short(self) -> bool:
        """Whether judges surely agree less than the worths expect."""
        return self.upper is not None and self.upper < 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"short": self.short}


def expect_agreement(
    votes: Votes, predict: Predict, *, level: float = 0.95, seed: int = SEED
) -> ExpectedAgreement | None:
    shared = compare_votes(votes)
    if shared.kappa is None or shared.observed is None:
        return None
    votes = leave_repeats(votes)
    k, size = len(votes.systems), len(votes.items)
    sides = votes.left.astype(np.int64) * k + votes.right
    pairs, place = np.unique(sides, return_inverse=True)
    names = [(votes.systems[pair // k], votes.systems[pair % k]) for pair in pairs.tolist()]
    chances = predict(names)[place.reshape(-1)]
    turned = votes.left < votes.right  # the system first by name stood left: it goes last
    chances = np.where(turned[:, None], chances[:, ::-1], chances)
    agree = np.zeros(size)  # expected agreeing pairs of votes of different judges on each item
    for sign, keys in ((1, votes.number("pair")), (-1, votes.number("pair", "judge"))):
        groups = int(keys.max(initial=-1)) + 1
        both = np.zeros(groups)
        for column in chances.T:
            both += np.bincount(keys, column, minlength=groups) ** 2
            both -= np.bincount(keys, column**2, minlength=groups)
        item = np.zeros(groups, dtype=np.int64)
        item[keys] = votes.item
        agree += sign * np.bincount(item, both / 2, minlength=size)
    ties = np.bincount(votes.item, chances[:, 1], minlength=size)
    sums = np.column_stack([shared.by_item.astype(np.float64), agree, ties])
    sums = sums[sums.any(axis=1)]
    whole = sums.sum(axis=0, keepdims=True)
    observed, expected = (float(part[0]) for part in _find_kappas(whole))
    lower = upper = None
    if refuse_interval(len(sums), "item") is None:  # items are drawn, the worths held as they are
        kappas, expected_kappas = _find_kappas(draw_items(sums, seed))
        known = np.isfinite(kappas) & np.isfinite(expected_kappas)
        apart = np.where(known, kappas - expected_kappas, 0.0)
        interval = find_interval(Ratio(apart, known.astype(np.float64)), level)
        lower, upper = interval.lower, interval.upper
    share = float(whole[0, 4] / whole[0, 1])
    kappas_seen = (observed, expected, observed - expected, lower, upper)
    return ExpectedAgreement(shared.observed, share, *kappas_seen, shared.comparable)


def _find_kappas(sums: Array) -> list[Array]:
    """Return κ and κ* of every row of sums; NaN where they do not exist."""
    # sums: (R, 6) agreeing and comparable pairs of votes, ties and votes; then agreeing pairs and
    #     ties as the model expects them.
    agree, comparable, ties, total, expected, expected_ties = sums.T
    kappas = []
    for one, tied in ((agree, ties), (expected, expected_ties)):
        over, under = correct_chance(one, comparable, tied, total)
        kappas.append(np.where(under > 0, over / np.where(under > 0, under, 1), np.nan))
    return kappas
