"""From ratings or votes to a table of agreement: coefficients by part, and the κ of WMT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.data.exclusions import Exclusion, sign_excluded
from evenhand.data.rating_rows import CONTROL, REPEAT, RatingRows, Scale, digest_ratings
from evenhand.data.results import write_signature
from evenhand.data.votes import Votes
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.judges.agreement_intervals import (
    MAX_CLUSTERS,
    REPLICATES,
    Interval,
    draw_sums,
    draw_times,
    find_interval,
    form_blocks,
    merge_clusters,
    refuse_interval,
)
from evenhand.judges.agreement_table import (
    HIGH_AGREEMENT,
    LOW_KAPPA,
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
from evenhand.judges.judge_pairs import FAMILIES, MAX_PAIRS_UNASKED, compute_between, list_between
from evenhand.judges.preferences import (
    FORCED,
    MODES,
    SHOWN_UNASKED,
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
from evenhand.numerics.sampling import one_blas_thread

NO_OVERLAP = "no output was scored by two judges"


@dataclass(frozen=True)
class Settings:
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
    coefficients: list[Coefficient] = []
    for paired in (False, True):
        kinds = tuple(kind for kind in settings.kinds if kind.paired == paired)
        if kinds:
            own_units = pair_judges(units) if paired else units
            coefficients += compute_kinds(own_units, kinds, settings)
    missing: dict[str, None] = {}  # why coefficients that nobody asked for do not exist
    for names, wanted in ((settings.between, True), (settings.unasked, False)):
        for coefficient in compute_between(units, names, settings.level):
            if wanted or coefficient.value is not None:
                by_judge = settings.cluster == "judge"
                coefficients.append(coefficient.without_interval() if by_judge else coefficient)
            elif coefficient.why is not None:
                missing[coefficient.why] = None
    given = np.bincount(units.code[units.held], minlength=len(units.points))
    given = given + given[::-1] if settings.mirrored else given
    return AgreementPart(
        by=by,
        units=int(units.several.sum()),
        single=int((units.sizes == 1).sum()),
        ratings=int(units.held.sum()),
        judges=int(judges.sum()),
        most_judges=int(units.sizes.max(initial=0)),
        coefficients=tuple(coefficients),
        doubtful=doubtful,
        notes=(*note_prevalence(given, coefficients), *missing),
    )


def note_prevalence(
    given: NDArray[np.int64], coefficients: Sequence[Coefficient]
) -> tuple[str, ...]:
    """Warn where κ is low since one score prevails."""
    known = {coefficient.name: coefficient.value for coefficient in coefficients}
    same, kappa = known.get("n-agreement-0"), known.get("fleiss")
    if same is None or kappa is None or same < HIGH_AGREEMENT or kappa > LOW_KAPPA:
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
    blocks, sums = coincidences.blocks, Sums(coincidences)
    no_interval = refuse_interval(blocks.levels, blocks.name)
    draws = None if no_interval else draw_sums(coincidences, settings.seed)
    coefficients = []
    for kind in kinds:
        title, value, why = kind.title, None, None
        if kind.name == "fleiss" and shape.unequal:  # a generalisation is named for what it is
            title = f"{title}, unequal numbers of judges"
        if scale.points is None and kind.categories:
            why = f"{title}: it needs a scale with steps, and the declared one has none"
        else:
            try:
                value = kind.compute(sums).value
            except (NotIdentified, InvalidJudgments) as refusal:
                why = f"{title}: {refusal}"
            else:
                alike = "all scores are alike: what chance would give is all there is"
                why = alike if value is None else None
        lower = upper = None
        notes = []
        if value is not None:
            if kind.kappa:
                notes.append(f"{name_kappa(value)} (Landis & Koch 1977)")
            if draws is None:
                notes.append(str(no_interval))
            else:
                interval = draws.bound(kind.compute, settings.level)
                lower, upper = interval.lower, interval.upper
                notes += [interval.why] if interval.why else []
        coefficient = Coefficient(
            name=kind.name,
            title=title,
            value=value,
            lower=lower,
            upper=upper,
            units=shape.units,
            ratings=shape.ratings,
            why=why,
            notes=tuple(notes),
        )
        coefficients.append(coefficient)
    return tuple(coefficients)


def mean_difference(units: Units, *, kind: str = "ratings") -> NDArray[np.float64]:
    """(U,) how far two judges of each unit are apart on average; zero for one judge."""
    # Of sorted scores x_1 ... x_m the mean over pairs is 2 Σ (2i − m − 1) x_i / (m (m − 1)).
    difference = np.zeros(units.size)
    for judges, at, place in units.by_size():
        if kind != "ratings":
            counts = np.stack([(units.code[place] == c).sum(axis=1) for c in range(3)])
            difference[at] = 1 - (counts * (counts - 1)).sum(axis=0) / (judges * (judges - 1))
            continue
        score = units.points[units.code[place]]
        if judges == 2:
            difference[at] = np.abs(score[:, 0] - score[:, 1])
            continue
        rank = 2 * np.arange(1, judges + 1) - judges - 1
        difference[at] = np.sort(score, axis=1) @ rank * (2 / (judges * (judges - 1)))
    return difference


# The scale that was seen of some units alone: what others scored changes nothing of theirs.


def narrow_scale(units: Units, mask: NDArray[np.bool_]) -> Units:
    """Keep some units, and only points that they have; a declared scale stays as it is."""
    units = units.take(mask)
    if units.scale.declared or not units.size:
        return units
    seen = np.bincount(units.code, minlength=len(units.points)) > 0
    if seen.all():
        return units
    points = units.points[seen]
    scale = Scale(float(points[0]), float(points[-1]), tuple(points.tolist()))
    code = (np.cumsum(seen) - 1)[units.code].astype(np.int32)
    return replace(units, points=points, scale=scale, code=code)


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
    judges = int((np.bincount(units.judge) > 0).sum())
    if not (units.several.any() or request.alone):
        raise refuse_alone(units.size, judges)
    settings, left_out = choose_settings(units, request)
    difference = mean_difference(units, kind=request.kind)
    with one_blas_thread():
        parts = tuple(
            describe_part(
                part,
                levels,
                replace(settings, kinds=choose_own_kinds(part, settings, request)),
                list_doubtful(part, difference[mask]),
            )
            for levels, mask, part in _split(units, request.by)
        )
    notes = [*notes, *units.rows.notes, *note_left(units.repeats, units.controls, units.again)]
    notes += note_alone(int((units.sizes == 1).sum()), units.size)
    names, codes = units.labels("criterion")
    if request.kind == "ratings" and len(names) > 1:
        tops = np.full(len(names), -np.inf)
        np.maximum.at(tops, np.repeat(codes, units.sizes), units.points[units.code])
        notes += note_tops(tops[np.isfinite(tops)])
    merged = f"beyond {MAX_CLUSTERS[request.cluster]:,} merged"
    how = sign_request(request, say_points(units, request), merged)
    signature = write_signature(how, len(units.code), digest, judges=judges)
    notes = (*notes, *left_out)
    return make_table(
        parts, request, units.scale, again=units.again, notes=notes, signature=signature
    )


def make_table(
    parts: tuple[AgreementPart, ...],
    request: Request,
    scale: Scale,
    *,
    again: int,
    notes: tuple[str, ...],
    signature: str,
) -> AgreementTable:
    """Put parts together, without second answers (so many) of judges."""
    excluded = exclude_again(again)
    return AgreementTable(
        parts=parts,
        kind=request.kind,
        by=request.by,
        scale=f"{scale}, {'declared' if scale.declared else 'as seen'}",
        cluster=request.cluster,
        level=request.level,
        says=say_parts(parts, answers="score" if request.kind == "ratings" else "answer"),
        notes=notes,
        signature=sign_excluded(signature, excluded),
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
    if units.pairs <= MAX_PAIRS_UNASKED:
        return replace(settings, unasked=FAMILIES), ()
    note = (
        f"beyond {MAX_PAIRS_UNASKED:,} pairs of judges of one output coefficients between judges"
        f" are made when asked for: {', '.join(FAMILIES)}"
    )
    return settings, (note,)


def choose_own_kinds(part: OnScale, settings: Settings, request: Request) -> tuple[Kind, ...]:
    """Return the coefficients of a part, whose own scale says which n it has."""
    if part.points is settings.points:
        return settings.kinds
    known = {name for one in settings.kinds for name in (one.name, one.family)}
    names = [name for name in request.coefficients if name in {*known, "default", "all"}]
    held = {one.name for one in list_kinds(part)}
    requested = [one for one in settings.kinds if one.name in names and one.name not in held]
    part_names = [
        name for name in names if name in held or name not in {one.name for one in requested}
    ]
    return (*choose_kinds(part, part_names), *requested)


def refuse_alone(units: int, judges: int) -> NotIdentified:
    """Say that nothing was scored by two judges."""
    one = "there is one judge alone" if judges == 1 else f"no two of {judges:,} judges share any"
    outputs = f"{units:,} output{'s' * (units != 1)}"
    return NotIdentified(f"{NO_OVERLAP}: {outputs}, and {one}", ["let judges share some outputs"])


def _split(units: Units, by: Sequence[str]) -> Iterator[tuple[Mapping[str, str], Mask, Units]]:
    """Yield levels, which units have them, and these units; levels crossed, then added up."""
    for depth in range(len(by), 0, -1):
        names = by[:depth]
        labels = [units.labels(name) for name in names]
        if depth == 1 and len(np.unique(labels[0][1])) == 1:
            continue  # the whole says the same
        for code in np.unique(np.column_stack([codes for _, codes in labels]), axis=0).tolist():
            mask = np.ones(units.size, dtype=np.bool_)
            for (_, codes), level in zip(labels, code, strict=True):
                mask &= codes == level
            levels = {
                name: known[level]
                for name, (known, _), level in zip(names, labels, code, strict=True)
            }
            yield levels, mask, _narrow(units, levels, mask)
    yield {}, np.ones(units.size, dtype=np.bool_), units


def _narrow(units: Units, levels: Mapping[str, str], mask: Mask) -> Units:
    """Keep some units; their scale is that of their task and criterion, unless one was declared."""
    scale_mask = np.ones(units.size, dtype=np.bool_)
    for name in ("task", "criterion"):
        if name in levels:
            names, codes = units.labels(name)
            scale_mask &= codes == names.index(levels[name])
    narrow = units if scale_mask.all() else narrow_scale(units, scale_mask)
    return narrow.take(mask[scale_mask])


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


def note_tops(tops: NDArray[np.float64]) -> tuple[str, ...]:
    """Say that criteria do not reach the same score: (criteria,) the highest of each."""
    if tops.min() == tops.max():
        return ()
    return ("criteria reach different highest scores; all of them together mix their scales",)


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
        repeats=0 if rows.kind is None else int((rows.kind == REPEAT).sum()),
        controls=0 if rows.kind is None else int((rows.kind == CONTROL).sum()),
    )
    requested = FAMILY in request.coefficients
    others = tuple(name for name in request.coefficients if name != FAMILY)
    wanted = replace(request, coefficients=others, signed=request.coefficients)
    alone = requested and not others and len(find_repeats(rows).judge) > 0
    table = tabulate_units(units, replace(wanted, alone=alone), digest_ratings(rows))
    unasked = {"default", "all"} & set(others) and units.again + units.repeats
    if not requested and not (unasked and len(find_repeats(rows).judge)):
        return table
    parts = []
    for part in table.parts:
        mask = np.ones(rows.size, dtype=np.bool_)
        for name, level in part.by.items():
            names, codes = rows.labels(name)
            mask &= codes == names.index(level)
        self_agreement = _compute_self_agreement(rows.take(mask), units.scale, request)
        parts.append(replace(part, coefficients=(*part.coefficients, *self_agreement)))
    return replace(table, parts=tuple(parts), says=say_parts(parts) if alone else table.says)


def _compute_self_agreement(rows: RatingRows, scale: Scale, request: Request) -> list[Coefficient]:
    """Return coefficients on outputs that a judge scored again, the answers being judges."""
    correlations = correlate_repeats(find_repeats(rows), (CORRELATION,))
    try:
        units = find_answer_units(rows, scale if scale.declared else None)
    except NotIdentified:
        none = Coefficient(FAMILY, "judges with themselves", None, why=NO_REPEATS)
        coefficients = [none, *correlations]
    else:
        kinds = choose_kinds(units, _KINDS)
        near = [kind for kind in kinds if kind.family == "n-agreement"][:_NEAR]
        chosen = (*near, *(kind for kind in kinds if kind.family != "n-agreement"))
        settings = Settings(chosen, (), (), request.level, "item", request.seed)
        coefficients = [
            replace(one, name=f"{FAMILY}-{one.name}", title=f"themselves: {one.title}")
            for one in compute_kinds(units, chosen, settings)
        ]
        coefficients += correlations
    if request.cluster == "judge":
        return [one.without_interval() for one in coefficients]
    return coefficients


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
    """Return one κ of preferences, or why there is none."""
    mode, among, order, title = KAPPAS[name]
    if votes.counted and must_be_apart(name):
        return Coefficient(name, title, None, why=COUNTED)
    try:
        agreement = compare_votes(votes, mode=mode, among=among, order=order)
    except (NotIdentified, UnknownOption) as refusal:
        return Coefficient(name, title, None, why=str(refusal))
    return describe_kappa(agreement, name, level, seed)


def must_be_apart(name: str) -> bool:
    """Say whether a κ asks which votes are repeats of one judge."""
    return KAPPAS[name][:2] != ("strict", "inter")


def describe_kappa(
    agreement: PreferenceAgreement, name: str, level: float, seed: int
) -> Coefficient:
    """Return one κ of preferences from what was counted, or why there is none."""
    title = KAPPAS[name][3]
    if agreement.kappa is None or agreement.own == agreement.comparable:
        why = _say_missing(agreement)
        return Coefficient(
            name, title, None, units=agreement.units, ratings=agreement.votes, why=why
        )
    interval = _bound(agreement, level, seed)
    notes = [
        f"{name_kappa(agreement.kappa)} (Landis & Koch 1977)",
        f"P(A) {agreement.observed:.3f}: {agreement.agree:,} of {agreement.comparable:,} pairs of"
        f" votes agree; P(E) {agreement.chance:.3f}: {agreement.ties:,} ties in"
        f" {agreement.total:,} comparisons",
    ]
    if interval.why:
        notes.append(interval.why)
    if agreement.own:  # pairs of votes that are no agreement between judges
        share = 100 * agreement.own / agreement.comparable
        notes.append(
            f"{agreement.own:,} of {agreement.comparable:,} pairs of votes ({share:.1f} %) are"
            f" {OWN_PAIRS}"
        )
    numbers = agreement.kappa, interval.lower, interval.upper, agreement.units, agreement.votes
    return Coefficient(name, title, *numbers, notes=tuple(notes))


def _bound(agreement: PreferenceAgreement, level: float, seed: int) -> Interval:
    counts = agreement.by_item[agreement.by_item.any(axis=1)].astype(np.float64)
    why = refuse_interval(len(counts) if agreement.items is None else agreement.items, "item")
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


def _say_missing(agreement: PreferenceAgreement) -> str:
    if agreement.own and agreement.own == agreement.comparable:
        return (
            "no two judges saw the same two outputs in the same order: all"
            f" {agreement.own:,} pairs of votes that WMT counts are {OWN_PAIRS}"
        )
    if agreement.comparable:
        return "all comparisons are ties: chance explains all agreement"
    order = {"any": "", "same": " in the same order", "exchanged": " in exchanged order"}
    shown = order["same" if agreement.mode == "wmt" else agreement.order]
    if agreement.among == "inter":
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
    parts = []
    for part in table.parts:
        described = []
        if has_kappa(part):
            part_votes = votes
            if "task" in part.by:
                part_votes = votes.take(votes.task == votes.tasks.index(part.by["task"]))
            if "criterion" in part.by and part_votes.criterion is not None:
                code = part_votes.criteria.index(part.by["criterion"])
                part_votes = part_votes.take(part_votes.criterion == code)
            described = [
                preference_kappa(part_votes, name, request.level, request.seed) for name in kappas
            ]
        parts.append(add_kappas(part, described, request))
    answers = votes.answer
    ranked = answers is not None and len(np.unique(answers)) < votes.size
    return finish_table(table, tuple(parts), note_answers(choose_answers(votes), ranked=ranked))


def choose_kappas(request: Request) -> tuple[list[str], Request]:
    """Return which κ of preferences are meant, and what was asked for beside them."""
    requested = set(request.coefficients)
    modes = requested & set(MODES) or set(MODES)
    known = {name: {name, "kappa", "default", "all", *MODES} for name in KAPPAS}
    kappas = [name for name in KAPPAS if KAPPAS[name][0] in modes and known[name] & requested]
    known_kappas = {*KAPPAS, *MODES, "kappa"}
    others = tuple(name for name in request.coefficients if name not in known_kappas)
    if "default" in others:
        others = (*SHOWN_UNASKED, *(name for name in others if name != "default"))
    return kappas, replace(request, coefficients=others, signed=request.coefficients)


def finish_table(
    table: AgreementTable, parts: tuple[AgreementPart, ...], notes: Sequence[str]
) -> AgreementTable:
    """Put parts with their κ in the place of those without, and say what they show."""
    again = any(one.startswith(AGAIN) for one in table.notes)
    says = say_parts(parts, answers="answer", again=again)
    held = [f"{one}; {COUNTS}" if one.startswith(AGAIN) else one for one in table.notes]
    return replace(table, parts=parts, scale=None, notes=(*held, *notes), says=says)


def has_kappa(part: AgreementPart) -> bool:
    """Say whether κ of preferences is made of a part: not of pairs of systems."""
    return set(part.by) <= {"task", "criterion"}


def add_kappas(
    part: AgreementPart, kappas: Sequence[Coefficient], request: Request
) -> AgreementPart:
    """Add κ to a part; what nobody asked for only if it exists."""
    titles = {"n-agreement-0": "same answer"}
    held = [replace(one, title=titles.get(one.name, one.title)) for one in part.coefficients]
    if request.cluster == "judge":
        kappas = [one.without_interval() for one in kappas]
    requested = {"kappa", *(one.name for one in kappas)} & set(request.coefficients)
    shown = [one for one in kappas if one.value is not None or requested & {one.name, "kappa"}]
    plain = [one for one in kappas if one not in shown and KAPPAS[one.name][2] == "any"]
    whys = dict.fromkeys(one.why for one in plain if one.why is not None)
    return replace(part, coefficients=(*held, *shown), notes=(*part.notes, *whys))


def note_answers(scale: Scale, *, ranked: bool) -> tuple[str, ...]:
    notes = []
    if scale is FORCED:
        notes.append("no tie occurs: chance of AC1 is that of two answers")
    if ranked:
        notes.append(RANKED)
    return tuple(notes)
