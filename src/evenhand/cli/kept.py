"""Options that every verb takes are kept in the command's context: no verb names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from evenhand.judgments.exclusions import Exclusion

PLACE: Final = "evenhand."  # What names in the context begin with


def keep(context: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep the value of an option; the callback of a parameter that no verb names."""
    context.meta[f"{PLACE}{param.name}"] = value


def kept(name: str) -> Any:
    """Return the value of an option of the command that runs."""
    return click.get_current_context().meta[PLACE + name]


def keep_excluded(excluded: Sequence[Exclusion]) -> None:
    """Keep what was excluded from the judgments that the command reads."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[f"{PLACE}excluded"] = tuple(excluded)


def reads_judgments() -> bool:
    """Say whether the command has read judgments, so that it knows what was excluded."""
    context = click.get_current_context(silent=True)
    return context is not None and f"{PLACE}excluded" in context.meta


def kept_excluded() -> tuple[Exclusion, ...]:
    """Return what was excluded from the judgments that the command read."""
    context = click.get_current_context(silent=True)
    return () if context is None else context.meta.get(f"{PLACE}excluded", ())
