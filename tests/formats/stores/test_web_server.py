"""Files of a web server, asked of one on this machine."""

import signal
from threading import Thread

import pytest

from evenhand.errors import EvenhandError, MissingFile
from evenhand.formats.counting_files import count_files
from evenhand.formats.reading import read
from evenhand.formats.stores import bridge, is_stored, web_server
from evenhand.formats.stores.ahead import Ahead
from evenhand.judgments.traffic import Traffic, watch_traffic
from web_site import SECRET, VOTES, WIDE, Handler, Site, parquet, serve


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


def test_a_count_is_not_kept_where_a_change_would_not_show(site, tmp_path):
    site.etag, site.changed = False, False
    with pytest.raises(EvenhandError, match="leave --cache out"):
        count_files(f"{site.url}/votes.csv", cache=tmp_path)
    assert count_files(f"{site.url}/votes.csv").n_judgments == VOTES.height


def test_a_file_that_changes_while_it_is_read_is_refused(site):
    data = read(f"{site.url}/votes.parquet")
    site.files["/votes.parquet"] = parquet(WIDE.reverse())
    with pytest.raises(EvenhandError, match="was changed while it was read"):
        data.tally(["judge", "item"])


@pytest.fixture
def heard():
    """Interrupts are heard, also where a shell started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
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
    with pytest.raises(EvenhandError, match="only what follows the \\? or a ; differs"):
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


def test_a_copy_that_is_cut_off_is_refused_where_the_size_was_told_before_alone(
    site, monkeypatch, tmp_path
):
    def send(self, path, data):
        asked = self.headers["Range"]
        self.send_response(206 if asked else 200)
        self.send_header("ETag", '"one"')
        if asked:
            self.send_header("Content-Range", f"bytes 0-0/{len(data)}")
        self.end_headers()
        half = data.index(b"\n", len(data) // 2) + 1
        self.wfile.write(data[:1] if asked else data[:half])

    monkeypatch.setattr(Handler, "answer", send)
    with pytest.raises(EvenhandError, match=r"is not whole: [\d,]+ of [\d,]+ bytes came"):
        count_files(f"{site.url}/votes.csv", cache=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
