"""The diagnosis of judges by the methods of Hamon et al. (2007), whole or by task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Openable, carries_excluded, require_scores
from evenhand.data.exclusions import Exclusion, write_document, write_excluded
from evenhand.data.rating_rows import (
    CONTROL,
    RatingRows,
    Scale,
    digest_ratings,
    require_scale,
    see_scale,
)
from evenhand.data.ratings import Ratings
from evenhand.data.results import Grouped, Shown, try_each
from evenhand.data.tally import take_names
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
    listing,
    require_option,
    sentence_hint,
    suggest,
)
from evenhand.judges import outliers as rules
from evenhand.judges.coefficients import choose_steps, fleiss_parts, n_agreement
from evenhand.judges.counts import Blocks, Sums, count_coincidences
from evenhand.judges.outliers import (
    EASY_ITEMS,
    MEAN_AGREEMENT,
    MEAN_SCORE,
    Choice,
    Correlation,
    Limits,
    Outliers,
    Rescoring,
)
from evenhand.judges.texts import say
from evenhand.judges.units import Record, describe, find_units, require_column
from evenhand.numerics.cluster_means import number_groups
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    exactly,
    plural,
    write_signature,
)

# Row of table 3 for judges outside under every criterion; "Fluency + Adequacy" in the paper
BOTH: Final = "all criteria"


@dataclass(frozen=True)
class AgreementRow(Record):
    criterion: str  # the criterion; "" where the data have none
    input: str  # the input type; "" for all together ("Cumul." in the paper)
    outputs: int  # outputs that two or more judges scored
    # the n of n-agreement: 0, 1, ... on a short scale, a few of them on a long one.
    steps: tuple[float, ...]
    # share of pairs of judges at most n points apart (proportion); empty where no output has two
    # judges
    n_agreement: tuple[float, ...]
    observed: float | None = None  # Fleiss' observed agreement P_o, or None
    expected: float | None = None  # his chance agreement P_e, or None
    kappa: float | None = None  # his κ, or None
    why: str | None = None  # why a number is missing


@dataclass(frozen=True)
class Revision(Record):
    """What changes where judges who scored an output again are taken at their last word."""

    criterion: str  # the criterion
    again: int  # scores that replace an earlier one of the same judge on the same output
    judges: tuple[str, ...]  # judges who gave them, sorted
    first: Mapping[str, float]  # system → mean of first scores
    last: Mapping[str, float]  # system → mean of last scores
    correlation: Correlation  # of the two


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """Are the judges any good, by the methods of Hamon, Mostefa & Arranz (2007).

    Attributes:
        criteria: names, sorted; ("",) where the data have none.
        methods: methods that were asked, in order.
        n_judgments: scores that are looked at.
        n_judges: judges who gave them.
        scales: criterion → its scale in words.
        agreement: tables 1 and 2, by criterion, all inputs last.
        profiles: criterion → its judges, sorted by name (figures 2 to 5).
        easy: criterion → how often each judge missed an output whose worth is known.
        outliers: who is outside, by method and criterion.
        common: judges common to two methods, by criterion.
        removals: systems scored again, by method and criterion (table 4, figures 1 and 7); none
            where nobody is outside.
        chosen: systems scored again without the judges of the chosen rule, for every criterion,
            also where that removes nobody.
        choice: that rule in words.
        revisions: by criterion, what changes at last words; empty where nobody scored twice.
        references: systems that are human references, the ceiling.
        merged: the same diagnosis on the merged scale, if one was asked for.
        reading: of the mean score, "mean" or "gap" (to the others on the same outputs).
        says: what was found, in sentences.
        notes: what must stand beside it.
        signature: one line that reproduces the numbers.
        excluded: what was excluded from the judgments.
    """

    criteria: tuple[str, ...]
    methods: tuple[str, ...]
    n_judgments: int
    n_judges: int
    scales: Mapping[str, str]
    agreement: tuple[AgreementRow, ...]
    profiles: Mapping[str, tuple[rules.JudgeProfile, ...]]
    easy: Mapping[str, tuple[rules.EasyCount, ...]]
    outliers: tuple[Outliers, ...]
    common: tuple[rules.CommonJudges, ...]
    removals: tuple[Rescoring, ...]
    chosen: tuple[Rescoring, ...]
    choice: str
    revisions: tuple[Revision, ...]
    references: tuple[str, ...]
    says: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str
    merged: Diagnosis | None = None
    reading: str = "mean"
    excluded: tuple[Exclusion, ...] = ()

    def outliers_of(self, method: str, criterion: str) -> Outliers:
        """Return who is outside by a method under a criterion.

        Raises:
            InvalidJudgments: no such method or criterion was looked at.
        """
        for outliers in self.outliers:
            if (outliers.method, outliers.criterion) == (method, criterion):
                return outliers
        raise InvalidJudgments(f"nothing is known by {method} under '{criterion}'")

    def scores_of(self, criterion: str) -> tuple[rules.SystemScore, ...]:
        """Return the systems with their scores under a criterion, highest by all judges first.

        Raises:
            InvalidJudgments: no such criterion was looked at.
        """
        for rescoring in self.chosen:
            if rescoring.criterion == criterion:
                return rescoring.systems
        raise InvalidJudgments(f"no scores of systems under '{criterion}'")

    @property
    def deleted(self) -> dict[str, dict[str, int]]:
        """Table 3: criterion → method → number of judges outside; `BOTH` for every criterion."""
        counts: dict[str, dict[str, int]] = {criterion: {} for criterion in self.criteria}
        judges: dict[str, list[set[str]]] = {}
        for outliers in self.outliers:
            if outliers.why is None:
                counts[outliers.criterion][outliers.method] = len(outliers.judges)
                judges.setdefault(outliers.method, []).append({*outliers.judges})
        if len(self.criteria) > 1:
            counts[BOTH] = {
                method: len(set.intersection(*judges[method]))
                for method in self.methods
                if len(judges.get(method, ())) == len(self.criteria)
            }
        return counts

    def records(self) -> list[dict[str, Any]]:
        """Return one row per criterion and judge, with plain values."""
        outside = {(out.criterion, out.method): {*out.judges} for out in self.outliers}
        rows = []
        for criterion, profiles in self.profiles.items():
            easy = {one.judge: (one.n, one.missed) for one in self.easy.get(criterion, ())}
            for profile in profiles:
                counts = zip(("easy", "missed"), easy.get(profile.judge, (0, None)), strict=True)
                methods = {
                    method: profile.judge in outside.get((criterion, method), ())
                    for method in self.methods
                }
                rows.append({**profile.to_dict(), **dict(counts), **methods})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand judges --json`."""
        return {
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
            **describe(self, "n_judgments", "n_judges", "criteria", "scales", "agreement"),
            "judges": self.records(),
            **describe(self, "reading", "deleted", "outliers", "common", "removals", "choice"),
            **describe(self, "chosen", "revisions", "references"),
            "merged": None if self.merged is None else self.merged.to_dict(),
            **describe(self, "says"),
            "findings": describe_findings(self.notes),
        }

    def document(self) -> Document:
        """Return what people read: agreement, who is outside, systems scored without them."""
        scores = plural(self.n_judgments, "score")
        return write_document(
            self,
            *tabulate_diagnosis(self),
            basis=f"{scores} by {plural(self.n_judges, 'judge')}.",
            csv_rows=tuple(self.records()),
        )


