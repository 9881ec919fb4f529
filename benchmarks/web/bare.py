"""The floor of a server: Starlette under uvicorn, an item of the usual size, nothing stored."""

import sys

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.web.work import SENTENCE

ITEM = {
    "state": "item",
    "ticket": "thirty-two-letters-of-a-ticket-.",
    "key": "sixteen-letters.",
    "outputs": [{"text": SENTENCE * 2, "language": "", "direction": ""}] * 3,
    "task": {"name": "better", "question": "Which is better?", "instructions": SENTENCE * 3},
}


async def show_item(request: Request) -> Response:  # noqa: ARG001 - as every route
    return Response(msgspec.json.encode(ITEM), media_type="application/json")


async def take_answer(request: Request) -> Response:
    told = msgspec.json.decode(await request.body())
    done = {"receipt": told["ticket"] * 2, "next": ITEM}
    return Response(msgspec.json.encode(done), media_type="application/json")


def main(port: int) -> None:
    routes = [
        Route("/j/{token}/item", show_item),
        Route("/j/{token}/answer", take_answer, methods=["POST"]),
    ]
    uvicorn.run(Starlette(routes=routes), port=port, access_log=False, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]))
