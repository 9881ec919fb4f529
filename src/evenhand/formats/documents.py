"""Scores of whole documents, which stand among those of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import narwhals as nw

from evenhand.data.engine import Frame, count_labels
from evenhand.data.source import fold

# Columns by which Appraise says so
_MARKS: Final = frozenset(map(fold, ("is_doc", "is_document", "is_complete_document")))
_YES: Final = ("true", "1", "1.0", "yes")
_NO: Final = ("false", "0", "0.0", "no")
WHOLE: Final = " (document)"  # Stands behind the criterion of such scores


def keep_documents_apart(
    frame: Frame, columns: Sequence[str], roles: Mapping[str, str]
) -> tuple[Frame, dict[str, str], list[str]]:
    """Give scores of whole documents a criterion of their own."""
    mark = next((name for name in columns if fold(name) in _MARKS), None)
    if mark is None or mark in roles.values():
        return frame, dict(roles), []
    label = nw.col(mark).cast(nw.String).str.to_lowercase()
    counted = count_labels(frame.select(label), mark)
    n = sum(counted.get(word, 0) for word in _YES)
    unclear = sum(many for word, many in counted.items() if word not in (*_YES, *_NO))
    if not n:
        return frame, dict(roles), []
    if unclear:
        message = (
            f"column '{mark}' does not say of {unclear:,} scores whether they are of documents"
        )
        return frame, dict(roles), [f"{message}: scores of documents are not kept apart"]
    column = roles.get("criterion", "criterion")
    criterion = nw.col(column) if "criterion" in roles else nw.lit("score")
    whole = nw.concat_str([criterion.cast(nw.String), nw.lit(WHOLE)])
    apart = nw.when(label.is_in(_YES)).then(whole).otherwise(criterion.cast(nw.String))
    frame = frame.with_columns(apart.alias(column))
    note = (
        f"{n:,} of {sum(counted.values()):,} scores are of whole documents ({mark}): a criterion of"
        f" their own, with '{WHOLE.strip()}' behind its name"
    )
    return frame, {**roles, "criterion": column}, [note]
