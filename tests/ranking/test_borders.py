"""Which borders between bands hold."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.data.groups import Levels
from evenhand.data.tally import Tally
from evenhand.errors import UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from evenhand.ranking.borders import check_borders
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.inference import Settings
from evenhand.ranking.rank import make_ranking
from ranking.panels import comparisons, panel


def two_systems():
    one, two = np.array([0], np.int32), np.array([1], np.int32)
    counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    tally = Tally(("new", "old"), one, two, *counts, n_judgments=120)
    settings = Settings(BradleyTerry(), "model", None, 0.95, 1, None)
    return make_ranking(Evidence.of(tally), Levels({}), settings)


def test_a_single_pair_has_the_z_of_its_closed_form():
    """One pair: λ = ½ ln(n₊/n₋), SE ½ √(1/n₊ + 1/n₋), so z = ln(61/35) / √(1/61 + 1/35)."""
    (border,) = check_borders(two_systems(), after=(1,)).borders
    z = np.log(61 / 35) / np.sqrt(1 / 61 + 1 / 35)
    assert border.z == pytest.approx(z, abs=1e-8)
    assert border.difference == pytest.approx(np.log(61 / 35), abs=1e-8)
    assert border.p == border.adjusted == pytest.approx(2 * stats.norm.sf(z), abs=1e-10)
    assert (border.above, border.below, border.holds, border.alone) == ("new", "old", True, True)


def test_the_weakest_pair_is_the_smallest_of_all_differences_over_their_errors():
    ranking = rank(comparisons(panel(systems=6, judges=20, n=1500)), interval="model")
    found = check_borders(ranking, after=(4, 2))
    assert [border.after for border in found.borders] == [2, 4]
    fit = ranking.fit
    at = [fit.systems.index(name) for name in ranking.systems]
    for border in found.borders:
        z = {}
        for i in at[: border.after]:
            for j in at[border.after :]:
                contrast = fit.contrasts([(fit.systems[i], fit.systems[j])])[0]
                z[fit.systems[i], fit.systems[j]] = contrast.estimate / contrast.stderr
        weakest = min(z, key=z.__getitem__)
        assert (border.above, border.below) == weakest
        assert border.z == pytest.approx(z[weakest], rel=1e-9)


def test_adjusted_p_is_holms_over_all_pairs():
    """statsmodels: multipletests(p, method='holm') over all pairs of the board."""
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    ranking = rank(comparisons(panel(3, systems=5, judges=15, n=700)))
    found = check_borders(ranking, after=(1, 2, 3, 4))
    first, second = np.triu_indices(5, 1)
    z = (ranking.log_worth[first] - ranking.log_worth[second]) / ranking.pair_stderr[first, second]
    adjusted = multipletests(2 * stats.t.sf(z, ranking.df), method="holm")[1]
    for border in found.borders:
        across = (first < border.after) & (second >= border.after)
        assert border.adjusted == pytest.approx(adjusted[across].max(), rel=1e-9)


def test_borders_may_be_asked_of_judgments_and_are_those_of_their_ranking():
    data = comparisons(panel(judges=12))
    assert check_borders(data, after=(1,)) == check_borders(rank(data), after=(1,))


def test_places_without_a_border_and_several_boards_are_refused():
    frame = panel(judges=12)
    for after in ((), (0,), (4,), (1, 9)):
        with pytest.raises(UnknownOption, match="border"):
            check_borders(rank(comparisons(frame)), after=after)
    both = pl.concat([frame.with_columns(task=pl.lit(name)) for name in "ab"])
    with pytest.raises(UnknownOption, match="2 tasks: choose one"):
        check_borders(comparisons(both), after=(1,))


def test_borders_say_what_limits_their_ranking():
    one = rank(comparisons(panel(judges=3, items=40)))
    borders = check_borders(one, after=1)
    assert borders.headline == one.headline == "for these 3 judges only"
    assert borders.says.endswith("This is for these 3 judges only.")
    assert borders.notes == one.notes
