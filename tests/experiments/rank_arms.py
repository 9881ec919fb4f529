"""``make arms``: rank sets and their rivals on fourteen kinds of campaign, as one table.

Ten systems, 20 judges, 50 items and 2,000 judgments where an arm does not say otherwise. Rank sets
cover if every system's true rank lies in its set; the width is the mean number of places in a set.
Beside the default, on the same campaigns:

    recipe       the wild cluster bootstrap without leverage: each judge's change −(J − 1) d_g moves
                 by one common mean (INFERENCE A5)
    both         judge and item each by itself, a pair decided if both decide it (A6)
    model        intervals of the model, pairs one at a time
    percentile   rank quantiles .025 and .975 over 300 resamples of single votes
    jackknife-t  max-|t| of N(0, V)/√(χ²/(J − 1)) with V by judge: the least that is due
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import click
import numpy as np

from evenhand.data.groups import Levels
from evenhand.data.tally import Tally
from evenhand.data.weights import cap_loads
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.numerics.bootstrap import draw_webb
from evenhand.numerics.multiple_tests import step_down
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.covariance import ClusteredErrors, leave_each_out
from evenhand.ranking.inference import REPLICATES, Settings
from evenhand.ranking.intervals import pair_variance, rank_ranges
from evenhand.ranking.rank import make_ranking
from evenhand.ranking.ranking import Ranking
from experiments.campaign import Campaign, generator, method_seed
from experiments.vote_resamples import resample_ranks

R = 500
LEVEL = 0.95
PAIRS = np.triu_indices(10, 1)


@dataclass(frozen=True)
class Arm:
    """Campaigns of one kind, and how they are clustered."""

    campaign: Campaign
    says: str = ""
    cluster: str | None = None
    ties: str = "discard"
    capped: bool = False

    @property
    def ways(self) -> tuple[str, ...]:
        return ("judge", "item") if self.cluster is None else (self.cluster,)

    @property
    def head(self) -> str:
        """What begins the arm's row."""
        one = self.campaign
        cells = (f"{one.gap:.2f}", f"{one.judge_sd:.1f}", f"{one.item_sd:.1f}")
        short = (cell.lstrip("0") if float(cell) else "0" for cell in cells)
        return f"| {' | '.join((*short, self.says))} |"


ARMS = {
    1: Arm(Campaign(0.30, 0.0, 0.0)),
    2: Arm(Campaign(0.03, 0.0, 0.0)),
    3: Arm(Campaign(0.00, 0.0, 0.0)),
    4: Arm(Campaign(0.15, 0.5, 0.0)),
    5: Arm(Campaign(0.03, 0.5, 0.0)),
    6: Arm(Campaign(0.03, 0.3, 0.5)),
    7: Arm(
        Campaign(0.0, 0.5, 0.0, judges=8, n=1000), "8 judges, 1,000 judgments; by judge", "judge"
    ),
    8: Arm(
        Campaign(0.0, 0.5, 0.0, judges=60, n=3000), "60 judges, 3,000 judgments; by judge", "judge"
    ),
    9: Arm(Campaign(0.0, 0.5, 0.0, loads="zipf"), "loads like 1/rank; by judge", "judge"),
    10: Arm(
        Campaign(0.0, 0.5, 0.0, loads="zipf"),
        "the same, `--judge-cap median`",
        "judge",
        capped=True,
    ),
    11: Arm(Campaign(0.0, 0.3, 0.5, items=60), "60 items"),
    12: Arm(Campaign(0.0, 0.5, 0.5, items=20, n=8000), "20 items, 8,000 judgments"),
    13: Arm(Campaign(0.0, 0.5, 0.0, seen=4), "each judge sees 4 systems; by judge", "judge"),
    14: Arm(
        Campaign(0.05, 0.3, 0.5, items=60, tie=0.8), "60 items, ν = .8, Davidson", ties="davidson"
    ),
}


@dataclass
class Count:
    """How many of the campaigns a method covered, and the width of its sets."""

    covered: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, lower: np.ndarray, upper: np.ndarray, worth: np.ndarray) -> None:
        best = 1 + (worth > worth[:, None]).sum(axis=1)
        worst = len(worth) - (worth < worth[:, None]).sum(axis=1)
        self.covered += bool((lower <= best).all() and (upper >= worst).all())
        self.widths.append(float((upper - lower + 1).mean()))

    @property
    def share(self) -> float:
        return self.covered / len(self.widths)

    @property
    def width(self) -> float:
        return float(np.mean(self.widths))

    def __str__(self) -> str:
        share = f"{self.share:.3f}"
        return f"{share if self.share == 1 else share.lstrip('0')}, {self.width:.2f}"


class Case(NamedTuple):
    """A campaign as rivals see it: the fit of the default, and leaving each judge or item out."""

    tally: Tally
    fit: Fit
    clusterings: list[ClusteredErrors]


Ranges = tuple[np.ndarray, np.ndarray]


def rank_campaign(arm: Arm, tally: Tally, seed: int) -> Ranking:
    evidence = Evidence.of(tally)
    loads = {name: factor.loads for name, factor in evidence.factors.items()}
    model = BradleyTerry(ties=arm.ties)
    settings = Settings(model, "rank-sets", arm.cluster, LEVEL, seed, None)
    return make_ranking(evidence, Levels(loads), settings)


def ranges(fit: Fit, decided: np.ndarray) -> Ranges:
    """Rank ranges that these decided pairs leave."""
    worth = fit.log_worth
    apart = (worth[:, None] - worth)[PAIRS]
    square = np.zeros((10, 10), dtype=np.int8)
    square[PAIRS] = np.where(decided, np.sign(apart), 0)
    return rank_ranges(square - square.T)


