"""What judgments leave to a prior is refused, left open or said, never shown as certain."""

import polars as pl
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.irt_gaussian import IRTGaussian
from evenhand.ranking import bootstrap, rank
from ranking.panels import comparisons, panel

RESAMPLED = ["independent-pairs", "geometric-students"]
NAMES = ["left", "right", "outcome", "judge", "item"]


def answers(*rows: tuple[str, str, str], judges: int = 8) -> pl.DataFrame:
    """Every answer by every judge, on an item of its own for each judge."""
    return pl.DataFrame(
        [(*row, f"j{j:03d}", f"i{j:03d}") for row in rows for j in range(judges)],
        schema=NAMES,
        orient="row",
    )


def beside(*rows: tuple[str, str, str], judges: int = 8) -> pl.DataFrame:
    """A panel of s0 to s3, and answers of eight judges."""
    return pl.concat([panel(seed=4, judges=9, items=12, n=400), answers(*rows, judges=judges)])


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(bootstrap, "MODEL_REPLICATES", 30)


@pytest.mark.parametrize("name", RESAMPLED)
def test_systems_that_nothing_links_are_not_ranked_among_each_other(name):
    apart = beside(("x", "y", "left"), ("y", "x", "left"))
    with pytest.raises(NotIdentified, match=r"s0, s1, s2, s3 were never compared with x, y") as one:
        rank(comparisons(apart), model=name)
    assert "rank them apart, or take --model bradley-terry --prior 1" in str(one.value)


def test_pairs_that_nothing_links_are_never_decided_by_draws_of_a_posterior():
    """The prior alone would say that a system that wins always beats one that nobody met."""
    won = answers(*[("a", "b", "left")] * 12, ("x", "y", "left"), ("y", "x", "left"))
    ranking = rank(comparisons(won), model=IRTGaussian(item_sd=0.1, sweeps=200, burn_in=50))
    assert ranking.row("a")["better_than"] == 1
    assert any("No comparison links these groups" in note for note in ranking.notes)


@pytest.mark.parametrize("name", RESAMPLED)
@pytest.mark.parametrize("more", [0, 1])
def test_unanimous_answers_have_no_interval_however_many_each_judge_gave(name, more):
    rows = pl.concat([answers(("a", "b", "left"), judges=6), answers(("a", "b", "left"), judges=3)])
    with pytest.raises(NotIdentified, match="resamples of unanimous answers are as unanimous"):
        rank(comparisons(rows.head(6 + more)), model=name)


@pytest.mark.parametrize("name", RESAMPLED)
def test_a_system_that_always_won_is_said_to_rest_on_the_prior(name, few_resamples):
    ranking = rank(comparisons(beside(("q", "s0", "left"))), model=name, cluster="judge")
    (note,) = (one for one in ranking.notes if one.code == "prior-alone-resampled")
    assert note.values["why"] == 'nobody preferred anything to "q" (0 of 8)'


def test_clusters_that_answer_alike_are_given_up_by_name(few_resamples):
    """Every judge prefers a twice and b once: judges drawn again say the same, answers do not."""
    alike = answers(("a", "b", "left"), ("b", "a", "right"), ("b", "a", "left"))
    found = rank(comparisons(alike), model="geometric-students")
    assert "by judgment" in found.method
    assert found.headline == "for these 8 judges only and for these 8 items only"
    assert any("say the same of a and b" in note for note in found.notes)
    assert (found.upper > found.lower + 0.1).all()
    with pytest.raises(NotIdentified, match="resamples by judge all say the same of a and b"):
        rank(comparisons(alike), model="geometric-students", cluster="judge")
