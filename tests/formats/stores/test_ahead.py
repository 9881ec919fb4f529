"""Parts of Parquet files that are fetched before they are asked for: the same bytes, sooner."""

from io import BytesIO
from threading import Lock
from time import sleep

import polars as pl
import pytest

from engines_matrix import votes
from evenhand.errors import UnknownFormat
from evenhand.formats.reading import read
from evenhand.formats.stores import opening
from evenhand.formats.stores.ahead import Ahead
from evenhand.formats.stores.stored_file import StoredFile
from evenhand.judgments.traffic import Traffic, watch_traffic

pytest.importorskip("pyarrow", reason="pyarrow is not installed: footers are not read ahead")
pytest.importorskip("fsspec", reason="fsspec is not installed: DuckDB reads nothing elsewhere")
GROUP = 2_000


def many(n):
    """Votes with columns of no interest among them, as Parquet of several row groups."""
    frame = pl.DataFrame(votes()).drop("weight", "task").sample(n, with_replacement=True, seed=n)
    text = pl.Series("text", [f"{i * 7919 % 9973:04d}" * 5 for i in range(n)])
    return frame.insert_column(2, text).with_columns(item=pl.Series(range(n)).cast(str) + "item")


class Shelf:
    """A store that takes its time, and counts how many wait for it."""

    def __init__(self, frames):
        self.files, self.waiting, self.most, self.lock = {}, 0, 0, Lock()
        for name, frame in frames.items():
            written = BytesIO()
            frame.write_parquet(written, row_group_size=GROUP, compression="uncompressed")
            self.files[name] = written.getvalue()

    def list(self):
        return [
            StoredFile(f"s3://shelf/{name}", len(data), name, self)
            for name, data in self.files.items()
        ]

    def read(self, name, start, n):
        with self.lock:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        sleep(0.005)
        with self.lock:
            self.waiting -= 1
        return self.files[name][start : start + n]

    def is_same(self, name):
        return name in self.files


def count(shelf, monkeypatch, depth):
    """The tally of a shelf that is read so many parts ahead, and what came."""

    def no_deeper(files, traffic):
        found = Ahead(files, traffic)
        found.depth = depth
        return found

    monkeypatch.setattr("evenhand.formats.stores.bridge.Ahead", no_deeper)
    with watch_traffic() as account:
        data = read(opening.open_stored(shelf.list()).frame)
        found = data.tally(["judge"]).digest, data.tally(["item"]).digest
    return found, account[0].requests, account[0].came


@pytest.mark.parametrize("sizes", [(14_000,), (9_000, 100, 6_000), (300,) * 12])
def test_what_is_fetched_ahead_is_what_would_be_fetched_anyway(monkeypatch, sizes):
    frames = {f"{i}.parquet": many(n + i) for i, n in enumerate(sizes)}
    slow, fast = Shelf(frames), Shelf(frames)
    expected, requests, came = count(slow, monkeypatch, 0)
    found, again, too = count(fast, monkeypatch, 8)
    assert found == expected
    assert slow.most == 1
    assert fast.most > 1
    assert again <= requests * 1.2
    assert too <= came * 1.2
    assert came < sum(map(len, slow.files.values())) or len(sizes) > 3


def test_a_file_that_became_shorter_is_refused_when_its_part_is_asked_for():
    shelf = Shelf({f"{i}.parquet": many(200) for i in range(3)})
    files = shelf.list()
    shelf.files["1.parquet"] = b""
    ahead = Ahead(files, Traffic("shelf", files=3, size=0))
    tails = [(file.size - 100, 100) for file in files]
    assert ahead.read(files[0], *tails[0]) == shelf.files["0.parquet"][-100:]
    with pytest.raises(UnknownFormat, match=r"1\.parquet' was changed while it was read"):
        ahead.read(files[1], *tails[1])


def test_parts_that_are_fetched_in_vain_end_it():
    shelf = Shelf({f"{i}.parquet": many(50) for i in range(200)})
    files = shelf.list()
    ahead = Ahead(files, Traffic("shelf", files=200, size=0))
    for file in files[::9]:
        ahead.read(file, file.size - 100, 100)
    assert ahead.depth == 0
    assert not ahead.coming
    asked = len(ahead.ordered)
    ahead.read(files[-1], files[-1].size - 100, 100)
    assert len(ahead.ordered) == asked


def test_no_more_is_held_than_was_said(monkeypatch):
    monkeypatch.setattr("evenhand.formats.stores.ahead.HELD", 250)
    shelf = Shelf({f"{i}.parquet": many(50) for i in range(9)})
    files = shelf.list()
    ahead = Ahead(files, Traffic("shelf", files=9, size=0))
    ahead.read(files[0], files[0].size - 100, 100)
    assert [n for _, _, n in ahead.coming] == [100, 100]
