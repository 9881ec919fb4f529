"""Coefficients on units by name: which there are, which are shown unasked, how each is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.alpha import METRICS, krippendorff_alpha
from evenhand.agreement.fleiss import fleiss_kappa
from evenhand.agreement.gwet import brennan_prediger, gwet_ac, gwet_pi, weighted_agreement
from evenhand.agreement.n_agreement import LONGEST, choose_steps, n_agreement
from evenhand.agreement.sums import Ratio, Sums
from evenhand.agreement.units import Units
from evenhand.agreement.weights import WEIGHTINGS
from evenhand.errors import UnknownOption, suggest
from evenhand.judgments.scale import Scale

Compute = Callable[[Sums], Ratio]


@dataclass(frozen=True)
class Kind:
    """A coefficient that can be asked for.

    Attributes:
        name: as it is asked for.
        title: in tables.
        family: what asks for it together with its like.
        compute: its value, once per resample.
        default: whether it is shown unasked.
        paired: whether it is of one pair of judges for each output.
        kappa: whether Landis and Koch's words are meant for it.
        categories: whether it is made of the points of the scale, and needs one with steps.

    """

    name: str
    title: str
    family: str
    compute: Compute
    default: bool = False
    paired: bool = False
    kappa: bool = False
    categories: bool = False


class OnScale(Protocol):
    """Scores on a scale, however they are held."""

    @property
    def points(self) -> NDArray[np.float64]:
        """(K,) different scores, ascending."""

    @property
    def scale(self) -> Scale:
        """What was declared, or seen."""


_FEW: Final = 32
"""Different scores up to which coefficients for categories are shown unasked."""


def list_kinds(units: OnScale) -> tuple[Kind, ...]:
    """Return all coefficients on the scale of some units, in the order in which they are shown."""
    few = len(units.points) <= _FEW and units.scale.points is not None
    steps = choose_steps(units.scale.low, units.scale.high, units.points)
    near = [_name_n_agreement(n, paired=paired) for paired in (False, True) for n in steps]
    return (
        *near,
        Kind(
            "fleiss", "Fleiss' κ", "fleiss", fleiss_kappa, default=few, kappa=True, categories=True
        ),
        *_alphas(few=few),
        *_weighted(few=few),
    )


def _name_n_agreement(n: float, *, paired: bool) -> Kind:
    pair = ", one pair of judges per output" if paired else ""
    family = "n-agreement-pair" if paired else "n-agreement"
    title = f"scores at most {n:g} apart{pair}" if n else f"same score{pair}"
    compute = partial(n_agreement, n=n)
    return Kind(f"{family}-{n:g}", title, family, compute, default=not paired, paired=paired)


def _alphas(*, few: bool) -> list[Kind]:
    shown = {"nominal": few, "ordinal": True, "interval": True, "ratio": False}
    return [
        Kind(
            f"alpha-{metric}",
            f"Krippendorff's α, {metric}",
            "alpha",
            partial(krippendorff_alpha, metric=metric),
            default=shown[metric],
            categories=metric == "nominal",
        )
        for metric in METRICS
    ]


def _weighted(*, few: bool) -> list[Kind]:
    """Return the coefficients that take weights: one of each without, then with each weighting."""
    families = (
        ("gwet", ("ac1", "ac2"), ("Gwet's AC1", "Gwet's AC2"), gwet_ac),
        *(
            (name, (name, name), (title, title), compute)
            for name, title, compute in (
                ("brennan-prediger", "Brennan-Prediger κ", brennan_prediger),
                ("pi", "π of Fleiss' kind (Gwet)", gwet_pi),
                ("agreement", "weighted agreement", weighted_agreement),
            )
        ),
    )
    shown = {"ac1", "ac2-quadratic", "brennan-prediger"} if few else set()
    kinds = []
    for family, names, titles, compute in families:
        for weighting in WEIGHTINGS:
            plain = weighting == "identity"
            name = names[0] if plain else f"{names[1]}-{weighting}"
            title = titles[0] if plain else f"{titles[1]}, {weighting} weights"
            own = partial(compute, weighting=weighting)
            kinds.append(Kind(name, title, family, own, default=name in shown, categories=True))
    return kinds


def choose_kinds(
    units: OnScale, asked: str | Sequence[str], others: Sequence[str] = ()
) -> tuple[Kind, ...]:
    """Return the coefficients that are meant, each once, in the order of the list.

    Args:
        units: what was scored by whom.
        asked: names or families, "default" or "all".
        others: further names that are known, but not computed here.

    Raises:
        UnknownOption: a name that is none.

    """
    kinds = list_kinds(units)
    names = [asked] if isinstance(asked, str) else list(asked)
    known = {"default", "all", *others}
    known |= {one.name for one in kinds} | {one.family for one in kinds}
    for name in names:
        if name not in known:
            hint = suggest(name, known) or f" Choose from {', '.join(sorted(known))}"
            raise UnknownOption(f"no coefficient '{name}'.{hint}")
    chosen = set(names)
    return tuple(
        one
        for one in kinds
        if "all" in chosen
        or one.name in chosen
        or one.family in chosen
        or (one.default and "default" in chosen)
    )


def is_short(units: Units) -> bool:
    """Say whether the scale is so short that its n-agreement is shown in full."""
    return len(units.points) <= LONGEST
