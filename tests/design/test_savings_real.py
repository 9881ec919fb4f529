"""Replays on real judgments."""

import pytest

from evenhand.design.policy import Policy
from evenhand.design.savings import measure_savings
from evenhand.errors import NotIdentified
from evenhand.formats.reading import read


def test_ukpconvarg1_has_five_judgments_a_pair_which_a_policy_empties(data_folder):
    """28 arguments, 378 pairs with five judgments each (README)."""
    path = data_folder / "ukpconvarg1" / "pairwise.parquet"
    task = "ban-plastic-water-bottles_no-bad-for-the-economy"
    found = measure_savings(read(path, task=task), Policy(), replays=2)
    assert found.per_pair == pytest.approx(5, abs=0.01)
    assert found.judgments[-1] <= found.n_judgments / 2
    assert "with judges it would have gone on asking there" in found.notes[0]


def test_llm_judges_gave_one_judgment_a_pair_which_cannot_be_replayed(data_folder):
    path = data_folder / "llmfao" / "pairwise.parquet"
    data = read(path, where="source = 'gpt4'")
    with pytest.raises(NotIdentified, match="the data cannot support a replay"):
        measure_savings(data, Policy(), replays=2)
