"""Commands and calls answer as they did: a part of the corpus, and slowly the whole.

The slow part takes all refusals, all conversions, which hold each layout that is read, and every
second case else, or all where EVENHAND_WHOLE is set, as `make same` does.
What differs is printed by its key. Only `make same` runs the text of a case that has JSON, unless
the case says `!`, and prints all at once; CONTRIBUTING.md says what to do where a change is meant.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import evenhand
from corpus.answers import Answer, Renamed, compare, read_kept
from corpus.runner import Case, read_cases
from evenhand.cli.main import VERBS

CASES = read_cases()
FAST = [case for case in CASES if case.part == "fast"]
STEP = 1 if os.environ.get("EVENHAND_WHOLE") else 2
REST = [case for case in CASES if case.part == "whole"]
REFUSALS = [case for case in REST if case.name.startswith("refusals/")]
OTHERS = [case for case in REST if case not in REFUSALS]
CONVERTED = [case for case in OTHERS if case.name.startswith("convert/")]
WHOLE = [*REFUSALS, *CONVERTED, *[case for case in OTHERS[::STEP] if case not in CONVERTED]]
RENAMED = Renamed.read()
Answers = Mapping[tuple[str, str], Answer]


def list_runs(cases: Sequence[Case]) -> list[object]:
    """The forms of some cases, as parameters."""
    return [
        pytest.param(case, form, id=f"{case.name}-{form}")
        for case in cases
        for form in case.compared
        if not RENAMED.is_deleted(case.name)
    ]


def run(path: Path, *words: str) -> Answers:
    """Run cases in a process of their own, which forks one for each."""
    command = [sys.executable, "-m", "corpus", "--to", str(path), *words]
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answers = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {(one["case"], one["form"]): one for one in answers}


@pytest.fixture(scope="module")
def kept() -> Answers:
    return read_kept()


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return run(tmp_path_factory.mktemp("fast") / "answers.jsonl", "--part", "fast")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    names = [case.name for case in WHOLE]
    return run(tmp_path_factory.mktemp("whole") / "answers.jsonl", "--compared", *names)


def is_as_kept(kept: Answers, answers: Answers, case: Case, form: str) -> None:
    name = (case.name, form)
    assert name in kept, "no answer is kept: make same KEEP=1"
    differences = compare(kept[name], answers[name], RENAMED, text=case.exact)
    assert [str(one) for one in differences] == []


@pytest.mark.parametrize(("case", "form"), list_runs(FAST))
def test_a_command_answers_as_it_did(kept: Answers, fast: Answers, case: Case, form: str) -> None:
    is_as_kept(kept, fast, case, form)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "form"), list_runs(WHOLE))
def test_every_other_command_answers_as_it_did(
    kept: Answers, whole: Answers, case: Case, form: str
) -> None:
    if case.needs_data and not os.environ.get("EVENHAND_DATA"):
        pytest.skip("EVENHAND_DATA is not set: this case reads real judgment files")
    is_as_kept(kept, whole, case, form)


def test_every_answer_that_is_kept_has_its_case(kept: Answers) -> None:
    there = {(case.name, form) for case in CASES for form in case.forms}
    assert sorted(kept.keys() - there) == []


def test_no_answer_that_is_kept_is_a_failure_of_ours(kept: Answers) -> None:
    failed = [name for name, one in kept.items() if "internal error in Evenhand" in str(one)]
    assert failed == []


def test_every_verb_has_a_case() -> None:
    words = {word for case in CASES for word in RENAMED.rewrite(case.words)}
    assert sorted(VERBS.keys() - words) == []


RETURNED = {
    *("AgreementTable", "Leaderboard", "SequentialState", "Borders", "CampaignPlan", "Comparisons"),
    *("RatingBias", "Completion", "Cycles", "DecisionCurve", "Diagnosis", "Fragility"),
    *(
        "GroupedDiagnoses",
        "GroupedEvaluations",
        "GroupedTests",
        "JudgeProcess",
        "LLMBiases",
        "LabelFit",
        "LearningCurves",
        "MetaEvaluation",
        "Gate",
        "GatePlan",
        "MethodTable",
    ),
    *("ModelComparison", "ModelTable", "NextOutputs", "NextPairs", "PositionBias"),
    "PoweredRanking",
    *(
        "PreferenceTests",
        "QueryCurves",
        "Ranking",
        "Rankings",
        "Ratings",
        "Report",
        "SampledPair",
        "SampledPairs",
        "Savings",
    ),
    *("ScoreTests", "Screening", "Sensitivity", "Tally", "VarianceComponents"),
}
"""Public names of what calls return; errors are what they raise."""


def test_every_public_name_that_can_be_called_has_a_call() -> None:
    calls = (Path(__file__).parent / "calls.py").read_text(encoding="utf-8")
    called = {name for name in evenhand.__all__ if f"evenhand.{name}(" in calls}
    errors = {
        name
        for name in evenhand.__all__
        if isinstance(kind := getattr(evenhand, name), type) and issubclass(kind, Exception)
    }
    assert sorted(set(evenhand.__all__) - called - errors - RETURNED) == []
