"""What the organiser's page and `evenhand watch` show of a campaign that runs.

- `LiveLeaderboards`: each vote is counted once, in the order of the log (`store/boards.py` says
  what a vote is), and nothing is taken out again (docs/serving.md, "Decided, and current").
- `DashboardCache`: these boards, and findings, for which every judgment is read. In a server this
  runs in a process of its own (`analysis_worker.py`).
- `CampaignStatus`: what the page shows of now, as one value for programs.
"""

from __future__ import annotations

import http.client
import json
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, Generic, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

import msgspec
from sqlalchemy import select

from evenhand.data.controls import find_excluded, leave_out_controls
from evenhand.data.ratings import Ratings
from evenhand.data.references import exclude_references
from evenhand.data.source import write_log_check
from evenhand.errors import CampaignError, EvenhandError, UnknownOption
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.plans import describe_plan, read_gate_plan
from evenhand.ranking.sequential.leaderboard import Confirmation, Leaderboard
from evenhand.render.document import take_findings
from evenhand.web.downloads import AnswerTables, list_downloads
from evenhand.web.endpoint import is_this_machine
from evenhand.web.findings import (
    FAULTS,
    NOTHING,
    Findings,
    Order,
    compare,
    find,
    find_fault,
    try_part,
)
from evenhand.web.site import TERMINAL, Rates
from evenhand.web.store.boards import (
    AT_ONCE,
    BoardCount,
    SavedBoard,
    has_deletion,
    list_boards,
    read_after,
    save_boards,
)
from evenhand.web.store.log import JUDGMENTS, Line, NotStored
from evenhand.web.store.people import PRESENT
from evenhand.web.store.queries import Readable, count_answers, open_launched
from evenhand.web.store.schema import log
from evenhand.web.store.store import Store
from evenhand.web.views import say_pay

SAVE_EVERY: Final = 5_000  # Records after which boards are saved although nothing was decided
_log: Final = logging.getLogger("evenhand")
SETS_NOT_RENEWED: Final = (
    "rank sets are those that were made last: none can be made of the answers now"
)


@dataclass(frozen=True)
class LeaderboardView:
    board: Leaderboard  # what is decided, and who leads now
    lapsed: tuple[tuple[str, str], ...]  # pairs that stood as decided once and are held back now


