"""Bradley and Terry's model with judges who have tastes of their own.

For systems j and k and judge l, with log-worths θ and u_lj ~ N(0, σ²) independent:

    P(j preferred) : P(tie) : P(k preferred) = e^{x/2} : e^γ : e^{−x/2},
    x = (θ_j + u_lj) − (θ_k + u_lk)

Tastes are integrated out by expectation propagation; worths, γ and σ maximise
what is left. σ is itself a finding: how far judges are from each other. Worths are those of the
mean judge, u = 0, and their covariance has the variance between judges in it.

Source: Böckenholt (2001), Hierarchical modeling of paired comparison data, Psychological Methods
6:49-66; Laplace's method: Breslow & Clayton (1993), JASA 88:9-25; expectation propagation: Minka
(2001), UAI 17:362-369.

When not to use it: for σ of rankings, which is an upper bound: comparisons of one ranking are taken
for independent given the judge; with one judge, or with few
judgments for each (σ is then hardly known); where items too have tastes of their own, which it
takes for independent noise; where judges fall into a few known groups, which want worths of their
own (`BradleyTerry(judge_covariates=...)`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, erfc, inf, sqrt
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.controls import ANSWERS, Judgments, count_pairs
from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    suggest_or_list,
)
from evenhand.models.coefficients import (
    Coefficient,
    LRTest,
    add_reference,
    finite,
    name_worths,
)
from evenhand.models.design import DENSE, reference_code, unmerged
from evenhand.models.existence import (
    Verdict,
    check_existence,
    make_preference_graph,
    refuse_nothing,
    require_two,
)
from evenhand.models.fitted import ParametricFit
from evenhand.models.random_judges_checks import (
    DealTest,
    IntegralCheck,
    Interval,
    check_integrals,
    deal_rankings,
    find_interval,
    hang_together,
)
from evenhand.models.random_judges_likelihood import (
    REMEDIES,
    Method,
    Panel,
    Peak,
    explain_lost,
    find_peak,
    invert,
    make_panel,
    pool_judges,
    shift_sites,
)
from evenhand.models.texts import say
from evenhand.models.ties import Davidson, TwoOutcomes
from evenhand.numerics.graph import solve_differences
from evenhand.numerics.sampling import one_blas_thread
from evenhand.render.findings import Finding

DOUBTFUL: Final = 0.05  # P-value from which nothing is claimed


def favourite_share(sigma: float) -> float:
    """Return how often judges pick their favourite of two systems equal to the mean judge."""
    # the judge's log-odds are N(0, 2σ²); this is the mean of 1 / (1 + exp(−|x|))
    z = np.linspace(0.0, 9.0, 3601)
    density = np.exp(-(z**2) / 2)
    density[0] /= 2
    return float((density / (1 + np.exp(-sqrt(2) * sigma * z))).sum() / density.sum())


def reversed_share(sigma: float, gap: float = 1.0) -> float:
    """Return the share of judges to whom the worse of two systems is the better: Φ(−gap/(√2 σ))."""
    return erfc(gap / (2 * sigma)) / 2 if sigma > 0 else 0.0


# What one judge's answers say of his or her taste: posterior means, drawn towards the mean judge.
#
# E[u_lj | answers of l],   sd[u_lj | answers of l]          at the estimated θ, γ and σ
#
# With few answers the mean stays near 0 and the standard deviation near σ: such a judge is unknown,
# not average.

Array = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Taste:
    """How far one judge's log-worths are from the mean judge's."""

    judge: str  # the judge's name
    systems: tuple[str, ...]  # the systems that this judge saw; of others nothing is known but σ
    deviation: Array  # (systems,) posterior mean of u (log-odds)
    stderr: Array  # (systems,) posterior standard deviation


def find_tastes(
    panel: Panel, peak: Peak, systems: Sequence[str], labels: Sequence[str], codes: Sequence[int]
) -> tuple[Taste, ...]:
    # posterior means and standard deviations by slot
    mean, error = np.zeros((2, len(panel.system)))
    if peak.point is not None:
        wanted = np.isin(panel.judge, np.asarray(codes, dtype=np.intp))
        theta, gamma, sigma = panel.parts(peak.beta)
        for batch in panel.blocks.batches:
            if wanted[batch.nodes].any():
                sites = shift_sites(peak.point.state, batch, panel.votes(batch, theta, gamma))
                covariance, centre, _ = invert(batch, sites, sigma)
                mean[batch.nodes] = centre.reshape(-1)
                diagonal = np.diagonal(covariance, axis1=1, axis2=2)
                error[batch.nodes] = np.sqrt(diagonal).reshape(-1)
    order = np.lexsort((panel.system, panel.judge))
    order = order[panel.judge[order] < len(labels)]
    starts = np.searchsorted(panel.judge[order], np.arange(len(labels) + 1))
    tastes = []
    for code in codes:
        places = order[starts[code] : starts[code + 1]]
        seen = tuple(systems[i] for i in panel.system[places].tolist())
        tastes.append(Taste(labels[code], seen, mean[places], error[places]))
    return tuple(tastes)


NODES = 41  # Nodes of the sum over a new judge's log-odds, more in proportion where σ exceeds 1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RandomJudgesFit(ParametricFit):
    """Parameters are λ of the mean judge, and γ where ties are an outcome."""

    model: RandomJudges  # the settings
    labels_of_judges: tuple[str, ...]  # the judges, sorted
    sigma: float  # standard deviation of judges' log-worths around the mean judge's (log-odds)
    # ends of its profile likelihood interval; 0 and infinity where there is none;
    sigma_interval: tuple[float, float] | None
    sigma_ml: float  # the maximum likelihood estimate of σ, without adjustment
    lr_test: LRTest | None  # likelihood-ratio test of σ = 0; None of rankings
    # of rankings, the test that judges do not differ by random deals of rankings to judges; None
    # otherwise, and where the data do not tell rankings apart
    deal_test: DealTest | None
    pooled_loglik: float  # log-likelihood of the same model with σ = 0 (nats)
    check: IntegralCheck | None  # importance sampling of the integrals; None at σ = 0
    n_judges: int  # judges with a judgment that counts
    panel: Panel  # judges' answers
    peak: Peak  # the estimates and their covariance

    assumes = "judges independent, each with a taste, their judgments independent given it"

    @property
    def reference(self) -> str:
        return self.systems[self.panel.reference]

    @property
    def vcov(self) -> Array:
        """(p, p) covariance of `estimate`; judges, not judgments, are taken for independent."""
        p, scale = len(self.names), self.panel.scale
        return self.peak.vcov[:p, :p] * scale * scale[:, None]

    @property
    def log_worth(self) -> Array:
        """(K,) log-worth of the mean judge (natural log-odds), the reference at 0."""
        return np.insert(self.peak.beta[: len(self.systems) - 1], self.panel.reference, 0.0)

    @cached_property
    def worth_vcov(self) -> Array:
        """(K, K) covariance of `log_worth`, the variance between judges in it."""
        return add_reference(self.peak.vcov, len(self.systems), self.panel.reference)

    @property
    def gamma(self) -> float | None:
        """Davidson's γ for every judge; None without ties."""
        return float(self.estimate[-1]) if self.panel.ties else None

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Worths (λ) and γ with standard error, z and p; σ is no coefficient, it stands apart."""
        return self.list_coefficients(self.vcov, self.panel.reference)

    @property
    def says(self) -> tuple[Finding, ...]:
        """Whether judges differ, then details: the test, what σ means, how integrals are."""
        sigma, check = self.sigma, self.check
        test = self.lr_test or self.deal_test
        # a claim only where a test supports it
        claim = "judges-differ" if test is None or test.p < DOUBTFUL else "judges-alike"
        if self.sigma_interval is None:
            sentences = [say(f"{claim}-bound", sigma=sigma)]
        else:
            low, high = self.sigma_interval
            upper = "no upper end" if high == inf else f"{high:.2f}"
            level = f"{100 * self.model.level:g} %"
            sentences = [say(claim, sigma=sigma, lower=low, upper=upper, level=level)]
        if check is not None:
            shares = {"favourite": favourite_share(sigma), "reverse": reversed_share(sigma)}
            percents = {name: 100 * one for name, one in shares.items()}
            sentences.append(say("tastes", **percents))
        if self.lr_test is not None:
            values = {"statistic": self.lr_test.statistic, "p": self.lr_test.p}
            sentences.append(say("sigma-test", "info", **values))
        elif self.deal_test is not None:
            sentences.append(say("deal-test", "info", **vars(self.deal_test)))
        else:
            sentences.append(say("sigma-untested", "info"))
        if check is not None:
            sentences.append(say("integrals-checked", "info", **vars(check)))
        return tuple(sentences)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        model = self.model
        restricted = "restricted" if model.restricted else "ml"
        named = (f"ties={model.ties}", f"method={model.method}", f"reference={self.reference}")
        return (*named, restricted, f"level={model.level:g}", f"seed={model.seed}")

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right, averaged over judges, for a new judge."""
        worth, (left, right) = self.log_worth, self.codes(pairs).T
        # an even sum is exact here: its error is exp(−2π d / step), d the distance
        # of the nearest pole, π / (√2 σ)
        at = np.linspace(-9.0, 9.0, ceil(NODES * max(1.0, self.sigma)))
        weight = np.exp(-(at**2) / 2)
        log_odds = (worth[left] - worth[right])[:, None] + np.sqrt(2) * self.sigma * at
        law = Davidson() if self.panel.ties else TwoOutcomes()
        chances = np.exp(law.log_chances(log_odds.reshape(-1) / 2, self.gamma or 0.0))
        mean = np.einsum("nqo,q->no", chances.reshape(len(left), len(at), 3), weight / weight.sum())
        return np.asarray(mean / mean.sum(axis=1, keepdims=True))

    def judges(self, names: Sequence[str] | None = None) -> tuple[Taste, ...]:
        """Return tastes of judges, as far as their answers tell: posterior means and errors."""
        labels = self.labels_of_judges
        known = {name: code for code, name in enumerate(labels)}
        unknown = [name for name in names or () if name not in known]
        if unknown:
            hint = suggest_or_list(unknown[0], labels)
            raise InvalidJudgments(f"no judge '{unknown[0]}' in this fit.{hint}")
        codes = [known[name] for name in (labels if names is None else names)]
        return find_tastes(self.panel, self.peak, self.systems, labels, codes)

    @property
    def extras(self) -> Mapping[str, Any]:
        test, deal = self.lr_test, self.deal_test
        ends = (None, None) if self.sigma_interval is None else map(finite, self.sigma_interval)
        return {
            "sigma": self.sigma,
            "sigma_interval": [*ends],
            "sigma_ml": self.sigma_ml,
            "lr_statistic": None if test is None else test.statistic,
            "lr_p": None if test is None else test.p,
            "deal_p": None if deal is None else deal.p,
            "pooled_loglik": self.pooled_loglik,
            "n_judges": float(self.n_judges),
        }


