"""Files of a bucket that change between listing and reading, and files of unlike types."""

from io import BytesIO

import polars as pl
import pytest

from bucket_server import run_server
from days_of_votes import frame
from evenhand.errors import EvenhandError
from evenhand.formats.reading import read
from evenhand.formats.remote_files import find_remote, open_remote

VOTES = frame(300, 1)


def parquet(table):
    written = BytesIO()
    table.write_parquet(written)
    return written.getvalue()


@pytest.fixture(scope="module")
def server():
    """A store without files."""
    with run_server() as running:
        yield running


@pytest.fixture
def bucket(server, monkeypatch):
    """The store as the environment names it."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (VOTES.sample(900, with_replacement=True, seed=1), "was changed while it was read"),
        (VOTES[:120], "was changed while it was read"),
        (None, "was changed or taken away"),
    ],
    ids=["grew", "shrank", "gone"],
)
@pytest.mark.parametrize("name", ["votes.parquet", "votes.csv"])
def test_a_file_that_changes_between_listing_and_reading_is_not_called_damaged(
    bucket, then, said, name
):
    write = parquet if name.endswith("parquet") else lambda table: table.write_csv().encode()
    bucket.put(f"listed/{name}", write(VOTES))
    files = find_remote(f"s3://listed/{name}")
    if then is None:
        bucket.open().delete_file(f"listed/{name}")
    else:
        bucket.put(f"listed/{name}", write(then))
    with pytest.raises(EvenhandError, match=f"'s3://listed/{name}' {said}"):
        open_remote(files)


def test_parquet_of_unlike_types_is_read_alike_in_either_order(bucket):
    whole = VOTES.with_columns(weight=pl.lit(2))
    bucket.put("types/a.parquet", parquet(whole))
    bucket.put("types/b.parquet", parquet(whole.with_columns(weight=pl.lit(0.5))))
    urls = ["s3://types/a.parquet", "s3://types/b.parquet"]
    for names in (urls, urls[::-1]):
        assert read(names, weights="importance").count_judgments() == 2.5 * VOTES.height
