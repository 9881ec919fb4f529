"""Words in the names of columns and sheets: criteria, judges, and what counts something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

CRITERIA: Final = frozenset(
    (
        *("accuracy", "adequacy", "appropriateness", "clarity", "coherence", "cohesion"),
        *("completeness", "complexity", "comprehensibility", "conciseness", "consistency"),
        *("content", "correctness", "creativity", "depth", "diversity", "empathy", "engagement"),
        *("engagingness", "expressiveness", "factuality", "faithfulness", "fidelity", "fluency"),
        *("formality", "grammar", "grammaticality", "harmlessness", "helpfulness", "honesty"),
        *("humanness", "informativeness", "intelligibility", "interestingness", "likability"),
        *("meaning", "meaningpreservation", "mos", "naturalness", "organization", "originality"),
        *("overall", "overallquality", "persuasiveness", "plausibility", "politeness", "quality"),
        *("readability", "relevance", "relevancy", "safety", "satisfaction", "simplicity"),
        *("specificity", "structure", "style", "terminology", "tone", "truthfulness"),
        *("understandability", "usefulness", "verbosity", "wellformedness"),
    )
)
# Words beside the name of what is scored: score_fluency, anna's rating
AFFIXES: Final = frozenset(("score", "scores", "rating", "rated", "grade", "points", "likert"))
JUDGES: Final = frozenset(
    (
        *("annotator", "annot", "ann", "judge", "rater", "coder", "worker", "evaluator", "human"),
        *("assessor", "participant", "reviewer", "expert", "respondent", "subject", "person"),
    )
)
# Words of columns that count or number something, and score nothing
COUNTS: Final = frozenset(
    (
        *("id", "index", "idx", "row", "nr", "no", "number", "count", "order", "trial", "page"),
        *("batch", "session", "round", "turn", "age", "year", "date", "length", "len", "words"),
        *("tokens", "chars", "characters", "time", "duration", "seconds", "minutes", "ms", "cost"),
        *("confidence", "certainty", "difficulty", "familiarity", "expertise", "experience"),
        *("price", "seed", "version", "item", "items", "question", "segment", "seg", "sentence"),
    )
)
# Words, beside those, of sheets that are no person's: rounds, tasks and parts of a study
_PARTS: Final = frozenset(
    (
        *("wave", "phase", "day", "week", "month", "part", "task", "set", "block", "group"),
        *(
            "sheet",
            "tabelle",
            "pilot",
            "test",
            "training",
            "dev",
            "main",
            "study",
            "system",
            "model",
        ),
        *("domain", "genre", "language", "topic", "first", "second", "third", "before", "after"),
    )
)
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def split_words(name: str) -> list[str]:
    return _WORD.findall(name.casefold())


def is_criterion(name: str) -> bool:
    return "".join(word for word in split_words(name) if word not in AFFIXES) in CRITERIA


def are_judges(columns: Sequence[str]) -> bool:
    """Say whether names are of judges: annotator_1, or a name beside a word for scores."""
    if any(map(is_criterion, columns)):
        return False
    words = [split_words(name) for name in columns]
    return all(JUDGES & {*one} for one in words) or all(AFFIXES & {*one} for one in words)


def may_be_person(name: str) -> bool:
    """Say whether a sheet may be called after a judge: Anna or Rater 2, not Fluency or Round 2."""
    words = split_words(name)
    if JUDGES & {*words}:
        return True
    named = bool(words) and not any(one.isdigit() for one in words)
    return named and not is_criterion(name) and not (COUNTS | _PARTS) & {*words}
