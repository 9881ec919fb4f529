"""`evenhand inspect`: what is in this file?"""

from __future__ import annotations

from typing import Final

import click

from evenhand.cli.options import Verb, examples, output_options, reading_options
from evenhand.cli.output import choose_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import Reading, Wishes, choose_columns, choose_outcomes

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
def inspect(
    *,
    files: tuple[str, ...],
    task: str | None,
    where: str | None,
    layout: str | None,
    columns: tuple[tuple[str, str], ...],
    weight: str | None,
    weights: str,
    outcomes: tuple[tuple[str, str], ...],
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
    output: str | None,
) -> None:
    """Say what is in a file: judgments, judges, items, systems, ties.

    Also how many items several judges share, whether positions are balanced,
    and whether the comparisons link all systems. Every value is checked on
    the way.
    """
    forms = {"json": as_json, "csv": as_csv, "latex": as_latex}
    place = choose_output(forms, output, files)
    wishes = Wishes(choose_columns(columns, weight), weights, choose_outcomes(outcomes))
    reading = Reading(files, layout, wishes, where, task)
    with Patience("counting"):
        from evenhand import formats

        found = formats.inspect(reading.open())
    from evenhand.cli.inspect_result import InspectResult

    place.deliver(InspectResult(found))
