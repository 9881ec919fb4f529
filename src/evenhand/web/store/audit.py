"""Is a log what was written, and do the tables of its database say the same?

The log is replayed (`verification.py`), and every column that it determines is compared; boards are
counted anew. The file itself is checked by the database. `docs/store.md` names what nothing can be
derived of. `check_collected` counts the promises of a design on what was collected.
"""

from __future__ import annotations

import codecs
import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import isclose
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import DatabaseError, ProgrammingError

from evenhand import __version__
from evenhand.data.coding import SEED
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign, read_seed, write_seed
from evenhand.design.guarantees import DesignCheck, verify_collected
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import CONTROL, TICKET_KINDS, TRAINING, Ticket
from evenhand.errors import (
    CampaignError,
    EvenhandError,
    MissingFile,
    UnknownFormat,
    UnknownOption,
    sentence_hint,
    suggest,
)
from evenhand.formats.file_heads import SQLITE
from evenhand.web.store import database
from evenhand.web.store.boards import FOLLOWED, BoardCount, SavedBoard, read_boards
from evenhand.web.store.judging import read_ticket
from evenhand.web.store.log import JUDGMENTS, PARTS, Line, Record, digest, read_record
from evenhand.web.store.people import PRESENT
from evenhand.web.store.queries import (
    LINE,
    MoveCount,
    Readable,
    open_to_read,
    read_head,
    stream,
)
from evenhand.web.store.schema import (
    CLOSED,
    OPEN,
    VOID,
    campaign,
    judges,
    leases,
    log,
    people,
    seats,
    specs,
    tickets,
    tokens,
)
from evenhand.web.store.verification import (
    UNREADABLE,
    Head,
    LogCheck,
    Replay,
    describe_resaved,
    hash_ticket,
    read_log,
    verify,
)

FIXED: Final = 5  # Columns before those of the systems


def read_design(
    connection: Connection, planned: Campaign, launch: Mapping[str, Any]
) -> tuple[Assignment | None, str]:
    wanted = select(tickets).where(tickets.c.number < launch["tickets"]).order_by(tickets.c.number)
    changed = "tickets are not those that were launched"
    count = select(func.count()).select_from(wanted.subquery())
    if connection.execute(count).scalar() != launch["tickets"]:
        return None, changed
    n, width = launch["tickets"], max(task.width for task in planned.tasks)
    places = {one.name: at for at, one in enumerate(planned.judges)}
    passes = {one.name: at for at, one in enumerate(planned.tasks)}
    items = {("", one.name): at for at, one in enumerate(planned.items)}
    taught = enumerate(planned.training, start=len(planned.items))
    items |= {(one.task, one.item.name): at for at, one in taught}
    # judge, pass, kind, repeated ticket, item, systems; what is expected of a ticket by its number
    expected: dict[int, str] = {}
    try:
        table = np.full((n, FIXED + width), -1, dtype=np.int32)
        for one in (read_ticket(row, row.seat) for row in stream(connection, wanted)):
            row, again = table[one.number], -1 if one.again is None else one.again
            row[:4] = places[one.judge], passes[one.task], TICKET_KINDS.index(one.kind), again
            if one.expected:
                expected[one.number] = one.expected
            # what a policy chose was not known at the launch, and what repeats it neither
            if one.chosen or not one.settled or (0 <= again < n and table[again, 4] < 0):
                continue
            row[4] = items[one.task if one.kind == "training" else "", one.item]
            systems = planned.item(one.item).systems
            row[FIXED : FIXED + len(one.systems)] = [systems.index(name) for name in one.systems]
    except (EvenhandError, LookupError, OverflowError, TypeError, ValueError):
        return None, changed  # a number, judge, pass, item or system that is not there
    columns = dict(zip(("judge", "task", "kind", "again", "item"), table.T, strict=False))
    columns["kind"], shown = columns["kind"].astype(np.int8), table[:, FIXED:]
    # how wide the table of an assignment is depends on how it was made, and not on what it says
    for wide in range(1, 1 + width):
        made = Assignment(campaign=planned, shown=shown[:, :wide], **columns)
        if (shown[:, wide:] < 0).all() and made.digest == launch["assignment"]:
            break
    else:
        return None, changed
    known = np.isin(made.kind, [CONTROL, TRAINING])
    for number in sorted({*np.flatnonzero(known).tolist(), *expected}):
        if made[number].expected != expected.get(number, ""):
            return None, f"what is expected of ticket {number} was changed"
    return made, ""


