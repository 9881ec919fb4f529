"""A pass as other programs write it: which of them can hold it, and why others cannot.

What the campaign says tells most of it; what only the answers tell (ties, errors in a source) is
refused when the file is asked for. Controls and repeats are left out where a format has no word
for them. Judges are pseudonyms, and comments stay here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import SEVERITIES, SpanTask, Task
from evenhand.errors import EvenhandError, InvalidJudgments, UnknownOption
from evenhand.web.named_answers import name_answers
from evenhand.web.pass_rows import Row, list_pass, write_rows
from evenhand.web.store.readable import Readable


@dataclass(frozen=True)
class Program:
    """A format of another project."""

    name: str  # as `evenhand convert --to` has it
    title: str  # what people call it
    suffix: str  # of its files
    holds: tuple[str, ...]  # kinds of passes that it can hold
    what: str  # these in words
    kinds: tuple[str, ...] = ("target",)  # kinds of rows that it has words for


SCORED: Final = ("rating", "spans")
MARKED: Final = ("target", "repeat", "good", "bad")
PROGRAMS: Final = (
    Program("arena", "arena JSONL", ".jsonl", ("pair", "rank"), "preferences"),
    Program("wmt-rnk", "WMT RNK", ".csv", ("rank",), "rankings"),
    Program("appraise", "Appraise CSV", ".csv", SCORED, "scores", MARKED),
    Program("wmt-json", "WMT24 JSONL", ".jsonl", SCORED, "scores"),
    Program("mqm-tsv", "MQM TSV", ".tsv", ("spans",), "marked errors"),
    Program("label-studio", "Label Studio JSON", ".json", ("pair", "rank", *SCORED), "answers"),
)
LETTERS: Final = 3  # Of a language in Appraise


@dataclass(frozen=True)
class Offer:
    """A pass in a format."""

    program: Program  # the format
    task: str  # name of the pass
    why: str = ""  # why it cannot be made; "" where it can


def list_offers(campaign: Campaign) -> tuple[Offer, ...]:
    """Return each pass in each format that is for its kind of answers."""
    return tuple(
        Offer(program, task.name, _refuse(campaign, task, program))
        for task in campaign.tasks
        for program in PROGRAMS
        if task.kind in program.holds
    )


def list_unfit(campaign: Campaign) -> tuple[Program, ...]:
    """Return the formats that no pass is for."""
    kinds = {task.kind for task in campaign.tasks}
    return tuple(one for one in PROGRAMS if not kinds & {*one.holds})


def make_file(store: Readable, name: str, kind: str) -> tuple[str, bytes]:
    """Return a pass as another program writes it."""
    from evenhand.formats.reading import read
    from evenhand.formats.writing import write
    from evenhand.report.figures.file_names import name_files

    campaign = store.campaign
    offers = {(one.task, one.program.name): one for one in list_offers(campaign)}
    offer = offers.get((name, kind))
    if offer is None or offer.why:
        raise UnknownOption(
            f"'{name}' cannot be written as {kind}" + (f": {offer.why}" if offer else "")
        )
    task, program = campaign.task(name), offer.program
    rows: Iterator[Row] = (row for row in list_pass(store, task) if row["kind"] in program.kinds)
    pair = _name_languages(campaign, program) if program.name in ("wmt-rnk", "appraise") else ""
    if program.name == "mqm-tsv":
        rows = _refuse_twice(rows)
    held = list(rows)
    with TemporaryDirectory(prefix="evenhand-") as folder:
        table = Path(folder, "table.csv")
        if not write_rows(({**row, "task": pair} if pair else row for row in held), table):
            raise InvalidJudgments(f"nothing of '{name}' was judged yet")
        path = Path(folder, f"{name_files([name])[name]}.{kind}{program.suffix}")
        try:
            write(read(table), path, kind=kind)
        except EvenhandError as error:
            raise name_answers(error, held, (name, program.title, table)) from None
        return path.name, path.read_bytes()


def _refuse_twice(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield rows; a table of errors adds up all that one judge marked in one output."""
    seen = set()
    for row in rows:
        key = (row["judge"], row["item"], row["system"])
        if key in seen:
            raise InvalidJudgments(
                f"{key[0]} marked the output of {key[2]} for item {key[1]} twice, under two logins,"
                " and MQM TSV would add up the errors: take spans.csv"
            )
        seen.add(key)
        yield row


def _refuse(campaign: Campaign, task: Task, program: Program) -> str:
    """Say why a format cannot hold a pass; "" where it can, as far as the campaign tells."""
    if program.name in ("wmt-rnk", "appraise") and not _name_languages(campaign, program):
        long = " by three letters, as deu" if program.name == "appraise" else ", as de"
        return f"it needs the languages of source and output in [texts]{long}"
    if isinstance(task, SpanTask) and program.name == "mqm-tsv":
        return _refuse_weights(task)
    return ""


def _refuse_weights(task: SpanTask) -> str:
    """Say why scores are not those that MQM counts from errors."""
    if task.score:
        return "it counts scores from errors, and here judges gave them"
    odd = [one for one, lost in task.severities.items() if SEVERITIES.get(one) != lost]
    return f"it does not know that '{odd[0]}' costs {task.severities[odd[0]]:g}" if odd else ""


def _name_languages(campaign: Campaign, program: Program) -> str:
    """Return source and target as a format names them; "" where they are not known."""
    from evenhand.formats.layouts.wmt_rnk import LANGUAGES

    found = []
    for name in ("source", "output"):
        code = campaign.wording.text(name).language.partition("-")[0].casefold()
        if program.name == "appraise" and len(code) != LETTERS:
            long = (one for one, short in LANGUAGES.items() if short == code)
            code = next((one for one in long if len(one) == LETTERS), "")
        found.append(code)
    return "-".join(found) if all(found) else ""