METHODS: Final = (MEAN_SCORE, MEAN_AGREEMENT, EASY_ITEMS)


@dataclass(frozen=True)
class Settings:
    limits: Limits  # how far from the centre a judge may be
    reading: str  # of the mean score, "mean" or "gap"
    rule: rules.EasyRule  # when easy items are missed
    easy: rules.Easy  # outputs known to be good
    choice: Choice  # whom the chosen removal removes
    version: str  # which of a judge's scores of one output counts
    references: tuple[str, ...]  # human references among the systems
    input_type: str | None  # the column of input types, or None
    scale: Scale | None  # the declared scale, or None for what is seen
    merge: str  # points that are merged, in words; "" where none are

    def words(self) -> list[str]:
        listed, scale = "", str(self.scale)
        if self.easy:  # how many outputs are listed as easy, with a digest of the list
            names = ("\x1f".join([name] if isinstance(name, str) else name) for name in self.easy)
            digest = sha256("\x1e".join(sorted(names)).encode()).hexdigest()
            listed = f" listed={len(self.easy)} ({digest[:12]})"
        points = None if self.scale is None else self.scale.points
        if self.scale and points and len(points) != self.scale.high - self.scale.low + 1:
            scale = ",".join(f"{point:g}" for point in points)
        return [
            f"k={exactly(float(self.limits.k))} ddof={self.limits.ddof} reading={self.reading}",
            f"easy miss={exactly(float(self.rule.miss))} share={exactly(float(self.rule.share))}"
            f" least={self.rule.least}{listed}",
            f"remove {self.choice}",
            f"version={self.version}",
            *([f"input={self.input_type}"] if self.input_type else []),
            *([f"references={', '.join(self.references)}"] if self.references else []),
            *([f"scale {scale}"] if self.scale else []),
            *([f"merge {self.merge}"] if self.merge else []),
        ]


