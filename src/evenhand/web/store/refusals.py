"""What a store refuses, and why, in the words of whom it refuses.

CampaignError
├── NotStored       the database took nothing: full, read-only, gone; the answer was not kept
└── Refused         the request cannot be granted; nothing is wrong with the database
    ├── UnknownLink     a link that was never given out, or is revoked
    ├── NoSuchJudge     nobody of this name
    ├── Unproven        a worker who is here already comes without the secret of the first visit
    ├── ShutOut         the judge was revoked, has left, or was forgotten
    ├── Paused          the campaign is paused
    ├── NoPlace         everything is in other hands
    ├── NotYours        a ticket of somebody else, or one that was not served
    └── AnsweredBefore another answer stands for the ticket; `record` is it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import CampaignError

if TYPE_CHECKING:
    from evenhand.web.store.record import Record


class NotStored(CampaignError):
    """The database took nothing; whoever asked may ask again."""


class Refused(CampaignError):
    """The request cannot be granted; nothing was changed."""


class UnknownLink(Refused):
    """A link that was never given out, or is revoked."""


class NoSuchJudge(Refused):
    """Nobody of this name."""


class Unproven(Refused):
    """A worker who is here already, without the secret of their first visit."""

    def __init__(self, message: str, judge: str) -> None:
        """Keep whose seat it is."""
        super().__init__(message)
        self.judge = judge


class ShutOut(Refused):
    """The judge was revoked, has left, or was forgotten."""


class Paused(Refused):
    """The campaign is paused."""


class NoPlace(Refused):
    """Everything is in other hands."""


class NotYours(Refused):
    """A ticket of somebody else, or one that was not served."""


class AnsweredBefore(Refused):
    """Another answer stands for the ticket."""

    def __init__(self, message: str, record: Record) -> None:
        """Keep the answer that stands."""
        super().__init__(message)
        self.record = record
