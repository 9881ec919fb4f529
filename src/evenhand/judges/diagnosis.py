"""The diagnosis of judges by the methods of Hamon et al. (2007), whole or by task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import carries_excluded, require_scores
from evenhand.data.rating_rows import (
    CONTROL,
    RatingRows,
    Scale,
    digest_ratings,
    require_scale,
    see_scale,
)
from evenhand.data.ratings import Ratings
from evenhand.data.results import Grouped, write_signature
from evenhand.data.tally import take_names
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
    require_option,
)
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
from evenhand.judges.outliers import (
    Easy,
    EasyCount,
    EasyRule,
    Limits,
    Outliers,
    count_missed,
    find_by_easy_items,
    find_by_mean_agreement,
    find_by_mean_score,
    profile_judges,
)
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
from evenhand.judges.texts import say
from evenhand.judges.units import require_judges
from evenhand.numerics.cluster_means import number_groups

_CRITERION: Final = ("criterion",)
MAX_SCORE: Final = 1e140  # Squares of larger scores cannot be summed in double precision


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
    again = every.take(twice).split(_CRITERION)
    first, last = (choose_version(rows, version).split(_CRITERION) for version in ("first", "last"))
    revisions = []
    for key, part in again.items():
        name = part.criteria[int(part.criterion[0])]
        tables = [ScoreTable.of(versions[key], name) for versions in (first, last)]
        count = tables[0].count.sum(axis=0)  # the same outputs and judges are in both
        scored = count > 0
        means = [table.total.sum(axis=0)[scored] / count[scored] for table in tables]
        systems = [first[key].systems[code] for code in np.flatnonzero(scored).tolist()]
        revision = Revision(
            name,
            part.size - int(number_groups(part.unit, part.judge).max()) - 1,
            tuple(part.judges[code] for code in np.unique(part.judge).tolist()),
            dict(zip(systems, means[0].tolist(), strict=True)),
            dict(zip(systems, means[1].tolist(), strict=True)),
            correlate(*means),
        )
        revisions.append(revision)
    return tuple(revisions)


# Diagnose judges as Hamon, Mostefa & Arranz do (MT Summit XI, 2007).
#
# Agreement by criterion and input type; each judge beside the others; who is outside by mean score,
# by mean agreement and on easy items; what the systems' scores become without them. It finds judges
# who diverge, which is not to say that they are bad: of honest judges whose severity is normal,
# centre ± 1 sd leaves a third outside. Flags with a controlled error rate are `screen_judges`.


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
    if not isinstance(data, Ratings | RatingRows):
        held = type(data).__name__.lower()
        raise UnknownFormat(
            f"a diagnosis sets scores beside each other, and these are {held}: screen_judges looks"
            " at who made them"
        )
    factors = () if input_type is None else (input_type,)
    rows = data.rows(factors=factors) if isinstance(data, Ratings) else data
    require_judges(rows.judges)
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
    diagnosis = _diagnose(rows, settings)
    if joined is None:
        return diagnosis
    rows, coarser = merge_points(rows, joined, settings.scale or see_scale(rows.score))
    merged = _diagnose(rows, replace(settings, scale=coarser))
    says = [say("merged", sentence=sentence) for sentence in merged.says]
    return replace(diagnosis, merged=merged, says=(*diagnosis.says, *says))


def _diagnose(rows: RatingRows, settings: Settings) -> Diagnosis:
    targets = choose_version(rows, settings.version)
    _refuse_scores(rows, targets, settings.scale)
    scales = {}
    for code, name in enumerate(rows.criteria):
        scores = rows.score[rows.criterion == code]
        seen = see_scale(scores) if len(scores) else Scale(0.0, 0.0)
        scales[name] = settings.scale or seen
    profiles = profile_judges(targets)
    easy: dict[str, tuple[EasyCount, ...]] = {}
    if settings.easy or (rows.kind is not None and (rows.kind == CONTROL).any()):
        easy = count_missed(rows, settings.easy, scales, settings.rule.miss)
    revisions = find_revisions(rows)
    outliers = []
    for criterion, judges in profiles.items():
        limits = settings.limits
        outliers += [
            find_by_mean_score(judges, reading=settings.reading, limits=limits),
            find_by_mean_agreement(judges, limits=limits),
            find_by_easy_items(criterion, easy.get(criterion, ()), settings.rule),
        ]
    removals, chosen, references = _rescore(targets, outliers, settings)
    n_judges = len(np.unique(targets.judge))
    diagnosis = Diagnosis(
        criteria=tuple(profiles),
        methods=METHODS,
        n_judgments=targets.size,
        n_judges=n_judges,
        scales={name: str(scales[name]) for name in profiles},
        agreement=measure_rows(targets, scales, settings.input_type),
        profiles=profiles,
        easy=easy,
        outliers=tuple(outliers),
        common=find_common(outliers),
        removals=removals,
        chosen=chosen,
        choice=str(settings.choice),
        revisions=revisions,
        references=references,
        says=(),
        notes=note_data(rows, targets, settings),
        signature=_sign(rows, n_judges, settings, versions=bool(revisions)),
        reading=settings.reading,
    )
    notes = (*diagnosis.notes, *note_few(diagnosis))
    return replace(diagnosis, says=say_diagnosis(diagnosis, settings.limits), notes=notes)


def _refuse_scores(rows: RatingRows, targets: RatingRows, scale: Scale | None) -> None:
    if not targets.size:
        raise NotIdentified("all scores are of controls: there are no outputs to set judges beside")
    largest = float(targets.score[np.abs(targets.score).argmax()])
    if abs(largest) > MAX_SCORE:
        raise InvalidJudgments(
            f"scores as large as {largest:g} cannot be added up: correct or divide them"
        )
    expected = np.empty(0)
    if rows.kind is not None and rows.expected is not None:
        expected = rows.expected[(rows.kind == CONTROL) & ~np.isnan(rows.expected)]
    n = int(np.isinf(expected).sum())
    if n:
        which = "an expected score" if n == 1 else f"each of {n:,} expected scores"
        raise InvalidJudgments(f"{which} of controls is infinite: correct it or leave it empty")
    if scale is None:
        return
    off = expected[(expected < scale.low) | (expected > scale.high)]
    if len(off):
        which = "an expected score" if len(off) == 1 else f"each of {len(off):,} expected scores"
        raise InvalidJudgments(
            f"{which} of controls is off the scale {scale}: {float(off[0]):g};"
            " correct it, or say what the scale is"
        )
    scale.check(rows.score)


def _rescore(
    rows: RatingRows, outliers: Sequence[Outliers], settings: Settings
) -> tuple[tuple[Rescoring, ...], tuple[Rescoring, ...], tuple[str, ...]]:
    # The last value are references that have a score here; others belong to other tasks.
    present = {rows.systems[code] for code in np.unique(rows.system).tolist()}
    references = tuple(name for name in settings.references if name in present)
    inputs: dict[str, str] = {}
    if settings.input_type is not None:
        levels, codes = rows.labels(settings.input_type)
        seen = np.unique(np.column_stack([rows.system, codes]), axis=0)
        alone = np.bincount(seen[:, 0], minlength=len(rows.systems)) == 1
        inputs = {rows.systems[s]: levels[c] for s, c in seen.tolist() if alone[s]}
    facts = SystemFacts(frozenset(references), inputs)
    tables = {name: ScoreTable.of(part, name) for (name,), part in rows.split(_CRITERION).items()}
    removals = tuple(
        rescore(tables[outside.criterion], outside.judges, outside.method, facts)
        for outside in outliers
        if outside.judges
    )
    chosen = tuple(
        rescore(tables[name], judges, str(settings.choice), facts)
        for name, judges in choose_removed(outliers, settings.choice).items()
    )
    return removals, chosen, references


def _sign(rows: RatingRows, judges: int, settings: Settings, *, versions: bool) -> str:
    """Return the signature: everything that changes a number is in its words or its digest."""
    beside: list[NDArray[Any]] = []
    if rows.direction is not None and rows.direction.any():
        beside.append(rows.direction)
    if rows.expected is not None and not np.isnan(rows.expected).all():
        beside.append(rows.expected)
    if settings.input_type is not None:
        beside.append(rows.labels(settings.input_type)[1])
    if versions:
        beside.append(number_versions(rows))
    parts = ["diagnosis of judges", *settings.words()]
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
    groups: dict[str, Diagnosis] = {}
    refused: dict[str, str] = {}
    for (name,), part in table.split((by,)).items():
        try:
            groups[name] = work(part)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if not groups:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedDiagnoses(groups, by, refused)
