"""`evenhand bias` of ratings: planted severity, drift, position and length, and none of them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evenhand as package
from evenhand.models import rating_components
from evenhand.ranking.bias import find_rating_bias

COLUMNS = ["judge", "item", "system", "score", "shown_at", "position", "words"]


def draw(seed=0, *, judges=12, items=40, severity=5.0, drift=0.0, position=0.0, length=0.0):
    """Scores of three systems; drift is in points per 100 ratings of a judge."""
    rng = np.random.default_rng(seed)
    lean, hard = rng.normal(0, severity, judges), rng.normal(0, 5, items)
    rows = []
    for judge in range(judges):
        cells = [(i, k) for i in range(items) for k in range(3) if rng.random() < 0.6]
        rng.shuffle(cells)
        for n, (item, k) in enumerate(cells):
            place, words = int(rng.integers(1, 4)), int(rng.integers(5, 60))
            score = 60 + 2 * k + lean[judge] + hard[item] + drift * n / 100 + rng.normal(0, 6)
            score += position * place + length * words
            time = f"2026-01-{judge + 1:02d}T{8 + n // 60:02d}:{n % 60:02d}:00"
            rows.append((f"j{judge}", f"i{item}", "abc"[k], round(score, 2), time, place, words))
    return pd.DataFrame(rows, columns=COLUMNS)


def find(table, **settings):
    rows = package.read(table).rows(factors=["position", "words"])
    return find_rating_bias(rows, controls=["position", "words"], **{"level": 0.95, **settings})


def test_what_was_planted_is_found():
    found = find(draw(1, drift=8, position=1, length=0.05))
    for name, truth in {"drift": 8, "position": 1, "words": 0.05}.items():
        effect = found.find(name)
        assert effect.lower < truth < effect.upper
        assert effect.p < 0.05
    assert found.severity.lower < 5
    assert found.severity.p < 0.001


def test_slopes_are_those_of_dummy_variables():
    table = draw(2, judges=5, items=12, length=0.1)
    dummies = pd.get_dummies(table[["judge", "item", "system"]], drop_first=True).astype(float)
    design = np.column_stack([np.ones(len(table)), dummies, table.words])
    slope = np.linalg.lstsq(design, table.score, rcond=None)[0][-1]
    assert find(table).find("words").estimate == pytest.approx(slope, abs=1e-9)


def test_judges_named_like_a_system_are_looked_at_for_their_own_outputs():
    table = draw(3, judges=9).assign(judge=lambda one: one.judge.replace({"j0": "a", "j1": "b"}))
    own = table.judge == table.system
    table.loc[own, "score"] += 12
    effect = find(table).find("own system")
    assert effect.estimate == pytest.approx(12, abs=4)


@pytest.mark.slow
def test_nothing_is_found_more_often_than_stated_where_there_is_nothing(monkeypatch):
    # the ends of intervals of variances take most of the time, and nobody asks for them here
    monkeypatch.setattr(rating_components._Curve, "cross", lambda *_: np.inf)
    runs, hits, severe = 200, {"drift": 0, "position": 0, "words": 0}, 0
    for seed in range(runs):
        found = find(draw(seed, judges=10, items=20, severity=0))
        severe += found.severity.p <= 0.05
        for name in hits:
            hits[name] += found.find(name).p <= 0.05
    # 5 % and two standard errors of as many runs
    assert max(*hits.values(), severe) <= runs * 0.081


def test_the_verb_prints_effects_and_judges(folder, evenhand):
    draw(1, drift=8).to_csv("scores.csv", index=False)
    text = evenhand("bias", "scores.csv", "--control", "words").out
    assert "points per 100 ratings" in text
    told = evenhand("bias", "scores.csv", "--json").json
    assert [one["name"] for one in told["effects"]] == ["drift", "position"]
    assert len(told["judges"]) == 12
    assert "no-times" not in {one["code"] for one in told["findings"]}


def test_items_that_came_in_one_order_leave_no_drift_to_be_seen():
    names = [(f"j{j}", f"i{i}", k) for j in range(6) for i in range(20) for k in "abc"]
    table = pd.DataFrame(names, columns=["judge", "item", "system"])
    table["score"] = 50 + np.random.default_rng(1).normal(0, 5, len(table)).round(2)
    table["shown_at"] = [f"2026-01-01T08:{int(one[1:]):02d}:00" for one in table.item]
    found = find(table.assign(position=1, words=1))
    assert found.find("drift") is None
    assert "drift" in {one.values["name"] for one in found.notes if one.code == "no-slope"}


def residualise(table, column):
    dummies = pd.get_dummies(table[["judge", "item", "system"]], drop_first=True).astype(float)
    design = np.column_stack([np.ones(len(table)), dummies])
    values = table[column].to_numpy(float)
    return values - design @ np.linalg.lstsq(design, values, rcond=None)[0], design


def test_errors_are_the_larger_of_both_ways_and_their_sum_less_the_cells():
    table = draw(4, judges=7, items=12, length=0.1).assign(score=lambda one: one.score.round())
    x, y = (residualise(table, name)[0] for name in ("words", "score"))
    e = y - x * (x @ y) / (x @ x)
    left_out = {}
    for name in ("judge", "item"):
        sums = pd.DataFrame({"of": table[name], "xx": x * x, "xe": x * e}).groupby("of").sum()
        change, g = -sums.xe / (x @ x - sums.xx), len(sums)
        left_out[name] = (g - 1) / g * ((change - change.mean()) ** 2).sum()
    cells = pd.Series(x * e).groupby([table.judge, table.item]).sum()
    both = sum(left_out.values()) - (cells**2).sum() / (x @ x) ** 2
    expected = np.sqrt(max(*left_out.values(), both))
    assert find(table).find("words").stderr == pytest.approx(expected, rel=1e-9)


def test_offsets_of_judges_have_intervals_over_items_and_a_figure(folder, evenhand):
    """In Python too, where controls are excluded and position is looked at unasked."""
    table = draw(5, judges=6, items=15)
    bad = table.head(20).assign(kind="bad", score=0)
    pd.concat([table.assign(kind="target"), bad]).to_csv("scores.csv", index=False)
    found = package.find_rating_bias("scores.csv")
    assert (found.n_ratings, found.excluded[0].rows) == (len(table), 20)
    assert [one.name for one in found.effects] == ["drift", "position"]
    e, design = residualise(table, "score")
    parts = pd.Series(e).groupby([table.judge, table.item]).sum()
    inflation = len(table) / (len(table) - np.linalg.matrix_rank(design))
    for one in found.judges:
        sums = parts[one.judge]
        variance = inflation * (sums**2).sum() / one.n**2 * len(sums) / (len(sums) - 1)
        margin = stats.t.ppf(0.975, len(sums) - 1) * np.sqrt(variance)
        assert (one.lower, one.upper) == pytest.approx((one.offset - margin, one.offset + margin))
    evenhand("bias", "scores.csv", "-o", "judges.svg")
    drawn = (folder / "judges.svg").read_text(encoding="utf-8")
    assert "Judges by score, lowest first" in drawn


def test_the_spread_of_judges_counts_their_repeats_once():
    """As with `variance`: what a judge thinks of an output is in each score of it."""
    table = draw(6, judges=6, items=15).assign(score=lambda one: one.score.round())
    doubled = pd.concat([table, table.head(60).assign(score=lambda one: one.score + 9)])
    means = doubled.groupby(["judge", "item", "system"], as_index=False).score.mean()
    once = package.estimate_components(package.read(means), systems="fixed")
    assert find(doubled).severity.sd == pytest.approx(once.find("judge").sd, abs=1e-6)
