"""Fits as `evenhand fit` prints them: signed, with tests of covariates and orders of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from evenhand.data.exclusions import Exclusion, list_findings, sign_excluded, write_contract
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.results import Shown, write_signature
from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified
from evenhand.models.base import Coefficient, FittedModel
from evenhand.models.controls import ControlEffect, ControlledFit
from evenhand.models.log_linear import Fit
from evenhand.models.rating_fit import RatingFit
from evenhand.models.registry import Model, name_settings
from evenhand.models.settings import say_model
from evenhand.ranking.inference import exclude_in_fit
from evenhand.ranking.settings import name_model, sign_data
from evenhand.ranking.texts import say
from evenhand.ranking.wald import LEVEL, Effect, Effects, OddReference
from evenhand.render.counts import whole
from evenhand.render.document import Column, Document, Table, Text
from evenhand.render.findings import Finding
from evenhand.render.values import write_p

MAX_SAID: Final = 10  # Most interactions that are said, one a line; JSON has them all
MAX_GROUPS: Final = 24  # Most groups of which the order is shown; JSON has them all
SETTINGS: Final = ("ties", "order_effect", "prior")
MEASURES: Final = ("loglik", "deviance", "df", "gof_p", "pearson", "aic", "bic")
PLACES: Final = ("covariate", "level", "home", "of", "against", "p_holm", "stands_out")


@dataclass(frozen=True, eq=False, repr=False)
class SignedFit(Shown):
    fit: Fit
    tally: Tally  # the counts before they were folded
    # tests and orders of judge groups, where there are covariates of them
    effects: Effects | None = None
    # what is to be known of its groups: whether it mixes tasks, numbers taken as names
    pooled: tuple[str, ...] = ()
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def __post_init__(self) -> None:
        _add_excluded(self)

    @property
    def signature(self) -> str:
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
    def findings(self) -> tuple[Finding, ...]:
        return list_findings((*self.pooled, *self.fit.findings), self.excluded)

    def document(self) -> Document:
        document = self.fit.document()
        tests: tuple[Effect, ...] = ()
        more: list[Table | Text] = []
        if self.effects is not None:
            tests, differences = self.effects.tests, _say_interactions(self.effects)
            more = [_tabulate_tests(tests)] if tests else [Text("", (say("no-tests"),))]
            if differences:
                more.append(Text("Differences from the reference group", differences))
            more += [_tabulate_orders(self.effects)] if len(self.effects.orders) > 1 else []
        return replace(
            document,
            answer=(*document.answer, *filter(None, map(_say_effect, tests))),
            parts=(*document.parts, *more),
            findings=self.findings,
            signature=self.signature,
        )

    def to_dict(self) -> dict[str, Any]:
        fit, model, quasi = self.fit, self.fit.model, self.fit.find_quasi_variances()
        equal = fit.lr_test_equal_worths
        return {
            **write_contract(self, "worths", findings=self.findings),
            "model": say_model(model),
            "settings": {
                **{name: getattr(model, name) for name in SETTINGS},
                "judge_covariates": list(model.judge_covariates),
                "tie_covariates": list(model.tie_covariates),
                "system_covariates": {
                    name: dict(values) for name, values in model.system_covariates.items()
                },
                "controls": list(model.controls),
                "reference": self.reference,
            },
            "scale": "lambda",
            "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
            **({"controls": [asdict(effect) for effect in self.controls]} if self.controls else {}),
            "aliased": list(fit.design.aliased),
            "lr_test_equal_worths": None if equal is None else asdict(equal),
            **(list_effects(self.effects) if self.effects is not None else {}),
            **{name: getattr(fit, name) for name in MEASURES},
            "n_judgments": whole(self.tally.n_judgments),
            "n_comparisons": whole(self.tally.n_comparisons),
            "quasi_variances": None
            if quasi is None
            else {
                "variances": dict(zip(quasi.systems, quasi.variances.tolist(), strict=True)),
                "worst_pair": quasi.worst_pair,
                "worst_contrast": list(quasi.worst_contrast),
            },
        }


@dataclass(frozen=True, eq=False, repr=False)
class NamedFit(Shown):
    model: Model  # its entry in the registry
    fit: FittedModel
    tally: Tally  # the counts, with the same digest as under other verbs
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def __post_init__(self) -> None:
        _add_excluded(self)

    @property
    def signature(self) -> str:
        parts = [self.model.name, *self.fit.signature_parts]
        signature = write_signature(parts, self.fit.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def excluded_ties(self) -> float:
        """Ties that the model does not take: all of them or none."""
        missing = self.tally.n_comparisons - self.fit.n_comparisons
        return missing if missing == float(self.tally.ties.sum()) else 0.0

    @property
    def findings(self) -> tuple[Finding, ...]:
        return list_findings(self.fit.notes, self.excluded)

    def document(self) -> Document:
        document = self.fit.describe(self.model.title, self.excluded_ties)
        listed = {coefficient.name for coefficient in self.fit.coefficients}
        cells: dict[str, Any] = {}
        for name, value in self.fit.extras.items():
            if not isinstance(value, list):
                cells[name] = value
            elif name.endswith("_interval"):
                cells |= {f"{name}_lower": value[0], f"{name}_upper": value[1]}
        rows = (
            *map(asdict, self.fit.coefficients),
            *[
                asdict(Coefficient(name, "extra", value, None, None, None))
                for name, value in cells.items()
                if name not in listed
            ],
        )
        return replace(
            document,
            parts=(Table("numbers", "", (), rows, only=("csv",)), *document.parts),
            findings=self.findings,
            signature=self.signature,
        )

    def to_dict(self) -> dict[str, Any]:
        contract = write_contract(self, findings=self.findings)
        return {**self.fit.to_dict(), **contract, "model": self.model.name}


def _add_excluded(fitted: SignedFit | NamedFit) -> None:
    """Add what the model excludes to what is excluded from the judgments."""
    by_model = exclude_in_fit(fitted.fit, fitted.tally, None)
    every = dict.fromkeys((*fitted.excluded, *by_model))
    object.__setattr__(fitted, "excluded", tuple(every))


# What judge groups do to a fit: tests, what stands out, the order of each group.


def _say_effect(effect: Effect) -> Finding | None:
    """Say whether a covariate makes a difference, by the largest clustered p where there is one."""
    known = effect.walds or (() if effect.lr is None else (effect.lr,))
    if not known:
        return None
    p, by = max(one.p for one in known), {"covariate": effect.covariate}
    if p < LEVEL:
        return say("effect", of=effect.of.capitalize(), p=p, **by)
    return say("no-effect", of=effect.of, p=p, **by)


def _tabulate_tests(tests: Sequence[Effect]) -> Table:
    rows: list[dict[str, Any]] = []
    legend: list[str] = []
    for one in tests:
        of = {"of": f"{one.of} by {one.covariate}"}
        if one.lr is not None:
            lr = {"value": one.lr.statistic, "df": f"{one.lr.df}", "p": one.lr.p}
            rows.append({**of, "test": "LR", **lr})
        for wald in one.walds:
            df = f"{wald.df[0]} and {wald.df[1]:.1f}"
            robust = {"value": wald.statistic, "df": df, "p": wald.p, "effective": wald.effective}
            rows.append({**of, "test": f"F by {wald.cluster}", **robust})
        lacking = [say("no-ratio")] if one.lr is None else []
        lacking += [] if one.walds else [say("no-clustered-test")]
        lacking += [say("larger-p")] if len(one.walds) > 1 else []
        legend += [f"{of['of']}: {note}" for note in (*one.notes, *lacking)]
    columns = (
        Column("of", "effect"),
        Column("test", "test"),
        Column("value", "value", ",.4f"),
        Column("df", "df", "text"),
        Column("p", "p", "p"),
        Column("effective", "effective clusters", "one", priority=2),
    )
    return Table("tests", "Tests of covariates", columns, tuple(rows), legend=tuple(legend))


def _say_interactions(effects: Effects) -> tuple[str, ...]:
    every = effects.interactions
    if not every:
        return ()
    alone = len({one.covariate for one in every}) == 1
    odd = effects.odd_references
    explained = {one.coefficient.name for reference in odd for one in reference.alike}
    out = [one for one in every if one.stands_out]
    unexplained = [one for one in out if one.coefficient.name not in explained]
    lines: list[str] = [_say_odd(reference, alone=alone) for reference in odd]
    lines += [f"{one.say(alone=alone)}, p {write_p(one.p_holm)}" for one in unexplained[:MAX_SAID]]
    if len(unexplained) > MAX_SAID:
        lines.append(f"... and {len(unexplained) - MAX_SAID:,} more")
    rest = [one for one in every if not one.stands_out]
    if rest:
        largest = rest[0].coefficient
        size = {"z": abs(largest.z or 0.0), "label": largest.label}
        lines.append(say("others-alike" if out else "all-alike", **size))
    lines.append(say("by-holm", differences=len(every)))
    return tuple(lines)


def _say_odd(odd: OddReference, *, alone: bool) -> Finding:
    direction = "more" if odd.more else "less"
    code = "odd-ties" if odd.of == "tie" else "odd-against" if odd.against else "odd"
    return say(
        f"{code}-{direction}",
        who=odd.level if alone else f"{odd.covariate}={odd.level}",
        of=odd.of,
        against=odd.against,
        alike=len(odd.alike),
        others=odd.others,
        p=max(one.p_holm for one in odd.alike),
        farthest=odd.farthest,
        distance=odd.distance,
        covariate=odd.covariate,
    )


def _tabulate_orders(effects: Effects) -> Table:
    shown = effects.orders[:MAX_GROUPS]
    rows = []
    for system in shown[0].log_worth:
        row: dict[str, Any] = {"system": system}
        for at, order in enumerate(shown):
            worth = order.log_worth[system]
            row[f"group {at}"] = None if worth is None else f"{worth:z.2f} ({order.place[system]})"
        rows.append(row)
    columns = (
        Column("system", "system", "name"),
        *(Column(f"group {at}", order.group, "two") for at, order in enumerate(shown)),
    )
    more = len(effects.orders) - len(shown)
    legend = (f"... and {more:,} more groups",) if more else ()
    caption = f"Order of each group: {effects.scale} (place)"
    return Table("orders", caption, columns, tuple(rows), legend=legend)


def list_effects(effects: Effects) -> dict[str, Any]:
    return {
        "tests": [
            {
                "covariate": one.covariate,
                "of": one.of,
                "lr": None if one.lr is None else asdict(one.lr),
                "wald": [asdict(wald) for wald in one.walds],
                "notes": list(one.notes),
            }
            for one in effects.tests
        ],
        "interactions": [
            asdict(one.coefficient) | {name: getattr(one, name) for name in PLACES}
            for one in effects.interactions
        ],
        "odd_references": [
            {**asdict(one), "alike": [each.coefficient.name for each in one.alike]}
            for one in effects.odd_references
        ],
        "orders": [asdict(one) for one in effects.orders],
        "orders_scale": effects.scale,
    }


@dataclass(frozen=True, eq=False, repr=False)
class FittedRatings(Shown):
    fit: RatingFit
    rows: RatingRows  # the ratings of one task under one criterion
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def signature(self) -> str:
        parts = [name_settings(self.fit.model), *self.fit.signature_parts]
        signature = write_signature(parts, self.fit.n_ratings, digest_ratings(self.rows))
        return sign_excluded(signature, self.excluded)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return list_findings((*self.rows.notes, *self.fit.notes), self.excluded)

    def document(self) -> Document:
        document = self.fit.document()
        return replace(document, findings=self.findings, signature=self.signature)

    def to_dict(self) -> dict[str, Any]:
        return {**write_contract(self, findings=self.findings), **self.fit.to_dict()}
