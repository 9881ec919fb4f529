"""What speaks against acting on the answer: said behind it, in a sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evenhand.report.answer import join_names
from evenhand.report.document import FAILED, Part

FAULTS: Final = {
    "judges": "some judges are doubtful",
    "agreement": "judges hardly agree",
    "order": "the place of an output matters",
    "model": "one number for each system does not suffice",
    "choices": "other reasonable choices change it",
}
"""Failed check → what is said of it."""
BUT: Final = "But "
"""What the sentence begins with."""


def add_caveat(part: Part) -> Part:
    """Return a part whose answer says which checks failed.

    Args:
        part: with all its sections.

    """
    checks = [check for section in part.sections for check in section.checks]
    failed = {check.name for check in checks if check.state == FAILED}
    wrong = [says for name, says in FAULTS.items() if name in failed]
    if not wrong or not part.answer or part.refused:
        return part
    said = f"{BUT}{join_names(wrong)}: see the checks before acting on it."
    return replace(part, answer=(*part.answer, said))
