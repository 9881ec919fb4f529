"""Who judged the same items, and how many rankings there are: counted by task in the engine."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import numpy as np

from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import ANSWER, Frame, fetch_columns
from evenhand.judgments.portable import mark_whole
from evenhand.judgments.rankings import Rankings

_N = "evenhand_n"


@dataclass(frozen=True)
class Overlap:
    """Items of one task, and those that two or more judges judged."""

    items: int  # different items
    shared: int | None  # items of two or more judges; None without judges
    share: float | None  # share of judgments on them; None without judges


@dataclass(frozen=True)
class RankingCounts:
    """Rankings of one task."""

    all: int  # all of them
    blank: int  # those in which nothing was ranked
    used: int  # those that compare at least two outputs
    ranks: int  # ranks of the rankings that are not blank, given or not
    blank_ranks: int  # those of them that are not given


def one_row_per_answer(data: Comparisons) -> Frame:
    """Return one row for each answer with its weight: rankings are not taken apart."""
    roles = [role for role in ("task", "judge", "item") if data.has(role)]
    if data.rankings is not None:
        sizes = _rank_sizes(data.rankings, roles)
        used = sizes.filter(nw.col("ranked") > 1)
        return _with_task(used.select(*roles, nw.lit(1).alias(_N)))
    weight = nw.col("weight") if data.has("weight") else nw.lit(1)
    if not data.expanded:
        return _with_task(data.frame.select(*roles, weight.alias(_N)))
    every = data.frame.select(ANSWER, *roles, weight.alias(_N))
    return _with_task(every.group_by(ANSWER, *roles).agg(nw.col(_N).max()))


def count_overlap(frame: Frame, *, judge: bool) -> dict[str | None, Overlap]:
    """Count the items of each task, and those of two or more judges."""
    if "item" not in frame.collect_schema().names():
        return {}
    # two judges or more are there where the first by name is not the last: one group an item
    who = nw.col("judge") if judge else nw.lit("")
    items = (
        frame.with_columns(first=who, last=who)
        .group_by("task", "item")
        .agg(nw.col("first").min(), nw.col("last").max(), nw.col(_N).sum())
    )
    shared = mark_whole(nw.col("first") != nw.col("last"))
    items = items.with_columns(shared=shared).with_columns(on_shared=shared * nw.col(_N))
    counted = items.group_by("task").agg(
        nw.len().alias("items"),
        nw.col("shared").sum(),
        nw.col("on_shared").sum(),
        nw.col(_N).sum(),
    )
    rows = fetch_columns(counted)
    return {
        task or None: Overlap(
            int(n), int(shared) if judge else None, float(on / total) if judge and total else None
        )
        for task, n, shared, on, total in zip(
            *(rows[name].tolist() for name in ("task", "items", "shared", "on_shared", _N)),
            strict=True,
        )
    }


def count_rankings(rankings: Rankings) -> dict[str | None, RankingCounts]:
    """Count the rankings of each task; the key is None where there are no tasks."""
    sizes = _with_task(_rank_sizes(rankings, ["task"] if rankings.has("task") else []))
    sizes = sizes.with_columns(
        blank=mark_whole(nw.col("ranked") == 0),
        used=mark_whole(nw.col("ranked") > 1),
        begun=nw.col("rows") * mark_whole(nw.col("ranked") > 0),
    )
    sums = ("blank", "used", "begun", "ranked")
    counted = sizes.group_by("task").agg(
        nw.len().alias("all"), *(nw.col(name).sum() for name in sums)
    )
    rows = fetch_columns(counted)
    return {
        task or None: RankingCounts(n, blank, used, begun, begun - ranked)
        for task, (n, blank, used, begun, ranked) in zip(
            rows["task"].tolist(),
            np.stack([rows[name] for name in ("all", *sums)], axis=1).astype(int).tolist(),
            strict=True,
        )
    }


def _rank_sizes(rankings: Rankings, roles: list[str]) -> Frame:
    """Count the ranked outputs of each ranking."""
    ranked = mark_whole((nw.col("rank") > 0).fill_null(value=False))
    keys = list(dict.fromkeys([*roles, *(["task"] if rankings.has("task") else []), "ranking"]))
    frame = rankings.frame.select(*keys, ranked.alias("ranked"))
    return frame.group_by(*keys).agg(nw.col("ranked").sum(), nw.len().alias("rows"))


def _with_task(frame: Frame) -> Frame:
    """Add an empty task where there is none, so that both kinds of table are counted alike."""
    if "task" in frame.collect_schema().names():
        return frame
    return frame.with_columns(task=nw.lit(""))
