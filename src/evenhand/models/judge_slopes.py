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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np

from evenhand.data.controls import Judgments, count_pairs
from evenhand.data.taking import takes_judgments
from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified, require_option
from evenhand.models.base import (
    Coefficient,
    LRTest,
    ParametricFit,
    add_reference,
    finite,
    name_worths,
)
from evenhand.models.design import plain_design, reference_code, require_counts, unmerged
from evenhand.models.existence import check_tally, require_two
from evenhand.models.judge_slopes_likelihood import (
    NODES,
    SlopeCells,
    SlopeLikelihood,
    find_interval,
    find_peak,
    make_slope_cells,
    slope_quantiles,
)
from evenhand.models.likelihood import Likelihood
from evenhand.models.texts import say
from evenhand.models.ties import Davidson, TieLaw, TwoOutcomes
from evenhand.numerics import Array
from evenhand.numerics.newton import maximise
from evenhand.numerics.sampling import one_blas_thread
from evenhand.render.findings import Finding

# Points over the population of judges in predictions, evenly spaced: exact to ten digits at every
# τ that is fitted, since the chances are smooth in z on a scale of 1/τ
MIXING: Final = 401
FARTHEST: Final = 9.0  # Standard deviations beyond which there is no judge
PAIRS_AT_ONCE: Final = 2_000  # Pairs that are predicted at once, so that memory stays small
MAX_SLOPES_NAMED: Final = 5
LEVEL: Final = 0.05
QUARTILE: Final = 0.6744897501960817


