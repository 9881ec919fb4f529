"""`evenhand inspect`: what is in this file?"""

from __future__ import annotations

from typing import Final

import click

from evenhand.cli.options import Verb, examples, output_options, reading_options
from evenhand.cli.output import take_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import take_reading

EXAMPLES: Final = (
    "evenhand inspect battles.parquet",
    "evenhand inspect votes.csv --column judge=annotator",
)


@click.command(
    cls=Verb,
    short_help="What is in a file: judgments, judges, items, systems, ties.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@output_options
def inspect() -> None:
    """Say what is in a file: judgments, judges, items, systems, ties.

    Also how many items several judges share, whether positions are balanced,
    and whether the comparisons link all systems. Every value is checked on
    the way.
    """
    reading, place = take_reading(), take_output()
    with Patience("counting"):
        from evenhand import formats

        found = formats.inspect(reading.open())
    from evenhand.cli.inspect_result import InspectResult

    place.deliver(InspectResult(found))
