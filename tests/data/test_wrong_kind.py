"""What is no table of the right kind is refused by every function, in words that help."""

import pandas as pd
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, UnknownFormat

VOTES = pd.DataFrame(
    [("A", "B", "left", "ann", "1"), ("B", "A", "left", "tom", "2")],
    columns=["left", "right", "outcome", "judge", "item"],
)
SCORES = pd.DataFrame(
    [(judge, item, system, 3) for judge in "jk" for item in "12" for system in "AB"],
    columns=["judge", "item", "system", "score"],
)
OF_PAIRS = {
    "trace_learning": evenhand.trace_learning,
    "choose_pairs": evenhand.choose_pairs,
    "find_cycles": evenhand.find_cycles,
    "find_position_bias": evenhand.find_position_bias,
    "find_preferences": evenhand.find_preferences,
    "tabulate_models": evenhand.tabulate_models,
    "BradleyTerry.fit": evenhand.BradleyTerry().fit,
    "PlackettLuce.fit": evenhand.PlackettLuce().fit,
}
OF_ANY = {
    "compare_models": evenhand.compare_models,
    "compare_methods": evenhand.compare_methods,
    "rank": evenhand.rank,
    "screen_judges": evenhand.screen_judges,
    "estimate_components": evenhand.estimate_components,
    "find_fragility": evenhand.find_fragility,
    "vary_choices": evenhand.vary_choices,
    "watch": evenhand.watch,
}
FEATURES = evenhand.OutputFeatures(labels=("system",))
OF_SCORES = {
    "study_decisions": evenhand.study_decisions,
    "diagnose_groups": evenhand.diagnose_groups,
    "find_differences": evenhand.find_differences,
    "choose_outputs": lambda data: evenhand.choose_outputs(data, FEATURES),
    "compare_processes": lambda data: evenhand.compare_processes(data, FEATURES),
    "NuclearNorm.fit": evenhand.NuclearNorm().fit,
    "MultiTaskGP.fit": lambda data: evenhand.MultiTaskGP().fit(data, FEATURES),
}
ALL = OF_PAIRS | OF_ANY | OF_SCORES


@pytest.mark.parametrize("work", ALL.values(), ids=ALL)
def test_nothing_is_refused_with_what_opens_judgments(work):
    if work is not evenhand.choose_pairs:  # which also begins with nothing
        with pytest.raises(
            InvalidJudgments, match=r"not .*NoneType: pass what evenhand\.read opens"
        ):
            work(None)


@pytest.mark.parametrize("work", OF_PAIRS.values(), ids=OF_PAIRS)
def test_ratings_are_refused_where_pairs_are_meant_and_never_told_to_be_opened(work):
    with pytest.raises(InvalidJudgments, match="ratings: ") as refusal:
        work(evenhand.read(SCORES))
    assert "evenhand.read" not in str(refusal.value)


@pytest.mark.parametrize("work", OF_SCORES.values(), ids=OF_SCORES)
def test_comparisons_are_refused_where_scores_are_meant(work):
    with pytest.raises(InvalidJudgments, match="comparisons: they have no scores; rank takes them"):
        work(evenhand.read(VOTES))


def test_a_tally_is_refused_where_the_judgments_themselves_are_needed():
    tally = evenhand.read(VOTES).tally()
    with pytest.raises(InvalidJudgments, match=r"not in Tally: pass what evenhand\.read opens"):
        evenhand.find_cycles(tally)


def test_a_diagnosis_of_comparisons_names_what_looks_at_their_judges():
    with pytest.raises(UnknownFormat, match="screen_judges looks at who made them"):
        evenhand.diagnose_judges(evenhand.read(VOTES))
