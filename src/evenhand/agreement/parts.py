"""Agreement on some of the units: coefficients, intervals, and what must stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.agreement_table import AgreementPart, Doubtful
from evenhand.agreement.between import compute_between
from evenhand.agreement.bootstrap import Draws, draw_sums, form_blocks, refuse_interval
from evenhand.agreement.catalogue import Kind
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.coincidences import Coincidences, count_coincidences, mirror
from evenhand.agreement.n_agreement import pair_judges
from evenhand.agreement.sums import Sums
from evenhand.agreement.units import Units
from evenhand.agreement.words import HIGH, LOW, name_kappa, warn_prevalence
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judgments.scale import Scale

NONE = "no output was scored by two judges"


@dataclass(frozen=True)
class Settings:
    """What was asked for.

    Attributes:
        kinds: coefficients on units.
        between: further names and families that were asked for, of coefficients between judges.
        unasked: such families that are computed unasked, and shown where they exist.
        level: nominal level of intervals (proportion).
        cluster: "item" or "judge".
        seed: of everything random.
        points: those that the kinds were chosen for.
        mirrored: whether scores are answers about two outputs, of which neither is the first.

    """

    kinds: tuple[Kind, ...]
    between: tuple[str, ...]
    unasked: tuple[str, ...]
    level: float
    cluster: str
    seed: int
    mirrored: bool = False
    points: NDArray[np.float64] | None = None


def describe_part(
    units: Units, by: Mapping[str, str], settings: Settings, doubtful: tuple[Doubtful, ...] = ()
) -> AgreementPart:
    """Compute everything that was asked for on some units.

    Args:
        units: who scored what.
        by: column → level, of which the units are.
        settings: what was asked for.
        doubtful: items on which judges are farthest apart.

    """
    judges = np.zeros(len(units.rows.judges), dtype=np.bool_)
    judges[units.judge if units.held.all() else units.judge[units.held]] = True
    coefficients = tuple(
        one
        for paired in (False, True)
        if (kinds := tuple(kind for kind in settings.kinds if kind.paired == paired))
        for one in compute_kinds(pair_judges(units) if paired else units, kinds, settings)
    )
    between, missing = _between(units, settings)
    coefficients += between
    return AgreementPart(
        by=by,
        units=int(units.several.sum()),
        single=int((units.sizes == 1).sum()),
        ratings=int(units.held.sum()),
        judges=int(judges.sum()),
        most_judges=int(units.sizes.max(initial=0)),
        coefficients=coefficients,
        doubtful=doubtful,
        notes=(*_note_prevalence(units, coefficients, mirrored=settings.mirrored), *missing),
    )


def _between(units: Units, settings: Settings) -> tuple[tuple[Coefficient, ...], tuple[str, ...]]:
    """Return coefficients between judges, and why some that nobody asked for do not exist."""
    asked, unasked = (
        tuple(
            one.without_interval() if settings.cluster == "judge" else one
            for one in compute_between(units, names, settings.level)
        )
        for names in (settings.between, settings.unasked)
    )
    held = tuple(one for one in unasked if one.value is not None)
    whys = dict.fromkeys(one.why for one in unasked if one.why is not None)
    return (*asked, *held), tuple(whys)


def _note_prevalence(
    units: Units, coefficients: tuple[Coefficient, ...], *, mirrored: bool
) -> tuple[str, ...]:
    given = np.bincount(units.code[units.held], minlength=len(units.points))
    return note_prevalence(given + given[::-1] if mirrored else given, coefficients)


def note_prevalence(
    given: NDArray[np.int64], coefficients: tuple[Coefficient, ...]
) -> tuple[str, ...]:
    """Warn where κ is low since one score prevails.

    Args:
        given: (K,) how often each score was given to units of two or more judges.
        coefficients: of these units.

    """
    known = {one.name: one.value for one in coefficients}
    same, kappa = known.get("n-agreement-0"), known.get("fleiss")
    if same is None or kappa is None or same < HIGH or kappa > LOW:
        return ()
    warning = warn_prevalence(same, kappa, float(given.max() / given.sum()))
    return (warning,) if warning else ()


def compute_kinds(
    units: Units, kinds: tuple[Kind, ...], settings: Settings
) -> tuple[Coefficient, ...]:
    """Return coefficients on units, with intervals where there can be."""
    if not units.several.any():
        return tuple(Coefficient(kind.name, kind.title, None, why=NONE) for kind in kinds)
    blocks = form_blocks(units, settings.cluster, settings.seed)
    coincidences = count_coincidences(units, blocks)
    if settings.mirrored:
        coincidences = mirror(coincidences)
    sizes = units.sizes[units.several]
    shape = Shape(len(sizes), int(sizes.sum()), bool(sizes.min() != sizes.max()))
    return study_kinds(coincidences, kinds, settings, shape, units.scale)


@dataclass(frozen=True)
class Shape:
    """How much there is of agreement.

    Attributes:
        units: those of two or more judges.
        ratings: scores of them.
        unequal: whether some have more judges than others.

    """

    units: int
    ratings: int
    unequal: bool


def study_kinds(
    coincidences: Coincidences,
    kinds: tuple[Kind, ...],
    settings: Settings,
    shape: Shape,
    scale: Scale,
) -> tuple[Coefficient, ...]:
    """Return coefficients of sums by cluster, with intervals where there can be."""
    blocks = coincidences.blocks
    none = refuse_interval(blocks.levels, blocks.name)
    drawn = None if none else draw_sums(coincidences, settings.seed)
    stepless = scale.points is None
    study = _Study(Sums(coincidences), drawn, shape, settings.level, stepless=stepless)
    notes = (none,) if none else ()
    return tuple(study.compute(kind, notes) for kind in kinds)


@dataclass(frozen=True, eq=False)
class _Study:
    """Sums of some units, and of resamples of them."""

    sums: Sums
    drawn: Draws | None
    shape: Shape
    level: float
    stepless: bool

    def compute(self, kind: Kind, notes: tuple[str, ...]) -> Coefficient:
        """Return one coefficient."""
        units, ratings = self.shape.units, self.shape.ratings
        title = _title(kind, generalised=self.shape.unequal)
        if self.stepless and kind.categories:
            why = f"{title}: it needs a scale with steps, and the declared one has none"
            return Coefficient(kind.name, title, None, units=units, ratings=ratings, why=why)
        try:
            value = kind.compute(self.sums).value
        except (NotIdentified, InvalidJudgments) as refusal:
            why = f"{title}: {refusal}"
            return Coefficient(kind.name, title, None, units=units, ratings=ratings, why=why)
        if value is None:
            why = "all scores are alike: what chance would give is all there is"
            return Coefficient(kind.name, title, None, units=units, ratings=ratings, why=why)
        word = (f"{name_kappa(value)} (Landis & Koch 1977)",) if kind.kappa else ()
        lower = upper = None
        if self.drawn is not None:
            interval = self.drawn.bound(kind.compute, self.level)
            lower, upper = interval.lower, interval.upper
            notes = (interval.why,) if interval.why else ()
        notes = (*word, *notes)
        return Coefficient(kind.name, title, value, lower, upper, units, ratings, notes=notes)


def _title(kind: Kind, *, generalised: bool) -> str:
    """Name a generalisation for what it is."""
    if kind.name == "fleiss" and generalised:
        return f"{kind.title}, unequal numbers of judges"
    return kind.title


def mean_difference(units: Units, *, kind: str = "ratings") -> NDArray[np.float64]:
    """(U,) how far two judges of each unit are apart on average; zero for one judge.

    Of sorted scores x_1 ... x_m the mean over pairs is 2 Σ (2i − m − 1) x_i / (m (m − 1)).

    Args:
        units: who scored what.
        kind: of ratings it is |difference| in points; of preferences the share of pairs of votes
            that disagree.

    """
    found = np.zeros(units.size)
    for judges, at, place in units.by_size():
        if kind != "ratings":
            counts = np.stack([(units.code[place] == c).sum(axis=1) for c in range(3)])
            found[at] = 1 - (counts * (counts - 1)).sum(axis=0) / (judges * (judges - 1))
            continue
        score = units.points[units.code[place]]
        if judges == 2:
            found[at] = np.abs(score[:, 0] - score[:, 1])
            continue
        rank = 2 * np.arange(1, judges + 1) - judges - 1
        found[at] = np.sort(score, axis=1) @ rank * (2 / (judges * (judges - 1)))
    return found
