"""What was collected against what was promised: read from a database or from a log alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from evenhand import __version__
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign, read_seed
from evenhand.design.guarantees import DesignCheck, verify_collected
from evenhand.design.tasks import Ticket
from evenhand.errors import CampaignError
from evenhand.judgments.coding import SEED
from evenhand.web.store.audit import audit, stream_log
from evenhand.web.store.record import JUDGMENTS, Record, read_record


@dataclass(frozen=True)
class Collected:
    """The answers that stand, as a log tells of them."""

    # what was answered, in the order in which each was answered first; what was taken back or
    # deleted is not among it
    tickets: tuple[Ticket, ...]
    people: Mapping[str, str]  # judge → the judge whom exports name, of those who are one person
    # what the log says of the campaign: name, campaign, assignment, evenhand, seed
    launch: Mapping[str, str]


def gather(records: Iterable[Record]) -> Collected:
    """Read the answers that stand from all that happened."""
    standing: dict[int, Ticket] = {}
    people: dict[str, str] = {}
    launch: Mapping[str, str] = {}
    for one in records:
        if one.kind == "launch":
            launch = one.facts
        elif one.kind in JUDGMENTS and one.ticket is not None:
            standing[one.ticket.number] = one.ticket
        elif one.kind == "undo" and one.ticket is not None:
            standing.pop(one.ticket.number, None)
        elif one.kind == "join":
            people |= dict.fromkeys(one.facts["judges"], one.facts["person"])
        elif one.kind == "forget" and "said" in one.facts["parts"]:
            gone = set(one.facts["judges"])
            standing = {at: ticket for at, ticket in standing.items() if ticket.judge not in gone}
    if not launch:
        raise CampaignError("no campaign was launched there: nothing was collected")
    return Collected(tuple(standing.values()), people, launch)


def check_collected(where: str, planned: Campaign) -> tuple[Assignment, DesignCheck]:
    """Count the promises of a campaign on what was collected."""
    sound = audit(where)
    if not sound.holds:
        raise CampaignError(
            f"'{where}' is not what was written, so that its answers say nothing: {sound.fault}"
        )
    return count_promises(gather(map(read_record, stream_log(where))), planned, where)


def count_promises(
    found: Collected, planned: Campaign, where: str
) -> tuple[Assignment, DesignCheck]:
    """Count the promises of a campaign on answers that were read."""
    if planned.seed is None:  # logs without a seed are of the time when launches drew none
        planned = replace(planned, seed=read_seed(found.launch.get("seed", SEED)))
    if found.launch["campaign"] != planned.digest:
        same = found.launch["name"] == planned.name
        raise CampaignError(
            f"'{where}' holds answers to campaign '{found.launch['name']}'"
            f"{' as it was in other words' if same else ''}, not to '{planned.name}'"
            f"{' as it is in this file' if same else ''}: give the file that it began with"
        )
    assignment = assign(planned)
    if found.launch["assignment"] != assignment.digest:
        raise CampaignError(
            f"'{where}' was dealt out by evenhand {found.launch['evenhand']}, and evenhand"
            f" {__version__} deals this campaign in another way: check it with that version"
        )
    seats = dict(find_seats(assignment, found.tickets))
    return assignment, verify_collected(assignment, found.tickets, found.people, seats)


def find_seats(assignment: Assignment, tickets: Iterable[Ticket]) -> Iterator[tuple[str, str]]:
    """Yield each judge with the judge of the design most of whose tickets they answered."""
    names = [one.name for one in assignment.campaign.judges]
    counted: dict[str, Counter[str]] = {}
    for one in tickets:
        if 0 <= one.number < len(assignment):
            seat = names[assignment.judge[one.number]]
            counted.setdefault(one.judge, Counter())[seat] += 1
    for judge, often in counted.items():
        yield judge, often.most_common(1)[0][0]
