"""Decisions from fewer ratings: masks, full parts, and what must come out."""

import numpy as np
import pytest

from evenhand.data.rating_rows import RatingRows
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.ratings.completion import NuclearNorm
from evenhand.ratings.matrix import make_matrix
from evenhand.ratings.reliability import (
    COMMON,
    SPREAD,
    Design,
    count_right,
    draw_design,
    find_differences,
    make_designs,
    resample_items,
    say_even,
    study_decisions,
    take_full,
)
from ratings.rated_matrices import make_rows


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
    return study_decisions(campaign(), draws=4)


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


def test_with_one_rating_per_output_completion_decides_as_judge_and_output(curve):
    """The intercept of an output explains its only rating: nothing is left for shared tastes."""
    for point in curve.points:
        if point.design.kind == COMMON:
            assert point.gains["judge + output"].value == pytest.approx(0)


def test_the_same_seed_gives_the_same_curve_in_any_order_of_rows(curve):
    rows = campaign()
    again = study_decisions(rows.take(np.random.default_rng(3).permutation(rows.size)), draws=4)
    assert again.to_dict() == curve.to_dict()


def test_the_part_without_gaps_is_taken_and_said():
    rows = campaign()
    kept = (rows.judge != 3) | (rows.item < 4)
    full = take_full(make_matrix(rows.take(kept)))
    assert "j03" not in full.judges
    assert full.fill == 1
    assert full.shape == (7, 60)
    notes = study_decisions(rows.take(kept), draws=1).notes
    assert any("1 of 8 judges and 0 of 60 outputs are excluded" in note for note in notes)


def test_what_cannot_be_asked_is_refused():
    for words, said in (
        ({"draws": 0}, "draws 0: 1 or"),
        ({"seed": -1}, "seed cannot be -1: it is a whole number"),
    ):
        with pytest.raises(UnknownOption, match=said):
            study_decisions(campaign(), **words)
    with pytest.raises(InvalidJudgments, match="not within clip 0 to 1"):
        study_decisions(campaign(), NuclearNorm(clip=(0.0, 1.0)))
    rows = campaign()
    sparse = rows.take(np.random.default_rng(4).random(rows.size) < 0.2)
    with pytest.raises(NotIdentified, match="rated too few of the same outputs"):
        study_decisions(sparse)
    one = make_rows([0, 0, 1, 1], [0, 1, 0, 1], np.arange(4.0), (2, 2))
    with pytest.raises(NotIdentified, match="no two systems"):
        study_decisions(one, NuclearNorm())


def test_pairs_of_systems_are_counted_by_hand():
    """Truth 1, 1, 0: the first pair is undecided; then each way has two pairs to order."""
    system, once = np.arange(3), np.ones((2, 3))
    truth = find_differences(np.array([1.0, 1.0, 0.0]), system, once)
    assert truth[0].tolist() == [0, 1, 1]
    drawn = np.array([[[2.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 5.0, 2.0]]])
    right = count_right(drawn, system, once, truth)
    assert [one[0] for one in right.values()] == [(1 + 0.5) / 2, 0, 0.5]


def test_two_systems_of_three_outputs_are_decided_by_hand():
    """On 0 to 8, judge B gave 4 and 8 where A gave 0 and 8: two more, so 10 beside A's last 8."""

    class Masked(Design):
        def draw(self, shape, rng):  # noqa: ARG002
            return np.array([[True, True, True], [True, True, False]])

    score = np.array([0.0, 8.0, 8.0, 4.0, 8.0, 2.0])
    rows = several([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 1, 1] * 2, score)
    matrix, model = make_matrix(rows), NuclearNorm(clip=(0.0, 8.0))
    drawn = draw_design(matrix, Masked(SPREAD, 5 / 6), (model, 1), np.random.default_rng(1))
    np.testing.assert_allclose(drawn.score[0], [[2, 8, 8]] * 3)
    np.testing.assert_allclose(drawn.error[-2:, 2], [6, 6])
    assert drawn.count.tolist() == [0, 0, 1]
    system, once = np.array([0, 1, 1]), np.ones((1, 3))
    truth = find_differences(matrix.table().mean(axis=0), system, once)
    assert truth.tolist() == [[2 - (8 + 5) / 2]]
    assert count_right(drawn.score, system, once, truth)["completion"].tolist() == [1]


def test_items_are_drawn_anew_whole_and_among_those_of_the_same_systems():
    rows = campaign(items=6, systems=2, judges=3)
    matrix = make_matrix(rows.take((rows.item > 1) | (rows.system == 0)))
    weights = resample_items(matrix, np.random.default_rng(1))
    items = np.array(matrix.items)
    assert (weights[0] == 1).all()
    for item in np.unique(items):
        own = weights[:, items == item]
        assert (own == own[:, :1]).all()
        assert own[1:, 0].std() == pytest.approx(
            np.sqrt(1 - 1 / (2 if item < "i02" else 4)), abs=0.1
        )
    alone = weights[:, items < "i02"]
    assert (alone.sum(axis=1) == 2).all()


def test_the_closest_of_many_pairs_are_named_first():
    """With two systems at 0.3 and two at 0 (± 1), one at 9: the six pairs of four are open."""
    truth = np.array([[0.0, 0.3, 0.3, 9.0, 0.3, 0.3, 9.0, 0.1, 9.0, 9.0]])
    moved = np.vstack([truth, truth - 1, truth + 1])
    (said,) = say_even(list("abcde"), moved, 0.9)
    assert said.startswith("6 of 10 pairs of systems not distinguished")
    assert "a and b (0 points apart), c and d (0.1 points apart), a and c" in said
    assert "and 3 more" in said
