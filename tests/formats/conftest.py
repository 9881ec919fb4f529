"""Files to read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from days_of_votes import frame

Save = Callable[[str, str | bytes], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """`save(name, content)` writes a file and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def days(tmp_path):
    """Three days in folders, the last with a new system."""
    for at, systems in enumerate(("ABCDE", "ABCDE", "ABCDEF")):
        folder = tmp_path / f"day={at + 1}"
        folder.mkdir()
        frame(150, at, systems=systems).write_parquet(folder / "part.parquet")
    return tmp_path
