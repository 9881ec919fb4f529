"""What is taken home of a campaign: rows of a pass, our tables, the log; and who did how much."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from hashlib import sha256
from itertools import chain, islice
from shlex import quote
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw

from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion
from evenhand.data.joining import SEPARATOR
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.source import Source
from evenhand.design.tasks import ScaledTask, Task
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownFormat, UnknownOption, listing
from evenhand.web.store import queries
from evenhand.web.store.database import NotOurs
from evenhand.web.store.log import NotStored, Record, read_record

if TYPE_CHECKING:
    from evenhand.formats.table import Table

Row = dict[str, Any]
# Columns of our tables that stay here
HIDDEN: Final = ("login", "comment", "ticket", "at", "answered_at", "errors", SEPARATOR)


def list_pass(store: queries.Readable, task: Task, *, whole: bool = False) -> Iterator[Row]:
    """Yield the rows of a pass with their texts; with whole, also scores of whole documents."""
    column, names = "task", {task.name: False}  # whether it is of a whole document
    if isinstance(task, ScaledTask):
        column, names = "criterion", {task.criterion: False}
        names |= {task.document_criterion: True} if whole and task.document_question else {}
    for row in store.rows(task.table, shown=True):
        if row[column] in names and row.get("judge_type") != "llm":
            found = {name: value for name, value in row.items() if name not in HIDDEN}
            found |= {"document": row["item"], "source": ""}
            if not names[row[column]]:
                item = store.campaign.item(row["item"])
                found |= {"document": item.document, "source": item.source}
                if "score" in row:
                    found["output"] = store.campaign.find_output(row["item"], row["system"])
            yield found


def gather_columns(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Return rows as columns; a row that lacks one has None there.

    >>> gather_columns([{"judge": "ann"}, {"judge": "ben", "score": 3}])
    {'judge': ['ann', 'ben'], 'score': [None, 3]}
    """
    held = list(rows)
    names = dict.fromkeys(name for row in held for name in row)
    return {name: [row.get(name) for row in held] for name in names}


LATELY: Final = 50  # Answers from which the time of an answer is taken
LONGEST: Final = 300.0  # Seconds that an answer takes at most: more is a pause
SLACK: Final = 1.0  # Seconds by which clocks of a page and a server may differ over an answer
# Words a minute that nobody reads. Adults read 238 on average and hardly more than 400 (Brysbaert
# 2019, "How many words do we read per minute?", Journal of Memory and Language 109).
FASTEST: Final = 600
FAST_SHARE, MIN_FAST = 0.2, 5  # Share and number of such answers from which a judge is named
TIES: Final = {"both_bad": "tie"}


@dataclass(frozen=True)
class Seen:
    judge: str  # the login that gave it
    at: int  # when, in milliseconds since 1970
    seconds: float | None  # time that it took by the judge's clock
    words: int = 0  # of the outputs that were shown
    right: bool | None = None  # whether it is what a control of pairs or rankings expects
    served: int | None = None  # when its question was served, in milliseconds since 1970
    stands: bool = True  # whether no other answer took its place
    by_llm: bool = False  # several of its answers may be on their way at once


@dataclass(frozen=True)
class Activity:
    judge: str  # the login
    n: int  # answers that stand
    last: datetime  # when the last of them was given
    seconds: float | None  # median time of the last fifty; None where none is known
    floor: float | None  # median of what reading the outputs of these takes at least, in seconds
    timed: int  # answers whose time is known
    fast: int  # of these, in less time than reading the outputs takes
    active: float | None  # seconds for all, pauses cut; None where one of them is not known
    overstated: int  # answers that claim more time than had passed on the server
    controls: int  # controls of pairs and rankings that were answered
    right: int  # of these, as expected

    @property
    def is_fast(self) -> bool:
        return self.fast >= max(MIN_FAST, FAST_SHARE * self.timed)


@lru_cache(maxsize=2**17)
def count_words(text: str) -> int:
    """Count words; characters of scripts that put no blanks between words are words.

    >>> count_words("The dog's asleep."), count_words("狗在睡觉")
    (3, 4)
    """
    return len(_find_word().findall(text))


@cache
def _find_word() -> re.Pattern[str]:
    from evenhand.ratings.features import SINGLE_CHARACTER_TOKENS

    alone = SINGLE_CHARACTER_TOKENS.pattern
    return re.compile(rf"{alone}|(?:(?!{alone})\S)+")


