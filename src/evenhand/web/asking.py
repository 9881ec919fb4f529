"""An LLM judge answers what a campaign asks, one ticket after the other, within a budget.

Each reply is stored, in the log of people's answers, before another question takes its place. Of
several on their way, one thread hands out in the order of tickets, one thread each sends and
stores. An LLM judge is a login with a seat of its own, whose tickets stand behind the design's:
what is asked of it is issued in the log, so that it answers as people do, and resumes where it was.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from math import exp, fsum
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from sqlalchemy import func, select

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import PairTask, RankTask, ScaledTask, Task, Ticket
from evenhand.errors import EvenhandError, InvalidJudgments, Outcome, UnknownOption
from evenhand.web.endpoint import (
    MAX_SHOWN,
    BudgetSpent,
    ChatReply,
    Endpoint,
    EndpointError,
    Message,
    Share,
    Tokens,
    count_bytes,
)
from evenhand.web.site import HERE
from evenhand.web.store import judging
from evenhand.web.store.database import Entry, WriteTransaction, read_version
from evenhand.web.store.judging import Reply, Write
from evenhand.web.store.log import ShutOut
from evenhand.web.store.people import (
    LLM_INVITES,
    PRESENT,
    add_judge,
    draw_token,
    keep_link,
    make_row,
)
from evenhand.web.store.queries import Readable, load_campaign, open_to_read
from evenhand.web.store.schema import CLOSED, OPEN, fill, judges, log, renew, seats, tickets
from evenhand.web.store.schema import tokens as links
from evenhand.web.store.store import Store
from evenhand.web.views import View, view_ticket

if TYPE_CHECKING:
    import jinja2

SHOWN: Final = ("task", "beside", "outputs")  # Of a view, what a template is given
REPAIR: Final = (
    "That is not a valid answer: {fault}. Reply again with a single JSON object as described, and"
    " nothing else."
)
FENCE: Final = "```"
THOUGHTS: Final = "</think>"  # Ends what some models write before they answer
ROUNDING: Final = 1e-3  # By how much probabilities of an endpoint may exceed 1
DIGITS: Final = 6  # Of a probability that is stored


class Prompt:
    def __init__(self, template: str, name: str = "the prompt") -> None:
        self.template, self.name = template, name

    @classmethod
    def read(cls, path: str | None) -> Prompt:
        """Read a template from a file; None is the one that comes with Evenhand."""
        file = HERE / "prompt.txt" if path is None else Path(path)
        try:
            return cls(file.read_text("utf-8-sig"), f"--prompt {path}")
        except FileNotFoundError:
            raise UnknownOption(
                f"--prompt {path}: there is no such file; evenhand ask --show-prompt > {path}"
                " writes one to edit"
            ) from None
        except (OSError, UnicodeDecodeError) as fault:
            reason = getattr(fault, "strerror", None) or "save it in UTF-8"
            raise UnknownOption(f"--prompt {path}: it cannot be read: {reason}") from None

    @cached_property
    def _compiled(self) -> jinja2.Template:
        from jinja2 import StrictUndefined, TemplateSyntaxError
        from jinja2.sandbox import SandboxedEnvironment

        rules = SandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        rules.filters["number"] = "{:g}".format
        try:
            return rules.from_string(self.template)
        except TemplateSyntaxError as fault:
            raise UnknownOption(f"{self.name}, line {fault.lineno}: {fault.message}") from None

    def write(self, view: View) -> str:
        """Write the prompt of a ticket; one that does not show all its texts is refused."""
        from jinja2 import TemplateError

        compiled = self._compiled
        # a word that no text has in it: tags that hold it cannot be forged by a text
        texts = [str(one["text"]) for one in (*view["beside"], *view["outputs"])]
        whole = sha256("\0".join(texts).encode()).hexdigest()
        while any(whole[:8] in one for one in texts):
            whole = sha256(whole.encode()).hexdigest()
        try:
            text = compiled.render({name: view[name] for name in SHOWN}, mark=whole[:8])
        except (TemplateError, TypeError, ValueError, LookupError) as fault:
            raise UnknownOption(
                f"{self.name}: it cannot be filled in: {fault}; evenhand ask --show-prompt prints"
                " one that can"
            ) from None
        if any(one["text"] not in text for one in view["outputs"]):
            raise UnknownOption(
                f"{self.name}: it does not show each output: {{{{ outputs[0].text }}}} does, as in"
                " evenhand ask --show-prompt"
            )
        return text


def make_schema(task: Task, ticket: Ticket) -> dict[str, Any]:
    """Return what an answer is as a JSON schema, which some endpoints hold replies to."""
    name, field = "score", dict[str, Any]()
    if isinstance(task, PairTask):
        name, field = "outcome", {"type": "string", "enum": list(task.outcomes)}
    elif isinstance(task, RankTask):
        n = len(ticket.systems)
        place = {"type": "integer", "minimum": 1, "maximum": n}
        name, field = "ranks", {"type": "array", "items": place, "minItems": n, "maxItems": n}
    elif isinstance(task, ScaledTask):
        field = {"type": "number", "minimum": task.low, "maximum": task.high}
    return {"type": "object", "properties": {name: field}, "required": [name]}


def read_reply(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an answer; a reply that is not one JSON object is refused.

    It may stand in a fence, and after a model's thoughts.

    >>> schema = {"required": ["score"]}
    >>> read_reply('{"reason": "clear", "score": 4}', schema)
    {'score': 4}
    >>> read_reply("I would say 4", schema)
    Traceback (most recent call last):
    evenhand.errors.InvalidJudgments: it is not one JSON object
    """
    lines = text.strip()
    if not lines.startswith("{"):
        lines = lines.rpartition(THOUGHTS)[2].strip()
    if lines.startswith(FENCE) and lines.endswith(FENCE) and "\n" in lines:
        lines = lines.partition("\n")[2].removesuffix(FENCE)
    try:
        whole = json.loads(lines, object_pairs_hook=_read_object)
    except (ValueError, RecursionError):
        whole = None
    if not isinstance(whole, dict):
        raise InvalidJudgments("it is not one JSON object")
    return {name: whole[name] for name in schema["required"] if name in whole}


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; one that says two things under one name says nothing."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


