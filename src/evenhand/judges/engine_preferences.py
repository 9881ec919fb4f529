"""Whether an engine counts what agreement of comparisons needs, or rows must be fetched; and why.

Coefficients on output pairs are made of how often each answer was given, as those of ratings are;
κ of preferences of pairs of votes, of judges with themselves too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.annotations import find_aside_columns, note_names
from evenhand.data.checks import is_name, read_weights
from evenhand.data.coding import name_levels
from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import mark
from evenhand.data.engine import COUNT, Columns, Frame, fetch_columns, one_thread
from evenhand.data.exclusions import say_unweighted
from evenhand.data.labels import read_outcome
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET, Scale
from evenhand.data.tables import restore_places
from evenhand.errors import NotIdentified
from evenhand.judges.agreement_intervals import MAX_CLUSTERS, MIN_CLUSTERS
from evenhand.judges.agreement_table import AgreementTable
from evenhand.judges.counts import check_exact
from evenhand.judges.engine_rows import (
    KIND,
    ODD_LABELS,
    TURNED,
    Coded,
    NeedsRows,
    PairNames,
    Targets,
    add_kind,
    add_places,
    check_beside,
    check_names,
    classify_rows,
    clear_moments,
    code_targets,
    count_left,
    find_systems,
    name_answers,
    note_rows,
)
from evenhand.judges.engine_units import (
    CLUSTER,
    Rows,
    check_request,
    count_different,
    count_scores,
    find_cluster,
    find_few,
    list_parts,
    name_parts,
)
from evenhand.judges.preferences import ANSWERS, FORCED, PreferenceAgreement, check_order
from evenhand.judges.tabulation import (
    BETWEEN,
    KAPPAS,
    NO_TARGETS,
    Counted,
    Key,
    Request,
    add_kappas,
    choose_kappas,
    describe_kappa,
    note_answers,
    tabulate_scores,
)
from evenhand.judges.units import Coefficient, Points

# Which rows of comparisons on an engine are votes that count, found out without fetching them.
#
# Two queries tell what there is: which systems; which words for outcomes, and kinds. Then a vote is
# an answer about a pair of systems, whichever stood left: +1 for the one that is first by name, 0
# for neither, −1 for the other. The rules are those of who reads row by row; what is odd is left to
# that reading, which says what it is.

LABELS: Final = ("task", "judge", "item", "criterion")
_ANSWERS, _VOTES = "evenhand_answers", "evenhand_votes"
_SAME: Final = "evenhand_same"
_MEANT: Final = {"left": 1, "tie": 0, "right": -1}
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Answers:
    # task → the answers that can be given; of all tasks under "". Tasks of controls and repeats
    # alone have none.
    scales: Mapping[str, Scale]
    known: bool  # whether left really stood first
    ranked: Mapping[str, bool]  # task → whether several rows are one answer; of all tasks under ""
    tasks: tuple[str, ...]  # of all rows, sorted; those without targets among them
    copied: bool  # whether some row stands for several votes


@dataclass(frozen=True, eq=False)
class FoundVotes:
    every: Targets  # all rows, controls among them, by which labels are numbered
    votes: Targets  # those that are no controls; repeats are among them
    targets: Targets  # those that are neither
    answers: Answers  # what is known of them as a whole


def find_votes(data: Comparisons) -> FoundVotes:
    # where pairs of rankings stood, where the engine tells first answers by it
    duckdb = data.frame.implementation.is_duckdb()
    weighing = read_weights(restore_places(data) if duckdb else data)
    labels = [name for name in LABELS if data.has(name)]
    table, placed = add_places(weighing.frame)
    frame = name_levels(data, [*labels, "left", "right", "outcome"], table)
    beside = find_aside_columns(data.source, frame, scores=False)
    timed = check_beside(data, frame, beside.annotations)
    frame = add_kind(beside.add_to(frame), beside.annotations)
    # rows and votes by task, outcome and kind, and rows of one system on both sides
    names = [*(["task"] if data.has("task") else []), "outcome", KIND]
    n_votes = nw.len() if weighing.column is None else nw.col(weighing.column).sum()
    same = frame.with_columns(mark(nw.col("left") == nw.col("right")).alias(_SAME))
    sums = nw.len().alias(COUNT), n_votes.alias(_VOTES), nw.col(_SAME).sum()
    groups = fetch_columns(same.group_by(*names).agg(*sums))
    check_exact([groups[_VOTES]], "votes")
    # what each word for an outcome means: 1 for left, 0 for a tie, −1 for right
    words = set(groups["outcome"].tolist())
    outcomes = {word: read_outcome(word, data.outcome_labels) for word in words if is_name(word)}
    if not words or groups[_SAME].any() or len(outcomes) < len(words) or None in outcomes.values():
        raise NeedsRows(ODD_LABELS)
    meaning = {word: _MEANT[side] for word, side in outcomes.items() if side is not None}
    kinds = classify_rows(groups[KIND])
    means = np.array([kinds[text] for text in groups[KIND].tolist()])
    answers = Answers(
        scales=_choose_scales(groups, means, meaning),
        known=data.positions_known,
        ranked=_find_ranked(data, weighing.frame),
        tasks=tuple(sorted(set(groups["task"].tolist()))) if "task" in groups else (),
        copied=bool((groups[_VOTES] > groups[COUNT]).any()),
    )
    systems = find_systems(frame)
    points = np.array(answers.scales[""].points)
    notes = [*note_names(beside.annotations)]
    notes += note_rows((int(groups[COUNT].sum()), 0), groups, data, frame)
    if weighing.zero:
        notes.append(say_unweighted(weighing.zero))
    named = name_answers(data, frame, systems, meaning)
    every = Targets(
        frame=clear_moments(named) if timed else named,
        connection=data.source.connection,
        labels=(*labels, "system"),
        points=points,
        checked=points,
        left=count_left({**groups, COUNT: groups[_VOTES]}, means),
        rows=int(groups[_VOTES].sum()),
        timed=timed,
        notes=tuple(notes),
        numbered={"system": PairNames(systems)},
        placed=placed,
        weight=weighing.column,
        distances=False,
        apart=len(answers.tasks) > 1,
    )

    def keep(*chosen: int) -> Targets:
        texts = sorted(text for text, kind in kinds.items() if kind in chosen)
        if len(texts) == len(kinds):
            return every
        return replace(every, frame=every.frame.filter(nw.col(KIND).is_in(texts)))

    return FoundVotes(every, keep(TARGET, REPEAT), keep(TARGET), answers)


def _choose_scales(
    groups: Columns, means: Integers, meaning: Mapping[str, int]
) -> dict[str, Scale]:
    """Return the answers that can be given in every task, and in all: ties if one occurs."""
    ties = np.array([meaning[one] == 0 for one in groups["outcome"].tolist()])
    tasks = groups["task"] if "task" in groups else np.full(len(ties), "", dtype=object)
    scales = {}
    for name in ("", *sorted(set(tasks.tolist()) - {""})):
        of_task = tasks == name if name else np.ones(len(ties), dtype=np.bool_)
        targets = (means[of_task] == TARGET).any()
        if not name and not targets:
            raise NeedsRows("rows that are all controls or repeats are refused as they are read")
        if targets:
            scales[name] = ANSWERS if (ties & of_task & (means != CONTROL)).any() else FORCED
    return scales


def _find_ranked(data: Comparisons, frame: Frame) -> dict[str, bool]:
    """Say of every task whether several rows are one answer, such as a ranking."""
    if not data.has("ranking"):
        return {}
    tasks = ["task"] if data.has("task") else []
    frame = name_levels(data, [*tasks, "ranking"], frame).select(*tasks, "ranking")
    check_names(frame, "ranking")
    answers = frame.group_by(*tasks, "ranking").agg(nw.len().alias(COUNT))
    sums = nw.col(COUNT).sum(), nw.len().alias(_ANSWERS)
    counts = fetch_columns(answers.group_by(*tasks).agg(*sums) if tasks else answers.select(*sums))
    several = counts[_ANSWERS].astype(np.int64) < counts[COUNT].astype(np.int64)
    by_task = zip(counts["task"].tolist(), several.tolist(), strict=True) if tasks else ()
    return {**dict(by_task), "": bool(several.any())}


# What κ of preferences is made of, counted by the engine that holds the votes.
#
# Votes become answers (what a judge said of an output pair, by which output stood left), answers
# output pairs, and these sums by level and cluster of items: agreeing and comparable pairs of
# votes, of different judges, of one judge, in the same order and in exchanged ones. Where nobody
# was asked anything again, votes become output pairs at once. Whole numbers are summed throughout;
# pairs are counted twice, and halved here.

# The κ whose chance is taken from comparisons around those that were asked again
AROUND: Final = "kappa-wmt-intra"
MIXED: Final = "kappa-wmt"  # The κ between judges that counts pairs of one judge's votes too
_SIDES: Final = (0, 1)
_SAID: Final = (-1, 0, 1)
_SUMS: Final = ("agree", "comparable", "units", "votes")
_OWN: Final = ("evenhand_own_agree", "evenhand_own_comparable")
_MIXED: Final = "evenhand_mixed"
_TIES, _ITEMS, _TWICE = "evenhand_ties", "evenhand_items", "evenhand_twice"


@dataclass(frozen=True, eq=False)
class VoteSums:
    found: Columns  # columns of sums
    scores: Coded  # the votes
    names: tuple[str, ...]  # which κ they are of
    items: int  # number of items
    seed: int  # of the clusters that items are put together into
    again: bool  # whether somebody was asked something again


def fetch_votes(scores: Coded, names: Sequence[str], seed: int, *, again: bool) -> VoteSums:
    levels = [name for name in ("task", "criterion") if name in scores.targets.labels]
    items = int(fetch_columns(scores.items.select(nw.len().alias(COUNT)))[COUNT][0])
    added = {COUNT: _total(), _TIES: _given_all()[_SAID.index(0)]}
    added |= {one: expression for name in names for one, expression in _compare(name).items()}
    pairs = _sum_pairs(scores, levels) if again else _sum_single(scores, levels)
    pairs = pairs.with_columns(
        find_cluster(items, seed).alias(CLUSTER),
        *(expression.alias(one) for one, expression in added.items()),
    )
    groups = pairs.group_by(*levels, CLUSTER).agg(*(nw.col(one).sum() for one in added))
    columns = fetch_columns(groups)
    check_exact((columns[one] for one in added), "pairs of votes")
    return VoteSums(columns, scores, tuple(names), items, seed, again)


def split_kappas(sums: VoteSums, by: Sequence[str]) -> dict[Key, dict[str, PreferenceAgreement]]:
    near = _fetch_around(sums, by) if AROUND in sums.names and sums.again else {}
    parts = {}
    for key, rows in _list_rows(sums.found, by, sums.scores).items():
        columns = {name: column[rows] for name, column in sums.found.items()}
        parts[key] = {
            name: _read(columns, name, near.get(key) if name == AROUND else None)
            for name in sums.names
        }
    few = any(
        len(one.by_item) < MIN_CLUSTERS for kappas in parts.values() for one in kappas.values()
    )
    if sums.items <= MAX_CLUSTERS["item"] or not few:
        return parts
    # items, where they were put together and some part has few clusters
    items = count_different(sums.scores.frame([*by, "item"]), "item", by, sums.scores)
    return {
        key: {
            name: replace(one, items=items[key]) if one.items is None else one
            for name, one in kappas.items()
        }
        for key, kappas in parts.items()
    }


def _list_rows(columns: Columns, by: Sequence[str], scores: Coded) -> dict[Key, list[int]]:
    rows: dict[Key, list[int]] = {}
    for at, key in enumerate(name_parts(columns, by, scores)):
        rows.setdefault(key, []).append(at)
    return rows


def _read(columns: Columns, name: str, near: Columns | None) -> PreferenceAgreement:
    mode, among, order, _ = KAPPAS[name]
    cluster, at = np.unique(columns[CLUSTER].astype(np.int64), return_inverse=True)
    sums = [np.zeros(len(cluster), dtype=np.int64) for _ in range(6)]
    for total, column in zip(
        sums, (*(_name(name, what) for what in _SUMS), _TIES, COUNT), strict=True
    ):
        np.add.at(total, at.reshape(-1), columns[column].astype(np.int64))
    agree, comparable, units, votes, ties, total = sums
    items = None
    if near is not None:
        place = np.searchsorted(cluster, near[CLUSTER].astype(np.int64))
        ties, total = np.zeros_like(ties), np.zeros_like(total)
        ties[place], total[place] = near[_TIES].astype(np.int64), near[COUNT].astype(np.int64)
        items = int(near[_ITEMS].sum())
    by_item = np.column_stack([agree // 2, comparable // 2, ties, total])
    numbers = int(units.sum()), int(votes.sum())
    once = int(columns[_MIXED].sum()) // 2 if name == MIXED else 0
    return PreferenceAgreement(mode, among, order, by_item, *numbers, items, once)


def _mark_votes(scores: Coded, labels: Sequence[str]) -> Frame:
    """Return how often what was said, by which output stood left; a row for each row."""
    frame, weight = scores.frame(labels, (TURNED,)), scores.targets.weight
    cells = {
        _cell(answer, side): mark((nw.col("score") == answer) & (nw.col(TURNED) == side))
        for answer in _SAID
        for side in _SIDES
    }
    if weight is not None:
        cells = {name: expression * nw.col(weight) for name, expression in cells.items()}
    return frame.with_columns(*(expression.alias(name) for name, expression in cells.items()))


def _sum_cells(frame: Frame, keys: Sequence[str]) -> Frame:
    cells = [_cell(answer, side) for answer in _SAID for side in _SIDES]
    return frame.group_by(*keys).agg(*(nw.col(one).sum() for one in cells))


def _sum_single(scores: Coded, levels: Sequence[str]) -> Frame:
    """Sum votes by output pair, of judges who voted once on each."""
    keys = list(dict.fromkeys([*scores.keys, *levels]))
    names = [*_OWN, *(_same(side, what) for side in _SIDES for what in _SUMS[:2])]
    pairs = _sum_cells(_mark_votes(scores, keys), keys)
    return pairs.with_columns(*(nw.lit(0).cast(nw.Float64).alias(one) for one in names))


def _sum_pairs(scores: Coded, levels: Sequence[str]) -> Frame:
    """Sum votes by output pair: how often each was given, and pairs of one judge's votes."""
    keys = list(dict.fromkeys([*scores.keys, *levels]))
    answers = _sum_cells(_mark_votes(scores, [*keys, "judge"]), [*keys, "judge"])
    one_judge = {
        _OWN[0]: _agree(_given_all()),
        _OWN[1]: _twice(_total()),
        **{_same(side, "agree"): _agree(_given_side(side)) for side in _SIDES},
        **{_same(side, "comparable"): _twice(_add_terms(_given_side(side))) for side in _SIDES},
    }
    answers = answers.with_columns(*(one.alias(name) for name, one in one_judge.items()))
    sums = [*(_cell(answer, side) for answer in _SAID for side in _SIDES), *one_judge]
    return answers.group_by(*keys).agg(*(nw.col(one).sum() for one in sums))


