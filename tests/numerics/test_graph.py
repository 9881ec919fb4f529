"""The graph algorithms against scipy's csgraph, and against what a walk must satisfy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph, csr_array

from evenhand.numerics.graph import (
    CONE_TOLERANCE,
    Graph,
    find_direction,
    find_hashes,
    find_recession,
    find_separated,
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


@pytest.mark.parametrize("n", [5, 20, 300])
def test_a_ring_is_connected_however_long_and_not_without_one_edge(n):
    whole = ring(n)
    assert is_strongly_connected(whole)
    broken = Graph(n, whole.source[1:], whole.target[1:])
    assert not is_strongly_connected(broken)
    assert reached(broken, broken.source[:1]).all()
    assert not reached(broken, broken.source[1:2]).all()


def test_a_long_way_through_more_nodes_than_16_bits_number_is_found():
    part = ring(300)
    graph = Graph(70_000, 233 * part.source, 233 * part.target)
    found = np.flatnonzero(reached(graph, np.array([0])))
    assert np.array_equal(found, 233 * np.arange(300))


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


def binary_rows(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rows of a logit model: x with the sign of the outcome."""
    return np.where(y, 1, -1)[:, None] * x


def two_by_two(counts: list[int]) -> np.ndarray:
    """Intercept and one group dummy; counts of (group 0, y = 0), (0, 1), (1, 0), (1, 1)."""
    group, y = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    return binary_rows(np.stack((np.ones(group.size), group), axis=1), y == 1)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_overlapping_outcomes_have_a_maximum(form):
    found = find_recession(form(two_by_two([2, 3, 1, 4])))
    assert found.exists
    assert found.separated.size == found.infinite.size == 0


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_an_empty_cell_of_a_two_by_two_table_makes_only_its_group_infinite(form):
    """The intercept is ln(3/2) from the other group; the dummy's estimate is +∞."""
    found = find_recession(form(two_by_two([2, 3, 0, 4])))
    assert not found.exists
    assert found.aliased is None
    assert found.separated.tolist() == [5, 6, 7, 8]
    assert found.infinite.tolist() == [1]


def test_a_tied_threshold_leaves_the_tied_rows_alone():
    """Quasi-separation: at x = 3 both outcomes occur, so b0 + 3 b1 stays finite."""
    x = np.array([0, 1, 3, 3, 4, 5.0])
    y = np.array([0, 0, 0, 1, 1, 1]) == 1
    found = find_recession(binary_rows(np.stack((np.ones(6), x), axis=1), y))
    assert found.separated.tolist() == [0, 1, 4, 5]
    assert found.infinite.tolist() == [0, 1]


def test_an_aliased_column_is_named_by_its_combination_whatever_its_scale():
    rng = np.random.Generator(np.random.PCG64(1))
    x = rng.normal(size=(40, 2)) * (1, 1e6)
    twice = np.column_stack((x, x[:, 0] + 2 * x[:, 1]))
    rows = binary_rows(twice, rng.random(40) < 0.5)
    found = find_recession(rows)
    assert not found.exists
    assert found.separated.size == 0
    null = found.aliased
    assert np.abs(null).max() == 1
    assert null / null[2] == pytest.approx([-1, -2, 1])


def test_no_rows_identify_nothing():
    assert not find_recession(np.zeros((0, 2))).exists
    assert find_recession(np.zeros((0, 0))).exists


@pytest.mark.parametrize("length", [2, 12, 40])
def test_a_chain_of_differences_is_separated_to_its_end(length):
    """A beat B, B beat C, ...: every row is separated, although the directions are many."""
    rows = np.eye(length) - np.eye(length, k=1)
    assert find_separated(rows).tolist() == list(range(length))


def one_at_a_time(rows):
    """Tells the worst broken constraint only."""

    def broken(b):
        gain = rows @ b
        worst = np.argsort(gain)[:1]
        return rows[worst[gain[worst] < -CONE_TOLERANCE]]

    return broken


@pytest.mark.parametrize("seed", range(60))
def test_a_direction_is_found_exactly_where_the_programme_of_all_constraints_finds_one(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    rows = rng.integers(-2, 3, size=(int(rng.integers(1, 3 * size + 2)), size)).astype(float)
    found = find_direction(one_at_a_time(rows), size)
    assert (found is None) == find_recession(rows).exists
    if found is not None:
        assert np.abs(found).max() == 1
        assert (rows @ found >= -CONE_TOLERANCE).all()


@pytest.mark.parametrize("known", [1, 2, 200, 50_000])
def test_every_hash_is_found_where_it_stands(known):
    rng = np.random.default_rng(known)
    hashes = np.unique(rng.integers(0, 2**64, known, dtype=np.uint64))
    places = rng.integers(0, len(hashes), 100_000)
    assert np.array_equal(find_hashes(hashes[places], hashes), places)
