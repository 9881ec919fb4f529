"""By which clusters a hypothesis is tested: what the data have, and what is too few of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from evenhand import read
from evenhand.ranking.model_table import tabulate_models

SYSTEMS = "ABCDE"


def rankings(n, judges, seed=2, systems=SYSTEMS):
    """Rankings at random, judges in turn: nothing is better than anything else."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"r{i}", f"j{i % judges}", systems[s], k + 1)
        for i in range(n)
        for k, s in enumerate(rng.permutation(len(systems)))
    ]
    return read(pl.DataFrame(rows, schema=["ranking", "judge", "system", "rank"], orient="row"))


def votes(judges, items, seed=4):
    """Every judge answers every item twice, at random."""
    rng = np.random.default_rng(seed)
    rows = [
        ("xy"[i % 2], "yx"[i % 2], rng.choice(["left", "tie", "right"]), f"j{j}", f"i{i}")
        for j in range(judges)
        for i in [*range(items), *range(items)]
    ]
    names = ["left", "right", "outcome", "judge", "item"]
    return read(pl.DataFrame(rows, schema=names, orient="row"))


def ask(found, words):
    return next(one for one in found.questions if words in one.yes)


def test_rankings_of_few_judges_are_the_clusters_and_decide():
    found = tabulate_models(rankings(60, judges=4))
    for words in ("systems differ", "worths differ by judge"):
        one = ask(found, words)
        assert [wald.cluster for wald in one.walds] == ["ranking"]
        assert one.p == one.walds[0].p
        assert "for these 4 judges only" in one.notes


def test_random_judges_of_rankings_have_neither_test_nor_aic():
    found = tabulate_models(rankings(60, judges=6, systems="ABC"))
    assert "comparisons of one ranking are correlated" in found.refused["+ random judges"]
    assert "+ random judges" not in [row.name for row in found.rows]
    assert not [one for one in found.questions if "differ in taste" in one.yes]
    assert ask(tabulate_models(votes(6, 12)), "differ in taste").notes == ()


@pytest.mark.parametrize(
    ("judges", "items", "ways"),
    [
        (6, 12, ["judge", "item"]),
        (6, 4, ["judge"]),
        (4, 12, ["item"]),
        (4, 8, []),
        (1, 12, ["item"]),
    ],
)
def test_judges_and_items_cluster_where_there_are_enough_of_them(judges, items, ways):
    """Below five judges of these judges only, by ten items or more, or by none."""
    one = ask(tabulate_models(votes(judges, items)), "systems differ")
    assert [wald.cluster for wald in one.walds] == ways
    said = {
        (6, 4): "for these 4 items only",
        (4, 12): "for these 4 judges only",
        (4, 8): "for these 4 judges only and for these 8 items only",
        (1, 12): "for this judge only",
    }.get((judges, items))
    assert [note for note in one.notes if note.startswith("for")] == ([said] if said else [])
    assert one.p == max([wald.p for wald in one.walds], default=one.lr.p)


@pytest.mark.slow
def test_true_hypotheses_on_rankings_are_rejected_at_their_level():
    """Systems and judges do not differ: p < .05 in .05 of campaigns, not in half of them."""
    rejected, ratios, n = np.zeros(2), np.zeros(2), 60
    for seed in range(n):
        found = tabulate_models(rankings(120, judges=4, seed=seed))
        asked = [ask(found, words) for words in ("systems differ", "worths differ by judge")]
        rejected += [one.p < 0.05 for one in asked]
        ratios += [one.lr.p < 0.05 for one in asked]
    print(f"rejected {rejected / n}, LR {ratios / n}, of {n}")  # noqa: T201 - an experiment
    assert (rejected / n < 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)).all()
    assert (ratios / n > 0.2).all()


def test_as_many_parameters_as_comparisons_have_no_test_by_ranking():
    rows = [("r0", "c", "a", "right"), ("r1", "a", "b", "left")]
    rows += [("r1", "a", "c", "right"), ("r1", "b", "c", "tie")]
    names = ("ranking", "left", "right", "winner")
    found = tabulate_models(read([dict(zip(names, row, strict=True)) for row in rows]))
    (order,) = [one for one in found.questions if one.subject == "order"]
    assert order.walds == ()
    assert any("4 comparisons for 4 parameters are too few" in note for note in order.notes)
