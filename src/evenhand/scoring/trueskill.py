"""TrueSkill as WMT 2014 to 2016 ranked with it: N + 1 matches per resample, a thousand resamples.

    μ_i = 0, σ_i = .5, β = σ n/40, τ = 0, 25 % draws between equals; n = N + 1 matches:
    a = the system with the largest σ, b with P ∝ exp(−|μ_a − μ_b|), one judgment on them at random,
    score = mean of μ over resamples, clusters from its ranks in them (`scoring.clusters`).

Keisuke Sakaguchi, Matt Post and Benjamin Van Durme (2014), "Efficient Elicitation of Annotations
for Human Evaluation of Machine Translation", WMT, pages 1-11; settings and choice of matches as in
keisks/wmt-trueskill, which computed the official rankings (Bojar et al., findings of WMT 2014, 2015
and 2016). The update of one match is in `scoring.trueskill_update`.

β grows with the number of matches, so that single matches hardly move a skill and σ hardly shrinks:
the score is then nearly a sum of wins less losses, over opponents that matter more the nearer they
are. Its scale means nothing by itself; its σ is no uncertainty, so ranges come from resampling.

When not to use it: a score of the log-linear models has a likelihood, intervals by judge and no
randomness of its own. Here matches are drawn, so that scores wander from seed to seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.scoring.clusters import RUNS, find_clusters, rank_ranges
from evenhand.scoring.linked import require_linked
from evenhand.scoring.resampling import Urn, fill_urn
from evenhand.scoring.trueskill_replay import Matches, replay

Array = NDArray[np.float64]
_DENSE: Final = 20_000_000
"""Most chances that are held at once."""
_WORK: Final = 4_000_000_000
"""Most matches × systems × runs: about a minute or two; WMT16's largest task needs 3.9 · 10⁹."""


@dataclass(frozen=True)
class TrueSkill:
    """Settings of TrueSkill; the defaults are those of WMT 2014 to 2016.

    Attributes:
        runs: resamples, each with its own matches.
        matches: matches per resample, one more than there are comparisons by default, or as many
            as a minute or two allows. Fewer are quicker, and noisier.
        by: a factor whose levels are drawn, such as "ranking", or None for single comparisons.
        level: share of places that a rank range holds.

    """

    runs: int = RUNS
    matches: int | None = None
    by: str | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            UnknownOption: fewer than one run or match.

        """
        for name, value in (("runs", self.runs), ("matches", self.matches)):
            if value is not None and value < 1:
                raise UnknownOption(f"{name} cannot be {value}: it is a whole number from 1")


WMT: Final = TrueSkill()


def score_trueskill(tally: Tally, *, seed: int = SEED, settings: TrueSkill = WMT) -> Scores:
    """Score by TrueSkill as WMT 2014-16 did, with rank ranges and clusters.

    Args:
        tally: the comparisons, with the factor of `settings.by` if that is drawn.
        seed: of resamples and matches.
        settings: how many of them.

    Returns:
        Mean skills; standard deviations over resamples; ranges and clusters.

    Raises:
        InvalidJudgments: single comparisons are drawn and the weights are no counts of them.
        NotIdentified: there are no comparisons, or some systems were never compared with others.
        UnknownColumn: the tally was not made by that factor.

    """
    require_linked(tally)
    urn = fill_urn(tally, by=settings.by)
    n = settings.matches or _affordable(urn, settings.runs)
    played = list(_replays(urn, n, settings.runs, seed))
    samples = np.concatenate([skills for skills, _ in played])
    absent = np.sum([missing for _, missing in played], axis=0)
    values = samples.mean(axis=0)
    best, worst = rank_ranges(samples, settings.level)
    said = (seed, settings.runs, settings.level, urn.name, n)
    return Scores(
        rule="trueskill",
        systems=tally.systems,
        values=values,
        unit="skill",
        stderr=samples.std(axis=0, ddof=1),
        rank_lower=best,
        rank_upper=worst,
        cluster=find_clusters(values, best, worst),
        settings=tuple(
            f"{name}={value}"
            for name, value in zip(("seed", "runs", "level", "drawn", "matches"), said, strict=True)
        ),
        notes=_thinning(urn, n) + _absences(tally.systems, absent, settings.runs),
    )


def _replays(
    urn: Urn, matches: int, runs: int, seed: int
) -> Iterator[tuple[Array, NDArray[np.intp]]]:
    """Yield (R, K) skills of as many runs as fit in memory, and in how many who met nobody."""
    rng = np.random.Generator(np.random.PCG64(seed))
    at_once = max(1, min(runs, _DENSE // len(urn.pairs.systems) ** 2))
    draws = urn.draw(runs, rng)
    while drawn := list(islice(draws, at_once)):
        counts = np.stack(drawn)
        yield replay(Matches.of(urn.pairs, counts), matches, rng), _count_absent(urn.pairs, counts)


def _count_absent(pairs: Tally, counts: Array) -> NDArray[np.intp]:
    """Return (K,) in how many runs each system met nobody.

    Args:
        pairs: the pairs of systems, each once.
        counts: (R, C, 3) wins, ties and losses of each pair in every run.

    """
    k = len(pairs.systems)
    ends = np.concatenate([pairs.left, pairs.right])
    met = [np.bincount(ends, np.tile(one, 2), k) for one in counts.sum(axis=2)]
    return np.asarray((np.stack(met) == 0).sum(axis=0))


def _affordable(urn: Urn, runs: int) -> int:
    """One match more than there are comparisons, as WMT played; fewer on very large data."""
    wanted = urn.size + 1
    return min(wanted, max(1, _WORK // (runs * len(urn.pairs.systems))))


def _thinning(urn: Urn, matches: int) -> tuple[str, ...]:
    """Say where fewer matches are played than there are comparisons: chance weighs more."""
    if matches >= urn.size:
        return ()
    return (
        f"{matches:,} matches a run instead of {urn.size + 1:,}: rank ranges are wider than with"
        " all",
    )


def _absences(systems: tuple[str, ...], absent: NDArray[np.intp], runs: int) -> tuple[str, ...]:
    """Say which systems met nobody in some resamples: their skill stayed at zero there."""
    if not absent.any():
        return ()
    names = [f"{systems[i]} ({absent[i]})" for i in np.flatnonzero(absent).tolist()]
    return (
        f"without a comparison in some of {runs:,} resamples, counted as average there:"
        f" {listing(names)}",
    )