# Columns of the log that say again what a body says, for look-ups
COPIES: Final = ("kind", "judge", "key", "replaces", "ticket")
ROUNDING: Final = 1e-6  # How far sums of logarithms on boards may differ between machines
NOT_READ: Final = "a table holds what cannot be read"
Fault = tuple[int, str]  # Number of a record, 0 for none, and what is wrong


def check_store(
    store: Readable,
    head: Head | None = None,
    receipts: Collection[str] = (),
    moves: MoveCount | None = None,
) -> LogCheck:
    """Check a log and what stands beside it; moves: counts its answers in the same reading."""
    with store.reading() as connection:
        try:
            damage = _find_damage(connection) or _check_version(connection)
            if not damage:
                if moves is not None:
                    moves.begin(connection)
                return _Comparison(connection, moves).run(head, receipts)
        except UnicodeDecodeError:
            damage = "a text is no UTF-8"
        except DatabaseError as fault:
            if not database.is_damaged(fault):
                raise
            damage = (str(fault.orig).splitlines() or [""])[0]
    return LogCheck(Head(0, ""), 0, f"the database is damaged: {damage}")


def _find_damage(connection: Connection) -> str:
    """Let the database look at its pages and indexes; return what it finds, "" for nothing."""
    if connection.dialect.name == "sqlite":
        pages = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar() or "ok")
        if pages != "ok":
            return pages.splitlines()[-1]
        row = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        return "" if row is None else f"a row of {row[0]} refers to a row that is not there"
    wanted = text("SELECT 1 FROM pg_extension WHERE extname = 'amcheck'")
    if connection.execute(wanted).first() is None:
        return ""
    check = text(
        "SELECT bt_index_check(i.indexrelid, true) FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
        " WHERE a.amname = 'btree' AND i.indrelid = to_regclass(:name)"
    )
    for name in sorted(tickets.metadata.tables):
        with suppress(ProgrammingError), connection.begin_nested():  # it may not be ours to call
            connection.execute(check, {"name": name})
    return ""


def _check_version(connection: Connection) -> str:
    version = database.read_version(connection)
    if version == database.VERSION:
        tables = inspect(connection)
        for name, table in tickets.metadata.tables.items():
            if not tables.has_table(name):
                return f"there is no table '{name}'"
            here = {column["name"] for column in tables.get_columns(name)}
            if gone := [column.name for column in table.columns if column.name not in here]:
                return f"the table '{name}' has no column '{gone[0]}'"
    database.refuse_other_version(version)
    return ""


