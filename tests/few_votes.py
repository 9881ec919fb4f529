"""A few comparisons as votes, for tests of agreement."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from evenhand.data.votes import Votes

Row = tuple[int, int, int, int, int]


def votes_of(rows: Sequence[Row], kind: Any = None) -> Votes:
    """Votes from (judge, item, left, right, outcome), all codes below 10."""
    judge, item, left, right, outcome = (np.array(column) for column in zip(*rows, strict=True))
    digits = tuple(map(str, range(10)))
    return Votes(
        ("",),
        digits,
        digits,
        digits,
        np.zeros(len(rows), dtype=np.int32),
        *(codes.astype(np.int32) for codes in (judge, item, left, right)),
        outcome.astype(np.int8),
        kind=kind,
    )


@st.composite
def vote_rows(draw: st.DrawFn) -> list[Row]:
    """Up to 25 votes of three judges on three items and four systems."""
    few = st.integers(0, 2)
    rows = draw(st.lists(st.tuples(few, few, few, few, few), min_size=1, max_size=25))
    return [row if row[2] != row[3] else (*row[:3], 3, row[4]) for row in rows]
