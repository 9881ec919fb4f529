"""Fits are timed side by side, and estimate the same worths; no time is tested."""

import math
from pathlib import Path

import duckdb
import pytest
from benchmarks.contenders import Contender
from benchmarks.limits import Limits
from benchmarks.measure import Failed, Timing, Worker, choose_form
from benchmarks.peers import grouped, newton
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


def table_of(path: Path, rows: list[tuple[str, str, str, int]]) -> Path:
    """A Parquet file with each (model_a, model_b, winner) so many times."""
    values = ", ".join(f"('{a}', '{b}', '{winner}', {times})" for a, b, winner, times in rows)
    duckdb.execute(
        f"COPY (SELECT model_a, model_b, winner FROM (VALUES {values}) AS"
        f" t(model_a, model_b, winner, times), range(times)) TO {data.quoted(path)}"
        " (FORMAT parquet)"
    )
    return path


def test_the_file_has_the_rows_systems_and_outcomes_that_were_asked_for(judgments: Path) -> None:
    rows = duckdb.execute(
        "SELECT count(*), count(DISTINCT model_a), count(*) FILTER (model_a = model_b),"
        f" list(DISTINCT winner ORDER BY winner) FROM {data.quoted(judgments)}"
    ).fetchone()
    assert rows == (3_000, 6, 0, ["model_a", "model_b", "tie"])


def test_the_same_seed_makes_the_same_file_and_another_seed_another(
    judgments: Path, tmp_path: Path
) -> None:
    def all_rows(path: Path) -> list[tuple[str, ...]]:
        return duckdb.execute(f"FROM {data.quoted(path)}").fetchall()

    assert all_rows(data.parquet(tmp_path, 3_000, 6)) == all_rows(judgments)
    assert all_rows(data.parquet(tmp_path, 3_000, 6, seed=2)) != all_rows(judgments)


def test_one_pair_without_ties_has_the_log_of_the_odds_of_winning(tmp_path: Path) -> None:
    """Closed form: the difference of log-worths is ln(wins / losses)."""
    pair = table_of(
        tmp_path / "pair.parquet", [("a", "b", "model_a", 30), ("b", "a", "model_a", 10)]
    )
    for form in (newton.discard, newton.half_win):
        worths = form(str(pair))
        assert worths["a"] - worths["b"] == pytest.approx(math.log(3), abs=1e-9)


def test_one_pair_with_ties_has_the_same_odds_under_davidson_and_half_wins_added_otherwise(
    tmp_path: Path,
) -> None:
    """Closed forms: Davidson ln(n+/n-), half-win ln((n+ + n0/2) / (n- + n0/2))."""
    pair = table_of(
        tmp_path / "pair.parquet",
        [("a", "b", "model_a", 30), ("a", "b", "model_b", 10), ("b", "a", "tie", 20)],
    )
    davidson, half_win = newton.davidson(str(pair)), newton.half_win(str(pair))
    assert davidson["a"] - davidson["b"] == pytest.approx(math.log(3), abs=1e-9)
    assert half_win["a"] - half_win["b"] == pytest.approx(math.log(2), abs=1e-9)


def test_folding_keeps_the_counts_and_turns_the_outcomes_round(tmp_path: Path) -> None:
    path = table_of(
        tmp_path / "pair.parquet",
        [("a", "b", "model_a", 4), ("b", "a", "model_a", 3), ("b", "a", "tie", 2)],
    )
    cells = grouped.folded(grouped.counts(str(path)))
    counts = (cells.wins.tolist(), cells.ties.tolist(), cells.losses.tolist())
    assert (cells.left.tolist(), cells.right.tolist(), *counts) == ([0], [1], [4], [2], [3])


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


def test_a_run_that_takes_too_long_is_stopped_and_says_so(judgments: Path) -> None:
    with pytest.raises(Failed, match=r"over 0\.001 s"):
        choose_form(fit.FLOOR, judgments, Limits(seconds=0.001))


def test_a_run_that_takes_too_much_cpu_is_stopped_whatever_the_clock_says(judgments: Path) -> None:
    endless = Contender("endless", "ours", "endless", ("spin",), "")
    with pytest.raises(Failed, match="over 1 s"):
        choose_form(endless, judgments, Limits(seconds=1))


def test_a_contender_that_has_used_its_budget_is_not_run_again(judgments: Path) -> None:
    few, many = (
        next(run.measured(judgments, ("fit", "small"), (fit.FLOOR,), Limits(3, budget)))
        for budget in (1e-9, 60.0)
    )
    assert (few.runs, many.runs) == (1, 3)


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


def test_who_computes_a_part_is_not_the_best_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = {"floor": 1.0, "ours": 2.0, "part": 0.1, "all": 4.0, "one number": 8.0}
    parts = {"part": {"a": 0.5}, "one number": {"b": 1.0}}
    full = {"a": 0.5, "b": 1.0}
    timings = {
        name: Timing("form", 0.0, [seconds], [seconds], 1.0, parts.get(name, full))
        for name, seconds in cpu.items()
    }
    monkeypatch.setattr(run, "in_turn", lambda *_: timings)
    contenders = [
        Contender(
            name,
            "peer" if name not in ("floor", "ours") else name,
            name,
            ("form",),
            "",
            like=("floor.form",),
            numbers=("b",) if name == "one number" else (),
        )
        for name in cpu
    ]
    rows = {one.contender: one for one in run.measured(tmp_path, ("s", "c"), contenders, ONCE)}
    assert rows["ours"].times_peer == 2.0 / 4.0
    assert rows["part"].difference == math.inf
    assert rows["one number"].difference == 0
