"""`evenhand inspect`: what is in this file?"""

from __future__ import annotations

from evenhand.cli.options import Options, Run, scale_option, under, verb
from evenhand.cli.result import VerbResult


class Asked(Options):
    scale: str | None = scale_option(under("Ratings"))


@verb(
    "evenhand inspect battles.parquet",
    "evenhand inspect votes.csv --column judge=annotator",
    "evenhand inspect scores.csv --scale 1-5",
    doing="counting",
)
def inspect(run: Run, *, asked: Asked) -> VerbResult:
    """Say what is in a file: judgments, judges, items, systems, ties.

    Also how many items several judges share, whether positions are balanced,
    and whether the comparisons link all systems. Every value is checked on
    the way.
    """
    from evenhand import formats

    return VerbResult({"": formats.inspect(run.reading.open(), scale=asked.scale)}, {}, ())
