"""From rows with controls to a fit.

The fit without controls, which needs cells only, is where Newton's method starts: it also says in
words whether worths exist at all, since a direction in which they run away is one beside controls
too. What controls add is checked by `controls/checks.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.streaming import CodedRows
from evenhand.numerics.newton import Maximum, invert_positive, maximise
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.controls.checks import (
    check_aliases,
    check_finite,
    note_one_sided,
    refuse_constant,
    refuse_endless,
)
from evenhand.preference.controls.columns import Control, ControlEffect, read_controls
from evenhand.preference.controls.likelihood import ControlledLikelihood, measure_spreads
from evenhand.preference.covariance import Covariance
from evenhand.preference.design import DENSE
from evenhand.preference.fit import Fit

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import BradleyTerry

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ControlledFit(Fit):
    """A fit with comparison covariates; worths are those of outputs alike in all of them.

    Deviance and its df take every comparison for a cell of its own: differences of deviances are
    tests, a deviance by itself is none.

    Attributes:
        plain: the fit without controls.
        controls: what was controlled for.
        rows: the judgments, row by row.

    """

    likelihood: ControlledLikelihood
    plain: Fit = field(kw_only=True)
    controls: tuple[Control, ...] = field(kw_only=True)
    rows: CodedRows = field(kw_only=True)

    @cached_property
    def deviance(self) -> float:
        """Minus twice the log-likelihood (nats): every comparison is a cell of its own."""
        return max(-2 * self.loglik, 0.0)

    @property
    def slopes(self) -> Mapping[str, float]:
        """Log-odds per sd of each control."""
        own = 2 * self.likelihood.slopes(self.beta)
        return {one.name: float(b) for one, b in zip(self.controls, own, strict=True)}

    def effects(
        self, stderr: Array, level: float = 0.95, df: float = np.inf
    ) -> tuple[ControlEffect, ...]:
        """Return what each control does, with intervals.

        Args:
            stderr: (p,) standard errors of `beta`, without ghosts.
            level: nominal level of the intervals (proportion).
            df: degrees of freedom of the t distribution; infinite for the normal.

        """
        errors = 2 * self.likelihood.slopes(np.concatenate([stderr, self.beta[len(stderr) :]]))
        scale = self.likelihood.scale
        return tuple(
            ControlEffect.make((name, float(sd)), (slope, float(error)), level, df)
            for (name, slope), error, sd in zip(self.slopes.items(), errors, scale, strict=True)
        )

    @cached_property
    def model_effects(self) -> tuple[ControlEffect, ...]:
        """What each control does, with 95 % intervals that assume independent judgments."""
        return self.effects(np.sqrt(np.diag(self.raw_vcov)))

    @cached_property
    def expected(self) -> Array:
        """Not there: comparisons of one pair differ in their controls.

        Raises:
            NotIdentified: always.

        """
        raise NotIdentified("with controls the comparisons of a pair have no common expectation")

    @cached_property
    def pearson(self) -> float:
        """Pearson's X² over single comparisons."""
        return self.likelihood.pearson(self.beta)

    @cached_property
    def gof_p(self) -> float | None:
        """None: with a cell for every comparison the deviance is no χ²."""
        return None


def fit_controlled(model: BradleyTerry, data: object) -> ControlledFit:
    """Fit a model with controls.

    Args:
        model: the settings; `controls` name the columns.
        data: comparisons.

    Raises:
        InvalidJudgments: a control without a number, or data without rows, such as a tally.
        NotIdentified: no finite, unique maximum exists; names the systems or controls.
        UnknownColumn: a column that is not there.
        UnknownOption: settings that do not go with controls.

    """
    if isinstance(data, Comparisons | Rankings):
        data = take_pairs(data)
    if not isinstance(data, Comparisons):
        raise InvalidJudgments(
            f"controls differ from row to row, and {type(data).__name__.lower()} has no rows of"
            " comparisons: give comparisons"
        )
    controls, rows = read_controls(data, model.controls)
    return fit_rows(model, controls, rows)


def fit_rows(model: BradleyTerry, controls: tuple[Control, ...], rows: CodedRows) -> ControlledFit:
    """Fit a model with controls to coded rows; errors as in `fit_controlled`."""
    tally = rows.tally()
    if len(tally.systems) > DENSE:
        raise UnknownOption(f"controls are for at most {DENSE:,} systems")
    spreads = measure_spreads(rows)
    refuse_constant(controls, rows, spreads.sd)
    with one_blas_thread():
        plain = replace(model, controls=()).fit(tally)
        likelihood = ControlledLikelihood(
            plain.design,
            plain.likelihood.law,
            plain.likelihood.counts,
            order_effect=model.order_effect,
            prior=model.prior,
            rows=rows.pooled(fold=not model.order_effect),
            scale=spreads.sd,
            largest=spreads.largest / spreads.sd,
            typical=spreads.mean / spreads.sd,
            rule=model,
        )
        found = _climb(likelihood, controls, plain)
        vcov = invert_positive(found.expansion.information)
        check_finite(likelihood, controls, found, vcov)
    return _gather(model, plain, likelihood, (controls, rows), (found, vcov))


def _climb(likelihood: ControlledLikelihood, controls: tuple[Control, ...], plain: Fit) -> Maximum:
    """Start where there are no controls.

    Raises:
        NotIdentified: a control is aliased, or runs away.

    """
    start = _start(likelihood, plain)
    check_aliases(likelihood, controls, likelihood.expand(start).information)
    try:
        return maximise(likelihood.expand, start, reach=likelihood.reach)
    except NotConverged as stop:
        alone = [one.name for at, one in enumerate(controls) if _runs_away(likelihood, at, plain)]
        names = alone or [one.name for one in controls]
        raise NotIdentified(refuse_endless(names)) from stop


def _start(likelihood: ControlledLikelihood, plain: Fit) -> Array:
    at = likelihood.before
    return np.concatenate([plain.beta[:at], np.zeros(len(likelihood.scale)), plain.beta[at:]])


def _runs_away(likelihood: ControlledLikelihood, at: int, plain: Fit) -> bool:
    """Say whether one control has no estimate even by itself."""
    one = likelihood.only(at)
    try:
        maximise(one.expand, _start(one, plain), reach=one.reach)
    except NotConverged:
        return True
    return False


def _gather(
    model: BradleyTerry,
    plain: Fit,
    likelihood: ControlledLikelihood,
    read: tuple[tuple[Control, ...], CodedRows],
    solution: tuple[Maximum, Array],
) -> ControlledFit:
    (controls, rows), (found, vcov) = read, solution
    reported = likelihood.reported
    loglik = likelihood.loglik(found.at) if model.prior else found.expansion.value
    names = (*plain.names, *(f"control{i + 1}" for i in range(len(controls))))
    return ControlledFit(
        model=model,
        systems=plain.systems,
        names=names,
        labels=(*plain.labels, *(control.name for control in controls)),
        estimate=found.at[:reported],
        covariance=Covariance(likelihood, found.at, vcov),
        beta=found.at,
        loglik=loglik,
        df=likelihood.cells - len(names),
        n_judgments=plain.n_judgments,
        n_comparisons=plain.n_comparisons,
        steps=found.steps,
        decrement=found.decrement,
        notes=(*plain.notes, *note_one_sided(controls, rows)),
        likelihood=likelihood,
        tally=plain.tally,
        plain=plain,
        controls=controls,
        rows=rows,
    )
