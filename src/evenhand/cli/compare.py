"""`evenhand compare`: which analysis should we believe, by judgments that it has not seen?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.compare_figures import check_figures
from evenhand.cli.compare_options import (
    Asked,
    certainty_options,
    curve_options,
    drawing_options,
    fold_options,
    take_asked,
)
from evenhand.cli.options import Verb, examples, group_option, output_options, reading_options
from evenhand.cli.output import Result, take_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import InvalidJudgments, listing, suggest

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.cross_validation import ModelComparison

EXAMPLES: Final = (
    "evenhand compare votes.csv",
    "evenhand compare votes.csv --model bradley-terry --model melo --by judge",
    "evenhand compare rankings.csv --curves --model paper --figures figures",
    "evenhand compare votes.csv --train group=crowd --test group=expert",
)
USUAL: Final = ("usual",)


@click.command(
    cls=Verb,
    short_help="Which model of what judges prefer foresees unseen judgments best?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@fold_options
@curve_options
@certainty_options
@drawing_options
@output_options
def compare(*, group_by: str | None) -> None:
    """Compare models of preference on judgments that they have not seen.

    By cross-validation, in which no judge and no item is on both sides: the
    perplexity of each model, its difference to the best, and which cannot be
    told from it. With --curves after Hopkins and May (2013): perplexity by the
    number of training comparisons, and how many are enough.
    """
    reading, place, asked = take_reading(), take_output(), take_asked()
    with Patience("comparing") as patience:
        check_figures(asked)
        data = reading.open_comparisons("compare")
        if asked.curves:
            result = _trace(data, asked, patience)
        else:
            result = _validate(data, group_by, asked, patience)
    place.deliver(result)


def _validate(data: Comparisons, group_by: str | None, asked: Asked, patience: Patience) -> Result:
    """Cross-validate, each group by itself."""
    from evenhand.cli.compare_figures import write_comparisons
    from evenhand.cli.compare_result import CompareResult
    from evenhand.judgments.grouped import Grouped
    from evenhand.ranking.held_out import compare_models

    found = compare_models(
        data,
        models=asked.models or USUAL,
        by=asked.by,
        folds=asked.folds,
        repeats=asked.repeats,
        level=asked.level,
        seed=asked.seed,
        group_by=group_by,
        progress=patience.step,
    )
    groups: Mapping[str, ModelComparison] = (
        {"": found} if not isinstance(found, Grouped) else found.groups
    )
    refused = found.refused if isinstance(found, Grouped) else {}
    drawn = write_comparisons(groups, asked)
    return CompareResult(groups, refused, [*remarks_on(data), *drawn])


def _trace(data: Comparisons, asked: Asked, patience: Patience) -> Result:
    """Trace learning curves, over all tasks together."""
    from evenhand.cli.compare_figures import write_curves
    from evenhand.cli.curves_result import CurvesResult, say_transfer
    from evenhand.ranking.held_out import trace_learning
    from evenhand.ranking.predictions import SIZES

    tested, trained = _part(data, asked)
    transfer = _name_parts(asked)
    found = trace_learning(
        tested,
        training=trained,
        models=asked.models or USUAL,
        sizes=asked.sizes or SIZES,
        trials=asked.trials,
        least=asked.hold_out,
        overlap=asked.overlap,
        level=asked.level,
        seed=asked.seed,
        progress=patience.step,
        told=say_transfer(transfer) if transfer else "",
    )
    read = [*remarks_on(data), *write_curves(found, asked)]
    return CurvesResult({"": found}, {}, read, transfer=transfer)


def _part(data: Comparisons, asked: Asked) -> tuple[Comparisons, Comparisons | None]:
    """Return judgments to test on, and others to train on if they were asked for."""
    if asked.train is None or asked.test is None:
        return data, None
    from evenhand.ranking.by_model import split_judgments

    parts = split_judgments(data, data.require(asked.train[0]))
    for column, level in (asked.train, asked.test):
        if level not in parts:
            hint = suggest(level, parts) or f" There are {listing([*parts])}"
            raise InvalidJudgments(f"no judgment has {column} '{level}'.{hint}")
    return parts[asked.test[1]], parts[asked.train[1]]


def _name_parts(asked: Asked) -> tuple[str, str] | None:
    """Name those that are trained on and those that are tested on, if they are not the same."""
    if asked.train is None or asked.test is None:
        return None
    return "=".join(asked.train), "=".join(asked.test)
