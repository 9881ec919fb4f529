"""An LLM judge answers what a campaign asks, one ticket after the other, within a budget.

Each reply is stored, in the log of people's answers, before the next question is sent. A reply that
cannot be read is asked for once more; then, or if the model refuses, the ticket has no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Ticket
from evenhand.errors import InvalidJudgments
from evenhand.web.endpoint import ChatReply, Endpoint, Message, count_bytes
from evenhand.web.prompts import REPAIR, Prompt, make_schema, read_reply
from evenhand.web.store import judging
from evenhand.web.store.judging import Answering, Reply, Served
from evenhand.web.store.llm import LlmJudge, Progress
from evenhand.web.store.store import Store
from evenhand.web.views import view_ticket

BYTES_PER_TOKEN: Final = 4  # Of English, about; for a forecast only
MAX_REPLY: Final = 20_000  # Characters of a reply that are stored
REPLY_LIMIT: Final = 4_096  # Most tokens of a reply where there is a budget
PER: Final = 1_000_000  # Tokens that a price is for
Tokens = tuple[int, int]  # Sent to the model, and written by it


@dataclass(frozen=True)
class Budget:
    """What an LLM judge may take in all, what is stored already included."""

    tokens: int | None = None  # sent and written; None for any number
    cost: float | None = None  # in the unit of the prices; None for any
    prices: tuple[float, float] = (0.0, 0.0)  # of a million tokens sent, and written

    def cost_of(self, tokens: Tokens) -> float:
        return sum(n * price for n, price in zip(tokens, self.prices, strict=True)) / PER

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
    tokens: Tokens  # with those of earlier runs
    stopped: bool  # whether the budget did not allow the next question


def forecast(campaign: Campaign, prompt: Prompt, tickets: Iterable[Ticket]) -> int:
    """Return about how many tokens the prompts of some tickets have."""
    sent = (prompt.write(view_ticket(campaign, one)) for one in tickets)
    return sum(len(text.encode()) for text in sent) // BYTES_PER_TOKEN


def ask_all(
    store: Store,
    llm: LlmJudge,
    endpoint: Endpoint,
    *,
    prompt: Prompt,
    progress: Progress,
    budget: Budget,
    step: Callable[[int], object],
) -> Asked:
    """Let an LLM judge answer until nothing is left, or the budget does not allow the next."""
    # A question is sent twice at most, the second time with the reply to the first.
    tokens, answered = progress.tokens, 0
    skipped: Counter[str] = Counter()
    while (served := store.do(judging.serve, progress.judge)) is not None:
        text = prompt.write(view_ticket(store.campaign, served.ticket))
        messages: list[Message] = [{"role": "user", "content": text}]
        limit, sent = endpoint.reply_limit or 0, count_bytes(messages) + len(REPAIR)
        if not budget.allows((tokens[0] + 2 * sent + limit, tokens[1] + 2 * limit)):
            return Asked(answered, skipped, tokens, stopped=True)
        answer, reply, took = _ask(store.campaign, served, endpoint, messages)
        tokens = (tokens[0] + took[0], tokens[1] + took[1])
        facts: dict[str, Any] = {"prompt": llm.digest, "tokens": list(took)}
        told: dict[str, Any] = {"facts": facts, "text": reply.text[:MAX_REPLY]}
        whose = (progress.judge, served.ticket.number, answer, served.key)
        if answer is None:
            facts["why"] = reply.why or "unreadable"
            skipped[facts["why"]] += 1
            store.do(judging.skip, Reply(*whose, **told))
        else:
            answered += 1
            store.do(Answering(Reply(*whose, seconds=reply.seconds, **told)))
        step(answered + skipped.total())
    return Asked(answered, skipped, tokens, stopped=False)


def _ask(
    campaign: Campaign, served: Served, endpoint: Endpoint, messages: list[Message]
) -> tuple[dict[str, Any] | None, ChatReply, Tokens]:
    """Return an answer that the task takes, None for none; the last reply, and what all took."""
    ticket, sent, written = served.ticket, 0, 0
    schema = make_schema(campaign.task(ticket.task), ticket)
    for last in (False, True):
        before, size = endpoint.lost, count_bytes(messages)
        reply = endpoint.ask(messages, schema)
        # a reply that did not arrive whole may have been paid for
        lost = endpoint.lost - before
        sent += reply.tokens[0] + lost * size
        written += reply.tokens[1] + lost * (endpoint.reply_limit or 0)
        if reply.why:
            break
        try:
            answer = read_reply(reply.text, schema)
            campaign.read_answer(ticket, answer)
        except InvalidJudgments as fault:
            said = [{"role": "assistant", "content": reply.text}] if reply.text else []
            messages += [*said, {"role": "user", "content": REPAIR.format(fault=fault)}]
        else:
            return answer, reply, (sent, written)
        if last:
            break
    return None, reply, (sent, written)
