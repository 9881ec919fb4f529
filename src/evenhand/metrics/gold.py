"""What metrics are compared with: people's scores of outputs, worths, or judged preferences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import advise_without
from evenhand.data.controls import leave_out_controls, take_pairs
from evenhand.data.engine import fetch_columns
from evenhand.data.exclusions import Exclusion, count_exclusions
from evenhand.data.groups import choose_criterion, group_ratings
from evenhand.data.joining import note_llm_names
from evenhand.data.labels import is_missing
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import (
    RatingRows,
    digest_ratings,
    find_document,
    name_document,
    reads_lower_of,
)
from evenhand.data.ratings import Ratings
from evenhand.data.references import reads_human
from evenhand.data.tables import BOUND_BY
from evenhand.data.votes import Votes, digest_votes, recode_systems, split_tasks, take_task
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    write_without,
    write_word,
)
from evenhand.metrics.scores import (
    MetricScores,
    average_cells,
    count_documents,
    refuse_documents,
)
from evenhand.metrics.statistics import Steps, average_systems
from evenhand.metrics.texts import say
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking
from evenhand.render.document import Finding, plural, take_findings

MAX_ITEMS_ADVISED: Final = 20  # Named in a condition that excludes them
# Columns that Google's MQM files become: the number in the test set, and in the document
GLOBAL_SEGMENT: Final = "global_segment"
PLACE_IN_DOCUMENT: Final = "doc_id"
PREFIX: Final = re.compile(r"\w+[./:]")  # Before the name of a system: wmt23.ONLINE-A
MAX_JUDGES: Final = 50  # Groups of judges, each left out once, where there are more judges


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores by judges, (n,) each; higher is better."""

    judge: Integers
    system: Integers
    item: Integers
    score: Array

    @property
    def judges(self) -> int:
        return len(np.unique(self.judge))

    def average(self, kept: Any, shape: tuple[int, int]) -> Array:
        cell = self.system[kept] * shape[1] + self.item[kept]
        n = np.bincount(cell, minlength=shape[0] * shape[1])
        sums = np.bincount(cell, self.score[kept], shape[0] * shape[1])
        return np.where(n > 0, sums / np.maximum(n, 1), np.nan).reshape(shape)

    def leave_out(self, shape: tuple[int, int]) -> list[Array]:
        """Return (K, S) means without each judge, or group of judges."""
        codes = number_groups(self.judge) % MAX_JUDGES
        return [self.average(codes != one, shape) for one in np.unique(codes)]

    def halve(self, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Array, Array]:
        """Return (K, S) means of two halves: each output's judges are split at random.

        Judges of several systems on an item are split alike for all of them.
        """
        pair = number_groups(self.item, self.judge)
        key = rng.random(int(pair.max(initial=0)) + 1)[pair]
        cell = number_groups(self.item, self.system)
        order = np.lexsort((key, cell))
        start = np.concatenate([[True], np.diff(cell[order]) != 0])
        place = np.arange(len(order)) - np.flatnonzero(start)[np.cumsum(start) - 1]
        turn = rng.integers(0, 2, shape[1])[self.item[order]]
        half = np.empty(len(order), dtype=np.int64)
        half[order] = (place + turn) % 2
        return self.average(half == 0, shape), self.average(half == 1, shape)


