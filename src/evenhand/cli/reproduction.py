"""The numbers that a bundled table must give, beside those that Evenhand gives for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp
from typing import Final

from evenhand.datasets.dataset import Dataset, Number
from evenhand.errors import EvenhandError
from evenhand.judgments.comparisons import Comparisons
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry

MODELS: Final[Mapping[str, BradleyTerry]] = {
    "davidson": BradleyTerry(),
    "davidson by judge": BradleyTerry(judge_covariates=("judge",)),
    "gamma zero": BradleyTerry(ties="none"),
    "bradley-terry": BradleyTerry(),
    "bradley-terry with order effect": BradleyTerry(order_effect=True),
}
APART: Final = ", orders apart"
COLUMNS: Final = {"se": "stderr", "z": "z", "p": "p"}


@dataclass(frozen=True)
class Reproduced:
    """A number as it was printed, and as Evenhand finds it."""

    expected: Number
    found: float

    @property
    def agrees(self) -> bool:
        """Whether the two are as near as the source allows."""
        return abs(self.found - self.expected.value) <= self.expected.tolerance


def reproduce(table: Dataset, data: Comparisons) -> list[Reproduced]:
    """Return every number of a table beside what its judgments give."""
    bench = _Bench(data)
    return [Reproduced(number, bench.find(number)) for number in table.numbers]


@dataclass(frozen=True, eq=False)
class _Bench:
    """The judgments of a table, and the fits that were needed so far."""

    data: Comparisons
    fits: dict[str, Fit] = field(default_factory=dict)

    def fit(self, model: str) -> Fit:
        """Fit a model once."""
        if model not in self.fits:
            self.fits[model] = MODELS[model].fit(self.data)
        return self.fits[model]

    def find(self, number: Number) -> float:
        """Return what a number is here."""
        if number.model == "counts":
            return self._count(number.of)
        if number.model.endswith(APART):
            return self._apart(number.model.removesuffix(APART), number.quantity)
        fit = self.fit(number.model)
        if number.quantity in {"deviance", "df"}:
            return float(getattr(fit, number.quantity))
        if number.quantity == "worth":
            return fit.worths[number.of]
        return _estimate(fit, number.quantity, number.of)

    def _count(self, system: str) -> float:
        """Count how often a system was preferred."""
        tally = self.data.tally()
        code = tally.systems.index(system)
        as_left, as_right = tally.wins[tally.left == code], tally.losses[tally.right == code]
        return float(as_left.sum() + as_right.sum())

    def _apart(self, model: str, quantity: str) -> float:
        """Return deviance or df where the two orders of a pair are two cells.

        The model with an order effect has these cells; the test of the one against the other
        says by how much the model without it fits them worse.
        """
        larger = self.fit(f"{model} with order effect")
        test = larger.lr_test(self.fit(model))
        more = {"deviance": test.statistic, "df": float(test.df)}
        return float(getattr(larger, quantity)) + more[quantity]


def _estimate(fit: Fit, quantity: str, of: str) -> float:
    """Return an estimate, or the column of its line that a trailing word names."""
    what, _, last = quantity.rpartition(" ")
    column = COLUMNS.get(last, "estimate")
    if column == "estimate":
        what = quantity
    if what in {"gamma", "nu"}:
        gamma = find_coefficient(fit, "tie", column)
        return exp(gamma) if what == "nu" else gamma
    if what == "order effect":
        return find_coefficient(fit, "order", column) * (
            2 if column in {"estimate", "stderr"} else 1
        )
    if ":" in of:
        return find_coefficient(fit, of, column)
    first, second = of.split(" - ")
    (contrast,) = fit.contrasts([(first, second)])
    value = float(getattr(contrast, column))
    if what == "odds":
        return exp(value)
    return value / 2 if what == "lambda" and column in {"estimate", "stderr"} else value


def find_coefficient(fit: Fit, label: str, column: str) -> float:
    """Return a column of the coefficient with this label."""
    found = next(one for one in fit.coefficients if one.label == label)
    value = getattr(found, column)
    if value is None:
        raise EvenhandError(f"{label} is the reference: it has no {column}")
    return float(value)
