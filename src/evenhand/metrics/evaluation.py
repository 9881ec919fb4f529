"""How well automatic metrics agree with people, and which agrees better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from evenhand.data.controls import OF_SYSTEMS, Openable, carries_excluded, take
from evenhand.data.exclusions import note_excluded
from evenhand.data.groups import choose_criterion, list_levels
from evenhand.data.ratings import Ratings
from evenhand.data.references import reads_human
from evenhand.data.tally import take_names
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    write_names,
    write_without,
)
from evenhand.metrics import statistics as measures
from evenhand.metrics.comparison import (
    ALPHA,
    MIN_SYSTEMS,
    OF_MEANS,
    OF_SEGMENT_PAIRS,
    STATISTICS,
    UNASKED,
    UNASKED_OF_SYSTEMS,
    UNASKED_OF_VOTES,
    Differences,
    Measured,
    Preferences,
    Study,
    Wishes,
    cluster_decided,
    cluster_greedily,
    compare_preferences,
    judge_preferences,
    name_statistic,
)
from evenhand.metrics.gold import Aligned, Gold, align, make_golds, score_other_criteria
from evenhand.metrics.result import GroupedEvaluations, MetaEvaluation, MetricPair, write_plain
from evenhand.metrics.scores import (
    PLAIN,
    MetricScores,
    find_metrics,
    gather_scores,
    is_folder,
    join_scores,
    orient,
    read_columns,
    read_gold_folder,
    read_metric_folder,
    refuse_doubtful_people,
)
from evenhand.metrics.statistics import Steps
from evenhand.metrics.texts import say
from evenhand.numerics import Array, Flags
from evenhand.numerics.distributions import t_quantile
from evenhand.render.document import Finding, join_names, write_signature

SEED: Final = 20131
HALVES: Final = 5  # Splits of judges into halves
MIN_HALVED: Final = 0.5  # Share of outputs that two judges judged, for a ceiling
MIN_JUDGES: Final = 3  # From which on judges are left out one by one
MAX_LOST: Final = 2  # Times a judge's equal share of the items, which may be lost without the judge
OF_FOLDS: Final = frozenset(("acc-eq", "preference"))  # Statistics with ε of other documents
OF_WHOLE_ITEMS: Final = ("spa", "tie-aware")  # statistics of items on which all were judged
DISTANT: Final = 0.95  # Share of pairs of systems that are in people's order
NEGATED: Final = ("metric-negated", "metric-negated-asked")  # Findings that name metrics
MIN_DISTANT: Final = 10  # Pairs of systems from which such a distance is told


def meta_evaluate(
    gold: Openable,
    scores: Any = None,
    *,
    criterion: str | None = None,
    statistics: Sequence[str] | None = None,
    level: Literal["system", "segment"] | None = None,
    group: Literal["none", "item", "system"] = "item",
    test: str = "perm-sys",
    spa: str = "mid-p",
    model: Any = None,
    lower_is_better: bool | None = None,
    task: str | None = None,
    without: Sequence[str] = (),
    lower: Sequence[str] = (),
    seed: int = SEED,
) -> MetaEvaluation | GroupedEvaluations:
    """Compare automatic metrics with people, and with each other.

    Args:
        gold: what people said: ratings, comparisons, rankings, a ranking that `rank` returned, or
            a folder of mt-metrics-eval.
        scores: of metrics, higher is better unless the name is of an error measure (TER, loss) or
            in `lower`: a table (long: metric, system, item, score; or a
            column for each metric), a folder of mt-metrics-eval, a list of these, or name →
            table. By default the other criteria of `gold`, or the columns of numbers beside
            people's scores.
        criterion: of ratings, the one that is gold; by default each by itself.
        statistics: which, such as ("spa", "acc-eq"); the first orders metrics and is tested.
        level: only statistics of systems, or of segments.
        group: of segments: all together, those of an item (the default), or of a system.
        test: "perm-sys" (for other systems), "perm-both" (for these), "boot-both", "williams".
        spa: "mid-p", or "wmt" for the authors' rule, which depends on the order of systems.
        model: of comparisons, what makes worths; the log-linear Bradley-Terry model by default.
        lower_is_better: of people's scores; by default where the criterion's name says so.
        task: only this task, such as one language pair.
        without: names of metrics to exclude.
        lower: names of metrics of which lower is better, beside those whose names say so.
        seed: of everything random.

    Raises:
        InvalidJudgments: scores that lack, or differ where they must not.
        NotIdentified: nothing to compare.
        UnknownOption: a statistic or setting that cannot be.

    >>> people = {"system": list("aabbcc"), "item": [1, 2] * 3, "score": [1, 2, 3, 3, 5, 4]}
    >>> metric = {"system": list("aabbcc"), "item": [1, 2] * 3, "bleu": [9, 8, 11, 12, 15, 10]}
    >>> found = meta_evaluate(people, metric)
    >>> found.metrics, round(float(found.values["pa"][0]), 3)
    (('bleu',), 1.0)
    """
    named = (statistics,) if isinstance(statistics, str) else statistics
    wishes = Wishes(None if named is None else tuple(named), level, group, test, spa, seed)
    source = gold
    if is_folder(gold):
        gold = read_gold_folder(Path(gold), task, criterion)
    if scores is None:
        given = find_beside(source, gold, criterion, task=task)
    else:
        given = gather_scores(scores)
    if criterion is not None and isinstance(data := take(gold), Ratings):
        gold = choose_criterion(data, criterion)
        if not {*given.metrics}.isdisjoint(list_levels(data, "criterion")):
            # the other criteria are metrics, and not excluded
            known = data.source.exclusions
            gold = replace(gold, source=replace(gold.source, exclusions=known))
        criterion = None
    given = orient(given.exclude(take_names(without)), given.find(take_names(lower)))
    make = partial(make_golds, criterion=criterion, lower_is_better=lower_is_better, model=model)
    return _evaluate(gold, given, make, wishes, task)


def find_beside(
    source: Any,
    gold: Any,
    criterion: str | None,
    *,
    task: str | None = None,
    settings: Mapping[str, Any] = PLAIN,
) -> MetricScores:
    """Return scores that stand beside people's: in the folder, as criteria, in columns."""
    if is_folder(source):
        return read_metric_folder(Path(source), task)
    data = take(gold)
    if not isinstance(data, Ratings):
        held = type(data).__name__.lower()
        raise UnknownOption(f"{data.source.name} holds {held}: add a file of metric scores")
    if criterion is None or not data.has("criterion"):
        if "criterion" not in settings.get("columns", {}):
            refuse_doubtful_people(data)
        return read_columns(data, settings=settings)
    others = score_other_criteria(data, criterion)
    parts = [others] if others.metrics else []
    if find_metrics(data):
        parts.append(read_columns(data, settings=settings))
    if not parts:
        raise UnknownOption(
            f"{data.source.name} has no other criterion than {criterion}: name a table of scores"
        )
    return join_scores(parts)


