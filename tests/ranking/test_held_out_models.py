"""Models by name or by settings, for held-out comparisons."""

import pytest

from evenhand.errors import UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.irt_gaussian import IRTGaussian
from evenhand.models.registry import MODELS, PAPER_MODELS, USUAL_MODELS, make_models, say_models


def test_the_paper_has_eight_models_and_the_usual_ones_hold_them() -> None:
    assert len(PAPER_MODELS) == 8
    assert set(PAPER_MODELS) < set(USUAL_MODELS) < set(MODELS)
    assert tuple(make_models("all", 1)) == tuple(MODELS)


def test_names_count_once_and_keep_their_order() -> None:
    wanted = ["pattern", "paper", "uniform", "bradley-terry"]
    assert tuple(make_models(wanted, 1)) == ("pattern", *PAPER_MODELS, "bradley-terry")


def test_samplers_run_as_in_the_paper_and_the_signature_says_so() -> None:
    models = make_models(["irt-gaussian", "uniform"], 7)
    assert models["irt-gaussian"] == IRTGaussian.paper(7)
    said = say_models(["irt-gaussian", "uniform"], models)
    assert said == "uniform, irt-gaussian (one chain of 200 sweeps, 50 burn-in)"


def test_settings_of_ones_own_stand_in_the_signature() -> None:
    models = {"mine": BradleyTerry(prior=2.0)}
    assert make_models(models, 1) == models
    assert say_models(models, models).startswith("mine=BradleyTerry(")


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(UnknownOption, match=r"model cannot be 'patern': .* Did you mean 'pattern'"):
        make_models("patern", 1)
    with pytest.raises(UnknownOption, match="no model is named"):
        make_models([], 1)
    with pytest.raises(UnknownOption, match="model 'x' cannot be 3"):
        make_models({"x": 3}, 1)
