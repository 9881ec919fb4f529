"""`evenhand fit --model NAME` with every name of the registry, on votes and on rankings."""

from math import log, sqrt
from pathlib import Path

import pytest

import evenhand as package
from evenhand.cli.fit import MODELS as OFFERED
from evenhand.models.registry import MODELS, RATING_MODELS
from golden_numbers import golden


def test_the_command_line_offers_the_models_of_the_registry_in_its_order():
    assert (*MODELS, *RATING_MODELS) == OFFERED


HOPKINS_MAY = golden("12_hopkins_may_baselines", "hm")


@pytest.fixture
def records(folder):
    """The twenty records of golden 12, as a table."""
    rows = [(a, b, ("tie", "left", "right")[told]) for a, b, told in HOPKINS_MAY.input["train"]]
    lines = [",".join(row) for row in (("left", "right", "outcome"), *rows)]
    Path("records.csv").write_text("\n".join(lines), encoding="utf-8")
    return "records.csv"


def centred(numbers):
    """Numbers by system, less their mean."""
    mean = sum(numbers.values()) / len(numbers)
    return {name: number - mean for name, number in numbers.items()}


def estimates(found):
    """The estimates of systems, less their mean."""
    own = (one for one in found["coefficients"] if one["name"][1:].isdigit())
    return centred({one["label"]: one["estimate"] for one in own if one["name"][0] == "o"})


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("random-judges", "lambda"),
        ("judge-slopes", "lambda"),
        ("geometric-students", "half log-odds"),
        ("asymmetric-students", "half log-odds"),
    ],
)
def test_log_worths_are_twice_the_estimates_on_the_lambda_scale_alone(
    evenhand, table1, name, scale
):
    found = evenhand("fit", table1, "--model", name, "--json").json
    times = 1 if scale == "half log-odds" else 2
    doubled = {system: times * own for system, own in estimates(found).items()}
    assert found["scale"] == scale
    assert centred(found["log_worths"]) == pytest.approx(doubled, abs=1e-6)


def test_estimates_of_students_are_half_the_log_odds_of_their_counts(evenhand, records):
    ability = HOPKINS_MAY.expected["universal_ability"]  # no preference, won, lost
    by_hand = {name: log(sqrt(won / lost)) for name, (_, won, lost) in ability.items()}
    found = evenhand("fit", records, "--model", "geometric-students", "--json").json
    assert estimates(found) == pytest.approx(centred(by_hand), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "scale"), [("irt-gaussian", "ability"), ("irt-categorical", "mean quality")]
)
def test_estimates_of_item_response_models_are_no_worths(evenhand, records, name, scale):
    found = evenhand("fit", records, "--model", name, "--json").json
    assert found["scale"] == scale
    own = "abilities" if name == "irt-gaussian" else "quality"
    by_name = dict(zip(HOPKINS_MAY.input["students"], found["extras"][own], strict=True))
    assert estimates(found) == pytest.approx(centred(by_name), abs=1e-12)


def test_rank_and_fit_take_the_settings_and_the_seed_of_item_response_models(evenhand, table1):
    words = (
        "--model",
        "irt-gaussian",
        "--sweeps",
        "120",
        "--burn-in",
        "40",
        "--seed",
        "3",
        "--json",
    )
    model = package.IRTGaussian(sweeps=120, burn_in=40, seed=3)
    fitted = evenhand("fit", table1, *words).json
    assert fitted["extras"]["abilities"] == model.fit(package.read(table1)).abilities.tolist()
    assert "4 x 120 sweeps, burn-in 40 | seed=3" in fitted["signature"]
    ranked = evenhand("rank", table1, *words).json
    assert "4 x 120 sweeps, burn-in 40 | seed=3" in ranked["signature"]
    expected = package.rank(table1, model=model).to_dict()
    assert ranked["systems"] == expected["systems"]
    refused = {
        ("fit", "--seed", "3"): "--seed does not apply to bradley-terry",
        ("rank", "--sweeps", "300"): "--sweeps does not apply to bradley-terry",
        ("rank", "--method", "all", "--sweeps", "300"): "--sweeps works only with bradley-terry",
    }
    for (verb, *more), said in refused.items():
        assert said in evenhand(verb, table1, *more, code=2).err
