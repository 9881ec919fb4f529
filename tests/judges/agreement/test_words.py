"""Landis and Koch's words, and the warning of Feinstein and Cicchetti's first paradox."""

import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments
from evenhand.judges.agreement_table import AgreementPart, name_kappa, say_parts, warn_prevalence
from evenhand.judges.texts import say
from evenhand.judges.units import Coefficient


@pytest.mark.parametrize(
    ("kappa", "word"),
    [  # Landis & Koch (1977), p. 165
        (-0.01, "poor"),
        (0.00, "slight"),
        (0.20, "slight"),
        (0.40, "fair"),
        (0.60, "moderate"),
        (0.80, "substantial"),
        (0.81, "almost perfect"),
        (1.00, "almost perfect"),
    ],
)
def test_words_are_those_of_landis_and_koch(kappa, word):
    assert name_kappa(kappa) == word


def test_a_zero_has_neither_sign_nor_is_it_poor():
    values = {"value": -0.0001, "lower": -0.0002, "upper": 0.0004}
    word = say("landis-koch", "info", word=name_kappa(values["value"]))
    kappa = Coefficient("fleiss", "Fleiss' κ", **values, notes=(word,))
    part = AgreementPart({}, 1, 0, 2, 2, 2, (kappa,))
    assert say_parts([part]) == ("Fleiss' κ 0.000 (0.000 to 0.000), slight.",)


def test_comparisons_without_items_are_refused_as_judgments_not_as_scores():
    votes = {"judge": ["a", "b"], "left": ["A"] * 2, "right": ["B"] * 2, "outcome": ["left"] * 2}
    with pytest.raises(InvalidJudgments, match="which judgments are of the same output"):
        evenhand.measure_agreement(evenhand.read(pl.DataFrame(votes)))


def test_high_agreement_with_low_kappa_is_warned_of():
    # Feinstein & Cicchetti (1990): p_o = .85 with κ = .70 where balanced and .32 where not
    assert warn_prevalence(0.85, 0.70, 0.5) is None
    warning = warn_prevalence(0.85, 0.32, 0.875)
    assert warning is not None
    assert "85 %" in warning
    assert "Feinstein & Cicchetti 1990" in warning
