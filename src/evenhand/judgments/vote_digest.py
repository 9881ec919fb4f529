"""A digest of votes: the same for the same comparisons, in any order of rows, in whatever table."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import Votes

_ROLES = (("left", "systems"), ("right", "systems"), ("item", "items"), ("judge", "judges"))


def digest_votes(votes: Votes) -> str:
    """Return the SHA-256 of who said what of which output pair.

    Kinds count; times and seconds do not, nor do numbers of answers, nor names that no row has.

    >>> rows = [np.array(column, np.int32) for column in ([0, 0], [0, 1], [0, 0], [0, 0], [1, 1])]
    >>> one = Votes(("",), ("a", "b"), ("i",), ("s", "t"), *rows, np.array([0, 2], np.int8))
    >>> digest_votes(one) == digest_votes(one.take(np.array([1, 0])))
    True
    """
    digest = sha256("\x1f".join(votes.systems).encode())
    columns: list[NDArray[Any]] = [votes.outcome, *([] if votes.kind is None else [votes.kind])]
    for role, names in (*_ROLES, ("task", "tasks")):
        codes, labels = getattr(votes, role), getattr(votes, names)
        if role in ("item", "judge", "task"):
            present, codes = np.unique(codes, return_inverse=True)
            used = (labels[code] for code in present.tolist())
            digest.update("\x1f".join(used).encode() + b"\x1d")
        columns.append(codes.reshape(-1))
    if votes.criterion is not None:
        digest.update("\x1f".join(votes.criteria).encode())
        columns.append(votes.criterion)
    order = np.lexsort(columns)
    for column in columns:
        digest.update(np.ascontiguousarray(column[order]).astype("<i8").tobytes())
    return digest.hexdigest()
