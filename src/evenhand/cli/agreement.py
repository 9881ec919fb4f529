"""`evenhand agreement`: do judges agree, with each other and with themselves?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import (
    SEED,
    Section,
    Verb,
    examples,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import SEEDS, OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judges.agreement_table import AgreementTable
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings
    from evenhand.judgments.ratings import Ratings

EXAMPLES: Final = (
    "evenhand agreement scores.csv --scale 1-5 --by criterion",
    "evenhand agreement scores.csv --by criterion --by input_type",
    "evenhand agreement wmt16.csv --mode wmt",
)
CLUSTERS: Final = ("item", "judge")
MODES: Final = ("strict", "wmt")


class _Measure(Section):
    heading = "What to measure"


class _Certainty(Section):
    heading = "Uncertainty"


measure_options = stack(
    click.option(
        "--by",
        cls=_Measure,
        multiple=True,
        metavar="COLUMN",
        help="Each value of this column too, such as an input type. Repeatable; several are"
        " crossed. Default: criterion, where there is one.",
    ),
    click.option(
        "--scale",
        cls=_Measure,
        metavar="LOW-HIGH",
        help="Scores that can be given: 1-5 (whole steps), 0..1 (no steps) or 1,2,3,5. Default:"
        " those that occur.",
    ),
    click.option(
        "--coefficient",
        "coefficients",
        cls=_Measure,
        multiple=True,
        metavar="NAME|all",
        help="A coefficient or a family of them, such as alpha, cohen, icc or kappa. Repeatable."
        " Default: those usual for such judgments.",
    ),
    click.option(
        "--mode",
        cls=_Measure,
        type=OneOf(MODES),
        help="Pairwise κ of comparisons: strict (different judges, whatever the order on the"
        " screen) or wmt (as the organisers count). Default: both.",
    ),
)

certainty_options = stack(
    click.option(
        "--cluster",
        cls=_Certainty,
        type=OneOf(CLUSTERS),
        default="item",
        show_default=True,
        help="What is drawn again for intervals.",
    ),
    click.option(
        "--level",
        cls=_Certainty,
        type=float,
        default=0.95,
        show_default=True,
        metavar="PROPORTION",
        help="Level of the intervals.",
    ),
    click.option(
        "--seed",
        cls=_Certainty,
        type=SEEDS,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of everything random.",
    ),
)


@click.command(
    cls=Verb,
    short_help="Do judges agree, with each other and with themselves?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@measure_options
@certainty_options
@output_options
def agreement(
    *,
    by: tuple[str, ...],
    scale: str | None,
    coefficients: tuple[str, ...],
    mode: str | None,
    cluster: str,
    level: float,
    seed: int,
) -> None:
    """Measure how far judges agree.

    Of ratings, comparisons or rankings, with intervals that allow for
    items being hard or easy. Several tasks are kept apart, unless you say
    --by task.
    """
    reading, place = take_reading(), take_output()
    with Patience("comparing"):
        data = reading.open()
        from evenhand.judges.agreement import measure_agreement
        from evenhand.judges.agreement_table import GroupedAgreement

        found = measure_agreement(
            data,
            by=by or ("criterion",),
            coefficients=_choose(data, coefficients, mode),
            scale=scale,
            level=level,
            cluster=cluster,
            seed=seed,
        )
        remarks = _remarks(data)
    from evenhand.cli.agreement_result import AgreementResult

    groups: dict[str, AgreementTable] = (
        {"": found} if not isinstance(found, GroupedAgreement) else {**found.groups}
    )
    refused = found.refused if isinstance(found, GroupedAgreement) else {}
    place.deliver(AgreementResult(groups, refused, remarks))


def _choose(
    data: Comparisons | Rankings | Ratings, asked: tuple[str, ...], mode: str | None
) -> tuple[str, ...]:
    """Return the coefficients that are meant; a mode says which pairwise κ."""
    from evenhand.judgments.ratings import Ratings

    if mode is None:
        return asked or ("default",)
    if isinstance(data, Ratings):
        raise UnknownOption(
            f"--mode {mode} is about pairwise κ of comparisons, and {data.source.name} holds"
            " ratings: leave it out"
        )
    return (*(asked or ("default",)), mode)


def _remarks(data: Comparisons | Rankings | Ratings) -> list[str]:
    from evenhand.judgments.rankings import Rankings

    table = data.comparisons() if isinstance(data, Rankings) else data
    return remarks_on(table, "controls", "repeats")
