"""What is in a database: lines, records, judgments that stand, rows of our tables, progress."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from sqlalchemy import Connection, Engine, Select, bindparam, func, select
from sqlalchemy.exc import SQLAlchemyError

from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError, Message
from evenhand.formats.file_heads import show_address
from evenhand.web.store import database
from evenhand.web.store.log import (
    GENESIS,
    JUDGMENTS,
    NOT_ASSIGNED,
    Line,
    NotStored,
    NotYours,
    Record,
    UnknownLink,
    digest,
    read_record,
)
from evenhand.web.store.people import (
    LLM_INVITES,
    PRESENT,
    Role,
    matches,
    name_ticket,
    read_ticket_name,
    read_token,
)
from evenhand.web.store.schema import CLOSED, OPEN, VOID, judges, leases, log, people, seats, specs
from evenhand.web.store.schema import campaign as state
from evenhand.web.store.schema import tickets as asked
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.verification import Head

AT_A_TIME: Final = 1_000  # Rows that are fetched together
RECORDS_AT_ONCE: Final = 500  # Records that are asked for together
LAUNCH: Final = 16  # Hexadecimal digits by which launches are distinguished
LINE: Final = (log.c.number, log.c.body, log.c.hash, log.c.said, log.c.note)  # Of a `Line`

MOVING: Final = (log.c.number, log.c.kind, log.c.judge, log.c.ticket, log.c.body)
MOVES: Final = (*JUDGMENTS, "undo", "forget")  # Kinds of records that give or take answers


@dataclass(frozen=True)
class JudgeState:
    name: str  # the pseudonym
    seat: str  # whose tickets these are
    state: str  # invited, active, left, revoked, forgotten; "vacant" where nobody has the seat
    person: str  # the login by which exports name the person
    done: int  # answers that this login gave and that stand
    total: int  # tickets of the seat that this login was, or is, to answer
    left: int  # open tickets of the seat, whoever is to answer them
    since: int | None = None  # when the present ticket was served
    consented: int | None = None  # when the judge agreed to the text of the campaign
    platform: str = ""  # the crowd platform they came from; "" for an invited judge
    worker: str = ""  # their name there
    note: str = ""  # what the organiser wrote about who it is
    llm: bool = False  # whether it is an LLM
    waits: bool = False  # whether all of a document is answered, and not submitted

    @property
    def finished(self) -> bool:
        """Whether all was answered, and submitted."""
        return 0 < self.total == self.done and not self.waits


def list_standing(connection: Connection) -> list[int]:
    """Return the numbers of the records whose answers stand, in order."""
    wanted = select(asked.c.record).where(asked.c.record.is_not(None)).order_by(asked.c.record)
    return list(connection.execute(wanted).scalars())


def list_given(connection: Connection) -> list[int]:
    """Return the numbers of all records of answers, also of those that do not stand any more."""
    wanted = select(log.c.number).where(log.c.kind.in_(JUDGMENTS)).order_by(log.c.number)
    return list(connection.execute(wanted).scalars())


def list_firsts(connection: Connection) -> list[tuple[int, int]]:
    """Return records whose answers stand, each with the first answer to its ticket, by that."""
    standing = set(list_standing(connection))
    wanted = select(log.c.number, log.c.ticket, log.c.judge).where(log.c.kind.in_(JUDGMENTS))
    begun: dict[tuple[int, str], int] = {}
    firsts = []
    for number, ticket, judge in connection.execute(wanted.order_by(log.c.number)):
        first = begun.setdefault((ticket, judge), number)
        if number in standing:
            firsts.append((number, first))
    return sorted(firsts, key=itemgetter(1))


class MoveCount:
    """Counts answers that were deleted, or that people changed after all had been given once."""

    def __init__(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self.number = 0  # the last record that was read
        self.standing: dict[int, int | None] = {}  # ticket → the record of its answer now
        self._llm: set[str] = set()
        self._given: dict[int, tuple[int, str]] = {}  # ticket → its answer, and who gave it
        self._deleted, self._ended = 0, False

    def begin(self, connection: Connection) -> None:
        """Read which answers stand now, before records are taken."""
        by_llm = {one.name: one.seat for one in read_judges(connection) if one.llm}
        of_people = (asked.c.state != VOID, asked.c.seat.not_in([*by_llm.values()]))
        tickets = select(asked.c.number, asked.c.record).where(*of_people)
        standing = {one.number: one.record for one in connection.execute(tickets)}
        if standing.keys() != self.standing.keys() or by_llm.keys() != self._llm:
            self._restart()
        self.standing, self._llm = standing, {*by_llm}

    def take(self, row: Any) -> None:
        """Take the next record, which has the columns of `MOVING`."""
        self.number = row.number
        if self._ended or row.judge in self._llm:
            return
        if row.kind == "forget":
            if "said" in (facts := json.loads(row.body)["facts"])["parts"]:
                gone = {*facts["judges"]}
                left = {at: one for at, one in self._given.items() if one[1] not in gone}
                self._deleted += len(self._given) - len(left)
                self._given = left
        elif row.ticket not in self.standing:
            return
        elif row.kind in JUDGMENTS:
            self._given[row.ticket] = row.number, row.judge
        elif row.kind == "undo":
            self._given.pop(row.ticket, None)
        self._ended = len(self._given) == len(self.standing)

    def count(self) -> int:
        changed = (self.standing[at] != record for at, (record, _) in self._given.items())
        return self._deleted + (sum(changed) if self._ended else 0)

    def catch_up(self, connection: Connection) -> int:
        """Count them, reading the records that were not read yet."""
        self.begin(connection)
        wanted = select(*MOVING).where(log.c.number > self.number, log.c.kind.in_(MOVES))
        for row in stream(connection, wanted.order_by(log.c.number)):
            self.take(row)
        return self.count()


def read_submitted(connection: Connection) -> dict[int, int]:
    """Return when answers were submitted with their document, by the numbers of their records."""
    wanted = select(log.c.body).where(log.c.kind == "submit").order_by(log.c.number)
    bodies = map(json.loads, connection.execute(wanted).scalars())
    return {number: body["at"] for body in bodies for number in body["facts"]["answers"]}


def read_numbered(connection: Connection, numbers: Collection[int]) -> list[Line]:
    wanted = select(*LINE).where(log.c.number.in_(numbers)).order_by(log.c.number)
    return [Line(*row) for row in connection.execute(wanted)]


def make_rows(
    planned: Campaign, table: str, record: Record, first: int, persons: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    ticket = record.ticket
    if ticket is None or record.answer is None or planned.task(ticket.task).table != table:
        return
    named = replace(ticket, judge=persons.get(record.judge, record.judge))
    extra: dict[str, Any] = {"at": record.at, "seconds": record.seconds}
    extra |= {"answered_at": f"{first / 1000:.3f}", "login": record.judge}
    extra["comment"] = record.comment
    if planned.has_documents:
        extra["document"] = planned.item(ticket.item).document
    if planned.design.policy:
        extra["chosen"] = ticket.chosen or "design"
    for row in planned.tabulate(named, record.answer):
        yield {**row, **extra}


# An answer with probabilities; in a text of an LLM the quotation marks have backslashes
_PROBABLE: Final = select(log.c.number).where(log.c.said.like('%"probabilities":%')).limit(1)


def _tabulate_probabilities(found: Mapping[str, float]) -> dict[str, Any]:
    """Return columns as verdicts are read with: a tie is half of both sides."""
    if not found:
        return {"probability_left": None, "probability_outside": None}
    left = (1 + found["left"] - found["right"]) / 2
    return {"probability_left": round(left, 6), "probability_outside": found["outside"]}


def read_persons(connection: Connection) -> Mapping[str, str]:
    rows = connection.execute(select(judges.c.name, judges.c.joined))
    return {name: joined or name for name, joined in rows}


def read_head(connection: Connection) -> Head:
    row = connection.execute(select(state.c.head_number, state.c.head_hash)).first()
    return Head(0, GENESIS) if row is None else Head(*row)


def read_launch(connection: Connection) -> str:
    # The first record of a log holds when it was written, to the millisecond: another launch of the
    # same campaign has another one.
    return find_hash(connection, 1)[:LAUNCH]


def find_hash(connection: Connection, number: int) -> str:
    """Return the hash of a record, "" where the log ends before it."""
    return str(connection.scalar(select(log.c.hash).where(log.c.number == number)) or "")


def is_as_launched(connection: Connection) -> bool:
    """Say whether campaign and log belong together: a file with another log mixes them."""
    body = connection.scalar(select(log.c.body).where(log.c.number == 1))
    spec, head = connection.scalar(select(specs.c.body)), read_head(connection)
    if body is None or spec is None or find_hash(connection, head.number) != head.hash:
        return False
    return digest(spec) in body


def read_judges(connection: Connection) -> tuple[JudgeState, ...]:
    by = (asked.c.seat, asked.c.state)
    counted = connection.execute(select(*by, func.count()).group_by(*by))
    tickets = Counter({(seat, ticket_state): count for seat, ticket_state, count in counted})
    # who answered is read where it is not plain: of seats that several logins had
    shared = select(judges.c.seat).group_by(judges.c.seat).having(func.count() > 1)
    given = (
        select(asked.c.seat, log.c.judge, func.count())
        .select_from(asked.join(log, log.c.number == asked.c.record))
        .where(asked.c.seat.in_(shared), asked.c.state == CLOSED)
        .group_by(asked.c.seat, log.c.judge)
    )
    answers = {(seat, judge): count for seat, judge, count in connection.execute(given)}
    columns = (*judges.c, seats.c.holder, leases.c.since)
    columns = (*columns, people.c.platform, people.c.worker, people.c.note)
    known = judges.join(seats).outerjoin(leases, leases.c.judge == judges.c.name)
    known = known.outerjoin(people, people.c.judge == judges.c.name)
    wanted = select(*columns).select_from(known).order_by(judges.c.made, judges.c.name)
    rows = connection.execute(wanted).all()
    sharing = Counter(row.seat for row in rows)
    llms = {row.judge for row in connection.execute(LLM_INVITES)}
    states: list[JudgeState] = []
    before: Counter[str] = Counter()  # seat → answers of logins that were made earlier
    for row in rows:
        closed, left = tickets[row.seat, CLOSED], tickets[row.seat, OPEN]
        done = answers.get((row.seat, row.name), 0) if sharing[row.seat] > 1 else closed
        others = closed - done if row.holder == row.name else before[row.seat]
        before[row.seat] += done
        mine = (row.name, row.seat, row.state, row.joined or row.name)
        counts = (done, closed + left - others, left)
        who = (row.platform or "", row.worker or "", row.note or "")
        times = (row.since, row.consented)
        states.append(JudgeState(*mine, *counts, *times, *who, llm=row.name in llms))
    names = connection.execute(select(seats.c.name).order_by(seats.c.name)).scalars()
    left_over = {name: tickets[name, OPEN] for name in names if name not in sharing}
    vacant = (JudgeState(one, one, "vacant", one, 0, n, n) for one, n in left_over.items())
    return (*states, *vacant)


def count_answers(states: Collection[JudgeState]) -> tuple[int, dict[str, int], dict[str, int]]:
    """Return how many answers stand, and open questions of each seat, and of each that is free."""
    seats = {one.seat: one.left for one in states}
    held = {one.seat for one in states if one.state in PRESENT}
    free = {seat: left for seat, left in seats.items() if seat not in held}
    return sum(one.done for one in states), seats, free


def stream(connection: Connection, wanted: Select[Any]) -> Iterator[Any]:
    with connection.execution_options(yield_per=AT_A_TIME).execute(wanted) as rows:
        yield from rows


_LINK: Final = (
    select(links.c.digest, links.c.role, links.c.judge, judges.c.state)
    .outerjoin(judges, judges.c.name == links.c.judge)
    .where(links.c.name == bindparam("name"))
)


@dataclass(frozen=True)
class Bearer:
    role: Role  # what the link is for
    judge: str = ""  # the pseudonym; "" for other roles


class Readable:
    def __init__(self, engine: Engine, clock: database.Clock | None = None) -> None:
        self.engine, self.clock = engine, clock or database.Clock.start_at(0)
        self._campaign: Campaign | None = None

    @property
    def campaign(self) -> Campaign:
        stored = self.find_campaign()
        if stored is None:
            raise CampaignError("no campaign was launched in this database: launch one first")
        return stored

    def find_campaign(self) -> Campaign | None:
        if self._campaign is None:
            with self.reading() as connection:
                self._campaign = load_campaign(connection)
        return self._campaign

    @property
    def plan(self) -> str:
        """The plan of a gate that was registered at the launch, as TOML; "" without one."""
        with self.reading() as connection:
            body = connection.scalar(select(log.c.body).where(log.c.number == 1))
        return "" if body is None else str(json.loads(body).get("facts", {}).get("plan", ""))

    @property
    def paused(self) -> bool:
        with self.reading() as connection:
            return bool(connection.execute(select(state.c.paused)).scalar())

    def identify(self, token: str) -> Bearer:
        read = read_token(token)
        if read is not None:
            with self.reading() as connection:
                row = connection.execute(_LINK, {"name": read.name}).first()
            present = row is not None and (row.role != "judge" or row.state in PRESENT)
            if row is not None and matches(read, row.digest) and present:
                return Bearer(row.role, row.judge if row.role == "judge" else "")
        gone = Message("this link is not known, or is no longer valid: ask the organiser for one")
        raise UnknownLink(gone)

    def name_ticket(self, judge: str, number: int) -> str:
        return name_ticket(self._ticket_key, judge, number)

    def find_ticket(self, judge: str, name: str) -> int:
        number = read_ticket_name(self._ticket_key, judge, name)
        if number is None:
            raise NotYours(NOT_ASSIGNED)
        return number

    @cached_property
    def _ticket_key(self) -> bytes:
        with self.reading() as connection:
            secret = connection.execute(select(specs.c.secret)).scalar()
        if not secret:
            raise CampaignError("the database lost the key of its tickets: restore it from a copy")
        return bytes.fromhex(secret)

    def records(self) -> Iterator[Record]:
        return map(read_record, self.lines())

    def lines(self) -> Iterator[Line]:
        # Each piece is read on its own: whoever takes an hour for it holds nothing up. What happens
        # in the meantime comes at the end.
        last, wanted = 0, select(*LINE).order_by(log.c.number).limit(AT_A_TIME)
        while True:
            with self.reading() as connection:
                rows = connection.execute(wanted.where(log.c.number > last)).all()
            yield from (Line(*row) for row in rows)
            if len(rows) < AT_A_TIME:
                return
            last = rows[-1].number

    def rows(self, table: str, *, shown: bool = False) -> Iterator[dict[str, Any]]:
        # shown: whether each row says when its question was before the judge.
        #
        # Which answers stand is read at once; they are read piece by piece, so that nobody who
        # takes long keeps the database from giving room up. What is deleted meanwhile does not
        # come.
        planned = self.campaign
        with self.reading() as connection:
            persons, order = read_persons(connection), list_firsts(connection)
            submitted = read_submitted(connection) if planned.segments else {}
            typed = connection.execute(LLM_INVITES.limit(1)).first() is not None
            likely = typed and connection.execute(_PROBABLE).first() is not None
        for start in range(0, len(order), AT_A_TIME):
            piece = order[start : start + AT_A_TIME]
            with self.reading() as connection:
                lines = read_numbered(connection, {one for two in piece for one in two})
            records = {one.number: read_record(one) for one in lines}
            for record, first in piece:
                at = records[first].at
                for row in make_rows(planned, table, records[record], at, persons):
                    more: dict[str, Any] = {}
                    if planned.segments:
                        sent = submitted.get(record)
                        more["document_submitted_at"] = "" if sent is None else f"{sent / 1000:.3f}"
                    if shown:
                        more["shown_at"] = f"{records[record].began / 1000:.3f}"
                    if typed:
                        more["judge_type"] = "llm" if records[record].by_llm else "human"
                    if likely and table == "comparisons":
                        more |= _tabulate_probabilities(records[record].probabilities)
                    yield {**row, **more}

    def judges(self) -> tuple[JudgeState, ...]:
        planned = self.find_campaign()
        with self.reading() as connection:
            states = read_judges(connection)
            if planned is None or not planned.segments:
                return states
            # judges whose last document is answered, and not submitted
            held = asked.join(log, log.c.number == asked.c.record)
            last = select(func.max(asked.c.number)).select_from(held).group_by(log.c.judge)
            wanted = select(log.c.judge, asked.c.number, asked.c.kind, asked.c.item)
            wanted = wanted.select_from(held).where(asked.c.number.in_(last))
            sent = select(log.c.judge, log.c.ticket).where(log.c.kind == "submit")
            submitted = {(row.judge, row.ticket) for row in connection.execute(sent)}
            late = frozenset(
                row.judge
                for row in connection.execute(wanted)
                if row.kind != "training"
                and (document := planned.item(row.item).document)
                and planned.segments[document][-1] == row.item
                and (row.judge, row.number) not in submitted
            )
        present = {one.name for one in states if one.state in PRESENT and not one.llm}
        return tuple(replace(one, waits=one.name in late & present) for one in states)

    def head(self) -> Head:
        """Return the end of the log: whoever keeps it can prove later that nothing was changed."""
        with self.reading() as connection:
            return read_head(connection)

    @property
    def name(self) -> str:
        """The database as commands are given it: its file, or its address without user."""
        url = self.engine.url
        if url.get_backend_name() != "sqlite":
            return show_address(url.set(drivername="postgresql").render_as_string())
        path = str(url.database)
        read = path.removeprefix("file:")
        return Path(path if read == path else unquote(read.partition("?")[0])).name

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database."""
        with explained(self.name), self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":  # SQLite has no other kind
                readonly = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
                connection.execution_options(**readonly)
            with connection.begin():
                yield connection


def open_to_read(where: str) -> Readable:
    return Readable(database.connect_to_read(where))


def open_launched(where: str) -> Readable:
    """Open a campaign to read its answers; refuse a database that holds none."""
    store = open_to_read(where)
    try:
        with store.reading() as connection:
            version = database.read_version(connection)
        database.refuse_other_version(version)
        if not version or store.find_campaign() is None:
            raise database.NotOurs("holds no campaign", "launch one in it, with evenhand serve")
    except CampaignError:
        store.engine.dispose()
        raise
    return store


def load_campaign(connection: Connection) -> Campaign | None:
    spec = connection.execute(select(specs.c.body)).scalar()
    return None if spec is None else make_campaign(json.loads(spec))


@contextmanager
def explained(name: str) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as fault:
        why = database.say_fault(fault)
        raise NotStored(f"the database {name} cannot be used: {why}") from fault
