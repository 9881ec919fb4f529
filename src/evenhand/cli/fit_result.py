"""A fit of the log-linear model or of another one, in a terminal, in JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, Final

import click

from evenhand.cli.result import Column, GroupedResult, draw_parts, draw_table, tabulate
from evenhand.cli.terminal import (
    block,
    label,
    plural,
    say_answers,
    say_end,
    say_model,
    say_tally,
    tell_apart,
    whole,
)
from evenhand.data.exclusions import Exclusion, sign_excluded, write_excluded
from evenhand.data.results import write_signature
from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified
from evenhand.models.base import MAX_THIN_SHARE, Fit, cautions, is_rejected
from evenhand.models.coefficients import Coefficient, LRTest, QuasiVariances, format_p
from evenhand.models.controls import ControlEffect, ControlledFit
from evenhand.models.judge_groups import GroupOrder
from evenhand.models.registry import FittedModel, Model
from evenhand.numerics.distributions import chi2_tail
from evenhand.ranking.signature import name_model, sign_data
from evenhand.ranking.wald import Effect, Effects, OddReference, WaldTest
from evenhand.report.document import pick
from evenhand.report.latex import escape

LAMBDA: Final = "lambda"  # The scale of worths, twice which are log-worths
MIN_QUASI: Final = 3
MAX_QUASI: Final = 60  # Most systems for which quasi-variances are printed: their fit costs K⁴


def quasi_variances(fit: Fit) -> QuasiVariances | None:
    """Return quasi-variances where there are three to sixty systems and they exist."""
    if fit.vcov is None or not MIN_QUASI <= len(fit.systems) <= MAX_QUASI:
        return None
    try:
        return fit.quasi_variances()
    except (NotIdentified, NotConverged):
        return None


def draw_numbers(
    coefficients: Sequence[Coefficient],
    columns: int,
    quasi: Mapping[str, str] | None = None,
    unknown: Sequence[str] = (),
    *,
    scale: str = LAMBDA,
) -> list[str]:
    fields = Coefficient.__dataclass_fields__
    rows = [
        *map(asdict, coefficients),
        *(dict.fromkeys(fields) | {"label": one} for one in unknown),
    ]
    table = _choose_columns(scale)
    if quasi:
        # of systems only, whose names are o1, o2 and so on
        table.append(
            Column.number(
                "quasi s.e.",
                lambda row: (
                    row["name"]
                    and (quasi.get(row["label"], "") if row["name"][1:].isdigit() else "")
                ),
            )
        )
    return draw_table(table, rows, columns)


def _choose_columns(scale: str = LAMBDA) -> list[Column]:
    text, latex = ("λ", r"$\hat\lambda$") if scale == LAMBDA else (scale, escape(scale))
    return [
        Column("name", "name", latex=""),
        Column.names("parameter", "label"),
        Column.number(text, "estimate", "z.4f", latex),
        Column.number("s.e.", "stderr", ".4f"),
        Column.number("z", "z", ".3f", "$z$"),
        Column.p("p", "p", "$p$"),
    ]


# What judge groups do to a fit, for people and as JSON: tests, what stands out, their orders.

MAX_SAID: Final = 10  # Most interactions that are said, one a line; JSON has them all
MAX_GROUPS: Final = 24  # Most groups of which the order is shown; JSON has them all
MAX_NAME: Final = 12  # Columns that a system's name is cut to in the table of orders
INDEPENDENT: Final = "assuming independent judgments"
UNKNOWN: Final = "no likelihood ratio: a prior or importance weights leave none to test by"


def draw_effects(effects: Effects, columns: int) -> list[str]:
    return [
        *block("test", say_tests(effects), columns),
        *block("out", _say_interactions(effects), columns),
        *(_draw_orders(effects, columns) if len(effects.orders) > 1 else []),
    ]


def say_ratio(test: LRTest) -> str:
    return f"LR {test.statistic:.4f} on {test.df} df, p {format_p(test.p)} ({INDEPENDENT})"


def say_tests(effects: Effects) -> list[str]:
    if not effects.tests:
        return ["none: a covariate has one value only, or covariates say the same"]
    return [line for one in effects.tests for line in _say_effect(one)]


def _say_effect(one: Effect) -> list[str]:
    first = say_ratio(one.lr) if one.lr is not None else UNKNOWN
    lines = [f"{one.of} by {one.covariate}: {first}"]
    lines += [f"{one.of} by {one.covariate}, allowing for {_say_wald(wald)}" for wald in one.walds]
    lines += one.notes
    if len(one.walds) > 1:
        lines.append("believe the larger p")
    elif not one.walds:
        lines.append("nothing here allows for judgments that hang together")
    return lines


def _say_wald(test: WaldTest) -> str:
    effective = f", {test.effective:.1f} effective" if test.effective < test.clusters - 0.05 else ""
    q, below = test.df
    f = f"F {test.statistic:.3f} on {q} and {below:.1f} df, p {format_p(test.p)}"
    return f"{test.cluster}s: {f} ({plural(test.clusters, test.cluster)}{effective}, {test.kind})"


def _say_interactions(effects: Effects) -> list[str]:
    every = effects.interactions
    if not every:
        return []
    alone = len({one.covariate for one in every}) == 1
    odd = effects.odd_references
    explained = {one.coefficient.name for reference in odd for one in reference.alike}
    out = [one for one in every if one.stands_out]
    unexplained = [one for one in out if one.coefficient.name not in explained]
    lines = [_say_odd(reference, alone=alone) for reference in odd]
    lines += [f"{one.say(alone=alone)}, p {format_p(one.p_holm)}" for one in unexplained[:MAX_SAID]]
    if len(unexplained) > MAX_SAID:
        lines.append(f"and {len(unexplained) - MAX_SAID:,} more (--json)")
    rest = [one for one in every if not one.stands_out]
    if rest:
        others = "none of the others stands out" if out else "no difference stands out"
        largest = rest[0].coefficient
        size = f"the largest |z| is {abs(largest.z or 0.0):.1f} ({largest.label})"
        lines.append(f"{others}: {size}")
    lines.append(
        f"p by Holm for {plural(len(every), 'difference')} from the reference group, {INDEPENDENT}"
    )
    return lines


def _say_odd(odd: OddReference, *, alone: bool) -> str:
    who = odd.level if alone else f"{odd.covariate}={odd.level}"
    more = "more" if odd.more else "less"
    tied = odd.of == "tie"
    against = f", against {odd.against}" if odd.against else ""
    on, does = ("ties", f"tie {more} often") if tied else (odd.of + against, f"like it {more}")
    far = f"{odd.farthest} ({odd.distance:+.3f})".replace("-", "−")
    p = format_p(max(one.p_holm for one in odd.alike))
    return (
        f"it is {who}, the reference, who differs on {on}: {len(odd.alike)} of {odd.others} others"
        f" {does}, the largest p {p}; farthest from the mean of all is {far}; --reference-level"
        f" {odd.covariate}=... compares with another"
    )


def _draw_orders(effects: Effects, columns: int) -> list[str]:
    shown = effects.orders[:MAX_GROUPS]
    lines = ["", click.style(f" {effects.scale} (place), by group", dim=True)]
    systems = list(shown[0].log_worth)
    names = tell_apart(systems, 2 * MAX_NAME)
    heads = tell_apart([one.group for one in shown], MAX_NAME)
    groups = (Column.number(heads[order.group], partial(_cell, order)) for order in shown)
    lines += chain(*draw_parts([Column("", names.get), *groups], systems, columns))
    if len(effects.orders) > MAX_GROUPS:
        lines.append(f" and {len(effects.orders) - MAX_GROUPS:,} more groups (--json)")
    return [*lines, ""]


def _cell(order: GroupOrder, system: str) -> str:
    worth, place = order.log_worth[system], order.place[system]
    return "—" if worth is None else f"{worth:z.2f} ({place})"


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
            asdict(one.coefficient)
            | pick(one, "covariate", "level", "home", "of", "against", "p_holm", "stands_out")
            for one in effects.interactions
        ],
        "odd_references": [
            {**asdict(one), "alike": [each.coefficient.name for each in one.alike]}
            for one in effects.odd_references
        ],
        "orders": [asdict(one) for one in effects.orders],
        "orders_scale": effects.scale,
    }


MAX_WORTHS: Final = 12  # Most worths that are listed: two lines of a terminal


def _add_excluded(fitted: Fitted | NamedFit) -> None:
    """Add what the model excludes to what is excluded from the judgments."""
    from evenhand.ranking.inference import exclude_in_fit

    by_model = exclude_in_fit(fitted.fit, fitted.tally, None)
    every = dict.fromkeys((*fitted.excluded, *by_model))
    object.__setattr__(fitted, "excluded", tuple(every))


@dataclass(frozen=True, eq=False)
class Fitted:
    fit: Fit  # the fit
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
    def notes(self) -> list[str]:
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
    lacking = "is not fitted"

    def draw(self, part: Fitted, columns: int) -> list[str]:
        fit, tally = part.fit, part.tally
        systems, ties = len(fit.systems), float(tally.ties.sum())
        counts = say_tally(tally.n_judgments, tally.n_comparisons, systems, ties)
        model = f"{say_model(fit.model)}; λ scale (log-worth = 2λ), reference {part.reference}"
        worths = sorted((part.worths or {}).items(), key=itemgetter(1), reverse=True)
        odds = []
        if len(worths) == 2:
            (better, more), (other, less) = worths
            odds = [f"{more / less:.2f} to 1 that {better} is preferred to {other}"]
        listed = [", ".join(f"{name} {worth:.4f}" for name, worth in worths)]
        # The lines of the table, titles first, with quasi standard errors if all exist
        tie_part = fit.likelihood.ties
        unknown = [*fit.design.aliased, *(() if tie_part is None else tie_part.endless)]
        quasi, errors = quasi_variances(fit), {}
        if quasi is not None and not (quasi.variances < 0).any():
            pairs = zip(quasi.systems, quasi.stderr, strict=True)
            errors = {system: f"{error:.4f}" for system, error in pairs}
        return [
            label("", counts, columns),
            label("model", model, columns),
            "",
            *draw_numbers(fit.coefficients, columns, errors, unknown),
            "",
            *block("fit", _said(part), columns),
            *(draw_effects(part.effects, columns) if part.effects is not None else []),
            *block("odds", odds, columns),
            *block("worth", listed if len(worths) <= MAX_WORTHS else [], columns),
            *say_end(part.notes, part.signature, columns),
        ]

    def describe(self, part: Fitted) -> dict[str, Any]:
        fit, quasi = part.fit, quasi_variances(part.fit)
        model = fit.model
        return {
            "signature": part.signature,
            "excluded": write_excluded(part.excluded),
            "model": say_model(fit.model),
            "settings": {
                **pick(model, "ties", "order_effect"),
                "judge_covariates": list(model.judge_covariates),
                "tie_covariates": list(model.tie_covariates),
                "system_covariates": {
                    name: dict(own) for name, own in model.system_covariates.items()
                },
                "controls": list(model.controls),
                "reference": part.reference,
                "prior": model.prior,
            },
            "scale": "lambda",
            "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
            **({"controls": [asdict(effect) for effect in part.controls]} if part.controls else {}),
            "aliased": list(fit.design.aliased),
            "lr_test_equal_worths": None
            if fit.lr_test_equal_worths is None
            else asdict(fit.lr_test_equal_worths),
            **(list_effects(part.effects) if part.effects is not None else {}),
            **pick(fit, "loglik", "deviance", "df", "gof_p", "pearson", "aic", "bic"),
            "n_judgments": whole(part.tally.n_judgments),
            "n_comparisons": whole(part.tally.n_comparisons),
            "worths": part.worths,
            "quasi_variances": None
            if quasi is None
            else {
                "variances": dict(zip(quasi.systems, quasi.variances.tolist(), strict=True)),
                "worst_pair": quasi.worst_pair,
                "worst_contrast": list(quasi.worst_contrast),
            },
            "notes": part.notes,
        }

    def rows(self, part: Fitted) -> list[dict[str, Any]]:
        return [asdict(coefficient) for coefficient in part.fit.coefficients]

    def tabulate(self, part: Fitted) -> str:
        tests = say_tests(part.effects) if part.effects is not None else []
        comments = [part.signature, *_said(part), *tests, *part.notes]
        return tabulate(_choose_columns(), [part.fit.coefficients], comments)

    def say(self, part: Fitted) -> list[str]:
        return part.notes


def _said(one: Fitted) -> list[str]:
    fit = one.fit
    goodness = " (the model is saturated)" if fit.df == 0 else " (no χ²: no p-value)"
    if fit.gof_p is not None:
        pearson = f"Pearson X² {fit.pearson:.4f}, p {format_p(chi2_tail(fit.pearson, fit.df))}"
        goodness = f", p {format_p(fit.gof_p)}; {pearson}"
    sentences = [f"deviance {fit.deviance:.4f} on {fit.df} df{goodness}"]
    if is_rejected(fit):
        sentences.append("the judgments differ from the model by more than chance, if independent")
    if fit.gof_p is not None and fit.thin > MAX_THIN_SHARE:
        part = f"{100 * fit.thin:.0f} %"
        sentences.append(f"{part} of cells expect fewer than 5: both p-values are rough")
    sentences.append(f"loglik {fit.loglik:.4f}")
    sentences.append(f"AIC {fit.aic:.4f}, BIC {fit.bic:.4f} ({INDEPENDENT})")
    if fit.lr_test_equal_worths is not None:
        sentences.append(f"all worths equal: {say_ratio(fit.lr_test_equal_worths)}")
    sentences += [effect.says for effect in one.controls]
    quasi = quasi_variances(fit)
    if quasi is not None:
        worst_of_all = (quasi.worst_pair, *quasi.worst_contrast)
        pair, low, high = (f"{100 * one:z.0f}" for one in worst_of_all)
        worst = f"{pair} % for a pair, {low} to {high} %"
        sentences.append(f"quasi s.e. compare any two systems; worst error {worst} for a contrast")
    return sentences


@dataclass(frozen=True, eq=False)
class NamedFit:
    model: Model  # its entry in the registry
    fit: FittedModel  # the fit
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
    lacking = "is not fitted"

    def draw(self, part: NamedFit, columns: int) -> list[str]:
        fit = part.fit
        table = draw_numbers(fit.coefficients, columns, scale=part.scale)
        counts = [say_answers(fit.n_judgments, fit.n_comparisons + part.dropped)]
        counts += [f"{plural(part.dropped, 'tie')} dropped"] if part.dropped else []
        counts.append(plural(len(fit.systems), "system"))
        worths = part.log_worths
        listed = ", ".join(f"{name} {worth:z.4f}" for name, worth in worths.items())
        return [
            label("", ", ".join(counts), columns),
            label("model", part.model.title, columns),
            "",
            *([*table, ""] if fit.coefficients else []),
            *block("fit", [f"loglik {fit.loglik:.4f}"], columns),
            *block("says", fit.says, columns),
            *block("worth", [f"log-worths: {listed}"] * (len(worths) <= MAX_WORTHS), columns),
            *say_end(self._unsaid(part), part.signature, columns),
        ]

    def describe(self, part: NamedFit) -> dict[str, Any]:
        notes = self._unsaid(part)
        fit = part.fit
        return {
            "signature": part.signature,
            "excluded": write_excluded(part.excluded),
            "model": part.model.name,
            "settings": list(fit.signature_parts),
            "scale": part.scale,
            "coefficients": [asdict(coefficient) for coefficient in fit.coefficients],
            "log_worths": part.log_worths,
            "worth_vcov": None if fit.worth_vcov is None else fit.worth_vcov.tolist(),
            "extras": dict(part.extras),
            "loglik": fit.loglik,
            "n_judgments": whole(float(fit.n_judgments)),
            "n_comparisons": whole(float(fit.n_comparisons)),
            "says": list(fit.says),
            "notes": list(notes),
        }

    def rows(self, part: NamedFit) -> list[dict[str, Any]]:
        return [*map(asdict, part.fit.coefficients), *_extra_rows(part)]

    def tabulate(self, part: NamedFit) -> str:
        comments = [part.signature, *part.fit.says, *part.fit.notes]
        return tabulate(_choose_columns(part.scale), [part.fit.coefficients], comments)

    def say(self, part: NamedFit) -> Sequence[str]:
        return part.fit.notes

    def _unsaid(self, part: NamedFit) -> list[str]:
        """Return the notes of a fit that do not stand in `read` already."""
        return [note for note in part.fit.notes if note not in self.read]


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
