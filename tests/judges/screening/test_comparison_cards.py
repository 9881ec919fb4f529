"""Cards and flags of campaigns with known truth, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evenhand
from evenhand.data.votes import Votes
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.cards import (
    REASONS,
    Card,
    fit_mixture,
    note_camps,
    say_shortly,
)
from evenhand.judges.screening import screen_comparisons
from evenhand.judges.texts import say
from experiments.campaign import generator
from vote_campaigns import Panel, RankingPanel

BAD = {"j000", "j001", "j002"}


def campaign(panel: Panel | RankingPanel = Panel(240, bad=3)) -> Votes:  # noqa: B008 - frozen
    return panel.simulate(generator(4, 80, 0))


def names(cards: tuple[Card, ...]) -> list[str]:
    return [card.judge for card in cards]


def evidence(card: Card) -> dict:
    return {one.name: one for one in card.evidence}


def test_bad_judges_come_first_with_their_class():
    careless = screen_comparisons(campaign())
    reverse = screen_comparisons(campaign(Panel(120, bad=3, value=-1.0)))
    assert set(names(careless.cards[:3])) == set(names(careless.flagged)) == BAD
    assert {card.flags for card in careless.flagged} == {("careless",)}
    assert {card.flags for card in reverse.flagged} == {("reversed",)}
    assert all(sum(card.posterior.values()) == pytest.approx(1) for card in careless.cards)


def test_cards_say_what_was_seen():
    votes = campaign(Panel(120, bad=3, controls=6, repeats=8, hurry=0.7))
    found = screen_comparisons(votes)
    told = evidence(found.cards[0])
    assert {"slope", "agreement", "controls", "repeats", "position", "ties", "seconds"} == set(told)
    own = votes.take((votes.judge == 0) & (votes.kind == 2))
    card = next(card for card in found.cards if card.judge == "j000")
    hits = int((own.outcome == own.expected).sum())
    assert evidence(card)["controls"].says.startswith(f"controls: {hits} of 6 as expected")
    assert card.n == 120
    assert evidence(card)["slope"].lower < 0 < evidence(card)["slope"].upper


def test_the_effect_is_asked_for_flagged_judges_only():
    asked = []

    def effect(judge: str) -> str:
        asked.append(judge)
        return f"without {judge}"

    found = screen_comparisons(campaign(), effect=effect)
    assert set(asked) == BAD
    assert {card.effect for card in found.cards} == {None, *(f"without {name}" for name in BAD)}


def test_few_judgments_are_said_to_be_too_few_and_nobody_is_flagged():
    found = screen_comparisons(campaign(Panel(15)))
    assert found.abstains is not None
    assert found.says[0] == "None of 30 judges is flagged."
    assert found.says[1].startswith("Nobody is called careless or reversed")
    assert "with 15 judgments each" in found.detectable
    assert not any(card.testable for card in found.cards)
    assert not found.flagged


def test_the_result_depends_neither_on_row_order_nor_on_unused_names():
    votes = campaign(Panel(60, bad=3, controls=4, repeats=4))
    shuffled = votes.take(np.random.Generator(np.random.PCG64(2)).permutation(votes.size))
    one, other = screen_comparisons(votes), screen_comparisons(shuffled)
    assert one.signature == other.signature
    assert names(one.cards) == names(other.cards)
    p = [[card.p_honest for card in found.cards] for found in (one, other)]
    assert p[0] == pytest.approx(p[1], abs=1e-6)


def test_nobody_is_flagged_on_fewer_than_ten_judgments():
    votes = campaign(Panel(240, bad=3))
    nine = np.flatnonzero(votes.judge == 0)[:9]
    kept = votes.take(np.sort(np.concatenate([np.flatnonzero(votes.judge != 0), nine])))
    outcome = np.where(kept.judge == 0, 0, kept.outcome)  # and always left, against the others
    outcome = np.where((kept.judge == 0) & (kept.left < kept.right), 2, outcome)
    found = screen_comparisons(replace(kept, outcome=outcome.astype(np.int8)))
    card = next(card for card in found.cards if card.judge == "j000")
    assert (card.n, card.flags, card.testable) == (9, (), False)
    assert set(names(found.flagged)) == BAD - {"j000"}


def test_what_cannot_be_screened_is_refused():
    votes = campaign(Panel(30))
    with pytest.raises(NotIdentified, match="no column of judges was found"):
        screen_comparisons(replace(votes, judges=("",), judge=0 * votes.judge))
    with pytest.raises(NotIdentified, match="no comparison was decided"):
        screen_comparisons(replace(votes, outcome=np.ones(votes.size, np.int8)))
    with pytest.raises(UnknownOption, match="level cannot be 5"):
        screen_comparisons(votes, level=5)


def test_a_group_of_the_contrary_taste_is_named_as_a_group():
    votes = campaign(Panel(120))
    camp = votes.judge < 6
    outcome = np.where(camp, 2 - votes.outcome, votes.outcome).astype(np.int8)
    found = screen_comparisons(replace(votes, outcome=outcome))
    assert len(found.flagged) >= 5
    assert any("a group with another taste" in note for note in found.notes)
    careless = screen_comparisons(campaign(Panel(240, bad=3)))
    assert not any("agree with each other" in note for note in careless.notes)


# Where nobody is flagged: each reason has an advice of its own, and evidence is said as such.

FEW = say("few-judges", n=6, needed=8)


@pytest.mark.parametrize(
    ("slopes", "errors", "reason", "shortly"),
    [
        (np.ones(6), 0.1, "judges", FEW),
        (np.array([1.0, -1.0] * 6), 0.1, "right", "it cannot be determined who is right"),
        (np.ones(12), 0.8, "apart", "honest and careless judges cannot be distinguished"),
    ],
)
def test_every_reason_of_the_mixture_is_known(slopes, errors, reason, shortly):
    abstains = fit_mixture(slopes, np.full(len(slopes), errors)).abstention()
    assert (REASONS[abstains.code], say_shortly(abstains)) == (reason, shortly)


# Groups among the flagged, by hand.


def cards(flagged: int, of: int, flag: str = "careless") -> list[Card]:
    return [
        Card(f"j{k}", 9, {"honest": 0.5}, flags=(flag,) if k < flagged else ()) for k in range(of)
    ]


@pytest.mark.parametrize(("alike", "named"), [(18, True), (17, False)])
def test_judges_are_of_one_mind_from_two_standard_deviations_on(alike, named):
    """25 outputs, each answered by two: 18 alike give (18 - 7) / 5 = 2.2, and 17 give 1.8."""
    second = np.where(np.arange(25) < alike, 1.0, -1.0)
    unit, judge = np.tile(np.arange(25), 2), np.repeat([0, 1], 25)
    assert bool(note_camps(unit, judge, np.concatenate([np.ones(25), second]))) == named


# Flags in published campaigns: what holds whatever the truth is, and a published competence.


def value(card: Card, name: str) -> float | None:
    return next((one.value for one in card.evidence if one.name == name), None)


def test_slopes_rank_crowd_workers_much_as_their_published_competence_does(data_folder):
    """UKPConvArg1: MACE (Hovy et al. 2013) knows labels only, the slope arguments' worths too."""
    folder = data_folder / "ukpconvarg1"
    found = evenhand.screen_judges(folder / "pairwise.parquet")
    table = pd.read_csv(folder / "published_worker_competence.csv")
    published = dict(zip(table["judge"], table["mace_competence"], strict=True))
    assert len(found.cards) == 3815
    for least, correlation in ((20, 0.4), (100, 0.6)):
        kept = [card for card in found.cards if card.n >= least]
        pairs = [(value(card, "slope"), published[card.judge]) for card in kept]
        assert stats.spearmanr(*zip(*pairs, strict=True)).statistic > correlation
