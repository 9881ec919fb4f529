"""`evenhand.plot`: the figures of the report and of the verbs, from Python and in notebooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from evenhand.errors import UnknownOption, end, suggest
from evenhand.report import plots
from evenhand.report.plots import Drawers

# Result → kind of figure → what draws it; the first kind is drawn unasked. Where the kinds depend
# on the result, a function returns them.
FIGURES: Final[dict[str, Drawers | Callable[[Any], Drawers]]] = {
    "Ranking": {
        "forest": plots.draw_ranking,
        "outcomes": plots.draw_outcomes,
        "chances": plots.draw_chances,
    },
    "Screening": {"slopes": plots.draw_slopes},
    "AgreementTable": {"coefficients": plots.draw_agreement},
    "PositionBias": {"positions": plots.draw_positions},
    "Sensitivity": {"places": plots.draw_choices},
    "Diagnosis": plots.list_diagnosis,
    "LearningCurves": {"curves": plots.draw_curves},
    "ModelComparison": plots.list_comparison,
    "QueryCurves": {"mae": plots.draw_queries("mae"), "rmse": plots.draw_queries("rmse")},
    "JudgeProcess": {"likeness": plots.draw_likeness},
    "DecisionCurve": {"decisions": plots.draw_decisions},
    "CampaignPlan": plots.list_plan,
}


def plot(result: Any, kind: str | None = None) -> Any:
    """Draw a result.

    Args:
        result: a ranking, a screening, a table of agreement or another result that has figures.
        kind: of the figure; by itself the first that the result has.

    Returns:
        An Altair chart, which a notebook shows; `chart.save("name.svg")` writes it.

    Raises:
        UnknownOption: a result without figures, or a kind that it does not have.
        NotIdentified: a figure for which this result has no numbers.

    """
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
        hint = end(suggest(chosen, offered))
        raise UnknownOption(f"{known} has no figure '{chosen}'{hint}: {' | '.join(offered)}")
    return offered[chosen](result)
