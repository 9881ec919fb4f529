"""The file of links: who may come in by which, for the organiser's eyes alone.

The database keeps digests of links, so a link that is lost is made anew. The file is written whole
and put in the place of the old one, readable by its owner alone.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from typing import Final

from evenhand.campaign.platform import USUAL, find_platform
from evenhand.errors import CampaignError
from evenhand.web.store import people
from evenhand.web.store.desk import Desk
from evenhand.web.store.refusals import UnknownLink
from evenhand.web.store.store import Store
from evenhand.web.store.tokens import Role

COLUMNS: Final = ("role", "judge", "link")
PATHS: Final[Mapping[Role, str]] = {"judge": "j", "admin": "a", "crowd": "crowd"}
"""Where a link of each role leads."""
Tokens = dict[tuple[str, str], str]
"""Role and judge → token."""


def write_links(store: Store, path: Path, base: str, *, crowd: bool = False) -> Tokens:
    """Make the links that are not there yet, and write them all.

    The file is written before the commit that makes its new links good: a server that is killed
    between the two finds links that are good for nothing, and makes them anew; after the commit
    alone, a judge would have a link that nobody ever saw.

    Args:
        store: the campaign's database; seats that nobody has are given their judges.
        path: the file; links in it that are still good are kept.
        base: address of the site, such as http://127.0.0.1:8000.
        crowd: whether seats are kept for workers of a crowd platform, who come with one link; it is
            made only then.

    Raises:
        CampaignError: the file is something else, or cannot be written.
        NotStored: the database took nothing.

    """
    kept = {who: token for who, token in read_links(path).items() if _is_good(store, who[0], token)}
    wanted: tuple[Role, ...] = ("admin", "crowd") if crowd else ("admin",)
    roles = [role for role in wanted if (role, "") not in kept]
    platform, mine = store.campaign.platform, _name_file(path)
    if not roles and (crowd or not store.vacancies()):
        _write_links(path, kept, base, platform)
        return kept

    def work(desk: Desk) -> Tokens:
        free = () if crowd else people.list_vacancies(desk)
        made = {("judge", name): people.invite(desk, name).token for name in free}
        made |= {(role, ""): people.replace_link(desk, role, mine).token for role in roles}
        _write_links(path, kept | made, base, platform)
        return kept | made

    return store.do(work)


def _name_file(path: Path) -> str:
    """Return what links of one file are known by: another server's are left as they are."""
    return sha256(f"{gethostname()} {path.resolve()}".encode()).hexdigest()[:16]


def _write_links(path: Path, tokens: Tokens, base: str, platform: str) -> None:
    """Write the file, unless it says the same already.

    Raises:
        CampaignError: it cannot be written.

    """
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (role, judge), token in tokens.items():
        writer.writerow((role, judge, make_address(base, role, token, platform)))
    text = lines.getvalue()
    if path.exists() and path.read_text("utf-8") == text:
        return
    try:
        _write_privately(path, text)
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise CampaignError(f"--links {path}: the links cannot be written: {reason}") from None


def make_address(base: str, role: str, token: str, platform: str = USUAL) -> str:
    """Return a whole link; one of a crowd ends as its platform wants it."""
    whose = find_platform(platform)
    end = f"?{whose.parameter}={whose.end}" if role == "crowd" else ""
    return f"{base}/{PATHS[role]}/{token}{end}"  # type: ignore[index]


def read_links(path: Path) -> Tokens:
    """Read a file of links, if it is there.

    Raises:
        CampaignError: it is something else.

    """
    if not path.exists():
        return {}
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8"))))
    if not rows or tuple(rows[0]) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        raise CampaignError(f"'{path}' is there and is no file of links: choose another (--links)")
    return {
        (role, judge): link.partition("?")[0].rpartition("/")[2] for role, judge, link in rows[1:]
    }


def find_admin_link(path: Path) -> str:
    """Return the organiser's link of a file of links.

    Raises:
        CampaignError: it holds none.

    """
    with path.open(encoding="utf-8", newline="") as file:
        links = [row["link"] for row in csv.DictReader(file) if row.get("role") == "admin"]
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
    except OSError:
        beside.unlink(missing_ok=True)
        raise
