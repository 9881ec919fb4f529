"""Files of a web server, asked of one on this machine."""

import signal

import pytest

from evenhand.errors import EvenhandError, MissingFile
from evenhand.formats import remote_files
from evenhand.formats.file_heads import is_remote
from evenhand.formats.reading import read
from web_site import SECRET, VOTES, Site, serve


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(remote_files, "PAUSE", 0.01)
    found = Site()
    with serve(found) as url:
        found.url = url
        yield found


def expected():
    return read(VOTES).tally(["judge", "item"]).digest


@pytest.mark.parametrize("name", ["votes.csv", "votes.parquet"])
def test_a_file_of_a_web_server_counts_as_one_of_this_machine(site, name):
    found = read(f"{site.url}/{name}")
    assert found.tally(["judge", "item"]).digest == expected()
    assert found.source.name == f"{site.url}/{name}"


def test_a_server_that_is_busy_is_asked_again(site):
    site.busy = 2
    assert read(f"{site.url}/votes.csv").tally(["judge", "item"]).digest == expected()
    site.busy = 9
    with pytest.raises(EvenhandError, match="refuses \\(HTTP status 503\\)"):
        read(f"{site.url}/votes.csv")


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
    assert is_remote(url)
    with pytest.raises(EvenhandError, match=said) as caught:
        read(url)
    assert SECRET not in str(caught.value)


def test_files_that_differ_behind_the_question_mark_alone_are_not_told_apart(site):
    urls = [f"{site.url}/votes.csv?id={i}" for i in range(2)]
    with pytest.raises(EvenhandError, match="only what follows the \\? or a ; differs"):
        read(urls)
    with pytest.raises(EvenhandError, match="would count twice"):
        read(urls[:1] * 2)


def test_a_file_can_be_given_up_while_it_is_copied(site):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    site.stop = True
    try:
        with pytest.raises(KeyboardInterrupt):
            read(f"{site.url}/votes.parquet")
    finally:
        signal.signal(signal.SIGINT, before)
    assert read(f"{site.url}/votes.csv").tally(["judge", "item"]).digest == expected()
