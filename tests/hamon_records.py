"""The golden campaign of Hamon et al. (tests/golden/09) as pairs of scores."""

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.judges.agreement_intervals import form_blocks
from evenhand.judges.counts import Coincidences, count_coincidences
from evenhand.judges.units import find_units
from golden_numbers import Golden
from score_tables import declared, names


def hamon_coincidences(entry: Golden) -> Coincidences:
    """Records [segment, system, judge, replicate, score] as pairs of scores on 1 to 5."""
    segment, system, judge, _, score = np.array(entry.input["records"]).T
    none = np.zeros(len(score), dtype=np.int32)
    rows = RatingRows(
        ("",),
        names("judge", int(judge.max()) + 1),
        names("segment", int(segment.max()) + 1),
        tuple(entry.input["systems"]),
        ("",),
        none,
        judge.astype(np.int32),
        segment.astype(np.int32),
        system.astype(np.int32),
        none,
        score.astype(np.float64),
    )
    units = find_units(rows, declared([1, 2, 3, 4, 5]))
    return count_coincidences(units, form_blocks(units, "item", 1))
