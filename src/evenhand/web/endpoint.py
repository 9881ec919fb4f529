"""An endpoint that speaks the OpenAI chat protocol: one question, one reply, retried with patience.

Until one reply was read, and while a question is tried again, nothing else is sent. The key goes to
the host of the address and nowhere else: redirects are not followed, no proxy is taken from the
environment, and whatever is shown or stored has the key taken out.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from ipaddress import ip_address
from math import isfinite
from threading import Condition, Event, Lock
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

import msgspec

from evenhand import __version__
from evenhand.errors import EvenhandError, UnknownOption

if TYPE_CHECKING:
    import httpx2

PATH: Final = "/chat/completions"
MAX_ATTEMPTS: Final = 8  # How often one question is sent before the endpoint counts as down
LONGEST_PAUSE: Final = 60.0  # Seconds between two attempts, if the endpoint does not ask for more
MAX_RETRY_AFTER: Final = 600.0  # Longest pause that an endpoint may ask for, in seconds
MAX_SECONDS: Final = 600.0  # That one reply may take
MAX_BYTES: Final = 8 * 2**20  # Of one reply
MIN_SECRET: Final = 8  # Characters of a key that is one; shorter ones are placeholders
MAX_SHOWN: Final = 200  # Characters of an endpoint's message that are shown
# What a reply is held to, from the strictest; an endpoint that refuses one is asked with the next
FORMATS: Final = ("json_schema", "json_object", "")
# Alternatives to each token that are asked for; an endpoint that refuses them is asked for fewer
ALTERNATIVES: Final = (20, 5, 0)
LIMITS: Final = ("max_tokens", "max_completion_tokens")  # Names of the limit of a reply
# Codes of an endpoint that refuses one question, and would answer others
NO_ANSWER: Final = {
    "content_filter": "refused",
    "content_policy_violation": "refused",
    "context_length_exceeded": "too long",
}
# Codes of an endpoint that takes no question until somebody pays
SPENT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
WAIT: Final = frozenset({408, 409, 425, 429})  # Statuses after which it is tried again, with 5xx

# Statuses of a request that is not taken: as a whole, or, where others were, for its question
BAD_REQUEST: Final = frozenset({400, 413, 422})
MAX_REJECTED: Final = 3  # Questions that may be rejected one after the other

Message = Mapping[str, str]
Tokens = tuple[int, int]  # Sent to a model, and written by it


class _Part(msgspec.Struct):
    text: str | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: Any = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(one.text or "" for one in self.content)
        return self.content or ""


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: Any = None
    logprobs: Any = None  # read apart: what is wrong with them does not spoil the reply


class _Chat(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None  # likewise

    def count(self, name: str) -> int | None:
        n = self.usage.get(name) if isinstance(self.usage, dict) else None
        return n if type(n) is int and n >= 0 else None


class EndpointError(EvenhandError, RuntimeError):
    """The endpoint does not answer, or will not answer this key or this model."""


class _Again(Exception):
    """It may work later: why, and how many seconds the endpoint asks for."""

    def __init__(self, why: str, pause: float | None = None) -> None:
        super().__init__(why)
        self.pause = pause


class BudgetSpent(EndpointError):
    """One more request might exceed the budget; it was not sent."""

    def __init__(self, why: str, needed: Tokens | None = None) -> None:
        super().__init__(why)
        self.needed = needed  # the most tokens that its question may take


class Meter:
    """Tokens that were taken so far, and the questions on their way, which may take more."""

    def __init__(
        self, tokens: Tokens = (0, 0), allows: Callable[[Tokens], bool] = lambda _: True
    ) -> None:
        self.tokens, self.allows = tokens, allows
        self.shares: list[Share] = []
        self.changed = Condition()


class Share:
    """What one question took, and the most that it may take yet, which is held for it."""

    def __init__(self, meter: Meter) -> None:
        self._meter, self._waits = meter, False
        self.took: Tokens = (0, 0)  # and is not stored yet
        self._held: Tokens = (0, 0)

    def hold(self, most: Tokens, *, wait: bool = False) -> bool:
        """Hold room for so much, if the budget has it; or wait while others may give some back."""
        meter = self._meter
        with meter.changed:
            is_begun = self in meter.shares
            if is_begun and self._held[0] >= most[0] and self._held[1] >= most[1]:
                return True
            while True:
                others = [one for one in meter.shares if one is not self]
                sent, written = zip(meter.tokens, most, *(one._held for one in others), strict=True)
                if meter.allows((sum(sent), sum(written))):
                    break
                # of questions that all wait for each other, the last one gives up
                if not wait or not others or (is_begun and all(one._waits for one in others)):
                    return False
                self._waits = True
                meter.changed.wait()
                self._waits = False
            self._held = most
            if not is_begun:
                meter.shares.append(self)
            return True

    def add(self, more: Tokens) -> None:
        meter, held = self._meter, self._held
        with meter.changed:
            meter.tokens = meter.tokens[0] + more[0], meter.tokens[1] + more[1]
            self.took = self.took[0] + more[0], self.took[1] + more[1]
            self._held = max(0, held[0] - more[0]), max(0, held[1] - more[1])
            meter.changed.notify_all()

    def take(self) -> Tokens:
        """Return what was taken and is not stored yet."""
        took, self.took = self.took, (0, 0)
        return took

    def end(self) -> None:
        with self._meter.changed:
            self._meter.shares.remove(self)
            self._meter.changed.notify_all()


@dataclass(frozen=True)
class ChatReply:
    text: str  # what the model wrote
    seconds: float = 0.0
    why: str = ""  # why it is no answer, "" where it may be one: refused, too long, rejected
    logprobs: Any = None  # of its tokens, as the endpoint gave them


def count_bytes(messages: Sequence[Message], schema: Mapping[str, Any]) -> int:
    """Return the most tokens that a question can have: a token is a byte or more."""
    texts = sum(len(one["content"].encode()) + 16 for one in messages)
    return texts + len(msgspec.json.encode(schema))


class Endpoint:
    # reply_limit: most tokens of a reply; None for the endpoint's own limit.
    # patience: seconds for which nothing may arrive. tell: is told of each attempt that failed.

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        reply_limit: int | None = None,
        logprobs: bool = False,
        meter: Meter | None = None,
        patience: float = 300.0,
        tell: Callable[[str], object] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        import httpx2

        self.url, self.host = read_url(url, has_key=bool(key))
        self.model, self.reply_limit = model, reply_limit
        self.meter = meter or Meter()
        self._key, self._clock, self._tell = key, clock, tell
        self._over, self._turn, self._lock = Event(), Lock(), Lock()
        self._fault: EvenhandError | None = None  # why nothing is sent any more
        self._pause = pause or self._over.wait
        self.estimates = False  # whether tokens of a reply were estimated, as it did not count them
        self._until = 0.0  # when the endpoint may be asked again, by the clock
        self._format, self._limit = 0, 0
        self._alternatives = 0 if logprobs else ALTERNATIVES.index(0)
        self._works, self._reached, self._rejected = False, False, 0
        secret = {"Authorization": f"Bearer {key}"} if key else {}
        headers = {"User-Agent": f"evenhand/{__version__}", **secret}
        self._client = httpx2.Client(
            headers=headers,
            timeout=httpx2.Timeout(patience, connect=min(patience, 20)),
            follow_redirects=False,
            trust_env=False,
        )

    def close(self) -> None:
        self._end(EndpointError(f"{self.host} is not asked any more"))
        self._client.close()

    def _end(self, fault: EvenhandError) -> None:
        """Let nothing be sent any more, and nobody wait."""
        self._fault = self._fault or fault
        self._over.set()

    def hide(self, text: str) -> str:
        """Return a text without the key, and without characters that no text holds."""
        shown = text.replace(self._key, "***") if len(self._key) >= MIN_SECRET else text
        return shown.replace("\0", "").encode("utf-8", "replace").decode()

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any], share: Share
    ) -> ChatReply:
        """Send messages until there is a reply; after too many attempts the endpoint is down."""
        send = partial(self._try, messages, schema, share)
        try:
            with self._turn:
                self._wait()
                if not self._works:
                    return self._repeat(send, 1)
            try:
                return send()
            except _Again as fault:
                self._postpone(fault, 1)
            with self._turn:
                return self._repeat(send, 2)
        except EvenhandError as fault:
            if not isinstance(fault, BudgetSpent):
                self._end(fault)
            raise

    def _repeat(self, send: Callable[[], ChatReply], first: int) -> ChatReply:
        for attempt in range(first, MAX_ATTEMPTS + 1):
            self._wait()
            try:
                return send()
            except _Again as fault:
                if attempt == MAX_ATTEMPTS:
                    stored = "all answers so far are stored; " if self._works else ""
                    raise EndpointError(
                        f"{self.host} gave no reply to {attempt} attempts ({fault}): {stored}run"
                        " the same command later to continue"
                    ) from None
                self._postpone(fault, attempt)
        raise AssertionError

    def _wait(self) -> None:
        """Wait until the endpoint may be asked, unless it is not to be asked any more."""
        while self._fault is None and (left := self._until - self._clock()) > 0:
            self._pause(left)
        if self._fault is not None:
            raise self._fault

    def _postpone(self, fault: _Again, attempt: int) -> None:
        """Leave the endpoint alone for a while, whoever asks."""
        wait = min(LONGEST_PAUSE, 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)
        if fault.pause is not None:
            wait = fault.pause * random.uniform(1, 1.1)
        again = f"attempt {attempt + 1} of {MAX_ATTEMPTS} in {wait:.0f} s"
        self._tell(f"{self.host} gave no reply ({fault}): {again}")
        with self._lock:
            self._until = max(self._until, self._clock() + wait)

    def _try(
        self, messages: Sequence[Message], schema: Mapping[str, Any], share: Share
    ) -> ChatReply:
        began, most = time.monotonic(), (count_bytes(messages, schema), self.reply_limit or 0)
        while True:
            if not share.hold(most):
                raise BudgetSpent("the budget does not allow the next question")
            response, body = self._send(self._write(messages, schema), began, most, share)
            status = response.status_code
            if status == 200:
                return self._read(body, most, share, time.monotonic() - began)
            code, message = self._read_error(body)
            if code not in SPENT and (status in WAIT or status >= 500):
                pause = _read_pause(response.headers)
                if pause is not None and pause > MAX_RETRY_AFTER:
                    raise EndpointError(
                        f"{self.host} asks to be left alone for {pause / 60:,.0f} minutes ({status}"
                        f"{': ' * bool(message)}{message}): run the same command later to continue"
                    )
                raise _Again(f"{status} {message}".strip(), pause)
            if code in NO_ANSWER:
                return ChatReply("", time.monotonic() - began, NO_ANSWER[code])
            is_bad = status in BAD_REQUEST or (status == 403 and "logprobs" in message)
            if is_bad and not self._works and self._loosen(message):
                continue
            if status in BAD_REQUEST and self._works:
                with self._lock:
                    self._rejected += 1
                    may_reject = self._rejected <= MAX_REJECTED
                if may_reject:
                    return ChatReply("", time.monotonic() - began, "rejected")
            self._refuse(status, code, message, response.headers.get("location", ""))

    def _write(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.model, "messages": list(messages)}
        if self.reply_limit is not None:
            request[LIMITS[self._limit]] = self.reply_limit
        if alternatives := ALTERNATIVES[self._alternatives]:
            request |= {"logprobs": True, "top_logprobs": alternatives}
        if kind := FORMATS[self._format]:
            request["response_format"] = {"type": kind}
        if kind == "json_schema":
            request["response_format"][kind] = {"name": "answer", "schema": schema}
        return request

    def _loosen(self, message: str) -> bool:
        """Ask for less after a request was refused; False where nothing is left to leave out."""
        if self.reply_limit is not None and not self._limit and LIMITS[1] in message:
            self._limit = 1
            return True
        last = self._format + 1 == len(FORMATS)
        if ALTERNATIVES[self._alternatives] and (last or "logprobs" in message):
            self._alternatives, self._format = self._alternatives + 1, 0
            return True
        self._format += 1
        return not last

    def _send(
        self, request: dict[str, Any], began: float, most: Tokens, share: Share
    ) -> tuple[httpx2.Response, bytes]:
        import httpx2

        body, is_answer = bytearray(), False
        try:
            with self._client.stream("POST", self.url, json=request) as response:
                self._reached = True
                is_answer = response.status_code == 200
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_BYTES or time.monotonic() - began > MAX_SECONDS:
                        raise httpx2.ReadTimeout("the reply did not end")
                return response, bytes(body)
        except (httpx2.TransportError, httpx2.DecodingError) as fault:
            if isinstance(fault, httpx2.ConnectError) and not self._reached:
                raise EndpointError(
                    f"nothing answers at {self.host} ({self.hide(str(fault))[:MAX_SHOWN]}): see"
                    " --url, or start the endpoint"
                ) from None
            if is_answer or isinstance(fault, httpx2.ReadTimeout | httpx2.RemoteProtocolError):
                share.add(most)  # it may have been paid for
            raise _Again(self.hide(str(fault) or type(fault).__name__)[:MAX_SHOWN]) from None
        except httpx2.InvalidURL:
            raise UnknownOption(f"--url: {self.host} is not a valid address") from None

    def _read(self, body: bytes, most: Tokens, share: Share, seconds: float) -> ChatReply:
        try:
            chat = msgspec.json.decode(body, type=_Chat)
            choice = chat.choices[0]
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, IndexError):
            if not self._works and body.lstrip().startswith(b"<"):
                raise EndpointError(
                    f"{self.host} shows a web page at this path, and no reply of the chat protocol:"
                    " see --url"
                ) from None
            share.add(most)
            raise _Again("the reply is incomplete, or does not follow the chat protocol") from None
        text = self.hide(choice.message.text)
        # where the endpoint does not count, each byte is a token: rather too many than too few
        sent, written = chat.count("prompt_tokens"), chat.count("completion_tokens")
        self.estimates |= None in (sent, written)
        sent = most[0] if sent is None else sent
        share.add((sent, len(text.encode()) if written is None else written))
        self._works, self._rejected = True, 0
        is_refused = choice.message.refusal or str(choice.finish_reason) in NO_ANSWER
        return ChatReply(text, seconds, "refused" if is_refused else "", choice.logprobs)

    def _read_error(self, body: bytes) -> tuple[str, str]:
        """Return the code and the message of a refusal, which have no form that all keep to."""
        try:
            payload = msgspec.json.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            payload = body.decode("utf-8", "replace")
        error = payload.get("error", payload) if isinstance(payload, dict) else payload
        code, message = "", error
        if isinstance(error, dict):
            code = str(error.get("code") or error.get("type") or "")
            message = error.get("message") or error.get("detail") or ""
        return code, self.hide(" ".join(str(message).split()))[:MAX_SHOWN]

    def _refuse(self, status: int, code: str, message: str, location: str) -> None:
        reason = f"{status}{': ' * bool(message)}{message}"
        if 300 <= status < 400:
            try:
                where = urlsplit(location).hostname or "another address"
            except ValueError:
                where = "no address"
            raise EndpointError(
                f"{self.host} redirects to {self.hide(where)}, and nothing was sent there: if you"
                " trust it, give its address as --url"
            )
        if status in (401, 403):
            what = "rejects the key" if self._key else "needs a key: name its environment variable,"
            remedy = ": see --key-env" if self._key else " --key-env NAME"
            raise EndpointError(f"{self.host} {what}{remedy} ({reason})")
        if status == 404:
            raise EndpointError(
                f"{self.host} has no model '{self.model}', or nothing at this path: see --model and"
                f" --url ({reason})"
            )
        if code in SPENT or status == 402:
            raise EndpointError(
                f"{self.host} has no credit left for this key ({reason}): add some, then run the"
                " same command to continue"
            )
        raise EndpointError(f"{self.host} refuses the question ({reason})")


def read_url(url: str, *, has_key: bool) -> tuple[str, str]:
    """Return the address that questions are sent to, and the host, for messages.

    >>> read_url("http://localhost:11434", has_key=False)
    ('http://localhost:11434/v1/chat/completions', 'localhost:11434')
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host:
        raise UnknownOption(
            "--url: an address begins with https://, or with http:// on this machine"
        )
    name = f"{host}:{port}" if port else host
    if parts.username or parts.password:
        raise UnknownOption(
            f"--url: the address of {name} holds a password; put the key into an environment"
            " variable, and name this with --key-env"
        )
    if has_key and parts.scheme == "http" and not is_this_machine(host):
        raise UnknownOption(f"--url: the key would go to {name} unencrypted; write https://")
    path = parts.path.rstrip("/") or "/v1"
    path = path if path.endswith(PATH) else f"{path}{PATH}"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")), name


def is_this_machine(host: str) -> bool:
    """Say whether a host is this machine.

    >>> [is_this_machine(host) for host in ("localhost", "127.0.0.1", "::1", "example.org")]
    [True, True, True, False]
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that Retry-After asks for; None where it says nothing."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(seconds, 0.0) if isfinite(seconds) else None