class _Comparison:
    def __init__(self, connection: Connection, moves: MoveCount | None = None) -> None:
        self.connection, self.moves = connection, moves
        self.fault: Fault | None = None
        self.wrong = ""
        self.replay = Replay()
        self.boards: Mapping[str, SavedBoard] = {}
        self.count: BoardCount | None = None  # the votes up to the last record of the boards
        self.counted_until, self.lost = 0, False
        self._present: dict[tuple[str, str], int] = {}
        self._written: dict[str, str] = {}  # texts of systems as they are written: few, and often

    def run(self, head: Head | None, receipts: Collection[str]) -> LogCheck:
        self.wrong = self._prepare()
        log_check = verify(self._stream(), head, replay=self.replay, receipts=receipts)
        if not log_check.holds:
            return log_check
        stored_head = read_head(self.connection)
        last = log_check.head.number
        if stored_head != log_check.head:
            message = f"the log ends at record {last}, not at {stored_head.number} as was written"
            return replace(log_check, bad=last + 1, reason=message)
        if not last:
            message = "it is missing: nothing was launched, or everything was deleted"
            return replace(log_check, bad=1, reason=message)
        try:
            for bad, reason in self._compare():
                return replace(log_check, bad=bad, reason=reason)
        except UNREADABLE:
            return replace(log_check, bad=0, reason=NOT_READ)
        return log_check

    def _prepare(self) -> str:
        first = self.connection.execute(select(*LINE).order_by(log.c.number).limit(1)).first()
        if first is None:
            return ""
        changed = "the campaign is not the one that was launched"
        try:
            record = read_record(Line(*first))
            spec = self.connection.execute(select(specs.c.campaign, specs.c.body)).all()
            same = len(spec) == 1 and spec[0].campaign == 1 and record.kind == "launch"
            if not same or record.facts["campaign"] != digest(spec[0].body):
                return changed
            columns = (campaign.c.id, campaign.c.name, campaign.c.digest, campaign.c.assignment)
            rows = self.connection.execute(select(*columns)).all()
            wanted = tuple(record.facts[one] for one in ("name", "campaign", "assignment"))
            if [tuple(row) for row in rows] != [(1, *wanted)]:
                return "the columns of the campaign say something else"
            try:
                planned = make_campaign(json.loads(spec[0].body))
            except EvenhandError:
                return "the campaign cannot be read"
            if record.facts["seed"] != write_seed(planned.drawing_seed):
                return "the seed of the launch is not the campaign's"
            assignment, wrong = read_design(self.connection, planned, record.facts)
        except UNREADABLE:
            return changed
        self.replay = Replay(planned, assignment)
        self.boards, self.count = read_boards(self.connection), BoardCount(planned)
        counted = (one.record for one in self.boards.values())
        self.counted_until = max((one for one in counted if isinstance(one, int)), default=0)
        return wrong

    def _stream(self) -> Iterator[Line]:
        """Yield the log; after each record that holds, compare what stands beside it."""
        columns = [log.c[name] for name in COPIES]
        rows = stream(self.connection, select(*LINE, *columns).order_by(log.c.number))
        for place, row in enumerate(rows, start=1):
            yield Line(*row[: len(LINE)])
            record = self.replay.last
            assert record is not None
            number = record.ticket.number if record.ticket else None
            expected = (record.kind, record.judge, record.key or None, record.replaces, number)
            if row.number != place or tuple(row[len(LINE) :]) != expected:
                self.fault = self.fault or (place, "the columns beside it say something else")
            for part in PARTS:
                if getattr(row, part) is not None:
                    self._present[record.judge, part] = record.number
            if record.kind == "forget":
                for key in product(record.facts["judges"], record.facts["parts"]):
                    if key in self._present:
                        message = "it was to be deleted on request, and is there"
                        self.fault = self.fault or (self._present[key], message)
            counted = record.number <= self.counted_until and record.kind in FOLLOWED
            if self.count is not None and counted:
                self.lost |= record.erased and record.answer is None
                self.count.take(record)
            if self.moves is not None:
                self.moves.take(row)

    def _compare(self) -> Iterator[Fault]:
        if self.fault is not None:
            yield self.fault
        if self.replay.campaign is None:
            yield 1, self.wrong
        yield from self._compare_tickets()
        yield from self._compare_seats()
        yield from self._compare_judges()
        yield from self._compare_leases()
        row, replay = self.connection.execute(select(campaign)).one(), self.replay
        if row.paused != replay.paused:
            yield self._end, "whether the campaign is paused was changed"
        if row.tickets != replay.tickets:
            yield self._end, "the number of tickets was changed"
        if row.head_at != replay.at:
            yield self._end, "the time of the last record was changed"
        if self.count is not None:
            yield from self._compare_boards(self.count)

    @property
    def _end(self) -> int:
        """The last record, where a table says something that none says."""
        return self.replay.last.number if self.replay.last else 0

    def _compare_tickets(self) -> Iterator[Fault]:
        replay, places, expected = self.replay, Counter[str](), 0
        moved: list[Fault] = []
        for row in stream(self.connection, select(tickets).order_by(tickets.c.number)):
            if row.number != expected:
                break
            expected += 1
            places[row.seat] += 1
            known = replay.questions.get(row.number)
            record = known.record if known is not None and known.record else None
            state = OPEN if record is None else CLOSED
            if row.record != record or (row.state == CLOSED) != (state == CLOSED):
                which = f"it stands for ticket {row.number} only in one of two tables"
                yield record or row.record or self._end, which
            unknown = replay.assignment is None and row.state == VOID  # as are repeats then
            void = state == OPEN and row.number in replay.void
            if row.state != (VOID if void else state) and not unknown:
                yield record or self._end, f"the state of ticket {row.number} was changed"
            if row.place != places[row.seat]:
                moved = moved or [(1, f"the place of ticket {row.number} was changed")]
            yield from self._compare_content(row, record)
        if self.wrong:
            yield 1, self.wrong
        if expected < replay.tickets:
            record = getattr(replay.questions.get(expected), "record", 0)
            yield record or self._end, f"ticket {expected} is not there"
        count = self.connection.execute(select(func.count()).select_from(tickets)).scalar()
        if count != expected or expected > replay.tickets:
            yield self._end, f"ticket {replay.tickets} was never asked for"
        yield from moved

    def _compare_content(self, row: Any, record: int | None) -> Iterator[Fault]:
        replay, number, ticket = self.replay, row.number, read_ticket(row, row.seat)
        known = replay.questions.get(number)
        changed = f"ticket {number} is not what was asked"
        if row.systems not in self._written:
            self._written[row.systems] = json.dumps(ticket.systems, ensure_ascii=False)
        if row.systems != self._written[row.systems]:
            yield record or 1, changed
        if number in replay.issued and row.seat != replay.issued[number]:
            yield self._end, f"ticket {number} was never asked for"
        if record is not None or number in replay.issued or (known is not None and ticket.chosen):
            if known is None or (known.outputs, known.rest) != hash_ticket(ticket):
                yield record or self._end, changed
        elif not replay.is_free(number):
            if ticket.chosen:
                yield 1, f"ticket {number} was chosen, and no record says so"
        elif ticket.kind == "repeat":
            origin = replay.questions.get(-1 if ticket.again is None else ticket.again)
            same = origin is not None and origin.outputs == hash_ticket(ticket)[0]
            if ticket.chosen or not (same or not (ticket.item or ticket.systems)):
                yield self._end, changed
        elif ticket.item or ticket.systems or ticket.chosen or known is not None:
            yield 1, f"ticket {number} was chosen, and no record says so"

    def _compare_seats(self) -> Iterator[Fault]:
        replay = self.replay
        assert replay.campaign is not None
        counted = select(tickets.c.seat, func.count().label("n")).group_by(tickets.c.seat)
        total = {row.seat: row.n for row in self.connection.execute(counted)}
        names = {one.name for one in replay.campaign.judges}
        names |= {one.seat for one in replay.logins.values()}
        for row in self.connection.execute(select(seats).order_by(seats.c.name)):
            if row.name not in names:
                yield self._end, f"no record says that there is a seat '{row.name}'"
            names.discard(row.name)
            if row.total != total.get(row.name, 0):
                yield self._end, f"the number of tickets of seat '{row.name}' was changed"
            if row.holder != replay.holders.get(row.name):
                yield self._end, f"seat '{row.name}' is held by {row.holder}, and no record says so"
        if names:
            yield self._end, f"seat '{min(names)}' is not there"

    def _compare_judges(self) -> Iterator[Fault]:
        logins, last = self.replay.logins, self._end
        rows = self.connection.execute(select(judges).order_by(judges.c.name)).all()
        for row in rows:
            login = logins.get(row.name)
            if login is None or row.state != login.state:
                yield last, f"judge '{row.name}' is {row.state}, and no record says so"
                continue
            if row.joined != login.joined:
                person = row.joined or row.name
                yield last, f"judge '{row.name}' counts as '{person}', and no record says so"
            words = {"seat": "seat", "made": "first invitation", "consented": "consent"}
            for name, subject in words.items():
                if getattr(row, name) != getattr(login, name):
                    yield last, f"the {subject} of judge '{row.name}' was changed"
        gone = logins.keys() - {row.name for row in rows}
        if gone:
            yield last, f"judge '{min(gone)}' is not there"
        # who is known although they were to be forgotten, or is not although they came
        known = self.connection.execute(select(people.c.judge, people.c.platform)).all()
        for row in known:
            login = logins.get(row.judge)
            if login is None or login.state == "forgotten":
                yield last, f"what is known of judge '{row.judge}' was to be deleted"
        for judge in sorted(self.replay.entered - {row.judge for row in known if row.platform}):
            if logins[judge].state != "forgotten":
                yield last, f"who judge '{judge}' is on the platform is not there"
        wanted = {(name, one.linked) for name, one in logins.items() if one.linked is not None}
        for row in self.connection.execute(select(tokens).order_by(tokens.c.name)):
            if row.role not in ("judge", "admin", "crowd"):
                yield last, f"a link has the role '{row.role}', which there is not"
            elif row.role == "judge":
                if (row.judge, row.made) not in wanted:
                    yield last, f"a link of judge '{row.judge}' was made without a record"
                wanted.discard((row.judge, row.made))
        for judge, _ in sorted(wanted, key=str):
            yield last, f"the link of judge '{judge}' is not there"

    def _compare_leases(self) -> Iterator[Fault]:
        given = (tickets.c.seat, tickets.c.state, log.c.body, log.c.judge.label("by"))
        whole = leases.outerjoin(tickets, tickets.c.number == leases.c.ticket)
        whole = whole.outerjoin(log, log.c.number == tickets.c.record)
        wanted = select(leases, *given).select_from(whole)
        for row in self.connection.execute(wanted.order_by(leases.c.judge)):
            login = self.replay.logins.get(row.judge)
            served = json.loads(row.body).get("served") if row.by == row.judge else None
            there = login is not None and login.state in PRESENT and row.seat == login.seat
            same = row.since <= row.until and served in {None, row.since}
            if not there or not same or row.state == VOID:
                yield self._end, f"what judge '{row.judge}' has before them was changed"

    def _compare_boards(self, count: BoardCount) -> Iterator[Fault]:
        if not self.boards:
            if count.passes and self.replay.deleted and count.record:
                yield self.replay.deleted, "the boards that it was counted on are not there"
            return
        if self.boards.keys() != count.passes.keys():
            yield self._end, "the boards that are kept are not those of the passes"
        if {one.record for one in self.boards.values()} != {count.record}:
            yield self._end, "the boards that are kept were not counted up to the same record"
        count.hide()
        for name, one in count.write().items():
            if difference := _differ(self.boards[name].body, one.body, lost=self.lost):
                yield self._end, f"the board of '{name}' is not what the log counts: {difference}"


