"""`evenhand judges`: who is careless, reversed or biased, and what changes without them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.cli.judge_options import Asked, Flags
from evenhand.cli.options import FiguresOfRatings, Grouping, given_options, refuse_given, verb
from evenhand.cli.result import VerbResult
from evenhand.cli.running import Run, remarks_on
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
)
def judges(
    run: Run,
    *,
    groups: Grouping,
    flags: Flags,
    asked: Asked,
    figures: FiguresOfRatings,
) -> VerbResult:
    """Flag careless, reversed and position-biased judges, with the evidence.

    At most about one in twenty flags (--fdr) falls on an honest judge. For
    ratings, --hamon adds the diagnosis of Hamon, Mostefa and Arranz (2007):
    agreement, judges outside by three rules, systems scored without them.
    """
    figures.check()
    data = run.reading.open()
    panels, refused = _examine(data, asked, groups.group_by, flags.fdr)
    remarks = [*remarks_on(data), *_draw(panels, figures)]
    # options that say how the diagnosis is made ask for it
    made = {*Asked.list_options(), *Grouping.list_options()} - {"scale"}
    hamon = flags.hamon or not made.isdisjoint(given_options())
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
        of_ratings = (*Asked.list_options(), *Grouping.list_options(), "hamon")
        why = "is for ratings; these are comparisons, whose judges are screened over all tasks"
        refuse_given(of_ratings, f"{why}: leave it out, or choose rows with --task or --where")
        return {"": examine_comparisons(data, level=level)}, {}
    by = None if group_by is None else data.require(group_by)
    if by is None and data.has("task"):
        by = "task"
    known = ("task", "judge", "item", "system", "criterion")
    factors = [name for name in (by, options.input_type) if name is not None and name not in known]
    rows = data.rows(factors=factors)
    return examine_ratings(rows, options.diagnose, by=by, level=level, scale=options.declared())


def _draw(panels: dict[str, JudgePanel], figures: FiguresOfRatings) -> list[str]:
    if figures.figures is None:
        return []
    from evenhand.report.figures.judges import draw_judges

    drawn = {
        group: draw_judges(panel.diagnosis)
        for group, panel in panels.items()
        if panel.diagnosis is not None
    }
    if not any(drawn.values()):
        raise UnknownOption("--figures draws ratings, and there is no diagnosis of any here")
    return figures.write(drawn)
