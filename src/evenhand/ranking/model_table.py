"""Which model: nested and rival models of the same judgments in one table (Dras 2015, section 5).

Each model adds one thing to an earlier one, so that one test answers one question; rival laws of
ties are no special cases of each other, and AIC and BIC compare them (docs/models/which-model.md).
Half-wins and discarded ties are not in the table: their likelihoods are of other outcomes, which no
number here compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    require_pairs,
    say_left_out,
)
from evenhand.data.exclusions import (
    Exclusion,
    list_findings,
    sign_excluded,
    write_contract,
    write_document,
)
from evenhand.data.groups import choose_groups, count_levels, say_pooled, tally_groups
from evenhand.data.joining import note_llm_names
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.tally import Tally, take_names
from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import LRTest
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit, Kind, cautions, find_hypotheses
from evenhand.models.random_judges import RandomJudges
from evenhand.models.registry import Ties
from evenhand.ranking.fitted import (
    WaldTest,
    count_ways,
    run_hypothesis_tests,
    run_wald_tests,
    say_of_rankings,
)
from evenhand.ranking.inference import sign_covariates
from evenhand.ranking.sides import REMEDY, find_one_sided
from evenhand.ranking.texts import INSEPARABLE, say
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    begin_sentence,
    say_tally,
    write_signature,
)

LEVEL: Final = 0.05  # P-value below which a question is answered with yes


@dataclass(frozen=True)
class ModelRow:
    name: str  # what it adds, in words
    parameters: int  # number of free parameters
    loglik: float  # log-likelihood (nats)
    deviance: float | None  # against a saturated model of its table; None if marginal
    df: int | None  # residual degrees of freedom of that table; None likewise
    aic: float  # −2ℓ + 2p
    bic: float  # −2ℓ + p log n, n judgments


@dataclass(frozen=True)
class Question:
    subject: str  # systems, ties, order, worths, tie-share or judges
    yes: str  # the answer if the smaller model is rejected
    lr: LRTest  # the likelihood-ratio test; it assumes independent judgments
    walds: tuple[WaldTest, ...] = ()  # cluster-robust tests, one for each way
    notes: tuple[str, ...] = ()  # why a way of clustering has no test
    see: str = ""  # the command that says more if the answer is yes, or nothing

    @property
    def p(self) -> float:
        """The p-value that decides: the largest robust one, else the likelihood ratio's."""
        return max((one.p for one in self.walds), default=self.lr.p)

    @property
    def answer(self) -> str:
        return self.yes if self.p <= LEVEL else f"not significant at .05: {self.yes}"