def _compare(name: str) -> dict[str, nw.Expr]:
    mode, among, order, _ = KAPPAS[name]
    one_judge = nw.col(_OWN[0]), nw.col(_OWN[1])
    same = [[nw.col(_same(side, what)) for side in _SIDES] for what in _SUMS[:2]]
    repeated = same[1]
    if mode == "wmt":
        shown = [_given_side(side) for side in _SIDES]
        if among == "inter":
            same = [[_agree(one) for one in shown], [_twice(_add_terms(one)) for one in shown]]
        parts = [(*both, _add_terms(one)) for *both, one in zip(*same, shown, strict=True)]
    elif among == "inter":
        parts = [(_agree(_given_all()) - one_judge[0], _twice(_total()) - one_judge[1], _total())]
    else:
        in_same = _add_terms(same[0]), _add_terms(same[1])
        taken = {"any": one_judge, "same": in_same}.get(order)
        taken = taken or (one_judge[0] - in_same[0], one_judge[1] - in_same[1])
        parts = [(*taken, _total())]
    # groups of agreeing and comparable pairs of votes, and of votes, added up
    held = [mark(comparable > 0) for _, comparable, _ in parts]
    totals = [
        _add_terms([agree for agree, _, _ in parts]),
        _add_terms([comparable for _, comparable, _ in parts]),
        _add_terms(held),
        _add_terms([mask * n for mask, (_, _, n) in zip(held, parts, strict=True)]),
    ]
    columns = {_name(name, what): total for what, total in zip(_SUMS, totals, strict=True)}
    return columns | ({_MIXED: _add_terms(repeated)} if name == MIXED else {})


