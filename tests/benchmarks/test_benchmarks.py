"""Fits are timed side by side, and estimate the same worths; no time is tested."""

import math
from pathlib import Path

import pytest
from benchmarks.contenders import Contender
from benchmarks.limits import Limits
from benchmarks.measure import Failed, Worker, choose_form
from benchmarks.row import version
from benchmarks.suites import fit

from benchmarks import data, run

ONCE = Limits(repeat=1)
INSTALLED = [
    contender
    for contender in fit.PEERS
    if all(version(name) != "not installed" for name in contender.packages)
]
# stopping rules differ: scikit-learn and arena-rank stop on a gradient per judgment
AGREEMENT = 1e-3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def judgments(folder: Path) -> Path:
    return data.parquet(folder, 3_000, 6)


@pytest.mark.parametrize(
    ("contender", "form"),
    [
        pytest.param(c, form, id=f"{c.name}-{form}")
        for c in INSTALLED
        for form in c.forms[: 1 + (c.role == "ours")]
    ],
)
def test_every_form_of_every_peer_estimates_what_a_bare_newton_does(
    contender: Contender, form: str, judgments: Path
) -> None:
    with Worker(contender, form, ONCE) as worker:
        values = worker.run(judgments).values
    name = contender.like[-1]
    assert name.startswith("newton.")
    expected = run.References(judgments, [], {}).values(name)
    assert run.compare_numbers(values, expected) < AGREEMENT
    assert sum(values.values()) == pytest.approx(0, abs=1e-9)


def test_a_library_that_is_not_there_is_named_and_the_rest_goes_on(judgments: Path) -> None:
    absent = Contender("absent", "peer", "absent", ("fit",), "")
    floor, missing = run.measured(judgments, ("fit", "small"), (fit.FLOOR, absent), ONCE)
    assert floor.cpu_s is not None
    assert floor.times_floor == 1
    assert missing.cpu_s is None
    assert missing.note == "ModuleNotFoundError: No module named 'benchmarks.peers.absent'"


def test_a_run_that_takes_too_much_cpu_is_stopped_whatever_the_clock_says(judgments: Path) -> None:
    endless = Contender("endless", "ours", "endless", ("spin",), "")
    with pytest.raises(Failed, match="over 1 s"):
        choose_form(endless, judgments, Limits(seconds=1))


@pytest.mark.parametrize(
    ("values", "reference"),
    [
        ({"a": 0.5}, {"a": 0.5, "b": 1.0}),
        ({"a": 0.5, "b": 1.0}, {"a": 0.5}),
        ({"a": 0.5, "b": math.nan}, {"a": 0.5, "b": 1.0}),
        ({"a": 0.5, "b": 1.0}, {"a": 0.5, "b": math.inf}),
    ],
)
def test_a_part_of_the_numbers_or_one_that_is_none_is_endlessly_wrong(values, reference) -> None:
    assert run.compare_numbers(values, reference) == math.inf
