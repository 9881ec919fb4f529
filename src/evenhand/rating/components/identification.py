"""Which components a design can tell apart: the others are left out, and it is said why.

The covariance of the scores is Σ σ_k² Z_k Z_kᵀ + σ_e² I. Components are told apart if these
matrices are linearly independent once the mean is taken out (Rao & Kleffe 1988, Estimation of
Variance Components and Applications, section 5.1). A term whose matrix is a combination of those
before it has its variance in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.components import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    RESIDUAL,
    SYSTEM,
)
from evenhand.rating.components.incidence import count_incidence
from evenhand.rating.components.terms import Term

Array = NDArray[np.float64]

LEAST: Final = 1e-9
"""Share of a term's matrix that must be its own."""
SOME: Final = 1e-3
"""Weight from which a term counts among those that another cannot be told from."""

SPARE: Final = 5e-3
"""Share of the scores that must be more than a term's levels, to tell it from the residual."""

_SEEN: Final = {
    (JUDGE_SYSTEM, RESIDUAL): "each judge saw each system once",
    (ITEM_SYSTEM, RESIDUAL): "each output was scored once",
    (JUDGE_ITEM, RESIDUAL): "each judge scored each item once",
    (ITEM, RESIDUAL): "each item was scored once",
    (JUDGE, RESIDUAL): "each judge gave one score",
    (SYSTEM, RESIDUAL): "each system has one score",
    (JUDGE_SYSTEM, JUDGE): "each judge scored one system",
    (JUDGE_SYSTEM, SYSTEM): "each system was scored by one judge",
    (ITEM_SYSTEM, ITEM): "each item has the output of one system",
    (ITEM_SYSTEM, SYSTEM): "each system has one item",
    (JUDGE_ITEM, JUDGE): "each judge scored one item",
    (JUDGE_ITEM, ITEM): "each item was scored by one judge",
    (JUDGE, SYSTEM): "each system was scored by a judge of its own",
    (ITEM, SYSTEM): "each system has an item of its own",
    (ITEM, JUDGE): "each judge has an item of his or her own",
    (JUDGE_SYSTEM, ITEM_SYSTEM): "each output was scored by one judge, who scored no other item",
    (JUDGE_ITEM, ITEM_SYSTEM): "each judge scored one output of an item, and each output once",
    (JUDGE_ITEM, JUDGE_SYSTEM): "each judge scored one item of each system",
}
"""What is true of a design in which two terms are one partition."""


@dataclass(frozen=True)
class Identified:
    """What can be estimated.

    Attributes:
        terms: terms with a variance of their own.
        carries: name of a term, or "residual" → terms that cannot be told from it.
        reasons: what cannot be told, and why, in sentences.

    """

    terms: tuple[Term, ...]
    carries: Mapping[str, tuple[str, ...]]
    reasons: tuple[str, ...]


def identify(terms: Sequence[Term]) -> Identified:
    """Keep the terms that the design can tell apart, those of one factor before those of two."""
    n = len(terms[0].codes)
    rest = Term(RESIDUAL, np.arange(n), n)
    gram = count_incidence([rest, *terms]).gram
    held, kept = [rest], [0] if n > 1 else []
    carries: dict[str, list[str]] = {}
    reasons = []
    single: set[str] = set()
    for at, term in enumerate(terms, start=1):
        if term.size < 2:
            reasons += [_say_single(term)] if " x " not in term.name else []
            single.add(term.name)
            continue
        weights, own = _explain(gram, kept, at)
        if own > LEAST and 0 < n - term.size < SPARE * n:
            reasons.append(_say_nearly(term, n))
            carries.setdefault(RESIDUAL, []).append(term.name)
            continue
        if own > LEAST:
            kept.append(at)
            held.append(term)
            continue
        into = [held[i] for i in np.flatnonzero(np.abs(weights) > SOME)]
        if not single.intersection(term.name.split(" x ")):  # else it was said of the factor
            reasons.append(_say_merged(term, into))
        carries.setdefault(into[-1].name, []).append(term.name)
    merged = {name: tuple(names) for name, names in carries.items()}
    return Identified(tuple(held[1:]), merged, tuple(reasons))


def _explain(gram: Array, kept: list[int], at: int) -> tuple[Array, float]:
    """Return the combination of kept matrices nearest to a further one, and the share left."""
    if not kept or gram[at, at] <= 0:
        return np.zeros(len(kept)), 1.0
    scale = np.sqrt(np.diag(gram)[kept])
    inner = gram[np.ix_(kept, kept)] / scale / scale[:, None]
    towards = gram[kept, at] / scale / np.sqrt(gram[at, at])
    weights = np.linalg.solve(inner, towards)
    return weights, float(1 - towards @ weights)


def _say_single(term: Term) -> str:
    return f"there is one {term.name}: nothing can be said of how {term.name}s differ"


def _say_nearly(term: Term, n: int) -> str:
    """Say that a few scores are all that could tell a term from the residual."""
    return (
        f"{term.name} cannot be told from the {RESIDUAL}: only {n - term.size:,} of {n:,} scores"
        " would tell them apart"
    )


def _say_merged(term: Term, into: Sequence[Term]) -> str:
    """Say which terms a term cannot be told from, and what in the design makes it so."""
    names = [f"the {one.name}" if one.name == RESIDUAL else one.name for one in into]
    fault = f"{term.name} cannot be told from {listing(names)}"
    why = _SEEN.get((term.name, into[0].name)) if len(into) == 1 else None
    return f"{fault}: {why or 'in this design they always go together'}"