def sum_up(seen: Iterable[Seen]) -> tuple[Activity, ...]:
    """Return what each judge did, who answered last first; answers come as they were given.

    >>> (found,) = sum_up([Seen("ann", 0, 3.0, 40), Seen("ann", 60_000, 5.0, 40, True)])
    >>> found.n, found.last.isoformat(), found.seconds, found.active, found.right, found.controls
    (2, '1970-01-01T00:01:00+00:00', 4.0, 8.0, 1, 1)
    >>> found.floor, found.fast, found.timed, found.is_fast
    (4.0, 1, 2, False)
    """
    by: dict[str, list[Seen]] = {}
    for one in seen:
        by.setdefault(one.judge, []).append(one)
    activities = []
    for judge, given in by.items():
        # An answer takes no more than has passed on the server since the one before, or since its
        # question was served, and was taken by none yet: whoever goes back to an answer and mends
        # it may have begun with the next one.
        mine, overstated, passed = list[Seen](), 0, 0.0
        before: int | None = None
        for one in given:
            start = one.served if before is None else before
            gap = LONGEST if start is None else max(0.0, (one.at - start) / 1000)
            before = one.at if before is None else max(before, one.at)
            passed += min(gap, LONGEST)
            taken = one.seconds
            if one.stands and taken is not None and not one.by_llm:
                if min(taken, LONGEST) > passed + SLACK:
                    overstated += 1
                    taken = passed
                passed -= min(taken, LONGEST, passed)
            mine += [replace(one, seconds=taken)] if one.stands else []
        if not mine:
            continue
        # beside each time, that below which nobody has read the outputs
        timed = [(one.seconds, 60 * one.words / FASTEST) for one in mine if one.seconds is not None]
        times = timed[-LATELY:]
        known = [one.right for one in mine if one.right is not None]
        last = datetime.fromtimestamp(max(one.at for one in mine) / 1000, UTC)
        seconds = median(time for time, _ in times) if times else None
        floor = median(least for _, least in times) if times else None
        fast = sum(time < least for time, least in timed)
        every = [one.seconds for one in mine]
        active = None if None in every else sum(min(time, LONGEST) for time in filter(None, every))
        pace = (seconds, floor, len(timed), fast, active, overstated)
        activities.append(Activity(judge, len(mine), last, *pace, len(known), sum(known)))
    return tuple(sorted(activities, key=lambda one: (-one.last.timestamp(), one.judge)))


TABLES: Final = ("comparisons", "rankings", "ratings")
# Ratings with marked errors alone, beside the texts in which they were marked
SPANS: Final = "spans"
PAY: Final = "pay.csv"  # for the organiser alone: it says who judges are
TYPES: Final = {
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".jsonl": "application/jsonl; charset=utf-8",
    ".json": "application/json",
}
AT_A_TIME: Final = 500  # Rows that are sent together
# Columns of ratings that passes without marked errors do not have
MARKED: Final = ("errors", "spans")
# Columns that hold what a judge, worker or the organiser wrote and nothing reads back
FREE_TEXT: Final = ("comment", "note", "name", "email", "worker")
# Header of every file: the end of the log when it was begun, which a table cannot hold
HEAD: Final = "Evenhand-Head"
# How a cell begins that a spreadsheet runs
FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def list_tables(store: queries.Readable) -> list[str]:
    filled = {task.table for task in store.campaign.tasks}
    return [one for one in TABLES if one in filled]


def list_downloads(store: queries.Readable) -> list[str]:
    marks = any(task.kind == "spans" for task in store.campaign.tasks)
    return [f"{one}.csv" for one in (*list_tables(store), *([SPANS] if marks else []))]


def list_files(store: queries.Readable) -> list[str]:
    return [*list_downloads(store), PAY, "log.jsonl", "head.json", "campaign.json"]


