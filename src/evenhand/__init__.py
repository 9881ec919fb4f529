"""Evenhand: from judgments of language systems to a ranking that can be believed.

    >>> import evenhand
    >>> evenhand.__version__
    '0.1.0'

The public names are imported when they are first used (PEP 562): `import evenhand` costs next to
nothing, and `evenhand --help` needs neither numpy nor DuckDB.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.errors import (
        CampaignError,
        EvenhandError,
        InvalidJudgments,
        NotConverged,
        NotIdentified,
        UnknownColumn,
        UnknownFormat,
        UnknownOption,
    )
    from evenhand.formats import read
    from evenhand.judgments import Comparisons, Rankings, Ratings, Tally
    from evenhand.preference.bradley_terry import BradleyTerry
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking

__version__ = "0.1.0"

__all__ = [
    "BradleyTerry",
    "CampaignError",
    "Comparisons",
    "EvenhandError",
    "InvalidJudgments",
    "NotConverged",
    "NotIdentified",
    "Ranking",
    "Rankings",
    "Ratings",
    "Tally",
    "UnknownColumn",
    "UnknownFormat",
    "UnknownOption",
    "rank",
    "read",
]

_PUBLIC = {
    "BradleyTerry": "evenhand.preference.bradley_terry",
    "CampaignError": "evenhand.errors",
    "Comparisons": "evenhand.judgments",
    "EvenhandError": "evenhand.errors",
    "InvalidJudgments": "evenhand.errors",
    "NotConverged": "evenhand.errors",
    "NotIdentified": "evenhand.errors",
    "Ranking": "evenhand.ranking",
    "Rankings": "evenhand.judgments",
    "Ratings": "evenhand.judgments",
    "Tally": "evenhand.judgments",
    "UnknownColumn": "evenhand.errors",
    "UnknownFormat": "evenhand.errors",
    "UnknownOption": "evenhand.errors",
    "rank": "evenhand.ranking",
    "read": "evenhand.formats",
}


def __getattr__(name: str) -> object:
    """Import a public name from its room when it is first used."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'evenhand' has no attribute '{name}'")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *_PUBLIC})
