"""Simulated judgments to try things on: the examples of the documentation, drawn from fixed seeds.

Judge j compares outputs of systems s and t, s on the left. With worth differences in log-odds,

    P(left : tie : right) ∝ e^{g/2} : ν : e^{−g/2},

the model of Davidson (1970), g being what the judge sees of the difference: worths, the judge's own
taste, the quality of the two outputs, or their lengths. Nothing here was judged by anybody, so that
no number of it is a finding.

>>> from evenhand.datasets.simulated import SIMULATED, draw_table
>>> list(SIMULATED)
['arena_simulated', 'shared_task_simulated', 'side_by_side_simulated', 'study_simulated']
>>> draw_table("study_simulated").splitlines()[:2]
['judge,item,left,right,outcome', 'ann,q001,ours,ablation,left']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final

from evenhand.errors import require_option

COLUMNS: Final = ("judge", "item", "left", "right", "outcome")
OUTCOMES: Final = ("left", "tie", "right")

Lines = Iterator[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Simulated:
    title: str  # one line on what was simulated
    rows: Callable[[], Lines]  # draws the rows, from a seed of its own
    columns: tuple[str, ...] = COLUMNS  # what stands in the header


def draw_table(name: str) -> str:
    r"""Return a simulated table as CSV, the same at every call; lines end with `\n`."""
    require_option("simulated table", name, tuple(SIMULATED))
    table = SIMULATED[name]
    lines = [table.columns, *table.rows()]
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


def _answer(draw: Random, gap: float, ties: float) -> str:
    """Return what a judge says who sees a difference of `gap` (log-odds), ν being `ties`."""
    return draw.choices(OUTCOMES, [exp(gap / 2), ties, exp(-gap / 2)])[0]


def _draw_study() -> Lines:
    """Three judges on 100 items, each judging every item; judges differ in how often they tie."""
    draw = Random(15)
    worths = {"ours": 1.0, "baseline": 0.2, "ablation": 0.0}
    strict = {"ann": 0.5, "ben": 0.5, "cem": 0.3}
    for n in range(100):
        pair = draw.sample(list(worths), 2)
        quality = {name: worths[name] + draw.gauss(0, 0.8) for name in pair}
        for judge, ties in strict.items():
            left, right = draw.sample(pair, 2)
            outcome = _answer(draw, 2 * (quality[left] - quality[right]), ties)
            yield judge, f"q{n + 1:03d}", left, right, outcome


def _draw_side_by_side() -> Lines:
    """Twelve judges of two versions; longer answers are liked, and the new version's are longer."""
    draw = Random(11)
    taste = [draw.gauss(0.06, 0.2) for _ in range(12)]
    for _ in range(600):
        judge, item = draw.randrange(12), draw.randrange(200)
        left, right = draw.sample(["new", "old"], 2)
        words = {"new": draw.randint(60, 160), "old": draw.randint(40, 130)}
        sign = 1 if left == "new" else -1
        outcome = _answer(draw, sign * taste[judge] + (words[left] - words[right]) / 150, 0.5)
        who = f"rater-{judge + 1:02d}", f"prompt-{item:03d}"
        yield *who, left, right, outcome, words[left], words[right]


def _draw_shared_task() -> Lines:
    """Twenty judges of six systems, 90 judgments each; judges differ in taste, items in quality."""
    draw = Random(2013)
    worths = {"alpha": 0.9, "beta": 0.8, "gamma": 0.2, "delta": 0.1, "epsilon": -0.5, "zeta": -1.2}
    for j in range(20):
        seen = {name: worth + draw.gauss(0, 0.3) for name, worth in worths.items()}
        for _ in range(90):
            left, right = draw.sample(list(worths), 2)
            outcome = _answer(draw, seen[left] - seen[right] + draw.gauss(0, 0.3), 0.4)
            yield f"judge-{j + 1:02d}", f"seg-{draw.randrange(60):02d}", left, right, outcome


def _draw_arena() -> Lines:
    """Fifteen judges of five systems on 40 items, who say a tie once in five times."""
    draw = Random(11)
    worths = {"opus": 1.0, "lark": 0.7, "heron": 0.3, "wren": -0.1, "finch": -0.6}
    for i in range(600):
        left, right = draw.sample(list(worths), 2)
        won = draw.random() < 1 / (1 + exp(worths[right] - worths[left]))
        outcome = "tie" if draw.random() < 0.2 else "left" if won else "right"
        yield f"j{i % 15:02d}", f"i{i % 40:02d}", left, right, outcome


SIMULATED: Final[Mapping[str, Simulated]] = {
    "arena_simulated": Simulated(
        "Five systems compared 600 times by 15 judges (simulated)", _draw_arena
    ),
    "shared_task_simulated": Simulated(
        "Six systems of a shared task, 1,800 comparisons by 20 judges (simulated)",
        _draw_shared_task,
    ),
    "side_by_side_simulated": Simulated(
        "A new version against the old one, 600 comparisons by 12 judges (simulated)",
        _draw_side_by_side,
        (*COLUMNS, "length_left", "length_right"),
    ),
    "study_simulated": Simulated(
        "Three systems, 300 comparisons by three judges who saw the same outputs (simulated)",
        _draw_study,
    ),
}
