"""A fit of any model, or one for each task, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from evenhand.cli.coefficients import LAMBDA, draw_table, tabulate_coefficients
from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import label, plural, whole
from evenhand.cli.words import block, say_answers, sign
from evenhand.judgments.exclusions import Exclusion, sign_excluded, write_excluded
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.models.coefficients import Coefficient
from evenhand.models.registry import FittedModel, Model

FEW: Final = 12  # Most worths that are listed: two lines of a terminal


@dataclass(frozen=True, eq=False)
class NamedFit:
    """A fit of a model of the registry."""

    model: Model  # its entry in the registry
    fit: FittedModel  # the fit
    tally: Tally  # the counts, with the same digest as under other verbs
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def __post_init__(self) -> None:
        """Add what the model excludes to what is excluded from the judgments."""
        from evenhand.ranking.inference import exclude_in_fit

        own = exclude_in_fit(self.fit, self.tally, None)
        every = (*self.excluded, *(one for one in own if one not in self.excluded))
        object.__setattr__(self, "excluded", every)

    @property
    def signature(self) -> str:
        """One line that reproduces the fit."""
        parts = [self.model.name, *self.fit.signature_parts]
        signature = write_signature(parts, self.fit.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def extras(self) -> Mapping[str, Any]:
        """What the model has beside its coefficients; nothing where the fit has no such member."""
        return getattr(self.fit, "extras", {})

    @property
    def scale(self) -> str:
        """What the estimates are: λ, half a log-worth, unless the fit says something else."""
        return getattr(self.fit, "scale", LAMBDA)

    @property
    def dropped(self) -> float:
        """Ties that the model left out: all of them or none."""
        left_out = self.tally.n_comparisons - self.fit.n_comparisons
        return left_out if left_out == float(self.tally.ties.sum()) else 0.0

    @property
    def log_worths(self) -> dict[str, float]:
        """Log-worths by system, best first."""
        pairs = zip(self.fit.systems, self.fit.log_worth.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


class ModelResult(GroupedResult[NamedFit]):
    """What `evenhand fit --model NAME` found: a fit for each task."""

    lacking = "is not fitted"

    def draw(self, part: NamedFit, columns: int) -> list[str]:
        """Return everything about one fit."""
        return _draw(part, self._unsaid(part), columns)

    def describe(self, part: NamedFit) -> dict[str, Any]:
        """Return the JSON of one fit."""
        return _contract(part, self._unsaid(part))

    def rows(self, part: NamedFit) -> list[dict[str, Any]]:
        """Return one row for each coefficient and each extra number."""
        return [*map(asdict, part.fit.coefficients), *_extra_rows(part)]

    def tabulate(self, name: str, part: NamedFit) -> str:
        """Return the coefficients for a paper, what was found as comments."""
        said = [*([name] if name else []), part.signature, *part.fit.says, *part.fit.notes]
        return tabulate_coefficients(part.fit.coefficients, said, scale=part.scale)

    def say(self, part: NamedFit) -> Sequence[str]:
        """Return what must stand beside the numbers."""
        return part.fit.notes

    def _unsaid(self, part: NamedFit) -> list[str]:
        """Return the notes of a fit that do not stand in `read` already."""
        return [note for note in part.fit.notes if note not in self.read]


def _draw(one: NamedFit, notes: Sequence[str], columns: int) -> list[str]:
    """Return everything about one fit."""
    fit = one.fit
    table = draw_table(fit.coefficients, columns, scale=one.scale) if fit.coefficients else []
    counts = [say_answers(fit.n_judgments, fit.n_comparisons + one.dropped)]
    counts += [f"{plural(one.dropped, 'tie')} dropped"] if one.dropped else []
    counts.append(plural(len(fit.systems), "system"))
    worths = list(one.log_worths.items())
    listed = [", ".join(f"{name} {worth:z.4f}" for name, worth in worths)]
    return [
        label("", ", ".join(counts), columns),
        label("model", one.model.title, columns),
        "",
        *([*table, ""] if table else []),
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
        "excluded": write_excluded(one.excluded),
        "model": one.model.name,
        "settings": list(fit.signature_parts),
        "scale": one.scale,
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
