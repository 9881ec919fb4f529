import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.data.rating_rows import CONTROL, read_scale
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.screening import screen_ratings, see_judges
from experiments.rating_panels import BAD, RatingPanel
from rating_lines import table_of

ALL = tuple((kind, 3) for kind in BAD)


@pytest.fixture(scope="module")
def rows():
    return RatingPanel(each=120, bad=ALL).draw(np.random.default_rng(1))


def card_of(found, judge):
    return next(card for card in found.cards if card.judge == judge)


def line_of(card, name):
    return next(one for one in card.evidence if one.name == name)


@pytest.fixture(scope="module")
def found(rows):
    return screen_ratings(rows)


def test_bad_judges_are_flagged_for_what_they_are_and_come_first(found):
    flags = {card.judge: card.flags for card in found.flagged}
    assert [flags[f"J00{j}"] for j in range(3)] == [("careless",)] * 3
    assert [flags[f"J00{j}"] for j in range(3, 6)] == [("reversed",)] * 3
    assert all("coarse" in flags[f"J00{j}"] for j in range(6, 9))
    assert all("extreme" in flags[judge] for judge in ("J009", "J010", "J011"))
    assert len(flags) == 12
    assert found.cards[:12] == found.flagged


def test_a_card_says_what_was_seen_with_its_numbers(found):
    card = card_of(found, "J000")
    evidence = {one.name: one for one in card.evidence}
    assert [*evidence] == ["others' scores", "seconds", "severity", "coarse", "extreme", "drifting"]
    slope = evidence["others' scores"]
    assert slope.lower < slope.value < slope.upper
    assert "over 120 outputs, 120 of them scored by others too" in slope.says
    assert slope.log_odds > 3
    assert card.p_honest < 0.05
    assert sum(card.posterior.values()) == pytest.approx(1)
    assert card.n == 120


def test_severity_is_never_a_flag():
    rows = RatingPanel(each=120, points=100, severity=0).draw(np.random.default_rng(2))
    score = rows.score - 40 * (rows.judge == 5)
    found = screen_ratings(replace(rows, score=score))
    card = card_of(found, "J005")
    severity = line_of(card, "severity")
    assert severity.upper < -30
    assert "which is no fault" in severity.says
    assert card.flags == ()


def test_always_the_same_score_is_careless_by_evidence():
    rows = RatingPanel(each=120).draw(np.random.default_rng(3))
    found = screen_ratings(replace(rows, score=np.where(rows.judge == 4, 3.0, rows.score)))
    card = found.flagged[0]
    assert (card.judge, card.flags) == ("J004", ("careless",))
    assert card.evidence[0].says.startswith("always the same score, over 120 outputs")


NOISE = np.random.default_rng(20131)
DEGENERATE = {
    "one judge": [("A", str(k), "s", k % 5) for k in range(20)],
    "two judges": [(j, str(k), f"s{k % 2}", k % 5) for j in "AB" for k in range(20)],
    "nothing shared": [
        (f"J{j}", f"{j}-{k}", f"s{j}", (j * k) % 5) for j in range(12) for k in range(20)
    ],
    "one system": [(f"J{j}", str(k), "s", (j + k) % 5) for j in range(12) for k in range(20)],
    "one item": [(f"J{j}", "1", f"s{k}", (j + k) % 5) for j in range(12) for k in range(20)],
    "one score each": [(f"J{j}", "1", "s", j % 5) for j in range(12)],
    "two points": [
        (f"J{j}", str(k), f"s{k % 2}", int(NOISE.integers(2))) for j in range(12) for k in range(20)
    ],
}


