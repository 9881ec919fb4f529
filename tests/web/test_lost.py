"""A lost database: the server refuses, says how to restore it, and leaves the links alone."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from evenhand.cli.main import main
from evenhand.web import Site, Store, make_app
from evenhand.web import app as serving
from evenhand.web.links import KeptLinks, read_links, write_links
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Answering, Reply
from evenhand.web.store.log import UnknownLink
from postgres_server import Server

ITEMS = "item,source,A,B\n1,eins,one,uno\n2,zwei,two,due\n3,drei,three,tre\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a campaign, in which the server ends as soon as it is open."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serving, "serve", lambda _site, _taken, begun, *_, **__: begun())
    Path("spring.csv").write_text(ITEMS)
    return tmp_path


def serve(*words: str, code: int = 0) -> str:
    """Serve, and end; return what is said."""
    words = (*(words or ("spring.csv",)), "--url", "http://x", "--port", "0")
    ended = CliRunner().invoke(main, ["serve", *words])
    assert ended.exit_code == code, ended.output
    return str(ended.output)


def read_folder() -> dict[str, bytes]:
    """The files and what is in them; SQLite makes two files without content when it reads."""
    files = (one for one in sorted(Path().iterdir()) if one.is_file())
    return {
        one.name: text
        for one in files
        if not one.name.endswith("-shm")
        and ((text := one.read_bytes()) or not one.name.endswith("-wal"))
    }


def refuse(*words: str) -> str:
    """Serve where that is refused in a line; nothing in the folder changes."""
    before = read_folder()
    told = serve(*words, code=2)
    assert told.count("\n") == 1
    assert read_folder() == before, "something was changed"
    return told


def cut(size: int) -> Callable[[Path], object]:
    """What keeps so many bytes from the start of a file, or all but so many."""

    def damage(database: Path) -> None:
        os.truncate(database, size if size > 0 else database.stat().st_size + size)

    return damage


def spoil(database: Path) -> None:
    with database.open("r+b") as file:
        file.seek(4096 * 14)
        file.write(b"\xff" * 4096)


def make_tables(database: Path) -> None:
    database.unlink()
    Store.open(str(database)).close()


def lose_log(database: Path) -> None:
    """A database whose write-ahead log was lost before anything of it came into the file."""
    database.unlink()
    with closing(sqlite3.connect(database)) as made:
        made.execute("PRAGMA journal_mode=WAL")
    assert database.stat().st_size


def drop(table: str) -> Callable[[Path], object]:
    """What takes a table away."""

    def damage(database: Path) -> None:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute(f"DROP TABLE {table}")

    return damage


def make_other(database: Path) -> None:
    """A database of another program in its place."""
    database.unlink()
    with closing(sqlite3.connect(database)) as made:
        made.execute("CREATE TABLE songs (name TEXT)")


LOSSES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.unlink, "is missing"),
    "empty": (lambda database: database.write_bytes(b""), "is empty"),
    "half": (cut(4096 * 12), "cannot be read (database disk image is malformed)"),
    "all but a byte": (cut(-1), "is cut short: its last page is not whole"),
    "a page of rubbish": (spoil, "is damaged ("),
    "text": (lambda database: database.write_text("dear diary\n" * 99), "is not a database"),
    "without a launch": (make_tables, "holds no launch"),
    "without its log": (lose_log, "holds no launch"),
    "without a table": (drop("log"), "is damaged (there is no table 'log')"),
    "another program": (make_other, "holds tables of another program"),
}


@pytest.mark.parametrize("log", ["kept", "lost"])
def test_a_page_that_is_not_whole_is_not_missed_where_its_log_holds_it(
    folder: Path, log: str
) -> None:
    # A machine went down while SQLite brought the log into the file: the next start does it again
    serve()
    with closing(sqlite3.connect("spring.db")) as grown:
        grown.execute("CREATE TABLE room (bytes BLOB)")
        grown.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        grown.execute("INSERT INTO room VALUES (zeroblob(40000))")
        grown.commit()
        shutil.copy("spring.db", "killed")
        shutil.copy("spring.db-wal", "killed-wal")
    whole = Path("spring.db").read_bytes()
    size = Path("killed").stat().st_size + 100
    Path("killed").write_bytes(whole[:size])
    Path("killed").replace("spring.db")
    if log == "kept":
        Path("killed-wal").replace("spring.db-wal")
        serve()
        assert len(Path("spring.db").read_bytes()) >= len(whole)
    else:
        assert "spring.db is cut short: its last page is not whole" in refuse()


@pytest.mark.parametrize("how", LOSSES)
def test_a_database_that_was_lost_is_named_and_can_be_restored_or_begun_anew(
    folder: Path, how: str
) -> None:
    serve()
    database, links = Path("spring.db"), Path("spring.links.csv")
    shutil.copy(database, "backup")
    tokens = read_links(links)
    lose, seen = LOSSES[how]
    lose(database)
    told = refuse()
    assert "spring.links.csv holds links that were given out, but the database spring.db" in told
    assert seen in told
    assert "put a backup in its place as spring.db" in told
    assert ("move spring.db away" in told) == (how not in ("missing", "empty"))
    database.unlink(missing_ok=True)
    shutil.copy("backup", database)
    serve()
    assert read_links(links) == tokens
    lose(database)
    away = refuse().strip().rpartition("to start over, move ")[2].removesuffix(" away")
    for number, one in enumerate(away.split(" and ")):
        Path(one).rename(f"old-{number}")
    serve()
    assert not {*read_links(links).values()} & {*tokens.values()}


def resave() -> None:
    """Save the file of links as a spreadsheet does."""
    path = Path("spring.links.csv")
    text = "\ufeff" + path.read_text().replace(",", ";").replace("\n", "\r\n")
    path.write_bytes(text.encode())


def test_another_launch_of_the_same_campaign_does_not_take_the_links(folder: Path) -> None:
    serve()
    Path("spring.db").rename("first.db")
    Path("spring.links.csv").rename("first.csv")
    serve()
    Path("first.csv").rename("spring.links.csv")
    resave()
    told = refuse()
    assert "spring.links.csv is of another launch than the database spring.db" in told
    words = told[told.index("(--links ") + 1 :].partition(")")[0].split()
    serve("spring.csv", *words)
    serve("spring.csv", "--database", "first.db")
    assert read_links(Path("spring.links.csv")) != read_links(Path(words[1]))


def test_where_the_file_of_links_is_lost_it_is_said_which_links_still_work(folder: Path) -> None:
    assert "rewritten" not in serve()
    before = read_links(Path("spring.links.csv"))
    Path("spring.links.csv").unlink()
    told = start()
    assert "Links that judges have still work" in told
    assert "spring.links.csv holds no link of judge-1, judge-2, judge-3," in told
    assert "links spring.links.csv, for you; only you" in told
    after = read_links(Path("spring.links.csv"))
    with Store.open("spring.db") as store:
        for (role, judge), token in before.items():
            if role == "judge":
                assert store.identify(token).judge == judge
            else:
                assert after[role, judge] != token
                with pytest.raises(UnknownLink):
                    store.identify(token)


def test_another_file_of_links_was_not_lost_and_the_links_before_work(folder: Path) -> None:
    assert "links spring.links.csv, for judges and for you; only you" in start()
    before = read_links(Path("spring.links.csv"))
    told = " ".join(serve("spring.csv", "--links", "other.csv").split())
    assert "rewritten" not in told
    assert "other.csv holds no link of judge-1, judge-2, judge-3," in told
    with Store.open("spring.db") as store:
        assert store.identify(before["admin", ""]).role == "admin"


def test_the_page_says_whose_links_invitations_lack(folder: Path) -> None:
    serve()
    for lost in (False, True):
        with Store.open("spring.db") as store:
            path = Path("spring.links.csv")
            if lost:
                path.unlink()
            admin = write_links(store, path, "http://x")["admin", ""]
            with TestClient(make_app(Site(store, links=KeptLinks(store, path, "x")))) as client:
                page = client.get(f"/a/{admin}").text
        assert ("not of judge-1, judge-2, judge-3, whose links are not in" in page) == lost


@pytest.mark.parametrize("left", [1, 4])
def test_where_lines_of_the_links_were_lost_it_is_said(folder: Path, left: int) -> None:
    """A file that was cut, and is none of another launch, is taken up and written whole."""
    serve()
    links = Path("spring.links.csv")
    lines = links.read_text().splitlines(keepends=True)
    assert [line.partition(",")[0] for line in lines[1:]] == ["judge"] * 3 + ["admin"]
    before = read_links(links)
    links.write_text("".join(lines[: left + 1]))
    if left == 4:
        links.write_text(links.read_text().rstrip("\n"))
    told, said = start(), left < 4
    assert ("held no link of the role 'admin' that is good" in told) == said
    assert (read_links(links)["admin", ""] == before["admin", ""]) != said


def test_a_file_of_links_that_lost_its_lines_does_not_let_a_lost_database_begin_anew(
    folder: Path,
) -> None:
    serve()
    links, database = Path("spring.links.csv"), Path("spring.db")
    backup = database.read_bytes()
    for text in (links.read_text().partition("\n")[0] + "\n", ""):
        links.write_text(text)
        database.unlink()
        said = refuse()
        assert "spring.links.csv has lost its links, the database spring.db is missing" in said
        assert ".spring.links.csv.end is of a launch" in said
        assert links.read_text() == text
        database.write_bytes(backup)  # the remedy that is named
        start()
        assert ("admin", "") in read_links(links)


def test_a_server_that_ends_leaves_nothing_in_the_log_while_somebody_reads(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the file alone then has all answers."""
    serve()
    with closing(sqlite3.connect("file:spring.db?mode=ro", uri=True)) as reader:
        receipts = serve_with_answers(
            monkeypatch, lambda: reader.execute("select count(*) from log").fetchall()
        )
        shutil.copy("spring.db", "copy.db")
        assert {*receipts} <= read_hashes("copy.db")


