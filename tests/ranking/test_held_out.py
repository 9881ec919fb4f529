"""Models compared by cross-validation on tables and real judgments."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data.results import Grouped
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.ranking.cross_validation import ModelComparison, compare_models
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
    assert found.scores[-1].perplexity == 3.0
    assert "uniform" not in found.best_set


def test_the_order_of_rows_does_not_matter() -> None:
    again = one(
        compare_models(evenhand.read(FRAME.sample(fraction=1, shuffle=True, seed=1)), models=MODELS)
    )
    assert again.signature == one(FOUND).signature
    assert (again.losses == one(FOUND).losses).all()


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


def test_rows_of_no_group_are_refused_by_number() -> None:
    half = np.where(np.arange(1500) < 700, "a", "b").astype(object)
    half[:2] = None
    number = [None, *([1] * 700), *([2] * 799)]
    frame = FRAME.with_columns(half=pl.Series(half.tolist()), number=pl.Series(number))
    for column, rows in (("half", "rows 1, 2"), ("number", "row 1")):
        said = rf"a value is missing in column '{column}' .*\({rows}\)"
        with pytest.raises(InvalidJudgments, match=said):
            compare_models(evenhand.read(frame), models=MODELS[:2], group_by=column)


def test_a_dozen_votes_are_refused_and_other_groups_are_compared_without_them() -> None:
    few = evenhand.read(FRAME.head(12))
    with pytest.raises(NotIdentified, match=r"too few comparisons \(12\) to tell which model"):
        compare_models(few, models="uniform")
    part = FRAME.head(42).with_columns(half=pl.Series(["a"] * 12 + ["b"] * 30))
    found = compare_models(evenhand.read(part), models="uniform", group_by="half")
    assert isinstance(found, Grouped)
    assert (tuple(found), tuple(found.refused)) == (("b",), ("a",))


def test_rankings_of_wmt12_are_never_split(data_folder: Path) -> None:
    frame = pl.read_parquet(data_folder / "wmt12_rankings" / "rankings.parquet")
    french = evenhand.read(frame.filter(pl.col("task") == "fr-en"))
    found = one(compare_models(french, models=["uniform", "geometric-students"], by="ranking"))
    assert found.best == "geometric-students"
    assert found.held_out.answer is not None
    answers = len(np.unique(found.held_out.answer))
    assert f"n={answers} " in found.signature
