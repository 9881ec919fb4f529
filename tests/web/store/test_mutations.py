"""Whatever somebody changes in a campaign's database, or in its log, is found out by `verify`.

Every column of every table is changed in several rows, rows are removed and doubled, boards are
changed together with their own digest, pages of the file are overwritten, records are removed,
moved, doubled and rewritten, alone or with all hashes after them.
"""

import json
import os
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from evenhand.errors import EvenhandError
from evenhand.web.store.audit import audit, write_log
from evenhand.web.store.log import GENESIS, canonical, digest
from evenhand.web.store.schema import TABLES
from evenhand.web.store.verification import Head
from histories import live_by_policy, live_through

FREE = {
    "specs": {"secret"},
    "people": {"platform", "worker", "note"},
    "tokens": {"name", "digest", "judge of admin", "made of admin"},
    "leases": {"ticket", "key", "since", "until"},
    "boards": {"confirmed", "shown"},
}
"""What no log determines: `docs/store.md` names it."""
COPIES = ("kind", "judge", "ticket", "key", "replaces")
SPAN = {"start": 0, "end": 1, "severity": "minor", "side": "output"}
MISSED = ("chain: rewritten as a sound one", "lines: the end cut", "chain: the end cut")
"""Kinds that only a head shows."""
FEWEST = 300
STEP = 1 if os.environ.get("EVENHAND_WHOLE") else 3


@dataclass(frozen=True)
class Mutation:
    """A way to change a file in place."""

    kind: str
    what: str
    change: Callable[[Path], None]


@dataclass(frozen=True)
class History:
    """A database, the log of it as JSON Lines, and the head that was noted."""

    database: Path
    log: Path
    head: Head


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, History]:
    made = {}
    lives: dict[str, Callable[[str], None]] = {"design": live_through, "policy": live_by_policy}
    for name, live in lives.items():
        folder = tmp_path_factory.mktemp(name)
        database, log = folder / "campaign.db", folder / "log.jsonl"
        live(str(database))
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")
        write_log(str(database), log)
        check = audit(str(database))
        assert check.holds, check
        assert audit(str(log), check.head).holds
        made[name] = History(database, log, check.head)
    return made


