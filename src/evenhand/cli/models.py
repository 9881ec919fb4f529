"""`evenhand models`: which model do the judgments ask for?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evenhand.cli.options import (
    COVARIATES,
    covariate_option,
    group_option,
    join_options,
    join_tables,
    output_options,
    reading_options,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, first_fitting, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.cli.terminal import block, label, say_end, say_tally
from evenhand.data.exclusions import write_excluded
from evenhand.models.coefficients import format_p
from evenhand.ranking.model_table import ModelTable, Question
from evenhand.ranking.wald import WaldTest
from evenhand.report.latex import escape


@verb(
    "evenhand models votes.csv",
    "evenhand models votes.csv --judge-covariate native_language",
    "evenhand models votes.csv --judges judges.csv --judge-covariate native",
    "evenhand models wmt12.RNK_results.csv --task fr-en",
)
@reading_options
@join_options
@group_option
@covariate_option
@output_options
def models(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    judge_covariates: tuple[str, ...],
) -> None:
    """Fit nested and rival models and say which the judgments ask for.

    Each model adds one thing to an earlier one: worths, a tie parameter, the
    order on the screen, judges. A likelihood-ratio test says what it adds, and
    a cluster-robust test beside it allows for judges and items who give many
    answers.
    """
    reading, place = take_reading(), take_output(judges, items)
    from evenhand.ranking.model_table import count_models, tabulate_counts

    with ProgressDisplay("fitting"):
        data, used = reading.open_comparisons("models"), (*judge_covariates, group_by)
        data = join_tables(data, judges, items, used=used, options=COVARIATES)
        covariates = tuple(map(data.require, judge_covariates)) or None
        groups = count_models(data, covariates=covariates, group_by=group_by)
        alone = group_by is None and len(groups) == 1
        results, refused = work_on_groups(groups, tabulate_counts, alone=alone)
        remarks = remarks_on(data)

    place.deliver(ModelsResult(results, refused, remarks))


INDEPENDENT = "deviance, AIC, BIC and LR assume independent judgments"
# How long the title of parameters is, and decimals of the deviance: the first that fits
LAYOUTS = (("parameters", 4), ("par.", 4), ("par.", 2), ("par.", 0))


class ModelsResult(GroupedResult[ModelTable]):
    lacking = "has no table"

    def draw(self, part: ModelTable, columns: int) -> list[str]:
        tally = part.tally
        systems, ties = len(tally.systems), float(tally.ties.sum())
        counts = say_tally(tally.n_judgments, tally.n_comparisons, systems, ties)
        return [
            label("", counts, columns),
            "",
            *first_fitting(
                (draw_table(_choose_columns(*layout), part.rows) for layout in LAYOUTS),
                columns,
            ),
            "",
            *(line for answer in _answers(part) for line in block("test", [answer], columns)),
            *(label("says", one, columns, colour="green") for one in part.says),
            *say_end(_notes(part), part.signature, columns),
        ]

    def describe(self, part: ModelTable) -> dict[str, Any]:
        tally = part.tally
        return {
            "signature": part.signature,
            "excluded": write_excluded(part.excluded),
            "models": [asdict(row) for row in part.rows],
            "tests": [
                {
                    "answer": one.answer,
                    "p": one.p,
                    "lr": asdict(one.lr),
                    "wald": [asdict(wald) for wald in one.walds],
                    "notes": list(one.notes),
                }
                for one in part.questions
            ],
            "best_aic": part.best,
            "says": list(part.says),
            "refused": dict(part.refused),
            "n_judgments": tally.n_judgments,
            "n_comparisons": tally.n_comparisons,
            "systems": list(tally.systems),
            "notes": [*_cautions(part), *part.notes],
        }

    def rows(self, part: ModelTable) -> list[dict[str, Any]]:
        return [asdict(row) for row in part.rows]

    def tabulate(self, part: ModelTable) -> str:
        return tabulate(_choose_columns(), [part.rows], [part.signature, *self.say(part)])

    def say(self, part: ModelTable) -> list[str]:
        return [*_answers(part), *part.says, *_notes(part)]


def _choose_columns(parameters: str = "parameters", digits: int = 2) -> tuple[Column, ...]:
    """Return the columns, the deviance to so many decimals, criteria to two at most."""
    fewer = f",.{min(digits, 2)}f"
    return (
        Column("model", "name", typeset=lambda name: escape(name).replace("γ", r"$\gamma$")),
        Column.number(parameters, "parameters"),
        Column.number("deviance", "deviance", f",.{digits}f"),
        Column.number("df", "df", ",", typeset=str),
        Column.number("AIC", "aic", fewer),
        Column.number("BIC", "bic", fewer),
    )


def _answers(table: ModelTable) -> list[str]:
    shared = _shared(table)
    return [_say(one, shared) for one in table.questions]


def _shared(table: ModelTable) -> list[str]:
    """Return the notes that stand with every one of several tests: they are said once, below."""
    first, *others = table.questions or (None,)
    if first is None or not others:
        return []
    return [note for note in first.notes if all(note in one.notes for one in others)]


def _say(one: Question, shared: Sequence[str]) -> str:
    tests = [f"LR {one.lr.statistic:,.2f} on {one.lr.df} df, p {format_p(one.lr.p)}"]
    tests += [_say_wald(wald) for wald in one.walds]
    tests += [note for note in one.notes if note not in shared]
    return f"{one.answer}: {'; '.join(tests)}"


def _say_wald(wald: WaldTest) -> str:
    return (
        f"by {wald.cluster} F {wald.statistic:,.2f} on {wald.df[0]} and {wald.df[1]:.1f} df,"
        f" p {format_p(wald.p)}"
    )


def _notes(table: ModelTable) -> list[str]:
    refused = [f"{name}: no fit: {why}" for name, why in table.refused.items()]
    return [*_shared(table), *_cautions(table), *refused, *table.notes]


def _cautions(table: ModelTable) -> list[str]:
    robust = any(one.walds for one in table.questions)
    decides = "; the clustered test decides where there is one" if robust else ""
    sentences = [INDEPENDENT + decides]
    # Say which rows have a deviance from a table with more cells than the first rows have
    names = [row.name for row in table.rows if row.deviance is not None]
    found = ["of + order"] if "+ order" in names else []
    by = [one for one in table.tally.factors if any(name.endswith(f" by {one}") for name in names)]
    finer = [*found, *(f"by {one}" for one in by)]
    if finer:
        sentences.append(
            f"deviances {' and '.join(finer)} are of finer tables of counts, not to be set against"
            " the others: compare by LR or AIC"
        )
    if any(row.deviance is None for row in table.rows):
        sentences.append("random judges are fitted to a marginal likelihood, which has no deviance")
    return sentences
