"""What a served campaign finds by a policy, where the truth is known."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.stats import kendalltau

from evenhand.data.tally import Tally
from evenhand.design.policy import fit_belief
from evenhand.web import Store
from policy_campaigns import Truth, list_judged, make_chosen, open_campaign

SYSTEMS = [f"s{at:02}" for at in range(16)]
REPLAYS = 8


def agree(where: Path, rule: str, seed: int, judgments: int) -> float:
    """Kendall's τ with the truth: 16 systems, each a logit from the next; 20 judges at once."""
    order = SYSTEMS[:]
    Random(seed).shuffle(order)
    worths = {name: float(at) for at, name in enumerate(order)}
    settings = {"policy": rule, "judgments": judgments, "random_share": 0.1}
    campaign = make_chosen(40, 20, SYSTEMS, **settings)
    wins = np.zeros((len(SYSTEMS), len(SYSTEMS)))
    with Store.open(str(where / f"{rule}-{seed}.db")) as store:
        open_campaign(store, campaign)
        Truth(seed, worths).judge_all(store, [one.name for one in campaign.judges])
        tickets = {one.number: one for one in list_judged(store)}
        for row in store.rows("comparisons"):
            left, right = (SYSTEMS.index(one) for one in tickets[int(row["ticket"])].systems)
            wins[(left, right) if row["outcome"] == "left" else (right, left)] += 1
    low, high = np.triu_indices(len(SYSTEMS), 1)
    met = (wins + wins.T)[low, high] > 0
    low, high = low[met].astype(np.int32), high[met].astype(np.int32)
    counts = wins[low, high], np.zeros(len(low)), wins[high, low]
    found = fit_belief(Tally(tuple(SYSTEMS), low, high, *counts)).mean
    return float(kendalltau(found, [worths[one] for one in SYSTEMS])[0])


@pytest.mark.slow
def test_a_policy_finds_with_200_judgments_more_than_random_pairs_with_300(tmp_path: Path) -> None:
    chosen = [agree(tmp_path, "order", seed, 200) for seed in range(REPLAYS)]
    random = [agree(tmp_path, "random", seed, 300) for seed in range(REPLAYS)]
    assert np.mean(chosen) > np.mean(random)
