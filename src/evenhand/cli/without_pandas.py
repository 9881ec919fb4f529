"""No pandas for the commands: none needs it, and DuckDB would import it all the same.

Before DuckDB takes a constant into a query it imports pandas, if that is installed, to see whether
the constant is the missing value of pandas: .5 s of CPU and 40 MB for every command that compares
a column with a word. The files of a command are read by DuckDB itself, so nothing in them is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Final, TypeVar, cast

T = TypeVar("T")
# The address of an engine, other than those of files in a bucket or on a web server
_ENGINE: Final = re.compile(
    r"(?<!\w)(?!(?:s3|gs|gcs|r2|https?)://)[a-z][a-z0-9+.-]*://", re.IGNORECASE
)


@contextmanager
def without_pandas(words: Sequence[str]) -> Iterator[None]:
    """Let pandas be not installed meanwhile, unless it is in use already or may be needed."""
    if not _keep_out(words):
        yield
        return
    try:
        yield
    finally:
        del sys.modules["pandas"]


def open_elsewhere(opener: Callable[[], T], words: Sequence[str]) -> T:
    """Open judgments in a process that does nothing else, and from now on without pandas."""
    _keep_out(words)
    return opener()


def _keep_out(words: Sequence[str]) -> bool:
    """Let pandas be not installed, unless it is in use or may be needed; say whether."""
    if "pandas" in sys.modules or any(_ENGINE.search(word) for word in words):
        return False
    sys.modules["pandas"] = cast("ModuleType", None)  # how Python says: not to be imported
    return True
