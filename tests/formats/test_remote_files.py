"""Files on web servers and in buckets, and addresses of tables."""

import gc
import io
import re
import signal
from glob import glob
from pathlib import Path

import openpyxl
import pytest

from evenhand.errors import EvenhandError, MissingFile, UnknownFormat, UnknownOption
from evenhand.formats import remote_files
from evenhand.formats.file_heads import (
    find_files,
    is_address,
    is_remote,
    read_address,
    show_address,
)
from evenhand.formats.reading import read
from evenhand.formats.remote_files import _expand, find_remote
from evenhand.formats.remote_files import _faults_of as faults_of
from web_site import SECRET, VOTES, Site, serve

# Which file of a web server is which: names, versions, and what is no file at all.


NAMES = ("/R&A.csv", "/R;B.csv", "/one@v1/votes.csv", "/two@v1/votes.csv", "/x?id=1", "/x?id=2")
TABLES = {name: VOTES[: 100 + i] for i, name in enumerate(NAMES)}


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    found = Site()
    found.files |= {name: table.write_csv().encode() for name, table in TABLES.items()}
    with serve(found) as url:
        found.url = url
        yield found


def test_addresses_that_are_given_twice_are_refused(site) -> None:
    shouted = site.url.replace("http", "HTTP")
    with pytest.raises(EvenhandError, match="would count twice"):
        read([f"{site.url}/votes.csv", f"{shouted}/votes.csv"])
    assert [one.url for one in find_remote(f"{shouted}/votes.csv")] == [f"{site.url}/votes.csv"]
    found = read([f"{site.url}{name}" for name in NAMES[:4]])
    assert found.count_judgments() == sum(TABLES[name].height for name in NAMES[:4])
    for name in NAMES[:4]:
        assert read(f"{site.url}{name}").source.name == f"{site.url}{name}"


def test_a_file_is_found_where_the_server_points_to_unless_that_is_no_web_address(site) -> None:
    site.to = "/votes.csv"
    assert read(f"{site.url}/moved").count_judgments() == VOTES.height
    site.to = "ftp://127.0.0.1:1/votes.csv"
    with pytest.raises(
        EvenhandError, match="/moved' points to ftp://127\\.0\\.0\\.1, which is not"
    ):
        read(f"{site.url}/moved?key=hunter2")


@pytest.mark.parametrize("page", ["<!doctype html>404", " <HTML>404", "<?xml?><Error>no</Error>"])
def test_a_page_that_is_sent_as_text_is_no_file(site, page):
    site.files["/votes.csv"] = page.encode()
    with pytest.raises(EvenhandError, match="is a web page and no file"):
        read(f"{site.url}/votes.csv")


@pytest.mark.parametrize("name", ["/" + "a" * 300 + ".csv", "/" + "語" * 100 + ".csv", "/.."])
def test_a_file_may_have_a_name_that_no_copy_could_have(site, name):
    site.any = VOTES.write_csv().encode()
    assert read(f"{site.url}{name}").count_judgments() == VOTES.height


def test_copies_are_refused_where_they_have_no_room(site, monkeypatch, tmp_path) -> None:
    site.any = VOTES.write_csv().encode()
    with pytest.raises(EvenhandError, match=re.escape(f"{site.url}/x=aaa")) as caught:
        read(f"{site.url}/x={'a' * 300}/votes.csv")
    assert "cannot be copied" in str(caught.value)
    (tmp_path / "judge=tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "judge=tmp"))
    with pytest.raises(EvenhandError, match="is read as a column: set TMPDIR"):
        read([f"{site.url}{name}" for name in NAMES[:2]])
    assert (
        read(f"{site.url}/votes.csv").tally(["judge"]).digest == read(VOTES).tally(["judge"]).digest
    )
    monkeypatch.setattr(remote_files, "disk_usage", lambda _: type("Usage", (), {"free": 99}))
    with pytest.raises(EvenhandError, match="bytes, 99 free"):
        read(f"{site.url}/votes.csv")


def test_copies_are_forgotten_and_removed_however_reading_ends(site, monkeypatch, tmp_path):
    from evenhand.data import query_log as copies

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    site.files["/votes.csv"] = b"\x00\x01" * 99
    with pytest.raises(EvenhandError):
        read(f"{site.url}/votes.csv")
    monkeypatch.setattr(
        "evenhand.formats.reading.open_files",
        lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt),
    )
    try:
        read(f"{site.url}/votes.csv")
    except KeyboardInterrupt as error:
        held = error
    assert held.__traceback__
    assert not list(tmp_path.iterdir())
    assert not [name for name in copies._ORIGINALS if name.startswith(str(tmp_path))]


