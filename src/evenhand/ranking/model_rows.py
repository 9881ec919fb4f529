"""What a table of models holds: models, what their comparison answers, what has no fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.preference.coefficients import LRTest
from evenhand.ranking.printing import draw_models, draw_models_html
from evenhand.ranking.robust import WaldTest
from evenhand.ranking.signature import sign_covariates

LEVEL: Final = 0.05
"""P-value below which a question is answered with yes."""


@dataclass(frozen=True)
class ModelRow:
    """One model of the table.

    Attributes:
        name: what it adds, in words.
        parameters: number of free parameters.
        loglik: log-likelihood (nats).
        deviance: twice what a saturated model of its own table gains; None for a marginal
            likelihood.
        df: residual degrees of freedom of that table; None likewise.
        aic: −2ℓ + 2p.
        bic: −2ℓ + p log n, n judgments.

    """

    name: str
    parameters: int
    loglik: float
    deviance: float | None
    df: int | None
    aic: float
    bic: float


@dataclass(frozen=True)
class Question:
    """What the comparison of two models answers.

    Attributes:
        yes: the answer if the smaller model is rejected.
        no: the answer if it is not.
        lr: the likelihood-ratio test; it assumes independent judgments.
        walds: cluster-robust tests of the same, one for each way of clustering.
        notes: why a way of clustering has no test.
        see: the command that says more if the answer is yes, or nothing.

    """

    yes: str
    no: str
    lr: LRTest
    walds: tuple[WaldTest, ...] = ()
    notes: tuple[str, ...] = ()
    see: str = ""

    @property
    def p(self) -> float:
        """The p-value that decides: the largest robust one, else the likelihood ratio's."""
        return max((one.p for one in self.walds), default=self.lr.p)

    @property
    def answer(self) -> str:
        """What the test says, at the level of .05."""
        return self.yes if self.p < LEVEL else self.no


@dataclass(frozen=True, eq=False, repr=False)
class ModelTable:
    """Models of the same judgments side by side.

    Attributes:
        rows: the models, each after those it extends.
        questions: what their comparison answers.
        refused: model → why it has no fit.
        notes: what else should be known.
        tally: the counts, by covariate.

    """

    rows: tuple[ModelRow, ...]
    questions: tuple[Question, ...]
    refused: Mapping[str, str]
    notes: tuple[str, ...]
    tally: Tally

    @property
    def best(self) -> str:
        """The model of smallest AIC."""
        return min(self.rows, key=lambda row: row.aic).name

    @property
    def says(self) -> tuple[str, str]:
        """What the tests answer with what to do next, and what AIC and BIC prefer."""
        asked = self.questions
        sure = [one for one in asked if one.p < LEVEL]
        found = [one.answer + (f": see {one.see}" if one.see else "") for one in sure]
        found += [one.answer for one in asked[:1] if one not in sure]
        if any("judge" in wald.cluster for one in asked for wald in one.walds):
            found.append("rank allows for judges")
        return "; ".join(found), self._say_criteria()

    def _say_criteria(self) -> str:
        least, schwarz = min(row.aic for row in self.rows), min(self.rows, key=lambda row: row.bic)
        level = [row.name for row in self.rows if f"{row.aic:.2f}" == f"{least:.2f}"]
        alike = " (equal to two decimals)" * (len(level) > 1)
        said = f"smallest AIC: {' and '.join(level)}{alike}"
        if schwarz.name in level:
            return said
        return f"{said}; smallest BIC: {schwarz.name}"

    @property
    def signature(self) -> str:
        """One line that reproduces the table."""
        parts = ["models", *(f"by {name}" for name in self.tally.factors)]
        parts += sign_covariates(self.tally, self.tally.factors, {})
        return write_signature(parts, self.tally.n_judgments, self.tally.digest)

    def __str__(self) -> str:
        return draw_models(self)

    def _repr_html_(self) -> str:
        return draw_models_html(self)

    __repr__ = __str__
