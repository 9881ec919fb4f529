"""What a command does not import: modules, never seconds."""

import subprocess
import sys
from pathlib import Path

import pytest
from click import Context

from evenhand.cli.main import VERBS, main, without_pandas

VOTES = """left,right,outcome,judge,item
x,y,left,ann,1
y,z,left,bob,1
z,x,left,ann,2
x,z,left,bob,2
y,x,tie,ann,3
z,y,left,bob,3
"""
DEAR = ("fsspec", "ibis", "matplotlib", "pandas", "polars", "pyarrow", "pyspark", "scipy")
BESIDE_THE_WAY = (
    "evenhand.formats.exports",
    "evenhand.formats.inspection",
    "evenhand.formats.covariates",
    "evenhand.formats.remote_files",
    "html",
    "http",
    "numpy.ma",
    "ssl",
    "statistics",
    "urllib.request",
    "xml",
    "evenhand.formats.writing",
    "evenhand.formats.engines",
    "evenhand.formats.workbooks",
    "evenhand.data.engine_errors",
    "evenhand.data.row_reading",
    "evenhand.data.streams",
    "evenhand.data.votes",
    "evenhand.data.weights",
    "evenhand.models.controls",
    "evenhand.models.rating_fit",
    "evenhand.numerics.bootstrap",
    "evenhand.numerics.cluster_means",
    "evenhand.numerics.sampling",
    "evenhand.ranking.best_variant",
    "evenhand.ranking.bootstrap",
    "evenhand.ranking.by_model",
    "evenhand.ranking.pairs",
    "evenhand.render.latex",
    "evenhand.report.assemble",
    "evenhand.judges",
    "evenhand.web",
)
"""What `rank` has for other questions than that of a plain file of comparisons."""


MAX_RUN = 45  # Of our files, of which a function runs when a small file is ranked
MAX_IMPORTED = 73  # Of our files, packages among them
MAX_COLLECTIONS = 60  # Searches for circles of objects; by Python's own threshold there are 123
# Notes the files of ours of which a function runs, other than while a file is imported
TRACE = """
import inspect, sys
import evenhand

PLACE, ran = evenhand.__file__.removesuffix("__init__.py"), set()


def note(frame, event, _):
    code = frame.f_code
    if event != "call" or PLACE not in code.co_filename or code.co_filename in ran:
        return
    if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a file or a class
        return
    caller = frame
    while caller is not None:
        if caller.f_code.co_name == "<module>" and PLACE in caller.f_code.co_filename:
            return
        caller = caller.f_back
    ran.add(code.co_filename)


sys.setprofile(note)
"""


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter really holds after running some code."""
    said = "print('\\n'.join(name for name, held in sys.modules.items() if held))"
    command = [sys.executable, "-c", f"import sys\n{code}\nprint('--')\n{said}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.rpartition("--\n")[2].splitlines())


def command(*words: str) -> str:
    """The code that runs a command and returns."""
    return f"from evenhand.cli.main import main\nmain({[*words]!r}, standalone_mode=False)"


@pytest.fixture
def votes(tmp_path: Path) -> str:
    """A file of six comparisons with judges and items."""
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return str(path)


def test_importing_evenhand_imports_no_other_file() -> None:
    loaded = loaded_after("import evenhand")
    ours = {name for name in loaded if name.startswith("evenhand.")}
    assert ours == set()
    assert "numpy" not in loaded


def test_ranking_a_small_file_imports_only_what_it_uses(votes: str) -> None:
    loaded = loaded_after(command("rank", votes))
    assert {"numpy", "duckdb", "evenhand.ranking.rank_sets"} <= loaded
    assert loaded.isdisjoint({*DEAR, *BESIDE_THE_WAY})


def test_ranking_a_small_file_runs_through_few_files(votes: str) -> None:
    said = "sys.setprofile(None)\nprint('--')\nprint('\\n'.join(sorted(ran)))"
    script = f"{TRACE}\n{command('rank', votes)}\n{said}"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    ran = run.stdout.rpartition("--\n")[2].splitlines()
    assert {"rank.py", "tally.py", "existence.py"} <= {Path(one).name for one in ran}
    assert len(ran) <= MAX_RUN, ran


def test_a_small_command_hardly_looks_for_circles_of_objects(votes: str) -> None:
    code = f"""
import gc, sys
from evenhand.cli.main import main
sys.argv[1:] = ["rank", {votes!r}]
try:
    main()
except SystemExit as end:
    assert not end.code
before = sum(one["collections"] for one in gc.get_stats())
print("--", before, gc.get_freeze_count())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    collections, frozen = map(int, run.stdout.rpartition("-- ")[2].split())
    assert collections <= MAX_COLLECTIONS
    assert frozen > 0  # the last search, at the end of the process, passes these by


def test_ranking_a_small_file_imports_few_files(votes: str) -> None:
    ours = sorted(one for one in loaded_after(command("rank", votes)) if one.startswith("evenhand"))
    assert len(ours) <= MAX_IMPORTED, ours


def test_ranking_a_small_file_of_ratings_imports_no_library_of_data_frames_or_of_sparse_matrices(
    tmp_path: Path,
) -> None:
    # 500 cells of judge and item in 100 items: more cells than the rows could fill
    rows = [f"{(i + s) % 10},{i},s{s},{(i * s + i) % 7}" for i in range(100) for s in range(5)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["judge,item,system,score", *rows]))
    assert loaded_after(command("rank", str(path))).isdisjoint(DEAR)


def test_the_json_of_a_report_draws_no_figure(votes: str) -> None:
    assert "matplotlib" not in loaded_after(command("report", votes, "--json"))


@pytest.mark.parametrize("verb", ["inspect", "judges", "agreement"])
def test_other_verbs_on_a_small_file_import_no_library_of_data_frames(
    verb: str, votes: str
) -> None:
    assert loaded_after(command(verb, votes)).isdisjoint({*DEAR, "evenhand.formats.exports"})


def test_the_list_of_verbs_imports_none_of_them() -> None:
    loaded = loaded_after(command("--help"))
    assert "evenhand.cli.main" in loaded
    assert loaded.isdisjoint({*DEAR, "numpy", "duckdb", "evenhand.cli.rank", "evenhand.cli.serve"})


def test_the_list_of_verbs_says_of_each_what_the_verb_says_of_itself() -> None:
    verbs = {name: main.get_command(Context(main), name) for name in VERBS}
    assert {name: verb.short_help for name, verb in verbs.items() if verb} == VERBS


def test_pandas_is_held_back_while_a_command_runs_and_is_there_afterwards() -> None:
    code = """
from evenhand.cli.main import without_pandas
with without_pandas(["rank", "votes.csv"]):
    try:
        import pandas
    except ModuleNotFoundError:
        print("held back")
    else:
        raise SystemExit("pandas was imported")
import pandas
"""
    assert "pandas" in loaded_after(code)


def test_pandas_stays_where_it_is_in_use_or_the_address_of_an_engine_is_given() -> None:
    frames = pytest.importorskip("pandas")
    with without_pandas(["rank", "votes.csv"]):
        assert sys.modules["pandas"] is frames
    code = """
from evenhand.cli.main import without_pandas
with without_pandas(["rank", "spark://host/table"]):
    assert "pandas" not in sys.modules
with without_pandas(["rank", "s3://bucket/votes.parquet"]):
    assert sys.modules["pandas"] is None
"""
    assert "pandas" not in loaded_after(code)