@carries_excluded(*OF_SYSTEMS, argument="gold")
def _evaluate(
    gold: Openable,
    scores: MetricScores,
    make: Callable[[Any], dict[str, Gold]],
    wishes: Wishes,
    task: str | None,
) -> MetaEvaluation | GroupedEvaluations:
    if task is not None and hasattr(gold, "select_task"):
        gold = gold.select_task(task)
    golds = make(gold)
    if [*golds] == [""]:
        return evaluate(align(golds[""], _take_task(scores, task or "")), wishes)
    results, refused = dict[str, MetaEvaluation](), dict[str, str]()
    for name, one in golds.items():
        try:
            own = _take_task(scores, name if task is None else task)
            results[name] = evaluate(align(one, own), wishes)
        except (NotIdentified, NotConverged, InvalidJudgments) as refusal:
            refused[name] = str(refusal)
    if not results:
        raise InvalidJudgments("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedEvaluations(results, "group", refused)


def _take_task(scores: MetricScores, name: str) -> MetricScores:
    """Keep what belongs to a task: its items, and metrics and systems that have scores there."""
    task = name.partition(" / ")[0]
    own = [at for at, item in enumerate(scores.items) if item.startswith(f"{task} / ")]
    if not task or not own:
        return scores
    names, values = [scores.items[at] for at in own], scores.values[:, :, own]
    there = ~np.isnan(values)
    m, k = np.flatnonzero(there.any(axis=(1, 2))), np.flatnonzero(there.any(axis=(0, 2)))
    if not len(m):
        scored = np.flatnonzero((~np.isnan(scores.values)).any(axis=(0, 1))).tolist()
        tasks = [*dict.fromkeys(scores.items[at].partition(" / ")[0] for at in scored)]
        raise InvalidJudgments(
            f"its outputs have no scores of metrics, which are of {listing(tasks, 3)}: add scores,"
            " or give both the same name of a task, or none"
        )
    return replace(
        scores,
        metrics=tuple(scores.metrics[at] for at in m),
        systems=tuple(scores.systems[at] for at in k),
        items=("",) if names == [f"{task} / "] else tuple(names),  # of systems as a whole
        values=values[m][:, k],
    )


def evaluate(aligned: Aligned, wishes: Wishes) -> MetaEvaluation:
    """Compare metrics with people of one task under one criterion."""
    gold, metrics = aligned.gold, aligned.metrics
    people, scores, merged = _count_steps(aligned)
    constant = np.nanmax(np.abs(scores.whole), axis=(1, 2)) == 0  # steps are from the median
    names = wishes.choose(*list_available(gold, wishes.group))
    preferences = None
    if gold.votes is not None:
        preferences = judge_preferences(gold.votes, scores, gold.documents)
        scores = Steps.count(preferences.means)
    fold = measures.assign_folds(gold.documents)
    of_scores = tuple(one for one in names if one != "preference")
    spa = wishes.spa == "wmt"
    study = Study(people, scores, fold, of_scores, wishes.group, spa, wishes.seed)
    measured = study.measure(people, scores)
    values = dict(measured.values)
    by_preference = preferences is not None and names[0] == "preference"
    if preferences is not None:
        values = {n: preferences.share if n == "preference" else values[n] for n in names}
    first = np.where(constant, np.nan, values[names[0]])  # they are last, and not tested
    order = np.lexsort((np.array(metrics), np.where(np.isnan(first), np.inf, -first)))
    notes = [*aligned.notes, *merged]
    if constant.any():
        same = [metrics[at] for at in np.flatnonzero(constant).tolist()]
        remedy = write_without("metric", same)
        one = len(same) == 1
        told = {"who": f"{join_names(same)} {'gives' if one else 'give'}", "remedy": remedy}
        told |= {"were": "was" if one else "were", "them": "it" if one else "them"}
        notes.append(say("constant", "warning", **told))
    notes += _note_pairs(gold, wishes, values)
    notes += _note_systems(aligned, values, measured, constant)
    asked = preferences if by_preference else None
    how: Any = {"values": values[names[0]], "constant": constant, "order": order, "notes": notes}
    clusters = _compare(study, aligned, wishes, measured, asked, **how)
    ceiling = _find_ceiling(study, gold, notes) if gold.items else {}
    epsilon = measured.stars * scores.size if "acc-eq-star" in values else None
    if "acc-eq" in values:
        epsilon = measured.epsilons[:, np.unique(fold)].mean(axis=1) * scores.size
        epsilon = np.where(np.isnan(values["acc-eq"]), np.nan, epsilon)
    if preferences is not None:
        epsilon = preferences.limits.mean(axis=1) * preferences.steps.size
        if preferences.of_one_document:
            what = "document" if _is_by_document(gold) else "item"
            notes.append(say("limit-inside", "warning", what=what))
    judges = None if gold.panel is None else gold.panel.judges
    if gold.votes is not None and gold.votes.judges != ("",):
        judges = len(np.unique(gold.votes.judge))
    interval = preferences.interval[order] if preferences is not None and by_preference else None
    people_means = people.restore(measured.people[None])[0]
    means = scores.restore(measured.metrics)[order]
    result = MetaEvaluation(
        gold=gold.name,
        systems=gold.systems,
        items=len(gold.items if gold.votes is None else gold.votes.items),
        judges=judges,
        metrics=tuple(metrics[at] for at in order),
        values={name: one[order] for name, one in values.items()},
        cluster=clusters.ours,
        wmt_rank=clusters.wmt,
        pairs=clusters.pairs,
        ceiling=ceiling,
        judge_stderr=None if clusters.judge_stderr is None else clusters.judge_stderr[order],
        epsilon=None if epsilon is None else epsilon[order],
        spa_error=measured.spa_error[order] if "spa" in names else None,
        chance=measured.chance,
        distance=tuple(find_distance(people_means, one) for one in means),
        people_means=people_means,
        metric_means=means,
        interval=interval,
        test=wishes.test,
        notes=tuple(notes),
        signature=_sign(aligned, wishes, names, tested=bool(clusters.pairs), judges=judges),
    )
    return note_excluded(result, gold.excluded)


def _count_steps(aligned: Aligned) -> tuple[Steps, Steps, list[Finding]]:
    """Return scores of people and metrics, and a note of those that merge; refuse overflow."""
    gold = aligned.gold
    given, items = ~np.isnan(gold.scores), gold.items
    if gold.votes is not None:
        given, items = ~np.isnan(aligned.values), gold.votes.items
    values, notes = np.where(given, aligned.values, np.nan), list[Finding]()
    people, metrics = Steps.count(gold.scores[None]), Steps.count(values)
    for names, scores, steps in (
        (("people",), gold.scores[None], people),
        (aligned.metrics, values, metrics),
    ):
        for m, k, s in np.argwhere(np.abs(steps.whole) > measures.FARTHEST).tolist():
            output = f"{gold.systems[k]} on {items[s]}" if items else gold.systems[k]
            raise InvalidJudgments(
                f"a score of {output} by {names[m]} is too far from the others: correct it, leave"
                " it out, or give logarithms of all scores"
            )
        for name, one, whole in zip(names, scores, steps.whole, strict=True):
            if merged := measures.find_merged(one, whole):
                pair = {"one": merged[0], "other": merged[1]}
                notes.append(say("scores-merged", "warning", who=name, **pair))
    return people, metrics, notes


def _note_pairs(gold: Gold, wishes: Wishes, values: Mapping[str, Array]) -> list[Finding]:
    """Say of how many items outputs are compared, and why pairs of scores were not looked at."""
    n = measures.count_segment_pairs(gold.scores, wishes.group)
    notes, several = [], int(((~np.isnan(gold.scores)).sum(axis=0) > 1).sum())
    of_segments = any(STATISTICS[name][0] == "segment" for name in values)
    if wishes.group == "item" and of_segments and several < len(gold.items):
        notes.append(say("single-outputs", kept=several, n=len(gold.items)))
    if gold.items and not wishes.statistics and n > measures.MAX_PAIRS:
        notes.append(say("too-many-pairs", n=n))
    elif n and "acc-eq" in values and np.isnan(values["acc-eq"]).all():
        notes.append(say("no-accuracy", what="document" if _is_by_document(gold) else "item"))
    return notes


def list_available(gold: Gold, group: str) -> tuple[list[str], Sequence[str]]:
    if gold.votes is not None:
        return ["preference", *OF_MEANS], UNASKED_OF_VOTES
    if not gold.items:
        return [*OF_MEANS], UNASKED_OF_SYSTEMS
    levels = [one for one in STATISTICS if one != "preference"]
    available = [one for one in levels if group == "item" or one != "acc-eq"]
    lacking = [] if measures.find_items(gold.scores).any() else ["spa"]
    if measures.count_segment_pairs(gold.scores, group) > measures.MAX_PAIRS:
        lacking += OF_SEGMENT_PAIRS
    return available, [one for one in UNASKED if one not in lacking]


def _sign(
    aligned: Aligned, wishes: Wishes, names: Sequence[str], *, tested: bool, judges: int | None
) -> str:
    gold = aligned.gold
    scores = np.ascontiguousarray(aligned.values).tobytes()
    negated = _list_negated(aligned)
    parts = [
        f"metrics against {gold.name}{' (lower is better)' if gold.lower else ''}",
        " ".join(names),
        *([f"group {wishes.group}"] * bool(gold.items)),
        *([f"spa {wishes.spa}"] * ("spa" in names)),
        *(["items by document"] * (_is_by_document(gold) and not OF_FOLDS.isdisjoint(names))),
        *([wishes.test] * tested),
        *(
            f"without {' '.join(one.values['metrics'])}"
            for one in aligned.notes
            if one.code == "metrics-excluded"
        ),
        *([f"lower {' '.join(negated)}"] if negated else []),
        f"seed {wishes.seed}",
    ]
    digest = sha256(gold.digest.encode() + scores).hexdigest()
    return write_signature(parts, gold.n, digest, judges=judges)


def _is_by_document(gold: Gold) -> bool:
    return len(np.unique(gold.documents)) < len(gold.documents)


def _list_negated(aligned: Aligned) -> list[str]:
    """Return the metrics of which lower is better, as was asked or by their names."""
    return [m for one in aligned.notes if one.code in NEGATED for m in one.values["metrics"]]


def _note_systems(
    aligned: Aligned, values: Mapping[str, Array], measured: Measured, constant: Flags
) -> list[Finding]:
    gold, metrics, negated, notes = aligned.gold, aligned.metrics, _list_negated(aligned), []
    references = [one for one in gold.systems if reads_human(one)]
    if references and len(references) < len(gold.systems):
        remedy = write_without("system", references)
        notes.append(say("references", systems=references, remedy=remedy))
    kept = int(measures.find_items(gold.scores).sum())
    whole = [name for name in OF_WHOLE_ITEMS if name in values]
    if gold.items and whole and kept < len(gold.items):
        titles = join_names([*map(name_statistic, whole)])
        titles += " uses" if len(whole) == 1 else " use"
        notes.append(say("incomplete", statistics=titles, kept=kept, n=len(gold.items)))
    # Of how many items or systems a correlation has no value, for the metric with the most
    for name, (lost, n) in () if constant.all() else measured.undefined.items():
        if most := int(lost[~constant].max()):
            metric = metrics[int(np.argmax(np.where(constant, -1, lost)))]
            told: dict[str, Any] = {"statistic": name_statistic(name), "metric": metric}
            notes.append(say("constant-groups", lost=most, n=n, **told))
    if len(gold.systems) >= MIN_SYSTEMS:
        r = measures.correlate_systems(measured.people, measured.metrics, "pearson")
        error = (len(gold.systems) - 1) ** -0.5  # of r between noise and people
        low = [one for one, value in zip(metrics, r.tolist(), strict=True) if value < -error]
        plain = [one for one in low if one not in negated]
        turned = [one for one in low if one in negated]
        if low and gold.lower is not None and len(low) == np.isfinite(r).sum():
            remedy = f"--better {'higher' if gold.lower else 'lower'}"
            if plain:
                remedy += f" or, if lower is better in the metrics, {write_names('--lower', plain)}"
            told = {"metrics": low, "gold": gold.name, "remedy": remedy}
            notes.append(say("gold-against", "warning", **told))
        elif low:
            remedy = write_names("--lower", plain)
            notes += [say("against", "warning", metrics=plain, remedy=remedy)] if plain else []
            notes += [say("negated-against", "warning", metrics=turned)] if turned else []
    if measured.chance is not None and "acc-eq" in values:
        at_chance = (values["acc-eq"] <= measured.chance) & ~constant
        low = [metrics[at] for at in np.flatnonzero(at_chance).tolist()]
        below = say("below-chance", "warning", metrics=low, chance=measured.chance)
        notes.append(below if low else say("chance", "info", chance=measured.chance))
    return notes


def _jackknife(without: Array) -> Array:
    """Return (M,) standard errors from (J, M) statistics without each judge."""
    j = len(without)
    return np.asarray(np.sqrt((j - 1) / j * ((without - without.mean(axis=0)) ** 2).sum(axis=0)))


def _leave_judges_out(
    study: Study, gold: Gold, name: str, measured: Measured, notes: list[Finding]
) -> Array | None:
    """Return (J, M) the first statistic without each judge; None where that says nothing."""
    panel = gold.panel
    if panel is None or panel.judges < MIN_JUDGES:
        notes.append(say("judges-as-given", "info", why="fewer than three are known"))
        return None
    only = replace(study, names=(name,))
    judged = study.judged
    parts = panel.leave_out((judged.shape[0], judged.shape[1]))
    if name == "spa":
        # an item is lost with one of its outputs; without many items p differ for that alone
        whole = int(judged.all(axis=0).sum())
        least = min(int(measures.find_items(one).sum()) for one in parts)
        if least < (1 - MAX_LOST / len(parts)) * whole:
            why = f"without one of them SPA would rest on {least:,} of {whole:,} items"
            notes.append(say("judges-as-given", why=why))
            return None
    found = []
    for people in parts:
        if np.isnan(people).all(axis=1).any():
            notes.append(say("judges-as-given", why="one judge alone scored a system"))
            return None
        steps = Steps.count(people[None])
        found.append(only.measure(steps, study.scores, measured.epsilons).values[name])
    without = np.array(found)
    if np.isnan(without).any():
        why = f"without one of them {name_statistic(name)} is not defined"
        notes.append(say("judges-as-given", why=why))
        return None
    return without


@dataclass(frozen=True)
class Clusters:
    pairs: tuple[MetricPair, ...]  # the better metric first
    # cluster of each metric, best first; None for those that were not tested, which are last
    ours: tuple[int | None, ...] | None
    wmt: tuple[int | None, ...] | None  # rank by the shared task's rule, likewise
    judge_stderr: Array | None = None  # (M,) of the first statistic


def _compare(
    study: Study,
    aligned: Aligned,
    wishes: Wishes,
    measured: Measured,
    preferences: Preferences | None,
    *,
    values: Array,
    constant: Flags,
    order: Any,
    notes: list[Finding],
) -> Clusters:
    """Test metrics by the first statistic; those that are not compared are last in order."""
    gold, metrics = aligned.gold, aligned.metrics
    name = study.names[0] if preferences is None else "preference"
    compared = np.flatnonzero(~np.isnan(values) & ~constant)
    undefined = [metrics[at] for at in np.flatnonzero(np.isnan(values) & ~constant).tolist()]
    if undefined:
        notes.append(say("undefined", metrics=undefined, statistic=name_statistic(name)))
    flipped = {items: p[compared] for items, p in study.flipped.items()}
    study = replace(study, scores=study.scores.take(compared), flipped=flipped)
    measured, judge_stderr, without = measured.take(compared), None, None
    if preferences is not None and preferences.judge is None:
        notes.append(say("judges-as-given", "info", why="fewer than five are known"))
    tested: Differences | Finding | None = None
    if len(compared) > 1:
        tested = study.require_systems(wishes.test)
        if tested is None and preferences is not None and gold.votes is not None:
            own, rng = preferences.take(compared), np.random.default_rng(wishes.seed)
            tested = compare_preferences(gold.votes, own, rng)
        elif tested is None:
            tested = study.compare(name, wishes.test, measured)
    if preferences is not None:
        shares = preferences.leave_judges_out()
        without = None if shares is None else shares[:, compared]
    elif gold.items and len(compared):
        without = _leave_judges_out(study, gold, name, measured, notes)
    if without is not None:
        judge_stderr = np.full(len(metrics), np.nan)
        judge_stderr[compared] = _jackknife(without)
    if not isinstance(tested, Differences):
        notes += [] if tested is None else [tested]
        return Clusters((), None, None, judge_stderr)
    places = np.searchsorted(compared, order[: len(compared)])
    found = _list_pairs(tested, places, [metrics[at] for at in compared.tolist()], without, notes)
    if wishes.test == "perm-both":
        notes.append(say("these-systems"))
    rest = (None,) * (len(metrics) - len(compared))
    ours, wmt = ((*(own or ()), *rest) for own in (found.ours, found.wmt))
    return replace(found, ours=ours, wmt=wmt, judge_stderr=judge_stderr)


def _list_pairs(
    differences: Differences,
    order: Any,
    metrics: Sequence[str],
    without: Array | None,
    notes: list[Finding],
) -> Clusters:
    m = len(metrics)
    i, j = np.triu_indices(m, 1)
    at = np.zeros((m, m), dtype=np.int64)
    at[i, j] = at[j, i] = np.arange(len(i))
    pairs, decided, upper = list[MetricPair](), np.zeros((m, m), dtype=bool), np.ones((m, m))
    doubtful = 0
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        one, other = int(order[a]), int(order[b])
        q, turned = int(at[one, other]), one < other
        p, adjusted = float(differences.p[q]), float(differences.adjusted[q])
        gap = (-1.0 if turned else 1.0) * float(differences.difference[q])
        upper[a, b] = float((differences.p_worse if turned else differences.p_better)[q])
        decided[a, b], error = adjusted <= ALPHA, None
        if without is not None:
            error = float(_jackknife((without[:, one] - without[:, other])[:, None])[0])
            sure = abs(gap) > t_quantile(1 - ALPHA / 2, len(without) - 1) * error
            doubtful += bool(decided[a, b] and not sure)
            decided[a, b] &= sure
        names = metrics[one], metrics[other]
        pairs.append(MetricPair(*names, gap, p, adjusted, error, bool(decided[a, b])))
    if doubtful:
        verbs = {"have": "has", "are": "is"} if doubtful == 1 else {"have": "have", "are": "are"}
        notes.append(say("judges-undecided", pairs=doubtful, **verbs))
    ours, wmt = cluster_decided(decided), cluster_greedily(upper)
    return Clusters(tuple(pairs), tuple(ours), tuple(wmt))


def _find_ceiling(study: Study, gold: Gold, notes: list[Finding]) -> dict[str, float | None]:
    """Return statistics of half of the judges with the other half, over some splits."""
    if gold.panel is None:
        return {}
    rng = np.random.default_rng(study.seed)
    found: dict[str, list[float]] = {}
    shape = gold.scores.shape[0], gold.scores.shape[1]
    judged, whole = int(study.judged.sum()), study.judged.all(axis=0).sum()
    for _ in range(HALVES):
        one, other = gold.panel.halve(shape, rng)
        both = ~np.isnan(one) & ~np.isnan(other)
        if both.sum() < MIN_HALVED * judged or not both.any(axis=1).all():
            notes.append(say("no-ceiling", "info"))
            return {}
        people, half = (Steps.count(np.where(both, each, np.nan)[None]) for each in (one, other))
        names = study.names
        if both.all(axis=0).sum() < MIN_HALVED * whole:
            names = tuple(name for name in names if name != "spa")
        halved = replace(study, names=names, flipped={})
        for name, value in halved.measure(people, half).values.items():
            found.setdefault(name, []).append(float(value[0]))
    return {name: write_plain(float(np.mean(one))) for name, one in found.items()}


def find_distance(people: Array, metric: Array) -> float | None:
    """Return from which difference on 95 % of pairs are in order; None where too few are."""
    apart, share, n = measures.order_by_distance(people, metric)
    enough = np.flatnonzero((share >= DISTANT) & (n >= MIN_DISTANT))
    return float(apart[enough[-1]]) if len(enough) else None
