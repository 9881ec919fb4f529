"""Which pair a judge is asked next: a policy chooses it while judgments come in.

What is known is counted from the log, record by record, and again from the tables after a restart.
Pairs are chosen some ahead, the more the more answers there are: a few more answers change little
then. A pair of an item that fewer judges were asked than the design wants comes first. For whoever
finds no item of any pair that was chosen ahead, one is chosen of the pairs that are left to them.

Tickets say "random" only of a pair that was drawn from all pairs, for a judge who may be asked any.
Whoever comes to a draw uses it up: were it kept for somebody else where it does not fit, the pairs
that judges have used up would gather. So which draws count does not depend on what was drawn.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.design.campaign import Campaign
from evenhand.design.policy import CHOSEN, NARROWED, RANDOM, START, make_policy
from evenhand.design.tasks import Choice
from evenhand.web.store.follow import find_late, follow, open_ledger
from evenhand.web.store.ledger import COIN, Ledger, Unit
from evenhand.web.store.pair_counts import Mask

if TYPE_CHECKING:
    from evenhand.web.store.desk import Desk

AHEAD: Final = 16  # Most pairs that are chosen ahead
EACH: Final = 16  # Answers for each pair that is chosen ahead
# Judges at work for each pair that is chosen ahead: where many are, one answer is old soon
AT_WORK: Final = 4


@dataclass(frozen=True)
class Dealt:
    """What somebody is to be asked."""

    item: str  # its name
    systems: tuple[str, str]  # in the order shown
    chosen: Choice  # how the pair was chosen
    # tickets that others let lie, whose pair of an item this is; they are emptied
    instead: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Pick:
    """A pair that was chosen ahead."""

    pair: int
    turned: bool
    chosen: Choice


class Dealer:
    """A policy, and what it knows of a campaign."""

    def __init__(self, campaign: Campaign) -> None:
        """Know nothing yet."""
        import_module("scipy.special")  # the first choice would wait for it, and judges with it
        policy = make_policy(campaign)
        assert policy is not None
        self.campaign, self.policy = campaign, policy
        self._ledger: Ledger | None = None
        self._ahead: deque[_Pick] = deque()
        self._seen = 0
        self._desk: Desk | None = None
        self._rng = np.random.default_rng(campaign.drawing_seed)

    def settle(self) -> None:
        """Take up that what was written is stored."""
        self._desk = None

    def deal(self, desk: Desk, seat: str) -> Dealt | None:
        """Choose what whoever has a seat is asked; None where nothing is left for them."""
        ledger = self._catch_up(desk)
        found = self._find_begun(ledger, seat) or self._find_ahead(ledger, seat)
        found = found or self._find_own(ledger, seat)
        if found is None:
            return None
        unit, chosen, coin = found
        ends = (ledger.pairs.low[unit[0]], ledger.pairs.high[unit[0]])
        low, high = (ledger.pairs.systems[end] for end in ends)
        turned = ledger.turn(seat, unit, coin=coin)
        shown = (high, low) if turned else (low, high)
        return Dealt(ledger.names[unit[1]], shown, chosen, tuple(ledger.list_late(unit)))

    def _catch_up(self, desk: Desk) -> Ledger:
        """Take up what happened since; all anew where something written was not stored."""
        ledger = self._ledger if self._desk in (None, desk) else None
        self._desk = desk
        if ledger is None or not follow(ledger, desk, self._seen):
            ledger = open_ledger(desk, self.campaign)
            self._ahead.clear()
            self._rng = np.random.default_rng([self.campaign.drawing_seed, desk.head[0]])
        self._ledger, self._seen = ledger, desk.head[0]
        late = find_late(desk) & ledger.asked.keys()
        for ticket in ledger.late - late:
            ledger.take_up(ticket)
        for ticket in late:
            ledger.give_up(ticket)
        return ledger

    def _find_begun(self, ledger: Ledger, seat: str) -> tuple[Unit, Choice, bool] | None:
        """Find a pair of an item that others were asked and that wants more judges."""
        for unit, chosen in ledger.begun.items():
            if ledger.may(seat, unit):
                return unit, chosen, bool(self._rng.random() < COIN)
        return None

    def _find_ahead(self, ledger: Ledger, seat: str) -> tuple[Unit, Choice, bool] | None:
        """Find an item for one of the pairs that were chosen ahead."""
        pairs = ledger.pairs
        more = max(pairs.answers // EACH, int(pairs.waiting.sum()) // AT_WORK)
        ahead = min(AHEAD, 1 + more)
        if not self._ahead or pairs.new > 2 * ahead:
            self._ahead = deque(self._choose(ledger, ledger.allowed, ahead))
        for at, pick in enumerate(self._ahead):
            if pick.chosen in {RANDOM, NARROWED} and self.policy.rule != RANDOM:
                del self._ahead[at]
                return self._draw(ledger, seat, pick)
            item = ledger.find(seat, pick.pair, self._rng)
            if item is not None:
                del self._ahead[at]
                return (pick.pair, item), pick.chosen, pick.turned
        return None

    def _draw(self, ledger: Ledger, seat: str, pick: _Pick) -> tuple[Unit, Choice, bool] | None:
        """Find an item for a pair at random; another pair, where it was not drawn from all."""
        pair, chosen = pick.pair, pick.chosen
        if chosen != RANDOM or not ledger.may_all(seat):
            left = np.flatnonzero(ledger.find_pairs(seat))
            if not len(left):
                return None
            pair, chosen = int(self._rng.choice(left)), "narrowed"
        item = ledger.find(seat, pair, self._rng)
        assert item is not None
        return (pair, item), chosen, pick.turned

    def _find_own(self, ledger: Ledger, seat: str) -> tuple[Unit, Choice, bool] | None:
        """Find a pair that is left to somebody who may be asked none of those chosen ahead."""
        for pick in self._choose(ledger, ledger.find_pairs(seat), 1):
            item = ledger.find(seat, pick.pair, self._rng)
            assert item is not None
            return (pick.pair, item), pick.chosen, pick.turned
        return None

    def _choose(self, ledger: Ledger, allowed: Mask, n: int) -> list[_Pick]:
        """Let the policy choose among some pairs."""
        if not allowed.any():
            return []
        state, found = ledger.pairs.look(allowed), []
        every = bool((allowed == ledger.possible).all())
        for one in self.policy.choose(state, n, self._rng):
            pair, turned = ledger.pairs.number((one.left, one.right))
            found.append(_Pick(pair, turned, _say_choice(one.kind, every=every)))
        return found


def _say_choice(kind: str, *, every: bool) -> Choice:
    """Return what tickets say of how a pair was chosen, maybe of every pair that has an item."""
    drawn: Choice = "random" if every else "narrowed"
    words: dict[str, Choice] = {START: "start-up", RANDOM: "random", CHOSEN: "policy"}
    return words.get(kind, drawn)
