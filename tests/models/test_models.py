"""The registry: names, places, presets."""

import pytest

from evenhand.errors import UnknownOption
from evenhand.models.registry import MODELS, find_model

NAMES = {
    *("uniform", "adjusted-uniform", "independent-pairs", "asymmetric-students"),
    *("arithmetic-students", "geometric-students", "irt-gaussian", "irt-categorical"),
    *("bradley-terry", "rao-kupper", "glenn-david", "bradley-terry-prior", "random-judges"),
    *("judge-slopes", "plackett-luce", "pattern"),
}


def test_the_registry_has_every_model():
    assert set(MODELS) == NAMES
    assert all(name == model.name for name, model in MODELS.items())


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("rao-kupper", "ties", "rao-kupper"),
        ("glenn-david", "ties", "glenn-david"),
        ("bradley-terry-prior", "prior", 1.0),
        ("asymmetric-students", "reconstruction", "asymmetric"),
        ("arithmetic-students", "reconstruction", "arithmetic"),
        ("geometric-students", "reconstruction", "geometric"),
    ],
)
def test_names_of_one_class_differ_in_what_they_set(name, setting, value):
    assert getattr(find_model(name).make(), setting) == value


def test_a_misspelt_name_is_refused_with_the_nearest():
    with pytest.raises(UnknownOption, match="Did you mean 'judge-slopes'"):
        find_model("judge-slope")
