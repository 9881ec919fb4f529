"""Options that every verb takes are kept in the command's context: no verb names them."""

from __future__ import annotations

from typing import Any, Final

import click

PLACE: Final = "evenhand."
"""What names in the context begin with."""


def keep(context: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep the value of an option; the callback of a parameter that no verb names."""
    context.meta[f"{PLACE}{param.name}"] = value


def kept(name: str) -> Any:
    """Return the value of an option of the command that runs."""
    return click.get_current_context().meta[PLACE + name]
