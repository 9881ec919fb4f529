"""Files of a web server, asked of one on this machine."""

import os
import signal
from contextlib import contextmanager, suppress
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from time import sleep

import polars as pl
import pytest

from engines_matrix import votes
from evenhand.errors import EvenhandError, MissingFile
from evenhand.formats import read
from evenhand.formats.counting_files import count_files
from evenhand.formats.stores import bridge, is_stored, web_server
from evenhand.formats.stores.ahead import Ahead
from evenhand.judgments.traffic import Traffic, watch_traffic

VOTES = pl.DataFrame(votes()).drop("weight", "task")
WIDE = VOTES.with_columns(
    text=pl.Series([f"{i * 7919 % 9973:05d}" * 40 for i in range(VOTES.height)])
)
SECRET = "hunter2hunter2"


def parquet(frame):
    written = BytesIO()
    frame.write_parquet(written, compression="uncompressed")
    return written.getvalue()


class Site:
    """What a web server has, how it answers, and what was asked of it."""

    def __init__(self):
        self.files = {
            "/votes.csv": VOTES.write_csv().encode(),
            "/votes.parquet": parquet(WIDE),
            "/empty.csv": b"",
            "/short.csv": VOTES.write_csv().encode() + b"a,b\n",
            "/page": b"<!doctype html><p>votes</p>",
        }
        self.ranges, self.etag, self.changed, self.cut = True, True, True, False
        self.busy, self.asked, self.stop = 0, [], False


class Handler(BaseHTTPRequestHandler):
    """Answers for the site of its server."""

    def do_GET(self):
        site = self.server.site
        site.asked.append((self.path, self.headers["Range"]))
        path = self.path.partition("?")[0]
        if site.stop:
            site.stop = False
            os.kill(os.getpid(), signal.SIGINT)
            sleep(0.2)  # the reader waits for an answer when it is stopped
        if site.busy:
            site.busy -= 1
            self.send_error(503)
        elif path not in site.files or path == "/closed":
            self.send_error(403 if path == "/closed" else 404)
        else:
            self.answer(path, site.files[path])

    def answer(self, path, data):
        site = self.server.site
        asked = self.headers["Range"] if site.ranges else None
        first, last = asked.removeprefix("bytes=").split("-") if asked else (0, len(data))
        part = data[int(first) : int(last) + 1]
        if asked and not part:
            self.send_error(416)
            return
        self.send_response(206 if asked else 200)
        told = {
            "Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}"
            * bool(asked),
            "ETag": f'"{md5(data).hexdigest()}"' * site.etag,
            "Last-Modified": formatdate(0, usegmt=True) * site.changed,
            "Content-Type": "text/html" if path == "/page" else "text/csv",
            "Content-Length": str(len(part)),
        }
        for name, value in told.items():
            if value:
                self.send_header(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):  # nobody waits for it any more
            self.end_headers()
            self.wfile.write(part[: -100 if site.cut else None])

    def log_message(self, format, *args):  # noqa: A002 - as its parent has it
        """Say nothing."""


@contextmanager
def serve(site):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.site = site
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(web_server, "PAUSE", 0.01)
    found = Site()
    with serve(found) as url:
        found.url = url
        yield found


def expected():
    return read(VOTES).tally(["judge", "item"]).digest


@pytest.mark.parametrize("name", ["votes.csv", "votes.parquet"])
@pytest.mark.parametrize("ranges", [True, False], ids=["in parts", "whole"])
def test_a_file_of_a_web_server_counts_as_one_of_this_machine(site, name, ranges):
    site.ranges = ranges
    found = read(f"{site.url}/{name}")
    assert found.tally(["judge", "item"]).digest == expected()
    assert found.source.name == f"{site.url}/{name}"


def test_of_parquet_only_the_columns_that_are_counted_come(site):
    whole = len(site.files["/votes.parquet"])
    with watch_traffic() as account:
        read(f"{site.url}/votes.parquet").tally(["judge", "item"])
    assert account[0].size == whole
    assert not account[0].copied
    assert 0 < account[0].came < whole / 2
    assert account[0].requests == len(site.asked) - 1  # the first one asked for its size


def test_parquet_is_copied_where_fsspec_is_not_installed(site, monkeypatch):
    monkeypatch.setattr(web_server, "find_spec", dict[str, None]().get)
    with watch_traffic() as account:
        assert read(f"{site.url}/votes.parquet").tally(["judge", "item"]).digest == expected()
    assert account[0].copied


