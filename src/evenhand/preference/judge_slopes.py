"""Judges who tell systems apart more or less sharply: a slope for every judge.

    P(left preferred, no tie) = σ(a_l (θ_j − θ_k)),    a_l = exp(τ z_l),  z_l ~ N(0, 1)

θ = 2λ is the log-worth, σ the logistic function, l the judge. With ties (Davidson) p is in
proportion to exp(a_l d), exp(γ), exp(−a_l d), d = λ_j − λ_k, with one γ for all judges. The mean
log-slope is 0, which gives θ its unit: the log-odds of a judge in the middle. Slopes are integrated
out, one integral for each judge; τ = 0 is the plain model, and each judge's slope is drawn towards
1 by as much as the other judges' slopes are near each other.

Sources: Chen, Bennett, Collins-Thompson & Horvitz (2013), WSDM, 193-202 (a quality for every judge
in the Bradley-Terry model); the log-normal slope is that of a two-parameter item response model,
Bock & Aitkin (1981), Psychometrika 46:443-459.

When not to use it: a slope is positive, so a judge who turns the scale round looks like one who
cannot tell systems apart; judges who differ in what they like and not in how sharply need random
worths; where judges gave a handful of comparisons each, τ is hardly determined. Comparisons of one
judge are independent here once the slope is known: those of one ranking are not, and look like a
difference of judges where there is none (so no test on rankings), nor are items that several saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_option
from evenhand.judgments.forms import Judgments, count_pairs
from evenhand.judgments.tally import Tally
from evenhand.numerics.newton import maximise
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.cells import Cells
from evenhand.preference.design import plain_design, reference_code
from evenhand.preference.existence import check_existence
from evenhand.preference.likelihood import Likelihood
from evenhand.preference.slopes.cells import SlopeCells, make_slope_cells
from evenhand.preference.slopes.fit import Slopes, SlopesFit, TauTest
from evenhand.preference.slopes.likelihood import SlopeLikelihood
from evenhand.preference.slopes.posterior import slope_quantiles
from evenhand.preference.slopes.search import NODES, Interval, Peak, find_interval, find_peak
from evenhand.preference.ties.laws import Davidson, TieLaw, TwoOutcomes

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
SlopeTies = Literal["davidson", "discard"]
TIES: Final[tuple[str, ...]] = get_args(SlopeTies)
FEW: Final = 5
"""Judges below which nothing is said of a population of judges."""
MOST: Final = 1e9
"""Comparisons beyond which the rounding of a log-likelihood is as large as what a judge adds."""
PRIOR: Final = "fit --model bradley-terry --prior 1"
WITHOUT: Final = "fit a model without slopes, such as --model bradley-terry"
RANKINGS: Final = (
    "comparisons of one ranking hang together, which tau takes for a difference of judges: no test"
    " and no interval; intervals of slopes and worths take comparisons for independent"
)
_LAWS: Final[Mapping[bool, TieLaw]] = {True: Davidson(), False: TwoOutcomes()}


@dataclass(frozen=True)
class JudgeSlopes:
    """Settings of a Bradley-Terry model with a slope for every judge.

    Attributes:
        ties: davidson (a common γ) or discard (drop tied comparisons).
        reference: the system with λ = 0; the last by default.

    >>> from evenhand.judgments import Factor
    >>> judge = Factor(("ann", "tom"), np.array([0, 1], np.int32), np.array([20.0, 20.0]), 2)
    >>> one, two = np.zeros(2, np.int32), np.ones(2, np.int32)
    >>> counts = np.array([18.0, 11.0]), np.zeros(2), np.array([2.0, 9.0])
    >>> fit = JudgeSlopes().fit(Tally(("A", "B"), one, two, *counts, {"judge": judge}, 40))
    >>> bool(fit.slopes.estimate[0] > 1 > fit.slopes.estimate[1])
    True
    """

    ties: SlopeTies = "davidson"
    reference: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        require_option("ties", self.ties, TIES)

    def fit(self, data: Judgments) -> SlopesFit:
        """Fit by maximum marginal likelihood.

        Raises:
            NotIdentified: worths or τ have no finite maximum, there is one judge, or none gave two
                comparisons; names the systems and the remedy.
            InvalidJudgments: a value in the data that cannot be.
            UnknownColumn: the data name no judges.
            UnknownOption: importance weights, or judges that were merged.
            NotConverged: the likelihood has no clear maximum, or counts are too large for one.

        """
        tally = self._tally(data)
        counts = tally.counts
        if self.ties == "discard":
            counts = counts * np.array([1.0, 0.0, 1.0])
        notes, free = self._check(tally)
        law = _LAWS[free]
        cells, codes = make_slope_cells(tally, counts)
        _refuse_judges(cells)
        with one_blas_thread():
            return self._fit(tally, cells, codes, law, notes)

    def _tally(self, data: Judgments) -> Tally:
        """Count by judge, who stood first forgotten."""
        tally = count_pairs(data, ("judge",))
        judge = tally.factor("judge")
        if judge.merged:
            raise UnknownOption("judges were merged into clusters: tally without a limit for them")
        if tally.squares is not None:
            raise UnknownOption(
                "importance weights are no counts, and the likelihood of slopes needs counts: read"
                " the file without them"
            )
        return replace(tally, factors={"judge": judge}).fold()

    def _check(self, tally: Tally) -> tuple[tuple[str, ...], bool]:
        """Refuse worths without a finite maximum; return notes, and whether γ is estimated."""
        if len(tally.systems) < 2:
            raise NotIdentified("nothing to compare: there are fewer than two systems")
        pooled = tally.pool()
        sides, counts = (pooled.left, pooled.right), (pooled.wins, pooled.ties, pooled.losses)
        try:
            verdict = check_existence(Cells(tally.systems, *sides, *counts), ties=self.ties)
        except NotIdentified as refusal:  # its options are not those of this model
            data = refusal.without_options().remedies
            remedies = (*data, PRIOR) if data else ()  # no prior makes comparisons
            raise NotIdentified(refusal.fault, remedies, refusal.leave) from None
        return verdict.notes, verdict.ties_estimated

    def _fit(
        self, tally: Tally, cells: SlopeCells, codes: Codes, law: TieLaw, notes: tuple[str, ...]
    ) -> SlopesFit:
        reference = reference_code(tally.systems, self.reference)
        flat = _fit_flat(tally.pool(), reference, law, self.ties)
        likelihood = SlopeLikelihood(cells, law, reference, NODES)
        peak, level = find_peak(likelihood, flat)
        interval = None if _of_rankings(tally) else find_interval(likelihood, peak, level)
        names = tuple(tally.factor("judge").labels[i] for i in codes.tolist())
        others = [i for i in range(len(tally.systems)) if i != reference]
        return SlopesFit(
            model=self,
            systems=tally.systems,
            names=(*(f"o{i + 1}" for i in others), *(["g1"] if law.free else [])),
            labels=(*(tally.systems[i] for i in others), *(["tie"] if law.free else [])),
            estimate=_read_only(peak.beta[: len(flat)]),
            vcov=_read_only(peak.vcov),
            tau=peak.tau,
            tau_interval=(interval.lower, interval.upper) if interval else None,
            tau_method=interval.method if interval else "none",
            tau_test=TauTest.make(peak.loglik - level) if interval else None,
            slopes=_slopes(likelihood, peak, names),
            loglik=peak.loglik,
            flat_loglik=level,
            n_judgments=tally.n_judgments,
            n_comparisons=float(cells.counts.sum()),
            nodes=peak.nodes,
            quadrature_error=peak.error,
            notes=(*notes, *_note_silent(tally, codes), *_note_tau(peak, interval, len(names))),
            law=law,
            reference=reference,
        )


def _fit_flat(pooled: Tally, reference: int, law: TieLaw, ties: str) -> Array:
    """Return λ and γ of the model without slopes."""
    counts = pooled.counts
    if ties == "discard":
        counts = counts * np.array([1.0, 0.0, 1.0])
    likelihood = Likelihood(plain_design(pooled, reference), law, np.asfortranarray(counts))
    return maximise(likelihood.expand, likelihood.start(), reach=likelihood.reach).at


def _slopes(likelihood: SlopeLikelihood, peak: Peak, names: tuple[str, ...]) -> Slopes:
    held = likelihood.hold(peak.tau)
    cells = likelihood.cells
    worths, gamma, tau = held.parts(peak.beta)
    middle, lower, upper = slope_quantiles(cells, likelihood.law, worths, gamma, tau)
    loads = cells.sums(cells.counts.sum(axis=1))
    return Slopes(names, *(_read_only(one) for one in (middle, lower, upper, loads)))


def _refuse_judges(cells: SlopeCells) -> None:
    """Refuse judgments that say nothing of how slopes differ, or counts too large for floats."""
    fault, loads = "slopes of judges are not identified", cells.sums(cells.counts.sum(axis=1))
    if cells.judges == 1:
        raise NotIdentified(
            f"{fault}: there is one judge, whose slope is the unit of the worths",
            ["collect judgments of several judges", WITHOUT],
        )
    if not (loads >= 2).any():
        raise NotIdentified(
            f"{fault}: no judge gave two comparisons that count",
            ["collect more from each", WITHOUT],
        )
    if loads.sum() > MOST:
        raise NotConverged(
            f"slopes of judges cannot be fitted to {loads.sum():,.0f} comparisons (at most"
            f" {MOST:,.0f}): rounding hides how judges differ",
            ["check whether these are counts", WITHOUT],
        )


def _of_rankings(tally: Tally) -> bool:
    """Say whether one answer makes several comparisons."""
    return tally.n_judgments < tally.n_comparisons * (1 - 1e-9)


def _note_silent(tally: Tally, codes: Codes) -> list[str]:
    """Say which judges have no slope: those with only ties, those of whom no row counts."""
    judge = tally.factor("judge")
    given = np.bincount(judge.codes, tally.counts.sum(axis=1), minlength=judge.size)
    slopeless = np.setdiff1d(np.arange(judge.size), codes)
    ties, nothing = int((given[slopeless] > 0).sum()), int((given[slopeless] == 0).sum())
    said = [(ties, "gave only ties"), (nothing, "gave no judgment with a weight")]
    return [
        f"{'1 judge' if many == 1 else f'{many:,} judges'} {what}: no slope"
        for many, what in said
        if many
    ]


def _note_tau(peak: Peak, interval: Interval | None, judges: int) -> list[str]:
    """Say so where τ is 0 or hardly known, or of rankings, which have no interval."""
    notes = [RANKINGS] if interval is None else []
    if judges < FEW:
        notes.append(
            f"{judges} judges are too few to say how much judges differ: intervals are too short"
        )
    if not peak.tau:
        notes.append("τ = 0: judges are not told apart, and every slope is 1")
    if interval is not None and interval.lost:
        notes.append("an end of the interval of τ was not found: its likelihood cannot be followed")
    elif interval is not None and interval.upper == np.inf:
        notes.append("the judgments hardly say how much slopes differ: τ has no upper end")
    return notes


def _read_only(array: Array) -> Array:
    array = array.copy()
    array.flags.writeable = False
    return array
