"""The next pairs to ask about, with what must be said beside them, and what a policy would save."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import OF_SYSTEMS, Openable, carries_excluded, require_pairs
from evenhand.data.exclusions import (
    Exclusion,
    list_findings,
    number_rows,
    write_contract,
    write_document,
)
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.tally import Tally
from evenhand.design.policy import (
    CHOSEN,
    RULES,
    SAYS_CLEAR,
    START,
    TITLES,
    Batch,
    Choice,
    Policy,
    SortByVotes,
    State,
    fit_belief,
    is_clear,
    make_tally,
    number_pairs,
    read_state,
)
from evenhand.design.sorting import count_most
from evenhand.design.texts import say
from evenhand.errors import NotIdentified, UnknownOption, listing, require_seed
from evenhand.numerics import Array
from evenhand.numerics.newton import one_blas_thread
from evenhand.numerics.sorting import fit_rising
from evenhand.render.document import Column, Document, Finding, Table, write_signature

# A replay of a policy, and of random pairs, on judgments that were collected (docs/next-pair.md
# says what it shows, and what it cannot). Random pairs reach a certain mean agreement with n
# judgments, the policy with n′: it saves 1 − n′/n. Both mean curves are made to rise first
# (`fit_rising`): the first crossing of a noisy curve comes too early, and would find savings where
# there are none. Intervals resample the replays, policy and random pairs together.

RESAMPLES: Final = 999
PARTS: Final = 9  # Parts in which resamples are worked out, so that their curves take little memory
MIN_REPLAYS: Final = 10  # Replays below which no interval is given: it would be far too short
# Share of a policy's judgments from emptied pairs above which that is said
MAX_EMPTIED: Final = 0.25


@dataclass(frozen=True)
class Saving:
    """How many judgments the policy takes for what random pairs reach with so many."""

    agreement: float  # mean agreement that random pairs reach, by their rising curve
    random: float  # judgments that they take
    chosen: float  # judgments that the policy takes; all that were replayed if it never does
    saved: float  # proportion saved, below 0 where the policy takes more
    # lower end of the 95 % interval of `saved`, the error of replaying alone; None with fewer
    # than 10 replays
    lower: float | None
    upper: float | None  # upper end
    reached: bool  # whether the policy reaches it at all


@dataclass(frozen=True, eq=False, repr=False)
class Savings(Shown):
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
    judgments: Looks
    chosen: Array
    random: Array
    emptied: float
    n_judgments: int
    per_pair: float
    signature: str
    seed: int
    excluded: tuple[Exclusion, ...] = ()

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
        at, replays = self.find_look(n), len(self.chosen)
        judgments = float(self.judgments[at])
        level, whole, reached = self._take(*self.rise(), at)
        lower = upper = None
        if replays >= MIN_REPLAYS:
            rng = np.random.Generator(np.random.PCG64(self.seed))
            drawn, taken = rng.integers(replays, size=(RESAMPLES, replays)), []
            for rows in np.array_split(drawn, PARTS):
                arms = (fit_rising(arm[rows].mean(axis=1)) for arm in (self.chosen, self.random))
                for chosen, random in zip(*arms, strict=True):
                    taken.append(self._take(chosen, random, at)[1])
            saved = 1 - np.array(taken) / self.judgments[at]
            lower, upper = np.quantile(saved, (0.025, 0.975)).tolist()
        return Saving(level, judgments, whole, 1 - whole / judgments, lower, upper, reached)

    def _take(self, chosen: Array, random: Array, at: int) -> tuple[float, float, bool]:
        """Return the agreement of random pairs, what the policy takes for it, if it gets there."""
        # Between two looks agreement rises in a straight line. Where the policy's curve is flat at
        # that agreement, of all numbers of judgments the one nearest to that of random pairs.
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
    def says(self) -> tuple[Finding, ...]:
        """What was found."""
        saving, replays, rule = self.save(), len(self.chosen), self.policy.rule
        percent = round(100 * saving.saved)
        code = "saves"
        if percent < 0:
            code = "costs-more" if saving.reached else "costs-at-least"
        error = say("replays-few", replays=replays, least=MIN_REPLAYS)
        if saving.lower is not None and saving.upper is not None:
            if saving.lower <= 0 <= saving.upper:
                code = "saves-undecided"
            ends = (100 * saving.lower, 100 * saving.upper)
            low, high = (-ends[1], -ends[0]) if saving.upper < 0 else ends
            error = say("replay-error", low=low, high=high, replays=replays)
        percent = -percent if code in ("costs-more", "costs-at-least") else percent
        reached = "agreement-reached" if saving.reached else "agreement-not-reached"
        curves = {"measure": self.agreement, "random": saving.random, "chosen": saving.chosen}
        agreed = {"of": self.n_judgments, "agreement": saving.agreement, **curves}
        return (
            say(code, rule=rule, percent=percent, error=error),
            say(reached, rule=rule, **agreed),
        )

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What limits the replay."""
        notes, saving, last = [], self.save(), int(self.judgments[-1])
        if saving.upper is not None and saving.upper < 0:
            notes.append(say("prefer-random", "warning", rule=self.policy.rule))
        least = 1 - last / saving.random
        # the replays end where what is saved, or its interval, ends
        if not saving.reached or (saving.lower is not None and saving.lower <= least + 1e-9):
            notes.append(say("replays-end", last=last, percent=100 * -least))
        if self.emptied > MAX_EMPTIED:
            notes.append(say("pairs-emptied", share=self.emptied, per_pair=self.per_pair))
        return tuple(notes)

    def document(self) -> Document:
        """Return what people read: what is saved, and agreement by judgments."""
        last = len(self.judgments) - 1
        looks = sorted({*(round(part * last / 7) for part in range(1, 8)), self.find_look()})
        chosen, random = self.rise()
        curves = {"judgments": self.judgments, "chosen": chosen, "random": random}
        rows = tuple({name: one[look].item() for name, one in curves.items()} for look in looks)
        columns = (
            Column("judgments", "judgments", "count"),
            Column("chosen", self.policy.rule, "three"),
            Column("random", "random", "three"),
        )
        caption = f"Mean agreement ({self.agreement}) with all judgments, made to rise"
        return Document(
            answer=self.says,
            parts=(Table("savings", caption, columns, rows, legend=(self.signature,)),),
            findings=list_findings(self.notes, self.excluded),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        return {
            **write_contract(self, "agreement", "emptied", "per_pair", "n_judgments", "says"),
            "policy": self.policy.rule,
            "saving": asdict(self.save()),
            "judgments": self.judgments.tolist(),
            "chosen": self.chosen.mean(axis=0).tolist(),
            "random": self.random.mean(axis=0).tolist(),
            "replays": len(self.chosen),
        }


def pool_answers(tally: Tally) -> State:
    """Return the state of judgments that replays draw from."""
    folded = replace(tally, factors={}, squares=None).fold()
    if tally.squares is not None or (folded.counts % 1).any():
        raise UnknownOption("importance weights count no answers: read the table without them")
    pairs = len(tally.systems) * (len(tally.systems) - 1) // 2
    return State(folded, np.zeros(pairs), np.ones(pairs, dtype=np.bool_))


def take_from(pool: State, taken: Array, near: Array | None = None) -> State:
    """Return the state after (P, 3) answers were taken; emptied pairs may not be asked."""
    left = pool.counts.sum(axis=1) > taken.sum(axis=1)
    return State(make_tally(pool.systems, taken), np.zeros(len(left)), left, near)


def count_judged(data: Comparisons | Rankings | Tally) -> Tally:
    if isinstance(data, Tally):
        return data
    refusal = "pairs are chosen by comparisons or rankings, not by"
    table = require_pairs(data, refusal, "choose_outputs chooses the outputs to have rated next")
    tasks = table.tasks()
    if len(tasks) > 1:
        raise NotIdentified(
            f"there are {len(tasks)} tasks ({listing(tasks, 3)}), and each has an order of its own",
            [
                f"choose pairs of one: select_task({tasks[0]!r})",
                "take all tasks as one, on purpose: pass what tally() returns",
            ],
        )
    return table.tally()


Looks = NDArray[np.int64]

N_LOOKS: Final = 40  # How often a replay is looked at
# Mean judgments of a pair that has any, below which a policy soon finds nothing to ask
MIN_PER_PAIR: Final = 3.0
# Judgments, in multiples of the number of systems, after which the order has settled
MAX_PER_SYSTEM: Final = 120


@carries_excluded(*OF_SYSTEMS)
def measure_savings(
    data: Comparisons | Rankings | Tally | Openable,
    policy: Policy,
    *,
    replays: int = 20,
    seed: int = SEED,
    tell: Callable[[int, int], None] | None = None,
) -> Savings:
    """Replay a policy and random pairs on collected judgments.

    Args:
        data: the judgments.
        policy: what is replayed; agreement is of the first k where it looks for them, else τ.
        replays: how often, each with seeds of its own.
        seed: of everything random.
        tell: is told replays done and all.

    Raises:
        NotIdentified: the data cannot support a replay, or are of several tasks; says why.
        InvalidJudgments: something that holds no judgments on pairs.
        UnknownOption: fewer than two replays, or weights that are no counts.
    """
    if replays < 2:
        raise UnknownOption(f"{replays} replays have no interval: ask for 2 or more")
    tally = count_judged(data)
    pool = pool_answers(tally)
    # The numbers of judgments at which a replay is looked at, at most half of the data
    totals = pool.counts.sum(axis=1)
    k, size, each = len(pool.systems), int(totals.sum()), float(totals[totals > 0].mean())
    half = size // 2
    if k < 3:
        raise NotIdentified(f"a replay needs 3 systems or more to put in order, and there are {k}")
    if each < MIN_PER_PAIR:
        raise NotIdentified(
            f"the data cannot support a replay: there are {each:.1f} judgments of each pair that"
            f" has any, and below {MIN_PER_PAIR:g} a policy soon finds no answer where it asks",
            ["collect more judgments of the same pairs", "leave out the savings"],
        )
    if half < k * policy.start:
        raise NotIdentified(
            f"the data cannot support a replay: half of {size:,} judgments hardly reach beyond"
            f" the start-up phase, {policy.start} for each of {k} systems",
            ["collect more judgments", "leave out the savings"],
        )
    last = min(half, MAX_PER_SYSTEM * k)
    batch = max(last // N_LOOKS, 1)
    looks = np.arange(batch, last + 1, batch)
    target = fit_belief(make_tally(pool.systems, pool.counts)).mean
    curves = np.empty((2, replays, len(looks)))
    emptied = np.empty(replays)
    for replay in range(replays):
        if tell is not None:
            tell(replay, replays)
        for i, chooser in enumerate((policy, Policy("random"))):
            rng = np.random.Generator(np.random.PCG64([seed, replay, i]))
            curves[i, replay], dry = _replay(pool, chooser, looks, (target, policy.top), rng)
            emptied[replay] = dry if i == 0 else emptied[replay]
    parts = ("replay", *policy.settings, f"R={replays} seed={seed}")
    signature = write_signature(parts, tally.n_judgments, tally.digest)
    agreement = "tau" if policy.top is None else f"first {policy.top}"
    counts = (float(emptied.mean()), size, each)
    return Savings(policy, agreement, looks, curves[0], curves[1], *counts, signature, seed)


def _replay(
    pool: State,
    chooser: Policy,
    looks: Looks,
    aim: tuple[Array, int | None],
    rng: np.random.Generator,
) -> tuple[Array, float]:
    """Return the agreement at each look, and the share of judgments on pairs that were emptied."""
    # the answers of each pair, 0, 1 or 2, in random order
    rows = pool.counts.astype(np.intp)
    answers = [rng.permutation(np.repeat((0, 1, 2), row)).tolist() for row in rows]
    code = {name: i for i, name in enumerate(pool.systems)}
    taken = np.zeros_like(pool.counts)
    state, agreement = take_from(pool, taken), np.empty(len(looks))
    with one_blas_thread():
        for i, wanted in enumerate(looks.tolist()):
            for one in chooser.choose(state, wanted - int(taken.sum()), rng):
                pair = int(number_pairs([code[one.left]], [code[one.right]], len(code))[0])
                if answers[pair]:  # a batch may ask more often than a pair has answers left
                    taken[pair, answers[pair].pop()] += 1
            state = take_from(pool, taken, state.belief.mean)
            agreement[i] = measure_agreement(state.belief.mean, *aim)
    totals = taken.sum(axis=1)
    dry = (totals > 0) & (totals == pool.counts.sum(axis=1))
    return agreement, float(totals[dry].sum() / totals.sum())


def measure_agreement(worths: Array, target: Array, top: int | None) -> float:
    """Return Kendall's τ_b with a target, or the share of its first k that are the first k here."""
    if top is not None:
        first, wanted = (set(np.argsort(-one, kind="stable")[:top]) for one in (worths, target))
        return len(first & wanted) / top
    low, high = np.triu_indices(len(target), 1)
    signs, target_signs = (np.sign(one[low] - one[high]) for one in (worths, target))
    ordered = float(np.count_nonzero(signs)) * float(np.count_nonzero(target_signs))
    return float((signs * target_signs).sum() / np.sqrt(ordered)) if ordered else 0.0


def write_order(groups: Sequence[Sequence[str]]) -> str:
    return " > ".join(" = ".join(group) for group in groups)


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

    pairs: tuple[Choice, ...]
    policy: Policy
    state: State
    signature: str
    savings: Savings | None = None
    excluded: tuple[Exclusion, ...] = ()

    @property
    def sort(self) -> SortByVotes | None:
        """How far the sort is, where the policy is one."""
        return self.state.sort if self.policy.rule == "sort" else None

    @property
    def order(self) -> list[list[str]] | None:
        """Systems that the sort puts level, best first; None where it has not ended."""
        if self.sort is None or self.sort.open:
            return None
        return [[self.state.systems[code] for code in group] for group in self.sort.groups]

    @property
    def says(self) -> tuple[Finding, ...]:
        """What kinds of pairs there are, and what the policy would have saved."""
        kinds = Counter(one.kind for one in self.pairs)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        lines = [say("pairs", pairs=len(self.pairs), kinds=counts)]
        few, start = int(np.count_nonzero(self.state.loads < self.policy.start)), self.policy.start
        if kinds[START] and few:
            lines.append(say("start-up-few", few=few, of=len(self.state.systems), start=start))
        elif kinds[START]:
            sizes = np.bincount(self.state.parts)
            small = np.flatnonzero(self.state.parts == int(np.argmin(sizes)))
            names = listing([self.state.systems[code] for code in small], 3)
            lines.append(say("start-up-parts", parts=len(sizes), names=names))
        elif self.policy.top and Batch(self.state, self.policy.top).decided:
            lines.append(say("top-decided", top=self.policy.top))
        if self.sort is not None and self.sort.open:
            most = count_most(len(self.state.systems))
            lines.append(say("sort-under-way", decided=self.sort.decided, most=most))
        elif self.sort is not None:
            order = write_order(self.order or ())
            lines.append(say("sort-ended", decided=self.sort.decided, order=order))
        return (*lines, *(self.savings.says if self.savings is not None else ()))

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Pairs that come more than once, what doubt allows for, limits of the meter of savings."""
        notes = []
        code = {name: i for i, name in enumerate(self.state.systems)}
        ends = ([code[one.left] for one in self.pairs], [code[one.right] for one in self.pairs])
        numbers, size = number_pairs(*ends, len(code)), len(self.state.waiting)
        counts = np.bincount(numbers, minlength=size)
        often = (counts > 0) & (counts + self.state.waiting > 1)
        repeated, rows = int(np.count_nonzero(often)), int(counts[often].sum())
        every = int(self.state.allowed.sum())
        if repeated and every == 1:  # the batch is too large for its pairs to differ
            notes.append(say("only-pair-repeated"))
        elif repeated and self.sort is None:  # a sort repeats pairs on purpose
            repeats = {"repeated": repeated, "of": every, "rows": rows, "asked": len(self.pairs)}
            notes.append(say("pairs-repeated", **repeats))
        chosen = [at for at, one in enumerate(self.pairs) if one.kind == CHOSEN]
        low, high = np.sort(np.array(ends)[:, chosen], axis=0).astype(np.int64)
        says_clear = self.policy.rule in SAYS_CLEAR and bool(chosen)
        if says_clear and is_clear(self.state, low, high).any():
            notes.append(say("doubt-independent"))
        return (*notes, *(() if self.savings is None else self.savings.notes))

    def document(self) -> Document:
        """Return what people read: the pairs with reasons, and what the policy would have saved."""
        counts = {"judgments": self.state.tally.n_judgments, "systems": len(self.state.systems)}
        policy, title = self.policy, TITLES[self.policy.rule]
        by = {**counts, "rule": policy.rule, "title": title, "share": policy.random_share}
        columns = (
            Column("left", "first", "name"),
            Column("right", "second", "name"),
            Column("kind", "kind", only=("latex", "markdown", "html")),
            Column("reason", "why", "prose"),
        )
        savings = () if self.savings is None else self.savings.document().parts
        rows = tuple(map(asdict, self.pairs))
        return write_document(
            self,
            number_rows(Table("pairs", "Pairs to ask about next", columns, rows)),
            *savings,
            basis=say("policy" if policy.rule == "random" else "policy-with-random", **by),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        policy, sort = {**asdict(self.policy), "title": TITLES[self.policy.rule]}, None
        if self.sort is not None:
            ended, decided = not self.sort.open, self.sort.decided
            sort = {"ended": ended, "decided": decided, "order": self.order}
        return {
            **write_contract(self, "says"),
            "policy": policy,
            "pairs": [asdict(one) for one in self.pairs],
            "n_judgments": self.state.tally.n_judgments,
            "sort": sort,
            "savings": None if self.savings is None else self.savings.to_dict(),
        }


@carries_excluded(*OF_SYSTEMS)
def choose_pairs(
    data: Comparisons | Rankings | Tally | Openable | None,
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
    policy = Policy() if policy is None else policy
    require_seed(seed)
    if not isinstance(policy, Policy):
        example = 'one such as Policy("order")'
        if policy in RULES:
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
    state = read_state(tally, systems=systems, waiting=waiting)
    rng = np.random.Generator(np.random.PCG64(seed))
    with one_blas_thread():
        pairs = policy.choose(state, n, rng)
    digest = (state.tally if tally is None else tally).digest
    new = [] if tally is None else [name for name in state.systems if name not in known]
    added = [f"with {', '.join(new)}"] if new else []
    settings = ("next", *policy.settings, *added, f"pairs={n} seed={seed}")
    signature = write_signature(settings, state.tally.n_judgments, digest)
    return NextPairs(pairs, policy, state, signature)
