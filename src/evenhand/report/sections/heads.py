"""Each system against each: what was counted, beside what the ranking expects."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from typing import Any, Final

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.ranking.ranking import Ranking
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Figure, Section, Table
from evenhand.report.figures.heads_map import draw_heads
from evenhand.report.figures.heat_map import tabulate_chances
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

DRAWN: Final = 60  # Most systems that are drawn whole
BEST: Final = 40  # Systems that are drawn of more
FITTED: Final = 7  # Most systems whose map fits on a small screen
STATES: Final = {True: "decided", False: "open", None: None}
NOTE: Final = (
    "A share counts a tie as half a win. A pair is decided if the ranking says which of the two is"
    " better; it uses all comparisons, those with other systems too, so that a pair that hardly"
    " ever met can be decided."
)
BESIDE: Final = (
    "Intervals of neighbours hold for all pairs of systems at once. That of a decided pair may hold"
    " zero: pairs are decided step by step, which decides more, and these intervals are not."
)
ALONE: Final = "Each interval of neighbours holds by itself."


def write_section(study: Study) -> Section:
    """Write what became of each pair of systems."""
    ranking = study.ranking
    counts = count_pairs(study)
    drawn = len(ranking.systems) if len(ranking.systems) <= DRAWN else BEST
    pairs = _list_pairs(ranking, counts, drawn)
    if not pairs:
        raise NotIdentified("no two systems were compared")
    neighbours = _list_neighbours(ranking, counts)
    held = BESIDE if ranking.rank_sets is not None else ALONE
    return Section(
        "heads",
        PREFERENCE["heads"],
        says=(_say_met(ranking, counts), *_say_decided(ranking, neighbours)),
        figures=(_draw(ranking, pairs, drawn),),
        tables=(_tabulate(ranking, neighbours),),
        notes=(NOTE, *([] if ranking.pair_stderr is None else [held])),
        command=study.write_command("rank", "--json"),
    )


def count_pairs(study: Study) -> np.ndarray:
    """Return (K, K, 3) wins, ties and losses of the row's system, in the order of the board."""
    tally, systems = study.tally, study.ranking.systems
    place = {system: at for at, system in enumerate(systems)}
    board = np.array([place.get(system, -1) for system in tally.systems])
    left, right = board[tally.left], board[tally.right]
    both = (left >= 0) & (right >= 0)
    found = np.zeros((len(systems), len(systems), 3))
    np.add.at(found, (left[both], right[both]), tally.counts[both])
    np.add.at(found, (right[both], left[both]), tally.counts[both][:, ::-1])
    return found


def _list_pairs(ranking: Ranking, counts: np.ndarray, drawn: int) -> list[dict[str, Any]]:
    """Return a row for each cell of the map: pairs that met, each from both sides."""
    systems = ranking.systems[:drawn]
    chances = tabulate_chances(ranking.fit, systems)
    return [
        {
            **_count(counts[i, j]),
            "first": systems[i],
            "second": systems[j],
            "row": i + 1,
            "against": j + 1,
            "expected": float(chances[i, j, 0] + chances[i, j, 1] / 2),
            "decided": _is_decided(ranking, i, j),
        }
        for i in range(drawn)
        for j in range(drawn)
        if i != j and counts[i, j].sum() > 0
    ]


def _count(cell: np.ndarray) -> dict[str, Any]:
    wins, ties, losses = (float(count) for count in cell)
    n = wins + ties + losses
    share = (wins + ties / 2) / n if n else None
    return {"wins": wins, "ties": ties, "losses": losses, "n": n, "share": share}


def _is_decided(ranking: Ranking, one: int, other: int) -> bool | None:
    """Whether it is decided who of two is better; None where the ranking decides no pairs."""
    if ranking.rank_sets is None:
        return None
    return bool(ranking.rank_sets.decided[one, other] != 0)


def _list_neighbours(ranking: Ranking, counts: np.ndarray) -> list[dict[str, Any]]:
    """Return a row for each system and the next on the board."""
    return [
        {
            "pair": f"{ranking.systems[one]} – {ranking.systems[two]}",
            "first": ranking.systems[one],
            "second": ranking.systems[two],
            **_count(counts[one, two]),
            **_measure(ranking, one, two),
            "decided": _is_decided(ranking, one, two),
            "state": STATES[_is_decided(ranking, one, two)],
        }
        for one, two in pairwise(range(len(ranking.systems)))
    ]


