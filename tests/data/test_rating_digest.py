"""The digest of ratings: what it tells apart, and what it does not."""

from dataclasses import replace

import numpy as np

from evenhand.data.rating_rows import digest_ratings
from score_tables import rows_of

MATRIX = [[1, 2, None], [3, 2, 5], [None, 4, 0.5]]


def test_what_rows_say_matters_and_not_how_they_stand_in_the_file():
    rows = rows_of(MATRIX)
    kind, score = np.zeros(rows.size, dtype=np.int8), rows.score.copy()
    score[0] = 0.25
    others = [
        *(
            replace(rows, **{names: (*getattr(rows, names)[:-1], "somebody else")})
            for names in ("judges", "items", "systems")
        ),
        replace(rows, score=score),
        rows.take(np.array([0, *range(rows.size)])),
        replace(rows, kind=kind),
        replace(rows, kind=np.where(np.arange(rows.size) == 0, 1, kind).astype(np.int8)),
    ]
    assert len({digest_ratings(one) for one in (rows, *others)}) == 1 + len(others)
    assert digest_ratings(rows.take(np.array([6, 3, 0, 1, 5, 2, 4]))) == digest_ratings(rows)
