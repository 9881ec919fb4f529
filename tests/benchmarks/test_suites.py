"""The suites are one program: every one is run by name, and its rows have the same columns."""

import doctest
from pathlib import Path
from types import ModuleType

import benchmarks.__main__ as program
import pytest
from benchmarks.contenders import FileCase
from benchmarks.limits import Limits
from benchmarks.row import Row, read_rows, replace_cases, write_rows
from benchmarks.suites import SUITES, agreement, completion, intervals
from click.testing import CliRunner

from benchmarks import peers, row, run, sizes, slopes, table, targets

ONCE = Limits(repeat=1, peers=())
OURS = Row("1.0", "fit", "N = 2, K = 2", "ours", "evenhand", cpu_s=0.5, times_floor=2.0)


def rows_of(case: FileCase, folder: Path, limits: Limits = ONCE) -> dict[str, Row]:
    found = {one.contender: one for one in case.measure("suite", folder, limits)}
    assert [one.note for one in found.values() if one.note] == []
    return found


def test_a_run_shows_every_contender_and_keeps_every_number(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    options = ["--sizes", "3000:6", "--peers", "choix", "--repeat", "2"]
    places = ["--folder", str(tmp_path), "--csv", str(file)]
    result = CliRunner().invoke(program.main, [*options, *places])
    assert result.exit_code == 0, result.output
    assert "### fit: N = 3,000, K = 6" in result.output
    found = {one.contender: one for one in read_rows(file)}
    assert list(found) == ["floor", "floor+newton", "evenhand", "evenhand-judges", "choix"]
    assert found["floor"].times_floor == 1
    assert (found["floor+newton"].difference or 0) < 1e-6
    assert all(one.cpu_s or one.note for one in found.values())


@pytest.mark.slow
def test_a_quick_run_measures_small_cases_of_the_suites_and_keeps_nothing(tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in row.RESULTS.iterdir()}
    words = ["--quick", "--suite", "completion,random-judges", "--peers", "none"]
    result = CliRunner().invoke(program.main, [*words, "--folder", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "### completion: 400 outputs, 50 judges, 2 shared tastes" in result.output
    assert "### random-judges: 40 judges, 5 systems, 4,000 answers" in result.output
    assert {path: path.stat().st_mtime_ns for path in row.RESULTS.iterdir()} == before


def test_every_suite_has_quick_cases_and_a_name_of_its_own() -> None:
    assert all(suite.cases and suite.quick for suite in SUITES.values())
    for suite in SUITES.values():
        names = [case.name for case in suite.cases]
        assert len(set(names)) == len(names), suite.name


@pytest.mark.parametrize("suite", SUITES)
def test_every_file_is_measured_beside_a_floor_and_every_reference_has_a_module(suite: str) -> None:
    for case in SUITES[suite].cases:
        if isinstance(case, FileCase):
            assert case.contenders[0].role == "floor"
            for one in case.contenders:
                for name in (*one.like, *(f"{one.module}.{form}" for form in one.forms)):
                    module, _, form = name.partition(".")
                    source = (Path(peers.__file__).parent / f"{module}.py").read_text()
                    assert (
                        f"def {form}(" in source
                        or f"import {form}" in source
                        or (f", {form}" in source)
                    ), name


def test_intervals_of_all_kinds_are_measured_on_one_file(tmp_path: Path) -> None:
    small = intervals.case(2_000, 5, (*intervals.FLOORS, *intervals.EVENHAND))
    found = rows_of(small, tmp_path)
    errors = [one.extra("median_se") for one in found.values() if one.role == "ours"]
    assert len(errors) == len(intervals.EVENHAND) == 7
    assert max(errors) < 1.2 * min(errors)


@pytest.mark.slow
def test_refits_the_arena_s_way_have_the_errors_of_ours(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    small = intervals.case(2_000, 5, (intervals.FLOOR, intervals.REFITS[0]))
    found = rows_of(small, tmp_path, Limits(repeat=1))
    peer = found["multinomial refits, 999"]
    assert (peer.difference or 1) < 0.1 * peer.extra("median_se")


def test_completion_is_compared_by_its_error_on_ratings_that_were_not_seen(tmp_path: Path) -> None:
    found = rows_of(completion.case(30, 60, 1), tmp_path)
    assert 0.5 < found["evenhand"].extra("rmse") < 2


def test_peers_and_evenhand_give_the_same_coefficients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "RATINGS", 2_000)
    pytest.importorskip("krippendorff")
    pytest.importorskip("statsmodels")
    pytest.importorskip("polars")
    found = rows_of(agreement.case(2, 0.0, "2"), tmp_path, Limits(repeat=1))
    assert [one for one in found.values() if one.role == "peer" and one.difference is None] == []
    assert max(one.difference or 0 for one in found.values()) < 1e-12


@pytest.mark.parametrize(
    "option",
    [["--sizes", "many:3"], ["--sizes", "1e6:1.5"], ["--peers", "elo"], ["--suite", "elo"]],
)
def test_a_misspelt_option_is_refused(option: list[str]) -> None:
    assert CliRunner().invoke(program.main, option).exit_code == 2


def test_rows_are_read_as_they_were_written_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    write_rows(path, [OURS])
    assert read_rows(path) == [OURS]
    path.write_text("n,k\n1,2\n")
    with pytest.raises(ValueError, match="other columns"):
        read_rows(path)


def test_a_case_that_is_measured_again_replaces_its_rows_and_no_others() -> None:
    other = Row("1.0", "fit", "N = 3, K = 2", "ours", "evenhand", cpu_s=1.0)
    again = Row("1.0", "fit", "N = 2, K = 2", "ours", "evenhand", cpu_s=0.4)
    assert replace_cases([OURS, other], [again]) == [other, again]


def test_a_page_is_filled_in_between_its_marks_and_only_there(tmp_path: Path) -> None:
    page, begin, end = tmp_path / "page.md", "<!-- some: begin -->", "<!-- some: end -->"
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    table.write_docs(page, "some", "new")
    assert page.read_text() == f"before\n{begin}\n\nnew\n\n{end}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        table.write_docs(page, "some", "new")


def test_targets_are_met_or_missed_by_the_numbers_of_the_run() -> None:
    def measured(case: str, role: str, name: str, **numbers: float) -> Row:
        return Row("1.0", "fit", case, role, name, **numbers)  # type: ignore[arg-type]

    rows = [
        measured(targets.BIG, "ours", "evenhand", cpu_s=1.0, times_floor=1.2, peak_mb=250.0),
        measured(targets.BIG, "peer", "evalica", cpu_s=30.0),
        measured(targets.MANY, "ours", "evenhand", cpu_s=0.5),
        measured(targets.MANY, "peer", "choix", cpu_s=0.4),
    ]
    said = list(targets.lines(rows))
    assert [line.split()[0] for line in said] == ["met", "MISSED", "met", "met"]
    rows.append(measured(targets.MANY, "ours", targets.WORTHS, cpu_s=0.45))
    assert list(targets.lines(rows))[-1].endswith("behind choix")


def test_slopes_are_those_of_a_power_of_the_size() -> None:
    """Closed form: a N^b has the slope b."""
    rows = [
        Row("1.0", "growth", f"N = {n:,}", "ours", "evenhand", cpu_s=1e-6 * n**1.5)
        for n in (1_000, 10_000, 1_000_000)
    ]
    (slope,) = slopes.find(rows)
    assert (slope.axis, slope.sizes) == ("N", (1_000, 10_000, 1_000_000))
    assert slope.value == pytest.approx(1.5)
    assert slope.last == pytest.approx(1.5)
    assert "1.50" in slopes.lines(rows)[0]


@pytest.mark.parametrize("module", [peers, run, sizes, slopes], ids=lambda one: one.__name__)
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted > 0
    assert tried.failed == 0
