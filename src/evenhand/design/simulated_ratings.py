"""The campaign of Hamon, Mostefa & Arranz (2007), simulated with honest judges.

The judgments of the paper (English to Spanish, TC-STAR 2006) are not published. What is printed of
the design is kept: 26 systems in three input types, 6 on speech recognition (ASR), 9 on manual
transcriptions (Verbatim) and 11 on final text editions (FTE), a human translation among each of the
last two; 10,180 outputs, each scored for fluency and adequacy by two of 125 judges on five points.
What is not printed is ours: how much systems, outputs and judges differ, chosen so that n-agreement
and κ come near tables 1 and 2. No judge is careless. What the paper's methods remove here, they
remove of honest judges.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, require_option
from evenhand.numerics import Array, Integers

if TYPE_CHECKING:
    from evenhand.data.ratings import Ratings


# A campaign of ratings whose truth is known: each output scored by several judges on few points.
#
# z = system + segment + output + severity of the judge + noise       each criterion its own
# score = 1 + number of thresholds below z
#
# All effects are normal. The output's part is partly the same under all criteria, and so is the
# severity of a judge: `together` is the correlation of a judge's severities, and of an output's
# worths, under two criteria. Judges are honest: they differ in severity and noise only.
#
# Segments are dealt out so that no judge sees one segment from two systems and loads differ by one
# at most; each judge sees his outputs in random order.

SEED: Final = 20131


@dataclass(frozen=True)
class InputType:
    name: str  # such as "ASR"
    segments: int  # how many were scored, the same from each system
    worth: Mapping[str, float]  # system → its mean under all criteria, on the scale of z


@dataclass(frozen=True)
class Criterion:
    thresholds: tuple[float, ...]  # where z passes from one point to the next, ascending
    noise: float = 0.65  # sd of a single score


@dataclass(frozen=True)
class RatingCampaign:
    inputs: tuple[InputType, ...]  # input types, each with its systems
    judges: int  # number of judges
    criteria: Mapping[str, Criterion]  # what is scored, by name
    per_output: int = 2  # judges who score each output
    severity: float = 0.35  # sd of judges
    segment: float = 0.35  # sd of segments
    output: float = 0.5  # sd of outputs within a segment
    together: float = 0.9  # correlation over criteria of severities, and of outputs

    def __post_init__(self) -> None:
        needed = max(len(one.worth) for one in self.inputs) * self.per_output
        if self.judges < needed:
            raise UnknownOption(
                f"{self.judges} judges are too few: a segment of {needed // self.per_output}"
                f" systems needs {needed}, since nobody sees it twice"
            )

    def simulate(self, seed: int = SEED) -> SimulatedRatings:
        rng = np.random.default_rng(seed)
        outputs = _Outputs.of(self)
        # the judges of each segment are those with the least load, at random
        load = np.zeros(self.judges)
        judge = np.empty(outputs.size * self.per_output, dtype=np.int64)
        slots = np.bincount(outputs.segment) * self.per_output
        ends = np.cumsum(slots)
        for at in rng.permutation(len(slots)).tolist():
            chosen = np.argsort(load + rng.random(self.judges), kind="stable")[: slots[at]]
            judge[ends[at] - slots[at] : ends[at]] = rng.permutation(chosen)
            load[chosen] += 1
        output = np.repeat(np.arange(outputs.size), self.per_output)
        criteria = [*self.criteria.values()]
        noise = np.array([[one.noise] for one in criteria])
        effects = (
            self.segment * _draw(self, len(outputs.segments), rng)[:, outputs.segment[output]]
            + self.output * _draw(self, outputs.size, rng)[:, output]
            + self.severity * _draw(self, self.judges, rng)[:, judge]
            + noise * rng.standard_normal((len(criteria), len(output)))
        )
        z = outputs.worth[output] + effects
        thresholds = [np.array(one.thresholds) for one in criteria]
        scores = np.stack([np.searchsorted(*pair) + 1 for pair in zip(thresholds, z, strict=True)])
        order = np.lexsort((rng.random(len(output)), judge))
        return _tabulate(self, outputs, (output[order], judge[order]), scores[:, order])


@dataclass(frozen=True, eq=False)
class SimulatedRatings:
    """A simulated table, one score a row, judge by judge in the order of showing."""

    # judge, item, system, input, criterion (text) and score (whole numbers), (n,) each
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


@dataclass(frozen=True, eq=False)
class _Outputs:
    """Outputs in a row: input by input, segment by segment, system by system."""

    segment: Integers  # (O,) number of the segment
    system: Integers  # (O,) number of the system
    worth: Array  # (O,) of the system
    segments: tuple[str, ...]  # names by number
    systems: tuple[str, ...]  # names by number
    inputs: tuple[str, ...]  # names by number of the system

    @property
    def size(self) -> int:
        return len(self.segment)

    @classmethod
    def of(cls, campaign: RatingCampaign) -> _Outputs:
        segment, system, worth = [], [], []
        segments: list[str] = []
        systems: list[str] = []
        inputs: list[str] = []
        for one in campaign.inputs:
            k, width = len(one.worth), len(str(one.segments))
            segment.append(np.repeat(np.arange(one.segments), k) + len(segments))
            system.append(np.tile(np.arange(k), one.segments) + len(systems))
            worth.append(np.tile(np.array([*one.worth.values()]), one.segments))
            segments += [f"{one.name}-{at + 1:0{width}d}" for at in range(one.segments)]
            systems += one.worth
            inputs += [one.name] * k
        return cls(
            np.concatenate(segment),
            np.concatenate(system),
            np.concatenate(worth),
            tuple(segments),
            tuple(systems),
            tuple(inputs),
        )


def _draw(campaign: RatingCampaign, n: int, rng: np.random.Generator) -> Array:
    """Return (criteria, n) standard normal effects, correlated over criteria."""
    shared = rng.standard_normal(n)
    single = rng.standard_normal((len(campaign.criteria), n))
    share = campaign.together
    return np.asarray(np.sqrt(share) * shared + np.sqrt(1 - share) * single)


def _tabulate(
    campaign: RatingCampaign, outputs: _Outputs, rows: tuple[Integers, Integers], scores: Integers
) -> SimulatedRatings:
    output, judge = rows
    criteria = [*campaign.criteria]
    c, n = scores.shape
    width = len(str(campaign.judges))
    names = np.array([f"J{at + 1:0{width}d}" for at in range(campaign.judges)], dtype=object)
    system = np.tile(outputs.system[output], c)
    order = np.lexsort((np.tile(np.arange(n), c), np.repeat(np.arange(c), n), np.tile(judge, c)))
    columns = {
        "judge": names[np.tile(judge, c)],
        "item": np.array(outputs.segments, dtype=object)[np.tile(outputs.segment[output], c)],
        "system": np.array(outputs.systems, dtype=object)[system],
        "input": np.array(outputs.inputs, dtype=object)[system],
        "criterion": np.repeat(np.array(criteria, dtype=object), n),
        "score": scores.ravel(),
    }
    return SimulatedRatings({name: column[order] for name, column in columns.items()})


def _space(
    name: str, n: int, ends: tuple[float, float], human: float | None
) -> Mapping[str, float]:
    """Return n systems of evenly spaced worth, the last of them human if so wished."""
    machines = n if human is None else n - 1
    worths = np.linspace(*ends, machines).tolist()
    worth = {f"{name}-{at}": round(one, 3) for at, one in enumerate(worths, start=1)}
    return worth if human is None else {**worth, f"Human-{name}": human}


CAMPAIGN: Final = RatingCampaign(
    inputs=(
        InputType("ASR", 390, _space("ASR", 6, (-0.05, -0.6), None)),
        InputType("Verbatim", 392, _space("Verbatim", 9, (0.25, -0.35), 1.3)),
        InputType("FTE", 392, _space("FTE", 11, (0.45, -0.25), 1.4)),
    ),
    judges=125,
    criteria={
        "fluency": Criterion((-0.93, -0.44, 0.0, 0.6), noise=0.68),
        "adequacy": Criterion((-1.06, -0.54, -0.06, 0.54), noise=0.83),
    },
)
SIMULATED: Final = ("hamon2007_simulated",)  # Names of campaigns that can be simulated as they are


def simulate(name: str, seed: int = SEED) -> SimulatedRatings:
    """Draw a campaign by its name."""
    require_option("simulated campaign", name, SIMULATED)
    return CAMPAIGN.simulate(seed)
