"""A sort whose comparator is people: its questions, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from math import comb, factorial
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    suggest,
)
from evenhand.numerics.sorting import Learned, Order, Question, count_steps, merge_steps


@dataclass(frozen=True)
class SortCounts:
    asked: int  # questions decided so far
    answers: int  # votes given so far
    # pairs of outputs that an answer put otherwise than the sort has them; only where more than
    # two are shown at once
    against: int
    pairs: int  # all pairs, n(n − 1)/2
    # questions that merge insertion needs at most; None where more than two are shown
    most: int | None
    bound: int  # that any sort needs at worst without ties: each tells `shown`! orders apart
    bound_ties: int  # the same of weak orders, in which outputs may tie


def count_most(n: int) -> int:
    """Return what merge insertion needs at most, Σ_{k=1}^{n} ⌈log₂ (3k/4)⌉ (OEIS A001768)."""
    return sum(max((3 * k - 1).bit_length() - 2, 0) for k in range(1, n + 1))


def count_weak_orders(n: int) -> int:
    """Return the number of orders of n outputs that may tie, the ordered Bell number (A000670)."""
    counts = [1]
    for size in range(1, n + 1):
        counts.append(sum(comb(size, first) * counts[size - first] for first in range(1, size + 1)))
    return counts[n]


Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartialOrder:
    systems: tuple[str, ...]  # the K systems
    better: Mask  # (K, K) whether the row is known to be better than the column
    tied: Mask  # (K, K) whether the two are known to tie; every system ties with itself

    @property
    def known(self) -> int:
        k = len(self.systems)
        return int(self.better.sum() + (self.tied.sum() - k) // 2)

    def says(self, one: str, other: str) -> str:
        """Return "better", "worse", "tie" or "unknown"."""
        i, j = self._code(one), self._code(other)
        if self.tied[i, j]:
            return "tie"
        if self.better[i, j]:
            return "better"
        return "worse" if self.better[j, i] else "unknown"

    def count_against(self, order: Sequence[Sequence[int]]) -> int:
        place = {code: i for i, same in enumerate(order) for code in same}
        against = 0
        for one, other in combinations(place, 2):
            first, second = (one, other) if place[one] <= place[other] else (other, one)
            agrees = self.tied if place[one] == place[other] else self.better
            against += not agrees[first, second]
        return against

    def _code(self, name: str) -> int:
        if name not in self.systems:
            raise InvalidJudgments(f"'{name}' was not sorted.{suggest(name, self.systems)}")
        return self.systems.index(name)


def close_order(
    systems: tuple[str, ...], better: Sequence[tuple[int, int]], tied: Sequence[tuple[int, int]]
) -> PartialOrder:
    """Draw every conclusion: what is better than a better one is better, and ties are equal.

    >>> order = close_order(("a", "b", "c", "d"), [(0, 1)], [(1, 2)])
    >>> order.says("a", "c"), order.says("c", "b"), order.says("a", "d"), order.known
    ('better', 'tie', 'unknown', 3)
    """
    equal, above = np.eye(len(systems), dtype=np.bool_), np.zeros((len(systems),) * 2, np.bool_)
    for one, other in tied:
        equal[one, other] = equal[other, one] = True
    for one, other in better:
        above[one, other] = True
    equal = _close(equal)
    return PartialOrder(systems, _close(equal @ above @ equal), equal)


def _close(relation: Mask) -> Mask:
    closed = relation.copy()
    for middle in range(len(closed)):
        closed |= closed[:, middle, None] & closed[None, middle]
    return closed


Places = tuple[int, ...]


def decide(
    votes: Sequence[Places], outputs: int, judges: int
) -> tuple[tuple[int, ...], ...] | None:
    """Return the order that votes come to, or None while votes to come may change it."""
    # Of every two outputs the answer (one, the other, a tie) with most votes counts; where answers
    # share the most, it is a tie. Outputs stand in the order of pairs won less pairs lost.
    # Returns numbers of the outputs, best first, those that tie in one group.
    net, left = [0] * outputs, judges - len(votes)
    for one, other in combinations(range(outputs), 2):
        signs = [(vote[one] > vote[other]) - (vote[one] < vote[other]) for vote in votes]
        # a tie holds only once nobody can win alone
        for answer in (-1, 1):
            most = max(signs.count(0), signs.count(-answer))
            if signs.count(answer) > most + left:
                net[one] -= answer
                net[other] += answer
                break
            if signs.count(answer) + left > most and left:
                return None
    by_net = sorted(range(outputs), key=lambda i: -net[i])
    return tuple(tuple(same) for _, same in groupby(by_net, key=lambda i: net[i]))


# Judges' answers drive a merge insertion (Ford & Johnson 1959). Vilar, Leusch, Ney & Banchs (2007)
# take ranking systems as sorting them; Braslavski, Beloborodov, Khalilov & Sharoff (2013) let
# judges simulate a sort. What follows is ours:
#
# - the state is the questions' answers, from which the sort is run again whenever somebody asks;
# - a tie makes the tied outputs one, of which the first goes on;
# - several judges may vote on one question (`decide`), which is closed as soon as the votes to come
# cannot change what it says.


def is_count(value: object, least: int) -> bool:
    """Return whether a value is a whole number that is large enough; True is none."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


