"""Small CSV files whose lines end in several ways, such as one that two programs wrote.

DuckDB reads one kind of line ends. What two kinds part is written anew with one, and read from
there; line numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from evenhand.formats.files.head import Head
from evenhand.judgments.copies import call_copy, forget_copies
from evenhand.judgments.refusals import explain

if TYPE_CHECKING:
    import duckdb

END: Final = re.compile(r"\r\n|\n|\r")
# A field in quotes, whose own line ends are part of it
QUOTED: Final = re.compile(r'("(?:[^"]|"")*")')
NUMBERS: Final = count()


def has_mixed_ends(head: Head) -> bool:
    r"""Whether a file that was looked at whole ends its lines in more than one way."""
    if not head.whole:
        return False
    bare = QUOTED.sub("", head.text)
    return len(set(END.findall(bare))) > 1


def hold_even(
    connection: duckdb.DuckDBPyConnection, head: Head, write: Callable[[str], str]
) -> str:
    """Hold the rows of a file with mixed line ends, and return the query that reads them."""
    import duckdb

    parts = QUOTED.split(head.text)
    parts[::2] = [END.sub("\n", part) for part in parts[::2]]
    table = f"evenhand_even_{next(NUMBERS)}"
    with TemporaryDirectory(prefix="evenhand-") as folder:
        copy = str(Path(folder) / "lines.csv")
        Path(copy).write_text("".join(parts), encoding="utf-8", newline="")
        call_copy(copy, str(head.path))
        try:
            connection.execute(f"create temp table {table} as {write(copy)}")
        except duckdb.Error as error:
            raise explain(error, str(head.path)) from None
        finally:
            forget_copies([copy])
    return f"select * from {table}"
