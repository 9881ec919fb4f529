"""The pattern model of rankings (Mallows-Bradley-Terry): a ranking as comparisons that must agree.

    P(ranking of A) ∝ exp Σ_{j∈A} λ_j (#below j − #above j),   over all rankings of the set A

It is the Bradley-Terry model of all pairs, given that they form a ranking. Ties, where observed,
add exp γ for each tied pair, over all rankings with ties (the undecided category of prefmod's
patterns). log-worth = 2λ; on pairs it is Davidson's model. Source: Mallows (1957), Biometrika
44:114-130; Dittrich, Hatzinger & Katzenbeisser (2002), Computational Statistics & Data Analysis
40:39-57; prefmod (Hatzinger & Dittrich 2012, Journal of Statistical Software 48(10)), `pattR.fit`.

When not to use it: for long rankings (all their orders are summed over), and where judges rank sets
of different sizes: the model of a set's subset is another one, so that worths from sets of 3 and of
5 outputs are not quite the same thing. A partial ranking counts as a ranking of the outputs in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from evenhand.errors import require_option
from evenhand.judgments.forms import Judgments
from evenhand.judgments.order_counting import count_orders
from evenhand.judgments.orders import Orders
from evenhand.preference.orders.estimation import (
    fit_orders,
    observed_sizes,
    refuse_long,
    require_prior,
)
from evenhand.preference.orders.fit import OrderFit
from evenhand.preference.orders.pattern_law import PatternLaw, longest

Ties = Literal["davidson"]
TIES: Final[tuple[str, ...]] = get_args(Ties)


@dataclass(frozen=True)
class PatternModel:
    """Settings of a pattern model.

    Attributes:
        ties: davidson: a parameter γ for each tied pair; where no ties were observed, rankings
            without ties only.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.judgments.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PatternModel().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.51, 'old': 0.29, 'plain': 0.2}
    """

    ties: Ties = "davidson"
    reference: str | None = None
    prior: float = 0.0

    def __post_init__(self) -> None:
        """Refuse settings that do not exist.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        require_option("ties", self.ties, TIES)
        require_prior(self.prior)

    def fit(self, data: Judgments | Orders) -> OrderFit:
        """Fit by maximum likelihood (or its posterior mode under a prior).

        Args:
            data: rankings, ties and partial ones too; or comparisons, each a ranking of two;
                votes whose answers are whole rankings are such, others rankings of two.

        Raises:
            NotIdentified: no finite, unique maximum exists; names the systems and the remedy.
            InvalidJudgments: what cannot be a ranking, or is too long to be summed over.

        """
        orders = count_orders(data)
        tied = bool(observed_sizes(orders))
        refuse_long(orders, longest(ties=tied))
        labels = ["tie"] if tied else []
        notes = [] if tied else ["no ties observed: patterns without ties"]
        return fit_orders(self, orders, PatternLaw(tied), labels, notes)
