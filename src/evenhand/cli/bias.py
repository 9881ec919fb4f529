"""`evenhand bias`: what moves judgments beside the outputs: places, severity, drift, length."""

from __future__ import annotations

from evenhand.cli import options
from evenhand.cli.running import VerbResult, group_rows, remarks_on, split_groups, work_on_groups
from evenhand.errors import UnknownOption

_looked_at = options.under("What is looked at")


class Asked(options.Options):
    controls: tuple[str, ...] = _looked_at(
        "--control COLUMN|NAME=LEFT,RIGHT|SQL|style",
        "Of ratings, a column of numbers whose effect on scores is estimated, such as a length. A"
        " column called position is used by default. Of LLM judges, a difference between two"
        " outputs, as in rank. Repeatable.",
    )
    llm_judges: tuple[str, ...] = _looked_at(
        "--llm-judges NAME,NAME",
        "LLM judges of comparisons, each analysed separately and compared with people: position,"
        " --control, consistency. Repeatable.",
    )
    llm: str | None = _looked_at(
        "--llm VERDICTS",
        "LLM judges' comparisons in another file, in place of --llm-judges.",
        reads=True,
    )
    own: str | None = _looked_at(
        "--own TABLE",
        "A table with columns system and family, and a row for each system and LLM judge: tests"
        " whether LLM judges prefer their own family more than people do.",
        reads=True,
    )


@options.verb(
    "evenhand bias votes.csv",
    "evenhand bias wmt12.RNK_results.csv --task fr-en",
    "evenhand bias scores.csv --criterion adequacy --control words",
    "evenhand bias battles.csv --llm-judges gpt-4 --control style --own own.csv",
    doing="looking",
)
def bias(
    run: options.Run,
    *,
    tables: options.Tables,
    groups: options.Grouping,
    criterion: options.Criterion,
    asked: Asked,
    clusters: options.Cluster,
) -> VerbResult:
    """Estimate the advantage of being shown first, or what moves scores.

    Over all judges, with an interval that accounts for judges and items;
    whether judges differ; and which of them stand out. The file must say which
    output stood first, and pairs must have been shown in both orders. Of
    ratings: how severe judges are, their tastes for systems, drift over time,
    position, judges of their own systems, and --control. With --llm-judges or
    --llm: what moves each LLM judge, and whether it agrees with itself.
    """
    from evenhand.data.controls import join_verdicts
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.bias import choose_columns, find_position_bias, find_rating_bias
    from evenhand.ranking.llm_bias import find_llm_bias

    by, settings = groups.group_by, vars(clusters)
    llm_judges = options.split_names(asked.llm_judges)
    if llm_judges or asked.llm is not None:
        why = "does not apply to LLM judges, whose errors are by item: leave it out"
        options.refuse_given(["criterion", "cluster"], why)
        opened = run.reading.open_either(("comparisons", "rankings"), llm=True)
        if isinstance(opened, Ratings):
            raise UnknownOption(
                f"biases of LLM judges need comparisons; {opened.source.name} holds ratings: leave"
                " out --llm and --llm-judges"
            )
        every, names = opened, tuple(llm_judges)
        if asked.llm is not None:
            every, names = join_verdicts(opened, run.reading.open_beside(asked.llm), names)
        of_llm, refused = work_on_groups(
            split_groups(tables.join(every, used=(by, *asked.controls)), by),
            lambda part: find_llm_bias(
                part, llm_judges=names, controls=asked.controls, own=asked.own, level=clusters.level
            ),
            by,
        )
        return VerbResult(of_llm, refused, remarks_on(opened))
    if asked.own is not None:
        raise UnknownOption(
            "--own needs LLM judges: name them (--llm-judges NAME) or give their verdicts (--llm)"
        )
    kinds = options.kinds_of(ratings=criterion.criterion is not None or bool(asked.controls))
    opened = run.reading.open_either(kinds, criterion=criterion.criterion)
    if isinstance(opened, Ratings):
        ratings = tables.join(opened, used=(by, *asked.controls))
        looked_at = choose_columns(ratings, asked.controls)
        biases, refused = work_on_groups(
            group_rows(ratings, by, looked_at),
            lambda part: find_rating_bias(part, controls=looked_at, **settings),
            by,
        )
        return VerbResult(biases, refused, remarks_on(ratings))
    options.refuse_of_ratings("controls")
    data = tables.join(opened, used=(by,))
    results, refused = work_on_groups(
        split_groups(data, by), lambda part: find_position_bias(part, **settings), by
    )
    return VerbResult(results, refused, remarks_on(data))
