"""`evenhand report`: all that the judgments show, on one page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import Verb, examples, reading_options
from evenhand.cli.patience import Patience
from evenhand.cli.ranked_models import given_options
from evenhand.cli.reading import Reading, take_reading
from evenhand.cli.report_options import (
    place_options,
    ranking_options,
    said_options,
    say_reading,
)
from evenhand.cli.report_places import say_found, take_places
from evenhand.cli.without_pandas import open_elsewhere

if TYPE_CHECKING:
    from evenhand.models.bradley_terry import BradleyTerry
    from evenhand.report.document import Report
    from evenhand.report.study import Settings

EXAMPLES: Final = (
    "evenhand report votes.csv -o report.html",
    "evenhand report wmt12.RNK_results.csv --task fr-en -o fr-en.html",
    "evenhand report votes.csv --sections ranking,judges --title Summer",
    "evenhand report votes.csv --tables tables --figures figures --figures-as pdf",
    "evenhand report votes.csv --json",
)


@click.command(
    cls=Verb,
    short_help="All that the judgments show, on one page to read, trust and cite.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@said_options
@ranking_options
@place_options
def report(
    *,
    title: str,
    sections: str | None,
    full: bool,
    level: float,
    seed: int,
    ties: str,
    order_effect: bool,
    prior: float,
    output: str | None,
    as_json: bool,
    tables: str | None,
    table_forms: tuple[str, ...] | None,
    figures: str | None,
    figure_forms: tuple[str, ...] | None,
) -> None:
    """Write a report: who is better, how sure that is, and what would change it.

    One page that needs nothing else: it can be mailed, printed, read on a phone.
    Where the judgments determine no ranking it says why, and what to do.
    """
    reading = take_reading()
    places = take_places(output, (tables, table_forms), (figures, figure_forms), as_json=as_json)
    model = _choose_model(ties, prior, order_effect=order_effect)
    wanted = [] if sections is None else [name.strip() for name in sections.split(",")]
    from evenhand.report.study import Settings

    settings = Settings(say_reading(), level, seed, model, full)
    made = _make(reading, settings, title, wanted)
    places.deliver(made)
    say_found(made)


def _choose_model(ties: str, prior: float, *, order_effect: bool) -> BradleyTerry | None:
    """Return the model that ranks; None for what ranks unasked."""
    if not {"ties", "order_effect", "prior"} & given_options():
        return None
    from evenhand.models.bradley_terry import BradleyTerry

    settings = {"ties": ties, "order_effect": order_effect, "prior": prior}
    return BradleyTerry(**settings)  # type: ignore[arg-type]


def _make(reading: Reading, settings: Settings, title: str, wanted: list[str]) -> Report:
    """Make the report; each section is a sign of life."""
    with Patience("reporting") as patience:
        from evenhand.report.assemble import make_report

        return make_report(
            reading.open(),
            settings,
            title=title,
            sections=wanted,
            opener=partial(open_elsewhere, reading.open, reading.files),
            progress=patience.tell,
        )
