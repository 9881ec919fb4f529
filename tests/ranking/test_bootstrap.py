"""The cluster bootstrap: near the sandwich, seeded, and refused where data are too thin."""

import numpy as np
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import bootstrap, rank
from evenhand.ranking.bootstrap import draw_counts, plan_resampling, select_drawn
from ranking.panels import comparisons, panel


@pytest.fixture
def few_replicates(monkeypatch):
    monkeypatch.setattr(bootstrap, "REPLICATES", 120)


def stderr(frame: pl.DataFrame, **settings: object) -> np.ndarray:
    found = rank(comparisons(frame), **settings)
    return found.stderr[np.argsort(found.systems)]


def test_by_judge_it_is_near_the_jackknife_on_a_regular_design():
    frame = panel(seed=2, n=3000, judges=25, systems=4)
    drawn = stderr(frame, interval="bootstrap", cluster="judge")
    np.testing.assert_allclose(drawn, stderr(frame, cluster="judge"), rtol=0.08)
    assert (drawn > 1.5 * stderr(frame, interval="model")).all()


def test_by_judgment_it_is_near_the_model_where_judgments_are_independent():
    frame = panel(seed=2, n=1500, taste=0.0).drop("judge", "item")
    drawn = stderr(frame, interval="bootstrap")
    np.testing.assert_allclose(drawn, stderr(frame, interval="model"), rtol=0.08)


@pytest.mark.usefixtures("few_replicates")
@pytest.mark.parametrize("order", [False, True])
def test_the_same_seed_gives_the_same_and_another_seed_another(order):
    data = comparisons(panel(judges=9))
    settings = {"interval": "bootstrap", "model": BradleyTerry(order_effect=order)}
    one, two = (rank(data, seed=7, **settings) for _ in range(2))
    other = rank(data, seed=8, **settings)
    assert one.to_dict() == two.to_dict()
    assert (one.lower != other.lower).any()
    assert "seed=7" in one.signature
    assert "bootstrap by judge+item, B=" in one.method


@pytest.mark.parametrize("order", [False, True])
def test_a_draw_holds_as_many_clusters_as_there_are_each_with_all_of_its_counts(order):
    frame = panel(judges=5, n=300)
    data, model = comparisons(frame), BradleyTerry(order_effect=order)
    drawn_from = plan_resampling(model.fit(data), data.tally(by=("judge",)))
    rng = np.random.Generator(np.random.PCG64(3))
    drawn = select_drawn(drawn_from, draw_counts(drawn_from, ("judge",), rng))
    times = np.random.Generator(np.random.PCG64(3)).multinomial(5, np.full(5, 0.2))
    repeated = pl.concat(
        frame.filter(pl.col("judge") == judge)
        for judge, many in zip(sorted(set(frame["judge"])), times, strict=True)
        for _ in range(many)
    )
    expected = model.fit(comparisons(repeated))
    np.testing.assert_array_equal(model.fit(drawn).tally.counts, expected.tally.counts)
    np.testing.assert_allclose(model.fit(drawn).estimate, expected.estimate, rtol=1e-9)


def test_what_cannot_be_resampled_is_refused_in_words():
    rows = [("a", "b", "left"), ("b", "a", "left"), ("b", "c", "left"), ("c", "b", "left")]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    with pytest.raises(NotIdentified, match="resamples determine no worths: the data are too thin"):
        rank(comparisons(frame), interval="bootstrap")
    data = comparisons(panel().with_columns(weight=pl.lit(0.5)))
    with pytest.raises(UnknownOption, match="importance weights cannot be resampled"):
        rank(Comparisons(data.frame, weights="importance"), interval="bootstrap")
    with pytest.raises(UnknownOption, match="unanimous"):
        rank(comparisons(panel()), model=BradleyTerry(prior=1), interval="bootstrap")


def test_a_few_lost_resamples_are_counted_in_a_note():
    rows = [("a", "b", "left")] * 30 + [("b", "a", "left")] * 4
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    found = rank(comparisons(frame), interval="bootstrap")
    lost = [note for note in found.notes if "999 resamples determine no worths" in note]
    assert len(lost) == 1  # (30/34)³⁴ = .014 of the resamples hold no win of b
    assert 3 <= int(lost[0].split()[0]) <= 30
