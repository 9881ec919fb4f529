"""`evenhand alike`: which judges are alike, who is lenient, who strays, and what moves opinions?"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.judge_options import figure_options
from evenhand.cli.next_outputs import feature_options
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
from evenhand.cli.parameters import SEEDS
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.cli.terminal import PLAIN, label
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption

if TYPE_CHECKING:
    from evenhand.judgments.ratings import Ratings
    from evenhand.ratings.features import OutputFeatures
    from evenhand.ratings.judge_process import MultiTaskGP
    from evenhand.ratings.process_comparison import HeldOut, JudgeLikeness

    Settings = tuple[MultiTaskGP, HeldOut | None, float]
    Words = tuple[str, ...]

EXAMPLES: Final = (
    "evenhand alike scores.csv --task zho-eng",
    "evenhand alike scores.csv --feature length --label domain --against",
    "evenhand alike scores.csv --figures figures",
)


SPLITS: Final = 5


class _Features(Section):
    heading = "What is known of outputs (ratings)"


class _Model(Section):
    heading = "Model"


model_options = stack(
    click.option(
        "--label",
        "labels",
        cls=_Features,
        multiple=True,
        metavar="COLUMN",
        help="A feature that is a name, even where it is written in digits. Repeatable.",
    ),
    click.option("--criterion", cls=_Model, metavar="NAME", help="Only this criterion."),
    click.option(
        "--rank",
        cls=_Model,
        type=int,
        default=1,
        show_default=True,
        metavar="NUMBER",
        help="How many tastes judges share, each in a measure of their own.",
    ),
    click.option(
        "--against",
        cls=_Model,
        is_flag=True,
        help="Also hold ratings out: does it predict better than simple ways?",
    ),
    click.option(
        "--splits",
        cls=_Model,
        type=int,
        metavar="NUMBER",
        help="How often --against halves the ratings. Default: 5.",
    ),
    click.option(
        "--level",
        cls=_Model,
        type=float,
        default=0.95,
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


@click.command(
    cls=Verb,
    short_help="Which judges are alike, who is lenient, who strays, and what moves opinions?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@feature_options
@model_options
@figure_options
@output_options
def alike(
    *,
    group_by: str | None,
    feature: tuple[str, ...],
    source_text: str | None,
    output_text: str | None,
    labels: tuple[str, ...],
    criterion: str | None,
    rank: int,
    against: bool,
    splits: int | None,
    level: float,
    seed: int,
    figures: str | None,
    forms: tuple[str, ...],
) -> None:
    """Learn from ratings which judges are alike.

    Each judge is a function of outputs, and how these functions go together is
    learned (a multi-task Gaussian process). Each task and criterion apart. Which
    output it is counts always; features say what else outputs have in common.
    Over 1,000 ratings take minutes.
    """
    taken, place = take_reading(), take_output()
    _check_figures(figures, forms)
    if splits is not None and not against:
        raise UnknownOption("--splits is about --against: add it, or leave --splits out")
    settings = _choose_settings(
        (rank, seed), level, (SPLITS if splits is None else splits) if against else None
    )
    with Patience("learning") as patience:
        from evenhand.ratings.process_comparison import choose_criterion

        data = choose_criterion(taken.open_ratings("alike"), criterion)
        features = _choose_features(data, (feature, labels), (source_text, output_text))
        parts = _split(data, group_by, features)
        found, refused = _learn(parts, settings, features, patience)
        remarks = [*remarks_on(data), *_draw(found, figures, forms)]
    from evenhand.cli.alike_result import AlikeResult

    place.deliver(AlikeResult(found, refused, remarks))


def _check_figures(folder: str | None, forms: tuple[str, ...]) -> None:
    """Refuse figures that cannot be drawn, before there is anything to draw."""
    if folder is None and forms:
        raise UnknownOption("--figure-format says how to draw: say where to with --figures FOLDER")
    if folder is not None:
        from evenhand.report.figures.drawing import check_folder

        check_folder(Path(folder), forms or ("svg", "png"))


def _choose_settings(model: tuple[int, int], level: float, splits: int | None) -> Settings:
    """Return the model, what is held out, and the level."""
    from evenhand.ratings.judge_process import MultiTaskGP
    from evenhand.ratings.process_comparison import HeldOut

    rank, seed = model
    held = HeldOut(folds=2, splits=SPLITS if splits is None else splits, level=level, seed=seed)
    return MultiTaskGP(rank=rank, seed=seed), None if splits is None else held, level


def _choose_features(
    data: Ratings, asked: tuple[Words, Words], texts: tuple[str | None, str | None]
) -> OutputFeatures:
    """Return what is known of outputs; which output it is always belongs to it."""
    from evenhand.design.next_outputs import name_features
    from evenhand.ratings.features import OUTPUT, OutputFeatures

    columns, labels = asked
    for name in (*labels, *(one for one in texts if one is not None)):
        data.require(name)
    if not columns:
        return OutputFeatures((), (OUTPUT, *labels), *texts)
    named = name_features(data, columns, texts)
    return replace(named, labels=(OUTPUT, *named.labels, *labels))


def _split(data: Ratings, group_by: str | None, features: OutputFeatures) -> dict[str, Ratings]:
    """Return the ratings that are looked at apart: tasks and criteria, unless they are features."""
    from evenhand.judgments.rating_groups import split_ratings

    by = None if group_by is None else data.require(group_by)
    joined = sorted({"task", "criterion"} & {*features.labels})
    if not joined:
        return split_ratings(data, by)
    if by is not None:
        raise UnknownOption(
            f"'{joined[0]}' as a feature joins what --group-by takes apart: choose one of them"
        )
    return {"": data}


def _learn(
    parts: dict[str, Ratings], settings: Settings, features: OutputFeatures, patience: Patience
) -> tuple[dict[str, JudgeLikeness], dict[str, str]]:
    """Learn from each group; one of several that says nothing is named with the reason."""
    from evenhand.ratings.process_comparison import examine_likeness

    alone, done = [*parts] == [""], count()
    model, held, level = settings

    def work(part: Ratings) -> JudgeLikeness:
        patience.step(next(done), len(parts))
        try:
            return examine_likeness(part, features, model, held, level=level, warn=_warn)
        except InvalidJudgments as error:
            if alone:
                raise
            raise NotIdentified(str(error)) from None

    return work_on_groups(parts, work, alone=alone)


def _warn(text: str) -> None:
    """Say something before the work begins."""
    click.echo(label("note", text, PLAIN), err=True)


def _draw(found: dict[str, JudgeLikeness], folder: str | None, forms: tuple[str, ...]) -> list[str]:
    """Draw the judges of every group, if that was asked for; say where they are."""
    if folder is None:
        return []
    from evenhand.report.figures.drawing import write_figures
    from evenhand.report.figures.file_names import name_files
    from evenhand.report.figures.likeness_map import draw_likeness

    heads = {name: f"{file}-" for name, file in name_files(filter(None, found)).items()}
    figures = {f"{heads.get(name, '')}alike": draw_likeness(own) for name, own in found.items()}
    written = write_figures(figures, Path(folder), forms or ("svg", "png"))
    return [f"wrote {len(written)} figures to {folder}"]
