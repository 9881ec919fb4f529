"""`evenhand alike`: which judges are alike, who is lenient, who strays, and what moves opinions?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.judge_options import diagnosis_figure_options
from evenhand.cli.next import feature_options
from evenhand.cli.options import (
    group_option,
    level_option,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table
from evenhand.cli.running import (
    ProgressDisplay,
    check_figures,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
    write_figures,
)
from evenhand.cli.terminal import (
    PLAIN,
    align,
    block,
    label,
    pad,
    plural,
    say_end,
    show_gap,
    tell_apart,
    width,
)
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.report.latex import escape, number, tabular

if TYPE_CHECKING:
    from evenhand.data.ratings import Ratings
    from evenhand.ratings.features import OutputFeatures
    from evenhand.ratings.judge_process import MultiTaskGP
    from evenhand.ratings.process_comparison import HeldOut, Pair

    Settings = tuple[MultiTaskGP, HeldOut | None, float]
    Words = tuple[str, ...]

SPLITS: Final = 5

_features_option = section("What is known of outputs (ratings)")
_model_option = section("Model")

model_options = stack(
    _features_option(
        "--label",
        "labels",
        multiple=True,
        metavar="COLUMN",
        help="A feature that is a name, even where it is written in digits. Repeatable.",
    ),
    _model_option("--criterion", metavar="NAME", help="Only this criterion."),
    _model_option(
        "--rank",
        type=int,
        default=1,
        help="How many tastes judges share, each in a measure of their own.",
    ),
    _model_option(
        "--baselines",
        is_flag=True,
        help="Also hold ratings out: does it predict better than simple ways?",
    ),
    _model_option(
        "--splits", type=int, help="How often --baselines halves the ratings. Default: 5."
    ),
    level_option(_model_option),
    seed_option(_model_option),
)


@verb(
    "evenhand alike scores.csv --task zho-eng",
    "evenhand alike scores.csv --feature length --label domain --baselines",
    "evenhand alike scores.csv --figures figures",
)
@reading_options
@group_option
@feature_options
@model_options
@diagnosis_figure_options
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
    baselines: bool,
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
    check_figures(figures, forms)
    if splits is not None and not baselines:
        raise UnknownOption("--splits is about --baselines: add it, or leave --splits out")
    with ProgressDisplay("learning") as patience:
        from evenhand.data.groups import choose_criterion
        from evenhand.ratings.judge_process import MultiTaskGP
        from evenhand.ratings.process_comparison import HeldOut

        model, held = MultiTaskGP(rank=rank, seed=seed), None
        if baselines:
            n = SPLITS if splits is None else splits
            held = HeldOut(folds=2, splits=n, level=level, seed=seed)

        data = choose_criterion(taken.open_ratings("alike"), criterion)
        features = _choose_features(data, (feature, labels), (source_text, output_text))
        parts = _split(data, group_by, features)
        results, refused = _learn(parts, (model, held, level), features, patience)
        remarks = [*remarks_on(data, "repeats"), *write_figures(results, figures, forms, _draw)]

    place.deliver(AlikeResult(results, refused, remarks))


def _choose_features(
    data: Ratings, column_names: tuple[Words, Words], texts: tuple[str | None, str | None]
) -> OutputFeatures:
    """Return what is known of outputs; which output it is always belongs to it."""
    from evenhand.design.next_outputs import name_features
    from evenhand.ratings.features import OUTPUT, OutputFeatures

    columns, labels = column_names
    for name in (*labels, *(one for one in texts if one is not None)):
        data.require(name)
    if not columns:
        return OutputFeatures((), (OUTPUT, *labels), *texts)
    named = name_features(data, columns, texts)
    return replace(named, labels=(OUTPUT, *named.labels, *labels))


def _split(data: Ratings, group_by: str | None, features: OutputFeatures) -> dict[str, Ratings]:
    """Return the ratings that are looked at apart: tasks and criteria, unless they are features."""
    from evenhand.data.groups import split_ratings

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
    parts: dict[str, Ratings],
    settings: Settings,
    features: OutputFeatures,
    patience: ProgressDisplay,
) -> tuple[dict[str, JudgeLikeness], dict[str, str]]:
    """Learn from each group; one of several that says nothing is named with the reason."""
    from evenhand.ratings.process_comparison import examine_likeness

    alone, done = [*parts] == [""], count()
    model, held, level = settings

    def warn(text: str) -> None:
        click.echo(label("note", text, PLAIN), err=True)

    def work(part: Ratings) -> JudgeLikeness:
        patience.step(next(done), len(parts))
        try:
            return examine_likeness(part, features, model, held, level=level, warn=warn)
        except InvalidJudgments as error:
            if alone:
                raise
            raise NotIdentified(str(error)) from None

    return work_on_groups(parts, work, alone=alone)


def _draw(results: JudgeLikeness) -> dict[str, Any]:
    from evenhand.report.figures.judges import draw_likeness

    return {"alike": draw_likeness(results)}


# How alike judges are, as it is drawn in a terminal.

MAX_JUDGES_IN_MATRIX: Final = 12  # Most judges whose whole matrix is printed
CELL: Final = 5  # Columns that a correlation takes, with a gap before it
MIN_NAME: Final = 6  # Columns that a name needs
SHORT_NAME: Final = 10  # Columns of the names of the nearest and the farthest
UNKNOWN: Final = ".."  # Where the ratings do not tell
MAX_UNKNOWN: Final = 8  # Most pairs of which the ratings do not tell that are named
# How the feature that tells each output from all others is said
OUTPUT_ITSELF: Final = "which output it is"
NONE: Final = "—"
JUDGE_NUMBERS: Final = ("ratings", "leniency", "private", "noise", "private_and_noise")


def draw_judges(likeness: JudgeLikeness, columns: int) -> list[str]:
    rows = list(likeness.records.values())
    heads = (
        Column.names("judge", "judge"),
        Column.number("ratings", "ratings", ",", priority=2),
        Column.number("lenient by", "leniency", "+.1f"),
        Column.number(f"{100 * likeness.level:g} % interval", "ends", priority=4),
        Column.number("own taste", "private", ".1f", priority=1),
        Column.number("noise", "noise", ".1f", priority=1),
        Column.number("both", "private_and_noise", ".1f", priority=3),
    )
    ends = [(f"{row['leniency_lower']:+.1f}", f"{row['leniency_upper']:+.1f}") for row in rows]
    lines = [
        {**row, "judge": judge, "ends": f"{low} to {high}"}
        for judge, row, (low, high) in zip(likeness.judges, rows, align(ends, left=()), strict=True)
    ]
    table = draw_table(heads, lines, columns, least=MIN_NAME)
    unit = "points of the scale. lenient by: what a judge gives more than the mean of these judges"
    parts = [f"{unit}, for the same outputs"]
    if "own taste" in table[0]:
        parts.append("own taste: what no other judge shares; noise: of one rating; both together")
        if any(row["private"] is None for row in rows):
            parts.append(f"{NONE}: not told apart")
    else:
        parts.append("both: own taste and noise together")
    return [*table, label("", "; ".join(parts), columns)]


def draw_pairs(likeness: JudgeLikeness, columns: int) -> list[str]:
    """Return the matrix of correlations, or the nearest and farthest where there is no room."""
    room = columns - 1 - CELL * (len(likeness.judges) - 1) - len(str(len(likeness.judges))) - 1
    longest = max(map(width, likeness.judges))
    if len(likeness.judges) > MAX_JUDGES_IN_MATRIX or room < min(longest, MIN_NAME):
        return _draw_ends(likeness, columns)
    shown = tell_apart(likeness.judges, room)
    names = align(
        [(str(place), shown[name]) for place, name in enumerate(likeness.judges, start=1)]
    )
    lines = []
    for at, (judge, name) in enumerate(zip(likeness.judges, names, strict=True)):
        cells = [_show(likeness.both[judge, other]) for other in likeness.judges[:at]]
        lines.append(" " + " ".join(name) + "".join(pad(cell, CELL, right=True) for cell in cells))
    blank = " " * width(" " + " ".join(names[0]))
    places = range(1, len(likeness.judges))
    title = blank + "".join(pad(str(place), CELL, right=True) for place in places)
    legend = f"correlation of what they like; {UNKNOWN} where the ratings do not tell"
    return [
        click.style(title, dim=True),
        *(one.rstrip() for one in lines),
        label("", legend, columns),
    ]


def _draw_ends(likeness: JudgeLikeness, columns: int) -> list[str]:
    """Return a row for each judge: the mean, the nearest and the farthest of the others."""
    ranked = [likeness.rank_others(judge) for judge in likeness.judges]
    names = tell_apart(likeness.judges, SHORT_NAME)
    heads = (
        Column.names("judge"),
        "others",
        "most alike",
        Column("interval", left=False, priority=1),
        "least alike",
        Column("interval", left=False, priority=1),
    )
    nearest, farthest = [one[0] for one in ranked], [one[-1] for one in ranked]
    cells = zip(
        likeness.judges,
        (_share(likeness.mean(judge)) for judge in likeness.judges),
        _align_pairs(names, nearest),
        (_show_ends(one) for _, one in nearest),
        _align_pairs(names, farthest),
        (_show_ends(one) for _, one in farthest),
        strict=True,
    )
    legend = (
        f"correlation of what judges like: mean with the others, most and least alike; {UNKNOWN}"
        " where the ratings do not tell; all pairs with --json and --csv"
    )
    table = draw_table(heads, list(cells), columns, least=MIN_NAME)
    return [*table, label("", legend, columns)]


def say_open(likeness: JudgeLikeness) -> str:
    """Name the pairs of which the ratings do not tell, the farthest from 0 first."""
    pairs = [one for one in likeness.pairs if not one.known]
    if not pairs or len(likeness.judges) > MAX_JUDGES_IN_MATRIX:
        return ""
    pairs = sorted(pairs, key=lambda one: -abs(one.correlation))
    named = [
        f"{one.judge} and {one.other} {_share(one.correlation)} ({_show_ends(one)})"
        for one in pairs[:MAX_UNKNOWN]
    ]
    more = f"; {len(pairs) - MAX_UNKNOWN:,} more with --csv" if len(pairs) > MAX_UNKNOWN else ""
    return f"{'; '.join(named)}{more}"


def draw_errors(likeness: JudgeLikeness, columns: int) -> list[str]:
    legend = (
        "points of the scale that a prediction is off, on ratings that were held out; more: beyond"
        f" multi-task, with its {100 * likeness.level:g} % interval"
    )
    heads = (
        Column.names("method", "method"),
        Column.number("mae", "mae", ".3g"),
        Column.number("more", "mae_more", show_gap),
        Column.number("rmse", "rmse", ".3g", priority=1),
        Column.number("more", "rmse_more", show_gap, priority=1),
    )
    table = draw_table(heads, likeness.table, columns, least=MIN_NAME)
    return [*table, label("", legend, columns)]


def say_features(likeness: JudgeLikeness) -> str:
    """Say how much each feature moves a judge's opinion, the one that moves most first."""
    from evenhand.ratings.features import OUTPUT

    moves = sorted(likeness.feature_correlations.items(), key=lambda one: one[1])
    shown = [(OUTPUT_ITSELF if name == OUTPUT else name, _share(value)) for name, value in moves]
    listed = ", ".join(f"{name} {value}" for name, value in shown)
    numbers = {*likeness.process.learned.scaling.names}
    tail = (
        "; numbers: by one standard deviation" if numbers & {*likeness.feature_correlations} else ""
    )
    return (
        "correlation of what a judge thinks of two outputs that differ in one feature alone (near"
        f" 1 it changes little{tail}): {listed}"
    )


