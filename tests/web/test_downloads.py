"""Our own tables, taken home and read again."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import evenhand
from evenhand.cli.main import main
from evenhand.web import Site, Store, make_app
from evenhand.web.downloads import open_download
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from every_kind import count_spans, judge_every_kind, read_back
from stored_campaigns import fill, judge_next, list_judgments, make_pairs


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with judge_every_kind(tmp_path_factory.mktemp("all")) as opened:
        yield opened


@pytest.fixture(scope="module")
def fetch(site: Site) -> Iterator[Any]:
    """Fetch a file of the organiser's page."""
    with TestClient(make_app(site), raise_server_exceptions=False) as client:
        link = f"/a/{site.store.do(people.replace_link, 'admin').token}"
        yield lambda path: client.get(f"{link}/{path}".rstrip("/"))


@pytest.mark.parametrize("table", ["comparisons", "rankings", "ratings"])
def test_our_tables_hold_every_row_and_column(
    fetch: Any, site: Site, tmp_path: Path, table: str
) -> None:
    reply = fetch(f"download/{table}.csv")
    path = tmp_path / f"{table}.csv"
    path.write_bytes(reply.content)
    data: Any = evenhand.read(path)
    right = list(site.store.rows(table))
    columns = data.frame.to_native().fetchnumpy()
    assert len(columns["judge"]) == len(right)
    said = {"comparisons": "outcome", "rankings": "rank", "ratings": "score"}[table]
    assert [write(one) for one in columns[said]] == [write(one[said]) for one in right]
    if table == "ratings":  # the first pass marks no errors
        marked = [one for one in data.frame.to_native().fetchall() if "[" in str(one)]
        assert len(marked) == sum("spans" in one for one in right) > 0
    assert {*columns["judge"]} == {"j0", "j1", "j2"}


def test_every_file_comes_with_the_head_of_the_log(fetch: Any, site: Site) -> None:
    head = str(check_store(site.store).head)
    names = ["comparisons.csv", "rankings.csv", "ratings.csv", "spans.csv", "log.jsonl"]
    files = [f"download/{one}" for one in (*names, "campaign.json")]
    for path in [*files, "export/arena?pass=better"]:
        reply = fetch(path)
        assert (reply.status_code, reply.headers["Evenhand-Head"]) == (200, head), path
    told = fetch("download/head.json").json()
    assert (told["head"], told["digest"]) == (head, site.campaign.digest)
    assert head in fetch("").text
    assert "download/head.json" in fetch("").text
    assert fetch("board.json").json()["head"] == head


def write(value: object) -> str:
    """1 and 1.0 are one number."""
    try:
        return f"{float(value):g}"  # type: ignore[arg-type]
    except ValueError:
        return str(value)


def test_the_table_of_marked_errors_has_the_texts_beside_them(
    fetch: Any, site: Site, tmp_path: Path
) -> None:
    data, rows = read_back(fetch("download/spans.csv"), tmp_path, "spans.csv")
    right = [one for one in site.store.rows("ratings") if "spans" in one]
    assert type(data).__name__ == "Ratings"
    assert Counter((one["judge"], one["item"], one["spans"]) for one in rows) == Counter(
        (one["judge"], one["item"], one["spans"]) for one in right
    )
    for one in rows:
        assert one["output"] == site.campaign.item(one["item"]).outputs[one["system"]]
        assert all(end <= len(one["output"]) for _, end, _ in count_spans(one))


@pytest.mark.parametrize("said", ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "＝1+1"])
def test_a_comment_that_a_spreadsheet_would_run_has_an_apostrophe_and_the_log_has_none(
    store: Store, said: str
) -> None:
    fill(store)
    judge_next(store, "j0", {"outcome": "left", "comment": said})
    judge_next(store, "j0", {"outcome": "left", "comment": "1 = 1, a@b"})
    table, log = (
        b"".join(open_download(store, name) or ()).decode()
        for name in ("comparisons.csv", "log.jsonl")
    )
    found = [one["comment"] for one in csv.DictReader(table.splitlines())]
    assert found == [f"'{said}", "1 = 1, a@b"]
    assert said in log.replace("\\u003d", "=")
    assert next(list_judgments(store)).comment == said


@pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
def test_a_verb_reads_the_database_as_its_table(store: Store, where: str, tmp_path: Path) -> None:
    fill(store, make_pairs(items=9))
    for number in range(6):
        judge_next(store, f"j{number % 2}", {"outcome": "left" if number % 3 else "right"})
    table = tmp_path / "comparisons.csv"
    table.write_bytes(b"".join(open_download(store, "comparisons.csv") or ()))
    told, found = (
        CliRunner().invoke(main, ["rank", str(name), "--json"]) for name in (table, where)
    )
    assert (told.exit_code, found.exit_code) == (0, 0), found.output
    numbers, again = (json.loads(one.stdout)["systems"] for one in (told, found))
    assert numbers == again