class _Alternative(msgspec.Struct):
    token: str
    logprob: Annotated[float, msgspec.Meta(le=ROUNDING)]
    raw: list[Annotated[int, msgspec.Meta(ge=0, le=255)]] | None = msgspec.field(
        name="bytes", default=None
    )

    @property
    def written(self) -> bytes:
        return self.token.encode() if self.raw is None else bytes(self.raw)


class _Token(_Alternative):
    top_logprobs: list[_Alternative] = []


class _LogProbs(msgspec.Struct):
    content: list[_Token]


def read_probabilities(
    text: str, outcome: str, outcomes: Sequence[str], logprobs: object
) -> dict[str, float] | None:
    """Return how likely each outcome was, of 1 together, and what went to other words ("outside").

    They are of the first token that tells the outcomes apart. An outcome that is not among the
    listed alternatives has 0. None where the endpoint does not say, or the token is not found.
    """
    starts = [one.end() for one in re.finditer(r'"outcome"\s*:\s*"', text)]
    try:
        tokens = msgspec.convert(logprobs, _LogProbs).content
        if len(starts) != 1 or not text[starts[0] :].startswith(f'{outcome}"'):
            return None
        begin, end = len(text[: starts[0]].encode()), 0
        if b"".join(one.written for one in tokens) != text.encode():
            return None
    except (msgspec.ValidationError, UnicodeEncodeError):
        return None
    for token in tokens:
        end += len(token.written)
        if end > begin:
            break
    # what the token holds of the text before the outcome, or where in the outcome it begins
    before = text.encode()[end - len(token.written) : begin]
    likely = {one.written: one.logprob for one in (token, *token.top_logprobs)}
    shares = dict.fromkeys(outcomes, 0.0)
    for written, logprob in likely.items():
        rest = written.removeprefix(before) if written.startswith(before) else b""
        ends = [(one, f'{one}"'.encode()) for one in outcomes]
        meant = [one for one, end in ends if end.startswith(rest) or rest.startswith(end)]
        if rest and len(meant) == 1:
            shares[meant[0]] += exp(logprob)
        elif written == token.written:  # which outcome it is shows later
            return None
    total, whole = fsum(shares.values()), fsum(map(exp, likely.values()))
    if not shares[outcome] or whole > 1 + ROUNDING:
        return None
    found = {one: round(share / total, DIGITS) for one, share in shares.items()}
    return {**found, "outside": round(max(0.0, 1 - total), DIGITS)}


