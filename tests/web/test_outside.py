"""What is taken home: every file is read again, and says what was judged."""

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import evenhand
from evenhand.cli.main import main
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store, make_app
from evenhand.web.analysis import list_offers
from evenhand.web.downloads import open_download
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from every_kind import (
    TASKS,
    TOLD,
    count_spans,
    judge_all,
    judge_every_kind,
    list_targets,
    read_back,
)
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


HELD = [
    ("arena", "jsonl", "better", "comparisons", "judge item left right outcome"),
    ("wmt-rnk", "csv", "order", "rankings", "judge item system rank position"),
    ("appraise", "csv", "good", "ratings", "judge item system score kind"),
    ("wmt-json", "jsonl", "esa", "ratings", "judge system score spans"),
    ("mqm-tsv", "tsv", "errors", "ratings", "judge system spans"),
    ("label-studio", "json", "better", "comparisons", "left right outcome"),
    ("label-studio", "json", "order", "rankings", "judge system rank"),
    *(
        ("label-studio", "json", name, "ratings", "judge item system score")
        for name in ("good", "errors", "esa")
    ),
]
"""A format, the end of its files, a pass, our table, and the columns that the format holds."""
BESIDE = {"wmt-rnk": ("task", {"de-en"}), "appraise": ("task", {"deu-eng"})} | {
    "wmt-json": ("source", {f"Quelle {n}" for n in range(4)})
}
SIDES = {"model_a": "left", "model_b": "right"}


def count_rows(rows: list[dict[str, Any]], columns: str) -> Counter[tuple[object, ...]]:
    """How often each row is there; numbers are numbers, whoever wrote them."""

    def read(row: dict[str, Any], name: str) -> object:
        if name == "spans":
            return count_spans(row)
        if name in ("score", "rank", "position"):
            return float(row[name])
        return SIDES.get(row[name], row[name].removeprefix("talk:"))

    return Counter(tuple(read(row, name) for name in columns.split()) for row in rows)


@pytest.mark.parametrize("held", HELD, ids=lambda held: f"{held[0]}-{held[2]}")
def test_a_file_for_another_program_holds_what_was_judged(
    fetch: Any, site: Site, tmp_path: Path, held: tuple[str, str, str, str, str]
) -> None:
    kind, end, name, table, columns = held
    data, rows = read_back(fetch(f"export/{kind}?pass={name}"), tmp_path, f"a.{end}")
    right = list_targets(site, table, name)
    if kind == "appraise":  # controls and repeats, too
        right = [one for one in site.store.rows(table) if one["criterion"] == name]
        assert {one["kind"] for one in right} == {"target", "good", "repeat"}
    assert count_rows(rows, columns) == count_rows(right, columns)
    if name == "better":
        assert len(right) == 24  # 4 items, 3 pairs, 2 judges
    if kind == "mqm-tsv":  # scores are counted from errors
        assert sorted(data.rows().score.tolist()) == sorted(float(one["score"]) for one in right)
    if kind in BESIDE:
        column, values = BESIDE[kind]
        assert {one[column] for one in rows} == values


@pytest.mark.parametrize("task", [TASKS[0], TASKS[1]], ids=["pair", "rank"])
def test_a_refusal_names_judge_item_and_pass_and_no_file_of_the_server(
    store: Store, task: dict[str, Any]
) -> None:
    told = {**TOLD, "tasks": [task], "design": {"judges_per_item": 2}, "items": TOLD["items"][:4]}
    fill(store, make_campaign(told))
    tied = {"pair": {"outcome": "tie"}, "rank": {"ranks": [1, 1, 2]}}[task["kind"]]
    right = {"pair": {"outcome": "left"}, "rank": {"ranks": [1, 2, 3]}}[task["kind"]]
    busy = [one.name for one in store.judges() if one.total > 1][:2]
    judge_next(store, busy[0], right)
    judge_next(store, busy[1], right)
    asked = judge_next(store, busy[1], tied).ticket
    assert asked is not None
    with TestClient(make_app(Site(store))) as client:
        token = store.do(people.replace_link, "admin").token
        reply = client.get(f"/a/{token}/export/label-studio?pass={task['name']}")
        said = reply.json()["error"]
    start = f"'{task['name']}' cannot be written as Label Studio JSON: judge {busy[1]}, item"
    assert said.startswith(f"{start} {asked.item}: it")
    assert "/" not in said
    assert "table.csv" not in said


def test_a_person_who_marked_one_output_under_two_logins_is_refused_where_errors_would_add_up(
    store: Store,
) -> None:
    told = {**TOLD, "tasks": TASKS[3:4], "design": {"judges_per_item": 2}}
    fill(store, make_campaign({**told, "items": TOLD["items"][:4]}))
    luck = random.Random(2)
    for judge in ("j0", "j1", "j2"):
        store.do(lambda tx, judge=judge: judge_all(tx, judge, luck))
    with TestClient(make_app(Site(store))) as client:
        link = f"/a/{store.do(people.replace_link, 'admin').token}/export/mqm-tsv?pass=errors"
        assert client.get(link).status_code == 200
        store.join("j1", "j0")
        reply = client.get(link)
    assert (reply.status_code, "j0 marked" in reply.text) == (422, True)


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


def test_a_format_that_cannot_hold_a_pass_says_why(fetch: Any, site: Site) -> None:
    why = {(one.program.name, one.task): one.why for one in list_offers(site.campaign)}
    assert why["mqm-tsv", "esa"] == "it counts scores from errors, and here judges gave them"
    assert [one for one, words in why.items() if words] == [("mqm-tsv", "esa")]
    assert "counts scores from errors" in fetch("").text
    for path in ("mqm-tsv?pass=esa", "mqm-tsv?pass=better", "wmt-rnk", "xml?pass=good"):
        reply = fetch(f"export/{path}")
        assert (reply.status_code, "cannot be written" in reply.text) == (409, True)