def _fetch_around(sums: VoteSums, by: Sequence[str]) -> dict[Key, Columns]:
    """Count ties and votes of judges and items in which something was asked again, by part."""
    keys = list(dict.fromkeys([*sums.scores.keys, *by]))
    answers = _sum_cells(_mark_votes(sums.scores, [*keys, "judge"]), [*keys, "judge"])
    answers = answers.with_columns(
        _given_all()[_SAID.index(0)].alias(_TIES),
        _total().alias(COUNT),
        _add_terms([_twice(_add_terms(_given_side(side))) for side in _SIDES]).alias(_TWICE),
    )
    columns = [nw.col(one).sum() for one in (COUNT, _TIES, _TWICE)]
    blocks = answers.group_by(*by, "item", "judge").agg(*columns).filter(nw.col(_TWICE) > 0)
    items = blocks.group_by(*by, "item").agg(*columns[:2])
    items = items.with_columns(
        nw.lit(1).alias(_ITEMS), find_cluster(sums.items, sums.seed).alias(CLUSTER)
    )
    sums_of_items = fetch_columns(
        items.group_by(*by, CLUSTER).agg(*columns[:2], nw.col(_ITEMS).sum())
    )
    return {
        key: {name: column[rows] for name, column in sums_of_items.items()}
        for key, rows in _list_rows(sums_of_items, by, sums.scores).items()
    }


