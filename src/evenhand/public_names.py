"""How a package gives out public names that it does not hold yet.

A package that imported all that it publishes would make every verb pay for all of it. Instead its
`__init__.pyi` says in which file each name lives, one name a line. Type checkers read it, and so
does the package: a name is imported when it is first used (PEP 562).
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module

_LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package whose `__init__.py` is given."""

    @cache
    def read_places() -> dict[str, str]:
        """Return public name → module that holds it."""
        from pathlib import Path  # half of what `import evenhand` would cost

        stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
        return {name: module for module, name in _LINE.findall(stub)}

    def import_name(name: str) -> object:
        if name == "__all__":
            value: object = [*read_places()]
        elif name in read_places():
            value = getattr(import_module(read_places()[name]), name)
        else:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        # not the rooms that were imported meanwhile, nor what made this function
        inner = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*inner, *read_places()})

    return import_name, list_names
