"""Automatic metrics against people: SPA, tie calibration, and tests between 30 metrics.

    people = system (sd .5) + segment (1) + cell (.7), in steps
    metric = people + system (.3) + noise

The published form is written after mt-metrics-eval (68a481ae), which is on no package index.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

RECIPE = 1


@dataclass(frozen=True)
class Size:
    """The size of a file."""

    metrics: int
    systems: int
    segments: int


def make(folder: Path, size: Size) -> Path:
    """The file of a size in `folder`, made if it is not there."""
    name = f"metrics-m{size.metrics}-k{size.systems}-s{size.segments}-v{RECIPE}.npz"
    return data.make_once(folder / name, lambda file: write(file, size))


def write(path: Path, size: Size) -> None:
    """Write scores of people and of metrics."""
    rng = np.random.default_rng(1)
    m, k, s = size.metrics, size.systems, size.segments
    h = 0.5 * rng.normal(size=(k, 1)) + rng.normal(size=(1, s)) + 0.7 * rng.normal(size=(k, s))
    noise = np.linspace(0.5, 2.5, m)[:, None, None]
    scores = h + 0.3 * rng.normal(size=(m, k, 1)) + noise * rng.normal(size=(m, k, s))
    with path.open("wb") as file:
        np.savez(file, people=np.round(h), metrics=scores)


def case(what: str, form: str, gives: str, size: Size, *, published: bool = True) -> FileCase:
    """One computation on a size."""
    module = "metrics_evenhand"
    contenders = [
        Contender("floor", "floor", "metrics_floor", ("load",), "the file", ("numpy",)),
        Contender("evenhand", "ours", module, (form,), gives, OURS),
    ]
    if published:
        like = (f"{module}.{form}",)
        peer = Contender(
            "published form", "peer", "metrics_published", (form,), gives, ("numpy",), like
        )
        contenders.append(peer)
    name = f"{what}, {size.metrics} metrics, {size.systems} systems, {size.segments:,} segments"
    return FileCase(name, partial(make, size=size), tuple(contenders))


CASES = (
    case("SPA", "spa", "SPA, B = 1,000", Size(1, 14, 1_300)),
    case("ties", "ties", "acc*-eq and ε", Size(1, 14, 1_300)),
    case("tests", "tests", "p of all pairs", Size(30, 14, 1_300), published=False),
)
SUITE = Suite("metrics", "metrics against people", CASES, CASES[:2])
