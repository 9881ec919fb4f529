"""`evenhand.plot` draws what results hold, and says what there is where it cannot."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import evenhand
from drawn_figures import texts, values
from evenhand import datasets
from evenhand.cli.main import main
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.report.figures.style import take_first
from evenhand.report.plot import FIGURES, find_chart

COMPARED = ["left", "right", "outcome"]
BOTH_ORDERS = [(*pair, outcome) for pair in ("AB", "BA") for outcome in ("left", "right")]


@pytest.fixture(scope="module")
def votes():
    """Dras (2015), Table 1."""
    table = datasets.load("dras2015_table1")
    return evenhand.read(pl.DataFrame(list(table.rows), list(table.columns), orient="row"))


def draw_votes():
    """Twelve judges on forty items, both orders, s0 best."""
    rng, rows = random.Random(3), []
    for judge, item in product(range(12), range(40)):
        one, two = rng.sample(range(3), 2)
        won = rng.random() < 0.5 + 0.15 * (two - one)
        rows.append((f"j{judge}", f"i{item}", f"s{one}", f"s{two}", "left" if won else "right"))
    return pl.DataFrame(rows, ["judge", "item", *COMPARED], orient="row")


def draw_scores():
    """Five judges score every output on 1 to 5 under two criteria."""
    rng = random.Random(4)
    places = product(range(5), range(15), range(3), ("fluency", "adequacy"))
    rows = [
        (f"j{judge}", f"i{item}", f"s{at}", name, min(5, max(1, round(rng.gauss(2 + at, 1)))))
        for judge, item, at, name in places
    ]
    names = ["judge", "item", "system", "criterion", "score"]
    return pl.DataFrame(rows, names, orient="row")


@pytest.fixture(scope="module")
def campaign():
    return evenhand.read(draw_votes())


@pytest.fixture(scope="module")
def ratings():
    return evenhand.read(draw_scores())


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
    assert find_chart(found).title == find_chart(found, "judges-mean").title
    assert "judges-mean" not in kinds  # the first of the criteria
    assert "judge" in find_chart(found).title
    assert all(len(texts(evenhand.plot(found, kind))) > 3 for kind in kinds)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("fit", "votes.csv"), "Systems by log-worth"),
        (("fit", "scores.csv", "--criterion", "fluency"), "Systems by score"),
        (("robustness", "votes.csv"), "Places of systems by choice"),
        (("variance", "votes.csv"), "Standard deviations, with 95 % intervals"),
    ],
)
def test_verbs_write_the_figure_of_what_they_found(words, title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw_votes().write_csv("votes.csv")
    draw_scores().write_csv("scores.csv")
    done = CliRunner().invoke(main, [*words, "-o", "figure.svg"])
    assert done.exit_code == 0, done.output
    assert title in Path("figure.svg").read_text(encoding="utf-8")


def test_a_kind_that_is_none_is_refused_with_what_there_is(votes):
    with pytest.raises(
        UnknownOption, match=r"Did you mean 'forest'.*forest \| outcomes \| chances"
    ):
        evenhand.plot(evenhand.rank(votes), "forrest")


def test_what_has_no_figure_is_refused_with_what_has_one(votes):
    with pytest.raises(UnknownOption, match="Comparisons has no figure: Ranking, "):
        evenhand.plot(votes)


def test_a_figure_without_numbers_says_why():
    voted = pl.DataFrame(BOTH_ORDERS * 10, COMPARED, orient="row")
    with pytest.raises(NotIdentified, match="name no judges"):
        evenhand.plot(evenhand.find_position_bias(voted))


def test_judges_of_ratings_are_drawn_by_how_far_they_follow_the_others(ratings):
    found = evenhand.screen_judges(ratings)
    drawn = {row["name"]: row["value"] for row in values(find_chart(found)) if "name" in row}
    slopes = {card.judge: card.evidence[0].value for card in found.cards}
    assert drawn == slopes


def test_figures_of_more_rows_than_are_drawn_say_so_in_their_title():
    rows = [(f"j{n % 120}", *one) for n in range(120) for one in BOTH_ORDERS]
    voted = pl.DataFrame(rows, ["judge", *COMPARED], orient="row")
    chart = find_chart(evenhand.find_position_bias(voted))
    assert len(chart.y.names) == 100
    assert chart.title.endswith(", the 100 of 120 farthest from the others")
    assert take_first(range(120)) == ([*range(100)], ", the first 100 of 120")
    assert take_first(range(9)) == ([*range(9)], "")
