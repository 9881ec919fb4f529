"""What judges wrote beside their answers, the latest first."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select

from evenhand.web.store.reading import LINE, make_line
from evenhand.web.store.record import Record, read_record
from evenhand.web.store.schema import log
from evenhand.web.store.schema import tickets as asked
from evenhand.web.store.store import Store

MOST: Final = 200  # Comments that the page shows; tables hold all


def read_comments(store: Store, most: int = MOST) -> list[Record]:
    """Return answers that stand and have a comment, the latest first; those deleted are gone."""
    wanted = (
        select(*LINE)
        .join(asked, asked.c.record == log.c.number)
        .where(log.c.note.is_not(None))
        .order_by(log.c.number.desc())
        .limit(most)
    )
    with store.reading() as connection:
        found = [read_record(make_line(row)) for row in connection.execute(wanted)]
    return [one for one in found if one.comment]
