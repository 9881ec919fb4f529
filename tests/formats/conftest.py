"""Files to read."""

from collections.abc import Callable
from pathlib import Path

import pytest

Save = Callable[[str, str | bytes], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """`save(name, content)` writes a file and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
