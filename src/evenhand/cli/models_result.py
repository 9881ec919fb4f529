"""A table of models, or one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import align, label, width
from evenhand.cli.words import block, say_answers, say_systems, sign
from evenhand.judgments.exclusions import write_excluded
from evenhand.models.coefficients import format_p
from evenhand.ranking.model_table import ModelRow, ModelTable, Question
from evenhand.ranking.wald import WaldTest
from evenhand.report.tables.latex import NONE, escape, number, tabular

INDEPENDENT = "deviance, AIC, BIC and LR assume independent judgments"
TITLES = ("model", "parameters", "deviance", "df", "AIC", "BIC")


class ModelsResult(GroupedResult[ModelTable]):
    """What `evenhand models` found: a table of models for each group."""

    lacking = "has no table"

    def draw(self, part: ModelTable, columns: int) -> list[str]:
        """Return everything about one group."""
        return _draw(part, columns)

    def describe(self, part: ModelTable) -> dict[str, Any]:
        """Return the JSON of one table."""
        return _contract(part)

    def rows(self, part: ModelTable) -> list[dict[str, Any]]:
        """Return one row for each model."""
        return [asdict(row) for row in part.rows]

    def tabulate(self, name: str, part: ModelTable) -> str:
        """Return the table for a paper, the tests as comments."""
        return _tabulate(name, part)

    def say(self, part: ModelTable) -> list[str]:
        """Return what the tests answer, and what all numbers assume."""
        return [*_answers(part), *part.says, *_notes(part)]


def _draw(table: ModelTable, columns: int) -> list[str]:
    """Return everything about one group."""
    tally = table.tally
    counts = [say_answers(tally.n_judgments, tally.n_comparisons)]
    counts += say_systems(len(tally.systems), tally.ties.sum(), tally.n_comparisons)
    lines = _table(table, columns)
    return [
        label("", ", ".join(counts), columns),
        "",
        click.style(lines[0], dim=True),
        *lines[1:],
        "",
        *(line for said in _answers(table) for line in block("test", [said], columns)),
        *(label("says", one, columns, colour="green") for one in table.says),
        *(label("note", note, columns, colour="yellow") for note in _notes(table)),
        sign(table.signature, columns),
    ]


def _table(table: ModelTable, columns: int) -> list[str]:
    """Return the table, titles first, with as many decimals as there is room for."""
    lines: list[str] = []
    for short, digits in (("parameters", 4), ("par.", 4), ("par.", 2), ("par.", 0)):
        titles = [short if title == "parameters" else title for title in TITLES]
        rows = align([titles, *(_cells(row, digits) for row in table.rows)], left=(0,))
        lines = [" " + "  ".join(row).rstrip() for row in rows]
        if max(map(width, lines)) <= columns:
            break
    return lines


def _cells(row: ModelRow, digits: int) -> tuple[str, ...]:
    """Return a line of the table, the deviance to so many decimals, criteria to two at most."""
    fewer = min(digits, 2)
    return (
        row.name,
        str(row.parameters),
        "—" if row.deviance is None else f"{row.deviance:,.{digits}f}",
        "—" if row.df is None else f"{row.df:,}",
        f"{row.aic:,.{fewer}f}",
        f"{row.bic:,.{fewer}f}",
    )


def _answers(table: ModelTable) -> list[str]:
    """Say what each test answers, and by which numbers."""
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
    """Say what the numbers assume, and which models have no fit."""
    refused = [f"{name}: no fit: {why}" for name, why in table.refused.items()]
    return [*_shared(table), *_cautions(table), *refused, *table.notes]


def _cautions(table: ModelTable) -> list[str]:
    """Say what the numbers assume."""
    robust = any(one.walds for one in table.questions)
    decides = "; the clustered test decides where there is one" if robust else ""
    said = [INDEPENDENT + decides]
    finer = _finer(table)
    if finer:
        said.append(
            f"deviances {' and '.join(finer)} are of finer tables of counts, not to be set against"
            " the others: compare by LR or AIC"
        )
    if any(row.deviance is None for row in table.rows):
        said.append("random judges are fitted to a marginal likelihood, which has no deviance")
    return said


def _finer(table: ModelTable) -> list[str]:
    """Say which rows have a deviance from a table with more cells than the first rows have."""
    names = [row.name for row in table.rows if row.deviance is not None]
    found = ["of + order"] if "+ order" in names else []
    by = [one for one in table.tally.factors if any(name.endswith(f" by {one}") for name in names)]
    return [*found, *(f"by {one}" for one in by)]


def _contract(table: ModelTable) -> dict[str, Any]:
    """Return the JSON of one table."""
    tally = table.tally
    return {
        "signature": table.signature,
        "excluded": write_excluded(table.excluded),
        "models": [asdict(row) for row in table.rows],
        "tests": [
            {
                "answer": one.answer,
                "p": one.p,
                "lr": asdict(one.lr),
                "wald": [asdict(wald) for wald in one.walds],
                "notes": list(one.notes),
            }
            for one in table.questions
        ],
        "best_aic": table.best,
        "says": list(table.says),
        "refused": dict(table.refused),
        "n_judgments": tally.n_judgments,
        "n_comparisons": tally.n_comparisons,
        "systems": list(tally.systems),
        "notes": [*_cautions(table), *table.notes],
    }


def _tabulate(name: str, table: ModelTable) -> str:
    """Return the table for a paper, the tests as comments."""
    header = ("model", "parameters", "deviance", "df", "AIC", "BIC")
    rows = [
        (
            escape(row.name).replace("γ", r"$\gamma$"),
            str(row.parameters),
            number(row.deviance, 2),
            NONE if row.df is None else str(row.df),
            number(row.aic, 2),
            number(row.bic, 2),
        )
        for row in table.rows
    ]
    comments = [*([name] if name else []), table.signature, *_answers(table)]
    return tabular("lrrrrr", header, [rows], [*comments, *table.says, *_notes(table)])