def _differ(saved: str, counted: str, *, lost: bool) -> str:
    from evenhand.ranking.sequential.leaderboard import read_board

    try:
        whole, made = json.loads(saved), json.loads(counted)
        mine, other = json.loads(whole["board"]), json.loads(made["board"])
        read_board(whole["board"])
    except (UnknownFormat, ValueError, LookupError, TypeError) as fault:
        return f"it cannot be read ({fault})"
    del mine["sha256"], other["sha256"]
    claims = [[one["better"], one["worse"]] for one in mine["claims"]]
    shown, confirmed = whole["shown"], whole["confirmed"] or {"pairs": []}
    if set(whole) != set(made) or shown != sorted(shown) or any(one not in claims for one in shown):
        return "shown"
    if not {one for pair in confirmed["pairs"] for one in pair} <= set(mine["systems"]):
        return "confirmed"
    if lost:
        # Where a board lacks answers that are still there; others were deleted since
        if mine["systems"] != other["systems"] or mine["settings"] != other["settings"]:
            return "systems"
        return "seen" if mine["seen"]["votes"] < other["seen"]["votes"] else ""
    every = sorted({*mine, *other})
    return next((one for one in every if not _agree(mine.get(one), other.get(one))), "")


def _agree(one: Any, other: Any) -> bool:
    """Say whether two values of JSON are the same, but for the rounding of logarithms."""
    if isinstance(one, float) and isinstance(other, int | float) and not isinstance(other, bool):
        return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    return type(one) is type(other) and bool(one == other)


