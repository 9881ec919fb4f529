import numpy as np
import pytest

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.judges.rating_evidence import expect_scores, find_clues
from rating_lines import table_of

NAMES = "judge item system score kind direction seconds"


def judged(kinds, seed=0):
    """Each judge scores 40 shared outputs; then 12 damaged ones and 12 again."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(50, 20, 40)
    rows = []
    for j, kind in enumerate(kinds):
        sign = {"honest": 1, "random": 0, "reversed": -1}[kind]

        def say(k, shift=0.0, sign=sign):
            return 50 + sign * (worth[k] + shift - 50) + rng.normal(0, 8 if sign else 25)

        place = [(f"J{j:02}", f"i{k}", f"s{k % 4}") for k in range(40)]
        rows += [(*place[k], say(k), TARGET, 0, 30 * rng.lognormal(0, 0.3)) for k in range(40)]
        rows += [(*place[k], say(k, -40), CONTROL, -1, 30) for k in range(12)]
        rows += [(*place[k], say(k), REPEAT, 0, 30) for k in range(12, 24)]
    return table_of(rows, NAMES)


@pytest.fixture(scope="module")
def clues():
    rows = judged(["honest"] * 12 + ["random", "reversed"])
    return {clue.name: clue for clue in find_clues(rows, expect_scores(rows))}


def test_controls_speak_for_honest_against_random_and_for_the_reversed_class(clues):
    logs = clues["controls"].logs
    assert (logs[:12].argmax(axis=1) == 0).all()
    assert logs[12].argmax() == 1
    assert logs[13].argmax() == 2
    assert clues["controls"].right[:12].min() > 0.8
    assert clues["controls"].right[13] < 0.2


def test_repeats_tell_the_random_from_both_others(clues):
    logs = clues["repeats"].logs
    assert (logs[:12, 0] > logs[:12, 1]).all()
    assert logs[12, 1] > logs[12, 0]
    assert logs[13, 0] == logs[13, 2] > logs[13, 1]
    assert (np.abs(clues["repeats"].value) <= 1).all()


def test_time_speaks_against_the_quick_only_and_never_much():
    rows = judged(["honest"] * 14)
    seconds = np.where(rows.judge == 3, rows.seconds / 1e4, rows.seconds)
    seconds = np.where(rows.judge == 4, seconds * 1e4, seconds)
    changed = type(rows)(
        **{**{n: getattr(rows, n) for n in rows.__dataclass_fields__}, "seconds": seconds}
    )
    clue = next(c for c in find_clues(changed, expect_scores(changed)) if c.name == "seconds")
    assert clue.logs[3].tolist() == [0, 3, 0]
    assert clue.logs[4, 1] == pytest.approx(np.log(0.5), abs=1e-6)
    assert (clue.logs[:, 0] == 0).all()


def test_controls_of_a_careless_judge_vary_by_two_scores_each(clues):
    """12 controls, each beside the judge's own score of the output: N(0, 2 / 12)."""
    clue = clues["controls"]
    assert clue.count[12] == 12
    told = -(clue.value**2) / (2 * 2 / 12) - np.log(2 / 12) / 2
    assert clue.logs[:, 1] == pytest.approx(told)


def test_the_span_of_nine_in_ten_holds_chance_and_stays_among_correlations(clues):
    """Of 12 second answers a correlation has variance 1/12 beside what judges differ by."""
    clue = clues["repeats"]
    assert (clue.high <= 1).all()
    assert (clue.low >= -1).all()
    assert (np.median(clue.value) - clue.low >= 1.645 * np.sqrt(0.15**2 + 1 / 12) - 1e-9).all()