def _order(*orders: tuple[str, tuple[Any, ...]]) -> Callable[[Path], None]:
    """Change a database by SQL, as somebody would who can write the file."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for order, values in orders:
                assert connection.execute(order, values).rowcount == 1

    return change


def _ask(path: Path, order: str) -> list[sqlite3.Row]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return connection.execute(order).fetchall()


def _is_free(table: str, column: str, row: sqlite3.Row) -> bool:
    """Whether nothing determines a value: see FREE."""
    free = FREE.get(table, set())
    if table == "tokens" and column in ("judge", "made"):
        return str(row["role"]) != "judge"
    return column in free


def _others(value: Any, column: str) -> list[Any]:
    """Other values of a column."""
    if isinstance(value, int):
        return [1 - value] if column == "paused" else [value + 1, value + 1000, f"{value}x"]
    if value is None:
        return [1] if column in ("again", "record", "replaces", "ticket", "consented") else ["j1"]
    return [f"{value}x", f"x{value}"]


def mutate_columns(history: History) -> Iterator[Mutation]:
    """Each column of each table, in the first, the middle and the last row."""
    for table in TABLES.sorted_tables:
        rows = _ask(history.database, f"SELECT rowid AS row, * FROM {table.name}")
        for column in [one.name for one in table.columns]:
            chosen = [one for one in rows if not _is_free(table.name, column, one)]
            for at in sorted({0, len(chosen) // 2, len(chosen) - 1} & set(range(len(chosen)))):
                row = chosen[at]
                order = f"UPDATE {table.name} SET {column} = ? WHERE rowid = ?"
                for other in _others(row[column], column):
                    told = f"{table.name}.{column} of row {at}: {str(other)[-40:]}"
                    change = _order((order, (other, row["row"])))
                    yield Mutation(f"column of {table.name}", told, change)
    version = _order(("UPDATE alembic_version SET version_num = ?", ("0004",)))
    yield Mutation("column of alembic_version", "an older version", version)


def mutate_rows(history: History) -> Iterator[Mutation]:
    """Rows that are removed, and rows that are added."""
    # a lease, a board and what is known of a person may be absent, and so may links of organisers
    for table in TABLES.sorted_tables:
        where = {"tokens": "WHERE role = 'judge'", "people": "WHERE platform != ''"}
        removable = table.name not in ("leases", "boards", "people")
        rows = _ask(
            history.database,
            f"SELECT rowid AS row, * FROM {table.name} {where.get(table.name, '')}",
        )
        for at in sorted({0, len(rows) // 2, len(rows) - 1} & set(range(len(rows)))):
            row = rows[at]
            if removable:
                gone = _order((f"DELETE FROM {table.name} WHERE rowid = ?", (row["row"],)))
                yield Mutation(f"row removed from {table.name}", f"row {at}", gone)
            values = {name: row[name] for name in row.keys() if name != "row"}  # noqa: SIM118 - a Row yields values
            key = next(iter(table.primary_key.columns)).name
            values[key] = values[key] + 1000 if isinstance(values[key], int) else f"{values[key]}x"
            if table.name == "people":
                values["worker"] = "another"
            marks = ", ".join("?" * len(values))
            more = f"INSERT INTO {table.name} ({', '.join(values)}) VALUES ({marks})"
            yield Mutation(
                f"row added to {table.name}", f"row {at}", _order((more, (*values.values(),)))
            )


def mutate_boards(history: History) -> Iterator[Mutation]:
    """Boards, with the digest that stands in them made again."""
    for row in _ask(history.database, "SELECT task, body FROM boards"):
        for path in list(_list_leaves(json.loads(json.loads(row["body"])["board"]))):
            if path[0] in ("sha256", "trace") or path == ("seen", "digest"):
                continue
            whole = json.loads(row["body"])
            board = json.loads(whole["board"])
            _change_leaf(board, path)
            del board["sha256"]
            text = json.dumps(board, sort_keys=True, separators=(",", ":"))
            board["sha256"] = sha256(text.encode()).hexdigest()
            whole["board"] = json.dumps(board, ensure_ascii=False) + "\n"
            order = "UPDATE boards SET body = ? WHERE task = ?"
            body = json.dumps(whole, ensure_ascii=False)
            what = f"{row['task']}: {'.'.join(map(str, path))}"
            yield Mutation("board with its digest", what, _order((order, (body, row["task"]))))


def _list_leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, one in inner:
        if isinstance(one, dict | list):
            yield from _list_leaves(one, (*path, name))
        else:
            yield (*path, name)


def _change_leaf(value: Any, path: tuple[Any, ...]) -> None:
    for name in path[:-1]:
        value = value[name]
    last = value[path[-1]]
    if isinstance(last, bool) or last is None:
        value[path[-1]] = not last
    elif isinstance(last, str):
        value[path[-1]] = last[1:] if len(last) > 1 else last + "0"
    else:
        value[path[-1]] = last + 1


def mutate_pages(history: History) -> Iterator[Mutation]:
    """Pages of the file that hold something, with noise or nothing in their place."""
    size = _ask(history.database, "PRAGMA page_size")[0][0]
    count = _ask(history.database, "PRAGMA page_count")[0][0]
    assert _ask(history.database, "PRAGMA freelist_count")[0][0] < count / 2
    for name in ("noise", "nothing"):
        for page in range(1, count):  # the first one holds the mark by which the file is known
            luck = random.Random(page)
            text = luck.randbytes(size) if name == "noise" else bytes(size)

            def change(path: Path, page: int = page, text: bytes = text) -> None:
                with path.open("r+b") as file:
                    file.seek(page * size)
                    file.write(text)

            yield Mutation(f"page of {name}", f"page {page + 1}", change)


Records = list[dict[str, Any]]
Forgery = Callable[[Records], None]


def _read(path: Path) -> Records:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _remake(records: Records) -> None:
    """Make all numbers, digests and hashes again."""
    before = GENESIS
    for number, one in enumerate(records, start=1):
        one["body"] |= {"before": before, "number": number}
        for part in ("said", "note"):
            if part in one:
                one["body"][part] = digest(canonical(one[part]))
        before = one["hash"] = digest(canonical(one["body"]))


def _write_lines(records: Records) -> Callable[[Path], None]:
    return _write_bytes([canonical(one).encode() + b"\n" for one in records])


def _write_bytes(lines: list[bytes]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_bytes(b"".join(lines))

    return change


def _write_database(records: Records) -> Callable[[Path], None]:
    """Put a log in the place of the one of a database, with its columns and its head."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM log")
            for one in records:
                body = one["body"]
                row = {"number": body["number"], "body": canonical(body), "hash": one["hash"]}
                row |= {name: body.get(name) for name in COPIES}
                row["ticket"] = body["ticket"]["number"] if "ticket" in body else None
                row |= {n: canonical(one[n]) if n in one else None for n in ("said", "note")}
                marks = ", ".join("?" * len(row))
                order = f"INSERT INTO log ({', '.join(row)}) VALUES ({marks})"
                connection.execute(order, (*row.values(),))
            last = records[-1]
            connection.execute(
                "UPDATE campaign SET head_number = ?, head_hash = ?, head_at = ?",
                (len(records), last["hash"], last["body"]["at"]),
            )

    return change