@dataclass(frozen=True, eq=False)
class Gold:
    """What people said, of one task under one criterion."""

    name: str  # of the criterion, or of what made worths
    systems: tuple[str, ...]
    items: tuple[str, ...]  # () where only systems have scores
    scores: Array  # (K, S), NaN where nobody judged; (K, 1) without items
    documents: Integers  # (S,) number of each item's document; of votes' items where there are
    n: float  # judgments
    digest: str
    panel: Panel | None = None  # None where judges are not known
    votes: Votes | None = None  # of comparisons, with their items
    notes: tuple[Finding, ...] = ()
    lower: bool | None = None  # of ratings, whether lower scores were better
    counts: Integers | None = None  # (K,) judgments of each system, of ratings
    excluded: tuple[Exclusion, ...] = ()
    task: str = ""  # "" where none has a name
    # item → its number in the whole test set, as Google's MQM has it; {} where none is known
    numbers: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()  # systems that were excluded on request
    # names of items → the options that exclude them; None where items have no column
    advise: Callable[[Sequence[str]], str] | None = None

    def take_systems(self, kept: Sequence[int]) -> Gold:
        names = tuple(self.systems[at] for at in kept)
        place = np.full(len(self.systems), -1)
        place[[*kept]] = np.arange(len(kept))
        panel, votes, n = self.panel, self.votes, self.n
        counts = None if self.counts is None else self.counts[[*kept]]
        if panel is not None:
            rows = place[panel.system] >= 0
            panel = Panel(
                panel.judge[rows], place[panel.system[rows]], panel.item[rows], panel.score[rows]
            )
        if counts is not None:
            n = float(counts.sum())
        if votes is not None:
            known = (place[votes.left] >= 0) & (place[votes.right] >= 0)
            votes = recode_systems(votes.take(known), names)
            n = float(votes.size)
        lost = [name for name in self.systems if name not in names]
        why = "human references that not all metrics scored"
        excluded = Exclusion(
            *("systems", why, self.n - n, self.n),
            systems=len(lost),
            of_systems=len(self.systems),
            system_names=tuple(lost),
            unit="judgment",
        )
        return replace(
            self,
            systems=names,
            scores=self.scores[[*kept]],
            n=n,
            digest=f"{self.digest} {names}",
            panel=panel,
            votes=votes,
            counts=counts,
            excluded=(excluded,),
        )


def make_golds(
    data: Any, *, criterion: str | None, lower_is_better: bool | None, model: Any
) -> dict[str, Gold]:
    """Return what people said, by task and criterion; "" where there is one."""
    if isinstance(data, Ranking):
        return {"": _take_ranking(data)}
    if isinstance(data, Ratings):
        if model is not None:
            raise UnknownOption("ratings need no model here: leave it out")
        rows = leave_out_controls(choose_criterion(data, criterion)).rows()
        if not rows.size:
            raise NotIdentified("there are no scores of people", ["collect some"])
        parts, numbers = group_ratings(rows), _number_segments(data)
        return {
            name: replace(
                _take_ratings(part, lower_is_better=lower_is_better),
                task=rows.tasks[int(part.task[0])],
                numbers=numbers,
                left_out=_list_left_out(data),
                advise=_advise_on(data, rows.tasks, rows.tasks[int(part.task[0])]),
            )
            for name, part in parts.items()
        }
    if not isinstance(data, Comparisons | Rankings):
        raise InvalidJudgments(
            "metrics are compared with ratings, comparisons or rankings, not with"
            f" {type(data).__name__}"
        )
    if criterion is not None or lower_is_better is not None:
        raise UnknownOption(
            "criteria and the direction of scores apply to ratings only: leave them out"
        )
    pairs = take_pairs(data)
    try:
        ranking = rank(pairs, model=model, interval=None if model is not None else "model")
    except NotIdentified as refusal:
        remedies = [*refusal.without_options().remedies]
        remedies += ["pass --model bradley-terry-prior"] if model is None else []
        raise NotIdentified(refusal.cause, remedies, refusal.leave, refusal.about) from None
    parts_of = {"": ranking} if isinstance(ranking, Ranking) else ranking.groups
    votes = pairs.votes()
    asked = note_llm_names(votes.judges, pairs.columns)
    tasks, documents = split_tasks(votes), _find_documents(pairs, votes)
    golds = {}
    for name, one in parts_of.items():
        rows_of = tasks.get(name)
        part = votes if rows_of is None or len(parts_of) == 1 else take_task(votes, rows_of)
        gold = _take_ranking(one)
        known = np.isin(part.systems, gold.systems)
        part = part.take(known[part.left] & known[part.right])
        golds[name] = replace(
            gold,
            votes=None if part.items == ("",) else recode_systems(part, gold.systems),
            n=float(part.size),
            digest=digest_votes(part),
            notes=asked,
            advise=_advise_on(pairs, [*parts_of], name),
            task=name or (next(iter(tasks)) if len(tasks) == 1 else ""),
            documents=documents,
            left_out=_list_left_out(pairs),
        )
    return golds


def _list_left_out(data: Comparisons | Ratings) -> frozenset[str]:
    """Return the systems of which nothing is left after what was asked to be excluded."""
    asked = count_exclusions(data.source.exclusions)
    return frozenset(name for one in asked for name in one.system_names)


