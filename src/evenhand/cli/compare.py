"""`evenhand compare`: models by held-out prediction, learning curves and nested tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import (
    COLUMN_LEVEL,
    COVARIATES,
    Numbers,
    OneOf,
    figure_options,
    group_option,
    is_given,
    join_options,
    join_tables,
    level_option,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    take_kept,
    verb,
)
from evenhand.cli.result import VerbResult, part_groups
from evenhand.cli.running import (
    ProgressDisplay,
    check_figures,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
    write_figures,
)
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    suggest,
)
from evenhand.render.text import shorten, tell_apart

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.ranking.cross_validation import ModelComparison
    from evenhand.ranking.learning_curves import LearningCurves

BLOCKS: Final = ("judge", "item", "both", "ranking", "judgment")
MIN_WIDTH: Final = 240
MAX_WIDTH: Final = 2000  # Widths of figures that can be asked for, in pixels
USUAL_WIDTH: Final = 620  # Width of figures unless told otherwise
OF_CURVES: Final = {"sizes": "--sizes", "trials": "--trials", "hold_out": "--hold-out"}
# What either way of holding out alone is asked: parameter → option
OF_FOLDS: Final = {
    "by": "--by",
    "folds": "--folds",
    "repeats": "--repeats",
    "group_by": "--group-by",
}
OF_FIGURES: Final = {"forms": "--figures-as", "width": "--figure-width"}

_compared_option = section("What is compared", stored=True)
_held_out_option = section("What is held out: cross-validation", stored=True)
_curves_option = section("What is held out: learning curves", stored=True)
_certainty_option = section("Uncertainty", stored=True)
_drawn_option = section("Figures", stored=True)


fold_options = stack(
    _compared_option(
        "--nested",
        is_flag=True,
        help="Likelihood-ratio tests of nested models instead: whether ties are needed, whether"
        " order matters, whether judges differ.",
    ),
    _compared_option(
        "--judge-covariate",
        "judge_covariates",
        multiple=True,
        metavar="COLUMN",
        help="With --nested: judges with different values have worths of their own. Repeatable.",
    ),
    _compared_option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="A model to compare, such as irt-gaussian; or several: paper, usual, all. Repeatable."
        " Default: usual.",
    ),
    _held_out_option(
        "--by",
        type=OneOf(BLOCKS),
        help="What is never on both sides. Default: judges and items where there are five of each,"
        " else what there is.",
    ),
    _held_out_option("--folds", help="Parts: 10, or 5 each way, by default.", type=int),
    _held_out_option(
        "--repeats", default=1, help="How often judgments are divided into folds.", type=int
    ),
)

curve_options = stack(
    _curves_option(
        "--curves",
        is_flag=True,
        help="Perplexity by the number of training comparisons: how many are enough?",
    ),
    _curves_option(
        "--train",
        help="Curves of models trained on these judgments, such as judge_group=crowd,",
        type=COLUMN_LEVEL,
        metavar="COLUMN=LEVEL",
    ),
    _curves_option(
        "--test", help="and tested on these others.", type=COLUMN_LEVEL, metavar="COLUMN=LEVEL"
    ),
    _curves_option(
        "--overlap",
        type=OneOf(("keep", "drop")),
        default="keep",
        help="With --train: what to do with its judgments on held-out items.",
    ),
    _curves_option(
        "--sizes",
        type=Numbers(),
        metavar="N,N,...",
        help="Training sizes. Default: 100,200,400,800,1600,3200.",
    ),
    _curves_option("--trials", default=5, help="Random subsets of each size.", type=int),
    _curves_option("--hold-out", default=2000, help="Comparisons to hold out, at least.", type=int),
)

certainty_options = stack(level_option(_certainty_option), seed_option(_certainty_option))

drawing_options = stack(
    figure_options(_drawn_option, "Draw figures into a folder."),
    _drawn_option(
        "--figure-width",
        "width",
        type=click.IntRange(MIN_WIDTH, MAX_WIDTH),
        metavar="PIXELS",
        help="Of the whole picture; 360 suits a telephone. Default: 620.",
    ),
)


@dataclass(frozen=True)
class Asked:
    nested: bool  # whether nested models are tested on all judgments
    judge_covariates: tuple[str, ...]  # columns whose values make judges differ, of nested models
    models: tuple[str, ...]  # names of models, or of sets of them
    curves: bool  # whether learning curves are traced; else models are cross-validated
    by: str | None  # what is never on both sides, or None
    folds: int | None  # parts, or None
    repeats: int  # how often judgments are divided anew
    train: tuple[str, str] | None  # column and level of the judgments that are trained on, or None
    test: tuple[str, str] | None  # of those that are tested on
    overlap: str  # "keep" or "drop" those on held-out items
    sizes: tuple[int, ...] | None  # of training sets, or None
    trials: int  # subsets of each size
    hold_out: int  # comparisons to hold out, at least
    level: float  # of intervals (proportion)
    seed: int  # of everything random
    figures: str | None  # a folder, or None
    forms: tuple[str, ...] | None  # of figures
    width: int | None  # of figures, in pixels, or None

    @property
    def pixels(self) -> int:
        return self.width or USUAL_WIDTH


def take_asked() -> Asked:
    options = take_kept(Asked)
    _refuse_halves(options)
    options = replace(options, curves=options.curves or options.train is not None)
    _refuse_of_held_out(options)
    for parameter, word in (OF_FOLDS if options.curves else OF_CURVES).items():
        if is_given(parameter):
            why = (
                "cross-validation, not of learning curves" if options.curves else "learning curves"
            )
            remedy = "leave it out" if options.curves else "add --curves, or leave it out"
            raise UnknownOption(f"{word} is of {why}: {remedy}")
    for name, option in OF_FIGURES.items():
        if is_given(name) and options.figures is None:
            raise UnknownOption(f"{option} says how to draw: say where to with --figures FOLDER")
    return options


def _refuse_of_held_out(options: Asked) -> None:
    """Refuse options of held-out judgments with nested models, and the reverse."""
    if not options.nested:
        if options.judge_covariates:
            raise UnknownOption("--judge-covariate is of nested models: add --nested")
        return
    of_held_out = {"models": "--model", "curves": "--curves", "train": "--train", **OF_FOLDS}
    of_held_out |= OF_CURVES | {"level": "--level", "seed": "--seed", "figures": "--figures"}
    for parameter, option in of_held_out.items():
        if parameter != "group_by" and is_given(parameter):
            raise UnknownOption(f"{option} is of held-out judgments: leave it or --nested out")


def _refuse_halves(options: Asked) -> None:
    """Refuse what is trained on without what is tested on, and the same judgments for both."""
    train, test = options.train, options.test
    if train is None and test is None:
        if is_given("overlap"):
            raise UnknownOption("--overlap is for --train COLUMN=LEVEL: leave it out")
        return
    if train is None or test is None:
        have, lack = ("--train", "--test") if test is None else ("--test", "--train")
        raise UnknownOption(f"{have} needs {lack} COLUMN=LEVEL beside it")
    if train[0] != test[0] or train[1] == test[1]:
        raise UnknownOption(
            f"--train {'='.join(train)} and --test {'='.join(test)} must be two levels of one"
            " column, so that no judgment is on both sides"
        )


# Pixels of the picture for each letter of a system's name: a third of it is for names
LETTER_WIDTH: Final = 17


def write_comparisons(groups: Mapping[str, ModelComparison], options: Asked) -> list[str]:
    if options.figures is None:
        return []
    from evenhand.report.figures.predictions import draw_comparison

    figures: dict[str, dict[str, Any]] = {}
    notes: list[str] = []
    for group, comparison in groups.items():
        systems, why = _draw_systems(comparison, options.pixels)
        drawn = draw_comparison(comparison) | systems
        figures[group] = {
            name: replace(chart, width=options.pixels) for name, chart in drawn.items()
        }
        notes += [f"{group}: {why}" if group else why] if why else []
    return [*notes, *write_figures(figures, options.figures, options.forms)]


def _draw_systems(comparison: ModelComparison, width: int) -> tuple[dict[str, Any], str]:
    """Draw the systems by the best model that orders them, fitted to all judgments."""
    from evenhand.models.registry import find_model
    from evenhand.ranking.by_model import UNIFORM_MODELS
    from evenhand.report.figures.predictions import draw_fit

    names = [name for name in comparison.order if name not in UNIFORM_MODELS]
    if not names:
        return {}, "no heat map is drawn: no model that was compared orders systems"
    try:
        fit = find_model(names[0]).make().fit(comparison.held_out)
    except (NotIdentified, NotConverged) as refusal:
        return {}, f"no heat map is drawn: {names[0]} on all judgments: {refusal}"
    short, _ = shorten(fit.systems)
    apart = tell_apart(short, max(width // LETTER_WIDTH, 12))
    labels = {name: apart[one] for name, one in zip(fit.systems, short, strict=True)}
    return draw_fit(fit, name=names[0], labels=labels, level=comparison.level), ""


def write_curves(learning_curves: LearningCurves, options: Asked) -> list[str]:
    if options.figures is None:
        return []
    from evenhand.report.figures.predictions import draw_curves

    curves = {"curves": replace(draw_curves(learning_curves), width=options.pixels)}
    return write_figures({"": curves}, options.figures, options.forms)


USUAL: Final = ("usual",)


@verb(
    "evenhand compare votes.csv",
    "evenhand compare votes.csv --model judge-slopes --by judge",
    "evenhand compare rankings.csv --curves --model paper --figures figures",
    "evenhand compare votes.csv --train group=crowd --test group=expert",
    "evenhand compare votes.csv --nested --judge-covariate native_language",
)
@reading_options
@join_options
@group_option
@fold_options
@curve_options
@certainty_options
@drawing_options
@output_options
def compare(*, judges: str | None, items: str | None, group_by: str | None) -> None:
    """Compare models of preference by held-out predictions, or by nested tests.

    By cross-validation, in which no judge and no item is on both sides: the
    perplexity of each model, its difference to the best, and which models are
    undecided. With --curves after Hopkins and May (2013): perplexity by the
    number of training comparisons, and how many are enough. With --nested
    each model adds one thing to an earlier one (worths, ties, the order on the
    screen, judges), and tests say whether it is needed.
    """
    reading, place, options = take_reading(), take_output(judges, items), take_asked()
    with ProgressDisplay("comparing") as patience:
        check_figures(options.figures, options.forms)
        used = (*options.judge_covariates, group_by)
        data = reading.open_comparisons("compare")
        data = join_tables(data, judges, items, used=used, options=COVARIATES)
        if options.nested:
            result = _test_nested(data, options.judge_covariates, group_by)
        elif options.curves:
            result = _trace(data, options, patience)
        else:
            from evenhand.ranking.cross_validation import compare_models

            comparison = compare_models(
                data,
                models=options.models or USUAL,
                by=options.by,
                folds=options.folds,
                repeats=options.repeats,
                level=options.level,
                seed=options.seed,
                group_by=group_by,
                progress=patience.step,
            )
            groups, refused = part_groups(comparison)
            drawn = write_comparisons(groups, options)
            result = VerbResult(groups, refused, [*remarks_on(data), *drawn])
    place.deliver(result)


def _test_nested(
    data: Comparisons, judge_covariates: tuple[str, ...], group_by: str | None
) -> VerbResult:
    from evenhand.ranking.model_table import count_models, tabulate_counts

    covariates = tuple(map(data.require, judge_covariates)) or None
    groups = count_models(data, covariates=covariates, group_by=group_by)
    alone = group_by is None and len(groups) == 1
    results, refused = work_on_groups(groups, tabulate_counts, alone=alone)
    return VerbResult(results, refused, remarks_on(data))


def _trace(data: Comparisons, options: Asked, patience: ProgressDisplay) -> VerbResult:
    """Trace learning curves, over all tasks together."""
    from evenhand.ranking.learning_curves import SIZES, trace_learning

    tested, trained = _part(data, options)
    transfer = None
    if options.train is not None and options.test is not None:
        transfer = "=".join(options.train), "=".join(options.test)
    learning_curves = trace_learning(
        tested,
        training=trained,
        models=options.models or USUAL,
        sizes=options.sizes or SIZES,
        trials=options.trials,
        least=options.hold_out,
        overlap=options.overlap,
        level=options.level,
        seed=options.seed,
        progress=patience.step,
        transfer=transfer,
    )
    read = [*remarks_on(data), *write_curves(learning_curves, options)]
    return VerbResult({"": learning_curves}, {}, read)


def _part(data: Comparisons, options: Asked) -> tuple[Comparisons, Comparisons | None]:
    """Return judgments to test on, and others to train on if they were asked for."""
    if options.train is None or options.test is None:
        return data, None
    from evenhand.ranking.by_model import split_judgments

    parts = split_judgments(data, data.require(options.train[0]))
    for column, level in (options.train, options.test):
        if level not in parts:
            hint = suggest(level, parts) or f" There are {listing([*parts])}"
            raise InvalidJudgments(f"no judgment has {column} '{level}'.{hint}")
    return parts[options.test[1]], parts[options.train[1]]
