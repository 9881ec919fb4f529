"""The main job on tables: tasks, groups, rankings, engines, and very many systems."""

from dataclasses import replace

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models import bradley_terry
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from ranking.panels import comparisons, panel


def same(one: Ranking, other: Ranking) -> None:
    """All numbers and words are equal, but for rounding."""
    assert one.systems == other.systems
    for name in ("log_worth", "stderr", "lower", "upper"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-8)
    for name in ("rank", "rank_lower", "rank_upper", "cluster", "wins", "ties", "losses"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("headline", "method", "notes", "n_judges", "n_items"):
        assert getattr(one, name) == getattr(other, name)
    signed = [each.signature.split(" | excluded")[0] for each in (one, other)]
    assert signed[0] == signed[1]  # what was excluded on the way may differ


def two_tasks() -> pl.DataFrame:
    first = panel(seed=1, judges=9).with_columns(task=pl.lit("de-en"), domain=pl.lit("news"))
    second = panel(seed=2, judges=12, items=20, n=300, systems=3)
    return pl.concat([first, second.with_columns(task=pl.lit("cs-en"), domain=pl.lit("news"))])


def test_several_tasks_are_ranked_task_by_task_each_as_if_it_were_alone():
    data = comparisons(two_tasks())
    found = rank(data)
    assert isinstance(found, GroupedRankings)
    assert list(found) == ["cs-en", "de-en"]
    assert found.by == "task"
    for task in found:
        same(found[task], rank(data.select_task(task)))
        same(
            found[task], rank(comparisons(two_tasks().filter(pl.col("task") == task).drop("task")))
        )


def test_items_of_different_tasks_are_different_items():
    frame = two_tasks().with_columns(domain=pl.lit("news"))
    frame = frame.filter(pl.col("left").is_in(["s0", "s1"]) & pl.col("right").is_in(["s0", "s1"]))
    found = rank(comparisons(frame), group_by="domain")["news"]
    items = {(task, item) for task, item in frame.select("task", "item").iter_rows()}
    assert found.n_items == len(items) > len(set(frame["item"]))
    assert "2 tasks are pooled." in found.notes


def test_a_group_that_cannot_be_ranked_is_refused_while_others_are_ranked():
    frame = two_tasks()
    always = pl.DataFrame(
        {
            "left": ["x", "x", "y"],
            "right": ["y", "y", "x"],
            "outcome": ["left", "left", "right"],
            "judge": ["j000", "j001", "j002"],
            "item": ["i0", "i1", "i2"],
            "task": "all-one-way",
            "domain": "news",
        }
    )
    found = rank(comparisons(pl.concat([frame, always])))
    assert list(found) == ["cs-en", "de-en"]
    assert list(found.refused) == ["all-one-way"]
    assert "x" in found.refused["all-one-way"]
    assert "all-one-way" in str(found)
    with pytest.raises(NotIdentified, match="x"):
        rank(comparisons(always))
    with pytest.raises(InvalidJudgments, match=r"no task 'de-fr'. Did you mean 'de-en'\?"):
        found["de-fr"]


def rankings(n: int = 60, judges: int = 3) -> Rankings:
    rng = np.random.Generator(np.random.PCG64(4))
    rows = []
    for ranking in range(n):
        places = rng.permutation(4) - np.array([1.0, 0.5, 0.0, 0.0])
        for system, place in zip("abcd", np.argsort(np.argsort(places)), strict=True):
            rows.append((f"r{ranking}", system, min(int(place) + 1, 3), f"j{ranking % judges}"))
    names = ["ranking", "system", "rank", "judge"]
    return Rankings(nw.from_native(pl.DataFrame(rows, schema=names, orient="row")))


def test_a_ranking_is_one_judgment_of_several_comparisons():
    found = rank(rankings())
    assert (found.n_judgments, found.n_comparisons) == (60, 360)
    assert "by ranking, max-|t|" in found.method
    assert found.headline == "for these 3 judges only"


def test_rankings_without_judges_are_clustered_by_ranking():
    data = rankings()
    data = replace(data, frame=data.frame.drop("judge"))
    found = rank(data)
    assert "by ranking, max-|t|" in found.method
    np.testing.assert_array_equal(found.stderr, rank(data, cluster="judgment").stderr)
    np.testing.assert_array_equal(found.stderr, rank(data, cluster="ranking").stderr)
    independent = rank(data, interval="model")
    assert (found.stderr != independent.stderr).all()


def test_renaming_systems_permutes_everything():
    frame = panel(judges=9)
    names = {"s0": "zeta", "s1": "beta", "s2": "alpha", "s3": "gamma"}
    renamed = frame.with_columns(pl.col("left", "right").replace(names))
    one, other = rank(comparisons(frame)), rank(comparisons(renamed))
    assert other.systems == tuple(names[system] for system in one.systems)
    for name in ("log_worth", "stderr", "lower", "upper"):  # critical values agree to a millionth
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-9)


