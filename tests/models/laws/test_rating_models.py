"""Laws that hold for every model of ratings (METHODS 8): a new one is held to them by its entry."""

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import EvenhandError, NotIdentified
from evenhand.models.registry import RATING_MODELS

K, JUDGES, ITEMS, N = 4, 6, 12, 240
# What an increasing straight line does to estimates: follows, or leaves them as they are
FOLLOWS = {"adjusted": True, "mean": True, "mixed": True, "z": False, "ordinal": False}
names = pytest.mark.parametrize("name", list(RATING_MODELS))


def make(seed=1):
    rng = np.random.default_rng(seed)
    judge, item, system = (rng.integers(0, size, N) for size in (JUDGES, ITEMS, K))
    score = 3 + 0.4 * system + 0.5 * rng.normal(size=JUDGES)[judge]
    score += 0.4 * rng.normal(size=ITEMS)[item] + 0.8 * rng.normal(size=N)
    return {
        "judge": [f"judge-{one}" for one in judge],
        "item": [f"item-{one}" for one in item],
        "system": [f"system-{one}" for one in system],
        "score": np.clip(np.rint(score), 1, 5).tolist(),
    }


def fit(name, columns):
    return RATING_MODELS[name].make().fit(evenhand.read(pl.DataFrame(columns)))


def errors(one):
    return np.sqrt(np.diag(one.vcov))


@names
def test_the_order_of_rows_does_not_matter(name):
    columns = make()
    order = np.random.default_rng(2).permutation(N)
    shuffled = {key: [values[at] for at in order] for key, values in columns.items()}
    one, other = fit(name, columns), fit(name, shuffled)
    assert np.allclose(one.estimate, other.estimate, atol=1e-6)
    assert np.allclose(one.vcov, other.vcov, atol=1e-6)


@names
def test_renaming_systems_permutes_estimates_and_errors(name):
    columns = make()
    renamed = {f"system-{at}": f"new-{(at * 3) % K}" for at in range(K)}
    other = fit(name, {**columns, "system": [renamed[one] for one in columns["system"]]})
    one = fit(name, columns)
    places = [other.systems.index(renamed[system]) for system in one.systems]
    assert np.allclose(one.estimate, other.estimate[places], atol=1e-6)
    assert np.allclose(one.vcov, other.vcov[np.ix_(places, places)], atol=1e-6)


@names
def test_a_straight_line_of_scores_is_followed_or_leaves_estimates(name):
    columns = make()
    one = fit(name, columns)
    other = fit(name, {**columns, "score": [7 + 2 * score for score in columns["score"]]})
    centred = one.estimate - one.estimate.mean()
    scale = 2.0 if FOLLOWS[name] else 1.0
    assert np.allclose(other.estimate - other.estimate.mean(), scale * centred, atol=1e-5)
    assert np.allclose(errors(other), scale * errors(one), rtol=1e-4)


@names
def test_one_system_and_several_criteria_are_refused(name):
    columns = make()
    with pytest.raises(NotIdentified, match="one system only"):
        fit(name, {**columns, "system": ["x"] * N})
    with pytest.raises(EvenhandError, match="criteria"):
        fit(name, {**columns, "criterion": ["a", "b"] * (N // 2)})


@pytest.mark.parametrize("name", ["adjusted", "mean"])
@pytest.mark.parametrize("way", ["judge", "item", "judge+item"])
def test_counting_every_rating_twice_leaves_estimates_and_clustered_errors(name, way):
    columns = make()
    twice = {key: values * 2 for key, values in columns.items()}
    one, other = (
        evenhand.rank(
            evenhand.read(pl.DataFrame(table)), model=name, cluster=way, interval="sandwich"
        )
        for table in (columns, twice)
    )
    assert one.systems == other.systems
    assert np.allclose(one.estimate, other.estimate)
    assert np.allclose(one.stderr, other.stderr)


@names
def test_rank_takes_the_model_and_signs_its_name(name):
    ranking = evenhand.rank(evenhand.read(pl.DataFrame(make())), model=name)
    assert ranking.systems[0] == "system-3"
    assert f"| {name} |" in ranking.signature
    assert ranking.rank_lower[0] == 1


def test_counting_every_rating_twice_leaves_errors_by_judges_and_items_of_sparse_tables():
    """Each output by one judge: nearly as many effects of judges and items as ratings."""
    rng = np.random.default_rng(1)
    severity, difficulty, rows = rng.normal(0, 1, 20), rng.normal(0, 1, 30), []
    for item in range(30):
        for system in range(3):
            judge = int(rng.integers(20))
            score = severity[judge] + difficulty[item] + rng.normal() + 0.8 * system
            rows.append((f"j{judge}", f"i{item}", f"s{system}", score))
    names = ["judge", "item", "system", "score"]
    one, other = (
        evenhand.rank(evenhand.read(pl.DataFrame(table, names, orient="row")))
        for table in (rows, rows * 2)
    )
    assert [way.name for way in one.ways] == ["judge", "item"]
    assert np.allclose(one.stderr, other.stderr)
