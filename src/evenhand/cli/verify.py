"""`evenhand verify`: is this log of judgments what was written?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from evenhand.cli.options import verb
from evenhand.cli.running import ProgressDisplay, choose_output
from evenhand.cli.terminal import PLAIN, block, label, plural
from evenhand.errors import UnknownFormat
from evenhand.web.store.verification import LogCheck


@verb(
    "evenhand verify spring.db",
    "evenhand verify spring.db --write-log log.jsonl",
    "evenhand verify log.jsonl --head 1204:9f86d081...",
    "evenhand verify spring.db --receipt 2c26b46b...",
)
@click.argument("log", metavar="LOG")
@click.option("--head", metavar="N:HASH", help="End of the log as it was noted before.")
@click.option(
    "--receipt",
    "receipts",
    metavar="HASH",
    multiple=True,
    help="Say whether an answer with this receipt is in the log; may be repeated.",
)
@click.option("--write-log", metavar="FILE", help="Write a database's log as JSON Lines.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(
    log: str, head: str | None, receipts: tuple[str, ...], write_log: str | None, *, as_json: bool
) -> None:
    """Check that nothing was changed in a log of collected judgments.

    LOG is the database of a campaign (a SQLite file or the address of a
    PostgreSQL database), or its log as JSON Lines. Names the first record that
    is not as it was written. Note the head that is printed: with it, a log
    that was cut or written anew is found out as well. Of a database, the tables
    are recounted from the log, and the file is checked for damage.
    """
    from evenhand.web.store import audit
    from evenhand.web.store.verification import read_head, read_receipt

    noted = read_head(head) if head is not None else None
    wanted = tuple(map(read_receipt, receipts))
    with ProgressDisplay("verifying"):
        log_check = audit.audit(log, noted, receipts=wanted)
    if not log_check.holds:
        raise UnknownFormat(f"'{log}' is not what was written. {log_check.fault}")
    for one in wanted:
        if one not in log_check.receipts:
            raise UnknownFormat(
                f"'{log}' holds no record with the receipt {one}: the log is an earlier state of"
                " the campaign (such as a backup), another campaign's or written anew, or the"
                " answer was never stored"
            )
    if write_log is not None:
        audit.write_log(log, write_log)
        click.echo(label("wrote", write_log, PLAIN), err=True)

    choose_output({"json": as_json}, None).deliver(
        VerifyResult(log_check, against=noted is not None)
    )


@dataclass(frozen=True)
class VerifyResult:
    log_check: LogCheck  # what was found
    against: bool  # whether it was held against a head

    def text(self, columns: int) -> str:
        sentences = [f"{plural(self.log_check.head.number, 'record')}, each as it was written"]
        if self.log_check.erased:
            sentences.append(f"of {self.log_check.erased:,} something was deleted on request")
        if self.against:
            sentences.append("the head that was noted is there: nothing was cut or written anew")
        lines = block("log", sentences, columns)
        if self.log_check.receipts:
            there = [f"{one[:16]}... is record {at}" for one, at in self.log_check.receipts.items()]
            lines += block("stored", there, columns)
        if self.log_check.head.number:
            lines += block("head", [str(self.log_check.head)], columns)
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        head = self.log_check.head
        return {
            "holds": True,
            "records": head.number,
            "erased": self.log_check.erased,
            "head": str(head),
            "against_head": self.against,
            "receipts": dict(self.log_check.receipts),
        }

    def records(self) -> list[dict[str, Any]]:
        return [self.contract()]

    def latex(self) -> str:
        return f"\\texttt{{{self.log_check.head}}}\n"

    def remarks(self) -> list[str]:
        return []