class LiveLeaderboards:
    def __init__(
        self, store: Readable, *, save: Callable[[Mapping[str, SavedBoard]], object] | None = None
    ) -> None:
        self.store = store
        self._save_boards = save
        if save is None and isinstance(store, Store):
            self._save_boards = lambda boards: store.do(save_boards, boards)
        self._lock = threading.Lock()
        self._count: BoardCount | None = None
        self._saved = self._decided = 0

    def catch_up(self) -> None:
        is_last = False
        while not is_last:
            with self._lock:
                if not self._load().passes:
                    return
            lines = self._fetch()
            is_last = len(lines) < AT_ONCE
            with self._lock, one_blas_thread():
                count = self._load()
                for line in lines:  # what another thread has counted meanwhile is passed over
                    count.count(line)
                count.hide()
                # boards are saved after something new was decided, and now and then
                due = count.decided != self._decided or count.record - self._saved >= SAVE_EVERY
                due = due or (is_last and count.record > self._saved == 0)
                self._decided = count.decided
                boards = self._write(count) if due else {}
            self._save(boards)

    def look(self, name: str, confirmed: Confirmation | None) -> LeaderboardView:
        with self._lock:
            count = self._load()
            followed = count.passes[name]
            changed = confirmed is not None and confirmed != followed.confirmed
            if confirmed is not None:
                followed.confirmed = confirmed
            elif followed.confirmed is not None:
                last = followed.confirmed
                confirmed = replace(last, notes=(*last.notes, SETS_NOT_RENEWED))
            else:
                pairs = {frozenset((claim.better, claim.worse)) for claim in followed.state.claims}
                confirmed = Confirmation(silent=dict.fromkeys(pairs, "rank sets are not made yet"))
            board = followed.state.show(confirmed)
            decided = {(claim.better, claim.worse) for claim in board.decided}
            lapsed, fresh = sorted(followed.shown - decided), decided - followed.shown
            followed.shown |= decided
            due = fresh or (changed and followed.state.claims)
            boards = self._write(count) if due else {}
        self._save(boards)
        return LeaderboardView(board, tuple(lapsed))

    def _load(self) -> BoardCount:
        if self._count is None:
            with self.store.reading() as connection:
                self._count = BoardCount.read(connection, self.store.campaign)
            self._saved, self._decided = self._count.record, self._count.decided
        return self._count

    def _fetch(self) -> list[Line]:
        # Where answers were deleted that were not counted here, whoever did so has counted them:
        # then the boards that were saved take the place of these; what was seen here on the page
        # stays seen.
        while True:
            start = 0 if self._count is None else self._count.record
            with self.store.reading() as connection:
                lines = read_after(connection, start, AT_ONCE)
                if not has_deletion(connection, start):
                    return lines
                saved = BoardCount.read(connection, self.store.campaign)
            with self._lock:
                if saved.record <= start:
                    return lines
                counted = self._load()
                if saved.record <= counted.record:
                    continue
                for name, followed in saved.passes.items():
                    followed.shown |= counted.passes[name].shown
                    followed.confirmed = counted.passes[name].confirmed or followed.confirmed
                self._count, self._saved, self._decided = saved, saved.record, saved.decided

    def _save(self, boards: Mapping[str, SavedBoard]) -> None:
        """Save boards; where the disk takes nothing, look all the same and try again later."""
        if not boards or self._save_boards is None:
            return
        try:
            self._save_boards(boards)
        except NotStored:
            self._decided = -1

    def _write(self, count: BoardCount) -> Mapping[str, SavedBoard]:
        self._saved = count.record
        return {} if self._save_boards is None else count.write()


T = TypeVar("T")
REST: Final = 4.0  # What was computed is computed again after so many times what it took
PATIENCE: Final = 1.0  # Seconds for which whoever asks waits for what is computed again
PAUSE: Final = 2.0  # Seconds between two looks for new records, at least, while nobody asks
COUNTING: Final = "what is new on the boards"
JUDGMENTS_SAY: Final = "what the judgments say"


@dataclass(frozen=True)
class Dashboard:
    findings: Findings  # of the judgments up to a record
    record: int  # the end of the log when they were computed
    made: int  # when, in milliseconds since 1970
    boards: dict[str, LeaderboardView]  # pass → its board, of now
    faults: tuple[str, ...] = ()  # what failed of the boards, in words

    @property
    def begun(self) -> bool:
        voted = any(view.board.n_votes for view in self.boards.values())
        return voted or any(order.why != NOTHING for order in self.findings.orders.values())


@dataclass(frozen=True)
class Computed(Generic[T]):
    value: T
    record: int  # the end of the log that it is of
    made: int  # when, in milliseconds since 1970
    fault: str = ""  # why there is nothing newer, where that failed


class Recomputed(Generic[T]):
    """What is computed of all answers: again for new records, and not before it has rested."""

    def __init__(
        self,
        store: Readable,
        what: str,
        compute: Callable[[], T],
        rest: float = REST,
        patience: float | None = None,
    ) -> None:
        # patience: seconds to wait for what is new before the last is given again; None for no end
        self.store, self.what, self.rest, self.patience = store, what, rest, patience
        self._compute = compute
        self._lock = threading.Lock()
        self._last: Computed[T] | None = None
        self._due, self._busy = 0.0, False

    def get(self) -> Computed[T]:
        """Return the newest there is; where nothing could be computed yet, raise why."""
        with self._lock:
            record, last = self.store.head().number, self._last
            if last is None:
                return self._renew(record)
            is_old = last.record != record or last.fault
            if is_old and not self._busy and time.monotonic() >= self._due:
                self._busy = True
                if self.patience is None:
                    return self._renew(record)
                thread = threading.Thread(target=self._renew, args=(record,), daemon=True)
                thread.start()
                thread.join(self.patience)
            assert self._last is not None
            return self._last

    def _renew(self, record: int) -> Computed[T]:
        begun, made, least = time.monotonic(), self.store.clock.now(), 0.0
        try:
            self._last = Computed(self._compute(), record, made)
        except FAULTS as fault:  # such as a database that is away for a while
            if self._last is None:
                raise
            why = str(fault)
            if not isinstance(fault, EvenhandError):
                reason = f"{type(fault).__name__}: {fault}"
                _log.warning("evenhand: %s could not be computed anew: %s", self.what, reason)
                why = TERMINAL
            self._last = replace(self._last, fault=f"{self.what} could not be computed anew: {why}")
            least = PAUSE
        finally:
            ended = time.monotonic()
            self._due = ended + max(least, self.rest * (ended - begun))
            self._busy = False
        return self._last


