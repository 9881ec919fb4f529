"""What a notebook shows of results: everything escaped, nothing lost in silence."""

from __future__ import annotations

import inspect

import pytest

import evenhand


def _results() -> list[str]:
    """Public classes that say by which line their numbers come again."""
    classes = {name: getattr(evenhand, name) for name in evenhand.__all__}
    return [
        name
        for name, one in classes.items()
        if inspect.isclass(one)
        and (hasattr(one, "signature") or "signature" in getattr(one, "__dataclass_fields__", {}))
    ]


@pytest.mark.parametrize("name", [*_results(), "GroupedDiagnoses", "Report"])
def test_no_public_result_is_printed_as_its_fields(name):
    """A dataclass writes its own `__repr__` from a string, not in a file."""
    written = inspect.unwrap(getattr(evenhand, name).__repr__).__code__.co_filename
    assert written.endswith(".py")


def test_there_are_results():
    assert len(_results()) >= 20
