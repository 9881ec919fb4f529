"""From votes to a table of agreement: coefficients for categories, and the κ of the WMT tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.agreement_intervals import (
    MOST,
    REPLICATES,
    Draws,
    Interval,
    draw_sums,
    draw_times,
    find_interval,
    form_blocks,
    merge_clusters,
    refuse_interval,
)
from evenhand.judges.agreement_table import (
    HIGH,
    LOW,
    AgreementPart,
    AgreementTable,
    Doubtful,
    name_kappa,
    say_parts,
    warn_prevalence,
)
from evenhand.judges.coefficients import Kind, OnScale, choose_kinds, list_kinds, pair_judges
from evenhand.judges.counts import Coincidences, Ratio, Sums, count_coincidences, mirror
from evenhand.judges.item_agreement import list_doubtful
from evenhand.judges.judge_pairs import CHEAP, FAMILIES, compute_between, list_between
from evenhand.judges.preferences import (
    FORCED,
    MODES,
    SHOWN,
    Among,
    Mode,
    Order,
    PreferenceAgreement,
    chance_agreement,
    choose_answers,
    compare_votes,
    leave_repeats,
    preference_rows,
)
from evenhand.judges.self_agreement import (
    NO_REPEATS,
    correlate_repeats,
    find_answer_units,
    find_repeats,
)
from evenhand.judges.units import Coefficient, Units, find_units
from evenhand.judgments.exclusions import Exclusion, sign_excluded
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import CONTROL, REPEAT, RatingRows
from evenhand.judgments.scale import Scale
from evenhand.judgments.signature import write_signature
from evenhand.judgments.votes import Votes
from evenhand.numerics.sampling import one_blas_thread

# Agreement on some of the units: coefficients, intervals, and what must stand beside them.

NO_OVERLAP = "no output was scored by two judges"


@dataclass(frozen=True)
class Settings:
    """What was asked for."""

    kinds: tuple[Kind, ...]  # coefficients on units
    # further names and families that were asked for, of coefficients between judges
    between: tuple[str, ...]
    unasked: tuple[str, ...]  # such families that are computed unasked, and shown where they exist
    level: float  # nominal level of intervals (proportion)
    cluster: str  # "item" or "judge"
    seed: int  # of everything random
    # whether scores are answers about two outputs, of which neither is the first
    mirrored: bool = False
    points: NDArray[np.float64] | None = None  # those that the kinds were chosen for


def describe_part(
    units: Units, by: Mapping[str, str], settings: Settings, doubtful: tuple[Doubtful, ...] = ()
) -> AgreementPart:
    """Compute everything that was asked for on some units."""
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

    given: (K,) how often each score was given to units of two or more judges.
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
        return tuple(Coefficient(kind.name, kind.title, None, why=NO_OVERLAP) for kind in kinds)
    blocks = form_blocks(units, settings.cluster, settings.seed)
    coincidences = count_coincidences(units, blocks)
    if settings.mirrored:
        coincidences = mirror(coincidences)
    sizes = units.sizes[units.several]
    shape = Shape(len(sizes), int(sizes.sum()), bool(sizes.min() != sizes.max()))
    return study_kinds(coincidences, kinds, settings, shape, units.scale)


@dataclass(frozen=True)
class Shape:
    """How much there is of agreement."""

    units: int  # those of two or more judges
    ratings: int  # scores of them
    unequal: bool  # whether some have more judges than others


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


# The scale that was seen of some units alone: what others scored changes nothing of theirs.


def narrow_scale(units: Units, kept: NDArray[np.bool_]) -> Units:
    """Keep some units, and only points that they have; a declared scale stays as it is.

    kept: (U,) the units of a task, or under a criterion.
    """
    units = units.take(kept)
    if units.scale.declared or not units.size:
        return units
    seen = np.bincount(units.code, minlength=len(units.points)) > 0
    if seen.all():
        return units
    points = units.points[seen]
    ends = float(points[0]), float(points[-1])
    scale = replace(units.scale, low=ends[0], high=ends[1], points=tuple(points.tolist()))
    code = (np.cumsum(seen) - 1)[units.code].astype(np.int32)
    return replace(units, points=points, scale=scale, code=code)


# From units to a table: parts by the levels of columns, notes, and the signature.

Mask = NDArray[np.bool_]
# What the note begins with on answers that nothing marks as repeats
AGAIN: Final = "second answers of a judge"


class Scored(OnScale, Protocol):
    """What was scored by whom, as far as the choice of coefficients asks."""

    @property
    def pairs(self) -> int:
        """Pairs of judges who scored one and the same unit."""


@dataclass(frozen=True)
class Request:
    """What was asked for, of whatever judgments."""

    by: tuple[str, ...]  # columns whose levels are parts
    coefficients: tuple[str, ...]  # names, families, "default" or "all"
    level: float  # nominal level of intervals (proportion)
    cluster: str  # "item" or "judge"
    seed: int  # of everything random
    kind: str = "ratings"  # "ratings", "comparisons" or "rankings"
    # how the coefficients were asked for, where what is asked for here is less
    signed: tuple[str, ...] = ()
    alone: bool = False  # whether there is a table also where no two judges judged the same


def tabulate_units(
    units: Units, request: Request, digest: str, notes: Sequence[str] = ()
) -> AgreementTable:
    """Make the table of some units."""
    if not (units.several.any() or request.alone):
        raise refuse_alone(units.size, _count_judges(units))
    settings, left = choose_settings(units, request)
    difference = mean_difference(units, kind=request.kind)
    with one_blas_thread():
        parts = tuple(
            describe_part(
                part,
                levels,
                replace(settings, kinds=choose_own_kinds(part, settings, request)),
                list_doubtful(part, difference[kept]),
            )
            for levels, kept, part in _split(units, request.by)
        )
    excluded = exclude_again(units.again)
    return AgreementTable(
        parts=parts,
        kind=request.kind,
        by=request.by,
        scale=say_scale(units.scale),
        cluster=request.cluster,
        level=request.level,
        says=say_parts(parts, answers="score" if request.kind == "ratings" else "answer"),
        notes=(*notes, *_note_rows(units), *_note_scales(units, request), *left),
        signature=sign_excluded(_sign(units, request, digest), excluded),
        excluded=excluded,
    )


def choose_settings(units: Scored, request: Request) -> tuple[Settings, tuple[str, ...]]:
    """Return what to compute, and what is left out for its cost."""
    kinds = choose_kinds(units, request.coefficients, list_between())
    settings = Settings(
        kinds=kinds,
        between=tuple(name for name in list_between() if name in request.coefficients),
        unasked=(),
        level=request.level,
        cluster=request.cluster,
        seed=request.seed,
        mirrored=request.kind != "ratings",
        points=units.points,
    )
    if "all" in request.coefficients:
        return replace(settings, between=FAMILIES), ()
    if "default" not in request.coefficients:
        return settings, ()
    if units.pairs <= CHEAP:
        return replace(settings, unasked=FAMILIES), ()
    note = (
        f"beyond {CHEAP:,} pairs of judges of one output coefficients between judges are made when"
        f" asked for: {', '.join(FAMILIES)}"
    )
    return settings, (note,)


def choose_own_kinds(part: OnScale, settings: Settings, request: Request) -> tuple[Kind, ...]:
    """Return the coefficients of a part, whose own scale says which n it has."""
    if part.points is settings.points:
        return settings.kinds
    known = {name for one in settings.kinds for name in (one.name, one.family)}
    names = [name for name in request.coefficients if name in {*known, "default", "all"}]
    held = {one.name for one in list_kinds(part)}
    asked = [one for one in settings.kinds if one.name in names and one.name not in held]
    own = [name for name in names if name in held or name not in {one.name for one in asked}]
    return (*choose_kinds(part, own), *asked)


def refuse_alone(units: int, judges: int) -> NotIdentified:
    """Say that nothing was scored by two judges."""
    one = "there is one judge alone" if judges == 1 else f"no two of {judges:,} judges share any"
    outputs = f"{units:,} output{'s' * (units != 1)}"
    return NotIdentified(f"{NO_OVERLAP}: {outputs}, and {one}", ["let judges share some outputs"])


def _count_judges(units: Units) -> int:
    return int((np.bincount(units.judge) > 0).sum())


def _split(units: Units, by: Sequence[str]) -> Iterator[tuple[Mapping[str, str], Mask, Units]]:
    """Yield levels, which units have them, and these units; levels crossed, then added up."""
    for depth in range(len(by), 0, -1):
        names = by[:depth]
        labels = [units.labels(name) for name in names]
        if depth == 1 and len(np.unique(labels[0][1])) == 1:
            continue  # the whole says the same
        for code in np.unique(np.column_stack([codes for _, codes in labels]), axis=0).tolist():
            kept = np.ones(units.size, dtype=np.bool_)
            for (_, codes), own in zip(labels, code, strict=True):
                kept &= codes == own
            levels = {
                name: known[own] for name, (known, _), own in zip(names, labels, code, strict=True)
            }
            yield levels, kept, _narrow(units, levels, kept)
    yield {}, np.ones(units.size, dtype=np.bool_), units


def _narrow(units: Units, levels: Mapping[str, str], kept: Mask) -> Units:
    """Keep some units; their scale is that of their task and criterion, unless one was declared."""
    own = np.ones(units.size, dtype=np.bool_)
    for name in ("task", "criterion"):
        if name in levels:
            names, codes = units.labels(name)
            own &= codes == names.index(levels[name])
    narrow = units if own.all() else narrow_scale(units, own)
    return narrow.take(kept[own])


def _note_rows(units: Units) -> tuple[str, ...]:
    """Say which rows were left out, and why."""
    left = (units.repeats, units.controls, units.again)
    alone = int((units.sizes == 1).sum())
    return (*units.rows.notes, *note_left(*left), *note_alone(alone, units.size))


def note_left(repeats: int, controls: int, again: int) -> tuple[str, ...]:
    """Say how many rows were left out, and why."""
    counted = ((repeats, "rows marked as repeats"), (controls, "rows of controls"))
    notes = [f"{what} are left out: {count:,}" for count, what in counted if count]
    return (*notes, *(one.sentence for one in exclude_again(again)))


def exclude_again(again: int) -> tuple[Exclusion, ...]:
    """Return the second answers of judges, which say nothing of agreement with others."""
    reason = f"{AGAIN} to the same output"
    sentence = f"{reason} are left out, since they tell how judges agree with themselves: {again:,}"
    return (Exclusion("again", reason, again, unit="answer", sentence=sentence),) if again else ()


def note_alone(alone: int, units: int) -> tuple[str, ...]:
    """Say how many units were judged once."""
    if not alone:
        return ()
    return (f"units judged once tell nothing of agreement: {alone:,} of {units:,}",)


def _note_scales(units: Units, request: Request) -> tuple[str, ...]:
    """Say that criteria with scales of their own are pooled in the last part."""
    names, codes = units.labels("criterion")
    if request.kind != "ratings" or len(names) < 2:
        return ()
    score, own = units.points[units.code], np.repeat(codes, units.sizes)
    tops = np.full(len(names), -np.inf)
    np.maximum.at(tops, own, score)
    return note_tops(tops[np.isfinite(tops)])


def note_tops(tops: NDArray[np.float64]) -> tuple[str, ...]:
    """Say that criteria do not reach the same score: (criteria,) the highest of each."""
    if tops.min() == tops.max():
        return ()
    return ("criteria reach different highest scores; all of them together mix their scales",)


def say_scale(scale: Scale) -> str:
    """Return a scale in words, and whether it was declared."""
    return f"{scale}, {'declared' if scale.declared else 'as seen'}"


def _sign(units: Units, request: Request, digest: str) -> str:
    points = say_points(units, request)
    merged = f"beyond {MOST[request.cluster]:,} merged"
    how = sign_request(request, points, merged)
    return write_signature(how, len(units.code), digest, judges=_count_judges(units))


def say_points(scored: OnScale, request: Request) -> str:
    """Return the scale, or the answers that can be given, in words."""
    if request.kind != "ratings":
        return f"answers: first, {'tie, ' if len(scored.points) > 2 else ''}second"
    declared = "declared" if scored.scale.declared else "seen"
    return f"scale {scored.scale} {declared}, {len(scored.points)} points"


def sign_request(request: Request, points: str, merged: str) -> list[str]:
    """Return the parts of a signature: what was asked for, and how it was computed."""
    names = ", ".join(request.signed or request.coefficients)
    how = f"cluster bootstrap by {request.cluster}, B={REPLICATES}, {merged}"
    return [
        f"agreement: {names}",
        points,
        f"{how}, level {request.level:g}",
        f"seed={request.seed}",
    ]


# From ratings to a table of agreement: between judges, and of judges with themselves.

FAMILY: Final = "intra"  # What asks for the agreement of judges with themselves
_KINDS: Final = ("n-agreement", "fleiss", "alpha-interval")
CORRELATION: Final = "intra-pearson"
_NEAR: Final = 3  # Most n of n-agreement that are shown


def tabulate_ratings(units: Units, rows: RatingRows, request: Request) -> AgreementTable:
    """Make the table of some ratings; where judges scored outputs again, that is said too."""
    targets = rows.targets().size
    units = replace(
        units,  # of this task
        again=targets - len(units.code),
        repeats=_count(rows, REPEAT),
        controls=_count(rows, CONTROL),
    )
    asked = FAMILY in request.coefficients
    others = tuple(name for name in request.coefficients if name != FAMILY)
    wanted = replace(request, coefficients=others, signed=request.coefficients)
    alone = asked and not others and len(find_repeats(rows).judge) > 0
    table = tabulate_units(units, replace(wanted, alone=alone), digest_ratings(rows))
    unasked = {"default", "all"} & set(others) and units.again + units.repeats
    if not asked and not (unasked and len(find_repeats(rows).judge)):
        return table
    parts = tuple(
        _add_self_agreement(part, _choose(rows, part.by), units.scale, request)
        for part in table.parts
    )
    return replace(table, parts=parts, says=say_parts(parts) if alone else table.says)


def _count(rows: RatingRows, kind: int) -> int:
    return 0 if rows.kind is None else int((rows.kind == kind).sum())


def _choose(rows: RatingRows, levels: Mapping[str, str]) -> RatingRows:
    """Keep the rows of a part."""
    kept = np.ones(rows.size, dtype=np.bool_)
    for name, level in levels.items():
        names, codes = rows.labels(name)
        kept &= codes == names.index(level)
    return rows.take(kept)


def _add_self_agreement(
    part: AgreementPart, rows: RatingRows, scale: Scale, request: Request
) -> AgreementPart:
    """Add how judges agree with themselves to a part."""
    own = (*_compute(rows, scale, request), *correlate_repeats(find_repeats(rows), (CORRELATION,)))
    if request.cluster == "judge":
        own = tuple(one.without_interval() for one in own)
    return replace(part, coefficients=(*part.coefficients, *own))


def _compute(rows: RatingRows, scale: Scale, request: Request) -> Sequence[Coefficient]:
    """Return coefficients on outputs that a judge scored again, the answers being judges."""
    try:
        units = find_answer_units(rows, scale if scale.declared else None)
    except NotIdentified:
        return (Coefficient(FAMILY, "judges with themselves", None, why=NO_REPEATS),)
    kinds = choose_kinds(units, _KINDS)
    near = [kind for kind in kinds if kind.family == "n-agreement"][:_NEAR]
    chosen = (*near, *(kind for kind in kinds if kind.family != "n-agreement"))
    settings = Settings(
        kinds=chosen,
        between=(),
        unasked=(),
        level=request.level,
        cluster="item",
        seed=request.seed,
    )
    return [
        replace(one, name=f"{FAMILY}-{one.name}", title=f"themselves: {one.title}")
        for one in compute_kinds(units, chosen, settings)
    ]


# The κ of preferences with its interval: items are drawn, κ comes from their counts.

Array = NDArray[np.float64]

# Name → mode, between whom, in which order, title
KAPPAS: Final[dict[str, tuple[Mode, Among, Order, str]]] = {
    "kappa-strict": ("strict", "inter", "any", "pairwise κ, different judges"),
    "kappa-intra": ("strict", "intra", "any", "pairwise κ, the same judge again"),
    "kappa-intra-same-order": ("strict", "intra", "same", "the same judge, same order"),
    "kappa-intra-exchanged": ("strict", "intra", "exchanged", "the same judge, order exchanged"),
    "kappa-wmt": ("wmt", "inter", "any", "pairwise κ as WMT counts it, inter"),
    "kappa-wmt-intra": ("wmt", "intra", "any", "pairwise κ as WMT counts it, intra"),
}
# The κ of different judges alone: rows marked as repeats are no part of it
BETWEEN: Final = "kappa-strict"
# What pairs are that count as of two judges and are not
OWN_PAIRS: Final = "one judge's, asked again"
COUNTED: Final = (
    "rows with a weight are several judgments that nobody can tell apart: whether they are repeats"
    " of one judge is not known"
)


def preference_kappa(votes: Votes, name: str, level: float, seed: int) -> Coefficient:
    """Return one κ of preferences, or why there is none.

    level: nominal level of the interval (proportion).
    """
    mode, among, order, title = KAPPAS[name]
    if votes.counted and must_be_apart(name):
        return Coefficient(name, title, None, why=COUNTED)
    try:
        found = compare_votes(votes, mode=mode, among=among, order=order)
    except (NotIdentified, UnknownOption) as refusal:
        return Coefficient(name, title, None, why=str(refusal))
    return describe_kappa(found, name, level, seed)


def must_be_apart(name: str) -> bool:
    """Say whether a κ asks which votes are repeats of one judge."""
    return KAPPAS[name][:2] != ("strict", "inter")


def describe_kappa(found: PreferenceAgreement, name: str, level: float, seed: int) -> Coefficient:
    """Return one κ of preferences from what was counted, or why there is none.

    level: nominal level of the interval (proportion).
    """
    title = KAPPAS[name][3]
    if found.kappa is None or found.own == found.comparable:
        return Coefficient(
            name, title, None, units=found.units, ratings=found.votes, why=_say_missing(found)
        )
    interval = _bound(found, level, seed)
    notes = (
        f"{name_kappa(found.kappa)} (Landis & Koch 1977)",
        f"P(A) {found.observed:.3f}: {found.agree:,} of {found.comparable:,} pairs of votes agree;"
        f" P(E) {found.chance:.3f}: {found.ties:,} ties in {found.total:,} comparisons",
        *((interval.why,) if interval.why else ()),
        *_note_own(found),
    )
    return Coefficient(
        name,
        title,
        found.kappa,
        interval.lower,
        interval.upper,
        found.units,
        found.votes,
        notes=notes,
    )


def _bound(found: PreferenceAgreement, level: float, seed: int) -> Interval:
    """Draw items and return the interval of κ."""
    counts = found.by_item[found.by_item.any(axis=1)].astype(np.float64)
    why = refuse_interval(len(counts) if found.items is None else found.items, "item")
    if why is not None:
        return Interval(None, None, why)
    merged, size, _ = merge_clusters(np.arange(len(counts), dtype=np.int32), "item", seed)
    times = draw_times(size, seed)
    sums = np.zeros((size, 4))
    np.add.at(sums, merged, counts)
    return find_interval(_kappas(times @ sums), level)


def _kappas(sums: Array) -> Ratio:
    """κ of every row of agreeing and comparable pairs of votes, ties and comparisons."""
    agree, comparable, ties, total = sums.T
    known = (comparable > 0) & (total > 0)
    observed = agree / np.where(known, comparable, 1.0)
    share = ties / np.where(known, total, 1.0)
    chance = chance_agreement(share)
    return Ratio(observed - chance, np.where(known & (share < 1), 1 - chance, 0.0))


def _note_own(found: PreferenceAgreement) -> tuple[str, ...]:
    """Say how many pairs of votes are no agreement between judges."""
    if not found.own:
        return ()
    share = 100 * found.own / found.comparable
    return (
        f"{found.own:,} of {found.comparable:,} pairs of votes ({share:.1f} %) are {OWN_PAIRS}",
    )


def _say_missing(found: PreferenceAgreement) -> str:
    if found.own and found.own == found.comparable:
        return (
            "no two judges saw the same two outputs in the same order: all"
            f" {found.own:,} pairs of votes that WMT counts are {OWN_PAIRS}"
        )
    if found.comparable:
        return "all comparisons are ties: chance explains all agreement"
    order = {"any": "", "same": " in the same order", "exchanged": " in exchanged order"}
    shown = order["same" if found.mode == "wmt" else found.order]
    if found.among == "inter":
        return f"no two judges compared the same two outputs{shown}"
    return f"no judge compared the same two outputs twice{shown}"


RANKED: Final = "pairs of one ranking are one judge's one answer: items, which hold them, are drawn"

NO_TARGETS: Final = "nothing to compare: all judgments are controls or repeats"
COUNTS: Final = "pairwise κ counts them"


def tabulate_votes(votes: Votes, request: Request) -> AgreementTable:
    """Make the table of some votes; κ of preferences stands beside those of all and of a task."""
    rows = preference_rows(votes)
    if not leave_repeats(votes).size:
        raise NotIdentified(NO_TARGETS)
    units = find_units(rows, choose_answers(votes))
    kappas, wanted = choose_kappas(request)
    table = tabulate_units(units, wanted, digest_ratings(rows))
    parts = tuple(_add_kappas_of_part(part, votes, kappas, request) for part in table.parts)
    return finish_table(table, parts, _note_answers(votes))


def choose_kappas(request: Request) -> tuple[list[str], Request]:
    """Return which κ of preferences are meant, and what was asked for beside them."""
    asked = set(request.coefficients)
    modes = asked & set(MODES) or set(MODES)
    known = {name: {name, "kappa", "default", "all", *MODES} for name in KAPPAS}
    kappas = [name for name in KAPPAS if KAPPAS[name][0] in modes and known[name] & asked]
    own = {*KAPPAS, *MODES, "kappa"}
    others = tuple(name for name in request.coefficients if name not in own)
    if "default" in others:
        others = (*SHOWN, *(name for name in others if name != "default"))
    return kappas, replace(request, coefficients=others, signed=request.coefficients)


def finish_table(
    table: AgreementTable, parts: tuple[AgreementPart, ...], notes: Sequence[str]
) -> AgreementTable:
    """Put parts with their κ in the place of those without, and say what they show."""
    again = any(one.startswith(AGAIN) for one in table.notes)
    said = say_parts(parts, answers="answer", again=again)
    held = [f"{one}; {COUNTS}" if one.startswith(AGAIN) else one for one in table.notes]
    return replace(table, parts=parts, scale=None, notes=(*held, *notes), says=said)


def _add_kappas_of_part(
    part: AgreementPart, votes: Votes, kappas: Sequence[str], request: Request
) -> AgreementPart:
    """Add κ to the part of all votes, or of a task."""
    if not has_kappa(part):
        return add_kappas(part, (), request)
    if "task" in part.by:
        votes = votes.take(votes.task == votes.tasks.index(part.by["task"]))
    if "criterion" in part.by and votes.criterion is not None:
        votes = votes.take(votes.criterion == votes.criteria.index(part.by["criterion"]))
    found = [preference_kappa(votes, name, request.level, request.seed) for name in kappas]
    return add_kappas(part, found, request)


def has_kappa(part: AgreementPart) -> bool:
    """Say whether κ of preferences is made of a part: not of pairs of systems."""
    return set(part.by) <= {"task", "criterion"}


def add_kappas(
    part: AgreementPart, found: Sequence[Coefficient], request: Request
) -> AgreementPart:
    """Add κ to a part; what nobody asked for only if it exists."""
    titles = {"n-agreement-0": "same answer"}
    held = [replace(one, title=titles.get(one.name, one.title)) for one in part.coefficients]
    if request.cluster == "judge":
        found = [one.without_interval() for one in found]
    asked = {"kappa", *(one.name for one in found)} & set(request.coefficients)
    shown = [one for one in found if one.value is not None or asked & {one.name, "kappa"}]
    plain = [one for one in found if one not in shown and KAPPAS[one.name][2] == "any"]
    whys = dict.fromkeys(one.why for one in plain if one.why is not None)
    return replace(part, coefficients=(*held, *shown), notes=(*part.notes, *whys))


def _note_answers(votes: Votes) -> tuple[str, ...]:
    answers = votes.answer
    ranked = answers is not None and len(np.unique(answers)) < votes.size
    return note_answers(choose_answers(votes), ranked=ranked)


def note_answers(scale: Scale, *, ranked: bool) -> tuple[str, ...]:
    """Say what answers there are."""
    notes = []
    if scale is FORCED:
        notes.append("no tie occurs: chance of AC1 is that of two answers")
    if ranked:
        notes.append(RANKED)
    return tuple(notes)
