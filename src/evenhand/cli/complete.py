"""`evenhand complete`: what would judges have said of the outputs that they were not shown?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Final

from evenhand.cli.judge_options import diagnosis_figure_options
from evenhand.cli.options import (
    OneOf,
    WholeFrom,
    group_option,
    level_option,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, fits, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    check_figures,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
    write_figures,
)
from evenhand.cli.terminal import block, cut, label, plural, say_end, say_notes, show_gap, sign
from evenhand.errors import UnknownOption
from evenhand.ratings.completion import Completion, GroupWidth
from evenhand.ratings.matrix import ADDITIVE, COMPLETION
from evenhand.ratings.reliability import ONE_RATING, RAW, CompletedPart, DecisionCurve, Estimate
from evenhand.report.latex import comment, number

DRAWS: Final = 20
MISSING: Final = ("at-random", "by-value")

_model_option = section("Model")
_decisions_option = section("Decisions")

model_options = stack(
    _model_option("--criterion", metavar="NAME", help="Only this criterion."),
    _model_option(
        "--judge-group",
        metavar="COLUMN|judge",
        help="Intervals hold in each group of judges. Default: over all judges together.",
    ),
    _model_option(
        "--missing",
        type=OneOf(MISSING),
        default="at-random",
        help="Are missing ratings like those given, or does it depend on how high they are?",
    ),
    _model_option(
        "--clip",
        metavar="LOW-HIGH",
        help="Keep predictions on the scale. Default: they are left as they are.",
    ),
    _model_option(
        "--force-shared",
        is_flag=True,
        help="Use shared tastes even where held-out ratings do not speak for them.",
    ),
    level_option(_model_option, default=0.9),
    seed_option(_model_option),
)

decision_options = stack(
    _decisions_option(
        "--reliability",
        is_flag=True,
        help="Would systems be in the same order with fewer ratings? Needs a nearly full matrix.",
    ),
    _decisions_option(
        "--draws",
        type=WholeFrom(1),
        help=f"How often ratings are hidden for each share. Default: {DRAWS}.",
    ),
)


@verb(
    "evenhand complete scores.csv",
    "evenhand complete scores.csv --judge-group native -o completed.csv",
    "evenhand complete scores.csv --reliability --figures figures",
)
@reading_options
@group_option
@model_options
@decision_options
@diagnosis_figure_options
@output_options
def complete(
    *,
    group_by: str | None,
    criterion: str | None,
    judge_group: str | None,
    missing: str,
    clip: str | None,
    force_shared: bool,
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
    # Refuse options that do nothing without others
    if not reliability and (draws is not None or figures is not None):
        named = "--figures" if draws is None else "--draws"
        raise UnknownOption(f"{named} is about --reliability: add it, or leave {named} out")
    check_figures(figures, forms)
    from evenhand.ratings.completion import NuclearNorm

    model = NuclearNorm(
        level=level,
        group=judge_group,
        missing="at random" if missing == "at-random" else "by value",
        clip=_read_ends(clip),
        abstain=not force_shared,
        seed=seed,
    )
    with ProgressDisplay("completing"):
        # The groups that are completed apart
        from evenhand.data.groups import choose_criterion, group_ratings

        data = choose_criterion(taken.open_ratings("complete"), criterion)
        by = None if group_by is None else data.require(group_by)
        roles = ("task", "judge", "item", "system", "criterion")
        factors = [one for one in (by, judge_group) if one is not None and one not in roles]
        parts = {**group_ratings(data.rows(factors=list(dict.fromkeys(factors))), by)}
        from evenhand.ratings.reliability import complete_part

        results, refused = work_on_groups(
            parts,
            lambda part: complete_part(part, model, (draws or DRAWS) if reliability else None),
            alone=[*parts] == [""],
        )
        remarks = [*remarks_on(data, "repeats"), *write_figures(results, figures, forms, _draw)]

    place.deliver(CompleteResult(results, refused, remarks))


def _read_ends(clip: str | None) -> tuple[float, float] | None:
    from evenhand.data.rating_rows import read_scale

    if clip is None:
        return None
    try:
        scale = read_scale(clip)
    except UnknownOption:
        raise UnknownOption(
            f"--clip {clip}: write LOW-HIGH, the lowest score, then a higher one, such as 0-100"
        ) from None
    return scale.low, scale.high


def _draw(part: CompletedPart) -> dict[str, Any]:
    from evenhand.report.figures.predictions import draw_decisions

    return {} if part.decisions is None else {"decisions": draw_decisions(part.decisions)}


LEGEND: Final = (
    "points of the scale that a prediction is off, on {n} held-out cells that nothing was learned"
    " or chosen on;"
    " more is what it has beyond completion, with its {level} % interval"
)
GROUPS: Final = (
    "groups of judges, the held-out ratings that their intervals rest on, and half the width of"
    " these, in points (— where nothing is missing)"
)
CURVE: Final = (
    "share of pairs of systems ordered as by all ratings, with its interval; seen is the share of"
    " ratings; common is one rating per output and some outputs rated by all; then what completion"
    " has more than judge + output on the same ratings, and than one rating per output"
)
MAX_CELLS: Final = 2_000_000  # Most cells that CSV is written of


class CompleteResult(GroupedResult[CompletedPart]):
    lacking = "cannot be completed"

    def draw(self, part: CompletedPart, columns: int) -> list[str]:
        completion = part.completion
        tastes = ""
        if not completion.abstained:
            tastes = (
                f" + shared tastes of rank {completion.rank} (nuclear norm, τ {completion.tau:.3g})"
            )
        lines = [
            label("", _say_counts(completion), columns),
            label("model", f"judge + output{tastes}", columns),
        ]
        if completion.table:
            legend = LEGEND.format(n=f"{completion.table[0].n:,}", level=_level(completion))
            lines += [
                "",
                *draw_halves(ERRORS, completion.table, 1, 3, columns),
                "",
                label("table", legend, columns),
            ]
        if completion.model.group is not None:
            lines += [
                "",
                *draw_table(GROUP_COLUMNS, _cut_groups(completion, columns)),
                "",
                label("groups", GROUPS, columns),
            ]
        lines += block(
            "says",
            [
                *completion.says,
                *_say_widths(completion),
                *(
                    ["the predictions themselves: -o FILE.csv, or --csv"]
                    if completion.n_missing
                    else []
                ),
            ],
            columns,
        )
        lines += say_notes(completion.notes, columns)
        lines.append(sign(completion.signature, columns))
        if part.decisions is not None:
            lines += ["", *_decisions(part.decisions, columns)]
        return lines

    def rows(self, part: CompletedPart) -> list[dict[str, Any]]:
        if part.decisions is not None:
            return part.decisions.records()
        cells = part.completion.predicted.size
        if cells > MAX_CELLS:
            raise UnknownOption(
                f"CSV of {cells:,} cells, more than {MAX_CELLS:,}: take a part of the items, or"
                " NuclearNorm().fit(...).completed in Python"
            )
        return part.completion.records()

    def tabulate(self, part: CompletedPart) -> str:
        if part.decisions is not None:
            curve = part.decisions
            return tabulate(POINTS, [curve.points], [curve.signature, *curve.says, *curve.notes])
        completion = part.completion
        comments = [completion.signature, *completion.says, *completion.notes]
        table = completion.table
        errors = tabulate(ERRORS, [table], comments) if table else comment(comments)
        if completion.model.group is None:
            return errors
        return errors + tabulate(GROUP_COLUMNS, [completion.intervals], [GROUPS])

    def say(self, part: CompletedPart) -> list[str]:
        curve = part.decisions
        more = () if curve is None else (*curve.says, *curve.notes)
        return [*part.completion.says, *part.completion.notes, *more]


def _say_counts(completion: Completion) -> str:
    judges, outputs = completion.matrix.shape
    ratings = plural(float(completion.matrix.cells.weight.sum()), "rating")
    seen = (
        f"{100 * completion.matrix.fill:.0f} % of the cells seen, {completion.n_missing:,} missing"
    )
    return f"{ratings}, {plural(judges, 'judge')}, {plural(outputs, 'output')}: {seen}"


def _say_widths(completion: Completion) -> list[str]:
    if not completion.n_missing or not completion.table:
        return []
    ends = [end for one in completion.intervals for end in (one.narrowest, one.widest)]
    finite = sorted(end for end in ends if end is not None and isfinite(end))
    some, none = completion.bounded
    if not finite:
        return []
    wide = f"{finite[0]:.3g}"
    if finite[-1] > finite[0]:
        wide += f" to {finite[-1]:.3g}"
    who = f" for {some:,} of {plural(some + none, 'judge')}" if none else ""
    rest = "; for the others they have no bounds" if none else ""
    return [f"{_level(completion)} % intervals are ± {wide} points{who}{rest}"]


def _level(completion: Completion) -> str:
    return f"{100 * completion.model.level:.12g}"


def _cut_groups(completion: Completion, columns: int) -> list[GroupWidth]:
    return [replace(one, group=cut(one.group, columns // 2)) for one in completion.intervals]


def _half(one: GroupWidth) -> str | None:
    if one.narrowest is None or one.widest is None:
        return None
    ends = [f"{end:.3g}" if isfinite(end) else "∞" for end in (one.narrowest, one.widest)]
    return " to ".join(dict.fromkeys(ends))


GROUP_COLUMNS: Final = (
    Column("group", "group"),
    Column.number("judges", "judges", ",", typeset=".0f"),
    Column.number("held out", "n", ",", typeset=".0f"),
    Column.number("±", _half, only="text"),
    Column.number(r"$\pm$ from", "narrowest", ".2f", only="latex"),
    Column.number("to", "widest", ".2f", only="latex"),
)


ERRORS: Final = (
    Column("method", "method"),
    Column.number("mae", "mae", ".3g", "MAE", typeset=".2f"),
    Column.number("more", "mae_more", show_gap, only="text"),
    Column.number("rmse", "rmse", ".3g", "RMSE", typeset=".2f"),
    Column.number("more", "rmse_more", show_gap, only="text"),
    Column.number("MAE $-$ completion", "mae_more.value", ".2f", only="latex"),
    Column.number("lower", "mae_more.lower", ".2f", only="latex"),
    Column.number("upper", "mae_more.upper", ".2f", only="latex"),
)


def draw_halves(
    heads: Sequence[Column], rows: Sequence[Any], n_shared: int, half: int, columns: int
) -> list[str]:
    """Return a table, in two where it is too wide; both begin with the first `n_shared` columns."""
    lines = draw_table(heads, rows)
    if fits(lines, columns):
        return lines
    rest = draw_table((*heads[:n_shared], *heads[half:]), rows)
    return [*draw_table(heads[:half], rows), "", *rest]


def _decisions(curve: DecisionCurve, columns: int) -> list[str]:
    return [
        *draw_halves(POINTS, curve.points, 2, 5, columns),
        "",
        label("table", CURVE, columns),
        *block("says", curve.says, columns),
        *say_end(curve.notes, curve.signature, columns),
    ]


def _percent(one: Estimate) -> str:
    return f"{100 * one.value:.0f} ({100 * one.lower:.0f}-{100 * one.upper:.0f})"


def _signed(one: Estimate) -> str:
    return f"{100 * one.value:+.0f} ({100 * one.lower:+.0f},{100 * one.upper:+.0f})"


def _set_value(one: Estimate) -> str:
    return number(one.value, 3)


POINTS: Final = (
    Column("design", "design.kind"),
    Column.percent("seen", "design.share", r"\% seen"),
    Column.number("raw mean", f"reliability.{RAW}", _percent, typeset=_set_value),
    Column.number("judge + output", f"reliability.{ADDITIVE}", _percent, typeset=_set_value),
    Column.number("completion", f"reliability.{COMPLETION}", _percent, typeset=_set_value),
    Column.number("more", f"gains.{ADDITIVE}", _signed, only="text"),
    Column.number("than one", f"gains.{ONE_RATING}", _signed, only="text"),
    Column.number("gain", f"gains.{ADDITIVE}.value", ".3f", only="latex"),
    Column.number("lower", f"gains.{ADDITIVE}.lower", ".3f", only="latex"),
    Column.number("upper", f"gains.{ADDITIVE}.upper", ".3f", only="latex"),
)
