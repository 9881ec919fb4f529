"""`evenhand judges`: who is careless, reversed or biased, and what changes without them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.cli.judge_options import (
    OF_DIAGNOSIS,
    Asked,
    Flags,
    diagnosis_figure_options,
    refuse_rating_options,
)
from evenhand.cli.options import Grouping, is_given, verb
from evenhand.cli.result import VerbResult
from evenhand.cli.running import Run, check_figures, remarks_on, write_figures
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.without_judges import JudgePanel

    Panels = tuple[dict[str, JudgePanel], dict[str, str]]


@verb(
    "evenhand judges votes.csv",
    "evenhand judges scores.csv --scale 1-5 --hamon",
    "evenhand judges scores.csv --scale 1-5 --figures figures",
    doing="screening",
    more=diagnosis_figure_options,
)
def judges(
    run: Run,
    *,
    groups: Grouping,
    flags: Flags,
    asked: Asked,
    figures: str | None,
    forms: tuple[str, ...] | None,
) -> VerbResult:
    """Flag careless, reversed and position-biased judges, with the evidence.

    At most about one in twenty flags (--fdr) falls on an honest judge. For
    ratings, --hamon adds the diagnosis of Hamon, Mostefa and Arranz (2007):
    agreement, judges outside by three rules, systems scored without them.
    """
    check_figures(figures, forms)
    data = run.reading.open()
    panels, refused = _examine(data, asked, groups.group_by, flags.fdr)
    remarks = [*remarks_on(data), *_draw(panels, figures, forms)]
    hamon = flags.hamon or any(is_given(name) for name in OF_DIAGNOSIS)
    flagged = [one for one in panels.values() if one.screening is not None]
    # flags are over all tasks
    if flagged and not hamon and run.place.form not in ("json", "csv"):
        panels, refused = {"": flagged[0]}, {}
    return VerbResult(panels, refused, remarks, ("hamon",) * hamon)


def _examine(
    data: Comparisons | Rankings | Ratings, options: Asked, group_by: str | None, level: float
) -> Panels:
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.without_judges import examine_comparisons, examine_ratings

    if not isinstance(data, Ratings):
        refuse_rating_options()
        return {"": examine_comparisons(data, level=level)}, {}
    by = None if group_by is None else data.require(group_by)
    if by is None and data.has("task"):
        by = "task"
    known = ("task", "judge", "item", "system", "criterion")
    factors = [name for name in (by, options.input_type) if name is not None and name not in known]
    rows = data.rows(factors=factors)
    return examine_ratings(rows, options.diagnose, by=by, level=level, scale=options.declared())


def _draw(
    panels: dict[str, JudgePanel], folder: str | None, forms: tuple[str, ...] | None
) -> list[str]:
    if folder is None:
        return []
    from evenhand.report.figures.judges import draw_judges

    figures = {
        group: draw_judges(panel.diagnosis)
        for group, panel in panels.items()
        if panel.diagnosis is not None
    }
    if not any(figures.values()):
        raise UnknownOption("--figures draws ratings, and there is no diagnosis of any here")
    return write_figures(figures, folder, forms)