def open_download(store: queries.Readable, name: str) -> Iterator[bytes] | None:
    if name == "log.jsonl":
        return (f"{line.write()}\n".encode() for line in store.lines())
    if name == "head.json":
        payload = {"campaign": store.campaign.name, "digest": store.campaign.digest}
        payload["head"] = str(store.head())
        if store.plan:  # the first record of the log holds it
            payload["plan_sha256"] = sha256(store.plan.encode()).hexdigest()
        payload["at"] = datetime.now(UTC).isoformat(timespec="seconds")
        return iter([json.dumps(payload, ensure_ascii=False).encode(), b"\n"])
    if name == "campaign.json":
        return iter([store.campaign.canonical, b"\n"])
    if name not in (*list_downloads(store), PAY):
        return None
    table = name.removesuffix(".csv")
    if table == SPANS:
        marking = (task for task in store.campaign.tasks if task.kind == "spans")
        rows = chain.from_iterable(list_pass(store, task) for task in marking)
        sign = store.campaign.separator
        merged = {SEPARATOR: sign} if sign else {}
        return _write_rows(({**row, **merged} for row in rows), ())
    return _write_rows(*_list_rows(store, table))


def list_pay(store: queries.Readable) -> Iterator[Row]:
    """Yield what each judge who is a person did, and is paid by the rates of the campaign."""
    tables = AnswerTables(store)
    tables.open_tables()
    done = {one.judge: one for one in tables.list_activity()}
    pay = store.campaign.pay
    for judge in store.judges():
        if judge.llm or judge.state == "vacant":
            continue
        one = done.get(judge.name)
        n, active = (one.n, one.active) if one else (0, 0.0)
        worker = judge.worker if judge.platform else ""
        row: Row = {"judge": judge.name, "person": judge.person, "worker": worker}
        row |= {"note": judge.note, "answers": n, "questions": judge.total}
        row["completed"] = "yes" if judge.finished else "no"
        row["active_minutes"] = None if active is None else f"{active / 60:.2f}"
        row |= {"controls": one.controls if one else 0, "controls_right": one.right if one else 0}
        if pay.to_dict():
            amount = pay.find_amount(n, active)
            row |= {"amount": None if amount is None else f"{amount:.2f}", "currency": pay.currency}
        yield row


def _list_rows(store: queries.Readable, table: str) -> tuple[Iterator[Row], tuple[str, ...]]:
    """Return the rows of a table as it is exported, and columns that its first row may lack."""
    if table == "pay":
        return list_pay(store), ()
    marks = any(task.kind == "spans" for task in store.campaign.tasks)
    return map(defuse, store.rows(table)), MARKED if table == "ratings" and marks else ()


def open_table(
    where: str, kinds: Sequence[str] = (), *, layout: str | None = None, task: str | None = None
) -> Table:
    """Return the answers in a campaign's database as the file of its downloads would be opened.

    where: a SQLite file or the address of a PostgreSQL database, which is only read; the campaign
        may go on meanwhile.
    kinds: of tables that will do; every other one is taken where the campaign has none of them.
    layout: the kind that was asked for, or another format.
    task: a pass of the table that is meant.
    """
    from evenhand.formats.reading import hold_columns, show_source

    name = show_source(where)
    try:
        store = queries.open_launched(where)
    except NotStored as fault:
        raise UnknownFormat(f"{name}: {fault}") from None
    except NotOurs as fault:
        remedy = fault.remedy
        if fault.others and "://" in name:
            remedy = f"name one of them, as in {quote(f'{name}?table={fault.others[0]}')}"
        elif fault.others:
            # Without the extra a table is written as CSV, by the program that comes with SQLite
            table = fault.others[0]
            query = quote('select * from "{}"'.format(table.replace('"', '""')))
            remedy = (
                f"write one of them as CSV (sqlite3 -header -csv {quote(name)} {query} >"
                f" {quote(f'{table}.csv')}), or name it, as in"
                f" {quote(f'sqlite://{name}?table={table}')}, which needs the extra evenhand[ibis]"
            )
        raise UnknownFormat(f"{name} {fault.seen}: {remedy}") from None
    try:
        tables = list_tables(store)
        if layout in TABLES and layout not in tables:
            raise UnknownOption(
                f"{name} holds {' and '.join(tables)}, no {layout}: read it without --from {layout}"
            )
        of_task = [one.table for one in store.campaign.tasks if one.name == task]
        for wanted in ([layout], kinds, of_task):
            tables = [one for one in tables if one in wanted] or tables
        if len(tables) > 1:
            raise UnknownOption(
                f"{name} holds {listing(tables)}: choose with --from {' or --from '.join(tables)}"
                f" (in Python format='{tables[0]}')"
            )
        plan = store.plan
        seats = [one for one in store.judges() if not one.llm]
        _, left, free = queries.count_answers(seats)
        head = str(store.head())  # before answers are read: it covers no later ones
        rows, more = _list_rows(store, tables[0])
        columns = gather_columns(rows)
    finally:
        store.engine.dispose()
    if not columns:
        raise InvalidJudgments(f"{name} holds no answers yet: read it when judges have answered")
    for column in more:
        columns.setdefault(column, [None] * len(columns["judge"]))
    digest = sha256(plan.encode()).hexdigest() if plan else ""
    known: dict[str, Any] = {"remaining": sum(left.values()), "vacant": sum(free.values())}
    known |= {"plan_sha256": digest, "audit": partial(_audit, where) if plan else None}
    return replace(hold_columns(columns, name), origin=Source(log_head=head, **known))


