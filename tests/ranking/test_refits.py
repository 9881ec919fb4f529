"""Refits with one factor against ordinary fits of the same resamples, and what they leave alone."""

import numpy as np
import polars as pl
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import bootstrap
from evenhand.ranking.bootstrap import MAX_MISSING, resample
from ranking.panels import comparisons, panel

MODELS = [
    BradleyTerry(ties="davidson"),
    BradleyTerry(ties="davidson", order_effect=True, reference="s1"),
    BradleyTerry(ties="none"),
    BradleyTerry(ties="half-win"),
    BradleyTerry(ties="discard", order_effect=True),
]


def names(model: BradleyTerry) -> str:
    return f"{model.ties}{'-order' * model.order_effect}"


def drawn(model: BradleyTerry, ways: tuple[str, ...], frame: pl.DataFrame) -> bootstrap.Draws:
    data = comparisons(frame)
    rng = np.random.Generator(np.random.PCG64(3))
    return resample(model.fit(data), data.tally(by=ways), ways, rng=rng)


@pytest.mark.parametrize("model", MODELS, ids=names)
@pytest.mark.parametrize("ways", [("judge",), ()])
def test_they_are_those_of_ordinary_fits_but_for_the_error_that_is_told(model, ways, monkeypatch):
    """The same seed draws the same resamples, which are then fitted one by one."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 40)
    frame = panel(seed=4, n=2500, judges=40, systems=5)
    found = drawn(model, ways, frame)
    fit = model.fit(comparisons(frame))
    scale = np.sqrt(np.diag(fit.worth_vcov)).max()
    monkeypatch.setattr(bootstrap, "make_refitter", lambda _: None)
    exact = drawn(model, ways, frame)
    assert exact.missing == 0 < found.missing <= MAX_MISSING
    assert found.lost == exact.lost == 0
    off = np.abs(found.log_worth - exact.log_worth).max()
    assert 0 < off <= 2 * found.missing * scale
    assert np.ptp(exact.log_worth, axis=0).max() > 1000 * off


def test_a_resample_without_a_maximum_is_left_to_an_ordinary_fit(monkeypatch):
    """Of 34 answers b won four: (30/34)^34 = .014 of the resamples hold none of them."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 250)
    rows = [("a", "b", "left")] * 30 + [("b", "a", "left")] * 4
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    found = drawn(BradleyTerry(ties="none"), (), frame)
    monkeypatch.setattr(bootstrap, "make_refitter", lambda _: None)
    exact = drawn(BradleyTerry(ties="none"), (), frame)
    assert found.lost == exact.lost > 0
    np.testing.assert_allclose(found.log_worth, exact.log_worth, atol=1e-3)


def test_of_very_many_answers_the_spread_is_that_of_the_model():
    """Independent answers: the model's standard errors, B = 999 within four of their own, 9 %."""
    rng = np.random.default_rng(5)
    n, worths = 120_000, np.array([0.6, 0.2, -0.1, -0.7])
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    chance = 1 / (1 + np.exp(worths[right] - worths[left]))
    frame = pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.where(rng.random(n) < chance, "left", "right"),
        }
    )
    model = BradleyTerry(ties="discard")
    found = drawn(model, (), frame)
    assert found.lost == 0
    fit = model.fit(comparisons(frame))
    np.testing.assert_allclose(np.cov(found.log_worth[:, :3].T), fit.worth_vcov[:3, :3], rtol=0.2)
    spread = np.sqrt(np.diag(fit.worth_vcov)[:3])
    np.testing.assert_allclose(found.log_worth[:, :3].std(axis=0), spread, rtol=0.09)
    middle = np.abs(found.log_worth[:, :3].mean(axis=0) - fit.log_worth[:3])
    assert (middle < 4 * spread / np.sqrt(999)).all()
