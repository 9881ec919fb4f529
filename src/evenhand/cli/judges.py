"""`evenhand judges`: are the judges any good, and what changes without those who are not?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.judge_options import (
    Asked,
    figure_options,
    flag_options,
    outside_options,
    rating_options,
    refuse_rating_options,
)
from evenhand.cli.options import Verb, examples, group_option, output_options, reading_options
from evenhand.cli.output import take_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings
    from evenhand.judgments.ratings import Ratings
    from evenhand.ranking.without_judges import JudgePanel

Panels = tuple[dict[str, "JudgePanel"], dict[str, str]]

EXAMPLES: Final = (
    "evenhand judges scores.csv --scale 1-5 --figures figures",
    "evenhand judges votes.csv --cards",
)


@click.command(
    cls=Verb,
    short_help="Which judges are to be doubted, how sure is it, and what changes without them?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@flag_options
@rating_options
@outside_options
@figure_options
@output_options
def judges(
    *,
    group_by: str | None,
    fdr: float,
    cards: bool,
    figures: str | None,
    forms: tuple[str, ...],
    k: float,
    ddof: int,
    reading: str,
    methods: tuple[str, ...],
    match: str,
    across: str,
    version: str,
    references: tuple[str, ...],
    input_type: str | None,
    easy: str | None,
    scale: str | None,
    merge: str | None,
) -> None:
    """Say which judges are to be doubted, with the evidence on a card.

    Flags are controlled: about one in twenty of them (--fdr) falls on an honest
    judge. For ratings also the diagnosis of Hamon, Mostefa and Arranz (2007):
    agreement, judges outside by three methods, systems scored without them.
    """
    said = (k, ddof, reading, methods, match, across, version, references, input_type)
    asked = Asked(*said, easy, scale, merge)
    taken, place = take_reading(), take_output(easy)
    with Patience("looking"):
        data = taken.open()
        panels, refused = _examine(data, asked, group_by, fdr)
        remarks = remarks_on(data)
        drawn = _draw(panels, figures, forms)
    from evenhand.cli.judges_result import JudgesResult

    place.deliver(JudgesResult(panels, refused, [*remarks, *drawn], every=cards))


def _examine(
    data: Comparisons | Rankings | Ratings, asked: Asked, group_by: str | None, level: float
) -> Panels:
    """Look at the judges of whatever the file holds."""
    from evenhand.judgments.ratings import Ratings
    from evenhand.ranking.without_judges import examine_comparisons, examine_ratings

    if not isinstance(data, Ratings):
        refuse_rating_options()
        return {"": examine_comparisons(data, level=level)}, {}
    by = None if group_by is None else data.require(group_by)
    if by is None and data.has("task"):
        by = "task"
    known = ("task", "judge", "item", "system", "criterion")
    factors = [name for name in (by, asked.input_type) if name is not None and name not in known]
    rows = data.rows(factors=factors)
    return examine_ratings(rows, asked.diagnose, by=by, level=level, scale=asked.declared())


def _draw(panels: dict[str, JudgePanel], folder: str | None, forms: tuple[str, ...]) -> list[str]:
    """Draw the figures of every diagnosis, if they were asked for; say where they are."""
    if folder is None and forms:
        raise UnknownOption("--figure-format says how to draw: say where to with --figures FOLDER")
    if folder is None:
        return []
    from evenhand.report.figures.drawing import write_figures
    from evenhand.report.figures.file_names import name_files
    from evenhand.report.figures.judge_figures import draw_judges

    heads = {name: f"{file}-" for name, file in name_files(filter(None, panels)).items()}
    figures = {
        f"{heads.get(group, '')}{name}": chart
        for group, panel in panels.items()
        if panel.diagnosis is not None
        for name, chart in draw_judges(panel.diagnosis).items()
    }
    if not figures:
        raise UnknownOption("--figures draws ratings, and there is no diagnosis of any here")
    written = write_figures(figures, Path(folder), forms or ("svg", "png"))
    return [f"wrote {len(written)} figures to {folder}"]
