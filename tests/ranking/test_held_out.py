"""Models compared by cross-validation on tables and real judgments."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judgments.grouped import Grouped
from evenhand.ranking.held_out import compare_models
from evenhand.validation.comparison_result import ModelComparison
from held_out_votes import World

MODELS = ["uniform", "adjusted-uniform", "geometric-students", "bradley-terry"]
WORLD = World(n=1500, judges=12, items=60, worth=(1.0, 0.4, -0.4, -1.0))


def frame_of(world: World, seed: int) -> pl.DataFrame:
    votes = world.simulate(np.random.default_rng(seed))
    systems = np.array(votes.systems)
    return pl.DataFrame(
        {
            "left": systems[votes.left],
            "right": systems[votes.right],
            "winner": np.array(["left", "tie", "right"])[votes.outcome],
            "judge": np.array(votes.judges)[votes.judge],
            "item": np.array(votes.items)[votes.item],
        }
        | ({"task": np.array(votes.tasks)[votes.task]} if world.tasks > 1 else {})
    )


FRAME = frame_of(WORLD, 3)
FOUND = compare_models(evenhand.read(FRAME), models=MODELS)


def one(found: ModelComparison | Grouped[ModelComparison]) -> ModelComparison:
    assert isinstance(found, ModelComparison)
    return found


def test_the_model_that_made_the_votes_is_best_and_uniform_is_three() -> None:
    found = one(FOUND)
    assert found.best == "bradley-terry"
    assert found.scores[-1].model == "uniform"
    assert found.scores[-1].perplexity == pytest.approx(3)
    assert "uniform" not in found.best_set


def test_the_result_says_what_was_held_out() -> None:
    found = one(FOUND)
    assert (found.blocks, found.folds, found.clusters.name) == ("both", 25, "judge+item")
    assert "of judges and items that the model was not trained on" in found.notes[0]
    assert "held out by both, 5x5 folds | uniform, adjusted-uniform" in found.signature
    assert "level 0.95 seed=20131 | n=1500 | sha256 " in found.signature


def test_the_order_of_rows_does_not_matter() -> None:
    again = one(
        compare_models(evenhand.read(FRAME.sample(fraction=1, shuffle=True, seed=1)), models=MODELS)
    )
    assert again.signature == one(FOUND).signature
    assert (again.losses == one(FOUND).losses).all()


def test_another_seed_divides_otherwise() -> None:
    other = one(compare_models(evenhand.read(FRAME), models=MODELS, seed=5))
    assert (other.losses[2] != one(FOUND).losses[2]).any()


def test_a_model_that_needs_what_the_data_lack_says_so() -> None:
    bare = evenhand.read(FRAME.drop("judge"))
    found = one(compare_models(bare, models=["uniform", "judge-slopes"]))
    assert found.models == ("uniform",)
    assert "judge" in found.refused["judge-slopes"]
    assert found.refused["judge-slopes"].endswith("(10 of 10 trainings refused)")
    assert found.blocks == "item"


def test_several_tasks_are_compared_task_by_task() -> None:
    frame = frame_of(World(n=1500, tasks=2), 3)
    found = compare_models(evenhand.read(frame), models=MODELS[:2])
    assert isinstance(found, Grouped)
    assert (tuple(found), found.by) == (("t0", "t1"), "task")
    assert found["t0"].held_out.size + found["t1"].held_out.size == 1500


def test_other_columns_divide_too() -> None:
    frame = FRAME.with_columns(half=pl.Series(np.where(np.arange(1500) < 700, "a", "b")))
    found = compare_models(evenhand.read(frame), models=MODELS[:2], group_by="half")
    assert isinstance(found, Grouped)
    assert {name: found[name].held_out.size for name in found} == {"a": 700, "b": 800}


def test_progress_ends_where_it_said() -> None:
    told: list[tuple[int, int]] = []
    data = evenhand.read(frame_of(World(n=1500, tasks=2), 3))
    compare_models(
        data, models="uniform", by="judge", folds=4, progress=lambda *at: told.append(at)
    )
    assert told == [(i, 8) for i in range(1, 9)]


def test_what_cannot_be_compared_is_refused() -> None:
    data = evenhand.read(FRAME)
    with pytest.raises(UnknownOption, match="level cannot be 95"):
        compare_models(data, models="uniform", level=95)
    with pytest.raises(InvalidJudgments, match="are compared on comparisons or rankings, not on"):
        compare_models(FRAME, models="uniform")  # type: ignore[arg-type]
    single = evenhand.read(FRAME.filter(pl.col("judge") == "j001"))
    with pytest.raises(NotIdentified, match="one judge only"):
        compare_models(single, models="uniform", by="judge")


def test_rankings_of_wmt12_are_never_split(data_folder: Path) -> None:
    frame = pl.read_parquet(data_folder / "wmt12_rankings" / "rankings.parquet")
    french = evenhand.read(frame.filter(pl.col("task") == "fr-en"))
    found = one(compare_models(french, models=["uniform", "geometric-students"], by="ranking"))
    assert found.best == "geometric-students"
    assert found.held_out.answer is not None
    answers = len(np.unique(found.held_out.answer))
    assert f"n={answers} " in found.signature
