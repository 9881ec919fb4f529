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
    most = max(one.train for one in curves.test_sets)
    sizes = [size for size in curves.sizes if size <= most]
    if not sizes:
        raise NotIdentified(
            f"no task has {curves.sizes[0]:,} comparisons to train on: ask for smaller sizes"
        )
    largest = sizes[-1]
    filled = [one.task for one in curves.test_sets if one.train >= largest]
    kept = curves.of_tasks(filled)
    behind = {size: kept.gain(model, size, largest) for size in _standing(kept, model, sizes)}
    near = [size for size, own in behind.items() if own.value <= margin]
    sure = [size for size in near if behind[size].upper <= margin]
    half = [size for size in behind if 2 * size == largest]
    gain = behind[half[0]] if half else None
    return Enough(
        model=model,
        size=_first_of_run(near, list(behind)),
        sure=_first_of_run(sure, list(behind)) if len(sure) > 1 else None,
        largest=largest,
        margin=margin,
        gain=None if gain is None else gain.value,
        gain_lower=None if gain is None else gain.lower,
        gain_upper=None if gain is None else gain.upper,
        left_if_fast=None if gain is None else max(gain.value, 0.0) * FAST / (1 - FAST),
        left_if_slow=None if gain is None else max(gain.value, 0.0) * SLOW / (1 - SLOW),
        tasks=len(filled),
    )


def _standing(curves: LearningCurves, model: str, sizes: list[int]) -> list[int]:
    """Return the sizes from which on the model stands in every trial.

    Raises:
        NotIdentified: it does not at the largest.

    """
    curves.estimate(model, sizes[-1])
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
