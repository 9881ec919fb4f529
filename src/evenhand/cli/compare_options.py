"""The options of `evenhand compare`, and what was asked by them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Final

import click
from click.core import ParameterSource

from evenhand.cli.kept import keep, kept
from evenhand.cli.options import SEED, Section, stack
from evenhand.cli.parameters import SEEDS, CovariateLevel, Numbers, OneOf
from evenhand.errors import UnknownOption

FORMS: Final = ("svg", "png", "pdf", "json")
BLOCKS: Final = ("judge", "item", "both", "ranking", "judgment")
SLIM: Final = 240
BROAD: Final = 2000  # Widths of figures that can be asked for, in pixels
PLOT: Final = 620  # Width of figures unless told otherwise
OF_CURVES: Final = {
    "sizes": "--sizes",
    "trials": "--trials",
    "hold_out": "--hold-out",
}
# What either way of holding out alone is asked: parameter → option
OF_FOLDS: Final = {
    "by": "--by",
    "folds": "--folds",
    "repeats": "--repeats",
    "group_by": "--group-by",
}
OF_FIGURES: Final = {"forms": "--figure-format", "width": "--figure-width"}


class _Compared(Section):
    heading = "What is compared"


class _HeldOut(Section):
    heading = "What is held out: cross-validation"


class _Curves(Section):
    heading = "What is held out: learning curves"


class _Certainty(Section):
    heading = "Uncertainty"


class _Drawn(Section):
    heading = "Figures"


_option = partial(click.option, callback=keep, expose_value=False)
_NUMBER: Any = {"type": int, "metavar": "NUMBER"}
_LEVEL: Any = {"type": CovariateLevel(), "metavar": "COLUMN=LEVEL"}

fold_options = stack(
    _option(
        "--model",
        "models",
        cls=_Compared,
        multiple=True,
        metavar="NAME",
        help="A model to compare, such as irt-gaussian; or several: paper, usual, all. Repeatable."
        " Default: usual.",
    ),
    _option(
        "--by",
        cls=_HeldOut,
        type=OneOf(BLOCKS),
        help="What is never on both sides. Default: judges and items where there are five of each,"
        " else what there is.",
    ),
    _option("--folds", cls=_HeldOut, help="Parts: 10, or 5 each way, by default.", **_NUMBER),
    _option(
        "--repeats",
        cls=_HeldOut,
        default=1,
        show_default=True,
        help="How often judgments are divided anew.",
        **_NUMBER,
    ),
)

curve_options = stack(
    _option(
        "--curves",
        cls=_Curves,
        is_flag=True,
        help="Perplexity by the number of training comparisons: how many are enough?",
    ),
    _option(
        "--train",
        cls=_Curves,
        help="Curves of models trained on these judgments, such as judge_group=crowd,",
        **_LEVEL,
    ),
    _option("--test", cls=_Curves, help="and tested on these others.", **_LEVEL),
    _option(
        "--overlap",
        cls=_Curves,
        type=OneOf(("keep", "drop")),
        default="keep",
        show_default=True,
        help="With --train: what to do with its judgments on held-out items.",
    ),
    _option(
        "--sizes",
        cls=_Curves,
        type=Numbers(),
        metavar="N,N,...",
        help="Training sizes. Default: 100,200,400,800,1600,3200.",
    ),
    _option(
        "--trials",
        cls=_Curves,
        default=5,
        show_default=True,
        help="Random subsets of each size.",
        **_NUMBER,
    ),
    _option(
        "--hold-out",
        cls=_Curves,
        default=2000,
        show_default=True,
        help="Comparisons to hold out, at least.",
        **_NUMBER,
    ),
)

certainty_options = stack(
    _option(
        "--level",
        cls=_Certainty,
        type=float,
        default=0.95,
        show_default=True,
        metavar="PROPORTION",
        help="Level of the intervals.",
    ),
    _option(
        "--seed",
        cls=_Certainty,
        default=SEED,
        show_default=True,
        help="Of everything random.",
        type=SEEDS,
        metavar="NUMBER",
    ),
)

drawing_options = stack(
    _option("--figures", cls=_Drawn, metavar="FOLDER", help="Draw figures into a folder."),
    _option(
        "--figure-format",
        "forms",
        cls=_Drawn,
        multiple=True,
        type=OneOf(FORMS),
        help="svg and png by default. Repeatable.",
    ),
    _option(
        "--figure-width",
        "width",
        cls=_Drawn,
        type=click.IntRange(SLIM, BROAD),
        metavar="PIXELS",
        help="Of the whole picture; 360 suits a telephone. Default: 620.",
    ),
)


@dataclass(frozen=True)
class Asked:
    """What was asked of a comparison of models."""

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
    forms: tuple[str, ...]  # of figures
    width: int | None  # of figures, in pixels, or None

    @property
    def pixels(self) -> int:
        """Width of figures."""
        return self.width or PLOT


def take_asked() -> Asked:
    """Return what the words of the command ask for."""
    asked = Asked(**{one.name: kept(one.name) for one in fields(Asked)})
    _refuse_halves(asked)
    asked = replace(asked, curves=asked.curves or asked.train is not None)
    _refuse_other_way(asked)
    for name, option in OF_FIGURES.items():
        if is_given(name) and asked.figures is None:
            raise UnknownOption(f"{option} says how to draw: say where to with --figures FOLDER")
    return asked


def _refuse_halves(asked: Asked) -> None:
    """Refuse what is trained on without what is tested on, and the same judgments for both."""
    train, test = asked.train, asked.test
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


def _refuse_other_way(asked: Asked) -> None:
    """Refuse options of the other way of holding out."""
    for name, option in (OF_FOLDS if asked.curves else OF_CURVES).items():
        if is_given(name):
            why = "cross-validation, not of learning curves" if asked.curves else "learning curves"
            remedy = "leave it out" if asked.curves else "add --curves, or leave it out"
            raise UnknownOption(f"{option} is of {why}: {remedy}")


def is_given(name: str) -> bool:
    """Return whether a parameter stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)
