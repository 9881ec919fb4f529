"""`evenhand complete`: what would judges have said of the outputs that they were not shown?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.judge_options import figure_options
from evenhand.cli.options import (
    SEED,
    Section,
    Verb,
    examples,
    group_option,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import SEEDS, OneOf, WholeFrom
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judgments.rating_rows import RatingRows
    from evenhand.judgments.ratings import Ratings
    from evenhand.judgments.scale import Scale
    from evenhand.ratings.completion import NuclearNorm
    from evenhand.ratings.reliability import CompletedPart

EXAMPLES: Final = (
    "evenhand complete scores.csv",
    "evenhand complete scores.csv --judge-group native -o completed.csv",
    "evenhand complete scores.csv --reliability --figures figures",
)
DRAWS: Final = 20
MISSING: Final = ("at-random", "by-value")


class _Model(Section):
    heading = "Model"


class _Decisions(Section):
    heading = "Decisions"


model_options = stack(
    click.option("--criterion", cls=_Model, metavar="NAME", help="Only this criterion."),
    click.option(
        "--judge-group",
        cls=_Model,
        metavar="COLUMN|judge",
        help="Intervals hold in each group of judges. Default: over all judges together.",
    ),
    click.option(
        "--missing",
        cls=_Model,
        type=OneOf(MISSING),
        default="at-random",
        show_default=True,
        help="Are missing ratings like those given, or does it depend on how high they are?",
    ),
    click.option(
        "--clip",
        cls=_Model,
        metavar="LOW-HIGH",
        help="Keep predictions on the scale. Default: they are left as they are.",
    ),
    click.option(
        "--always",
        cls=_Model,
        is_flag=True,
        help="Use shared tastes even where held-out ratings do not speak for them.",
    ),
    click.option(
        "--level",
        cls=_Model,
        type=float,
        default=0.9,
        show_default=True,
        metavar="PROPORTION",
        help="Level of the intervals.",
    ),
    click.option(
        "--seed",
        cls=_Model,
        type=SEEDS,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of everything random.",
    ),
)

decision_options = stack(
    click.option(
        "--reliability",
        cls=_Decisions,
        is_flag=True,
        help="Would systems be in the same order with fewer ratings? Needs a nearly full matrix.",
    ),
    click.option(
        "--draws",
        cls=_Decisions,
        type=WholeFrom(1),
        metavar="NUMBER",
        help=f"How often ratings are hidden for each share. Default: {DRAWS}.",
    ),
)


@click.command(
    cls=Verb,
    short_help="What would judges have said of the outputs that they were not shown?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@model_options
@decision_options
@figure_options
@output_options
def complete(
    *,
    group_by: str | None,
    criterion: str | None,
    judge_group: str | None,
    missing: str,
    clip: str | None,
    always: bool,
    level: float,
    seed: int,
    reliability: bool,
    draws: int | None,
    figures: str | None,
    forms: tuple[str, ...],
) -> None:
    """Predict missing ratings, with intervals, beside simple predictions.

    Each task and criterion apart. Tastes that judges share are used only where
    held-out ratings speak for it. CSV has all ratings, given and predicted; with
    --reliability it has the points of the curve.
    """
    taken, place = take_reading(), take_output()
    _refuse_idle(draws, figures, forms, reliability=reliability)
    model = _choose_model((judge_group, missing, clip), (level, seed), abstain=not always)
    with Patience("completing"):
        data = taken.open_ratings("complete")
        parts = _split(data, group_by, criterion, judge_group)
        from evenhand.ratings.reliability import complete_part

        found, refused = work_on_groups(
            parts,
            lambda part: complete_part(part, model, (draws or DRAWS) if reliability else None),
            alone=[*parts] == [""],
        )
        remarks = [*remarks_on(data), *_draw(found, figures, forms)]
    from evenhand.cli.complete_result import CompleteResult

    place.deliver(CompleteResult(found, refused, remarks))


def _refuse_idle(
    draws: int | None, figures: str | None, forms: tuple[str, ...], *, reliability: bool
) -> None:
    """Refuse options that do nothing without others."""
    if not reliability and (draws is not None or figures is not None):
        named = "--figures" if draws is None else "--draws"
        raise UnknownOption(f"{named} is about --reliability: add it, or leave {named} out")
    if figures is None and forms:
        raise UnknownOption("--figure-format says how to draw: say where to with --figures FOLDER")


def _choose_model(
    words: tuple[str | None, str, str | None], numbers: tuple[float, int], *, abstain: bool
) -> NuclearNorm:
    """Return the settings."""
    from evenhand.ratings.completion import NuclearNorm

    group, missing, clip = words
    scale = None if clip is None else _read_ends(clip)
    return NuclearNorm(
        level=numbers[0],
        group=group,
        missing="at random" if missing == "at-random" else "by value",
        clip=None if scale is None else (scale.low, scale.high),
        abstain=abstain,
        seed=numbers[1],
    )


def _read_ends(clip: str) -> Scale:
    """Return the ends of a scale."""
    from evenhand.judgments.scale import read_scale

    try:
        return read_scale(clip)
    except UnknownOption:
        raise UnknownOption(
            f"--clip {clip}: write LOW-HIGH, the lowest score, then a higher one, such as 0-100"
        ) from None


def _split(
    data: Ratings, group_by: str | None, criterion: str | None, judge_group: str | None
) -> dict[str, RatingRows]:
    """Return the groups that are completed apart."""
    from evenhand.judgments.rating_groups import group_ratings

    by = None if group_by is None else data.require(group_by)
    own = ("task", "judge", "item", "system", "criterion")
    factors = [one for one in (by, judge_group) if one is not None and one not in own]
    return {**group_ratings(data.rows(factors=list(dict.fromkeys(factors))), by, criterion)}


def _draw(found: dict[str, CompletedPart], folder: str | None, forms: tuple[str, ...]) -> list[str]:
    """Draw the curve of every group, if that was asked for; say where it is."""
    if folder is None:
        return []
    from evenhand.report.figures.decision_figures import draw_decisions
    from evenhand.report.figures.drawing import write_figures
    from evenhand.report.figures.file_names import name_files

    heads = {name: f"{file}-" for name, file in name_files(filter(None, found)).items()}
    figures = {
        f"{heads.get(name, '')}decisions": draw_decisions(part.decisions)
        for name, part in found.items()
        if part.decisions is not None
    }
    written = write_figures(figures, Path(folder), forms or ("svg", "png"))
    return [f"wrote {len(written)} figures to {folder}"]
