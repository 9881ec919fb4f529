"""What is computed on all answers of a campaign, for the organiser's page and its downloads.

A pass can be taken as another program writes it. What only the answers tell of a format that cannot
hold it (ties, errors in a source) is refused when the file is asked for.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from starlette.concurrency import run_in_threadpool

from evenhand.data.source import naming_rows
from evenhand.design.campaign import Campaign
from evenhand.design.tasks import SEVERITIES, ScaledTask, SpanTask, Task
from evenhand.errors import EvenhandError, InvalidJudgments, UnknownFormat, UnknownOption
from evenhand.web import downloads
from evenhand.web.dashboard import DashboardCache, Recomputed, get_status
from evenhand.web.downloads import Row, gather_columns, list_pass
from evenhand.web.findings import measure_judges
from evenhand.web.public_board import PublicBoard
from evenhand.web.site import Answer, Question, make_pages, write_sentence
from evenhand.web.store.audit import count_promises, gather
from evenhand.web.store.boards import SavedBoard
from evenhand.web.store.queries import Readable


@dataclass(frozen=True)
class Program:
    name: str  # as `evenhand convert --to` has it
    title: str
    suffix: str  # of its files
    holds: tuple[str, ...]  # kinds of passes that it can hold
    what: str  # these in words
    kinds: tuple[str, ...] = ("target",)  # kinds of rows that it has words for
    whole: bool = False  # whether it has a place for scores of whole documents


SCORED: Final = ("rating", "spans")
ANSWERED: Final = ("pair", "rank", *SCORED)
ALL_KINDS: Final = ("target", "repeat", "good", "bad")
PROGRAMS: Final = (
    Program("arena", "arena JSONL", ".jsonl", ("pair", "rank"), "preferences"),
    Program("wmt-rnk", "WMT RNK", ".csv", ("rank",), "rankings"),
    Program("appraise", "Appraise CSV", ".csv", SCORED, "scores", ALL_KINDS, whole=True),
    Program("wmt-json", "WMT24 JSONL", ".jsonl", SCORED, "scores"),
    Program("mqm-tsv", "MQM TSV", ".tsv", ("spans",), "marked errors"),
    Program("label-studio", "Label Studio JSON", ".json", ANSWERED, "answers", whole=True),
)
LETTERS: Final = 3  # Of a language in Appraise


@dataclass(frozen=True)
class Offer:
    program: Program  # the format
    task: str  # name of the pass
    why: str = ""  # why it cannot be made; "" where it can
    lacks: bool = False  # whether it leaves out scores of whole documents


def list_offers(campaign: Campaign) -> tuple[Offer, ...]:
    offers = []
    for task in campaign.tasks:
        has_whole = isinstance(task, ScaledTask) and bool(task.document_question)
        for program in PROGRAMS:
            if task.kind in program.holds:
                why, lacks = _refuse(campaign, task, program), has_whole and not program.whole
                offers.append(Offer(program, task.name, why, lacks))
    return tuple(offers)


def list_unfit(campaign: Campaign) -> tuple[Program, ...]:
    kinds = {task.kind for task in campaign.tasks}
    return tuple(one for one in PROGRAMS if not kinds & {*one.holds})


def make_file(store: Readable, name: str, kind: str) -> tuple[str, bytes]:
    from evenhand.formats.reading import read_columns
    from evenhand.formats.table import InvalidRow
    from evenhand.formats.writing import write
    from evenhand.report.figures.style import name_files

    campaign = store.campaign
    offer = {(one.task, one.program.name): one for one in list_offers(campaign)}.get((name, kind))
    if offer is None or offer.why:
        why = f": {offer.why}" if offer else ""
        raise UnknownOption(f"'{name}' cannot be written as {kind}{why}")
    task, program = campaign.task(name), offer.program
    listed = list_pass(store, task, whole=program.whole)
    rows: Iterator[Row] = (row for row in listed if row["kind"] in program.kinds)
    pair = _name_languages(campaign, program) if program.name in ("wmt-rnk", "appraise") else ""
    held = [{**row, "task": pair} if pair else row for row in rows]
    seen = set[tuple[str, str, str]]()
    for row in held if program.name == "mqm-tsv" else []:
        key = (row["judge"], row["item"], row["system"])
        if key in seen:
            raise InvalidJudgments(
                f"{key[0]} marked the output of {key[2]} for item {key[1]} twice, under two logins,"
                " and MQM TSV would add up the errors: take spans.csv"
            )
        seen.add(key)
    if not held:
        raise InvalidJudgments(f"nothing of '{name}' was judged yet")
    # A column that is empty in all rows says nothing, and would be taken for one that was asked for
    columns = {
        column: values
        for column, values in gather_columns(held).items()
        if any(value not in ("", None) for value in values)
    }
    with TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder, f"{name_files([name])[name]}.{kind}{program.suffix}")
        refused = f"'{name}' cannot be written as {program.title}"
        try:
            with naming_rows("judge", "item"):  # whoever reads this has no rows to count
                write(read_columns(columns, f"'{name}'"), path, kind=kind)
        except InvalidRow as fault:
            row = held[fault.number - 1]
            who = f"judge {row['judge']}, item {row['item']}"
            raise InvalidJudgments(f"{refused}: {who}: {fault.reason}") from None
        except UnknownFormat as fault:  # the disk takes no file; its name is of the server alone
            raise OSError(str(fault)) from fault
        except EvenhandError as fault:
            raise InvalidJudgments(f"{refused}: {fault}") from None
        return path.name, path.read_bytes()


def _refuse(campaign: Campaign, task: Task, program: Program) -> str:
    """Say why a format cannot hold a pass; "" where it can, as far as the campaign tells."""
    if program.name in ("wmt-rnk", "appraise") and not _name_languages(campaign, program):
        long = " by three letters, as deu" if program.name == "appraise" else ", as de"
        return f"it needs the languages of source and output in [texts]{long}"
    if isinstance(task, SpanTask) and program.name == "mqm-tsv":
        # Why scores are not those that MQM counts from errors
        if task.score:
            return "it counts scores from errors, and here judges gave them"
        odd = [one for one, lost in task.severities.items() if SEVERITIES.get(one) != lost]
        return f"it does not know that '{odd[0]}' costs {task.severities[odd[0]]:g}" if odd else ""
    return ""


def _name_languages(campaign: Campaign, program: Program) -> str:
    from evenhand.formats.layouts.wmt import LANGUAGES

    codes = []
    for name in ("source", "output"):
        code = campaign.wording.text(name).language.partition("-")[0].casefold()
        if program.name == "appraise" and len(code) != LETTERS:
            long = (one for one, short in LANGUAGES.items() if short == code)
            code = next((one for one in long if len(one) == LETTERS), "")
        codes.append(code)
    return "-".join(codes) if all(codes) else ""


class Analysis:
    """Computes what is asked from the store, in this process; several threads may ask."""

    def __init__(
        self, store: Readable, *, save: Callable[[Mapping[str, SavedBoard]], object] | None = None
    ) -> None:
        self.store = store
        self.cache, self._pages = DashboardCache(store, save=save), make_pages()
        self.public = PublicBoard(store, self.cache)
        self.promises = Recomputed(
            store,
            "the check of the promises",
            lambda: count_promises(gather(store.records()), store.campaign, store.campaign.name)[1],
        )
        self._files = threading.Lock()

    async def ask(self, question: Question) -> Answer:
        return await run_in_threadpool(self.answer, question)

    def answer(self, question: Question) -> Answer:
        match question.what:
            case "findings":
                dashboard, planned = self.cache.look(), self.store.campaign
                judges = [judge.name for judge in self.store.judges()]
                write = partial(write_sentence, names={*judges, *planned.systems})
                measured = measure_judges(dashboard.findings)
                payload = {"dashboard": dashboard, "measured": measured, "tasks": planned.tasks}
                payload |= {"fastest": downloads.FASTEST}
                page = self._pages.get_template("findings.html")
                return Answer(page.render(payload, write=write), dashboard.made)
            case "board":
                status = get_status(self.store, self.cache)
                assert status is not None  # no state is known to whoever asks
                body = msgspec.json.encode(status, enc_hook=str)  # it takes no subclass of str
                return Answer(body.decode(), status.now, status.mark)
            case "public":
                return self.public.get()
            case "promises":
                found = self.promises.get()
                page = self._pages.get_template("promises.html")
                return Answer(page.render(check=found.value, found=found), found.made)
            case "download":
                pieces = downloads.open_download(self.store, question.name)
                if pieces is None:
                    raise UnknownOption(f"there is no table {question.name}")
                with self._files:  # one at a time: each holds rows in memory
                    return self._write(question.name, pieces)
            case "export":
                with self._files:
                    name, body = make_file(self.store, question.name, question.kind)
                    return self._write(name, [body])

    def _write(self, name: str, pieces: Iterable[bytes]) -> Answer:
        made = self.store.clock.now()
        handle, path = tempfile.mkstemp(prefix="evenhand-")
        with ExitStack() as stack:
            stack.callback(Path(path).unlink)
            with os.fdopen(handle, "wb") as file:
                file.writelines(pieces)
            stack.pop_all()  # it is whole, and stays
        return Answer(made=made, name=name, path=path)