# When σ cannot be told from the answers, and when it can hardly: refusals and notes.

MIN_JUDGES: Final = 6  # Judges below which nothing is said of a population of judges
MAX_INTERVAL_WIDTH: Final = 1.0  # Width of an interval of σ from 0 on that says hardly anything
# Share of effective draws below which importance sampling says little
MIN_EFFECTIVE_SHARE: Final = 0.1
MAX_SIGMA_SHIFT: Final = 0.02  # Shift of σ, relative, from which on the integrals are called poor


def refuse_without_judges(tally: Tally, judge: NDArray[np.integer], labels: Sequence[str]) -> None:
    if len(labels) == 1:
        raise NotIdentified(
            f"how much judges differ cannot be told from one judge ({labels[0]})",
            ["collect answers of several judges", REMEDIES[1]],
        )
    answers = np.bincount(judge, tally.wins + tally.ties + tally.losses)
    if answers.max() <= 1:
        raise NotIdentified(
            f"how much judges differ cannot be told from chance: each of {len(labels):,} judges"
            " gave one judgment",
            ["collect several from each", REMEDIES[1]],
        )
    if (tally.wins * tally.losses).any():
        return
    # Where some tastes explain every answer of every judge with certainty, ever larger tastes fit
    # ever better: no closed walk through one judge's answers has as many preferences as ties or
    # more, so that no judge contradicts himself or herself. A simple walk has n_nodes steps at
    # most: one with as many preferences as ties is forbidden too.
    graph = make_preference_graph(tally, by="judge")
    steps = graph.steps(ties=True)
    if solve_differences(steps.graph, steps.gain * (graph.n_nodes + 1) - 1).cycle is None:
        raise NotIdentified(
            "σ has no finite estimate: no judge ever contradicts himself or herself, so that"
            " tastes alone could explain all of them",
            REMEDIES,
        )


