"""Plackett-Luce and, with ties, Davidson-Luce: a ranking as a row of choices of the best.

    P(ranking) = ∏_stages  f(T) / Σ_{S ⊆ A, |S| observed} f(S),   f(T) = δ_|T| (∏_{i∈T} π_i)^{1/|T|}

A are the outputs not yet placed, T those placed next: one, or several that tie; δ_1 = 1. Without
ties this is Plackett (1975); with ties Turner, van Etten, Firth & Kosmidis (2020), Computational
Statistics 35:1027-1057. On pairs it is Davidson's model with ν = δ_2. log-worth = log π.

When not to use it: when judges do not pick the best first (it is not the same read from the worst
end), when outputs of one ranking draw worth from each other, or when one judge's rankings hang
together (its own standard errors are then too small: `fit.cluster_vcov(data, "judge")`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from evenhand.errors import require_option
from evenhand.judgments.forms import Judgments
from evenhand.judgments.order_counting import count_orders
from evenhand.judgments.orders import Orders
from evenhand.preference.orders.choice_law import StageChoice
from evenhand.preference.orders.estimation import fit_orders, observed_sizes, require_prior
from evenhand.preference.orders.fit import OrderFit

Ties = Literal["davidson"]
TIES: Final[tuple[str, ...]] = get_args(Ties)


@dataclass(frozen=True)
class PlackettLuce:
    """Settings of a Plackett-Luce model.

    Attributes:
        ties: davidson: a parameter δ for every size of tied sets that was observed; where no ties
            were, plain Plackett-Luce.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.judgments.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PlackettLuce().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.55, 'old': 0.28, 'plain': 0.17}
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
            InvalidJudgments: what cannot be a ranking, or has no place in the model.

        """
        orders = count_orders(data)
        sizes = observed_sizes(orders)
        labels = [f"tie of {size}" for size in sizes]
        return fit_orders(self, orders, StageChoice(sizes), labels, _notes(sizes))


def _notes(sizes: tuple[int, ...]) -> list[str]:
    """Say which sizes of ties have no parameter."""
    if not sizes:
        return ["no ties observed: plain Plackett-Luce"]
    missing = [str(size) for size in range(2, sizes[-1]) if size not in sizes]
    if not missing:
        return []
    few = ", ".join(missing)
    return [f"ties of {sizes[-1]} outputs were seen, but none of {few}: these have δ = 0"]