def _label_items(data: Comparisons | Ratings, column: str) -> dict[str, list[str]]:
    """Return item → what a column says of it, where it says something; more than once in error."""
    names = [name for name in ("task", "item") if data.has(name)]
    columns = fetch_columns(data.frame.select(*names, column).unique())
    cells = zip(*(columns[name].tolist() for name in names), strict=True)
    labels: dict[str, list[str]] = {}
    for row, one in zip(cells, columns[column].tolist(), strict=True):
        if one is not None and not is_missing(str(one)):
            labels.setdefault(BOUND_BY.join(map(str, row)), []).append(str(one))
    return labels


def _find_documents(pairs: Comparisons, votes: Votes) -> Integers:
    document = find_document(pairs.columns)
    if document is None or not pairs.has("item"):
        return np.arange(len(votes.items))
    of = {
        name: [*dict.fromkeys(map(name_document, labels))]
        for name, labels in _label_items(pairs, document).items()
    }
    for item in sorted(name for name, labels in of.items() if len(labels) > 1):
        raise refuse_documents(item, of[item])
    known = [("document", of[name][0]) if name in of else ("item", name) for name in votes.items]
    codes = {one: at for at, one in enumerate(dict.fromkeys(known))}
    return np.array([codes[one] for one in known])


def _number_segments(data: Ratings) -> dict[str, str]:
    """Return item → its number in the test set, from columns that Google's files of MQM become.

    Without a column of these numbers seg_id, which is behind the document in an item's name, counts
    through the test set where it is ahead of the place in the document, by more or less in each.
    """
    if data.has(GLOBAL_SEGMENT):
        return {name: labels[0] for name, labels in _label_items(data, GLOBAL_SEGMENT).items()}
    if not data.has(PLACE_IN_DOCUMENT) or not data.has("item"):
        return {}
    places = _label_items(data, PLACE_IN_DOCUMENT)
    numbers, ahead = dict[str, str](), dict[str, set[int]]()
    for name, labels in places.items():
        document, _, numbers[name] = name.rpartition(":")
        if not all(one.isdecimal() for one in (numbers[name], *labels)):
            return {}
        ahead.setdefault(document, set()).update(int(numbers[name]) - int(one) for one in labels)
    through = len({*chain(*ahead.values())}) == sum(map(len, ahead.values())) == len(ahead) > 1
    return numbers if through else {}


def _advise_on(
    data: Comparisons | Ratings, tasks: Sequence[str], task: str
) -> Callable[[Sequence[str]], str] | None:
    """Return what says how to exclude items of a task, one of those of a table."""
    if "item" not in data.source.columns:
        return None

    def advise(items: Sequence[str]) -> str:
        own = [name.removeprefix(f"{task} / ") if task else name for name in items]
        condition = advise_without(data.frame, {data.source.named("item"): own})
        return f"--task {write_word(task)} {condition}" if len(tasks) > 1 else condition

    return advise


def _take_ranking(ranking: Ranking) -> Gold:
    sign = -1.0 if ranking.lower_is_better else 1.0
    scores = sign * np.asarray(ranking.estimate, dtype=np.float64)[:, None]
    name = f"{ranking.scale} ({ranking.model})"
    n, digest = float(ranking.n_judgments), ranking.signature
    return Gold(name, ranking.systems, (), scores, np.zeros(1, dtype=np.int64), n, digest)


def _take_ratings(rows: RatingRows, *, lower_is_better: bool | None) -> Gold:
    lower = reads_lower_of(rows) if lower_is_better is None else lower_is_better
    name = rows.criteria[int(rows.criterion[0])] or "scores"
    asked = [one for one in take_findings(rows.notes) if one.code == "named-like-llms"]
    notes = (*asked, *([say("gold-negated", criterion=name)] if lower else []))
    systems, system = np.unique(rows.system, return_inverse=True)
    items, item = np.unique(rows.item, return_inverse=True)
    score = -rows.score if lower else rows.score
    document = find_document(rows.factors)
    documents = number_groups(np.asarray(count_documents(rows, document))[items])
    panel = Panel(rows.judge.astype(np.int64), system, item, score)
    shape = len(systems), len(items)
    named = rows.items != ("",)
    return Gold(
        name,
        tuple(rows.systems[at] for at in systems.tolist()),
        tuple(rows.items[at] for at in items.tolist()) if named else (),
        panel.average(slice(None), shape),
        documents,
        float(rows.size),
        digest_ratings(rows),
        panel if rows.judges != ("",) and named else None,
        notes=notes,
        lower=lower,
        counts=np.bincount(system, minlength=len(systems)),
    )


