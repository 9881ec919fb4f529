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
    from evenhand.preference.judge_slopes import JudgeSlopes
    from evenhand.preference.pattern import PatternModel
    from evenhand.preference.plackett_luce import PlackettLuce
    from evenhand.preference.random_judges import RandomJudges
    from evenhand.ranking.method_table import MethodTable
    from evenhand.ranking.methods import compare_methods
    from evenhand.ranking.model_rows import ModelTable
    from evenhand.ranking.model_table import tabulate_models
    from evenhand.ranking.position_bias import PositionBias, find_position_bias
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.significance import PreferenceTests, find_preferences

__version__ = "0.1.0"

__all__ = [
    "BradleyTerry",
    "CampaignError",
    "Comparisons",
    "EvenhandError",
    "InvalidJudgments",
    "JudgeSlopes",
    "MethodTable",
    "ModelTable",
    "NotConverged",
    "NotIdentified",
    "PatternModel",
    "PlackettLuce",
    "PositionBias",
    "PreferenceTests",
    "RandomJudges",
    "Ranking",
    "Rankings",
    "Ratings",
    "Tally",
    "UnknownColumn",
    "UnknownFormat",
    "UnknownOption",
    "compare_methods",
    "find_position_bias",
    "find_preferences",
    "rank",
    "read",
    "tabulate_models",
]

_PUBLIC = {
    "BradleyTerry": "evenhand.preference.bradley_terry",
    "CampaignError": "evenhand.errors",
    "Comparisons": "evenhand.judgments",
    "EvenhandError": "evenhand.errors",
    "InvalidJudgments": "evenhand.errors",
    "JudgeSlopes": "evenhand.preference.judge_slopes",
    "MethodTable": "evenhand.ranking.method_table",
    "ModelTable": "evenhand.ranking.model_rows",
    "NotConverged": "evenhand.errors",
    "NotIdentified": "evenhand.errors",
    "PatternModel": "evenhand.preference.pattern",
    "PlackettLuce": "evenhand.preference.plackett_luce",
    "PositionBias": "evenhand.ranking.position_bias",
    "PreferenceTests": "evenhand.ranking.significance",
    "RandomJudges": "evenhand.preference.random_judges",
    "Ranking": "evenhand.ranking",
    "Rankings": "evenhand.judgments",
    "Ratings": "evenhand.judgments",
    "Tally": "evenhand.judgments",
    "UnknownColumn": "evenhand.errors",
    "UnknownFormat": "evenhand.errors",
    "UnknownOption": "evenhand.errors",
    "compare_methods": "evenhand.ranking.methods",
    "find_position_bias": "evenhand.ranking.position_bias",
    "find_preferences": "evenhand.ranking.significance",
    "rank": "evenhand.ranking",
    "read": "evenhand.formats",
    "tabulate_models": "evenhand.ranking.model_table",
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
