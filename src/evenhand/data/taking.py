"""What every public function takes as judgments: whatever `evenhand.read` opens.

A handle that was opened before is taken as it is, and so are counts (a tally, votes). Everything
else, such as a path, a data frame or a dict of columns, is opened here, so that `rank(x)` is
`rank(read(x))`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

P = ParamSpec("P")
Result = TypeVar("Result")
# A path, a URL, a data frame of any library, a dict of columns, a list of dicts, a data set
Openable: TypeAlias = Any


def take(judgments: Any) -> Any:
    """Return judgments that were opened, or counted, as they are; open anything else."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(judgments).__mro__}
    if judgments is None or "evenhand" in rooms:
        return judgments
    return import_module("evenhand").read(judgments)  # which also opens a campaign's database


def takes_judgments(*arguments: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Let arguments of a public function be anything that holds judgments."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        names = [*signature(function).parameters]
        places = [(name, names.index(name)) for name in arguments]

        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> Result:
            given: list[Any] = [*args]
            for name, place in places:
                if place < len(given):
                    given[place] = take(given[place])
                elif name in kwargs:
                    kwargs[name] = take(kwargs[name])
            return cast("Callable[..., Result]", function)(*given, **kwargs)

        return run

    return decorate
