"""Small tables of ratings, written as text."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from evenhand.data.ratings import Ratings
from evenhand.formats.reading import read

COLUMNS = ("judge", "item", "system", "score")


def lines_of(text: str) -> list[tuple[str, str, str, float]]:
    """Read "x 1 a 5; y 1 a 3": judge, item, system and score of each rating."""
    words = [line.split() for line in text.split(";")]
    return [(judge, item, system, float(score)) for judge, item, system, score in words]


def ratings(lines: Iterable[tuple[Any, ...]], columns: Sequence[str] = COLUMNS) -> Ratings:
    """Return ratings, one a line."""
    data = read(pd.DataFrame(list(lines), columns=list(columns)))
    assert isinstance(data, Ratings), f"{data} are no ratings"
    return data
