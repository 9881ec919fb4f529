"""What judge groups do to a fit: the order that each group gives, and tests of each covariate.

    interaction of covariate c:   H0: λ_jl does not depend on c      (Dras 2015, eq. 2)
    its ties:                     H0: γ_l does not depend on c

One covariate is dropped at a time. A likelihood-ratio test compares the two fits; the parameters
that go are named, so that another test of the same hypothesis may stand beside it. When not to
believe the likelihood ratio: where judges give many answers each, or items get many, it rejects too
often (INFERENCE A10).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.models.coefficients import LRTest
from evenhand.models.design import Owner

if TYPE_CHECKING:
    from evenhand.models.base import Fit
    from evenhand.models.bradley_terry import BradleyTerry

Kind = Literal["worths", "ties"]
REFERENCE: Final = "log-worths against {}"
COMMON: Final = "log-worths against the mean of the systems that all groups saw"
OWN: Final = "log-worths against the mean of the systems that each group saw: no system is common"


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """That one covariate makes no difference."""

    covariate: str  # its name
    of: Kind  # whether worths or tie parameters are said not to depend on it
    fit: Fit  # the fit in which some parameters are then zero
    at: NDArray[np.intp]  # places of those parameters in `fit.estimate`
    lr: LRTest | None  # the likelihood-ratio test; None under a prior or importance weights
    # levels that never tied: their γ = −∞ is no place of the estimate, so that only the
    # likelihood ratio tests the hypothesis
    tieless: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupOrder:
    """The systems in the eyes of one judge group."""

    group: str  # its name
    # by system, natural log-odds; None for those that it never saw
    log_worth: Mapping[str, float | None]
    # by system, 1 is best, by estimate; None for those that it never saw
    place: Mapping[str, int | None]


def list_owners(fit: Fit) -> tuple[Owner, ...]:
    """Return covariate and level of every parameter of a fit; ("", "") without one."""
    likelihood = fit.likelihood
    own = fit.design.owners or (("", ""),) * likelihood.n_worths
    ties = (("", ""),) * likelihood.n_ties if likelihood.ties is None else likelihood.ties.owners
    return (*own, *ties, *((("", ""),) * likelihood.order_effect))


def find_hypotheses(fit: Fit) -> Iterator[Hypothesis]:
    """Yield a test for each covariate of the worths, then for each of the tie parameter.

    Those whose covariate has a single level, or no parameter that the data determine, are left out.
    """
    for covariate in fit.model.judge_covariates:
        yield from _drop(fit, covariate, "worths")
    if fit.likelihood.ties is not None:
        for covariate in fit.model.tie_covariates:
            yield from _drop(fit, covariate, "ties")


def _drop(fit: Fit, covariate: str, of: Kind) -> Iterator[Hypothesis]:
    full = _put_last(fit, covariate, of)
    first, last = full.likelihood.n_worths, full.likelihood.n_worths + full.likelihood.n_ties
    span = range(first) if of == "worths" else range(first, last)
    owners = list_owners(full)
    at = np.array([i for i in span if owners[i][0] == covariate], dtype=np.intp)
    tieless = _list_tieless(full, covariate) if of == "ties" else ()
    if len(at) or tieless:
        tested = not full.model.prior and full.tally.squares is None
        small = _without(full.model, covariate, of).fit(full.tally) if tested else None
        lr = None if small is None else full.lr_test(small)
        yield Hypothesis(covariate, of, full, at, lr, tieless)


def _list_tieless(fit: Fit, covariate: str) -> tuple[str, ...]:
    """Return the levels of a covariate that never tied."""
    owners = () if fit.likelihood.ties is None else fit.likelihood.ties.endless_owners
    return tuple(level for name, level in owners if name == covariate)


def _put_last(fit: Fit, covariate: str, of: Kind) -> Fit:
    """Return the fit, made anew with the covariate last if parameters were dropped as aliased.

    Of columns that say the same the earlier stay: only the last covariate's can be dropped without
    the loss of what others say too.
    """
    ordered: tuple[str, ...] = getattr(fit.model, _setting(of))
    if not fit.design.aliased or ordered[-1] == covariate:
        return fit
    ordered = (*(name for name in ordered if name != covariate), covariate)
    return _with(fit.model, of, ordered).fit(fit.tally)


def _without(model: BradleyTerry, covariate: str, of: Kind) -> BradleyTerry:
    ordered: tuple[str, ...] = getattr(model, _setting(of))
    return _with(model, of, tuple(name for name in ordered if name != covariate))


def _with(model: BradleyTerry, of: Kind, covariates: tuple[str, ...]) -> BradleyTerry:
    judge = covariates if of == "worths" else model.judge_covariates
    ties = covariates if of == "ties" else model.tie_covariates
    references = {name: one for name, one in model.references.items() if name in (*judge, *ties)}
    return replace(model, judge_covariates=judge, tie_covariates=ties, references=references)


def _setting(of: Kind) -> str:
    return "judge_covariates" if of == "worths" else "tie_covariates"


def order_groups(fit: Fit) -> tuple[tuple[GroupOrder, ...], str]:
    """Return the order that each judge group gives, and what the log-worths are against.

    The reference system is 0 in every group if all of them saw it.
    """
    design, k = fit.design, len(fit.systems)
    worth = np.full((len(design.groups), k), np.inf)
    worth[design.group, design.system] = 2 * fit.likelihood.parts(fit.beta)[0]
    seen = np.isfinite(worth)
    common = seen.all(axis=0)
    if common[design.reference]:
        zero, said = worth[:, design.reference], REFERENCE.format(fit.systems[design.reference])
    elif common.any():
        zero, said = worth[:, common].mean(axis=1), COMMON
    else:
        zero, said = np.array([row[own].mean() for row, own in zip(worth, seen, strict=True)]), OWN
    worth -= zero[:, None]
    return tuple(
        _order(name, fit.systems, row, own)
        for name, row, own in zip(design.groups, worth, seen, strict=True)
    ), said


def _order(
    group: str,
    systems: tuple[str, ...],
    worth: NDArray[np.float64],
    seen: NDArray[np.bool_],
) -> GroupOrder:
    places = 1 + (worth[None, seen] > worth[:, None]).sum(axis=1)
    rows = list(zip(systems, worth.tolist(), places.tolist(), seen.tolist(), strict=True))
    return GroupOrder(
        group,
        {system: value if own else None for system, value, _, own in rows},
        {system: place if own else None for system, _, place, own in rows},
    )