@dataclass(frozen=True, eq=False)
class Slopes:
    """The judges' slopes given the data, worths and τ taken as known."""

    judges: tuple[str, ...]  # names
    estimate: Array  # (J,) posterior median; 1 is a judge in the middle (geometric mean 1)
    lower: Array  # (J,) .025 quantile of the posterior
    upper: Array  # (J,) .975 quantile
    comparisons: Array  # (J,) comparisons of each judge


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SlopesFit(ParametricFit):
    """Parameters are λ, and γ where it is free, for a judge of slope 1."""

    model: JudgeSlopes  # the settings
    # (p + 1, p + 1) covariance of `estimate` and of log τ; without the last where τ is 0
    vcov: Array
    tau: float  # standard deviation of the judges' log-slopes
    # its .95 interval; infinity where it has no upper end; None on rankings
    tau_interval: tuple[float, float] | None
    tau_method: str  # how that was found, "profile likelihood", "Wald on log τ" or "none"
    # the likelihood-ratio test of τ = 0; None on rankings, whose comparisons are correlated
    tau_test: LRTest | None
    slopes: Slopes  # the judges' slopes
    flat_loglik: float  # that of the same model with τ = 0
    nodes: int  # nodes of the integral per judge
    quadrature_error: float  # change in log-likelihood with twice as many (nats)
    law: TieLaw  # the tie law
    reference: int  # code of the system whose λ is zero

    assumes = "judgments independent given judges' slopes"

    @cached_property
    def log_worth(self) -> Array:
        """(K,) log-worth = 2λ (natural log-odds of a judge of slope 1), the reference at 0."""
        return 2 * np.insert(self.estimate[: len(self.systems) - 1], self.reference, 0.0)

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of `log_worth`; judges are its clusters, by the model."""
        return add_reference(4 * self.vcov, len(self.systems), self.reference)

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter; τ last, without z and p, since 0 is the end of its range."""
        p, vcov = len(self.names), self.vcov
        stderr = self.tau * float(np.sqrt(vcov[p, p])) if len(vcov) > p else None
        rows = self.list_coefficients(vcov[:p, :p], self.reference)
        return (*rows, Coefficient("tau", "judge slopes", self.tau, stderr, None, None))

    @property
    def signature_parts(self) -> tuple[str, ...]:
        named = self.systems[self.reference]
        return (f"ties={self.model.ties}", f"reference={named}", f"{self.nodes} nodes")

    @property
    def extras(self) -> Mapping[str, Any]:
        test, slopes = self.tau_test, self.slopes
        columns = (slopes.estimate, slopes.lower, slopes.upper, slopes.comparisons)
        rows = zip(slopes.judges, *(column.tolist() for column in columns), strict=True)
        names = ("judge", "estimate", "lower", "upper", "comparisons")
        return {
            "tau": self.tau,
            "tau_interval": [finite(end) for end in self.tau_interval or (np.inf, np.inf)],
            "lr_statistic": None if test is None else test.statistic,
            "lr_p": None if test is None else test.p,
            "flat_loglik": self.flat_loglik,
            "n_judges": float(len(slopes.judges)),
            "slopes": [dict(zip(names, row, strict=True)) for row in rows],
        }

    @cached_property
    def says(self) -> tuple[Finding, ...]:
        tau, test, slopes = self.tau, self.tau_test, self.slopes
        if test is None:
            sentences = [say("slopes-untested")]
        else:
            code = "slopes-alike" if test.p > LEVEL else "slopes-differ"
            sentences = [say(code, statistic=test.statistic, p=test.p)]
        if self.tau_interval is None:
            sentences.append(say("slopes-of-rankings", tau=tau))
        else:
            lower, high = self.tau_interval
            upper = "no upper end" if high == np.inf else f"{high:.3f}"
            factor = float(np.exp(QUARTILE * tau))
            ends = {"lower": lower, "upper": upper, "low": 1 / factor, "high": factor}
            sentences.append(say("slopes", tau=tau, method=self.tau_method, **ends))
        sentences.append(say("slopes-loglik", "info", loglik=self.loglik, flat=self.flat_loglik))
        if tau > 0 and test is not None:
            flattest = []
            for i in np.argsort(slopes.estimate, kind="stable")[:MAX_SLOPES_NAMED].tolist():
                ends_of = f"{slopes.lower[i]:.2f} to {slopes.upper[i]:.2f}"
                flattest.append(f"{slopes.judges[i]} {slopes.estimate[i]:.2f} ({ends_of})")
            sentences.append(say("flattest", "info", slopes=", ".join(flattest)))
        sentences.append(say("nodes", "info", nodes=self.nodes, error=self.quadrature_error))
        return tuple(sentences)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right for a judge drawn from the population."""
        left, right = self.codes(pairs).T
        return self.predict_gaps(self.log_worth[left] - self.log_worth[right])

    def predict_gaps(self, gaps: Array) -> Array:
        gamma = float(self.estimate[-1]) if self.law.free else 0.0
        z = np.linspace(-FARTHEST, FARTHEST, MIXING)
        weights = np.exp(-(z**2) / 2)
        mixed = np.empty((len(gaps), 3))
        for first in range(0, len(gaps), PAIRS_AT_ONCE):
            some = gaps[first : first + PAIRS_AT_ONCE] / 2
            eta = np.exp(self.tau * z)[:, None] * some
            chances = np.exp(self.law.log_chances(eta.reshape(-1), gamma))
            mean = weights @ chances.reshape(len(z), -1) / weights.sum()
            mixed[first : first + PAIRS_AT_ONCE] = mean.reshape(-1, 3)
        return mixed


SlopeTies = Literal["davidson", "discard"]
TIES: Final[tuple[str, ...]] = get_args(SlopeTies)
MIN_JUDGES: Final = 5  # Judges below which nothing is said of a population of judges
# Comparisons beyond which the rounding of a log-likelihood is as large as what a judge adds
MAX_COMPARISONS: Final = 1e9
PRIOR: Final = "fit --model bradley-terry --prior 1"
WITHOUT: Final = "fit a model without slopes, such as --model bradley-terry"


@dataclass(frozen=True)
class JudgeSlopes:
    """Settings of a Bradley-Terry model with a slope for every judge.

    Attributes:
        ties: davidson (a common γ) or discard (drop tied comparisons).
        reference: the system with λ = 0; the last by default.

    >>> from evenhand.data import Factor
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
        require_option("ties", self.ties, TIES)

    @takes_judgments("data")
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
        require_two(tally.systems)
        verdict = check_tally(tally, self.ties, PRIOR)
        law = Davidson() if verdict.ties_estimated else TwoOutcomes()
        used = replace(tally, ties=0 * tally.ties) if self.ties == "discard" else tally
        cells, codes = make_slope_cells(used)
        _refuse_judges(cells)
        reference, pooled = reference_code(tally.systems, self.reference), used.pool()
        counts, interval = np.asfortranarray(pooled.counts), None
        with one_blas_thread():
            plain = Likelihood(plain_design(pooled, reference), law, counts)
            flat = maximise(plain.expand, plain.start(), reach=plain.reach).at
            likelihood = SlopeLikelihood(cells, law, reference, NODES)
            peak, level = find_peak(likelihood, flat)
            if tally.of_pairs:
                interval = find_interval(likelihood, peak, level)
            known = likelihood.hold(peak.tau).parts(peak.beta)
            columns = (*slope_quantiles(cells, law, *known), cells.sums(cells.counts.sum(axis=1)))
        # judges without a slope: those with only ties, those of whom no row counts
        judge = tally.factor("judge")
        given = np.bincount(judge.codes, tally.counts.sum(axis=1), minlength=judge.size)
        slopeless = given[np.setdiff1d(np.arange(judge.size), codes)]
        numbers = {"only-ties": (slopeless > 0).sum(), "no-weight": (slopeless == 0).sum()}
        notes = [say(code, judges=int(number)) for code, number in numbers.items() if number]
        if interval is None:
            notes.append(say("tau-of-rankings", "warning"))
        if len(codes) < MIN_JUDGES:
            notes.append(say("few-judges-slopes", "warning", judges=len(codes)))
        if not peak.tau:
            notes.append(say("tau-zero"))
        if interval is not None and (interval.lost or interval.upper == np.inf):
            notes.append(say("tau-end-lost" if interval.lost else "tau-unbounded", "warning"))
        judges = tuple(judge.labels[i] for i in codes.tolist())
        names, labels = name_worths(tally.systems, reference)
        return SlopesFit(
            model=self,
            systems=tally.systems,
            names=(*names, *(["g1"] if law.free else [])),
            labels=(*labels, *(["tie"] if law.free else [])),
            estimate=peak.beta[: len(flat)],
            vcov=peak.vcov,
            tau=peak.tau,
            tau_interval=(interval.lower, interval.upper) if interval else None,
            tau_method=interval.method if interval else "none",
            tau_test=LRTest.at_boundary(peak.loglik, level) if interval else None,
            slopes=Slopes(judges, *columns),
            loglik=peak.loglik,
            flat_loglik=level,
            n_judgments=tally.n_judgments,
            n_comparisons=float(cells.counts.sum()),
            nodes=peak.nodes,
            quadrature_error=peak.error,
            notes=(*verdict.notes, *notes),
            law=law,
            reference=reference,
        )

    def _tally(self, data: Judgments) -> Tally:
        """Count by judge, who stood first forgotten."""
        tally = count_pairs(data, ("judge",))
        require_counts(tally)
        return replace(tally, factors={"judge": unmerged(tally, "judge")}).fold()


def _refuse_judges(cells: SlopeCells) -> None:
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
    if loads.sum() > MAX_COMPARISONS:
        raise NotConverged(
            f"slopes of judges cannot be fitted to {loads.sum():,.0f} comparisons (at most"
            f" {MAX_COMPARISONS:,.0f}): rounding hides how judges differ",
            ["check whether these are counts", WITHOUT],
        )