def _find(records: Records, kind: str, task: str = "") -> list[int]:
    bodies = [one["body"] for one in records]
    return [
        at
        for at, one in enumerate(bodies)
        if one["kind"] == kind and (not task or one["ticket"]["task"] == task)
    ]


def _last_standing(records: Records, task: str) -> dict[str, Any]:
    """A judgment of a pass that no later record replaces, deletes or takes back."""
    gone = {one["body"].get("replaces") for one in records}
    return next(
        records[at]
        for at in reversed(_find(records, "judgment", task))
        if records[at]["body"]["number"] not in gone and "said" in records[at]
    )


_NAMES = ("launch", "invite", "consent", "issue", "join", "forget")
FORGED: dict[str, list[tuple[str, str, str, list[Any]]]] = {
    "answer": [  # what their task forbids
        ("better", "said", "answer", [{"outcome": "both_bad"}, {"outcome": "A"}, {}]),
        ("better", "said", "answer", [{"outcome": "left", "score": 1}]),
        ("order", "said", "answer", [{"ranks": one} for one in ([1, 2], [0, 1, 2], ["1", 2, 3])]),
        ("good", "said", "answer", [{"score": 101}, {"score": -1}, {"score": "4"}]),
        ("errors", "said", "answer", [{"spans": [{**SPAN, "end": 900}]}]),
        ("errors", "said", "answer", [{"spans": [{**SPAN, "severity": "deadly"}]}]),
    ],
    "body": [  # what nobody could have done
        ("judgment", "body", "judge", ["j0", "j1", "j2", "j3", "guest", "nobody", ""]),
        ("judgment", "body", "key", [""]),
        ("judgment", "body", "replaces", [9]),
        ("better", "body.ticket", "systems", [["C", "A"], ["A"]]),
        ("better", "body.ticket", "item", ["2", "none"]),
        ("better", "body.ticket", "task", ["order"]),
        ("better", "body.ticket", "kind", ["anchor"]),
        ("better", "body.ticket", "again", [0]),
        ("better", "body.ticket", "expected", ["left"]),
        ("better", "body.ticket", "number", [0, 10_000]),
        ("consent", "body", "facts", [{"text": "0" * 64}, {}]),
        ("invite", "body", "facts", [{"seat": "j2"}, {"seat": "none"}]),
        ("issue", "body", "facts", [{"seat": "j1"}, {}]),
        ("join", "body", "facts", [{"person": "j1", "judges": ["j0"]}]),
        ("join", "body", "facts", [{"person": "j0b", "judges": ["j0b"]}]),
        ("forget", "body", "facts", [{"judges": ["j1"], "parts": ["note"]}]),
        ("forget", "body", "facts", [{"judges": [], "parts": []}]),
        ("launch", "body", "facts", [{"name": "history"}]),
        ("consent", "body", "kind", ["invite", "revoke", "leave", "undo", "enter"]),
        ("resume", "body", "kind", ["vote"]),
        ("revoke", "body", "at", [5]),
    ],
    "form": [  # what no server writes
        ("good", "said", "seconds", [-1, 1e300, "x", True, [1]]),
        ("good", "said", "salt", [None, "00", "z" * 32, 5]),
        ("revoke", "body", "salt", [None, "00", "z" * 32, 5]),
        ("good", "said", "more", [1]),
        ("good", "body", "more", [1]),
        ("good", "body", "served", [5, "x", True, 1.5]),
        ("launch", "body", "at", [True]),
        *((kind, "body", "judge", ["j1"]) for kind in ("pause", "resume", "launch")),
        *((kind, "body", "facts", [{"seat": "j1"}]) for kind in ("pause", "judgment")),
        *((kind, "body", "key", ["x" * 24]) for kind in ("pause", "undo")),
        ("consent", "body", "served", [1]),
        ("invite", "body", "replaces", [3]),
        *((kind, "body.facts", "more", [1]) for kind in _NAMES),
    ],
}
"""A kind of record, or a pass of which an answer stands; where in it; a name; other values."""