def test_a_server_that_is_busy_is_asked_again(site):
    site.busy = 2
    assert read(f"{site.url}/votes.csv").tally(["judge", "item"]).digest == expected()
    site.busy = 9
    with pytest.raises(EvenhandError, match="refuses \\(HTTP status 503\\)"):
        read(f"{site.url}/votes.csv")


def test_counts_are_kept_until_the_file_changes(site, tmp_path):
    url, folder = f"{site.url}/votes.csv?signature={SECRET}", tmp_path / "kept"
    assert not count_files(url, cache=folder).files[0].found
    assert count_files(url, cache=folder).files[0].found
    site.files["/votes.csv"] = VOTES[1:].write_csv().encode()
    again = count_files(url, cache=folder)
    assert not again.files[0].found
    assert again.n_judgments == VOTES.height - 1
    assert all(SECRET.encode() not in path.read_bytes() for path in folder.iterdir())


@pytest.mark.parametrize(
    ("etag", "changed", "ending"), [(False, False, ""), (False, True, "?id=1")]
)
def test_a_count_is_not_kept_where_a_change_would_not_show(site, tmp_path, etag, changed, ending):
    site.etag, site.changed = etag, changed
    with pytest.raises(EvenhandError, match="leave --cache out"):
        count_files(f"{site.url}/votes.csv{ending}", cache=tmp_path)
    assert count_files(f"{site.url}/votes.csv{ending}").n_judgments == VOTES.height


def test_a_file_that_changes_while_it_is_read_is_refused(site):
    data = read(f"{site.url}/votes.parquet")
    site.files["/votes.parquet"] = parquet(WIDE.reverse())
    with pytest.raises(EvenhandError, match="was changed while it was read"):
        data.tally(["judge", "item"])


def test_a_file_can_be_given_up_while_it_is_read(site):
    data = read(f"{site.url}/votes.parquet")
    site.stop = True
    with pytest.raises(KeyboardInterrupt):
        data.tally(["judge", "item"])
    assert read(f"{site.url}/votes.csv").tally(["judge", "item"]).digest == expected()


def test_a_copy_that_is_cut_off_is_refused(site):
    site.cut, site.ranges = True, False
    with pytest.raises(EvenhandError, match=r"is not whole: [\d,]+ of [\d,]+ bytes came"):
        read(f"{site.url}/votes.csv")


REFUSED = {
    "/none.csv": "has no such file (HTTP status 404)",
    "/page": "is a web page and no file",
    "/empty.csv": "/empty.csv is empty",
    "/short.csv": "/short.csv has 2 fields where the header has",
    "/*.csv": "web servers list no files",
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_a_web_server_does_not_have_is_said_without_secrets(site, path):
    with pytest.raises(EvenhandError) as caught:
        read(f"{site.url}{path}?token={SECRET}").tally()
    assert REFUSED[path] in str(caught.value)
    assert SECRET not in str(caught.value)
    assert isinstance(caught.value, MissingFile) == (path == "/none.csv")


def test_a_file_that_needs_permission_is_said_so(site):
    site.files["/closed"] = b""
    with pytest.raises(EvenhandError, match="lets nobody in without permission"):
        read(f"{site.url}/closed?token={SECRET}")


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
    assert is_stored(url)
    with pytest.raises(EvenhandError, match=said) as caught:
        read(url)
    assert SECRET not in str(caught.value)


def test_files_that_differ_behind_the_question_mark_alone_are_not_told_apart(site):
    urls = [f"{site.url}/votes.csv?id={i}" for i in range(2)]
    with pytest.raises(EvenhandError, match="only what follows the \\? differs"):
        read(urls)
    with pytest.raises(EvenhandError, match="would count twice"):
        read(urls[:1] * 2)


def test_each_thread_reads_from_its_own_place(site):
    (file,) = web_server.find_files(f"{site.url}/votes.csv")
    handle = bridge.Handle(file, Ahead([file], Traffic(file.url, files=1, size=file.size)))
    handle.seek(100)
    other = Thread(target=lambda: (handle.seek(5), handle.read(3)))
    other.start()
    other.join()
    assert handle.read(4) == site.files["/votes.csv"][100:104]
    assert handle.seek(-3, 2) == file.size - 3
    assert handle.read() == site.files["/votes.csv"][-3:]
    assert handle.read() == b""
