"""Do judges agree? `measure_agreement` answers for ratings, comparisons and rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.annotations import read_moments
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    Openable,
    carries_excluded,
    join_verdicts,
    leave_out_named,
    split_people,
    take,
)
from evenhand.data.engine import (
    ANSWER,
    PLACE,
    count_rows,
    fetch_columns,
    one_thread,
    require_open,
)
from evenhand.data.exclusions import Exclusion, note_excluded, sign_excluded
from evenhand.data.groups import split_table
from evenhand.data.joining import keep_places, list_places
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import (
    CONTROL,
    REPEAT,
    RatingRows,
    Scale,
    digest_ratings,
    require_scale,
)
from evenhand.data.ratings import Ratings, code_ratings
from evenhand.data.results import try_each
from evenhand.data.slips import find_slips
from evenhand.data.tally import take_names
from evenhand.data.votes import TIE, Votes
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    require_seed,
)
from evenhand.judges import preferences
from evenhand.judges.agreement_table import (
    AgreementPart,
    AgreementTable,
    Doubtful,
    GroupedAgreement,
    name_kappa,
    say_parts,
)
from evenhand.judges.coefficients import Kind, choose_kinds, list_kinds, pair_judges
from evenhand.judges.counts import (
    CLUSTERS,
    MAX_CLUSTERS,
    REPLICATES,
    Interval,
    Ratio,
    Sums,
    bound_by_items,
    count_coincidences,
    draw_sums,
    form_blocks,
    mirror,
    refuse_interval,
)
from evenhand.judges.judge_pairs import (
    FAMILIES,
    MAX_PAIRS_UNASKED,
    MIN_UNITS,
    compute_between,
    correlate_within,
    list_between,
)
from evenhand.judges.llm_agreement import PEOPLE, KindAgreement, compare_kinds
from evenhand.judges.preferences import Among, Mode, Order
from evenhand.judges.texts import say
from evenhand.judges.units import (
    NO_OVERLAP,
    SHARE_OUTPUTS,
    Coefficient,
    Units,
    find_units,
    label_groups,
)
from evenhand.numerics import Array, Flags
from evenhand.numerics.cluster_means import number_groups, pairs_within
from evenhand.numerics.newton import one_blas_thread
from evenhand.render.document import Finding, plural, take_findings, write_signature

Part = TypeVar("Part", RatingRows, Votes)
Judged = TypeVar("Judged", bound=Ratings | Comparisons | Rankings)
LEVEL: Final = 0.95
# Observed agreement from which a low κ is a paradox rather than disagreement
HIGH_AGREEMENT: Final = 0.7
LOW_KAPPA: Final = 0.4  # κ up to which it is called low: at most "fair"
# Labels that units have of their own; other columns are read as factors
_LABELS: Final = ("task", "criterion", "system", "item")
# Most ratings, which are held as codes: of so many agreement takes about 6 GB
MAX_RATINGS: Final = 50_000_000
INFLATED: Final = say("inflated", "warning")


def measure_agreement(
    data: Ratings | Comparisons | Rankings | Openable,
    *,
    by: Sequence[str] = ("criterion",),
    coefficients: str | Sequence[str] = "default",
    scale: Scale | str | None = None,
    level: float = LEVEL,
    cluster: str = "item",
    seed: int = SEED,
    group_by: str | None = None,
    llm: Openable | None = None,
    llm_judges: str | Sequence[str] = (),
) -> AgreementTable | GroupedAgreement:
    """Measure how far judges agree, on all judgments and on parts of them.

    Args:
        data: ratings; or comparisons or rankings, where output pairs are what is judged.
        by: columns whose levels are looked at apart: criterion, system, task, or any other column,
            such as the input type. Levels of several are crossed, and added up from the last one.
            A criterion that the data do not have is excluded.
        coefficients: names or families, "default" or "all".
        scale: the declared scale of ratings, such as "1-5"; by default the scores that occur.
        level: nominal level of intervals (proportion).
        cluster: what is drawn again for intervals: "item" or "judge".
        seed: of everything random; it stands in the signature.
        group_by: a column whose levels are measured apart, each as a table of its own: such as the
            group of judges, who then agree or not among themselves.
        llm: verdicts of LLM judges, where they are in a table of their own.
        llm_judges: names of the judges who are LLMs; by default those whom a column judge_type
            marks. Coefficients are of people; a table of its own compares LLM judges with them.

    Returns:
        A table; one per level where `group_by` is given, else one per task where there are several
        and `by` does not name them.

    Raises:
        InvalidJudgments: no judges or no items are named, a score is not on the declared scale,
            there are more than 50 million ratings, or another value in the data that cannot be.
        NotIdentified: nothing was judged by two judges, in no group.
        UnknownOption: a coefficient or setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    >>> import polars as pl
    >>> from evenhand import read
    >>> scores = {"judge": ["a", "b"] * 3, "item": ["1", "1", "2", "2", "3", "3"]}
    >>> table = pl.DataFrame(scores | {"system": ["s"] * 6, "score": [4, 4, 2, 3, 5, 5]})
    >>> found = measure_agreement(read(table), scale="1-5")
    >>> round(found.whole["n-agreement-0"].value, 3), round(found.whole["fleiss"].value, 3)
    (0.667, 0.538)
    """
    data = take(data)
    require_option("cluster", cluster, CLUSTERS)
    require_level(level)
    require_seed(seed)
    names = take_names(coefficients)
    if not names:
        raise UnknownOption('no coefficient is asked for: name some, or "default" or "all"')
    request = Request(take_names(by), names, level, cluster, seed)
    if not isinstance(data, Ratings | Comparisons | Rankings):
        raise InvalidJudgments(
            "agreement is measured of ratings, comparisons and rankings, not of"
            f" {type(data).__name__}: open them with evenhand.read"
        )
    require_open(data.frame, data.source.name)
    if llm is not None:
        people = data.comparisons() if isinstance(data, Rankings) else data
        data, llm_judges = join_verdicts(people, llm, llm_judges)
    data = data.keep_asked()
    result = _measure_people(leave_out_named(data, llm_judges), request, scale, group_by)
    column = None if isinstance(result, AgreementTable) else result.by
    kinds = _compare_llm_judges(data, llm_judges, column, request)
    shared = {one.first for one in chain(*kinds.values()) if one.second == PEOPLE}
    apart = [one for one in take_names(llm_judges) if one not in shared and group_by is None]
    notes = [say("llm-other-outputs", "warning", llm=one) for one in apart]

    def add(key: str, table: AgreementTable) -> AgreementTable:
        return replace(table, llm=kinds.get(key, ()), notes=(*notes, *table.notes))

    if isinstance(result, AgreementTable):
        return add("", result)
    return replace(result, groups={key: add(key, one) for key, one in result.groups.items()})


@carries_excluded("controls", "repeats", "llm-judges")
def _measure_people(
    data: Ratings | Comparisons | Rankings,
    request: Request,
    scale: Scale | str | None,
    group_by: str | None,
) -> AgreementTable | GroupedAgreement:
    measure: Any = partial(_measure_preferences, request, group_by)
    if isinstance(data, Ratings):
        measure = partial(_measure_ratings, request, require_scale(scale), group_by)
    elif scale is not None:
        raise UnknownOption("preferences have no scale: leave it out")
    # Warn of slips of the hand, in the first of several tables; drop rows pasted twice
    result: AgreementTable | GroupedAgreement = measure(data)
    tables = result.groups if isinstance(result, GroupedAgreement) else {"": result}
    codes = {one.code for table in tables.values() for one in take_findings(table.notes)}
    slips = find_slips(data, pasted=not codes.isdisjoint(("again", "repeats")))
    if not slips:
        return result
    identical = [one for one in slips if one.code == "identical-rows"]
    without, pasted = drop_pasted(data) if identical else (data, ())
    if pasted:
        result = note_excluded(measure(without), pasted)
    tables = {"": result} if isinstance(result, AgreementTable) else dict(result.groups)
    if isinstance(result, GroupedAgreement):
        slips = tuple(_say_of_all(one, result.by) for one in slips)
    if identical and not pasted:
        n, where = (identical[0].values[name] for name in ("rows", "where"))
        beside = say("perhaps-pasted", "warning", n=n, where=where)

        def note_again(one: Coefficient) -> Coefficient:
            again = one.value is not None and "intra" in one.name.split("-")
            return replace(one, notes=(*one.notes, beside)) if again else one

        for name, table in tables.items():
            parts = tuple(
                replace(part, coefficients=tuple(map(note_again, part.coefficients)))
                for part in table.parts
            )
            tables[name] = replace(table, parts=parts)
        coefficients = [
            one for each in tables.values() for p in each.parts for one in p.coefficients
        ]
        if any(beside in one.notes for one in coefficients):  # which says the same, and more
            slips = tuple(one for one in slips if one.code != "identical-rows")
    name = next(iter(tables))
    known = {one.values.get("score") for one in slips}
    notes = [
        one
        for one in take_findings(tables[name].notes)
        if one.code != "no-answer-score" or one.values["score"] not in known
    ]
    tables[name] = replace(tables[name], notes=(*slips, *notes))
    return replace(result, groups=tables) if isinstance(result, GroupedAgreement) else tables[name]


@carries_excluded()
def _compare_llm_judges(
    data: Ratings | Comparisons | Rankings,
    llm_judges: str | Sequence[str],
    by: str | None,
    request: Request,
) -> dict[str, tuple[KindAgreement, ...]]:
    """Compare LLM judges with people, by the levels of a column; () where none is known."""
    pairs = data.comparisons() if isinstance(data, Rankings) else data
    if "judge" not in pairs.columns or not (len(llm_judges) or "judge_type" in pairs.columns):
        return {}
    names, people, _ = split_people(pairs, llm_judges)
    if not names or people is None:
        return {}
    names = tuple(dict.fromkeys((*names, *split_people(pairs)[0])))  # and those who are marked
    parts: dict[str, Any]
    if isinstance(pairs, Ratings):
        apart = [by] if by is not None and by not in (*_LABELS, "judge") else []
        rows = code_ratings(pairs, factors=apart)
        parts = {"": rows} if by is None else {key: one for (key,), one in rows.split([by]).items()}
    else:
        parts = {"": pairs} if by is None else split_table(pairs, by)
        parts = {key: one.votes() for key, one in parts.items()}
    return {
        key: compare_kinds(part, names, level=request.level, seed=request.seed)
        for key, part in parts.items()
    }


def _measure_ratings(
    request: Request, scale: Scale | None, group_by: str | None, data: Ratings
) -> AgreementTable | GroupedAgreement:
    without = request.by == ("criterion",) and not data.has("criterion")
    by = () if without else tuple(data.require(name) for name in request.by)
    request = replace(request, by=by)
    column = None if group_by is None else data.require(group_by)
    scored, _ = data.scored
    if scored > MAX_RATINGS:
        raise InvalidJudgments(
            f"agreement is measured of up to {MAX_RATINGS:,} ratings, and {data.source.name} has"
            f" {scored:,}: choose a task, a criterion or some items with --where"
        )
    factors = [name for name in by if name not in _LABELS]
    apart = [] if column is None or column in (*_LABELS, "judge") else [column]
    rows = code_ratings(data, factors=[*factors, *apart])
    if scale is not None and rows.kind is not None:
        scale.check(rows.score[rows.kind != CONTROL])  # what is asked again is on it as well
    if column is None and len(rows.tasks) > 1 and "task" not in by:
        column = "task"

    def tabulate(part: RatingRows) -> AgreementTable:
        units = find_units(part, scale)
        output = number_groups(units.rows.unit)
        for name in factors:  # what differs among judgments of an output cannot tell outputs apart
            _, codes = units.rows.labels(name)
            first = label_groups(output[::-1], codes[::-1])
            mixed = np.unique(output[codes != first[output]])
            if len(mixed):
                raise UnknownOption(
                    f"'{name}' differs among the judges of one output, for {len(mixed):,} of"
                    f" {len(first):,}: outputs cannot be distinguished by it; look at each value by"
                    f" itself: --group-by {name}"
                )
        return tabulate_ratings(units, part, request)

    if column is None:
        return tabulate(rows)
    parts = {name: part for (name,), part in rows.split([column]).items()}
    return _tabulate_groups(parts, column, tabulate, pooled="task" not in by)


def _measure_preferences(
    request: Request, group_by: str | None, data: Comparisons | Rankings
) -> AgreementTable | GroupedAgreement:
    by = tuple(name for name in request.by if name != "criterion" or data.has("criterion"))
    for name in by:
        if name not in ("task", "criterion", "system"):
            raise UnknownOption(
                "agreement of preferences is looked at by task, by criterion or by system (pairs"
                f" of systems), not by '{name}'; look at each value by itself: --group-by {name}"
            )
    if isinstance(data, Rankings):
        pairs, kind, inflated = data.comparisons(), "rankings", data.merged
    else:
        pairs, kind, inflated = data, "comparisons", data.has(ANSWER)
    request = replace(request, by=by, kind=kind)
    inflation = (INFLATED,) if inflated else ()

    def tabulate(votes: Votes) -> AgreementTable:
        return tabulate_votes(replace(votes, notes=(*votes.notes, *inflation)), request)

    if group_by is not None:
        column = pairs.require(group_by)
        parts = {name: part.votes() for name, part in split_table(pairs, column).items()}
        return _tabulate_groups(parts, column, tabulate, pooled="task" not in by)
    votes = pairs.votes()
    if len(votes.tasks) <= 1 or "task" in by:
        return tabulate(votes)
    parts = {name: votes.take(votes.task == code) for code, name in enumerate(votes.tasks)}
    return _tabulate_groups(parts, "task", tabulate)


def _say_of_all(one: Finding, by: str) -> Finding:
    together = "tasks" if by == "task" else "groups"
    return Finding(one.code, f"In all {together} together, {one}", one.severity, one.values)


def _tabulate_groups(
    parts: Mapping[str, Part],
    by: str,
    tabulate: Callable[[Part], AgreementTable],
    *,
    pooled: bool = False,
) -> GroupedAgreement:
    def work(part: Part) -> AgreementTable:
        notes: list[str] = [  # rows without a score were counted in all groups
            _say_of_all(one, by) if one.code == "no-score" else one
            for one in take_findings(part.notes)
        ]
        if pooled and (n := len(np.unique(part.task))) > 1:
            notes.append(say("tasks-pooled", n=n))
        return tabulate(replace(part, notes=tuple(notes)))

    groups, refused = try_each(parts, work)
    if not groups:
        raise NotIdentified("; ".join(f"{by} {name}: {why}" for name, why in refused.items()))
    return GroupedAgreement(groups, by, refused)


# From ratings or votes to a table: coefficients by part, and the κ of preferences.


@dataclass(frozen=True)
class Request:
    by: tuple[str, ...]  # columns whose levels are parts
    coefficients: tuple[str, ...]  # names, families, "default" or "all"
    level: float  # nominal level of intervals (proportion)
    cluster: str  # "item" or "judge"
    seed: int  # of everything random
    kind: str = "ratings"  # "ratings", "comparisons" or "rankings"
    # how the coefficients were asked for, where what is asked for here is less
    signed: tuple[str, ...] = ()
    alone: bool = False  # whether there is a table also where no two judges judged the same


def tabulate_scores(units: Units, request: Request, digest: str) -> AgreementTable:
    """Make the table of ratings, or of answers about two outputs without their κ."""
    judges, rated = int((np.bincount(units.judge) > 0).sum()), request.kind == "ratings"
    outputs = plural(units.size, "output" if rated else "output pair")
    if not (units.several.any() or request.alone):
        alone = f"no two of {judges:,} judges share any"
        alone = "there is one judge alone" if judges == 1 else alone
        raise NotIdentified(f"{NO_OVERLAP}: {outputs}, and {alone}", [SHARE_OUTPUTS])
    notes = [*units.rows.notes]
    counted = {"repeats": units.repeats, "controls": units.controls, "again": units.again}
    notes += [say(what, n=count) for what, count in counted.items() if count]
    if units.alone:
        notes.append(
            say("single-judge", n=units.alone, of=units.size, what=outputs.split(" ", 1)[1])
        )
    criteria, codes = units.labels("criterion")
    if rated and len(criteria) > 1 and len(codes):
        tops = np.full(len(criteria), -np.inf)  # the highest score under each criterion
        np.maximum.at(tops, codes, units.tops)
        tops = tops[np.isfinite(tops)]
        notes += [say("scales-differ", "warning")] if tops.min() != tops.max() else []
    asked = request.coefficients
    if rated and "kappa" in asked:  # the family that comparisons have
        asked = tuple(dict.fromkeys(one for one in (*asked, *KAPPAS_OF_RATINGS) if one != "kappa"))
    kinds = choose_kinds(units, asked, list_between())
    # coefficients between judges, and whether they were asked for or are shown where they exist
    families = {name: True for name in list_between() if name in asked or "all" in asked}
    if "default" in asked and units.pairs <= MAX_PAIRS_UNASKED:
        families = {**dict.fromkeys(FAMILIES, False), **families}
    elif "default" in asked and "all" not in asked:
        notes.append(say("pairs-unasked", most=MAX_PAIRS_UNASKED, families=", ".join(FAMILIES)))
    difference = mean_difference(units, kind=request.kind)
    parts = []
    with one_blas_thread():
        for levels, mask, part in _split(units, request.by):
            own = kinds
            if part.points is not units.points:  # whose own scale says which n it has
                held = {one.name for one in list_kinds(part)}
                lacking = [one for one in kinds if one.name in asked and one.name not in held]
                known = {"default", "all", *(name for k in kinds for name in (k.name, k.family))}
                known -= {one.name for one in lacking}
                own = (*choose_kinds(part, [one for one in asked if one in known]), *lacking)
            parts.append(_describe(part, levels, (own, families), request, difference[mask]))
    names = ", ".join(request.signed or asked)
    points = f"answers: first, {'tie, ' if len(units.points) > 2 else ''}second"
    if rated:
        declared = "declared" if units.scale.declared else "seen"
        points = f"scale {units.scale} {declared}, {len(units.points)} points"
    drawn = f"cluster bootstrap by {request.cluster}, B={REPLICATES}, beyond"
    most = f"{MAX_CLUSTERS[request.cluster]:,} merged, level {request.level:g}"
    how = [f"agreement: {names}", points, f"{drawn} {most}", f"seed={request.seed}"]
    reason = "second answers of a judge to the same output"
    sentence = str(say("again", n=units.again))
    again = Exclusion("again", reason, units.again, unit="answer", sentence=sentence)
    excluded = (again,) if units.again else ()
    signature = write_signature(how, units.ratings, digest, judges=judges)
    return AgreementTable(
        **{name: getattr(request, name) for name in ("kind", "by", "cluster", "level")},
        parts=tuple(parts),
        scale=f"{units.scale}, {'declared' if units.scale.declared else 'as seen'}",
        says=say_parts(parts, answers="score" if rated else "answer"),
        notes=tuple(notes),
        signature=sign_excluded(signature, excluded),
        excluded=excluded,
    )


def _split(units: Units, by: Sequence[str]) -> Iterator[tuple[Mapping[str, str], Flags, Units]]:
    """Yield levels, what has them, and that part; levels crossed, then added up."""
    whole = np.ones(len(units.sizes), dtype=np.bool_)
    for depth in range(len(by), 0, -1):
        labels = [units.labels(name) for name in by[:depth]]
        columns = [codes for _, codes in labels]
        group = number_groups(*columns)
        first = label_groups(group, np.arange(len(group)))
        crossed = np.column_stack(columns)[first].tolist()
        if depth == 1 and len(crossed) == 1:
            continue  # the whole says the same
        for code in crossed:
            levels, mask, of_scale = dict[str, str](), whole, whole
            for name, (names, codes), level in zip(by, labels, code, strict=False):
                levels[name], mask = names[level], mask & (codes == level)
                if name in ("task", "criterion"):
                    of_scale = of_scale & (codes == level)
            # the scale of a part is that of its task and criterion, unless one was declared
            part = units if of_scale.all() else units.narrow(of_scale)
            yield levels, mask, part.take(mask[of_scale])
    yield {}, whole, units


def _describe(
    units: Units,
    levels: Mapping[str, str],
    chosen: tuple[tuple[Kind, ...], Mapping[str, bool]],
    request: Request,
    difference: Array,
) -> AgreementPart:
    """Compute everything that was asked for on a part; `difference` (U,) is that of its judges."""
    kinds, families = chosen
    coefficients: list[Coefficient] = []
    for paired in (False, True):
        own = tuple(kind for kind in kinds if kind.paired == paired)
        if own:
            coefficients += compute_kinds(pair_judges(units) if paired else units, own, request)
    missing: dict[str, Finding] = {}  # why coefficients that nobody asked for do not exist
    for asked in (True, False):
        names = [name for name, wanted in families.items() if wanted == asked]
        for one in compute_between(units, names, request.level):
            if asked or one.value is not None:
                coefficients.append(one.without_interval() if request.cluster == "judge" else one)
            elif one.why is not None:
                missing[one.why] = note_missing(one.why)
    judge, given = units.judge[units.held], units.mass
    # of answers about two outputs neither is the first
    prevalence = given if request.kind == "ratings" else given + given[::-1]
    known = {one.name: one.value for one in coefficients}
    same, kappa, odd = known.get("n-agreement-0"), known.get("fleiss"), []
    # Where one answer is given nearly always, chance agreement is high and κ has hardly any room:
    # the first paradox of Feinstein & Cicchetti (1990), Journal of Clinical Epidemiology
    # 43:543-549.
    if same is not None and kappa is not None and same >= HIGH_AGREEMENT and kappa <= LOW_KAPPA:
        prevails = float(prevalence.max() / prevalence.sum())
        odd = [say("prevalence", "warning", agree=same, same=prevails)]
    return AgreementPart(
        by=levels,
        units=units.size - units.alone,
        single=units.alone,
        ratings=int(given.sum()),
        judges=int((np.bincount(judge) > 0).sum()),
        most_judges=int(units.sizes.max(initial=0)),
        coefficients=tuple(coefficients),
        doubtful=list_doubtful(units, difference),
        notes=(*odd, *missing.values()),
    )


def note_missing(why: str) -> Finding:
    return why if isinstance(why, Finding) else Finding("not-computed", why, "info")


def compute_kinds(
    units: Units, kinds: tuple[Kind, ...], request: Request
) -> tuple[Coefficient, ...]:
    if not units.several.any():
        return tuple(Coefficient(kind.name, kind.title, None, why=NO_OVERLAP) for kind in kinds)
    blocks = form_blocks(units, request.cluster, request.seed)
    coincidences = count_coincidences(units, blocks)
    coincidences = coincidences if request.kind == "ratings" else mirror(coincidences)
    sums, sizes = Sums(coincidences), units.sizes[units.several]
    unequal = bool(sizes.min() != sizes.max())  # whether some units have more judges than others
    no_interval = refuse_interval(blocks.levels, blocks.name)
    draws = None if no_interval else draw_sums(coincidences, request.seed)
    coefficients = []
    for kind in kinds:
        title, value, why = kind.title, None, None
        if kind.name == "fleiss" and unequal:  # a generalisation is named for what it is
            title = f"{title}, unequal numbers of judges"
        if units.scale.points is None and kind.categories:
            why = "it needs a scale with steps, and the declared one has none"
        else:
            try:
                value = kind.compute(sums).value
            except (NotIdentified, InvalidJudgments) as refusal:
                why = str(refusal)
            else:
                alike = "all scores are alike: what chance would give is all there is"
                why = alike if value is None else None
        interval = Interval(None, None)
        notes: list[Finding] = []
        if value is not None:
            notes += [say("landis-koch", "info", word=name_kappa(value))] if kind.kappa else []
            interval = Interval(None, None, no_interval)
            if draws is not None:
                interval = draws.bound(kind.compute, request.level)
            notes += [interval.why] if interval.why else []
        found = (kind.name, title, value, interval.lower, interval.upper)
        counts = (units.size - units.alone, int(sizes.sum()))
        coefficients.append(Coefficient(*found, *counts, why=why, notes=tuple(notes)))
    return tuple(coefficients)


def mean_difference(units: Units, *, kind: str = "ratings") -> NDArray[np.float64]:
    """(U,) how far two judges of each unit are apart on average; zero for one judge."""
    # Of sorted scores x_1 ... x_m the mean over pairs is 2 Σ (2i − m − 1) x_i / (m (m − 1)).
    difference = np.zeros(units.size)
    for judges, at, place in units.by_size():
        if kind != "ratings":
            counts = np.stack([(units.code[place] == c).sum(axis=1) for c in range(3)])
            difference[at] = 1 - (counts * (counts - 1)).sum(axis=0) / (judges * (judges - 1))
        elif judges == 2:
            first, second = units.points[units.code[place]].T
            difference[at] = np.abs(first - second)
        else:
            rank = 2 * np.arange(1, judges + 1) - judges - 1
            ordered = np.sort(units.points[units.code[place]], axis=1)
            difference[at] = ordered @ rank * (2 / (judges * (judges - 1)))
    return difference


MAX_ITEMS_LISTED: Final = 10  # Most items that are listed
PRIOR_UNITS: Final = 5.0  # Units of the mean item that every item is drawn towards
_DIGITS: Final = 12


def list_doubtful(units: Units, difference: Array) -> tuple[Doubtful, ...]:
    """Return the items on whose outputs judges differ most, the worst first."""
    # They are ordered by their mean drawn towards that of all items as by five more units, since an
    # item with one unit is not the worst for one wide gap. Equal ones stand by name.
    if not units.several.any():
        return ()
    names, items = units.labels("item")
    mask = slice(None) if units.several.all() else units.several
    count = np.bincount(items[mask], minlength=len(names))
    total = np.bincount(items[mask], difference[mask], len(names))
    mean = float(total.sum() / count.sum())
    drawn = (total + PRIOR_UNITS * mean) / (count + PRIOR_UNITS)
    seen = np.flatnonzero(count)
    most = float(difference.max(initial=0.0)) or 1.0
    equal = np.round(drawn[seen] / most, _DIGITS)  # sums of equal fractions differ in the last one
    ascending = np.argsort(-equal, kind="stable")[:MAX_ITEMS_LISTED]
    tasks, task = units.labels("task")
    doubtful = []
    for item in seen[ascending].tolist():
        task_name = tasks[0] if len(tasks) == 1 else tasks[task[int(np.argmax(items == item))]]
        numbers = (int(count[item]), float(total[item] / count[item]), float(drawn[item]))
        doubtful.append(Doubtful(names[item], task_name, *numbers))
    return tuple(doubtful)


# Do judges agree with themselves? Every output of a judge with several answers is a unit, and the
# answers are its judges: coefficients are then those of other units. A row that was pasted twice is
# no second answer: it equals an earlier row in every column, the time among them. Where no column
# tells the time, nobody can tell.

FAMILY: Final = "intra"  # What asks for the agreement of judges with themselves
NO_REPEATS: Final = "no judge scored an output twice"
DAY: Final = 86_400.0  # seconds
MAX_TIMES_READ: Final = 1_000  # Times that are looked at to tell times from dates


def drop_pasted(data: Judged) -> tuple[Judged, tuple[Exclusion, ...]]:
    """Drop rows that equal an earlier one in every column, the time among them."""
    shown_at = data.source.find_annotations(data.columns).get("shown_at")
    frame = keep_places(data.frame)
    if shown_at is None or not list_places(frame):
        return data, ()
    with one_thread(data.source.connection):
        known = fetch_columns(frame.select(shown_at.column).head(MAX_TIMES_READ))
        times = read_moments(known[shown_at.column])
        if len(np.unique(times[np.isfinite(times)] % DAY)) < 2:
            return data, ()  # dates: a judge may answer twice on a day
        place = nw.col(PLACE)
        first = place.min().over(*data.columns)
        again = (place > first).fill_null(value=False) & ~nw.col(shown_at.column).is_null()
        n = count_rows(frame.filter(again))
    if not n:
        return data, ()
    reason = "rows that equal another in every column, the time among them"
    excluded = Exclusion("pasted", reason, n, sentence=str(say("pasted", n=n)))
    return replace(data, frame=frame.filter(~again)), (excluded,)


def find_answer_units(rows: RatingRows, scale: Scale | None = None) -> Units:
    """Return outputs of a judge with several answers as units, the answers being their judges."""
    rows = _order_answers(rows)
    owner = number_groups(rows.unit, rows.judge)
    again = np.bincount(owner)[owner] > 1
    if not again.any():
        raise NotIdentified(NO_REPEATS)
    rows, owner = rows.take(again), owner[again]
    order = np.argsort(owner, kind="stable")
    sizes = np.bincount(owner)
    place = np.empty(rows.size, dtype=np.int32)
    ends = np.cumsum(sizes)
    place[order] = np.arange(rows.size) - (ends - sizes)[owner[order]]
    output = number_groups(rows.system, rows.judge)
    _, one = np.unique(output, return_index=True)
    names = tuple(
        f"{rows.systems[rows.system[i]]} / {rows.judges[rows.judge[i]]}" for i in one.tolist()
    )
    times = tuple(f"answer {i + 1:,}" for i in range(int(sizes.max())))
    answers = replace(rows, judges=times, judge=place, systems=names, kind=None, moment=None)
    return find_units(replace(answers, system=output.astype(np.int32)), scale)


def correlate_repeats(rows: RatingRows) -> Coefficient:
    """Correlate the earlier with the later of every two answers of a judge on an output."""
    rows = _order_answers(rows)
    owner = number_groups(rows.unit, rows.judge)
    sizes = np.bincount(owner)
    again = sizes[sizes > 1]
    value, why = None, NO_REPEATS
    if len(again):
        first, second = pairs_within(owner)
        r = correlate_within(np.zeros_like(first), rows.score[first], rows.score[second])[0]
        value = None if np.isnan(r) else float(r)
        why = f"fewer than {MIN_UNITS} pairs of scores, or earlier or later ones all alike"
    return Coefficient(
        f"{FAMILY}-pearson",
        "Pearson's r of earlier and later score",
        value,
        units=len(again),
        ratings=int(again.sum()),
        why=why if value is None else None,
    )


def _order_answers(rows: RatingRows) -> RatingRows:
    """Leave controls out, and put rows in the order of asking."""
    # What was not asked again (kind) comes first, then what was given earlier, then what stands
    # earlier in the table.
    rows = rows.without_controls()
    keys: list[NDArray[Any]] = [np.arange(rows.size)]
    if rows.moment is not None:
        keys.append(rows.moment)
    if rows.kind is not None:
        keys.append(rows.kind == REPEAT)
    return rows if len(keys) == 1 else rows.take(np.lexsort(keys))


_KINDS: Final = ("n-agreement", "fleiss", "alpha-interval")
_NEAR: Final = 3  # Most n of n-agreement that are shown


def tabulate_ratings(units: Units, rows: RatingRows, request: Request) -> AgreementTable:
    requested = FAMILY in request.coefficients
    others = tuple(name for name in request.coefficients if name != FAMILY)
    wanted = replace(request, coefficients=others, signed=request.coefficients)
    unasked = {"default", "all"} & set(others) and units.again + units.repeats
    again = bool((requested or unasked) and correlate_repeats(rows).units)
    alone = requested and not others and again
    table = tabulate_scores(units, replace(wanted, alone=alone), digest_ratings(rows))
    if not requested and not again:
        return table
    parts = []
    for part in table.parts:
        mask = np.ones(rows.size, dtype=np.bool_)
        for name, level in part.by.items():
            names, codes = rows.labels(name)
            mask &= codes == names.index(level)
        repeated = rows.take(mask)
        try:  # outputs that a judge scored again, the answers being judges
            scale = units.scale if units.scale.declared else None
            answers = find_answer_units(repeated, scale)
        except NotIdentified:
            own = [Coefficient(FAMILY, "judges with themselves", None, why=NO_REPEATS)]
        else:
            kinds = choose_kinds(answers, _KINDS)
            near = [kind for kind in kinds if kind.family == "n-agreement"][:_NEAR]
            chosen = (*near, *(kind for kind in kinds if kind.family != "n-agreement"))
            own = [
                replace(one, name=f"{FAMILY}-{one.name}", title=f"same judge: {one.title}")
                for one in compute_kinds(answers, chosen, replace(request, cluster="item"))
            ]
        own.append(correlate_repeats(repeated))
        if request.cluster == "judge":
            own = [one.without_interval() for one in own]
        parts.append(replace(part, coefficients=(*part.coefficients, *own)))
    return replace(table, parts=tuple(parts), says=say_parts(parts) if alone else table.says)


# The κ of preferences with its interval: items are drawn, κ comes from their counts.

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
KAPPAS_OF_RATINGS: Final = ("fleiss", "cohen", "brennan-prediger")


def preference_kappa(votes: Votes, name: str, level: float, seed: int) -> Coefficient:
    """Return one κ of preferences, or why there is none."""
    mode, among, order, title = KAPPAS[name]
    if votes.counted and name != BETWEEN:  # rows of several votes may be repeats of one judge
        return Coefficient(name, title, None, why=say("weighted-rows", "info"))
    try:
        agreement = preferences.compare_votes(votes, mode=mode, among=among, order=order)
    except (NotIdentified, UnknownOption) as refusal:
        return Coefficient(name, title, None, why=str(refusal))
    none = Coefficient(name, title, None, units=agreement.units, ratings=agreement.votes)
    if agreement.kappa is None or agreement.own == agreement.comparable:
        if agreement.own and agreement.own == agreement.comparable:
            why = say("own-pairs-only", n=agreement.own)
        elif agreement.comparable:
            why = say("all-ties")
        else:
            orders = {"any": "", "same": " in the same order", "exchanged": " in exchanged order"}
            code = "no-shared-pairs" if among == "inter" else "no-second-answers"
            why = say(code, "info", shown=orders["same" if mode == "wmt" else order])
        return replace(none, why=why)
    # items are drawn, κ comes from their counts
    counts = agreement.by_item[agreement.by_item.any(axis=1)].astype(np.float64)
    interval = bound_by_items(
        counts, lambda drawn: Ratio(*preferences.correct_chance(*drawn.T)), level=level, seed=seed
    )
    shown = ("observed", "agree", "comparable", "chance", "ties", "total")
    notes = [
        say("landis-koch", "info", word=name_kappa(agreement.kappa)),
        say("pair-counts", "info", **{key: getattr(agreement, key) for key in shown}),
        *([interval.why] if interval.why else []),
    ]
    if agreement.own:  # pairs of votes that are no agreement between judges
        share = agreement.own / agreement.comparable
        notes.append(say("own-pairs", n=agreement.own, of=agreement.comparable, share=share))
    lower, upper = interval.lower, interval.upper
    return replace(none, value=agreement.kappa, lower=lower, upper=upper, notes=tuple(notes))


def tabulate_votes(votes: Votes, request: Request) -> AgreementTable:
    """Make the table of some votes; κ of preferences stands beside those of all and of a task."""
    rows = preferences.preference_rows(votes)
    if not preferences.leave_repeats(votes).size:
        raise NotIdentified("nothing to compare: all judgments are controls or repeats")
    ties = (preferences.leave_controls(votes).outcome == TIE).any()
    scale = preferences.ANSWERS if ties else preferences.FORCED
    requested, modes = set(request.coefficients), {*preferences.MODES}
    kappas = [
        name
        for name, (mode, *_) in KAPPAS.items()
        if mode in (requested & modes or modes)
        and {name, "kappa", "default", "all", *modes} & requested
    ]
    others = [one for one in request.coefficients if one not in {*KAPPAS, *modes, "kappa"}]
    if "default" in others:
        others = [*preferences.SHOWN_UNASKED, *(name for name in others if name != "default")]
    wanted = replace(request, coefficients=tuple(others), signed=request.coefficients)
    table = tabulate_scores(find_units(rows, scale), wanted, digest_ratings(rows))
    parts = []
    titles = {"n-agreement-0": "same answer"}
    for part in table.parts:
        found: list[Coefficient] = []
        if {*part.by} <= {"task", "criterion"}:  # of pairs of systems there is no such κ
            own = votes
            if "task" in part.by:
                own = own.take(own.task == own.tasks.index(part.by["task"]))
            if "criterion" in part.by and own.criterion is not None:
                own = own.take(own.criterion == own.criteria.index(part.by["criterion"]))
            found = [preference_kappa(own, name, request.level, request.seed) for name in kappas]
        if request.cluster == "judge":
            found = [one.without_interval() for one in found]
        # what nobody asked for is shown only if it exists
        shown = [one for one in found if one.value is not None or requested & {one.name, "kappa"}]
        plain = [one for one in found if one not in shown and KAPPAS[one.name][2] == "any"]
        whys = {one.why: note_missing(one.why) for one in plain if one.why is not None}
        held = [replace(one, title=titles.get(one.name, one.title)) for one in part.coefficients]
        both, notes = (*held, *shown), (*part.notes, *whys.values())
        parts.append(replace(part, coefficients=both, notes=notes))
    again = "again" in {one.code for one in take_findings(table.notes)}
    ranked = votes.answer is not None and len(np.unique(votes.answer)) < votes.size
    codes = {"no-ties": not ties, "rankings-resampled": ranked}
    added = [say("again-in-kappa")] if again else []
    added += [say(code, "info") for code, applies in codes.items() if applies]
    says = say_parts(parts, answers="answer", again=again)
    every = (*table.notes, *added)
    return replace(table, parts=tuple(parts), scale=None, notes=every, says=says)