_CALLED = {method: method.replace("-", " ") for method in METHODS}

MIN_SCORES: Final = 5  # Scores below which a judge's means rest on single scores
MAX_JUDGES_NAMED: Final = 3  # Most judges named in a sentence
MAX_COUNT_WITH_TENTHS: Final = 10  # Expected numbers of judges below this are told to a tenth
# Share of a long scale (its steps end at half of the range) that two scores may be apart
NEAR_SHARE: Final = 0.1


def say_diagnosis(diagnosis: Diagnosis, limits: Limits) -> tuple[Finding, ...]:
    says = [_say_agreement(row) for row in diagnosis.agreement if not row.input]
    says += [_say_outliers(one) for one in diagnosis.outliers if one.why is None]
    by_chance = []
    for method, sides in {MEAN_SCORE: 2, MEAN_AGREEMENT: 1}.items():
        limited = [
            one for one in diagnosis.outliers if one.method == method and one.centre is not None
        ]
        alike = len({len(one.values) for one in limited}) == 1
        for one in limited[:1] if alike else limited:
            n = len(one.values)
            expected = n * rules.share_outside(limits, n) * sides / 2
            digits = 0 if expected >= MAX_COUNT_WITH_TENTHS or not expected else 1
            under = "" if alike else _under(one.criterion)
            by_chance.append(f"{expected:.{digits}f} of {n:,} by {_CALLED[method]}{under}")
    if by_chance:
        says.append(say("outside-by-chance", k=limits.k, counts=", ".join(by_chance)))
    if every := diagnosis.deleted.get(BOTH):
        counts = ", ".join(f"{n} by {_CALLED[method]}" for method, n in every.items())
        says.append(say("outside-everywhere", counts=counts))
    for chosen in (one for one in diagnosis.chosen if one.judges):
        unknown = chosen.kept.pearson is None or chosen.kept.spearman is None
        names = ("why",) if unknown else ("systems", "pearson", "spearman")
        lost = {"judges": len(chosen.judges), "share": chosen.share_lost}
        more = {name: getattr(chosen.kept, name) for name in names}
        code = "removal-unknown" if unknown else "removal"
        says.append(say(code, **lost, under=_under(chosen.criterion), **more))
    for chosen in diagnosis.chosen:
        top = [score for score in chosen.systems if score.reference]
        others = [score for score in chosen.systems if not score.reference]
        if top and others:
            ceiling = ", ".join(f"{score.system} {score.full:.2f}" for score in top)
            ends = {"highest": others[0].system, "high": others[0].full}
            ends |= {"lowest": others[-1].system, "low": others[-1].full}
            says.append(say("ceiling", under=_under(chosen.criterion), ceiling=ceiling, **ends))
    return tuple(says)


def _under(criterion: str) -> str:
    return f" under {criterion}" if criterion else ""


def _say_agreement(row: AgreementRow) -> Finding:
    under = _under(row.criterion)
    if not row.n_agreement:
        return say("agreement-unknown", under=under, why=row.why)
    kappa = f"; κ {row.kappa:.3f}" if row.kappa is not None else ""
    known = dict(zip(row.steps, row.n_agreement, strict=True))
    near = ""
    if n := next((step for step in row.steps if step >= NEAR_SHARE * row.steps[-1] and step), None):
        near = f", at most {n:g} point{'' if n == 1 else 's'} apart in {100 * known[n]:.0f} %"
    more = {"near": near, "kappa": kappa, "outputs": row.outputs}
    return say("same-score", under=under, share=known[0], **more)


