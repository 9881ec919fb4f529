"""Published judgments by name: what is fetched, from a server of our own, and what is refused."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from evenhand.datasets.public import PublicFile, PublicSet, cache_folder, fetch, find, public_sets
from evenhand.errors import UnknownFormat, UnknownOption

COMMIT = "0" * 40
TEXT = "left,right,outcome\na,b,left\nb,a,tie\n"


def of_text(path, text):
    return PublicFile(path, COMMIT, len(text), hashlib.sha256(text.encode()).hexdigest())


SMALL = PublicSet(
    name="small",
    title="two comparisons",
    repository="somebody/small",
    commit=COMMIT,
    licence="CC0-1.0",
    files=(of_text("data/votes.csv", TEXT), of_text("more.csv", "x\n1\n")),
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture
def host(tmp_path):
    """A server that holds the files of SMALL as published; returns its address and folder."""
    folder = tmp_path / "host" / "somebody" / "small" / COMMIT
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "votes.csv").write_text(TEXT, encoding="utf-8", newline="\n")
    (folder / "more.csv").write_text("x\n1\n", encoding="utf-8", newline="\n")
    handler = partial(Quiet, directory=tmp_path / "host")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", folder
        server.shutdown()
        thread.join()


@pytest.fixture
def apart(tmp_path, monkeypatch):
    """A cache and a folder of judgments of our own; returns both."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("EVENHAND_DATA", str(tmp_path / "data"))
    return tmp_path / "cache" / "evenhand", tmp_path / "data"


def test_a_set_is_downloaded_once_and_then_taken_from_its_folder(host, apart):
    address, folder = host
    first = fetch(SMALL, host=address)
    assert (first.folder, first.downloaded) == (cache_folder() / "small", ("votes.csv", "more.csv"))
    assert (first.folder / "votes.csv").read_text(encoding="utf-8") == TEXT
    (folder / "more.csv").unlink()
    assert fetch(SMALL, host=address).downloaded == ()
    assert sorted(path.name for path in first.folder.iterdir()) == ["more.csv", "votes.csv"]


def test_a_folder_that_has_the_files_is_taken_without_a_network(apart):
    _, data = apart
    (data / "small").mkdir(parents=True)
    (data / "small" / "votes.csv").write_text(TEXT, encoding="utf-8", newline="\n")
    (data / "small" / "more.csv").write_text("x\n1\n", encoding="utf-8", newline="\n")
    nowhere = "http://127.0.0.1:1"
    assert fetch(SMALL, host=nowhere).folder == data / "small"
    assert fetch(SMALL, data, host=nowhere).downloaded == ()


@pytest.mark.parametrize("other", ["left,right,outcome\na,b,left\nb,a,win\n", TEXT[:-4]])
def test_another_file_than_the_published_one_is_refused_with_both_digests(host, apart, other):
    address, folder = host
    (folder / "data" / "votes.csv").write_text(other, encoding="utf-8", newline="\n")
    with pytest.raises(UnknownFormat) as refused:
        fetch(SMALL, host=address)
    assert hashlib.sha256(other.encode()).hexdigest() in str(refused.value)
    assert SMALL.files[0].sha256 in str(refused.value)
    assert list((cache_folder() / "small").iterdir()) == []


def test_a_file_that_is_longer_than_the_published_one_is_not_kept(host, apart):
    address, folder = host
    (folder / "data" / "votes.csv").write_text(TEXT * 2, encoding="utf-8", newline="\n")
    with pytest.raises(UnknownFormat, match="more than the published 36 bytes"):
        fetch(SMALL, host=address)
    assert list((cache_folder() / "small").iterdir()) == []


def test_a_changed_file_in_the_folder_is_refused_with_both_digests_and_stays(host, apart):
    fetched = fetch(SMALL, host=host[0])
    (fetched.folder / "more.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(UnknownFormat, match="move it away") as refused:
        fetch(SMALL, host=host[0])
    assert hashlib.sha256(b"mine").hexdigest() in str(refused.value)
    assert SMALL.files[1].sha256 in str(refused.value)
    assert (fetched.folder / "more.csv").read_text(encoding="utf-8") == "mine"


def test_what_cannot_be_downloaded_is_named_with_its_address_and_folder(host, apart):
    address, folder = host
    (folder / "more.csv").unlink()
    for base, reason in ((address, "HTTP 404"), ("http://127.0.0.1:1", "refused")):
        with pytest.raises(UnknownFormat, match=reason) as refused:
            fetch(SMALL, host=base)
        assert f"{base}/somebody/small/{COMMIT}/more.csv" in str(refused.value)
        assert f"put more.csv into '{cache_folder() / 'small'}'" in str(refused.value)
    # what was whole stays, and is not asked for again
    (folder / "more.csv").write_text("x\n1\n", encoding="utf-8", newline="\n")
    assert fetch(SMALL, host=address).downloaded == ("more.csv",)


def test_a_set_without_digests_is_not_fetched(apart):
    by_hand = replace(SMALL, files=(), by_hand="data")
    with pytest.raises(UnknownFormat, match="no SHA-256 of its files is known") as refused:
        fetch(by_hand)
    assert f"https://github.com/somebody/small/tree/{COMMIT}" in str(refused.value)


def test_a_set_is_found_in_the_folder_of_judgments_then_among_the_fetched(apart):
    fetched, data = apart
    assert find("evalica_samples") is None
    (fetched / "evalica_samples").mkdir(parents=True)
    assert find("evalica_samples") is None  # nothing came of it
    for file in public_sets()["evalica_samples"].files:
        (fetched / "evalica_samples" / file.name).touch()
    assert find("evalica_samples") == fetched / "evalica_samples"
    (data / "evalica_samples").mkdir(parents=True)
    assert find("evalica_samples") == data / "evalica_samples"
    with pytest.raises(UnknownOption, match="Did you mean 'llmfao'"):
        find("lmfao")


def test_every_set_has_a_licence_a_place_and_whole_digests():
    for public in public_sets().values():
        assert public.licence
        assert re.fullmatch(r"[\w-]+/[\w-]+", public.repository)
        assert bool(public.files) == bool(public.citation) == bool(public.command)
        assert bool(public.files) != bool(public.by_hand)
        for commit in (public.commit, *(file.commit for file in public.files)):
            assert re.fullmatch(r"[0-9a-f]{40}", commit)
        for file in public.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("evalica_samples", {}),
        ("llmfao", {"llmfao-golden.csv": "evalica_golden.csv", "llmfao.csv": None}),
    ],
)
def test_the_digests_are_those_of_copies_of_the_published_files(data_set, name, there):
    folder: Path = data_set(name)
    for file in public_sets()[name].files:
        copy = there.get(file.name, file.name)
        if copy and (folder / copy).exists():
            data = (folder / copy).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256)
