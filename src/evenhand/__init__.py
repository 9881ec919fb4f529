"""Evenhand: from judgments of language systems to a ranking that can be believed.

    >>> import evenhand
    >>> evenhand.__version__
    '0.1.0'

The public names are imported when they are first used (PEP 562): `import evenhand` costs next to
nothing, and `evenhand --help` needs neither numpy nor DuckDB.
"""

from typing import TYPE_CHECKING

from evenhand.public_names import ROOMS, lend

if TYPE_CHECKING:
    from evenhand.active.next_outputs import NextOutputs, choose_outputs
    from evenhand.active.next_pairs import NextPairs, choose_pairs
    from evenhand.active.policy import Policy
    from evenhand.active.query import Query
    from evenhand.active.query_curves import QueryCurves
    from evenhand.active.query_replay import trace_queries
    from evenhand.active.query_settings import QueryReplay
    from evenhand.active.replay import measure_savings
    from evenhand.active.savings import Savings
    from evenhand.active.sorting import Sorting
    from evenhand.agreement.agreement_table import AgreementTable
    from evenhand.agreement.table import measure_agreement
    from evenhand.consensus.dawid_skene import DawidSkene
    from evenhand.consensus.label_fit import LabelFit
    from evenhand.consensus.mace import MACE
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
    from evenhand.formats.counted import CountedFiles
    from evenhand.formats.counting_files import count_files
    from evenhand.judgments import Comparisons, Rankings, Ratings, Tally
    from evenhand.judgments.adding import add_tallies
    from evenhand.judgments.mix import Mix
    from evenhand.planning.campaign_plan import CampaignPlan
    from evenhand.planning.plan_campaign import plan_campaign
    from evenhand.preference.baselines.pairs import IndependentPairs
    from evenhand.preference.baselines.students import IndependentStudents
    from evenhand.preference.baselines.uniform import AdjustedUniform, Uniform
    from evenhand.preference.bradley_terry import BradleyTerry
    from evenhand.preference.irt_categorical import IRTCategorical
    from evenhand.preference.irt_gaussian import IRTGaussian
    from evenhand.preference.judge_slopes import JudgeSlopes
    from evenhand.preference.melo import MElo
    from evenhand.preference.pattern import PatternModel
    from evenhand.preference.plackett_luce import PlackettLuce
    from evenhand.preference.random_judges import RandomJudges
    from evenhand.ranking.anytime.board import Board
    from evenhand.ranking.anytime.live_board import LiveBoard
    from evenhand.ranking.anytime.state import BoardState
    from evenhand.ranking.anytime.state_file import read_board, write_board
    from evenhand.ranking.anytime.vote import Vote
    from evenhand.ranking.anytime.watch import watch
    from evenhand.ranking.borders import Borders, check_borders
    from evenhand.ranking.cycles import find_cycles
    from evenhand.ranking.cycles_result import Cycles
    from evenhand.ranking.fragility import find_fragility
    from evenhand.ranking.fragility_result import Fragility
    from evenhand.ranking.held_out import compare_models
    from evenhand.ranking.learning import trace_learning
    from evenhand.ranking.method_table import MethodTable
    from evenhand.ranking.methods import compare_methods
    from evenhand.ranking.model_rows import ModelTable
    from evenhand.ranking.model_table import tabulate_models
    from evenhand.ranking.position_bias import PositionBias, find_position_bias
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.sensitivity import vary_choices
    from evenhand.ranking.sensitivity_result import Sensitivity
    from evenhand.ranking.significance import PreferenceTests, find_preferences
    from evenhand.rating.completion import Completion
    from evenhand.rating.decision_curve import DecisionCurve
    from evenhand.rating.features import OutputFeatures
    from evenhand.rating.judge_process import JudgeProcess
    from evenhand.rating.multitask_gp import MultiTaskGP
    from evenhand.rating.nuclear_norm import NuclearNorm
    from evenhand.rating.process_comparison import HeldOut, compare_processes
    from evenhand.rating.reliability import study_decisions
    from evenhand.report.assemble import make_report
    from evenhand.report.document import Report
    from evenhand.report.plot import plot
    from evenhand.screening.card import Screening
    from evenhand.screening.diagnosis import diagnose_judges
    from evenhand.screening.diagnosis_groups import GroupedDiagnoses, diagnose_groups
    from evenhand.screening.diagnosis_result import Diagnosis
    from evenhand.screening.screen import screen_judges
    from evenhand.screening.variance.estimate import estimate_components
    from evenhand.screening.variance.result import VarianceComponents
    from evenhand.validation.comparison_result import ModelComparison
    from evenhand.validation.enough import find_enough
    from evenhand.validation.learning_result import LearningCurves

__version__ = "0.1.0"

__all__ = [
    "MACE",
    "AdjustedUniform",
    "AgreementTable",
    "Board",
    "BoardState",
    "Borders",
    "BradleyTerry",
    "CampaignError",
    "CampaignPlan",
    "Comparisons",
    "Completion",
    "CountedFiles",
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
    "LearningCurves",
    "LiveBoard",
    "MElo",
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
    "count_files",
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


__getattr__ = lend(__name__, ROOMS)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *ROOMS})
