"""The κ of preferences with its interval: items are drawn, κ comes from their counts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.bootstrap import (
    Interval,
    draw_times,
    find_interval,
    merge_clusters,
    refuse_interval,
)
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.preferences import (
    Among,
    Mode,
    Order,
    PreferenceAgreement,
    chance_agreement,
    compare_votes,
)
from evenhand.agreement.sums import Ratio
from evenhand.agreement.words import name_kappa
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.votes import Votes

Array = NDArray[np.float64]

KAPPAS: Final[dict[str, tuple[Mode, Among, Order, str]]] = {
    "kappa-strict": ("strict", "inter", "any", "pairwise κ, different judges"),
    "kappa-intra": ("strict", "intra", "any", "pairwise κ, the same judge again"),
    "kappa-intra-same-order": ("strict", "intra", "same", "the same judge, same order"),
    "kappa-intra-exchanged": ("strict", "intra", "exchanged", "the same judge, order exchanged"),
    "kappa-wmt": ("wmt", "inter", "any", "pairwise κ as WMT counts it, inter"),
    "kappa-wmt-intra": ("wmt", "intra", "any", "pairwise κ as WMT counts it, intra"),
}
"""Name → mode, between whom, in which order, title."""
BETWEEN: Final = "kappa-strict"
"""The κ of different judges alone: rows marked as repeats are no part of it."""
OWN_PAIRS: Final = "one judge's, asked again"
"""What pairs are that count as of two judges and are not."""
COUNTED: Final = (
    "rows with a weight are several judgments that nobody can tell apart: whether they are repeats"
    " of one judge is not known"
)


def preference_kappa(votes: Votes, name: str, level: float, seed: int) -> Coefficient:
    """Return one κ of preferences, or why there is none.

    Args:
        votes: comparisons.
        name: of `KAPPAS`.
        level: nominal level of the interval (proportion).
        seed: of the draw of items.

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

    Args:
        found: agreeing and comparable pairs of votes.
        name: of `KAPPAS`.
        level: nominal level of the interval (proportion).
        seed: of the draw of items.

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
