"""How fits are shown: what they say, the table of coefficients, what limits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Protocol

from evenhand.data.results import Shown
from evenhand.models.coefficients import Coefficient
from evenhand.models.registry import MODELS, FittedModel, name_settings
from evenhand.models.texts import say
from evenhand.render.counts import plural, say_answers
from evenhand.render.document import Column, Document, Table, Text
from evenhand.render.findings import Finding, take_findings

LAMBDA: Final = "lambda"  # The scale of worths, twice which are log-worths
MAX_COEFFICIENTS: Final = 100  # Most coefficients that a terminal shows


class ShownFit(Shown):
    def document(self) -> Document:
        """Return what people read: what was found, coefficients, what limits them."""
        model = name_settings(self.model)  # type: ignore[attr-defined]
        return document_model(self, MODELS[model].title if model in MODELS else model)  # type: ignore[arg-type]


def document_model(fit: FittedModel, title: str, excluded_ties: float = 0.0) -> Document:
    """Return the document of any model, but for its signature.

    excluded_ties: ties that the model does not take.
    """
    scale = name_scale(fit)
    worths = dict(zip(fit.systems, fit.log_worth.tolist(), strict=True))
    counts = [say_answers(fit.n_judgments, fit.n_comparisons + excluded_ties)]
    counts += [f"{plural(excluded_ties, 'tie')} excluded"] if excluded_ties else []
    counts.append(plural(len(fit.systems), "system"))
    says = take_findings(fit.says)
    details = [one for one in says if one.severity == "info"]
    table = tabulate_coefficients(
        fit.coefficients, fit.systems, of_systems={"log_worth": worths}, scale=scale
    )
    return Document(
        basis=f"{', '.join(counts)}. Model: {title}. Log-likelihood {fit.loglik:,.4f}.",
        answer=tuple(one for one in says if one.severity != "info"),
        parts=(
            *([table] if fit.coefficients else []),
            *([Text("Details", tuple(details))] if details else []),
        ),
        findings=take_findings(fit.notes),
    )


def say_largest(fit: FittedModel) -> Finding:
    at = int(fit.log_worth.argmax())
    above = float(fit.log_worth[at] - fit.log_worth.mean())
    return say("largest", system=fit.systems[at], value=above)


def name_scale(fit: FittedModel) -> str:
    """Name what the estimates are: λ, half a log-worth, unless the fit says something else."""
    return getattr(fit, "scale", LAMBDA)


def tabulate_coefficients(
    coefficients: Sequence[Coefficient],
    systems: Sequence[str],
    *,
    of_systems: Mapping[str, Mapping[str, Any]],
    scale: str = LAMBDA,
    legend: Sequence[str] = (),
) -> Table:
    """Return the table of coefficients; CSV has those of `Coefficient` alone.

    of_systems: key → what else is known of each system, of MORE.
    """
    named = {f"o{place}": system for place, system in enumerate(systems, start=1)}

    def add(name: str) -> dict[str, Any]:
        return {key: known.get(named.get(name, "")) for key, known in of_systems.items()}

    rows = [{**asdict(one), **add(one.name)} for one in coefficients]
    columns = (
        Column("name", "name"),
        Column("label", "parameter", "name"),
        Column("estimate", "λ" if scale == LAMBDA else scale, "four"),
        *(one for one in ERRORS if any(row[str(one.key)] is not None for row in rows)),
        *(
            Column(key, title, "four", priority=2)
            for key, title in MORE.items()
            if key in of_systems
        ),
    )
    caption = "Coefficients (log-worth = 2λ)" if scale == LAMBDA else f"Estimates ({scale})"
    return Table(
        "coefficients",
        caption,
        columns,
        tuple(rows),
        limit=MAX_COEFFICIENTS,
        legend=tuple(legend),
        without=tuple(of_systems),
    )


# What not every model has
ERRORS: Final = (
    Column("stderr", "s.e.", "four"),
    Column("z", "z", "three", priority=3),
    Column("p", "p", "p"),
)
# What may be known of systems besides their coefficients, with its title
MORE: Final = {"quasi": "quasi s.e.", "worth": "worth", "log_worth": "log-worth"}


class TestedFit(Protocol):
    """A fit whose goodness is measured by its deviance."""

    @property
    def deviance(self) -> float: ...
    @property
    def df(self) -> int: ...
    @property
    def gof_p(self) -> float | None: ...
    @property
    def pearson(self) -> float: ...
    @property
    def loglik(self) -> float: ...
    @property
    def aic(self) -> float: ...
    @property
    def bic(self) -> float: ...


def tabulate_goodness(fit: TestedFit) -> Table:
    """Return how well a log-linear model fits, in one row."""
    from evenhand.numerics.distributions import chi2_tail

    row: dict[str, Any] = {"deviance": fit.deviance, "df": fit.df, "p": fit.gof_p}
    tested = fit.gof_p is not None
    if tested:
        row |= {"pearson": fit.pearson, "pearson_p": chi2_tail(fit.pearson, fit.df)}
    row |= {"loglik": fit.loglik, "aic": fit.aic, "bic": fit.bic}
    columns = (
        Column("deviance", "deviance", ",.4f"),
        Column("df", "df", "count"),
        *([Column("p", "p", "p")] if tested else []),
        *([Column("pearson", "Pearson X²", ",.4f", priority=2)] if tested else []),
        *([Column("pearson_p", "p", "p", priority=2)] if tested else []),
        Column("loglik", "loglik", ",.4f"),
        Column("aic", "AIC", "two"),
        Column("bic", "BIC", "two"),
    )
    legend = ("the model is saturated",) if fit.df == 0 else ()
    return Table("goodness", "Goodness of fit", columns, (row,), legend=legend)
