"""`evenhand metrics`: how well do automatic metrics agree with people, and which is better?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from evenhand.cli import options
from evenhand.cli.running import VerbResult, part_groups, remarks_on
from evenhand.errors import EvenhandError, UnknownName, UnknownOption, write_without

# Options of reading that hold for files of metrics' scores, and those that are of tables
OF_SCORES: Final = ("columns", "sheet", "decimal", "missing", "skip_bad_rows")
OF_TABLES: Final = (
    *OF_SCORES,
    *("layout", "weight", "weights", "outcomes", "system_separator", "error_weights"),
)

ROLES: Final = re.compile(r",\s*(?=(?:metric|judge|system)=)")  # Before the next role of --without

_asked = options.under("What is compared")


class Asked(options.Options):
    criterion: str | None = options.Criterion.criterion
    better: str | None = options.Scores.better
    lower: tuple[str, ...] = _asked(
        "--lower NAME,NAME",
        "Metrics of which lower scores are better, beside those whose names say so, such as TER."
        " Repeatable.",
    )
    level: str | None = _asked(
        "--level system|segment", "Only statistics of systems, or only of segments. Default: both."
    )
    group: str = _asked(
        "--group item|none|system",
        "Which outputs are compared in statistics of segments: those of the same item, all, or"
        " those of the same system.",
        default="item",
    )
    statistic: tuple[str, ...] = _asked(
        "--statistic NAME,NAME",
        "spa, pa, acc-eq, acc-eq-star, pearson, spearman, tau-b, tau-c, tie-aware, kendall-like or"
        " preference. Metrics are ordered and tested by the first. Repeatable.",
    )
    test: str = _asked(
        "--test perm-sys|perm-both|boot-both|williams",
        "Test of differences between metrics: perm-sys (holds for other systems too), perm-both"
        " (for these systems only), boot-both or williams.",
        default="perm-sys",
    )
    spa: str = _asked(
        "--spa mid-p|wmt", "p-values of SPA: mid-p, or as WMT computes them.", default="mid-p"
    )
    model: str | None = _asked(
        "--model NAME", "Model of worths, for comparisons. Default: bradley-terry."
    )
    seed: int = options.seed_option(_asked)


def take_metrics(reading: options.Reading) -> tuple[str, ...]:
    """Return the metrics to exclude (--without metric=NAME), which judgments do not have."""
    parts = [part.strip() for word in reading.without for part in ROLES.split(word)]
    named = [one for one in parts if one.startswith("metric=")]
    if named:
        reading.without = tuple(one for one in parts if one not in named)
    return tuple(one.removeprefix("metric=") for one in named)


@contextmanager
def advising_metrics(reading: options.Reading, read_scores: Callable[[], Any]) -> Iterator[None]:
    """Say of a name in --without that is no judge or system but a metric how to write it."""
    try:
        yield
    except UnknownName as refusal:
        reading.without = ()
        try:
            known = read_scores().list_called(refusal.name)
        except EvenhandError:  # there are no scores of metrics
            known = []
        if known:
            remedy = write_without("metric", [refusal.name])
            raise UnknownOption(f"{refusal.name} is a metric: write {remedy}") from None
        raise


def choose_settings(reading: options.Reading) -> dict[str, Any]:
    """Return the settings of reading that also hold for files of metrics' scores."""
    named = {name: getattr(reading, name) for name in OF_SCORES if name != "columns"}
    return {"columns": reading.roles, **named}


@options.verb(
    "evenhand metrics ratings.csv scores.csv",
    "evenhand metrics ratings.csv",
    "evenhand metrics ratings.csv --criterion mqm",
    "evenhand metrics wmt23 --task en-de",
    "evenhand metrics votes.csv scores.csv --statistic preference",
    doing="comparing metrics",
)
def metrics(run: options.Run, *, asked: Asked) -> VerbResult:
    """Compare automatic metrics with people, and with each other.

    The first FILE holds people's judgments: ratings, comparisons or rankings.
    Further FILEs hold scores of metrics: columns metric, system, item and
    score, a column for each metric, or a folder of mt-metrics-eval, which has
    people's scores too. With one FILE, metrics are its columns of numbers
    beside people's scores or, with --criterion, its other criteria.
    --without metric=NAME excludes a metric; --lower NAME says that lower
    is better.
    """
    from evenhand.metrics.evaluation import find_beside, meta_evaluate
    from evenhand.metrics.scores import (
        NOTICED,
        MetricScores,
        gather_scores,
        is_folder,
        read_gold_folder,
    )

    reading, criterion = run.reading, asked.criterion
    source, *named = reading.files
    others = [reading.standard_input if one == "-" else one for one in named]
    left_out = take_metrics(reading)
    reading.files = (source,)
    settings = choose_settings(reading)

    def open_people() -> Any:
        if not is_folder(source):
            return reading.open_systems()
        folder = read_gold_folder(Path(source), reading.task, criterion, where=reading.where)
        return folder.exclude_named(reading.without)

    def read_scores(data: Any) -> MetricScores:
        if others:
            return gather_scores(others, settings=settings).note_unused(data)
        return find_beside(source, data, criterion, task=reading.task, settings=settings)

    if is_folder(source):
        held = OF_SCORES if others else ()  # they hold for the files of scores
        unfit = [name for name in OF_TABLES if name not in held]
        options.refuse_given(unfit, "does not apply to a folder of mt-metrics-eval: leave it out")
    with advising_metrics(reading, lambda: read_scores(open_people())):
        data = open_people()
    given = read_scores(data)
    wanted = {**vars(asked), "criterion": None if is_folder(source) else criterion}
    better, names = wanted.pop("better"), options.split_names(wanted.pop("statistic"))
    result = meta_evaluate(
        data,
        given,
        **wanted,
        lower_is_better=None if better is None else better == "lower",
        statistics=names or None,
        task=reading.task,
        without=left_out,
    )
    read = [one for one in remarks_on(data, "controls") if getattr(one, "code", "") != NOTICED]
    return VerbResult(*part_groups(result), read)
