"""Evenhand's agreement, as a user calls it: all default coefficients with their intervals."""

from benchmarks.peers import Worths
from evenhand import AgreementTable, measure_agreement, read


def default(path: str) -> Worths:
    """Every default coefficient, 1,000 resamples of items, the least reliable items, a digest."""
    found = measure_agreement(read(path), scale="1-5")
    assert isinstance(found, AgreementTable)
    return {one.name: one.value for one in found.whole.coefficients if one.value is not None}
