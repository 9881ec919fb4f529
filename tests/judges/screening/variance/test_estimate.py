"""One entry for ratings, comparisons and rankings."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data.results import ITEM_SYSTEM, JUDGE_SYSTEM, Component
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.variance import note_unknown
from evenhand.models.random_judges import RandomJudges
from judges.screening.variance.votes import voted
from models.scored import simulate

DATA = os.environ.get("EVENHAND_DATA")
SDS = {"system": 1.0, "judge": 2.0, "judge x system": 1.0, "item x system": 1.0}


def frame(**columns):
    rows = simulate(1, SDS)
    plain = {
        "judge": [rows.judges[c] for c in rows.judge],
        "item": [rows.items[c] for c in rows.item],
        "system": [rows.systems[c] for c in rows.system],
        "score": rows.score,
    }
    return pl.DataFrame(plain).with_columns(**columns)


def test_ratings_are_taken_apart_by_restricted_likelihood():
    found = evenhand.estimate_components(evenhand.read(frame()))
    same = evenhand.estimate_components(simulate(1, SDS))
    assert found.kind == "ratings"
    assert [one.sd for one in found.components] == [one.sd for one in same.components]
    assert sum(found.shares.values()) == pytest.approx(1)
    assert "REML" in found.signature


def test_several_tasks_or_criteria_are_refused_in_words():
    mixed = frame(criterion=pl.Series(["fluency", "adequacy"] * 150))
    with pytest.raises(InvalidJudgments, match="several criteria \\(adequacy, fluency\\)"):
        evenhand.estimate_components(evenhand.read(mixed))


def test_controls_are_left_out_and_repeats_averaged_as_is_said():
    kinds = pl.Series(["control"] * 20 + ["repeat"] * 10 + ["target"] * 270)
    table = frame(kind=kinds)
    found = evenhand.estimate_components(evenhand.read(table))
    means = table.tail(280).group_by("judge", "item", "system").agg(pl.col("score").mean())
    assert found.observed.judgments == 280
    alone = evenhand.estimate_components(evenhand.read(means))
    assert [one.sd for one in found.components] == pytest.approx(
        [one.sd for one in alone.components], abs=1e-6
    )
    assert any("20 controls excluded" in note for note in found.notes)
    assert any(f"leaves {len(means)} of 280 scores" in note for note in found.notes)


def test_the_likelihood_puts_random_judges_in_the_place_of_moments():
    found = evenhand.estimate_components(voted(1), method="likelihood")
    fit = RandomJudges().fit(voted(1))
    one = found.find("judge x system")
    assert one.how == "likelihood"
    assert one.sd == pytest.approx(fit.sigma)
    assert (one.lower, one.upper) == fit.sigma_interval
    assert found.find("item x system").how == "moments"
    assert any("comes from the likelihood" in note for note in found.notes)


def test_rankings_are_taken_apart_and_their_likelihood_is_not_claimed():
    rng = np.random.Generator(np.random.PCG64(4))
    taste = rng.normal(0, 0.7, (12, 4))
    rows = []
    for ranking in range(360):
        judge, item = ranking % 12, int(rng.integers(0, 40))
        worth = np.array([0.9, 0.5, 0.2, 0.0]) + taste[judge] + rng.gumbel(size=4)
        place = np.argsort(np.argsort(-worth)) + 1
        rows += [
            {
                "ranking": str(ranking),
                "judge": f"j{judge}",
                "item": str(item),
                "system": "ABCD"[s],
                "rank": int(place[s]),
            }
            for s in range(4)
        ]
    data = evenhand.read(pl.DataFrame(rows))
    found = evenhand.estimate_components(data, method="likelihood")
    assert found.kind == "rankings"
    assert found.find("judge x system").how == "moments"
    assert found.find("judge x system").p < 0.001
    assert any("upper bound" in note for note in found.notes)
    assert found.observed.judgments == 360


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("ratings", {"method": "moments"}),
        ("ratings", {"systems": "some"}),
        ("ratings", {"level": 1.0}),
        ("votes", {"method": "laplace"}),
    ],
)
def test_settings_that_do_not_exist_or_fit_are_refused(data, options):
    judged = simulate(1, SDS) if data == "ratings" else voted(1)
    with pytest.raises(UnknownOption):
        evenhand.estimate_components(judged, **options)


@pytest.mark.skipif(not DATA, reason="EVENHAND_DATA names no folder of judgments")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "every"), [("wmt07_scores", 3), ("wmt22_calibration", 1), ("esa_wmt23_ende", 1)]
)
def test_real_campaigns_have_components_in_every_task_and_criterion(name, every):
    """Of the 28 parts of WMT07 in each third one, of either criterion."""
    rows = evenhand.read(Path(DATA, name, "ratings.parquet")).rows()
    for part in [*rows.split(["task", "criterion"]).values()][::every]:
        found = evenhand.estimate_components(part)
        assert found.method == "REML"
        assert found.find("judge").sd > 0
        assert found.stderr > 0


@pytest.mark.skipif(not DATA, reason="EVENHAND_DATA names no folder of judgments")
def test_judges_who_scored_everything_cancel_in_wmt22():
    rows = evenhand.read(Path(DATA, "wmt22_calibration", "ratings.parquet")).rows()
    part = rows.split(["task", "criterion"])["eng-hrv", "da_sqm"]
    found = evenhand.estimate_components(part)
    # every judge scored all of 100 outputs, each document being of one system
    assert found.find("item").carries == ("item x system",)
    assert found.sharing["judge"] == pytest.approx(0, abs=1e-12)


def test_what_a_judge_says_twice_of_an_output_counts_once():
    rows = frame().unique(["judge", "item", "system"], maintain_order=True).head(120)
    one = evenhand.estimate_components(evenhand.read(rows))
    twice = evenhand.estimate_components(evenhand.read(pl.concat([rows, rows])))
    for own, other in zip(one.components, twice.components, strict=True):
        assert other.sd == pytest.approx(own.sd, rel=1e-6, abs=1e-6)
        assert other.p == pytest.approx(own.p) if own.p is not None else other.p is None
    assert twice.stderr == pytest.approx(one.stderr)
    assert any(f"{len(rows):,} scores repeat one of the same judge" in note for note in twice.notes)
    assert not any("repeat" in note for note in one.notes)


def test_tastes_too_strong_for_moments_are_left_to_the_likelihood():
    strong = voted(3, judge=4.0)
    with pytest.raises(NotIdentified, match="--method likelihood"):
        evenhand.estimate_components(strong)
    found = evenhand.estimate_components(strong, method="likelihood")
    one = found.find("judge x system")
    assert one.sd == RandomJudges().fit(strong).sigma
    assert one.sd > 2
    assert found.find("item x system") is None
    assert found.stderr is None
    with pytest.raises(NotIdentified, match="so strong"):
        found.plan(5, 20)


def test_a_zero_of_which_nothing_is_known_is_said_to_be_unknown():
    components = (
        Component(ITEM_SYSTEM, 0.0, 6, 0.0, float("inf"), 0.7),
        Component(JUDGE_SYSTEM, 0.0, 6, 0.0, 0.3, 0.7),
    )
    (note,) = note_unknown(components)
    assert "Nothing is known about item x system" in note
    assert "assume that there is none" in note
