"""What decides whether a check fails: other leaders, reversed pairs, contradicted claims."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

import evenhand
from evenhand.report.analysis import Analysis, find_reversal
from evenhand.report.document import FAILED, PASSED, WARNING
from evenhand.report.sections import judges, model
from evenhand.report.sections import model as circles
from evenhand.report.sections import robustness as order

COLUMNS = ["left", "right", "outcome"]


def read(rows, *more):
    return evenhand.read(pd.DataFrame(rows, columns=[*COLUMNS, *more]))


def votes(won, *, shown=1):
    """{(better, worse): wins of 100}: each pair in both orders, or in one where shown is 2."""
    rows = []
    for (one, two), wins in won.items():
        for at in range(100):
            turned = at % 2 and shown == 1
            said = "left" if (at < wins) != bool(turned) else "right"
            rows.append((two, one, said) if turned else (one, two, said))
    return rows


def test_the_first_place_and_decided_pairs_are_what_can_be_reversed():
    before = evenhand.rank(read(votes({("a", "b"): 75, ("a", "c"): 85, ("b", "c"): 75})))
    assert before.rank_sets.decided.sum(where=before.rank_sets.decided > 0) == 3
    assert find_reversal(before, before) == ""
    first = evenhand.rank(read(votes({("b", "a"): 60, ("a", "c"): 85, ("b", "c"): 85})))
    assert find_reversal(before, first) == "b and not a is first"
    last = evenhand.rank(read(votes({("a", "b"): 75, ("a", "c"): 75, ("c", "b"): 60})))
    assert find_reversal(before, last) == "c is before b, a decided pair reversed"
    without = evenhand.rank(read(votes({("b", "c"): 75})))
    assert find_reversal(before, without) == "a cannot be ranked"


def sides(first):
    """Equal systems a and b, a nearly always first, and a share of wins for the first."""
    rows = []
    for one, two, n in (("a", "b", 360), ("b", "a", 240)):
        rows += [(one, two, "left" if at < first * n else "right") for at in range(n)]
    return Analysis(read(rows))


def test_a_preference_for_a_side_fails_only_where_the_answer_rests_on_it():
    """a wins .8 · 360 + .2 · 240 = 336 of 600, and of equals where the side is taken out."""
    study = sides(0.8)
    assert study.ranking.rank_upper[0] == 1
    (check,) = order.write_section_order(study).checks
    assert check.state == FAILED
    assert "the answer is another one: a and b share first place" in check.recommendation
    balanced = Analysis(read([
        (one, two, "left" if at < (85 if (one, two) == ("a", "b") else 50) else "right")
        for one, two in permutations("ab", 2) for at in range(100)
    ]))  # fmt: skip
    (check,) = order.write_section_order(balanced).checks
    assert check.state == WARNING
    assert "the decided order stays" in check.recommendation


def panel(bad, *, tastes=12):
    """Judges of whom some prefer c to all others, always; of the rest a beats b beats c."""
    rng = np.random.default_rng(8)
    rows = []
    for judge in range(tastes):
        for item in range(40):
            one, two = rng.permutation(["a", "b", "c"])[:2].tolist()
            better, worse = sorted((one, two), reverse=judge in bad)
            won = better if rng.random() < 0.9 else worse
            rows.append((one, two, "left" if won == one else "right", f"j{judge}", f"i{item}"))
    return Analysis(read(rows, "judge", "item"))


def test_flagged_judges_fail_the_check_where_the_leaders_change_without_them():
    study = panel({0})
    (check,) = judges.write_section_judges(study).checks
    assert study.screening.flagged
    assert (check.state, study.reversals.judges) == (WARNING, "")
    assert check.recommendation == "Without the flagged judge the decided order stays."


def test_a_sure_circle_fails_since_it_contradicts_what_the_answer_says():
    """Three leaders, none decided, yet each pair's own comparisons are sure."""
    study = Analysis(read(votes({("a", "b"): 75, ("b", "c"): 75, ("c", "a"): 75})))
    assert not study.ranking.rank_sets.decided.any()
    (check,) = circles.write_section_circles(study).checks
    assert check.state == FAILED
    assert "are left undecided, yet" in check.recommendation
    (light,) = model.write_section_model(study).checks
    assert light.state == FAILED


def test_a_circle_far_from_the_leaders_that_decides_nothing_is_a_warning():
    """d, e and f beat each other in a circle; a beats all. The answer is about a alone."""
    won = {("a", other): 90 for other in "def"}
    won |= {("d", "e"): 68, ("e", "f"): 68, ("f", "d"): 68}
    study = Analysis(read(votes(won)))
    assert study.ranking.systems[0] == "a"
    assert study.ranking.rank_upper[0] == 1
    (check,) = circles.write_section_circles(study).checks
    assert check.state == WARNING


def test_agreement_passes_where_close_systems_allow_no_high_kappa():
    """Nine judges follow log-worths .35 apart: κ is about .05, far below any word but 'slight'."""
    rng = np.random.default_rng(2)
    worth = {"a": 0.5, "b": 0.0, "c": -0.5}
    rows = []
    for item in range(400):
        one, two = rng.permutation([*worth])[:2].tolist()
        for judge in range(9):
            won = rng.random() < 1 / (1 + np.exp(worth[two] - worth[one]))
            rows.append((one, two, "left" if won else "right", f"j{judge}", f"i{item}"))
    study = Analysis(read(rows, "judge", "item"))
    (check,) = judges.write_section_agreement(study).checks
    assert study.shared.kappa < 0.2
    assert check.state == PASSED
    assert check.says.endswith("for systems this close")


def test_a_shortfall_of_agreement_warns_and_never_passes():
    """Two judges of opposite mind on 600 items: worths of both together expect more."""
    rng = np.random.default_rng(2)
    rows = []
    for item in range(600):
        for judge, mind in (("x", 0.75), ("y", 0.30)):
            won = rng.random() < mind
            rows.append(("a", "b", "left" if won else "right", judge, f"i{item}"))
        said = rows[-1][2]
        if rng.random() < 0.35:  # they look at the same output and say the opposite
            rows[-2] = (*rows[-2][:2], "right" if said == "left" else "left", *rows[-2][3:])
    study = Analysis(read(rows, "judge", "item"))
    (check,) = judges.write_section_agreement(study).checks
    assert study.expected.short
    assert check.state == WARNING
    assert " less (" in check.says
    assert check.recommendation.startswith("No judge is flagged")