def score_other_criteria(data: Ratings, criterion: str) -> MetricScores:
    """Return the other criteria of a table as scores to compare: second protocols, metrics."""
    rows = leave_out_controls(data).rows()
    if criterion not in rows.criteria:
        choose_criterion(data, criterion)  # refuses it
    values = average_cells(rows)[0]
    kept = [at for at, one in enumerate(rows.criteria) if one != criterion]
    lower = [at for at in kept if reads_lower_of(rows.take(rows.criterion == at))]
    values[lower] *= -1
    metrics = tuple(rows.criteria[at] for at in kept)
    notes = [say("metrics-read", "read", metrics=metrics, file=data.source.name)]
    negated = [rows.criteria[at] for at in lower]
    notes += [say("metric-negated", metrics=negated)] if negated else []
    return MetricScores(
        metrics, rows.systems, rows.items, values[kept], tuple(notes), tuple(negated)
    )


# People's outputs and metrics' scores, on the same systems and items.


@dataclass(frozen=True, eq=False)
class Aligned:
    gold: Gold
    metrics: tuple[str, ...]
    values: Array  # (M, K, S), or (M, K, 1) of systems alone
    notes: tuple[Finding, ...]


def align(gold: Gold, scores: MetricScores) -> Aligned:
    """Find the scores of the outputs that people judged; refuse where some lack."""
    if gold.votes is None and np.nanmin(gold.scores) == np.nanmax(gold.scores):
        raise NotIdentified(
            f"people gave all outputs the same score ({gold.name})",
            ["collect scores that tell outputs apart"],
        )
    if gold.task and scores.tasks and gold.task not in scores.tasks:
        raise InvalidJudgments(
            f"people judged task {gold.task}, and metrics scored {listing(scores.tasks, 3)}: add"
            " scores, or give tasks the same names"
        )
    notes = [*gold.notes, *scores.notes, *scores.list_unread()]
    scores = _match_systems(gold, scores, notes)
    kept = _list_scored(gold, scores)
    known = {name: at for at, name in enumerate(scores.systems)}
    scored = ~np.isnan(scores.values)
    told = {*gold.systems, *gold.left_out}
    others = [n for n in known if n not in told and scored[:, known[n]].any()]
    if others:
        notes.append(say("unjudged-systems", n=len(others), systems=others))
    if len(kept) < len(gold.systems):
        gold = gold.take_systems(kept)
    systems = [known[name] for name in gold.systems]
    if not gold.items or scores.items == ("",):
        return _align_systems(gold, scores, systems, notes)
    places = _match_items(gold, scores, notes)
    missing = [name for name, at in zip(gold.items, places, strict=True) if at < 0]
    judged = ~np.isnan(gold.scores)
    if len(missing) == len(places):
        raise _refuse_names(gold.items, scores)
    if missing:
        used = {*places.tolist()}
        others = [name for at, name in enumerate(scores.items) if at not in used]
        same = ". Add them, or"
        if others:
            same = (
                f"; scores name {listing(others, 3)}, which people did not judge. Give items the"
                " same names, add scores, or"
            )
        have = "has" if len(missing) == 1 else "have"
        raise InvalidJudgments(
            f"{len(missing):,} of the {len(places):,} items that people judged {have} no scores of"
            f" metrics: {listing(missing, 3)}{same} {_exclude_items(gold, missing)}"
        )
    values = scores.values[:, systems][:, :, places]
    unscored = np.isnan(values) & judged
    if unscored.any():
        metrics = [n for n, lacks in zip(scores.metrics, unscored, strict=True) if lacks.any()]
        which, metric = np.argwhere(unscored.any(axis=0)).tolist(), unscored.argmax(axis=0)
        named = [
            f"{scores.metrics[metric[k, s]]} of {gold.systems[k]} on {gold.items[s]}"
            for k, s in which
        ]
        lost = [gold.items[at] for at in sorted({s for _, s in which})]
        raise InvalidJudgments(
            f"{plural(len(which), 'output')} that people judged, without a score:"
            f" {listing(named, 3)}{scores.describe_unread()}. Add scores, or"
            f" {_exclude_items(gold, lost)}{_exclude_metrics(scores, metrics)}"
        )
    n = int(scored.any(axis=0).sum() - judged.sum())
    if n > 0:
        notes.append(say("unjudged", "info", n=n))
    values = np.where(judged, values, 0.0)
    return Aligned(gold, scores.metrics, values, tuple(notes))


