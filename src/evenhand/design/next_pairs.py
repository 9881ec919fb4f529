"""The next pairs to ask about, with everything that must be said beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import OF_SYSTEMS, carries_excluded
from evenhand.data.exclusions import Exclusion, list_findings, write_excluded
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown, write_signature
from evenhand.data.taking import Openable
from evenhand.data.tally import Tally
from evenhand.design import policy as policies
from evenhand.design.savings import Savings, count_judged
from evenhand.design.sorting import count_most
from evenhand.design.texts import say
from evenhand.errors import UnknownOption, listing, require_seed
from evenhand.numerics.sampling import one_blas_thread
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding, describe_findings


@dataclass(frozen=True, eq=False, repr=False)
class NextPairs(Shown):
    """Pairs to ask about now.

    Attributes:
        pairs: the pairs, with reasons.
        policy: what chose them.
        state: what was known.
        signature: what makes the choice again.
        savings: what the policy would have saved on these judgments, where that was asked.

    """

    pairs: tuple[policies.Choice, ...]
    policy: policies.Policy
    state: policies.State
    signature: str
    savings: Savings | None = None
    excluded: tuple[Exclusion, ...] = ()

    @property
    def sort(self) -> policies.SortByVotes | None:
        """How far the sort is, where the policy is one."""
        return self.state.sort if self.policy.rule == "sort" else None

    def _say_sort(self, sort: policies.SortByVotes) -> Finding:
        if sort.open:
            most = count_most(len(self.state.systems))
            return say("sort-under-way", decided=sort.decided, most=most)
        groups = [" = ".join(group) for group in self._name_groups(sort)]
        return say("sort-ended", decided=sort.decided, order=" > ".join(groups))

    def _name_groups(self, sort: policies.SortByVotes) -> list[list[str]]:
        return [[self.state.systems[code] for code in group] for group in sort.groups]

    @property
    def says(self) -> tuple[Finding, ...]:
        """What kinds of pairs there are, and what the policy would have saved."""
        kinds = Counter(one.kind for one in self.pairs)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        lines = [say("pairs", pairs=len(self.pairs), kinds=counts)]
        few, start = int(np.count_nonzero(self.state.loads < self.policy.start)), self.policy.start
        if kinds[policies.START] and few:
            lines.append(say("start-up-few", few=few, of=len(self.state.systems), start=start))
        elif kinds[policies.START]:
            sizes = np.bincount(self.state.parts)
            small = np.flatnonzero(self.state.parts == int(np.argmin(sizes)))
            names = listing([self.state.systems[code] for code in small], 3)
            lines.append(say("start-up-parts", parts=len(sizes), names=names))
        if self.sort is not None:
            lines.append(self._say_sort(self.sort))
        return (*lines, *(self.savings.says if self.savings is not None else ()))

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Pairs that come more than once, what doubt allows for, limits of the meter of savings."""
        notes = []
        code = {name: i for i, name in enumerate(self.state.systems)}
        ends = ([code[one.left] for one in self.pairs], [code[one.right] for one in self.pairs])
        numbers, size = policies.number_pairs(*ends, len(code)), len(self.state.waiting)
        counts = np.bincount(numbers, minlength=size)
        repeated = int(np.count_nonzero((counts > 0) & (counts + self.state.waiting > 1)))
        every = int(self.state.allowed.sum())
        if repeated and every == 1:  # the batch is too large for its pairs to differ
            notes.append(say("only-pair-repeated"))
        elif repeated and self.sort is None:  # a sort repeats pairs on purpose
            notes.append(say("pairs-repeated", repeated=repeated, of=every))
        chosen = [at for at, one in enumerate(self.pairs) if one.kind == policies.CHOSEN]
        low, high = np.sort(np.array(ends)[:, chosen], axis=0).astype(np.int64)
        says_clear = self.policy.rule in policies.SAYS_CLEAR and bool(chosen)
        if says_clear and policies.is_clear(self.state, low, high).any():
            notes.append(say("doubt-independent"))
        return (*notes, *(() if self.savings is None else self.savings.notes))

    def _describe_sort(self, sort: policies.SortByVotes) -> dict[str, Any]:
        order = None if sort.open else self._name_groups(sort)
        return {"ended": not sort.open, "decided": sort.decided, "order": order}

    def document(self) -> Document:
        """Return what people read: the pairs with reasons, and what the policy would have saved."""
        counts = {"judgments": self.state.tally.n_judgments, "systems": len(self.state.systems)}
        policy, title = self.policy, policies.TITLES[self.policy.rule]
        by = {**counts, "rule": policy.rule, "title": title, "share": policy.random_share}
        rows = tuple({"n": n, **asdict(one)} for n, one in enumerate(self.pairs, start=1))
        columns = (
            Column("n", "", "integer", only=("text", "html")),
            Column("left", "first", "name"),
            Column("right", "second", "name"),
            Column("kind", "kind", only=("latex", "markdown", "html")),
            Column("reason", "why", "prose"),
        )
        savings = () if self.savings is None else self.savings.document().parts
        table = Table("pairs", "Pairs to ask about next", columns, rows, without=("n",))
        return Document(
            answer=self.says,
            basis=say("policy" if policy.rule == "random" else "policy-with-random", **by),
            parts=(table, *savings),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        policy = {**asdict(self.policy), "title": policies.TITLES[self.policy.rule]}
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            "policy": policy,
            "pairs": [asdict(one) for one in self.pairs],
            "n_judgments": self.state.tally.n_judgments,
            "sort": None if self.sort is None else self._describe_sort(self.sort),
            "savings": None if self.savings is None else self.savings.to_dict(),
            "says": list(self.says),
            "findings": describe_findings(self.notes),
        }


@carries_excluded(*OF_SYSTEMS)
def choose_pairs(
    data: Comparisons | Rankings | Tally | Openable | None,
    policy: policies.Policy | None = None,
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
        systems: systems without judgments, alone or with all others. None can be excluded here.
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
    policy = policies.Policy() if policy is None else policy
    require_seed(seed)
    if not isinstance(policy, policies.Policy):
        example = 'one such as Policy("order")'
        if policy in policies.RULES:
            example = f'Policy("{policy}"{", top=3" * (policy == "top-k")})'
        raise UnknownOption(f"a policy is no {type(policy).__name__}: give {example}")
    tally = None if data is None else count_judged(data)
    known = () if tally is None else tally.systems
    named = [name for name in systems if name in known]
    rest = [name for name in known if name not in systems]
    if named and rest:
        verb = "has" if len(named) == 1 else "have"
        raise UnknownOption(
            f"{listing(named, 3)} {verb} judgments already, and {listing(rest, 3)} would be asked"
            " about all the same: systems are added here, none is excluded. Name only those without"
            " judgments, or all; to leave some out, read the table without their rows"
        )
    state = policies.read_state(tally, systems=systems, waiting=waiting)
    rng = np.random.Generator(np.random.PCG64(seed))
    with one_blas_thread():
        pairs = policy.choose(state, n, rng)
    digest = (state.tally if tally is None else tally).digest
    new = [] if tally is None else [name for name in state.systems if name not in known]
    added = [f"with {', '.join(new)}"] if new else []
    settings = ("next", *policy.settings, *added, f"pairs={n} seed={seed}")
    signature = write_signature(settings, state.tally.n_judgments, digest)
    return NextPairs(pairs, policy, state, signature)
