"""Rankings: a judge put n outputs of one item in order, with ties and blanks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import narwhals as nw

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import ORDER, add_order
from evenhand.data.joining import ENTRY, SEPARATOR, find_parts, say_none, spread
from evenhand.data.tables import RankingTable


@dataclass(frozen=True, eq=False, repr=False)
class Rankings(RankingTable):
    """A handle on a table with one ranked output a row.

    Attributes:
        frame: narwhals frame with `ranking`, `system` and `rank` (a whole number, 1 is best, ties
            share a rank; missing or −1 is not ranked); optional `judge`, `item`, `task`,
            `position` (the place on the screen, a whole number), `weight` and covariates.
        source: where it came from and what was understood.
        parts: the systems behind the names in `system`, where some stand for several; the frame
            keeps one row for each output that was shown.
    """

    @property
    def merged(self) -> bool:
        """Whether some output stands for several systems."""
        return self.parts is not None

    def split_merged(self, sign: str) -> Rankings:
        """Count outputs under names such as "A+B" for each of their systems.

        Such an output has one rank. Its systems are compared with the others, not with one
        another.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.
        """
        parts = find_parts(self.frame, ("system",), sign, self.source)
        note = parts.note if parts is not None else say_none(sign)
        return replace(self, parts=parts, source=self.source.noting(note))

    def keep_asked(self) -> Rankings:
        """Return the answers alone, where a campaign merged equal outputs: to compare judges by."""
        if self.parts is None or not self.has(SEPARATOR):
            return self
        pairs = zip(self.parts.labels, self.parts.systems, strict=True)
        first = dict(sorted(pairs, reverse=True))  # of each name the system first by name
        named = replace(self.parts, labels=tuple(first), systems=tuple(first.values()))
        return replace(self, frame=spread(self.frame, "system", named, self.source), parts=None)

    def comparisons(self) -> Comparisons:
        """Expand each ranking into the n(n − 1)/2 comparisons of its ranked outputs.

        The ranking stays known as a cluster, since its comparisons are one judgment. Blank ranks
        are missing, not last. Left is the output that stood first on the screen where positions
        are known, else the system that comes first by name.
        """
        order = "position" if self.has("position") else ORDER
        carried = [name for name in self.columns if name not in ("system", "rank", order)]
        compared = {"rank": "rank", "order": order}
        ranked = self.frame.filter(~nw.col("rank").is_null() & (nw.col("rank") > 0))
        if self.parts is not None:
            compared["entry"] = ENTRY
            ranked = ranked.with_columns(nw.col("system").alias(ENTRY))
            ranked = spread(ranked, "system", self.parts, self.source)
        ranked = add_order(ranked, "system") if order == ORDER else ranked
        left, right = (
            ranked.select(
                *columns,
                nw.col("system").alias(side),
                *[nw.col(name).alias(f"evenhand_{side}_{what}") for what, name in compared.items()],
            )
            for side, columns in (("left", carried), ("right", self.key))
        )
        pairs = left.join(right, on=self.key, how="inner")  # type: ignore[arg-type]
        pairs = pairs.filter(nw.col("evenhand_left_order") < nw.col("evenhand_right_order"))
        if self.parts is not None:
            apart = nw.col("evenhand_left_entry") != nw.col("evenhand_right_entry")
            pairs = pairs.filter(apart)
        # Compare two ranks, 1 the best
        better = nw.col("evenhand_left_rank") < nw.col("evenhand_right_rank")
        worse = nw.col("evenhand_left_rank") > nw.col("evenhand_right_rank")
        otherwise = nw.when(worse).then(nw.lit("right")).otherwise(nw.lit("tie"))
        frame = pairs.with_columns(
            outcome=nw.when(better).then(nw.lit("left")).otherwise(otherwise)
        ).drop(*[f"evenhand_{side}_{what}" for side in ("left", "right") for what in compared])
        return Comparisons(
            frame, source=self.source, positions_known=self.has("position"), rankings=self
        )
