"""Variance components of ratings against published tables and other software."""

import numpy as np
import pytest

from evenhand.errors import NotConverged, NotIdentified
from evenhand.models import rating_components
from evenhand.models.rating_components import estimate_rating_components
from golden_numbers import golden
from models.scored import rows_of, simulate


def found_in(rows, **options):
    result = estimate_rating_components(rows, **options)
    return {one.name: one for one in result.components}, result


def hold(components, entry):
    for name, one in components.items():
        assert one.variance == pytest.approx(entry.expected[name], abs=entry.tolerance), name


def test_persons_items_and_occasions_are_as_brennan_prints_them():
    entry = golden("variance_components", "brennan_p_i_o")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 2, 4)
    system, judge, item = np.indices(scores.shape)
    components, result = found_in(rows_of(judge, item, system, scores))
    assert len(components) == 7
    assert result.reasons == ()
    hold(components, entry)


def test_raters_within_tasks_are_as_brennan_prints_them():
    entry = golden("variance_components", "brennan_p_r_in_t")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 3, 4)
    system, item, rater = np.indices(scores.shape)
    components, _ = found_in(rows_of(4 * item + rater, item, system, scores))
    hold(components, entry)
    assert components["residual"].carries == ("judge x system",)
    assert components["judge"].carries == ("judge x item",)


def test_batches_of_dyestuff_are_as_lme4_has_them():
    entry = golden("variance_components", "dyestuff")
    scores = np.array(entry.input["scores"], dtype=float)
    judge = np.indices(scores.shape)[0]
    components, _ = found_in(rows_of(judge, 0 * judge, 0 * judge, scores))
    hold(components, entry)


def test_an_unbalanced_design_is_as_statsmodels_has_it():
    import pandas as pd
    import statsmodels.formula.api as smf

    sds = {"judge": 2.0, "judge x system": 1.2, "residual": 1.0}
    rows = simulate(2, sds, n=160, sizes=(8, 1, 5))
    components, _ = found_in(rows, systems="fixed")
    frame = pd.DataFrame({"y": rows.score, "judge": rows.judge, "system": rows.system, "all": 1})
    frame["both"] = frame["judge"] * 10 + frame["system"]
    parts = {"judge": "0 + C(judge)", "both": "0 + C(both)"}
    model = smf.mixedlm("y ~ C(system)", frame, groups="all", re_formula="0", vc_formula=parts)
    fit = model.fit(reml=True, method="bfgs")
    variances = dict(zip(model.exog_vc.names, fit.vcomp, strict=True))
    assert components["judge"].variance == pytest.approx(variances["judge"], rel=2e-3)
    assert components["judge x system"].variance == pytest.approx(variances["both"], rel=2e-3)
    assert components["residual"].variance == pytest.approx(fit.scale, rel=2e-3)


def test_fixed_systems_have_the_variance_of_their_means_less_error():
    judge, item, system = np.indices((4, 6, 3))
    rng = np.random.Generator(np.random.PCG64(4))
    score = rng.normal(0, 1, judge.shape) + np.array([0.0, 2.0, 5.0])[system]
    rows = rows_of(judge, item, system, score)
    random, _ = found_in(rows)
    fixed, result = found_in(rows, systems="fixed")
    assert fixed["system"].variance == pytest.approx(random["system"].variance, rel=1e-6)
    assert fixed["system"].lower is None
    assert any("systems are fixed" in note for note in result.notes)


def test_perfect_agreement_leaves_no_chance_and_claims_nothing():
    rng = np.random.Generator(np.random.PCG64(5))
    judge, item, system = np.indices((4, 10, 3))
    components, result = found_in(
        rows_of(judge, item, system, rng.normal(0, 1, (10, 3))[item, system])
    )
    assert components["judge"].sd == 0
    assert components["residual"].sd == 0
    assert components["item x system"].sd > 0.5
    assert components["item"].p is None
    assert any("without a remainder" in note for note in result.notes)


def test_one_score_says_nothing():
    with pytest.raises(NotIdentified, match="no two judges, items or systems"):
        estimate_rating_components(rows_of([0], [0], [0], [1.0]))


def test_what_is_too_large_is_estimated_by_moments_and_says_so(monkeypatch):
    monkeypatch.setattr(rating_components, "MAX_BORDER", 3)
    components, result = found_in(simulate(3, {"judge": 2.0}))
    assert result.method == "moments"
    assert components["judge"].how == "moments"
    assert components["judge"].lower is None
    assert "Henderson" in result.notes[0]


EXACT = {
    "severity": (2.0, 0.0, 0.0),
    "system and severity": (2.0, 0.0, 1.0),
    "all additive": (10.0, 100.0, 1.0),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("noise", [0.0, 1e-6])
def test_scores_without_a_remainder_have_the_variances_between_means(name, noise):
    judge, item, system = np.indices((4, 10, 3))
    rng = np.random.Generator(np.random.PCG64(9))
    severe, hard, good = EXACT[name]
    score = severe * judge + hard * item + good * system + noise * rng.normal(size=judge.shape)
    components, result = found_in(rows_of(judge, item, system, score))
    for source, kept in (("judge", (1, 2)), ("item", (0, 2)), ("system", (0, 1))):
        between = score.mean(axis=kept).std(ddof=1)
        assert components[source].sd == pytest.approx(between, abs=1e-4), source
    assert components["item x system"].sd < 1e-4
    assert result.method == "moments"
    assert any("without a remainder" in note for note in result.notes)


def test_a_likelihood_without_a_maximum_leaves_moments(monkeypatch):
    def refuse(*_, **__):
        raise NotConverged("nothing was found", ["collect more"])

    monkeypatch.setattr(rating_components, "maximise", refuse)
    components, result = found_in(simulate(3, {"judge": 2.0}))
    assert result.method == "moments"
    assert "no clear maximum" in result.notes[0]
    assert components["judge"].lower is None


def test_what_the_range_of_the_scores_rules_out_is_refused(monkeypatch):
    def invent(score, terms):
        return np.array([1e6] * len(terms) + [0.0])

    monkeypatch.setattr(rating_components, "estimate_moments", invent)
    with pytest.raises(NotConverged, match="beyond the range of the scores"):
        estimate_rating_components(simulate(3, {"judge": 2.0}))


def test_quick_estimates_of_a_balanced_table_are_the_likelihoods_without_intervals():
    # balanced, all above 0: moments and restricted likelihood agree (Searle et al. 1992, ch. 4)
    entry = golden("variance_components", "brennan_p_r_in_t")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 3, 4)
    system, item, rater = np.indices(scores.shape)
    rows = rows_of(4 * item + rater, item, system, scores)
    components, result = found_in(rows, quick=True)
    hold(components, entry)
    assert result.method == "moments"
    assert all(one.lower is None for one in components.values())
    assert any("which take longer" in note for note in result.notes)