def test_a_log_without_its_database_is_not_thrown_away(folder: Path) -> None:
    """SQLite deletes the log beside a database that it makes."""
    serve()
    Path("spring.links.csv").unlink()
    Path("spring.db").unlink()
    Path("spring.db-wal").write_bytes(b"answers")
    assert "spring.db-wal holds answers of it: put spring.db back" in refuse()
    assert Path("spring.db-wal").read_bytes() == b"answers"


def test_a_database_that_is_locked_is_not_taken_for_lost(folder: Path) -> None:
    serve()
    with closing(sqlite3.connect("spring.db", isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        told = serve(code=2)
    assert ("is locked" in told, "move" in told) == (True, False)


def test_a_backup_from_before_the_links_takes_the_links_that_judges_have(folder: Path) -> None:
    with Store.open("spring.db") as store:
        from evenhand.design.reading import read_campaign

        store.launch(read_campaign(Path("spring.csv")))
    shutil.copy("spring.db", "backup")
    serve()
    links = Path("spring.links.csv").read_bytes()
    shutil.copy("backup", "spring.db")
    serve()
    assert Path("spring.links.csv").read_bytes() == links
    with Store.open("spring.db") as store:
        found = {store.identify(one).role for one in read_links(Path("spring.links.csv")).values()}
    assert found == {"judge", "admin"}


STEPS = (  # in the order of a launch; each names a function, and what ends with it
    ("evenhand.web.store.database", "sync_folder"),
    ("evenhand.web.store.database", "refuse_unknown_version"),
    ("evenhand.web.store.database", "migrate"),
    ("evenhand.web.store.people", "launch"),
    ("evenhand.web.store.store.Store", "do"),
    ("evenhand.web.store.store.Store", "checkpoint"),
    ("evenhand.web.links", "_offer"),
    ("evenhand.web.links", "_write_rows"),
    ("evenhand.web.links", "write_links"),
)
KILLED = """
import os, signal, sys
from importlib import import_module
from evenhand.cli.main import main
place, name, when = sys.argv[1:4]
module, _, kind = (place, "", "") if place.islower() else place.rpartition(".")
holder = import_module(module)
holder = getattr(holder, kind) if kind else holder
before = getattr(holder, name)
def die(*words, **options):
    if when == "after":
        before(*words, **options)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(holder, name, die)
main(["serve", "spring.csv", "--url", "http://x", "--port", "0"])
"""


@pytest.mark.parametrize(
    ("step", "when"), [*((one, "before") for one in STEPS), (STEPS[-1], "after")]
)
def test_a_launch_that_is_killed_between_its_steps_is_gone_on_with(
    folder: Path, step: tuple[str, str], when: str
) -> None:
    command = [sys.executable, "-c", KILLED, *step, when]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    written = read_links(Path("spring.links.csv"))
    serve()
    found = read_links(Path("spring.links.csv"))
    assert written in ({}, found), "a link that was written was made anew"
    with Store.open("spring.db") as store:
        assert check_store(store).holds
        assert {store.identify(one).role for one in found.values()} == {"judge", "admin"}
        assert store.do(people.list_vacancies) == []


def test_a_database_on_a_server_that_holds_no_launch_is_refused(
    folder: Path, postgres: Server
) -> None:
    first, second = postgres.make_database("first"), postgres.make_database("second")
    serve("spring.csv", "--database", first)
    told = refuse("spring.csv", "--database", second)
    assert "the database 'second' on PostgreSQL holds no launch: restore it" in told
    assert urlsplit(second).netloc not in told or not urlsplit(second).netloc
    serve("spring.csv", "--database", second, "--links", "second.csv")
    told = refuse("spring.csv", "--database", second)
    assert "is of another launch than the database 'second' on PostgreSQL" in told
    serve("spring.csv", "--database", first)


def answer(store: Store, judge: str) -> str:
    """Answer the next question of a judge; return the receipt."""
    served = store.do(judging.serve, judge)
    assert served is not None
    reply = Reply(judge, served.ticket.number, {"outcome": "left"}, served.key)
    return str(store.write(Answering(reply)).result().record.hash)


def serve_with_answers(monkeypatch: pytest.MonkeyPatch, between: Callable[[], object]) -> list[str]:
    """Serve, answer a question before and one after something happens, copy what a kill leaves."""
    receipts = []

    def play(
        site: Site, _taken: object, begun: Callable[[], None], *_: object, **__: object
    ) -> None:
        begun()
        receipts.append(answer(site.store, "judge-1"))
        between()
        receipts.append(answer(site.store, "judge-2"))
        Path("killed").mkdir()
        for one in Path().glob("spring.*"):
            shutil.copy(one, "killed")

    with monkeypatch.context() as patch:
        patch.setattr(serving, "serve", play)
        serve()
    return receipts


def read_hashes(path: str) -> set[str]:
    with closing(sqlite3.connect(path)) as read:
        return {hashed for (hashed,) in read.execute("select hash from log")}


def start() -> str:
    """Serve, and end; return what is said, without its line breaks."""
    return " ".join(serve().split())


def test_a_lost_write_ahead_log_is_said_and_can_be_put_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "begins a new campaign in spring.db" in start()
    receipts = serve_with_answers(monkeypatch, lambda: None)
    for one in Path("killed").iterdir():
        one.replace(one.name)
    Path("spring.db-wal").rename("lost-wal")
    first = start()
    assert "spring.db ends at record 4, and 6 were stored: the last 2 are missing" in first
    Path("lost-wal").rename("spring.db-wal")
    second = start()
    assert "missing" not in second
    assert "begins" not in second
    assert {*receipts} <= read_hashes("spring.db")


def test_an_older_backup_is_said_until_its_log_is_as_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve()
    shutil.copy("spring.db", "backup.db")
    serve_with_answers(monkeypatch, lambda: None)
    shutil.copy("backup.db", "spring.db")
    assert "ends at record 4, and 6 were stored" in start()
    shutil.rmtree("killed")
    serve_with_answers(monkeypatch, lambda: None)
    assert "were stored" not in start()


def test_a_write_ahead_log_that_is_deleted_under_a_server_takes_no_answer_with_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts = serve_with_answers(monkeypatch, lambda: Path("spring.db-wal").unlink())
    assert {*receipts} <= read_hashes("killed/spring.db")


def test_a_database_with_the_log_of_another_launch_is_not_served(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts = serve_with_answers(monkeypatch, lambda: None)
    assert receipts
    serve("spring.csv", "--database", "other.db", "--links", "other.csv")
    with closing(sqlite3.connect("other.db")) as read:
        (spec,) = read.execute("select body from specs").fetchone()
    with closing(sqlite3.connect("spring.db")) as mixed, mixed:
        mixed.execute("update specs set body = ?", [spec])
    assert "its log is of another launch than its campaign" in refuse()


def test_a_folder_in_the_place_of_the_database_is_called_one(folder: Path) -> None:
    Path("spring.db").mkdir()
    assert "spring.db is a folder: put a backup in its place, or name a file" in refuse()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_in_the_place_of_the_database_is_not_waited_for(folder: Path) -> None:
    serve()
    Path("spring.db").unlink()
    os.mkfifo("spring.db")
    before = Path("spring.links.csv").read_bytes()
    assert "the database spring.db is not a file: name one (--database)" in serve(code=2)
    assert Path("spring.links.csv").read_bytes() == before


def test_links_of_a_demo_that_is_gone_are_not_written_over(folder: Path) -> None:
    serve("--demo", "--links", "mine.csv")
    assert "holds links that were given out" in refuse("--demo", "--links", "mine.csv")