def _say_outliers(one: Outliers) -> Finding:
    about = {"method": _CALLED[one.method], "under": _under(one.criterion)}
    n, judges = len(one.judges), len(one.values)
    if not n:
        return say("none-outside", **about, judges=judges)
    who = listing(one.judges, MAX_JUDGES_NAMED)
    if one.method == MEAN_SCORE:
        ends = []
        for side, outside in (("too high", one.high), ("too low", one.low)):
            names = f": {listing(outside, MAX_JUDGES_NAMED)}" if outside else ""
            ends.append(f"{len(outside)} {side}{names}")
        who = "; ".join(ends)
    return say("outside", **about, n=n, judges=judges, verb="is" if n == 1 else "are", who=who)


# Tables 1 to 4 of Hamon, Mostefa & Arranz (2007).

MAX_STEPS: Final = 5  # Most columns of n-agreement
ALL_SCORES: Final = "all scores"  # What rows are called where there are no criteria
SCORES: Final = Column("scores", "scores", "name")
KAPPA: Final = {"observed": "observed", "expected": "by chance", "kappa": "κ"}
REMOVAL: Final = (
    SCORES,
    Column("without", "without"),
    Column("lost", "lost", "share"),
    Column("r", "r", "three"),
    Column("rho", "ρ", "three"),
    Column("removed_r", "r of removed", "three", priority=3),
    Column("kept", "kept", "two", priority=1),
    Column("removed", "removed", "two", priority=1),
)
RULES: Final = (
    "These rules are those of the paper. Who is only severe or lenient may be outside: act on"
    " flags."
)


def tabulate_diagnosis(diagnosis: Diagnosis) -> list[Table]:
    held = [row for row in diagnosis.agreement if row.n_agreement]
    steps = sorted({step for row in held for step in row.steps})
    if len(steps) > MAX_STEPS:
        steps = [*steps[: MAX_STEPS - 1], steps[-1]]
    near = Table(
        "n-agreement",
        "n-agreement",
        (
            SCORES,
            Column("outputs", "outputs", "count"),
            *(Column(f"{n:g}", f"n = {n:g}", "three", priority=at) for at, n in enumerate(steps)),
        ),
        tuple(
            {
                "scores": _name_row(row),
                "outputs": row.outputs,
                **{f"{n:g}": p for n, p in zip(row.steps, row.n_agreement, strict=False)},
            }
            for row in (diagnosis.agreement if held else ())
        ),
        legend=("Share of pairs of judges whose scores of an output are at most n points apart.",),
    )
    kappas = Table(
        "kappa",
        "Fleiss' κ",
        (SCORES, *(Column(key, title, "three") for key, title in KAPPA.items())),
        tuple(
            {"scores": _name_row(row), **{key: getattr(row, key) for key in KAPPA}}
            for row in diagnosis.agreement
            if row.outputs
        ),
    )
    # table 3, with how many are too high and too low
    sides = {
        (one.method, one.criterion): f" ({len(one.high)}, {len(one.low)})"
        for one in diagnosis.outliers
        if one.lower is not None
    }
    common = [
        f"{len(one.judges)} by both {' and '.join(_CALLED[method] for method in one.methods)}"
        + _under(one.criterion)
        for one in diagnosis.common
        if one.judges
    ]
    outside = Table(
        "outside",
        "Judges outside the limits",
        (SCORES, *(Column(method, _CALLED[method], "count") for method in diagnosis.methods)),
        tuple(
            {"scores": criterion or ALL_SCORES}
            | {method: f"{n}{sides.get((method, criterion), '')}" for method, n in counts.items()}
            for criterion, counts in diagnosis.deleted.items()
        ),
        legend=(
            f"Of {plural(diagnosis.n_judges, 'judge')}; in brackets above and below the limits.",
            *([f"Outside: {'; '.join(common)}."] if common else []),
            RULES,
        ),
    )
    # table 4, with what else becomes of the systems' scores
    removals = [(_CALLED[one.method], one) for one in diagnosis.removals]
    removal = Table(
        "removal",
        "Systems scored again",
        REMOVAL,
        tuple(
            {
                "scores": one.criterion or ALL_SCORES,
                "without": name,
                "lost": one.share_lost,
                "r": one.kept.pearson,
                "rho": one.kept.spearman,
                "removed_r": one.removed.pearson,
                "kept": one.kept_mean,
                "removed": one.removed_mean,
            }
            for name, one in (*removals, *(("the choice", one) for one in diagnosis.chosen))
        ),
        legend=(
            "Systems scored without the judges outside: share of scores lost, Pearson's r and"
            " Spearman's ρ with the scores by all judges, r of the scores by the removed judges"
            " alone, mean scores of kept and removed. The choice: outside by"
            f" {diagnosis.choice.replace('-', ' ')}.",
        ),
    )
    tables = [one for one in (near, kappas, outside, removal) if one.rows]
    if diagnosis.merged is not None:
        tables += [
            replace(one, name=f"merged-{one.name}", caption=f"{one.caption}, on the merged scale")
            for one in tabulate_diagnosis(diagnosis.merged)
        ]
    return tables


