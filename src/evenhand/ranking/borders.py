"""Do borders between bands of systems hold? Bands are often read off a figure by eye.

A border after place m says that every system above it is better than every system below it, so it
is as sure as its weakest pair:

    z = min over i ≤ m < j of (θ_i − θ_j) / se(θ_i − θ_j)

with the errors of the ranking, clustered where it clusters. Who stands above a border is read off
the same judgments, so a pair counts among all K (K − 1) / 2 pairs: p is adjusted by Holm's method
over them (Holm 1979, Scandinavian Journal of Statistics 6:65-70), and a border holds if every pair
across it is decided so: then all such borders hold together at the level. Where every pair across
it is decided by itself, as the lines of a board are, it holds by itself only.

When not to use it: to look for borders; the clusters of a ranking are those that its intervals
support, without being asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded
from evenhand.data.exclusions import write_excluded
from evenhand.data.rankings import Rankings
from evenhand.data.results import InNotebooks
from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.models.coefficients import format_p
from evenhand.numerics.distributions import t_tail
from evenhand.numerics.multiple_tests import holm
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Border:
    """A border between two places, and the pair of systems across it that is least sure."""

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
    def verdict(self) -> str:
        if self.holds:
            return "holds"
        return "holds by itself only" if self.alone else "not shown"


@dataclass(frozen=True, repr=False)
class Borders(InNotebooks):
    """What became of the borders that were asked about.

    Attributes:
        borders: in the order of the places.
        level: at which they hold together (proportion).
        method: how errors were made.
        signature: of the ranking.

    """

    TABLE: ClassVar = "borders"

    borders: tuple[Border, ...]
    level: float
    method: str
    signature: str

    @property
    def says(self) -> str:
        """The result in a sentence."""
        verdicts = dict.fromkeys(one.verdict for one in self.borders)
        parts = []
        for verdict in verdicts:
            places = [f"after {one.after}" for one in self.borders if one.verdict == verdict]
            parts.append(f"{verdict}: {listing(places)}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "borders": [asdict(one) for one in self.borders],
            "level": self.level,
            "method": self.method,
            "says": self.says,
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def __str__(self) -> str:
        lines = [
            f"after {one.after:>2}  {one.above} over {one.below}: {one.difference:.3f}"
            f" (s.e. {one.stderr:.3f}), z {one.z:.2f}, p {format_p(one.p)}, over all pairs"
            f" {format_p(one.adjusted)}: {one.verdict}"
            for one in self.borders
        ]
        return "\n".join([*lines, "", self.says, f"errors: {self.method}", self.signature])


@carries_excluded("controls", argument="ranking")
def check_borders(
    ranking: Ranking | Comparisons | Rankings,
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
    bad = [place for place in places if not 1 <= place < systems]
    if bad:
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
    borders = tuple(_border(board, place, (stderr, z, p, adjusted), level) for place in places)
    return Borders(borders, level, board.method, board.signature)


def _border(
    ranking: Ranking, after: int, of_pairs: tuple[Array, Array, Array, Array], level: float
) -> Border:
    stderr, z, p, adjusted = (matrix[:after, after:] for matrix in of_pairs)
    i, j = np.unravel_index(int(np.argmin(z)), z.shape)
    largest = float(adjusted.max())
    above, below = int(i), after + int(j)
    difference = float(ranking.estimate[above] - ranking.estimate[below])
    return Border(
        after=after,
        above=ranking.systems[above],
        below=ranking.systems[below],
        difference=difference,
        stderr=float(stderr[i, j]),
        z=float(z[i, j]),
        p=float(p[i, j]),
        adjusted=largest,
        holds=largest <= 1 - level,
        alone=float(p.max()) <= 1 - level,
    )
