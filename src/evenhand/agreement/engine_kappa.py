"""What κ of preferences is made of, counted by the engine that holds the votes.

Votes become answers (what a judge said of an output pair, by which output stood left), answers
output pairs, and these sums by level and cluster of items: agreeing and comparable pairs of votes,
of different judges, of one judge, in the same order and in exchanged ones. Where nobody was asked
anything again, votes become output pairs at once. Whole numbers are summed throughout; pairs are
counted twice, and halved here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.bootstrap import FEWEST, MOST
from evenhand.agreement.count_table import Key
from evenhand.agreement.engine_codes import Coded
from evenhand.agreement.engine_pairs import TURNED
from evenhand.agreement.engine_units import CLUSTER, count_different, find_cluster, name_parts
from evenhand.agreement.exact_sums import check_exact
from evenhand.agreement.preference_kappa import KAPPAS
from evenhand.agreement.preferences import PreferenceAgreement
from evenhand.judgments.engine import COUNT, Columns, Frame, fetch_columns
from evenhand.judgments.portable import mark

Integers = NDArray[np.int64]

AROUND: Final = "kappa-wmt-intra"
"""The κ whose chance is taken from comparisons around those that were asked again."""
MIXED: Final = "kappa-wmt"
"""The κ between judges that counts pairs of one judge's votes too."""
_SIDES: Final = (0, 1)
_SAID: Final = (-1, 0, 1)
_SUMS: Final = ("agree", "comparable", "units", "votes")
_OWN: Final = ("evenhand_own_agree", "evenhand_own_comparable")
_MIXED: Final = "evenhand_mixed"
_TIES, _ITEMS, _TWICE = "evenhand_ties", "evenhand_items", "evenhand_twice"


@dataclass(frozen=True, eq=False)
class VoteSums:
    """Sums over output pairs by task, criterion and cluster of items.

    Attributes:
        found: columns of sums.
        scores: the votes.
        names: which κ they are of.
        items: number of items.
        seed: of the clusters that items are put together into.
        again: whether somebody was asked something again.

    """

    found: Columns
    scores: Coded
    names: tuple[str, ...]
    items: int
    seed: int
    again: bool


def fetch_votes(scores: Coded, names: Sequence[str], seed: int, *, again: bool) -> VoteSums:
    """Fetch sums of votes by task, criterion and cluster of items.

    Args:
        scores: the votes, with numbers for labels.
        names: of `KAPPAS`.
        seed: of the clusters that items are put together into.
        again: whether somebody may have been asked something again.

    """
    levels = [name for name in ("task", "criterion") if name in scores.targets.labels]
    items = int(fetch_columns(scores.items.select(nw.len().alias(COUNT)))[COUNT][0])
    added = {COUNT: _total(), _TIES: _add([_given(0, side) for side in _SIDES])}
    added |= {one: own for name in names for one, own in _compare(name).items()}
    pairs = _sum_pairs(scores, levels) if again else _sum_single(scores, levels)
    pairs = pairs.with_columns(
        find_cluster(items, seed).alias(CLUSTER), *(own.alias(one) for one, own in added.items())
    )
    groups = pairs.group_by(*levels, CLUSTER).agg(*(nw.col(one).sum() for one in added))
    found = fetch_columns(groups)
    check_exact((found[one] for one in added), "pairs of votes")
    return VoteSums(found, scores, tuple(names), items, seed, again)


def split_kappas(sums: VoteSums, by: Sequence[str]) -> dict[Key, dict[str, PreferenceAgreement]]:
    """Return every κ of every part.

    Args:
        sums: of votes.
        by: columns whose levels are parts: task and criterion.

    """
    near = _fetch_around(sums, by) if AROUND in sums.names and sums.again else {}
    parts = {}
    for key, rows in _list_rows(sums.found, by, sums.scores).items():
        found = {name: column[rows] for name, column in sums.found.items()}
        parts[key] = {
            name: _read(found, name, near.get(key) if name == AROUND else None)
            for name in sums.names
        }
    return _count_items(sums, by, parts)


