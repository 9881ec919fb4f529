import json
import os
import shutil
import stat
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from tempfile import TemporaryDirectory

import pytest

from evenhand.web.store.audit import audit
from evenhand.web.store.log import GENESIS, canonical, digest
from evenhand.web.store.queries import open_to_read
from evenhand.web.store.store import Store
from stored_campaigns import LEFT, fill, judge_next


@pytest.fixture
def database(folder) -> str:
    with Store.open("spring.db") as store:
        fill(store)
        judge_next(store, "j0", {**LEFT, "comment": "hm"})
        judge_next(store, "j1")
    return "spring.db"


def test_a_log_that_holds_gives_its_head(evenhand, database):
    text = evenhand("check", database).out
    assert "5 records, each as it was written." in text
    head = text.split("head")[1].strip()
    again = evenhand("check", database, "--head", head).out
    assert "nothing was cut" in again
    found = evenhand("check", database, "--json").json
    assert found == {
        "holds": True,
        "records": 5,
        "erased": 0,
        "head": head,
        "against_head": False,
        "receipts": {},
        "findings": [],
    }


def test_a_receipt_is_looked_for_in_the_log(evenhand, database):
    with Store.open(database) as store:
        given = [one.hash for one in store.records() if one.kind == "judgment"]
    words = [word for one in given for word in ("--receipt", one)]
    text = evenhand("check", database, *words).out
    assert f"stored {given[0][:16]}... is record 4" in text
    assert f"{given[1][:16]}... is record 5" in text
    assert evenhand("check", database, *words, "--json").json["receipts"] == {
        given[0]: 4,
        given[1]: 5,
    }
    other = digest("another answer")
    error = evenhand("check", database, "--receipt", other, code=2).err
    assert f"holds no record with the receipt {other}" in " ".join(error.split())
    assert "is no receipt" in evenhand("check", database, "--receipt", "x", code=2).err


def test_a_damaged_page_is_named(evenhand, database):
    """The file still begins as one of SQLite, and holds all its records."""
    with closing(connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        order = "SELECT rootpage FROM sqlite_master WHERE name = 'log_judge'"
        page = connection.execute(order).fetchone()[0]
    with Path(database).open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))
    error = evenhand("check", database, code=2).err
    assert "is not what was written. the database is damaged" in " ".join(error.split())


def test_a_log_is_written_and_verified_as_a_file(evenhand, database):
    evenhand("check", database, "--write-log", "log.jsonl")
    from_file = evenhand("check", "log.jsonl").out
    assert from_file == evenhand("check", database).out
    lines = Path("log.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(one)["body"]["kind"] for one in lines] == [
        "launch",
        "invite",
        "invite",
        "judgment",
        "judgment",
    ]
    Path("log.jsonl").write_text("\n".join(lines).replace('"outcome":"left"', '"outcome":"tie"'))
    error = evenhand("check", "log.jsonl", code=2).err
    assert "Record 4: what was answered was changed" in error


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (lambda log: log.replace(b"\n", b"\r\n"), "other line ends (CRLF for LF)"),
        (lambda log: log.replace(b"\n", b"\r\n", 1), "other line ends (CRLF for LF)"),
        (lambda log: log.replace(b"\n", b"\r"), "other line ends (CRLF for LF)"),
        (lambda log: b"\xef\xbb\xbf" + log, "other first bytes (a byte order mark)"),
        (lambda log: log.decode().encode("utf-16"), "other first bytes (a byte order mark)"),
    ],
)
def test_a_log_that_was_saved_in_another_form_is_named(evenhand, database, form, said):
    evenhand("check", database, "--write-log", "log.jsonl")
    Path("log.jsonl").write_bytes(form(Path("log.jsonl").read_bytes()))
    error = " ".join(evenhand("check", "log.jsonl", code=2).err.split())
    assert f"'log.jsonl' was saved by another program with {said}" in error
    assert error.endswith("export it again")
    assert "is not what was written" not in error


def test_verifying_changes_nothing(evenhand, database):
    before = {one.name: one.read_bytes() for one in Path().iterdir()}
    evenhand("check", database)
    kept = {one.name: one.read_bytes() for one in Path().iterdir() if one.name in before}
    assert kept == before


def test_what_is_no_log_is_refused(evenhand, folder):
    assert "there is no file 'none.db'" in evenhand("check", "none.db", code=2).err
    Path("votes.txt").write_text("left,right,outcome\n")
    assert "is not a log" in evenhand("check", "votes.txt", code=2).err
    assert "NUMBER:HASH" in evenhand("check", "votes.txt", "--head", "x", code=2).err


def test_a_log_is_not_written_over_a_file(evenhand, database):
    Path("log.jsonl").write_text("mine")
    assert (
        "the file is there" in evenhand("check", database, "--write-log", "log.jsonl", code=2).err
    )
    assert Path("log.jsonl").read_text() == "mine"


def test_what_it_writes_can_be_read_by_its_owner_alone(evenhand, database):
    """Comments stand in it."""
    evenhand("check", database, "--write-log", "log.jsonl")
    assert stat.S_IMODE(Path("log.jsonl").stat().st_mode) == 0o600


def test_a_log_is_not_written_from_a_log_nor_where_there_is_no_folder(evenhand, database):
    evenhand("check", database, "--write-log", "log.jsonl")
    before = sorted(one.name for one in Path().iterdir())
    said = evenhand("check", "log.jsonl", "--write-log", "again.jsonl", code=2).err
    assert "is a log already" in said
    said = evenhand("check", database, "--write-log", "none/log.jsonl", code=2).err
    assert "--write-log none/log.jsonl: it cannot be written: no such file" in said
    assert sorted(one.name for one in Path().iterdir()) == before


@pytest.mark.parametrize(
    "facts", [{}, {"facts": [1]}, {"facts": {"judges": [["x"]], "parts": ["said"]}}, {"facts": {}}]
)
def test_a_request_to_forget_that_says_nothing_is_no_record(evenhand, folder, facts):
    """Whoever forges a log makes its hashes, too."""
    body = {"at": 1, "before": GENESIS, "judge": "", "kind": "forget", "number": 1, **facts}
    text = canonical(body)
    Path("log.jsonl").write_text(canonical({"body": body, "hash": digest(text)}) + "\n")
    said = evenhand("check", "log.jsonl", code=2).err
    assert "Record 1: it is no record of a log" in said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs a second user")
def test_a_database_in_a_folder_that_nobody_can_write_is_verified(database):
    """An archive: SQLite makes no file beside it."""
    with TemporaryDirectory() as archive:
        Path(archive).chmod(0o755)
        path = Path(archive) / database
        shutil.copy(database, path)
        path.chmod(0o444)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            assert audit(str(path)).holds
            assert len(list(open_to_read(str(path)).records())) == 5
        finally:
            os.seteuid(0)
            os.setegid(0)
        assert [one.name for one in Path(archive).iterdir()] == [database]


def test_a_folder_is_no_log(evenhand, folder):
    Path("dl").mkdir()
    assert "'dl' is a folder: name the campaign" in evenhand("check", "dl", code=2).err


def test_what_is_no_database_is_named(evenhand, folder):
    Path("odd.db").write_bytes(b"SQLite format 3\0and nothing else")
    said = evenhand("watch", "odd.db", code=2).err
    assert "the database odd.db cannot be used: file is not a database" in " ".join(said.split())
