"""Results → figures: what each result can be drawn as, from what it holds by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from evenhand.errors import NotIdentified, UnknownOption, sentence_hint, suggest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from evenhand.judges.agreement_table import AgreementTable
    from evenhand.judges.cards import Screening
    from evenhand.ranking.position_bias import PositionBias
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.robustness.sensitivity import Sensitivity
    from evenhand.ratings.judge_process import JudgeProcess
    from evenhand.report.figures.style import Chart

MAX_ROWS: Final = 100  # Most rows that are drawn: the first
Drawer = Callable[[Any], "Chart"]
Drawers = Mapping[str, Drawer]


def draw_ranking(ranking: Ranking) -> Chart:
    """Draw systems with intervals, rank sets and clusters."""
    from evenhand.report.figures.systems import draw_forest
    from evenhand.report.sections.systems import tabulate

    held = " that hold all at once" if ranking.rank_interval == "simultaneous" else ""
    title = f"Systems by {ranking.scale}, with {100 * ranking.level:g} % intervals{held}"
    return _finish(draw_forest(tabulate(ranking)[:MAX_ROWS], ranking.scale), title)


def draw_outcomes(ranking: Ranking) -> Chart:
    """Draw how often each system won, tied and lost."""
    from evenhand.report.figures.systems import draw_outcomes as draw

    counted = ("wins", "ties", "losses")
    rows = [{**row, "n": sum(row[key] for key in counted)} for row in ranking.rows()]
    return _finish(draw([row for row in rows if row["n"]][:MAX_ROWS]), "Wins, ties and losses")


def draw_chances(ranking: Ranking) -> Chart:
    from evenhand.report.figures.systems import draw_heat_map, tabulate_chances

    systems = ranking.systems[:MAX_ROWS]
    return draw_heat_map(systems, tabulate_chances(ranking.fit, systems))


def draw_slopes(screening: Screening) -> Chart:
    from evenhand.report.figures.predictions import Bar, draw_intervals

    slopes = [
        (card, one)
        for card in screening.cards
        for one in card.evidence
        if one.name == "slope" and one.value is not None
    ]
    if not slopes:
        raise NotIdentified("no judge has a slope here: only judges of comparisons have one")
    bars = [
        Bar(card.judge, one.value or 0.0, one.lower, one.upper, strong=bool(card.flags))
        for card, one in slopes[:MAX_ROWS]
    ]
    return draw_intervals(
        bars,
        axis="slope",
        title="How strongly judges follow the others",
        below="1 as all judges together, 0 not at all, below 0 against; flagged judges in colour",
        reference=1.0,
    )


def draw_agreement(table: AgreementTable) -> Chart:
    from evenhand.report.figures.predictions import Bar, draw_intervals

    bars = [
        Bar(f"{part.name} {one.title}".strip(), one.value, one.lower, one.upper)
        for part in table.parts
        for one in part.coefficients
        if one.value is not None
    ]
    if not bars:
        raise NotIdentified("no coefficient has a value here: its `why` says why not")
    below = f"{100 * table.level:g} % intervals; 0 is chance for κ and its like"
    return draw_intervals(
        bars[:MAX_ROWS], axis="agreement", title="Agreement of judges", below=below, reference=0.0
    )


def draw_positions(bias: PositionBias) -> Chart:
    """Draw how often each judge prefers the output shown first."""
    from evenhand.report.figures.judges import draw_positions as draw
    from evenhand.report.sections.robustness import list_judges

    rows = list_judges(bias)
    if not rows:
        raise NotIdentified("these judgments name no judges: there is nobody to draw")
    return _finish(
        draw(rows[:MAX_ROWS], bias.share), "How often judges prefer the output shown first"
    )


def draw_choices(sensitivity: Sensitivity) -> Chart:
    from evenhand.report.figures.systems import draw_places
    from evenhand.report.sections.robustness import list_places

    systems = sensitivity.choices[0].systems[:MAX_ROWS]
    rows = [row for system in systems for row in list_places(sensitivity, system)]
    return _finish(draw_places(rows), "Places of systems by choice")


def _draw_with(module: str, name: str, *settings: str) -> Drawer:
    """Return what draws a result by a function of the figures, which is imported when it draws."""

    def draw(result: Any) -> Chart:
        chart: Chart = getattr(import_module(f"evenhand.report.figures.{module}"), name)(
            result, *settings
        )
        return chart

    return draw


def _offer(module: str, name: str) -> Callable[[Any], Drawers]:
    """Return what offers all figures that a function of the figures draws of a result."""

    def hold(chart: Chart) -> Drawer:
        return lambda _result: chart

    def offer(result: Any) -> Drawers:
        drawn = getattr(import_module(f"evenhand.report.figures.{module}"), name)(result)
        return {kind: hold(chart) for kind, chart in drawn.items()}

    return offer


def _draw_likeness(process: JudgeProcess) -> Chart:
    from evenhand.ratings.process_comparison import JudgeLikeness
    from evenhand.report.figures.judges import draw_likeness

    return draw_likeness(JudgeLikeness(process))


def _finish(chart: Chart, title: str) -> Chart:
    """Give a figure of the report its title."""
    return replace(chart, title=title)


# Result → kind of figure → what draws it; the first kind is drawn unasked. Where the kinds depend
# on the result, a function returns them.
FIGURES: Final[dict[str, Drawers | Callable[[Any], Drawers]]] = {
    "Ranking": {"forest": draw_ranking, "outcomes": draw_outcomes, "chances": draw_chances},
    "Screening": {"slopes": draw_slopes},
    "AgreementTable": {"coefficients": draw_agreement},
    "PositionBias": {"positions": draw_positions},
    "Sensitivity": {"places": draw_choices},
    "Diagnosis": _offer("judges", "draw_judges"),
    "LearningCurves": {"curves": _draw_with("predictions", "draw_curves")},
    "ModelComparison": _offer("predictions", "draw_comparison"),
    "QueryCurves": {
        measure: _draw_with("predictions", "draw_queries", measure) for measure in ("mae", "rmse")
    },
    "JudgeProcess": {"likeness": _draw_likeness},
    "DecisionCurve": {"decisions": _draw_with("predictions", "draw_decisions")},
    "CampaignPlan": _offer("predictions", "draw_plan"),
}


def plot(result: Any, kind: str | None = None) -> Figure:
    """Draw a result.

    Args:
        result: a ranking, a screening, a table of agreement or another result that has figures.
        kind: of the figure; by itself the first that the result has.

    Returns:
        A figure of matplotlib, which a notebook shows; `figure.savefig("name.pdf")` writes it.

    Raises:
        UnknownOption: a result without figures, or a kind that it does not have.
        NotIdentified: a figure for which this result has no numbers.

    """
    return find_chart(result, kind).draw()


def find_chart(result: Any, kind: str | None = None) -> Chart:
    """Return what `plot` draws, with its rows."""
    known = type(result).__name__
    if known not in FIGURES:
        raise UnknownOption(
            f"there is no figure of {known}: {', '.join(FIGURES)} have some, and"
            " make_report(data).figures holds those of a report"
        )
    kinds = FIGURES[known]
    offered = kinds(result) if callable(kinds) else kinds
    if not offered:
        raise UnknownOption(f"this {known} holds nothing to draw: its notes say why")
    chosen = next(iter(offered)) if kind is None else kind
    if chosen not in offered:
        hint = sentence_hint(suggest(chosen, offered))
        raise UnknownOption(f"{known} has no figure '{chosen}'{hint}: {' | '.join(offered)}")
    return offered[chosen](result)
