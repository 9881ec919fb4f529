"""Do the tables of a database say what its log says?

The log is replayed (`replay.py`), and every column that it determines is compared: the campaign,
seats and who holds them, judges, the state and place of each ticket with its copy of what was
asked, links and leases as far as the log speaks of them, and the boards, which are counted anew.
The file itself is checked by the database. `docs/store.md` names what nothing can be derived of.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from math import isclose
from typing import Any, Final

from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import DatabaseError, ProgrammingError

from evenhand.design.campaign import Campaign, write_seed
from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError, EvenhandError, UnknownFormat
from evenhand.web.store.board_count import BoardCount, list_boards
from evenhand.web.store.chain import digest
from evenhand.web.store.kept_boards import FOLLOWED, KeptBoard, read_boards
from evenhand.web.store.line import Line
from evenhand.web.store.migration import VERSION, read_version
from evenhand.web.store.people import PRESENT
from evenhand.web.store.reading import LINE, make_line, read_head, stream
from evenhand.web.store.record import Record, read_record
from evenhand.web.store.replay import Replay, hash_ticket
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
    tokens,
)
from evenhand.web.store.schema import tickets as asked
from evenhand.web.store.tickets import read_asked, read_design
from evenhand.web.store.verification import UNREADABLE, Head, LogCheck, verify

# Columns of the log that say again what a body says, for look-ups
COPIES: Final = ("kind", "judge", "key", "replaces", "ticket")
PARTS: Final = ("said", "note")
ROUNDING: Final = 1e-6  # How far sums of logarithms on boards may differ between machines
NOT_READ: Final = "a table holds what cannot be read"
Fault = tuple[int, str]  # Number of a record, 0 for none, and what is wrong


class OtherVersion(CampaignError):
    """The tables are older or newer than those of this program."""


def check_database(
    connection: Connection, head: Head | None = None, *, receipts: Collection[str] = ()
) -> LogCheck:
    """Check a database in one transaction: its file, its log, and that the tables say the same."""
    try:
        if damage := _find_damage(connection):
            return LogCheck(Head(0, ""), 0, f"the database is damaged: {damage}")
        if damage := _check_version(connection):
            return LogCheck(Head(0, ""), 0, f"the database is damaged: {damage}")
        return _Comparison(connection).run(head, receipts)
    except (DatabaseError, UnicodeDecodeError) as fault:
        damage = _read_damage(fault)
        if not damage:
            raise
        return LogCheck(Head(0, ""), 0, f"the database is damaged: {damage}")


def _read_damage(fault: DatabaseError | UnicodeDecodeError) -> str:
    """Return what a database says of damage; "" of anything else, such as a lost connection."""
    if isinstance(fault, UnicodeDecodeError):
        return "a text is no UTF-8"
    said = (str(fault.orig).splitlines() or [""])[0]
    code = str(getattr(fault.orig, "sqlstate", None) or "")
    words = ("malformed", "not a database", "Could not decode")
    if code.startswith("XX") or any(word in said for word in words):
        return said
    return ""


def _find_damage(connection: Connection) -> str:
    """Let the database look at its pages and indexes; return what it finds, "" for nothing."""
    if connection.dialect.name == "sqlite":
        for order in ("PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"):
            found = connection.exec_driver_sql(order).first()
            if found is not None and found[0] != "ok":
                told = (
                    str(found[0])
                    if "integrity" in order
                    else f"a row of {found[0]} refers to a row that is not there"
                )
                return told.splitlines()[-1]
        return ""
    wanted = text("SELECT 1 FROM pg_extension WHERE extname = 'amcheck'")
    if connection.execute(wanted).first() is None:
        return ""
    check = text(
        "SELECT bt_index_check(i.indexrelid, true) FROM pg_index i"
        " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam"
        " WHERE a.amname = 'btree' AND i.indrelid = to_regclass(:name)"
    )
    for name in sorted(asked.metadata.tables):
        with suppress(ProgrammingError), connection.begin_nested():  # it may not be ours to call
            connection.execute(check, {"name": name})
    return ""


def _check_version(connection: Connection) -> str:
    """Return which table is missing, "" for none; refuse tables of another version."""
    found = read_version(connection)
    if found == VERSION:
        for name in asked.metadata.tables:
            if not inspect(connection).has_table(name):
                return f"there is no table '{name}'"
    if found not in ("", VERSION):
        raise OtherVersion(
            f"the tables are of version {found}, and this program checks version {VERSION}: an"
            " older one is brought up to date by 'evenhand serve', a newer one needs the Evenhand"
            " that wrote it"
        )
    return ""


class _Comparison:
    """A log that is replayed, and what its tables say."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.fault: Fault | None = None
        self.wrong = ""
        self.replay = Replay()
        self.boards: _Boards | None = None
        self._present: dict[tuple[str, str], int] = {}
        self._written: dict[str, str] = {}  # texts of systems as they are written: few, and often

    def run(self, head: Head | None, receipts: Collection[str]) -> LogCheck:
        """Check everything; the first fault is told, of the chain before all others."""
        self.wrong = self._prepare()
        found = verify(self._stream(), head, replay=self.replay, receipts=receipts)
        if not found.holds:
            return found
        kept = read_head(self.connection)
        if kept != found.head:
            told = (
                f"the log ends at record {found.head.number}, not at {kept.number} as was written"
            )
            return replace(found, bad=found.head.number + 1, reason=told)
        if not found.head.number:
            told = "it is missing: nothing was launched, or everything was deleted"
            return replace(found, bad=1, reason=told)
        try:
            for bad, reason in self._compare():
                return replace(found, bad=bad, reason=reason)
        except UNREADABLE:
            return replace(found, bad=0, reason=NOT_READ)
        return found

    def _prepare(self) -> str:
        """Read the campaign and its tickets; return what is wrong with them, "" for nothing."""
        first = self.connection.execute(select(*LINE).order_by(log.c.number).limit(1)).first()
        if first is None:
            return ""
        try:
            record = read_record(make_line(first))
            planned, wrong = self._read_campaign(record)
            if planned is None:
                return wrong
            assignment, wrong = read_design(self.connection, planned, record.facts)
        except UNREADABLE:
            return "the campaign is not the one that was launched"
        known = self.connection.execute(select(judges.c.name, judges.c.seat))
        self.replay = Replay(planned, assignment, {row.name: row.seat for row in known})
        self.boards = _Boards(planned, read_boards(self.connection))
        return wrong

    def _read_campaign(self, record: Record) -> tuple[Campaign | None, str]:
        """Return the campaign that was launched; None, and what is wrong, where it is another."""
        spec = self.connection.execute(select(specs.c.campaign, specs.c.body)).all()
        same = len(spec) == 1 and spec[0].campaign == 1
        if not same or record.kind != "launch" or record.facts["campaign"] != digest(spec[0].body):
            return None, "the campaign is not the one that was launched"
        columns = (campaign.c.id, campaign.c.name, campaign.c.digest, campaign.c.assignment)
        rows = self.connection.execute(select(*columns)).all()
        wanted = tuple(record.facts[one] for one in ("name", "campaign", "assignment"))
        if [tuple(row) for row in rows] != [(1, *wanted)]:
            return None, "the columns of the campaign say something else"
        try:
            planned = make_campaign(json.loads(spec[0].body))
        except EvenhandError:
            return None, "the campaign cannot be read"
        seed = write_seed(planned.drawing_seed)
        if record.facts.get("seed", seed) != seed:  # older versions did not record it
            return None, "the seed of the launch is not the campaign's"
        return planned, ""

    def _stream(self) -> Iterator[Line]:
        """Yield the log; after each record that holds, compare what stands beside it."""
        columns = [log.c[name] for name in COPIES]
        rows = stream(self.connection, select(*LINE, *columns).order_by(log.c.number))
        for place, row in enumerate(rows, start=1):
            yield make_line(row)
            record = self.replay.last
            assert record is not None
            number = record.ticket.number if record.ticket else None
            told = (record.kind, record.judge, record.key or None, record.replaces, number)
            if row.number != place or tuple(row[len(LINE) :]) != told:
                self._note(place, "the columns beside it say something else")
            self._check_deletion(record, row)
            if self.boards is not None:
                self.boards.take(record)

    def _note(self, bad: int, reason: str) -> None:
        self.fault = self.fault or (bad, reason)

    def _check_deletion(self, record: Record, row: Any) -> None:
        """Check that nothing is there that was to be deleted."""
        for part in PARTS:
            if getattr(row, part) is not None:
                self._present[record.judge, part] = record.number
        if record.kind == "forget":
            for judge in record.facts["judges"]:
                for part in record.facts["parts"]:
                    if (judge, part) in self._present:
                        told = "it was to be deleted on request, and is there"
                        self._note(self._present[judge, part], told)

    def _compare(self) -> Iterator[Fault]:
        """Yield what the tables do not say as the log does."""
        if self.fault is not None:
            yield self.fault
        if self.replay.campaign is None:
            yield 1, self.wrong
        yield from self._compare_tickets()
        yield from self._compare_seats()
        yield from self._compare_judges()
        yield from self._compare_people()
        yield from self._compare_tokens()
        yield from self._compare_leases()
        yield from self._compare_state()
        if self.boards is not None:
            yield from self.boards.compare(self.replay)

    @property
    def _end(self) -> int:
        """The last record, where a table says something that none says."""
        return self.replay.last.number if self.replay.last else 0

    def _compare_state(self) -> Iterator[Fault]:
        row = self.connection.execute(select(campaign)).one()
        if row.paused != self.replay.paused:
            yield self._end, "whether the campaign is paused was changed"
        if row.tickets != self.replay.tickets:
            yield self._end, "the number of tickets was changed"
        if row.head_at != self.replay.at:
            yield self._end, "the time of the last record was changed"

    def _compare_tickets(self) -> Iterator[Fault]:
        """Yield what is wrong with tickets."""
        replay, places, expected = self.replay, Counter[str](), 0
        moved: list[Fault] = []
        for row in stream(self.connection, select(asked).order_by(asked.c.number)):
            if row.number != expected:
                break
            expected += 1
            places[row.seat] += 1
            known = replay.questions.get(row.number)
            record = known.record if known is not None and known.record else None
            told = OPEN if record is None else CLOSED
            if row.record != record or (row.state == CLOSED) != (told == CLOSED):
                which = f"it stands for ticket {row.number} only in one of two tables"
                yield record or row.record or self._end, which
            unknown = replay.assignment is None and row.state == VOID  # as are repeats then
            void = told == OPEN and row.number in replay.void
            if row.state != (VOID if void else told) and not unknown:
                yield record or self._end, f"the state of ticket {row.number} was changed"
            if row.place != places[row.seat]:
                moved = moved or [(1, f"the place of ticket {row.number} was changed")]
            yield from self._compare_content(row, record)
        if self.wrong:
            yield 1, self.wrong
        if expected < replay.tickets:
            record = getattr(replay.questions.get(expected), "record", 0)
            yield record or self._end, f"ticket {expected} is not there"
        count = self.connection.execute(select(func.count()).select_from(asked)).scalar()
        if count != expected or expected > replay.tickets:
            yield self._end, f"ticket {replay.tickets} was never asked for"
        yield from moved

    def _compare_content(self, row: Any, record: int | None) -> Iterator[Fault]:
        """Yield what is wrong with what a ticket asks."""
        replay, number, ticket = self.replay, row.number, read_asked(row)
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
        """Yield what is wrong with who holds which seat, and how many tickets it has."""
        replay = self.replay
        assert replay.campaign is not None
        counted = select(asked.c.seat, func.count().label("n")).group_by(asked.c.seat)
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
        """Yield what is wrong with judges."""
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
            for name in ("seat", "made", "consented"):
                if getattr(row, name) != getattr(login, name):
                    words = {"seat": "the seat", "made": "the first invitation"}
                    told = words.get(name, "the consent")
                    yield last, f"{told} of judge '{row.name}' was changed"
        gone = logins.keys() - {row.name for row in rows}
        if gone:
            yield last, f"judge '{min(gone)}' is not there"

    def _compare_people(self) -> Iterator[Fault]:
        """Yield who is known although they were to be forgotten, or is not although they came."""
        rows = self.connection.execute(select(people.c.judge, people.c.platform)).all()
        for row in rows:
            login = self.replay.logins.get(row.judge)
            if login is None or login.state == "forgotten":
                yield self._end, f"what is known of judge '{row.judge}' was to be deleted"
        here = {row.judge for row in rows if row.platform}
        for judge in sorted(self.replay.entered - here):
            if self.replay.logins[judge].state != "forgotten":
                yield self._end, f"who judge '{judge}' is on the platform is not there"

    def _compare_tokens(self) -> Iterator[Fault]:
        """Yield links of judges that no record speaks of, and those that are not there."""
        logins = self.replay.logins
        wanted = {(name, one.linked) for name, one in logins.items() if one.linked is not None}
        for row in self.connection.execute(select(tokens).order_by(tokens.c.name)):
            if row.role not in ("judge", "admin", "crowd"):
                yield self._end, f"a link has the role '{row.role}', which there is not"
            elif row.role == "judge":
                if (row.judge, row.made) not in wanted:
                    yield self._end, f"a link of judge '{row.judge}' was made without a record"
                wanted.discard((row.judge, row.made))
        for judge, _ in sorted(wanted, key=str):
            yield self._end, f"the link of judge '{judge}' is not there"

    def _compare_leases(self) -> Iterator[Fault]:
        """Yield tickets that are before somebody who cannot have them."""
        given = (asked.c.seat, asked.c.state, log.c.body, log.c.judge.label("by"))
        wanted = select(leases, *given).select_from(
            leases.outerjoin(asked, asked.c.number == leases.c.ticket).outerjoin(
                log, log.c.number == asked.c.record
            )
        )
        for row in self.connection.execute(wanted.order_by(leases.c.judge)):
            login = self.replay.logins.get(row.judge)
            told = f"what judge '{row.judge}' has before them was changed"
            served = json.loads(row.body).get("served") if row.by == row.judge else None
            there = login is not None and login.state in PRESENT and row.seat == login.seat
            same = row.since <= row.until and served in {None, row.since}
            if not there or not same or row.state == VOID:
                yield self._end, told


