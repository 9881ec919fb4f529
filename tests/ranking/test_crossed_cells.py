"""Cells of judge and item from rows that know theirs, against the tally of all cells."""

import duckdb
import numpy as np
import pytest

import evenhand
from evenhand.data import count as counting
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import clustering
from evenhand.ranking.clustering import gather_evidence
from evenhand.ranking.sandwich import crossed_covariance, crossed_rows_covariance

WAYS = ("judge", "item")


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """A Parquet file of 4,000 votes by 260 judges on 230 items: more than clusters may be."""
    path = tmp_path_factory.mktemp("crossed") / "votes.parquet"
    duckdb.execute(
        "copy (select chr(65 + (hash(i, 1) % 5)::int) as model_a,"
        " chr(65 + ((hash(i, 1) + 1 + hash(i, 2) % 4) % 5)::int) as model_b,"
        " ['model_a', 'tie', 'model_b'][1 + (hash(i, 3) % 3)::int] as winner,"
        " format('judge {}', (hash(i, 4) % 260)::int) as judge,"
        f" format('item {{}}', (hash(i, 5) % 230)::int) as item from range(4000) r(i)) to '{path}'"
    )
    return path


@pytest.fixture
def apart(monkeypatch):
    """Let 1,000 rows be enough to count each way by itself."""
    monkeypatch.setattr(counting, "SAMPLE", 1_000)


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "half-win", "discard", "rao-kupper"])
def test_the_covariance_by_cells_is_that_of_their_tally(votes, apart, ties, order):
    data = evenhand.read(votes)
    found, _ = gather_evidence(data, WAYS, apart=True)
    joint = data.tally(WAYS, limits=dict.fromkeys(WAYS, clustering.MAX_CLUSTERS))
    fit = BradleyTerry(ties=ties, order_effect=order).fit(joint)
    ours = crossed_rows_covariance(fit, found.crossed)
    expected = crossed_covariance(fit, joint, WAYS)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-15)


def test_the_ranking_is_that_of_the_joint_tally(votes, monkeypatch):
    whole = evenhand.rank(evenhand.read(votes))
    monkeypatch.setattr(counting, "SAMPLE", 1_000)
    rows = evenhand.rank(evenhand.read(votes))
    assert rows.signature == whole.signature
    np.testing.assert_allclose(rows.stderr, whole.stderr, rtol=1e-12)
    np.testing.assert_array_equal(rows.rank_lower, whole.rank_lower)


def test_beyond_the_limit_nothing_is_kept_of_rows(votes, apart, monkeypatch):
    monkeypatch.setattr(clustering, "MAX_JOINT_JUDGMENTS", 3_999)
    found, _ = gather_evidence(evenhand.read(votes), WAYS, apart=True)
    assert found.crossed is None
    assert found.together(WAYS) is None
