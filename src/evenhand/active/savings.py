"""What a policy would have saved: agreement with the ranking of all the data, by judgments used.

Random pairs reach a certain mean agreement with n judgments, the policy with n′: it saves
1 − n′/n. Intervals resample the replays, policy and random pairs together. The method is ours.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.active.policy import Policy

Array = NDArray[np.float64]

RESAMPLES: Final = 999
DRY: Final = 0.25
"""Share of a policy's judgments from emptied pairs above which its saving is understated."""


@dataclass(frozen=True)
class Saving:
    """How many judgments the policy takes for what random pairs reach with so many.

    Attributes:
        agreement: mean agreement that random pairs reach.
        random: judgments that they take.
        chosen: judgments that the policy takes; as many as were replayed where it does not reach
            it.
        saved: proportion saved, below 0 where the policy takes more.
        lower: lower end of the 95 % interval of `saved`.
        upper: upper end.
        reached: whether the policy reaches it at all.

    """

    agreement: float
    random: float
    chosen: float
    saved: float
    lower: float
    upper: float
    reached: bool


@dataclass(frozen=True, eq=False)
class Savings:
    """A policy and random pairs, replayed on the same judgments.

    Attributes:
        policy: the policy that was replayed.
        agreement: what is measured, "tau" or "first k".
        judgments: (T,) judgments at each look.
        chosen: (R, T) agreement of the policy, by replay.
        random: (R, T) agreement of random pairs.
        emptied: share of the policy's judgments on pairs that it emptied.
        n_judgments: judgments in the data.
        per_pair: mean judgments of a pair that has any.
        signature: what makes the numbers again.
        seed: of the resamples.

    """

    policy: Policy
    agreement: str
    judgments: NDArray[np.int64]
    chosen: Array
    random: Array
    emptied: float
    n_judgments: int
    per_pair: float
    signature: str
    seed: int

    def save(self, n: int | None = None) -> Saving:
        """Return what is saved to agree as well as random pairs do with n judgments.

        Args:
            n: judgments; half of what was replayed by default.

        """
        wanted = self.judgments[-1] / 2 if n is None else n
        at = int(np.argmin(np.abs(self.judgments - wanted)))
        whole, reached = self._take(np.arange(len(self.chosen)), at)
        rng = np.random.Generator(np.random.PCG64(self.seed))
        drawn = rng.integers(len(self.chosen), size=(RESAMPLES, len(self.chosen)))
        random = float(self.judgments[at])
        saved = [1 - self._take(rows, at)[0] / random for rows in drawn]
        lower, upper = np.quantile(saved, (0.025, 0.975)).tolist()
        level = float(self.random[:, at].mean())
        return Saving(level, random, whole, 1 - whole / random, lower, upper, reached)

    def _take(self, rows: NDArray[np.intp], at: int) -> tuple[float, bool]:
        """Return how many judgments the policy takes in some replays, and whether that is enough.

        Between two looks agreement is taken to rise in a straight line.
        """
        level = self.random[rows, at].mean()
        mean = self.chosen[rows].mean(axis=0)
        if mean.max() < level:
            return float(self.judgments[-1]), False
        look = int(np.argmax(mean >= level))
        if look == 0:
            return float(self.judgments[0]), True
        part = (level - mean[look - 1]) / (mean[look] - mean[look - 1])
        step = self.judgments[look] - self.judgments[look - 1]
        return float(self.judgments[look - 1] + part * step), True

    @property
    def says(self) -> tuple[str, ...]:
        """What was found."""
        one = self.save()
        start = (
            f"with {one.random:,.0f} judgments random pairs agree with all {self.n_judgments:,} by"
            f" {one.agreement:.2f} ({self.agreement})"
        )
        if not one.reached:
            return (f"{start}; {self.policy.rule} needs more than {one.chosen:,.0f} for that",)
        lower, upper = (f"{100 * end:.0f}" for end in (one.lower, one.upper))
        return (
            f"{start}; {self.policy.rule} does with {one.chosen:,.0f}: {100 * one.saved:.0f} %"
            f" saved (95 % interval {lower} to {upper} %, {len(self.chosen)} replays)",
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the replay."""
        if self.emptied <= DRY:
            return ()
        return (
            f"{100 * self.emptied:.0f} % of the policy's judgments are on pairs that it emptied"
            f" ({self.per_pair:.1f} judgments a pair): it would have gone on asking there, so that"
            " the data show only part of what it saves",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return {
            "signature": self.signature,
            "policy": self.policy.rule,
            "agreement": self.agreement,
            "saving": asdict(self.save()),
            "judgments": self.judgments.tolist(),
            "chosen": self.chosen.mean(axis=0).tolist(),
            "random": self.random.mean(axis=0).tolist(),
            "emptied": self.emptied,
            "per_pair": self.per_pair,
            "replays": len(self.chosen),
            "n_judgments": self.n_judgments,
            "says": list(self.says),
            "notes": list(self.notes),
        }
