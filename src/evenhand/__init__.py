"""Evenhand: from judgments of language systems to a ranking that can be believed.

    >>> import evenhand
    >>> evenhand.__version__
    '0.1.0'

The public names are imported when they are first used (PEP 562): `import evenhand` costs next to
nothing, and `evenhand --help` needs neither numpy nor DuckDB.
"""

from typing import TYPE_CHECKING

from evenhand.public_names import EXPORTS, lazy_getattr

if TYPE_CHECKING:
    from evenhand.data.adding import add_tallies
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.data.tally import Tally
    from evenhand.data.weights import Mix
    from evenhand.design.next_outputs import NextOutputs, choose_outputs
    from evenhand.design.next_pairs import NextPairs, choose_pairs
    from evenhand.design.plan import CampaignPlan, plan_campaign
    from evenhand.design.policy import Policy
    from evenhand.design.query import Query
    from evenhand.design.query_replay import QueryCurves, QueryReplay, trace_queries
    from evenhand.design.savings import Savings, measure_savings
    from evenhand.design.sorting import Sorting
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
    from evenhand.formats.reading import read
    from evenhand.judges.agreement import measure_agreement
    from evenhand.judges.agreement_table import AgreementTable
    from evenhand.judges.cards import Screening
    from evenhand.judges.diagnosis import GroupedDiagnoses, diagnose_groups, diagnose_judges
    from evenhand.judges.diagnosis_result import Diagnosis
    from evenhand.judges.screening import screen_judges
    from evenhand.judges.variance import VarianceComponents, estimate_components
    from evenhand.models.baselines import (
        AdjustedUniform,
        IndependentPairs,
        IndependentStudents,
        Uniform,
    )
    from evenhand.models.bradley_terry import BradleyTerry
    from evenhand.models.dawid_skene import DawidSkene
    from evenhand.models.irt_categorical import IRTCategorical
    from evenhand.models.irt_gaussian import IRTGaussian
    from evenhand.models.judge_slopes import JudgeSlopes
    from evenhand.models.labels import LabelFit
    from evenhand.models.mace import MACE
    from evenhand.models.pattern import PatternModel
    from evenhand.models.plackett_luce import PlackettLuce
    from evenhand.models.random_judges import RandomJudges
    from evenhand.ranking.borders import Borders, check_borders
    from evenhand.ranking.cross_validation import ModelComparison
    from evenhand.ranking.held_out import compare_models, trace_learning
    from evenhand.ranking.learning_curves import LearningCurves, find_enough
    from evenhand.ranking.methods import MethodTable, compare_methods
    from evenhand.ranking.model_table import ModelTable, tabulate_models
    from evenhand.ranking.position_bias import PositionBias, find_position_bias
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.robustness.cycles import Cycles, find_cycles
    from evenhand.ranking.robustness.fragility import Fragility, find_fragility
    from evenhand.ranking.robustness.sensitivity import Sensitivity, vary_choices
    from evenhand.ranking.sequential.leaderboard import (
        Leaderboard,
        LiveLeaderboard,
        SequentialState,
        read_board,
        write_board,
    )
    from evenhand.ranking.sequential.votes import Vote
    from evenhand.ranking.sequential.watch import watch
    from evenhand.ranking.significance import PreferenceTests, find_preferences
    from evenhand.ratings.completion import Completion, NuclearNorm
    from evenhand.ratings.features import OutputFeatures
    from evenhand.ratings.judge_process import JudgeProcess, MultiTaskGP
    from evenhand.ratings.process_comparison import HeldOut, compare_processes
    from evenhand.ratings.reliability import DecisionCurve, study_decisions
    from evenhand.report.assemble import make_report
    from evenhand.report.html import Report
    from evenhand.report.plot import plot

__version__ = "0.1.0"

__all__ = [
    "MACE",
    "AdjustedUniform",
    "AgreementTable",
    "Borders",
    "BradleyTerry",
    "CampaignError",
    "CampaignPlan",
    "Comparisons",
    "Completion",
    "Cycles",
    "DawidSkene",
    "DecisionCurve",
    "Diagnosis",
    "EvenhandError",
    "Fragility",
    "GroupedDiagnoses",
    "HeldOut",
    "IRTCategorical",
    "IRTGaussian",
    "IndependentPairs",
    "IndependentStudents",
    "InvalidJudgments",
    "JudgeProcess",
    "JudgeSlopes",
    "LabelFit",
    "Leaderboard",
    "LearningCurves",
    "LiveLeaderboard",
    "MethodTable",
    "Mix",
    "ModelComparison",
    "ModelTable",
    "MultiTaskGP",
    "NextOutputs",
    "NextPairs",
    "NotConverged",
    "NotIdentified",
    "NuclearNorm",
    "OutputFeatures",
    "PatternModel",
    "PlackettLuce",
    "Policy",
    "PositionBias",
    "PreferenceTests",
    "Query",
    "QueryCurves",
    "QueryReplay",
    "RandomJudges",
    "Ranking",
    "Rankings",
    "Ratings",
    "Report",
    "Savings",
    "Screening",
    "Sensitivity",
    "SequentialState",
    "Sorting",
    "Tally",
    "Uniform",
    "UnknownColumn",
    "UnknownFormat",
    "UnknownOption",
    "VarianceComponents",
    "Vote",
    "add_tallies",
    "check_borders",
    "choose_outputs",
    "choose_pairs",
    "compare_methods",
    "compare_models",
    "compare_processes",
    "diagnose_groups",
    "diagnose_judges",
    "estimate_components",
    "find_cycles",
    "find_enough",
    "find_fragility",
    "find_position_bias",
    "find_preferences",
    "make_report",
    "measure_agreement",
    "measure_savings",
    "plan_campaign",
    "plot",
    "rank",
    "read",
    "read_board",
    "screen_judges",
    "study_decisions",
    "tabulate_models",
    "trace_learning",
    "trace_queries",
    "vary_choices",
    "watch",
    "write_board",
]


__getattr__ = lazy_getattr(__name__, EXPORTS)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *EXPORTS})
