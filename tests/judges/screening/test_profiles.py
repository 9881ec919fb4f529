"""Judges beside the others: a table worked out by hand, and pandas on many scores."""

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.judges.outliers import profile_judges
from rating_tables import lines_of, ratings

LINES = lines_of("x 1 a 1; y 1 a 3; x 1 b 2; y 1 b 2; z 1 b 5; z 2 a 4")
BY_HAND = {
    # judge: n, shared, mean, others' mean, gap, mean agreement
    "x": (2, 2, 1.5, 3.25, -1.75, 1.75),
    "y": (2, 2, 2.5, 2.25, 0.25, 1.75),
    "z": (2, 1, 4.5, 2.0, 3.0, 3.0),
}


def numbers(one):
    return one.n, one.shared, one.mean, one.others_mean, one.gap, one.mean_agreement


def test_three_judges_are_as_worked_out_by_hand():
    found = profile_judges(ratings(LINES).rows())
    assert {one.judge: numbers(one) for one in found[""]} == BY_HAND


def test_many_scores_are_what_joining_the_table_to_itself_gives():
    rng = np.random.default_rng(7)
    n = 3000
    table = pd.DataFrame(
        {
            "judge": rng.integers(0, 12, n).astype(str),
            "item": rng.integers(0, 60, n).astype(str),
            "system": rng.integers(0, 5, n).astype(str),
            "criterion": rng.choice(["adequacy", "fluency"], n),
            "score": rng.integers(1, 6, n),
        }
    ).drop_duplicates(["judge", "item", "system", "criterion"])
    found = profile_judges(evenhand.read(table).rows())
    both = table.merge(table, on=["item", "system", "criterion"], suffixes=("", "_other"))
    both = both[both.judge != both.judge_other]
    both["far"] = (both.score - both.score_other).abs()
    each = both.groupby(["criterion", "judge", "item", "system", "score"], as_index=False).agg(
        theirs=("score_other", "mean"), far=("far", "mean")
    )
    each["gap"] = each.score - each.theirs
    expected = each.groupby(["criterion", "judge"])[["theirs", "gap", "far"]].mean()
    assert sum(map(len, found.values())) == len(expected) == 24
    for criterion, profiles in found.items():
        for one in profiles:
            row = expected.loc[(criterion, one.judge)]
            assert (one.others_mean, one.gap, one.mean_agreement) == pytest.approx(tuple(row))