BYTES_PER_TOKEN: Final = 4  # Of English, about; for a forecast only
UNREADABLE: Final = "unreadable"  # Why a question has no answer
MAX_UNREADABLE: Final = 3  # Questions from the first on whose replies may be unreadable
MAX_REPLY: Final = 20_000  # Characters of a reply that are stored
REPLY_LIMIT: Final = 4_096  # Most tokens of a reply where there is a budget
PER: Final = 1_000_000  # Tokens that a price is for
SAMPLE: Final = 1_000  # Prompts that a forecast looks at, about


@dataclass(frozen=True)
class Budget:
    tokens: int | None = None  # sent and written in all, also before; None for any number
    cost: float | None = None  # in the unit of the prices; None for any amount
    price_in: float | None = None  # of a million tokens that are sent; None where not known
    price_out: float | None = None  # of a million tokens that are written

    def cost_of(self, tokens: Tokens) -> float:
        return (tokens[0] * (self.price_in or 0) + tokens[1] * (self.price_out or 0)) / PER

    def allows(self, tokens: Tokens) -> bool:
        within = self.tokens is None or sum(tokens) <= self.tokens
        return within and (self.cost is None or self.cost_of(tokens) <= self.cost)

    def list_short(self, used: Tokens, needed: Tokens | None) -> list[str]:
        """List the limits that so much more would exceed; all that there are where none would."""
        by_tokens, by_cost = replace(self, cost=None), replace(self, tokens=None)
        limits = {"--max-tokens": by_tokens, "--max-cost": by_cost}
        whole = tuple(map(sum, zip(used, needed or (0, 0), strict=True)))
        short = [name for name, one in limits.items() if not one.allows((whole[0], whole[1]))]
        return short or [name for name, one in limits.items() if one.is_limited]

    @property
    def is_limited(self) -> bool:
        return self.tokens is not None or self.cost is not None


@dataclass(frozen=True)
class Asked:
    answered: int  # tickets that were answered now
    skipped: Counter[str] = field(hash=False)  # why there was no answer → tickets, of now
    likely: int  # answers that have probabilities, of now
    stopped: bool  # whether the budget did not allow the next question
    needed: Tokens | None = None  # the most that this question may take; None where not known