def _name(kappa: str, what: str) -> str:
    return f"evenhand_{kappa.replace('-', '_')}_{what}"


def _same(side: int, what: str) -> str:
    return f"evenhand_same_{side}_{what}"


def _cell(answer: int, side: int) -> str:
    return f"evenhand_said_{answer + 1}_{side}"


def _given_side(side: int) -> list[nw.Expr]:
    return [nw.col(_cell(answer, side)) for answer in _SAID]


def _given_all() -> list[nw.Expr]:
    return [_add_terms(both) for both in zip(*map(_given_side, _SIDES), strict=True)]


def _total() -> nw.Expr:
    return _add_terms(_given_all())


def _agree(given: Sequence[nw.Expr]) -> nw.Expr:
    """Return pairs of votes that say the same, each counted twice."""
    return _add_terms([_twice(one) for one in given])


def _twice(n: nw.Expr) -> nw.Expr:
    """Return pairs of votes among n, each counted twice."""
    return n * (n - 1)


def _add_terms(terms: Sequence[nw.Expr]) -> nw.Expr:
    total = terms[0]
    for one in terms[1:]:
        total = total + one
    return total


@dataclass(frozen=True, eq=False)
class CountedVotes:
    counted: Counted  # how often output pairs were answered how
    # part → κ → pairs of votes; of all votes, of tasks and of criteria
    kappas: Mapping[Key, Mapping[str, PreferenceAgreement]]
    answers: Answers  # what is known of the votes as a whole

    def of(self, task: str) -> Counted:
        """Return what was counted of a task, on the answers that can be given there."""
        counts, scale = self.counted.counts, self.answers.scales[task]
        bound = (("task", task),) if task else ()
        if task:
            names, codes = counts.labels("task")
            counts = counts.take(codes == names.index(task))
        if scale.points is not None and len(scale.points) < len(counts.points):
            counts = counts.keep_points(np.isin(counts.points, scale.points), scale)
        pairs = self.kappas.get(bound, {})
        more = [int(n) for one in pairs.values() for n in one.by_item.sum(axis=0).tolist()]
        return replace(self.counted, counts=counts, more=tuple(more), bound=bound)