def _list_scored(gold: Gold, scores: MetricScores) -> list[int]:
    """Return the places of systems with scores of all metrics; only human references may lack."""
    known = {name: at for at, name in enumerate(scores.systems)}
    lacking = [name for name in gold.systems if name not in known]
    scored = ~np.isnan(scores.values)
    lacking += [n for n in gold.systems if n in known and not scored[:, known[n]].all(axis=0).any()]
    kept = [at for at, name in enumerate(gold.systems) if name not in lacking]
    if not kept and {*gold.systems} <= {*known} and scored.any(axis=(1, 2)).all():
        raise InvalidJudgments(
            f"no output has scores of all metrics ({listing(scores.metrics, 3)}): give items the"
            " same names in all files, or compare them in several runs"
        )
    if len(gold.systems) == 1:
        raise InvalidJudgments(
            f"people judged one system, {gold.systems[0]}, and metrics are compared over systems:"
            " two or more are needed"
        )
    if len(kept) < 2:
        raise InvalidJudgments(
            f"people judged {listing(gold.systems, 3)} and metrics scored"
            f" {listing(scores.systems, 3)}: two systems need scores of both, by the same names"
        )
    references = [name for name in lacking if reads_human(name)]
    if len(references) < len(lacking):
        names = [name for name in lacking if name not in references]
        who, rows = list(scores.metrics), scores.values[:, known.get(names[0], 0)]
        if names[0] in known:
            who = [one for one, row in zip(who, rows, strict=True) if np.isnan(row).all()]
        others = [name for name in scores.systems if name not in gold.systems]
        same = f"; scores name {listing(others, 3)}, which people did not judge" if others else ""
        raise InvalidJudgments(
            f"{listing(who, 3)} {'has' if len(who) == 1 else 'have'} no score of {listing(names)},"
            " which people judged"
            f"{scores.describe_unread()}{same}:"
            f" {'give systems the same names, ' if others else ''}add them, or leave them out"
            f" ({write_without('system', names)})"
        )
    return kept


def _refuse_names(items: Sequence[str], scores: MetricScores) -> InvalidJudgments:
    bare = ({one.removesuffix(".0") for one in names} for names in (scores.items, items))
    remedy = "give them the same names" if set.isdisjoint(*bare) else "write 1, not 1.0"
    return InvalidJudgments(
        f"items have other names in the scores ({listing(scores.items, 3)}) than where people"
        f" judged ({listing(items, 3)}): {remedy}"
    )


def _exclude_items(gold: Gold, items: Sequence[str]) -> str:
    """Return how to exclude items, in a sentence; many are no list to copy."""
    which = "item" if len(items) == 1 else "items"
    if gold.advise is None or len(items) > MAX_ITEMS_ADVISED or len(items) == len(gold.items):
        return f"exclude the {which} (--where)"
    return f"exclude the {which}: {gold.advise(items)}"


def _exclude_metrics(scores: MetricScores, metrics: Sequence[str]) -> str:
    """Return how to exclude metrics, in a sentence; nothing where no other is left."""
    which = "metric" if len(metrics) == 1 else "metrics"
    several = len(metrics) < len(scores.metrics)
    return f"; or the {which}: {write_without('metric', metrics)}" if several else ""


def _match_systems(gold: Gold, scores: MetricScores, notes: list[Finding]) -> MetricScores:
    """Give systems people's names where one of the two has a prefix, as wmt23.ONLINE-A."""
    if not {*gold.systems}.isdisjoint(scores.systems):
        return scores
    for names, others, where in (
        (gold.systems, scores.systems, gold.name),
        (scores.systems, gold.systems, "scores of metrics"),
    ):
        prefix = PREFIX.match(names[0]) if names else None
        if prefix is None or not all(one.startswith(prefix[0]) for one in names):
            continue
        bare = {one.removeprefix(prefix[0]): one for one in names}
        if bare.keys().isdisjoint(others):
            continue
        notes.append(say("prefixed", prefix=prefix[0], where=where))
        if names is gold.systems:
            return replace(scores, systems=tuple(bare.get(one, one) for one in others))
        return replace(scores, systems=tuple(one.removeprefix(prefix[0]) for one in names))
    return scores