def _audit(where: str) -> tuple[str, int]:
    """Return why a log does not hold, "" if it does, and how many answers moved after the end."""
    from evenhand.web.store.audit import audit

    moves = queries.MoveCount()
    found = audit(where, moves=moves)
    return ("", moves.count()) if found.holds else (found.fault, 0)


def _write_rows(rows: Iterator[dict[str, Any]], more: tuple[str, ...]) -> Iterator[bytes]:
    columns: dict[str, None] = {}
    while chunk := list(islice(rows, AT_A_TIME)):
        text = io.StringIO()
        if not columns:
            columns = dict.fromkeys((*chunk[0], *more))
            csv.writer(text, lineterminator="\n").writerow(columns)
        csv.DictWriter(text, [*columns], lineterminator="\n").writerows(map(defuse, chunk))
        yield text.getvalue().encode()


def defuse(row: dict[str, Any]) -> dict[str, Any]:
    """Put an apostrophe before what a judge wrote where a spreadsheet would run it.

    Labels stay as they are: they are read back, and the organiser wrote them.

    >>> defuse({"system": "=A", "comment": "=1+1"}), defuse({"comment": "1 = 1"})
    ({'system': '=A', 'comment': "'=1+1"}, {'comment': '1 = 1'})
    """
    for name in FREE_TEXT:
        text = row.get(name)
        if isinstance(text, str) and text.lstrip().startswith(FORMULA):
            row = {**row, name: f"'{text}"}
    return row


COLUMN: Final = "chosen"  # How a pair was chosen
# How pairs are chosen that the rule of a policy did not want. One that earlier answers led to is
# one on which judges disagree more, or less, than on others: what is said of judges rests on these.
FREE: Final = ("random", "start-up", "design")


