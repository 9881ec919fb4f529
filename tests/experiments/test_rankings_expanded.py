"""Rankings of five as they are, and expanded into ten comparisons, with known truth.

Plackett-Luce rankings of 5 outputs from 12 systems. Under that law two outputs of a ranking are
ordered as Bradley and Terry have it, so that both routes estimate the same log-worths; but the ten
comparisons of a ranking are one answer (INFERENCE C12).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from evenhand.data.orders import Orders, pack_orders
from evenhand.data.tally import Factor, Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.orders import OrderFit, PlackettLuce
from evenhand.ranking.sandwich import cluster_covariance
from experiments.campaign import generator, part_of
from ordered import draw_luce

pytestmark = pytest.mark.slow

REPLICATES = part_of(1000)
RANKINGS = 240
WORTHS = np.linspace(1.1, -1.1, 12)
NAMES = tuple(f"s{i:02d}" for i in range(12))
PAIRS = np.triu_indices(12, 1)
EXPERIMENT = 112
"""Not one of E1-E14: INFERENCE C12."""


def expanded(codes: np.ndarray) -> Tally:
    """The comparisons of rankings without ties, each with its ranking."""
    n, m = codes.shape
    one, two = np.triu_indices(m, 1)
    left, right = (codes[:, at].ravel().astype(np.int32) for at in (one, two))
    wins = np.ones(len(left))
    own = np.repeat(np.arange(n, dtype=np.int32), len(one))
    loads = np.full(n, float(len(one)))
    factor = Factor(tuple(f"r{i:04d}" for i in range(n)), own, loads, n)
    none = np.zeros(len(left))
    tally = Tally(NAMES, left, right, wins, none, none, {"ranking": factor}, n_judgments=float(n))
    return tally.fold()


def kept_whole(codes: np.ndarray) -> Orders:
    places = np.tile(np.arange(codes.shape[1], dtype=np.int32), (len(codes), 1))
    rows = Orders(NAMES, codes.astype(np.int32), places, np.ones(len(codes)))
    return pack_orders(NAMES, rows, None)


def differences(worth: np.ndarray) -> np.ndarray:
    return (worth[:, None] - worth)[PAIRS]


def variances(vcov: np.ndarray) -> np.ndarray:
    own = np.diag(vcov)
    return (own[:, None] + own - 2 * vcov)[PAIRS]


@dataclass(frozen=True)
class Route:
    """(R, P) estimated differences and variances, by one way of estimating them."""

    estimate: np.ndarray
    variance: np.ndarray

    @property
    def coverage(self) -> float:
        away = np.abs(self.estimate - differences(WORTHS))
        return float((away <= 1.959964 * np.sqrt(self.variance)).mean())

    @property
    def ratio(self) -> float:
        """Root mean variance to standard deviation, mean over pairs."""
        spread = self.estimate.std(axis=0, ddof=1)
        return float((np.sqrt(self.variance.mean(axis=0)) / spread).mean())


@cache
def routes() -> dict[str, Route]:
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for replicate in range(REPLICATES):
        codes = draw_luce(WORTHS, RANKINGS, 5, generator(EXPERIMENT, 0, replicate))
        whole = kept_whole(codes)
        luce = PlackettLuce().fit(whole)
        assert isinstance(luce, OrderFit)
        pairs = expanded(codes)
        plain = BradleyTerry(ties="discard").fit(pairs)
        clustered = plain.to_worth(cluster_covariance(plain, pairs, "ranking")[0])
        single = luce.cluster_vcov(pairs, "ranking").worth_vcov
        for name, fit, vcov in (
            ("Plackett-Luce, model", luce, luce.worth_vcov),
            ("Plackett-Luce, by ranking", luce, single),
            ("expansion, model", plain, plain.worth_vcov),
            ("expansion, by ranking", plain, clustered),
        ):
            row = differences(fit.log_worth), variances(vcov)
            found.setdefault(name, []).append(row)
    by_name = {
        name: Route(*(np.array(part) for part in zip(*rows, strict=True)))
        for name, rows in found.items()
    }
    for name, route in by_name.items():
        print(  # noqa: T201 - an experiment shows its counts (pytest -rP)
            f"{name}: {route.estimate.size} intervals in {REPLICATES} campaigns,"
            f" coverage {route.coverage:.4f}, standard error / SD {route.ratio:.3f}"
        )
    return by_name


@pytest.mark.parametrize(
    "name", ["Plackett-Luce, model", "Plackett-Luce, by ranking", "expansion, by ranking"]
)
def test_intervals_cover_where_a_ranking_is_one_answer(name):
    assert 0.935 <= routes()[name].coverage <= 0.965
    assert 0.95 <= routes()[name].ratio <= 1.06


def test_standard_errors_of_the_expansion_that_take_pairs_for_independent_are_too_small():
    assert routes()["expansion, model"].ratio < 0.9
    assert routes()["expansion, model"].coverage < 0.92


def test_both_routes_estimate_the_same_and_whole_rankings_do_it_better():
    whole, pairs = (routes()[name] for name in ("Plackett-Luce, model", "expansion, by ranking"))
    truth = differences(WORTHS)
    for route in (whole, pairs):
        off = (route.estimate.mean(axis=0) - truth) / np.sqrt(
            route.estimate.var(axis=0) / REPLICATES
        )
        assert np.abs(route.estimate.mean(axis=0) - truth).max() < 0.12
        assert np.abs(off).mean() < 2
    efficiency = float((whole.estimate.var(axis=0) / pairs.estimate.var(axis=0)).mean())
    print(f"variance of Plackett-Luce / variance of the expansion {efficiency:.3f}")  # noqa: T201
    assert efficiency < 1
