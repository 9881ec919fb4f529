"""`evenhand similarity`: which judges rate alike, who scores high, and what matters to them?"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli import options
from evenhand.cli.next import Features
from evenhand.cli.running import VerbResult, remarks_on, work_on_groups
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.render.text import PLAIN, label

if TYPE_CHECKING:
    from evenhand.data.ratings import Ratings

SPLITS: Final = 5

_model = options.under("Model")


class Asked(options.Options):
    labels: tuple[str, ...] = options.under("What is known of outputs (ratings)")(
        "--label COLUMN",
        "A feature that is a name, even where it is written in digits. Repeatable.",
    )
    criterion: str | None = _model("--criterion NAME", "Only this criterion.")
    rank: int = _model(
        "--rank", "How many tastes judges share; each judge weighs them differently.", default=1
    )
    baselines: bool = _model(
        "--baselines", "Also compare predictions of held-out ratings with simpler models."
    )
    splits: int | None = _model("--splits", "How often --baselines halves the ratings. Default: 5.")
    level: float = options.level_option(_model)
    seed: int = options.seed_option(_model)


@options.verb(
    "evenhand similarity scores.csv --task zho-eng",
    "evenhand similarity scores.csv --feature length --label domain --baselines",
    "evenhand similarity scores.csv --figures figures",
    doing="learning",
)
def similarity(
    run: options.Run,
    *,
    groups: options.Grouping,
    known: Features,
    asked: Asked,
    figures: options.Figures,
) -> VerbResult:
    """Learn from ratings which judges are alike.

    Each judge is a function of outputs, and how these functions are correlated is
    learned (a multi-task Gaussian process), for each task and criterion apart.
    Which output it is always counts; features say what else outputs have in
    common. Over 1,000 ratings take minutes.
    """
    figures.check()
    if asked.splits is not None and not asked.baselines:
        raise UnknownOption("--splits is about --baselines: add it, or leave --splits out")
    from evenhand.data.groups import split_ratings
    from evenhand.design.next_outputs import name_features
    from evenhand.ratings.features import OUTPUT, OutputFeatures
    from evenhand.ratings.judge_process import MultiTaskGP
    from evenhand.ratings.process_comparison import HeldOut, examine_likeness

    def warn(text: str) -> None:
        click.echo(label("note", text, PLAIN), err=True)

    model, held = MultiTaskGP(rank=asked.rank, seed=asked.seed), None
    if asked.baselines:
        n = SPLITS if asked.splits is None else asked.splits
        held = HeldOut(folds=2, splits=n, level=asked.level, seed=asked.seed)
    data = run.reading.open_ratings("similarity", asked.criterion)
    for name in (*asked.labels, *(one for one in known.texts if one is not None)):
        data.require(name)
    features = OutputFeatures((), (OUTPUT, *asked.labels), *known.texts)
    if known.feature:  # which output it is always belongs to it
        named = name_features(data, known.feature, known.texts)
        features = replace(named, labels=(OUTPUT, *named.labels, *asked.labels))
    # tasks and criteria are looked at apart, unless they are features
    by = None if groups.group_by is None else data.require(groups.group_by)
    joined = sorted({"task", "criterion"} & {*features.labels})
    if joined and by is not None:
        raise UnknownOption(
            f"'{joined[0]}' as a feature joins what --group-by takes apart: choose one of them"
        )
    parts, done = {"": data} if joined else split_ratings(data, by), count()

    def work(part: Ratings) -> JudgeLikeness:
        run.patience.step(next(done), len(parts))
        try:
            return examine_likeness(part, features, model, held, level=asked.level, warn=warn)
        except InvalidJudgments as error:  # one of several that says nothing is named
            if [*parts] == [""]:
                raise
            raise NotIdentified(str(error)) from None

    results, refused = work_on_groups(parts, work, None)
    figures.write(results, _draw)
    return VerbResult(results, refused, remarks_on(data, "repeats"))


def _draw(results: JudgeLikeness) -> dict[str, Any]:
    from evenhand.report.figures.judges import draw_likeness

    return {"alike": draw_likeness(results)}