def size_of(fit: Fit, variance: np.ndarray) -> np.ndarray:
    worth = fit.log_worth
    return np.abs((worth[:, None] - worth)[PAIRS]) / np.sqrt(variance)


def decide_by_recipe(fit: Fit, way: ClusteredErrors, rng: np.random.Generator) -> np.ndarray:
    """Pairs decided by the wild cluster bootstrap whose worlds know no leverage."""
    influence = way.influence
    changes = influence.changes @ influence.rows.T
    changes = changes[:, PAIRS[0]] - changes[:, PAIRS[1]]
    changes -= changes.mean(axis=0)
    g = len(changes)
    pulls = -(g - 1) * changes
    weights = draw_webb((REPLICATES, g), rng)
    moved = weights @ pulls / g
    spread = ((weights**2) @ (pulls**2) / g - moved**2) / (g - 1)
    worlds = np.abs(moved) / np.sqrt(spread)
    return step_down(size_of(fit, (pulls**2).mean(axis=0) / (g - 1)), [worlds], LEVEL)[0]


def by_recipe(case: Case, rng: np.random.Generator) -> Ranges:
    return ranges(case.fit, decide_by_recipe(case.fit, case.clusterings[0], rng))


def by_both(case: Case, rng: np.random.Generator) -> Ranges:
    decided = [decide_by_recipe(case.fit, way, rng) for way in case.clusterings]
    return ranges(case.fit, np.logical_and.reduce(decided))


def by_model(case: Case, rng: np.random.Generator) -> Ranges:
    variance = pair_variance(case.fit.worth_vcov)[PAIRS]
    return ranges(case.fit, size_of(case.fit, variance) > 1.959964)


def by_votes(case: Case, rng: np.random.Generator) -> Ranges:
    return resample_ranks(case.tally, case.fit.tally, rng)


def by_jackknife_t(case: Case, rng: np.random.Generator) -> Ranges:
    """Decide by max |N(0, V)| / √(χ²/(J − 1)), V by judge."""
    fit, way = case.fit, case.clusterings[0]
    vcov = fit.to_worth(way.vcov)
    drawn = rng.multivariate_normal(np.zeros(10), vcov, 1000, method="eigh")
    df = way.factor.size - 1
    drawn /= np.sqrt(rng.chisquare(df, (1000, 1)) / df)
    variance = pair_variance(vcov)[PAIRS]
    worlds = np.abs(drawn[:, PAIRS[0]] - drawn[:, PAIRS[1]]) / np.sqrt(variance)
    return ranges(fit, step_down(size_of(fit, variance), [worlds], LEVEL)[0])


RIVALS: dict[str, Callable[[Case, np.random.Generator], Ranges]] = {
    "recipe": by_recipe,
    "both": by_both,
    "model": by_model,
    "percentile": by_votes,
    "jackknife-t": by_jackknife_t,
}


def cap(tally: Tally) -> Tally:
    """Judges above the median load weigh as much as the median judge, as `--judge-cap` does."""
    judge = tally.factor("judge")
    own = cap_loads(judge.loads)
    weight = own[judge.codes]
    capped = replace(judge, loads=judge.loads * own)
    return replace(
        tally,
        wins=tally.wins * weight,
        ties=tally.ties * weight,
        losses=tally.losses * weight,
        squares=tally.counts * (weight**2)[:, None],
        factors={**tally.factors, "judge": capped},
    )


def run(
    number: int, replicates: int = R, rivals: Sequence[str] = tuple(RIVALS)
) -> dict[str, Count]:
    """The default and rivals on the campaigns of one arm."""
    arm = ARMS[number]
    chosen = [name for name in rivals if name != "both" or len(arm.ways) > 1]
    found = {name: Count() for name in ("default", *chosen)}
    for replicate in range(replicates):
        tally = arm.campaign.simulate(generator(1, number, replicate))
        tally = cap(tally) if arm.capped else tally
        try:
            ranking = rank_campaign(arm, tally, method_seed(1, number, replicate))
        except NotIdentified:  # no judge saw one of the systems: refused, which is no claim
            continue
        truth = arm.campaign.worth
        own = truth[[int(name[1:]) for name in ranking.systems]]
        found["default"].add(ranking.rank_lower, ranking.rank_upper, own)
        fit = ranking.fit
        ways = arm.ways if chosen else ()
        case = Case(tally, fit, [leave_each_out(fit, tally, name) for name in ways])
        for name in chosen:
            rng = generator(1, number, replicate, 2, list(RIVALS).index(name))
            found[name].add(*RIVALS[name](case, rng), truth)
    return found


def write_row(arm: Arm, found: dict[str, Count]) -> str:
    cells = (str(found[name]) if name in found else "" for name in ("default", *RIVALS))
    return f"{arm.head} {' | '.join(cells)} |"


def write_header() -> list[str]:
    names = ("gap", "σ_J", "σ_I", "campaign", "default", *RIVALS)
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


@click.command()
@click.option("--replicates", default=R, show_default=True, help="Campaigns of each kind.")
def main(replicates: int) -> None:
    """Print the table: coverage, and mean width of a rank set in places."""
    click.echo("\n".join(write_header()))
    with ProcessPoolExecutor() as pool:
        every = pool.map(partial(run, replicates=replicates), ARMS)
        for arm, found in zip(ARMS.values(), every, strict=True):
            click.echo(write_row(arm, found))


if __name__ == "__main__":
    main()
