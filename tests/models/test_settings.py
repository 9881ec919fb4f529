"""Settings that cannot be are refused when they are made, whatever the model."""

import pytest

from evenhand.errors import UnknownOption
from evenhand.models.baselines import AdjustedUniform, IndependentPairs, IndependentStudents
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.dawid_skene import DawidSkene
from evenhand.models.irt_categorical import IRTCategorical
from evenhand.models.irt_gaussian import IRTGaussian
from evenhand.models.orders import PatternModel, PlackettLuce
from evenhand.models.ordinal import Ordinal
from evenhand.models.random_judges import RandomJudges

ENDLESS, NONE = float("inf"), float("nan")
CONTROLLED = {"controls": ("length",)}
ONLY_DAVIDSON = "which ties davidson has and {} has not"
REFUSED = [
    (BradleyTerry, {"ties": "davison"}, "ties cannot be 'davison'.*Did you mean 'davidson'"),
    (BradleyTerry, {"prior": -1.0}, "prior cannot be -1.0"),
    (BradleyTerry, {"prior": NONE}, "prior cannot be nan"),
    (BradleyTerry, {"references": {"judge": "j1"}}, "'judge', which is no judge covariate"),
    (BradleyTerry, {"judge_covariates": ("judge", "judge")}, "one is named twice"),
    (BradleyTerry, {"controls": ("length", "length")}, "one is named twice"),
    (BradleyTerry, {"ties": "rao-kupper"} | CONTROLLED, "not with rao-kupper"),
    (BradleyTerry, {"judge_covariates": "judge"} | CONTROLLED, "leave out judge, or fit"),
    (BradleyTerry, {"system_covariates": {"x": {}}} | CONTROLLED, "leave out system covariates x"),
    *(
        (BradleyTerry, {"ties": ties, "tie_covariates": "judge"}, ONLY_DAVIDSON.format(ties))
        for ties in ("rao-kupper", "half-win", "none")
    ),
    (PlackettLuce, {"ties": "half-win"}, "ties cannot be 'half-win'"),
    (PlackettLuce, {"prior": -1}, "prior cannot be -1"),
    (PatternModel, {"ties": "discard"}, "ties cannot be 'discard'"),
    (PatternModel, {"prior": ENDLESS}, "prior cannot be"),
    (RandomJudges, {"ties": "half-win"}, "half-win' has no likelihood"),
    (RandomJudges, {"ties": "rao-kupper"}, "choose davidson"),
    (RandomJudges, {"method": "exact"}, "corrected"),
    (RandomJudges, {"level": 95}, "level"),
    (IndependentPairs, {"strength": 0}, "never compared would have no chances"),
    (IndependentStudents, {"strength": 0}, "strength cannot be 0"),
    (IndependentStudents, {"reconstruction": "harmonic"}, "reconstruction cannot be 'harmonic'"),
    (AdjustedUniform, {"strength": -1.0}, "strength cannot be"),
    (AdjustedUniform, {"strength": NONE}, "strength cannot be"),
    (AdjustedUniform, {"strength": ENDLESS}, "strength cannot be"),
    (IRTGaussian, {"ability_sd": 0.0}, "ability_sd cannot be 0.0: it is above 0"),
    (IRTGaussian, {"item_sd": -1.0}, "item_sd cannot be -1.0"),
    (IRTGaussian, {"noise_sd": ENDLESS}, "noise_sd cannot be inf"),
    (IRTGaussian, {"radius": -0.1}, "radius cannot be -0.1: it is 0 or more"),
    (IRTGaussian, {"chains": 0}, "chains cannot be 0: there is one at least"),
    (IRTGaussian, {"sweeps": 53, "burn_in": 50}, "sweeps=53 and burn_in=50 leave too little"),
    (IRTGaussian, {"burn_in": -1}, "burn_in=-1"),
    (IRTCategorical, {"categories": 1}, "categories must be 2 or more"),
    (IRTCategorical, {"concentration": 0.0}, "concentration must be 0.05 or more"),
    (IRTCategorical, {"noise_sd": 0.0}, "noise_sd must be above 0"),
    (IRTCategorical, {"noise_sd": 0.1}, "too small for 8 categories"),
    (IRTCategorical, {"radius": 7}, "the longest difference"),
    (IRTCategorical, {"radius": -1}, "radius must be"),
    (IRTCategorical, {"sweeps": 250}, "4 sweeps more than burn-in"),
    (Ordinal, {"item_sd": -1}, "item_sd cannot be -1"),
    (DawidSkene, {"prior": 0}, "prior must be above 0"),
    (DawidSkene, {"smoothing": 0}, "smoothing must be above 0"),
    (DawidSkene, {"diagonal": -1}, "diagonal and tolerance are not negative"),
    (DawidSkene, {"iterations": 0}, "iterations at least 1"),
]


@pytest.mark.parametrize(("model", "settings", "words"), REFUSED)
def test_settings_that_cannot_be_are_refused(model, settings, words):
    with pytest.raises(UnknownOption, match=words):
        model(**settings)
