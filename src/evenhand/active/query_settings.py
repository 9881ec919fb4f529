"""How queries are replayed: repeats, pools, batches, and where curves are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, require_seed
from evenhand.judgments.coding import SEED

Numbers = NDArray[np.int64]

SHARES: Final = (
    *(0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25),
    *(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
)
"""Shares of the pool at which a curve is looked at, and at the start, and at all of it."""
FEWEST: Final = 5
"""Test outputs, and labels beyond the start, below which nothing is measured."""


@dataclass(frozen=True)
class QueryReplay:
    """How queries are replayed.

    Attributes:
        repeats: how often, each with a pool and a start of its own.
        pool: outputs that are drawn as the pool; None for all that are no test outputs, or for
            `most` of them.
        most: outputs of a pool where nothing is said of it.
        test_share: of the items whose outputs are test outputs, where none are given.
        start: outputs with a label before the first query, at random.
        batch: most outputs that are chosen before labels are shown.
        relearn: growth of the labels after which parameters are searched for again.
        search: most labels that a search looks at.
        seed: of everything random.

    """

    repeats: int = 10
    pool: int | None = None
    most: int = 1000
    test_share: float = 0.3
    start: int = 10
    batch: int = 50
    relearn: float = 1.25
    search: int = 500
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        if self.repeats < 2:
            raise UnknownOption(f"{self.repeats} repeats have no interval: ask for 2 or more")
        for name in ("start", "batch", "search", "most"):
            if getattr(self, name) < 1:
                raise UnknownOption(f"{name} {getattr(self, name)}: a number from 1")
        require_seed(self.seed)
        if not 0 < self.test_share < 1:
            raise UnknownOption(f"test share {self.test_share:g}: a proportion, such as .3")
        if not self.relearn >= 1:
            raise UnknownOption(f"relearn {self.relearn:g}: a factor from 1, such as 1.25")
        if self.pool is not None and self.pool < self.start + FEWEST:
            raise UnknownOption(
                f"a pool of {self.pool} with {self.start} labels to start with leaves nothing to"
                f" choose: {self.start + FEWEST} or more"
            )

    def plan_looks(self, pool: int) -> Numbers:
        """Return the numbers of labels at which a curve is looked at, the full pool last.

        >>> QueryReplay(start=20).plan_looks(100).tolist()
        [20, 25, 30, 40, 50, 60, 70, 80, 90, 100]
        """
        sizes = {round(share * pool) for share in SHARES}
        return np.array(sorted({self.start, pool, *(one for one in sizes if one > self.start)}))
