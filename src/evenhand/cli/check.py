"""`evenhand check`: does a campaign keep its promises, and is its log what was written?"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

import evenhand
from evenhand.cli.options import Options, Placing, argument, refuse_given, under, verb
from evenhand.cli.running import ProgressDisplay, VerbResult
from evenhand.design.assignment import SEED_IS_NAMED, Assignment, find_doubts
from evenhand.design.guarantees import DesignCheck
from evenhand.design.texts import say
from evenhand.errors import MissingFile, UnknownFormat
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    describe_findings,
    plural,
)
from evenhand.render.text import PLAIN, label
from evenhand.web.store.verification import Head, LogCheck

CAMPAIGNS: Final = (".toml", ".csv", ".jsonl", ".xlsx")  # Endings of campaigns and tables of items

_campaign_option = under("A campaign")
_log_option = under("A log")


class Checked(Options):
    target: str = argument("CAMPAIGN|LOG")


class OfCampaign(Options):
    collected: str | None = _campaign_option(
        "--collected LOG", "Count on what was collected: a campaign's database, or its log."
    )
    verbose: bool = _campaign_option("--verbose", "List the promises that are kept as well.")


class OfLog(Options):
    head: str | None = _log_option("--head N:HASH", "End of the log as it was noted before.")
    receipts: tuple[str, ...] = _log_option(
        "--receipt HASH", "Say whether an answer with this receipt is in the log. Repeatable."
    )
    write_log: str | None = _log_option("--write-log FILE", "Write a database's log as JSON Lines.")


@verb(
    "evenhand check campaign.toml",
    "evenhand check campaign.toml --collected spring.db",
    "evenhand check spring.db --write-log log.jsonl",
    "evenhand check log.jsonl --head 1204:9f86d081...",
)
def check(*, checked: Checked, campaign: OfCampaign, log: OfLog, placing: Placing) -> None:
    """Check the design of a campaign, or a log of collected judgments.

    CAMPAIGN is a campaign file (.toml) or a table of items (.csv, .jsonl,
    .xlsx): its tickets are assigned as at the launch, and every promise is
    counted. Nothing is launched; the exit code is 1 if a promise is broken.
    With --collected the promises are counted on the answers that were given.

    LOG is the database of a campaign (a SQLite file or the address of a
    PostgreSQL database), or its log as JSON Lines. The first record that was
    changed is named. Note the head that is printed: with it, a log that was
    cut or replaced is noticed too. The tables of a database are recounted from
    its log, and the file is checked for damage.
    """
    target = checked.target
    place = placing.choose(target, campaign.collected)
    if not _is_campaign(target):
        refuse_given(campaign.flags(), f"is for a campaign, and '{target}' is a log: leave it out")
        from evenhand.web.store import audit
        from evenhand.web.store.verification import read_head, read_receipt

        noted = read_head(log.head) if log.head is not None else None
        wanted = tuple(map(read_receipt, log.receipts))
        with ProgressDisplay("checking"):
            log_check = audit.audit(target, noted, receipts=wanted)
        if not log_check.holds:
            raise UnknownFormat(f"'{target}' is not what was written. {log_check.fault}")
        for one in wanted:
            if one not in log_check.receipts:
                raise UnknownFormat(
                    f"'{target}' holds no record with the receipt {one}: the log is an earlier"
                    " state of the campaign (such as a backup), another campaign's or rewritten, or"
                    " the answer was never stored"
                )
        if log.write_log is not None:
            audit.write_log(target, log.write_log)
            click.echo(label("wrote", log.write_log, PLAIN), err=True)
        place.deliver(VerbResult({"": LogResult(log_check, noted)}, {}, ()))
        return
    if "://" not in target and not Path(target).exists():
        raise MissingFile(f"there is no file '{target}'")
    refuse_given(log.flags(), f"is for a log, and '{target}' is a campaign: leave it out")
    from evenhand.design.assignment import assign
    from evenhand.design.guarantees import verify_design
    from evenhand.design.policy import make_policy
    from evenhand.design.reading import read_campaign

    planned = read_campaign(target)
    make_policy(planned)
    where = campaign.collected or ""
    if where:
        from evenhand.web.links import Place
        from evenhand.web.store.audit import check_collected

        assignment, design_check = check_collected(where, planned)
        where = Place.at(where).name if "://" in where else where
    else:
        assignment = assign(planned)
        design_check = verify_design(assignment)
    result = CheckResult(assignment, design_check, where, planned.seed is not None)
    place.deliver(VerbResult({"": result}, {}, (), ("kept",) * campaign.verbose))
    if result.check.broken:
        click.get_current_context().exit(1)


def _is_campaign(target: str) -> bool:
    """Say whether a file is a campaign or a table of items; else it is taken for a log."""
    path = Path(target)
    if "://" in target or path.suffix.lower() not in CAMPAIGNS:
        return False
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return True
    with path.open("rb") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:  # a log that was saved by another program: its check says more
            return False
    return isinstance(first, dict) and "hash" not in first


@dataclass(frozen=True)
class LogResult:
    log_check: LogCheck  # what was found
    noted: Head | None = None  # the head that it was held against

    def document(self) -> Document:
        log = self.log_check
        records, head = log.head.number, str(log.head)
        said = [f"{plural(records, 'record')}, each as it was written."]
        if log.erased:
            said.append(f"Of {log.erased:,} something was deleted on request.")
        if self.noted is not None:
            said.append(
                "The head that was noted is there: nothing was cut or rewritten up to record"
                f" {self.noted.number}."
            )
        lines = [f"stored {one[:16]}... is record {at}" for one, at in log.receipts.items()]
        lines += [f"head   {head}"] if records else []
        columns = (
            Column("records", "records", "count"),
            Column("erased", "erased", "count"),
            Column("head", "head"),
        )
        table = Table("log", "Log", columns, (self.to_dict(),), only=("csv", "latex", "markdown"))
        return Document(answer=tuple(said), parts=(table, Text("", tuple(lines))))

    def to_dict(self) -> dict[str, Any]:
        head = self.log_check.head
        return {
            "holds": True,
            "records": head.number,
            "erased": self.log_check.erased,
            "head": str(head),
            "against_head": self.noted is not None,
            "receipts": dict(self.log_check.receipts),
        }


@dataclass(frozen=True, eq=False)
class CheckResult:
    assignment: Assignment  # the tickets
    check: DesignCheck  # what was counted on them
    collected: str = ""  # where answers were read from; "" where the design was counted
    seed_is_named: bool = False  # whether the campaign file names the seed

    def document(self, *more: str) -> Document:
        campaign = self.assignment.campaign
        counts = {name: len(getattr(campaign, name)) for name in ("items", "systems", "judges")}
        outputs = ", ".join(f"{name} ({n:,})" for name, n in campaign.outputs.items())
        passes = ", then ".join(f"{one.name} ({one.kind})" for one in campaign.tasks)
        of = f"of {plural(len(campaign.items), 'item')}"
        shown = [f"{name} ({n:,} {of})" for name, n in campaign.beside.items()]
        described = [
            say("campaign", name=campaign.name, tickets=len(self.assignment), **counts),
            say("campaign-systems", outputs=outputs),
            say("campaign-passes", passes=passes, shown=", ".join(shown) or "nothing"),
        ]
        if campaign.seed is None:
            described.append(say("rehearsal", seed=campaign.drawing_seed))
        if self.collected:
            described.append(say("answers-read", answers=self.check.tickets, where=self.collected))
        return replace(
            self.check.document(*more),
            answer=(self.says,),
            basis=" ".join(described),
            findings=self.doubts,
            signature=self.signature,
        )

    @property
    def says(self) -> Finding:
        check = self.check
        counts = {name: len(getattr(check, name)) for name in ("broken", "kept", "later")}
        if check.broken:
            return say("promises-broken", "warning", **counts)
        if not check.tickets:
            return say("nothing-answered")
        if not self.collected:
            return say("can-be-launched", **counts)
        return say("kept-so-far" if check.later else "kept-by-collected", **counts)

    @property
    def doubts(self) -> tuple[Finding, ...]:
        doubts = find_doubts(self.assignment.campaign)
        return (*doubts, SEED_IS_NAMED) if self.seed_is_named else doubts

    @property
    def signature(self) -> str:
        campaign = self.assignment.campaign
        # Signatures are shown to others
        seed = "secret" if campaign.has_secret_seed else campaign.drawing_seed
        return (
            f"evenhand {evenhand.__version__} | campaign {campaign.digest[:12]} | design"
            f" {self.check.digest[:12]} | seed={seed}"
        )

    def to_dict(self, *_more: str) -> dict[str, Any]:
        campaign = self.assignment.campaign
        payload: dict[str, Any] = {
            "campaign": campaign.name,
            "campaign_digest": campaign.digest,
            "seed": None if campaign.has_secret_seed else campaign.drawing_seed,
            "rehearsal": campaign.seed is None,
            "items": len(campaign.items),
            "systems": list(campaign.systems),
            "outputs": dict(campaign.outputs),
            "tasks": [one.name for one in campaign.tasks],
            "shown": campaign.beside,
        }
        if self.collected:
            payload["collected"] = self.collected
        payload |= {"warns": list(self.doubts), "findings": describe_findings(self.doubts)}
        return {**payload, **self.check.to_dict(), "says": [self.says], "signature": self.signature}
