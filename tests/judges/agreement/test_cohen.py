"""Cohen's κ against scikit-learn (tests/golden/10 and on random scores) and a closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evenhand.data.rating_rows import Scale, read_scale, see_scale
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.judge_pairs import WEIGHTS, cohen_kappas
from evenhand.judges.units import Overlap, read_points, walk_overlaps
from golden_numbers import entries, golden
from score_tables import declared, units_of

PAIR = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)
NAMES = {"none": "unweighted", "linear": "linear", "quadratic": "quadratic"}


def cohen_kappa(x, y, scale, weights="none"):
    """κ of one pair of judges; None where neither ever could differ."""
    scored = read_points(np.concatenate([x, y]), scale)
    codes, judge, place = np.split(scored.code, 2), np.zeros(1, np.int32), np.arange(len(x))
    overlap = Overlap(judge, judge, 0 * place, *codes, place, scored.points)
    kappa = float(cohen_kappas(overlap, scale, weights).values[0])
    return None if np.isnan(kappa) else kappa


@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda entry: entry.id)
@pytest.mark.parametrize("block", [1, 30, 250_000])
def test_all_pairs_of_judges_are_as_in_scikit_learn(entry, block):
    scale = declared(entry.expected["declared_categories"])
    found = {
        (a, b, weights): kappa
        for overlap in walk_overlaps(units_of(entry.input["matrix"], scale), block=block)
        for weights in WEIGHTS
        for a, b, kappa in zip(
            overlap.first.tolist(),
            overlap.second.tolist(),
            cohen_kappas(overlap, scale, weights).values.tolist(),
            strict=True,
        )
    }
    pairs = entry.expected["pairwise_cohen_kappa_declared_scale"]
    assert len(found) == 3 * len(pairs)
    for pair in pairs:
        for weights in WEIGHTS:
            expected = pair[NAMES[weights]]
            kappa = found[pair["a"], pair["b"], weights]
            assert kappa == pytest.approx(expected, abs=entry.tolerance["kappa"])


@given(PAIR, st.sampled_from(["linear", "quadratic"]))
def test_weights_are_those_of_the_declared_scale(scores, weights):
    x, y = np.array(scores, dtype=float).T
    found = cohen_kappa(x, y, read_scale("1-5"), weights=weights)
    if len(np.unique(np.concatenate([x, y]))) == 1:
        assert found is None
        return
    expected = cohen_kappa_score(x, y, labels=[1, 2, 3, 4, 5], weights=weights)
    assert found == pytest.approx(expected, abs=1e-12)


def test_an_unused_point_in_the_middle_keeps_its_place():
    entry = golden("10_agreement_coefficients", "rel")
    expected = entry.expected["pairwise_cohen_kappa_declared_scale"][3]
    rows = [entry.input["matrix"][expected[judge]] for judge in "ab"]
    both = [pair for pair in zip(*rows, strict=True) if None not in pair]
    x, y = np.array(both, dtype=float).T
    assert sorted(set(x) | set(y)) == [1, 3, 4, 5]  # as seen; programs number them 0 to 3
    for weights in ("linear", "quadratic"):
        found = cohen_kappa(x, y, see_scale(np.append(x, y)), weights=weights)
        assert found == pytest.approx(expected[weights])
        assert found != pytest.approx(expected[f"{weights}_if_only_observed_labels"], abs=0.02)


def test_two_constant_judges_have_no_kappa_if_they_agree():
    same, other = np.full(4, 3.0), np.full(4, 4.0)
    assert cohen_kappa(same, same, read_scale("1-5")) is None
    assert cohen_kappa(same, other, read_scale("1-5")) == 0


def test_what_cannot_be_is_refused():
    some = np.array([1.0, 2.0])
    with pytest.raises(NotIdentified, match=r"needs a scale with steps, not 0 to 1"):
        cohen_kappa(some / 2, some / 2, Scale(0.0, 1.0, declared=True))
    with pytest.raises(NotIdentified, match="200 different scores occur; say what the scale is"):
        cohen_kappa(np.arange(200.0), np.arange(200.0), see_scale(np.arange(200.0)))
    with pytest.raises(InvalidJudgments, match="not on the scale 1 to 5: 7"):
        cohen_kappa(np.array([7.0]), np.array([1.0]), read_scale("1-5"))
    with pytest.raises(UnknownOption, match="weights cannot be 'cubic'"):
        cohen_kappa(some, some, read_scale("1-5"), weights="cubic")
