"""When a judgment was given."""

from datetime import UTC, date, datetime

import numpy as np
import pytest

from evenhand.data.annotations import Unread, read_moments


@pytest.mark.parametrize(
    "text",
    [
        "2016-01-31 16:59:52.0 UTC",
        "2016-01-31T16:59:52Z",
        "2016-01-31 16:59:52",
        "2016-01-31T17:59:52+01:00",
    ],
)
def test_times_are_seconds_since_1970(text):
    """`date -u -d "2016-01-31 16:59:52" +%s` says 1454259592."""
    assert read_moments(np.array([text, None], dtype=object))[0] == 1454259592


def test_numbers_are_of_their_own_clock_and_times_of_numpy_and_python_are_since_1970():
    assert read_moments(np.array([3, 1, 2])).tolist() == [3, 1, 2]
    assert read_moments(np.array(["1666385145.257", "12"], dtype=object)).tolist() == [
        *(1666385145.257, 12)
    ]
    times = np.array(["1970-01-02", "NaT"], dtype="datetime64[s]")
    assert np.array_equal(read_moments(times), [86400, np.nan], equal_nan=True)
    days = np.array([date(1970, 1, 2), datetime(1970, 1, 1, 1, tzinfo=UTC)], dtype=object)
    assert read_moments(days).tolist() == [86400, 3600]
    with pytest.raises(Unread, match="holds 17: expected numbers, or times such as"):
        read_moments(np.array(["17", "2016-01-31"], dtype=object))
