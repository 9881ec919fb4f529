"""Patterns of names in a bucket, beside what Python's own glob finds in folders."""

from glob import glob
from pathlib import Path

import pytest

from evenhand.formats.file_heads import read_address
from evenhand.formats.remote_files import _expand

fs = pytest.importorskip("pyarrow.fs", reason="pyarrow is not installed")
pytest.importorskip("fsspec", reason="fsspec is not installed")
NAMES = (
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
    for name in NAMES:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    expected = {name for name in glob(pattern, recursive=True) if Path(name).is_file()}  # noqa: PTH207
    assert expected
    system = fs.SubTreeFileSystem(str(tmp_path.parent), fs.LocalFileSystem())
    address = read_address(f"s3://{tmp_path.name}/{pattern}")
    found = _expand(system, address, f"{tmp_path.name}/{pattern}")
    assert {one.path.removeprefix(f"{tmp_path.name}/") for one in found} == expected
