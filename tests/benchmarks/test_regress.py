"""A regression is seen: ratios to the floor of the same run, not seconds."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.row import Row, write_rows
from click.testing import CliRunner

from benchmarks import regress

OURS = Row("1.0", "fit", "N = 2", "ours", "evenhand", cpu_s=0.5, times_floor=2.0, times_peer=0.5)


def said(folder: Path, old: Row, new: Row, *options: str) -> tuple[int, str]:
    for name, one in (("old.csv", old), ("new.csv", new)):
        write_rows(folder / name, [one])
    words = [str(folder / "old.csv"), str(folder / "new.csv"), *options]
    result = CliRunner().invoke(regress.main, words)
    return result.exit_code, result.output


def test_a_row_that_takes_more_times_its_floor_is_named_and_the_exit_code_says_so(
    tmp_path: Path,
) -> None:
    code, output = said(tmp_path, OURS, replace(OURS, times_floor=3.0))
    assert code == 1
    assert "fit, N = 2: evenhand takes 3.00 x the floor, was 2.00 (1.50 x)" in output


def test_a_busy_machine_is_no_regression(tmp_path: Path) -> None:
    code, output = said(tmp_path, OURS, replace(OURS, cpu_s=5.0))
    assert code == 0
    assert output == "1 rows compared, 0 of them worse by more than 1.25 x\n"


def test_what_is_within_the_tolerance_or_too_short_to_tell_is_left_alone(tmp_path: Path) -> None:
    slower = replace(OURS, times_floor=3.0)
    assert said(tmp_path, OURS, slower, "--tolerance", "1.6")[0] == 0
    short = replace(OURS, cpu_s=0.01)
    assert said(tmp_path, short, replace(slower, cpu_s=0.02))[0] == 0


def test_without_a_floor_the_best_peer_is_the_measure(tmp_path: Path) -> None:
    old, new = (replace(OURS, times_floor=None, times_peer=times) for times in (0.5, 1.0))
    code, output = said(tmp_path, old, new)
    assert code == 1
    assert "1.00 x the best peer, was 0.50" in output


def test_what_cannot_be_measured_any_more_is_a_regression(tmp_path: Path) -> None:
    code, output = said(tmp_path, OURS, replace(OURS, cpu_s=None, note="MemoryError"))
    assert code == 1
    assert "fails   fit, N = 2: evenhand (MemoryError)" in output


@pytest.mark.parametrize("role", ["floor", "peer"])
def test_others_may_get_slower(tmp_path: Path, role: str) -> None:
    other = replace(OURS, role=role)
    assert said(tmp_path, other, replace(other, times_floor=9.0))[0] == 0


FULL = replace(OURS, peak_mb=100.0, difference=1e-12)


WORSE = {
    "no floor and no peer": (
        replace(FULL, times_floor=None, times_peer=None, cpu_s=50.0),
        "neither its floor nor a peer is measured any more",
    ),
    "memory": (replace(FULL, peak_mb=4000.0), "holds 4,000 MB, was 100 (40.00 x)"),
    "wrong numbers": (replace(FULL, difference=3.0), "is 3 from its reference, was 1e-12"),
    "numbers of another name": (replace(FULL, difference=float("inf")), "is inf from its"),
    "nobody to agree with": (replace(FULL, difference=None), "compared with none any more"),
}


@pytest.mark.parametrize("fault", WORSE)
def test_what_else_is_worse_is_named(tmp_path: Path, fault: str) -> None:
    new, said_of_it = WORSE[fault]
    code, output = said(tmp_path, FULL, new)
    assert code == 1
    assert said_of_it in output
    assert "1 rows compared, 1 of them worse" in output


def test_rounding_and_a_little_memory_are_no_regression(tmp_path: Path) -> None:
    assert said(tmp_path, FULL, replace(FULL, difference=9e-10, peak_mb=120.0))[0] == 0


def test_a_row_that_is_gone_is_missed(tmp_path: Path) -> None:
    code, output = said(tmp_path, FULL, replace(FULL, contender="another"))
    assert code == 1
    assert "fails   fit, N = 2: evenhand (is not measured any more)" in output
