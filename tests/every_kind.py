"""A campaign with every kind of pass, judged; its files are fetched, read again and counted."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import evenhand
from evenhand.data.annotations import read_spans
from evenhand.design.reading import make_campaign
from evenhand.web.site import Site
from evenhand.web.store import judging
from evenhand.web.store.database import WriteTransaction
from evenhand.web.store.store import Store
from stored_campaigns import fill, reply_to

SYSTEMS = ("A", "B", "C")
TASKS = [
    {"kind": "pair", "name": "better", "comment": True},
    {"kind": "rank", "name": "order", "n": 3},
    {"kind": "rating", "name": "good", "low": 0, "high": 100},
    {"kind": "spans", "name": "errors", "score": False, "categories": ["Accuracy", "Style"]},
    {"kind": "spans", "name": "esa", "score": True},
]
TOLD: dict[str, Any] = {
    "name": "all",
    "judges": ["j0", "j1", "j2"],
    "texts": {"source": "de", "output": "en"},
    "design": {"judges_per_item": 2, "controls": 1, "repeats": 1, "lag": 1},
    "tasks": TASKS,
    "items": [
        *(
            {
                "item": str(n),
                "source": f"Quelle {n}",
                "document": "talk",
                "outputs": {s: f"{s} says, in its “{n}”th line: so" for s in SYSTEMS},
            }
            for n in range(4)
        ),
        {"item": "sure", "outputs": {"A": "a fine text"}, "control": "good"},
        {"item": "two", "outputs": {"A": "a fine text", "B": "no text"}, "expected": "A"},
        {"item": "three", "outputs": {"A": "a text", "B": "no", "C": "none"}, "expected": "A"},
    ],
}
SECRETS = ("Ann Lee", "a private remark")


def answer(kind: str, systems: tuple[str, ...], luck: random.Random) -> dict[str, Any]:
    """Answer a ticket, without ties."""
    if kind == "pair":
        return {"outcome": luck.choice(("left", "right")), "comment": SECRETS[1]}
    if kind == "rank":
        return {"ranks": luck.sample(range(1, len(systems) + 1), len(systems))}
    spans: list[dict[str, Any]] = []
    if kind == "spans" and luck.random() < 0.6:
        worst = luck.choice(("minor", "major"))
        spans = [{"start": 2, "end": 6, "severity": worst, "category": "", "side": "output"}]
    score = {} if kind == "spans" else {"score": luck.randrange(101)}
    return {**score, **({"spans": spans} if kind == "spans" else {})}


def judge_all(tx: WriteTransaction, judge: str, luck: random.Random) -> None:
    served = judging.serve(tx, judge)
    while served is not None:
        task = tx.campaign.task(served.ticket.task)
        said = answer(task.kind, served.ticket.systems, luck)
        if task.name == "esa":
            said["score"] = luck.randrange(101)
        elif task.name == "errors":
            for one in said["spans"]:
                one["category"] = luck.choice(("Accuracy", "Style"))
        served = judging.answer(tx, reply_to(served, said, seconds=4.5)).next


@contextmanager
def judge_every_kind(folder: Path) -> Iterator[Site]:
    """Give a site whose campaign is judged."""
    luck = random.Random(5)
    with Store.open(str(folder / "c.db")) as store:
        fill(store, make_campaign(TOLD))
        store.invite("j2", note=SECRETS[0])
        for judge in ("j0", "j1", "j2"):
            store.do(lambda tx, judge=judge: judge_all(tx, judge, luck))  # type: ignore[misc]
        yield Site(store)


def read_back(reply: Any, folder: Path, name: str) -> tuple[Any, list[dict[str, Any]]]:
    """Read a file by its content, as `evenhand.read` does; return the rows too."""
    assert reply.status_code == 200, reply.text
    for secret in SECRETS:
        assert secret not in reply.text
    path = folder / name
    path.write_bytes(reply.content)
    data = evenhand.read(path)
    columns = data.frame.to_native().fetchnumpy()
    names = list(columns)
    return data, [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def list_targets(site: Site, table: str, name: str) -> list[dict[str, Any]]:
    """Rows of a pass that are no controls and no repeats, from the store itself."""
    column = "criterion" if table == "ratings" else "task"
    every = (row for row in site.store.rows(table) if row[column] == name)
    return [row for row in every if row["kind"] == "target"]


def count_spans(row: dict[str, Any]) -> tuple[tuple[int, int, str], ...]:
    return tuple((one.start or 0, one.end or 0, one.severity) for one in read_spans(row["spans"]))
