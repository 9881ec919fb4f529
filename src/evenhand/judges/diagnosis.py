"""One diagnosis per task, or per level of another column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
    require_option,
)
from evenhand.judges import easy_items
from evenhand.judges import profiles as judge_profiles
from evenhand.judges.diagnosis_result import (
    METHODS,
    Diagnosis,
    Revision,
    Settings,
    measure_rows,
    note_data,
    note_few,
    refuse_bare_text,
    refuse_unknown_references,
    say_diagnosis,
)
from evenhand.judges.easy_items import Easy, EasyCount, EasyRule
from evenhand.judges.profiles import JudgeProfile, Limits, Outliers, profile_judges
from evenhand.judges.removal import (
    Choice,
    Merging,
    Rescoring,
    ScoreTable,
    SystemFacts,
    choose_removed,
    choose_version,
    correlate,
    find_common,
    merge_points,
    number_versions,
    read_merging,
    rescore,
    write_merging,
)
from evenhand.judgments.exclusions import carries_excluded
from evenhand.judgments.grouped import Grouped
from evenhand.judgments.names import take_names
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import CONTROL, RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.scale import Scale, require_scale, see_scale
from evenhand.judgments.signature import write_signature
from evenhand.judgments.wrong_kind import require_scores
from evenhand.numerics.cluster_means import number_groups

# Numbers that no diagnosis can work with: too large to be added up, expected off the scale.

_LARGEST: Final = 1e140  # Squares of larger scores cannot be summed in double precision


def refuse_endless(scores: NDArray[np.float64]) -> None:
    """Refuse scores whose sums of squares have no end.

    scores: (n,) one or more.
    """
    largest = float(scores[np.abs(scores).argmax()])
    if abs(largest) > _LARGEST:
        raise InvalidJudgments(
            f"scores as large as {largest:g} cannot be added up: correct or divide them"
        )


def refuse_odd_expectations(rows: RatingRows, declared: Scale | None) -> None:
    """Refuse expected scores that no control can get."""
    if rows.kind is None or rows.expected is None:
        return
    expected = rows.expected[(rows.kind == CONTROL) & ~np.isnan(rows.expected)]
    endless = np.isinf(expected)
    if endless.any():
        raise InvalidJudgments(
            f"{_count(endless)} of controls is infinite: correct it or leave it empty"
        )
    if declared is None:
        return
    off = (expected < declared.low) | (expected > declared.high)
    if off.any():
        raise InvalidJudgments(
            f"{_count(off)} of controls is off the scale {declared}: {float(expected[off][0]):g};"
            " correct it, or say what the scale is"
        )


def _count(which: NDArray[np.bool_]) -> str:
    n = int(which.sum())
    return "an expected score" if n == 1 else f"each of {n:,} expected scores"


# Asking again instead of removing: systems scored by first and by last words.
#
# Hamon, Mostefa & Arranz (2007, section 3.3) would have divergent judges "redo their evaluation".
# Both versions are kept in the data; here each is used in turn.


def find_revisions(rows: RatingRows) -> tuple[Revision, ...]:
    """Return what last words change, for each criterion where a judge scored an output twice."""
    every = choose_version(rows, "both")
    cell = number_groups(every.unit, every.judge)
    twice = np.bincount(cell)[cell] > 1 if every.size else np.zeros(0, dtype=np.bool_)
    if not twice.any():
        return ()
    names = ("criterion",)
    again = every.take(twice).split(names)
    first, last = (choose_version(rows, version).split(names) for version in ("first", "last"))
    return tuple(_compare(part, first[key], last[key]) for key, part in again.items())


def _compare(again: RatingRows, first: RatingRows, last: RatingRows) -> Revision:
    """Compare the two versions of one criterion."""
    name = again.criteria[int(again.criterion[0])]
    tables = [ScoreTable.of(rows, name) for rows in (first, last)]
    count = tables[0].count.sum(axis=0)  # the same outputs and judges are in both
    scored = count > 0
    one, other = (table.total.sum(axis=0)[scored] / count[scored] for table in tables)
    systems = [system for system, here in zip(first.systems, scored.tolist(), strict=True) if here]
    cells = number_groups(again.unit, again.judge)
    judges = np.unique(again.judge).tolist()
    return Revision(
        name,
        again.size - int(cells.max()) - 1,
        tuple(again.judges[code] for code in judges),
        dict(zip(systems, one.tolist(), strict=True)),
        dict(zip(systems, other.tolist(), strict=True)),
        correlate(one, other),
    )


# Diagnose judges as Hamon, Mostefa & Arranz do (MT Summit XI, 2007).
#
# Agreement by criterion and input type; each judge beside the others; who is outside by mean score,
# by mean agreement and on easy items; what the systems' scores become without them. It finds judges
# who diverge, which is not to say that they are bad: of honest judges whose severity is normal,
# centre ± 1 sd leaves a third outside. Flags with a controlled error rate are `screen_judges`.

_CRITERION: Final = ("criterion",)


@carries_excluded()
def diagnose_judges(
    data: Ratings | RatingRows,
    *,
    k: float = 1.0,
    ddof: int = 1,
    reading: str = "mean",
    easy: Easy = (),
    easy_rule: EasyRule | None = None,
    methods: Sequence[str] = METHODS,
    match: str = "any",
    across: str = "each",
    version: str = "first",
    references: Sequence[str] = (),
    input_type: str | None = None,
    scale: Scale | str | None = None,
    merge: Merging | str | None = None,
) -> Diagnosis:
    """Set judges beside each other, find those outside, and score systems without them.

    Args:
        data: ratings; several tasks are pooled (`diagnose_groups` keeps them apart).
        k: standard deviations from the centre at which a judge is outside.
        ddof: 1 divides by judges − 1 in the standard deviation, 0 by judges.
        reading: of the mean score: the judge's "mean", or the "gap" to the others on the same.
        easy: outputs known to be good: items, or (item, system).
        easy_rule: when a score, and when a judge, misses easy outputs.
        methods: which count for the chosen removal, of `METHODS`; all three are always shown.
        match: whom the chosen removal removes: outside by "any" of them, or by "all".
        across: criterion by criterion ("each"), or everywhere, if outside under "any" or "all".
        version: of several scores by a judge of one output: "first", "last" or "both".
        references: systems that are human references.
        input_type: column of input types, such as speech or text.
        scale: the scale, such as "1-5"; by default the scores that occur under each criterion.
        merge: points to be merged for a second diagnosis, such as "1+2,4+5".

    Raises:
        NotIdentified: nobody knows who the judges are.
        UnknownOption: a setting that does not exist, or names what is not in the data.
        UnknownColumn: no such column of input types.
        InvalidJudgments: a value in the data that cannot be, or a score off the declared scale.

    """
    refuse_bare_text({"easy": easy, "methods": methods, "references": references})
    rows = _read(data, input_type)
    refuse_unknown_references(references, rows.systems)
    for method in methods:
        require_option("method", method, METHODS)
    if not methods:
        raise UnknownOption(f"no method decides on removal: name some of {' | '.join(METHODS)}")
    joined = read_merging(merge) if isinstance(merge, str) else merge
    settings = Settings(
        Limits(k, ddof),
        reading,
        easy_rule or EasyRule(),
        tuple(easy),
        Choice(tuple(methods), match, across),
        version,
        tuple(references),
        input_type,
        require_scale(scale),
        "" if joined is None else write_merging(joined),
    )
    found = _diagnose(rows, settings)
    if joined is None:
        return found
    merged = _diagnose_merged(rows, settings, joined)
    said = [f"merged: {sentence}" for sentence in merged.says]
    return replace(found, merged=merged, says=(*found.says, *said))


def _read(data: Ratings | RatingRows, input_type: str | None) -> RatingRows:
    """Read what is needed, and refuse what names no judges."""
    if not isinstance(data, Ratings | RatingRows):
        held = type(data).__name__.lower()
        raise UnknownFormat(
            f"a diagnosis sets scores beside each other, and these are {held}: screen_judges looks"
            " at who made them"
        )
    factors = () if input_type is None else (input_type,)
    rows = data.rows(factors=factors) if isinstance(data, Ratings) else data
    if rows.judges == ("",):
        raise NotIdentified(
            "nobody knows who the judges are: the data have no column of judges",
            ["name it, as in --column judge=NAME"],
        )
    return rows


def _diagnose(rows: RatingRows, settings: Settings) -> Diagnosis:
    """Diagnose the judges of some scores."""
    targets = _find_targets(rows, settings)
    scales = _scales(rows, settings.scale)
    profiles = profile_judges(targets)
    easy, revisions = _count_easy(rows, settings, scales), find_revisions(rows)
    outliers = _find_outliers(profiles, easy, settings)
    removals, chosen = _rescore(targets, outliers, settings)
    judges = len(np.unique(targets.judge))
    found = Diagnosis(
        criteria=tuple(profiles),
        methods=METHODS,
        n_judgments=targets.size,
        n_judges=judges,
        scales={name: str(scales[name]) for name in profiles},
        agreement=measure_rows(targets, scales, settings.input_type),
        profiles=profiles,
        easy=easy,
        outliers=outliers,
        common=find_common(outliers, judge_profiles.MEAN_SCORE),
        removals=removals,
        chosen=chosen,
        choice=str(settings.choice),
        revisions=revisions,
        references=_present(targets, settings.references),
        says=(),
        notes=note_data(rows, targets, settings),
        signature=_sign(rows, judges, settings, number_versions(rows) if revisions else None),
        reading=settings.reading,
    )
    says, few = say_diagnosis(found, settings.limits), note_few(found)
    return replace(found, says=says, notes=(*found.notes, *few))


def _find_targets(rows: RatingRows, settings: Settings) -> RatingRows:
    """Return the scores that are looked at."""
    targets = choose_version(rows, settings.version)
    if not targets.size:
        raise NotIdentified("all scores are of controls: there are no outputs to set judges beside")
    refuse_endless(targets.score)
    refuse_odd_expectations(rows, settings.scale)
    return targets


def _present(rows: RatingRows, references: Sequence[str]) -> tuple[str, ...]:
    """Return the references that have a score here; others belong to other tasks."""
    here = {rows.systems[code] for code in np.unique(rows.system).tolist()}
    return tuple(name for name in references if name in here)


def _scales(rows: RatingRows, declared: Scale | None) -> dict[str, Scale]:
    """Return the scale of each criterion."""
    if declared is not None:
        declared.check(rows.score)
        return dict.fromkeys(rows.criteria, declared)
    return {
        name: see_scale(own) if len(own) else Scale(0.0, 0.0)
        for code, name in enumerate(rows.criteria)
        for own in [rows.score[rows.criterion == code]]
    }


def _count_easy(
    rows: RatingRows, settings: Settings, scales: Mapping[str, Scale]
) -> dict[str, tuple[EasyCount, ...]]:
    has_controls = rows.kind is not None and bool((rows.kind == CONTROL).any())
    if not settings.easy and not has_controls:
        return {}
    return easy_items.count_missed(rows, settings.easy, scales, settings.rule.miss)


def _find_outliers(
    profiles: Mapping[str, Sequence[JudgeProfile]],
    easy: Mapping[str, Sequence[EasyCount]],
    settings: Settings,
) -> tuple[Outliers, ...]:
    """Return who is outside, by criterion and method."""
    limits = settings.limits
    return tuple(
        one
        for criterion, own in profiles.items()
        for one in (
            judge_profiles.find_by_mean_score(own, reading=settings.reading, limits=limits),
            judge_profiles.find_by_mean_agreement(own, limits=limits),
            easy_items.find_by_easy_items(criterion, easy.get(criterion, ()), settings.rule),
        )
    )


def _rescore(
    rows: RatingRows, outliers: Sequence[Outliers], settings: Settings
) -> tuple[tuple[Rescoring, ...], tuple[Rescoring, ...]]:
    """Score systems without the judges outside, by method and criterion, and by the chosen rule."""
    facts = _know_systems(rows, settings)
    tables = {name: ScoreTable.of(part, name) for (name,), part in rows.split(_CRITERION).items()}
    removals = tuple(
        rescore(tables[one.criterion], one.judges, one.method, facts)
        for one in outliers
        if one.judges
    )
    chosen = tuple(
        rescore(tables[name], own, str(settings.choice), facts)
        for name, own in choose_removed(outliers, settings.choice).items()
    )
    return removals, chosen


def _know_systems(rows: RatingRows, settings: Settings) -> SystemFacts:
    """Return which systems are references, and of which input type each is."""
    inputs: dict[str, str] = {}
    if settings.input_type is not None:
        levels, codes = rows.labels(settings.input_type)
        seen = np.unique(np.column_stack([rows.system, codes]), axis=0)
        alone = np.bincount(seen[:, 0], minlength=len(rows.systems)) == 1
        inputs = {rows.systems[s]: levels[c] for s, c in seen.tolist() if alone[s]}
    return SystemFacts(frozenset(_present(rows, settings.references)), inputs)


def _diagnose_merged(rows: RatingRows, settings: Settings, joined: Merging) -> Diagnosis:
    """Diagnose the same judges on a coarser scale."""
    scale = settings.scale or see_scale(rows.score)
    merged, coarser = merge_points(rows, joined, scale)
    return _diagnose(merged, replace(settings, scale=coarser))


def _sign(
    rows: RatingRows, judges: int, settings: Settings, versions: NDArray[np.int64] | None
) -> str:
    """Return the signature: everything that changes a number is in its words or its digest."""
    parts = ["diagnosis of judges", *settings.words()]
    beside: list[NDArray[Any]] = []
    if rows.direction is not None and rows.direction.any():
        beside.append(rows.direction)
    if rows.expected is not None and not np.isnan(rows.expected).all():
        beside.append(rows.expected)
    beside += [] if settings.input_type is None else [rows.labels(settings.input_type)[1]]
    beside += [] if versions is None else [versions]
    return write_signature(parts, rows.size, digest_ratings(rows, beside), judges=judges)


@dataclass(frozen=True, eq=False, repr=False)
class GroupedDiagnoses(Grouped[Diagnosis]):
    """One diagnosis per task, or per level of another column."""


@carries_excluded()
def diagnose_groups(
    data: Ratings | RatingRows,
    work: Callable[[RatingRows], Diagnosis] = diagnose_judges,
    *,
    by: str = "task",
    factors: Sequence[str] = (),
) -> GroupedDiagnoses:
    """Diagnose the judges of each task, or of each level of another column.

    Args:
        data: ratings.
        work: how each group is diagnosed, such as `lambda rows: diagnose_judges(rows, k=2)`.
        by: a role or a column.
        factors: further columns that `work` needs.

    Raises:
        InvalidJudgments: no ratings.
        NotIdentified: nothing can be said of any group.
        UnknownColumn: no such column.

    """
    table = require_scores(data, "a diagnosis sets scores beside each other: it takes ratings, not")
    if isinstance(table, Ratings):
        roles = {"task", "judge", "item", "system", "criterion"}
        table = table.rows(factors=tuple(dict.fromkeys({*take_names(factors), by} - roles)))
    found: dict[str, Diagnosis] = {}
    refused: dict[str, str] = {}
    for (name,), part in table.split((by,)).items():
        try:
            found[name] = work(part)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if not found:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedDiagnoses(found, by, refused)
