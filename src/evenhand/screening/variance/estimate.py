"""Variance components of judgments of any kind."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    require_level,
    require_option,
)
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import CONTROL, REPEAT, TARGET, RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Factor, Tally
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.votes import LEFT, RIGHT, TIE, Votes
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.preference.variance_components import estimate_taste_components
from evenhand.rating.variance_components import Systems, estimate_rating_components
from evenhand.screening.variance.likelihood import estimate_likely_components
from evenhand.screening.variance.repeats import average_repeats
from evenhand.screening.variance.result import Observed, VarianceComponents
from evenhand.screening.variance.words import note_unknown

Judgments = Ratings | RatingRows | Comparisons | Rankings | Votes
Method = Literal["moments", "likelihood"]
LEVEL: Final = 0.95
_RANKED: Final = (
    "the part of chance takes comparisons of one ranking for independent; estimates of tastes do"
    " not"
)


def estimate_components(
    data: Judgments,
    *,
    systems: Systems = "random",
    method: Method | None = None,
    level: float = LEVEL,
    quick: bool = False,
) -> VarianceComponents:
    """Say how much of what judges said is due to systems, judges, items, tastes and chance.

    Args:
        data: ratings of one task under one criterion, of which the mean counts where a judge
            scored an output several times; or comparisons or rankings, with judges or
            items named.
        systems: of ratings: random, a sample of systems; fixed, these systems only.
        method: of comparisons: moments, by default; likelihood fits judges' tastes by
            `RandomJudges` as well, at the cost of seconds.
        level: of the intervals.
        quick: of ratings: whether moment estimates will do, which come without intervals.

    Raises:
        NotIdentified: the design tells nothing apart, or worths have no estimate.
        NotConverged: a likelihood without a clear maximum.
        InvalidJudgments: ratings of several tasks or criteria; a value that cannot be.
        UnknownOption: a setting that does not exist, or does not fit the data.

    >>> import evenhand
    >>> import polars as pl
    >>> rows = [
    ...     {"judge": f"j{j}", "item": str(i), "system": s, "score": 3.0 * j + (j * i + ord(s)) % 4}
    ...     for j in range(4)
    ...     for i in range(9)
    ...     for s in "ABC"
    ... ]
    >>> found = evenhand.estimate_components(evenhand.read(pl.DataFrame(rows)))
    >>> round(found.find("judge").sd)
    4
    """
    require_option("systems", systems, ("random", "fixed"))
    require_level(level)
    if isinstance(data, Ratings | RatingRows):
        if method is not None:
            raise UnknownOption("ratings have one method, restricted likelihood: leave method out")
        rows = data.rows() if isinstance(data, Ratings) else data
        return _of_ratings(rows, systems, level, quick=quick)
    require_option("method", method or "moments", ("moments", "likelihood"))
    return _of_comparisons(data, likelihood=method == "likelihood", level=level)


def _of_ratings(
    rows: RatingRows, systems: Systems, level: float, *, quick: bool
) -> VarianceComponents:
    """Estimate from ratings."""
    kept = rows.targets()
    if not kept.size:
        raise InvalidJudgments("no scores of outputs: there are controls and repeats only")
    _refuse_several(kept)
    _refuse_nameless(kept)
    scored, repeated = average_repeats(kept)
    found = estimate_rating_components(scored, systems=systems, level=level, quick=quick)
    judges, items, outputs, who = (
        len(np.unique(one)) for one in (kept.judge, kept.item, kept.output, kept.system)
    )
    left = rows.size - kept.size
    notes = [f"{left:,} controls and repeats left out"] if left else []
    parts = [f"variance components, {found.method}, systems {systems}", f"level {level:g}"]
    return VarianceComponents(
        "ratings",
        "points",
        found.components,
        found.sharing,
        Observed(judges, items, who, kept.size, kept.size, scored.size / outputs),
        found.method,
        level,
        1.0,
        None,
        found.reasons,
        (*rows.notes, *notes, *repeated, *found.notes, *note_unknown(found.components)),
        write_signature(parts, kept.size, digest_ratings(kept), judges=judges),
    )


def _refuse_nameless(rows: RatingRows) -> None:
    """Refuse ratings of which nobody knows who gave them, or to what."""
    for role, names in (("judge", rows.judges), ("item", rows.items)):
        if names == ("",):
            raise NotIdentified(
                f"nobody knows the {role}s: the data have no column of {role}s",
                [f"name it, as in --column {role}=NAME"],
            )


def _refuse_several(rows: RatingRows) -> None:
    """Refuse ratings of several tasks or criteria."""
    for name in ("task", "criterion"):
        labels, codes = rows.labels(name)
        present = [labels[code] for code in np.unique(codes).tolist()]
        if len(present) > 1:
            raise InvalidJudgments(
                f"these ratings are of several {'tasks' if name == 'task' else 'criteria'}"
                f" ({listing(present, 5)}), which are no sources of chance: take one, with"
                f" data.where(...), or `evenhand variance`, which takes each apart"
            )


def _of_comparisons(
    data: Comparisons | Rankings | Votes, *, likelihood: bool, level: float
) -> VarianceComponents:
    """Estimate from comparisons, or from rankings expanded into them."""
    votes, said = _read_votes(data)
    kept = votes if votes.kind is None else votes.take(votes.kind == TARGET)
    tally = _count(kept)
    estimate = estimate_likely_components if likelihood else estimate_taste_components
    found, notes = estimate(tally, level=level), [*said, *_note_votes(votes, kept)]
    judges, items = (len(np.unique(one)) for one in (kept.judge, kept.item))
    parts = [
        f"variance components, {'likelihood' if likelihood else 'moments'}",
        f"level {level:g}",
    ]
    return VarianceComponents(
        "comparisons" if kept.answer is None else "rankings",
        "log-worth",
        found.components,
        found.sharing,
        Observed(
            judges, items, len(tally.systems), tally.n_judgments, kept.size, kept.size / judges
        ),
        "moments",
        level,
        found.growth,
        found.per_vote,
        found.reasons,
        (*notes, *found.notes, *note_unknown(found.components)),
        write_signature(parts, tally.n_judgments, digest_votes(kept), judges=judges),
    )


def _read_votes(data: Comparisons | Rankings | Votes) -> tuple[Votes, tuple[str, ...]]:
    """Read judgments of systems; say what was left out before they were read."""
    if isinstance(data, Votes):
        return data, ()
    table = require_pairs(data, "variance is of comparisons, rankings or ratings, not of")
    return table.votes(), say_left_out(data, table)


def _note_votes(votes: Votes, kept: Votes) -> list[str]:
    """Say what was left out, and what is taken together."""
    notes = [*votes.notes]
    if votes.kind is not None:
        left = {"controls": votes.kind == CONTROL, "repeats": votes.kind == REPEAT}
        notes += [f"{rows.sum():,} {name} left out" for name, rows in left.items() if rows.any()]
    if len(votes.tasks) > 1:
        notes.append(f"{len(votes.tasks)} tasks are pooled")
    return notes if kept.answer is None else [*notes, _RANKED]


def _count(votes: Votes) -> Tally:
    """Return the votes as counts, told apart by judge, item and answer where these are known."""
    named = [("judge", votes.judge, votes.judges), ("item", votes.item, votes.items)]
    factors = {name: _factor(codes, labels) for name, codes, labels in named if labels != ("",)}
    answers = votes.size
    if votes.answer is not None:
        own = np.unique(votes.answer, return_inverse=True)[1].reshape(-1)
        answers = int(own.max()) + 1
        factors["ranking"] = _factor(own, tuple(map(str, range(answers))))
    wins, ties, losses = (
        (votes.outcome == outcome).astype(np.float64) for outcome in (LEFT, TIE, RIGHT)
    )
    sides = (votes.systems, votes.left, votes.right)
    tally = Tally(*sides, wins, ties, losses, factors, n_judgments=float(answers))
    return tally.pool(tuple(factors))


def _factor(codes: NDArray[np.integer], labels: tuple[str, ...]) -> Factor:
    """Return a factor of the levels that occur."""
    present, own = np.unique(codes, return_inverse=True)
    own = own.reshape(-1).astype(np.int32)
    names = tuple(labels[code] for code in present.tolist())
    return Factor(names, own, np.bincount(own).astype(np.float64), len(present))
