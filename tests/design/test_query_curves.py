"""What curves say, beside numbers by hand, by scipy and by counting."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from design.labelled_outputs import draw_curves
from evenhand.design.query_replay import compare_parts, find_share
from evenhand.errors import UnknownOption


def test_differences_to_random_are_paired_by_repeat():
    found = draw_curves(3)
    rows = {(one["query"], one["labels"]): one for one in found.records()}
    row = rows["uncertainty", 20]
    mae = np.abs(found.errors).mean(axis=-1)
    test = stats.ttest_rel(mae[0, 1], mae[1, 1]).confidence_interval(0.95)
    ends = (row["mae_less_lower"], row["mae_less_upper"])
    assert ends == pytest.approx((test.low, test.high))


@pytest.mark.parametrize(
    ("means", "slack", "share"),
    [
        ((5.0, 3.0, 2.0, 2.0), 0.0, 0.4),
        ((5.0, 3.0, 2.0, 2.0), 0.25, 0.3),  # 2.5 lies half way from 20 to 40
        ((1.0, 1.0, 1.0, 1.0), 0.0, 0.1),
        ((1.0, 3.0, 1.0, 2.0), 0.0, 0.3),  # below at once, but it does not stay
        ((5.0, 4.0, 3.0, 2.0), 0.0, 1.0),
    ],
)
def test_a_curve_has_got_there_when_it_stays(means, slack, share):
    assert find_share(np.array(means), np.array([10, 20, 40, 100]), slack) == pytest.approx(share)


def test_a_part_that_is_better_is_found_if_repeats_suffice():
    found = draw_curves(5, gain=2.0)
    best = found.parts[1]
    assert (best.labels, best.better) == (20, True)
    assert 0 < best.lower < best.less
    assert any("A part of the pool beats all of it" in one for one in found.says)
    found = draw_curves(5, gain=2.0, repeats=9)
    assert [(one.p, one.lower, one.better) for one in found.parts] == [(None, None, False)] * 2
    assert any("9 replicates are too few to tell" in one for one in found.says)
    assert draw_curves(5, gain=2.0, repeats=10).parts[1].better
    found = draw_curves(5)
    errors = found.errors.copy()
    errors[0] = errors[0, -1]
    part = replace(found, errors=errors).parts[0]
    assert (part.less, part.lower) == (0.0, None)


def test_variances_of_items_and_repeats_are_added():
    gain = np.random.default_rng(1).normal(size=(3, 6, 20))
    found = compare_parts(gain, np.arange(20), np.random.default_rng(0))
    by_item, by_repeat = gain.mean(axis=1), gain.mean(axis=2)
    error = np.sqrt(by_item.var(axis=1, ddof=1) / 20 + by_repeat.var(axis=1, ddof=1) / 6)
    assert found.less == pytest.approx(gain.mean(axis=(1, 2)))
    assert found.error == pytest.approx(error)


def test_curves_without_random_are_refused():
    with pytest.raises(UnknownOption, match="random"):
        replace(draw_curves(1), queries=("density", "uncertainty"))


def test_the_bound_of_a_part_holds_for_all_looks():
    found = draw_curves(5, gain=2.0)
    gain = np.abs(found.errors[:, -1:]) - np.abs(found.errors[:, :-1])
    rng = np.random.Generator(np.random.PCG64([found.seed, 3]))
    all_ = compare_parts(gain.reshape(6, 10, 40), np.arange(40), rng)
    by_item, by_repeat = gain[1, 1].mean(axis=0), gain[1, 1].mean(axis=1)
    error = np.sqrt(by_item.var(ddof=1) / 40 + by_repeat.var(ddof=1) / 10)
    greatest = np.sort(all_.null)[949]  # 95 % of 999 draws are not above it
    assert found.parts[1].lower == pytest.approx(by_item.mean() - greatest * error)
    assert greatest > 1.8


def test_the_whole_curve_is_compared_without_its_ends_over_items_and_repeats():
    found = draw_curves(3)
    size = np.abs(found.errors[:, 1:3])  # the looks between start and full pool
    gain = (size[0] - size[1]).mean(axis=0)
    items, repeats = gain.mean(axis=0), gain.mean(axis=1)
    one, two = items.var(ddof=1) / 40, repeats.var(ddof=1) / 10
    free = (one + two) ** 2 / (one**2 / 39 + two**2 / 9)
    ends = stats.t.interval(0.95, free, gain.mean(), np.sqrt(one + two))
    own = found.compare_all()["uncertainty"]
    assert own.value == pytest.approx(gain.mean())
    assert (own.lower, own.upper) == pytest.approx(ends)


def resample_by_hand(found, seed, power=1):
    """Shares of both queries, with items and repeats drawn by plain indexing."""
    rng, size = np.random.default_rng(seed), np.abs(found.errors) ** power
    drawn = []
    for _ in range(600):
        own = size[..., rng.integers(size.shape[3], size=size.shape[3])].mean(axis=3) ** (1 / power)
        own = own[:, :, rng.integers(size.shape[2], size=size.shape[2])].mean(axis=2)
        drawn.append([find_share(one, found.labels, 0.01) for one in own])
    return np.array(drawn)


def falling(seed):
    """Curves that fall, uncertainty faster than random; items differ much in how they do."""
    found = draw_curves(seed, items=60)
    rng = np.random.default_rng(seed)
    errors = np.abs(found.errors)
    more = rng.gamma(0.5, 2.0, 60)
    errors[0] += np.array([3.0, 2.0, 1.0, 0.0])[:, None, None] * more
    errors[1] += np.array([3.0, 0.5, 0.1, 0.0])[:, None, None] * more
    apart = rng.normal(size=60)
    errors[1, 2] += 2.0 * (apart - apart.mean())  # nothing in the mean, much for other items
    return replace(found, errors=errors, items=np.arange(60))


@pytest.mark.parametrize(("measure", "power"), [("mae", 1), ("rmse", 2)])
def test_intervals_of_shares_are_those_of_a_bootstrap_of_items_and_repeats(measure, power):
    found = falling(4)
    drawn = resample_by_hand(found, 8, power)
    random, own = found.find_shares(measure)
    for one, column in ((random, drawn[:, 0]), (own, drawn[:, 1])):
        ends = np.quantile(column, (0.025, 0.975))
        assert (one.lower, one.upper) == pytest.approx(ends, abs=0.06)
    saved = np.quantile(drawn[:, 0] - drawn[:, 1], (0.025, 0.975))
    assert own.saved == pytest.approx(random.share - own.share)
    assert (own.saved_lower, own.saved_upper) == pytest.approx(saved, abs=0.06)
    assert random.saved is None


def test_labels_that_do_not_help_have_no_share():
    found = falling(4)
    errors = found.errors.copy()
    errors[1, 0] = errors[1, -1]  # as good with the fewest labels as with all
    random, own = replace(found, errors=errors).find_shares()
    assert (own.share, own.lower, own.upper, own.saved) == (None,) * 4
    assert random.share is not None


def test_outputs_of_one_item_are_drawn_together():
    """Every output five times over as outputs of its item: no more items, no more sure."""
    found = falling(4)
    more = replace(
        found, errors=np.repeat(found.errors, 5, axis=3), items=np.repeat(found.items, 5)
    )
    assert more.find_shares() == tuple(
        replace(
            one,
            share=pytest.approx(one.share),
            lower=pytest.approx(one.lower),
            upper=pytest.approx(one.upper),
            saved=one.saved and pytest.approx(one.saved),
            saved_lower=one.saved and pytest.approx(one.saved_lower),
            saved_upper=one.saved and pytest.approx(one.saved_upper),
        )
        for one in found.find_shares()
    )


def test_what_is_worse_is_said_to_be_worse():
    found = falling(4)
    worse = replace(found, errors=found.errors[::-1])
    assert found.compare_all()["uncertainty"].value > 0 > worse.compare_all()["uncertainty"].value
    for own, words in ((found, ("less", "fewer")), (worse, ("more", "more"))):
        said = " ".join(own.says)
        assert f"points {words[0]} than random (" in said
        assert f"% {words[1]} labels than random" in said
    assert "Within 2 %:" in " ".join(found.says)
