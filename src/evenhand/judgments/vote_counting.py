"""Votes become a tally again: what is drawn row by row is counted for models of counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import UnknownColumn, listing
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Codes, Factor, Tally

if TYPE_CHECKING:
    from evenhand.judgments.votes import Votes

# Factors of which votes keep the names; beside them `by` may hold "ranking" and "criterion"
NAMED: Final = ("judge", "item", "task")
NAMELESS: Final = ("",)  # The only name where no column says more


def count_votes(votes: Votes, by: Sequence[str] = ()) -> Tally:
    """Count outcomes per pair of systems as shown, and per judge, item, ... in `by`.

    All systems keep their codes, also those that no vote is on: a model then says what it makes of
    systems that it has not seen.
    """
    k = len(votes.systems)
    levels = {name: _level(votes, name) for name in by}
    digits = [(codes, len(names)) for names, codes in levels.values()]
    key = join_codes([*digits, (votes.left, k), (votes.right, k)])
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    counts = np.bincount(inverse * 3 + votes.outcome, minlength=3 * len(first)).reshape(-1, 3)
    answers = votes.size if votes.answer is None else len(np.unique(votes.answer))
    wins, ties, losses = counts.T.astype(np.float64)
    return Tally(
        systems=votes.systems,
        left=votes.left[first],
        right=votes.right[first],
        wins=wins,
        ties=ties,
        losses=losses,
        factors={name: _factor(*level, first) for name, level in levels.items()},
        n_judgments=float(answers),
        positions_known=votes.positions_known,
    )


def _level(votes: Votes, name: str) -> tuple[tuple[str, ...], Codes]:
    """Return the names of a factor's levels and the level of each vote."""
    if name == "ranking" and votes.answer is not None:
        used, codes = np.unique(votes.answer, return_inverse=True)
        return tuple(map(str, used.tolist())), codes.astype(np.int32)
    if name == "criterion" and votes.criterion is not None:
        return votes.criteria, votes.criterion
    if name in NAMED and getattr(votes, f"{name}s") != NAMELESS:
        return getattr(votes, f"{name}s"), getattr(votes, name)
    raise UnknownColumn(f"these votes do not tell apart {name}: {_known(votes)}")


def _known(votes: Votes) -> str:
    """Say which factors votes have."""
    known = [name for name in NAMED if getattr(votes, f"{name}s") != NAMELESS]
    known += [] if votes.answer is None else ["ranking"]
    known += [] if votes.criterion is None else ["criterion"]
    return f"they know {listing(known)}" if known else "they know left, right and outcome alone"


def _factor(names: tuple[str, ...], codes: Codes, first: np.ndarray) -> Factor:
    """Keep the levels that occur."""
    used, loads = np.unique(codes, return_counts=True)
    at = np.searchsorted(used, codes[first]).astype(np.int32)
    labels = tuple(names[i] for i in used.tolist())
    return Factor(labels, at, loads.astype(np.float64), len(labels))
