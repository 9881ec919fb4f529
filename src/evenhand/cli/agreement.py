"""`evenhand agreement`: do judges agree, with each other and with themselves?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.cli.options import (
    OneOf,
    level_option,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.result import VerbResult, part_groups
from evenhand.cli.running import ProgressDisplay, remarks_on, take_output, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings

CLUSTERS: Final = ("item", "judge")
MODES: Final = ("strict", "wmt")

_measure_option = section("What to measure")
_certainty_option = section("Uncertainty")

measure_options = stack(
    _measure_option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Also for each value of this column, such as an input type. Repeatable; several are"
        " crossed. Default: criterion, if there is one.",
    ),
    _measure_option(
        "--scale",
        metavar="LOW-HIGH",
        help="Possible scores: 1-5 (whole steps), 0..1 (no steps) or 1,2,3,5. Default: the scores"
        " in the data.",
    ),
    _measure_option(
        "--coefficient",
        "coefficients",
        multiple=True,
        metavar="NAME|all",
        help="A coefficient or a family, such as alpha, cohen, icc or kappa. Repeatable. Default:"
        " the usual ones for such judgments.",
    ),
    _measure_option(
        "--mode",
        type=OneOf(MODES),
        help="Pairwise κ of comparisons: strict (different judges, in any order on the screen) or"
        " wmt (as the organisers of WMT count). Default: both.",
    ),
)

certainty_options = stack(
    _certainty_option(
        "--cluster", type=OneOf(CLUSTERS), default="item", help="What intervals resample."
    ),
    level_option(_certainty_option),
    seed_option(_certainty_option),
)


@verb(
    "evenhand agreement scores.csv --scale 1-5 --by criterion",
    "evenhand agreement scores.csv --by criterion --by input_type",
    "evenhand agreement wmt16.csv --mode wmt",
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
    """Measure how far judges agree, with each other and with themselves.

    For ratings, comparisons or rankings, with intervals that account for easy
    and hard items. Tasks are kept apart, unless you give --by task.
    """
    reading, place = take_reading(), take_output()
    with ProgressDisplay("comparing"):
        data = reading.open()
        from evenhand.judges.agreement import measure_agreement

        result = measure_agreement(
            data,
            by=by or ("criterion",),
            coefficients=_choose(data, coefficients, mode),
            scale=scale,
            level=level,
            cluster=cluster,
            seed=seed,
        )
        from evenhand.data.rankings import Rankings

        table = data.comparisons() if isinstance(data, Rankings) else data
        remarks = remarks_on(table, "controls", "repeats")

    place.deliver(VerbResult(*part_groups(result), remarks))


def _choose(
    data: Comparisons | Rankings | Ratings, coefficients: tuple[str, ...], mode: str | None
) -> tuple[str, ...]:
    """Return the coefficients that are meant; a mode says which pairwise κ."""
    from evenhand.data.ratings import Ratings

    if mode is None:
        return coefficients or ("default",)
    if isinstance(data, Ratings):
        raise UnknownOption(
            f"--mode {mode} is about pairwise κ of comparisons, and {data.source.name} holds"
            " ratings: leave it out"
        )
    return (*(coefficients or ("default",)), mode)
