"""A tie parameter for each judge group: estimates, what it costs, and when it exists."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.graph import find_recession
from golden_numbers import golden
from model_family import campaign
from tallies import dras, tally

APART = BradleyTerry(judge_covariates=("judge",), tie_covariates=("judge",))
COMMON = BradleyTerry(tie_covariates=("judge",))


@pytest.fixture(scope="module")
def table_1():
    return dras(golden("02_llbt_multi_pair_judges", "eq2_judge_covariate"))


def test_with_worths_and_ties_of_their_own_groups_share_nothing(table_1):
    fit = APART.fit(table_1)
    alone = {name: BradleyTerry().fit(part) for name, part in table_1.split("judge").items()}
    assert fit.loglik == pytest.approx(sum(one.loglik for one in alone.values()), abs=1e-9)
    assert fit.df == sum(one.df for one in alone.values())
    gammas = dict(zip(fit.names, fit.estimate, strict=True))
    pairs = [("A", "B"), ("D", "C")]
    for name, one in alone.items():
        own = gammas["g1"] + gammas.get(f"g1:{name}", 0.0)
        assert own == pytest.approx(one.estimate[-1], abs=1e-7)
        np.testing.assert_allclose(
            fit.predict(pairs, group=name), one.predict(pairs), rtol=0, atol=1e-8
        )


def test_one_pair_has_the_closed_form_in_every_group():
    """METHODS 1: γ = ln n₀ − ½ ln(n₊ n₋), its standard error √(1/n₀ + ¼/n₊ + ¼/n₋)."""
    rows = {"expert": (61, 24, 35), "novice": (20, 40, 30)}
    fit = APART.fit(tally(*[("A", "B", *n, name) for name, n in rows.items()]))
    gamma = {name: np.log(t) - np.log(w * ls) / 2 for name, (w, t, ls) in rows.items()}
    spread = {name: 1 / t + 0.25 / w + 0.25 / ls for name, (w, t, ls) in rows.items()}
    found = {one.name: one for one in fit.coefficients}
    assert found["g1"].estimate == pytest.approx(gamma["expert"])
    assert found["g1"].stderr == pytest.approx(np.sqrt(spread["expert"]))
    assert found["g1:novice"].estimate == pytest.approx(gamma["novice"] - gamma["expert"])
    assert found["g1:novice"].stderr == pytest.approx(np.sqrt(sum(spread.values())))


def test_a_group_without_ties_has_none_and_no_parameter():
    rows = [(a, b, 3, 2, 2, "x") for a in "ABC" for b in "ABC" if a < b]
    rows += [(a, b, 4, 0, 3, "y") for a in "ABC" for b in "ABC" if a < b]
    counted = tally(*rows)
    fit = APART.fit(counted)
    assert "g1:y" not in fit.names
    assert fit.likelihood.ties.endless == ("tie:y",)
    assert fit.notes == ("No ties observed of y: γ = −∞ there, not estimated.",)
    parts = counted.split("judge")
    alone = [BradleyTerry().fit(parts["x"]), BradleyTerry(ties="discard").fit(parts["y"])]
    assert fit.loglik == pytest.approx(sum(one.loglik for one in alone), abs=1e-9)
    assert fit.df == sum(one.df for one in alone)  # a tie is no cell there
    assert fit.deviance == pytest.approx(sum(one.deviance for one in alone), abs=1e-9)
    assert fit.predict([("A", "B")], group="y")[0, 1] == pytest.approx(0, abs=1e-100)
    assert np.isfinite(fit.pearson)


def test_groups_are_predicted_by_name_also_where_only_ties_differ():
    fit = COMMON.fit(campaign())
    pair = [("s0000", "s0001")]
    experts, students = (fit.predict(pair, group=name) for name in ("expert", "student"))
    assert students[0, 1] > experts[0, 1]
    np.testing.assert_allclose(fit.predict(pair), experts)
    np.testing.assert_allclose(students[0, 0] / students[0, 2], experts[0, 0] / experts[0, 2])
    with pytest.raises(InvalidJudgments, match=r"no judge group 'expret'.*Did you mean 'expert'"):
        fit.predict(pair, group="expret")


def test_a_group_whose_preferences_all_go_one_way_beside_ties_is_refused_by_its_parameters():
    """A1 inside one group: nine wins, three ties, no loss; the others cannot help its γ."""
    rows = [("A", "B", 5, 2, 4, "x"), ("A", "B", 9, 3, 0, "y")]
    with pytest.raises(NotIdentified, match="A:y, tie:y are infinite"):
        APART.fit(tally(*rows))


def test_with_common_worths_another_group_may_hold_such_a_group_back():
    """d ≥ γ_y ≥ |d| and, of the others, d = 0: no direction is left."""
    rows = [("A", "B", 5, 2, 4, "x"), ("A", "B", 9, 3, 0, "y")]
    assert np.isfinite(COMMON.fit(tally(*rows)).estimate).all()


def test_beside_a_prior_a_group_that_only_ever_tied_is_refused():
    rows = [("A", "B", 5, 2, 4, "x"), ("A", "B", 0, 3, 0, "y")]
    with pytest.raises(NotIdentified, match="estimates of tie:y are infinite"):
        replace(COMMON, prior=1).fit(tally(*rows))
    rows[1] = ("A", "B", 1, 3, 0, "y")
    assert np.isfinite(replace(COMMON, prior=1).fit(tally(*rows)).estimate).all()


def has_maximum(rows, *, apart, order):
    """The linear programme (INFERENCE A4) on scores written out cell by cell."""
    groups = sorted({row[5] for row in rows})
    tied = [g for g in groups if any(row[3] for row in rows if row[5] == g)]
    sides = {(g, name) for a, b, *_, g in rows for name in (a, b)}
    nodes = sorted({(g if apart else "", name) for g, name in sides})
    first = {group: min(node for node in nodes if node[0] == group) for group, _ in nodes}
    free = [node for node in nodes if node != first[node[0]]]
    columns = [*free, *[("tie", g) for g in tied], *["order"] * order]
    differences = []
    for a, b, *counts, g in rows:
        own = g if apart else ""
        net = np.array([(c == (own, a)) * 1.0 - (c == (own, b)) + (c == "order") for c in columns])
        tie = np.array([c == ("tie", g) for c in columns], dtype=float)
        scores = [net, tie, -net] if g in tied else [net, None, -net]
        for seen, other in permutations(range(3), 2):
            if counts[seen] and scores[other] is not None:
                differences.append(scores[seen] - scores[other])
    return find_recession(np.array(differences)).exists


@given(data=st.data(), apart=st.booleans(), order=st.booleans())
def test_estimates_exist_where_the_linear_programme_says_so(data, apart, order):
    pairs = [(a, b, g) for a in "ABC" for b in "ABC" for g in "xy" if a != b]
    counts = st.tuples(*[st.integers(0, 2)] * 3)
    drawn = data.draw(st.lists(counts, min_size=len(pairs), max_size=len(pairs)))
    rows = [(a, b, *n, g) for (a, b, g), n in zip(pairs, drawn, strict=True) if any(n)]
    assume(rows)
    worths = ("judge",) if apart else ()
    model = BradleyTerry(judge_covariates=worths, tie_covariates=("judge",), order_effect=order)
    try:
        model.fit(tally(*rows))
        exists = True
    except NotIdentified:
        exists = False
    assert exists == has_maximum(rows, apart=apart, order=order)
