"""Requests and their answers: parse to a value, ask the store, answer with a page."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any, BinaryIO, Final, Literal, NamedTuple
from urllib.parse import quote

import msgspec
from sqlalchemy import bindparam, select
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import Message as Told
from starlette.types import Receive, Scope, Send

from evenhand.design.campaign import PLATFORMS, find_platform
from evenhand.design.forms import TYPES
from evenhand.errors import CampaignError, Message
from evenhand.web import downloads
from evenhand.web.analysis import list_offers, list_unfit
from evenhand.web.dashboard import read_mark, summarize_progress
from evenhand.web.links import (
    MAX_COMMENTS,
    find_missing,
    make_address,
    read_comments,
    write_invitations,
)
from evenhand.web.requests import check_origin, identify, json_response, read_json
from evenhand.web.site import CHUNK, Question, Site, analysis_of, site_of
from evenhand.web.store import judging, people
from evenhand.web.store.database import WriteTransaction
from evenhand.web.store.judging import Answering, Reply, Served, Sitting
from evenhand.web.store.log import NotYours, Refused, Unproven
from evenhand.web.store.people import Invitation, draw_token, read_token
from evenhand.web.store.schema import Prepared, judges, seats
from evenhand.web.views import View, view_consent, view_end, view_feedback, view_halt, view_state

# To look at the link of a crowd takes no seat: programs that preview links do so. The page brings a
# secret for the browser before a seat is taken, so that whoever sends the form twice is known.

# What Mechanical Turk sends for an assignment that nobody has taken yet
PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
KEPT: Final = "private, max-age=31536000, immutable"  # Files, which go by what is in them
NEVER: Final = "Thu, 01 Jan 1970 00:00:00 GMT"
LONG: Final = 180 * 86_400  # Seconds for which a browser keeps the secret
_log: Final = logging.getLogger("evenhand")


async def show_join_page(request: Request) -> Response:
    site, _ = await identify(request, "crowd")
    worker, campaign = _read_worker(request, site), site.campaign
    told = {"title": campaign.title or campaign.name, "page": campaign.wording.text("page")}
    told |= {"worker": worker, "platform": find_platform(campaign.platform)}
    page = HTMLResponse(site.render("join.html", told, site.words))
    name = _name_cookie(site, worker)
    if read_token(request.cookies.get(name, "")) is None:
        _keep(page, request, name, str(draw_token()))
    return page


async def enrol(request: Request) -> Response:
    site, _ = await identify(request, "crowd")
    check_origin(request)
    worker, platform = _read_worker(request, site), site.campaign.platform
    name = _name_cookie(site, worker)
    secret = request.cookies.get(name, "")
    try:
        made = await site.store.soon(lambda tx: people.enrol(tx, platform, worker, secret))
    except Unproven as refusal:
        if site.complaints.take(refusal.judge):
            _log.warning(
                "evenhand: somebody came as the worker who is %s, and was not let in:"
                " the browser is another one",
                refusal.judge,
            )
        raise
    page = RedirectResponse(f"{site.prefix}/j/{made.token}", 303)
    if made.token != secret:
        _keep(page, request, name, made.token)
    return page


def _read_worker(request: Request, site: Site) -> str:
    query, platform = request.query_params, find_platform(site.campaign.platform)
    if query.get("assignmentId") == PREVIEW:
        raise Refused(Message("accept the task first: this is a preview"))
    worker = query.get(platform.parameter, "")
    if worker:
        return platform.check(worker)
    for other in PLATFORMS.values():
        if query.get(other.parameter):
            raise Refused(
                f"this campaign is for workers of {platform.title}, whose link ends in"
                f" ?{platform.parameter}=...; where they come from {other.title}, the campaign file"
                f' says platform = "{other.name}"'
            )
    form = f"?{platform.parameter}=..."
    raise Refused(Message("the link names no worker: it ends in {form}", {"form": form}))


def _name_cookie(site: Site, worker: str) -> str:
    """Return a name of its own for each worker: two may share a browser."""
    key = f"{site.campaign.digest} {site.campaign.platform} {worker}"
    return f"evenhand-{sha256(key.encode()).hexdigest()[:16]}"


def _keep(page: Response, request: Request, name: str, secret: str) -> None:
    site = site_of(request)
    secure = "https" in (request.url.scheme, site.address.partition(":")[0])
    kept: dict[str, Any] = {"max_age": LONG, "path": f"{site.prefix}/crowd/", "secure": secure}
    page.set_cookie(name, secret, httponly=True, samesite="lax", **kept)


async def answer(request: Request) -> Response:
    return await (enrol(request) if request.method == "POST" else show_join_page(request))


ROUTES_CROWD: Final = [Route("/crowd/{token}", answer, methods=["GET", "POST"])]

_AGREED: Final = Prepared(
    select(judges.c.consented, seats.c.total)
    .join(seats, seats.c.name == judges.c.seat)
    .where(judges.c.name == bindparam("judge"))
)


class Consent(NamedTuple):
    """That a judge has not agreed yet, and to how many questions."""

    questions: int


# What a judge is shown, and the documents whose answers they may change; None where there was
# nothing to answer from the beginning
Shown = tuple[Served | None, Sitting] | Consent | None


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    ticket: str
    key: str
    answer: Any
    seconds: float | None = None
    # The receipt of the answer that this one changes. Not its number: how far numbers go from one
    # answer to the next tells more than judges are to know.
    replaces: str = ""


class Back(msgspec.Struct, forbid_unknown_fields=True):
    # the ticket that the page shows, None at the end. The same wish sent twice takes one answer
    # back, since the judge is at another ticket after the first time.
    at: str | msgspec.UnsetType | None = msgspec.UNSET


class Submitted(msgspec.Struct, forbid_unknown_fields=True):
    receipts: list[str]  # of the judge's answers to the document, as the page showed them


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """A request that says nothing besides."""


async def show_judge_page(request: Request) -> Response:
    site, _ = await identify(request, "judge")
    campaign = site.campaign
    told = {
        "title": campaign.title or campaign.name,
        "page": campaign.wording.text("page"),
        "break_after": campaign.time.break_after,
        "root": f"{site.prefix}/j/{request.path_params['token']}",
    }
    return HTMLResponse(site.render("judge.html", told, site.words))


async def show_item(request: Request) -> Response:
    site, who = await identify(request, "judge")

    def work(tx: WriteTransaction) -> Shown:
        if tx.campaign.wording.consent:
            row = tx.ask(_AGREED, {"judge": who.judge})
            if row is None or row.consented is None:
                return Consent(0 if row is None else row.total)
        return _serve_or_end(tx, who.judge)

    return await _show(site, work)


async def _draw(site: Site, view: Callable[[], View]) -> View:
    """Make a view, beside the loop where a text may take long to lay out."""
    return view() if site.campaign.is_plain else await run_in_threadpool(view)


async def _show(site: Site, work: Callable[[WriteTransaction], Shown | Refused]) -> Response:
    shown = await site.store.soon(work)
    return json_response(await _draw(site, lambda: _view(site, shown)))


def _view(site: Site, shown: Shown | Refused) -> View:
    if isinstance(shown, Refused):
        return view_halt(shown, site.words)
    if isinstance(shown, Consent):
        return view_consent(site.campaign, shown.questions, site.words)
    if shown is None:
        return {**view_end(site.campaign), "code": ""}
    served, sitting = shown
    return view_state(site.store, served, site.words, sitting)


def _serve_or_end(tx: WriteTransaction, judge: str) -> Shown:
    served = judging.serve(tx, judge)
    if served is None and tx.ask(judging.GAVE, {"judge": judge}) is None:
        return None
    return served, judging.find_sitting(tx, judge)


async def send_file(request: Request) -> Response:
    """Send an image or a recording, unless it is another one than when the server began."""
    site, _ = await identify(request, "judge")
    file = site.files.get(request.path_params["name"])
    if file is None:
        raise HTTPException(404, "there is no such file")
    if not await run_in_threadpool(lambda: file.is_same):
        site.missed.add(file.name)
        if site.complaints.take(file.name):
            _log.warning("evenhand: %s was changed or removed, and is not shown", file.path)
        raise HTTPException(404, "there is no such file")
    kind = TYPES[file.name.rpartition(".")[2]]
    # when a file was made tells which system made it: the response says nothing of it
    headers = {"Cache-Control": KEPT, "ETag": f'"{file.name}"', "Last-Modified": NEVER}
    return _FileIfThere(file.path, media_type=kind, headers=headers)


class _FileIfThere(FileResponse):
    """A file that may be deleted until it is opened: its headers are sent with its first part."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        held: list[Told] = []
        begun = False

        async def send_late(message: Told) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                held.append(message)
                return
            begun = True
            while held:
                await send(held.pop())
            await send(message)

        try:
            await super().__call__(scope, receive, send_late)
        except (OSError, RuntimeError):
            if begun:
                raise
            raise HTTPException(404, "there is no such file") from None


