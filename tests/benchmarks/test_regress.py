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
    assert output == "1 rows compared, 0 of them slower than 1.25 x\n"


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


def test_a_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("a,b\n")
    write_rows(tmp_path / "new.csv", [OURS])
    words = [str(tmp_path / "old.csv"), str(tmp_path / "new.csv")]
    result = CliRunner().invoke(regress.main, words)
    assert result.exit_code == 1
    assert "other columns" in result.output
