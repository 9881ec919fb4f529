"""Which file of a web server is which: names, versions, and what is no file at all."""

import gc
import io
import re

import openpyxl
import pytest

from evenhand.errors import EvenhandError
from evenhand.formats import remote_files
from evenhand.formats.reading import read
from evenhand.formats.remote_files import find_remote
from web_site import VOTES, Site, serve

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


def test_files_whose_addresses_hold_an_at_or_an_and_are_told_apart(site):
    found = read([f"{site.url}{name}" for name in NAMES[:4]])
    assert found.count_judgments() == sum(TABLES[name].height for name in NAMES[:4])
    for name in NAMES[:4]:
        assert read(f"{site.url}{name}").source.name == f"{site.url}{name}"


def test_one_file_under_two_spellings_is_given_twice(site):
    shouted = site.url.replace("http", "HTTP")
    with pytest.raises(EvenhandError, match="would count twice"):
        read([f"{site.url}/votes.csv", f"{shouted}/votes.csv"])
    assert [one.url for one in find_remote(f"{shouted}/votes.csv")] == [f"{site.url}/votes.csv"]


def test_a_file_is_found_where_the_server_points_to_unless_that_is_no_web_address(site):
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


def test_a_folder_whose_name_is_too_long_is_refused_by_its_address(site):
    site.any = VOTES.write_csv().encode()
    with pytest.raises(EvenhandError, match=re.escape(f"{site.url}/x=aaa")) as caught:
        read(f"{site.url}/x={'a' * 300}/votes.csv")
    assert "cannot be copied" in str(caught.value)


def test_the_folder_of_copies_gives_no_column(site, monkeypatch, tmp_path):
    (tmp_path / "judge=tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "judge=tmp"))
    with pytest.raises(EvenhandError, match="is read as a column: set TMPDIR"):
        read([f"{site.url}{name}" for name in NAMES[:2]])
    assert (
        read(f"{site.url}/votes.csv").tally(["judge"]).digest == read(VOTES).tally(["judge"]).digest
    )


def test_a_file_for_which_there_is_no_room_is_not_begun(site, monkeypatch):
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
