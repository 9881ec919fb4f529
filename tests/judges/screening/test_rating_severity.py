import numpy as np
import pytest

from evenhand.judges.rating_evidence import find_severity
from rating_lines import table_of


def test_severity_is_own_minus_others_on_the_same_outputs():
    rows = [("A", "1", "s", 5), ("B", "1", "s", 3), ("C", "1", "s", 1)]
    rows += [("A", "2", "s", 4), ("B", "2", "s", 2)]
    found = find_severity(table_of(rows))
    assert found.gap == pytest.approx([2.5, -1.0, -3.0])  # A: 5 − 2 and 4 − 2; B: 3 − 3 and 2 − 4
    assert found.outputs.tolist() == [2, 2, 1]
    assert found.margin[0] == pytest.approx(
        12.7062 * 0.5, rel=1e-4
    )  # t on 1 df, as printed in tables
    assert np.isinf(found.margin[2])


def test_the_system_stands_in_where_nobody_else_scored_the_output():
    found = find_severity(table_of([("A", "1", "s", 5), ("B", "2", "s", 3), ("B", "3", "s", 1)]))
    assert found.gap.tolist() == [3.0, -3.0]


def test_scales_that_differ_are_compared_in_percent():
    rows = [("A", "1", "s", 5, "x"), ("B", "1", "s", 1, "x")]
    rows += [("A", "1", "s", 100, "y"), ("B", "1", "s", 0, "y")]
    found = find_severity(table_of(rows, "judge item system score criterion"))
    assert found.unit == "% of the scale"
    assert found.gap.tolist() == [100.0, -100.0]
