"""Golden 12: every baseline of Hopkins & May (2013) on twenty records, to the last digits."""

from itertools import permutations

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.models.baselines import (
    AdjustedUniform,
    IndependentPairs,
    IndependentStudents,
    Uniform,
)
from golden_numbers import golden

ENTRY = golden("12_hopkins_may_baselines", "hm")
STUDENTS = tuple(ENTRY.input["students"])
PAIRS = list(permutations(STUDENTS, 2))
MODELS = {
    "uniform": Uniform(),
    "adjusted_uniform": AdjustedUniform(strength=0),
    "adjusted_uniform_dirichlet_variant": AdjustedUniform(),
    "independent_pairs": IndependentPairs(),
    "independent_students_asymmetric": IndependentStudents("asymmetric"),
    "independent_students_arithmetic": IndependentStudents("arithmetic"),
    "independent_students_geometric_normalized": IndependentStudents("geometric"),
}
EACH = pytest.mark.parametrize("name", MODELS)
OUTCOME = {0: 1, 1: 0, 2: 2}  # none, first, second as left, tie, right have it
TOLERANCE = ENTRY.tolerance["abs"]


def votes_of(records):
    left, right = (np.array([STUDENTS.index(one[side]) for one in records]) for side in (0, 1))
    outcome = np.array([OUTCOME[one[2]] for one in records], dtype=np.int8)
    none = np.zeros(len(records), np.int32)
    sides = left.astype(np.int32), right.astype(np.int32)
    return Votes(("",), ("",), ("",), STUDENTS, none, none, none, *sides, outcome)


TRAIN, TEST = votes_of(ENTRY.input["train"]), votes_of(ENTRY.input["test"])


def in_golden_order(chances):
    return chances[:, [1, 0, 2]]


def expected_of(name):
    return np.array([ENTRY.expected["models"][name][f"{a}|{b}"] for a, b in PAIRS])


def perplexity(chances):
    """Chances of the pairs of the test set, in its order."""
    own = chances[np.arange(TEST.size), TEST.outcome]
    return 2 ** -np.log2(own).mean()


def asked(votes):
    return [(STUDENTS[i], STUDENTS[j]) for i, j in zip(votes.left, votes.right, strict=True)]


def test_every_model_of_the_file_is_tested():
    assert {*MODELS, "independent_students_geometric_as_printed"} == {*ENTRY.expected["models"]}


@EACH
@pytest.mark.parametrize("form", [lambda votes: votes, lambda votes: votes.tally()])
def test_chances_of_every_pair_are_the_golden_ones(name, form):
    fit = MODELS[name].fit(form(TRAIN))
    np.testing.assert_allclose(
        in_golden_order(fit.predict(PAIRS)), expected_of(name), rtol=0, atol=TOLERANCE
    )


@EACH
def test_perplexity_of_the_test_records_is_the_golden_one(name):
    found = perplexity(MODELS[name].fit(TRAIN).predict(asked(TEST)))
    assert found == pytest.approx(ENTRY.expected["perplexity"][name], abs=1e-11)


def printed(fit, pairs):
    return fit.means(*fit.codes(pairs).T)


def test_the_geometric_numbers_as_printed_are_the_golden_ones_and_no_chances():
    name = "independent_students_geometric_as_printed"
    fit = IndependentStudents("geometric").fit(TRAIN)
    found = in_golden_order(printed(fit, PAIRS))
    np.testing.assert_allclose(found, expected_of(name), rtol=0, atol=TOLERANCE)
    assert (found.sum(axis=1) < 1).all()
    known = ENTRY.expected["perplexity"][name]
    assert perplexity(printed(fit, asked(TEST))) == pytest.approx(known, abs=1e-11)


def test_universal_abilities_are_the_golden_ones():
    fit = IndependentStudents("arithmetic").fit(TRAIN)
    found = {
        one["system"]: [one["tied"], one["preferred"], one["lost"]]
        for one in fit.extras["abilities"]
    }
    for system, expected in ENTRY.expected["universal_ability"].items():
        assert found[system] == pytest.approx(expected, abs=TOLERANCE)