class AnswerTables:
    # Rows are kept between looks, so that each look reads the new ones. Comments are left out:
    # nothing here is computed from them, and whoever asks to be forgotten takes them back.

    def __init__(self, store: queries.Readable) -> None:
        self.store = store
        self._answers: dict[int, tuple[str, tuple[Row, ...], Seen]] = {}  # by record; table, rows
        self._past: dict[int, Seen] = {}  # those that do not stand any more, by record

    def open_tables(self) -> dict[str, Callable[[], Comparisons | Rankings | Ratings]]:
        """Return what reads each table that holds a row, once; judges are persons."""
        # Records are read in pieces, and worked on after each piece was read: SQLite cannot shorten
        # its write-ahead log while somebody reads.
        with self.store.reading() as connection:
            standing = queries.list_standing(connection)
            given = queries.list_given(connection)
        known = self._answers.keys() | self._past.keys()
        fresh = [number for number in given if number not in known]
        made = {}
        for start in range(0, len(fresh), queries.RECORDS_AT_ONCE):
            piece = fresh[start : start + queries.RECORDS_AT_ONCE]
            with self.store.reading() as connection:
                lines = queries.read_numbered(connection, piece)
            for one in map(read_record, lines):
                made[one.number] = self._make(one)
        with self.store.reading() as connection:
            persons = queries.read_persons(connection)
        read = self._answers | made
        self._answers = {number: read[number] for number in standing}
        gone = read.keys() - self._answers.keys()
        self._past |= {number: replace(read[number][-1], stands=False) for number in gone}
        readers: dict[str, Callable[[], Comparisons | Rankings | Ratings]] = {}
        for name in list_tables(self.store):
            held = (rows for table, rows, _ in self._answers.values() if table == name)
            rows = chain.from_iterable(held)
            if columns := gather_columns(rows):
                columns["judge"] = [persons.get(judge, judge) for judge in columns["judge"]]
                readers[name] = cache(partial(_read_split, columns, name))
        return readers

    def list_activity(self) -> tuple[Activity, ...]:
        seen = self._past | {number: one for number, (*_, one) in self._answers.items()}
        return sum_up(seen[number] for number in sorted(seen))

    def describe_choices(self) -> dict[str, str]:
        """Say of each pass whose pairs a policy chooses how many it chose."""
        design = self.store.campaign.design
        if not design.policy:
            return {}
        counts: dict[str, Counter[str]] = {}
        for row in chain.from_iterable(rows for _, rows, _ in self._answers.values()):
            if COLUMN in row:
                counts.setdefault(row["task"], Counter())[row[COLUMN]] += 1
        asked = f" ({100 * design.random_share:.0f} % is asked for)"
        share = "" if design.policy == "random" else asked
        descriptions = {}
        for name, n in counts.items():
            if n.keys() <= {"design"}:
                continue
            fixed = f", {n['narrowed']:,} of the pairs that were left" if n["narrowed"] else ""
            fixed += f", {n['design']:,} of the design" if n["design"] else ""
            descriptions[name] = (
                f"pairs are chosen by the policy {design.policy}: {n['policy']:,} by the policy,"
                f" {n['random']:,} at random{share}, {n['start-up']:,} of the start-up"
                f" phase{fixed}; so how often a system won says little, for some were asked about"
                " more in hard pairs"
            )
        return descriptions

    def _make(self, record: Record) -> tuple[str, tuple[Row, ...], Seen]:
        ticket, answer, planned = record.ticket, record.answer, self.store.campaign
        times = (record.at, record.seconds)
        seen = Seen(record.judge, *times, served=record.served, by_llm=record.by_llm)
        if ticket is None or answer is None:
            return "", (), seen
        seen = replace(seen, words=sum(map(count_words, planned.shown(ticket))))
        task = planned.task(ticket.task)
        if ticket.kind == "control" and task.kind in ("pair", "rank"):
            # whether it is the one that is expected
            best = ticket.expected
            if task.kind == "pair":
                right = TIES.get(answer["outcome"], answer["outcome"]) == best
            else:
                if len(ticket.systems) == 2 and best in ("left", "right"):
                    best = ticket.systems[best == "right"]
                placed = zip(ticket.systems, answer["ranks"], strict=True)
                right = [one for one, place in placed if place == 1] == [best]
            seen = replace(seen, right=right)
        more: Row = {"seconds": record.seconds} | ({"judge_type": "llm"} if record.by_llm else {})
        if planned.design.policy and task.kind == "pair":
            more["chosen"] = ticket.chosen or "design"
        rows = [{**row, **more} for row in planned.tabulate(ticket, answer)]
        for row in rows:
            del row["ticket"]  # nothing is computed from it
        return task.table, tuple(rows), seen


def _read_split(columns: Row, name: str) -> Comparisons | Rankings | Ratings:
    from evenhand.formats.reading import read_columns, split_equal  # a server sends files without

    return split_equal(read_columns(columns, name))


def keep_free(data: Comparisons | Rankings) -> tuple[Comparisons | Rankings, str]:
    if not isinstance(data, Comparisons) or COLUMN not in data.columns:
        return data, ""
    free = data.where(nw.col(COLUMN).is_in(FREE), recorded=False)
    whole, n = data.count_judgments(), free.count_judgments()
    if not n:
        why = "the policy chose every pair that was judged, and on such pairs judges cannot be"
        remedy = "ask for a random_share in the next campaign"
        raise NotIdentified(f"{why} compared", (remedy,))
    if n == whole:
        return data, ""
    reason = "pairs that the policy chose by answers"
    chosen = Exclusion("policy", reason, whole - n, whole, unit="answer")
    free = replace(free, source=free.source.excluding(chosen))
    return free, (
        f"judges are compared on {n:,.0f} of {whole:,.0f} answers: those to pairs that no answer"
        " led to (at random, start-up, or of the design)"
    )
