"""An LLM judge answers what a campaign asks, one ticket after the other, within a budget.

Each reply is stored, in the log of people's answers, before another question takes its place. A
reply that cannot be read is asked for once more; then, or if the model refuses, the ticket has no
answer. Several questions may be on their way: one thread hands them out in the order of tickets,
one thread each sends and stores. After a fault no more are handed out, and those on their way end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import PairTask, Ticket
from evenhand.errors import EvenhandError, InvalidJudgments
from evenhand.web.endpoint import (
    BudgetSpent,
    ChatReply,
    Endpoint,
    EndpointError,
    Message,
    Share,
    Tokens,
    count_bytes,
)
from evenhand.web.prompts import REPAIR, Prompt, make_schema, read_probabilities, read_reply
from evenhand.web.store import judging
from evenhand.web.store.judging import Reply, Write
from evenhand.web.store.store import Outcome, Store
from evenhand.web.views import view_ticket

BYTES_PER_TOKEN: Final = 4  # Of English, about; for a forecast only
MAX_REPLY: Final = 20_000  # Characters of a reply that are stored
REPLY_LIMIT: Final = 4_096  # Most tokens of a reply where there is a budget
PER: Final = 1_000_000  # Tokens that a price is for
SAMPLE: Final = 1_000  # Prompts that a forecast looks at, about


@dataclass(frozen=True)
class Budget:
    """What an LLM judge may take in all, what is stored already included."""

    tokens: int | None = None  # sent and written; None for any number
    cost: float | None = None  # in the unit of the prices; None for any amount
    price_in: float | None = None  # of a million tokens that are sent; None where not known
    price_out: float | None = None  # of a million tokens that are written

    def cost_of(self, tokens: Tokens) -> float:
        return (tokens[0] * (self.price_in or 0) + tokens[1] * (self.price_out or 0)) / PER

    def allows(self, tokens: Tokens) -> bool:
        within = self.tokens is None or sum(tokens) <= self.tokens
        return within and (self.cost is None or self.cost_of(tokens) <= self.cost)

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
    some = tickets[:: 1 + len(tickets) // SAMPLE]
    sent = sum(len(prompt.write(view_ticket(campaign, one)).encode()) for one in some)
    return sent * len(tickets) // (BYTES_PER_TOKEN * len(some))


def ask_all(
    store: Store,
    judge: str,
    endpoint: Endpoint,
    *,
    prompt: Prompt,
    digest: str,
    step: Callable[[int], object],
    parallel: int = 1,
) -> Asked:
    """Let an LLM judge answer until nothing is left, or the budget does not allow the next."""
    asker = _Asker(store, judge, endpoint, prompt, digest)
    answered, likely, skipped, stopped = 0, 0, Counter[str](), False
    needed: Tokens | None = None
    try:
        for end in asker.run(parallel):
            skipped.update([end.why] if end.why else [])
            answered += not end.why
            likely += end.is_likely
            step(answered + skipped.total())
    except BudgetSpent as fault:
        stopped, needed = True, fault.needed
    return Asked(answered, skipped, likely, stopped, needed)


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
    is_likely: bool = False  # whether the answer has probabilities


@dataclass(frozen=True)
class _Asker:
    store: Store
    judge: str
    endpoint: Endpoint
    prompt: Prompt
    digest: str

    def run(self, parallel: int) -> Iterator[_End]:
        """Yield how each question ended; after a fault no more are begun, and it is raised last."""
        questions, under_way, more = self._begin(), 0, True
        ends: SimpleQueue[_End | BaseException | None] = SimpleQueue()
        faults: list[BaseException] = []
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
        end, outcome = None, Outcome()
        with outcome:
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
            why = reply.why or "unreadable"
            self._store(judging.skip, question, reply.text, why=why)
            return _End(why)
        task, found = self.store.campaign.task(question.ticket.task), None
        if isinstance(task, PairTask):
            chosen = (answer["outcome"], list(task.outcomes))
            found = read_probabilities(reply.text, *chosen, reply.logprobs)
        text, seconds = reply.text, reply.seconds
        self._store(judging.append, question, text, answer=answer, seconds=seconds, found=found)
        return _End("", found is not None)

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
                share.hold(
                    (count_bytes(messages, schema), self.endpoint.reply_limit or 0), wait=True
                )
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
        if why:
            facts["why"] = why
        whose, text = (self.judge, question.ticket.number, answer, ""), text[:MAX_REPLY]
        told = Reply(*whose, seconds, facts=facts, text=text, probabilities=found)
        self.store.do(judging.settle, write, told, question.since)
