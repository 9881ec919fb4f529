"""The file of links: who may come in by which, for the organiser's eyes alone.

The database keeps digests of links, so a link that is lost is made anew. The file is written whole
and put in the place of the old one, readable by its owner alone. Each line names the launch that
its link is of: a file of another launch is never written over.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from typing import Final

from sqlalchemy import Connection

from evenhand.design.campaign import USUAL, find_platform
from evenhand.errors import CampaignError
from evenhand.web.store import people, reading
from evenhand.web.store.desk import Desk
from evenhand.web.store.engine import sync_folder
from evenhand.web.store.refusals import UnknownLink
from evenhand.web.store.store import Store
from evenhand.web.store.tokens import Role, Token, read_token

COLUMNS: Final = ("role", "judge", "link", "launch")
FORMER: Final = COLUMNS[:3]  # Columns of files that were written before the launch was named
# Where a link of each role leads
PATHS: Final[Mapping[Role, str]] = {"judge": "j", "admin": "a", "crowd": "crowd"}
Tokens = dict[tuple[str, str], str]  # Role and judge → token


@dataclass(frozen=True)
class LinksFile:
    """What a file of links says."""

    # role, judge, link, launch; "" where an older file does not say it
    rows: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def tokens(self) -> Tokens:
        """Role and judge → token."""
        return {
            (role, judge): link.partition("?")[0].rpartition("/")[2]
            for role, judge, link, _ in self.rows
        }

    def is_of(self, connection: Connection) -> bool:
        """Say whether these are links of the launch that a database holds.

        A file that names no launch is of the one that knows any of its links.
        """
        if named := {launch for *_, launch in self.rows if launch}:
            return named == {reading.read_launch(connection)}
        return any(
            read is not None and reading.knows_link(connection, read)
            for read in map(read_token, self.tokens.values())
        )


def write_links(store: Store, path: Path, base: str, *, crowd: bool = False) -> Tokens:
    """Make the links that are not there yet, and write them all.

    The file is written before the commit that makes its new links good: a server that is killed
    between the two finds links of its launch that the database does not know, and takes them over.
    So it does where the database was restored from a copy that is older than the links.
    """
    before = read_file(path)
    with store.reading() as connection:
        launch = reading.read_launch(connection)
        if before.rows and not before.is_of(connection):
            raise CampaignError(f"'{path}' holds links of another launch: choose another (--links)")
    kept = {who: token for who, token in before.tokens.items() if _is_good(store, who[0], token)}
    wanted: tuple[Role, ...] = ("admin", "crowd") if crowd else ("admin",)
    roles = [role for role in wanted if (role, "") not in kept]
    platform, mine = store.campaign.platform, _name_file(path)

    def write(tokens: Tokens) -> Tokens:
        rows = [
            (role, judge, make_address(base, role, token, platform), launch)
            for (role, judge), token in tokens.items()
        ]
        _write_links(path, tuple(rows), before)
        return tokens

    if not roles and (crowd or not store.vacancies()):
        return write(kept)

    def work(desk: Desk) -> Tokens:
        free = () if crowd else people.list_vacancies(desk)
        offered = _offer(desk, before.tokens)
        made = {
            ("judge", name): people.invite(desk, name, token=offered.get(("judge", name))).token
            for name in free
        }
        for role in roles:
            token = None if people.has_link(desk, role) else offered.get((role, ""))
            made[role, ""] = people.replace_link(desk, role, mine, token=token).token
        return write(kept | made)

    made = store.do(work)
    store.checkpoint()
    return made


def _offer(desk: Desk, tokens: Tokens) -> dict[tuple[str, str], Token]:
    """Return the links of a file that the database does not know, and that stand there once."""
    read = {who: token for who, text in tokens.items() if (token := read_token(text)) is not None}
    often = Counter(token.name for token in read.values())
    return {
        who: token
        for who, token in read.items()
        if often[token.name] == 1 and not people.is_taken(desk, token)
    }


def _name_file(path: Path) -> str:
    """Return what links of one file are known by: another server's are left as they are."""
    return sha256(f"{gethostname()} {path.resolve()}".encode()).hexdigest()[:16]


def _write_links(
    path: Path, rows: tuple[tuple[str, str, str, str], ...], before: LinksFile
) -> None:
    """Write the file, unless it says the same already, such as in the form of a spreadsheet."""
    if path.exists() and sorted(rows) == sorted(before.rows):
        if path.stat().st_mode & 0o077:
            with suppress(OSError):
                path.chmod(0o600)
        return
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    try:
        _write_privately(path, lines.getvalue())
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise CampaignError(f"--links {path}: the links cannot be written: {reason}") from None


def make_address(base: str, role: str, token: str, platform: str = USUAL) -> str:
    """Return a whole link; one of a crowd ends as its platform wants it."""
    whose = find_platform(platform)
    end = f"?{whose.parameter}={whose.end}" if role == "crowd" else ""
    return f"{base}/{PATHS[role]}/{token}{end}"  # type: ignore[index]


def read_links(path: Path) -> Tokens:
    """Read the links of a file, if it is there."""
    return read_file(path).tokens


def read_file(path: Path) -> LinksFile:
    """Read a file of links, if it is there; also as spreadsheet programs write it."""
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
    header = text.partition("\n")[0]
    divider = max(",;\t", key=header.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=divider)
    cells = [[one.strip() for one in row] for row in lines]
    names, *rows = [row for row in cells if any(row)] or [[""]]
    while names and not names[-1]:
        names.pop()
    if set(names) not in ({*COLUMNS}, {*FORMER}) or any("".join(row[len(names) :]) for row in rows):
        raise CampaignError(
            f"'{path}' is there and is no file of links, whose columns are {', '.join(COLUMNS)}:"
            " choose another (--links)"
        )
    named = [dict(zip(names, row, strict=False)) for row in rows]
    role, judge, link, launch = COLUMNS
    return LinksFile(
        tuple(
            (row[role], row.get(judge, ""), row.get(link, ""), row.get(launch, "")) for row in named
        )
    )


def find_admin_link(path: Path) -> str:
    """Return the organiser's link of a file of links."""
    links = [link for role, _, link, _ in read_file(path).rows if role == "admin"]
    if not links or not links[0]:
        raise CampaignError(f"'{path}' holds no link of the organiser's")
    return links[0]


def _is_good(store: Store, role: str, token: str) -> bool:
    try:
        return store.identify(token).role == role
    except UnknownLink:
        return False


def _write_privately(path: Path, text: str) -> None:
    """Write a file that its owner alone can read, whole or not at all."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
