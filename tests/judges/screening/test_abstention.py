"""Where nobody is flagged: each reason has an advice of its own, and evidence is said as such."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.judges.cards import Card, Evidence, advise, find_reason, say_evidence, say_shortly
from evenhand.judges.mixture import fit_mixture
from evenhand.judges.texts import say


def card(judge, p_honest, **more):
    posterior = {"honest": p_honest, "careless": 1 - p_honest, "reversed": 0.0}
    return Card(judge, 140, posterior, **more)


def controls(said):
    return Evidence("controls", f"controls: {said} as expected; all judges 80 %")


EMAD = card("emad", 1e-9, evidence=(controls("2 of 4"),))
FARID = card("farid", 2e-5, evidence=(controls("1 of 4"),))
CARLA = card("carla", 0.9)
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
    assert (find_reason(abstains), say_shortly(abstains)) == (reason, shortly)


def test_too_few_judges_are_helped_by_more_judges_and_not_by_more_judgments():
    cards = (EMAD, FARID, *(replace(CARLA, judge=f"j{k}") for k in range(4)))
    assert advise(FEW, cards) == (
        "Ask 2 more judges; meanwhile look at the evidence of emad, farid."
    )
    assert advise(FEW, (*cards[1:], CARLA, CARLA)) == (
        "Ask 1 more judge; meanwhile look at the evidence of farid."
    )


def test_evidence_is_said_and_is_no_verdict():
    assert say_evidence((EMAD, FARID, CARLA), FEW) == (
        "emad (P(honest) < 0.001) and farid (P(honest) < 0.001) look careless or reversed rather"
        " than honest, but this cannot be decided.",
    )
