"""The next pairs to ask about, with everything that must be said beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evenhand.active.choice import START, Choice
from evenhand.active.policy import TITLES, Policy
from evenhand.active.savings import Savings
from evenhand.active.state import State, read_state
from evenhand.errors import UnknownOption, listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.numerics.threads import one_blas_thread


@dataclass(frozen=True, eq=False)
class NextPairs:
    """Pairs to ask about now.

    Attributes:
        pairs: the pairs, with reasons.
        policy: what chose them.
        state: what was known.
        signature: what makes the choice again.
        savings: what the policy would have saved on these judgments, where that was asked.

    """

    pairs: tuple[Choice, ...]
    policy: Policy
    state: State
    signature: str
    savings: Savings | None = None

    @property
    def says(self) -> tuple[str, ...]:
        """What kinds of pairs there are, and what the policy would have saved."""
        kinds = Counter(one.kind for one in self.pairs)
        said = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        lines = [f"{len(self.pairs)} pairs: {said}", *self._say_start(kinds[START])]
        return (*lines, *(self.savings.says if self.savings is not None else ()))

    def _say_start(self, started: int) -> list[str]:
        """Say why the start-up phase comes first, if it does."""
        if not started:
            return []
        few = int(np.count_nonzero(self.state.loads < self.policy.start))
        if few:
            return [
                f"the start-up phase comes first: {few} of {len(self.state.systems)} systems have"
                f" fewer than {self.policy.start} judgments"
            ]
        sizes = np.bincount(self.state.parts)
        small = np.flatnonzero(self.state.parts == int(np.argmin(sizes)))
        names = listing([self.state.systems[code] for code in small], 3)
        return [
            "the start-up phase comes first: no chain of judgments joins all systems"
            f" ({len(sizes)} parts, such as {names})"
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the meter of savings."""
        return () if self.savings is None else self.savings.notes

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        policy = {**asdict(self.policy), "title": TITLES[self.policy.rule]}
        return {
            "signature": self.signature,
            "policy": policy,
            "pairs": [asdict(one) for one in self.pairs],
            "n_judgments": self.state.tally.n_judgments,
            "savings": None if self.savings is None else self.savings.to_dict(),
            "says": list(self.says),
            "notes": list(self.notes),
        }


def choose_pairs(
    data: Comparisons | Rankings | Tally | None,
    policy: Policy | None = None,
    *,
    n: int = 10,
    systems: Sequence[str] = (),
    waiting: Sequence[tuple[str, str]] = (),
    seed: int = SEED,
) -> NextPairs:
    """Choose the next pairs to ask judges about.

    Args:
        data: the judgments so far, or None.
        policy: what chooses; `Policy()` by default.
        n: pairs that are asked at the same time.
        systems: systems that may have no judgments yet.
        waiting: pairs that were handed out and are not answered.
        seed: of everything random; the same judgments and seed give the same pairs.

    Raises:
        UnknownOption: fewer than one pair, or a setting that does not fit these systems.
        NotIdentified: fewer than two systems.
        InvalidJudgments: a pair that is waited for with an unknown system.

    >>> found = choose_pairs(None, n=2, systems=["a", "b", "c", "d"])
    >>> [(one.left, one.right) for one in found.pairs]
    [('a', 'b'), ('d', 'c')]
    """
    policy = Policy() if policy is None else policy
    if seed < 0:
        raise UnknownOption(f"seed cannot be {seed}: it is a number of 0 or more")
    if isinstance(data, Rankings):
        data = data.comparisons()
    tally = data.tally() if isinstance(data, Comparisons) else data
    state = read_state(tally, systems=systems, waiting=waiting)
    rng = np.random.Generator(np.random.PCG64(seed))
    with one_blas_thread():
        pairs = policy.choose(state, n, rng)
    rule = policy.rule if policy.top is None else f"{policy.rule} {policy.top}"
    parts = ("next", rule, f"random {policy.random_share:g}", f"start {policy.start}")
    digest = (state.tally if tally is None else tally).digest
    settings = (*parts, f"pairs={n} seed={seed}")
    signature = write_signature(settings, state.tally.n_judgments, digest)
    return NextPairs(pairs, policy, state, signature)
