"""`evenhand inspect`: what is in this file?"""

from __future__ import annotations

from evenhand.cli.options import output_options, reading_options, verb
from evenhand.cli.result import VerbResult
from evenhand.cli.running import ProgressDisplay, take_output, take_reading


@verb("evenhand inspect battles.parquet", "evenhand inspect votes.csv --column judge=annotator")
@reading_options
@output_options
def inspect() -> None:
    """Say what is in a file: judgments, judges, items, systems, ties.

    Also how many items several judges share, whether positions are balanced,
    and whether the comparisons link all systems. Every value is checked on
    the way.
    """
    reading, place = take_reading(), take_output()
    with ProgressDisplay("counting"):
        from evenhand import formats

        inspection = formats.inspect(reading.open())

    place.deliver(VerbResult({"": inspection}, {}, ()))
