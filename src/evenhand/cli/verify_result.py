"""What `evenhand verify` found, as text and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.cli.terminal import plural
from evenhand.cli.words import block
from evenhand.web.store.verification import LogCheck


@dataclass(frozen=True)
class VerifyResult:
    """A log that holds."""

    found: LogCheck  # what was found
    against: bool  # whether it was held against a head

    def text(self, columns: int) -> str:
        """Return it for people."""
        said = [f"{plural(self.found.head.number, 'record')}, each as it was written"]
        if self.found.erased:
            said.append(f"of {self.found.erased:,} something was deleted on request")
        if self.against:
            said.append("the head that was noted is there: nothing was cut or written anew")
        lines = block("log", said, columns)
        if self.found.receipts:
            there = [f"{one[:16]}... is record {at}" for one, at in self.found.receipts.items()]
            lines += block("stored", there, columns)
        if self.found.head.number:
            lines += block("head", [str(self.found.head)], columns)
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON."""
        head = self.found.head
        return {
            "holds": True,
            "records": head.number,
            "erased": self.found.erased,
            "head": str(head),
            "against_head": self.against,
            "receipts": dict(self.found.receipts),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return one row."""
        return [self.contract()]

    def latex(self) -> str:
        """Return the head, in typewriter letters."""
        return f"\\texttt{{{self.found.head}}}\n"

    def remarks(self) -> list[str]:
        """Return nothing: all is in the row."""
        return []