def forecast(campaign: Campaign, prompt: Prompt, tickets: Sequence[Ticket]) -> int:
    """Return about how many tokens the prompts of some tickets have, by a sample of them."""
    some, sent = tickets[:: 1 + len(tickets) // SAMPLE], 0
    for one in some:
        message = {"role": "user", "content": prompt.write(view_ticket(campaign, one))}
        sent += count_bytes([message], make_schema(campaign.task(one.task), one))
    return sent * len(tickets) // (BYTES_PER_TOKEN * len(some))


@dataclass(frozen=True)
class _Question:
    ticket: Ticket
    since: int  # when it was handed out, in milliseconds since 1970
    messages: list[Message]
    schema: dict[str, Any]
    share: Share


@dataclass(frozen=True)
class _End:
    why: str  # why there is no answer; "" where one was stored
    text: str = ""  # the reply that is no answer
    is_likely: bool = False  # whether the answer has probabilities


@dataclass(frozen=True)
class Asker:
    store: Store
    judge: str
    endpoint: Endpoint
    prompt: Prompt
    digest: str  # of model and template

    def ask_all(self, step: Callable[[int], object], parallel: int) -> Asked:
        """Let an LLM judge answer until nothing is left, or the budget does not allow the next."""
        answered, likely, skipped = 0, 0, Counter[str]()
        stopped, needed = False, None
        try:
            for end in self._run(parallel):
                skipped.update([end.why] if end.why else [])
                answered += not end.why
                likely += end.is_likely
                step(answered + skipped.total())
        except BudgetSpent as fault:
            stopped, needed = True, fault.needed
        return Asked(answered, skipped, likely, stopped=stopped, needed=needed)

    def _run(self, parallel: int) -> Iterator[_End]:
        """Yield how each question ended; after a fault no more are begun, and it is raised last."""
        questions, under_way, more = self._begin(), 0, True
        ends: SimpleQueue[_End | BaseException | None] = SimpleQueue()
        faults: list[BaseException] = []
        whys: list[str] = []  # of the first questions
        while more or under_way:
            if more and under_way < parallel:
                try:
                    question = next(questions)
                except (StopIteration, EvenhandError) as fault:
                    faults += [fault] if isinstance(fault, EvenhandError) else []
                    more = False
                else:  # daemons: a run that was interrupted waits for no reply
                    Thread(target=self._follow, args=(question, ends), daemon=True).start()
                    under_way += 1
                continue
            end = ends.get()
            under_way -= 1
            if isinstance(end, _End):
                yield end
                whys += [end.why] if len(whys) < MAX_UNREADABLE else []
                if more and whys == [UNREADABLE] * MAX_UNREADABLE:
                    shown = repr(end.text[:MAX_SHOWN]) + "…" * (len(end.text) > MAX_SHOWN)
                    why = f"no reply to the first {MAX_UNREADABLE} questions can be read; the last"
                    why = f"{why} is {shown}: try another --model, or --prompt"
                    faults.append(EndpointError(why))
                    more = False
            elif end is not None:
                faults.append(end)
                more = False
        for one in sorted(faults, key=lambda one: isinstance(one, BudgetSpent)):
            raise one

    def _begin(self) -> Iterator[_Question]:
        """Yield open tickets in order; one that could not be repaired is not begun."""
        campaign, limit, last = self.store.campaign, self.endpoint.reply_limit or 0, -1
        while found := self.store.do(judging.find_next, self.judge, last):
            ticket, since = found
            last = ticket.number
            text = self.prompt.write(view_ticket(campaign, ticket))
            messages: list[Message] = [{"role": "user", "content": text}]
            schema = make_schema(campaign.task(ticket.task), ticket)
            size, share = count_bytes(messages, schema) + len(REPAIR), Share(self.endpoint.meter)
            most = 2 * size + limit, 2 * limit
            if not share.hold(most, wait=True):
                raise BudgetSpent("the budget does not allow the next question", most)
            yield _Question(ticket, since, messages, schema, share)

    def _follow(self, question: _Question, ends: SimpleQueue[_End | BaseException | None]) -> None:
        end = None
        with Outcome() as outcome:
            end = self._answer(question)
        question.share.end()
        ends.put(end or outcome.fault)

    def _answer(self, question: _Question) -> _End:
        try:
            answer, reply = self._ask(question)
        except EndpointError:
            self._note(question, "")
            raise
        if answer is None:
            why = reply.why or UNREADABLE
            self._store(judging.skip, question, reply.text, why=why)
            return _End(why, reply.text)
        task, found = self.store.campaign.task(question.ticket.task), None
        if isinstance(task, PairTask):
            chosen = (answer["outcome"], list(task.outcomes))
            found = read_probabilities(reply.text, *chosen, reply.logprobs)
        text, seconds = reply.text, reply.seconds
        self._store(judging.append, question, text, answer=answer, seconds=seconds, found=found)
        return _End("", is_likely=found is not None)

    def _ask(self, question: _Question) -> tuple[dict[str, Any] | None, ChatReply]:
        """Return an answer that the task takes, None for none, and the last reply."""
        messages, schema, share = question.messages, question.schema, question.share
        for attempt in range(2):
            try:
                reply = self.endpoint.ask(messages, schema, share)
            except BudgetSpent:
                if not attempt:
                    raise
                break  # the first reply was paid for, and is stored
            if reply.why:
                break
            try:
                answer = read_reply(reply.text, schema)
                self.store.campaign.read_answer(question.ticket, answer)
            except InvalidJudgments as fault:
                if attempt:
                    break
                self._note(question, reply.text)
                said = [{"role": "assistant", "content": reply.text}] if reply.text else []
                messages += [*said, {"role": "user", "content": REPAIR.format(fault=fault)}]
                # what others may give back is waited for before the endpoint is held
                size = count_bytes(messages, schema)
                share.hold((size, self.endpoint.reply_limit or 0), wait=True)
            else:
                return answer, reply
        return None, reply

    def _note(self, question: _Question, text: str) -> None:
        """Store what a reply took that is no answer, before more is sent."""
        if question.share.took != (0, 0):
            self._store(judging.note_attempt, question, text)

    def _store(
        self,
        write: Write,
        question: _Question,
        text: str,
        *,
        why: str = "",
        answer: dict[str, Any] | None = None,
        seconds: float | None = None,
        found: dict[str, float] | None = None,
    ) -> None:
        facts: dict[str, Any] = {"prompt": self.digest, "tokens": list(question.share.take())}
        facts |= {"why": why} if why else {}
        whose, text = (self.judge, question.ticket.number, answer, ""), text[:MAX_REPLY]
        told = Reply(*whose, seconds, facts=facts, text=text, probabilities=found)
        self.store.do(judging.settle, write, told, question.since)


_ISSUE: Final = fill(tickets)
_GROWN: Final = renew(seats.c.name, "seat", {"total": "new_total"})


@dataclass(frozen=True)
class LlmJudge:
    model: str  # as the endpoint calls it
    template: str  # of the prompts

    @property
    def digest(self) -> str:
        """Sha256 of model and template, in hexadecimal digits; each answer names it."""
        return sha256(f"{self.model}\n{self.template}".encode()).hexdigest()


@dataclass(frozen=True)
class Progress:
    judge: str = ""  # the pseudonym; "" where it was not asked before
    issued: int = 0  # tickets that it has
    answered: int = 0
    skipped: int = 0  # tickets to which it gave no answer
    tokens: tuple[int, int] = (0, 0)  # sent to it, and written by it, for what is stored

    @property
    def left(self) -> int:
        return self.issued - self.answered - self.skipped


def read_progress(store: Readable, llm: LlmJudge) -> Progress:
    with store.reading() as connection:
        invited = ((row.judge, json.loads(row.body)) for row in connection.execute(LLM_INVITES))
        known = {body["facts"]["prompt"]: judge for judge, body in invited}
        if llm.digest not in known:
            return Progress()
        judge = known[llm.digest]
        mine = select(tickets.c.state, func.count().label("n")).where(tickets.c.seat == judge)
        states = connection.execute(mine.group_by(tickets.c.state))
        counts = {row.state: int(row.n) for row in states}
        kinds = log.c.kind.in_(("judgment", "skip", "attempt"))
        bodies = connection.execute(select(log.c.body).where(log.c.judge == judge, kinds))
        took = [json.loads(body)["facts"]["tokens"] for (body,) in bodies]
    closed, issued = counts.get(CLOSED, 0), sum(counts.values())
    tokens = (sum(sent for sent, _ in took), sum(written for _, written in took))
    return Progress(judge, issued, closed, issued - closed - counts.get(OPEN, 0), tokens)


def is_unused(where: str, planned: Campaign) -> bool:
    """Say whether a database holds another campaign, which only LLM judges began, unanswered."""
    with open_to_read(where).reading() as connection:
        # what was killed at its first step left a database without tables
        stored = load_campaign(connection) if read_version(connection) else None
        if stored is None or planned.fits(stored):
            return False
        invited = [json.loads(row.body) for row in connection.execute(LLM_INVITES)]
        seats_of_llm = {body["facts"]["seat"] for body in invited}
        kinds = {kind for (kind,) in connection.execute(select(log.c.kind).distinct())}
        given = {(row.role, row.judge) for row in connection.execute(select(links))}
    by_llm = all(role == "judge" and judge in seats_of_llm for role, judge in given)
    return by_llm and bool(invited) and kinds <= {"launch", "invite", "issue"}


def invite_llm(tx: WriteTransaction, llm: LlmJudge) -> str:
    """Give a model with a prompt a login and a seat, once; return its pseudonym."""
    for row in tx.pick(LLM_INVITES):
        if json.loads(row.body)["facts"]["prompt"] == llm.digest:
            (login,) = tx.pick(select(judges).where(judges.c.name == row.judge))
            if login.state not in PRESENT:
                forgotten = login.state == "forgotten"
                again = f"invite '{login.name}' again on the organiser's page, or "
                raise ShutOut(
                    f"'{login.name}' was removed from the campaign: {'' if forgotten else again}"
                    "change --prompt, which makes another judge"
                )
            return str(login.name)
    taken = {row.name for one in (judges, seats) for row in tx.pick(select(one.c.name))}
    name = llm.model if llm.model not in taken else f"{llm.model} {llm.digest[:8]}"
    add_judge(tx, name, name, "", "")
    facts = {"seat": name, "prompt": llm.digest, **vars(llm)}
    tx.write(Entry("invite", name, fields={"facts": facts}))
    keep_link(tx, draw_token(), "judge", name)  # which nobody gets
    return name


def issue(tx: WriteTransaction, judge: str, asked: Sequence[Ticket]) -> None:
    """Put tickets, numbered from 0, behind all that there are, and behind those of a judge."""
    (seat,) = tx.pick(select(seats).where(seats.c.holder == judge))
    first = tx.tickets
    for place, one in enumerate(asked, start=seat.total + 1):
        again = None if one.again is None else first + one.again
        made = replace(one, number=tx.tickets, judge=judge, again=again)
        tx.change(_ISSUE, make_row(made, seat.name, place))
        tx.tickets += 1
        tx.write(Entry("issue", judge, made, {"facts": {"seat": seat.name}}))
    tx.change(_GROWN, {"seat": seat.name, "new_total": seat.total + len(asked)})
