"""One file per outside format that is written: NAME, SUFFIXES, HOLDS, export, find_losses.

`export` yields the text and refuses what the format cannot say. What it merely has no place for is
left out, and `say_left_out` says so: whole columns, and single values (`find_losses`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, Protocol

import narwhals as nw

from evenhand.errors import require_option
from evenhand.formats.exports import appraise, label_studio, mqm, wmt_json, wmt_rnk
from evenhand.formats.table import Handle
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import ANSWER, COUNT, fetch_columns
from evenhand.judgments.labels import is_both_bad


class Exporter(Protocol):
    """What every file here offers."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        ...

    @property
    def SUFFIXES(self) -> Sequence[str]:  # noqa: N802
        ...

    @property
    def HOLDS(self) -> Collection[str]:  # noqa: N802
        ...

    def export(self, data: Handle) -> Iterator[str]:
        """Yield the text of the file, piece by piece."""
        ...

    def find_losses(self, data: Handle) -> Iterator[str]:
        """Yield sentences on values that are not read again as they are, in columns of HOLDS."""
        ...


_EXPORTERS: Final[tuple[Exporter, ...]] = (wmt_rnk, appraise, wmt_json, mqm, label_studio)
EXPORTS: Final = tuple(one.NAME for one in _EXPORTERS)  # Names that `kind` and `--to` take


def find_exporter(name: str) -> Exporter:
    """Return the exporter of a name."""
    require_option("kind", name, EXPORTS)
    return next(one for one in _EXPORTERS if name == one.NAME)


def say_left_out(data: Handle, name: str) -> tuple[str, ...]:
    """Say what an outside format has no place for; of our own, that ties are all alike there."""
    if name not in EXPORTS:
        return _say_ties(data) if name != "arena" else ()
    exporter = find_exporter(name)
    lost = [column for column in data.columns if column not in exporter.HOLDS and column != ANSWER]
    said = [f"{name} has no place for: {', '.join(lost)}"] if lost else []
    return (*said, *exporter.find_losses(data))


def _say_ties(data: Handle) -> tuple[str, ...]:
    """Say how many ties were of two bad outputs, for which our own tables have no word."""
    if not isinstance(data, Comparisons):
        return ()
    label = data.frame.select(nw.col("outcome").cast(nw.String))
    found = fetch_columns(label.group_by("outcome").agg(nw.len().alias(COUNT)))
    counted = zip(found["outcome"].tolist(), found[COUNT].tolist(), strict=True)
    n = sum(many for word, many in counted if is_both_bad(word))
    return (f"ties of which both outputs are bad are ties like others: {n:,}",) if n else ()
