"""What the answers of a batch will ask the database is asked for all of them together.

On PostgreSQL a question is a way to the server and back, and an answer asks two. What was asked
ahead is as true when it is used: answers of different judges to different tickets change nothing
that the others read, and anything else that is written meanwhile makes the desk forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.web.store.desk import Desk
from evenhand.web.store.judging import Answered, Reply, answer
from evenhand.web.store.lookups import FOLLOWING, REPLY
from evenhand.web.store.replies import check_reply


@dataclass(frozen=True)
class Answering:
    """To store an answer and serve the next ticket, as a piece of work of the store."""

    reply: Reply  # the answer

    def __call__(self, desk: Desk) -> Answered:
        """Do it."""
        with desk.keeping():
            return answer(desk, self.reply)


def look_ahead(desk: Desk, batch: Sequence[Callable[[Desk], Any]]) -> None:
    """Ask what the answers of a batch will ask; those of which it cannot be known ask themselves.

    Where a policy chooses, an answer may change what others are asked: then nothing is known.
    """
    if not desk.asks_far or (desk.launched and desk.campaign.design.policy):
        return
    chosen = _choose([one.reply for one in batch if isinstance(one, Answering)])
    if len(chosen) < 2:
        return
    asked = [{"judge": one.judge, "ticket": one.ticket, "sent": one.key} for one in chosen]
    rows = desk.foresee(REPLY, asked)
    pairs = [
        {"seat": row.mine, "answered": one.ticket}
        for one, row in zip(chosen, rows, strict=True)
        if row is not None and row.lent == one.ticket
    ]
    desk.foresee(FOLLOWING, pairs)


def _choose(replies: Sequence[Reply]) -> list[Reply]:
    """Return the first answer of each judge, if it is the first to its ticket; sound ones alone."""
    found: list[Reply] = []
    judges: set[str] = set()
    tickets: set[int] = set()
    for one in replies:
        if not _is_sound(one):
            continue
        if one.judge not in judges and one.ticket not in tickets:
            found.append(one)
        judges.add(one.judge)
        tickets.add(one.ticket)
    return found


def _is_sound(reply: Reply) -> bool:
    try:
        check_reply(reply)
    except EvenhandError:
        return False
    return True