def _list_rows(found: Columns, by: Sequence[str], scores: Coded) -> dict[Key, list[int]]:
    rows: dict[Key, list[int]] = {}
    for at, key in enumerate(name_parts(found, by, scores)):
        rows.setdefault(key, []).append(at)
    return rows


def _read(found: Columns, name: str, near: Columns | None) -> PreferenceAgreement:
    """Make the counts of one κ of a part, clusters in order."""
    mode, among, order, _ = KAPPAS[name]
    cluster, at = np.unique(found[CLUSTER].astype(np.int64), return_inverse=True)
    sums = [np.zeros(len(cluster), dtype=np.int64) for _ in range(6)]
    for total, column in zip(
        sums, (*(_name(name, what) for what in _SUMS), _TIES, COUNT), strict=True
    ):
        np.add.at(total, at.reshape(-1), found[column].astype(np.int64))
    agree, comparable, units, votes, ties, total = sums
    items = None
    if near is not None:
        place = np.searchsorted(cluster, near[CLUSTER].astype(np.int64))
        ties, total = np.zeros_like(ties), np.zeros_like(total)
        ties[place], total[place] = near[_TIES].astype(np.int64), near[COUNT].astype(np.int64)
        items = int(near[_ITEMS].sum())
    by_item = np.column_stack([agree // 2, comparable // 2, ties, total])
    numbers = int(units.sum()), int(votes.sum())
    once = int(found[_MIXED].sum()) // 2 if name == MIXED else 0
    return PreferenceAgreement(mode, among, order, by_item, *numbers, items, once)


def _count_items(
    sums: VoteSums, by: Sequence[str], parts: dict[Key, dict[str, PreferenceAgreement]]
) -> dict[Key, dict[str, PreferenceAgreement]]:
    """Count items where they were put together and some part has few clusters."""
    few = any(len(one.by_item) < FEWEST for own in parts.values() for one in own.values())
    if sums.items <= MOST["item"] or not few:
        return parts
    items = count_different(sums.scores.frame([*by, "item"]), "item", by, sums.scores)
    return {
        key: {
            name: replace(one, items=items[key] if one.items is None else one.items)
            for name, one in own.items()
        }
        for key, own in parts.items()
    }


def _mark_votes(scores: Coded, labels: Sequence[str]) -> Frame:
    """Return how often what was said, by which output stood left; a row for each row."""
    frame, weight = scores.frame(labels, (TURNED,)), scores.targets.weight
    cells = {
        _cell(said, side): mark((nw.col("score") == said) & (nw.col(TURNED) == side))
        for said in _SAID
        for side in _SIDES
    }
    if weight is not None:
        cells = {name: own * nw.col(weight) for name, own in cells.items()}
    return frame.with_columns(*(own.alias(name) for name, own in cells.items()))


def _sum_cells(frame: Frame, keys: Sequence[str]) -> Frame:
    cells = [_cell(said, side) for said in _SAID for side in _SIDES]
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
    own = {
        _OWN[0]: _agree(_given_all()),
        _OWN[1]: _twice(_total()),
        **{_same(side, "agree"): _agree(_given_side(side)) for side in _SIDES},
        **{_same(side, "comparable"): _twice(_add(_given_side(side))) for side in _SIDES},
    }
    answers = answers.with_columns(*(one.alias(name) for name, one in own.items()))
    sums = [*(_cell(said, side) for said in _SAID for side in _SIDES), *own]
    return answers.group_by(*keys).agg(*(nw.col(one).sum() for one in sums))


def _compare(name: str) -> dict[str, nw.Expr]:
    """Return what is summed for one κ, from sums of an output pair."""
    mode, among, order, _ = KAPPAS[name]
    own = nw.col(_OWN[0]), nw.col(_OWN[1])
    same = [[nw.col(_same(side, what)) for side in _SIDES] for what in _SUMS[:2]]
    repeated = same[1]
    if mode == "wmt":
        shown = [_given_side(side) for side in _SIDES]
        if among == "inter":
            same = [[_agree(one) for one in shown], [_twice(_add(one)) for one in shown]]
        parts = [(*both, _add(one)) for *both, one in zip(*same, shown, strict=True)]
    elif among == "inter":
        parts = [(_agree(_given_all()) - own[0], _twice(_total()) - own[1], _total())]
    else:
        in_same = _add(same[0]), _add(same[1])
        taken = {"any": own, "same": in_same}.get(order)
        taken = taken or (own[0] - in_same[0], own[1] - in_same[1])
        parts = [(*taken, _total())]
    found = {_name(name, what): one for what, one in zip(_SUMS, _finish(parts), strict=True)}
    return found | ({_MIXED: _add(repeated)} if name == MIXED else {})


def _finish(parts: Sequence[tuple[nw.Expr, nw.Expr, nw.Expr]]) -> list[nw.Expr]:
    """Add up groups of agreeing and comparable pairs of votes, and of votes."""
    held = [comparable > 0 for _, comparable, _ in parts]
    return [
        _add([agree for agree, _, _ in parts]),
        _add([comparable for _, comparable, _ in parts]),
        _add([mark(one) for one in held]),
        _add([mark(one) * own[2] for one, own in zip(held, parts, strict=True)]),
    ]


def _fetch_around(sums: VoteSums, by: Sequence[str]) -> dict[Key, Columns]:
    """Count ties and votes of judges and items in which something was asked again, by part."""
    keys = list(dict.fromkeys([*sums.scores.keys, *by]))
    answers = _sum_cells(_mark_votes(sums.scores, [*keys, "judge"]), [*keys, "judge"])
    answers = answers.with_columns(
        _add([_given(0, side) for side in _SIDES]).alias(_TIES),
        _total().alias(COUNT),
        _add([_twice(_add(_given_side(side))) for side in _SIDES]).alias(_TWICE),
    )
    columns = [nw.col(one).sum() for one in (COUNT, _TIES, _TWICE)]
    blocks = answers.group_by(*by, "item", "judge").agg(*columns).filter(nw.col(_TWICE) > 0)
    items = blocks.group_by(*by, "item").agg(*columns[:2])
    items = items.with_columns(
        nw.lit(1).alias(_ITEMS), find_cluster(sums.items, sums.seed).alias(CLUSTER)
    )
    found = fetch_columns(items.group_by(*by, CLUSTER).agg(*columns[:2], nw.col(_ITEMS).sum()))
    return {
        key: {name: column[rows] for name, column in found.items()}
        for key, rows in _list_rows(found, by, sums.scores).items()
    }


def _name(kappa: str, what: str) -> str:
    return f"evenhand_{kappa.replace('-', '_')}_{what}"


def _same(side: int, what: str) -> str:
    return f"evenhand_same_{side}_{what}"


def _cell(said: int, side: int) -> str:
    return f"evenhand_said_{said + 1}_{side}"


def _given(said: int, side: int) -> nw.Expr:
    return nw.col(_cell(said, side))


def _given_side(side: int) -> list[nw.Expr]:
    """Return how often each answer was given with the outputs in one order."""
    return [_given(said, side) for said in _SAID]


def _given_all() -> list[nw.Expr]:
    """Return how often each answer was given in either order."""
    return [_add([_given(said, side) for side in _SIDES]) for said in _SAID]


def _total() -> nw.Expr:
    return _add(_given_all())


def _agree(given: Sequence[nw.Expr]) -> nw.Expr:
    """Return pairs of votes that say the same, each counted twice."""
    return _add([_twice(one) for one in given])


def _twice(n: nw.Expr) -> nw.Expr:
    """Return pairs of votes among n, each counted twice."""
    return n * (n - 1)


def _add(terms: Sequence[nw.Expr]) -> nw.Expr:
    total = terms[0]
    for one in terms[1:]:
        total = total + one
    return total