def test_a_sheet_of_a_workbook_can_be_named(site):
    book, held = openpyxl.Workbook(), io.BytesIO()
    for title in ("First", "Second"):
        sheet = book.create_sheet(title)
        sheet.append(VOTES.columns)
        for row in VOTES.head(3 if title == "First" else 5).iter_rows():
            sheet.append(row)
    book.save(held)
    site.files["/votes.xlsx"] = held.getvalue()
    data = read(f"{site.url}/votes.xlsx", sheet="Second")
    assert (data.source.name, data.count_judgments()) == (f"{site.url}/votes.xlsx", 5)
    with pytest.raises(EvenhandError, match="has 2 sheets, several of which"):
        read(f"{site.url}/votes.xlsx")


def test_copies_are_forgotten_and_removed_with_their_table(site, monkeypatch, tmp_path):
    from evenhand.data import query_log as copies

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data = read(f"{site.url}/votes.csv")
    assert data.tally().n_judgments == VOTES.height
    assert [name for name in copies._ORIGINALS if name.startswith(str(tmp_path))]
    del data
    gc.collect()
    assert not list(tmp_path.iterdir())
    assert not [name for name in copies._ORIGINALS if name.startswith(str(tmp_path))]


# Files of a web server, asked of one on this machine.


@pytest.fixture
def site_of_web_server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(remote_files, "PAUSE", 0.01)
    found = Site()
    with serve(found) as url:
        found.url = url
        yield found


def expected():
    return read(VOTES).tally(["judge", "item"]).digest


@pytest.mark.parametrize("name", ["votes.csv", "votes.parquet"])
def test_a_file_of_a_web_server_counts_as_one_of_this_machine(site_of_web_server, name):
    found = read(f"{site_of_web_server.url}/{name}")
    assert found.tally(["judge", "item"]).digest == expected()
    assert found.source.name == f"{site_of_web_server.url}/{name}"


def test_a_server_that_fails_is_asked_again_or_said_so(site_of_web_server) -> None:
    site_of_web_server.busy = 2
    assert read(f"{site_of_web_server.url}/votes.csv").tally(["judge", "item"]).digest == expected()
    site_of_web_server.busy = 9
    with pytest.raises(EvenhandError, match="refuses \\(HTTP status 503\\)"):
        read(f"{site_of_web_server.url}/votes.csv")
    site_of_web_server.busy = 0
    site_of_web_server.cut, site_of_web_server.ranges = True, False
    with pytest.raises(EvenhandError, match=r"is not whole: [\d,]+ of [\d,]+ bytes came"):
        read(f"{site_of_web_server.url}/votes.csv")
    site_of_web_server.cut = False
    site_of_web_server.files["/closed"] = b""
    with pytest.raises(EvenhandError, match="lets nobody in without permission"):
        read(f"{site_of_web_server.url}/closed?token={SECRET}")


REFUSED = {
    "/none.csv": "has no such file (HTTP status 404)",
    "/page": "is a web page and no file",
    "/empty.csv": "/empty.csv is empty",
    "/short.csv": "/short.csv has 2 fields where the header has",
    "/*.csv": "web servers list no files",
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_a_web_server_does_not_have_is_said_without_secrets(site_of_web_server, path):
    with pytest.raises(EvenhandError) as caught:
        read(f"{site_of_web_server.url}{path}?token={SECRET}").tally()
    assert REFUSED[path] in str(caught.value)
    assert SECRET not in str(caught.value)
    assert isinstance(caught.value, MissingFile) == (path == "/none.csv")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"http://ann:{SECRET}@127.0.0.1:1/votes.csv", "holds a user or a password"),
        (f"http://127.0.0.1:1/votes.csv?token={SECRET}", "127.0.0.1:1 does not answer"),
        ("http:///votes.csv", "write https://HOST/PATH"),
        ("http://[::1/votes.csv", "write https://HOST/PATH"),
        (["http://127.0.0.1:1/votes.csv", "votes.csv"], "are read by themselves"),
    ],
)
def test_an_address_that_cannot_be_asked_is_refused_without_secrets(url, said):
    assert is_remote(url)
    with pytest.raises(EvenhandError, match=said) as caught:
        read(url)
    assert SECRET not in str(caught.value)


