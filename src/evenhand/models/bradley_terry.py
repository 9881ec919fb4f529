"""The log-linear Bradley-Terry family, with ties, order, covariates and weights.

For systems j and k, j shown first, judged by group l (Dras 2015, eq. 1 and 2; Dittrich & Hatzinger
2009; Davidson & Beaver 1977):

    log m[j]  = μ + (λ_j + λ_jl) − (λ_k + λ_kl) + δ
    log m[tie] = μ + γ (+ γ_l)
    log m[k]  = μ − (λ_j + λ_jl) + (λ_k + λ_kl) − δ

When not to use it: docs/models/bradley-terry.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evenhand.data.controls import Judgments, count_pairs, note_tasks, takes_judgments
from evenhand.data.joining import say_names
from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.design import DENSE, MANY, grouped_design, plain_design, reference_code
from evenhand.models.existence import Verdict, check_support, refuse_nothing, require_two
from evenhand.models.likelihood import (
    Davidson,
    GlennDavid,
    Likelihood,
    RaoKupper,
    TieLaw,
    TwoOutcomes,
    TwoProbits,
    group_ties,
)
from evenhand.models.log_linear import Fit, choose_start, make_fit, take_fit
from evenhand.models.registry import LogLinearSettings
from evenhand.numerics.newton import one_blas_thread


@dataclass(frozen=True)
class BradleyTerry(LogLinearSettings):
    """Settings of a log-linear Bradley-Terry model.

    Attributes:
        ties: davidson (a common γ), rao-kupper or glenn-david (a threshold), half-win, discard
            (drop tied comparisons), none (γ = 0 with the tie cells kept).
        order_effect: estimate δ, the advantage of standing first.
        judge_covariates: columns whose levels have worths of their own (λ_jl).
        tie_covariates: columns whose levels have tie parameters of their own (γ_l); with Davidson's
            ties.
        references: reference level by judge or tie covariate; the first by default.
        system_covariates: covariate → system → number or level; worths are then their sum.
        reference: the system with λ = 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost (one in each judge group), half of
            them won; 0 for none.
        controls: what differs between the two outputs of a comparison and is controlled for:
            columns of differences, left minus right, or NAME=LEFT,RIGHT for two columns.

    >>> from evenhand.data import Tally
    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> counts = np.array([61.0]), np.array([24.0]), np.array([35.0])
    >>> fit = BradleyTerry().fit(Tally(("new", "old"), one, two, *counts, n_judgments=120))
    >>> [f"{c.name} {c.estimate:.4f} ({c.stderr:.4f})" for c in fit.coefficients if c.stderr]
    ['o1 0.2778 (0.1060)', 'g1 -0.6551 (0.2300)']
    """

    @takes_judgments("data")
    def fit(self, data: Judgments, *, start: Fit | None = None) -> Fit:
        """Fit by maximum likelihood (or its posterior mode under a prior).

        Args:
            data: comparisons, rankings, votes or a tally.
            start: an earlier fit, or a ranking by one, to start from: the answer is the same, in
                fewer steps. Systems that it does not know start in the middle.

        Raises:
            NotIdentified: no finite, unique maximum exists; names the systems and the remedy.
            InvalidJudgments: a value in the data that cannot be.
            UnknownOption: an order effect is asked of data without positions; a start that is
                none, or one beside controls.
        """
        if start is not None and self.controls:
            raise UnknownOption(
                "with controls a fit starts from the one without them: leave out start"
            )
        previous = None if start is None else take_fit(start)
        if self.controls:
            from evenhand.models.controls import fit_controlled

            controlled = fit_controlled(self, data)
            data_notes = (*note_tasks(data), *say_names(controlled.systems))
            return replace(controlled, notes=(*controlled.notes, *data_notes))
        tally = self._tally(data)
        names = say_names(tally.systems)
        try:
            likelihood, support = self._prepare(tally)
        except NotIdentified as refusal:  # names taken for systems may be why
            fault = ". ".join([refusal.fault, *names])
            raise NotIdentified(fault, refusal.remedies, refusal.leave) from None
        notes = (*support.notes, *note_tasks(data), *names)
        if likelihood.design.size > DENSE and self.tie_covariates:
            raise UnknownOption(f"tie covariates are for at most {DENSE:,} systems")
        with one_blas_thread():
            begin = choose_start(likelihood, previous) if previous else likelihood.start()
            size = likelihood.design.size
            dense = size <= DENSE
            products = not dense or (size > MANY and likelihood.plain)
            return make_fit(self, likelihood, tally, notes, begin, dense=dense, products=products)

    def _tally(self, data: Judgments) -> Tally:
        """Count, pool over everything the model does not distinguish, and fold if order is none."""
        tally = count_pairs(data, self.covariates)
        if not self.order_effect:
            factors = {name: tally.factor(name) for name in self.covariates}
            return replace(tally, factors=factors).fold()
        if not tally.positions_known:
            raise UnknownOption(
                "the order effect needs to know which output stood first, and these data do not"
                " say: leave out --order-effect, or map a position column"
            )
        return tally.pool(self.covariates)

    def _prepare(self, tally: Tally) -> tuple[Likelihood, Verdict]:
        require_two(tally.systems)
        counts = self.treat_ties(tally.counts)
        used = counts.sum(axis=1) > 0
        if not used.any():
            refuse_nothing(tally)
        entries = tally
        if not used.all():
            counts, entries = counts[used], tally.take(used)
        reference = reference_code(tally.systems, self.reference)
        if self.judge_covariates or self.system_covariates:
            design = grouped_design(
                entries, reference, self.judge_covariates, self.references, self.system_covariates
            )
        else:
            design = plain_design(entries, reference)
        groups = None
        if self.tie_covariates and entries.ties.any():
            covariates = self.judge_covariates, self.tie_covariates
            groups = group_ties(entries, design, covariates, self.references)
        support = check_support(self, design, groups, counts, tally)
        counts = np.asfortranarray(counts)  # laws take it column by column
        free = support.ties_estimated
        law: TieLaw = Davidson() if free else TwoOutcomes()
        if self.ties == "none":
            law = Davidson(free=False)
        elif self.ties == "glenn-david":
            law = GlennDavid() if free else TwoProbits()
        elif self.ties == "rao-kupper" and free:
            law = RaoKupper()
        likelihood = Likelihood(
            design, law, counts, order_effect=self.order_effect, prior=self.prior, ties=groups
        )
        return likelihood, support
