"""Where each public name lives, and how a package lends a name that it does not yet hold.

A package that imported all that it publishes would make every verb pay for all of it. It lends
instead (PEP 562): a name is imported from its file when it is first used.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

ROOMS: Final = {
    "AdjustedUniform": "evenhand.preference.baselines.uniform",
    "AgreementTable": "evenhand.agreement.agreement_table",
    "Board": "evenhand.ranking.anytime.board",
    "BoardState": "evenhand.ranking.anytime.state",
    "Borders": "evenhand.ranking.borders",
    "BradleyTerry": "evenhand.preference.bradley_terry",
    "CampaignError": "evenhand.errors",
    "CampaignPlan": "evenhand.planning.campaign_plan",
    "Comparisons": "evenhand.judgments",
    "Completion": "evenhand.rating.completion",
    "CountedFiles": "evenhand.formats.counted",
    "Cycles": "evenhand.ranking.cycles_result",
    "DawidSkene": "evenhand.consensus.dawid_skene",
    "DecisionCurve": "evenhand.rating.decision_curve",
    "Diagnosis": "evenhand.screening.diagnosis_result",
    "EvenhandError": "evenhand.errors",
    "Fragility": "evenhand.ranking.fragility_result",
    "GroupedDiagnoses": "evenhand.screening.diagnosis_groups",
    "HeldOut": "evenhand.rating.process_comparison",
    "IRTCategorical": "evenhand.preference.irt_categorical",
    "IRTGaussian": "evenhand.preference.irt_gaussian",
    "IndependentPairs": "evenhand.preference.baselines.pairs",
    "IndependentStudents": "evenhand.preference.baselines.students",
    "InvalidJudgments": "evenhand.errors",
    "JudgeProcess": "evenhand.rating.judge_process",
    "JudgeSlopes": "evenhand.preference.judge_slopes",
    "LabelFit": "evenhand.consensus.label_fit",
    "LearningCurves": "evenhand.validation.learning_result",
    "MACE": "evenhand.consensus.mace",
    "LiveBoard": "evenhand.ranking.anytime.live_board",
    "MElo": "evenhand.preference.melo",
    "MethodTable": "evenhand.ranking.method_table",
    "Mix": "evenhand.judgments.mix",
    "ModelComparison": "evenhand.validation.comparison_result",
    "ModelTable": "evenhand.ranking.model_rows",
    "MultiTaskGP": "evenhand.rating.multitask_gp",
    "NextOutputs": "evenhand.active.next_outputs",
    "NextPairs": "evenhand.active.next_pairs",
    "NotConverged": "evenhand.errors",
    "NotIdentified": "evenhand.errors",
    "NuclearNorm": "evenhand.rating.nuclear_norm",
    "OutputFeatures": "evenhand.rating.features",
    "PatternModel": "evenhand.preference.pattern",
    "PlackettLuce": "evenhand.preference.plackett_luce",
    "Policy": "evenhand.active.policy",
    "PositionBias": "evenhand.ranking.position_bias",
    "PreferenceTests": "evenhand.ranking.significance",
    "Query": "evenhand.active.query",
    "QueryCurves": "evenhand.active.query_curves",
    "QueryReplay": "evenhand.active.query_settings",
    "RandomJudges": "evenhand.preference.random_judges",
    "Ranking": "evenhand.ranking",
    "Rankings": "evenhand.judgments",
    "Ratings": "evenhand.judgments",
    "Report": "evenhand.report.document",
    "Savings": "evenhand.active.savings",
    "Screening": "evenhand.screening.card",
    "Sensitivity": "evenhand.ranking.sensitivity_result",
    "Sorting": "evenhand.active.sorting",
    "Tally": "evenhand.judgments",
    "Uniform": "evenhand.preference.baselines.uniform",
    "UnknownColumn": "evenhand.errors",
    "UnknownFormat": "evenhand.errors",
    "UnknownOption": "evenhand.errors",
    "VarianceComponents": "evenhand.screening.variance.result",
    "Vote": "evenhand.ranking.anytime.vote",
    "add_tallies": "evenhand.judgments.adding",
    "check_borders": "evenhand.ranking.borders",
    "choose_outputs": "evenhand.active.next_outputs",
    "choose_pairs": "evenhand.active.next_pairs",
    "compare_methods": "evenhand.ranking.methods",
    "compare_models": "evenhand.ranking.held_out",
    "compare_processes": "evenhand.rating.process_comparison",
    "count_files": "evenhand.formats.counting_files",
    "diagnose_groups": "evenhand.screening.diagnosis_groups",
    "diagnose_judges": "evenhand.screening.diagnosis",
    "estimate_components": "evenhand.screening.variance.estimate",
    "find_cycles": "evenhand.ranking.cycles",
    "find_enough": "evenhand.validation.enough",
    "find_fragility": "evenhand.ranking.fragility",
    "find_position_bias": "evenhand.ranking.position_bias",
    "find_preferences": "evenhand.ranking.significance",
    "make_report": "evenhand.report.assemble",
    "measure_agreement": "evenhand.agreement.table",
    "measure_savings": "evenhand.active.replay",
    "plan_campaign": "evenhand.planning.plan_campaign",
    "plot": "evenhand.report.plot",
    "rank": "evenhand.ranking",
    "read": "evenhand.formats",
    "read_board": "evenhand.ranking.anytime.state_file",
    "screen_judges": "evenhand.screening.screen",
    "study_decisions": "evenhand.rating.reliability",
    "tabulate_models": "evenhand.ranking.model_table",
    "trace_learning": "evenhand.ranking.learning",
    "trace_queries": "evenhand.active.query_replay",
    "vary_choices": "evenhand.ranking.sensitivity",
    "watch": "evenhand.ranking.anytime.watch",
    "write_board": "evenhand.ranking.anytime.state_file",
}


def lend(package: str, rooms: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package: it imports a name when it is first used.

    Args:
        package: `__name__` of the package.
        rooms: public name → the module that holds it. No name may be a module of the package too:
            importing that module would put it in the name's place.

    """

    def borrow(name: str) -> object:
        if name not in rooms:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(rooms[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return borrow
