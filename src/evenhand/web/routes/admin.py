"""The organiser's page: how far the campaign is, who judges, what can be taken home."""

from __future__ import annotations

import os
from functools import partial
from typing import BinaryIO, Final, Literal
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from evenhand.web import downloads
from evenhand.web.incoming import identify, read_json
from evenhand.web.outgoing import tell
from evenhand.web.outside import list_offers, list_unfit
from evenhand.web.overview import overlook, read_mark
from evenhand.web.questions import CHUNK, Question
from evenhand.web.remarks import MOST, read_comments
from evenhand.web.site import Site, site_of
from evenhand.web.store.tokens import Invitation


class Order(msgspec.Struct, forbid_unknown_fields=True):
    """What the organiser wants."""

    what: Literal["pause", "resume", "invite", "revoke", "forget", "join"]
    judge: str = ""
    seat: str = ""
    note: str = ""
    person: str = ""
    answers: bool = False


async def show_page(request: Request) -> Response:
    """Send the page."""
    site = site_of(request)
    await identify(request, "admin")
    told = await run_in_threadpool(overlook, site.store)
    told |= {"root": f"{site.prefix}/a/{request.path_params['token']}"}
    told |= {"offers": list_offers(site.campaign), "unfit": list_unfit(site.campaign)}
    return HTMLResponse(site.render("admin.html", told))


async def show_findings(request: Request) -> Response:
    """Send what the judgments say so far, as a part of the page."""
    site = site_of(request)
    await identify(request, "admin")
    return HTMLResponse((await site.analysis.ask(Question("findings"))).body)


async def show_board(request: Request) -> Response:
    """Send what the page shows of now, for programs; nothing where they have seen it."""
    site = site_of(request)
    await identify(request, "admin")
    known = request.headers.get("if-none-match", "").strip('"')
    _, mark = await run_in_threadpool(read_mark, site.store)
    if known == mark:
        return Response(status_code=304)
    found = await site.analysis.ask(Question("board"))
    tag = {"ETag": f'"{found.mark}"'} if found.mark else None
    return Response(found.body, media_type="application/json", headers=tag)


async def show_comments(request: Request) -> Response:
    """Send what judges wrote, as a part of the page."""
    site = site_of(request)
    await identify(request, "admin")
    told = {"comments": await run_in_threadpool(read_comments, site.store), "most": MOST}
    return HTMLResponse(site.render("comments.html", told))


async def show_promises(request: Request) -> Response:
    """Send what was promised and what was found, as a part of the page."""
    site = site_of(request)
    await identify(request, "admin")
    return HTMLResponse((await site.analysis.ask(Question("promises"))).body)


async def obey(request: Request) -> Response:
    """Do what the organiser wants; links are told here once."""
    site = site_of(request)
    await identify(request, "admin")
    order = await read_json(request, Order)
    done = await run_in_threadpool(_obey, site, order)
    site.known.forget()
    if isinstance(done, str):
        return tell({"message": done})
    base = site.address or str(request.base_url).rstrip("/")
    link = f"{base}{site.prefix}/j/{done.token}"
    message = f"The link of {done.judge}; it is shown once."
    if await run_in_threadpool(_has_nothing, site, done.judge):
        message += " There is nothing for them to judge: choose a free seat, or revoke somebody."
    return tell({"message": message, "link": link})


def _has_nothing(site: Site, judge: str) -> bool:
    """Say whether a judge has a seat without questions."""
    return any(one.name == judge and not one.total for one in site.store.judges())


def _obey(site: Site, order: Order) -> str | Invitation:
    """Do it, and say what was done."""
    store, judge = site.store, order.judge
    match order.what:
        case "pause":
            store.pause()
            return "Paused: judges are told so, and can still send the answer they have begun."
        case "resume":
            store.resume()
            return "Open again."
        case "invite":
            return store.invite(judge, seat=order.seat, note=order.note)
        case "revoke":
            store.revoke(judge)
            return f"{judge} is shut out."
        case "forget":
            names = store.forget(judge, answers=order.answers)
            told = f"Deleted what was known of {', '.join(names)}"
            told += ", and all answers." if order.answers else "."
            if not store.emptied:
                told += " The file gives it up when the downloads that are running have ended."
            return told
        case "join":
            store.join(judge, order.person)
            return f"{judge} and {order.person} are one person now."


async def send_download(request: Request) -> Response:
    """Send a table, the log, or the campaign."""
    site = site_of(request)
    await identify(request, "admin")
    name = request.path_params["name"]
    if name not in downloads.list_files(site.store):
        raise HTTPException(404, "there is no such table")
    return await _send(site, Question("download", name))


async def send_export(request: Request) -> Response:
    """Send a pass as another program writes it."""
    site = site_of(request)
    await identify(request, "admin")
    name, kind = request.query_params.get("pass", ""), request.path_params["kind"]
    return await _send(site, Question("export", name, kind))


async def _send(site: Site, question: Question) -> Response:
    """Send a file that the analysis process writes, with the head of the log at that time."""
    head = str(await run_in_threadpool(site.store.head))
    answer = await site.analysis.ask(question)
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


ROUTES: Final = [
    Route("/a/{token}", show_page),
    Route("/a/{token}/findings", show_findings),
    Route("/a/{token}/board.json", show_board),
    Route("/a/{token}/comments", show_comments),
    Route("/a/{token}/promises", show_promises),
    Route("/a/{token}/do", obey, methods=["POST"]),
    Route("/a/{token}/download/{name}", send_download),
    Route("/a/{token}/export/{kind}", send_export),
]