class DashboardCache:
    def __init__(
        self,
        store: Readable,
        *,
        rest: float = REST,
        save: Callable[[Mapping[str, SavedBoard]], object] | None = None,
    ) -> None:
        self.store = store
        self.boards = LiveLeaderboards(store, save=save)
        self._try = partial(try_part, Rates(1 / 60, 1))
        self._answers = AnswerTables(store)
        self._findings = Recomputed(store, JUDGMENTS_SAY, self._find, rest, PATIENCE)

    def look(self) -> Dashboard:
        faults: list[str] = []
        self._try(COUNTING, self.boards.catch_up, faults.append)
        found = self._findings.get()
        if found.fault:
            of = f"judges and rankings are those of record {found.record:,}"
            faults.append(f"{found.fault}; {of}")
        boards = {}
        for name in list_boards(self.store.campaign):
            show = partial(self.boards.look, name, found.value.confirmed.get(name))
            if (view := self._try(f"the board of {name}", show, faults.append)) is not None:
                boards[name] = view
        return Dashboard(found.value, found.record, found.made, boards, tuple(faults))

    def _find(self) -> Findings:
        compute = partial(find, self._answers, self._try)
        return self._try(JUDGMENTS_SAY, compute, partial(find_fault, self._answers))

    def follow(self) -> float:
        """Count what is new on the boards; return the seconds to wait before the next time."""
        begun = time.monotonic()
        with suppress(EvenhandError):  # the database is away for a while: whoever asks is told
            self._try(COUNTING, self.boards.catch_up, str)
        return max(PAUSE, self._findings.rest * (time.monotonic() - begun))


PACE_JUDGMENTS: Final = 200  # Judgments from which the pace is taken
MIN_FOR_PACE: Final = 10  # From fewer judgments no pace is taken
MINUTE, HOUR, DAY = 60, 3_600, 86_400
PACE_AGE: Final = 60_000  # Milliseconds after which the pace has changed although nothing happened
MAX_AHEAD: Final = 3_650 * DAY  # No day is named that is farther away


def summarize_progress(store: Readable) -> dict[str, Any]:
    judges = store.judges()
    people = [judge for judge in judges if not judge.llm]
    present = [judge for judge in people if judge.state in PRESENT]
    done, seats, free = count_answers(people)
    going_on = [judge.name for judge in present if judge.done < judge.total]
    late = select(log.c.body).where(log.c.kind == "judgment", log.c.judge.in_(going_on))
    with store.reading() as connection:
        late = late.order_by(log.c.number.desc()).limit(PACE_JUDGMENTS)
        times = [json.loads(one)["at"] for one in connection.execute(late).scalars()]
    now, pace, done_by = store.clock.now(), None, None
    if len(times) >= MIN_FOR_PACE and times[0] > times[-1]:
        pace = (len(times) - 1) * 1000 / max(1, now - times[-1])
    left = sum(seats.values())
    if left and pace and left / pace <= MAX_AHEAD:
        done_by = datetime.fromtimestamp(now / 1000, UTC) + timedelta(seconds=left / pace)
    head, plan = store.head(), store.plan
    if plan:
        stated, digest = read_gate_plan(content=plan.encode())
        plan = f"{describe_plan(stated)} (SHA-256 {digest})"
    return {
        "title": store.campaign.title or store.campaign.name,
        "judges": judges,
        "free": [*free],
        "judged": done,
        "remaining": left,
        "pace": say_pace(left, pace),
        "done_by": done_by,
        "paused": store.paused,
        "tables": list_downloads(store),
        "pay": say_pay(store.campaign.pay),
        "plan": plan,
        "head": head,
        "check": write_log_check(store.name, str(head)),
    }


