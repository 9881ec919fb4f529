"""What speaks against acting on the answer: said behind it, in a sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.report.answer import join_names
from evenhand.report.document import FAILED, Part

PLACE: Final = "the place of an output matters"
SIDES: Final = "some judges favour a side"
LADDER: Final = "the judgments fit no single ladder of systems"
CIRCLES: Final = "preferences go round in circles"
MINDS: Final = "judges differ in what they prefer"
# Failed check → what is said of it, where it does not say so itself
FAULTS: Final = {
    "judges": "some judges are doubtful",
    "agreement": "judges hardly agree",
    "order": PLACE,
    "model": LADDER,
    "circles": CIRCLES,
    "choices": "other reasonable choices change it",
}
BUT: Final = "But "  # What the sentence begins with
ALSO: Final = "And "  # What it begins with behind another such sentence


def is_caveat(sentence: str) -> bool:
    """Tell whether a sentence of the answer speaks against acting on it.

    >>> is_caveat("But judges hardly agree."), is_caveat("Butane is the best of 3 systems.")
    (True, False)
    """
    return sentence.startswith((BUT, ALSO))


def add_caveat(part: Part) -> Part:
    """Return a part whose answer says which checks failed."""
    checks = [check for section in part.sections for check in section.checks]
    failed = {check.name: check for check in checks if check.state == FAILED}
    said = any(is_caveat(sentence) for sentence in part.answer[1:])  # the first may begin so
    found = [failed[name].faults or (says,) for name, says in FAULTS.items() if name in failed]
    faults = list(dict.fromkeys(one for faults in found for one in faults))
    known = ({PLACE} if said else set()) | ({CIRCLES} if LADDER in faults else set())
    wrong = [one for one in faults if one not in known]
    if not wrong or not part.answer or part.refused:
        return part
    begin = ALSO if said else BUT
    caveat = f"{begin}{join_names(wrong)}: see the checks before acting on it."
    return replace(part, answer=(*part.answer, caveat))