def audit(
    where: str,
    head: Head | None = None,
    *,
    receipts: Collection[str] = (),
    moves: MoveCount | None = None,
) -> LogCheck:
    if not _is_database(where):
        return verify(read_log(where), head, receipts=receipts)
    return check_store(open_to_read(where), head, receipts, moves)


def write_log(where: str, path: str | Path) -> int:
    # The file can be read by its owner alone: comments stand in it.
    if not _is_database(where):
        raise UnknownOption(f"--write-log {path}: '{where}' is a log already, and no database")
    count = 0
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with (
            os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file,
            open_to_read(where).reading() as connection,
        ):
            for row in stream(connection, select(*LINE).order_by(log.c.number)):
                file.write(f"{Line(*row).write()}\n")
                count += 1
    except FileExistsError:
        raise UnknownOption(f"--write-log {path}: the file is there; name another one") from None
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise UnknownOption(f"--write-log {path}: it cannot be written: {reason}") from None
    return count


def _is_database(where: str) -> bool:
    """Say whether there is a database, and not a log as JSON Lines."""
    path = Path(where)
    if "://" in where:
        return True
    if path.is_dir():
        raise MissingFile(f"'{path}' is a folder: name the campaign or the log in it")
    if not path.is_file():
        near = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        raise MissingFile(f"there is no file '{path}'{sentence_hint(suggest(path.name, near))}")
    try:
        with path.open("rb") as file:
            start = file.read(len(SQLITE))
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise UnknownFormat(f"'{path}' cannot be read: {reason}") from None
    if not start:
        raise UnknownFormat(f"'{path}' is empty: it has lost what it held; restore it from a copy")
    if start.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnknownFormat(describe_resaved(path, "first bytes (a byte order mark)"))
    if start != SQLITE and not start.startswith(b"{"):
        raise UnknownFormat(
            f"'{path}' is not a log: it is neither a database of evenhand serve nor JSON Lines"
            " of one"
        )
    return start == SQLITE


