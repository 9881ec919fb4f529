"""The suites are one program: every one is run by name, and its rows have the same columns."""

import doctest
from pathlib import Path
from types import ModuleType

import benchmarks.__main__ as program
import pytest
from benchmarks.contenders import FileCase
from benchmarks.limits import Limits
from benchmarks.row import Row, read_rows
from benchmarks.suites import SUITES, agreement, completion, intervals
from click.testing import CliRunner

from benchmarks import peers, run, sizes, slopes

ONCE = Limits(repeat=1, peers=())


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


@pytest.mark.parametrize("module", [peers, run, sizes, slopes], ids=lambda one: one.__name__)
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted > 0
    assert tried.failed == 0
