"""A URL of a table, taken apart; its secrets are never shown.

What is shown of a URL is made of the parts that hold none: its kind, the place and what is asked
for. A password, a token and every setting stay out, and are taken out of what others say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from evenhand.errors import UnknownOption

ASKED: Final = ("table", "path")  # What a URL asks for; all other settings belong to the engine
_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_WEB: Final = ("http", "https", "ftp", "hf", "file")  # Addresses of files that are not read
# Kinds without user and password; an @ belongs to the path
_PATHS: Final = ("s3", "gs", "gcs", "r2", "duckdb", "spark")
# Characters below which a setting is no secret, and would be taken out of every word
SHORT: Final = 3


@dataclass(frozen=True)
class Address:
    """A URL of a table."""

    scheme: str  # its kind, in small letters, such as "sc"
    place: str  # host and port, or nothing
    path: str  # what follows the place, with its slash
    asked: Mapping[str, str]  # "table" or "path" → what the URL asks for
    # everything else that it says, in order
    settings: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    # user and password as they stand before @, or nothing
    user: str = field(default="", repr=False)

    def __str__(self) -> str:
        asked = "&".join(f"{name}={value}" for name, value in self.asked.items())
        return f"{self.scheme}://{self.place}{self.path}" + (f"?{asked}" if asked else "")

    @property
    def secrets(self) -> list[str]:
        """What must not be said again, longest first."""
        parts = [self.user, *self.user.split(":", 1)[1:], *(value for _, value in self.settings)]
        spelled = {form for part in parts for form in (part, unquote(part))}
        return sorted((one for one in spelled if len(one) > SHORT), key=len, reverse=True)

    def clean(self, said: object) -> str:
        """Return what somebody else said in one line, without the secrets of this URL.

        >>> read_address("postgres://ann:hunter2@db/votes?table=t").clean("no ann:hunter2 here")
        'no *** here'
        """
        lines = [line.strip() for line in str(said).splitlines() if line.strip()]
        text = lines[0] if lines else type(said).__name__
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text.rstrip(".")

    def require(self, names: Sequence[str]) -> tuple[str, str]:
        """Return the one thing that the URL asks for."""
        said = [name for name in ASKED if name in self.asked]
        if len(said) == 1 and said[0] in names:
            return said[0], self.asked[said[0]]
        wanted = " or ".join(f"{name}=…" for name in names)
        raise UnknownOption(f"'{self}' must say what to read: add ?{wanted} to it")


def is_address(text: str) -> bool:
    """Say whether a text is a URL of a table, and no file name or web address.

    >>> is_address("sc://localhost/votes"), is_address("votes.csv"), is_address("https://a.b/c")
    (True, False, False)
    """
    found = _ADDRESS.match(text)
    return found is not None and found[1].lower() not in _WEB


def show_address(text: str) -> str:
    """Return an address of any kind without user, password and settings, for messages.

    >>> show_address("https://ann:hunter2@example.org/votes.csv?signature=abc")
    'https://example.org/votes.csv'
    """
    front = re.split(r"[?&;#]", text)[0]
    if "@" in text[len(front) :] and "@" not in front:  # of a setting, or of a password
        front = re.split("/+", front)[0] + "//***"
    return re.sub(r"(//?).*@", r"\1", front)


def read_address(text: str) -> Address:
    """Take a URL apart.

    Settings stand behind `?`, joined by `&`, or behind `;` as Spark writes them.
    """
    found = _ADDRESS.match(text)
    if found is None:
        raise UnknownOption(f"'{text}' is no URL of a table: expected KIND://PLACE")
    front, *words = re.split(r"[?&;]", found[2])
    _refuse_raw(found[1].lower(), found[2])
    place, slash, path = front.partition("/")
    user, _, place = place.rpartition("@")
    pairs = [tuple(word.partition("=")[::2]) for word in words if word]
    address = Address(found[1].lower(), place, slash + path, {}, user=user)
    if not all(value for _, value in pairs):
        raise UnknownOption(f"'{address}' has a setting without a value: write NAME=VALUE")
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise UnknownOption(f"'{address}' has a setting twice: say it once")
    asked = {name: unquote(value) for name, value in pairs if name in ASKED}
    settings = tuple((name, value) for name, value in pairs if name not in ASKED)
    return Address(address.scheme, place, address.path, asked, settings, user)


def _refuse_raw(scheme: str, rest: str) -> None:
    """Refuse a user or password that would be taken for a place, a path or a setting."""
    head = re.split(r"[/?;&]", rest)[0]
    path = re.split(r"[?;&]", rest)[0][len(head) :]
    as_user = re.search(r":(?!\d*$)", head) is not None and "@" in rest  # no host with its port
    if scheme not in _PATHS and "@" not in head and ("@" in path or as_user):
        raise UnknownOption(
            f"a user or password of this {scheme}:// URL holds / ? ; or & as it is: write %2F, %3F,"
            " %3B, %26"
        )
