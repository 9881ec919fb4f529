"""What judge and item covariates do: tests of each, the order in each group, what stands out.

Each covariate of a fit is tested by a likelihood ratio, which assumes independent judgments, and
beside it by a Wald test for each way in which judgments are known to hang together. What stands
out is said coefficient by coefficient, p-values adjusted for all of them by Holm's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.judgments.tally import Tally
from evenhand.preference.coefficients import Coefficient, LRTest
from evenhand.preference.covariates import home_level, tag_of
from evenhand.preference.design import Owner
from evenhand.preference.fit import Fit
from evenhand.preference.groups import (
    GroupOrder,
    Hypothesis,
    Kind,
    find_hypotheses,
    list_owners,
    order_groups,
)
from evenhand.ranking.robust import WaldTest
from evenhand.ranking.ways import walds_of
from evenhand.significance.adjust import holm

LEVEL: Final = 0.05
"""Adjusted p-value below which an interaction stands out."""


@dataclass(frozen=True)
class Effect:
    """The tests of one covariate.

    Attributes:
        covariate: its name.
        of: whether worths or ties are asked to depend on it.
        lr: the likelihood-ratio test; None under a prior or importance weights.
        walds: cluster-robust tests of the same, one for each way of clustering.
        notes: why a way of clustering has no test.

    """

    covariate: str
    of: Kind
    lr: LRTest | None
    walds: tuple[WaldTest, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Interaction:
    """One parameter by which a judge group differs from the reference group.

    Attributes:
        coefficient: the parameter.
        covariate: the covariate that tells the group.
        level: the group's level of it.
        home: the reference level, which it is compared with.
        of: the system (or system covariate) that the parameter is about; "tie" for ties.
        against: the reference system, which liking is against; empty where there is none.
        p_holm: its p-value, adjusted for all interactions of the fit.

    """

    coefficient: Coefficient
    covariate: str
    level: str
    home: str
    of: str
    against: str
    p_holm: float

    @property
    def stands_out(self) -> bool:
        """Whether it is larger than chance leaves any of them to be, if answers are independent."""
        return self.p_holm < LEVEL

    def say(self, *, alone: bool = True) -> str:
        """Say who differs from whom in what, and how much on the λ scale.

        Args:
            alone: whether there is one covariate only, which need not be named.

        """
        one = self.coefficient
        of = "" if alone else f"{self.covariate}="
        who, whom = f"{of}{self.level}", f"{of}{self.home}"
        more = "more" if one.estimate > 0 else "less"
        often = f"ties {more} often than {whom} does"
        likes = f"likes {self.of} {more} than {whom} does"
        likes += f", against {self.against}" if self.against else ""
        numbers = f"({one.estimate:.3f}, z {one.z:.1f})".replace("-", "−")
        return f"{who} {often if self.of == 'tie' else likes} {numbers}"


@dataclass(frozen=True)
class OddReference:
    """A reference level from which most others differ, and alike: it is the odd one.

    Attributes:
        covariate: the covariate.
        level: its reference level.
        of: the system (or system covariate) on which it differs; "tie" for ties.
        against: the reference system, which liking is against; empty where there is none.
        alike: how most others differ from it, the largest |z| first.
        more: whether others are above it.
        others: number of other levels.
        farthest: the level farthest from the mean of all, the reference counted as 0.
        distance: how far it is from that mean, on the λ scale.

    """

    covariate: str
    level: str
    of: str
    against: str
    alike: tuple[Interaction, ...]
    more: bool
    others: int
    farthest: str
    distance: float


@dataclass(frozen=True)
class Effects:
    """What covariates do to a fit.

    Attributes:
        tests: one for each covariate.
        interactions: all of them, the largest |z| first.
        orders: the systems in the eyes of each group.
        scale: what the log-worths of the orders are against.

    """

    tests: tuple[Effect, ...]
    interactions: tuple[Interaction, ...]
    orders: tuple[GroupOrder, ...]
    scale: str

    @property
    def odd_references(self) -> tuple[OddReference, ...]:
        """Reference levels from which more than half of two or more others stand out one way."""
        about: dict[tuple[str, str], list[Interaction]] = {}
        for one in self.interactions:
            about.setdefault((one.covariate, one.of), []).append(one)
        found = (
            _find_odd(others, more=more) for others in about.values() for more in (True, False)
        )
        return tuple(one for one in found if one is not None)


def _find_odd(others: Sequence[Interaction], *, more: bool) -> OddReference | None:
    """Return the reference level if it is the odd one on a system."""
    out = [one for one in others if one.stands_out and (one.coefficient.estimate > 0) == more]
    if len(others) < 2 or 2 * len(out) <= len(others):
        return None
    first = others[0]
    at = {first.home: 0.0} | {one.level: one.coefficient.estimate for one in others}
    mean = sum(at.values()) / len(at)
    farthest = max(at, key=lambda level: abs(at[level] - mean))
    return OddReference(
        first.covariate,
        first.home,
        first.of,
        first.against,
        tuple(out),
        more,
        len(others),
        farthest,
        at[farthest] - mean,
    )


def find_effects(fit: Fit, evidence: Mapping[str, Tally]) -> Effects:
    """Test the covariates of a fit, and say what each judge group prefers.

    Args:
        fit: a fit with judge or tie covariates.
        evidence: way of clustering (judge, item, ranking) → the same judgments, told apart by the
            covariates of the model and by that way.

    >>> from evenhand import BradleyTerry, Comparisons, datasets, read
    >>> import polars as pl
    >>> one = datasets.load("dras2015_table1")
    >>> data = read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))
    >>> fit = BradleyTerry(judge_covariates=("judge",)).fit(data)
    >>> found = find_effects(fit, {})
    >>> print(found.tests[0].lr)
    LR 173.4128 on 9 df, p <.0001 (assumes independent judgments)
    >>> [
    ...     one.say() for one in found.interactions if one.stands_out
    ... ]  # doctest: +NORMALIZE_WHITESPACE
    ['J3 likes A less than J1 does, against D (−1.868, z −6.5)',
     'J3 likes B less than J1 does, against D (−1.281, z −4.1)']
    """
    orders, scale = order_groups(fit)
    return Effects(
        tests=tuple(_test(one, evidence) for one in find_hypotheses(fit)),
        interactions=_list_interactions(fit),
        orders=orders,
        scale=scale,
    )


def _test(hypothesis: Hypothesis, ways: Mapping[str, Tally]) -> Effect:
    walds, notes = walds_of(hypothesis, ways)
    return Effect(hypothesis.covariate, hypothesis.of, hypothesis.lr, walds, notes)


def _list_interactions(fit: Fit) -> tuple[Interaction, ...]:
    by_name = {one.name: one for one in fit.coefficients}
    found = [
        (by_name[name], owner)
        for name, owner in zip(fit.names, list_owners(fit), strict=True)
        if owner[0] and by_name[name].p is not None
    ]
    adjusted = holm(np.array([one.p for one, _ in found], dtype=np.float64))
    homes = {name: _home_of(fit, name) for name in fit.model.covariates}
    against = "" if fit.model.system_covariates else fit.systems[fit.design.reference]
    listed = [
        Interaction(one, *owner, homes[owner[0]], _about(one, owner), against, p)
        for (one, owner), p in zip(found, adjusted.tolist(), strict=True)
    ]
    return tuple(sorted(listed, key=lambda one: -abs(one.coefficient.z or 0.0)))


def _home_of(fit: Fit, covariate: str) -> str:
    """Return the reference level of a covariate."""
    levels = fit.tally.factor(covariate).labels
    return levels[home_level(covariate, levels, fit.model.references)]


def _about(one: Coefficient, owner: Owner) -> str:
    """Take the level off a label."""
    for alone in (False, True):
        if one.label.endswith(tag_of(owner, alone=alone)):
            return one.label.removesuffix(tag_of(owner, alone=alone))
    return one.label
