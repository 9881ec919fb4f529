"""Which votes are held out, and which of the others a model is trained on (Hopkins & May 2013).

A task's test set are the comparisons of items that are in at most k comparisons, k the smallest
number with 2,000 such comparisons; the rest trains. Items that few comparisons are on were not
picked for any purpose, so that they come near to an even sample. Training subsets are drawn from
the rest, comparison by comparison: 100, 200, ..., 3200, or all where there are fewer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import snake
from evenhand.data.votes import TIE, Predictor, PreferenceModel, Votes
from evenhand.errors import (
    ActionableError,
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
)
from evenhand.numerics.cluster_means import (
    Clusters,
    Strata,
    holds_stratum,
    number_groups,
    why_not_clustered,
)
from evenhand.ranking.texts import say
from evenhand.render.counts import effective, plural, say_answers, share

# How surprised a model is by votes: the loss of each in bits, and perplexity.
#
# loss_i = −log₂ Q(π_i | s, t),   perplexity = 2^(mean loss)     (Hopkins & May 2013, section 4)
#
# A perplexity of 3 is that of guessing among three outcomes, of 1 that of perfect prediction.

Array = NDArray[np.float64]
CHANCE_TOLERANCE: Final = 1e-6  # By how much chances may miss adding up to one


def measure_losses(fit: Predictor, votes: Votes) -> Array:
    """Return the (n,) losses of votes (bits); each ordered pair of systems is predicted once."""
    k = len(votes.systems)
    pairs, at = np.unique(votes.left.astype(np.int64) * k + votes.right, return_inverse=True)
    names = [(votes.systems[p // k], votes.systems[p % k]) for p in pairs.tolist()]
    chances = np.asarray(fit.predict(names), dtype=np.float64)
    if chances.shape != (len(names), 3):
        raise InvalidJudgments(
            f"predictions have shape {chances.shape}, and {len(names)} pairs have chances of left,"
            " tie and right"
        )
    wrong = ~(np.isfinite(chances).all(axis=1) & (chances >= 0).all(axis=1))
    wrong |= ~(np.abs(chances.sum(axis=1) - 1) <= CHANCE_TOLERANCE)
    if wrong.any():
        at = int(np.argmax(wrong))
        row = ", ".join(f"{value:.6g}" for value in chances[at])
        raise InvalidJudgments(
            f"predictions are no distributions: {names[at][0]} against {names[at][1]} has chances"
            f" {row}, which must be 0 or more and add up to 1"
        )
    happened = chances[at.reshape(-1), votes.outcome]
    impossible = int(np.count_nonzero(happened <= 0))
    if impossible:
        raise NotIdentified(
            f"gave chance 0 to {impossible:,} held-out judgment{'s' * (impossible > 1)} of"
            f" {votes.size:,}: its perplexity is infinite",
            ["train it on more judgments", "choose a model with a prior"],
        )
    return np.asarray(-np.log2(happened))


def raise_bits(bits: float) -> float:
    """Return 2^bits, to 12 decimals: beyond these are only roundings of logarithms and powers."""
    return round(float(np.exp2(bits)), 12)


def average(values: Array) -> float:
    """Return the mean; of values that are all alike exactly these, without rounding."""
    first = values.flat[0]
    return float(first + (values - first).mean())


# Correlated votes: those of one judge, and those on one item.
#
# What follows for means of them is in numerics/cluster_means.py.

Integers = NDArray[np.int64]
MAX_CLUSTERS: Final = 400  # Most clusters of a way; more are put together at random, which is valid
ENOUGH_JUDGES: Final = 8  # Effective judges below which intervals are wide


def find_clusters(votes: Votes, seed: int) -> Clusters:
    """Say which votes are correlated: by judge and item where known, else by answer."""
    task = number_groups(votes.task)
    tasks = int(task.max()) + 1
    strata = Strata(task, np.full(tasks, 1 / tasks))
    clusterings: dict[str, Integers] = {}
    notes: list[str] = []
    for name in ("judge", "item"):
        codes = number_groups(getattr(votes, name))
        why: str | None = say("no-such-column", name=name)
        if getattr(votes, f"{name}s") != ("",):
            why = why_not_clustered(name, codes, strata)
        if why is None:
            clusterings[name] = _merge(codes, strata, seed)
        else:
            notes.append(why)
    few = count_effective(votes)
    if "judge" in clusterings and few is not None and round(few, 1) < ENOUGH_JUDGES:
        notes.append(say("few-judges-held-out", judges=few, enough=ENOUGH_JUDGES))
    if not clusterings:
        name = "judgment" if votes.answer is None else "ranking"
        clusterings[name] = _merge(number_answers(votes), strata, seed)
    return Clusters(clusterings, strata, tuple(notes))


def count_effective(votes: Votes) -> float | None:
    """Return the effective number of judges, (Σ n)² / Σ n²; None where nobody names them."""
    if votes.judges == ("",):
        return None
    loads = np.bincount(votes.judge).astype(np.float64)
    return float(loads.sum() ** 2 / (loads**2).sum())


def count_sides(votes: Votes) -> dict[str, Any]:
    """Count answers, judges, items and systems of votes; None where nobody names them."""
    known = {"judges": votes.judges != ("",), "items": votes.items != ("",)}
    codes = {"judges": votes.judge, "items": votes.item}
    return {
        "n_judgments": votes.size if votes.answer is None else len(np.unique(votes.answer)),
        **{f"n_{name}": len(np.unique(codes[name])) if known[name] else None for name in codes},
        "n_systems": len(np.unique(np.concatenate([votes.left, votes.right]))),
        "effective_judges": count_effective(votes),
    }


def say_votes(votes: Votes) -> str:
    counts = count_sides(votes)
    texts = [say_answers(counts["n_judgments"], votes.size, "answer")]
    for one in ("judge", "item", "system"):
        if (many := counts[f"n_{one}s"]) is not None:
            uneven = effective(many, counts["effective_judges"]) if one == "judge" else ""
            texts.append(plural(many, one) + uneven)
    return ", ".join([*texts, f"{share(int((votes.outcome == TIE).sum()), votes.size)} ties"])


def _merge(codes: Integers, strata: Strata, seed: int) -> Integers:
    """Put clusters beyond the most that are kept together, heavy with light."""
    loads = np.bincount(codes).astype(np.float64)
    if len(loads) <= MAX_CLUSTERS:
        return codes
    merged = snake(loads, MAX_CLUSTERS, seed)[codes].astype(np.int64)
    return codes if holds_stratum(merged, strata) else merged


def number_answers(votes: Votes) -> Integers:
    """Return the number of each vote's answer; its own where each is one."""
    if votes.answer is None:
        return np.arange(votes.size)
    return number_groups(votes.answer)


