"""Dawid and Skene's model: other programs, closed forms, simulated truth, and what is said."""

import numpy as np
import pytest
from crowdkit.aggregation import DawidSkene as CrowdKit

import evenhand
from evenhand.errors import NotIdentified
from evenhand.models.dawid_skene import DawidSkene
from evenhand.models.labels import MajorityVote
from label_crowds import as_crowd_kit, as_votes, given, tables

BARE = {"prior": 1e-10, "smoothing": 1e-10, "diagonal": 0.0, "tolerance": 0.0}


@pytest.mark.filterwarnings("ignore:The (inplace|copy) keyword")
@pytest.mark.parametrize("iterations", [1, 12])
def test_without_smoothing_it_is_crowd_kits(iterations):
    answers = tables(3).answers
    theirs = CrowdKit(n_iter=iterations, tol=-np.inf).fit_predict_proba(as_crowd_kit(answers))
    ours = DawidSkene(iterations=iterations, **BARE).fit(answers)
    expected = theirs.loc[list(answers.columns["item"][0]), list(answers.labels)].to_numpy()
    assert ours.posterior == pytest.approx(expected, abs=1e-8)
    assert ours.steps == iterations


def test_default_pseudo_answers_are_half_a_unit_a_label_and_1_01_right_answers():
    """By hand. Three judges agree: on 4 units they say x, on 9 y, so that one step of EM has

    pi_x = (4 + 1/2) / (13 + 1), and the row of x in each table is (4 + 1 + .01, .01) / 5.02.
    """
    rows = [(f"u{i:02d}", judge, "x" if i < 4 else "y") for i in range(13) for judge in "abc"]
    parameters = DawidSkene(iterations=1).fit(given(rows)).parameters
    assert parameters["shares"] == pytest.approx([9 / 28, 19 / 28], rel=1e-12)
    table = np.array([[501 / 502, 1 / 502], [1 / 1002, 1001 / 1002]])
    assert parameters["confusion"] == pytest.approx(np.array([table] * 3), rel=1e-12)


def test_the_likelihood_is_that_of_the_answers():
    answers = tables(6, size=(40, 5, 3)).answers
    fit = DawidSkene().fit(answers)
    total = 0.0
    for u in range(answers.units):
        rows = np.flatnonzero(answers.unit == u)
        theta = fit.parameters["confusion"][answers.judge[rows], :, answers.label[rows]]
        total += np.log((fit.parameters["shares"] * theta.prod(axis=0)).sum())
    assert fit.loglik == pytest.approx(total, abs=1e-9)


def test_sides_are_judged_as_they_were_shown():
    """Judge z always takes the left. Shown both ways, z's table says left whatever is right."""
    rows = []
    for i in range(60):
        item, turned = f"i{i:02d}", i % 2 == 1
        better = "a" if i % 3 else "b"
        left, right = ("b", "a") if turned else ("a", "b")
        said = "left" if left == better else "right"
        rows += [(judge, item, left, right, said) for judge in ("p", "q", "r")]
        rows.append(("z", item, left, right, "left"))
    fit = evenhand.DawidSkene().fit(as_votes(rows))
    confusion = fit.parameters["confusion"]
    assert confusion[0].round(1).tolist() == [[1, 0], [0, 1]]
    assert confusion[3][:, 0] == pytest.approx([1, 1], abs=0.05)
    assert set(fit.labels) == {"a", "b"}
    assert [fit.labels[i] for i in range(3)] == ["b", "a", "a"]
    assert any("Where the label is 'right', 1 of 4 judges more often" in note for note in fit.notes)


def test_a_reversed_judge_is_named_and_used():
    """Three good judges, one who always says the contrary: the contrary is evidence, too."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 80)
    rows = []
    for u, t in enumerate(truth):
        said = ["xy"[t if rng.random() < 0.85 else 1 - t] for _ in "abc"]
        rows += [(f"u{u:02d}", judge, one) for judge, one in zip("abc", said, strict=True)]
        rows.append((f"u{u:02d}", "turned", "xy"[1 - t]))
    fit = DawidSkene().fit(given(rows))
    assert (fit.best == truth).mean() > 0.97
    assert (MajorityVote().fit(given(rows)).best == truth).mean() < 0.85
    assert sum("another answer: j0003" in note for note in fit.notes) == 2
    assert fit.skills[3].upper < 0.2


def test_labels_that_may_have_changed_places_are_reported():
    """Where y is right, every judge says x six times of ten: nobody knows which is y then."""
    rng = np.random.default_rng(2)
    truth = (rng.random(500) < 0.35).astype(int)
    says_x = np.array([0.98, 0.6])[truth]
    rows = [
        (f"u{u:03d}", f"j{j}", "x" if rng.random() < p else "y")
        for u, p in enumerate(says_x)
        for j in range(8)
    ]
    fit = DawidSkene().fit(given(rows))
    assert any("most answers are 'c0'. Labels may be swapped" in n for n in fit.notes)
    plain = DawidSkene().fit(tables(1).answers)
    assert not any("may be swapped" in note for note in plain.notes)


def test_two_judges_who_differ_alike_give_no_label():
    rows = [("u1", "a", "x"), ("u1", "b", "y"), ("u2", "a", "y"), ("u2", "b", "x")]
    rows += [(f"v{i}", judge, "xy"[i % 2]) for i in range(6) for judge in "ab"]
    fit = DawidSkene().fit(given(rows))
    assert fit.labels[:2] == (None, None)
    assert fit.confidence[:2] == pytest.approx([0.5, 0.5])
    assert any("No unit has more than two answers" in note for note in fit.notes)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("u1", "a", "x"), ("u2", "a", "y")], "only j0000 answered"),
        ([("u1", "a", "x"), ("u2", "b", "y")], "no unit was answered by two judges"),
        ([("u1", "a", "x"), ("u1", "b", "x")], "every answer is c0"),
    ],
)
@pytest.mark.parametrize("model", [evenhand.DawidSkene(), evenhand.MACE()])
def test_what_tells_nothing_of_judges_is_refused(model, rows, why):
    with pytest.raises(NotIdentified, match=why):
        model.fit(given(rows))
