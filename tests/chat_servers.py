"""An endpoint of the chat protocol on this machine, paid by the call, that errs as real ones do.

It says what came in, when, and what it sent: each call that is answered costs, whether its reply
arrives or not.
"""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from waiting import wait_for


@dataclass
class Reply:
    """What the endpoint does with one call."""

    text: str = ""  # what the model says
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # in place of a reply of the protocol
    cut: bool = False  # the connection ends in the middle
    wait: float = 0.0  # seconds before anything is sent
    until: Callable[[], object] | None = None  # what must hold before anything is sent
    message: dict[str, Any] = field(default_factory=dict)  # besides the text
    finish: str = "stop"
    logprobs: Any = None
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10}
    )

    def write(self) -> bytes:
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text, **self.message}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        if self.logprobs is not None:
            choice["logprobs"] = self.logprobs
        whole = {"choices": [choice], "usage": self.usage}
        return json.dumps(whole).encode()


def fail(status: int, message: str = "no", code: object = None, **headers: str) -> Reply:
    """An error as endpoints write it."""
    error = {"error": {"message": message, "code": code}}
    return Reply(status=status, body=json.dumps(error).encode(), headers=headers)


@dataclass(frozen=True)
class Call:
    """What came in."""

    at: float  # when, in seconds since 1970
    path: str
    headers: dict[str, str]
    request: dict[str, Any]
    sent: Reply

    @property
    def prompt(self) -> str:
        return str(self.request["messages"][0]["content"])


Answer = Callable[[dict[str, Any]], Reply]


class ChatServer:
    """Calls as they came, and what answers the next ones: a list first, then a function."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.first: list[Reply] = []
        self.calls: list[Call] = []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                reply = server.take(self.path, dict(self.headers), json.loads(body))
                time.sleep(reply.wait)
                if reply.until is not None:
                    wait_for(reply.until)
                data = reply.write()
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                # one packet, or each call waits 40 ms for an acknowledgement
                self._headers_buffer += [b"\r\n", data[: len(data) // 2] if reply.cut else data]
                self.close_connection |= reply.cut
                try:
                    self.flush_headers()
                except OSError:  # whoever asked was killed
                    self.close_connection = True

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        class Http(ThreadingHTTPServer):
            def handle_error(self, *words: object) -> None:
                """Say nothing: whoever asked was killed."""

        self._http = Http(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.port = int(self._http.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def take(self, path: str, headers: dict[str, str], request: dict[str, Any]) -> Reply:
        with self._lock:
            reply = self.first.pop(0) if self.first else self.answer(request)
            self.calls.append(Call(time.time(), path, headers, request, reply))
            return reply

    def run(self) -> None:
        self._http.serve_forever(0.02)

    def end(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serve_chat(answer: Answer) -> Iterator[ChatServer]:
    server = ChatServer(answer)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.end()
        thread.join()


def answer_left(request: dict[str, Any]) -> Reply:
    return Reply('{"outcome": "left"}')


def answer_all(request: dict[str, Any]) -> Reply:
    """An answer to any kind of question, as the schema says."""
    properties = request["response_format"]["json_schema"]["schema"]["properties"]
    (name,) = properties
    values: dict[str, Any] = {"outcome": "right", "score": 3}
    n = properties[name].get("minItems", 0)
    return Reply(json.dumps({name: values.get(name, list(range(1, n + 1)))}))


def answer_anew() -> Answer:
    """A judge that says something else each time, so that each reply is known again."""
    number = itertools.count()
    return lambda _: Reply(json.dumps({"outcome": "left", "reason": f"reply {next(number)}"}))
