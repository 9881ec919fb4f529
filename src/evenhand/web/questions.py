"""What the server asks whoever computes on answers, and what comes back: plain data, as JSON.

The server reads no more of an answer than it passes on: a part of a page, JSON, or a file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, Protocol

import msgspec

from evenhand.errors import CampaignError, EvenhandError, InvalidJudgments
from evenhand.web.refusals import NotComputed, number
from evenhand.web.store.refusals import NotStored

CHUNK: Final = 2**18  # Bytes of a file that are sent together
FAULT: Final = "fault"  # The word for what no refusal is: a fault of the program
FAULTY: Final = "this could not be computed: the server's terminal says why"
_KINDS: Final[dict[str, Callable[[str], EvenhandError]]] = {
    "not-stored": NotStored,
    "invalid": InvalidJudgments,
    "not-computed": NotComputed,
    FAULT: NotComputed,
}


class Question(msgspec.Struct, frozen=True):
    """What is wanted."""

    # findings and promises are parts of the organiser's page, board is JSON for programs,
    # download is a table or the log, export a pass as another program writes it
    what: Literal["findings", "board", "promises", "download", "export"]
    name: str = ""  # of the file, or of the pass
    kind: str = ""  # the format of an export


class Answer(msgspec.Struct):
    """What was computed."""

    body: str = ""  # HTML, or JSON; "" for a file
    made: int = 0  # when, in milliseconds since 1970
    mark: str = ""  # of the state that `body` is of; "" where there is none
    name: str = ""  # of the file
    path: str = ""  # where the file lies; whoever takes it deletes it

    def open(self) -> BinaryIO:
        """Take the file, whose name in the folder ends here; whoever takes it closes it."""
        path = Path(self.path)
        try:
            file = path.open("rb")
        except OSError as fault:
            raise NotComputed("the process that wrote this file has ended: try again") from fault
        path.unlink()
        return file


class Message(msgspec.Struct):
    """What passes between the server and the process that computes."""

    number: int = 0  # of a question; 0 for what answers none
    question: Question | None = None  # what the server asks
    answer: Answer | None = None  # what was computed
    word: str = ""  # of a refusal, as in `refusals.NUMBERS`; "" for none
    why: str = ""  # the refusal
    taken: bool = False  # whether the question arrived; the answer comes later
    log: str = ""  # a line for the server's log
    # pass → last record and body of a board that the server is to store
    boards: dict[str, tuple[int, str]] = {}


class Analyst(Protocol):
    """Whoever computes on answers."""

    def begin(self) -> None:
        """Get ready."""

    def end(self) -> None:
        """Compute nothing more."""

    async def ask(self, question: Question) -> Answer:
        """Return an answer, the last one where a new one takes long."""


def pack(message: Message) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def unpack(line: bytes) -> Message:
    """Read a line."""
    return msgspec.json.decode(line, type=Message)


def say_refusal(error: Exception) -> tuple[str, str]:
    """Return the word and the reason of a refusal, as a message holds them."""
    if isinstance(error, EvenhandError):
        return number(error)[1], str(error)
    return FAULT, FAULTY


def make_refusal(word: str, why: str) -> EvenhandError:
    """Return the refusal that a message tells of.

    >>> make_refusal("invalid", "nothing was judged yet")
    InvalidJudgments('nothing was judged yet')
    """
    kind: Any = _KINDS.get(word, CampaignError)
    refusal: EvenhandError = kind(why)
    return refusal