def forge_values(name: str) -> Iterator[tuple[str, Forgery]]:
    for which, part, key, values in FORGED[name]:
        for value in values:

            def forge(
                records: Records, which: str = which, part: str = part, key: str = key,
                value: Any = value,
            ) -> None:  # fmt: skip
                if which in ("better", "order", "good", "errors"):
                    told = _last_standing(records, which)
                else:
                    told = records[_find(records, which)[-1]]
                for step in part.split("."):
                    told = told[step]
                told.pop(key, None)
                if value is not None:
                    told[key] = value

            yield f"{which}: {part}.{key} is {value!r}"[:80], forge


def forge_order() -> Iterator[tuple[str, Forgery]]:
    """Records that are there twice, not at all, or elsewhere; all hashes are made again."""
    kinds = (
        "invite",
        "pause",
        "consent",
        "judgment",
        "revision",
        "undo",
        "issue",
        "revoke",
        "leave",
    )
    for kind in kinds:

        def double(records: Records, kind: str = kind) -> None:
            at = _find(records, kind)[0]
            records.insert(at + 1, json.loads(json.dumps(records[at])))

        def early(records: Records, kind: str = kind) -> None:
            records.insert(1, records.pop(_find(records, kind)[0]))

        yield f"{kind} doubled", double
        if kind not in ("invite", "pause"):
            yield f"{kind} moved to the front", early
    for kind in ("launch", "invite", "pause", "judgment", "undo", "revoke", "issue", "leave"):

        def drop(records: Records, kind: str = kind) -> None:
            del records[_find(records, kind)[0]]

        yield f"{kind} removed", drop


def mutate_chain(history: History) -> Iterator[Mutation]:
    """Records of a database changed, and all hashes from there on made again."""
    every = {name: forge_values(name) for name in FORGED} | {"order": forge_order()}
    for name, forgeries in every.items():
        for what, forge in forgeries:
            records = _read(history.log)
            forge(records)
            _remake(records)
            yield Mutation(f"chain: {name} forged", what, _write_database(records))


def mutate_lines(history: History) -> Iterator[Mutation]:
    """Lines of an exported log, each alone."""
    luck = random.Random(11)
    lines = history.log.read_bytes().splitlines(keepends=True)

    for _ in range(15):
        at, other = luck.sample(range(len(lines) - 1), 2)
        yield Mutation("lines: one removed", f"{at}", _write_bytes(lines[:at] + lines[at + 1 :]))
        yield Mutation("lines: one doubled", f"{at}", _write_bytes(lines[: at + 1] + lines[at:]))
        swapped = list(lines)
        swapped[at], swapped[other] = lines[other], lines[at]
        yield Mutation("lines: two swapped", f"{at}, {other}", _write_bytes(swapped))
        flipped = bytearray(lines[at])
        place = luck.randrange(len(flipped))
        flipped[place] ^= 1 << luck.randrange(8)
        changed = [*lines[:at], bytes(flipped), *lines[at + 1 :]]
        yield Mutation("lines: a bit flipped", f"{at}, {place}", _write_bytes(changed))
    for at in _find(_read(history.log), "judgment"):
        records = _read(history.log)
        if "said" not in records[at]:
            continue
        records[at]["said"]["seconds"] = 99.5
        yield Mutation("lines: an answer changed", f"{at}", _write_lines(records))
        records[at]["body"]["said"] = digest(canonical(records[at]["said"]))
        records[at]["hash"] = digest(canonical(records[at]["body"]))
        if at < len(records) - 1:
            yield Mutation("lines: an answer and its hash", f"{at}", _write_lines(records))
    for what, forge in forge_order():
        records = _read(history.log)
        forge(records)
        _remake(records)
        yield Mutation("lines: order forged, all hashes again", what, _write_lines(records))


