"""What a judge's page is told of a ticket: texts and settings, never systems or what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evenhand.design.campaign import Campaign, Pay
from evenhand.design.catalogues import ENGLISH, Catalogue
from evenhand.design.forms import draw
from evenhand.design.tasks import PairTask, RankTask, ScaledTask, SpanTask, Ticket
from evenhand.errors import Message
from evenhand.web.site import number
from evenhand.web.store.judging import Segment, Served, Sitting
from evenhand.web.store.log import Refused
from evenhand.web.store.queries import Readable

View = dict[str, Any]
# What is asked where a task does not say
QUESTIONS: Final = {
    "pair": Message("Which is better?"),
    "rank": Message("Put these in order, the best first."),
    "rating": Message("How good is this?"),
    "spans": Message("Mark every error."),
}

ALONE: Final = Sitting()  # Of items that are of no document
# How pay is told, by what is paid for
PAID: Final = {
    ("hour",): Message("{hour} per hour"),
    ("answer",): Message("{answer} per answer"),
    ("hour", "answer"): Message("{hour} per hour and {answer} per answer"),
}


def view_state(
    store: Readable, served: Served | None, words: Catalogue = ENGLISH, sitting: Sitting = ALONE
) -> View:
    campaign = store.campaign
    where: View = {}
    if served is not None:
        ticket = served.ticket
        where = {"ticket": store.name_ticket(ticket.judge, ticket.number)}
        where |= {"place": served.place, "total": served.total}
    if sitting.before:  # what comes after it is shown when it was submitted
        ended = [_view_segment(store, one, words) for one in sitting.before]
        return {"state": "ended", "ended": ended, **where}
    undone = {"closed": True} if sitting.closed else {}
    if served is None:
        return {**view_end(campaign), **undone}
    view: View = {"state": "item", "key": served.key, **where, **undone}
    view["training"] = ticket.kind == "training"
    if sitting.here:
        view["document"] = [_view_segment(store, one, words) for one in sitting.here]
        view["at"] = [one.ticket.number for one in sitting.here].index(ticket.number)
    return {**view, **view_ticket(campaign, ticket, words, drawn=True)}


def _view_segment(store: Readable, segment: Segment, words: Catalogue) -> View:
    """Return a segment of a document, with the answer to it where it may be changed."""
    ticket, record = segment.ticket, segment.record
    view = view_ticket(store.campaign, ticket, words, drawn=True)
    if record is not None and record.answer is not None and record.judge == ticket.judge:
        comment = {"comment": record.comment} if record.comment else {}
        named = store.name_ticket(ticket.judge, ticket.number)
        view |= {"ticket": named, "answer": {**record.answer, **comment}, "receipt": record.hash}
    return view


def view_ticket(
    campaign: Campaign, ticket: Ticket, words: Catalogue = ENGLISH, *, drawn: bool = False
) -> View:
    """Return all that a judge is told of what is asked: people see texts drawn."""
    task, item = campaign.task(ticket.task), campaign.item(ticket.item)
    beside = [
        {"name": name, **_text(campaign, name, getattr(item, name), drawn=drawn)}
        for name in ("context", "source", "reference")
        if name in task.shows and getattr(item, name)
    ]
    outputs = [_text(campaign, "output", text, drawn=drawn) for text in campaign.shown(ticket)]
    passes = [one.name for one in campaign.tasks]
    instructions = [one for one in (campaign.wording.instructions, task.instructions) if one]
    view: View = {
        "name": task.name,
        "kind": task.kind,
        "question": words.gettext(task.question or str(QUESTIONS[task.kind])),
        "instructions": "\n\n".join(instructions),
        "comment": task.comment,
        "part": passes.index(task.name) + 1,
        "parts": len(passes),
    }
    if isinstance(task, PairTask):
        view |= {"outcomes": list(task.outcomes), "differences": task.differences}
    if isinstance(task, RankTask):
        view |= {"ties": task.ties}
    if isinstance(task, ScaledTask):
        scale = ("low", "high", "step", "low_label", "high_label")
        view |= {name: getattr(task, name) for name in scale}
    if whole := campaign.find_document_question(ticket):
        view["document_question"] = whole
    if isinstance(task, SpanTask):
        kinds = {"severities": list(task.severities), "categories": list(task.categories)}
        view |= {**kinds, "score": task.score, "sides": ["output"]}
        if "source" in task.shows and campaign.wording.text("source").form.is_plain:
            view["sides"] = ["source", "output"]
    return {"beside": beside, "outputs": outputs, "task": view}


def view_consent(campaign: Campaign, questions: int, words: Catalogue = ENGLISH) -> View:
    """Return what a judge is told before the first question: how many, how long, and the pay."""
    texts = campaign.wording
    view = {"state": "consent", "consent": texts.consent, "instructions": texts.instructions}
    minutes = campaign.time.count_minutes(questions)
    time = Message("about {time}", {"time": words.format_minutes(minutes)}) if minutes else ""
    pay = say_pay(campaign.pay, words)
    told = {"questions": questions, "minutes": minutes, "time": words.say(time), "pay": pay}
    return {**view, **told}


def say_pay(pay: Pay, words: Catalogue = ENGLISH) -> str:
    rates = (("hour", pay.per_hour), ("answer", pay.per_answer))
    amounts = ((unit, words.format_amount(value)) for unit, value in rates if value)
    paid = {unit: f"{amount} {pay.currency}".strip() for unit, amount in amounts}
    said = PAID.get(tuple(paid))
    return words.say(Message(said, paid)) if said else ""


def view_end(campaign: Campaign) -> View:
    words = campaign.wording
    return {"state": "done", "thanks": words.thanks, "code": words.completion_code}


def view_halt(halt: Refused, words: Catalogue = ENGLISH) -> View:
    return {"state": "halt", "word": number(halt)[1], "message": words.say(halt.args[0])}


def view_feedback(campaign: Campaign, ticket: Ticket, answer: Mapping[str, Any]) -> View | None:
    taught = campaign.feedback(ticket)
    if taught is None:
        return None
    right: dict[str, Any] = dict(taught.answer)
    agrees: bool | None = None
    if right:  # an answer to outputs as they are written becomes one to them as they are shown
        written = campaign.item(ticket.item).systems
        if "ranks" in right:
            ranks = dict(zip(written, right["ranks"], strict=True))
            right["ranks"] = [ranks[system] for system in ticket.systems]
        if "outcome" in right and tuple(written) != tuple(ticket.systems):
            sides = {"left": "right", "right": "left"}
            right["outcome"] = sides.get(right["outcome"], right["outcome"])
        right = campaign.read_answer(ticket, right).to_dict()
        agrees = all(answer.get(name) == right[name] for name in right.keys() - {"comment"})
    return {"text": taught.feedback, "right": right, "agrees": agrees}


def _text(campaign: Campaign, name: str, words: str, *, drawn: bool) -> View:
    field = campaign.wording.text(name)
    shown = {"text": words} if field.form.is_plain or not drawn else draw(field.form, words)
    return {**shown, "language": field.language, "direction": field.direction}
