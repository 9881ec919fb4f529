"""A campaign that is launched, judged over HTTP and taken home, as judges and organisers would.

`evenhand serve` runs in a child on a free port of this machine. Judges answer one after another by
the names in the texts, so that everything but moments is the same each time; moments are hidden.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Final

OPENING: Final = 300.0
"""Seconds within which a server is open."""
PROGRAMS: Final = ("arena", "wmt-rnk", "appraise", "wmt-json", "mqm-tsv", "label-studio")
FILES: Final = ("comparisons.csv", "rankings.csv", "ratings.csv", "spans.csv", "campaign.json")


def served_campaign() -> Any:
    """Launch a campaign of every kind of pass, answer all of it, and take every file home."""
    with _serve("all.toml") as links:
        asked = {name: _judge(link) for name, link in sorted(links.items()) if name}
        home = links[""]
        files = {name: _get(f"{home}/download/{name}") for name in FILES}
        passes = ("better", "order", "good", "errors")
        exports = {
            f"{one} {kind}": _get(f"{home}/export/{kind}?pass={one}")
            for one in passes
            for kind in PROGRAMS
        }
        board = json.loads(_get(f"{home}/board.json"))
    log = [json.loads(line) for line in _get_log("all.db").splitlines()]
    kinds = [line["body"]["kind"] for line in log]
    held = {name: _hide_times(text) for name, text in {**files, **exports}.items()}
    board = {key: value for key, value in board.items() if key in ("title", "judged", "passes")}
    return {"asked": asked, "files": held, "board": board, "log": kinds}


def served_crowd() -> Any:
    """Launch a campaign whose pairs a policy chooses, for a crowd; let one judge answer."""
    with _serve("random.toml", "--crowd") as links:
        page = _get(links[""])
        return {"links": sorted(links), "title": re.findall(r"<title>(.*?)</title>", page)}


@contextmanager
def _serve(campaign: str, *words: str) -> Iterator[dict[str, str]]:
    """Serve a campaign on a free port; give the links by judge, the organiser's as ""."""
    from evenhand.cli.main import main

    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout.flush()
        os.dup2(2, 1)
        try:
            main(["serve", campaign, "--port", "0", *words], "evenhand")
        except SystemExit as end:
            os._exit(int(end.code or 0))
        finally:
            os._exit(1)
    try:
        path = Path(campaign).with_suffix(".links.csv")
        began = time.monotonic()
        while not path.exists() or not _answers(rows := _read_links(path)):
            if time.monotonic() - began > OPENING or os.waitpid(child, os.WNOHANG)[0]:
                raise TimeoutError(f"{campaign} is not served")
            time.sleep(0.05)
        yield rows
    finally:
        os.kill(child, signal.SIGINT)
        os.waitpid(child, 0)


def _read_links(path: Path) -> dict[str, str]:
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return {("" if role == "admin" else judge or role): link for role, judge, link, *_ in rows}


def _answers(links: Mapping[str, str]) -> bool:
    try:
        return bool(links) and bool(_get(links[""]))
    except urllib.error.URLError:
        return False


def _get(address: str, body: Any = None) -> str:
    """Return what a page says, a refusal as well."""
    data = None if body is None else json.dumps(body).encode()
    kind = {} if body is None else {"Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address, data, kind), timeout=OPENING
        ) as page:
            return str(page.read().decode())
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"


def _judge(link: str) -> list[Any]:
    """Answer everything that a judge is asked, by the names in the texts; return what was asked."""
    asked, view = [], json.loads(_get(f"{link}/item"))
    while view["state"] == "item":
        texts = [output["text"] for output in view["outputs"]]
        task = view["task"]
        asked.append([task["name"], view["place"], *texts])
        told = {"ticket": view["ticket"], "key": view["key"], "seconds": 4.5}
        sent = {**told, "answer": _answer(task, texts, len(asked))}
        answered = json.loads(_get(f"{link}/answer", sent))
        view = answered["next"] if "next" in answered else {"state": str(answered)}
    return [*asked, {key: value for key, value in view.items() if key != "code"}]


def _answer(task: Mapping[str, Any], texts: Sequence[str], number: int) -> dict[str, Any]:
    """Prefer the text that is earlier in the alphabet, but for every fifth time."""
    order = sorted(range(len(texts)), key=texts.__getitem__, reverse=number % 5 == 0)
    if task["kind"] == "pair":
        comment = {"comment": "as I see it"} if number % 7 == 0 else {}
        return {"outcome": "tie" if number % 6 == 0 else ("left", "right")[order[0]], **comment}
    if task["kind"] == "rank":
        return {"ranks": [1 + order.index(at) for at in range(len(texts))]}
    score = 90 - 20 * (ord(texts[0][0]) - ord("A")) - number % 5
    if task["kind"] == "rating":
        return {"score": score}
    span = {"start": 2, "end": 6, "severity": "minor", "category": "Style", "side": "output"}
    return {"score": score, "spans": [span] if number % 2 else []}


def _hide_times(text: str) -> str:
    """Put a sign where a moment stands: as a date, or as seconds of this century."""
    dates = re.sub(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", "<moment>", text)
    return re.sub(r"\b1[6-9]\d{8}(\d{3})?(\.\d+)?\b", "<moment>", dates)


def _get_log(database: str) -> str:
    """Return the log of a campaign, as `evenhand check` writes it."""
    from evenhand.cli.main import main

    with redirect_stdout(sys.stderr):
        main(["check", database, "--write-log", "taken.jsonl"], "evenhand", standalone_mode=False)
    return Path("taken.jsonl").read_text(encoding="utf-8")