def test_files_that_differ_behind_the_question_mark_alone_are_not_told_apart(site_of_web_server):
    urls = [f"{site_of_web_server.url}/votes.csv?id={i}" for i in range(2)]
    with pytest.raises(EvenhandError, match="only what follows the \\? or a ; differs"):
        read(urls)
    with pytest.raises(EvenhandError, match="would count twice"):
        read(urls[:1] * 2)


def test_a_file_can_be_given_up_while_it_is_copied(site_of_web_server):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    site_of_web_server.stop = True
    try:
        with pytest.raises(KeyboardInterrupt):
            read(f"{site_of_web_server.url}/votes.parquet")
    finally:
        signal.signal(signal.SIGINT, before)
    assert read(f"{site_of_web_server.url}/votes.csv").tally(["judge", "item"]).digest == expected()


# Patterns of names in a bucket, beside what Python's own glob finds in folders.


fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is not installed")
pytest.importorskip("fsspec", reason="fsspec is not installed")
PATTERNS_NAMES = (
    *("a.csv", "b.csv", "a+b.csv", "ab.parquet", "day=1/a.csv", "day=1/b.csv", "day=2/a.csv"),
    *("day=2/x/a.csv", "day=2/x/y/c.csv", "x1.csv", "x2.csv", "x].csv", "x^.csv"),
    *(".a.csv", ".d/a.csv", "day=2/.d/a.csv", "day=2/._c.csv", "_d/a.csv", "x.csv"),
)
PATTERNS = (
    *("*.csv", "a*.csv", "day=*/a.csv", "**/a.csv", "day=2/**/*.csv", "x[12].csv", "x[!1].csv"),
    *(
        "[a-b].csv",
        "*/*",
        "a+b.*",
        "x[]].csv",
        "x[^].csv",
        "*/x/*.csv",
        "**/*",
        "day=[12]/[ab].csv",
        "[!x]*.csv",
        ".d/*.csv",
        ".*.csv",
        "**/.d/*",
    ),
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_of_a_bucket_finds_what_it_finds_in_a_folder(tmp_path, monkeypatch, pattern):
    monkeypatch.chdir(tmp_path)
    for name in PATTERNS_NAMES:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    expected = {name for name in glob(pattern, recursive=True) if Path(name).is_file()}  # noqa: PTH207
    assert expected
    system = fs.SubTreeFileSystem(str(tmp_path.parent), fs.LocalFileSystem())
    address = read_address(f"s3://{tmp_path.name}/{pattern}")
    found = _expand(system, address, f"{tmp_path.name}/{pattern}")
    assert {one.path.removeprefix(f"{tmp_path.name}/") for one in found} == expected


# What stores say, as pyarrow 26 passes it on, and what is made of it.


pytest.importorskip("pyarrow", reason="pyarrow is not installed: no store would speak through it")
SECRET = "hunter2hunter2"
HEAD = "When getting information for key 'v.csv' in bucket 'b': AWS Error "
GOOGLE = "google::cloud::Status({}: {} error_info={{reason=, domain=, metadata={{a=b}}}})"
SAID = {
    "s3": {
        f"{HEAD}UNKNOWN (HTTP status 301) during HeadObject operation: No response body.": (
            "fails (HTTP status 301; does the bucket lie in another region? Set AWS_REGION)"
        ),
        f"{HEAD}SLOW_DOWN during HeadObject operation: Please reduce your request rate.": (
            "the store fails (Please reduce your request rate): try again"
        ),
        f"{HEAD}INTERNAL_FAILURE during ListObjectsV2 operation: ": "fails (internal failure)",
        f"{HEAD}EXPIRED_TOKEN during ListObjectsV2 operation: {SECRET} has run out. (Request ID:"
        f" {SECRET})": "or may not read it (*** has run out)",
        f"{HEAD}NETWORK_CONNECTION during HeadObject operation: curlCode: 28, Timeout was reached;"
        " Details: after 10 s": "the store does not answer (timeout was reached)",
        "something else altogether": "the store fails (something else altogether)",
    },
    "gs": {
        GOOGLE.format("UNAVAILABLE", "Could not create a OAuth2 access token to authenticate"): (
            "gcloud auth application-default login"
        ),
        GOOGLE.format("PERMISSION_DENIED", "ann does not have storage.objects.get"): (
            "may not read it (ann does not have storage.objects.get)"
        ),
        GOOGLE.format(
            "UNAVAILABLE", "PerformWork() - CURL error [7]=Could not connect to server"
        ): "the store does not answer (could not connect to server)",
    },
}


@pytest.mark.parametrize(
    ("scheme", "said", "expected"),
    [(scheme, said, words) for scheme, some in SAID.items() for said, words in some.items()],
)
def test_what_a_store_says_is_said_in_the_users_words(monkeypatch, scheme, said, expected):
    monkeypatch.delenv("AWS_NO_SIGN_REQUEST", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    address = read_address(f"{scheme}://b/v.csv")
    with pytest.raises(EvenhandError) as caught, faults_of(address):
        raise OSError(said)
    assert expected in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_refusals_of_stores_are_passed_on(monkeypatch) -> None:
    with pytest.raises(MissingFile, match=r"^gone$"), faults_of(read_address("s3://b/v.csv")):
        raise MissingFile("gone")
    address = read_address("s3://b/v.csv")
    with pytest.raises(MissingFile, match="there is no bucket 'b'"), faults_of(address):
        raise OSError("Bucket 'b' not found")  # as pyarrow 26 says it
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "e")
    said = "The AWS Access Key Id is unknown"
    with pytest.raises(EvenhandError, match=said), faults_of(read_address("s3://b/v.csv")):
        raise OSError(said)


# URLs of tables: taken apart, and never shown with what is secret in them.


URLS = {
    f"postgres://ann:{SECRET}@db:5432/arena?table=votes&sslmode=require": (
        "postgres://db:5432/arena?table=votes"
    ),
    f"sc://spark:443/main.votes;use_ssl=true;token={SECRET}": "sc://spark:443/main.votes",
    f"sc://spark:443/?path=votes.parquet;token={SECRET}": "sc://spark:443/?path=votes.parquet",
    f"snowflake://ann:{SECRET}%21@acct/db?table=a.b&warehouse=w": "snowflake://acct/db?table=a.b",
    f"clickhouse://db?table=t&password={SECRET}": "clickhouse://db?table=t",
    f"mysql://ann:x@{SECRET}@db/arena?table=votes": "mysql://db/arena?table=votes",
}


@pytest.mark.parametrize(("url", "shown"), URLS.items())
def test_a_url_is_shown_without_user_password_and_settings(url, shown):
    address = read_address(url)
    assert str(address) == shown
    assert SECRET not in repr(address)
    assert SECRET not in show_address(url)


@pytest.mark.parametrize("url", [url for url in URLS if "%21" not in url and "x@" not in url])
def test_what_a_driver_says_of_a_url_is_said_again_without_its_secrets(url):
    said = read_address(url).clean(f"cannot open {url} for ({SECRET}) {SECRET}!.\n  at line 3")
    assert SECRET not in said
    assert said.startswith("cannot open ")
    assert "line 3" not in said


def test_files_and_web_addresses_are_no_tables():
    names = ("votes.csv", "C://votes.csv".replace("C", "1"), "https://a.b/c", "hf://datasets/x")
    assert not any(map(is_address, names))
    assert is_address("S3://bucket/votes.parquet")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"postgres://a:{SECRET}@h/db?table=", "without a value"),
        (f"postgres://a:{SECRET}@h/db?table=t&table=u", "twice"),
    ],
)
def test_a_url_that_says_nothing_or_too_much_is_refused_without_its_secrets(url, said):
    with pytest.raises(UnknownOption, match=said) as caught:
        read_address(url)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        f"postgres://ann:a/{SECRET}@127.0.0.1:1/db?table=v",
        f"postgres://ann:1/{SECRET}@127.0.0.1:1/db?table=v",
        f"mysql://ann:a?{SECRET}@db/arena?table=votes",
        f"mysql://ann:a&{SECRET}@db/arena?table=votes",
        f"mysql://ann:a;{SECRET}@db/arena?table=votes",
    ],
)
def test_a_password_with_a_sign_of_urls_is_not_taken_for_a_path(url):
    with pytest.raises(UnknownOption, match="as it is: write %2F") as caught:
        read_address(url)
    assert SECRET not in str(caught.value)
    assert SECRET not in show_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "s3://votes/ann@home.parquet",
        "snowflake://acct/db?table=t&mail=a@b.c",
        "sc://h:15002/t;u=a@b",
    ],
)
def test_an_at_that_belongs_to_a_path_or_a_setting_is_no_password(url):
    assert read_address(url).user == ""


@pytest.mark.parametrize(
    "before", ["jdbc:postgres://", "./postgres://", "postgres ://", "postgres:/"]
)
def test_what_looks_like_a_url_and_is_none_is_refused_without_its_secrets(before):
    with pytest.raises(UnknownFormat, match="neither a file nor a URL") as caught:
        find_files(f"{before}ann:{SECRET}@127.0.0.1/db")
    assert SECRET not in str(caught.value)
