"""Secrets of links: 192 random bits after a name of 48; the database keeps a digest.

The name finds the row, the digest of the secret is compared in constant time: how long a refusal
takes says nothing about a secret. A plain digest is enough, since nobody guesses 192 bits.

A page knows a ticket by a name, from which without the campaign's key nothing can be had: neither
the ticket's number, nor which of two tickets comes first. Of one ticket and judge it is always the
same, so that an answer that is sent again after a restart, or to another server, is recognised.
"""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

# What a link is for: to judge, to organise, or to join as a judge of a crowd platform
Role = Literal["judge", "admin", "crowd"]
_NAME: Final = 8
_WHOLE: Final = _NAME + 32
# Bytes of a ticket's name: a keyed digest of 128 bits, and the number under a mask
_MAC, _NUMBER = 16, 8


@dataclass(frozen=True)
class Token:
    """The secret part of a link."""

    name: str  # finds the row
    secret: str  # proves the right to it; shown once and not kept

    def __str__(self) -> str:
        return self.name + self.secret

    def __repr__(self) -> str:
        return f"Token({self.name}...)"

    @property
    def digest(self) -> str:
        """What the database keeps."""
        return sha256(f"evenhand link {self}".encode()).hexdigest()


@dataclass(frozen=True)
class Invitation:
    """A link that was just made."""

    judge: str  # the pseudonym; "" for links of other roles
    token: str  # the end of the link; it cannot be shown again
    role: Role = "judge"  # what the link is for

    def __repr__(self) -> str:
        return f"Invitation({self.judge or self.role})"


def draw_token() -> Token:
    """Draw a new secret."""
    return Token(secrets.token_urlsafe(6), secrets.token_urlsafe(24))


def read_token(text: str) -> Token | None:
    """Return the parts of a token, None of what cannot be one.

    >>> read_token("short") is None, read_token(str(draw_token())) is None
    (True, False)
    """
    if re.fullmatch(rf"[A-Za-z0-9_-]{{{_WHOLE}}}", text) is None:
        return None
    return Token(text[:_NAME], text[_NAME:])


def matches(token: Token, digest: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(token.digest.encode(), digest.encode())


def name_ticket(key: bytes, judge: str, number: int) -> str:
    """Return the name by which a judge's page knows a ticket.

    >>> read_ticket_name(b"key", "ann", name_ticket(b"key", "ann", 7))
    7
    """
    mac = _digest(key, f"ticket {number} {judge}".encode())[:_MAC]
    return urlsafe_b64encode(mac + _mask(key, mac, number.to_bytes(_NUMBER))).decode()


def read_ticket_name(key: bytes, judge: str, name: str) -> int | None:
    """Return the number of a ticket, None of what is no name of a ticket for this judge.

    >>> read_ticket_name(b"key", "bob", name_ticket(b"key", "ann", 7)) is None
    True
    """
    if re.fullmatch(r"[A-Za-z0-9_-]{32}", name) is None:
        return None
    told = urlsafe_b64decode(name)
    number = int.from_bytes(_mask(key, told[:_MAC], told[_MAC:]))
    same = hmac.compare_digest(name_ticket(key, judge, number), name)
    return number if same else None


def _digest(key: bytes, told: bytes) -> bytes:
    return hmac.digest(key, told, "sha256")


def _mask(key: bytes, mac: bytes, number: bytes) -> bytes:
    """Put a mask on a number, or take it off."""
    mask = _digest(key, b"mask " + mac)
    return bytes(one ^ other for one, other in zip(number, mask, strict=False))
