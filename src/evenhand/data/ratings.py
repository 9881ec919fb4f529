"""Ratings: a judge gave one output a score under one criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import narwhals as nw

from evenhand.data.engine import count_rows, require_open
from evenhand.data.joining import SEPARATOR, find_parts, keep_asked, keep_places, say_none, spread
from evenhand.data.rating_rows import RatingRows, find_document
from evenhand.data.tables import RatingTable
from evenhand.data.tally import take_names


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(RatingTable):
    """A handle on a table with one rating a row.

    Attributes:
        frame: narwhals frame with at least `system` and `score` (a number); optional `judge`,
            `item`, `criterion`, `task`, `kind` (target, control, repeat), `expected` (of a
            control), `seconds` (how long it took), `shown_at` (when).
        source: where it came from and what was understood.
        merged: whether some scores were of an output of several systems, and count for each.

    """

    merged: bool = False

    def split_merged(self, sign: str) -> Self:
        """Count a score of an output under a name such as "A+B" for each of its systems.

        They gave the same output, so the score is that of each of them.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.

        """
        explanation = (
            "a score of such an output is that of each; bias, labels, similarity, impute and"
            " variance count it once for each, as if these were independent"
        )
        parts = find_parts(self.frame, ("system",), sign, self.source, explanation=explanation)
        if parts is None:
            return replace(self, source=self.source.noting(say_none(sign)))
        frame = spread(keep_places(self.frame), "system", parts, self.source)
        return replace(self, frame=frame, source=self.source.noting(parts.note), merged=True)

    def keep_asked(self) -> Self:
        """Return the answers alone, where a campaign merged equal outputs: to compare judges by."""
        return replace(self, frame=keep_asked(self.frame)) if self.has(SEPARATOR) else self

    def rows(self, *, factors: Sequence[str] = ()) -> RatingRows:
        """Read the table: labels as codes, scores as numbers; see `code_ratings`.

        A whole column of documents is a factor besides: items of one document are correlated.
        """
        from evenhand.data.row_reading import code_ratings

        require_open(self.frame, self.source.name)
        wanted = take_names(factors)
        document = find_document(self.covariates)
        if document is not None and document not in wanted and self.has("item"):
            label = nw.col(document).cast(nw.String)
            blank = label.is_null() | (label.str.strip_chars() == "")
            wanted = (*wanted, document) if not count_rows(self.frame.filter(blank)) else wanted
        return code_ratings(self, factors=wanted)

    def __repr__(self) -> str:
        return f"Ratings({self.source.name}: {', '.join(self.columns)})"
