"""Which answers stand: what was read once is not read again."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, select

from evenhand.web.store.schema import tickets as asked

AT_A_TIME: Final = 500  # Records that are asked for together


def list_standing(connection: Connection) -> list[int]:
    """Return the numbers of the records whose answers stand, in order."""
    wanted = select(asked.c.record).where(asked.c.record.is_not(None)).order_by(asked.c.record)
    return list(connection.execute(wanted).scalars())
