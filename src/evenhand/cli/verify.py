"""`evenhand verify`: is this log of judgments what was written?"""

from __future__ import annotations

from typing import Final

import click

from evenhand.cli.options import Verb, examples
from evenhand.cli.output import choose_output
from evenhand.cli.patience import Patience
from evenhand.cli.terminal import PLAIN, label
from evenhand.errors import UnknownFormat

EXAMPLES: Final = (
    "evenhand verify spring.db",
    "evenhand verify spring.db --write-log log.jsonl",
    "evenhand verify log.jsonl --head 1204:9f86d081...",
    "evenhand verify spring.db --receipt 2c26b46b...",
)


@click.command(
    cls=Verb,
    short_help="Is a log of collected judgments what was written?",
    epilog=examples(*EXAMPLES),
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
    log: str,
    head: str | None,
    receipts: tuple[str, ...],
    write_log: str | None,
    *,
    as_json: bool,
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
    with Patience("verifying"):
        found = audit.audit(log, noted, receipts=wanted)
    if not found.holds:
        raise UnknownFormat(f"'{log}' is not what was written. {found.fault}")
    for one in wanted:
        if one not in found.receipts:
            raise UnknownFormat(
                f"'{log}' holds no record with the receipt {one}: the log is an earlier state of"
                " the campaign (such as a backup), another campaign's or written anew, or the"
                " answer was never stored"
            )
    if write_log is not None:
        audit.write_log(log, write_log)
        click.echo(label("wrote", write_log, PLAIN), err=True)
    from evenhand.cli.verify_result import VerifyResult

    choose_output({"json": as_json}, None).deliver(VerifyResult(found, against=noted is not None))
