"""How many comparisons are enough for a model, from its learning curve.

What is read off the curve is what was measured: how near smaller training sets come to the largest,
and what the last doubling gained. Beyond the largest size nothing was measured. Parameters of K
systems cost a mean loss of about K/(2n ln 2) bits, so that gains halve with every doubling once the
model is near its limit; models that share information more slowly gain like 1/√n. Both ends are
said: if each doubling gains a factor f of the one before, all that follow gain f/(1 − f) of it. A
power law fitted to six points would say more, and its exponent rests on the smallest of them.
"""

from __future__ import annotations

from typing import Final

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.validation.learning_parts import Enough
from evenhand.validation.learning_result import LearningCurves

MARGIN: Final = 0.02
"""Perplexity that is not worth collecting for; about .01 bits."""
FAST: Final = 0.5
SLOW: Final = 0.5**0.5
ALL_FAST: Final = FAST / (1 - FAST)
ALL_SLOW: Final = SLOW / (1 - SLOW)
"""What all further doublings gain beside the last, if each gains FAST or SLOW of the one before."""


def find_enough(curves: LearningCurves, model: str, margin: float = MARGIN) -> Enough:
    """Say how many comparisons are enough for a model.

    Only tasks whose training votes fill the largest size count; where none does, the largest that
    some task fills takes its place.

    Args:
        curves: learning curves.
        model: one of their models.
        margin: perplexity that is not worth collecting for.

    Raises:
        NotIdentified: the model has no mean at some size that is needed, or no task fills any.
        UnknownOption: there is no such model, or the margin is not positive.

    """
    if margin <= 0:
        raise UnknownOption(f"margin cannot be {margin:g}: it is a perplexity above 0")
    largest = _find_largest(curves)
    filled = [one.task for one in curves.test_sets if one.train >= largest]
    kept = curves.of_tasks(filled)
    behind = {size: kept.gain(model, size, largest) for size in _standing(kept, model, largest)}
    near = [size for size, own in behind.items() if own.value <= margin]
    sure = [size for size in near if behind[size].upper <= margin]
    gain = next((own for size, own in behind.items() if 2 * size == largest), None)
    left = gain if gain is not None and gain.lower > 0 else None
    return Enough(
        model=model,
        size=_first_of_run(near, list(behind)),
        sure=_first_of_run(sure, list(behind)) if len(sure) > 1 else None,
        largest=largest,
        margin=margin,
        gain=gain.value if gain else None,
        gain_lower=gain.lower if gain else None,
        gain_upper=gain.upper if gain else None,
        tasks=len(filled),
        smaller=tuple(one.task for one in curves.test_sets if one.train < largest),
        sizes=tuple(behind),
        left_if_fast=left.value * ALL_FAST if left else None,
        left_if_slow=left.value * ALL_SLOW if left else None,
        left_lower=left.lower * ALL_FAST if left else None,
        left_upper=left.upper * ALL_SLOW if left else None,
    )


def _find_largest(curves: LearningCurves) -> int:
    """Return the largest size that some task fills.

    Raises:
        NotIdentified: none fills any.

    """
    largest = curves.largest
    if all(one.train < largest for one in curves.test_sets):
        raise NotIdentified(
            f"no task has {largest:,} comparisons to train on: ask for smaller sizes"
        )
    return largest


def _standing(curves: LearningCurves, model: str, largest: int) -> list[int]:
    """Return the sizes up to the largest from which on the model stands in every trial.

    Raises:
        NotIdentified: it does not at the largest.

    """
    curves.estimate(model, largest)
    sizes = [size for size in curves.sizes if size <= largest]
    refused = [one.size for one in curves.refusals if one.model == model and one.size in sizes]
    return [size for size in sizes if size > max(refused, default=0)]


def _first_of_run(found: list[int], sizes: list[int]) -> int:
    """Return the smallest size from which on all sizes were found."""
    first = sizes[-1]
    for size in reversed(sizes):
        if size not in found:
            break
        first = size
    return first