def tabulate_vote_counts(votes: CountedVotes, request: Request, task: str = "") -> AgreementTable:
    if task not in votes.answers.scales:
        raise NotIdentified(NO_TARGETS)
    (kappas, wanted), counted = choose_kappas(request), votes.of(task)

    def count(by: Mapping[str, str], name: str) -> PreferenceAgreement:
        check_order(KAPPAS[name][0], KAPPAS[name][2], known=votes.answers.known)
        return votes.kappas[(*counted.bound, *by.items())][name]

    def describe(by: Mapping[str, str]) -> list[Coefficient]:
        level, seed, copied = request.level, request.seed, votes.answers.copied
        return [
            describe_kappa(partial(count, by, name), name, level, seed, copied=copied)
            for name in kappas
        ]

    ranked = votes.answers.ranked.get(task, False)
    notes = note_answers(votes.answers.scales[task], ranked=ranked)
    return add_kappas(tabulate_scores(counted, wanted), request, describe, notes)


def count_preferences(
    data: Comparisons, request: Request, kappas: Sequence[str]
) -> CountedVotes | Rows:
    lazy = hasattr(data.frame, "collect") and data.weights == "frequency"
    named = ("item", "judge", *(name for name in request.by if name != "system"))
    if not (lazy and all(data.has(name) for name in named)):
        return Rows()
    with one_thread(data.source.connection):
        rows = data.frame if data.rankings is None else data.rankings.frame
        number = int(fetch_columns(rows.select(nw.len().alias(COUNT)))[COUNT][0])
    if number <= find_few(data):
        return Rows()
    try:
        check_request(request)
        with one_thread(data.source.connection):
            if data.rankings is not None:
                data.rankings.check()
            votes = find_votes(data)
            with code_targets(votes.every) as every:
                scale, points = votes.answers.scales[""], votes.every.points
                seen = Points(points, points.astype("int32"), scale)
                targets = replace(every, targets=votes.targets)
                counted = count_scores(targets, request, seen)
                with_repeats = replace(every, targets=votes.votes)
                pairs = _count_pairs((with_repeats, targets), counted, request, kappas)
            return CountedVotes(counted, pairs, votes.answers)
    except NeedsRows as why:
        return Rows(str(why))


def _count_pairs(
    votes: tuple[Coded, Coded], counted: Counted, request: Request, kappas: Sequence[str]
) -> dict[Key, dict[str, PreferenceAgreement]]:
    counts = counted.counts
    again, repeats = bool(counts.again.any()), counted.left[""][0] > 0
    levels = {"task", "criterion"} & {*votes[0].targets.labels}
    listed = list_parts(counts, request.by, apart=votes[0].targets.apart)
    parts = [by for by in listed if {*by} <= levels]
    first = [name for name in kappas if repeats and name == BETWEEN]
    rest = [name for name in kappas if name not in first]
    agreements: dict[Key, dict[str, PreferenceAgreement]] = {}
    for held, names, twice in ((votes[0], rest, again or repeats), (votes[1], first, again)):
        if names:
            sums = fetch_votes(held, names, request.seed, again=twice)
            for by in parts:
                for key, kappa_agreements in split_kappas(sums, by).items():
                    agreements.setdefault(key, {}).update(kappa_agreements)
    return agreements
