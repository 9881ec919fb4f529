import numpy as np
import pytest

from evenhand.judges.rating_evidence import UNKNOWN_ERROR, Expectation, expect_scores, rating_slopes
from experiments.rating_panels import RatingPanel
from rating_lines import table_of


@pytest.fixture(scope="module")
def panel():
    return RatingPanel(each=120, bad=(("random", 3), ("reversed", 3)))


def draw(panel, seed=1):
    return panel.draw(np.random.default_rng(seed))


def slopes_of(rows):
    return rating_slopes(expect_scores(rows))


def test_honest_judges_lie_near_one_careless_near_nought_reversed_below(panel):
    means = np.array(
        [
            [slopes.slope[np.array(panel.kinds()) == kind].mean() for kind in KINDS]
            for slopes in (slopes_of(draw(panel, seed)) for seed in range(8))
        ]
    ).mean(axis=0)
    assert means[0] == pytest.approx(1.4, abs=0.3)  # the bad ones pull the mean of all to 1
    assert means[1] == pytest.approx(0, abs=0.1)
    assert means[2] < -0.9


KINDS = ("honest", "random", "reversed")


def test_the_error_of_a_careless_judge_is_the_spread_of_slopes(panel):
    found = [slopes_of(draw(panel, seed)) for seed in range(30)]
    slopes = np.array([one.slope[:3] for one in found])
    errors = np.array([one.error[:3] for one in found])
    ratio = slopes.std() / np.sqrt((errors**2).mean())
    assert 0.6 < ratio < 1.15


def test_severity_and_scale_of_a_judge_change_nothing():
    rows = draw(RatingPanel(points=100))
    other = rows.score.copy()
    own = rows.judge == 4
    other[own] = np.round(20 + 0.5 * other[own])
    before, after = slopes_of(rows), slopes_of(type(rows)(**{**vars_of(rows), "score": other}))
    assert after.slope[4] == pytest.approx(before.slope[4], abs=0.12)


def vars_of(rows):
    return {name: getattr(rows, name) for name in rows.__dataclass_fields__}


def test_the_slope_does_not_hear_the_judge_himself():
    """A judge with outputs, items and systems of his own has nothing to be compared with."""
    rows = table_of(
        [("A", "i1", "s1", 1), ("A", "i1", "s2", 5), ("A", "i2", "s1", 2), ("A", "i2", "s2", 4)]
        + [("B", f"k{k}", f"t{k % 2}", 1 + k % 5) for k in range(20)]
    )
    slopes = slopes_of(rows)
    assert slopes.slope.tolist() == [0, 0]
    assert slopes.error.tolist() == [UNKNOWN_ERROR, UNKNOWN_ERROR]


@pytest.mark.parametrize(("items", "systems", "each"), [(10, 4, 2), (1, 20, 8), (20, 1, 8)])
def test_random_scores_do_not_correlate_with_what_is_expected_of_them(items, systems, each):
    """An expectation that held anything of the judge's own scores would correlate with them."""
    raw = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        lines = [
            (f"J{j}", f"i{i}", f"s{s}", int(rng.integers(1, 6)))
            for i in range(items)
            for s in range(systems)
            for j in rng.choice(8, each, replace=False)
        ]
        raw.append(correlations(table_of(lines)))
    means, errors = np.mean(raw, axis=0), np.std(raw, axis=0) / np.sqrt(60)
    assert (np.abs(means) < 0.03 + 3 * errors).all()


def correlations(rows):
    own = expect_scores(rows).scores
    return [
        float(np.corrcoef(own, part)[0, 1]) if part.std() > 1e-9 else 0.0 for part in parts_of(rows)
    ]


def parts_of(rows):
    from evenhand.judges import rating_evidence as room
    from evenhand.judges.rating_evidence import make_places

    places = make_places(rows, np.ones(rows.size, bool))
    y = room._place_scores(rows.score, places.group, places.target)
    parts, _ = room._predict(y, places)
    cell = places.judged_output
    return [np.bincount(cell, places.centre(part)) / np.bincount(cell) for part in parts]


def test_the_same_scores_under_two_criteria_are_no_more_evidence_than_under_one():
    rows = draw(RatingPanel(each=30))
    twice = rows.take(np.repeat(np.arange(rows.size), 2))
    second = np.tile([0, 1], rows.size).astype(np.int32)
    both = type(rows)(**{**vars_of(twice), "criteria": ("A", "B"), "criterion": second})
    assert slopes_of(both).slope == pytest.approx(slopes_of(rows).slope)
    assert slopes_of(both).error == pytest.approx(slopes_of(rows).error)


def expectation(x: np.ndarray, z: np.ndarray, item: np.ndarray, judge=None) -> Expectation:
    judge = np.zeros(len(x), np.int64) if judge is None else judge
    size = int(judge.max()) + 1
    return Expectation(
        judge=judge,
        item=item,
        output=np.arange(len(x)),
        scores=z,
        others=x,
        moment=None,
        shared=np.ones(len(x), bool),
        lost=np.ones(size, np.int64),
        row_own=z,
        row_others=x,
    )


def test_errors_of_the_outputs_of_an_item_are_taken_together():
    """x = +-1 and residuals +-1 that are alike in an item of 4: 10 items of squared sum 16, times
    10/9, over (Sum x^2)^2 = 1600; the usual error has 1/40 and no more than (1 + 4/120)."""
    x = np.tile([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0], 5)
    item = np.arange(40) // 4
    bent = np.where(item % 4 < 2, 1.0, -1.0) * x  # left x x: alike within the item
    together = rating_slopes(expectation(x, 0.5 * x + bent, item))
    alone = rating_slopes(expectation(x, 0.5 * x + bent, np.arange(40)))
    assert together.error[0] == pytest.approx(np.sqrt(16 * 10 * 10 / 9) / 40, rel=0.05)
    assert alone.error[0] == pytest.approx(np.sqrt(1 / 40 * (1 + 4 / 120)), rel=0.05)


def test_a_slope_that_rests_on_few_outputs_has_a_larger_error():
    """n = 3 (Sum x^2)^2 / Sum x^4: 120 for x = +-1; 3 where one output has it all."""
    rng = np.random.default_rng(1)
    z = rng.choice([-1.0, 1.0], 40)
    even, one = np.tile([1.0, -1.0], 20), np.append(np.sqrt(40.0), np.full(39, 1e-9))
    z[0] = 0
    errors = [rating_slopes(expectation(x, z, np.arange(40))).error[0] for x in (even, one)]
    assert errors[1] / errors[0] == pytest.approx(np.sqrt((1 + 4 / 3) / (1 + 4 / 120)), rel=0.05)


def test_honest_slopes_do_not_depend_on_how_much_outputs_differ():
    """Two honest judges, y = x + noise of variance 1/2, divided by their own deviations."""
    rng = np.random.default_rng(2)
    n = 20_000
    x = np.concatenate([rng.normal(0, 0.2, n), rng.normal(0, np.sqrt(0.96), n)])
    y = x + rng.normal(0, np.sqrt(0.5), 2 * n)
    judge = np.repeat([0, 1], n)
    z = y / np.array([y[:n].std(), y[n:].std()])[judge]
    found = rating_slopes(expectation(x, z, np.arange(2 * n), judge))
    assert found.slope == pytest.approx([1, 1], abs=0.03)
