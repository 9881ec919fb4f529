"""The campaign of Hamon, Mostefa & Arranz (2007), simulated with honest judges.

The judgments of the paper (English to Spanish, TC-STAR 2006) are not published. What is printed of
the design is kept: 26 systems in three input types, 10,180 outputs, each scored for fluency and
adequacy by two of 125 judges on five points; 80 easy segments. What is not printed is ours, chosen
so that n-agreement and κ come near tables 1 and 2, and judges who miss easy segments near table 3.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import require_option
from evenhand.numerics import Array

if TYPE_CHECKING:
    from evenhand.data.ratings import Ratings


# z = system + segment + output + severity of the judge + noise       each criterion its own
# score = 1 + number of thresholds below z
#
# 80 segments are easy for every system, as in the paper: their z is higher by EASIER than others'.
#
# All effects are normal. Judges are honest: they differ in severity and noise only.
#
# Segments are dealt out so that no judge sees one segment from two systems and loads differ by one
# at most; each judge sees his outputs in random order.

SEED: Final = 20131
SIMULATED: Final = ("hamon2007_simulated",)  # Names of campaigns that can be simulated as they are
JUDGES: Final = 125
PER_OUTPUT: Final = 2  # Judges who score each output
SEVERITY: Final = 0.35  # Standard deviation of judges
SEGMENT: Final = 0.22  # Of segments, beside the easy ones
OUTPUT: Final = 0.5  # Of outputs within a segment
EASY: Final = 80  # Segments that no system should get wrong
EASIER: Final = 1.2  # By how much their outputs are better
# Correlation over criteria of a judge's severities, and of an output's worths
TOGETHER: Final = 0.9


@dataclass(frozen=True)
class InputType:
    name: str  # such as "ASR"
    segments: int  # how many were scored, the same from each system
    worth: Mapping[str, float]  # system → its mean under all criteria, on the scale of z


def _space(name: str, n: int, ends: tuple[float, float]) -> Mapping[str, float]:
    worths = np.linspace(*ends, n).tolist()
    return {f"{name}-{at}": round(one, 3) for at, one in enumerate(worths, start=1)}


INPUTS: Final = (
    InputType("ASR", 390, _space("ASR", 6, (-0.05, -0.6))),
    InputType("Verbatim", 392, {**_space("Verbatim", 8, (0.25, -0.35)), "Human-Verbatim": 1.3}),
    InputType("FTE", 392, {**_space("FTE", 10, (0.45, -0.25)), "Human-FTE": 1.4}),
)
# Criterion → where z passes from one point to the next, and the standard deviation of one score
CRITERIA: Final = {
    "fluency": ((-0.93, -0.44, 0.0, 0.6), 0.68),
    "adequacy": ((-1.06, -0.54, -0.06, 0.54), 0.83),
}


@dataclass(frozen=True, eq=False)
class SimulatedRatings:
    """A simulated table, one score a row, judge by judge in the order of showing."""

    # judge, item, system, input, criterion (text), score (whole numbers) and easy (1 of outputs of
    # easy segments, else 0), (n,) each
    columns: Mapping[str, NDArray[Any]]

    @property
    def size(self) -> int:
        return len(self.columns["score"])

    def ratings(self) -> Ratings:
        import duckdb

        from evenhand.data.engine import make_table
        from evenhand.formats.reading import read

        columns = {name: column.tolist() for name, column in self.columns.items()}
        return cast("Ratings", read(make_table(duckdb.connect(), columns)))

    def csv(self) -> str:
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(column.tolist() for column in self.columns.values()), strict=True))
        return text.getvalue()


def simulate(name: str, seed: int = SEED) -> SimulatedRatings:
    """Draw a campaign by its name."""
    require_option("simulated campaign", name, SIMULATED)
    rng = np.random.default_rng(seed)
    # outputs in a row: input by input, segment by segment, system by system
    worths = np.array([worth for one in INPUTS for worth in one.worth.values()])
    systems = np.array([system for one in INPUTS for system in one.worth], dtype=object)
    inputs = np.array([one.name for one in INPUTS for _ in one.worth], dtype=object)
    names_of = [
        f"{one.name}-{at:0{len(str(one.segments))}d}"
        for one in INPUTS
        for at in range(1, one.segments + 1)
    ]
    segments = np.array(names_of, dtype=object)
    widths = np.repeat([len(one.worth) for one in INPUTS], [one.segments for one in INPUTS])
    segment = np.repeat(np.arange(len(segments)), widths)
    first = np.cumsum([0, *(len(one.worth) for one in INPUTS)])
    tiled = [np.tile(np.arange(len(one.worth)), one.segments) for one in INPUTS]
    system = np.concatenate([first[at] + one for at, one in enumerate(tiled)])
    # the judges of each segment are those with the least load, at random
    load = np.zeros(JUDGES)
    judge = np.empty(len(segment) * PER_OUTPUT, dtype=np.int64)
    slots = widths * PER_OUTPUT
    ends = np.cumsum(slots)
    for at in rng.permutation(len(slots)).tolist():
        chosen = np.argsort(load + rng.random(JUDGES), kind="stable")[: slots[at]]
        judge[ends[at] - slots[at] : ends[at]] = rng.permutation(chosen)
        load[chosen] += 1
    output = np.repeat(np.arange(len(segment)), PER_OUTPUT)

    def draw(n: int) -> Array:
        """Return (criteria, n) standard normal effects, correlated over criteria."""
        shared, single = rng.standard_normal(n), rng.standard_normal((len(CRITERIA), n))
        return np.asarray(np.sqrt(TOGETHER) * shared + np.sqrt(1 - TOGETHER) * single)

    noise = np.array([[sd] for _, sd in CRITERIA.values()])
    effects = (
        SEGMENT * draw(len(segments))[:, segment[output]]
        + OUTPUT * draw(len(segment))[:, output]
        + SEVERITY * draw(JUDGES)[:, judge]
        + noise * rng.standard_normal((len(CRITERIA), len(output)))
    )
    easy = np.zeros(len(segments), dtype=np.int64)
    easy[rng.choice(len(segments), EASY, replace=False)] = 1
    z = worths[system[output]] + EASIER * (easy - easy.mean())[segment[output]] + effects
    thresholds = [np.array(one) for one, _ in CRITERIA.values()]
    scores = np.stack([np.searchsorted(*pair) + 1 for pair in zip(thresholds, z, strict=True)])
    order = np.lexsort((rng.random(len(output)), judge))
    output, judge, scores = output[order], judge[order], scores[:, order]
    # judge by judge, all of one criterion first, in the order of showing
    c, n = scores.shape
    rows = np.lexsort((np.tile(np.arange(n), c), np.repeat(np.arange(c), n), np.tile(judge, c)))
    names = np.array([f"J{at:03d}" for at in range(1, JUDGES + 1)], dtype=object)
    of_output = {
        "judge": names[judge],
        "item": segments[segment[output]],
        "system": systems[system[output]],
        "input": inputs[system[output]],
    }
    columns = {
        **{name: np.tile(column, c) for name, column in of_output.items()},
        "criterion": np.repeat(np.array([*CRITERIA], dtype=object), n),
        "score": scores.ravel(),
        "easy": np.tile(easy[segment[output]], c),
    }
    return SimulatedRatings({name: column[rows] for name, column in columns.items()})
