"""Which models the data support: the linear programme for covariates, and beside a prior."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from tallies import tally

ROUND = [(a, b, 3, 1, 2) for a in "ABC" for b in "ABC" if a != b]


def refused(model, counted):
    with pytest.raises(NotIdentified) as caught:
        model.fit(counted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def size(**values):
    return {"size": values}


def test_a_covariate_that_every_preference_follows_is_infinite():
    """A > B > C and size 3 > 2 > 1: no judgment contradicts "the larger is better"."""
    counted = tally(("A", "B", 4, 0, 0), ("B", "C", 3, 0, 0), ("A", "C", 5, 0, 0))
    message = refused(BradleyTerry(system_covariates=size(A=3, B=2, C=1)), counted)
    assert message.startswith("the estimates of size are infinite")
    assert "drop the covariate or merge its levels, or pass --prior 1" in message


def test_systems_that_are_never_compared_share_covariates():
    """Two islands have no worths of their own in common, but size links them."""
    counted = tally(("A", "B", 3, 1, 2), ("C", "D", 2, 1, 4))
    assert "never compared" in refused(BradleyTerry(), counted)
    fit = BradleyTerry(system_covariates=size(A=1, B=2, C=2, D=4)).fit(counted)
    assert fit.contrasts([("A", "D")])[0].stderr > 0


def test_ties_that_only_join_neighbours_on_the_covariate_run_away_with_it():
    counted = tally(("A", "B", 4, 2, 0), ("B", "C", 3, 1, 0))
    message = refused(BradleyTerry(system_covariates=size(A=3, B=2, C=1)), counted)
    assert "size, tie are infinite" in message
    assert BradleyTerry(ties="none", system_covariates=size(A=3, B=2, C=1)).fit(counted)


@pytest.mark.parametrize("names", [("tie", "x", "y"), ("a", "order", "z"), ("g1", "o1", "tau")])
@pytest.mark.parametrize("covariate", ["tie", "order", "tau", "o1"])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "discard"])
def test_systems_and_covariates_may_be_called_like_parameters(names, covariate, ties):
    """The programme finds its columns by place: names are the user's."""
    called = dict(zip("ABC", names, strict=True))
    values = dict(zip("ABC", (3.0, 1.0, 2.5), strict=True))
    odd = tally(*[(called[a], called[b], *counts) for a, b, *counts in ROUND])
    features = {covariate: {called[name]: x for name, x in values.items()}}
    expected = BradleyTerry(ties=ties, system_covariates={"x": values}).fit(tally(*ROUND))
    found = BradleyTerry(ties=ties, system_covariates=features).fit(odd)
    np.testing.assert_allclose(found.estimate, expected.estimate)
    np.testing.assert_allclose(found.raw_vcov, expected.raw_vcov)


def test_a_covariate_level_that_separates_is_named_by_its_parameter():
    rows = [(*row, "expert") for row in ROUND] + [("A", "B", 5, 0, 0, "novice")]
    message = refused(BradleyTerry(judge_covariates=("judge",)), tally(*rows))
    assert "A:novice are infinite" in message


def test_a_covariate_that_goes_with_the_order_cannot_be_told_from_it():
    """The large one always stood first: its advantage may be the place's."""
    counted = tally(("A", "B", 4, 1, 3), ("A", "C", 3, 1, 3))
    model = BradleyTerry(order_effect=True, system_covariates=size(A=1, B=0, C=0))
    message = refused(model, counted)
    assert message.startswith("size, order cannot be distinguished")


def test_an_order_effect_needs_known_positions():
    unknown = replace(tally(*ROUND), positions_known=False)
    with pytest.raises(UnknownOption, match="which output stood first, and these data do not say"):
        BradleyTerry(order_effect=True).fit(unknown)
    assert BradleyTerry().fit(unknown)


def test_a_prior_gives_what_has_no_maximum_an_estimate():
    never = tally(("A", "B", 9, 0, 0), ("C", "D", 0, 0, 3))
    for ties in ("davidson", "discard", "half-win", "none"):
        fit = BradleyTerry(ties=ties, prior=1).fit(never)
        assert fit.worths["A"] > fit.worths["B"]
        assert fit.worths["D"] > fit.worths["C"]
        assert fit.gof_p is None


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "glenn-david"])
def test_a_prior_does_not_bound_the_tie_parameter(ties):
    message = refused(BradleyTerry(ties=ties, prior=1), tally(("A", "B", 0, 4, 0)))
    assert "every judgment is a tie" in message


@pytest.mark.parametrize(("wins", "losses", "shown"), [(3, 0, "first"), (0, 3, "second")])
def test_a_prior_does_not_bound_the_order_effect(wins, losses, shown):
    counted = tally(("A", "B", wins, 1, losses), ("B", "A", wins, 0, losses))
    for ties in ("davidson", "discard"):
        message = refused(BradleyTerry(ties=ties, order_effect=True, prior=1), counted)
        assert f"whoever stood {shown} was always preferred" in message


def test_kept_tie_cells_do_bound_the_order_effect():
    """With γ = 0 a tie speaks against an endless advantage of the first."""
    counted = tally(("A", "B", 3, 1, 0), ("B", "A", 3, 1, 0))
    fit = BradleyTerry(ties="none", order_effect=True, prior=1).fit(counted)
    assert 0 < fit.estimate[-1] < 10
    assert BradleyTerry(ties="half-win", order_effect=True, prior=1).fit(counted)


@pytest.mark.parametrize("prior", [0, 1])
def test_nothing_but_discarded_ties_is_nothing(prior):
    counted = tally(("A", "B", 0, 4, 0), ("B", "C", 0, 8, 0))
    message = refused(BradleyTerry(ties="discard", prior=prior), counted)
    assert "every comparison is a tie (12), and ties are discarded" in message


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"A": 1.0, "B": 2.0}, "'size' has no value for C"),
        ({"A": 1.0, "B": 1.0, "C": 1.0}, "must vary between systems"),
        ({"A": "big", "B": "big", "C": "big"}, "must vary between systems"),
        ({"A": 1.0, "B": np.nan, "C": 2.0}, "must vary between systems and be finite"),
        ({"A": 1.0, "B": np.inf, "C": 2.0}, "must vary between systems and be finite"),
    ],
)
def test_covariates_without_values_or_variation_are_refused(values, words):
    with pytest.raises(InvalidJudgments, match=words):
        BradleyTerry(system_covariates={"size": values}).fit(tally(*ROUND))
