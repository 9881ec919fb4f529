"""`evenhand agreement`: do judges agree, with each other and with themselves?"""

from __future__ import annotations

from evenhand.cli import options
from evenhand.cli.result import VerbResult, part_groups
from evenhand.cli.running import remarks_on
from evenhand.errors import UnknownOption

_measure = options.under("What to measure")
_certainty = options.under("Uncertainty")


class Asked(options.Options):
    by: tuple[str, ...] = _measure(
        "--by COLUMN",
        "Also for each value of this column, such as an input type. Repeatable; several are"
        " crossed. Default: criterion, if there is one.",
    )
    scale: str | None = options.scale_option(_measure)
    coefficients: tuple[str, ...] = _measure(
        "--coefficient NAME|all",
        "A coefficient or a family, such as alpha, cohen, icc or kappa. Repeatable. Default: the"
        " usual ones for such judgments.",
    )
    mode: str | None = _measure(
        "--mode strict|wmt",
        "Pairwise κ of comparisons: strict (different judges, in any order on the screen) or wmt"
        " (as the organisers of WMT count). Default: both.",
    )
    llm: str | None = _measure(
        "--llm VERDICTS",
        "Verdicts of LLM judges in another file, in place of --llm-judges.",
        reads=True,
    )
    llm_judges: tuple[str, ...] = _measure(
        "--llm-judges NAME,NAME",
        "Judges who are LLMs, compared with people in a separate table. Repeatable. Default:"
        " those marked by judge_type.",
    )
    cluster: str = _certainty("--cluster item|judge", "What intervals resample.", default="item")
    level: float = options.level_option(_certainty)
    seed: int = options.seed_option(_certainty)


@options.verb(
    "evenhand agreement scores.csv --scale 1-5 --by criterion",
    "evenhand agreement scores.csv --by criterion --by input_type",
    "evenhand agreement wmt16.csv --mode wmt",
    doing="comparing",
)
def agreement(
    run: options.Run, *, groups: options.Grouping, criterion: options.Criterion, asked: Asked
) -> VerbResult:
    """Measure how far judges agree, with each other and with themselves.

    For ratings, comparisons or rankings, with intervals that account for easy
    and hard items. Tasks are kept apart, unless you give --by task; --group-by
    keeps the values of another column apart, such as groups of judges.
    """
    from evenhand.data.groups import choose_criterion
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.judges.agreement import measure_agreement
    from evenhand.judges.agreement_table import GroupedAgreement

    data = run.reading.open(("ratings",) if criterion.criterion is not None else ())
    coefficients = asked.coefficients or ("default",)
    if asked.mode is not None:
        coefficients = (*coefficients, asked.mode)
    if isinstance(data, Ratings):
        if asked.mode is not None:
            raise UnknownOption(
                f"--mode {asked.mode} is about pairwise κ of comparisons, and {data.source.name}"
                " holds ratings: leave it out"
            )
        data = choose_criterion(data, criterion.criterion)
    else:
        options.refuse_of_ratings()
    settings = {**vars(asked), **vars(groups), "coefficients": coefficients}
    del settings["mode"]  # it is among the coefficients
    settings["by"] = asked.by or ("criterion",)
    settings["llm"] = None if asked.llm is None else run.reading.open_beside(asked.llm)
    settings["llm_judges"] = options.split_names(asked.llm_judges)
    result = measure_agreement(data, **settings)
    table = data.comparisons() if isinstance(data, Rankings) else data
    side_by_side = result.document() if isinstance(result, GroupedAgreement) else None
    read = remarks_on(table, "controls", "repeats")
    return VerbResult(*part_groups(result), read, side_by_side=side_by_side)
