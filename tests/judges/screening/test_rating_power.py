"""Who could have been seen, and how the level is shared out."""

import numpy as np
import pytest

from evenhand.judges.screening import screen_ratings, see_judges
from experiments.rating_panels import RatingPanel


@pytest.fixture(scope="module")
def rows():
    return RatingPanel(each=120).draw(np.random.default_rng(1))


def test_where_nobody_can_be_called_careless_no_power_is_claimed(rows):
    few = screen_ratings(rows.take(rows.judge >= 23))
    assert few.abstains is not None
    assert "7 judges are too few" in few.abstains
    assert len(few.cards) == 7  # judges without a row in this part get no card
    assert not any(card.testable for card in few.cards)
    assert "slopes alone cannot flag a careless judge" in few.detectable


def test_classes_have_four_fifths_of_the_level():
    rows = RatingPanel(each=120, bad=(("random", 1),)).draw(np.random.default_rng(2))
    p = next(card for card in screen_ratings(rows).cards if card.judge == "J000").p_honest
    for share, flags in ((0.801, ()), (0.799, ("careless",))):
        found = screen_ratings(rows, level=p / share)
        assert next(card for card in found.cards if card.judge == "J000").flags == flags


def test_habits_have_a_fifth_of_the_level_and_cards_say_both_numbers():
    rows = RatingPanel(each=60, bad=(("coarse", 1),)).draw(np.random.default_rng(2))
    seen = see_judges(rows)
    assert seen.verdict.habits[0].name == "coarse"
    adjusted = float(seen.verdict.habit_p[0][0])
    for level, flagged in ((5.01 * adjusted, True), (4.99 * adjusted, False)):
        assert ("coarse" in see_judges(rows, level=level).verdict.flags[0]) == flagged
    card = next(card for card in screen_ratings(rows).cards if card.judge == "J000")
    says = next(one.says for one in card.evidence if one.name == "coarse")
    assert "adjusted p" in says
    assert "flagged up to 0.01" in says
