"""What the server refuses before the store is asked, and the number of each refusal in HTTP."""

from __future__ import annotations

from typing import Final

from evenhand.errors import EvenhandError, InvalidJudgments
from evenhand.web.store import refusals as store


class NotReadable(EvenhandError, ValueError):
    """A request that is not of the form that is asked for."""


class TooLarge(EvenhandError, ValueError):
    """A request that is too long."""


class TooMany(EvenhandError, RuntimeError):
    """Requests that come too fast."""


class Forged(EvenhandError, RuntimeError):
    """A request that no page of ours sent."""


class NotComputed(EvenhandError, RuntimeError):
    """Something that could not be computed now; the answers are all there."""


# Refusals, the number of each in HTTP, and the word by which the page knows it
NUMBERS: Final[tuple[tuple[type[EvenhandError], int, str], ...]] = (
    (NotReadable, 400, "unreadable"),
    (Forged, 403, "forged"),
    (TooLarge, 413, "too-large"),
    (TooMany, 429, "too-many"),
    (InvalidJudgments, 422, "invalid"),
    (store.NotStored, 503, "not-stored"),
    (NotComputed, 503, "not-computed"),
    (store.UnknownLink, 404, "unknown-link"),
    (store.NoSuchJudge, 404, "unknown-link"),
    (store.ShutOut, 403, "shut-out"),
    (store.Paused, 409, "paused"),
    (store.NoPlace, 409, "no-place"),
    (store.NotYours, 409, "reload"),
    (store.AnsweredBefore, 409, "reload"),
    (EvenhandError, 409, "refused"),
)


def number(error: EvenhandError) -> tuple[int, str]:
    """Return the number of a refusal, and its word."""
    return next((code, word) for kind, code, word in NUMBERS if isinstance(error, kind))
