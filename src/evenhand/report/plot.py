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
from evenhand.report.figures.style import Chart
from evenhand.report.sections import metrics
from evenhand.report.sections.robustness import list_judges, list_places
from evenhand.report.sections.systems import tabulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_ROWS: Final = 100  # Most rows that are drawn: the first


def draw_ranking(ranking: Ranking) -> Chart:
    held = " that hold all at once" if ranking.rank_interval == "simultaneous" else ""
    title = f"Systems by {ranking.scale}, with {100 * ranking.level:g} % intervals{held}"
    rows, lower = tabulate(ranking)[:MAX_ROWS], ranking.lower_is_better
    return replace(systems.draw_forest(rows, ranking.scale, reverse=lower), title=title)


def draw_outcomes(ranking: Ranking) -> Chart:
    if ranking.wins is None:
        raise UnknownOption("ratings have no wins, ties and losses: draw the figure 'forest'")
    counted = ("wins", "ties", "losses")
    rows = [{**row, "n": sum(row[key] for key in counted)} for row in ranking.rows()]
    chart = systems.draw_outcomes([row for row in rows if row["n"]][:MAX_ROWS])
    return replace(chart, title="Wins, ties and losses")


def draw_chances(ranking: Ranking) -> Chart:
    names = ranking.systems[:MAX_ROWS]
    return systems.draw_heat_map(names, tabulate_chances(ranking.predictor, names))


def draw_slopes(screening: Screening) -> Chart:
    bars = [
        Bar(card.judge, one.value, one.lower, one.upper, strong=bool(card.flags))
        for card in screening.cards
        for one in card.evidence
        if one.name == "slope" and one.value is not None
    ]
    if not bars:
        raise NotIdentified("no judge has a slope here: only judges of comparisons have one")
    title = "How strongly judges follow the others"
    below = "1 as all judges together, 0 not at all, below 0 against; flagged judges in colour"
    return draw_intervals(bars[:MAX_ROWS], axis="slope", title=title, below=below, reference=1.0)


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
    title = "Agreement of judges"
    bars = bars[:MAX_ROWS]
    return draw_intervals(bars, axis="agreement", title=title, below=below, reference=0.0)


def draw_positions(bias: PositionBias) -> Chart:
    rows = list_judges(bias)
    if not rows:
        raise NotIdentified("these judgments name no judges: there is nobody to draw")
    chart = judges.draw_positions(rows[:MAX_ROWS], bias.share)
    return replace(chart, title="How often judges prefer the output shown first")


def draw_offsets(bias: RatingBias) -> Chart:
    bars = [Bar(one.judge, one.offset, one.lower, one.upper) for one in bias.judges]
    if not bars:
        raise NotIdentified("no judge scored outputs of two systems: there are no offsets to draw")
    title = "Judges by their scores, the lowest first"
    below = f"0 is the average judge on the same outputs; {100 * bias.level:g} % intervals"
    return draw_intervals(bars[:MAX_ROWS], axis="points", title=title, below=below, reference=0.0)


def draw_choices(sensitivity: Sensitivity) -> Chart:
    drawn = sensitivity.choices[0].systems[:MAX_ROWS]
    rows = [row for system in drawn for row in list_places(sensitivity, system)]
    return replace(systems.draw_places(rows), title="Places of systems by choice")


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
    title = "Systems by log-worth" + (", with 95 % intervals" if vcov is not None else "")
    below = "0 is the mean of the systems"
    return draw_intervals(bars[:MAX_ROWS], axis="log-worth", title=title, below=below, reference=0)


def draw_estimates(fit: RatingFit) -> Chart:
    ends = ("estimate", "lower", "upper")
    bars = [Bar(row["system"], *(row[key] for key in ends)) for row in fit.records()]
    title = f"Systems by {fit.scale}" + (", with 95 % intervals" if fit.vcov is not None else "")
    below = "intervals are of distances to the mean of the systems"
    return draw_intervals(bars[:MAX_ROWS], axis=fit.scale, title=title, below=below)


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
        return chart.draw()
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
    if chosen not in offered:
        hint = sentence_hint(suggest(chosen, offered))
        raise UnknownOption(f"{name} has no figure '{chosen}'{hint}: {' | '.join(offered)}")
    drawn: Chart = offered[chosen] if callable(kinds) else offered[chosen](result)
    return drawn
