"""Conditions whose answer may change while files do not: what was counted by one is not kept."""

from __future__ import annotations

from typing import Final

from evenhand.errors import UnknownOption
from evenhand.judgments.conditions import parse_condition

# Functions that depend on the clock; some are written like columns
CLOCKS: Final = frozenset(
    {
        *("age", "current_date", "current_localtime", "current_localtimestamp", "current_time"),
        *("current_timestamp", "get_current_time", "get_current_timestamp", "localtime"),
        *("localtimestamp", "now", "today", "transaction_timestamp"),
    }
)


def refuse_unsteady(condition: str) -> None:
    """Refuse a condition that asks for the time.

    Args:
        condition: in SQL.

    Raises:
        UnknownOption: names what may change, or says what is no condition.

    >>> refuse_unsteady("judge < 'j006' and lower(task) = 'fr-en'")
    >>> refuse_unsteady("day > today() - 7")
    Traceback (most recent call last):
        ...
    evenhand.errors.UnknownOption: the condition asks for today, which may change while files do \
not: write what it stands for now, such as a date, or count without a cache
    """
    for part in parse_condition(condition):
        names = part.get("column_names", [])
        name = str(part.get("function_name") or (names[0] if len(names) == 1 else "")).lower()
        if name in CLOCKS:
            raise UnknownOption(
                f"the condition asks for {name}, which may change while files do not: write what"
                " it stands for now, such as a date, or count without a cache"
            )
