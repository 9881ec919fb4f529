"""Cross-validation: every vote is predicted unseen, and refusals are counted."""

import numpy as np
import pytest

from evenhand.ranking.cross_validation import Plan, cross_validate, measure_losses
from held_out_votes import Davidson, Refusing, Sizes, World

WORLD = World(n=900, judges=10, items=40)
VOTES = WORLD.simulate(np.random.default_rng(8))
TRUTH = Davidson(WORLD.worth, WORLD.systems)


@pytest.mark.parametrize("plan", [Plan("judge", 5, 1, 3), Plan("both", 3, 2, 3)])
def test_a_model_that_does_not_learn_has_its_own_losses(plan: Plan) -> None:
    found = cross_validate(VOTES, {"truth": TRUTH}, plan)
    assert found.losses["truth"] == pytest.approx(measure_losses(TRUTH, VOTES))


def test_each_vote_is_predicted_by_a_training_without_it() -> None:
    model = Sizes()
    found = cross_validate(VOTES, {"sizes": model}, Plan("judge", 5, 1, 3))
    assert len(model.seen) == 5
    for known in model.seen:
        rows = np.flatnonzero(~np.isin(VOTES.judge, known.judge))
        tie = known.size / (known.size + 100)
        chances = np.array([(1 - tie) / 2, tie, (1 - tie) / 2])
        expected = -np.log2(chances[VOTES.outcome[rows]])
        assert found.losses["sizes"][rows] == pytest.approx(expected)
    assert found.train == (min(v.size for v in model.seen), max(v.size for v in model.seen))


def test_a_model_that_refuses_in_one_fold_is_left_out_with_the_count() -> None:
    sizes = Sizes()
    cross_validate(VOTES, {"sizes": sizes}, Plan("judge", 5, 1, 3))
    least = sorted(votes.size for votes in sizes.seen)[1]
    models = {"shy": Refusing(least), "truth": TRUTH}
    found = cross_validate(VOTES, models, Plan("judge", 5, 1, 3))
    assert list(found.losses) == ["truth"]
    assert found.refused["shy"].endswith("votes are too few; ask more (1 of 5 trainings refused)")
    assert set(found.seconds) == {"shy", "truth"}
