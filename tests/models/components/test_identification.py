"""What a design can distinguish."""

import numpy as np
import pytest

from evenhand.models.components import identify, make_terms
from models.scored import rows_of, simulate


def known(judge, item, system):
    return identify(make_terms(rows_of(judge, item, system, np.zeros(np.asarray(judge).size))))


def names(found):
    return [term.name for term in found.terms]


def test_a_crossed_design_with_several_scores_tells_all_apart():
    judge, item, system = np.indices((3, 4, 3))
    found = known(judge, item, system)
    assert names(found) == [
        *("system", "judge", "item"),
        *("item x system", "judge x system", "judge x item"),
    ]
    assert found.reasons == ()


def test_one_score_of_each_judge_and_system_is_the_residual():
    judge, system = np.indices((5, 4))
    found = known(judge, np.zeros_like(judge), system)
    assert names(found) == ["system", "judge"]
    assert found.carries["residual"] == ("judge x system",)
    assert (
        "judge x system cannot be told from the residual: each judge saw each system once"
        in found.reasons
    )


def test_outputs_scored_once_have_no_effect_of_their_own():
    item, system = np.indices((20, 3))
    found = known(item % 4, item, system)
    assert "item x system" in found.carries["residual"]
    assert "each output was scored once" in " ".join(found.reasons)


def test_items_of_one_system_each_carry_the_output():
    judge, item = np.indices((4, 12))
    found = known(judge, item, item % 3)
    assert found.carries["item"] == ("item x system",)
    assert (
        "item x system cannot be told from item: each item has the output of one system"
        in found.reasons
    )


def test_judges_of_one_system_each_carry_their_taste():
    judge, item = np.indices((6, 10))
    found = known(judge, item, judge % 3)
    assert "judge x system" in found.carries["judge"]
    assert "each judge scored one system" in " ".join(found.reasons)


def test_judges_of_one_item_each_carry_judge_by_item():
    system, judge = np.indices((10, 12))
    found = known(judge, judge // 4, system)
    assert names(found) == ["system", "judge", "item", "item x system"]
    assert found.carries == {"residual": ("judge x system",), "judge": ("judge x item",)}


@pytest.mark.parametrize("single", ["judge", "item", "system"])
def test_one_level_is_said_and_left_out(single):
    shape = {"judge": (1, 6, 4), "item": (6, 1, 4), "system": (6, 4, 1)}[single]
    found = known(*np.indices(shape))
    assert f"there is one {single}: nothing can be said of how {single}s differ" in found.reasons
    assert single not in names(found)


def test_a_term_that_is_a_sum_of_others_is_not_estimated():
    # two judges, two systems, all outputs by both: judge x system is told by items alone
    judge, item, system = np.indices((2, 1, 2))
    found = known(judge, item, system)
    assert "judge x system" not in names(found)


def test_what_is_kept_has_a_regular_matrix_of_inner_products():
    rows = simulate(5, {}, n=80, sizes=(12, 20, 5))
    found = identify(make_terms(rows))
    matrices = [
        np.eye(80),
        *(np.eye(t.size)[t.codes] @ np.eye(t.size)[t.codes].T for t in found.terms),
    ]
    centre = np.eye(80) - 1 / 80
    flat = np.array([(centre @ one @ centre).ravel() for one in matrices])
    assert np.linalg.matrix_rank(flat) == len(matrices)