def read_mark(store: Readable) -> tuple[int, str]:
    """Return the end of the log, and the mark of the state that it is in now."""
    head = store.head().number
    return head, f"{head}-{store.clock.now() // PACE_AGE}"


def say_pace(left: int, pace: float | None) -> str:
    """Say how long so many judgments take.

    >>> say_pace(100, 0.1), say_pace(100, None), say_pace(0, 1.0), say_pace(10**6, 1.0)
    ('in 17 minutes', '', 'now', 'in 12 days')
    """
    if left == 0:
        return "now"
    if pace is None or pace <= 0:
        return ""
    seconds = left / pace
    long = (one for one in ((DAY, "day"), (HOUR, "hour")) if seconds >= 2 * one[0])
    size, unit = next(long, (MINUTE, "minute"))
    number = max(1, round(seconds / size))
    return f"in {number:,} {unit}{'s' * (number > 1)}"


@dataclass(frozen=True)
class Score:
    system: str
    rank: str  # places that the scores leave open, as "2–3"; of a human reference "reference"
    score: float
    lower: float | None  # lower end of the interval; None where it has none
    upper: float | None
    n: int  # ratings


@dataclass(frozen=True)
class PassStatus:
    name: str
    board: Leaderboard | None = None  # None where nothing was judged, or it has scores
    says: tuple[str, ...] = ()  # the board in sentences
    lapsed: tuple[tuple[str, str], ...] = ()  # pairs that stood as decided and are held back now
    scores: tuple[Score, ...] = ()  # of a pass with scores, the best first
    why: str = ""  # why there is neither; "" where there is one


@dataclass(frozen=True)
class Flagged:
    judge: str  # the pseudonym
    flags: tuple[str, ...]  # what for


@dataclass(frozen=True)
class PanelStatus:
    table: str  # comparisons, rankings or ratings
    flagged: tuple[Flagged, ...] = ()  # who is to be doubted
    why: str = ""  # why nobody can be flagged; "" where they can


@dataclass(frozen=True)
class CampaignStatus:
    title: str
    judged: int  # judgments that stand
    now: int  # when this was seen, in milliseconds since 1970
    remaining: int | None = None  # how many are still to come; None where nobody knows
    pace: str = ""  # how long they take at the pace of late, in words; "" where that is not known
    done_by: str | None = None  # when they are there at this pace, as ISO 8601
    paused: bool = False
    last: int | None = None  # when the last judgment came, by the same clock as `now`
    passes: tuple[PassStatus, ...] = ()  # in the order of the campaign
    panels: tuple[PanelStatus, ...] = ()  # judges, table by table
    faults: tuple[str, ...] = ()  # what failed
    head: str = ""  # the end of the log: NUMBER:HASH
    check: str = ""  # the command that holds the log against it
    plan: str = ""  # of a gate, as it was registered, in words; "" without one
    mark: str = ""  # of this state, as long as nothing is new; "" while more is to be computed


