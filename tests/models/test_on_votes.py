"""A model says the same of votes as of the table that they were read from."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.plackett_luce import PlackettLuce
from evenhand.models.registry import MODELS

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


def test_on_part_of_their_answers_models_of_rankings_are_davidsons():
    some = VOTES.take(np.random.Generator(np.random.PCG64(3)).random(VOTES.size) < 0.5)
    fit, pairs = PlackettLuce().fit(some), BradleyTerry().fit(some)
    np.testing.assert_allclose(fit.predict(PAIRS), pairs.predict(PAIRS), rtol=0, atol=1e-6)
    assert "without a whole ranking: each comparison counts as a ranking of two." in fit.notes[0]


def test_covariates_that_votes_know_are_told_apart():
    data = RANKINGS.comparisons()
    model = BradleyTerry(judge_covariates=("judge",))
    assert model.fit(VOTES).loglik == pytest.approx(model.fit(data).loglik, rel=1e-12)


def test_controls_need_the_rows_of_a_table():
    with pytest.raises(InvalidJudgments, match="controls differ from row to row"):
        BradleyTerry(controls=("length",)).fit(VOTES)


def test_pooled_tasks_are_said():
    two = replace(VOTES, tasks=("x", "y"))
    for name in ("bradley-terry", "plackett-luce"):
        assert "2 tasks are pooled." in MODELS[name].make().fit(two).notes