@pytest.mark.parametrize("lines", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_degenerate_tables_give_finite_cards_without_class_flags(lines):
    found = screen_ratings(table_of(lines))
    assert found.flagged == ()
    assert found.abstains is not None
    json.dumps(found.to_dict(), allow_nan=False)


def test_what_cannot_be_screened_is_refused(rows):
    with pytest.raises(NotIdentified, match="no column of judges was found"):
        screen_ratings(replace(rows, judges=("",)))
    with pytest.raises(NotIdentified, match="all scores are of controls"):
        screen_ratings(replace(rows, kind=np.full(rows.size, CONTROL, np.int8)))
    same = [(f"J{j}", str(k), f"s{k % 2}", 3) for j in range(12) for k in range(20)]
    with pytest.raises(NotIdentified, match="all scores are the same; ask for scores that tell"):
        screen_ratings(table_of(same))
    with pytest.raises(UnknownOption, match=r"level cannot be 5: it lies between 0 and 1, as \.05"):
        screen_ratings(rows, level=5)
    with pytest.raises(InvalidJudgments, match="not on the scale"):
        screen_ratings(rows, scale=read_scale("1-4"))


# Who could have been seen, and how the level is shared out.


def test_classes_have_four_fifths_of_the_level():
    rows = RatingPanel(each=120, bad=(("random", 1),)).draw(np.random.default_rng(2))
    p = card_of(screen_ratings(rows), "J000").p_honest
    for share, flags in ((0.801, ()), (0.799, ("careless",))):
        found = screen_ratings(rows, level=p / share)
        assert card_of(found, "J000").flags == flags


def test_habits_have_a_fifth_of_the_level_and_cards_say_both_numbers():
    rows = RatingPanel(each=60, bad=(("coarse", 1),)).draw(np.random.default_rng(2))
    seen = see_judges(rows)
    assert seen.verdict.habits[0].name == "coarse"
    adjusted = float(seen.verdict.habit_p[0][0])
    for level, flagged in ((5.01 * adjusted, True), (4.99 * adjusted, False)):
        assert ("coarse" in see_judges(rows, level=level).verdict.flags[0]) == flagged
    card = card_of(screen_ratings(rows), "J000")
    says = line_of(card, "coarse").says
    assert "adjusted p" in says
    assert "flagged up to 0.01" in says


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


def test_ratings_are_screened_with_what_leaving_a_judge_out_changes(ratings):
    found = evenhand.screen_judges(ratings)
    assert found.kind == "ratings"
    assert {card.judge for card in found.flagged} == {"J000", "J001"}
    assert all("order" in card.effect for card in found.flagged)
    bare = screen_ratings(ratings.rows())
    assert [card.flags for card in bare.cards] == [card.flags for card in found.cards]


def test_a_scale_is_for_ratings(ratings):
    votes = {"left": ["A"] * 4, "right": ["B"] * 4, "outcome": ["left"] * 4, "judge": [*"jkjk"]}
    assert "scale 1 to 5" in evenhand.screen_judges(ratings, scale="1-5").signature
    with pytest.raises(UnknownOption, match="a scale is for scores"):
        evenhand.screen_judges(votes, scale="1-5")


def test_criteria_of_opposite_directions_are_turned_before_they_are_averaged():
    """A judge at random is found where errors count against fluency as where both are points."""
    rng = np.random.default_rng(8)
    worth, rows = rng.normal(0, 1, 60), []
    for judge in range(9):
        for item in range(60):
            good = worth[item] if judge else rng.normal(0, 1)
            for name, sign in (("errors", -1), ("fluency", 1)):
                score = 10 + sign * (2 * good + rng.normal(0, 1))
                rows.append((f"J{judge}", str(item), f"s{item % 3}", name, score))
    found = [screen(rows, turned).flagged for turned in (False, True)]
    assert [[one.judge for one in flagged] for flagged in found] == [["J0"]] * 2
    one, other = (flagged[0].posterior for flagged in found)
    assert one == pytest.approx(other)


def screen(rows, turned):
    """Screen scores as they are, or with errors turned into points."""
    names = ("judge", "item", "system", "criterion", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    if turned:
        each = zip(columns["criterion"], columns["score"], strict=True)
        columns["score"] = [20 - score if name == "errors" else score for name, score in each]
        columns["criterion"] = [name.replace("errors", "adequacy") for name in columns["criterion"]]
    return screen_ratings(evenhand.read(columns).rows())
