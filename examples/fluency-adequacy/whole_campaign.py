"""The whole campaign of Hamon, Mostefa & Arranz (2007) on the web, with simulated judges.

    python examples/fluency-adequacy/whole_campaign.py FOLDER

writes the campaign of this folder at the size of the paper into FOLDER (26 systems, 10,180 outputs,
125 judges), serves it, lets all judges score at once over HTTP, and leaves ratings.csv and
log.jsonl, as an organiser downloads them. Eight judges are careless and four reversed: planted.csv
says who. It takes about two minutes.
"""

from __future__ import annotations

import asyncio
import csv
import json
import random
import signal
import subprocess
import sys
import time
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from urllib.request import urlopen

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


SEED = 20131
PLANTED: dict[Kind, int] = {"careless": 8, "reversed": 4}


def plant(names: list[str], seed: int) -> dict[str, Kind]:
    """Draw who is careless or reversed; the others are honest."""
    kinds: dict[str, Kind] = dict.fromkeys(names, "honest")
    left = random.Random(seed).sample(names, sum(PLANTED.values()))
    for kind, n in PLANTED.items():
        kinds |= dict.fromkeys(left[:n], kind)
        left = left[n:]
    return kinds


@dataclass(frozen=True)
class Played:
    """What was served: who the judges are, and what each was shown, item by item."""

    kinds: dict[str, Kind]
    seen: dict[str, list[dict[str, Any]]]


def run_campaign(folder: Path, seed: int = SEED) -> Played:
    """Serve the campaign in a folder, let all judges score, and take home what was scored."""
    folder.mkdir(parents=True, exist_ok=True)
    example = Path(__file__).with_name("campaign.toml").read_text(encoding="utf-8")
    sized = example.replace("judges = 24 ", "judges = 125 ")
    (folder / "campaign.toml").write_text(sized, encoding="utf-8")
    write_outputs(folder / "outputs.csv")
    command = [sys.executable, "-m", "evenhand", "serve", "campaign.toml", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            if server.stdout is None or not server.stdout.readline().startswith("serves"):
                raise SystemExit("the server did not start")
            with (folder / "campaign.links.csv").open(newline="", encoding="utf-8") as file:
                links = {one["judge"] or one["role"]: one["link"] for one in csv.DictReader(file)}
            admin = links.pop("admin")
            paths = {name: urlsplit(link).path for name, link in links.items()}
            kinds = plant(sorted(paths), seed)
            judges = {name: Opinions(seed, name, kind) for name, kind in kinds.items()}
            seen = asyncio.run(play_all(urlsplit(admin).port or 80, paths, judges))
            for name in ("ratings.csv", "log.jsonl"):
                with urlopen(f"{admin}/download/{name}") as reply:
                    (folder / name).write_bytes(reply.read())
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
    lines = [f"{name},{kind}\n" for name, kind in kinds.items() if kind != "honest"]
    (folder / "planted.csv").write_text("judge,kind\n" + "".join(lines), encoding="utf-8")
    return Played(kinds, seen)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("say where: python whole_campaign.py FOLDER")
    began = time.perf_counter()
    played = run_campaign(Path(sys.argv[1]))
    took, n = time.perf_counter() - began, sum(map(len, played.seen.values()))
    sys.stdout.write(
        f"{n:,} answers of {len(played.kinds)} judges in {took:.0f} s: {sys.argv[1]}/ratings.csv\n"
    )
