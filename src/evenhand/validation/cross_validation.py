"""Models trained on all folds but one predict that one, until every vote was predicted unseen.

All models see the same folds. A model that refuses in any fold has no loss on some votes, and so no
mean that could be compared: it is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.votes import Votes
from evenhand.numerics.threads import one_blas_thread
from evenhand.validation.folds import Plan, make_folds
from evenhand.validation.training import Models, Progress, train

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Validated:
    """What came of all folds.

    Attributes:
        losses: model → (n,) loss of each vote (bits), averaged over repeats; of models that
            refused nowhere.
        refused: model → why, and in how many trainings.
        seconds: model → CPU seconds.
        train: (least, most) votes that were trained on.
        folds: trainings of a model in each repeat; blocks without votes are none.

    """

    losses: Mapping[str, Array]
    refused: Mapping[str, str]
    seconds: Mapping[str, float]
    train: tuple[int, int]
    folds: tuple[int, ...]


def cross_validate(
    votes: Votes, models: Models, plan: Plan, progress: Progress | None = None
) -> Validated:
    """Train every model on all folds but one, and measure its losses on that one.

    Args:
        votes: of one task, in an order that does not depend on that of the table.
        models: name → model.
        plan: how the votes are divided.
        progress: called with trainings done and to do.

    Raises:
        UnknownColumn: the votes do not know what they are to be divided by.

    """
    losses = {name: np.zeros(votes.size) for name in models}
    why: dict[str, list[str]] = {name: [] for name in models}
    seconds, sizes = dict.fromkeys(models, 0.0), set[int]()
    made = list(make_folds(votes, plan))
    folds = [fold for _, fold in made]
    with one_blas_thread():
        for done, fold in enumerate(folds):
            known, asked = votes.take(fold.train), votes.take(fold.test)
            sizes.add(known.size)
            for name, model in models.items():
                found = train(model, known, asked)
                seconds[name] += found.seconds
                if found.losses is None:
                    why[name].append(found.why)
                else:
                    losses[name][fold.test] += found.losses
            if progress is not None:
                progress(done + 1, len(folds))
    refused = {name: _say(own, len(folds)) for name, own in why.items() if own}
    kept = {name: own / plan.repeats for name, own in losses.items() if name not in refused}
    counts = np.bincount([repeat for repeat, _ in made], minlength=plan.repeats)
    return Validated(kept, refused, seconds, (min(sizes), max(sizes)), tuple(counts.tolist()))


def _say(why: list[str], folds: int) -> str:
    return f"{why[0]} ({len(why):,} of {folds:,} trainings refused)"
