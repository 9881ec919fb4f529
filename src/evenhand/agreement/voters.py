"""How each judge of comparisons agrees with the others, and with itself.

A judge's votes are set against those of all others on the same two outputs, whichever stood left:
with n_o votes for outcome o on an output pair, m_o of them the judge's own, m_o (n_o − m_o) pairs
of votes agree. κ takes chance from the ties of all judges together (see `preferences`), so that
judges are measured alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.preferences import chance_agreement, check_names, leave_controls
from evenhand.judgments.votes import TIE, Votes
from evenhand.numerics.grouping import number_groups

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class VoterSummary:
    """How one judge agrees.

    Attributes:
        judge: name.
        votes: comparisons made, ties among them counted in `ties`.
        ties: ties said.
        agree: pairs of an own vote and another judge's on the same outputs that agree.
        comparable: all such pairs.
        own_agree: pairs of own votes on the same outputs that agree.
        own_comparable: all such pairs.
        chance: P(E) of all judges' comparisons (proportion).

    """

    judge: str
    votes: int
    ties: int
    agree: int
    comparable: int
    own_agree: int
    own_comparable: int
    chance: float

    @property
    def kappa(self) -> float | None:
        """κ against the other judges; None without comparable votes, or if all are ties."""
        return _correct(self.agree, self.comparable, self.chance)

    @property
    def own_kappa(self) -> float | None:
        """κ against own answers on the same outputs; None likewise."""
        return _correct(self.own_agree, self.own_comparable, self.chance)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "kappa": self.kappa, "own_kappa": self.own_kappa}


def summarise_voters(votes: Votes) -> tuple[VoterSummary, ...]:
    """Return how each judge agrees with the others and with itself, by name.

    Args:
        votes: comparisons; controls are left out.

    Raises:
        NotIdentified: the table names no items or no judges.

    """
    check_names(votes)
    votes = leave_controls(votes)
    if not votes.size:
        return ()
    size = len(votes.judges)
    tied = votes.outcome == TIE
    made = np.bincount(votes.judge, minlength=size)
    ties = np.bincount(votes.judge[tied], minlength=size)
    agree, comparable, again, twice = _count_agreement(votes)
    chance = chance_agreement(float(tied.mean()))
    return tuple(
        VoterSummary(
            judge=name,
            votes=int(made[j]),
            ties=int(ties[j]),
            agree=agree[j],
            comparable=comparable[j],
            own_agree=again[j],
            own_comparable=twice[j],
            chance=chance,
        )
        for j, name in enumerate(votes.judges)
        if made[j]
    )


def _count_agreement(votes: Votes) -> list[list[int]]:
    """Count agreeing and comparable pairs with others' votes, then with own ones, by judge."""
    pairs = number_groups(votes.pair)
    own = number_groups(pairs, votes.judge)
    judge, pair = np.zeros((2, int(own.max()) + 1), dtype=np.int64)
    judge[own], pair[own] = votes.judge, pairs
    every, mine = _count(pairs, votes), _count(own, votes)
    others = every[pair] - mine
    sums = (
        (mine * others).sum(axis=1),
        mine.sum(axis=1) * others.sum(axis=1),
        (mine * (mine - 1) // 2).sum(axis=1),
        mine.sum(axis=1) * (mine.sum(axis=1) - 1) // 2,
    )
    return [np.bincount(judge, one, len(votes.judges)).astype(int).tolist() for one in sums]


def _count(keys: Counts, votes: Votes) -> Counts:
    """(G, 3) votes for each outcome by group."""
    said = votes.preferred.astype(np.int64) + 1
    counts = np.bincount(keys * 3 + said, minlength=3 * (int(keys.max()) + 1))
    return counts.reshape(-1, 3)


def _correct(agree: int, comparable: int, chance: float) -> float | None:
    if not comparable or chance == 1:
        return None
    return (agree / comparable - chance) / (1 - chance)
