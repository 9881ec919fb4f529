"""A campaign's database to be read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sqlalchemy import Connection, Engine, bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError
from evenhand.web.store import reading
from evenhand.web.store.clock import Clock
from evenhand.web.store.engine import say_fault, see_one_state
from evenhand.web.store.line import Line
from evenhand.web.store.people import PRESENT
from evenhand.web.store.record import Record, read_record
from evenhand.web.store.refusals import NotStored, NotYours, UnknownLink
from evenhand.web.store.schema import campaign as state
from evenhand.web.store.schema import judges, specs
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.tokens import Role, matches, name_ticket, read_ticket_name, read_token
from evenhand.web.store.verification import Head, LogCheck

_LINK: Final = (
    select(links.c.digest, links.c.role, links.c.judge, judges.c.state)
    .outerjoin(judges, judges.c.name == links.c.judge)
    .where(links.c.name == bindparam("name"))
)


@dataclass(frozen=True)
class Bearer:
    """Who comes with a link."""

    role: Role  # what the link is for
    judge: str = ""  # the pseudonym; "" for other roles


class Readable:
    """What can be known of a campaign's database."""

    def __init__(self, engine: Engine, clock: Clock | None = None) -> None:
        """Read nothing yet."""
        self.engine, self.clock = engine, clock or Clock.start_at(0)
        self._campaign: Campaign | None = None

    @property
    def campaign(self) -> Campaign:
        """What is asked."""
        found = self.find_campaign()
        if found is None:
            raise CampaignError("no campaign was launched in this database: launch one first")
        return found

    def find_campaign(self) -> Campaign | None:
        """Return what is asked, None before the launch."""
        if self._campaign is None:
            with self.reading() as connection:
                self._campaign = load_campaign(connection)
        return self._campaign

    @property
    def paused(self) -> bool:
        """Whether nothing is served."""
        with self.reading() as connection:
            return bool(connection.execute(select(state.c.paused)).scalar())

    def identify(self, token: str) -> Bearer:
        """Say who comes with a link."""
        read = read_token(token)
        if read is not None:
            with self.reading() as connection:
                found = connection.execute(_LINK, {"name": read.name}).first()
            if found is not None and matches(read, found.digest) and _is_good(found):
                return Bearer(found.role, found.judge if found.role == "judge" else "")
        raise UnknownLink("this link is not known, or is good no more: ask the organiser for one")

    def name_ticket(self, judge: str, number: int) -> str:
        """Return the name by which a judge's page knows a ticket."""
        return name_ticket(self._ticket_key, judge, number)

    def find_ticket(self, judge: str, name: str | int) -> int:
        """Return the number of the ticket that a judge's page knows by a name.

        A page that was open before pages had names sends the number. It is taken where the seed of
        the campaign may be known anyway, and so was launched by a program that showed numbers.
        """
        if isinstance(name, int) and not self.campaign.has_secret_seed:
            return name
        number = None if isinstance(name, int) else read_ticket_name(self._ticket_key, judge, name)
        if number is None:
            raise NotYours("this item is not yours, or went to somebody else: load the page again")
        return number

    @cached_property
    def _ticket_key(self) -> bytes:
        """The campaign's key of the names of tickets."""
        with self.reading() as connection:
            told = connection.execute(select(specs.c.secret)).scalar()
        if not told:
            raise CampaignError("the database lost the key of its tickets: restore it from a copy")
        return bytes.fromhex(told)

    def records(self) -> Iterator[Record]:
        """Yield everything that happened."""
        return map(read_record, self.lines())

    def lines(self) -> Iterator[Line]:
        """Yield the log as it is kept.

        Each piece is read on its own: whoever takes an hour for it holds nothing up. What happens
        in the meantime comes at the end.
        """
        last = 0
        while True:
            with self.reading() as connection:
                piece = reading.read_lines(connection, last)
            yield from piece
            if len(piece) < reading.AT_A_TIME:
                return
            last = piece[-1].number

    def judgments(self) -> Iterator[Record]:
        """Yield the answers that stand."""
        with self.reading() as connection:
            yield from reading.stream_standing(connection)

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield rows of one of our tables: comparisons, rankings or ratings.

        Which answers stand is read at once; they are read piece by piece, so that nobody who takes
        long keeps the database from giving room up. What is deleted meanwhile does not come.
        """
        planned = self.campaign
        with self.reading() as connection:
            persons, order = reading.read_persons(connection), reading.list_firsts(connection)
        for start in range(0, len(order), reading.AT_A_TIME):
            piece = order[start : start + reading.AT_A_TIME]
            with self.reading() as connection:
                lines = reading.read_numbered(connection, {one for two in piece for one in two})
            records = {one.number: read_record(one) for one in lines}
            for record, first in piece:
                at = records[first].at
                yield from reading.make_rows(planned, table, records[record], at, persons)

    def judges(self) -> tuple[reading.JudgeState, ...]:
        """Return where each judge stands."""
        with self.reading() as connection:
            return reading.read_judges(connection)

    def persons(self) -> Mapping[str, str]:
        """Return by which login exports name the person behind each login."""
        with self.reading() as connection:
            return reading.read_persons(connection)

    def head(self) -> Head:
        """Return the end of the log: whoever keeps it can prove later that nothing was changed."""
        with self.reading() as connection:
            return reading.read_head(connection)

    def verify(self, head: Head | None = None, *, receipts: Collection[str] = ()) -> LogCheck:
        """Check that the log is what was written, and that the tables say what it says."""
        from evenhand.web.store.comparison import check_database

        with self.reading() as connection:
            return check_database(connection, head, receipts=receipts)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database."""
        with explained(), self.engine.connect() as fresh:
            connection = see_one_state(fresh)
            with connection.begin():
                yield connection


def _is_good(link: Any) -> bool:
    """Say whether whoever has a link may go on."""
    return link.role != "judge" or link.state in PRESENT


def load_campaign(connection: Connection) -> Campaign | None:
    """Return the campaign as it was launched."""
    told = reading.parse_spec(connection)
    return None if told is None else make_campaign(told)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a database says into words."""
    try:
        yield
    except SQLAlchemyError as fault:
        raise NotStored(f"the database cannot be used: {say_fault(fault)}") from fault
