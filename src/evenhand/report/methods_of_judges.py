"""How judges and the model were examined, in sentences for a paper; only what was done is said."""

from __future__ import annotations

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judges.cards import Screening
from evenhand.judgments.votes import TIE
from evenhand.report.contents import list_left_out
from evenhand.report.judge_fault import NAMELESS
from evenhand.report.methods_of_pairs import Sentence
from evenhand.report.panel import find_fault
from evenhand.report.references import cite
from evenhand.report.study import Study


def say_examinations(study: Study) -> list[Sentence]:
    """Say what was asked of the judges, of the place of outputs, of items and of the model."""
    left = list_left_out(study.settings.tasks) if not study.settings.full else ()
    said = []
    try:
        said += [*_say_judges(study), *_say_agreement(study)]
        said += [] if "items" in left else _say_items(study)
    except UnknownOption:  # importance weights count no votes
        pass
    said += _say_position(study)
    return said if "circles" in left else [*said, *_say_fit(study)]


def say_screening(found: Screening, how: str) -> Sentence:
    """Say how judges were flagged, and where nobody could be."""
    if found.abstains is not None:
        said = f"{how}; nobody was called careless or reversed, since {found.abstains}"
        return f"{said}. Habits were tested apart.", ()
    keys = ("efron-2008",)
    return (
        f"{how}; of all flags an expected {100 * found.level:g} % at most fall on honest judges"
        f" if most judges are honest and independent of each other {cite(*keys)}.",
        keys,
    )


def _say_judges(study: Study) -> list[Sentence]:
    """Say how judges were screened; nothing where they were not."""
    if find_fault(study)[0]:
        return []
    try:
        found = study.screening
    except (NotIdentified, NotConverged):
        return []
    how = "Judges were screened by how well the others' preferences foretell theirs"
    return [say_screening(found, how)]


def _has_agreement(study: Study) -> bool:
    """Whether two judges or more preferred something of the same two outputs."""
    votes = study.votes
    if NAMELESS in (votes.judges, votes.items) or (votes.outcome == TIE).all():
        return False
    return bool(study.shared.comparable)


def _say_agreement(study: Study) -> list[Sentence]:
    """Say how agreement was measured."""
    if not _has_agreement(study):
        return []
    keys = ("fleiss-1971", "krippendorff-2013", "gwet-2008")
    return [
        (
            "Agreement is κ over pairs of votes of different judges on the same two outputs,"
            " chance being that of blind answers with as many ties; beside it stand Fleiss' κ,"
            f" Krippendorff's α and Gwet's AC1 {cite(*keys)}, with intervals from drawing"
            " items anew.",
            keys,
        )
    ]


def _say_items(study: Study) -> list[Sentence]:
    """Say how single items were found to stand out."""
    if not _has_agreement(study):
        return []
    keys = ("westfall-young-1993",)
    return [
        (
            "Items on which judges agree or disagree beyond chance were sought beside shuffled"
            f" answers, allowing for all items by max-T {cite(*keys)}.",
            keys,
        )
    ]


def _say_position(study: Study) -> list[Sentence]:
    """Say how the advantage of the output shown first was found."""
    try:
        found = study.position_bias
    except (NotIdentified, NotConverged, UnknownOption):
        return []
    said = "The advantage of the output shown first is the order effect of a Bradley-Terry model"
    if found.heterogeneity_p is not None:
        said += "; judges were compared with the median judge, adjusted for their number"
    return [(f"{said}.", ())]


def _say_fit(study: Study) -> list[Sentence]:
    """Say how the model was tested."""
    try:
        found = study.cycles
    except (NotIdentified, NotConverged, UnknownOption):
        return []
    if found.p is None:
        return []
    keys = ("jiang-2011", "westfall-young-1993")
    signs = f"the residuals of each {' and '.join(found.ways)} under random signs"
    drawn = signs if found.ways else "votes drawn one by one"
    return [
        (
            "Whether one worth for each system describes all pairs was tested beside worlds in"
            f" which it does, with {drawn}, and single pairs by max-T {cite(*keys)}.",
            keys,
        )
    ]
