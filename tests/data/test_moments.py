"""When a judgment was given."""

import numpy as np
import pytest

from evenhand.data.annotations import Unread, read_moments


def test_numbers_are_seconds_of_their_own_clock():
    assert read_moments(np.array([3, 1, 2])).tolist() == [3, 1, 2]
    assert read_moments(np.array(["1666385145.257", "12"], dtype=object)).tolist() == [
        *(1666385145.257, 12)
    ]


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


def test_numbers_beside_times_are_refused():
    with pytest.raises(Unread, match="holds 17: expected numbers, or times such as"):
        read_moments(np.array(["17", "2016-01-31"], dtype=object))
