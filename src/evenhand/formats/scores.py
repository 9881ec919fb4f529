"""What is in a table of ratings: how many scores, by whom, and their range under each criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from evenhand.errors import InvalidJudgments
from evenhand.formats.overlap import count_overlap
from evenhand.judgments.alike import say_alike
from evenhand.judgments.engine import fetch_columns
from evenhand.judgments.portable import mark_whole
from evenhand.judgments.ratings import Ratings


@dataclass(frozen=True)
class Scores:
    """The scores under one criterion of a table of ratings."""

    criterion: str | None  # its name; None where the table has no such column
    count: int  # scores that are there
    missing: int  # scores that are not
    lowest: float | None  # the lowest
    mean: float | None  # the mean
    highest: float | None  # the highest; all three None where no score is there


def inspect_ratings(data: Ratings) -> tuple[dict[str, Any], tuple[Scores, ...]]:
    """Count judges, items and systems of ratings, and describe the scores."""
    scores = _describe(data)
    n = sum(one.count + one.missing for one in scores)
    if not n:
        raise InvalidJudgments(f"no judgments in {data.source.name}: nothing to count")
    loads = _loads(data, "judge") if "judge" in data.columns else None
    counted: dict[str, Any] = {"judgments": n, "systems": len(_loads(data, "system"))}
    if loads is not None:
        counted["judges"] = len(loads)
        counted["effective_judges"] = sum(loads) ** 2 / sum(load**2 for load in loads)
    roles = [role for role in ("task", "judge", "item") if role in data.columns]
    frame = data.frame.select(*roles, nw.lit(1).alias("evenhand_n"))
    if "task" not in roles:
        frame = frame.with_columns(task=nw.lit(""))
    overlap = count_overlap(frame, judge="judge" in roles).values()
    if overlap:
        counted["items"] = sum(one.items for one in overlap)
    if overlap and loads is not None:
        counted["shared_items"] = sum(one.shared or 0 for one in overlap)
    return counted, scores


def say_alike_of(data: Ratings) -> tuple[str, ...]:
    """Say which names of systems, and of judges, nearly agree."""
    roles = [role for role in ("system", "judge") if data.has(role)]
    return tuple(note for role in roles for note in say_alike(_names(data, role), role))


def _names(data: Ratings, role: str) -> list[str]:
    named = data.frame.select(nw.col(role).cast(nw.String))
    found = fetch_columns(named.group_by(role).agg(nw.len().alias("n")))[role]
    return [str(name) for name in found if name is not None]


def _loads(data: Ratings, role: str) -> list[int]:
    """Count the ratings of each level of a role."""
    counted = data.frame.group_by(role).agg(nw.len().alias("n"))
    return [int(n) for n in fetch_columns(counted)["n"]]


def _describe(data: Ratings) -> tuple[Scores, ...]:
    """Give count and range of the scores under each criterion, sorted by name."""
    frame = data.frame
    if "criterion" not in data.columns:
        frame = frame.with_columns(criterion=nw.lit(""))
    score = nw.col("score").cast(nw.Float64)
    rows = fetch_columns(
        frame.with_columns(score=score, missing=mark_whole(score.is_null()))
        .group_by("criterion")
        .agg(
            nw.len().alias("n"),
            nw.col("missing").sum(),
            nw.col("score").min().alias("lowest"),
            nw.col("score").mean().alias("mean"),
            nw.col("score").max().alias("highest"),
        )
    )
    names = ("criterion", "n", "missing", "lowest", "mean", "highest")
    found = sorted(zip(*(rows[name].tolist() for name in names), strict=True))
    return tuple(
        Scores(criterion or None, int(n - gone), int(gone), *(ends if n > gone else (None,) * 3))
        for criterion, n, gone, *ends in found
    )