def _align_pairs(names: dict[str, str], pairs: Sequence[tuple[str, Pair]]) -> list[str]:
    cells = align([(names[other], _show(one)) for other, one in pairs], left=(0,))
    return [" ".join(cell) for cell in cells]


def _show(one: Pair) -> str:
    return _share(one.correlation) if one.known else UNKNOWN


def _show_ends(one: Pair) -> str:
    if one.lower is None or one.upper is None:
        return NONE
    return f"{_share(one.lower)} to {_share(one.upper)}"


def _share(value: float) -> str:
    return f"{value:z.2f}".replace("0.", ".", 1)


CSV_KEYS: Final = ("what", "name", "other", "estimate", "lower", "upper", "known")  # Columns of CSV


class AlikeResult(GroupedResult[JudgeLikeness]):
    lacking = "says nothing of judges"

    def draw(self, part: JudgeLikeness, columns: int) -> list[str]:
        process = part.process
        ratings = plural(sum(row["ratings"] for row in part.records.values()), "rating")
        pairs, opened = draw_pairs(part, columns), say_open(part)
        return [
            label("", f"{ratings}, {plural(len(part.judges), 'judge')}", columns),
            label("model", f"a Gaussian process over judges; {process.learned.features}", columns),
            "",
            *draw_judges(part, columns),
            "",
            *pairs,
            *([label("open", opened, columns)] if opened else []),
            "",
            *([*draw_errors(part, columns), ""] if part.table else []),
            label("moves", say_features(part), columns),
            *block("says", part.says, columns),
            *say_end(part.notes, process.signature, columns),
        ]

    def rows(self, part: JudgeLikeness) -> list[dict[str, Any]]:
        return [dict(zip(CSV_KEYS, row, strict=True)) for row in _list_numbers(part)]

    def tabulate(self, part: JudgeLikeness) -> str:
        """Return the matrix as a table for a paper; what is open is left blank."""
        judges = part.judges
        rows = [
            (
                escape(judge),
                number(part.records[judge]["leniency"], 1),
                *(number(one.correlation, 2) if one.known else "" for one in pairs),
                *[""] * (len(judges) - 1 - at),
            )
            for at, judge in enumerate(judges)
            for pairs in [[part.both[judge, other] for other in judges[:at]]]
        ]
        header = ("judge", "lenient by", *map(escape, judges[:-1]))
        comments = [part.process.signature, *self.say(part)]
        return tabular("l" + "r" * len(judges), header, [rows], comments)


def _list_numbers(part: JudgeLikeness) -> Iterator[tuple[Any, ...]]:
    """Return what, name, other, estimate, lower, upper, known."""
    for judge, row in part.records.items():
        for what in JUDGE_NUMBERS:
            known = row[what] is not None
            ends = (row.get(f"{what}_lower"), row.get(f"{what}_upper"))
            yield (what, judge, None, row[what], *ends, known)
    for at, judge in enumerate(part.judges):
        for other in part.judges[:at]:
            one = part.both[judge, other]
            yield ("correlation", judge, other, one.correlation, one.lower, one.upper, one.known)
    for name, correlation in part.feature_correlations.items():
        yield ("feature", name, None, correlation, None, None, None)
    for error in part.table:
        more = {"mae": error.mae_more, "rmse": error.rmse_more}
        for what, value in (("mae", error.mae), ("rmse", error.rmse)):
            yield (what, error.method, None, value, None, None, None)
            gap = more[what]
            if gap is not None:
                yield (f"{what}_more", error.method, None, gap.value, gap.lower, gap.upper, None)
