"""Decisions from fewer ratings: masks, full parts, and what must come out."""

import numpy as np
import pytest

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.rating_rows import RatingRows
from evenhand.rating.masks import COMMON, SPREAD, Design, make_designs, take_full
from evenhand.rating.matrix import make_matrix
from evenhand.rating.nuclear_norm import NuclearNorm
from evenhand.rating.reliability import study_decisions
from rating.rated_matrices import make_rows


def campaign(seed=1, *, severity=2.0, noise=1.0, systems=5, items=12, judges=8) -> RatingRows:
    """Every judge rates every system's output of every item."""
    rng = np.random.default_rng(seed)
    judge, item, system = (
        one.ravel() for one in np.meshgrid(*map(np.arange, (judges, items, systems)), indexing="ij")
    )
    score = 0.4 * system + rng.normal(0, severity, judges)[judge]
    score = score + rng.normal(0, 0.7, (items, systems))[item, system]
    return several(judge, item, system, score + rng.normal(0, noise, len(score)))


def several(judge, item, system, score) -> RatingRows:
    codes = [np.asarray(one, dtype=np.int32) for one in (judge, item, system)]
    names = [
        tuple(f"{letter}{i:02d}" for i in range(int(one.max()) + 1))
        for letter, one in zip("jis", codes, strict=True)
    ]
    none = np.zeros(len(score), dtype=np.int32)
    return RatingRows(("",), *names, ("",), none, *codes, none, np.asarray(score))


NAMES = ("raw mean", "judge + output")


@pytest.fixture(scope="module")
def curve():
    return study_decisions(campaign(), draws=6)


def test_masks_see_the_share_that_they_say():
    rng = np.random.default_rng(2)
    for design in make_designs(10):
        seen = np.mean([design.draw((10, 200), rng).mean() for _ in range(5)])
        assert seen == pytest.approx(design.share, abs=0.01)
        assert design.draw((10, 200), rng).any(axis=0).all()
    whole = Design(COMMON, 0.5).draw((10, 200), rng).sum(axis=0)
    assert set(whole.tolist()) == {1, 10}
    assert set(Design(SPREAD, 0.1).draw((10, 200), rng).sum(axis=0).tolist()) == {1}


def test_severe_judges_hurt_raw_means_and_not_debiased_ones(curve):
    spread = [one.reliability for one in curve.points if one.design.kind == SPREAD]
    raw, even = (np.array([one[name].value for one in spread]) for name in NAMES)
    assert even.mean() > raw.mean() + 0.02
    assert (even >= raw).mean() > 0.8


def test_more_ratings_decide_more_reliably(curve):
    spread = [one for one in curve.points if one.design.kind == SPREAD]
    raw = [one.reliability["raw mean"].value for one in spread]
    assert raw[-1] > raw[0]
    assert spread[-1].reliability["judge + output"].value > 0.9


def test_with_one_rating_per_output_completion_decides_as_judge_and_output(curve):
    """The intercept of an output explains its only rating: nothing is left for shared tastes."""
    for point in curve.points:
        if point.design.kind == COMMON:
            assert point.gains["judge + output"].value == pytest.approx(0)


def test_intervals_hold_their_estimates_and_everything_is_recorded(curve):
    for point in curve.points:
        for one in (*point.reliability.values(), *point.gains.values(), *point.mae.values()):
            assert one.lower <= one.value <= one.upper
    assert len(curve.records()) == 5 * len(curve.points) + len(curve.points)
    assert curve.pairs == 10
    assert "seed=20131" in curve.signature


def test_the_same_seed_gives_the_same_curve_in_any_order_of_rows(curve):
    rows = campaign()
    again = study_decisions(rows.take(np.random.default_rng(3).permutation(rows.size)), draws=6)
    assert again.to_dict() == curve.to_dict()


def test_the_part_without_gaps_is_taken_and_said():
    rows = campaign()
    kept = (rows.judge != 3) | (rows.item < 4)
    full = take_full(make_matrix(rows.take(kept)))
    assert "j03" not in full.judges
    assert full.fill == 1
    assert full.shape == (7, 60)
    notes = study_decisions(rows.take(kept), draws=1).notes
    assert any("1 of 8 judges and 0 of 60 outputs are left out" in note for note in notes)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(UnknownOption, match="draws 0: 1 or more"):
        study_decisions(campaign(), draws=0)
    rows = campaign()
    sparse = rows.take(np.random.default_rng(4).random(rows.size) < 0.2)
    with pytest.raises(NotIdentified, match="rated too few of the same outputs"):
        study_decisions(sparse)
    one = make_rows([0, 0, 1, 1], [0, 1, 0, 1], np.arange(4.0), (2, 2))
    with pytest.raises(NotIdentified, match="no two systems"):
        study_decisions(one, NuclearNorm())
