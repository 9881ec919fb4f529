"""What surrounds an answer as it comes: whose, to what, under which key, in what time."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from evenhand.design.tasks import read_whole, show
from evenhand.errors import InvalidJudgments
from evenhand.web.store.lookups import check_name

if TYPE_CHECKING:
    from evenhand.web.store.judging import Reply

LONGEST_KEY: Final = 100  # Most characters of a key
LONGEST_TIME: Final = 10_000_000  # Most seconds that a judge can have taken
MOST: Final = 2**53  # No ticket and no record has a greater number


def check_reply(reply: Reply) -> None:
    """Refuse what surrounds an answer and is not sound."""
    for name, number in (("ticket", reply.ticket), ("replaces", reply.replaces)):
        if number is not None or name == "ticket":
            read_whole(number, name, 0, MOST)
    check_name(reply.judge)
    key, seconds = reply.key, reply.seconds
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise InvalidJudgments(
            f"the key of an answer is 1 to {LONGEST_KEY} characters, not {show(key)}"
        )
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is not None and not (number and isfinite(seconds) and 0 <= seconds <= LONGEST_TIME):
        raise InvalidJudgments(f"seconds taken are a number from 0, not {show(seconds)}")