@dataclass(frozen=True)
class Answer:
    shown: tuple[str, ...]  # the outputs, by their systems' names
    places: tuple[int, ...]  # place of each, 1 is best; equal places are a tie
    judge: str = ""  # who said it; "" where that is not known


@dataclass(frozen=True)
class _Progress:
    open: tuple[Question, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    decided: tuple[tuple[Question, Order], ...] = ()
    learned: Learned = field(default_factory=Learned)


@dataclass(frozen=True)
class Sorting:
    """A sort under way; every answer gives a new one.

    Attributes:
        systems: what is sorted, in the order in which the sort takes them up.
        shown: most outputs that a judge sees at once.
        votes: judges who answer each question.
        answers: what was said, in order.

    >>> sort = Sorting(("a", "b", "c"))
    >>> sort.questions
    (('a', 'b'),)
    >>> sort = sort.answer(("a", "b"), (2, 1))  # b is better
    >>> sort.questions, sort.partial.says("b", "a"), sort.partial.says("c", "a")
    ((('c', 'a'),), 'better', 'unknown')
    >>> sort.answer(("c", "a"), (1, 1)).order
    (('b',), ('a', 'c'))
    """

    systems: tuple[str, ...]
    shown: int = 2
    votes: int = 1
    answers: tuple[Answer, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "systems", tuple(self.systems))
        object.__setattr__(self, "answers", tuple(self.answers))
        seen: set[str] = set()
        for name in self.systems:
            if not isinstance(name, str):
                raise InvalidJudgments(f"{name!r} is not a name: name the systems to sort in words")
            if name in seen:
                raise InvalidJudgments(f"'{name}' is named twice among the systems to sort")
            seen.add(name)
        if not self.systems:
            raise InvalidJudgments("there is nothing to sort: name the systems")
        if not is_count(self.shown, 2):
            raise UnknownOption(f"shown cannot be {self.shown}: a judge compares 2 outputs or more")
        if not is_count(self.votes, 1):
            raise UnknownOption(f"votes cannot be {self.votes}: a question has 1 vote or more")

    @property
    def questions(self) -> tuple[tuple[str, ...], ...]:
        """What may be asked now, all at the same time; empty when the sort is done."""
        return tuple(self._name(one) for one in self._progress.open)

    @property
    def done(self) -> bool:
        """Whether nothing is left to ask."""
        return not self._progress.open

    @property
    def order(self) -> tuple[tuple[str, ...], ...]:
        """The systems best first, those that tie in one group.

        Raises:
            NotIdentified: the sort is not done.
        """
        if not self.done:
            raise NotIdentified(
                "the sort is not done",
                [f"ask for {self._say_open()}", "take .partial, what is known so far"],
            )
        return tuple(self._name(group) for group in self._progress.groups)

    @cached_property
    def partial(self) -> PartialOrder:
        """What is known so far of every pair."""
        learned = self._progress.learned
        return close_order(self.systems, learned.better, learned.tied)

    @property
    def counts(self) -> SortCounts:
        """What it cost so far, beside what all pairs and the best sort there can be would."""
        orders = [order for _, order in self._progress.decided]
        n = len(self.systems)
        together = min(self.shown, max(n, 2))
        return SortCounts(
            asked=len(orders),
            answers=len(self.answers),
            against=sum(self.partial.count_against(order) for order in orders),
            pairs=n * (n - 1) // 2,
            most=count_most(n) if self.shown == 2 else None,
            bound=count_steps(factorial(n), factorial(together)),
            bound_ties=count_steps(count_weak_orders(n), count_weak_orders(together)),
        )

    def missing(self, shown: Sequence[str]) -> int:
        """Return how many votes a question may still take; 0 where it is closed or not asked."""
        question = self._find(shown)
        return 0 if question is None else self.votes - len(self._answers_to(question))

    def answer(self, shown: Sequence[str], places: Sequence[int], judge: str = "") -> Sorting:
        """Return the sort with one more answer.

        Args:
            shown: the outputs of one of `questions`, in any order.
            places: place of each, 1 is best; equal places are a tie.
            judge: who says so; the same judge is not taken twice on one question.

        Raises:
            InvalidJudgments: an unknown system, a question that is not open, places that are none,
                or a judge who has answered it.
        """
        for name in shown:
            if name not in self.systems:
                known = suggest(str(name), self.systems) or f" There are {listing(self.systems)}"
                raise InvalidJudgments(f"'{name}' is not among the systems of this sort.{known}")
        if len(places) != len(shown):
            raise InvalidJudgments(
                f"{len(shown)} outputs were shown and {len(places)} places are given: give each one"
            )
        for place in (one for one in places if not is_count(one, 1)):
            raise InvalidJudgments(f"{place} is no place: 1 is best, 2 the next, equal ones tie")
        question = self._find(shown)
        if question is None:
            names = " or ".join(shown)
            if any(self._same(self._name(one), shown) for one, _ in self._progress.decided):
                why = "this is decided, and an answer comes too late to change it"
            elif self.done:
                why = "nobody asked, and the sort is done"
            else:
                why = f"nobody asked. What may be answered now is {self._say_open()}"
            raise InvalidJudgments(f"{names}: {why}")
        if not isinstance(judge, str):
            raise InvalidJudgments(f"{judge!r} is no judge: give a name")
        judge = judge.strip()
        if judge and any(one.judge == judge for one in self._answers_to(question)):
            names = " or ".join(shown)
            raise InvalidJudgments(f"{judge} has already answered {names}: ask another")
        place_of = dict(zip(shown, places, strict=True))
        systems = self._name(question)
        answer = Answer(systems, tuple(int(place_of[name]) for name in systems), judge)
        return replace(self, answers=(*self.answers, answer))

    def _find(self, shown: Sequence[str]) -> Question | None:
        same = (one for one in self._progress.open if self._same(self._name(one), shown))
        return next(same, None)

    @staticmethod
    def _same(one: Sequence[str], other: Sequence[str]) -> bool:
        return len(one) == len(other) and set(one) == set(other)

    def _say_open(self) -> str:
        return listing([" or ".join(one) for one in self.questions], 4)

    def _name(self, codes: Question) -> tuple[str, ...]:
        return tuple(self.systems[code] for code in codes)

    @cached_property
    def _answers_by_question(self) -> dict[tuple[str, ...], list[Answer]]:
        answers: dict[tuple[str, ...], list[Answer]] = {}
        for one in self.answers:
            answers.setdefault(one.shown, []).append(one)
        return answers

    def _answers_to(self, question: Question) -> list[Answer]:
        return self._answers_by_question.get(self._name(question), [])

    @cached_property
    def _progress(self) -> _Progress:
        learned = Learned()
        steps = merge_steps(range(len(self.systems)), self.shown, learned)
        decided: list[tuple[Question, Order]] = []
        try:
            questions = next(steps)
            while True:
                orders, left = [], []
                for question in questions:
                    votes = [one.places for one in self._answers_to(question)]
                    ranks = decide(votes, len(question), self.votes)
                    if ranks is None:  # votes to come may change what it says
                        left.append(question)
                        continue
                    order = tuple(tuple(question[i] for i in same) for same in ranks)
                    decided.append((question, order))
                    orders.append(order)
                if left:
                    for order in orders:  # of pairs that nothing was known of
                        learned.take(order)
                    return _Progress(tuple(left), (), tuple(decided), learned)
                questions = steps.send(orders)
        except StopIteration as end:
            return _Progress((), tuple(end.value), tuple(decided), learned)
