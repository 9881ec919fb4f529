"""Figures of compared models, written where they were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli.compare_options import Asked
from evenhand.cli.short_names import shorten, tell_apart
from evenhand.errors import NotConverged, NotIdentified

if TYPE_CHECKING:
    from evenhand.ranking.cross_validation import ModelComparison
    from evenhand.ranking.learning_curves import LearningCurves

USUAL: Final = ("svg", "png")  # Forms of figures unless told otherwise
# Pixels of the picture for each letter of a system's name: a third of it is for names
LETTER: Final = 17


def check_figures(asked: Asked) -> None:
    """Refuse figures that cannot be drawn or written, before hours of training."""
    if asked.figures is None:
        return
    from evenhand.report.figures.drawing import check_folder

    check_folder(Path(asked.figures), asked.forms or USUAL)


def write_comparisons(groups: Mapping[str, ModelComparison], asked: Asked) -> list[str]:
    """Draw every comparison, and the systems by the best of its models; say where figures are."""
    if asked.figures is None:
        return []
    from evenhand.report.figures.file_names import name_files
    from evenhand.report.figures.held_out_figures import draw_comparison

    heads = {name: f"{file}-" for name, file in name_files(filter(None, groups)).items()}
    figures: dict[str, Any] = {}
    notes: list[str] = []
    for group, found in groups.items():
        drawn = draw_comparison(found, width=asked.pixels)
        systems, why = _draw_systems(found, asked.pixels)
        figures |= {f"{heads.get(group, '')}{name}": one for name, one in (drawn | systems).items()}
        notes += [f"{group}: {why}" if group else why] if why else []
    return [*notes, *_write(figures, asked)]


def _draw_systems(found: ModelComparison, width: int) -> tuple[dict[str, Any], str]:
    """Draw the systems by the best model that orders them, fitted to all judgments."""
    from evenhand.models.registry import find_model
    from evenhand.ranking.by_model import ALIKE
    from evenhand.report.figures.held_out_figures import draw_fit

    names = [name for name in found.order if name not in ALIKE]
    if not names:
        return {}, "no heat map is drawn: no model that was compared orders systems"
    try:
        fit = find_model(names[0]).make().fit(found.held_out)
    except (NotIdentified, NotConverged) as refusal:
        return {}, f"no heat map is drawn: {names[0]} on all judgments: {refusal}"
    short, _ = shorten(fit.systems)
    apart = tell_apart(short, max(width // LETTER, 12))
    labels = {name: apart[one] for name, one in zip(fit.systems, short, strict=True)}
    return draw_fit(fit, name=names[0], labels=labels, level=found.level, width=width), ""


def write_curves(found: LearningCurves, asked: Asked) -> list[str]:
    """Draw learning curves; say where the figure is."""
    if asked.figures is None:
        return []
    from evenhand.report.figures.held_out_figures import draw_curves

    return _write({"curves": draw_curves(found, width=asked.pixels)}, asked)


def _write(figures: Mapping[str, Any], asked: Asked) -> list[str]:
    from evenhand.report.figures.drawing import write_figures

    folder = asked.figures or ""
    written = write_figures(figures, Path(folder), asked.forms or USUAL)
    return [f"wrote {len(written)} figures to {folder}"]
