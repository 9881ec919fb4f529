"""Which systems comparisons link, and what only the prior says."""

from __future__ import annotations

from typing import Final

import numpy as np

from evenhand.errors import listing
from evenhand.numerics.graph import Graph, weak_components
from evenhand.preference.irt.outputs import OutputPairs

_SHOWN: Final = 4


def note_parts(pairs: OutputPairs) -> list[str]:
    """Say which systems only the prior places, and which groups only the prior links."""
    k, name = len(pairs.systems), np.argsort(pairs.code)
    one, other = (name[pairs.author[side]] for side in (pairs.one, pairs.other))
    seen = np.isin(np.arange(k), np.concatenate((one, other)))
    unseen = [pairs.systems[i] for i in np.flatnonzero(~seen).tolist()]
    notes = []
    if unseen:
        notes.append(f"never compared, so that they stand as the prior has it: {listing(unseen)}")
    part = weak_components(Graph(k, one.astype(np.intp), other.astype(np.intp)))
    groups = [
        listing([pairs.systems[i] for i in np.flatnonzero(part == group).tolist()], _SHOWN)
        for group in np.unique(part[seen]).tolist()
    ]
    if len(groups) > 1:
        notes.append(
            "no comparison links these groups, so that the prior alone says how they compare:"
            f" {' | '.join(groups)}"
        )
    return notes
