"""A campaign's database to be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from evenhand.campaign.campaign import Campaign
from evenhand.campaign.reading import make_campaign
from evenhand.errors import CampaignError
from evenhand.web.store import reading
from evenhand.web.store.clock import Clock
from evenhand.web.store.line import Line
from evenhand.web.store.people import PRESENT
from evenhand.web.store.record import Record, read_record
from evenhand.web.store.refusals import NotStored, UnknownLink
from evenhand.web.store.schema import campaign as state
from evenhand.web.store.schema import judges
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.tokens import Role, matches, read_token
from evenhand.web.store.verification import Head, LogCheck

_LINK: Final = (
    select(links.c.digest, links.c.role, links.c.judge, judges.c.state)
    .outerjoin(judges, judges.c.name == links.c.judge)
    .where(links.c.name == bindparam("name"))
)


@dataclass(frozen=True)
class Bearer:
    """Who comes with a link.

    Attributes:
        role: what the link is for.
        judge: the pseudonym; "" for other roles.

    """

    role: Role
    judge: str = ""


class Readable:
    """What can be known of a campaign's database.

    Attributes:
        engine: the way to it.
        clock: what time it is.

    """

    def __init__(self, engine: Engine, clock: Clock | None = None) -> None:
        """Read nothing yet."""
        self.engine, self.clock = engine, clock or Clock.start_at(0)
        self._campaign: Campaign | None = None

    @property
    def campaign(self) -> Campaign:
        """What is asked.

        Raises:
            CampaignError: nothing was launched.

        """
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
        """Say who comes with a link.

        Raises:
            UnknownLink: nobody; the reason is not told apart.

        """
        read = read_token(token)
        if read is not None:
            with self.reading() as connection:
                found = connection.execute(_LINK, {"name": read.name}).first()
            if found is not None and matches(read, found.digest) and _is_good(found):
                return Bearer(found.role, found.judge if found.role == "judge" else "")
        raise UnknownLink("this link is not known, or is good no more: ask the organiser for one")

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
        """Yield rows of one of our tables: comparisons, rankings or ratings."""
        planned = self.campaign
        with self.reading() as connection:
            yield from reading.stream_rows(connection, planned, table)

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

    def verify(self, head: Head | None = None) -> LogCheck:
        """Check that the log is what was written, and that the tables say what it says."""
        from evenhand.web.store.comparison import check_database

        with self.reading() as connection:
            return check_database(connection, head)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database."""
        with explained(), self.engine.connect() as connection, connection.begin():
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
        said = str(getattr(fault, "orig", None) or fault).splitlines()[0]
        raise NotStored(f"the database cannot be used: {said}") from fault