class _Boards:
    """Boards that are kept, and the same ones counted anew."""

    def __init__(self, planned: Campaign, kept: dict[str, KeptBoard] | Any) -> None:
        self.kept = dict(kept)
        self.names = list_boards(planned)
        self.count = BoardCount(planned)
        self.until = max((one.record for one in self.kept.values()), default=0)
        self.lost = False

    def take(self, record: Record) -> None:
        """Count a record that the boards have seen."""
        if record.number > self.until or record.kind not in FOLLOWED:
            return
        self.lost |= record.erased and record.answer is None
        self.count.take(record)

    def compare(self, replay: Replay) -> Iterator[Fault]:
        """Yield what is wrong with the boards that are kept."""
        if not self.kept:
            if self.names and replay.deleted and self.count.record:
                yield replay.deleted, "the boards that it was counted on are not there"
            return
        last = replay.last.number if replay.last else 0
        if set(self.kept) != set(self.names):
            yield last, "the boards that are kept are not those of the passes"
        if {one.record for one in self.kept.values()} != {self.count.record}:
            yield last, "the boards that are kept were not counted up to the same record"
        self.count.hide()
        for name, one in self.count.write().items():
            if difference := _differ(self.kept[name].body, one.body, lost=self.lost):
                yield last, f"the board of '{name}' is not what the log counts: {difference}"


def _differ(kept: str, counted: str, *, lost: bool) -> str:
    """Return where a board that is kept differs from the one that was counted; "" for nowhere."""
    from evenhand.ranking.sequential.leaderboard import read_board

    try:
        whole, made = json.loads(kept), json.loads(counted)
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
        return _find_missing(mine, other)
    every = sorted({*mine, *other})
    return next((one for one in every if not _agree(mine.get(one), other.get(one))), "")


def _find_missing(mine: dict[str, Any], other: dict[str, Any]) -> str:
    """Return where a board lacks answers that are still there; others were deleted since."""
    if mine["systems"] != other["systems"] or mine["settings"] != other["settings"]:
        return "systems"
    return "seen" if mine["seen"]["votes"] < other["seen"]["votes"] else ""


def _agree(one: Any, other: Any) -> bool:
    """Say whether two values of JSON are the same, but for the rounding of logarithms."""
    if isinstance(one, float) and isinstance(other, int | float) and not isinstance(other, bool):
        return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    return type(one) is type(other) and bool(one == other)
