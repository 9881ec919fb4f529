"""`evenhand compare`: models by held-out prediction, learning curves and nested tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli import options
from evenhand.cli.rank import Sampling
from evenhand.cli.running import (
    VerbResult,
    part_groups,
    remarks_on,
    work_on_groups,
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
    from evenhand.models.registry import Wanted
    from evenhand.ranking.cross_validation import ModelComparison

MAX_LETTERS: Final = 36  # Most letters of a system's name in a figure
OF_CURVES: Final = ("sizes", "trials", "hold_out")
# What either way of holding out alone is asked
OF_FOLDS: Final = ("by", "folds", "repeats", "group_by")

_compared = options.under("What is compared")
_held_out = options.under("What is held out: cross-validation")
_curves = options.under("What is held out: learning curves")
_certainty = options.under("Uncertainty")


class Numbers(options.Parsed):
    """Whole numbers with commas between, such as `100,200`."""

    name = "numbers"

    def parse(self, text: str) -> tuple[int, ...]:
        words = [word.strip() for word in text.split(",")]
        if not all(word.isdecimal() for word in words):
            raise ValueError(f"'{text}' is no list of whole numbers, such as 100,200,400")
        return tuple(map(int, words))


OF_HELD_OUT: Final = ("models", "curves", "train", "by", "folds", "repeats")


class Asked(options.Options):
    nested: bool = _compared(
        "--nested",
        "Likelihood-ratio tests of nested models instead: whether ties are needed, whether order"
        " matters, whether judges differ.",
    )
    judge_covariates: tuple[str, ...] = _compared(
        "--judge-covariate COLUMN",
        "With --nested: judges with different values have worths of their own. Repeatable.",
    )
    models: tuple[str, ...] = _compared(
        "--model NAME",
        "A model to compare, such as irt-gaussian; or several: paper, usual, all. Repeatable."
        " Default: usual.",
    )
    by: str | None = _held_out(
        "--by judge|item|both|ranking|judgment",
        "What is never on both sides. Default: judges and items where there are five of each, else"
        " what there is.",
    )
    folds: int | None = _held_out("--folds", "Parts: 10, or 5 each way, by default.")
    repeats: int = _held_out("--repeats", "How often judgments are divided into folds.", default=1)
    curves: bool = _curves(
        "--curves", "Perplexity by the number of training comparisons: how many are enough?"
    )
    train: tuple[str, str] | None = _curves(
        "--train COLUMN=LEVEL",
        "Curves of models trained on these judgments, such as judge_group=crowd,",
        type=options.COLUMN_LEVEL,
    )
    test: tuple[str, str] | None = _curves(
        "--test COLUMN=LEVEL", "and tested on these others.", type=options.COLUMN_LEVEL
    )
    overlap: str = _curves(
        "--overlap keep|drop",
        "With --train: what to do with its judgments on held-out items.",
        default="keep",
    )
    both: bool = _curves(
        "--both", "With --train: models trained on others of the tested judgments beside them."
    )
    sizes: tuple[int, ...] | None = _curves(
        "--sizes N,N,...",
        "Training sizes. Default: 100,200,400,800,1600,3200.",
        type=Numbers(),
    )
    trials: int = _curves("--trials", "Random subsets of each size.", default=5)
    hold_out: int = _curves("--hold-out", "Comparisons to hold out, at least.", default=2000)
    level: float = options.level_option(_certainty)
    seed: int = options.seed_option(_certainty)

    @property
    def traced(self) -> bool:
        """Whether learning curves are traced; else models are cross-validated."""
        return self.curves or self.train is not None

    def refuse_unfit(self) -> None:
        train, test = self.train, self.test
        if train is None and test is None:
            options.refuse_given(["overlap", "both"], "is for --train COLUMN=LEVEL: leave it out")
        elif train is None or test is None:
            have, lack = ("--train", "--test") if test is None else ("--test", "--train")
            raise UnknownOption(f"{have} needs {lack} COLUMN=LEVEL beside it")
        elif train[0] != test[0] or train[1] == test[1]:
            raise UnknownOption(
                f"--train {'='.join(train)} and --test {'='.join(test)} must be two levels of one"
                " column, so that no judgment is on both sides"
            )
        if self.nested:
            why = "is of held-out judgments: leave it or --nested out"
            of_fits = (*Sampling.list_options(), "level", "seed", "figures")
            options.refuse_given((*OF_HELD_OUT, *OF_CURVES, *of_fits), why)
        else:
            options.refuse_given(["judge_covariates"], "is of nested models: add --nested")
        if self.traced:
            why = "is of cross-validation, not of learning curves: leave it out"
            options.refuse_given(OF_FOLDS, why)
        else:
            options.refuse_given(OF_CURVES, "is of learning curves: add --curves, or leave it out")


def write_comparisons(groups: Mapping[str, ModelComparison], drawing: options.Figures) -> list[str]:
    if drawing.figures is None:
        return []
    from evenhand.models.registry import find_model
    from evenhand.ranking.by_model import UNIFORM_MODELS
    from evenhand.report.figures.predictions import draw_comparison, draw_fit

    figures: dict[str, dict[str, Any]] = {}
    notes: list[str] = []
    for group, comparison in groups.items():
        figures[group] = draw_comparison(comparison)
        if comparison.squares is not None:
            continue
        names = [name for name in comparison.order if name not in UNIFORM_MODELS]
        why = "" if names else "no model that was compared orders systems"
        if names:
            try:
                fit = find_model(names[0]).make().fit(comparison.held_out)
                labels = _label(fit.systems)
                figures[group] |= draw_fit(
                    fit, name=names[0], labels=labels, level=comparison.level
                )
            except (NotIdentified, NotConverged) as refusal:
                why = f"{names[0]} on all judgments: {refusal}"
        if why:
            notes.append(f"{f'{group}: ' if group else ''}no heat map is drawn: {why}")
    drawing.write(figures)
    return notes


def _label(systems: Sequence[str]) -> dict[str, str]:
    short, _ = shorten(systems)
    apart = tell_apart(short, MAX_LETTERS)
    return {name: apart[one] for name, one in zip(systems, short, strict=True)}


@options.verb(
    "evenhand compare votes.csv",
    "evenhand compare votes.csv --model judge-slopes --by judge",
    "evenhand compare rankings.csv --curves --model paper --figures figures",
    "evenhand compare scores.csv --criterion adequacy",
    "evenhand compare votes.csv --train group=crowd --test group=expert",
    "evenhand compare votes.csv --nested --judge-covariate native_language",
    doing="comparing",
)
def compare(
    run: options.Run,
    *,
    tables: options.Tables,
    groups: options.Grouping,
    criterion: options.Criterion,
    asked: Asked,
    sampling: Sampling,
    drawing: options.Figures,
) -> VerbResult:
    """Compare models by held-out predictions, or by nested tests.

    By cross-validation, in which no judge and no item is on both sides: the
    perplexity of each model, its difference to the best, and which models are
    undecided. With --curves after Hopkins and May (2013): perplexity by the
    number of training comparisons, and how many are enough. With --nested
    each model adds one thing to an earlier one (worths, ties, the order on the
    screen, judges), and tests say whether it is needed. Of ratings adjusted,
    mean, z, mixed and ordinal are compared, with a model without systems.
    """
    from evenhand.data.ratings import Ratings

    asked.refuse_unfit()
    drawing.check()
    by = groups.group_by
    used = (*asked.judge_covariates, by)
    kinds = options.kinds_of(ratings=criterion.criterion is not None)
    opened = run.reading.open_either(kinds, criterion=criterion.criterion)
    data: Comparisons | Ratings
    if isinstance(opened, Ratings):
        why = "is of comparisons; these are ratings: leave it out"
        of_pairs = ("nested", "curves", "train", "test", *Sampling.list_options())
        options.refuse_given(of_pairs, why)
        data = tables.join(opened, used=(by,))
    else:
        options.refuse_of_ratings()
        data = tables.join(opened, used=used, options=options.COVARIATES)
        if asked.nested:
            from evenhand.ranking.model_table import count_models, tabulate_counts

            covariates = tuple(map(data.require, asked.judge_covariates)) or None
            counted = count_models(data, covariates=covariates, group_by=by)
            return VerbResult(*work_on_groups(counted, tabulate_counts, by), remarks_on(data))
    how: dict[str, Any] = {"models": _choose_models(asked, sampling), "progress": run.patience.step}
    if asked.traced and not isinstance(data, Ratings):
        return _trace_curves(data, asked, drawing, how)
    from evenhand.ranking.cross_validation import compare_models

    how |= {name: getattr(asked, name) for name in ("by", "folds", "repeats", "level", "seed")}
    comparison = compare_models(data, group_by=by, **how)
    compared, refused = part_groups(comparison)
    return VerbResult(compared, refused, [*remarks_on(data), *write_comparisons(compared, drawing)])


def _choose_models(asked: Asked, sampling: Sampling) -> Wanted:
    from evenhand.models.registry import set_models

    wanted = asked.models or ("usual",)
    return set_models(wanted, asked.seed, sampling.settings) if sampling.settings else wanted


def _trace_curves(
    data: Comparisons, asked: Asked, drawing: options.Figures, how: dict[str, Any]
) -> VerbResult:
    """Trace learning curves, over all tasks together."""
    from evenhand.ranking.learning_curves import SIZES, trace_learning

    tested, trained, transfer = data, None, None
    if asked.train is not None and asked.test is not None:
        from evenhand.ranking.by_model import split_judgments

        parts = split_judgments(data, data.require(asked.train[0]))
        for column, level in (asked.train, asked.test):
            if level not in parts:
                hint = suggest(level, parts) or f" There are {listing([*parts])}"
                raise InvalidJudgments(f"no judgment has {column} '{level}'.{hint}")
        tested, trained = parts[asked.test[1]], parts[asked.train[1]]
        transfer = "=".join(asked.train), "=".join(asked.test)
    settings: dict[str, Any] = {
        **how,
        **{name: getattr(asked, name) for name in ("trials", "level", "seed")},
        "sizes": asked.sizes or SIZES,
        "least": asked.hold_out,
    }
    learning_curves = trace_learning(
        tested, training=trained, overlap=asked.overlap, transfer=transfer, **settings
    )
    if asked.both and asked.train is not None:
        own = trace_learning(tested, **settings)
        learning_curves = own.beside(learning_curves, asked.train[1])
    read = remarks_on(data)
    if drawing.figures is not None:
        from evenhand.report.figures.predictions import draw_abilities, draw_curves

        drawn = {"curves": draw_curves(learning_curves)}
        if learning_curves.best_fits:
            systems = [one.system for one in learning_curves.abilities]
            drawn |= draw_abilities(learning_curves, _label(systems))
        drawing.write({"": drawn})
    return VerbResult({"": learning_curves}, {}, read)
