"""When a judgment was given, in seconds: numbers as they are, times since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.asides import Unread

Array = NDArray[np.float64]

_ZONES: Final = ("UTC", "GMT", "Z")  # Names of universal time behind a time, in letters of any size


def read_moments(values: NDArray[Any]) -> Array:
    """Read when judgments were given; missing ones are NaN.

    values: (n,) numbers, times, or text that holds either; a time without a zone is taken for
        universal time.
    Returns: (n,) seconds: of any clock where the values are numbers, since 1970 where they are
        times.
    """
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.float64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    found, inverse = np.unique([_text(value) for value in values.tolist()], return_inverse=True)
    texts = found.tolist()
    given = [text for text in texts if text]
    read = _read_numbers(given)
    if read is None:
        read = _read_times(given)
    missing = np.full(len(texts) - len(given), np.nan)  # the empty text sorts first
    return np.concatenate([missing, read])[inverse]


def _read_numbers(texts: list[str]) -> Array | None:
    try:
        return np.array([float(text) for text in texts], dtype=np.float64)
    except ValueError:
        return None


def _read_times(texts: list[str]) -> Array:
    read = [_read_time(text) for text in texts]
    odd = [text for text, one in zip(texts, read, strict=True) if one is None]
    if odd:
        expected = "numbers, or times such as 2016-01-31 16:59:52"
        raise Unread(f"holds {listing(odd, 3)}: expected {expected}")
    return np.array(read, dtype=np.float64)


def _read_time(text: str) -> float | None:
    """Return seconds since 1970, or None where a text is no time.

    >>> _read_time("1970-01-02"), _read_time("1970-01-01T01:00:00+01:00"), _read_time("noon")
    (86400.0, 0.0, None)
    """
    try:
        moment = datetime.fromisoformat(_drop_zone(text))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _drop_zone(text: str) -> str:
    """Return a time without the name of universal time behind it.

    >>> _drop_zone("16:59 utc"), _drop_zone("16:59Z"), _drop_zone("16:59")
    ('16:59', '16:59', '16:59')
    """
    end = text[-3:].upper()
    zone = next((name for name in _ZONES if end.endswith(name)), "")
    return text[: len(text) - len(zone)].rstrip()


def _text(value: Any) -> str:
    """Write a value as text; a missing one is empty."""
    if value is None or value != value:  # noqa: PLR0124 - nan is the only value that differs from itself
        return ""
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return str(value).strip()