async def take_answer(request: Request) -> Response:
    site, who = await identify(request, "judge")
    sent = await read_json(request, Sent)
    ticket = site.store.find_ticket(who.judge, sent.ticket)
    reply = Reply(who.judge, ticket, sent.answer, sent.key, sent.seconds)
    done = await site.store.soon(Answering(reply, sent.replaces))
    record, shown = done.record, done.halt or (done.next, done.sitting)
    following = await _draw(site, lambda: _view(site, shown))
    # the hash of a body with random bits tells nothing of the record; its number would: how far
    # numbers go from one answer to the next tells a policy's tickets apart
    payload: View = {"receipt": record.hash, "next": following}
    if record.ticket is not None and record.ticket.kind == "training":
        payload["feedback"] = view_feedback(site.campaign, record.ticket, record.answer or {})
    return json_response(payload)


async def take_back(request: Request) -> Response:
    site, who = await identify(request, "judge")
    sent = await read_json(request, Back)

    def work(tx: WriteTransaction) -> Shown:
        if sent.at is not msgspec.UNSET:
            number = judging.find_open(tx, who.judge)
            same = sent.at is None and number is None
            if sent.at is not None and number is not None:
                with suppress(NotYours):
                    same = site.store.find_ticket(who.judge, sent.at) == number
            if not same:
                return _serve_or_end(tx, who.judge)
        served = judging.undo(tx, who.judge)
        return served, judging.find_sitting(tx, who.judge)

    return await _show(site, work)