@dataclass(frozen=True, eq=False, repr=False)
class ModelTable(Shown):
    """Models of the same judgments side by side."""

    rows: tuple[ModelRow, ...]  # the models, each after those it extends
    questions: tuple[Question, ...]  # what their comparison answers
    refused: Mapping[str, str]  # model → why it has no fit
    notes: tuple[str, ...]  # what else should be known
    tally: Tally  # the counts, by covariate
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def best(self) -> str:
        """The model of smallest AIC."""
        return min(self.rows, key=lambda row: row.aic).name

    @property
    def says(self) -> tuple[str, ...]:
        """What the tests answer with what to do next, and what AIC and BIC prefer."""
        questions = self.questions
        sure = [question for question in questions if question.p <= LEVEL]
        sentences = []
        for start, unclustered in (("", False), ("if judgments are independent, ", True)):
            # whether judgments are clustered, and no way of clustering has a test
            alike = [one for one in sure if (bool(one.notes) and not one.walds) is unclustered]
            answers = [one.yes + (f" (see {one.see})" if one.see else "") for one in alike]
            if not unclustered:
                answers += [one.answer for one in questions[:1] if one not in sure]
            if answers:
                sentences.append(f"{begin_sentence(start + '; '.join(answers))}.")
        least, schwarz = min(row.aic for row in self.rows), min(self.rows, key=lambda row: row.bic)
        level = [row.name for row in self.rows if f"{row.aic:.2f}" == f"{least:.2f}"]
        differs = schwarz.name not in level
        code = f"aic{'-equal' * (len(level) > 1)}{'-bic' * differs}"
        values = {"bic": schwarz.name} if differs else {}
        return (*sentences, say(code, models=" and ".join(level), **values))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What must stand beside the numbers."""
        findings = [say(code, "info", **values) for code, values in self._list_cautions()]
        refused = [say("no-fit", model=name, why=why) for name, why in self.refused.items()]
        return list_findings([*self._shared, *findings, *refused, *self.notes], self.excluded)

    @property
    def _shared(self) -> list[str]:
        """Return the notes that stand with every one of several tests: they are said once."""
        first, *others = self.questions or (None,)
        if first is None or not others:
            return []
        return [note for note in first.notes if all(note in one.notes for one in others)]

    def _list_cautions(self) -> list[tuple[str, dict[str, Any]]]:
        robust = any(one.walds for one in self.questions)
        cautions: list[tuple[str, dict[str, Any]]] = [
            ("independent-except" if robust else "criteria-independent", {})
        ]
        # rows with a deviance from a table with more cells than the first rows have
        names = [row.name for row in self.rows if row.deviance is not None]
        finer = ["of + order"] if "+ order" in names else []
        subjects = [f"+ {of} by " for of in ("worths", "ties")]
        finer += [
            f"by {one}"
            for one in self.tally.factors
            if any(subject + one in names for subject in subjects)
        ]
        if finer:
            cautions.append(("finer-tables", {"models": " and ".join(finer)}))
        if any(row.deviance is None for row in self.rows):
            cautions.append(("marginal", {}))
        return cautions

    @property
    def signature(self) -> str:
        """One line that reproduces the table."""
        parts = ["models", *(f"by {name}" for name in self.tally.factors)]
        parts += sign_covariates(self.tally, self.tally.factors, {})
        signature = write_signature(parts, self.tally.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of the table."""
        return {
            **write_contract(self, "says", findings=self.findings),
            "models": [asdict(row) for row in self.rows],
            "tests": [
                {
                    "answer": one.answer,
                    "p": one.p,
                    "lr": asdict(one.lr),
                    "wald": [asdict(wald) for wald in one.walds],
                    "notes": list(one.notes),
                }
                for one in self.questions
            ],
            "best_aic": self.best,
            "refused": dict(self.refused),
            "n_judgments": self.tally.n_judgments,
            "n_comparisons": self.tally.n_comparisons,
            "systems": list(self.tally.systems),
        }

    def document(self) -> Document:
        """Return what people read."""
        tally = self.tally
        counts = say_tally(
            tally.n_judgments, tally.n_comparisons, len(tally.systems), float(tally.ties.sum())
        )
        independent, *legend = (say(code, **values) for code, values in self._list_cautions())
        columns = (
            Column("name", "model"),
            Column("parameters", "parameters", "count"),
            Column("deviance", "deviance", "four", priority=3),
            Column("df", "df", "count", priority=3),
            Column("aic", "AIC", "two"),
            Column("bic", "BIC", "two"),
        )
        rows = tuple(asdict(row) for row in self.rows)
        table = Table("models", "Models of the same judgments", columns, rows, legend=tuple(legend))
        basis = f"{counts}. {independent}"
        tests = [self._tabulate_tests()] if self.questions else []
        return write_document(self, table, *tests, basis=basis, findings=self.findings)

    def _tabulate_tests(self) -> Table:
        clusters = dict.fromkeys(wald.cluster for one in self.questions for wald in one.walds)
        rows = []
        for one in self.questions:
            walds: dict[str, float | None] = {f"p {name}": None for name in clusters}
            walds |= {f"p {wald.cluster}": wald.p for wald in one.walds}
            lr = {"lr": one.lr.statistic, "df": one.lr.df, "p": one.lr.p}
            rows.append({"question": one.yes, **lr, **walds})
        notes: dict[str, list[str]] = {}
        for one in self.questions:
            for note in one.notes:
                if note not in self._shared:
                    notes.setdefault(note, []).append(one.yes)
        return Table(
            "tests",
            "Tests of what each model adds",
            (
                Column("question", "test"),
                Column("lr", "LR", "two"),
                Column("df", "df", "count"),
                Column("p", "p", "p"),
                *(Column(f"p {one}", f"p by {one}", "p") for one in clusters),
            ),
            tuple(rows),
            legend=tuple(f"{', '.join(whose)}: {note}" for note, whose in notes.items()),
        )


BASE_MODEL: Final = "worths + ties"
RIVAL_MODELS: Final[Mapping[Ties, str]] = {"rao-kupper": "Rao-Kupper", "glenn-david": "Glenn-David"}
# What depends on a covariate → its subject, what is said of it, and the option of `fit`
_KINDS: Final[Mapping[Kind, tuple[str, str, str]]] = {
    "worths": ("worths", "worths differ", "--judge-covariate"),
    "ties": ("tie-share", "the share of ties differs", "--tie-covariate"),
}
_OF_RANKINGS: Final = (
    "comparisons of one ranking are correlated, which sigma takes for taste: neither its test nor"
    " its AIC would mean anything; fit --model random-judges tests it by permuting rankings between"
    " judges"
)
MIN_JUDGES_OF_POPULATION: Final = 5  # Fewest judges from whom a spread between judges is estimated


