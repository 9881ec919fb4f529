"""Names in little room: none may look like another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.render.text import cut, shorten, tell_apart, width

NAMES = st.lists(st.text("ab系-…1", max_size=14), min_size=1, max_size=12, unique=True)


@given(NAMES, st.integers(5, 12))
def test_names_stay_apart_and_fit(names, columns):
    found = tell_apart(names, columns)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert max(map(width, found.values())) <= columns


@pytest.mark.parametrize("begin", ["系统-very-long-organisation-name-", "university-"])
def test_the_part_in_which_names_differ_is_kept(begin):
    names = [f"{begin}{i:02}-constrained-run-of-the-year" for i in range(25)]
    assert len({cut(name, 14) for name in names}) == 1  # what is to be mended
    found = tell_apart([*names, "ELO", "plain"], 14)
    assert all(f"{i:02}" in found[name] for i, name in enumerate(names))
    assert (found["ELO"], found["plain"]) == ("ELO", "plain")


def test_short_names_never_look_alike():
    names = ["newstest.a.x.en", "newstest.b.x.en", "newstest.en"]
    assert len(set(shorten(names)[0])) == 3
