"""What a fit of labels says: records, JSON, entropy, comparison with another model."""

import json

import numpy as np
import pytest
from scipy import stats

import evenhand
from evenhand.models.labels import MajorityVote, choose_labels
from label_crowds import as_ratings, as_votes, given, spammers

ROWS = [("u1", "a", "x"), ("u1", "b", "x"), ("u2", "a", "x"), ("u2", "b", "y"), ("u3", "a", "y")]


def test_labels_are_named_as_the_user_names_them():
    votes = [(judge, "i1", "b", "a", "left") for judge in ("p", "q")]
    votes += [(judge, "i2", "a", "b", "tie") for judge in ("p", "q")]
    assert MajorityVote().fit(as_votes(votes)).labels == ("b", "tie")
    scores = [(judge, "i1", "x", 2.5) for judge in ("p", "q")]
    assert MajorityVote().fit(as_ratings([*scores, ("p", "i2", "x", 4.0)])).labels == ("2.5", "4")


def test_probabilities_that_differ_by_less_than_a_thousandth_are_no_label():
    posterior = np.array([[0.5, 0.5 + 1e-12], [0.499, 0.501], [1 / 3, 1 / 3]])
    assert choose_labels(posterior).tolist() == [-1, 1, -1]


def test_entropy_and_confidence_are_those_of_the_posterior():
    fit = evenhand.MACE(restarts=1).fit(spammers(1, size=(50, 10, 3)).answers)
    assert fit.entropy == pytest.approx(stats.entropy(fit.posterior, axis=1), abs=1e-12)
    assert (fit.confidence == fit.posterior.max(axis=1)).all()


def test_records_have_a_row_for_each_unit():
    first, second, third = MajorityVote().fit(given(ROWS)).records()
    assert first == {
        "item": "u1",
        "label": "c0",
        "probability": 1.0,
        "entropy": 0.0,
        "answers": 2,
    }
    assert second["label"] is None
    assert second["entropy"] == pytest.approx(np.log(2))
    assert third["answers"] == 1


@pytest.mark.parametrize("model", [evenhand.MACE(restarts=2), evenhand.DawidSkene()])
def test_json_holds_everything(model):
    fit = model.fit(spammers(1, size=(50, 10, 3)).answers)
    found = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    assert (found["n_answers"], found["n_units"], found["n_judges"]) == (250, 50, 10)
    assert len(found["units"]) == 50
    assert {"judge", "n", "value", "stderr", "lower", "upper"} == set(found["judges"][0])
    assert "95 % interval" in repr(fit)
    assert isinstance(fit, evenhand.LabelFit)
