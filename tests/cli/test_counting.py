"""`evenhand rank --memory`: the engine keeps to what it is given."""

from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.formats.files import connect

ROWS = [
    f"{pair},{outcome},j{at}"
    for at in range(9)
    for pair in ("a,b", "b,c", "c,a")
    for outcome in ("left", "right")
]
VOTES = "\n".join(["left,right,outcome,judge", *ROWS, "a,b,left,j1"])


def run(*words: str):
    return CliRunner().invoke(main, ["rank", *words], prog_name="evenhand")


def test_the_engine_keeps_to_the_memory_that_it_is_given(tmp_path):
    def limit() -> str:
        return connect().execute("select current_setting('memory_limit')").fetchone()[0]

    votes = tmp_path / "votes.csv"
    votes.write_text(VOTES)
    before = limit()
    try:
        assert run(str(votes), "--memory", "512MiB").exit_code == 0
        assert limit() == "512.0 MiB"
    finally:
        connect().execute(f"set memory_limit = '{before}'")
    result = run(str(votes), "--memory", "much")
    assert result.exit_code == 2
    assert "'much' is no size" in result.output