def mutate_unseen(history: History) -> Iterator[Mutation]:
    """What only a head shows: a chain that is sound, and rewritten; the end cut."""
    for seconds in range(10):
        records = _read(history.log)
        told = {"answer": {"score": 7}, "seconds": seconds, "salt": "0" * 32}
        _last_standing(records, "good")["said"] = told
        _remake(records)
        kind = "chain: rewritten as a sound one"
        yield Mutation(kind, f"a score, {seconds}", _write_database(records))
        yield Mutation(kind, f"lines, {seconds}", _write_lines(records))
    records = _read(history.log)
    # before the last deletion parts are gone without a request for it
    for n in range(1, len(records) - _find(records, "forget")[-1]):
        yield Mutation("lines: the end cut", f"{n} records", _write_lines(records[:-n]))


def list_mutations(histories: dict[str, History]) -> list[tuple[History, Mutation, Path]]:
    """All mutations, with the file that each changes."""
    found, seen = [], set[tuple[str, str, str]]()
    for name, history in histories.items():
        makers = [mutate_columns, mutate_rows]
        if name == "design":
            makers += [mutate_boards, mutate_pages, mutate_chain, mutate_lines, mutate_unseen]
        for maker in makers:
            for one in maker(history):
                if (name, one.kind, one.what) in seen:  # the same lines drawn a second time
                    continue
                seen.add((name, one.kind, one.what))
                lines = one.kind.startswith("lines") or one.what.startswith("lines")
                found.append((history, one, history.log if lines else history.database))
    return found


def _is_caught(path: Path, head: Head | None) -> bool:
    try:
        return not audit(str(path), head).holds
    except EvenhandError:
        return True


def test_what_no_log_determines_is_named_in_the_documentation(
    record_property: Callable[..., None],
) -> None:
    told = (Path(__file__).parents[3] / "docs" / "store.md").read_text("utf-8")
    free = told.partition("**Columns that the log does not determine.**")[2].partition("\n- **")[0]
    columns = [
        (table, column)
        for table, columns in FREE.items()
        for column in sorted(columns - {"judge of admin", "made of admin"})
    ]
    named = [one for one in columns if f"`{one[1]}`" in free or f"`{'.'.join(one)}`" in free]
    record_property("columns named", f"{len(named)} of {len(columns)}")
    assert named == columns
    assert "everything about links of organisers and crowds" in free


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: each mutation is a commit, and a disk is slow."""
    shared = Path("/dev/shm")
    with TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.mark.parametrize("part", ["some", pytest.param("others", marks=pytest.mark.slow)])
def test_mutations_are_found_out(histories: dict[str, History], part: str, memory: Path) -> None:
    """With a head all; without one all but a sound chain rewritten, and an end that was cut.

    What is found without a head is audited with one, too, every third time, or always with
    EVENHAND_WHOLE: a head only adds a comparison.
    """
    every = list_mutations(histories)
    assert len(every) >= FEWEST
    tried, without, with_head = Counter[str](), Counter[str](), Counter[str]()
    missed: list[str] = []
    # what nobody could have done, and an eighth of the rest; or what is not among them
    some = [at % 8 == 2 or one[1].kind == "chain: body forged" for at, one in enumerate(every)]
    chosen = [one for one, is_some in zip(every, some, strict=True) if is_some == (part == "some")]
    for at, (history, one, source) in enumerate(chosen):
        path = memory / source.name
        shutil.copyfile(source, path)
        try:
            one.change(path)
        except sqlite3.IntegrityError:  # the database itself refuses it
            continue
        tried[one.kind] += 1
        alone = _is_caught(path, None)
        against = (alone and at % STEP > 0) or _is_caught(path, history.head)
        without[one.kind] += alone
        with_head[one.kind] += against
        if not against or alone == (one.kind in MISSED):
            missed.append(f"{one.kind}: {one.what}: without a head {alone}, with one {against}")
    for kind, n in tried.items():
        print(f"{kind}: {n} tried, {without[kind]} found, {with_head[kind]} with a head")  # noqa: T201 - counts of an experiment
    found = f"{without.total()} found, {with_head.total()} with a head"
    print(f"{part}: {tried.total()} tried, {found}")  # noqa: T201 - counts of an experiment
    assert missed == []
    assert with_head == tried
