"""Flags in published campaigns: what holds whatever the truth is, and a published competence."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evenhand
from evenhand.judges.cards import CLASSES, Card, Screening

DATA = os.environ.get("EVENHAND_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="EVENHAND_DATA names no folder of judgments")


def screen(path: str, condition: str | None = None) -> Screening:
    data = evenhand.read(Path(DATA or "") / path)
    table = data.comparisons() if hasattr(data, "comparisons") else data
    return evenhand.screen_judges(table if condition is None else table.where(condition))


def value(card: Card, name: str) -> float | None:
    return next((one.value for one in card.evidence if one.name == name), None)


def test_slopes_rank_crowd_workers_much_as_their_published_competence_does():
    """UKPConvArg1: MACE (Hovy et al. 2013) knows labels only, the slope arguments' worths too."""
    found = screen("ukpconvarg1/pairwise.parquet")
    table = pd.read_csv(Path(DATA or "") / "ukpconvarg1/published_worker_competence.csv")
    published = dict(zip(table["judge"], table["mace_competence"], strict=True))
    assert len(found.cards) == 3815
    for least, correlation in ((20, 0.4), (100, 0.6)):
        kept = [card for card in found.cards if card.n >= least]
        pairs = [(value(card, "slope"), published[card.judge]) for card in kept]
        assert stats.spearmanr(*zip(*pairs, strict=True)).statistic > correlation


def test_careless_judges_of_the_wmt10_crowd_agree_with_unanimous_others_no_more_than_chance():
    found = screen("wmt10_rankings/rankings.parquet", "judge_group = 'crowd'")
    flagged = [card for card in found.flagged if set(card.flags) & set(CLASSES)]
    rest = [value(card, "agreement") for card in found.cards if not card.flags and card.n >= 10]
    assert found.kind == "rankings"
    assert flagged
    for card in flagged:
        assert value(card, "agreement") < 0.5 < np.mean([one for one in rest if one is not None])