def _name_row(row: AgreementRow) -> str:
    name = row.criterion or ALL_SCORES
    return f"{name}, {row.input}" if row.input else name


def _measure(criterion: str, name: str, rows: RatingRows, scale: Scale) -> AgreementRow:
    none = AgreementRow(criterion, name, 0, (), ())
    if not rules.knows_items(rows):
        why = "no column of items was found, so it is unknown which scores are of one output"
        return replace(none, why=why)
    units = find_units(rows)
    whole = Blocks(1, np.zeros(units.size, dtype=np.int64), "item", 1)  # nothing is drawn
    sums = Sums(count_coincidences(units, whole))
    try:
        parts = fleiss_parts(sums.coincidences)
    except NotIdentified as refusal:
        return replace(none, why=str(refusal))
    points = np.array(scale.points or units.points)
    steps = choose_steps(scale.low, scale.high, points)
    if (points == np.round(points)).all():  # n between two points is the point below
        steps = tuple(sorted({float(np.floor(step)) for step in steps}))
    near = [n_agreement(sums, n) for n in steps]
    shares = tuple(float(ratio.over[0] / ratio.under[0]) for ratio in near)
    alike = "all scores are alike" if parts[2] is None else None
    return AgreementRow(criterion, name, int(units.several.sum()), steps, shares, *parts, alike)


_CRITERION: Final = ("criterion",)


# Hamon, Mostefa & Arranz (2007, section 3.3) would have divergent judges "redo their evaluation".
# Both versions are kept in the data; here each is used in turn.
def find_revisions(rows: RatingRows) -> tuple[Revision, ...]:
    """Return what last words change, for each criterion where a judge scored an output twice."""
    every = rules.choose_version(rows, "both")
    cell = number_groups(every.unit, every.judge)
    twice = np.bincount(cell)[cell] > 1 if every.size else np.zeros(0, dtype=np.bool_)
    if not twice.any():
        return ()
    again = every.take(twice).split(_CRITERION)
    versions = [rules.choose_version(rows, one).split(_CRITERION) for one in ("first", "last")]
    revisions = []
    for key, part in again.items():
        name = part.criteria[int(part.criterion[0])]
        tables = [rules.ScoreTable.of(version[key], name) for version in versions]
        count = tables[0].count.sum(axis=0)  # the same outputs and judges are in both
        scored = count > 0
        means = [table.total.sum(axis=0)[scored] / count[scored] for table in tables]
        systems = [rows.systems[code] for code in np.flatnonzero(scored).tolist()]
        first, last = (dict(zip(systems, one.tolist(), strict=True)) for one in means)
        judges = tuple(part.judges[code] for code in np.unique(part.judge).tolist())
        n = part.size - int(number_groups(part.unit, part.judge).max()) - 1
        revisions.append(Revision(name, n, judges, first, last, rules.correlate(*means)))
    return tuple(revisions)


# It finds judges who diverge, which is not to say that they are bad: of honest judges whose
# severity is normal, centre ± 1 sd leaves a third outside. Flags with a controlled error rate are
# `screen_judges`.


