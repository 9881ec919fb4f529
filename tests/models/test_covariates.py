"""Judge groups and system covariates: which columns there are, and which are aliased."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.tally import merge_levels
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.design import find_independent
from model_family import FEATURES, campaign
from tallies import simulate, tally

GROUPS = ("expert", "novice")
ROUND = [(a, b, 3, 1, 2, group) for group in GROUPS for a in "ABC" for b in "ABC" if a != b]
BY_JUDGE = BradleyTerry(judge_covariates=("judge",))


def with_second_factor(rows):
    """Rows end in (judge, item)."""
    one, two = tally(*[row[:6] for row in rows]), tally(*[(*row[:5], row[6]) for row in rows])
    return replace(one, factors={"judge": one.factors["judge"], "item": two.factors["judge"]})


@given(
    rows=st.integers(2, 12),
    columns=st.integers(1, 90),
    rank=st.integers(1, 12),
    groups=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_the_columns_kept_span_all_columns_and_none_is_superfluous(
    rows, columns, rank, groups, seed
):
    """numpy.linalg.matrix_rank of the columns centred within groups."""
    rng = np.random.Generator(np.random.PCG64(seed))
    matrix = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    group = np.sort(rng.integers(0, groups, rows))
    group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    centred = (
        matrix - np.stack([matrix[group == g].mean(axis=0) for g in range(group.max() + 1)])[group]
    )
    keep = find_independent(matrix, group)
    whole = np.linalg.matrix_rank(centred, tol=1e-7 * max(1, np.abs(centred).max()))
    assert keep.sum() == whole
    kept = centred[:, keep]
    assert whole == 0 or np.linalg.matrix_rank(kept, tol=1e-7 * np.abs(kept).max()) == whole
    for at in np.flatnonzero(~keep):
        before = centred[:, :at][:, keep[:at]]
        fitted = before @ np.linalg.lstsq(before, centred[:, at], rcond=None)[0]
        np.testing.assert_allclose(fitted, centred[:, at], atol=1e-6)


def test_the_scale_of_a_covariate_does_not_alias_it():
    tiny = {"size": {name: 1e-9 * x for name, x in FEATURES["size"].items()}}
    shifted = {"size": {name: 2000 + x for name, x in FEATURES["size"].items()}}
    expected = BradleyTerry(system_covariates=FEATURES).fit(campaign())
    for features, scale in ((tiny, 1e-9), (shifted, 1)):
        fit = BradleyTerry(system_covariates=features).fit(campaign())
        assert fit.estimate[0] * scale == pytest.approx(expected.estimate[0], rel=1e-6)


def test_a_system_that_one_group_never_saw_has_no_interaction_there():
    """A3: the column is dropped, counted for no df and named below the table."""
    rows = [row for row in ROUND if row[5] == "expert" or "C" not in row[:2]]
    fit = replace(BY_JUDGE, reference="A").fit(tally(*rows))
    assert fit.names == ("o2", "o3", "o2:novice", "g1")
    assert fit.design.aliased == ("C:novice",)
    assert fit.df == 4 * 2 - 4  # three pairs of the experts, one of the novices
    assert "not estimated: C:novice" in fit.document().tables[0].legend
    with pytest.raises(NotIdentified, match="C was never seen by group novice"):
        fit.predict([("A", "C")], group="novice")
    assert fit.predict([("A", "C")]).shape == (1, 3)


def test_estimates_beside_an_aliased_column_are_those_of_the_groups_alone():
    """With a γ of their own (none: fixed at 0) the groups share no parameter."""
    rows = [row for row in ROUND if row[5] == "expert" or "C" not in row[:2]]
    rows[0] = ("A", "B", 7, 1, 2, "expert")
    fit = BradleyTerry(ties="none", judge_covariates=("judge",)).fit(tally(*rows))
    for group in GROUPS:
        own = tally(*[row[:5] for row in rows if row[5] == group])
        alone = BradleyTerry(ties="none").fit(own)
        np.testing.assert_allclose(
            fit.predict([("A", "B")], group=group), alone.predict([("A", "B")]), atol=1e-9
        )


def test_log_worths_need_a_reference_group_that_saw_every_system():
    rows = [row for row in ROUND if row[5] == "novice" or "C" not in row[:2]]
    fit = BY_JUDGE.fit(tally(*rows))
    with pytest.raises(NotIdentified, match="C was never seen by group expert"):
        _ = fit.log_worth
    other = replace(BY_JUDGE, references={"judge": "novice"}).fit(tally(*rows))
    assert other.log_worth.shape == (3,)
    assert other.loglik == pytest.approx(fit.loglik, rel=1e-12)


def test_log_worths_are_those_of_the_named_reference_group():
    counted = campaign()
    for level in ("expert", "student"):
        model = BradleyTerry(ties="none", judge_covariates=("judge",), references={"judge": level})
        fit = model.fit(counted)
        alone = BradleyTerry(ties="none").fit(counted.split("judge")[level])
        np.testing.assert_allclose(fit.log_worth, alone.log_worth, atol=1e-7)
        np.testing.assert_allclose(fit.worth_vcov, alone.worth_vcov, rtol=1e-6, atol=1e-9)


def test_two_covariates_add_up_and_the_reference_group_may_be_missing():
    rows = [
        (*row, item)
        for row in ROUND
        for item in ("easy", "hard")
        if (row[5], item) != ("expert", "easy")
    ]
    counted = with_second_factor(rows)
    model = BradleyTerry(judge_covariates=("judge", "item"))
    fit = model.fit(counted)
    assert fit.names[2:4] == ("o1:judge=novice", "o2:judge=novice")
    assert fit.design.groups == ("expert, hard", "novice, easy", "novice, hard")
    with pytest.raises(NotIdentified, match="no judgment is of the reference group"):
        _ = fit.log_worth
    assert fit.predict([("A", "B")], group="expert, hard").sum() == pytest.approx(1)
    there = replace(model, references={"item": "hard"}).fit(counted)
    assert there.log_worth.shape == (3,)


def test_as_many_covariates_as_systems_less_one_are_free_worths():
    names = campaign().systems
    features = {
        f"x{k}": {name: float((i + 1) ** k) for i, name in enumerate(names)} for k in (1, 2, 3)
    }
    fit, free = BradleyTerry(system_covariates=features).fit(campaign()), BradleyTerry()
    np.testing.assert_allclose(fit.log_worth, free.fit(campaign()).log_worth, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (BradleyTerry(judge_covariates=("item",)), UnknownColumn, "does not distinguish item"),
        (
            BradleyTerry(judge_covariates=("judge",), references={"judge": "novise"}),
            UnknownOption,
            "'novise' is not a level of judge. Did you mean 'novice'?",
        ),
    ],
)
def test_unknown_covariates_and_levels_are_refused(model, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")):
        model.fit(tally(*ROUND))


def test_merged_levels_are_no_covariate():
    counted = tally(*[(*row[:5], f"{row[5]}{i % 3}") for i, row in enumerate(ROUND)])
    merged = {"judge": merge_levels(counted.factors["judge"], 2, seed=1)}
    with pytest.raises(UnknownOption, match="the levels of judge were merged"):
        BY_JUDGE.fit(replace(counted, factors=merged))


def test_many_systems_in_groups_are_fitted_as_few_are():
    """From 200 worths on zeros of the design are excluded; groups with γ = 0 share nothing."""
    parts = [simulate(np.linspace(-1, 1, 120), 6000, seed=seed) for seed in (1, 2)]
    rows = [
        (f"s{left:04d}", f"s{right:04d}", won, tied, lost, name)
        for part, name in zip(parts, GROUPS, strict=True)
        for left, right, won, tied, lost in zip(
            part.left, part.right, part.wins, part.ties, part.losses, strict=True
        )
    ]
    fit = BradleyTerry(ties="none", judge_covariates=("judge",), prior=1).fit(tally(*rows))
    alone = [BradleyTerry(ties="none", prior=1).fit(part) for part in parts]
    assert fit.loglik == pytest.approx(sum(one.loglik for one in alone), rel=1e-10)
    np.testing.assert_allclose(fit.log_worth, alone[0].log_worth, atol=1e-7)
    np.testing.assert_allclose(fit.worth_vcov, alone[0].worth_vcov, rtol=1e-6, atol=1e-9)
    assert fit.design.matrix.shape == (240, 238)
