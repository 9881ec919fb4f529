"""A fit, or one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

import click

from evenhand.cli.coefficients import draw_coefficients, quasi_variances, tabulate_coefficients
from evenhand.cli.streams import visible
from evenhand.cli.terminal import label, plural, whole
from evenhand.cli.words import block, say_answers, say_model, say_systems, sign
from evenhand.errors import NotIdentified
from evenhand.judgments import Tally
from evenhand.numerics.distributions import chi2_tail
from evenhand.preference.coefficients import format_p
from evenhand.preference.fit import Fit
from evenhand.preference.summary import cautions
from evenhand.ranking.signature import exactly, name_model

DOUBTFUL = 0.05
THIN = 0.2
FEW = 12
"""Most worths that are listed: two lines of a terminal."""
INDEPENDENT = "(assuming independent judgments)"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit and the counts it was made of.

    Attributes:
        fit: the fit.
        tally: the counts before they were folded.

    """

    fit: Fit
    tally: Tally

    @property
    def signature(self) -> str:
        """One line that reproduces the fit."""
        from evenhand import __version__

        parts = [
            f"evenhand {__version__}",
            name_model(self.fit),
            *(f"by {covariate}" for covariate in self.fit.model.judge_covariates),
            *(["importance weights"] if self.tally.squares is not None else []),
            f"reference {self.reference}",
            f"n={exactly(self.tally.n_judgments)}",
            f"sha256 {self.tally.digest[:12]}",
        ]
        return " | ".join(parts)

    @property
    def reference(self) -> str:
        """The system whose coefficient is 0."""
        return self.fit.systems[self.fit.design.reference]

    @property
    def worths(self) -> dict[str, float] | None:
        """Worths, of the first group where there are groups; None if it did not see them all."""
        try:
            return self.fit.worths
        except NotIdentified:
            return None

    @property
    def notes(self) -> list[str]:
        """What must stand beside the numbers."""
        notes = [*self.fit.notes, *cautions(self.fit)]
        if self.tally.zero_weight:
            rows = plural(self.tally.zero_weight, "row")
            notes.append(f"{rows} of weight zero left out")
        if self.fit.vcov is None:
            systems = plural(len(self.fit.systems), "system")
            notes.append(f"{systems}: too many for standard errors; rank compares neighbours")
        home = self.fit.design.home
        if self.fit.model.judge_covariates and home is not None:
            first = self.fit.design.groups[home]
            notes.append(f"coefficients without a group are those of '{first}', as are worths")
        return notes


