"""Folds hold out judges, items, both or answers; they are seeded and even."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.ranking.cross_validation import Plan, make_folds, plan_folds
from held_out_votes import World

VOTES = World(n=1500, judges=23, items=70, zipf=0.7).simulate(np.random.default_rng(2))
RANKED = replace(VOTES, answer=(np.arange(1500) // 10).astype(np.int32))


def held(votes: Votes, by: str, folds: int, repeats: int = 1) -> list[np.ndarray]:
    return [test for _, _, test in make_folds(votes, Plan(by, folds, repeats, 7))]


@pytest.mark.parametrize("by", ["judge", "item", "both", "judgment"])
@pytest.mark.parametrize("repeats", [1, 3])
def test_every_vote_is_predicted_once_in_each_repeat(by: str, repeats: int) -> None:
    counts = np.bincount(np.concatenate(held(VOTES, by, 4, repeats)), minlength=1500)
    assert (counts == repeats).all()


@pytest.mark.parametrize("by", ["judge", "item", "both"])
def test_what_is_held_out_is_never_trained_on(by: str) -> None:
    for _, train, test in make_folds(VOTES, Plan(by, 5, 1, 7)):
        for name in ("judge", "item") if by == "both" else (by,):
            codes = getattr(VOTES, name)
            assert not np.isin(codes[test], codes[train]).any()


@pytest.mark.parametrize("by", ["judge", "item", "both", "ranking", "judgment"])
def test_rankings_are_never_split_over_train_and_test(by: str) -> None:
    judge = np.repeat(RANKED.judge[::10], 10)
    votes = replace(RANKED, judge=judge, item=np.repeat(RANKED.item[::10], 10))
    for _, train, test in make_folds(votes, Plan(by, 5, 1, 7)):
        assert not np.isin(votes.answer[test], votes.answer[train]).any()


def test_judges_and_items_are_new_where_there_are_five_of_each() -> None:
    plan = plan_folds(VOTES, None, None, 1, 7)
    assert (plan.by, plan.folds, plan.trainings) == ("both", 5, 25)


def test_the_default_is_what_the_data_have() -> None:
    none = np.zeros(1500, np.int32)
    no_judges = replace(VOTES, judges=("",), judge=none)
    no_items = replace(VOTES, items=("",), item=none)
    neither = replace(no_judges, items=("",), item=none)
    ranked = replace(neither, answer=RANKED.answer)
    chosen = [plan_folds(v, None, None, 1, 7).by for v in (no_judges, no_items, neither, ranked)]
    assert chosen == ["item", "judge", "judgment", "ranking"]
