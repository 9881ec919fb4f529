"""A fit, or one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

from evenhand.cli.coefficients import draw_coefficients, quasi_variances, tabulate_coefficients
from evenhand.cli.effects import draw_effects, list_effects, say_ratio, say_tests
from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import label, plural, whole
from evenhand.cli.words import block, say_answers, say_model, say_systems, sign
from evenhand.errors import NotIdentified
from evenhand.judgments.exclusions import Exclusion, sign_excluded, write_excluded
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.models.base import MAX_THIN_SHARE, Fit, cautions, is_rejected
from evenhand.models.coefficients import format_p
from evenhand.models.controls import ControlEffect, ControlledFit
from evenhand.numerics.distributions import chi2_tail
from evenhand.ranking.signature import name_model, sign_data
from evenhand.ranking.wald import Effects

FEW = 12  # Most worths that are listed: two lines of a terminal
INDEPENDENT = "(assuming independent judgments)"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit and the counts it was made of."""

    fit: Fit  # the fit
    tally: Tally  # the counts before they were folded
    # tests and orders of judge groups, where there are covariates of them
    effects: Effects | None = None
    # what is to be known of its groups: whether it mixes tasks, numbers taken as names
    pooled: tuple[str, ...] = ()
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
        parts = [
            name_model(self.fit),
            *(f"by {covariate}" for covariate in self.fit.model.judge_covariates),
            *(f"ties by {covariate}" for covariate in self.fit.model.tie_covariates),
            *(["importance weights"] if self.tally.squares is not None else []),
            f"reference {self.reference}",
            *sign_data(self.fit, self.tally),
        ]
        signature = write_signature(parts, self.tally.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def reference(self) -> str:
        """The system whose coefficient is 0."""
        return self.fit.systems[self.fit.design.reference]

    @property
    def controls(self) -> tuple[ControlEffect, ...]:
        """What controls do, by errors that assume independent judgments."""
        return self.fit.model_effects if isinstance(self.fit, ControlledFit) else ()

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
        notes = [*self.pooled, *self.fit.notes, *cautions(self.fit)]
        if self.fit.vcov is None:
            systems = plural(len(self.fit.systems), "system")
            notes.append(f"{systems}: too many for standard errors; rank compares neighbours")
        home = self.fit.design.home
        if self.fit.model.judge_covariates and home is not None:
            first = self.fit.design.groups[home]
            notes.append(f"coefficients without a group are those of '{first}', as are worths")
        return notes


class FitResult(GroupedResult[Fitted]):
    """What `evenhand fit` found: a fit for each group."""

    lacking = "is not fitted"

    def draw(self, part: Fitted, columns: int) -> list[str]:
        """Return everything about one fit."""
        return _draw(part, columns)

    def describe(self, part: Fitted) -> dict[str, Any]:
        """Return the JSON of one fit."""
        return _contract(part)

    def rows(self, part: Fitted) -> list[dict[str, Any]]:
        """Return one row for each coefficient."""
        return [asdict(coefficient) for coefficient in part.fit.coefficients]

    def tabulate(self, name: str, part: Fitted) -> str:
        """Return the coefficients for a paper, what was tested as comments."""
        tests = say_tests(part.effects) if part.effects is not None else []
        said = [*([name] if name else []), part.signature, *_said(part), *tests, *part.notes]
        return tabulate_coefficients(part.fit.coefficients, said)

    def say(self, part: Fitted) -> list[str]:
        """Return what must stand beside the numbers."""
        return part.notes


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
        *(draw_effects(one.effects, columns) if one.effects is not None else []),
        *block("odds", _odds(one), columns),
        *block("worth", _worths(one), columns),
        *(label("note", note, columns, colour="yellow") for note in one.notes),
        sign(one.signature, columns),
    ]


def _said(one: Fitted) -> list[str]:
    """Say how well the model fits, and what the numbers assume."""
    fit = one.fit
    said = [f"deviance {fit.deviance:.4f} on {fit.df} df{_goodness(fit)}"]
    if is_rejected(fit):
        said.append("the judgments differ from the model by more than chance, if independent")
    if fit.gof_p is not None and fit.thin > MAX_THIN_SHARE:
        part = f"{100 * fit.thin:.0f} %"
        said.append(f"{part} of cells expect fewer than 5: both p-values are rough")
    said.append(f"loglik {fit.loglik:.4f}")
    said.append(f"AIC {fit.aic:.4f}, BIC {fit.bic:.4f} {INDEPENDENT}")
    if fit.equal_worths is not None:
        said.append(f"all worths equal: {say_ratio(fit.equal_worths)}")
    said += [effect.says for effect in one.controls]
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
        "excluded": write_excluded(one.excluded),
        "model": say_model(fit.model),
        "settings": _settings(one),
        "scale": "lambda",
        "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
        **({"controls": [asdict(effect) for effect in one.controls]} if one.controls else {}),
        "aliased": list(fit.design.aliased),
        "equal_worths": None if fit.equal_worths is None else asdict(fit.equal_worths),
        **(list_effects(one.effects) if one.effects is not None else {}),
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
        "tie_covariates": list(model.tie_covariates),
        "system_covariates": {name: dict(own) for name, own in model.system_covariates.items()},
        "controls": list(model.controls),
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
