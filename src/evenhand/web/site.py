"""What every request needs: the store, the campaign, where the site lies, and what is refused."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, Protocol

import jinja2
import msgspec
from markupsafe import Markup, escape
from sqlalchemy import select, update
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from evenhand.design.campaign import Campaign, TextField, Wording
from evenhand.design.catalogues import ENGLISH, Catalogue, read_catalogue
from evenhand.design.forms import MediaFile
from evenhand.errors import EvenhandError, InvalidJudgments, fill_message
from evenhand.web.links import KeptLinks
from evenhand.web.store import log as store
from evenhand.web.store.database import WriteTransaction
from evenhand.web.store.queries import Bearer
from evenhand.web.store.schema import campaign
from evenhand.web.store.store import Store

if TYPE_CHECKING:
    from evenhand.web.metrics import Metrics

MAX_NAMES: Final = 10_000  # That are kept; those that came longest ago are forgotten


class Rates:
    """Who asked how often.

    >>> rates = Rates(1, 2, clock=lambda: 0.0)
    >>> [rates.take("ann") for _ in range(3)], rates.take("ben")
    ([True, True, False], True)
    """

    def __init__(
        self, per_second: float, burst: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst, self._clock = per_second, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> bool:
        now = self._clock()
        left, since = self._left.get(name, (self.burst, now))
        left = min(self.burst, left + (now - since) * self.per_second)
        self._left[name] = (left - 1 if left >= 1 else left, now)
        self._left.move_to_end(name)
        if len(self._left) > MAX_NAMES:
            self._left.popitem(last=False)
        return left >= 1


SECONDS_KNOWN: Final = 10.0  # For how long somebody is known
MAX_KNOWN: Final = 2_000  # Most who are known at a time


class RecentJudges:
    """Who came with which link a moment ago: a page that answers quickly is not looked up anew."""

    # The store checks again, at every answer, that a judge may go on; so a judge who was shut out
    # is let in nowhere. What the organiser changes is known at once; what another server on the
    # same database changed, after ten seconds.

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Bearer, float]] = OrderedDict()

    def recall(self, token: str) -> Bearer | None:
        bearer, until = self._known.get(token, (None, 0.0))
        return bearer if time.monotonic() < until else None

    def remember(self, token: str, bearer: Bearer) -> None:
        if bearer.role != "judge":
            return
        self._known[token] = (bearer, time.monotonic() + SECONDS_KNOWN)
        self._known.move_to_end(token)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)

    def forget(self) -> None:
        """Know nobody any more: links were made or ended."""
        self._known.clear()


# A number below 0 where one may begin; no range, no option, no part of a name
_SIGNED: Final = re.compile(r"(?<![^\s(])-(\d[\d.,]*)")


def write_sentence(words: str, names: Collection[str] = ()) -> str:
    """Write a finding as a sentence; a name of a system or judge stays as it is.

    >>> write_sentence("no judgments yet"), write_sentence("lark leads now", ["lark"])
    ('No judgments yet.', 'lark leads now.')
    """
    named = any(words == one or words.startswith(f"{one} ") for one in names)
    begun = typeset(words if named else words[:1].upper() + words[1:])
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def write_number(value: float) -> str:
    return f"{value:z.2f}".replace("-", "−")


def typeset(words: str) -> str:
    """Write numbers within words as elsewhere on the page; a line never breaks before %.

    >>> typeset("a slope of -0.00 (-0.45 to 0.45), as 1-3 of Delta-2")
    'a slope of 0.00 (−0.45 to 0.45), as 1-3 of Delta-2'
    >>> typeset("agrees in 44 %") == "agrees in 44\N{NO-BREAK SPACE}%"
    True
    """

    def write(number: re.Match[str]) -> str:
        return f"−{number[1]}" if number[1].strip("0.,") else number[1]

    return _SIGNED.sub(write, words).replace(" %", "\N{NO-BREAK SPACE}%")


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
    return next((code, word) for kind, code, word in NUMBERS if isinstance(error, kind))


# What the server asks whoever computes on answers, and what comes back: plain data, as JSON. The
# server reads no more of an answer than it passes on: a part of a page, JSON, or a file.

CHUNK: Final = 2**18  # Bytes of a file that are sent together
FAULT: Final = "fault"  # The word for what no refusal is: a fault of the program
FAULTY: Final = "this could not be computed: see the server's terminal for the reason"
# Word → the refusal that a message tells of
REFUSALS: Final = {word: kind for kind, _, word in NUMBERS} | {FAULT: NotComputed}


class Question(msgspec.Struct, frozen=True):
    # parts of the organiser's page (board as JSON), the public board as JSON, a table or the log, a
    # pass in another format
    what: Literal["findings", "board", "public", "promises", "download", "export"]
    name: str = ""  # of the file, or of the pass
    kind: str = ""  # the format of an export


class Answer(msgspec.Struct):
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
    number: int = 0  # of a question; 0 for what answers none
    question: Question | None = None  # what the server asks
    answer: Answer | None = None  # what was computed
    word: str = ""  # of a refusal, as in `NUMBERS`; "" for none
    why: str = ""  # the refusal
    taken: bool = False  # whether the question arrived; the answer comes later
    log: str = ""  # a line for the server's log
    # pass → last record and body of a board that the server is to store
    boards: dict[str, tuple[int, str]] = {}


class Analyst(Protocol):
    # an answer, the last one where a new one takes long
    async def ask(self, question: Question) -> Answer: ...


def pack(message: Message) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def unpack(line: bytes) -> Message:
    return msgspec.json.decode(line, type=Message)


HEALTH_REST: Final = 5.0  # Seconds for which what is known of the database holds
PATIENCE: Final = 3.0  # Seconds for which whoever asks waits
WELL: Final = "well"
TERMINAL: Final = "see the server's terminal for the reason"
UNREADABLE: Final = f"the database cannot be read: {TERMINAL}"
UNWRITABLE: Final = f"the database cannot be written: {TERMINAL}"
SLOW: Final = "the database does not answer"
_log: Final = logging.getLogger("evenhand")


class Health:
    # Anybody may ask, so the database is asked at most once in some seconds, and by one at a time.
    # What it says of paths and addresses is for the organiser's terminal.

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self._clock = store, clock
        self._until, self._words = 0.0, WELL
        self._task: asyncio.Task[None] | None = None

    async def ask(self) -> str:
        if self._task is None:
            if self._clock() < self._until:
                return self._words
            self._task = asyncio.create_task(self._check())
        done, _ = await asyncio.wait({self._task}, timeout=PATIENCE)
        return self._words if done else SLOW

    async def _check(self) -> None:
        words = UNREADABLE
        try:
            await run_in_threadpool(self._read)
            words = UNWRITABLE
            await self.store.soon(touch)
            words = WELL
        except EvenhandError as fault:
            if words != self._words:
                _log.warning("evenhand: %s", fault)
        finally:
            self._words, self._until = words, self._clock() + HEALTH_REST
            self._task = None

    def _read(self) -> None:
        with self.store.reading() as connection:
            connection.execute(select(campaign.c.digest)).one()


def touch(tx: WriteTransaction) -> None:
    """Write what stands there already; what changes nothing at all reaches no disk."""
    for step in (1, -1):
        tx.run(update(campaign).values(head_at=campaign.c.head_at + step))


HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"


@dataclass(frozen=True)
class Limits:
    body: int = 256 * 1024  # most bytes of a request
    per_second: float = 30  # requests of one link, in the long run
    burst: int = 120  # requests of one link at once
    misses: int = 20  # unknown links from one address at once; one more every six seconds
    head: float = 20  # seconds in which the head of a request has to come
    body_time: float = 60  # seconds in which its body has to come
    idle: float = 30  # seconds for which a connection may wait for the next request
    stall: float = 120  # seconds in which a client has to read on, where more is sent than it reads
    connections: int = 1_000  # most at once
    per_address: int = 250  # most at once of one, no proxy, whose request has not come whole


@dataclass(frozen=True)
class Site:
    store: Store
    prefix: str = ""  # path under which it lies, such as "/study"; "" for none
    # of the server, as judges reach it, such as "https://example.org"; "" for the one by which a
    # request came
    address: str = ""
    limits: Limits = field(default_factory=Limits)
    proxies: tuple[str, ...] = ()  # machines and networks that are believed where requests are from
    worker: Analyst | None = None  # what computes on answers; this process where there is none
    links: KeptLinks | None = None  # the links of judges that are kept; None where none are
    metrics: Metrics | None = None  # counts for Prometheus; None where nobody asks for them
    words: Catalogue = ENGLISH  # of the judges' pages
    # Images and recordings that judges are shown, by the names that texts have for them
    files: Mapping[str, MediaFile] = field(default_factory=dict)

    missed: set[str] = field(default_factory=set)  # those that were asked for and not sent

    def list_missing(self) -> list[Path]:
        """Return which files were asked for, were not sent, and are not as they were still."""
        missing = [self.files[name] for name in sorted(self.missed)]
        return [one.path for one in missing if not one.is_same]

    @property
    def campaign(self) -> Campaign:
        return self.store.campaign

    @cached_property
    def requests(self) -> Rates:
        return Rates(self.limits.per_second, self.limits.burst)

    @cached_property
    def misses(self) -> Rates:
        return Rates(1 / 6, self.limits.misses)

    @cached_property
    def complaints(self) -> Rates:
        """Words to the organiser's terminal, by what they say: one in ten seconds."""
        return Rates(1 / 10, 1)

    @cached_property
    def health(self) -> Health:
        return Health(self.store)

    @cached_property
    def known(self) -> RecentJudges:
        return RecentJudges()

    @cached_property
    def version(self) -> str:
        """Changes when a static file does, so that browsers may keep them for ever."""
        every = sorted(one for one in STATIC.iterdir() if one.is_file())
        return sha256(b"".join(one.read_bytes() for one in every)).hexdigest()[:12]

    @cached_property
    def pages(self) -> jinja2.Environment:
        return make_pages()

    def render(self, page: str, payload: dict[str, Any], words: Catalogue = ENGLISH) -> str:
        root = f"{self.prefix}/static/{self.version}"
        told = {"site": self, "static": root, "words": words, "gettext": words.gettext}
        return self.pages.get_template(page).render(**told, **payload)


def make_pages() -> jinja2.Environment:
    pages = jinja2.Environment(
        extensions=["jinja2.ext.i18n"],  # in its old style: translations are escaped
        loader=jinja2.FileSystemLoader(HERE / "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= {"number": write_number, "typeset": typeset, "fill": fill}
    return pages


def fill(text: str, values: Mapping[str, str]) -> Markup:
    """Put values into a sentence, both escaped.

    >>> fill("<b> of {judge}", {"judge": "a & b"})
    Markup('&lt;b&gt; of a &amp; b')
    """
    return Markup(fill_message(escape(text), {name: escape(one) for name, one in values.items()}))


def find_words(wording: Wording) -> Catalogue:
    """Return the words of a campaign's pages: its own catalogue, or one of ours."""
    if wording.catalogue is not None:
        return wording.catalogue
    if wording.language in ("", ENGLISH.language):
        return ENGLISH
    path = HERE / "words" / f"{wording.language}.po"
    direction = TextField(wording.language).direction
    return read_catalogue(path.read_text(encoding="utf-8"), path.name, wording.language, direction)


def analysis_of(request: Request) -> Analyst:
    analyst: Analyst = request.app.state.analysis
    return analyst


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site
