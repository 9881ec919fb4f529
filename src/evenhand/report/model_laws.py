"""Other models of the same judgments: cheap to fit, and tested where that is asked for."""

from __future__ import annotations

from typing import Final

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.coefficients import format_p
from evenhand.ranking.model_table import (
    Counts,
    ModelTable,
    answer_questions,
    tabulate_counts,
    tabulate_models,
)
from evenhand.report.document import Column, Table
from evenhand.report.study import Study

FEW: Final = 3_000  # Most comparisons of which the whole table is made by itself
SMALL: Final = 10  # Most systems of which it is
WEAK: Final = "; where judges are not known they take judgments for independent"
BASES: Final = (
    "Models that add something to worths and ties tell more cells apart, by side or judge: their"
    " deviance cannot be set beside the others', and is left out."
)


def compare_laws(study: Study) -> ModelTable | None:
    """Return models of the same judgments side by side; with tests only where those are cheap."""
    try:
        if tests_all(study):
            return tabulate_models(study.pairs)
        return tabulate_counts(Counts(study.tally, {}, None))
    except (NotIdentified, NotConverged, UnknownOption):
        return None


def tests_all(study: Study) -> bool:
    """Whether models are tested too: asked for, or few judgments of one task."""
    small = study.tally.n_comparisons <= FEW and len(study.tally.systems) <= SMALL
    return study.settings.full or (small and not study.task)


def say_models(study: Study, table: ModelTable | None) -> tuple[str, ...]:
    """Say what tests between models answer, or which is closest where there were none."""
    if table is None:
        return ()
    if tests_all(study):
        answers = answer_questions(table.questions)
        return tuple(
            f"{one.says[:1].upper()}{one.says[1:]} (p {format_p(one.p)})." for one in answers
        )
    return (
        f"Of the models compared below the closest for its size is “{table.best}” (AIC, which takes"
        " judgments for independent).",
    )


def note_tests(study: Study, table: ModelTable | None) -> tuple[str, ...]:
    """Say how models can be tested where they were not."""
    if table is None:
        return ()
    if tests_all(study):
        asked = table.questions
        weak = "" if all(one.walds for one in asked) else WEAK
        return (f"p of the models are adjusted for {len(asked)} tests (Holm){weak}.", BASES)
    command = study.write_command("models")
    return (f"Tests between models take longer: `{command}`, or the report with --full.", BASES)


def tabulate_laws(found: ModelTable | None) -> tuple[Table, ...]:
    """Return the table of models, smallest AIC at 0."""
    if found is None:
        return ()
    least = min(row.aic for row in found.rows)
    rows = tuple(
        {
            "model": row.name,
            "parameters": row.parameters,
            "deviance": row.deviance if row.name[:1] != "+" else None,
            "df": row.df if row.name[:1] != "+" else None,
            "aic": row.aic,
            "above": row.aic - least,
        }
        for row in found.rows
    )
    columns = (
        Column("model", "model"),
        Column("parameters", "parameters", "count"),
        Column("deviance", "deviance", "one"),
        Column("df", "df", "count", "degrees of freedom of the deviance"),
        Column("aic", "AIC", "one"),
        Column(
            "above",
            "above the smallest",
            "one",
            "small is good; it takes judgments for independent",
        ),
    )
    return (Table("models", "Models of the same judgments", columns, rows),)
