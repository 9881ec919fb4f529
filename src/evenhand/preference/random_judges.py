"""Bradley and Terry's model with judges who have tastes of their own.

For systems j and k and judge l, with log-worths θ and u_lj ~ N(0, σ²) independent:

    P(j preferred) : P(tie) : P(k preferred) = e^{x/2} : e^γ : e^{−x/2},
    x = (θ_j + u_lj) − (θ_k + u_lk)

Tastes are integrated out by expectation propagation (judges/integrals.py); worths, γ and σ maximise
what is left. σ is itself a finding: how far judges are from each other. Worths are those of the
mean judge, u = 0, and their covariance has the variance between judges in it.

Source: Böckenholt (2001), Hierarchical modeling of paired comparison data, Psychological Methods
6:49-66; Laplace's method: Breslow & Clayton (1993), JASA 88:9-25; expectation propagation: Minka
(2001), UAI 17:362-369.

When not to use it: for σ of rankings, which is an upper bound: comparisons of one ranking are taken
for independent given the judge (judges/dealing.py has the test); with one judge, or with few
judgments for each (σ is then hardly known); where items too have tastes of their own, which it
takes for independent noise; where judges fall into a few known groups, which want worths of their
own (`BradleyTerry(judge_covariates=...)`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from evenhand.errors import (
    NotConverged,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
)
from evenhand.judgments.coding import SEED
from evenhand.judgments.forms import ANSWERS, Judgments, count_pairs
from evenhand.judgments.tally import Tally
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.coefficients import LRTest
from evenhand.preference.covariates import unmerged
from evenhand.preference.design import DENSE, reference_code
from evenhand.preference.existence import Verdict, check_existence
from evenhand.preference.judges.check import IntegralCheck, check_integrals
from evenhand.preference.judges.dealing import DealTest, deal_rankings, hang_together
from evenhand.preference.judges.estimation import Peak, compare_zero, explain_lost, find_peak
from evenhand.preference.judges.fit import RandomJudgesFit
from evenhand.preference.judges.likelihood import Method, Panel, make_panel
from evenhand.preference.judges.notes import (
    note_few,
    note_rankings,
    note_result,
    refuse_without_judges,
)
from evenhand.preference.judges.profile import Interval, find_interval
from evenhand.preference.judges.start import Pooled, pool_judges
from evenhand.preference.support import cells_of, refuse_nothing

Ties = Literal["davidson", "discard"]
_TIES: Final = ("davidson", "discard")
_QUASI: Final = (
    "ties='half-win' has no likelihood of which judges' tastes could be integrated out: choose"
    " davidson (ties as an outcome) or discard"
)
_PRIOR: Final = "take --model bradley-terry --prior 1"


@dataclass(frozen=True)
class _Claims:
    """What may be said of σ: an interval and a test, or that answers are rankings."""

    interval: tuple[float, float] | None = None
    lr_test: LRTest | None = None
    dealt: DealTest | None = None
    notes: tuple[str, ...] = ()


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
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
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
        with one_blas_thread():
            panel = make_panel(tally, used.astype(np.intp), reference, self.method)
            pooled = pool_judges(tally, reference, ties=panel.ties)
            highest, interval = self._maximise(panel, pooled)
            peak, check = interval.peak, None
            if peak.point is not None:
                check = check_integrals(panel, peak, peak.point.state, self.seed)
            claims = self._claim(answers, panel, pooled, (highest, interval))
        notes = (
            *verdict.notes,
            *note_few(len(labels)),
            *claims.notes,
            *note_result(peak.sigma, interval, check),
        )
        found = (panel, pooled, highest)
        return self._gather(tally, labels, found, (peak, check, claims), notes)

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
        """Return the entries that count, with ties dropped if they are."""
        if len(tally.systems) < 2:
            raise NotIdentified("nothing to compare: there are fewer than two systems")
        ties = 0 * tally.ties if self.ties == "discard" else tally.ties
        rows = tally.wins + ties + tally.losses > 0
        if not rows.any():
            refuse_nothing(tally)
        if rows.all():
            return replace(tally, ties=ties)
        factors = {name: replace(f, codes=f.codes[rows]) for name, f in tally.factors.items()}
        return replace(
            tally,
            left=tally.left[rows],
            right=tally.right[rows],
            wins=tally.wins[rows],
            ties=ties[rows],
            losses=tally.losses[rows],
            factors=factors,
        )

    def _check(self, tally: Tally, whole: Tally) -> Verdict:
        """Ask whether the worths of all judges together have an estimate."""
        if len(tally.systems) > DENSE:
            raise NotIdentified(
                f"{len(tally.systems):,} systems are too many for random judges (at most"
                f" {DENSE:,})",
                ["leave some out", "take bradley-terry"],
            )
        try:
            return check_existence(cells_of(whole.pool()), ties=self.ties)
        except NotIdentified as refusal:  # its options are those of another model
            data = refusal.without_options().remedies
            raise NotIdentified(refusal.fault, [*data, _PRIOR], refusal.leave) from None

    def _maximise(self, panel: Panel, pooled: Pooled) -> tuple[Peak, Interval]:
        """Return the maximum of the likelihood, and the interval with the estimate that it has."""
        try:
            peak = find_peak(panel, pooled)
            restricted = self.restricted
            return peak, find_interval(panel, peak, pooled, self.level, restricted=restricted)
        except NotConverged as lost:
            raise explain_lost(lost, panel, pooled) from None

    def _claim(
        self, answers: Tally, panel: Panel, pooled: Pooled, found: tuple[Peak, Interval]
    ) -> _Claims:
        """Return what may be said of σ: of rankings less than of comparisons."""
        highest, interval = found
        if not hang_together(answers):
            return _Claims((interval.lower, interval.upper), compare_zero(highest, pooled))
        test = None
        if "ranking" in answers.factors:
            rankings = self._used(answers)
            test = deal_rankings(rankings, panel, pooled, highest.dispersion, self.seed)
        return _Claims(dealt=test, notes=note_rankings(test))

    def _gather(
        self,
        tally: Tally,
        labels: tuple[str, ...],
        found: tuple[Panel, Pooled, Peak],
        beside: tuple[Peak, IntegralCheck | None, _Claims],
        notes: tuple[str, ...],
    ) -> RandomJudgesFit:
        panel, pooled, highest = found
        peak, check, claims = beside
        others = [i for i in range(len(tally.systems)) if i != panel.reference]
        for array in (peak.beta, peak.vcov):
            array.flags.writeable = False
        return RandomJudgesFit(
            model=self,
            systems=tally.systems,
            labels_of_judges=labels,
            names=(*(f"o{i + 1}" for i in others), *("g1",) * panel.ties),
            labels=(*(tally.systems[i] for i in others), *("tie",) * panel.ties),
            sigma=peak.sigma,
            sigma_interval=claims.interval,
            sigma_ml=highest.sigma,
            lr_test=claims.lr_test,
            deal_test=claims.dealt,
            loglik=highest.loglik,
            pooled_loglik=pooled.loglik,
            check=check,
            n_judges=len(labels),
            n_judgments=tally.n_judgments,
            n_comparisons=tally.n_comparisons,
            notes=notes,
            panel=panel,
            peak=peak,
        )
