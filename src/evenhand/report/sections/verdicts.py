"""Who is better by people with the help of LLM judges? What `evenhand rank --llm` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenhand.errors import InvalidJudgments
from evenhand.ranking.ranking import GroupedRankings
from evenhand.render.document import Document, Table
from evenhand.render.findings import take_findings
from evenhand.report.analysis import Analysis
from evenhand.report.document import Section, list_notes, make_section
from evenhand.report.figures.drawing import name_files


def write_section_llm(analysis: Analysis) -> Section:
    """Return the ranking by people's judgments and verdicts together."""
    settings = analysis.settings
    command = analysis.write_command("rank", "--llm", settings.llm or "VERDICTS")
    try:
        found = analysis.fused
    except InvalidJudgments as refusal:
        return Section("llm", not_run=str(refusal), command=command)
    groups: Mapping[str, Any] = {"": found}
    refused: Mapping[str, str] = {}
    if isinstance(found, GroupedRankings):
        groups, refused = found.groups, found.refused
    files = name_files(filter(None, groups))
    answers, says, tables = list[str](), list[str](), list[Table]()
    notes = [f"{name}: {why}" for name, why in refused.items()]
    for name, one in groups.items():
        about, end = (f"{name}: ", f"-{files[name]}") if name else ("", "")
        document = one.document()
        answers += [f"{about}{text}" for text in document.answer]
        says.append(f"{about}{document.basis}")
        notes += [f"{about}{note}" if about else note for note in list_notes(document)]
        tables += [
            replace(it, name=f"llm-{it.name}{end}", caption=f"{about}{it.caption}")
            for it in document.tables
        ]
    document = Document(
        answer=(*answers, *says), parts=tuple(tables), findings=take_findings(notes)
    )
    return make_section("llm", document, command=command)
