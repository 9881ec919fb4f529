"""Settings: what they may be, and how data of every kind reach the model."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import MODELS, find_model
from tallies import tally


def test_rankings_are_expanded_and_count_as_one_judgment_each():
    ranked = pl.DataFrame(
        {
            "ranking": ["r1"] * 3 + ["r2"] * 3 + ["r3"] * 3,
            "system": ["A", "B", "C"] * 3,
            "rank": [1, 2, 3, 2, 2, 1, 3, 1, 1],
        }
    )
    fit = BradleyTerry().fit(Rankings(nw.from_native(ranked)))
    assert (fit.n_judgments, fit.n_comparisons) == (3, 9)
    by_hand = tally(("A", "B", 1, 1, 1), ("A", "C", 1, 0, 2), ("B", "C", 1, 1, 1))
    np.testing.assert_array_equal(fit.estimate, BradleyTerry().fit(by_hand).estimate)
    with pytest.raises(UnknownOption, match="these data do not say"):
        BradleyTerry(order_effect=True).fit(Rankings(nw.from_native(ranked)))


DRAWN = ("irt-gaussian", "irt-categorical")


def rankings(n=240):
    """Rankings of three of four systems by six judges, ties and all."""
    rng = np.random.Generator(np.random.PCG64(2))
    rows = []
    for number in range(n):
        chosen = rng.permutation(4)[:3]
        seen = np.linspace(1, -1, 4)[chosen] + rng.normal(0, 1, 3)
        place = 1 + (np.round(seen)[:, None] < np.round(seen)).sum(axis=1)
        rows += [
            (f"r{number}", f"j{number % 6}", f"i{number % 40}", "ABCD"[s], int(p))
            for s, p in zip(chosen, place, strict=True)
        ]
    columns = ["ranking", "judge", "item", "system", "rank"]
    return evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))


RANKINGS = rankings()
VOTES = RANKINGS.comparisons().votes()
PAIRS = [("A", "B"), ("D", "A"), ("C", "B")]


@pytest.mark.parametrize("name", [name for name in MODELS if name not in DRAWN])
def test_a_fit_to_votes_is_that_to_the_rankings_they_came_from(name):
    model = MODELS[name].make()
    one, two = model.fit(RANKINGS), model.fit(VOTES)
    assert two.loglik == pytest.approx(one.loglik, rel=1e-12)
    np.testing.assert_allclose(two.predict(PAIRS), one.predict(PAIRS), rtol=0, atol=1e-12)
    assert (two.n_judgments, two.n_comparisons) == (one.n_judgments, one.n_comparisons)
    assert two.notes == one.notes


def test_controls_need_the_rows_of_a_table():
    with pytest.raises(InvalidJudgments, match="controls differ from row to row"):
        BradleyTerry(controls=("length",)).fit(VOTES)


def test_a_misspelt_name_is_refused_with_the_nearest():
    with pytest.raises(UnknownOption, match="Did you mean 'judge-slopes'"):
        find_model("judge-slope")
