"""What stands beside a completed matrix."""

import numpy as np

from evenhand.ratings.completion import NuclearNorm
from ratings.rated_matrices import make_rows, simulate


def test_uneven_loads_are_said_and_judges_can_be_taken_alone():
    rng = np.random.default_rng(6)
    seen = rng.random((20, 200)) < np.linspace(0.6, 0.05, 20)[:, None]
    judge, item = np.nonzero(seen)
    rows = make_rows(judge, item, rng.normal(size=len(judge)), (20, 200))
    load = seen.sum(axis=1)
    given, missing = load @ (load - 1) / load.sum(), load @ (200 - load) / (200 - load).sum()
    said = f"the judge gave {given:.3g} other ratings where a rating is given, and {missing:.3g}"
    assert any(said in note for note in NuclearNorm().fit(rows).notes)
    assert not any("uneven" in note for note in NuclearNorm(group="judge").fit(rows).notes)
    assert not any("uneven" in note for note in NuclearNorm().fit(simulate(1).rows()).notes)


def test_ratings_too_high_for_the_held_out_ones_are_counted_by_value():
    fit = NuclearNorm(missing="by value", level=0.985).fit(simulate(4, chosen=True).rows())
    endless = np.isinf(fit.half_width)
    said = {n.split(": ")[1]: n.split()[0] for n in fit.notes if "an interval without bounds" in n}
    few = next(n for why, n in said.items() if "nothing was learned" in why)
    heavy = next(n for why, n in said.items() if "its weight outdoes held-out" in why)
    assert int(few) + int(heavy) == endless.sum() == 40
    assert not any("judges have intervals without bounds" in note for note in fit.notes)
