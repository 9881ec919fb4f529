"""The benches run, and the libraries that they time estimate the same worths; no time is tested."""

import csv
import doctest
import math
from pathlib import Path
from types import ModuleType

import benchmarks.__main__ as program
import duckdb
import pytest
from benchmarks.measure import Failed, Limits, Worker, fastest
from benchmarks.peers import grouped, newton
from click.testing import CliRunner

from benchmarks import contenders, data, peers, run, startup, table, targets

ONCE = Limits(repeat=1)
BY_NAME = {contender.name: contender for contender in contenders.ALL}
INSTALLED = [
    contender
    for contender in contenders.ALL
    if contender.is_peer
    and all(table.version(name) != "not installed" for name in contender.packages)
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


def test_a_file_that_is_there_is_not_made_again(judgments: Path, folder: Path) -> None:
    before = judgments.stat().st_mtime_ns
    assert data.parquet(folder, 3_000, 6) == judgments
    assert judgments.stat().st_mtime_ns == before


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
    [pytest.param(c, form, id=f"{c.name}-{form}") for c in INSTALLED for form in c.forms],
)
def test_every_form_of_every_peer_estimates_what_a_bare_newton_does(
    contender: contenders.Contender, form: str, judgments: Path
) -> None:
    with Worker(contender, form, ONCE) as worker:
        worths = worker.run(judgments).worths
    with Worker(run.reference("floor+newton", contender.ties), form_of(contender), ONCE) as worker:
        expected = worker.run(judgments).worths
    assert run.difference(worths, expected) < AGREEMENT
    assert sum(worths.values()) == pytest.approx(0, abs=1e-9)


def form_of(contender: contenders.Contender) -> str:
    return run.NEWTON_FORMS[contender.ties]


def test_a_run_shows_every_contender_and_keeps_every_number(folder: Path) -> None:
    rows_file = folder / "rows.csv"
    options = ["--sizes", "3000:6", "--peers", "choix", "--repeat", "2"]
    result = CliRunner().invoke(
        program.main, [*options, "--folder", str(folder), "--csv", str(rows_file)]
    )
    assert result.exit_code == 0, result.output
    assert "N = 3,000, K = 6" in result.output
    with rows_file.open(newline="") as file:
        rows = {row["contender"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["floor", "floor+newton", "evenhand", "evenhand-judges", "choix"]
    assert float(rows["floor"]["times_floor"]) == 1
    assert float(rows["floor+newton"]["difference"] or 0) < 1e-6
    assert all(row["cpu_s"] or row["note"] for row in rows.values())


def test_a_library_that_is_not_there_is_named_and_the_rest_goes_on(
    judgments: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = contenders.Contender("absent", "absent", ("fit",), (), "", "")
    monkeypatch.setattr(contenders, "ALL", (BY_NAME["floor"], absent))
    floor, missing = run.measured(judgments, 3_000, 6, ("absent",), ONCE)
    assert floor.cpu_s is not None
    assert missing.cpu_s is None
    assert missing.note == "ModuleNotFoundError: No module named 'benchmarks.peers.absent'"


def test_a_run_that_takes_too_long_is_stopped_and_says_so(judgments: Path) -> None:
    with pytest.raises(Failed, match=r"over 0\.001 s"):
        fastest(BY_NAME["floor"], judgments, Limits(seconds=0.001))


def test_a_file_that_is_not_there_is_reported_in_the_words_of_the_library(folder: Path) -> None:
    with pytest.raises(Failed, match="No files found"):
        fastest(BY_NAME["floor"], folder / "nowhere.parquet", ONCE)


def test_a_dense_hessian_is_refused_where_it_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, judgments: Path
) -> None:
    monkeypatch.setattr(newton, "LARGEST", 5)
    with pytest.raises(peers.TooLarge, match="6 x 6"):
        newton.davidson(str(judgments))


def test_the_sparse_case_runs_only_what_needs_no_dense_matrix() -> None:
    names = [c.name for c in contenders.chosen(contenders.PEERS, contenders.SPARSE)]
    assert names == ["floor", "evenhand-sparse", "scikit-learn"]


@pytest.mark.parametrize(
    "option", [["--sizes", "many"], ["--sizes", "1e6:1.5"], ["--peers", "elo"]]
)
def test_a_misspelt_option_is_refused(option: list[str]) -> None:
    assert CliRunner().invoke(program.main, option).exit_code == 2


def test_a_command_that_fails_has_no_time(tmp_path: Path) -> None:
    start = startup.started("broken", [startup.sys.executable, "-c", "raise SystemExit(3)"], 1)
    assert (start.cpu, start.note) == (None, "(exit 3)")


def test_a_page_is_filled_in_between_its_marks_and_only_there(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
    table.write_docs(page, "new")
    assert page.read_text() == f"before\n{table.BEGIN}\n\nnew\n{table.END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        table.write_docs(page, "new")


def test_targets_are_met_or_missed_by_the_numbers_of_the_run() -> None:
    big, wide = (10**7, 100), (10**6, 1_000)
    rows = [
        run.Row(*big, "evenhand", cpu_s=1.0, times_floor=1.2, peak_mb=250.0),
        run.Row(*big, "evalica", cpu_s=30.0, times_evenhand=30.0),
        run.Row(*wide, "evenhand", cpu_s=0.5),
        run.Row(*wide, "choix", cpu_s=0.4),
    ]
    verdicts = [line.split()[0] for line in targets.lines(rows, [])]
    assert verdicts == ["met", "MISSED", "met", "met", "MISSED"]


def test_nobody_is_ahead_of_peers_that_were_not_measured() -> None:
    rows = [run.Row(10**6, 1_000, "evenhand", cpu_s=0.5), run.Row(10**6, 1_000, "choix", note="-")]
    assert not any("peers" in line for line in targets.lines(rows, []))


@pytest.mark.parametrize("module", [peers, program, run], ids=lambda module: module.__name__)
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    tried = doctest.testmod(module)
    assert tried.attempted > 0
    assert tried.failed == 0
