"""The judge's page: its shell, and what it sends and is told."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, select
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from evenhand.web.incoming import identify, read_json
from evenhand.web.outgoing import tell
from evenhand.web.site import site_of
from evenhand.web.store import judging, people
from evenhand.web.store.ahead import Answering
from evenhand.web.store.desk import Desk
from evenhand.web.store.judging import Reply, Served
from evenhand.web.store.lookups import has_answered
from evenhand.web.store.prepared import Prepared
from evenhand.web.store.refusals import NotYours
from evenhand.web.store.schema import judges
from evenhand.web.store.store import Store
from evenhand.web.views import View, view_end, view_feedback, view_halt, view_state

NOTHING: Final = "nothing"  # Said of a judge for whom nothing is left, and who answered nothing
_AGREED: Final = Prepared(select(judges.c.consented).where(judges.c.name == bindparam("judge")))


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    """An answer as the page sends it; what is in `answer` is the task's to check."""

    ticket: int | str
    key: str
    answer: Any
    seconds: float | None = None


class Back(msgspec.Struct, forbid_unknown_fields=True):
    """A wish to take the last answer back."""

    # the ticket that the page shows, None at the end. The same wish sent twice takes one answer
    # back, since the judge is at another ticket after the first time.
    at: int | str | msgspec.UnsetType | None = msgspec.UNSET


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """A request that says nothing besides."""


async def show_page(request: Request) -> Response:
    """Send the page; it asks for its first item itself."""
    site = site_of(request)
    await identify(request, "judge")
    campaign = site.campaign
    told = {
        "title": campaign.title or campaign.name,
        "page": campaign.wording.text("page"),
        "root": f"{site.prefix}/j/{request.path_params['token']}",
    }
    return HTMLResponse(site.render("judge.html", told))


async def show_item(request: Request) -> Response:
    """Send the judge's item, the text to agree to, or the end."""
    site, who = site_of(request), await identify(request, "judge")
    found = await site.store.soon(lambda desk: _serve(desk, who.judge))
    if found == "consent":
        words = site.campaign.wording
        told = {"consent": words.consent, "instructions": words.instructions}
        return tell({"state": "consent", **told})
    return tell(_view(site.store, found))


def _view(store: Store, found: Served | str | None) -> View:
    """Return an item, or the end: without a completion code for whoever answered nothing."""
    if isinstance(found, str):
        return {**view_end(store.campaign), "code": ""}
    return view_state(store, found)


def _serve(desk: Desk, judge: str) -> Served | str | None:
    """Serve an item, unless the judge has to agree to something first."""
    if desk.campaign.wording.consent:
        row = desk.ask(_AGREED, {"judge": judge})
        if row is None or row.consented is None:
            return "consent"
    return _serve_or_end(desk, judge)


def _serve_or_end(desk: Desk, judge: str) -> Served | str | None:
    """Serve an item; at the end, say whether there was nothing to answer from the beginning."""
    served = judging.serve(desk, judge)
    return served if served is not None or has_answered(desk, judge) else NOTHING


async def take_answer(request: Request) -> Response:
    """Store an answer; send the next item with what is said of this one."""
    site, who = site_of(request), await identify(request, "judge")
    sent = await read_json(request, Sent)
    ticket = site.store.find_ticket(who.judge, sent.ticket)
    reply = Reply(who.judge, ticket, sent.answer, sent.key, sent.seconds)
    done = await site.store.soon(Answering(reply))
    following: View = (
        view_state(site.store, done.next) if done.halt is None else view_halt(done.halt)
    )
    record = done.record
    # the hash of a body with random bits tells nothing of the record; its number would: how far
    # numbers go from one answer to the next tells a policy's tickets apart
    told: View = {"receipt": record.hash, "next": following}
    if record.ticket is not None and record.ticket.kind == "training":
        told["feedback"] = view_feedback(site.campaign, record.ticket, record.answer or {})
    return tell(told)


async def take_back(request: Request) -> Response:
    """Take the last answer back; send its item again."""
    site, who = site_of(request), await identify(request, "judge")
    sent = await read_json(request, Back)

    def work(desk: Desk) -> Served | None:
        if sent.at is not msgspec.UNSET and not _is_open(site.store, desk, who.judge, sent.at):
            return judging.serve(desk, who.judge)
        return judging.undo(desk, who.judge)

    return tell(view_state(site.store, await site.store.soon(work)))


def _is_open(store: Store, desk: Desk, judge: str, at: int | str | None) -> bool:
    """Say whether a ticket, None for none, is what a judge has before them."""
    number = judging.find_open(desk, judge)
    if at is None or number is None:
        return at is None and number is None
    try:
        return store.find_ticket(judge, at) == number
    except NotYours:
        return False


async def agree(request: Request) -> Response:
    """Note that a judge agreed; send the first item."""
    site, who = site_of(request), await identify(request, "judge")
    await read_json(request, Nothing)

    def work(desk: Desk) -> Served | str | None:
        row = desk.ask(_AGREED, {"judge": who.judge})
        if row is not None and row.consented is None:
            people.consent(desk, who.judge)
        return _serve_or_end(desk, who.judge)

    return tell(_view(site.store, await site.store.soon(work)))


async def leave(request: Request) -> Response:
    """Let a judge go; what is left of the seat is for somebody else."""
    site, who = site_of(request), await identify(request, "judge")
    await read_json(request, Nothing)
    await site.store.soon(lambda desk: people.leave(desk, who.judge))
    return tell({"state": "left"})


ROUTES: Final = [
    Route("/j/{token}", show_page),
    Route("/j/{token}/item", show_item),
    Route("/j/{token}/answer", take_answer, methods=["POST"]),
    Route("/j/{token}/undo", take_back, methods=["POST"]),
    Route("/j/{token}/consent", agree, methods=["POST"]),
    Route("/j/{token}/leave", leave, methods=["POST"]),
]
