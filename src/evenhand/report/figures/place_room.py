"""Room at the right of a forest plot for the places of systems, which no grid line goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row

# Room for a sign, as a share of what the intervals take: enough on a telephone
LETTER: Final = 0.06
LEAST: Final = 0.22  # Room there is always
MOST: Final = 0.5  # Room there is at most: more would take it from the intervals


def find_room(rows: Sequence[Row]) -> float:
    """Return the room for `places`, as a share of what the intervals take."""
    letters = max((len(row["places"]) for row in rows), default=0)
    return min(max(LEAST, LETTER * letters), MOST)


def end_grid(end: float, *, turned: bool = False) -> Any:
    """Return an axis whose lines end where the intervals do."""
    import altair as alt

    inside = f"datum.value {'>=' if turned else '<='} {end!r}"
    shown = alt.condition(inside, alt.value(1), alt.value(0))
    return alt.Axis(gridOpacity=shown)
