"""The file of links, for the organiser's eyes alone: written, locked, and compared with its launch.

The database keeps digests of links, so a link that is lost is made anew. The file is written whole
and put in the place of the old one, readable by its owner alone. Each line names the launch that
its link is of: a file of another launch is never written over.
"""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from socket import gethostname
from typing import Final

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import SQLAlchemyError

from evenhand.design.campaign import USUAL, Judge, find_platform
from evenhand.design.reading import ADDRESS, NO_ADDRESS
from evenhand.errors import CampaignError
from evenhand.web.downloads import defuse
from evenhand.web.store import database, people
from evenhand.web.store import queries as reading
from evenhand.web.store.database import WriteTransaction
from evenhand.web.store.log import Line, Record, UnknownLink, read_record
from evenhand.web.store.people import Role, Token, read_token
from evenhand.web.store.queries import LINE
from evenhand.web.store.schema import log
from evenhand.web.store.schema import tickets as asked
from evenhand.web.store.schema import tokens as good_links
from evenhand.web.store.store import Store

COLUMNS: Final = ("role", "judge", "link", "launch")
# Where a link of each role leads
PATHS: Final[Mapping[Role, str]] = {"judge": "j", "admin": "a", "crowd": "crowd"}
Tokens = dict[tuple[str, str], str]  # Role and judge → token
LinkRow = tuple[str, str, str, str]  # As COLUMNS


@dataclass(frozen=True)
class LinksFile:
    rows: tuple[LinkRow, ...] = ()

    @property
    def tokens(self) -> Tokens:
        rows = ((role, judge, link.partition("?")[0]) for role, judge, link, _ in self.rows)
        return {(role, judge): link.rpartition("/")[2] for role, judge, link in rows}

    def is_of(self, connection: Connection) -> bool:
        return {launch for *_, launch in self.rows if launch} == {reading.read_launch(connection)}


def write_links(
    store: Store, path: Path, base: str, *, crowd: bool = False, judges: Sequence[Judge] = ()
) -> Tokens:
    # Judges are those of the campaign's file, which says who they are and the database does not.
    #
    # The file is written before the commit that makes its new links good: a server that is killed
    # between the two finds links of its launch that the database does not know, and takes them
    # over. So it does where the database was restored from a copy that is older than the links.
    before = read_file(path)
    with store.reading() as connection:
        launch = reading.read_launch(connection)
        if before.rows and not before.is_of(connection):
            raise CampaignError(f"'{path}' holds links of another launch: choose another (--links)")
    valid_tokens: Tokens = {}
    for who, token in before.tokens.items():
        with suppress(UnknownLink):
            if store.identify(token).role == who[0]:
                valid_tokens[who] = token
    wanted: tuple[Role, ...] = ("admin", "crowd") if crowd else ("admin",)
    roles = [role for role in wanted if (role, "") not in valid_tokens]
    platform = store.campaign.platform
    mine = _name_place(path)

    def work(tx: WriteTransaction) -> Tokens:
        free = () if crowd else people.list_vacancies(tx)
        offered, notes = _offer(tx, before.tokens), {one.name: one.note for one in judges}
        made: Tokens = {}
        for name in free:
            note, token = notes.get(name, ""), offered.get(("judge", name))
            made["judge", name] = people.invite(tx, name, note=note, token=token).token
        for role in roles:
            there = tx.pick(select(good_links.c.name).where(good_links.c.role == role))
            own = None if there else offered.get((role, ""))
            made[role, ""] = people.replace_link(tx, role, mine, token=own).token
        tokens = valid_tokens | made
        links = {who: make_address(base, who[0], one, platform) for who, one in tokens.items()}
        rows = [(role, judge, link, launch) for (role, judge), link in links.items()]
        if not path.exists() or sorted(rows) != sorted(before.rows):
            _write_rows(path, rows)
        elif path.stat().st_mode & 0o077:  # it says the same, maybe in the form of a spreadsheet
            with suppress(OSError):
                path.chmod(0o600)
        return tokens

    tokens = store.do(work)
    store.checkpoint()
    return tokens


