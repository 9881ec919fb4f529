"""The steps of a table of models: each fits what it adds and tests it against what it extends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.preference.bradley_terry import BradleyTerry, Ties
from evenhand.preference.coefficients import LRTest
from evenhand.preference.fit import Fit
from evenhand.preference.groups import Kind, find_hypotheses
from evenhand.preference.random_judges import RandomJudges
from evenhand.ranking.model_rows import ModelRow, Question
from evenhand.ranking.ways import say_of_rankings, walds_by_ways, walds_of

BASE: Final = "worths + ties"
RIVALS: Final[Mapping[Ties, str]] = {"rao-kupper": "Rao-Kupper", "glenn-david": "Glenn-David"}
_SUBJECTS: Final[Mapping[Kind, str]] = {
    "worths": "worths differ",
    "ties": "the share of ties differs",
}
_OPTIONS: Final[Mapping[Kind, str]] = {"worths": "--judge-covariate", "ties": "--tie-covariate"}
_OF_RANKINGS: Final = (
    "comparisons of one ranking hang together, which sigma takes for taste: neither its test nor"
    " its AIC would mean anything; fit --model random-judges tests it by dealing rankings to judges"
    " at random"
)
POPULATION: Final = 5
"""Fewest judges from whom a spread between judges is estimated."""


@dataclass(frozen=True, eq=False)
class Counts:
    """The same judgments, counted in the ways that the table needs.

    Attributes:
        whole: by covariate.
        ways: way of clustering → by covariate and by that way.
        judges: by judge, or None where judges are not known.
        notes: what is known of the table that they come from.

    """

    whole: Tally
    ways: Mapping[str, Tally]
    judges: Tally | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """What one step of the ladder adds.

    Attributes:
        rows: models.
        questions: tests of what they add.
        refused: model → why it has no fit.

    """

    rows: tuple[ModelRow, ...] = ()
    questions: tuple[Question, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def start(base: Fit, counts: Counts) -> Step:
    """Put the model of equal worths below the worths."""
    lr = base.equal_worths
    row = _row(BASE if base.likelihood.law.free else "worths", base)
    if lr is None:
        return Step((row,))
    loglik = base.loglik - lr.statistic / 2
    equal = _criteria("equal worths", base.n_parameters - lr.df, loglik, base.n_judgments)
    equal = replace(equal, deviance=base.deviance + lr.statistic, df=base.df + lr.df)
    tests = walds_by_ways(base, counts.ways, np.arange(lr.df))
    return Step(
        (equal, row), (Question("systems differ", "no sign that systems differ", lr, *tests),)
    )


def step_ties(base: Fit, counts: Counts) -> Step:
    """Leave out γ with the tie cells kept, and try the rival laws."""
    bare = BradleyTerry(ties="none").fit(counts.whole)
    at = np.array([base.names.index("g1")])
    tests = walds_by_ways(base, counts.ways, at)
    asked = Question(
        "ties need a parameter", "no sign that ties need a parameter", base.lr_test(bare), *tests
    )
    rows, refused = [_row("worths, γ = 0", bare)], {}
    for ties, name in RIVALS.items():
        try:
            rows.append(_row(f"worths + {name}", BradleyTerry(ties=ties).fit(counts.whole)))
        except (NotIdentified, NotConverged) as refusal:
            refused[f"worths + {name}"] = str(refusal.without_options())
    return Step(tuple(rows), (asked,), refused)


def step_order(base: Fit, counts: Counts) -> Step:
    """Estimate the advantage of being shown first."""
    name = "+ order"
    if not counts.whole.positions_known:
        return Step(refused={name: "the data do not say which output stood first"})
    try:
        fit = BradleyTerry(order_effect=True).fit(counts.whole)
    except (NotIdentified, NotConverged) as refusal:
        return Step(refused={name: str(refusal.without_options())})
    tests = walds_by_ways(fit, counts.ways, np.array([fit.names.index("order")]))
    says, lr = "order matters", fit.lr_test(base)
    asked = Question(says, f"no sign that {says}", lr, *tests, see="bias")
    return Step((_row(name, fit),), (asked,))


def step_covariate(base: Fit, counts: Counts, covariate: str) -> Step:
    """Give the levels of a covariate worths of their own, then tie parameters too."""
    kinds: tuple[Kind, ...] = ("worths", "ties") if base.likelihood.law.free else ("worths",)
    rows: list[ModelRow] = []
    questions: list[Question] = []
    for of in kinds:
        name, ties = f"+ {of} by {covariate}", (covariate,) if of == "ties" else ()
        try:
            fit = BradleyTerry(judge_covariates=(covariate,), tie_covariates=ties).fit(counts.whole)
            one = next((one for one in find_hypotheses(fit) if one.of == of), None)
        except (NotIdentified, NotConverged) as refusal:
            return Step(tuple(rows), tuple(questions), {name: str(refusal.without_options())})
        if one is None or one.lr is None:
            same = len(np.unique(counts.whole.factor(covariate).codes)) == 1
            why = f"{covariate} {'has one value only' if same else 'adds no parameter'}"
            return Step(tuple(rows), tuple(questions), {name: why})
        rows.append(_row(name, fit))
        says = f"{_SUBJECTS[of]} by {covariate}"
        tests = walds_of(one, counts.ways)
        see = f"fit {_OPTIONS[of]} {covariate}"
        questions.append(Question(says, f"no sign that {says}", one.lr, *tests, see=see))
    return Step(tuple(rows), tuple(questions))


def step_judges(base: Fit, counts: Counts) -> Step:
    """Let judges be drawn from a population of tastes."""
    name = "+ random judges"
    if counts.judges is None or counts.judges.factor("judge").size < POPULATION:
        return Step()
    if say_of_rankings(counts.ways, counts.whole):
        return Step(refused={name: _OF_RANKINGS})
    try:
        fit = RandomJudges().fit(counts.judges)
    except (NotIdentified, NotConverged) as refusal:
        return Step(refused={name: str(refusal.without_options())})
    if fit.lr_test is None:
        return Step(refused={name: _OF_RANKINGS})
    row = _criteria(name, base.n_parameters + 1, fit.loglik, base.n_judgments)
    asked = Question(
        f"judges differ in taste, by σ = {fit.sigma:.2f} in log-worth",
        "no sign that judges differ in taste",
        LRTest(fit.lr_test.statistic, 1, fit.lr_test.p),
        see="fit --model random-judges",
    )
    return Step((row,), (asked,))


def _row(name: str, fit: Fit) -> ModelRow:
    row = _criteria(name, fit.n_parameters, fit.loglik, fit.n_judgments)
    return replace(row, deviance=fit.deviance, df=fit.df)


def _criteria(name: str, parameters: int, loglik: float, n: float) -> ModelRow:
    aic, bic = -2 * loglik + 2 * parameters, -2 * loglik + parameters * float(np.log(n))
    return ModelRow(name, parameters, loglik, None, None, aic, bic)
