"""The narrowest link of a difference: by hand, edge by edge, and on boards that hide it."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from evenhand.ranking import covariance, rank
from evenhand.ranking.covariance import MIN_LINKS, Network, count_links, leave_each_out
from evenhand.ranking.intervals import MIN_CLUSTERS
from ranking.panels import comparisons, fit, panel, tally

Link = tuple[int, int, int, float]


def network(systems: int, links: list[Link]) -> Network:
    """Judges as networks: (judge, system, system, information); the last system is at 0."""
    own = np.zeros((max(link[0] for link in links) + 1, systems, systems))
    for judge, i, j, weight in links:
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            own[judge, a, b] += sign * weight
    own = own[:, :-1, :-1]
    centred = np.eye(systems)[:, :-1] - np.eye(systems)[:, :-1].mean(axis=0)
    return Network(lambda: [own], len(own), centred @ np.linalg.inv(own.sum(axis=0)), centred)


def test_a_chain_is_as_narrow_as_its_narrowest_link():
    """Loads 3 and 1 between 0 and 1: 4² / (9 + 1) = 1.6; five equal judges between 1 and 2."""
    links = [(0, 0, 1, 3.0), (1, 0, 1, 1.0), *((judge, 1, 2, 2.0) for judge in range(2, 7))]
    found = count_links(network(3, links))
    np.testing.assert_allclose(found, [[0, 1.6, 1.6], [1.6, 0, 5], [1.6, 5, 0]])


def random_links(seed: int, systems: int = 9) -> list[Link]:
    rng = np.random.default_rng(seed)
    judges = int(rng.integers(3, 9))
    links = [(int(rng.integers(judges)), i, i + 1, 1.0) for i in range(systems - 1)]
    for _ in range(40):
        i, j = rng.choice(systems, 2, replace=False).tolist()
        links.append((int(rng.integers(judges)), i, j, float(rng.uniform(0.2, 5))))
    return links


def follow(systems: int, links: list[Link], i: int, j: int) -> float:
    """Currents edge by edge: potentials by least squares, what crosses each level, by judge."""
    laplacian = np.zeros((systems, systems))
    for _, a, b, weight in links:
        laplacian[[a, b, a, b], [a, b, b, a]] += np.array([1, 1, -1, -1]) * weight
    source = np.zeros(systems)
    source[[i, j]] = 1, -1
    x = np.linalg.lstsq(laplacian, source, rcond=None)[0]
    levels = np.sort(x)
    numbers = []
    for level in (levels[1:] + levels[:-1]) / 2:
        flows: dict[int, float] = {}
        for judge, a, b, weight in links:
            if (x[a] > level) != (x[b] > level):
                flows[judge] = flows.get(judge, 0.0) + weight * abs(x[a] - x[b])
        assert sum(flows.values()) == pytest.approx(1)
        numbers.append(1 / sum(flow**2 for flow in flows.values()))
    return min(numbers)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("block", [covariance.MAX_FLOWS_AT_ONCE, 60])
def test_it_is_what_currents_say_that_are_followed_edge_by_edge(seed, block, monkeypatch):
    monkeypatch.setattr(covariance, "MAX_FLOWS_AT_ONCE", block)
    links = random_links(seed)
    found = count_links(network(9, links))
    for i, j in combinations(range(9), 2):
        assert found[i, j] == pytest.approx(follow(9, links, i, j), rel=1e-6)
        assert found[j, i] == found[i, j]


def clumps(seed: int) -> list[Link]:
    """Three clumps of five systems and twelve judges each; one to six judges link two of them."""
    rng = np.random.default_rng(seed)
    links = []
    for clump in range(3):
        for judge in range(12):
            for i, j in combinations(range(5 * clump, 5 * clump + 5), 2):
                links.append((12 * clump + judge, i, j, float(rng.uniform(0.5, 1.5))))
    for a, b in ((0, 1), (1, 2)):
        linking = rng.choice(36, int(rng.integers(1, 7)), replace=False)
        links += [(int(g), 5 * a, 5 * b + int(rng.integers(5)), 9.0) for g in linking]
    return links


@pytest.mark.parametrize("seed", [1, 3, 4, 5])
def test_of_large_boards_the_narrow_pairs_are_found_and_exact(seed, monkeypatch):
    board = network(15, clumps(seed))
    exact = count_links(board)
    monkeypatch.setattr(covariance, "MAX_PAIRWISE_WORK", board.clusters * 15 * 100)
    found = count_links(board)
    narrow = exact < MIN_LINKS
    assert 15 + 50 <= narrow.sum() < 225  # pairs of one clump are not narrow
    np.testing.assert_array_equal(found < MIN_LINKS, narrow)
    np.testing.assert_allclose(found[narrow], exact[narrow], rtol=1e-6)


SIDES = np.random.default_rng(7).choice(["left", "right"], (16, 240)).tolist()
NEW = [("s4", "s0", side, f"j{judge:03d}") for judge in (0, 1) for side in SIDES[judge]]


def with_new(rows=NEW, **how) -> pl.DataFrame:
    """Four systems that everybody knows, and one that two judges compared with one of them."""
    frame = panel(n=1200, judges=16, taste=0.2, **how).drop("item")
    more = pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")
    return pl.concat([frame, more])


def test_a_new_system_that_two_judges_compared_with_one_is_open_to_all():
    """By votes s4 and s3 have ten effective judges and more: few are of the two who saw s4."""
    frame = with_new()
    way = leave_each_out(fit(frame), tally(frame, "judge"), "judge")
    np.testing.assert_allclose(way.effective[4, :4], 2, rtol=0.02)
    assert (way.effective[:4, :4][np.triu_indices(4, 1)] > 8).all()
    found = rank(comparisons(frame))
    new = np.array(found.systems) == "s4"
    off = ~np.eye(5, dtype=bool)
    np.testing.assert_array_equal(found.rank_sets.barred[off], (new != new[:, None])[off])
    np.testing.assert_array_equal(found.bounded, ~new)
    assert any(note.startswith("4 pairs undecided: fewer than 5") for note in found.notes)


def test_where_four_judges_link_two_parts_pairs_may_be_decided_and_where_three_do_not():
    for judges, barred in ((4, False), (3, True)):
        rows = [("s4", "s0", side, f"j{g:03d}") for g in range(judges) for side in SIDES[g]]
        found = rank(comparisons(with_new(rows)))
        others = ~np.isin(found.systems, ["s0", "s4"])
        pairs = found.rank_sets.barred[found.systems.index("s4"), others]
        assert (pairs == barred).all()


def of_one_design(systems: int) -> pl.DataFrame:
    """Five judges who each compared every two systems seven times."""
    rng = np.random.default_rng(systems)
    rows = [
        (f"s{i}", f"s{j}", side, f"j{judge}")
        for judge in range(5)
        for i, j in combinations(range(systems), 2)
        for side in rng.choice(["left", "right"], 7, p=[0.7, 0.3])
    ]
    return pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")


@pytest.mark.parametrize("systems", [3, 5, 7])
def test_five_judges_of_one_design_are_five_whatever_sums_are_rounded_to(systems):
    found = rank(comparisons(of_one_design(systems)))
    assert found.headline is None
    pairs = np.triu_indices(systems, 1)
    np.testing.assert_array_equal(found.rank_sets.effective[pairs], MIN_CLUSTERS)
    assert not found.rank_sets.barred[pairs].any()