@dataclass(frozen=True)
class Collected:
    tickets: tuple[Ticket, ...]  # whose answers stand, in the order in which each came first
    people: Mapping[str, str]  # judge → the judge whom exports name, of those who are one person
    submitted: Collection[int]  # the last tickets of documents that their judges submitted
    launch: Mapping[str, str]  # name, campaign, assignment, evenhand, seed


def gather(records: Iterable[Record]) -> Collected:
    standing: dict[int, Ticket] = {}
    submitted = set[tuple[int, str]]()
    people: dict[str, str] = {}
    launch: Mapping[str, str] = {}
    for one in records:
        if one.kind == "launch":
            launch = one.facts
        elif one.by_llm:  # it is asked the tickets of all
            continue
        elif one.kind in JUDGMENTS and one.ticket is not None:
            standing[one.ticket.number] = one.ticket
        elif one.kind == "undo" and one.ticket is not None:
            standing.pop(one.ticket.number, None)
        elif one.kind == "submit" and one.ticket is not None:
            submitted.add((one.ticket.number, one.judge))
        elif one.kind == "join":
            people |= dict.fromkeys(one.facts["judges"], one.facts["person"])
        elif one.kind == "forget" and "said" in one.facts["parts"]:
            gone = set(one.facts["judges"])
            standing = {at: ticket for at, ticket in standing.items() if ticket.judge not in gone}
    if not launch:
        raise CampaignError("no campaign was launched there: nothing was collected")
    sent = {at for at, ticket in standing.items() if (at, ticket.judge) in submitted}
    return Collected(tuple(standing.values()), people, sent, launch)


def check_collected(where: str, planned: Campaign) -> tuple[Assignment, DesignCheck]:
    sound = audit(where)
    if not sound.holds:
        raise CampaignError(
            f"'{where}' is not what was written, so that its answers say nothing: {sound.fault}"
        )
    lines = open_to_read(where).lines() if _is_database(where) else read_log(where)
    return count_promises(gather(map(read_record, lines)), planned, where)


def count_promises(
    collected: Collected, planned: Campaign, where: str
) -> tuple[Assignment, DesignCheck]:
    if planned.seed is None:  # logs without a seed are of the time when launches drew none
        planned = replace(planned, seed=read_seed(collected.launch.get("seed", SEED)))
    before = replace(planned, design=replace(planned.design, equal_outputs=None))
    if collected.launch["campaign"] == before.digest:  # launched before equal outputs were merged
        planned = before
    if collected.launch["campaign"] != planned.digest:
        same = collected.launch["name"] == planned.name
        raise CampaignError(
            f"'{where}' holds answers to campaign '{collected.launch['name']}'"
            f"{' as it was in other words' if same else ''}, not to '{planned.name}'"
            f"{' as it is in this file' if same else ''}: give the file that it began with"
        )
    assignment = assign(planned)
    if collected.launch["assignment"] != assignment.digest:
        raise CampaignError(
            f"'{where}' was assigned by evenhand {collected.launch['evenhand']}, and evenhand"
            f" {__version__} assigns this campaign differently: check it with that version"
        )
    # each judge has the seat most of whose tickets they answered
    names = [one.name for one in assignment.campaign.judges]
    counted: dict[str, Counter[str]] = {}
    for one in collected.tickets:
        if 0 <= one.number < len(assignment):
            seat = names[assignment.judge[one.number]]
            counted.setdefault(one.judge, Counter())[seat] += 1
    seats = {judge: often.most_common(1)[0][0] for judge, often in counted.items()}
    told = (collected.tickets, collected.people, seats, collected.submitted)
    return assignment, verify_collected(assignment, *told)
