import numpy as np
import pytest

from evenhand.data.rating_rows import read_scale
from evenhand.judges.habits import _tilt, use_of_points
from rating_lines import table_of


def scores_of(*judges):
    return table_of(
        [(f"J{j}", f"i{k}", "s", y) for j, own in enumerate(judges) for k, y in enumerate(own)]
    )


def test_tilted_shares_have_the_mean_and_spread_that_were_asked_for():
    """scipy.optimize.root on the two moment equations gives the same shares."""
    from scipy.optimize import root

    q, u = np.array([0.1, 0.2, 0.4, 0.2, 0.1]), np.linspace(-1.5, 1.5, 5)
    counts = 1e6 * np.array([[0.05, 0.1, 0.3, 0.35, 0.2]])
    features = np.stack([u, u**2])

    def shares(at):
        p = q * np.exp(at @ features)
        return p / p.sum()

    solved = root(lambda at: (shares(at) - counts[0] / 1e6) @ features.T, [0.0, 0.0], tol=1e-12)
    assert _tilt(counts, q, features)[0] == pytest.approx(shares(solved.x), abs=1e-6)


def test_judges_who_use_the_scale_alike_are_what_is_usual():
    use = use_of_points(scores_of(*[[1, 2, 2, 3, 3, 3, 4, 4, 5] * 30] * 4))
    assert use.same == pytest.approx(use.same_usual, abs=0.01)
    assert use.same[0] == pytest.approx((1 + 4 + 9 + 4 + 1) / 81, abs=0.01)
    assert use.ends == pytest.approx(np.full(4, 2 / 9))
    assert use.ends_usual == pytest.approx(use.ends, abs=1e-6)


def test_gaps_are_coarse_and_severity_is_not():
    usual = [1, 2, 2, 3, 3, 3, 4, 4, 5] * 20
    severe, gaps = [1, 1, 2, 2, 2, 3, 3, 1, 4] * 20, [2, 4] * 90
    use = use_of_points(scores_of(*[usual] * 8, severe, gaps))
    ratio = use.same / use.same_usual
    assert abs(np.log(ratio[8])) < 0.2
    assert ratio[9] > 1.4


def test_ends_are_those_of_the_declared_scale():
    rows = scores_of([2, 3, 4, 4] * 5, [2, 2, 3, 3] * 5)
    assert use_of_points(rows).ends == pytest.approx([0.75, 0.5])
    assert use_of_points(rows, read_scale("1-5")).ends == pytest.approx([0, 0])
