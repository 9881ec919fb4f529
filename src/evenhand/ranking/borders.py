"""Do borders between bands of systems hold? Bands are often read off a figure by eye.

A border after place m is as sure as its weakest pair,

    z = min over i ≤ m < j of (θ_i − θ_j) / se(θ_i − θ_j)

with the errors of the ranking. Who stands above a border is read off the same judgments, so a pair
counts among all K (K − 1) / 2 pairs, by Holm's method (docs/ranking.md).

When not to use it: to look for borders; the clusters of a ranking need not be asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import OF_SYSTEMS, Openable, carries_excluded
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.numerics.distributions import t_tail
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.texts import say
from evenhand.render.document import Column, Document, Finding, Table

VERDICTS: Final = {
    "border-holds": "holds",
    "border-holds-marginally": "holds marginally only",
    "border-not-shown": "not shown",
}


@dataclass(frozen=True)
class Border:
    after: int  # the place above the border
    above: str  # the system above it in that pair
    below: str  # the system below it
    difference: float  # between the two, on the ranking's scale (log-odds, or ability)
    stderr: float  # its standard error
    z: float  # their ratio, the smallest of all pairs across the border
    p: float  # two-sided p-value of that pair by itself
    adjusted: float  # largest p-value across the border, adjusted over all pairs of systems
    holds: bool  # whether every pair across it is decided, whatever else is asked of the board
    alone: bool  # whether every pair across it is decided by itself, as for the lines of a board

    @property
    def code(self) -> str:
        if self.holds:
            return "border-holds"
        return "border-holds-marginally" if self.alone else "border-not-shown"

    @property
    def verdict(self) -> str:
        return VERDICTS[self.code]


@dataclass(frozen=True, repr=False)
class Borders(Shown):
    """What became of the borders that were asked about."""

    borders: tuple[Border, ...]  # in the order of the places
    level: float  # at which they hold together (proportion)
    method: str  # how errors were made
    signature: str  # of the ranking
    headline: str | None = None  # what must be known first, such as "for these 3 judges only"
    notes: tuple[str, ...] = ()  # what must be known of the ranking
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def says(self) -> str:
        """The result in sentences."""
        return " ".join(self._sentences)

    @property
    def _sentences(self) -> tuple[Finding, ...]:
        places: dict[str, list[str]] = {}
        for one in self.borders:
            places.setdefault(one.code, []).append(str(one.after))
        limits = [say("borders-limited", "info", limit=self.headline)] if self.headline else []
        return (*(say(code, "info", places=some) for code, some in places.items()), *limits)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        borders = [asdict(one) for one in self.borders]
        return write_contract(self, "says", "level", "method") | {"borders": borders}

    def document(self) -> Document:
        """Return what people read: which borders hold, and the least sure pair across each."""
        columns = (
            Column("after", "after", "count"),
            Column("above", "above", "name"),
            Column("below", "below", "name"),
            Column("difference", "difference", "three"),
            Column("stderr", "s.e.", "three", priority=1),
            Column("z", "z", "two", priority=2),
            Column("p", "p", "p", priority=3),
            Column("adjusted", "adjusted", "p"),
            Column("verdict", "verdict"),
        )
        rows = tuple({**asdict(one), "verdict": one.verdict} for one in self.borders)
        legend = ("adjusted: the largest p across the border, by Holm over all pairs of systems",)
        table = Table("borders", "The least sure pair across", columns, rows, legend=legend)
        basis = f"Errors: {self.method}."
        return write_document(self, table, basis=basis, answer=self._sentences)


@carries_excluded(*OF_SYSTEMS, argument="ranking")
def check_borders(
    ranking: Ranking | Comparisons | Rankings | Openable,
    *,
    after: Sequence[int] | int,
    level: float | None = None,
) -> Borders:
    """Ask of each border whether every system above it is better than every system below.

    Args:
        ranking: a ranking with intervals; or judgments of one task, which are ranked as
            `evenhand.rank` does.
        after: the places above the borders, counted from 1.
        level: at which borders are to hold together (proportion); the ranking's by default.

    Raises:
        UnknownOption: places that have no border after them, or judgments of several tasks.
        NotIdentified: a ranking without errors of all differences.
    """
    board = ranking if isinstance(ranking, Ranking) else rank(ranking)
    if not isinstance(board, Ranking):
        raise UnknownOption(
            f"borders are asked of one board, and these judgments have {len(board)} {board.by}s:"
            f" choose one, such as '{next(iter(board))}'"
        )
    systems = len(board.systems)
    places = sorted({after} if isinstance(after, int) else set(after))
    if not places:
        raise UnknownOption("no borders: say after which places they stand, such as after=(1, 7)")
    if bad := [place for place in places if not 1 <= place < systems]:
        raise UnknownOption(
            f"no border after place {bad[0]}: {systems} systems have borders after places 1 to"
            f" {systems - 1}"
        )
    level = board.level if level is None else level
    if board.pair_stderr is None:
        raise NotIdentified(
            f"{len(board.systems):,} systems are too many for errors of all differences",
            ["rank fewer"],
        )
    stderr = np.asarray(board.pair_stderr + np.eye(len(board.systems)))
    z = (board.estimate[:, None] - board.estimate) / stderr
    pairs = np.triu_indices(len(z), 1)
    p, adjusted = np.zeros_like(z), np.zeros_like(z)
    p[pairs] = [t_tail(one, board.df) for one in z[pairs].tolist()]
    if board.rank_sets is not None:  # nothing shows the spread of what rests on a cluster or few
        p[board.rank_sets.barred] = 1.0
    adjusted[pairs] = holm(p[pairs])
    borders = []
    for place in places:
        across = slice(place), slice(place, None)
        i, j = np.unravel_index(int(np.argmin(z[across])), z[across].shape)
        above, below, largest = int(i), place + int(j), float(adjusted[across].max())
        border = Border(
            after=place,
            above=board.systems[above],
            below=board.systems[below],
            difference=float(board.estimate[above] - board.estimate[below]),
            stderr=float(stderr[above, below]),
            z=float(z[above, below]),
            p=float(p[above, below]),
            adjusted=largest,
            holds=largest <= 1 - level,
            alone=float(p[across].max()) <= 1 - level,
        )
        borders.append(border)
    return Borders((*borders,), level, board.method, board.signature, board.headline, board.notes)
