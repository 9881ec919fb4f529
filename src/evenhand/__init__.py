"""Evenhand: from judgments of language systems to a ranking that can be believed.

    >>> import evenhand
    >>> evenhand.__version__
    '0.2.0'

The public names stand in `__init__.pyi`, one a line with the file where it lives, and are imported
when they are first used (PEP 562): `import evenhand` costs next to nothing, `evenhand --help` needs
neither numpy nor DuckDB, and no verb pays for another. Type checkers read the same list.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module

__version__ = "0.2.0"
_LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lend_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
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


__getattr__, __dir__ = lend_names(__name__, __file__)
