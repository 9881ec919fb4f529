"""How many judgments are controls and repeats, counted in the engine."""

from __future__ import annotations

from dataclasses import replace

import narwhals as nw

from evenhand.judgments.aside_reading import find_aside_columns, refuse_unread
from evenhand.judgments.asides import Unread, tell_kinds
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, Frame, fetch_columns
from evenhand.judgments.levels import count_answers
from evenhand.judgments.rating_rows import CONTROL, REPEAT
from evenhand.judgments.ratings import Ratings

_KIND = "evenhand_kind"


def count_kinds(data: Comparisons | Ratings) -> tuple[int | None, int | None]:
    """Count controls and repeats, as they are weighted."""
    found = find_aside_columns(data.source, data.frame, scores=True)
    if "kind" not in found.asides:
        return None, None
    counted = _count(data, found.only("kind").add_to(data.frame))
    try:
        kinds = tell_kinds([label.strip() for label in counted])
    except Unread as fault:
        refuse_unread(data.source, "kind", found.asides["kind"], fault)
        return None, None
    sums = dict.fromkeys((CONTROL, REPEAT), 0.0)
    for (kind, _), n in zip(kinds, counted.values(), strict=True):
        if kind in sums:
            sums[kind] += n
    return int(sums[CONTROL]), int(sums[REPEAT])


def _count(data: Comparisons | Ratings, frame: Frame) -> dict[str, float]:
    """Count judgments by the label of their kind."""
    frame = frame.with_columns(nw.col(_KIND).fill_null(""))
    if isinstance(data, Comparisons):
        return count_answers(replace(data, frame=frame), _KIND)
    found = fetch_columns(frame.group_by(_KIND).agg(nw.len().alias(COUNT)))
    return dict(zip(found[_KIND].tolist(), found[COUNT].tolist(), strict=True))