def _name_place(path: Path) -> str:
    return sha256(f"{gethostname()} {path.resolve()}".encode()).hexdigest()[:16]


def is_lost(store: Store, path: Path) -> bool:
    """Say whether a file of links that is not there was written once, and its links are good."""
    mine = good_links.c.role.in_(("admin", "crowd")), good_links.c.judge == _name_place(path)
    with store.reading() as connection:
        known = connection.execute(select(good_links.c.name).where(*mine).limit(1)).first()
    return known is not None and not path.exists()


def find_missing(judges: Iterable[reading.JudgeState], held: Collection[str]) -> list[str]:
    """Return judges who were invited and may go on, and whose links a file does not hold."""
    invited = (one for one in judges if one.state in people.PRESENT and not one.platform)
    return [one.name for one in invited if not one.llm and one.name not in held]


def _offer(tx: WriteTransaction, tokens: Tokens) -> dict[tuple[str, str], Token]:
    read = {who: token for who, text in tokens.items() if (token := read_token(text)) is not None}
    often = Counter(token.name for token in read.values())
    taken = {row.name for row in tx.pick(select(good_links.c.name))}
    once = {name for name, n in often.items() if n == 1 and name not in taken}
    return {who: token for who, token in read.items() if token.name in once}


def make_address(base: str, role: str, token: str, platform: str = USUAL) -> str:
    whose = find_platform(platform)
    end = f"?{whose.parameter}={whose.end}" if role == "crowd" else ""
    return f"{base}/{PATHS[role]}/{token}{end}"  # type: ignore[index]


def read_links(path: Path) -> Tokens:
    return read_file(path).tokens


def read_file(path: Path) -> LinksFile:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return LinksFile()
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise CampaignError(f"--links {path}: the links cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise CampaignError(
            f"--links {path}: the links cannot be read: save the file as CSV in UTF-8"
        ) from None
    if not text.strip():  # as after a full disk: nothing is in it, and it is written anew
        return LinksFile()
    divider = max(",;\t", key=text.partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=divider)
    cells = [[one.strip() for one in row] for row in lines]
    names, *rows = [row for row in cells if any(row)] or [[""]]
    while names and not names[-1]:
        names.pop()
    if {*names} != {*COLUMNS} or any("".join(row[len(names) :]) for row in rows):
        raise CampaignError(
            f"'{path}' is there and is not a file of links, whose columns are {', '.join(COLUMNS)}:"
            " choose another (--links)"
        )
    named = [dict(zip(names, row, strict=False)) for row in rows]
    role, judge, link, launch = ([row.get(name, "") for row in named] for name in COLUMNS)
    return LinksFile(tuple(zip(role, judge, link, launch, strict=True)))


def find_replaced(before: Tokens, after: Tokens) -> list[str]:
    """Return the roles of which a file that was there held no good link, such as one that was cut.

    The links of judges are not told: they were ended or made anew by the organiser.
    """
    mine = [who for who in after if who == ("admin", "") or (who[0] == "crowd" and who in before)]
    return [who[0] for who in mine if before and before.get(who) != after[who]]


class KeptLinks:
    """The file of links of a server that runs: what is made on the organiser's page is added."""

    def __init__(self, store: Store, path: Path, base: str) -> None:
        self._store, self._path, self._base = store, path, base
        self._turn = threading.Lock()

    def add(self, judge: str, token: str) -> None:
        with self._turn:
            with self._store.reading() as connection:
                launch = reading.read_launch(connection)
            mine = ("judge", judge, make_address(self._base, "judge", token), launch)
            others = [row for row in read_file(self._path).rows if row[:2] != mine[:2]]
            _write_rows(self._path, [*others, mine])

    def list_judges(self) -> set[str]:
        return {judge for role, judge in read_links(self._path) if role == "judge"}

    def find(self) -> dict[str, str]:
        tokens = {}
        for (role, judge), token in read_links(self._path).items():
            with suppress(UnknownLink):
                if role == "judge" and self._store.identify(token).judge == judge:
                    tokens[judge] = token
        return tokens


