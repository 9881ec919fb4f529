"""The database of a campaign is read as its exported tables are, also while the campaign runs."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main
from evenhand.web import Store
from evenhand.web.downloads import open_download
from evenhand.web.store.schema import log
from every_kind import SECRETS, judge_every_kind
from stored_campaigns import fill, judge_next, make_pairs

TABLES = ("comparisons", "rankings", "ratings")
VERBS = {
    "comparisons": ("rank", "agreement", "judges", "report", "bias", "robustness", "inspect"),
    "rankings": ("rank", "agreement", "judges", "report"),
    "ratings": ("agreement", "judges", "report", "variance"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A campaign with every kind of pass, which is open and written to; and its tables."""
    made = tmp_path_factory.mktemp("campaign")
    with judge_every_kind(made) as site:
        for table in TABLES:
            pieces = open_download(site.store, f"{table}.csv")
            assert pieces is not None
            (made / f"{table}.csv").write_bytes(b"".join(pieces))
        yield made


def run(folder: Path, *words: str) -> tuple[int, str]:
    here = Path.cwd()
    os.chdir(folder)
    try:
        result = CliRunner().invoke(main, list(words))
    finally:
        os.chdir(here)
    if result.exit_code == 1 and result.exception is not None:
        raise result.exception
    return result.exit_code, result.stdout or result.stderr


@pytest.mark.parametrize(("table", "verb"), [(t, v) for t, verbs in VERBS.items() for v in verbs])
def test_a_database_gives_what_its_exported_table_gives(
    folder: Path, table: str, verb: str
) -> None:
    code, told = run(folder, verb, f"{table}.csv", "--from", table, "--json")
    found = run(folder, verb, "c.db", "--from", table, "--json")
    assert (found[0], code) == (0, 0)
    contract = json.loads(found[1])
    if verb == "report":  # a database has a log, a table none
        assert contract["log_check"] == f"evenhand check c.db --head {contract['log_head']}"
        contract |= {"log_head": "", "log_check": ""}
    assert round_all(contract) == round_all(json.loads(told.replace(f"{table}.csv", "c.db")))
    assert not any(secret in found[1] for secret in SECRETS)


def round_all(value: Any) -> Any:
    """Leave the last digits out, in which sums differ from run to run."""
    if isinstance(value, dict):
        return {name: round_all(one) for name, one in value.items()}
    if isinstance(value, list):
        return [round_all(one) for one in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def test_a_verb_takes_the_table_that_it_can_read(folder: Path) -> None:
    assert run(folder, "rank", "c.db", "--task", "better", "--csv") == run(
        folder, "rank", "comparisons.csv", "--csv"
    )
    assert run(folder, "rank", "c.db", "--task", "order", "--csv") == run(
        folder, "rank", "rankings.csv", "--csv"
    )
    code, said = run(folder, "rank", "c.db")
    assert code == 2
    assert said.splitlines() == [
        "error  c.db holds comparisons, rankings: choose with --from comparisons or --from rankings"
        " (in Python format='comparisons')"
    ]
    assert run(folder, "rank", "c.db", "--from", "comparisons")[0] == 0
    opened = evenhand.read(folder / "c.db", format="comparisons")
    assert opened.tally().digest == evenhand.read(folder / "comparisons.csv").tally().digest


def test_secrets_and_links_are_not_read(folder: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(folder / "c.db")) as connection:
        secrets = [row[0] for row in connection.execute("SELECT secret FROM specs")]
        secrets += [row[0] for row in connection.execute("SELECT digest FROM tokens")]
    assert len(secrets) > 3
    for form in ("--to=comparisons", "--to=rankings", "--to=ratings"):
        table = form.removeprefix("--to=")
        made = tmp_path / f"{table}.csv"
        code, said = run(folder, "convert", "c.db", "--from", table, form, "-o", str(made))
        assert code == 0, said
        text = made.read_text()
        assert not any(secret in text for secret in secrets)


def test_a_campaign_that_goes_on_is_read_as_it_is_now(tmp_path: Path) -> None:
    def count() -> Any:
        return json.loads(run(tmp_path, "inspect", "c.db", "--json")[1])["total"]["judgments"]

    with Store.open(str(tmp_path / "c.db")) as store:
        fill(store, make_pairs(items=9))
        code, said = run(tmp_path, "rank", "c.db")
        assert (code, said) == (
            2,
            "error  c.db holds no answers yet: read it when judges have answered\n",
        )
        for n in range(4):
            judge_next(store, "j0", {"outcome": "left" if n else "right"})
        assert count() == 4
        before = store.head()
        judge_next(store, "j1")
        assert count() == 5
        assert store.head().number == before.number + 1
        with store.reading() as connection:
            assert connection.execute(log.select()).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what Ibis imports
def test_another_database_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "my votes.db")) as connection:
        connection.execute("CREATE TABLE votes (judge, system_a, system_b, winner)")
        rows = [("j", "A", "B", "model_a"), ("j", "A", "B", "model_b"), ("j", "B", "A", "model_a")]
        connection.executemany("INSERT INTO votes VALUES (?, ?, ?, ?)", rows)
        connection.commit()
    code, said = run(tmp_path, "rank", "my votes.db")
    address = "sqlite://my votes.db?table=votes"
    written = """sqlite3 -header -csv 'my votes.db' 'select * from "votes"' > votes.csv"""
    assert (code, said) == (
        2,
        "error  my votes.db holds tables of another program: write one of them as CSV"
        f" ({written}), or name it, as in '{address}', which needs the extra evenhand[ibis]\n",
    )
    if which("sqlite3"):
        subprocess.run(written, shell=True, cwd=tmp_path, check=True)
        code, said = run(tmp_path, "rank", "votes.csv")
        assert code == 0, said
    pytest.importorskip("ibis")
    code, said = run(tmp_path, "rank", address)
    assert code == 0, said


def test_a_kind_that_a_campaign_does_not_hold_is_refused(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        fill(store, make_pairs(items=9))
        judge_next(store, "j0", {"outcome": "left"})
    code, said = run(tmp_path, "rank", "c.db", "--from", "ratings")
    assert (code, said) == (
        2,
        "error  c.db holds comparisons, no ratings: read it without --from ratings\n",
    )


def test_a_database_without_tables_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "empty.db")) as connection:
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    code, said = run(tmp_path, "report", "empty.db")
    assert code == 2
    assert said.count("\n") == 1
    assert "empty.db holds no campaign" in said
