"""`evenhand judges`: who is careless, reversed or biased, and what changes without them?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand.cli import options
from evenhand.cli.result import VerbResult
from evenhand.cli.running import remarks_on
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows
    from evenhand.judges.diagnosis import Diagnosis
    from evenhand.ranking.without_judges import JudgePanel

    Panels = tuple[dict[str, JudgePanel], dict[str, str]]


METHODS: Final = ("mean-score", "mean-agreement", "easy-items")

_ratings = options.under("What the ratings are")
_outside = options.under("Rules of Hamon et al. (ratings)")
_flags = options.under("Flags")


class Flags(options.Options):
    fdr: float = _flags(
        "--fdr PROPORTION",
        "Allowed share of honest judges among the flagged (false discovery rate).",
        default=0.05,
    )
    hamon: bool = _flags(
        "--hamon", "Also the tables and rules of Hamon et al. (2007), for ratings."
    )
    llm_judges: tuple[str, ...] = _flags(
        "--llm-judges NAME,NAME",
        "Judges who are LLMs, and are excluded. Repeatable. Default: those marked by judge_type.",
    )


class Asked(options.Options):
    scale: str | None = options.scale_option(_ratings)
    input_type: str | None = _ratings(
        "--input-type COLUMN", "Kinds of input to show separately, such as speech and text."
    )
    references: tuple[str, ...] = _ratings(
        "--reference-system SYSTEM", "A human reference among the systems, the ceiling. Repeatable."
    )
    easy: str | None = _ratings(
        "--easy FILE",
        "A list of items, one per line, whose outputs are known to be good. Without it, rows of"
        " kind control are used.",
        reads=True,
    )
    version: str = _ratings(
        "--version first|last|both",
        "Which score counts where a judge scored an output again.",
        default="first",
    )
    merge: str | None = _ratings("--merge POINTS", "Also use a coarser scale, such as 1+2,4+5.")
    k: float = _outside(
        "--sd", "Standard deviations from the centre at which a judge is outside.", default=1.0
    )
    ddof: int = _outside(
        "--ddof 0|1",
        "Degrees of freedom subtracted in the standard deviation over judges.",
        default=1,
    )
    reading: str = _outside(
        "--mean-score mean|gap",
        "Use each judge's mean, or its gap to the others' mean on the same outputs.",
        default="mean",
    )
    methods: tuple[str, ...] = _outside(
        "--remove mean-score|mean-agreement|easy-items",
        "Methods that decide who is removed. Default: all three. Repeatable.",
    )
    match: str = _outside("--match any|all", "By how many of them: any, or all.", default="any")
    across: str = _outside(
        "--across each|any|all",
        "Remove under each criterion separately, or everywhere if outside under any or all.",
        default="each",
    )

    def diagnose(self, rows: RatingRows) -> Diagnosis:
        from evenhand.judges.diagnosis import diagnose_judges

        settings = {**vars(self), "easy": self.items(), "methods": self.methods or METHODS}
        return diagnose_judges(rows, **settings)

    def items(self) -> tuple[str, ...]:
        if self.easy is None:
            return ()
        try:
            lines = Path(self.easy).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise UnknownOption(f"--easy {self.easy} cannot be read: {reason}") from None
        items = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
        if not items:
            raise UnknownOption(f"--easy {self.easy} names no item: write one a line")
        return items


@options.verb(
    "evenhand judges votes.csv",
    "evenhand judges scores.csv --scale 1-5 --hamon",
    "evenhand judges scores.csv --scale 1-5 --figures figures",
    doing="screening",
)
def judges(
    run: options.Run,
    *,
    groups: options.Grouping,
    flags: Flags,
    asked: Asked,
    figures: options.Figures,
) -> VerbResult:
    """Flag careless, reversed and position-biased judges, with the evidence.

    At most about one in twenty flags (--fdr) falls on an honest judge. For
    ratings, --hamon adds the diagnosis of Hamon, Mostefa and Arranz (2007):
    agreement, judges outside by three rules, systems scored without them.
    """
    from evenhand.data.controls import leave_out_llm_judges, leave_out_named
    from evenhand.data.rating_rows import require_scale
    from evenhand.data.ratings import Ratings
    from evenhand.judges.screening import note_llm_judges_apart
    from evenhand.ranking.without_judges import examine_comparisons, examine_ratings

    figures.check()
    named = options.split_names(flags.llm_judges)
    data = leave_out_llm_judges(leave_out_named(run.reading.open(), named))
    by, refused = groups.group_by, dict[str, str]()
    if isinstance(data, Ratings):
        by = "task" if by is None and data.has("task") else by
        factors = [one for one in (by, asked.input_type) if one is not None]
        rows = data.keep_asked().rows(factors=factors)
        panels, refused = examine_ratings(
            replace(rows, notes=(*rows.notes, *note_llm_judges_apart(data))),
            asked.diagnose,
            by=by,
            level=flags.fdr,
            scale=require_scale(asked.scale),
        )
    else:
        of_ratings = (*Asked.list_options(), *options.Grouping.list_options(), "hamon")
        why = "is for ratings; these are comparisons, whose judges are screened over all tasks"
        options.refuse_given(
            of_ratings, f"{why}: leave it out, or choose rows with --task or --where"
        )
        panels = {"": examine_comparisons(data, level=flags.fdr)}
    remarks = [*remarks_on(data), *_draw(panels, figures)]
    # options that say how the diagnosis is made ask for it
    made = {*Asked.list_options(), *options.Grouping.list_options()} - {"scale"}
    hamon = flags.hamon or not made.isdisjoint(options.given_options())
    flagged = [one for one in panels.values() if one.screening is not None]
    # flags are over all tasks
    if flagged and not hamon and run.place.form not in ("json", "csv"):
        panels, refused = {"": flagged[0]}, {}
    return VerbResult(panels, refused, remarks, ("hamon",) * hamon)


def _draw(panels: dict[str, JudgePanel], figures: options.Figures) -> list[str]:
    if figures.figures is None:
        return []
    from evenhand.report.plot import draw_panel

    diagnosed = {group: one for group, one in panels.items() if one.diagnosis is not None}
    return figures.write(diagnosed or panels, draw_panel)
