"""Commands that compute a number again: the words that read the judgments, and what was set."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from evenhand.judgments.coding import SEED

if TYPE_CHECKING:
    from evenhand.report.study import Settings

LEVEL: Final = 0.95
MODEL: Final = ("--ties", "--order-effect", "--reference", "--prior")
# Verb → which of the settings of a report it takes; others take none
TAKEN: Final[Mapping[str, frozenset[str]]] = {
    verb: frozenset(options)
    for verb, options in {
        "report": (*MODEL, "--level", "--seed", "--full"),
        "rank": (*MODEL, "--level", "--seed"),
        "doubt": (*MODEL, "--level", "--seed"),
        "fit": MODEL,
        "agreement": ("--level", "--seed"),
        "alike": ("--level", "--seed"),
        "bias": ("--level",),
        "compare": ("--level", "--seed"),
        "complete": ("--level", "--seed"),
        "labels": ("--seed",),
        "next": ("--seed",),
        "variance": ("--level",),
        "watch": ("--level", "--seed"),
    }.items()
}


def write_command(settings: Settings, verb: str, more: Sequence[str] = ()) -> str:
    """Return a command that computes something as a report did."""
    said = [*settings.words, *more]
    for option, values in _list_set(settings).items():
        if option in TAKEN.get(verb, ()) and option not in said:
            said += [option, *values]
    return shlex.join(("evenhand", verb, *said))


def _list_set(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Return the options that differ from what is usual, with their values."""
    model = settings.model
    given: dict[str, tuple[str, ...]] = {}
    if model is not None:
        given |= {} if model.ties == "davidson" else {"--ties": (model.ties,)}
        given |= {"--order-effect": ()} if model.order_effect else {}
        given |= {} if model.reference is None else {"--reference": (model.reference,)}
        given |= {} if model.prior == 0 else {"--prior": (f"{model.prior:g}",)}
    given |= {} if settings.level == LEVEL else {"--level": (f"{settings.level:g}",)}
    given |= {} if settings.seed == SEED else {"--seed": (str(settings.seed),)}
    return given | ({"--full": ()} if settings.full else {})
