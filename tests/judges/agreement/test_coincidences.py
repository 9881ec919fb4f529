"""Pairs of scores: counted in lots as they are one by one, refused if too many, mirrored."""

import itertools

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.judges.agreement_intervals import form_blocks
from evenhand.judges.coefficients import fleiss_kappa, gwet_ac, krippendorff_alpha
from evenhand.judges.counts import Sums, count_coincidences, mirror
from score_tables import coincidences_of, units_of

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("cluster", ["item", "judge"])
@pytest.mark.parametrize("points", [5, 60])
def test_pairs_in_lots_are_the_pairs_one_by_one(points, cluster, monkeypatch):
    monkeypatch.setattr("evenhand.judges.counts.PAIRS_AT_A_TIME", 7)
    matrix = RNG.integers(0, points, (34, 4)).astype(float)
    units = units_of(matrix.tolist())
    found = count_coincidences(units, form_blocks(units, cluster, 1))
    counted: dict[tuple[float, float], float] = {}
    for column in matrix.T:
        for pair in itertools.combinations(sorted(column.tolist()), 2):
            counted[pair] = counted.get(pair, 0) + 1 / (34 * 33 / 2)
    held: dict[tuple[float, float], float] = {}
    ends = zip(found.points[found.low], found.points[found.high], found.per_unit, strict=True)
    for low, high, weight in ends:
        held[(low, high)] = held.get((low, high), 0) + weight
    held = {pair: weight for pair, weight in held.items() if weight}
    assert held == pytest.approx(counted)


def test_too_many_pairs_of_judges_are_refused(monkeypatch):
    monkeypatch.setattr("evenhand.judges.counts.MAX_PAIRS", {True: 1, False: 1})
    units = units_of(RNG.integers(0, 60, (12, 30)).tolist())
    with pytest.raises(NotIdentified, match="1,980 pairs of judges of one output are more than"):
        count_coincidences(units, form_blocks(units, "item", 1))


@pytest.mark.parametrize("tabled", [True, False])
@pytest.mark.parametrize("compute", [fleiss_kappa, krippendorff_alpha, gwet_ac])
def test_a_mirrored_table_is_the_table_beside_itself_with_outputs_exchanged(
    compute, tabled, monkeypatch
):
    if not tabled:
        monkeypatch.setattr("evenhand.judges.counts.MAX_POINTS_TABLED", 0)
    scores = RNG.choice([-1.0, 0.0, 1.0], (3, 25), p=[0.6, 0.3, 0.1])
    matrix = [[None if RNG.random() < 0.3 else x for x in row] for row in scores.tolist()]
    matrix[0][:3] = [-1.0, 0.0, 1.0]
    turned = [[None if x is None else -x for x in row] for row in matrix]
    both = [row + other for row, other in zip(matrix, turned, strict=True)]
    found = compute(Sums(mirror(coincidences_of(matrix)))).value
    if compute is krippendorff_alpha:  # n (n − 1) knows of twice as many scores
        assert found == pytest.approx(compute(Sums(coincidences_of(both))).value, abs=0.02)
    else:
        assert found == pytest.approx(compute(Sums(coincidences_of(both))).value, abs=1e-12)