def get_status(store: Readable, cache: DashboardCache, known: str = "") -> CampaignStatus | None:
    head, mark = read_mark(store)
    if known == mark:
        return None
    dashboard, progress = cache.look(), summarize_progress(store)
    names = ("title", "judged", "remaining", "pace", "paused", "check", "plan")
    done_by = progress["done_by"]
    wanted = select(log.c.body).where(log.c.kind.in_(JUDGMENTS)).order_by(log.c.number.desc())
    with store.reading() as connection:
        last = connection.execute(wanted.limit(1)).scalar()
    passes, panels = [], []
    for task in store.campaign.tasks:
        live, order = dashboard.boards.get(task.name), dashboard.findings.orders[task.name]
        if live is None:
            passes.append(describe_scores(task.name, order))
        elif live.board.n_votes:
            passes.append(PassStatus(task.name, live.board, live.board.says, live.lapsed))
        else:
            passes.append(PassStatus(task.name, why=order.why or NOTHING))
    for table, panel in dashboard.findings.panels.items():
        flagged, why = [], panel.why
        if panel.screening is not None:
            flagged = [Flagged(card.judge, card.flags) for card in panel.screening.flagged]
            why = str(panel.screening.abstains or "")
        panels.append(PanelStatus(table, tuple(flagged), why))
    return CampaignStatus(
        **{name: progress[name] for name in names},
        done_by=None if done_by is None else done_by.isoformat(timespec="minutes"),
        last=None if last is None else json.loads(last)["at"],
        now=store.clock.now(),
        passes=tuple(passes),
        panels=tuple(panels),
        faults=dashboard.faults,
        head=str(progress["head"]),
        mark=mark if dashboard.record >= head else "",
    )


def describe_scores(name: str, order: Order) -> PassStatus:
    if not order.rows:
        return PassStatus(name, why=order.why or NOTHING)
    rows = order.rows
    scores = [Score(one.system, one.rank, one.value, one.lower, one.upper, one.n) for one in rows]
    return PassStatus(name, says=(order.answer,), scores=tuple(scores))


