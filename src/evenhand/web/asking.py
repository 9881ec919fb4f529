"""An LLM judge answers what a campaign asks, one ticket after the other, within a budget.

Each reply is stored, in the log of people's answers, before the next question is sent. A reply that
cannot be read is asked for once more; then, or if the model refuses, the ticket has no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import PairTask, Ticket
from evenhand.errors import InvalidJudgments
from evenhand.web.endpoint import (
    BudgetSpent,
    ChatReply,
    Endpoint,
    EndpointError,
    Message,
    Meter,
    Tokens,
    count_bytes,
)
from evenhand.web.prompts import REPAIR, Prompt, make_schema, read_probabilities, read_reply
from evenhand.web.store import judging
from evenhand.web.store.judging import Answering, Reply, Served
from evenhand.web.store.store import Store
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
) -> Asked:
    """Let an LLM judge answer until nothing is left, or the budget does not allow the next."""
    answered, likely, skipped, meter = 0, 0, Counter[str](), endpoint.meter
    while (served := store.do(judging.serve, judge)) is not None:
        account = _Account(store, served, digest, meter)
        try:
            answer, reply = _ask(store.campaign, served.ticket, endpoint, prompt, account)
        except EndpointError as fault:
            account.keep("")
            if not isinstance(fault, BudgetSpent):
                raise
            return Asked(answered, skipped, likely, stopped=True)
        facts, whose = account.take(), (judge, served.ticket.number, answer, served.key)
        if answer is None:
            facts["why"] = reply.why or "unreadable"
            skipped[facts["why"]] += 1
            store.do(judging.skip, Reply(*whose, facts=facts, text=reply.text[:MAX_REPLY]))
        else:
            answered += 1
            task, found = store.campaign.task(served.ticket.task), None
            if isinstance(task, PairTask):
                chosen = (answer["outcome"], list(task.outcomes))
                found = read_probabilities(reply.text, *chosen, reply.logprobs)
            likely += found is not None
            text = reply.text[:MAX_REPLY]
            told = Reply(*whose, reply.seconds, facts=facts, text=text, probabilities=found)
            store.do(Answering(told))
        step(answered + skipped.total())
    return Asked(answered, skipped, likely, stopped=False)


class _Account:
    """What one question took that is not stored yet."""

    def __init__(self, store: Store, served: Served, digest: str, meter: Meter) -> None:
        self._store, self._served, self._digest = store, served, digest
        self._meter, self._before = meter, meter.tokens

    def take(self) -> dict[str, Any]:
        now, before = self._meter.tokens, self._before
        self._before = now
        return {"prompt": self._digest, "tokens": [now[0] - before[0], now[1] - before[1]]}

    def keep(self, text: str) -> None:
        """Store what a reply took that is no answer, before more is sent."""
        if self._meter.tokens != self._before:
            ticket, key = self._served.ticket, self._served.key
            whose = (ticket.judge, ticket.number, None, key)
            told = Reply(*whose, facts=self.take(), text=text[:MAX_REPLY])
            self._store.do(judging.note_attempt, told)


def _ask(
    campaign: Campaign, ticket: Ticket, endpoint: Endpoint, prompt: Prompt, account: _Account
) -> tuple[dict[str, Any] | None, ChatReply]:
    """Return an answer that the task takes, None for none, and the last reply."""
    text = prompt.write(view_ticket(campaign, ticket))
    messages: list[Message] = [{"role": "user", "content": text}]
    schema = make_schema(campaign.task(ticket.task), ticket)
    # a question that could not be repaired is not begun
    size, limit = count_bytes(messages, schema) + len(REPAIR), endpoint.reply_limit or 0
    if not endpoint.meter.has_room((2 * size + limit, 2 * limit)):
        raise BudgetSpent("the budget does not allow the next question")
    for attempt in range(2):
        try:
            reply = endpoint.ask(messages, schema)
        except BudgetSpent:
            if not attempt:
                raise
            break  # the first reply was paid for, and is stored
        if reply.why:
            break
        try:
            answer = read_reply(reply.text, schema)
            campaign.read_answer(ticket, answer)
        except InvalidJudgments as fault:
            if not attempt:
                account.keep(reply.text)
            said = [{"role": "assistant", "content": reply.text}] if reply.text else []
            messages += [*said, {"role": "user", "content": REPAIR.format(fault=fault)}]
        else:
            return answer, reply
    return None, reply
