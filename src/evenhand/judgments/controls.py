"""Controls are judgments whose answer was known: they tell of judges, not of systems.

Whatever speaks of systems takes its judgments through here, so that controls are left out once, and
said once. Repeats stay: they are answers on outputs like any other, and cluster with their judge.
"""

from __future__ import annotations

from typing import TypeVar

from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import require_open
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings

Held = TypeVar("Held", bound=Comparisons | Rankings | Ratings)


def take_pairs(data: Comparisons | Rankings) -> Comparisons:
    """Return the comparisons of systems: controls are left out, and rankings expanded.

    What holds no comparisons is returned as it is, for the caller to refuse.
    """
    if isinstance(data, Rankings):
        return leave_out_controls(data).comparisons()
    return leave_out_controls(data) if isinstance(data, Comparisons) else data


def leave_out_controls(data: Held) -> Held:
    """Leave out the controls of a table, with a note in its source that counts them.

    Where no column says kinds, a judgment of which something is expected is a control. A table
    without either column is returned as it is, and so is one whose controls were left out before.
    """
    require_open(data.frame, data.source.name)
    if data.source.without_controls:
        return data
    asked = data.rankings if isinstance(data, Comparisons) and data.rankings is not None else data
    told = ("kind",) if isinstance(asked, Rankings) else ("kind", "expected")
    asides = asked.source.find_asides(asked.frame.collect_schema().names())
    if not any(role in asides for role in told):
        return data
    from evenhand.judgments.control_rows import leave_out_rows

    return leave_out_rows(data, asked, told)


def say_left_out(data: object, kept: Comparisons | Rankings) -> tuple[str, ...]:
    """Return what leaving out the controls of a table added to its notes."""
    if not isinstance(data, Comparisons | Rankings):
        return ()
    return kept.source.notes[len(data.source.notes) :]
