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


def random_graph(n: int, n_edges: int, seed: int) -> Graph:
    rng = np.random.Generator(np.random.PCG64(seed))
    return Graph(n, rng.integers(0, n, n_edges), rng.integers(0, n, n_edges))


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


@pytest.mark.parametrize(("n", "n_edges"), [(300, 250), (300, 450), (300, 1500)])
@pytest.mark.parametrize("seed", range(5))
def test_components_of_larger_graphs_are_those_of_scipy(n, n_edges, seed):
    graph = random_graph(n, n_edges, seed)
    assert same_partition(weak_components(graph), oracle_components(graph, "weak"))
    assert same_partition(strong_components(graph), oracle_components(graph, "strong"))


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


def test_no_nodes_have_no_components():
    empty = Graph(0, np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))
    assert strong_components(empty).size == weak_components(empty).size == 0


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


@pytest.mark.parametrize("n", [40, 1000])
def test_a_long_negative_cycle_is_found_and_vanishes_when_one_bound_is_raised(n):
    bound = np.zeros(n, dtype=np.intp)
    bound[n // 2] = -1
    assert sorted(solve_differences(ring(n), bound).cycle) == list(range(n))
    bound[0] = 1
    assert solve_differences(ring(n), bound).cycle is None


@pytest.mark.parametrize("seed", range(40))
def test_tight_differences_around_a_hidden_solution_are_solved_as_by_scipy(seed):
    """Every other seed lowers one bound by 3, which mostly leaves no solution."""
    rng = np.random.Generator(np.random.PCG64(seed))
    graph = random_graph(60, 240, seed)
    hidden = rng.integers(0, 50, 60)
    bound = hidden[graph.target] - hidden[graph.source] + rng.integers(0, 3, 240)
    bound[0] -= 3 * (seed % 2)
    matrix = np.full((61, 61), np.inf)
    matrix[60, :60] = 0
    np.minimum.at(matrix, (graph.source, graph.target), bound)
    costs = csgraph.csgraph_from_dense(matrix, null_value=np.inf)
    found = solve_differences(graph, bound)
    try:
        distance = csgraph.bellman_ford(costs, indices=60)
    except csgraph.NegativeCycleError:
        assert (graph.target[found.cycle] == np.roll(graph.source[found.cycle], -1)).all()
        assert bound[found.cycle].sum() < 0
    else:
        assert np.array_equal(found.solution, distance[:60])
