"""`evenhand fit --model NAME` with every name of the registry, on votes and on rankings."""

import pytest

from evenhand.cli.fit import MODELS as OFFERED
from evenhand.preference.models import MODELS

LOG_LINEAR = [name for name, model in MODELS.items() if model.log_linear]
OF_PAIRS = [name for name, model in MODELS.items() if not (model.rankings or model.log_linear)]
DRAWN = ("irt-gaussian", "irt-categorical")


def test_the_command_line_offers_the_models_of_the_registry_in_its_order():
    assert tuple(MODELS) == OFFERED


@pytest.mark.parametrize("name", OF_PAIRS)
def test_every_model_of_pairs_is_fitted_and_signed_with_its_name(evenhand, table1, name):
    found = evenhand("fit", table1, "--model", name, "--json").json
    assert found["model"] == name
    assert f"| {name} |" in found["signature"]
    assert (found["n_judgments"], set(found["log_worths"])) == (960, set("ABCD"))
    assert found["says"]


@pytest.mark.parametrize("name", [n for n in OF_PAIRS if n not in DRAWN])
@pytest.mark.parametrize("form", ["--csv", "--latex"])
def test_every_form_is_written_even_where_there_is_no_coefficient(evenhand, table1, name, form):
    assert evenhand("fit", table1, "--model", name, form).out


def test_a_model_without_coefficients_prints_no_empty_table(evenhand, table1):
    text = evenhand("fit", table1, "--model", "uniform").out
    assert "s.e." not in text
    assert "loglik -1054.6678" in text  # 960 ln(1/3)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rao-kupper", ["--ties", "rao-kupper"]),
        ("glenn-david", ["--ties", "glenn-david"]),
        ("bradley-terry-prior", ["--prior", "1"]),
    ],
)
def test_names_with_settings_are_the_default_model_with_those_options(
    evenhand, table1, name, words
):
    named = evenhand("fit", table1, "--model", name, "--order-effect", "--json").json
    asked = evenhand("fit", table1, *words, "--order-effect", "--json").json
    assert named == asked


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("rao-kupper", ["--ties", "davidson"], "--ties does not apply to rao-kupper: it has"),
        ("bradley-terry-prior", ["--prior", "2"], "--prior does not apply to bradley-terry-prior"),
        ("uniform", ["--prior", "1"], "--prior does not apply to uniform: it has no such options"),
        (
            "melo",
            ["--order-effect"],
            "--order-effect does not apply to melo: it has --ties, --prior",
        ),
        (
            "melo",
            ["--ties", "rao-kupper"],
            "ties cannot be 'rao-kupper': choose davidson | discard",
        ),
        ("melo", ["--group-by", "judge"], "--group-by does not apply to melo"),
    ],
)
def test_options_that_do_not_apply_are_refused(evenhand, table1, name, words, said):
    assert said in evenhand("fit", table1, "--model", name, *words, code=2).err


def test_the_default_model_and_its_kin_are_fitted_by_group(evenhand, table1):
    for name in LOG_LINEAR:
        found = evenhand("fit", table1, "--model", name, "--group-by", "judge", "--json").json
        assert len(found["groups"]) + len(found["refused"]) == 4