@dataclass(frozen=True, eq=False)
class Counts:
    whole: Tally  # by covariate
    by_clustering: Mapping[str, Tally]  # way of clustering → by covariate and by that way
    judges: Tally | None  # by judge, or None where judges are not known
    notes: tuple[str, ...] = ()  # what is known of the table that they come from


Refused = dict[str, str]  # model → why it has no fit
Found = tuple[list[ModelRow], list[Question]]


def fit_or_refuse(name: str, model: Any, tally: Tally, refused: Refused) -> Any:
    try:
        return model.fit(tally)
    except (NotIdentified, NotConverged) as refusal:
        refused[name] = str(refusal.without_options())
        return None


def start(base: Fit, counts: Counts) -> Found:
    """Put the model of equal worths below the worths."""
    lr = base.lr_test_equal_worths
    row = _row(BASE_MODEL if base.likelihood.law.free else "worths", base)
    if lr is None:
        return [row], []
    loglik = base.loglik - lr.statistic / 2
    equal = _criteria("equal worths", base.n_parameters - lr.df, loglik, base.n_judgments)
    equal = replace(equal, deviance=base.deviance + lr.statistic, df=base.df + lr.df)
    tests = run_wald_tests(base, counts.by_clustering, np.arange(lr.df))
    return [equal, row], [Question("systems", "systems differ", lr, *tests)]


def step_ties(base: Fit, counts: Counts, refused: Refused) -> Found:
    """Leave out γ with the tie cells kept, and try the rival laws."""
    bare = BradleyTerry(ties="none").fit(counts.whole)
    tests = run_wald_tests(base, counts.by_clustering, np.array([base.names.index("g1")]))
    question = Question("ties", "ties need a parameter", base.lr_test(bare), *tests)
    rows = [_row("worths, γ = 0", bare)]
    for ties, law in RIVAL_MODELS.items():
        name = f"worths + {law}"
        fit = fit_or_refuse(name, BradleyTerry(ties=ties), counts.whole, refused)
        rows += [] if fit is None else [_row(name, fit)]
    return rows, [question]


def step_order(base: Fit, counts: Counts, refused: Refused) -> Found:
    name = "+ order"
    if not counts.whole.positions_known:
        refused[name] = "the data do not say which output stood first"
        return [], []
    if not find_one_sided(counts.whole, None).separable:
        refused[name] = f"{INSEPARABLE}; {REMEDY}"
        return [], []
    fit = fit_or_refuse(name, BradleyTerry(order_effect=True), counts.whole, refused)
    if fit is None:
        return [], []
    tests = run_wald_tests(fit, counts.by_clustering, np.array([fit.names.index("order")]))
    question = Question("order", "order matters", fit.lr_test(base), *tests, see="bias")
    return [_row(name, fit)], [question]


def step_covariate(base: Fit, counts: Counts, covariate: str, refused: Refused) -> Found:
    """Give the levels of a covariate worths of their own, then tie parameters too."""
    kinds: tuple[Kind, ...] = ("worths", "ties") if base.likelihood.law.free else ("worths",)
    rows: list[ModelRow] = []
    questions: list[Question] = []
    for of in kinds:
        name, ties = f"+ {of} by {covariate}", (covariate,) if of == "ties" else ()
        model = BradleyTerry(judge_covariates=(covariate,), tie_covariates=ties)
        fit = fit_or_refuse(name, model, counts.whole, refused)
        if fit is None:
            break
        one = next((one for one in find_hypotheses(fit) if one.of == of), None)
        if one is None or one.lr is None:
            same = len(np.unique(counts.whole.factor(covariate).codes)) == 1
            refused[name] = f"{covariate} {'has one value only' if same else 'adds no parameter'}"
            break
        rows.append(_row(name, fit))
        subject, says, option = _KINDS[of]
        tests, see = run_hypothesis_tests(one, counts.by_clustering), f"fit {option} {covariate}"
        questions.append(Question(subject, f"{says} by {covariate}", one.lr, *tests, see=see))
    return rows, questions


def step_judges(base: Fit, counts: Counts, refused: Refused) -> Found:
    """Let judges be a random sample of a population of tastes."""
    name, judges = "+ random judges", counts.judges
    if judges is None or judges.factor("judge").size < MIN_JUDGES_OF_POPULATION:
        return [], []
    fit = None
    if not say_of_rankings(counts.by_clustering, counts.whole):
        fit = fit_or_refuse(name, RandomJudges(), judges, refused)
        if fit is None:
            return [], []
    if fit is None or fit.lr_test is None:
        refused[name] = _OF_RANKINGS
        return [], []
    row = _criteria(name, base.n_parameters + 1, fit.loglik, base.n_judgments)
    question = Question(
        "judges",
        f"judges differ in taste (σ = {fit.sigma:.2f})",
        LRTest(fit.lr_test.statistic, 1, fit.lr_test.p),
        see="fit --model random-judges",
    )
    return [row], [question]


