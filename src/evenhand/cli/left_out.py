"""Systems that a refusal says to leave out, left out by an option of the command that ran."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import click

from evenhand.cli.kept import PLACE
from evenhand.errors import EvenhandError, Remedied, quote_word

MOST: Final = 4  # Systems that a condition names at most: longer ones would not be copied
SIDES: Final = ("left", "right")
_PLAIN: Final = re.compile(r"[A-Za-z_]\w*")
_SAID: Final = ("leave it out", "leave them out")
_OPENED: Final = f"{PLACE}opened"


@dataclass(frozen=True)
class Opened:
    """The table that the command that runs has opened."""

    columns: Mapping[str, str]  # role → column outside
    where: str | None  # the condition that it was opened under, or None


def remember_opened(columns: Mapping[str, str], where: str | None) -> None:
    """Keep what was opened, for what a refusal may have to say of it."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_OPENED] = Opened(columns, where)


def explain_leaving(error: EvenhandError) -> str:
    """Return a refusal; where it says to leave systems out, with the option that does it."""
    context = click.get_current_context(silent=True)
    opened = None if context is None else context.meta.get(_OPENED)
    if not isinstance(error, Remedied) or opened is None:
        return str(error)
    condition = leave_out(error.leave, opened)
    if not condition:
        return str(error)
    way = f"--where {quote_word(condition)}"
    said = [f"{one} ({way})" if one in _SAID else one for one in error.remedies]
    return str(type(error)(error.fault, said))


def leave_out(systems: Sequence[str], opened: Opened) -> str:
    """Return the SQL condition that keeps what was opened, without some systems.

    It is empty where the columns do not name systems one by one, or where these are many.

    >>> leave_out(["oracle"], Opened({"left": "model_a", "right": "model_b"}, None))
    "model_a <> 'oracle' and model_b <> 'oracle'"
    >>> leave_out(["A", "B"], Opened({"system": "system"}, "judge <> 'j3'"))
    "(judge <> 'j3') and system not in ('A', 'B')"
    """
    known = opened.columns
    roles = SIDES if all(role in known for role in SIDES) else ("system",)
    if not 0 < len(systems) <= MOST or any(role not in known for role in roles):
        return ""
    from evenhand.judgments import engine

    names = [engine.quote(one) for one in systems]
    without = f"<> {names[0]}" if len(names) == 1 else f"not in ({', '.join(names)})"
    kept = [f"{_name_column(known[role])} {without}" for role in roles]
    return " and ".join([*([f"({opened.where})"] if opened.where else []), *kept])


def _name_column(name: str) -> str:
    """Return a column as SQL reads it: in double quotes where it is a word of SQL, or odd."""
    if _PLAIN.fullmatch(name) and name.casefold() not in (*SIDES, "user", "order", "group"):
        return name
    from evenhand.judgments.engine import quote_name

    return quote_name(name)