async def submit(request: Request) -> Response:
    site, who = await identify(request, "judge")
    sent = await read_json(request, Submitted)

    def work(tx: WriteTransaction) -> Shown | Refused:
        judging.submit(tx, who.judge, sent.receipts)
        try:
            return _serve_or_end(tx, who.judge)
        except Refused as halt:  # it is submitted all the same
            return halt

    return await _show(site, work)


async def agree(request: Request) -> Response:
    site, who = await identify(request, "judge")
    await read_json(request, Nothing)

    def work(tx: WriteTransaction) -> Shown:
        row = tx.ask(_AGREED, {"judge": who.judge})
        if row is not None and row.consented is None:
            people.consent(tx, who.judge)
        return _serve_or_end(tx, who.judge)

    return await _show(site, work)


async def leave(request: Request) -> Response:
    site, who = await identify(request, "judge")
    await read_json(request, Nothing)
    await site.store.soon(lambda tx: people.leave(tx, who.judge))
    return json_response({"state": "left"})


ROUTES_JUDGE: Final = [
    Route("/j/{token}", show_judge_page),
    Route("/j/{token}/item", show_item),
    Route("/j/{token}/file/{name}", send_file),
    Route("/j/{token}/answer", take_answer, methods=["POST"]),
    Route("/j/{token}/submit", submit, methods=["POST"]),
    Route("/j/{token}/undo", take_back, methods=["POST"]),
    Route("/j/{token}/consent", agree, methods=["POST"]),
    Route("/j/{token}/leave", leave, methods=["POST"]),
]


class Order(msgspec.Struct, forbid_unknown_fields=True):
    what: Literal["pause", "resume", "invite", "link", "note", "revoke", "forget", "join"]
    judge: str = ""
    seat: str = ""
    note: str = ""
    person: str = ""
    answers: bool = False


async def show_admin_page(request: Request) -> Response:
    site, _ = await identify(request, "admin")
    told = await run_in_threadpool(summarize_progress, site.store)
    told |= {"root": f"{site.prefix}/a/{request.path_params['token']}"}
    held = set() if site.links is None else await run_in_threadpool(site.links.list_judges)
    told |= {"unsaved": find_missing(told["judges"], held)}
    told |= {"missing": await run_in_threadpool(site.list_missing)}
    told |= {"offers": list_offers(site.campaign), "unfit": list_unfit(site.campaign)}
    return HTMLResponse(site.render("admin.html", told))


async def show_part(what: Literal["findings", "promises"], request: Request) -> Response:
    await identify(request, "admin")
    return HTMLResponse((await analysis_of(request).ask(Question(what))).body)


async def show_board(request: Request) -> Response:
    """Send what the page shows of now, for programs; nothing where they have seen it."""
    site, _ = await identify(request, "admin")
    known = request.headers.get("if-none-match", "").strip('"')
    _, mark = await run_in_threadpool(read_mark, site.store)
    if known == mark:
        return Response(status_code=304)
    board = await analysis_of(request).ask(Question("board"))
    tag = {"ETag": f'"{board.mark}"'} if board.mark else None
    return Response(board.body, media_type="application/json", headers=tag)


async def show_comments(request: Request) -> Response:
    site, _ = await identify(request, "admin")
    context = {"comments": await run_in_threadpool(read_comments, site.store), "most": MAX_COMMENTS}
    return HTMLResponse(site.render("comments.html", context))


