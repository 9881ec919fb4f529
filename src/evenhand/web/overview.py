"""How far a campaign is, and when it will be done."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import select

from evenhand.web.downloads import list_downloads
from evenhand.web.store.readable import Readable
from evenhand.web.store.schema import log

LATELY: Final = 200  # Judgments from which the pace is taken
FEWEST: Final = 10  # From fewer judgments no pace is taken
MINUTE, HOUR, DAY = 60, 3_600, 86_400
# Milliseconds after which a state is old although nothing happened: its pace has changed
OLD: Final = 60_000
HELD: Final = ("invited", "active")  # States of judges who can answer
FARTHEST: Final = 3_650 * DAY  # No day is named that is farther away


def overlook(store: Readable) -> dict[str, Any]:
    """Return what the organiser's page shows."""
    judges = store.judges()
    seats = {one.seat: one for one in judges}
    done, total = sum(one.done for one in seats.values()), sum(one.total for one in seats.values())
    busy = [one.name for one in judges if one.state in HELD and one.done < one.total]
    pace = read_pace(store, busy)
    held = {one.seat for one in judges if one.state in HELD}
    return {
        "title": store.campaign.title or store.campaign.name,
        "judges": judges,
        "free": [one for one in seats if one not in held],
        "done": done,
        "total": total,
        "pace": say_pace(total - done, pace),
        "done_by": foresee(total - done, pace, store.clock.now()),
        "paused": store.paused,
        "tables": list_downloads(store),
        "head": store.head(),
    }


def read_mark(store: Readable) -> tuple[int, str]:
    """Return the end of the log, and the mark of the state that it is in now."""
    head = store.head().number
    return head, f"{head}-{store.clock.now() // OLD}"


def read_pace(store: Readable, judges: Collection[str] | None = None) -> float | None:
    """Return judgments per second of late, breaks included; None where there are too few."""
    late = select(log.c.body).where(log.c.kind == "judgment").order_by(log.c.number.desc())
    if judges is not None:
        late = late.where(log.c.judge.in_(judges))
    with store.reading() as connection:
        times: list[int] = [
            json.loads(one)["at"] for one in connection.execute(late.limit(LATELY)).scalars()
        ]
    if len(times) < FEWEST or times[0] <= times[-1]:
        return None
    return (len(times) - 1) * 1000 / max(1, store.clock.now() - times[-1])


def foresee(left: int, pace: float | None, now: int) -> datetime | None:
    """Return when so many judgments will be there; None where that is not known, or they are."""
    if not left or not pace or left / pace > FARTHEST:
        return None
    return datetime.fromtimestamp(now / 1000, UTC) + timedelta(seconds=left / pace)


def say_pace(left: int, pace: float | None) -> str:
    """Say how long so many judgments take.

    >>> say_pace(100, 0.1), say_pace(100, None), say_pace(0, 1.0), say_pace(10**6, 1.0)
    ('in 17 minutes', '', 'now', 'in 12 days')
    """
    if left == 0:
        return "now"
    if pace is None or pace <= 0:
        return ""
    seconds = left / pace
    size, unit = next(
        (one for one in ((DAY, "day"), (HOUR, "hour")) if seconds >= 2 * one[0]),
        (MINUTE, "minute"),
    )
    number = max(1, round(seconds / size))
    return f"in {number:,} {unit}{'s' * (number > 1)}"
