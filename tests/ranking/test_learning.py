"""Learning curves on tables and on the paper's judgments."""

from pathlib import Path

import polars as pl
import pytest

import evenhand
from evenhand.ranking.learning_curves import trace_learning
from held_out_votes import World
from ranking.test_held_out import frame_of

WORLD = World(n=2400, items=80, tasks=2, judges=12, worth=(1.0, 0.4, -0.4, -1.0))
DATA = evenhand.read(frame_of(WORLD, 3))
SIZES = (100, 400)


def test_curves_fall_and_say_how_they_were_made() -> None:
    found = trace_learning(
        DATA, models=["uniform", "bradley-terry"], sizes=SIZES, trials=2, least=400
    )
    first, last = found.curve("bradley-terry")
    assert last.perplexity < first.perplexity < 3
    assert "learning curves, sizes 100 400, 2 trials | held out 400 or more" in found.signature
    assert "| tasks t0, t1 | uniform, bradley-terry | level 0.95 seed=20131 |" in found.signature
    assert found.signature.count("seed=20131") == 1


def test_others_may_train_and_the_notes_say_what_they_share() -> None:
    crowd = evenhand.read(frame_of(WORLD, 4))
    found = trace_learning(
        DATA, training=crowd, models="uniform", sizes=(100, 5000), trials=1, least=400
    )
    shared = sum(one.shared for one in found.test_sets)
    assert found.notes[0].startswith("Training sets smaller than 5,000 are used whole: t0 1,")
    assert found.notes[1].startswith(f"{shared:,} training comparisons are on held-out items")
    assert "held-out items keep" in found.signature
    apart = trace_learning(
        DATA, training=crowd, models="uniform", sizes=(100,), trials=1, least=400, overlap="drop"
    )
    assert not any(note.code == "on-held-out-items" for note in apart.notes)


def test_wmt10_comes_out_as_in_its_readme(data_folder: Path) -> None:
    """Perplexity at 1,600 without de-en and en-de: geometric 2.513, computed elsewhere."""
    frame = pl.read_parquet(data_folder / "wmt10_rankings" / "rankings.parquet")
    kept = frame.filter(
        (pl.col("judge_group") == "expert") & ~pl.col("task").is_in(["de-en", "en-de"])
    )
    data = evenhand.read(kept.drop("judge_group"))
    found = trace_learning(data, models="geometric-students", sizes=(1600,))
    (point,) = found.curve("geometric-students")
    assert point.perplexity == pytest.approx(2.513, abs=0.006)
    assert min(one.test for one in found.test_sets) >= 2000
