"""Labels from judges, beside crowd-kit.

Two files of simulated answers: a crowd of the size of UKPConvArg1 (84,445 answers, 3,815 judges of
very unequal loads, 16,927 units, 3 labels), and a million answers (5 for each of 200,000 units,
2,000 judges, 5 labels). Judges know the label with a competence of their own, else spam.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

RECIPE = 1


@dataclass(frozen=True)
class Crowd:
    """The size of a file."""

    name: str
    answers: int
    units: int
    judges: int
    labels: int


CROWDS = (
    Crowd("crowd", 84_445, 16_927, 3_815, 3),
    Crowd("million", 1_000_000, 200_000, 2_000, 5),
)
FLOOR = Contender("floor", "floor", "labels_floor", ("group_by",), "counts by unit", ("duckdb",))


def parquet(folder: Path, crowd: Crowd) -> Path:
    """The file of a crowd in `folder`, made if it is not there; Evenhand's own columns."""
    path = folder / f"labels-{crowd.name}-v{RECIPE}.parquet"
    return data.make_once(path, lambda file: write(file, crowd))


def write(path: Path, crowd: Crowd) -> None:
    """Write answers of judges who know, or spam."""
    import pandas as pd

    rng = np.random.default_rng(1)
    unit = np.sort(np.arange(crowd.answers) % crowd.units)
    loads = rng.lognormal(0, 1.5, crowd.judges)
    judge = rng.choice(crowd.judges, crowd.answers, p=loads / loads.sum())
    truth = rng.integers(0, crowd.labels, crowd.units)[unit]
    knows = rng.random(crowd.answers) < rng.beta(2, 1, crowd.judges)[judge]
    favourite = rng.integers(0, crowd.labels, crowd.judges)[judge]
    spam = np.where(rng.random(crowd.answers) < 0.5, favourite, truth[::-1])
    columns = {
        "judge": np.char.mod("judge-%08d", judge),
        "item": np.char.mod("item-%08d", unit),
        "system": np.full(crowd.answers, "system"),
        "score": np.where(knows, truth, spam) + 1,
    }
    pd.DataFrame(columns).to_parquet(path)


def case(crowd: Crowd, model: str, form: str) -> FileCase:
    """Both contenders with one model on the answers of a crowd."""
    like = (f"labels_evenhand.{form}",)
    return FileCase(
        f"{model}, {crowd.answers:,} answers, {crowd.judges:,} judges",
        partial(parquet, crowd=crowd),
        (
            FLOOR,
            Contender("evenhand", "ours", "labels_evenhand", (form,), "labels, skills", OURS),
            Contender(
                "crowd-kit", "peer", "labels_crowd_kit", (form,), "labels", ("crowd-kit",), like
            ),
        ),
    )


CASES = (
    case(CROWDS[0], "MACE", "mace"),
    case(CROWDS[0], "Dawid-Skene", "dawid_skene"),
    case(CROWDS[1], "Dawid-Skene", "dawid_skene"),
)
SUITE = Suite("labels", "labels from judges: MACE, Dawid-Skene", CASES, CASES[1:2])