def _row(name: str, fit: Fit) -> ModelRow:
    row = _criteria(name, fit.n_parameters, fit.loglik, fit.n_judgments)
    return replace(row, deviance=fit.deviance, df=fit.df)


def _criteria(name: str, parameters: int, loglik: float, n: float) -> ModelRow:
    aic, bic = -2 * loglik + 2 * parameters, -2 * loglik + parameters * float(np.log(n))
    return ModelRow(name, parameters, loglik, None, None, aic, bic)


MAX_JUDGES_AS_COVARIATE: Final = 12  # Most judges who get worths of their own unasked


@carries_excluded(*OF_SYSTEMS)
def tabulate_models(
    data: Comparisons | Rankings | Openable, *, covariates: Sequence[str] | None = None
) -> ModelTable:
    """Fit nested and rival models and test the steps between them.

    Args:
        data: comparisons or rankings, of one task.
        covariates: judge (or item) covariates whose levels may have worths of their own; by default
            the judges themselves where there are 2 to 12.

    Raises:
        NotIdentified: not even the worths are determined; says what to collect.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: a covariate that is not there.
        UnknownOption: importance weights.

    >>> from evenhand import datasets, read
    >>> import polars as pl
    >>> one = datasets.load("dras2015_table1")
    >>> data = read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))
    >>> for question in tabulate_models(data).questions:
    ...     print(f"{question.lr.statistic:.2f} on {question.lr.df}: {question.answer}")
    670.82 on 3: systems differ
    190.49 on 1: ties need a parameter
    173.41 on 9: worths differ by judge
    5.95 on 3: not significant at .05: the share of ties differs by judge
    """
    refusal = "models of preference are fitted to comparisons or rankings, not to"
    table = require_pairs(data, refusal, "estimate_components says what differs in scores")
    groups = count_models(table, covariates=covariates)
    if len(groups) > 1:
        raise InvalidJudgments(
            f"{table.source.name} has {len(groups)} tasks: choose one, data.select_task('...')"
        )
    models = tabulate_counts(next(iter(groups.values())))
    return replace(models, notes=(*say_left_out(data, table), *models.notes))


def count_models(
    table: Comparisons, *, covariates: Sequence[str] | None = None, group_by: str | None = None
) -> dict[str, Counts]:
    """Count judgments in the ways that the table needs, by group; all under "" without groups."""
    if table.weights == "importance":
        raise UnknownOption(
            "importance weights have no likelihood, so that models cannot be compared by one: take"
            " weights for counts of judgments, or leave them out"
        )
    by = choose_groups(table, group_by)
    known = table.has("judge") and by != "judge"
    if covariates is not None:
        names = tuple(table.require(name) for name in take_names(covariates))
    else:
        few = known and 2 <= len(count_levels(table, "judge")) <= MAX_JUDGES_AS_COVARIATE
        names = ("judge",) if few else ()
    if by is not None and by in names:
        column = table.source.named(by)
        raise UnknownOption(f"column '{column}' tells groups apart: it cannot be a covariate too")
    clustered, notes = count_ways(table, by, names), say_pooled(table, by)
    judges = tally_groups(table, by, ("judge",)) if known else {}
    names_of = (one.factor("judge").labels for one in judges.values())
    notes += note_llm_names(sorted({*chain.from_iterable(names_of)}), table.columns)
    return {
        name: Counts(whole, clustered.get(name, {}), judges.get(name), notes)
        for name, whole in tally_groups(table, by, names).items()
    }


def tabulate_counts(counts: Counts) -> ModelTable:
    try:
        base = BradleyTerry().fit(counts.whole)
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None
    refused: Refused = {}
    steps = [
        start(base, counts),
        *([step_ties(base, counts, refused)] if base.likelihood.law.free else []),
        step_order(base, counts, refused),
        *(step_covariate(base, counts, name, refused) for name in counts.whole.factors),
        step_judges(base, counts, refused),
    ]
    sides = find_one_sided(counts.whole, None)
    of_sides = sides.notes if sides.separable else ()  # else "+ order" is refused for that reason
    return ModelTable(
        rows=tuple(row for rows, _ in steps for row in rows),
        questions=tuple(one for _, questions in steps for one in questions),
        refused=refused,
        notes=tuple(dict.fromkeys([*counts.notes, *of_sides, *base.notes, *cautions(base)])),
        tally=counts.whole,
    )