async def obey(request: Request) -> Response:
    site, _ = await identify(request, "admin")
    done = await run_in_threadpool(_obey, site, await read_json(request, Order))
    site.known.forget()
    if isinstance(done, str):
        return json_response({"message": done})
    link = make_address(_find_base(request), "judge", done.token)
    message = f"The link of {done.judge}{'' if site.links else '; it is shown once'}."
    judges = await run_in_threadpool(site.store.judges)
    if any(judge.name == done.judge and not judge.total for judge in judges):
        more = "No questions are left for this judge: choose a free seat, or revoke another judge."
        message = f"{message} {more}"
    return json_response({"message": message, "link": link})


def _obey(site: Site, order: Order) -> str | Invitation:
    store, judge = site.store, order.judge
    match order.what:
        case "link":
            token = "" if site.links is None else site.links.find().get(judge, "")
            if not token:
                raise Refused(f"the link of {judge} is not in the file of links: make a new link")
            return Invitation(judge, token)
        case "invite":
            made = store.invite(judge, seat=order.seat, note=order.note)
            if site.links is not None:
                try:
                    site.links.add(judge, made.token)
                except CampaignError as fault:  # whoever reads the answer has the link all the same
                    _log.warning("evenhand: %s", fault)
            return made
        case "pause":
            store.pause()
            message = "Paused: judges are informed, and can still send the answer they have begun."
        case "resume":
            store.resume()
            message = "Open again."
        case "note":
            store.do(people.describe, judge, order.note)
            message = f"Kept for you alone: who {judge} is."
        case "revoke":
            store.revoke(judge)
            message = f"{judge} is removed from the campaign."
        case "forget":
            names = store.forget(judge, answers=order.answers)
            message = f"Deleted what was known of {', '.join(names)}"
            message += ", and all answers." if order.answers else "."
            if not store.emptied:
                message += " The file gives it up when the downloads that are running have ended."
        case "join":
            store.join(judge, order.person)
            message = f"{judge} and {order.person} are one person now."
    return message


def _find_base(request: Request) -> str:
    site = site_of(request)
    return f"{site.address or str(request.base_url).rstrip('/')}{site.prefix}"


async def send_invitations(request: Request) -> Response:
    """Send the links of judges, which stand in no other file that is sent."""
    site, _ = await identify(request, "admin")
    if site.links is None:
        raise HTTPException(404, "this server keeps no links")
    base = _find_base(request)
    tokens = await run_in_threadpool(site.links.find)
    links = {judge: make_address(base, "judge", token) for judge, token in tokens.items()}
    table = write_invitations(await run_in_threadpool(site.store.judges), links)
    headers = {"Content-Disposition": "attachment; filename=invitations.csv"}
    return Response(table, media_type=downloads.TYPES[".csv"], headers=headers)


async def send_download(request: Request) -> Response:
    site, _ = await identify(request, "admin")
    name = request.path_params["name"]
    if name not in downloads.list_files(site.store):
        raise HTTPException(404, "there is no such table")
    return await _send(request, Question("download", name))


async def send_export(request: Request) -> Response:
    await identify(request, "admin")
    name, kind = request.query_params.get("pass", ""), request.path_params["kind"]
    return await _send(request, Question("export", name, kind))


async def _send(request: Request, question: Question) -> Response:
    head = str(await run_in_threadpool(site_of(request).store.head))
    answer = await analysis_of(request).ask(question)
    return _SentFile(answer.open(), answer.name, head)


class _SentFile(StreamingResponse):
    """A file that is closed when its sending ends, also where the client has gone."""

    def __init__(self, file: BinaryIO, name: str, head: str) -> None:
        headers = {
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
            "Content-Length": str(os.fstat(file.fileno()).st_size),
            downloads.HEAD: head,
        }
        pieces = iter(partial(file.read, CHUNK), b"")
        kind = downloads.TYPES[name[name.rfind(".") :]]
        super().__init__(pieces, media_type=kind, headers=headers)
        self.file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.file:
            await super().__call__(scope, receive, send)


ROUTES_ADMIN: Final = [
    Route("/a/{token}", show_admin_page),
    Route("/a/{token}/findings", partial(show_part, "findings")),
    Route("/a/{token}/board.json", show_board),
    Route("/a/{token}/comments", show_comments),
    Route("/a/{token}/promises", partial(show_part, "promises")),
    Route("/a/{token}/do", obey, methods=["POST"]),
    Route("/a/{token}/invitations.csv", send_invitations),
    Route("/a/{token}/download/{name}", send_download),
    Route("/a/{token}/export/{kind}", send_export),
]
