"""A bucket as a store: which file is still the one that was opened."""

from types import SimpleNamespace

import pytest

from evenhand.formats.addresses import read_address
from evenhand.formats.stores.bucket import Bucket


class System:
    """A file system that tells sizes, and of files what it was told."""

    def __init__(self):
        self.size, self.said, self.mtime = 9, {}, 5

    def open_input_file(self, name):  # noqa: ARG002 - as pyarrow has it
        size, said = self.size, dict(self.said)
        return SimpleNamespace(size=lambda: size, metadata=lambda: said)

    def get_file_info(self, names):
        return [SimpleNamespace(mtime_ns=self.mtime) for _ in names]


@pytest.fixture
def bucket():
    pytest.importorskip("pyarrow")
    return Bucket(read_address("s3://b/v.csv"), "", System())


def test_a_file_of_another_size_is_another_one_where_nothing_else_is_told(bucket):
    assert bucket.is_same("b/v.csv")
    bucket.system.size = 10
    assert not bucket.is_same("b/v.csv")


def test_a_file_of_another_etag_is_another_one(bucket):
    assert bucket.is_same("b/v.csv")
    bucket.system.said = {"ETag": "2"}
    assert not bucket.is_same("b/v.csv")


def test_the_time_of_the_last_change_stamps_a_file_where_nothing_else_does(bucket):
    assert bucket.stamp("b/v.csv") == {"changed": 5}
    bucket.system.mtime = None
    assert bucket.stamp("b/v.csv") == {}