def _measure(ranking: Ranking, one: int, two: int) -> dict[str, float | None]:
    """Return the difference of two systems with its interval, None where there is none."""
    apart = float(ranking.estimate[one] - ranking.estimate[two])
    found: dict[str, float | None] = {"apart": apart, "lower": None, "upper": None}
    if ranking.pair_stderr is None:
        return found
    margin = _find_critical(ranking) * float(ranking.pair_stderr[one, two])
    if isfinite(margin):
        found |= {"lower": apart - margin, "upper": apart + margin}
    return found


def _find_critical(ranking: Ranking) -> float:
    """Return how many standard errors an interval reaches: for all pairs at once, if it may."""
    from evenhand.numerics.distributions import t_quantile

    if ranking.rank_sets is not None and ranking.rank_sets.critical:
        return float(ranking.rank_sets.critical[0])
    return t_quantile((1 + ranking.level) / 2, ranking.df)


def _say_met(ranking: Ranking, counts: np.ndarray) -> str:
    """Say how many pairs met, and how often."""
    n = counts.sum(axis=2)[np.triu_indices(len(ranking.systems), 1)]
    met, size = int((n > 0).sum()), len(n)
    if size == 1:
        return f"The two met in {write_value(float(n[0]), 'count')} comparisons."
    seen = n[n > 0]
    least, middle, most = (
        write_value(float(one), "count") for one in (seen.min(), np.median(seen), seen.max())
    )
    all_met = f"All {size:,} pairs" if met == size else f"{met:,} of {size:,} pairs"
    if least == most:
        return f"{all_met} of systems met, each {least} times."
    return f"{all_met} of systems met, {least} to {most} times, as a rule {middle}."


def _say_decided(ranking: Ranking, neighbours: list[dict[str, Any]]) -> tuple[str, ...]:
    """Say how many pairs are decided, and how many neighbours."""
    if ranking.rank_sets is None:
        return ("Which pairs are decided is not known in this ranking.",)
    upper = np.triu_indices(len(ranking.systems), 1)
    decided, size = int((ranking.rank_sets.decided[upper] != 0).sum()), len(upper[0])
    near = sum(bool(row["decided"]) for row in neighbours)
    if size == 1:
        return ("It is decided who is better." if decided else "It is open who is better.",)
    if not decided:
        return (f"None of the {size:,} pairs is decided.",)
    verb = "is" if decided == 1 else "are"
    return (
        f"Of {size:,} pairs {decided:,} {verb} decided ({write_value(decided / size, 'share')}); of"
        f" the {len(neighbours):,} neighbours on the board, {near:,}.",
    )


def _draw(ranking: Ranking, pairs: list[dict[str, Any]], drawn: int) -> Figure:
    whole = len(ranking.systems)
    cut = "" if drawn == whole else f", the best {drawn} of {whole} systems"
    marked = "" if ranking.rank_sets is None else " A dot marks a decided pair."
    seen = (
        f"A square for each of {drawn} systems against each. Blue: the row's system was preferred"
        f" more often; brown: the column's; empty: they never met.{marked}"
    )
    chart = draw_heads(ranking.systems[:drawn], pairs, wide=drawn > FITTED)
    title = f"How often the row's system was preferred to the column's{cut}"
    return take_chart(chart, "heads", title, seen, table="", wide=drawn > FITTED)


def _tabulate(ranking: Ranking, rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("pair", "better – next"),
        Column("n", "comparisons", "count", "of these two with each other"),
        *(Column(key, key, "count", "of the better placed") for key in ("wins", "ties", "losses")),
        Column("apart", f"apart, {ranking.scale}", "two"),
        Column("lower", "from", "two", "lower end of the interval"),
        Column("upper", "to", "two", "upper end of the interval"),
        Column("state", "who is better"),
    )
    return Table("neighbours", "Neighbours on the board", columns, tuple(rows))