def _match_items(gold: Gold, scores: MetricScores, notes: list[Finding]) -> Integers:
    place = {name: at for at, name in enumerate(scores.items)}
    found = np.array([place.get(name, -1) for name in gold.items])
    if (found >= 0).any():
        return found
    # one of the two has tasks before the names of items, "en-de / 17"
    bare = [name.rpartition(" / ")[2] for name in gold.items]
    shorter = {name.rpartition(" / ")[2]: at for at, name in enumerate(scores.items)}
    if len(shorter) == len(scores.items) and len({*bare}) == len(bare):
        matched = np.array([shorter.get(name, -1) for name in bare])
        if (matched >= 0).any():
            return matched
    # people's items have names, and metrics count the segments of the test set
    numbers = [gold.numbers.get(name, "") for name in gold.items]
    if all(one in place for one in numbers) and len({*numbers}) == len(numbers):
        notes.append(say("numbered", "read", item=gold.items[0], number=numbers[0]))
        return np.array([place[one] for one in numbers])
    return found


def _align_systems(
    gold: Gold, scores: MetricScores, systems: Sequence[int], notes: list[Finding]
) -> Aligned:
    values = scores.values[:, systems]  # (M, K, S)
    given = ~np.isnan(values)
    n = given.sum(axis=2)
    if gold.votes is not None and scores.items != ("",):
        return _align_votes(gold, gold.votes, scores, values, notes=notes)
    # (M, 1, S) items of which a metric scored any output
    there: Any = given.any(axis=1, keepdims=True)
    uneven: Any = (given != there).any(axis=2)
    if uneven.any():
        m, k = np.argwhere(uneven)[0].tolist()
        which = [
            name for name, lacks in zip(gold.systems, uneven[m].tolist(), strict=True) if lacks
        ]
        raise InvalidJudgments(
            f"{scores.metrics[m]} has scores of {gold.systems[k]} on {int(n[m, k]):,} of"
            f" {int(there[m].sum()):,} items, and means are compared: add the others, or leave out"
            f" {listing(which)} ({write_without('system', which)})"
        )
    people, means = (
        steps.restore(average_systems(~np.isnan(one), steps))
        for one in (gold.scores[None], values)
        for steps in [Steps.count(one)]
    )
    whole = replace(
        gold,
        items=(),
        scores=people[0, :, None],
        documents=np.zeros(1, dtype=np.int64),
        panel=None,
        votes=None,
    )
    return Aligned(whole, scores.metrics, means[:, :, None], tuple(notes))


def _align_votes(
    gold: Gold, votes: Votes, scores: MetricScores, values: Array, *, notes: list[Finding]
) -> Aligned:
    """Keep the items that people compared outputs of; each compared output needs its score."""
    items = np.unique(votes.item)
    names = tuple(votes.items[at] for at in items.tolist())
    compared = replace(gold, items=names)
    places = _match_items(compared, scores, notes)
    if (places < 0).all():
        raise _refuse_names(names, scores)
    item = np.searchsorted(items, votes.item).astype(np.int32)
    at = places[item]
    lost = (at < 0) | np.isnan(values[:, votes.left, np.maximum(at, 0)])  # (M, n)
    lost |= np.isnan(values[:, votes.right, np.maximum(at, 0)])
    lacking: Flags = np.asarray(lost.any(axis=0))
    if lacking.any():
        some = [*dict.fromkeys(names[one] for one in item[lacking].tolist())]
        metrics = [n for n, each in zip(scores.metrics, lost, strict=True) if each.any()]
        raise InvalidJudgments(
            f"{int(lacking.sum()):,} of {len(lacking):,} comparisons are of outputs without the"
            f" score of {listing(metrics, 3)} (items: {listing(some, 3)})"
            f"{scores.describe_unread()}. Add the scores, or {_exclude_items(gold, some)}"
            f"{_exclude_metrics(scores, metrics)}"
        )
    taken = replace(votes, items=names, item=item)
    gold = replace(gold, items=(), votes=taken, documents=gold.documents[items])
    return Aligned(gold, scores.metrics, values[:, :, places], tuple(notes))
