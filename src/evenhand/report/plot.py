"""Results → figures: what each result can be drawn as, from what it holds by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from evenhand.data.results import Grouped
from evenhand.errors import NotIdentified, UnknownOption, sentence_hint, suggest
from evenhand.judges.agreement_table import AgreementTable
from evenhand.judges.cards import Screening
from evenhand.judges.variance import VarianceComponents
from evenhand.models.base import FittedModel
from evenhand.models.rating_fit import RatingFit
from evenhand.numerics.distributions import normal_quantile
from evenhand.ranking.bias import PositionBias, RatingBias
from evenhand.ranking.by_model import tabulate_chances
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.sensitivity import Sensitivity
from evenhand.ranking.without_judges import JudgePanel
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.report.figures import judges, predictions, systems
from evenhand.report.figures.predictions import Bar, draw_intervals
from evenhand.report.figures.style import Chart, find_letters, take_first
from evenhand.report.sections import metrics
from evenhand.report.sections.robustness import FARTHEST, list_judges, list_places
from evenhand.report.sections.systems import tabulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_ranking(ranking: Ranking) -> Chart:
    held = " that hold all at once" if ranking.rank_interval == "simultaneous" else ""
    (rows, cut), lower = take_first(tabulate(ranking)), ranking.lower_is_better
    title = f"Systems by {ranking.scale}, with {100 * ranking.level:g} % intervals{held}{cut}"
    return replace(systems.draw_forest(rows, ranking.scale, reverse=lower), title=title)


def draw_outcomes(ranking: Ranking) -> Chart:
    if ranking.wins is None:
        raise UnknownOption("ratings have no wins, ties and losses: draw the figure 'forest'")
    counted = ("wins", "ties", "losses")
    rows = [{**row, "n": sum(row[key] for key in counted)} for row in ranking.rows()]
    shown, cut = take_first([row for row in rows if row["n"]])
    return replace(systems.draw_outcomes(shown), title=f"Wins, ties and losses{cut}")


def draw_chances(ranking: Ranking) -> Chart:
    names, cut = take_first(ranking.systems)
    chances = tabulate_chances(ranking.predictor, names)
    return systems.draw_heat_map(names, chances, f"Who is preferred to whom{cut}")


def draw_slopes(screening: Screening) -> Chart:
    bars = [
        Bar(card.judge, one.value, one.lower, one.upper, strong=bool(card.flags))
        for card in screening.cards
        for one in card.evidence
        if one.name in ("slope", "others' scores") and one.value is not None
    ]
    if not bars:
        raise NotIdentified("no judge has a slope here: see the evidence on their cards")
    bars, cut = take_first(bars)
    title = f"How strongly judges follow the others{cut}"
    below = "1 as all judges together, 0 not at all, below 0 against; flagged judges in colour"
    return draw_intervals(bars, axis="slope", title=title, below=below, reference=1.0)


def draw_agreement(table: AgreementTable) -> Chart:
    bars = [
        Bar(f"{part.name} {one.title}".strip(), one.value, one.lower, one.upper)
        for part in table.parts
        for one in part.coefficients
        if one.value is not None
    ]
    if not bars:
        raise NotIdentified("no coefficient has a value here: its `why` says why not")
    below = f"{100 * table.level:g} % intervals; 0 is chance for κ and similar coefficients"
    bars, cut = take_first(bars)
    title = f"Agreement of judges{cut}"
    return draw_intervals(bars, axis="agreement", title=title, below=below, reference=0.0)


def draw_positions(bias: PositionBias) -> Chart:
    rows, cut = take_first(list_judges(bias), kept=FARTHEST)
    if not rows:
        raise NotIdentified("these judgments name no judges: there is nobody to draw")
    title = f"How often judges prefer the output shown first{cut}"
    return replace(judges.draw_positions(rows, bias.share), title=title)


def draw_offsets(bias: RatingBias) -> Chart:
    bars = [Bar(one.judge, one.offset, one.lower, one.upper) for one in bias.judges]
    if not bars:
        raise NotIdentified("no judge scored outputs of two systems: there are no offsets to draw")
    shown, cut = take_first(bars)
    title = f"Judges by score, lowest first{cut}"
    below = f"0 is the average judge on the same outputs; {100 * bias.level:g} % intervals"
    return draw_intervals(shown, axis="points", title=title, below=below, reference=0.0)


def draw_choices(sensitivity: Sensitivity) -> Chart:
    drawn, cut = take_first(sensitivity.choices[0].systems)
    rows = [row for system in drawn for row in list_places(sensitivity, system)]
    return replace(systems.draw_places(rows), title=f"Places of systems by choice{cut}")


def draw_panel(panel: JudgePanel) -> dict[str, Chart]:
    if panel.diagnosis is not None:
        return judges.draw_judges(panel.diagnosis)
    return {} if panel.screening is None else {"slopes": draw_slopes(panel.screening)}


def draw_worths(fit: FittedModel) -> Chart:
    """Draw log-worths less their mean, best first, with 95 % intervals where the fit has errors."""
    worth, vcov = fit.log_worth - fit.log_worth.mean(), fit.worth_vcov
    errors: list[float | None] = [None] * len(worth)
    if vcov is not None:
        centred = vcov - vcov.mean(axis=0)
        variances = np.diag(centred - centred.mean(axis=1)[:, None])
        errors = np.sqrt(np.maximum(variances, 0.0)).tolist()
    bars, z = [], normal_quantile(0.975)
    for name, value, error in zip(fit.systems, worth.tolist(), errors, strict=True):
        ends = () if error is None else (value - z * error, value + z * error)
        bars.append(Bar(name, value, *ends))
    bars.sort(key=lambda bar: (-bar.value, bar.name))
    shown, cut = take_first(bars)
    title = f"Systems by log-worth{', with 95 % intervals' * (vcov is not None)}{cut}"
    below = "0 is the mean of the systems"
    return draw_intervals(shown, axis="log-worth", title=title, below=below, reference=0)


def draw_estimates(fit: RatingFit) -> Chart:
    ends = ("estimate", "lower", "upper")
    rows, cut = take_first([*fit.records()])
    bars = [Bar(row["system"], *(row[key] for key in ends)) for row in rows]
    title = f"Systems by {fit.scale}{', with 95 % intervals' * (fit.vcov is not None)}{cut}"
    below = "intervals are of distances to the mean of the systems"
    return draw_intervals(bars, axis=fit.scale, title=title, below=below)


def draw_components(components: VarianceComponents) -> Chart:
    bars = [
        Bar(one.title, one.sd, *(() if one.upper in (None, inf) else (one.lower, one.upper)))
        for one in components.components
    ]
    title = f"Standard deviations, with {100 * components.level:g} % intervals where they end"
    axis = f"standard deviation ({components.unit})"
    return draw_intervals(bars, axis=axis, title=title, below="0 is no difference", reference=0)


Drawers = Mapping[str, Callable[[Any], Chart]]
# Result → kind of figure → what draws it; the first kind is drawn unasked. Where the kinds depend
# on the result, a function returns its figures.
FIGURES: Final[dict[str, Drawers | Callable[[Any], dict[str, Chart]]]] = {
    "Ranking": {"forest": draw_ranking, "outcomes": draw_outcomes, "chances": draw_chances},
    "Screening": {"slopes": draw_slopes},
    "AgreementTable": {"coefficients": draw_agreement},
    "PositionBias": {"positions": draw_positions},
    "RatingBias": {"offsets": draw_offsets},
    "Sensitivity": {"places": draw_choices},
    "Diagnosis": judges.draw_judges,
    "LearningCurves": {"curves": predictions.draw_curves},
    "ModelComparison": predictions.draw_comparison,
    "QueryCurves": {
        name: partial(predictions.draw_queries, measure=name) for name in ("mae", "rmse")
    },
    "JudgeProcess": {"likeness": lambda process: judges.draw_likeness(JudgeLikeness(process))},
    "DecisionCurve": {"decisions": predictions.draw_decisions},
    "CampaignPlan": predictions.draw_plan,
    "VarianceComponents": {"components": draw_components},
    "MetaEvaluation": {
        "systems": metrics.draw_systems,
        "pairs": metrics.draw_pairs,
        "distance": metrics.draw_distance,
    },
    "Report": lambda report: report.charts,
}
# The same, fits of all models, and what only verbs return
DRAWN: Final[dict[str, Drawers | Callable[[Any], dict[str, Chart]]]] = {
    **FIGURES,
    "FittedModel": {"worths": draw_worths},
    "RatingFit": {"estimates": draw_estimates},
    "JudgePanel": draw_panel,
    "JudgeLikeness": {"likeness": judges.draw_likeness},
    "Robustness": {"places": lambda found: draw_choices(found.sensitivity)},
    "SignedFit": {"worths": lambda found: draw_worths(found.fit)},
    "FittedRatings": {"estimates": lambda found: draw_estimates(found.fit)},
    "Study": {"components": lambda study: draw_components(study.found)},
}


def plot(result: Any, kind: str | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw a result.

    Args:
        result: a ranking, a screening, a table of agreement or another result that has figures.
        kind: of the figure; by itself the first that the result has.
        ax: axes of matplotlib to draw into, such as one of several of a figure of yours.

    Returns:
        A figure of matplotlib, which a notebook shows; `figure.savefig("name.pdf")` writes it.
        Where axes are given, that which they belong to.

    Raises:
        UnknownOption: a result without figures, or a kind that it does not have.
        NotIdentified: a figure for which this result has no numbers.
    """
    chart = find_chart(result, kind)
    if ax is None:
        return find_letters(chart.draw())
    chart.draw_on(ax)
    return cast("Figure", ax.figure)


def find_chart(result: Any, kind: str | None = None) -> Chart:
    name = type(result).__name__
    if isinstance(result, Grouped):
        raise UnknownOption(
            f"each {result.by} has a figure of its own: plot one of them, as in"
            f" result[{next(iter(result.groups), '')!r}].plot()"
        )
    known = next((one.__name__ for one in type(result).__mro__ if one.__name__ in DRAWN), None)
    if known is None:
        raise UnknownOption(f"{name} has no figure: {', '.join(FIGURES)} and fits have some")
    kinds = DRAWN[known]
    offered: Mapping[str, Any] = kinds(result) if callable(kinds) else kinds
    if not offered:
        raise UnknownOption(f"this {name} holds nothing to draw: its notes say why")
    chosen = next(iter(offered)) if kind is None else kind
    if chosen not in offered:  # such as judges-mean: of the first of several criteria
        chosen = next((one for one in offered if one.startswith(f"{chosen}-")), chosen)
    if chosen not in offered:
        hint = sentence_hint(suggest(chosen, offered))
        raise UnknownOption(f"{name} has no figure '{chosen}'{hint}: {' | '.join(offered)}")
    drawn: Chart = offered[chosen] if callable(kinds) else offered[chosen](result)
    return drawn
