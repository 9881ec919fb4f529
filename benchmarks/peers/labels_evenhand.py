"""Evenhand's labels; what is compared is the share of the units with each label."""

from collections import Counter
from collections.abc import Callable, Iterable

import scipy.sparse
import scipy.special

from benchmarks.peers import Answer, Values
from evenhand import LabelFit, read
from evenhand.models.dawid_skene import DawidSkene
from evenhand.models.mace import MACE

assert scipy.sparse, scipy.special  # imported before the clock starts, as peers import theirs


def mace(path: str) -> Callable[[], Answer]:
    """Ten starts of fifty iterations."""
    return look_at(MACE().fit(read(path)))


def dawid_skene(path: str) -> Callable[[], Answer]:
    """To its own end."""
    return look_at(DawidSkene().fit(read(path)))


def look_at(fit: object) -> Callable[[], Answer]:
    """What is shown of a fit."""
    assert isinstance(fit, LabelFit)
    return lambda: Answer(shares(fit.labels), {"steps": fit.steps})


def shares(labels: Iterable[object]) -> Values:
    """The share of the units with each label, ties left out."""
    counted = Counter(str(label) for label in labels if label is not None)
    return {label: n / counted.total() for label, n in sorted(counted.items())}
