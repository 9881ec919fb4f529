"""The figures of models compared on held-out judgments, and of the fit of one of them.

perplexity    each model's perplexity, with its interval
differences   how much worse than the best it is (bits), by paired differences; of several models
curves        perplexity by training size (figures 2 to 5 of Hopkins & May 2013)
abilities     the systems by one model, with intervals (figure 6, left)
heat-map      who is preferred to whom by that model (figure 6, right)
ties          how often neither is
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.models.registry import FittedModel, Posterior
from evenhand.numerics.distributions import normal_quantile
from evenhand.report.figures.heat_map import draw_heat_map, draw_tie_map, tabulate_chances
from evenhand.report.figures.interval_plots import Bar, draw_abilities, draw_intervals
from evenhand.report.figures.learning_curves import UNIFORM, Curve, draw_learning_curves
from evenhand.report.figures.marks import WIDTH

if TYPE_CHECKING:
    from evenhand.ranking.cross_validation import HeldOutScore, ModelComparison
    from evenhand.ranking.learning_curves import LearningCurves

Array = NDArray[np.float64]


def draw_comparison(found: ModelComparison, *, width: int = WIDTH) -> dict[str, Any]:
    """Draw perplexities, and differences to the best."""
    if not found.scores:
        return {}
    level = f"{100 * found.level:g} % intervals"
    drawn = {
        "perplexity": draw_intervals(
            [_bar(one, (one.perplexity, one.lower, one.upper)) for one in found.scores],
            axis="perplexity",
            title="Perplexity on held-out judgments",
            below=f"{level}; lower is better; dashed: guessing{_say_grey(found)}",
            reference=UNIFORM,
            width=width,
        )
    }
    if len(found.scores) > 1:
        drawn["differences"] = draw_intervals(
            [
                _bar(one, (one.difference, one.difference_lower, one.difference_upper))
                for one in found.scores
            ],
            axis="bits above the best",
            title=f"How much worse than {found.best}",
            below=f"{level} of paired differences{_say_grey(found)}",
            reference=0.0,
            width=width,
        )
    return drawn


def _say_grey(found: ModelComparison) -> str:
    """Say what grey rows are, if there are any, and whom they are surely worse than."""
    out = [one for one in found.scores if not one.among_best]
    others = {str(one.beaten_by) for one in out}
    if not out:
        return ""
    whom = others.pop() if len(others) == 1 else "some other model"
    return f"; grey: not among the best, being surely worse than {whom}"


def _bar(one: HeldOutScore, ends: tuple[float, float, float]) -> Bar:
    """Return a model's row, to be seen first if it cannot be told from the best."""
    return Bar(one.model, *ends, strong=one.among_best)


def draw_curves(found: LearningCurves, *, width: int = WIDTH) -> Any:
    """Draw perplexity by training size."""
    tasks = len(found.test_sets)
    below = f"lower is better; mean over {tasks} tasks" if tasks > 1 else "lower is better"
    return draw_learning_curves(make_curves(found), below=below, width=width)


def make_curves(found: LearningCurves, names: Mapping[str, str] | None = None) -> list[Curve]:
    """Return the lines of learning curves, best first."""
    shown = dict(zip(found.models, found.models, strict=True)) if names is None else names
    lines = []
    for model in found.order:
        if model in shown:
            points = found.curve(model)
            sizes = [one.size for one in points]
            ends = [one.lower for one in points], [one.upper for one in points]
            lines.append(Curve(shown[model], sizes, [one.perplexity for one in points], *ends))
    return lines


def draw_fit(
    fit: FittedModel,
    *,
    name: str,
    labels: Mapping[str, str] | None = None,
    level: float = 0.95,
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> dict[str, Any]:
    """Draw the systems by one model: abilities, who is preferred to whom, ties.

    level: of the intervals (proportion).
    borders: after how many systems a band ends, such as (1, 7, 10).
    """
    order = sorted(fit.systems, key=lambda one: (-fit.log_worth[fit.systems.index(one)], one))
    shown = [one if labels is None else labels[one] for one in order]
    chances = tabulate_chances(fit, order)
    bars, said = _estimate_abilities(fit, level)
    same = [bars[fit.systems.index(one)] for one in order]
    abilities = [Bar(label, *ends) for label, ends in zip(shown, same, strict=True)]
    return {
        "abilities": draw_abilities(
            abilities,
            axis=fit.order_scale if isinstance(fit, Posterior) else "log-worth",
            title=f"Systems by {name}",
            below=said,
            borders=borders,
            width=width,
        ),
        "heat-map": draw_heat_map(
            shown,
            chances,
            title=f"Who is preferred to whom, by {name}",
            borders=borders,
            width=width,
        ),
        "ties": draw_tie_map(
            shown, chances, title=f"How often neither is preferred, by {name}", width=width
        ),
    }


Ends = tuple[float, float | None, float | None]


def _estimate_abilities(fit: FittedModel, level: float) -> tuple[list[Ends], str]:
    """Return each system's value and interval about the average system, and what they are.

    Draws are centred one by one: where the scale begins is not known from comparisons.
    """
    worth = fit.log_worth - fit.log_worth.mean()
    if isinstance(fit, Posterior):
        draws = fit.order_draws - fit.order_draws.mean(axis=1, keepdims=True)
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        said = (
            f"posterior means with {100 * level:g} % intervals, 0 the average system; answers taken"
            " for independent given the outputs, as if judges were alike"
        )
        return _join(draws.mean(axis=0), low, high), said
    if fit.worth_vcov is None:
        said = "log-odds against the average system; the model has no intervals of its own"
        return [(float(one), None, None) for one in worth], said
    centred = np.eye(len(worth)) - 1 / len(worth)
    variance = np.einsum("ij,jk,ik->i", centred, fit.worth_vcov, centred)
    margin = normal_quantile((1 + level) / 2) * np.sqrt(np.maximum(variance, 0))
    said = f"log-worths with {100 * level:g} % intervals of the model, judgments independent"
    return _join(worth, worth - margin, worth + margin), said


def _join(middle: Array, low: Array, high: Array) -> list[Ends]:
    return list(zip(middle.tolist(), low.tolist(), high.tolist(), strict=True))
