"""Where each public name lives, and how a package gives out a name that it does not yet hold.

A package that imported all that it publishes would make every verb pay for all of it. Instead a
name is imported from its file when it is first used (PEP 562).
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

EXPORTS: Final = {
    "AdjustedUniform": "evenhand.models.baselines",
    "AgreementTable": "evenhand.judges.agreement_table",
    "Leaderboard": "evenhand.ranking.sequential.leaderboard",
    "SequentialState": "evenhand.ranking.sequential.leaderboard",
    "Borders": "evenhand.ranking.borders",
    "BradleyTerry": "evenhand.models.bradley_terry",
    "CampaignError": "evenhand.errors",
    "CampaignPlan": "evenhand.design.plan",
    "Comparisons": "evenhand.data",
    "Completion": "evenhand.ratings.completion",
    "Cycles": "evenhand.ranking.robustness.cycles",
    "DawidSkene": "evenhand.models.dawid_skene",
    "DecisionCurve": "evenhand.ratings.reliability",
    "Diagnosis": "evenhand.judges.diagnosis_result",
    "EvenhandError": "evenhand.errors",
    "Fragility": "evenhand.ranking.robustness.fragility",
    "GroupedDiagnoses": "evenhand.judges.diagnosis",
    "HeldOut": "evenhand.ratings.process_comparison",
    "IRTCategorical": "evenhand.models.irt_categorical",
    "IRTGaussian": "evenhand.models.irt_gaussian",
    "IndependentPairs": "evenhand.models.baselines",
    "IndependentStudents": "evenhand.models.baselines",
    "InvalidJudgments": "evenhand.errors",
    "JudgeProcess": "evenhand.ratings.judge_process",
    "JudgeSlopes": "evenhand.models.judge_slopes",
    "LabelFit": "evenhand.models.labels",
    "LearningCurves": "evenhand.ranking.learning_curves",
    "MACE": "evenhand.models.mace",
    "LiveLeaderboard": "evenhand.ranking.sequential.leaderboard",
    "MethodTable": "evenhand.ranking.methods",
    "Mix": "evenhand.data.weights",
    "ModelComparison": "evenhand.ranking.cross_validation",
    "ModelTable": "evenhand.ranking.model_table",
    "MultiTaskGP": "evenhand.ratings.judge_process",
    "NextOutputs": "evenhand.design.next_outputs",
    "NextPairs": "evenhand.design.next_pairs",
    "NotConverged": "evenhand.errors",
    "NotIdentified": "evenhand.errors",
    "NuclearNorm": "evenhand.ratings.completion",
    "OutputFeatures": "evenhand.ratings.features",
    "PatternModel": "evenhand.models.pattern",
    "PlackettLuce": "evenhand.models.plackett_luce",
    "Policy": "evenhand.design.policy",
    "PositionBias": "evenhand.ranking.position_bias",
    "PreferenceTests": "evenhand.ranking.significance",
    "Query": "evenhand.design.query",
    "QueryCurves": "evenhand.design.query_replay",
    "QueryReplay": "evenhand.design.query_replay",
    "RandomJudges": "evenhand.models.random_judges",
    "Ranking": "evenhand.ranking",
    "Rankings": "evenhand.data",
    "Ratings": "evenhand.data",
    "Report": "evenhand.report.html",
    "Savings": "evenhand.design.savings",
    "Screening": "evenhand.judges.cards",
    "Sensitivity": "evenhand.ranking.robustness.sensitivity",
    "Sorting": "evenhand.design.sorting",
    "Tally": "evenhand.data",
    "Uniform": "evenhand.models.baselines",
    "UnknownColumn": "evenhand.errors",
    "UnknownFormat": "evenhand.errors",
    "UnknownOption": "evenhand.errors",
    "VarianceComponents": "evenhand.judges.variance",
    "Vote": "evenhand.ranking.sequential.votes",
    "add_tallies": "evenhand.data.adding",
    "check_borders": "evenhand.ranking.borders",
    "choose_outputs": "evenhand.design.next_outputs",
    "choose_pairs": "evenhand.design.next_pairs",
    "compare_methods": "evenhand.ranking.methods",
    "compare_models": "evenhand.ranking.held_out",
    "compare_processes": "evenhand.ratings.process_comparison",
    "diagnose_groups": "evenhand.judges.diagnosis",
    "diagnose_judges": "evenhand.judges.diagnosis",
    "estimate_components": "evenhand.judges.variance",
    "find_cycles": "evenhand.ranking.robustness.cycles",
    "find_enough": "evenhand.ranking.learning_curves",
    "find_fragility": "evenhand.ranking.robustness.fragility",
    "find_position_bias": "evenhand.ranking.position_bias",
    "find_preferences": "evenhand.ranking.significance",
    "make_report": "evenhand.report.assemble",
    "measure_agreement": "evenhand.judges.agreement",
    "measure_savings": "evenhand.design.savings",
    "plan_campaign": "evenhand.design.plan",
    "plot": "evenhand.report.plot",
    "rank": "evenhand.ranking",
    "read": "evenhand.formats",
    "read_board": "evenhand.ranking.sequential.leaderboard",
    "screen_judges": "evenhand.judges.screening",
    "study_decisions": "evenhand.ratings.reliability",
    "tabulate_models": "evenhand.ranking.model_table",
    "trace_learning": "evenhand.ranking.held_out",
    "trace_queries": "evenhand.design.query_replay",
    "vary_choices": "evenhand.ranking.robustness.sensitivity",
    "watch": "evenhand.ranking.sequential.watch",
    "write_board": "evenhand.ranking.sequential.leaderboard",
}


def lazy_getattr(package: str, exports: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package: it imports a name when it is first used.

    exports: name → module that holds it.
    """

    def import_name(name: str) -> object:
        if name not in exports:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(exports[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return import_name
