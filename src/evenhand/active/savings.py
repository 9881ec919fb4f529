"""What a policy would have saved: agreement with the ranking of all the data, by judgments used.

Random pairs reach a certain mean agreement with n judgments, the policy with n′: it saves
1 − n′/n. Both mean curves are made to rise first (`numerics/isotonic.py`): the first crossing of a
noisy curve comes too early, and would find savings where there are none. So n′ < n exactly where
the policy's curve is the higher one at n, and neither side is favoured. The method is ours.

Intervals resample the replays, policy and random pairs together. They are the error of replaying:
how much the number would change if these judgments were replayed again with other seeds. What other
judgments, or other judges, would have shown they do not tell, and more replays narrow them for
nothing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.active.policy import Policy
from evenhand.judgments.notebook import InNotebooks
from evenhand.numerics.isotonic import fit_rising

Array = NDArray[np.float64]

RESAMPLES: Final = 999
PARTS: Final = 9
"""Parts in which resamples are worked out, so that their curves take little memory."""
ENOUGH: Final = 10
"""Replays below which no interval is given: it would be far too short."""
DRY: Final = 0.25
"""Share of a policy's judgments from emptied pairs above which that is said."""


@dataclass(frozen=True)
class Saving:
    """How many judgments the policy takes for what random pairs reach with so many.

    Attributes:
        agreement: mean agreement that random pairs reach, by their rising curve.
        random: judgments that they take.
        chosen: judgments that the policy takes; as many as were replayed where it does not reach
            it.
        saved: proportion saved, below 0 where the policy takes more.
        lower: lower end of the 95 % interval of `saved`, the error of replaying alone; None with
            fewer than 10 replays.
        upper: upper end.
        reached: whether the policy reaches it at all.

    """

    agreement: float
    random: float
    chosen: float
    saved: float
    lower: float | None
    upper: float | None
    reached: bool


@dataclass(frozen=True, eq=False, repr=False)
class Savings(InNotebooks):
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

    TABLE: ClassVar = "saving"

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

    def rise(self) -> tuple[Array, Array]:
        """Return (T,) mean agreement of the policy, and of random pairs, both made to rise."""
        return fit_rising(self.chosen.mean(axis=0)), fit_rising(self.random.mean(axis=0))

    def find_look(self, n: int | None = None) -> int:
        """Return the look nearest to n judgments, by default to half of what was replayed."""
        wanted = self.judgments[-1] / 2 if n is None else n
        return int(np.argmin(np.abs(self.judgments - wanted)))

    def save(self, n: int | None = None) -> Saving:
        """Return what is saved to agree as well as random pairs do with n judgments.

        Args:
            n: judgments; half of what was replayed by default.

        """
        at = self.find_look(n)
        random = float(self.judgments[at])
        chosen, mean = self.rise()
        level, whole, reached = self._take(chosen, mean, at)
        ends = self._resample(at)
        return Saving(level, random, whole, 1 - whole / random, *ends, reached)

    def _resample(self, at: int) -> tuple[float | None, float | None]:
        """Return the interval of what is saved, over replays drawn again."""
        replays = len(self.chosen)
        if replays < ENOUGH:
            return None, None
        rng = np.random.Generator(np.random.PCG64(self.seed))
        drawn = rng.integers(replays, size=(RESAMPLES, replays))
        taken = []
        for rows in np.array_split(drawn, PARTS):
            arms = (fit_rising(arm[rows].mean(axis=1)) for arm in (self.chosen, self.random))
            for chosen, random in zip(*arms, strict=True):
                taken.append(self._take(chosen, random, at)[1])
        saved = 1 - np.array(taken) / self.judgments[at]
        lower, upper = np.quantile(saved, (0.025, 0.975)).tolist()
        return lower, upper

    def _take(self, chosen: Array, random: Array, at: int) -> tuple[float, float, bool]:
        """Return the agreement of random pairs, what the policy takes for it, and if it gets there.

        Between two looks agreement rises in a straight line. Where the policy's curve is flat at
        that agreement, of all numbers of judgments the one nearest to that of random pairs.
        """
        level, n = float(random[at]), self.judgments.astype(np.float64)
        if chosen[-1] < level:
            return level, float(n[-1]), False
        first, after = (int(np.searchsorted(chosen, level, side)) for side in ("left", "right"))
        if first < after:  # the curve stands at the level from one look to another
            return level, float(np.clip(n[at], n[first], n[after - 1])), True
        if first == 0:
            return level, float(n[0]), True
        part = (level - chosen[first - 1]) / (chosen[first] - chosen[first - 1])
        return level, float(n[first - 1] + part * (n[first] - n[first - 1])), True

    @property
    def says(self) -> tuple[str, ...]:
        """What was found."""
        one = self.save()
        start = (
            f"with {one.random:,.0f} judgments random pairs agree with all {self.n_judgments:,} by"
            f" {one.agreement:.2f} ({self.agreement})"
        )
        verb = "takes" if one.reached else "takes more than"
        found = f"{start}; {self.policy.rule} {verb} {one.chosen:,.0f}"
        return (f"{found}: {_judge(one)} on these judgments ({self._say_error(one)})",)

    def _say_error(self, one: Saving) -> str:
        """Say how far replaying alone may be off."""
        replays = len(self.chosen)
        if one.lower is None or one.upper is None:
            return f"{replays} replays, too few to say how sure: ask for {ENOUGH} or more"
        ends = f"{100 * one.lower:.0f} to {100 * one.upper:.0f} %"
        if one.upper < 0:
            ends = f"{-100 * one.upper:.0f} to {-100 * one.lower:.0f} %"
        return f"error of replaying alone, 95 %: {ends}, {replays} replays"

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the replay."""
        return (*self._note_worse(), *self._note_end(), *self._note_dry())

    def _note_worse(self) -> tuple[str, ...]:
        """Advise against the policy where it is clearly worse."""
        upper = self.save().upper
        if upper is None or upper >= 0:
            return ()
        return (f"prefer random pairs here: {self.policy.rule} takes more judgments than they do",)

    def _note_end(self) -> tuple[str, ...]:
        """Say where the replays end, if that is where what is saved, or its interval, ends."""
        one, last = self.save(), int(self.judgments[-1])
        least = 1 - last / one.random
        if one.reached and (one.lower is None or one.lower > least + 1e-9):
            return ()
        return (
            f"replays end at {last:,} judgments: whatever takes more counts as {last:,}, which is"
            f" {100 * -least:.0f} % more than random pairs take",
        )

    def _note_dry(self) -> tuple[str, ...]:
        """Say how often the policy asked for what the data do not have."""
        if self.emptied <= DRY:
            return ()
        return (
            f"{100 * self.emptied:.0f} % of the policy's judgments are on pairs that it emptied"
            f" ({self.per_pair:.1f} judgments a pair): with judges it would have gone on asking"
            " there, and what it saves then these data cannot show",
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


def _judge(one: Saving) -> str:
    """Say whether judgments are saved, as far as the replays tell."""
    percent = round(100 * one.saved)
    if one.lower is not None and one.upper is not None and one.lower <= 0 <= one.upper:
        return f"whether it saves any cannot be told: {percent} % saved"
    beyond = "" if one.reached else "at least "
    return f"{percent} % saved" if percent >= 0 else f"{beyond}{-percent} % more than random pairs"
