"""The next pairs to ask about, with everything that must be said beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

import numpy as np

from evenhand.design.policy import (
    LITTLE,
    RULES,
    START,
    TITLES,
    Choice,
    Policy,
    State,
    number_pairs,
    read_state,
)
from evenhand.design.savings import Savings, count_judged
from evenhand.errors import UnknownOption, listing, require_seed
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.exclusions import carries_excluded, write_excluded
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.numerics.sampling import one_blas_thread

# What stands beside pairs whose order the belief calls clear
INDEPENDENT: Final = (
    "“little doubt” takes judgments for independent: a ranking allows for judges and items that"
    " differ, and may leave such a pair open"
)


@dataclass(frozen=True, eq=False, repr=False)
class NextPairs(InNotebooks):
    """Pairs to ask about now.

    Attributes:
        pairs: the pairs, with reasons.
        policy: what chose them.
        state: what was known.
        signature: what makes the choice again.
        savings: what the policy would have saved on these judgments, where that was asked.

    """

    TABLE: ClassVar = "pairs"

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
        noun = "pair" if len(self.pairs) == 1 else "pairs"
        lines = [f"{len(self.pairs)} {noun}: {said}", *self._say_start(kinds[START])]
        return (*lines, *(self.savings.says if self.savings is not None else ()))

    def _say_start(self, started: int) -> list[str]:
        """Say why the start-up phase comes first, if it does."""
        if not started:
            return []
        few = int(np.count_nonzero(self.state.loads < self.policy.start))
        if few:
            have = "has" if few == 1 else "have"
            return [
                f"the start-up phase comes first: {few} of {len(self.state.systems)} systems {have}"
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
        """Pairs that come more than once, what doubt allows for, limits of the meter of savings."""
        measured = () if self.savings is None else self.savings.notes
        little = any(one.reason.startswith(LITTLE) for one in self.pairs)
        return (*self._note_repeats(), *([INDEPENDENT] if little else []), *measured)

    def _note_repeats(self) -> list[str]:
        """Say that the batch is too large for its pairs to differ, if it is."""
        code = {name: i for i, name in enumerate(self.state.systems)}
        ends = ([code[one.left] for one in self.pairs], [code[one.right] for one in self.pairs])
        asked = np.bincount(number_pairs(*ends, len(code)), minlength=len(self.state.waiting))
        more = int(np.count_nonzero((asked > 0) & (asked + self.state.waiting > 1)))
        if not more:
            return []
        every = int(self.state.allowed.sum())
        who = f"{more} of {every:,} pairs {'is' if more == 1 else 'are'}"
        return [
            f"{'the only pair is' if every == 1 else who} asked more than once before an answer"
            " comes: ask different judges, or on different items, or ask for smaller batches"
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        policy = {**asdict(self.policy), "title": TITLES[self.policy.rule]}
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            "policy": policy,
            "pairs": [asdict(one) for one in self.pairs],
            "n_judgments": self.state.tally.n_judgments,
            "savings": None if self.savings is None else self.savings.to_dict(),
            "says": list(self.says),
            "notes": list(self.notes),
        }


@carries_excluded("controls")
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
        data: the judgments so far, of one task, or None.
        policy: what chooses; `Policy()` by default.
        n: pairs that are asked at the same time.
        systems: systems without judgments, alone or with all others. None can be left out here.
        waiting: pairs that were handed out and are not answered.
        seed: of everything random; the same judgments, waiting pairs and seed give the same pairs.
            Whoever answers one request after another gives each a seed of its own, such as its
            number: with one seed for all, every single pair is at random, or none is.

    Raises:
        UnknownOption: fewer than one pair, a setting that does not fit these systems, or some of
            the systems that have judgments are named, and others are not.
        NotIdentified: fewer than two systems, or judgments of several tasks.
        InvalidJudgments: something that holds no judgments on pairs, or a pair that is waited for
            with an unknown system.

    >>> found = choose_pairs(None, n=2, systems=["a", "b", "c", "d"])
    >>> [(one.left, one.right) for one in found.pairs]
    [('a', 'b'), ('d', 'c')]
    """
    policy = Policy() if policy is None else policy
    require_seed(seed)
    if not isinstance(policy, Policy):
        raise UnknownOption(f"a policy is no {type(policy).__name__}: give {_suggest(policy)}")
    tally = None if data is None else count_judged(data)
    _refuse_partial(tally, systems)
    state = read_state(tally, systems=systems, waiting=waiting)
    rng = np.random.Generator(np.random.PCG64(seed))
    with one_blas_thread():
        pairs = policy.choose(state, n, rng)
    rule = policy.rule if policy.top is None else f"{policy.rule} {policy.top}"
    parts = ["next", rule, f"random {policy.random_share:g}", f"start {policy.start}"]
    digest = (state.tally if tally is None else tally).digest
    new = [] if tally is None else [one for one in state.systems if one not in tally.systems]
    settings = (*parts, *([f"with {', '.join(new)}"] if new else []), f"pairs={n} seed={seed}")
    signature = write_signature(settings, state.tally.n_judgments, digest)
    return NextPairs(pairs, policy, state, signature)


def _suggest(policy: object) -> str:
    """Write the policy that a name may have meant."""
    if policy == "top-k":
        return 'Policy("top-k", top=3)'
    return f'Policy("{policy}")' if policy in RULES else 'one such as Policy("order")'


def _refuse_partial(tally: Tally | None, systems: Sequence[str]) -> None:
    """Refuse systems of the data that are named beside others that are not."""
    known = () if tally is None else tally.systems
    named = [name for name in systems if name in known]
    rest = [name for name in known if name not in systems]
    if named and rest:
        verb = "has" if len(named) == 1 else "have"
        raise UnknownOption(
            f"{listing(named, 3)} {verb} judgments already, and {listing(rest, 3)} would be asked"
            " about all the same: systems are added here, none is left out. Name only those without"
            " judgments, or all; to leave some out, read the table without their rows"
        )
