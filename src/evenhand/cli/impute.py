"""`evenhand impute`: what would judges have said of the outputs that they were not shown?"""

from __future__ import annotations

from typing import Any, Final

from evenhand.cli import options
from evenhand.cli.running import VerbResult, group_rows, remarks_on, work_on_groups
from evenhand.data.results import Beside
from evenhand.errors import UnknownOption

DRAWS: Final = 20

_model = options.under("Model")
_decisions = options.under("Decisions")


class Asked(options.Options):
    criterion: str | None = _model("--criterion NAME", "Only this criterion.")
    judge_group: str | None = _model(
        "--judge-group COLUMN|judge",
        "Intervals hold in each group of judges. Default: over all judges.",
    )
    mechanism: str = _model(
        "--mechanism at-random|by-value",
        "Whether ratings are missing at random, or depending on their value.",
        default="at-random",
    )
    clip: str | None = _model(
        "--clip LOW-HIGH", "Keep predictions on the scale. Default: they are left as they are."
    )
    force_shared: bool = _model(
        "--force-shared",
        "Use shared tastes even where they do not predict held-out ratings better.",
    )
    level: float = options.level_option(_model, default=0.9)
    seed: int = options.seed_option(_model)
    reliability: bool = _decisions(
        "--reliability",
        "Would systems be in the same order with fewer ratings? Needs a nearly full matrix.",
    )
    draws: int | None = _decisions(
        "--draws",
        f"How often ratings are hidden for each share. Default: {DRAWS}.",
        type=options.WholeFrom(1),
    )


@options.verb(
    "evenhand impute scores.csv",
    "evenhand impute scores.csv --judge-group native -o completed.csv",
    "evenhand impute scores.csv --reliability --figures figures",
    doing="completing",
)
def impute(
    run: options.Run, *, groups: options.Grouping, asked: Asked, figures: options.Figures
) -> VerbResult:
    """Predict missing ratings, with intervals, and compare simple predictions.

    Each task and criterion is completed apart. Tastes that judges share are used
    only where they predict held-out ratings better. CSV has all ratings, given
    and predicted; with --reliability it has the points of the curve.
    """
    # Refuse options that do nothing without others
    if not asked.reliability and (asked.draws is not None or figures.figures is not None):
        named = "--figures" if asked.draws is None else "--draws"
        raise UnknownOption(f"{named} is about --reliability: add it, or leave {named} out")
    figures.check()
    from evenhand.data.rating_rows import read_scale
    from evenhand.ratings.completion import NuclearNorm
    from evenhand.ratings.reliability import complete_part

    ends = None
    if asked.clip is not None:
        try:
            scale = read_scale(asked.clip)
        except UnknownOption:
            raise UnknownOption(
                f"--clip {asked.clip}: write LOW-HIGH, the lowest score, then a higher one, such as"
                " 0-100"
            ) from None
        ends = (scale.low, scale.high)
    model = NuclearNorm(
        level=asked.level,
        group=asked.judge_group,
        missing="at random" if asked.mechanism == "at-random" else "by value",
        clip=ends,
        abstain=not asked.force_shared,
        seed=asked.seed,
    )
    draws = (asked.draws or DRAWS) if asked.reliability else None
    data = run.reading.open_ratings("impute", asked.criterion)
    by = groups.group_by
    parts = group_rows(data, by, [] if asked.judge_group is None else [asked.judge_group])
    results, refused = work_on_groups(parts, lambda part: complete_part(part, model, draws), by)
    figures.write(results, _draw)
    return ImputeResult(results, refused, remarks_on(data, "repeats"))


def _draw(part: Beside) -> dict[str, Any]:
    from evenhand.report.figures.predictions import draw_decisions

    return {} if part.other is None else {"decisions": draw_decisions(part.other)}


MAX_CELLS: Final = 2_000_000  # Most cells that CSV is written of


class ImputeResult(VerbResult):
    def records(self) -> list[dict[str, Any]]:
        """Return the points of a curve, or all ratings, which no document holds: there are many."""
        rows = []
        for name, part in self.groups.items():
            cells = 0 if part.other is not None else part.main.predicted.size
            if cells > MAX_CELLS:
                raise UnknownOption(
                    f"CSV of {cells:,} cells, more than {MAX_CELLS:,}: take a part of the items, or"
                    " NuclearNorm().fit(...).completed in Python"
                )
            group = {"group": name} if self.grouped else {}
            rows += [{**group, **row} for row in (part.other or part.main).records()]
        return rows
