"""`evenhand.plot` draws what results hold, and says what there is where it cannot."""

from __future__ import annotations

import random

import pytest

import evenhand
from drawn_figures import texts, values
from evenhand import datasets
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.report.plot import FIGURES, find_chart


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """Dras (2015), Table 1."""
    file = tmp_path_factory.mktemp("votes") / "table1.csv"
    file.write_text(datasets.load("dras2015_table1").csv(), "utf-8")
    return evenhand.read(file)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Twelve judges on forty items, both orders, s0 best."""
    rng = random.Random(3)
    lines = ["judge,item,left,right,outcome"]
    for judge in range(12):
        for item in range(40):
            one, two = rng.sample(range(3), 2)
            won = rng.random() < 0.5 + 0.15 * (two - one)
            lines.append(f"j{judge},i{item},s{one},s{two},{'left' if won else 'right'}")
    file = tmp_path_factory.mktemp("campaign") / "votes.csv"
    file.write_text("\n".join(lines) + "\n")
    return evenhand.read(file)


@pytest.fixture(scope="module")
def ratings(tmp_path_factory):
    """Five judges score every output on 1 to 5 under two criteria."""
    rng = random.Random(4)
    lines = ["judge,item,system,criterion,score"]
    for judge in range(5):
        for item in range(15):
            for system in range(3):
                for criterion in ("fluency", "adequacy"):
                    score = min(5, max(1, round(rng.gauss(2 + system, 1))))
                    lines.append(f"j{judge},i{item},s{system},{criterion},{score}")
    file = tmp_path_factory.mktemp("ratings") / "scores.csv"
    file.write_text("\n".join(lines) + "\n")
    return evenhand.read(file)


def test_every_result_that_has_figures_is_a_public_name():
    assert FIGURES.keys() <= set(evenhand.__all__)


def test_a_ranking_is_a_forest_plot_with_its_intervals(votes):
    ranking = evenhand.rank(votes)
    chart = evenhand.plot(ranking)
    drawn = [row for row in values(find_chart(ranking)) if "estimate" in row]
    assert [row["system"] for row in drawn[:4]] == list(ranking.systems)
    assert [row["lower"] for row in drawn[:4]] == ranking.lower.tolist()
    words = texts(chart)
    assert {"A", "D", "B", "C", "log-worth"} <= set(words)
    assert "95 % intervals" in " ".join(words)


def test_a_result_is_drawn_into_axes_that_are_given(votes, campaign):
    from matplotlib.figure import Figure

    figure, ranking = Figure(), evenhand.rank(votes)
    first, second = figure.subplots(1, 2)
    assert ranking.plot(ax=first) is figure
    assert {*ranking.systems} <= {*texts(figure)}
    assert first.get_xlabel() == "log-worth"
    assert "95 % intervals" in first.get_title()
    ranking.plot("chances", ax=second)
    assert len(second.get_children()) > 20


def test_results_of_comparisons_are_drawn(campaign):
    slopes = evenhand.plot(evenhand.screen_judges(campaign))
    assert {f"j{n}" for n in range(12)} <= set(texts(slopes))
    bias = evenhand.find_position_bias(campaign)
    drawn = [row for row in values(find_chart(bias)) if "judge" in row]
    assert {row["judge"]: row["share"] for row in drawn} == {
        one.judge: one.share for one in bias.judges
    }
    choices = evenhand.vary_choices(campaign)
    places = values(find_chart(choices))
    assert {row["system"] for row in places if "system" in row} == {"s0", "s1", "s2"}


def test_a_diagnosis_offers_the_figures_that_it_has(ratings):
    found = evenhand.diagnose_judges(ratings)
    with pytest.raises(UnknownOption, match="Did you mean 'systems'") as refused:
        evenhand.plot(found, "sistems")
    kinds = str(refused.value).rpartition(": ")[2].split(" | ")
    assert len(kinds) > 3
    assert all(len(texts(evenhand.plot(found, kind))) > 3 for kind in kinds)


def test_a_kind_that_is_none_is_refused_with_what_there_is(votes):
    with pytest.raises(
        UnknownOption, match=r"Did you mean 'forest'.*forest \| outcomes \| chances"
    ):
        evenhand.plot(evenhand.rank(votes), "forrest")


def test_a_figure_without_numbers_says_why(ratings):
    with pytest.raises(NotIdentified, match="no judge has a slope"):
        evenhand.plot(evenhand.screen_judges(ratings))
