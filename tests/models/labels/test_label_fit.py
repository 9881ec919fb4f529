"""What a fit of labels says: records, JSON, entropy, comparison with another model."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

import evenhand
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.models.answers import code_answers, code_groups
from evenhand.models.labels import (
    MajorityVote,
    choose_labels,
    integrate_skills,
)
from label_crowds import as_ratings, as_votes, given, spammers


def test_probabilities_that_differ_by_less_than_a_thousandth_are_no_label():
    posterior = np.array([[0.5, 0.5 + 1e-12], [0.499, 0.501], [1 / 3, 1 / 3]])
    assert choose_labels(posterior).tolist() == [-1, 1, -1]


def test_entropy_and_confidence_are_those_of_the_posterior():
    fit = evenhand.MACE(restarts=1).fit(spammers(1, size=(50, 10, 3)).answers)
    assert fit.entropy == pytest.approx(stats.entropy(fit.posterior, axis=1), abs=1e-12)
    assert (fit.confidence == fit.posterior.max(axis=1)).all()


@pytest.mark.parametrize("model", [evenhand.MACE(restarts=2), evenhand.DawidSkene()])
def test_json_holds_everything(model):
    fit = model.fit(spammers(1, size=(50, 10, 3)).answers)
    found = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    assert (found["n_answers"], found["n_units"], found["n_judges"]) == (250, 50, 10)
    assert len(found["units"]) == 50
    assert {"judge", "n", "value", "stderr", "lower", "upper"} == set(found["judges"][0])
    assert "95 % interval" in repr(fit)
    assert isinstance(fit, evenhand.LabelFit)


ROWS_OF_MAJORITY = [
    *[("u1", judge, "x") for judge in "abc"],
    ("u1", "d", "y"),
    ("u2", "a", "x"),
    ("u2", "b", "y"),
    ("u3", "d", "y"),
]


def test_shares_are_the_posterior_and_a_draw_has_no_label():
    fit = MajorityVote().fit(given(ROWS_OF_MAJORITY))
    assert fit.posterior.tolist() == [[0.75, 0.25], [0.5, 0.5], [0, 1]]
    assert fit.labels == ("c0", None, "c1")
    assert any("1 unit has no label" in note for note in fit.notes)
    assert any("1 unit has one answer only" in note for note in fit.notes)


def test_intervals_of_agreement_are_those_of_jeffreys():
    skill = MajorityVote().fit(given(ROWS_OF_MAJORITY)).skills[0]
    beta = stats.beta(2 / 3 + 0.5, 4 / 3 + 0.5)
    assert (skill.value, skill.stderr) == pytest.approx((beta.mean(), beta.std()))
    assert (skill.lower, skill.upper) == pytest.approx(tuple(beta.interval(0.95)))


@pytest.mark.parametrize(("right", "wrong"), [(1, 0), (0, 1), (6, 3), (900, 100), (99_990, 10)])
def test_certain_answers_give_the_beta_posterior(right, wrong):
    judge = np.zeros(right + wrong, dtype=np.int64)
    known = np.repeat([1.0, 0.0], [right, wrong])
    mean, stderr, lower, upper = (one[0] for one in integrate_skills(judge, known, 1 - known))
    beta = stats.beta(right + 0.5, wrong + 0.5)
    assert mean == pytest.approx(beta.mean(), abs=2e-3 * beta.std() + 1e-4)
    assert stderr == pytest.approx(beta.std(), rel=2e-2)
    assert (lower, upper) == pytest.approx(beta.interval(0.95), abs=0.08 * beta.std())


def test_uncertain_answers_agree_with_scipys_quadrature():
    rng = np.random.default_rng(1)
    right, wrong = rng.random(12), rng.random(12)
    judge = np.zeros(12, dtype=np.int64)
    mean, stderr, _, _ = integrate_skills(judge, right, wrong, (2.0, 1.5))

    def density(q: float, power: int) -> float:
        return q**power * q * (1 - q) ** 0.5 * float(np.prod(q * right + (1 - q) * wrong))

    whole, first, second = (integrate.quad(density, 0, 1, args=(k,))[0] for k in range(3))
    assert mean[0] == pytest.approx(first / whole, abs=1e-4)
    assert stderr[0] == pytest.approx(np.sqrt(second / whole - (first / whole) ** 2), rel=2e-3)


VOTES = [
    ("j1", "i1", "b", "a", "left"),
    ("j2", "i1", "a", "b", "left"),
    ("j3", "i1", "a", "b", "tie"),
    ("j1", "i2", "a", "c", "right"),
]
RATINGS = [("j1", "i1", "x", 1.0), ("j2", "i1", "x", 3.0), ("j1", "i2", "x", 3.0)]


def test_a_unit_of_comparisons_is_a_pair_of_outputs_whoever_stood_left():
    answers = code_answers(as_votes(VOTES))
    assert answers.units == 2
    assert answers.labels == ("first", "tie", "second")
    assert answers.describe_unit(0) == {"item": "i1", "first": "a", "second": "b"}
    found = [answers.name_label(0, c) for c in answers.label[answers.unit == 0].tolist()]
    assert found == ["b", "a", "tie"]  # j1, j2, j3
    assert answers.swapped.tolist() == [True, False, False, False]
    assert [answers.spoken[c] for c in answers.shown.tolist()] == ["left", "left", "tie", "right"]


def test_a_fine_scale_has_no_labels():
    rows = [("j1", f"i{i}", "x", float(i)) for i in range(101)]
    with pytest.raises(InvalidJudgments, match=r"101 different scores \(0, 1, 2, 3 and 97 more\)"):
        code_answers(as_ratings(rows))


def test_only_known_ways_to_treat_ties():
    with pytest.raises(UnknownOption, match=r"ties cannot be 'half-win': choose keep \| discard"):
        code_answers(as_votes(VOTES), ties="half-win")


def test_only_ties_leave_nothing_when_ties_are_dropped():
    with pytest.raises(InvalidJudgments, match="no votes are left"):
        code_answers(as_votes([VOTES[2]]), ties="discard")


def test_units_cannot_be_grouped_by_who_answered():
    with pytest.raises(UnknownOption, match="units cannot be grouped by judge"):
        code_groups(as_ratings(RATINGS), "judge")


def test_names_in_the_order_of_quality_do_not_pass_for_spamming():
    """Systems are named in the order of their quality; the last judge ranks at random."""
    rng = np.random.default_rng(3)
    rows = []
    for item in range(40):
        worth = -np.arange(5) + rng.normal(0, 0.6, 5)
        for j in range(8):
            score = worth + rng.normal(0, 0.6, 5) if j < 7 else rng.normal(0, 1, 5)
            rank = (-score).argsort().argsort() + 1
            rows += [
                (f"j{j}", str(item), f"{j}-{item}", "abcde"[k], int(rank[k])) for k in range(5)
            ]
    columns = ["judge", "item", "ranking", "system", "rank"]
    data = evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))
    competence = {one.judge: one.value for one in evenhand.MACE().fit(data).skills}
    assert min(competence[f"j{j}"] for j in range(7)) > 0.4 > competence["j7"]
