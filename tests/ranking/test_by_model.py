"""Rankings by models of the registry."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.irt_categorical import IRTCategorical
from evenhand.models.irt_gaussian import IRTGaussian
from evenhand.models.orders import PlackettLuce
from evenhand.models.random_judges import RandomJudges
from evenhand.models.registry import MODELS
from evenhand.ranking import bootstrap, rank
from evenhand.ranking.bootstrap import resample, resample_model
from evenhand.ranking.by_model import KINDS, UNIFORM_MODELS, list_kinds
from ranking.panels import comparisons, panel, tally

ORDERING = [name for name in MODELS if name not in UNIFORM_MODELS]


@pytest.fixture(scope="module")
def data():
    return comparisons(panel(seed=4, judges=9, items=12, n=400))


@pytest.mark.parametrize("name", ORDERING)
def test_every_model_that_orders_gives_a_whole_board(data, name):
    ranking = rank(data, model=name)
    assert ranking.model == name
    assert ranking.systems[0] == "s0"  # the panel's truth: worths from .8 down to −.8
    assert ranking.systems[-1] == "s3"
    assert ranking.log_worth.sum() == pytest.approx(0, abs=1e-6)
    assert (ranking.lower <= ranking.estimate).all()
    assert (ranking.estimate <= ranking.upper).all()
    assert (ranking.rank_lower <= ranking.rank_upper).all()
    assert (np.diff(ranking.estimate) <= 0).all()
    assert ranking.to_dict()["model"] == name
    assert (ranking.n_comparisons, ranking.n_judges) == (400, 9)
    assert "sha256" in ranking.signature


@pytest.mark.parametrize("cluster", ["judge", "item"])
def test_plackett_luce_on_pairs_has_the_clustered_intervals_of_davidson(data, cluster):
    """On pairs Davidson-Luce is Davidson's model; both sandwiches are CV3 by the same clusters."""
    one = rank(data, model=PlackettLuce(), cluster=cluster)
    other = rank(data, interval="sandwich", cluster=cluster)
    assert one.systems == other.systems
    np.testing.assert_allclose(one.log_worth, other.log_worth, atol=1e-6)
    np.testing.assert_allclose(one.stderr, other.stderr, rtol=1e-5)
    np.testing.assert_allclose(one.lower, other.lower, atol=1e-5)
    np.testing.assert_array_equal(one.rank_upper, other.rank_upper)
    assert one.df == pytest.approx(other.df)


def test_random_judges_take_their_own_covariance_and_students_t_on_effective_judges(data):
    ranking, fit = rank(data, model="random-judges"), RandomJudges().fit(data)
    at = [fit.systems.index(name) for name in ranking.systems]
    centre = np.eye(4) - 1 / 4
    stderr = np.sqrt(np.diag(centre @ fit.worth_vcov @ centre))[at]
    np.testing.assert_allclose(ranking.stderr, stderr, rtol=1e-9)
    critical = stats.t.ppf(0.975, ranking.effective_judges - 1)
    np.testing.assert_allclose(ranking.upper, ranking.log_worth + critical * stderr, rtol=1e-9)
    assert "judges independent" in ranking.method
    assert ranking.interval == "model"


def test_gaussian_abilities_order_systems_and_pairs_are_decided_by_their_draws(data):
    model = IRTGaussian(sweeps=300, burn_in=100)
    ranking, fit = rank(data, model=model), model.fit(data)
    assert ranking.scale == "ability"
    at = [fit.systems.index(name) for name in ranking.systems]
    assert at == np.argsort(-fit.order_draws.mean(axis=0)).tolist()
    draws = fit.order_draws[:, at]
    better = [
        [np.quantile(draws[:, i] - draws[:, j], 0.025) > 0 for j in range(4)] for i in range(4)
    ]
    np.testing.assert_array_equal(ranking.better_than, np.sum(better, axis=1))
    centred = draws - draws.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(ranking.upper, np.quantile(centred, 0.975, axis=0))
    row = ranking.row("s0")
    assert row["lower"] < row["ability"] < row["upper"]
    assert "log_worth" in row
    assert "independent given qualities" in ranking.method
    assert not ranking.of_worths


def test_resamples_of_any_model_are_those_of_the_log_linear_one(monkeypatch):
    """Drawn with the same seed and refitted the same way."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 40)
    monkeypatch.setattr(bootstrap, "MODEL_REPLICATES", 40)
    counted = tally(panel(judges=9, n=400), "judge")
    fit = BradleyTerry().fit(counted.pool())
    rngs = [np.random.Generator(np.random.PCG64(5)) for _ in range(2)]
    known = resample(fit, counted, ("judge",), rng=rngs[0])
    found = resample_model(BradleyTerry(), counted, ("judge",), rng=rngs[1])
    # refits with one factorisation stop within 1e-4 standard errors, which are about .2 here
    np.testing.assert_allclose(found.log_worth, known.log_worth, atol=2e-5)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("plackett-luce", {"interval": "bootstrap"}, "'sandwich' or 'model'"),
        ("random-judges", {"interval": "sandwich"}, "whose intervals are 'model'"),
        ("random-judges", {"cluster": "judge"}, "cluster does not apply"),
        ("irt-gaussian", {"interval": "model"}, "whose intervals are 'posterior'"),
        ("independent-pairs", {"interval": "model"}, "whose intervals are 'bootstrap'"),
        ("plackett-luce", {"interval": "model", "cluster": "judge"}, "knows no clusters"),
        ("plackett-luce", {"controls": ["length"]}, "knows no controls"),
        ("plackett-luce", {"level": 2.0}, "level cannot be 2.0"),
    ],
)
def test_what_a_model_does_not_have_is_refused_by_name(data, name, settings, message):
    with pytest.raises(UnknownOption, match=message):
        rank(data, model=name, **settings)


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_intervals_known_beforehand_are_those_of_the_fit(data, name):
    fit = (
        IRTGaussian(sweeps=60, burn_in=20).fit(data)
        if name == "irt-gaussian"
        else IRTCategorical(sweeps=60, burn_in=20).fit(data)
        if name == "irt-categorical"
        else MODELS[name].make().fit(data)
    )
    assert list_kinds(fit) == KINDS[name]


def test_a_task_that_determines_nothing_says_why(data):
    frame = panel(seed=4, judges=9, items=12, n=400).with_columns(task=pl.lit("a"))
    lost = frame.with_columns(task=pl.lit("b"), outcome=pl.lit("left"), left=pl.lit("s0"))
    found = rank(
        comparisons(pl.concat([frame, lost.filter(pl.col("right") == "s1")])), model="random-judges"
    )
    assert list(found) == ["a"]
    assert "b" in found.refused
    with pytest.raises(NotIdentified):
        rank(comparisons(lost.filter(pl.col("right") == "s1")), model="random-judges")


# What judgments leave to a prior is refused, left open or said, never shown as certain.


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
