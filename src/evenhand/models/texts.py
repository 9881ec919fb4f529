"""What fits say: code → text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from evenhand.data.exclusions import Exclusion
from evenhand.render.findings import Finding, Templates, take_findings


def join_findings(sentences: Iterable[str], excluded: Sequence[Exclusion]) -> tuple[Finding, ...]:
    """Return findings with what was excluded from the judgments, none twice."""
    said = tuple(sentences)
    lost = [
        Finding(one.code, one.text, "note", one.to_dict())
        for one in excluded
        if one.text not in said
    ]
    return take_findings((*said, *lost))


say: Final = Templates({})