def describe_ratings(
    data: Ratings,
    title: str,
    *,
    last: int | None = None,
    group_by: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> CampaignStatus:
    """Return what can be said of a table of ratings; settings: as of `rank`."""
    by = [] if group_by is None else [group_by]
    rows = leave_out_controls(data).rows(factors=by)
    parts = rows.split(tuple(dict.fromkeys([*by, "task", "criterion"])))
    names = {key: ", ".join(filter(None, key)) or "ratings" for key in parts}
    orders = {key: compare("ratings", part, part, [], settings) for key, part in parts.items()}
    passes = [describe_scores(names[key], order) for key, order in orders.items()]
    _, references = exclude_references(rows, (settings or {}).get("references"))
    excluded = (*find_excluded(data), *references)
    warned = [str(one) for one in take_findings(rows.notes) if one.severity == "warning"]
    return CampaignStatus(
        title=title,
        judged=sum(part.size for part in parts.values()),
        now=int(time.time() * 1000),
        last=last,
        passes=tuple(passes),
        faults=(*warned, *(line.text for line in excluded)),
    )


class ReadOnlyClient:
    """Looks at a database from outside of its server; what was read is not read again."""

    def __init__(self, where: str) -> None:
        self.store: Readable = open_launched(where)
        self._cache = DashboardCache(self.store)
        self._status: CampaignStatus | None = None

    def look(self) -> CampaignStatus:
        mark = self._status.mark if self._status else ""
        self._status = get_status(self.store, self._cache, mark) or self._status
        assert self._status is not None
        return self._status

    def close(self) -> None:
        self.store.engine.dispose()


# A campaign over the web, by the organiser's link. The link is a secret: it goes to its own server,
# by a connection that nobody reads along, and stands in no message, no log and no error.

TIMEOUT: Final = 30.0  # Seconds for which a server may keep silent
MAX_BYTES: Final = 64 * 1024 * 1024  # Bytes of an answer that are read
RETRIED: Final = (408, 425, 429, 500, 502, 503, 504)  # Answers that may be other ones in a while
REDIRECTS: Final = (301, 302, 303, 307, 308)  # Answers that lead to another address
PORTS: Final = {"http": 80, "https": 443}


class ServerUnavailable(EvenhandError, OSError):
    """A server that does not answer now; ask again later."""


@dataclass(frozen=True)
class Link:
    """The organiser's link, whose secret no text of it shows."""

    scheme: str
    host: str  # with its port
    path: str  # of the page; the secret stands in it

    def __repr__(self) -> str:
        return f"Link({self.scheme}://{self.host}/...)"


def read_link(address: str, *, insecure: bool = False) -> Link:
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in PORTS and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not address.isascii() or not address.isprintable() or " " in address:
        raise UnknownOption("this is not the address of a server: give the organiser's link")
    if parts.username is not None:
        raise UnknownOption("an organiser's link holds no name and no password before its server")
    before, _, token = parts.path.rstrip("/").rpartition("/a/")
    if not token or "/" in token:
        raise UnknownOption(
            f"the address at {parts.netloc} is not the organiser's link, which ends in /a/ and a"
            " secret: it is in the file of links that evenhand serve wrote"
        )
    if parts.scheme == "http" and not insecure and not is_this_machine(parts.hostname or ""):
        raise UnknownOption(
            f"over http everybody on the way to {parts.netloc} can read the organiser's secret: use"
            " https, or say --insecure"
        )
    return Link(parts.scheme, parts.netloc, f"{before}/a/{token}")


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow nobody who sends elsewhere: the secret would go there, too."""


class HttpClient:
    def __init__(self, link: Link, *, timeout: float = TIMEOUT) -> None:
        self.link, self._timeout = link, timeout
        self._status: CampaignStatus | None = None
        # whoever stands between would read http, so that no proxy is used for it
        proxies = ProxyHandler() if link.scheme == "https" else ProxyHandler({})
        self._opener: OpenerDirector = build_opener(proxies, _NoRedirects())

    def look(self) -> CampaignStatus:
        link = self.link
        request = Request(f"{link.scheme}://{link.host}{link.path}/board.json")
        request.add_header("Accept", "application/json")
        if self._status is not None and self._status.mark:
            request.add_header("If-None-Match", f'"{self._status.mark}"')
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                body = reply.read(MAX_BYTES + 1)
        except HTTPError as fault:
            with fault:
                if fault.code == http.client.NOT_MODIFIED and self._status is not None:
                    return self._status
                raise self._refuse(fault.code, fault.read(MAX_BYTES)) from None
        except (OSError, http.client.HTTPException) as fault:
            reason = fault.reason if isinstance(fault, URLError) else fault
            raise self._explain(reason) from None
        try:
            self._status = msgspec.json.decode(body, type=CampaignStatus)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise CampaignError(
                f"what answers at {link.host} is no campaign of this version of evenhand serve"
            ) from None
        return self._status

    def close(self) -> None:
        self._opener.close()

    def _refuse(self, code: int, body: bytes) -> EvenhandError:
        where = self.link.host
        if code in REDIRECTS:
            return CampaignError(
                f"{where} sends whoever asks elsewhere, and the organiser's secret is not sent"
                " there: give the link with the address at which the server really is"
            )
        if code in RETRIED:
            return ServerUnavailable(f"{where} cannot answer now ({code})")
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            payload = None
        if isinstance(payload, dict) and payload.get("word") == "unknown-link":
            return CampaignError(
                f"{where} does not know this link, or it is no longer valid: the file of links that"
                " evenhand serve wrote holds the one that is"
            )
        return CampaignError(
            f"what answers at {where} is no campaign of this version of evenhand serve ({code})"
        )

    def _explain(self, reason: Any) -> EvenhandError:
        # It says what the system says; never an address, in which the secret could stand.
        where = self.link.host
        message = str(getattr(reason, "strerror", None) or type(reason).__name__).lower()
        if isinstance(reason, ssl.SSLCertVerificationError):
            return CampaignError(
                f"the certificate of {where} is not good: {reason.verify_message}; the secret was"
                " not sent"
            )
        if isinstance(reason, socket.gaierror) and self._status is None:
            return CampaignError(f"there is no server {where}: {message}")
        if isinstance(reason, TimeoutError):
            return ServerUnavailable(f"{where} did not answer within {self._timeout:g} seconds")
        return ServerUnavailable(f"{where} does not answer: {message}")