def test_every_judgment_twice_leaves_the_ranking_as_it_is():
    """INFERENCE A9."""
    frame = panel(judges=9)
    one, two = rank(comparisons(frame)), rank(comparisons(pl.concat([frame, frame])))
    np.testing.assert_allclose(two.stderr, one.stderr, rtol=1e-7)
    np.testing.assert_array_equal(two.rank_lower, one.rank_lower)
    model = rank(comparisons(pl.concat([frame, frame])), interval="model")
    before = rank(comparisons(frame), interval="model")
    np.testing.assert_allclose(model.stderr, before.stderr / np.sqrt(2), rtol=1e-7)


def test_effective_judges_count_unequal_loads_and_weights_alike_on_every_way():
    """(Σ n)² / Σ n² of loads 10, 20, 30, 40 is 10000 / 3000."""
    frame = panel(n=200, judges=1, items=12)
    judge = np.repeat(["a", "b", "c", "d"], [10, 20, 30, 40])
    rows = frame.head(100).with_columns(judge=pl.Series(judge))
    weighted = frame.head(8).with_columns(
        judge=pl.Series(list("aabbccdd")), weight=pl.Series([10, 0, 20, 0, 30, 0, 40, 0])
    )
    for settings in ({}, {"interval": "model"}, {"cluster": "item"}, {"cluster": "judgment"}):
        found = rank(comparisons(rows), **settings)
        assert found.n_judges == 4
        assert found.effective_judges == pytest.approx(10 / 3)
        assert found.headline == "for these 4 judges only"
    model = BradleyTerry(prior=1.0)
    found = rank(comparisons(weighted), model=model, interval="model")
    assert found.effective_judges == pytest.approx(10 / 3)


def test_very_many_systems_have_contrasts_of_neighbours_and_no_intervals(monkeypatch):
    frame = panel(judges=9, systems=6, n=900)
    dense = rank(comparisons(frame), interval="model")
    monkeypatch.setattr(bradley_terry, "DENSE", 5)
    for settings in ({}, {"interval": "model"}, {"cluster": "judge"}):
        found = rank(comparisons(frame), **settings)
        assert found.lower is found.rank_lower is found.cluster is None
        assert [row["stderr"] for row in found.rows()] == [None] * 6
        np.testing.assert_allclose(found.log_worth, dense.log_worth, atol=1e-6)
        assert [c.systems for c in found.neighbours] == list(
            zip(dense.systems[:-1], dense.systems[1:], strict=True)
        )
        expected = dense.fit.contrasts([c.systems for c in found.neighbours])
        for one, other in zip(found.neighbours, expected, strict=True):
            assert one.stderr == pytest.approx(other.stderr, rel=1e-4)
        assert any("6 systems are too many for intervals of all" in note for note in found.notes)
        assert found.method == "no intervals"


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("interval", ["rank-sets", "sandwich", "model"])
def test_a_few_unanimous_answers_decide_nothing_however_finite_a_prior_makes_them(n, interval):
    frame = pl.DataFrame({"left": ["a"] * n, "right": ["b"] * n, "outcome": ["left"] * n})
    found = rank(comparisons(frame), model=BradleyTerry(prior=1), interval=interval)
    assert found.rank_upper.tolist() == [2, 2]
    assert found.lower[0] < 0 < found.upper[0]
