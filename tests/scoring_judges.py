"""Judges who score a whole campaign over HTTP, whose truth is known.

They see what the server sends and nothing else: the text of an output names it ("ASR-3 42"). What
they think of it follows the simulated campaign of Hamon et al. (2007): the worth of the system, of
the sentence and of the output, their own severity, noise, and thresholds between the points.
"""

from __future__ import annotations

import asyncio
import csv
import json
import random
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from evenhand.design.simulated_ratings import CRITERIA, INPUTS, OUTPUT, SEGMENT, SEVERITY

Kind = Literal["honest", "careless", "reversed"]
WORTHS: Mapping[str, float] = {name: w for one in INPUTS for name, w in one.worth.items()}


def write_outputs(path: Path) -> int:
    """Write the outputs of Hamon's design, a row for each; return how many there are."""
    rows = [
        (f"{one.name}-{at:03}", f"sentence-{at:03}", one.name, f"referencia {at}", system, text)
        for one in INPUTS
        for at in range(1, one.segments + 1)
        for system in one.worth
        for text in (f"{system} {at}",)
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        names = ("item", "group", "document", "reference", "system", "output")
        csv.writer(file).writerows([names, *rows])
    return len(rows)


@dataclass(frozen=True)
class Opinions:
    """What a judge thinks; drawn once for each text, so that judges agree as far as they do.

    Attributes:
        seed: of everything that is drawn.
        name: of the judge.
        kind: honest; careless, who tosses; reversed, who turns the scale round.

    """

    seed: int
    name: str
    kind: Kind

    def score(self, criterion: str, text: str) -> int:
        """Return a score from 1 to 5."""
        thresholds, noise = CRITERIA[criterion]
        system, _, sentence = text.partition(" ")
        if self.kind == "careless":
            return 1 + self._draw(self.name, criterion, text).randrange(5)
        z = (
            WORTHS[system]
            + SEGMENT * _draw_normal(self.seed, "sentence", sentence)
            + OUTPUT * _draw_normal(self.seed, "output", text)
            + SEVERITY * _draw_normal(self.seed, "judge", self.name)
            + noise * self._draw(self.name, criterion, text).gauss()
        )
        score = 1 + bisect(thresholds, z)
        return 6 - score if self.kind == "reversed" else score

    def seconds(self, text: str) -> float:
        """Return how long they look; no kind of judge is quicker than another."""
        return round(self._draw("time", self.name, text).lognormvariate(2.5, 0.4), 3)

    def _draw(self, *what: str) -> random.Random:
        return random.Random("|".join((str(self.seed), *what)))


@cache
def _draw_normal(seed: int, *what: str) -> float:
    """Draw what several scores share, once."""
    return random.Random("|".join((str(seed), *what))).gauss()


class Line:
    """One kept connection, read just as far as needed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, method: str, path: str, told: object = None) -> Any:
        body = b"" if told is None else json.dumps(told).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        size = next(int(one[15:]) for one in lines if one.startswith(b"content-length:"))
        found = json.loads(await self.reader.readexactly(size))
        assert lines[0].startswith(b"http/1.1 200"), found
        return found


async def play(port: int, path: str, who: Opinions) -> list[dict[str, Any]]:
    """Score all that a judge is asked; return what the page was told, item by item."""
    line = Line(*await asyncio.open_connection("127.0.0.1", port))
    item = await line.ask("GET", f"{path}/item")
    if item["state"] == "consent":
        item = await line.ask("POST", f"{path}/consent", {})
    seen = []
    while item["state"] == "item":
        seen.append(item)
        (output,) = item["outputs"]
        task = item["task"]["name"]
        score = 3 if item["training"] else who.score(task, output["text"])
        told = {"ticket": item["ticket"], "key": item["key"], "answer": {"score": score}}
        told["seconds"] = who.seconds(output["text"])
        item = (await line.ask("POST", f"{path}/answer", told))["next"]
    assert item["state"] == "done", item
    line.writer.close()
    return seen


async def play_all(
    port: int, paths: Mapping[str, str], judges: Mapping[str, Opinions]
) -> dict[str, list[dict[str, Any]]]:
    """Let all judges score at once."""
    names = list(paths)
    seen = await asyncio.gather(*(play(port, paths[name], judges[name]) for name in names))
    return dict(zip(names, seen, strict=True))
