"""`evenhand check`: does a campaign keep its promises, and is its log what was written?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

import evenhand
from evenhand.cli.options import output_options, section, stack, verb
from evenhand.cli.running import ProgressDisplay, take_output
from evenhand.cli.terminal import say_outputs
from evenhand.design.assignment import Assignment
from evenhand.design.feasibility import SEED_IS_NAMED, find_doubts
from evenhand.design.guarantees import DesignCheck
from evenhand.design.promises import Guarantee
from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.render.counts import plural
from evenhand.render.latex import escape, tabular
from evenhand.render.text import PLAIN, block, label, sign, wrap
from evenhand.web.store.verification import LogCheck

CAMPAIGNS: Final = (".toml", ".csv", ".jsonl")  # Endings of campaigns and tables of items

_campaign_option = section("A campaign")
_log_option = section("A log")

check_options = stack(
    _campaign_option(
        "--collected",
        metavar="LOG",
        help="Count on what was collected: a campaign's database, or its log.",
    ),
    _campaign_option("--verbose", is_flag=True, help="List the promises that are kept as well."),
    _log_option("--head", metavar="N:HASH", help="End of the log as it was noted before."),
    _log_option(
        "--receipt",
        "receipts",
        metavar="HASH",
        multiple=True,
        help="Say whether an answer with this receipt is in the log. Repeatable.",
    ),
    _log_option("--write-log", metavar="FILE", help="Write a database's log as JSON Lines."),
)


@verb(
    "evenhand check campaign.toml",
    "evenhand check campaign.toml --collected spring.db",
    "evenhand check spring.db --write-log log.jsonl",
    "evenhand check log.jsonl --head 1204:9f86d081...",
)
@click.argument("target", metavar="CAMPAIGN|LOG")
@check_options
@output_options
def check(
    *,
    target: str,
    collected: str | None,
    verbose: bool,
    head: str | None,
    receipts: tuple[str, ...],
    write_log: str | None,
) -> None:
    """Check the design of a campaign, or a log of collected judgments.

    CAMPAIGN is a campaign file (.toml) or a table of items (.csv, .jsonl): its
    tickets are assigned as at the launch, and every promise is counted. Nothing
    is launched; the exit code is 1 if a promise is broken. With --collected
    the promises are counted on the answers that were given.

    LOG is the database of a campaign (a SQLite file or the address of a
    PostgreSQL database), or its log as JSON Lines. The first record that was
    changed is named. Note the head that is printed: with it, a log that was
    cut or replaced is noticed too. The tables of a database are recounted from
    its log, and the file is checked for damage.
    """
    place = take_output(target, collected)
    is_campaign = _is_campaign(target)
    of_log = {"--head": head, "--receipt": receipts, "--write-log": write_log}
    of_campaign = {"--collected": collected, "--verbose": verbose}
    for option, given in (of_log if is_campaign else of_campaign).items():
        if given:
            kind, other = ("campaign", "log") if is_campaign else ("log", "campaign")
            raise UnknownOption(
                f"{option} is for a {other}, and '{target}' is a {kind}: leave it out"
            )
    if not is_campaign:
        place.deliver(_check_log(target, head, receipts, write_log))
        return
    result = _check_campaign(target, collected or "", verbose=verbose)
    place.deliver(result)
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


def _check_campaign(campaign: str, collected: str, *, verbose: bool) -> CheckResult:
    from evenhand.design.assignment import assign
    from evenhand.design.guarantees import verify_design
    from evenhand.design.policy import make_policy
    from evenhand.design.reading import read_campaign

    planned = read_campaign(campaign)
    make_policy(planned)
    if collected:
        from evenhand.web.store.audit import check_collected

        assignment, design_check = check_collected(collected, planned)
    else:
        assignment = assign(planned)
        design_check = verify_design(assignment)
    return CheckResult(
        assignment,
        design_check,
        collected,
        seed_is_named=planned.seed is not None,
        verbose=verbose,
    )


def _check_log(
    log: str, head: str | None, receipts: tuple[str, ...], write_log: str | None
) -> LogResult:
    from evenhand.web.store import audit
    from evenhand.web.store.verification import read_head, read_receipt

    noted = read_head(head) if head is not None else None
    wanted = tuple(map(read_receipt, receipts))
    with ProgressDisplay("checking"):
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

    return LogResult(log_check, against=noted is not None)


@dataclass(frozen=True)
class LogResult:
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


MARKS = {True: "kept", False: "BROKEN", None: "counted"}
OPEN = "not yet"  # The mark of a promise of which it cannot be said yet whether it is kept


@dataclass(frozen=True, eq=False)
class CheckResult:
    assignment: Assignment  # the tickets
    check: DesignCheck  # what was counted on them
    collected: str = ""  # where answers were read from; "" where the design was counted
    seed_is_named: bool = False  # whether the campaign file names the seed
    verbose: bool = False  # whether promises that are kept are listed in a terminal

    def text(self, columns: int) -> str:
        campaign = self.assignment.campaign
        counts = (
            plural(len(campaign.items), "item"),
            plural(len(campaign.systems), "system"),
            plural(len(campaign.judges), "judge"),
            plural(len(self.assignment), "ticket"),
        )
        passes = ", then ".join(f"{one.name} ({one.kind})" for one in campaign.tasks)
        read = [
            f"campaign {campaign.name}: {', '.join(counts)}",
            f"systems: {say_outputs(campaign.outputs)}",
            f"passes: {passes}",
        ]
        if campaign.seed is None:
            seed = campaign.drawing_seed
            how = "the launch draws a secret seed of its own"
            read.append(f"rehearsal: dealt with seed {seed}; {how}")
        if self.collected:
            read.append(f"{plural(self.check.tickets, 'answer')} in {self.collected}")
        lines = [
            *block("read", read, columns),
            "",
            *(line for one in self.shown for line in _draw_promise(one, columns)),
            *([""] if self.shown else []),
            *(label("warns", one, columns) for one in self.doubts),
            label("says", self.says, columns),
            sign(self.signature, columns),
        ]
        return "\n".join(lines) + "\n"

    @property
    def shown(self) -> tuple[Guarantee, ...]:
        """Return the promises that are shown in a terminal: broken ones, or all on request."""
        return tuple(self.check.guarantees) if self.verbose else tuple(self.check.broken)

    @property
    def says(self) -> str:
        broken, fulfilled, later = self.check.broken, self.check.kept, self.check.later
        if broken:
            return f"{plural(len(broken), 'promise is', 'promises are')} not kept"
        if not self.check.tickets:
            return "nothing is answered yet: nothing can be said of what was promised"
        text = f"{plural(len(fulfilled), 'promise is', 'promises are')} kept"
        if not self.collected:
            return f"{text}: the campaign can be launched"
        if not later:
            return f"{text} by what was collected"
        return f"{text} so far; of {len(later):,} it can be said when all is answered"

    @property
    def doubts(self) -> tuple[str, ...]:
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

    def contract(self) -> dict[str, Any]:
        campaign = self.assignment.campaign
        payload = {
            "campaign": campaign.name,
            "campaign_digest": campaign.digest,
            "seed": None if campaign.has_secret_seed else campaign.drawing_seed,
            "rehearsal": campaign.seed is None,
            "items": len(campaign.items),
            "systems": list(campaign.systems),
            "outputs": dict(campaign.outputs),
            "tasks": [one.name for one in campaign.tasks],
        }
        if self.collected:
            payload["collected"] = self.collected
        payload["warns"] = list(self.doubts)
        return {**payload, **self.check.to_dict(), "says": [self.says], "signature": self.signature}

    def records(self) -> list[dict[str, Any]]:
        return [dict(vars(one)) for one in self.check.guarantees]

    def latex(self) -> str:
        rows = [
            (escape(one.name), escape(one.promised or "---"), escape(one.found))
            for one in self.check.guarantees
        ]
        return tabular("lp{6cm}p{6cm}", ("", "promised", "found"), [rows], [self.signature])

    def remarks(self) -> list[str]:
        return [*self.doubts, self.says, self.signature]


def _draw_promise(one: Guarantee, columns: int) -> list[str]:
    mark = OPEN if one.holds is None and one.promised else MARKS[one.holds]
    head = f" {mark:8}{one.name}"
    texts = [one.promised, f"found: {one.found}"] if one.promised else [one.found]
    return [head, *(f"{'':9}{line}" for text in texts for line in wrap(text, columns - 9))]