@carries_excluded("llm-judges")
def diagnose_judges(
    data: Ratings | RatingRows | Openable,
    *,
    k: float = 1.0,
    ddof: int = 1,
    reading: str = "mean",
    easy: rules.Easy = (),
    easy_rule: rules.EasyRule | None = None,
    methods: Sequence[str] = METHODS,
    match: str = "any",
    across: str = "each",
    version: str = "first",
    references: Sequence[str] = (),
    input_type: str | None = None,
    scale: Scale | str | None = None,
    merge: rules.Merging | str | None = None,
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
        NotIdentified: no column names the judges.
        UnknownOption: a setting that does not exist, or names what is not in the data.
        UnknownColumn: no such column of input types.
        InvalidJudgments: a value in the data that cannot be, or a score off the declared scale.
    """
    for name, value in {"easy": easy, "methods": methods, "references": references}.items():
        if isinstance(value, str):
            raise UnknownOption(f"{name} is a list of names: write ['{value}'] for one")
    if not isinstance(data, Ratings | RatingRows):
        held = type(data).__name__.lower()
        raise UnknownFormat(
            f"a diagnosis sets scores beside each other, and these are {held}: screen_judges looks"
            " at who made them"
        )
    factors = () if input_type is None else (input_type,)
    rows = data.rows(factors=factors) if isinstance(data, Ratings) else data
    require_column("judge", rows.judges)
    for name in references:
        if name not in rows.systems:
            hint = sentence_hint(suggest(name, rows.systems))
            raise UnknownOption(f"reference '{name}' is none of the systems{hint}")
    require_option("reading of the mean score", reading, rules.READINGS)
    for method in methods:
        require_option("method", method, METHODS)
    if not methods:
        raise UnknownOption(f"no method decides on removal: name some of {' | '.join(METHODS)}")
    joined = rules.read_merging(merge) if isinstance(merge, str) else merge
    settings = Settings(
        Limits(k, ddof),
        reading,
        easy_rule or rules.EasyRule(),
        tuple(easy),
        Choice(tuple(methods), match, across),
        version,
        tuple(references),
        input_type,
        require_scale(scale),
        "" if joined is None else rules.write_merging(joined),
    )
    diagnosis = _diagnose(rows, settings)
    if joined is None:
        return diagnosis
    rows, coarser = rules.merge_points(rows, joined, settings.scale or see_scale(rows.score))
    merged = _diagnose(rows, replace(settings, scale=coarser))
    says = [say("merged", sentence=sentence) for sentence in merged.says]
    return replace(diagnosis, merged=merged, says=(*diagnosis.says, *says))


def _diagnose(rows: RatingRows, settings: Settings) -> Diagnosis:
    targets = rules.choose_version(rows, settings.version)
    _refuse_scores(rows, targets, settings.scale)
    scales = {}
    for code, name in enumerate(rows.criteria):
        scores = rows.score[rows.criterion == code]
        seen = see_scale(scores) if len(scores) else Scale(0.0, 0.0)
        scales[name] = settings.scale or seen
    profiles = rules.profile_judges(targets)
    easy: dict[str, tuple[rules.EasyCount, ...]] = {}
    if settings.easy or (rows.kind is not None and (rows.kind == CONTROL).any()):
        easy = rules.count_missed(rows, settings.easy, scales, settings.rule.miss)
    revisions = find_revisions(rows)
    outliers = []
    for criterion, judges in profiles.items():
        limits = settings.limits
        outliers += [
            rules.find_by_mean(MEAN_SCORE, judges, limits, reading=settings.reading),
            rules.find_by_mean(MEAN_AGREEMENT, judges, limits),
            rules.find_by_easy_items(criterion, easy.get(criterion, ()), settings.rule),
        ]
    agreement = []
    for (criterion,), part in targets.split(_CRITERION).items():
        inputs = {} if settings.input_type is None else part.split((settings.input_type,))
        for (name,), of_input in inputs.items():
            agreement.append(_measure(criterion, name, of_input, scales[criterion]))
        agreement.append(_measure(criterion, "", part, scales[criterion]))
    removals, chosen, references = _rescore(targets, outliers, settings)
    n_judges = len(np.unique(targets.judge))
    # the signature: everything that changes a number is in its words or its digest
    beside: list[NDArray[Any]] = []
    if rows.direction is not None and rows.direction.any():
        beside.append(rows.direction)
    if rows.expected is not None and not np.isnan(rows.expected).all():
        beside.append(rows.expected)
    if settings.input_type is not None:
        beside.append(rows.labels(settings.input_type)[1])
    if revisions:
        beside.append(rules.number_versions(rows))
    words = ["diagnosis of judges", *settings.words()]
    controls = 0 if rows.kind is None else int((rows.kind == CONTROL).sum())
    again = rows.size - controls - targets.size
    tasks = len({*targets.task.tolist()})
    notes: list[str] = [*rows.notes]
    notes += [say("versions", n=again, version=settings.version)] if again else []
    if controls:
        unknown = rules.count_unknown(rows, settings.easy)  # nobody says what they should get
        which = "controls-partly-known" if unknown else "controls-used"
        which = "controls-unknown" if unknown == controls else which
        notes.append(say(which, n=controls, unknown=unknown))
    notes += [say("tasks-pooled", n=tasks)] if tasks > 1 else []
    notes += [] if rules.knows_items(rows) else [say("no-items-in-diagnosis", "warning")]
    for one in outliers:
        n = {profile.judge: profile.n for profile in profiles[one.criterion]}
        few = [judge for judge in one.judges if n.get(judge, MIN_SCORES) < MIN_SCORES]
        if few and one.method in (MEAN_SCORE, MEAN_AGREEMENT):
            where = {"method": _CALLED[one.method], "under": _under(one.criterion)}
            notes.append(say("few-scores-outside", **where, needed=MIN_SCORES, names=few))
    diagnosis = Diagnosis(
        criteria=tuple(profiles),
        methods=METHODS,
        n_judgments=targets.size,
        n_judges=n_judges,
        scales={name: str(scales[name]) for name in profiles},
        agreement=tuple(agreement),
        profiles=profiles,
        easy=easy,
        outliers=tuple(outliers),
        common=rules.find_common(outliers),
        removals=removals,
        chosen=chosen,
        choice=str(settings.choice),
        revisions=revisions,
        references=references,
        says=(),
        notes=tuple(notes),
        signature=write_signature(words, rows.size, digest_ratings(rows, beside), judges=n_judges),
        reading=settings.reading,
    )
    return replace(diagnosis, says=say_diagnosis(diagnosis, settings.limits))


def _refuse_scores(rows: RatingRows, targets: RatingRows, scale: Scale | None) -> None:
    if not targets.size:
        raise NotIdentified("all scores are of controls: there are no outputs to set judges beside")
    expected = np.empty(0)
    if rows.kind is not None and rows.expected is not None:
        expected = rows.expected[(rows.kind == CONTROL) & ~np.isnan(rows.expected)]
    odd, what = expected[np.isinf(expected)], "infinite: correct it or leave it empty"
    if scale is not None and not len(odd):
        odd = expected[(expected < scale.low) | (expected > scale.high)]
        first = f"{odd[0]:g}" if len(odd) else ""
        what = f"off the scale {scale}: {first}; correct it, or say what the scale is"
    if len(odd):
        which = "an expected score" if len(odd) == 1 else f"each of {len(odd):,} expected scores"
        raise InvalidJudgments(f"{which} of controls is {what}")
    if scale is not None:
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
    facts, parts = (references, inputs), rows.split(_CRITERION).items()
    tables = {name: rules.ScoreTable.of(part, name) for (name,), part in parts}
    removals = tuple(
        rules.rescore(tables[outside.criterion], outside.judges, outside.method, *facts)
        for outside in outliers
        if outside.judges
    )
    chosen = tuple(
        rules.rescore(tables[name], judges, str(settings.choice), *facts)
        for name, judges in rules.choose_removed(outliers, settings.choice).items()
    )
    return removals, chosen, references


@dataclass(frozen=True, eq=False, repr=False)
class GroupedDiagnoses(Grouped[Diagnosis]):
    """One diagnosis per task, or per level of another column."""


@carries_excluded("llm-judges")
def diagnose_groups(
    data: Ratings | RatingRows | Openable,
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
    parts = {name: part for (name,), part in table.split((by,)).items()}
    groups, refused = try_each(parts, work)
    if not groups:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedDiagnoses(groups, by, refused)
