import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.errors import UnknownOption
from evenhand.judges.screening import screen_comparisons, screen_ratings
from experiments.rating_panels import RatingPanel


@pytest.fixture(scope="module")
def ratings():
    rows = RatingPanel(each=120, bad=(("reversed", 2),)).draw(np.random.default_rng(1))
    return evenhand.read(
        pd.DataFrame(
            {
                "judge": np.array(rows.judges)[rows.judge],
                "item": np.array(rows.items)[rows.item],
                "system": np.array(rows.systems)[rows.system],
                "score": rows.score,
            }
        )
    )


@pytest.fixture(scope="module")
def comparisons():
    rng = np.random.default_rng(2)
    n = 900
    left, right = rng.choice(["A", "B"], n), np.full(n, "C")
    outcome = np.where(rng.random(n) < 0.8, "left", "right")
    columns = {"left": left, "right": right, "outcome": outcome, "item": np.arange(n).astype(str)}
    return evenhand.read(pd.DataFrame({"judge": [f"J{k % 12}" for k in range(n)], **columns}))


def test_ratings_are_screened_with_what_leaving_a_judge_out_changes(ratings):
    found = evenhand.screen_judges(ratings)
    assert found.kind == "ratings"
    assert {card.judge for card in found.flagged} == {"J000", "J001"}
    assert all("order" in card.effect for card in found.flagged)
    bare = screen_ratings(ratings.rows())
    assert [card.flags for card in bare.cards] == [card.flags for card in found.cards]


def test_an_effect_of_ones_own_is_told_instead(ratings):
    found = evenhand.screen_judges(ratings, effect=lambda judge: f"nothing without {judge}")
    assert found.flagged[0].effect == f"nothing without {found.flagged[0].judge}"


def test_comparisons_are_screened_as_comparisons(comparisons):
    found = evenhand.screen_judges(comparisons)
    assert found.kind == "comparisons"
    assert found.to_dict() == screen_comparisons(comparisons.votes()).to_dict()


def test_rankings_are_screened_by_their_comparisons():
    rng = np.random.default_rng(3)
    rows = [
        {"judge": f"J{r % 10}", "item": str(r), "ranking": str(r), "system": s, "rank": int(k)}
        for r in range(120)
        for s, k in zip("ABC", rng.permutation(3) + 1, strict=True)
    ]
    assert evenhand.screen_judges(evenhand.read(pd.DataFrame(rows))).kind == "rankings"


def test_a_scale_is_for_ratings(ratings, comparisons):
    assert "scale 1 to 5" in evenhand.screen_judges(ratings, scale="1-5").signature
    with pytest.raises(UnknownOption, match="a scale is for scores"):
        evenhand.screen_judges(comparisons, scale="1-5")
