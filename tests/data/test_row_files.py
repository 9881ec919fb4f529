"""Columns in temporary files are sliced like arrays."""

import resource
import subprocess
import sys

import numpy as np
import pytest

from evenhand.data.streams import write_columns

VALUES = np.arange(10.0) / 3


def filed(parts=((0, 4), (4, 4), (4, 10)), kind=np.float64):
    batches = ({"x": VALUES[start:stop]} for start, stop in parts)
    return write_columns(batches, {"x": kind})["x"]


@pytest.mark.parametrize("rows", [slice(0, 10), slice(3, 7), slice(8, 99), slice(5, 5)])
def test_a_slice_is_that_of_the_array(rows):
    assert filed()[rows].tolist() == VALUES[rows].tolist()


FULL = """
import resource, signal
import numpy as np
from evenhand.data.streams import write_columns
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
write_columns(({"x": np.zeros(ROWS)} for _ in range(99)), {"x": np.float64})
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit on files here")
@pytest.mark.parametrize("rows", [900, 1000, 20_000])
def test_a_full_disk_is_said_in_words(rows):
    """RLIMIT_FSIZE stands for the end of the disk; some of 900 rows are left in a buffer."""
    script = FULL.replace("ROWS", str(rows))
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "UnknownOption: no room for the rows in" in ran.stderr
    assert "set TMPDIR to a folder with more room" in ran.stderr
    assert "OSError" not in ran.stderr
