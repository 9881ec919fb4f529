"""Laws that hold for every model of the registry (METHODS 8), by its usual settings, on votes."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.registry import MODELS

SYSTEMS = ("delta", "echo", "fox", "golf")
PAIRS = list(permutations(SYSTEMS, 2))
EVERY = pytest.mark.parametrize("name", MODELS)
ONE_SIDED = ("asymmetric-students",)
"""Models of which what is said of (a, b) and of (b, a) need not agree."""
DRAWN = ("irt-gaussian", "irt-categorical")
"""Models whose estimates are draws: other names, or other sides, are other draws."""
LIGHT = {"irt-gaussian": {"sweeps": 300}, "irt-categorical": {"sweeps": 300}}
"""Settings that make a fit quick where nothing depends on how long it is."""
CLOSE, NEAR = 1e-6, 0.03


def settings_of(name):
    return replace(MODELS[name].make(), **LIGHT.get(name, {}))


@cache
def campaign(n=480, seed=8) -> Votes:
    """Four systems, eight judges, sixty items; both orders, ties, judges who differ a little."""
    rng = np.random.Generator(np.random.PCG64(seed))
    k, judges, items = len(SYSTEMS), 8, 60
    worth = np.array([0.8, 0.2, -0.2, -0.8]) + rng.normal(0, 0.2, (judges, k))
    judge, item = np.arange(n) % judges, rng.integers(0, items, n)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    seen = worth[judge, left] - worth[judge, right] + rng.logistic(0, 1, n)
    outcome = np.where(np.abs(seen) < 0.5, 1, np.where(seen > 0, 0, 2)).astype(np.int8)
    codes = [a.astype(np.int32) for a in (np.zeros(n), judge, item, left, right)]
    names = tuple(f"j{i}" for i in range(judges)), tuple(f"i{i:02d}" for i in range(items))
    return Votes(("",), *names, SYSTEMS, *codes, outcome)


@cache
def fitted(name):
    return settings_of(name).fit(campaign())


def tolerance(name):
    return NEAR if name in DRAWN else CLOSE


def mirrored(votes: Votes) -> Votes:
    return replace(votes, left=votes.right, right=votes.left, outcome=(2 - votes.outcome))


def renamed(votes: Votes, place: np.ndarray) -> Votes:
    """What was the system at i stands at place[i] now."""
    return replace(votes, left=place[votes.left], right=place[votes.right])


@EVERY
def test_predictions_are_distributions_and_mirror_unless_one_side_is_asked(name):
    fit = fitted(name)
    chances, back = fit.predict(PAIRS), fit.predict([pair[::-1] for pair in PAIRS])[:, ::-1]
    assert chances.shape == (len(PAIRS), 3)
    assert (chances > 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert fit.predict([]).shape == (0, 3)
    if name in ONE_SIDED:
        assert np.abs(chances - back).max() > 0.05
    else:
        np.testing.assert_allclose(chances, back, rtol=0, atol=1e-12)


@EVERY
def test_every_fit_has_what_a_fit_promises(name):
    fit = fitted(name)
    assert fit.systems == SYSTEMS
    assert fit.log_worth.shape == (4,)
    assert np.isfinite(fit.log_worth).all()
    assert fit.worth_vcov is None or fit.worth_vcov.shape == (4, 4)
    assert (fit.n_judgments, fit.n_comparisons) == (480, 480)
    assert np.isfinite(fit.loglik)
    assert fit.loglik < 0
    texts = (*fit.notes, *fit.says, *fit.signature_parts)
    assert all(isinstance(text, str) and text for text in texts)
    numbers = [value for c in fit.coefficients for value in (c.estimate, c.stderr)]
    assert all(value is None or np.isfinite(value) for value in numbers)
    if fit.log_worth.any():  # uniform models know no system from another
        assert np.argmax(fit.log_worth) == 0
        assert np.argmin(fit.log_worth) == 3


@EVERY
def test_fitting_twice_gives_the_same_to_the_last_bit_and_changes_neither_model_nor_data(name):
    votes, model = campaign(), settings_of(name)
    before = repr(model)
    arrays = {key: value.copy() for key, value in vars(votes).items() if hasattr(value, "copy")}
    again = model.fit(votes)
    assert repr(model) == before
    for key, copy in arrays.items():
        np.testing.assert_array_equal(getattr(votes, key), copy)
    np.testing.assert_array_equal(again.predict(PAIRS), fitted(name).predict(PAIRS))
    np.testing.assert_array_equal(again.log_worth, fitted(name).log_worth)


@EVERY
def test_the_order_of_rows_does_not_matter(name):
    order = np.random.Generator(np.random.PCG64(4)).permutation(campaign().size)
    found = settings_of(name).fit(campaign().take(order)).predict(PAIRS)
    np.testing.assert_allclose(found, fitted(name).predict(PAIRS), rtol=0, atol=1e-9)


@EVERY
def test_who_stood_left_does_not_matter(name):
    found = settings_of(name).fit(mirrored(campaign())).predict(PAIRS)
    np.testing.assert_allclose(found, fitted(name).predict(PAIRS), rtol=0, atol=tolerance(name))


@EVERY
def test_renaming_systems_permutes_predictions(name):
    place = np.array([2, 0, 3, 1], dtype=np.int32)
    named = {system: SYSTEMS[place[i]] for i, system in enumerate(SYSTEMS)}
    fit = settings_of(name).fit(renamed(campaign(), place))
    found = fit.predict([(named[a], named[b]) for a, b in PAIRS])
    np.testing.assert_allclose(found, fitted(name).predict(PAIRS), rtol=0, atol=tolerance(name))
    gaps = fit.log_worth[place] - fitted(name).log_worth
    np.testing.assert_allclose(gaps, gaps[0], rtol=0, atol=10 * tolerance(name))


@EVERY
def test_fits_pickle_and_a_model_is_what_its_repr_says(name):
    back = pickle.loads(pickle.dumps(fitted(name)))
    np.testing.assert_array_equal(back.predict(PAIRS), fitted(name).predict(PAIRS))
    model = MODELS[name].make()
    assert eval(repr(model), {type(model).__name__: type(model)}) == model
    with pytest.raises(FrozenInstanceError):
        fitted(name).notes = ()
    with pytest.raises(FrozenInstanceError):
        setattr(model, next((one.name for one in fields(model)), "anything"), None)


# what there is nothing to learn from is refused in words, or answered by the prior

NO_VOTES = campaign().take(np.zeros(campaign().size, dtype=np.bool_))
APART = campaign().take((campaign().left < 2) == (campaign().right < 2))
UNSEEN = replace(campaign(), systems=(*SYSTEMS, "hotel"))
MODELS_OF_WORTHS = [
    *("bradley-terry", "rao-kupper", "glenn-david", "random-judges"),
    *("judge-slopes", "plackett-luce", "pattern"),
]
UNDER_A_PRIOR = [name for name in MODELS if name not in MODELS_OF_WORTHS]
NEED_JUDGMENTS = [*MODELS_OF_WORTHS, "bradley-terry-prior", *DRAWN]


@pytest.mark.parametrize("name", MODELS_OF_WORTHS)
@pytest.mark.parametrize(
    ("votes", "said"),
    [
        (APART, "delta, echo were never compared with fox, golf"),
        (UNSEEN, '"hotel" was never compared'),
    ],
)
def test_what_determines_no_estimate_is_refused_by_name(name, votes, said):
    with pytest.raises(NotIdentified, match=said):
        settings_of(name).fit(votes)


@pytest.mark.parametrize("name", UNDER_A_PRIOR)
@pytest.mark.parametrize("votes", [APART, UNSEEN], ids=["apart", "unseen"])
def test_a_prior_answers_where_judgments_do_not(name, votes):
    fit = settings_of(name).fit(votes)
    assert fit.systems == votes.systems
    chances = fit.predict(list(permutations(votes.systems, 2)))
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-12)
    if votes is UNSEEN and fit.log_worth.any():  # it knows systems: this one is an average one
        assert fit.log_worth[3] < fit.log_worth[4] < fit.log_worth[0]


@pytest.mark.parametrize("name", NEED_JUDGMENTS)
def test_no_judgments_are_refused_where_something_must_be_estimated(name):
    with pytest.raises(NotIdentified, match="there is no comparison among 4 systems"):
        settings_of(name).fit(NO_VOTES)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in NEED_JUDGMENTS])
def test_no_judgments_leave_the_prior_alone_where_it_can_stand_alone(name):
    chances = settings_of(name).fit(NO_VOTES).predict(PAIRS)
    np.testing.assert_allclose(chances[:, 0], chances[:, 2], rtol=0, atol=tolerance(name))


@EVERY
def test_one_system_is_nothing_to_compare(name):
    none = np.zeros(0, dtype=np.int32)
    votes = replace(NO_VOTES, systems=("delta",), left=none, right=none)
    with pytest.raises(NotIdentified, match=r"nothing to compare|no comparison"):
        settings_of(name).fit(votes)


def test_models_of_judges_ask_for_judges():
    nobody = replace(campaign(), judges=("",), judge=np.zeros(480, dtype=np.int32))
    for name in ("random-judges", "judge-slopes"):
        with pytest.raises(UnknownColumn, match="do not say who judged"):
            settings_of(name).fit(nobody)


def test_importance_weights_are_refused_where_a_prior_is_weighed_against_counts():
    tally = campaign().tally()
    weighed = replace(tally, squares=tally.counts)
    for name in ("independent-pairs", "geometric-students", "adjusted-uniform", *DRAWN):
        with pytest.raises(UnknownOption, match="importance weights are no counts"):
            settings_of(name).fit(weighed)
