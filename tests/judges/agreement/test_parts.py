"""How far judges of a unit are apart, and what is said of scores that hardly exist."""

import numpy as np
import polars as pl
import pytest

import evenhand

RNG = np.random.default_rng(5)


def _scores(scores, systems):
    n = len(scores)
    table = {"judge": ["a", "b"] * (n // 2), "item": [str(i // 2) for i in range(n)]}
    return evenhand.read(pl.DataFrame(table | {"system": systems, "score": scores}))


def test_constant_scores_of_a_part_have_no_alpha_however_fine_the_whole_scale():
    rest = RNG.normal(0, 1, 1200).tolist()
    data = _scores([3.0] * 40 + rest, ["flat"] * 40 + ["fine"] * 1200)
    part = evenhand.measure_agreement(data, by=["system"]).part("flat")
    for name in ("alpha-interval", "alpha-ordinal"):
        assert part[name].value is None
        assert "all scores are alike" in part[name].why


@pytest.mark.parametrize("name", ["fleiss", "alpha-nominal", "ac1"])
def test_continuous_scores_are_no_categories(name):
    data = _scores(RNG.normal(0, 1, 2400).tolist(), ["s"] * 2400)
    whole = evenhand.measure_agreement(data, coefficients=name).whole
    assert whole[name].value is None
    assert "2,400 different scores are no categories" in whole[name].why


def test_coefficients_between_judges_are_left_out_where_pairs_of_judges_are_many(monkeypatch):
    monkeypatch.setattr("evenhand.judges.agreement.MAX_PAIRS_UNASKED", 11)
    data = _scores([1.0, 2, 2, 3, 3, 4, 5, 5, 1, 1, 2, 2], ["s"] * 12)
    assert "cohen" in {one.name for one in evenhand.measure_agreement(data).whole.coefficients}
    monkeypatch.setattr("evenhand.judges.agreement.MAX_PAIRS_UNASKED", 5)
    found = evenhand.measure_agreement(data)
    assert "cohen" not in {one.name for one in found.whole.coefficients}
    assert any("more than 5 pairs of judges of one output" in note for note in found.notes)