def write_invitations(judges: Iterable[reading.JudgeState], links: Mapping[str, str]) -> str:
    """Return a table from which a mail program writes to each judge; it holds the links."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("judge", "name", "email", "link", "answered", "questions"))
    for one in judges:
        if one.name in links and not one.llm:
            name, email = read_person(one.note)
            named = defuse({"name": name or one.name, "email": email})
            writer.writerow((one.name, *named.values(), links[one.name], one.done, one.total))
    return text.getvalue()


def read_person(note: str) -> tuple[str, str]:
    """Return the name and the e-mail address in what the organiser wrote of a judge.

    What stands before angle brackets is the name, as in a note from a table of judges.

    >>> read_person("Lee, Ann <ann@example.org>, later"), read_person("ben@example.org")
    (('Lee, Ann', 'ann@example.org'), ('', 'ben@example.org'))
    >>> read_person("Cem"), read_person("dea@example.org (Dea)"), read_person("Öz, Cem <no e-mail>")
    (('Cem', ''), ('Dea', 'dea@example.org'), ('Öz, Cem', ''))
    """
    note = " ".join(note.split())  # a line break would end a header of a mail
    written = re.match(rf"([^<>]*)<({ADDRESS}|{NO_ADDRESS})>", note)
    if written is not None:
        name, email = written[1].strip(), written[2]
        quoted = re.fullmatch(r'"([^"]*)"', name)  # as in a mail
        return quoted[1] if quoted else name, "" if email == NO_ADDRESS else email
    found = re.search(ADDRESS, note)
    if found is None:
        return note, ""
    around = (note[: found.start()], note[found.end() :])
    names = [re.split(r"[<>(),;:\"]", one.strip(' <>(),;:"'))[0].strip() for one in around]
    return names[0] or names[1], found[0]


def find_admin_link(path: Path) -> str:
    links = (link for role, _, link, _ in read_file(path).rows if role == "admin")
    if link := next(links, ""):
        return link
    raise CampaignError(f"'{path}' holds no link of the organiser's")


def _write_rows(path: Path, rows: Sequence[LinkRow]) -> None:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([COLUMNS, *rows])
    try:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(lines.getvalue())
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
            database.sync_folder(path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise CampaignError(f"--links {path}: the links cannot be written: {reason}") from None


# To launch anew where the database was lost would end every link that judges have, and hide that
# their answers are missing. So links and database are compared before anything is changed.


@dataclass(frozen=True)
class Place:
    where: str  # address of the database, or path of a SQLite file
    file: Path | None  # None for PostgreSQL
    name: str  # without user and password

    @classmethod
    def at(cls, where: str) -> Place:
        url = database.read_url(where)
        if url.get_backend_name() != "sqlite":
            return cls(where, None, f"'{url.database or ''}' on PostgreSQL")
        path = str(url.database)
        return cls(where, None if path.startswith("file:") else Path(path), path)

    def find_log(self) -> str:
        log = self.file and self.file.with_name(f"{self.file.name}-wal")
        return str(log) if log and log.exists() and log.stat().st_size else ""


def check_launch(links: Path, where: str) -> None:
    """Refuse to begin anew, or to serve another launch, beside links that were given out."""
    place, known = Place.at(where), read_file(links)
    wrong = _look_for_file(place)
    if not known.rows:
        if wrong and (log := place.find_log()):
            raise CampaignError(
                f"the database {place.name} {wrong}, but {log} holds answers of it: put"
                f" {place.name} back from where it was moved; to start over, move {log} away"
            )
        if wrong and links.exists() and (end := _find_end(links)).exists():
            raise CampaignError(
                f"{links} has lost its links, the database {place.name} {wrong}, and {end} is of a"
                f" launch: {_say_remedy(place, links, there=False)}"
            )
        return
    wrong = wrong or _look_at_end(place) or _look_inside(place, known)
    if wrong == OTHER:
        names = (links.with_name(f"{links.stem}-{number}{links.suffix}") for number in count(2))
        free = next(one for one in names if not one.exists())
        raise CampaignError(
            f"{links} is of another launch than the database {place.name}: serve the database that"
            f" it is of (--database), or give this one links of its own (--links {free})"
        )
    if wrong:
        raise CampaignError(
            f"{links} holds links that were given out, but the database {place.name} {wrong}:"
            f" {_say_remedy(place, links, there=wrong not in ABSENT)}"
        )


def _find_end(links: Path) -> Path:
    return links.with_name(f".{links.name}.end")


class EndNote:
    # A database that was restored from an older copy, or has lost its write-ahead log, looks whole:
    # this note shows that its log ended later before. It is written after each commit, and not
    # brought to the disk at once: it may fall behind the database, and is never before it.

    def __init__(self, links: Path, launch: str, number: int) -> None:
        self.number = number
        self._launch, self._handle = launch, -1
        with suppress(OSError):
            self._handle = os.open(_find_end(links), os.O_RDWR | os.O_CREAT, 0o600)

    def read(self) -> tuple[int, str] | None:
        with suppress(OSError, ValueError):
            os.lseek(self._handle, 0, os.SEEK_SET)
            launch, number, hashed = os.read(self._handle, NOTE_BYTES).decode("ascii").split()
            return (int(number), hashed) if launch == self._launch else None
        return None

    def write(self, number: int, hashed: str) -> None:
        """Note the last record, if it is new; each line is as long as the one before."""
        if number == self.number:
            return
        self.number = number
        with suppress(OSError):
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, f"{self._launch} {number:020} {hashed}\n".encode())

    def close(self) -> None:
        with suppress(OSError):
            os.close(self._handle)


NOTE_BYTES: Final = 200  # Bytes of a note that are read


def note_end(store: Store, links: Path, where: str) -> tuple[EndNote, str]:
    with store.reading() as connection:
        number = reading.read_head(connection).number
        note = EndNote(links, reading.read_launch(connection), number)
        noted = note.read()
        same = noted is None or reading.find_hash(connection, noted[0]) == noted[1]
    store.note_end = note.write
    if noted is None or same:
        return note, ""
    name = Place.at(where).name
    what = f"record {noted[0]:,} of {name} is not the one that was stored"
    if number < noted[0]:
        missing = f"the last {noted[0] - number:,} are missing"
        what = f"{name} ends at record {number:,}, and {noted[0]:,} were stored: {missing}"
    return note, (
        f"{what}. If this is no backup that you restored, end the server, and put back what was"
        " moved or deleted, also the file -wal beside it"
    )


MISSING, EMPTY, OTHER = "is missing", "is empty", "is of another launch"
ABSENT: Final = (MISSING, EMPTY)


def _look_for_file(place: Place) -> str:
    if place.file is None:
        return ""
    if not place.file.exists():
        return MISSING
    if place.file.is_dir():
        raise CampaignError(
            f"the database {place.name} is a folder: put a backup in its place, or name a file"
            " (--database)"
        )
    if not place.file.is_file():  # who opens a pipe would wait for its other end
        raise CampaignError(f"the database {place.name} is not a file: name one (--database)")
    return "" if place.file.stat().st_size else EMPTY


def _look_at_end(place: Place) -> str:
    """Say whether a SQLite file ends within a page, which SQLite reads as if zeros followed.

    A machine that goes down while a page is written leaves such an end too: then the write-ahead
    log still holds the page, and SQLite writes it again.
    """
    if place.file is None or not place.file.is_file():
        return ""
    with suppress(OSError):  # what cannot be read is named where it is looked into
        with place.file.open("rb") as read:
            head = read.read(18)
        number = int.from_bytes(head[16:18])
        page = 65_536 if number == 1 else number  # as the format says it
        if not head.startswith(b"SQLite format 3\0") or page < SMALLEST_PAGE:
            return ""
        whole, rest = divmod(place.file.stat().st_size, page)
        is_held = False
        if rest and (log := place.find_log()):
            with Path(log).open("rb") as read:
                read.seek(32)  # behind its header stand pages, each behind 24 bytes that name it
                frames = iter(partial(read.read, 24 + page), b"")
                is_held = any(int.from_bytes(frame[:4]) == whole + 1 for frame in frames)
        if rest and not is_held:
            return "is cut short: its last page is not whole"
    return ""


SMALLEST_PAGE: Final = 512  # Bytes, in any SQLite file


def _look_inside(place: Place, known: LinksFile) -> str:
    engine = database.connect_to_read(place.where)
    try:
        with engine.connect() as connection:
            if place.file is not None:  # what was cut off may be missed by all that is read here
                status = str(connection.execute(text("PRAGMA quick_check(1)")).scalar())
                if status != "ok":
                    return f"is damaged ({status.splitlines()[-1]})"
            if not database.read_version(connection) or not reading.read_launch(connection):
                return "holds no launch"
            if not reading.is_as_launched(connection):
                return "is damaged (its log is of another launch than its campaign)"
            return "" if known.is_of(connection) else OTHER
    except database.NotOurs as fault:
        return fault.seen
    except SQLAlchemyError as fault:
        if not database.is_damaged(fault):  # a database that is locked or away is not lost
            why = database.say_fault(fault)
            raise CampaignError(f"the database {place.name} cannot be used: {why}") from None
        return f"cannot be read ({str(getattr(fault, 'orig', None) or fault).splitlines()[0]})"
    finally:
        engine.dispose()


def _say_remedy(place: Place, links: Path, *, there: bool) -> str:
    if place.file is None:
        return (
            "restore it from a backup (pg_restore), then start again; to start over, move"
            f" {links} away"
        )
    old = [one for one in (place.name if there else "", place.find_log()) if one]
    first = f"move {' and '.join(old)} away, " if old else ""
    # a log that is left belongs to the file that was moved: together they hold the newest answers
    back = "" if there else f"if {place.name} was only moved, put it back; otherwise "
    return (
        f"{back}{first}put a backup in its place as {place.name}, then start again; if the links"
        " are another campaign's, name others (--links); to start over,"
        f" move {' and '.join([*old, str(links)])} away"
    )


MAX_COMMENTS: Final = 200  # Comments that the page shows; tables hold all


def read_comments(store: Store) -> list[Record]:
    """Return answers that stand and have a comment, the latest first; those deleted are gone."""
    wanted = select(*LINE).join(asked, asked.c.record == log.c.number)
    wanted = wanted.where(log.c.note.is_not(None)).order_by(log.c.number.desc()).limit(MAX_COMMENTS)
    with store.reading() as connection:
        records = [read_record(Line(*row)) for row in connection.execute(wanted)]
    return [one for one in records if one.comment]


# One server for each file of links, so that none is written over while judges come in by it: an
# advisory lock, which ends with its process, on a file beside it that says where the server
# listens.

MAX_ADDRESS_BYTES: Final = 1000  # Bytes of an address that are read


def hold_links(links: Path) -> AbstractContextManager[Callable[[str], None]]:
    """Hold a file of links, and give what notes the address at which it is served."""
    return hold_file(
        links.with_name(f".{links.name}.lock"),
        "another server of this campaign is running{where}: stop it first",
    )


@contextmanager
def hold_file(beside: Path, taken: str) -> Iterator[Callable[[str], None]]:
    """Hold a lock, and give what notes an address; `taken` says that another process has it."""
    # Where no lock can be had, such as on Windows, on a disk without room or in a folder that is
    # only read, nothing is held.
    handle = _take(beside, taken)

    def note(address: str) -> None:
        if handle is not None:
            with suppress(OSError):
                os.write(handle, address.encode())

    try:
        yield note
    finally:
        if handle is not None:
            with suppress(OSError):
                beside.unlink()  # before it is let go: what lies there later is another's
            os.close(handle)


def _take(beside: Path, taken: str) -> int | None:
    if sys.platform == "win32":
        return None
    import fcntl

    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), beside.stat()):
                    os.ftruncate(handle, 0)
                    return handle
        except BlockingIOError:
            where = os.read(handle, MAX_ADDRESS_BYTES).decode("utf-8", "replace")
            os.close(handle)
            raise CampaignError(taken.format(where=where and f" at {where}")) from None
        except OSError:
            os.close(handle)
            return None
        os.close(handle)  # its server ended, and took it away, after it was opened here