@dataclass(frozen=True, eq=False)
class FitResult:
    """What `evenhand fit` found.

    Attributes:
        groups: fits by group; one without a name where there are no groups.
        refused: why some groups have no fit.
        read: what was understood of the files, and what was left out.

    """

    groups: Mapping[str, Fitted]
    refused: Mapping[str, str]
    read: Sequence[str]

    @property
    def grouped(self) -> bool:
        """Whether there are groups."""
        return "" not in self.groups

    def text(self, columns: int) -> str:
        """Return coefficient tables for people."""
        lines = block("read", self.read, columns)
        for name, one in self.groups.items():
            if self.grouped:
                lines += ["", click.style(f"{visible(name)} ".ljust(columns, "─"), bold=True)]
            lines += _draw(one, columns)
        for name, why in self.refused.items():
            lines += ["", click.style(f"{visible(name)} ".ljust(columns, "─"), bold=True)]
            lines.append(label("error", why, columns, colour="red"))
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a fit, or of groups."""
        contracts = {name: _contract(one) for name, one in self.groups.items()}
        if self.grouped:
            return {"groups": contracts, "refused": dict(self.refused), "notes": [*self.read]}
        return {**contracts[""], "notes": [*self.read, *self.groups[""].notes]}

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each coefficient, its group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **asdict(coefficient)}
            for name, one in self.groups.items()
            for coefficient in one.fit.coefficients
        ]

    def latex(self) -> str:
        """Return one table for each fit."""
        tables = []
        for name, one in self.groups.items():
            said = [*([name] if name else []), one.signature, *_said(one), *one.notes]
            tables.append(tabulate_coefficients(one.fit, said))
        return "\n".join(tables)

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        said = [
            f"{name}: {note}" if name else note
            for name, one in self.groups.items()
            for note in one.notes
        ]
        return [*said, *(f"{name} is not fitted: {why}" for name, why in self.refused.items())]


def _draw(one: Fitted, columns: int) -> list[str]:
    """Return everything about one fit."""
    fit = one.fit
    tally = one.tally
    counts = [say_answers(tally.n_judgments, tally.n_comparisons)]
    counts += say_systems(len(fit.systems), tally.ties.sum(), tally.n_comparisons)
    model = f"{say_model(fit.model)}; λ scale (log-worth = 2λ), reference {one.reference}"
    return [
        label("", ", ".join(counts), columns),
        label("model", model, columns),
        "",
        *draw_coefficients(fit, columns),
        "",
        *block("fit", _said(one), columns),
        *block("odds", _odds(one), columns),
        *block("worth", _worths(one), columns),
        *(label("note", note, columns, colour="yellow") for note in one.notes),
        sign(one.signature, columns),
    ]


def _said(one: Fitted) -> list[str]:
    """Say how well the model fits, and what the numbers assume."""
    fit = one.fit
    said = [f"deviance {fit.deviance:.4f} on {fit.df} df{_goodness(fit)}"]
    if fit.gof_p is not None and fit.gof_p < DOUBTFUL:
        said.append("the judgments differ from the model by more than chance, if independent")
    if fit.gof_p is not None and fit.thin > THIN:
        part = f"{100 * fit.thin:.0f} %"
        said.append(f"{part} of cells expect fewer than 5: both p-values are rough")
    said.append(f"loglik {fit.loglik:.4f}")
    said.append(f"AIC {fit.aic:.4f}, BIC {fit.bic:.4f} {INDEPENDENT}")
    quasi = quasi_variances(fit)
    if quasi is not None:
        worst_of_all = (quasi.worst_pair, *quasi.worst_contrast)
        pair, low, high = (f"{100 * one:z.0f}" for one in worst_of_all)
        worst = f"{pair} % for a pair, {low} to {high} %"
        said.append(f"quasi s.e. compare any two systems; worst error {worst} for a contrast")
    return said


def _goodness(fit: Fit) -> str:
    if fit.gof_p is None:
        return " (the model is saturated)" if fit.df == 0 else " (no χ²: no p-value)"
    pearson = f"Pearson X² {fit.pearson:.4f}, p {format_p(chi2_tail(fit.pearson, fit.df))}"
    return f", p {format_p(fit.gof_p)}; {pearson}"


def _worths(one: Fitted) -> list[str]:
    """List worths, largest first, where there are not too many for a line or two."""
    worths = sorted((one.worths or {}).items(), key=itemgetter(1), reverse=True)
    return (
        [", ".join(f"{name} {worth:.4f}" for name, worth in worths)] if len(worths) <= FEW else []
    )


def _odds(one: Fitted) -> list[str]:
    """Say the odds where there is one pair only."""
    worths = sorted((one.worths or {}).items(), key=itemgetter(1), reverse=True)
    if len(worths) != 2:
        return []
    (better, more), (other, less) = worths
    return [f"{more / less:.2f} to 1 that {better} is preferred to {other}"]


def _contract(one: Fitted) -> dict[str, Any]:
    """Return the JSON of one fit."""
    fit = one.fit
    return {
        "signature": one.signature,
        "model": say_model(fit.model),
        "settings": _settings(one),
        "scale": "lambda",
        "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
        "aliased": list(fit.design.aliased),
        "loglik": fit.loglik,
        "deviance": fit.deviance,
        "df": fit.df,
        "gof_p": fit.gof_p,
        "pearson": fit.pearson,
        "aic": fit.aic,
        "bic": fit.bic,
        "n_judgments": whole(one.tally.n_judgments),
        "n_comparisons": whole(one.tally.n_comparisons),
        "worths": one.worths,
        "quasi_variances": _quasi(fit),
        "notes": one.notes,
    }


def _settings(one: Fitted) -> dict[str, Any]:
    model = one.fit.model
    return {
        "ties": model.ties,
        "order_effect": model.order_effect,
        "judge_covariates": list(model.judge_covariates),
        "reference": one.reference,
        "prior": model.prior,
    }


def _quasi(fit: Fit) -> dict[str, Any] | None:
    quasi = quasi_variances(fit)
    if quasi is None:
        return None
    return {
        "variances": dict(zip(quasi.systems, quasi.variances.tolist(), strict=True)),
        "worst_pair": quasi.worst_pair,
        "worst_contrast": list(quasi.worst_contrast),
    }