def note_result(
    sigma: float, interval: Interval, check: IntegralCheck | None
) -> tuple[Finding, ...]:
    low, high = interval.lower, interval.upper
    notes = []
    if high == inf or (low == 0 and high > MAX_INTERVAL_WIDTH):
        notes.append(say("sigma-uncertain", "warning"))
    if check is None:
        notes.append(say("sigma-zero"))
        return tuple(notes)
    if check.worst < MIN_EFFECTIVE_SHARE:
        notes.append(say("integrals-unchecked", "warning", draws=check.draws, worst=check.worst))
    shift = check.sigma_shift
    if abs(shift) > max(MAX_SIGMA_SHIFT * sigma, 3 * check.sigma_error):
        notes.append(say("integrals-poor", "warning", sigma_shift=shift))
    return tuple(notes)


Ties = Literal["davidson", "discard"]
_TIES: Final = ("davidson", "discard")
_QUASI: Final = (
    "ties='half-win' has no likelihood of which judges' tastes could be integrated out: choose"
    " davidson (ties as an outcome) or discard"
)
_PRIOR: Final = "take --model bradley-terry --prior 1"


@dataclass(frozen=True)
class RandomJudges:
    """Settings of a Bradley-Terry model with random judges.

    Attributes:
        ties: davidson (a γ common to all judges) or discard (drop tied comparisons).
        reference: the system with log-worth 0; the last by default.
        method: corrected (expectation propagation), or laplace, which makes σ too small where
            judges gave few answers.
        restricted: adjust σ and its interval for worths being estimated from the same answers;
            False gives the maximum likelihood estimate, which is too small where judges are few.
        level: of the interval of σ.
        seed: of the draws that check the integrals, and of the deals that test σ of rankings; no
            estimate depends on it.

    >>> RandomJudges(ties="discard")
    RandomJudges(ties='discard', reference=None, method='corrected', restricted=True, level=0.95,
    seed=20131)
    """

    ties: Ties = "davidson"
    reference: str | None = None
    method: Method = "corrected"
    restricted: bool = True
    level: float = 0.95
    seed: int = SEED

    def __post_init__(self) -> None:
        chosen: str = self.ties
        if chosen == "half-win":
            raise UnknownOption(_QUASI)
        require_option("ties", chosen, _TIES)
        require_option("method", self.method, ("corrected", "laplace"))
        require_level(self.level)

    def fit(self, data: Judgments) -> RandomJudgesFit:
        """Fit by maximum likelihood, tastes integrated out.

        Raises:
            NotIdentified: worths or σ have no finite, unique estimate; says why and what to do.
            NotConverged: σ was not found, as where it lies beyond 6.
            InvalidJudgments: a value in the data that cannot be.
            UnknownColumn: the data do not say who judged.
            UnknownOption: weights of importance, or judges that were merged.

        """
        answers = self._tally(data)
        whole = replace(answers, factors={"judge": answers.factors["judge"]}).fold()
        tally = self._used(whole)
        verdict = self._check(tally, whole)
        judge, used = np.unique(tally.factors["judge"].codes, return_inverse=True)
        labels = tuple(tally.factors["judge"].labels[i] for i in judge.tolist())
        refuse_without_judges(tally, used, labels)
        reference = reference_code(tally.systems, self.reference)
        of_rankings, lr_test, deal_test, check = hang_together(answers), None, None, None
        with one_blas_thread():
            panel = make_panel(tally, used.astype(np.intp), reference, self.method)
            pooled = pool_judges(tally, reference, ties=panel.ties)
            try:
                highest = find_peak(panel, pooled)
                interval = find_interval(
                    panel, highest, pooled, self.level, restricted=self.restricted
                )
            except NotConverged as lost:
                raise explain_lost(lost, panel, pooled) from None
            peak = interval.peak
            if peak.point is not None:
                check = check_integrals(panel, peak, peak.point.state, self.seed)
            if not of_rankings:
                lr_test = LRTest.at_boundary(highest.loglik, pooled.loglik)
            elif "ranking" in answers.factors:
                rankings = self._used(answers)
                deal_test = deal_rankings(rankings, panel, pooled, highest.dispersion, self.seed)
        notes = list(verdict.notes)
        if len(labels) < MIN_JUDGES:
            notes.append(say("few-judges-taste", "warning", judges=len(labels)))
        if of_rankings:
            known = "" if deal_test is not None else "merged-"
            notes.append(say(f"sigma-of-{known}rankings", "warning"))
        names, others = name_worths(tally.systems, reference)
        return RandomJudgesFit(
            model=self,
            systems=tally.systems,
            labels_of_judges=labels,
            names=(*names, *("g1",) * panel.ties),
            labels=(*others, *("tie",) * panel.ties),
            estimate=peak.beta[: len(panel.scale)] * panel.scale,
            sigma=peak.sigma,
            sigma_interval=None if of_rankings else (interval.lower, interval.upper),
            sigma_ml=highest.sigma,
            lr_test=lr_test,
            deal_test=deal_test,
            loglik=highest.loglik,
            pooled_loglik=pooled.loglik,
            check=check,
            n_judges=len(labels),
            n_judgments=tally.n_judgments,
            n_comparisons=tally.n_comparisons,
            notes=(*notes, *note_result(peak.sigma, interval, check)),
            panel=panel,
            peak=peak,
        )

    def _tally(self, data: Judgments) -> Tally:
        tally = count_pairs(data, ("judge",), answers=True)
        if tally.squares is not None:
            raise UnknownOption(
                "importance weights have no likelihood, so that judges' tastes cannot be"
                " integrated out: use weights that count rows, or BradleyTerry with rank's sandwich"
            )
        whole = [name for name in ANSWERS if name in tally.factors]
        factors = {name: unmerged(tally, name) for name in ("judge", *whole)}
        return replace(tally, factors=factors)

    def _used(self, tally: Tally) -> Tally:
        require_two(tally.systems)
        used = replace(tally, ties=0 * tally.ties) if self.ties == "discard" else tally
        rows = used.wins + used.ties + used.losses > 0
        if not rows.any():
            refuse_nothing(tally)
        return used if rows.all() else used.take(rows)

    def _check(self, tally: Tally, whole: Tally) -> Verdict:
        if len(tally.systems) > DENSE:
            raise NotIdentified(
                f"{len(tally.systems):,} systems are too many for random judges (at most"
                f" {DENSE:,})",
                ["leave some out", "take bradley-terry"],
            )
        try:
            return check_existence(whole.pool(), ties=self.ties)
        except NotIdentified as refusal:  # its options are those of another model
            data = refusal.without_options().remedies
            raise NotIdentified(refusal.fault, [*data, _PRIOR], refusal.leave) from None
