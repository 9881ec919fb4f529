"""A fit of any model, or one for each task, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import click

from evenhand.cli.coefficients import draw_table, tabulate_coefficients
from evenhand.cli.streams import visible
from evenhand.cli.terminal import label, plural, whole
from evenhand.cli.words import block, say_answers, sign
from evenhand.preference.coefficients import Coefficient
from evenhand.preference.models import Fitted, Model
from evenhand.ranking.signature import write_signature

FEW: Final = 12
"""Most worths that are listed: two lines of a terminal."""


@dataclass(frozen=True, eq=False)
class NamedFit:
    """A fit of a model of the registry.

    Attributes:
        model: its entry in the registry.
        fit: the fit.
        digest: of the counts.

    """

    model: Model
    fit: Fitted
    digest: str

    @property
    def signature(self) -> str:
        """One line that reproduces the fit."""
        parts = [self.model.name, *self.fit.signature_parts]
        return write_signature(parts, self.fit.n_judgments, self.digest)

    @property
    def extras(self) -> Mapping[str, Any]:
        """What the model has beside its coefficients; nothing where the fit has no such member."""
        return getattr(self.fit, "extras", {})

    @property
    def log_worths(self) -> dict[str, float]:
        """Log-worths by system, best first."""
        pairs = zip(self.fit.systems, self.fit.log_worth.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


@dataclass(frozen=True, eq=False)
class ModelResult:
    """What `evenhand fit --model NAME` found.

    Attributes:
        groups: fits by task; one without a name where there is one.
        refused: why some tasks have no fit.
        read: what was understood of the files, and what was left out.

    """

    groups: Mapping[str, NamedFit]
    refused: Mapping[str, str]
    read: Sequence[str]

    @property
    def grouped(self) -> bool:
        """Whether there are several tasks."""
        return "" not in self.groups

    def text(self, columns: int) -> str:
        """Return coefficient tables for people."""
        lines = block("read", self.read, columns)
        for name, one in self.groups.items():
            lines += _title(name, columns) if self.grouped else []
            lines += _draw(one, self._unsaid(one), columns)
        for name, why in self.refused.items():
            lines += [*_title(name, columns), label("error", why, columns, colour="red")]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a fit, or of tasks."""
        contracts = {n: _contract(one, self._unsaid(one)) for n, one in self.groups.items()}
        if self.grouped:
            return {"groups": contracts, "refused": dict(self.refused), "notes": [*self.read]}
        return {**contracts[""], "notes": [*self.read, *contracts[""]["notes"]]}

    def _unsaid(self, one: NamedFit) -> list[str]:
        """Return the notes of a fit that do not stand in `read` already."""
        return [note for note in one.fit.notes if note not in self.read]

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each coefficient and each extra number, the task first."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, one in self.groups.items()
            for row in [*map(asdict, one.fit.coefficients), *_extra_rows(one)]
        ]

    def latex(self) -> str:
        """Return one table for each fit."""
        return "\n".join(
            tabulate_coefficients(
                one.fit.coefficients,
                [*([name] if name else []), one.signature, *one.fit.says, *one.fit.notes],
            )
            for name, one in self.groups.items()
        )

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        said = [
            f"{name}: {note}" if name else note
            for name, one in self.groups.items()
            for note in one.fit.notes
        ]
        return [*said, *(f"{name} is not fitted: {why}" for name, why in self.refused.items())]


def _title(name: str, columns: int) -> list[str]:
    return ["", click.style(f"{visible(name)} ".ljust(columns, "─"), bold=True)]


def _draw(one: NamedFit, notes: Sequence[str], columns: int) -> list[str]:
    """Return everything about one fit."""
    fit = one.fit
    answers = say_answers(fit.n_judgments, fit.n_comparisons)
    worths = list(one.log_worths.items())
    listed = [", ".join(f"{name} {worth:z.4f}" for name, worth in worths)]
    return [
        label("", f"{answers}, {plural(len(fit.systems), 'system')}", columns),
        label("model", one.model.title, columns),
        "",
        *draw_table(fit.coefficients, columns),
        "",
        *block("fit", [f"loglik {fit.loglik:.4f}"], columns),
        *block("says", fit.says, columns),
        *block("worth", [f"log-worths: {listed[0]}"] if len(worths) <= FEW else [], columns),
        *(label("note", note, columns, colour="yellow") for note in notes),
        sign(one.signature, columns),
    ]


def _extra_rows(one: NamedFit) -> list[dict[str, Any]]:
    """Return extra numbers and pairs of numbers as rows; what is a coefficient stands there."""
    listed = {coefficient.name for coefficient in one.fit.coefficients}
    cells: dict[str, Any] = {}
    for name, value in one.extras.items():
        if not isinstance(value, list):
            cells[name] = value
        elif name.endswith("_interval"):
            cells |= {f"{name}_lower": value[0], f"{name}_upper": value[1]}
    return [
        asdict(Coefficient(name, "extra", value, None, None, None))
        for name, value in cells.items()
        if name not in listed
    ]


def _contract(one: NamedFit, notes: Sequence[str]) -> dict[str, Any]:
    """Return the JSON of one fit."""
    fit = one.fit
    return {
        "signature": one.signature,
        "model": one.model.name,
        "settings": list(fit.signature_parts),
        "scale": "lambda",
        "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
        "log_worths": one.log_worths,
        "worth_vcov": None if fit.worth_vcov is None else fit.worth_vcov.tolist(),
        "extras": dict(one.extras),
        "loglik": fit.loglik,
        "n_judgments": whole(float(fit.n_judgments)),
        "n_comparisons": whole(float(fit.n_comparisons)),
        "says": list(fit.says),
        "notes": list(notes),
    }
