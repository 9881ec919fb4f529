"""The graph algorithms against scipy's csgraph, and against what a walk must satisfy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph, csr_array

from evenhand.numerics.graph import (
    Graph,
    is_strongly_connected,
    reached,
    solve_differences,
    strong_components,
    weak_components,
)


@st.composite
def graphs(draw, largest=9):
    n = draw(st.integers(1, largest))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=3 * n))
    ends = np.array(edges, dtype=np.intp).reshape(-1, 2)
    return Graph(n, ends[:, 0], ends[:, 1])


def oracle_components(graph: Graph, connection: str) -> np.ndarray:
    """scipy.sparse.csgraph.connected_components."""
    ones = np.ones(graph.source.size)
    matrix = csr_array((ones, (graph.source, graph.target)), shape=(graph.n_nodes,) * 2)
    return csgraph.connected_components(matrix, directed=True, connection=connection)[1]


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one[:, None] == one, other[:, None] == other)


def ring(n: int) -> Graph:
    """A permuted ring, so that node numbers say nothing about the way round."""
    node = np.random.Generator(np.random.PCG64(n)).permutation(n)
    return Graph(n, node, np.roll(node, -1))


@given(graphs())
def test_weak_components_are_those_of_scipy(graph):
    found = weak_components(graph)
    assert same_partition(found, oracle_components(graph, "weak"))
    first_seen = [int(np.flatnonzero(found == part)[0]) for part in range(found.max() + 1)]
    assert first_seen == sorted(first_seen)


@given(graphs())
def test_strong_components_are_those_of_scipy_and_edges_lead_to_higher_numbers(graph):
    found = strong_components(graph)
    assert same_partition(found, oracle_components(graph, "strong"))
    assert (found[graph.source] <= found[graph.target]).all()


@given(graphs())
def test_strong_connection_is_one_strong_component(graph):
    assert is_strongly_connected(graph) == (oracle_components(graph, "strong").max() == 0)


def test_a_root_in_each_block_tests_all_blocks():
    rings = Graph(5, np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 4, 2]))
    assert is_strongly_connected(rings, [0, 3])
    assert not is_strongly_connected(rings, [0])
    broken = Graph(5, rings.source[:-1], rings.target[:-1])
    assert not is_strongly_connected(broken, [0, 3])


@pytest.mark.parametrize("n", [5, 20, 300, 70_000])  # the last: too many nodes for 16 bits
def test_a_ring_is_connected_however_long_and_not_without_one_edge(n):
    whole = ring(n)
    assert is_strongly_connected(whole)
    broken = Graph(n, whole.source[1:], whole.target[1:])
    assert not is_strongly_connected(broken)
    assert reached(broken, broken.source[:1]).all()
    assert not reached(broken, broken.source[1:2]).all()


@given(graphs(), st.data())
def test_differences_are_solved_or_refuted_by_a_negative_cycle(graph, data):
    bounds = st.lists(st.integers(-3, 3), min_size=graph.source.size, max_size=graph.source.size)
    bound = np.array(data.draw(bounds), dtype=np.intp)
    found = solve_differences(graph, bound)
    if found.cycle is None:
        x = found.solution
        assert (x[graph.target] - x[graph.source] <= bound).all()
        assert x.max() == 0
    else:
        assert found.solution is None
        assert (graph.target[found.cycle] == np.roll(graph.source[found.cycle], -1)).all()
        assert bound[found.cycle].sum() < 0


@given(graphs(), st.data())
def test_a_negative_cycle_is_found_exactly_where_scipy_finds_one(graph, data):
    """scipy.sparse.csgraph.bellman_ford from a node that reaches all others at no cost."""
    n = graph.n_nodes
    bounds = st.lists(st.integers(-2, 3), min_size=graph.source.size, max_size=graph.source.size)
    bound = np.array(data.draw(bounds), dtype=np.intp)
    matrix = np.full((n + 1, n + 1), np.inf)
    matrix[n, :n] = 0
    np.minimum.at(matrix, (graph.source, graph.target), bound)
    try:
        distance = csgraph.bellman_ford(
            csgraph.csgraph_from_dense(matrix, null_value=np.inf), indices=n
        )
    except csgraph.NegativeCycleError:
        assert solve_differences(graph, bound).cycle is not None
    else:
        assert np.array_equal(solve_differences(graph, bound).solution, distance[:n])
