"""What judge groups do to a fit: the order that each group gives, and tests of each covariate.

    interaction of covariate c:   H0: λ_jl does not depend on c      (Dras 2015, eq. 2)
    its ties:                     H0: γ_l does not depend on c

One covariate is dropped at a time. A likelihood-ratio test compares the two fits; the parameters
that go are named, so that another test of the same hypothesis may stand beside it. When not to
believe the likelihood ratio: where judges give many answers each, or items get many, it rejects too
often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.models.base import LRTest
from evenhand.models.design import Owner

if TYPE_CHECKING:
    from evenhand.models.log_linear import Fit
    from evenhand.models.settings import LogLinearSettings

Kind = Literal["worths", "ties"]
REFERENCE: Final = "log-worths against {}"
COMMON: Final = "log-worths against the mean of the systems that all groups saw"
EACH_GROUPS: Final = (
    "log-worths against the mean of the systems that each group saw: no system is common"
)


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """That one covariate, or several together, make no difference."""

    covariates: tuple[str, ...]  # their names
    of: Kind  # whether worths or tie parameters are said not to depend on it
    fit: Fit  # the fit in which some parameters are then zero
    at: NDArray[np.intp]  # places of those parameters in `fit.estimate`
    lr: LRTest | None  # the likelihood-ratio test; None under a prior or importance weights
    # levels that never tied: their γ = −∞ is no place of the estimate, so that only the
    # likelihood ratio tests the hypothesis
    tieless: tuple[str, ...] = ()

    @property
    def covariate(self) -> str:
        """Their names, such as "native + age"."""
        return " + ".join(self.covariates)


@dataclass(frozen=True)
class GroupOrder:
    group: str  # its name
    # by system, natural log-odds; None for those that it never saw
    log_worth: Mapping[str, float | None]
    # by system, 1 is best, by estimate; None for those that it never saw
    place: Mapping[str, int | None]


def list_owners(fit: Fit) -> tuple[Owner, ...]:
    """Return covariate and level of every parameter of a fit; ("", "") without one."""
    likelihood = fit.likelihood
    worths = fit.design.owners or (("", ""),) * likelihood.n_worths
    ties = (("", ""),) * likelihood.n_ties if likelihood.ties is None else likelihood.ties.owners
    return (*worths, *ties, *((("", ""),) * likelihood.order_effect))


def find_hypotheses(fit: Fit) -> Iterator[Hypothesis]:
    kinds: list[tuple[Kind, tuple[str, ...]]] = [("worths", fit.model.judge_covariates)]
    kinds += [("ties", fit.model.tie_covariates)] if fit.likelihood.ties is not None else []
    for of, covariates in kinds:
        alone = [one for name in covariates for one in _drop(fit, (name,), of)]
        yield from alone
        for one in _drop(fit, covariates, of) if len(covariates) > 1 else ():
            if len(one.at) > max((len(each.at) for each in alone), default=0):
                yield one


def _drop(fit: Fit, dropped: tuple[str, ...], of: Kind) -> Iterator[Hypothesis]:
    ordered = fit.model.judge_covariates if of == "worths" else fit.model.tie_covariates
    others, full = tuple(name for name in ordered if name not in dropped), fit
    if fit.design.aliased and others and ordered[-1] not in dropped:
        # Of columns that say the same the earlier stay: only the last covariate's can be dropped
        # without the loss of what others say too.
        full = _with(fit.model, of, (*others, *dropped)).fit(fit.tally)
    likelihood = full.likelihood
    first, last = likelihood.n_worths, likelihood.n_worths + likelihood.n_ties
    span = range(first) if of == "worths" else range(first, last)
    owners = list_owners(full)
    at = np.array([i for i in span if owners[i][0] in dropped], dtype=np.intp)
    tieless: tuple[str, ...] = ()
    if of == "ties" and likelihood.ties is not None:
        endless = likelihood.ties.endless_owners
        tieless = tuple(level for name, level in endless if name in dropped)
    if len(at) or tieless:
        lr = None
        if not full.model.prior and full.tally.squares is None:
            lr = full.lr_test(_with(full.model, of, others).fit(full.tally))
        yield Hypothesis(dropped, of, full, at, lr, tieless)


def _with(model: LogLinearSettings, of: Kind, covariates: tuple[str, ...]) -> LogLinearSettings:
    judge = covariates if of == "worths" else model.judge_covariates
    ties = covariates if of == "ties" else model.tie_covariates
    references = {name: one for name, one in model.references.items() if name in (*judge, *ties)}
    return replace(model, judge_covariates=judge, tie_covariates=ties, references=references)


def order_groups(fit: Fit) -> tuple[tuple[GroupOrder, ...], str]:
    """Return the order that each judge group gives, and what the log-worths are against."""
    # the reference system is 0 in every group if all of them saw it
    design, k = fit.design, len(fit.systems)
    worth = np.full((len(design.groups), k), np.inf)
    worth[design.group, design.system] = 2 * fit.likelihood.parts(fit.beta)[0]
    seen = np.isfinite(worth)
    common = seen.all(axis=0)
    if common[design.reference]:
        zero, against = worth[:, design.reference], REFERENCE.format(fit.systems[design.reference])
    elif common.any():
        zero, against = worth[:, common].mean(axis=1), COMMON
    else:
        zero = np.array([row[held].mean() for row, held in zip(worth, seen, strict=True)])
        against = EACH_GROUPS
    worth -= zero[:, None]
    orders = []
    for group, row, held in zip(design.groups, worth, seen, strict=True):
        places = 1 + (row[None, held] > row[:, None]).sum(axis=1)
        rows = list(zip(fit.systems, row.tolist(), places.tolist(), held.tolist(), strict=True))
        log_worth = {system: value if known else None for system, value, _, known in rows}
        place = {system: at if known else None for system, _, at, known in rows}
        orders.append(GroupOrder(group, log_worth, place))
    return tuple(orders), against
