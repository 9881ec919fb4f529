"""A web server of our own, on this machine alone, with votes to read and faults to be told."""

import os
import signal
from contextlib import contextmanager, suppress
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from time import sleep

import polars as pl

from engines_matrix import votes

VOTES = pl.DataFrame(votes()).drop("weight", "task")
WIDE = VOTES.with_columns(
    text=pl.Series([f"{i * 7919 % 9973:05d}" * 40 for i in range(VOTES.height)])
)
SECRET = "hunter2hunter2"


def parquet(frame):
    written = BytesIO()
    frame.write_parquet(written, compression="uncompressed")
    return written.getvalue()


class Site:
    """What a web server has, how it answers, and what was asked of it."""

    def __init__(self):
        self.files = {
            "/votes.csv": VOTES.write_csv().encode(),
            "/votes.parquet": parquet(WIDE),
            "/empty.csv": b"",
            "/short.csv": VOTES.write_csv().encode() + b"a,b\n",
            "/page": b"<!doctype html><p>votes</p>",
        }
        self.ranges, self.etag, self.changed, self.cut = True, True, True, False
        self.busy, self.asked, self.stop = 0, [], False
        self.to, self.shift, self.versions = "", 0, {}
        self.same, self.any = "", None


class Handler(BaseHTTPRequestHandler):
    """Answers for the site of its server."""

    def do_GET(self):
        site = self.server.site
        site.asked.append((self.path, self.headers["Range"]))
        path = self.path if self.path in site.files else self.path.partition("?")[0]
        if path == "/moved":
            self.send_response(302)
            self.send_header("Location", site.to)
            self.end_headers()
            return
        if path in site.versions:  # each time it is asked for, another one
            site.files[path] = site.versions[path].pop(0)
        if site.stop:
            site.stop = False
            os.kill(os.getpid(), signal.SIGINT)
            sleep(0.2)  # the reader waits for an answer when it is stopped
        if site.busy:
            site.busy -= 1
            self.send_error(503)
        elif site.any is not None:
            self.answer(path, site.any)
        elif path not in site.files or path == "/closed":
            self.send_error(403 if path == "/closed" else 404)
        else:
            self.answer(path, site.files[path])

    def answer(self, path, data):
        site = self.server.site
        asked = self.headers["Range"] if site.ranges else None
        first, last = asked.removeprefix("bytes=").split("-") if asked else (0, len(data))
        part = data[int(first) : int(last) + 1]
        if asked and not part:
            self.send_error(416)
            return
        self.send_response(206 if asked else 200)
        start = int(first) + site.shift
        told = {
            "Content-Range": f"bytes {start}-{start + len(part) - 1}/{len(data)}" * bool(asked),
            "ETag": (site.same or f'"{md5(data).hexdigest()}"') * site.etag,
            "Last-Modified": formatdate(0, usegmt=True) * site.changed,
            "Content-Type": "text/html" if path == "/page" else "text/csv",
            "Content-Length": str(len(part)),
        }
        for name, value in told.items():
            if value:
                self.send_header(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):  # nobody waits for it any more
            self.end_headers()
            self.wfile.write(part[: -100 if site.cut else None])

    def log_message(self, format, *args):  # noqa: A002 - as its parent has it
        """Say nothing."""


@contextmanager
def serve(site):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.site = site
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
