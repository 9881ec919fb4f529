"""Findings: sentences that know what they say, made of the templates of a room.

A room keeps its templates together in one mapping, code → text, where they are read as one text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, Final

from evenhand.errors import listing
from evenhand.render.values import KINDS, plural, share, write_value


class Finding(str):
    """A sentence or two that are no number of a table: what follows, or what limits it.

    Code branches on `code` and `values`, never on the words.
    """

    __slots__ = ("code", "severity", "values")

    code: str  # lower case with dashes, such as "few-judges"; stable, unlike the words
    # "note": worth knowing; "warning": speaks against the numbers; "info": in JSON alone
    severity: str
    values: Mapping[str, Any]  # the numbers and names in the text, for JSON

    def __new__(
        cls, code: str, text: str, severity: str = "note", values: Mapping[str, Any] | None = None
    ) -> Finding:
        finding = super().__new__(cls, text)
        finding.code, finding.severity, finding.values = code, severity, dict(values or {})
        return finding

    def __reduce__(self) -> tuple[Any, ...]:  # for pickle and copy
        return Finding, (self.code, str(self), self.severity, self.values)

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "text": str(self),
            "values": {
                name: str(value) if isinstance(value, Finding) else value  # plain text for JSON
                for name, value in self.values.items()
            },
        }


def take_findings(sentences: Iterable[str]) -> tuple[Finding, ...]:
    """Return sentences as findings, none twice; one without a code has the code ""."""
    return tuple(
        one if isinstance(one, Finding) else Finding("", one) for one in dict.fromkeys(sentences)
    )


def describe_findings(sentences: Iterable[str]) -> list[dict[str, Any]]:
    return [one.to_dict() for one in take_findings(sentences)]


class Templates(Formatter):
    """The texts of a room: code → template of `str.format`, with a few formats more.

    `{n:#judge}` is a count with its noun, `{names:list}` a list of names, `{part:%}` a proportion
    in per cent; every kind of a column is a format too, such as `{p:p}`.

    >>> say = Templates({"few-judges": "{judges:#judge} of {of:,} say {share:%}: {names:list}."})
    >>> finding = say("few-judges", judges=1, of=1200, share=0.125, names=["ann", "bob"])
    >>> print(finding, finding.code, finding.values["judges"])
    1 judge of 1,200 say 12 %: ann, bob. few-judges 1
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts: Final = texts

    def __call__(self, code: str, severity: str = "note", /, **values: Any) -> Finding:
        return Finding(code, self.format(self.texts[code], **values), severity, values)

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("#"):
            one, _, many = format_spec[1:].partition("/")
            return plural(value, one, many or None)
        if format_spec == "list":
            return listing([str(one) for one in value])
        if format_spec == "%":
            return share(value, 1)
        if format_spec in KINDS:
            return write_value(value, format_spec)
        return str(super().format_field(value, format_spec))
