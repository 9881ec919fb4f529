"""Halves are even in every set of two nested families, and so are colours."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.numerics.designs import color_edges, color_evenly, couple, halve
from evenhand.numerics.sampling import Draws


@st.composite
def families(draw):
    """Two families of two partitions each, and everything."""
    n = draw(st.integers(1, 40))
    found = []
    for _ in range(2):
        coarse = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
        within = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
        found.append([coarse * 3 + within, coarse, np.zeros(n, dtype=np.int64)])
    return (*found, draw(st.integers(0, 9)))


def sets_of(parts):
    return [np.flatnonzero(codes == code) for codes in parts for code in np.unique(codes)]


@settings(max_examples=150, deadline=None)
@given(families())
def test_halves_differ_by_one_at_most_in_every_set(given_families):
    first, second, seed = given_families
    half = halve(first, second, Draws(seed))
    for members in sets_of([*first, *second]):
        assert abs(2 * half[members].sum() - len(members)) <= 1


@settings(max_examples=100, deadline=None)
@given(families())
def test_couples_are_of_one_set_and_leave_one_over_at_most(given_families):
    first, _, seed = given_families
    partner = couple(first, len(first[0]), Draws(seed))
    assert all(partner[partner[at]] == at for at in np.flatnonzero(partner >= 0))
    for members in sets_of(first):
        outside = [at for at in members if partner[at] not in members]
        assert len(outside) <= 1


@settings(max_examples=60, deadline=None)
@given(families(), st.integers(1, 4))
def test_colours_differ_by_one_at_most_in_every_set(given_families, colors):
    first, second, seed = given_families
    start = np.arange(len(first[0])) % colors
    found = color_evenly(start, colors, first, second, Draws(seed))
    for members in sets_of([*first, *second]):
        counts = np.bincount(found[members], minlength=colors)
        assert counts.max() - counts.min() <= 1


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 4), st.integers(1, 3), st.integers(1, 8), st.integers(1, 9), st.integers(0, 99)
)
def test_edges_are_coloured_exactly_at_groups_and_evenly_at_judges(m, each, groups, judges, seed):
    rng = np.random.default_rng(seed)
    judge = rng.integers(0, judges, groups * m * each)
    group = np.repeat(np.arange(groups), m * each)
    found = color_edges(judge, group, m, Draws(seed), each)
    exact = Counter(zip(group.tolist(), found.tolist(), strict=True))
    assert set(exact.values()) == {each}
    for one in np.unique(judge):
        counts = np.bincount(found[judge == one], minlength=m)
        assert counts.max() - counts.min() <= 1


def test_draws_are_pinned():
    """PCG64 seeded by SeedSequence([1, sha256("")[:16]]): raw stream of numpy, NEP 19."""
    words = "e3b0c44298fc1c149afbf4c8996fb924"  # sha256 of nothing (FIPS 180-4 examples)
    seed = int.from_bytes(bytes.fromhex(words), "little")
    source = np.random.PCG64(np.random.SeedSequence([1, seed]))
    assert Draws(1).keys(4).tolist() == [int(source.random_raw()) for _ in range(4)]
    assert sorted(Draws(1).order(100).tolist()) == list(range(100))
    limits = np.arange(1, 200)
    below = Draws(2).below(limits)
    assert (below >= 0).all()
    assert (below < limits).all()
