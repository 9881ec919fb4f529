"""What a mix made of a table of judgments, and how its weights get into the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption
from evenhand.judgments.engine import small_table

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons

_WEIGHT: Final = "evenhand_weight"


@dataclass(frozen=True)
class Mixed:
    """What a stated mix made of judgments."""

    name: str  # the mix in the words of the signature
    shares: Mapping[str, Mapping[str, float]]  # column → level → share
    each: str  # what weighs the same within a cell
    n_judgments: float  # answers that count, unweighted; a ranking is one
    n_comparisons: float  # pairs that count, unweighted
    effective: float  # effective number of judgments, (Σ w)² / Σ w²
    left_out: int  # comparisons whose share is 0
    notes: tuple[str, ...]  # what was left out

    @property
    def said(self) -> str:
        """The mix in words."""
        parts = [
            f"{column} " + ", ".join(f"{level} {share:g}" for level, share in shares.items())
            for column, shares in self.shares.items()
        ]
        return "; ".join(
            [*parts, f"every {self.each} weighs the same" + (" within" if parts else "")]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "shares": {name: dict(own) for name, own in self.shares.items()},
            "each": self.each,
            "effective_judgments": self.effective,
            "left_out": self.left_out,
        }


def refuse_weighted(table: Comparisons) -> None:
    """Refuse judgments that have weights already."""
    if table.mix is not None:
        raise UnknownOption(f"these judgments are mixed already ({table.mix.name}): mix them once")
    if table.has("weight"):
        raise UnknownOption(
            f"judgments of {table.source.name} have weights already (column"
            f" '{table.source.named('weight')}'), and a mix weighs them: read the file without"
            " weights, one row for each judgment"
        )


def attach_weights(
    table: Comparisons, labels: Mapping[str, list[str]], weights: NDArray[np.float64]
) -> Comparisons:
    """Give rows the weight of their labels; rows whose labels are not listed are left out.

    labels: column → (C,) labels, each combination once.
    weights: (C,) a row's weight; written as text to the last digit, so that every engine has the
        same.
    """
    from evenhand.judgments.counting import name_levels

    frame = name_levels(table, list(labels), table.frame)
    columns = {**labels, _WEIGHT: [repr(weight) for weight in weights.tolist()]}
    listed = small_table(frame, columns, table.source.connection)
    joined = frame.join(listed, on=list(labels), how="inner")  # type: ignore[arg-type]
    weighed = joined.with_columns(weight=nw.col(_WEIGHT).cast(nw.Float64)).drop(_WEIGHT)
    return replace(table, frame=weighed, weights="importance")
