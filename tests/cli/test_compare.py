"""`evenhand compare`."""

from pathlib import Path

import polars as pl
import pytest

import evenhand as package
from compared_votes import MODELS, QUICK, write_votes
from evenhand.ranking.cross_validation import compare_models


@pytest.fixture
def votes(folder: Path) -> str:
    return write_votes("votes.csv")


def test_the_numbers_are_those_of_the_library(evenhand, votes):
    found = evenhand("compare", votes, *MODELS, "--json").json
    expected = compare_models(package.read(votes), models=QUICK)
    for row, score in zip(found["models"], expected.scores, strict=True):
        assert row["model"] == score.model
        for key in ("perplexity", "lower", "upper", "difference", "difference_upper", "p"):
            assert row[key] == pytest.approx(getattr(score, key), rel=1e-12), key
    assert found["best_set"] == list(expected.best_set)
    assert found["signature"] == expected.signature


def test_it_says_what_was_hidden_and_counts_it(evenhand, votes):
    ran = evenhand("compare", votes, *MODELS, "--by", "judge", "--folds", "4")
    assert "Predicted in 4 folds: no judge is on both sides." in ran.out
    counted = "500 judgments, 10 judges (9.9 effective), 40 items, 4 systems"
    assert counted in " ".join(ran.out.split())
    found = evenhand("compare", votes, *MODELS, "--json").json
    counts = pl.read_csv(votes)
    assert found["n_comparisons"] == len(counts)
    assert (found["n_judges"], found["n_items"]) == (10, counts["item"].n_unique())
    assert (found["blocks"], found["folds"]) == ("both", 25)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(evenhand, votes):
    words = ("compare", votes, *MODELS, "--json")
    runs = [evenhand(*words, "--seed", seed).json["models"] for seed in ("1", "1", "2")]
    one, same, other = ([row["perplexity"] for row in rows] for rows in runs)
    assert one == same != other