# How sure means over random training subsets are, beside how sure held-out votes leave them.
#
# V = V_votes + Σ_t s²_t / (R T²),   ν = V² / (V²_votes / ν_votes + V²_trials / (T′ (R − 1)))
#
# s²_t is the variance between the R trials of task t, T′ the tasks whose trials differ: those whose
# training votes are taken whole do not. ν is after Satterthwaite (1946), Biometrics Bulletin
# 2:110-114.


def find_chance(trials: Array) -> tuple[float, float]:
    """Return the variance of a mean over (T, R) values by trials, 0 of one trial, and its df."""
    tasks, each = trials.shape
    if each == 1:
        return 0.0, 0.0
    moved = trials - trials[:, :1]  # trials that are all alike have no variance at all
    variance = moved.var(axis=1, ddof=1)
    varying = int(np.count_nonzero(variance))
    return float(variance.sum()) / each / tasks**2, float(varying * (each - 1))


def join_df(votes: float, votes_df: float, chance: float, chance_df: float) -> float:
    if chance == 0:
        return votes_df
    return (votes + chance) ** 2 / (votes**2 / votes_df + chance**2 / chance_df)


Progress = Callable[[int, int], None]
Models = Mapping[str, PreferenceModel]
# Why a model may have no loss on some votes
REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownColumn, UnknownOption)


@dataclass(frozen=True, eq=False)
class Trained:
    losses: Array | None  # (n,) losses of the test votes (bits); None if it was refused
    why: str  # why it was refused, else ""
    seconds: float  # CPU seconds, without the loading of modules


def train(model: PreferenceModel, votes: Votes, test: Votes) -> Trained:
    loaded, began = len(sys.modules), process_time()
    losses, why = None, ""
    try:
        losses = measure_losses(model.fit(votes), test)
    except REFUSALS as refusal:  # without options that are no help here
        why = str(refusal.without_options() if isinstance(refusal, ActionableError) else refusal)
    trained = Trained(losses, why, process_time() - began)
    # one that loads modules is done again, so that its seconds are those of any other
    return trained if len(sys.modules) == loaded else train(model, votes, test)


Rows = NDArray[np.intp]
MIN_HELD_OUT: Final = 2000  # Held-out comparisons of a task, at least
SIZES: Final = (100, 200, 400, 800, 1600, 3200)
TRIALS: Final = 5


@dataclass(frozen=True, eq=False)
class Split:
    most: int  # comparisons of a held-out item, at most: k
    test: Rows  # row numbers of the held-out comparisons
    train: Rows  # of the others


def hold_out_rare_items(votes: Votes, least: int = MIN_HELD_OUT) -> Split:
    """Divide the votes of a task: the items with the fewest votes are held out."""
    if votes.items == ("",):
        raise UnknownColumn(
            "there is no item column, and the test set is made of items with few comparisons: map"
            " one (--column item=NAME), or cross-validate"
        )
    if votes.size < least:
        raise NotIdentified(
            f"{votes.size:,} comparisons are fewer than the {least:,} to hold out",
            ["hold out fewer", "cross-validate"],
        )
    load = np.bincount(votes.item)[votes.item]
    most = int(np.sort(load)[least - 1])
    held = load <= most
    if held.all():
        raise NotIdentified(
            f"no item has more than {most} comparisons: with {least:,} held out nothing is left to"
            " train on",
            ["hold out fewer", "cross-validate"],
        )
    return Split(most, np.flatnonzero(held), np.flatnonzero(~held))


def draw_subset(rows: Rows, size: int, seed: int, at: tuple[int, ...]) -> Rows:
    """Draw so many rows, in their order; all of them where there are no more."""
    if len(rows) <= size:
        return rows
    rng = np.random.Generator(np.random.PCG64([seed, *at]))
    return rows[np.sort(rng.choice(len(rows), size, replace=False))]
