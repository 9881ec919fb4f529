"""From the words of a verb to judgments, from groups to results, and their forms and places."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Protocol

import click

from evenhand.cli.main import keep_excluded, kept_excluded
from evenhand.data.results import Found, Given, Grouped, try_each
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.render.document import Document, Finding, describe_findings, plural, take_findings
from evenhand.render.text import PLAIN, cut, label

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.query_log import Fetch
    from evenhand.data.rankings import Rankings
    from evenhand.data.rating_rows import RatingRows
    from evenhand.data.ratings import Ratings


def work_on_groups(
    groups: Mapping[str, Given], work: Callable[[Given], Found], group_by: str | None
) -> tuple[dict[str, Found], dict[str, str]]:
    """Return what was found in each group, and why there is nothing for the others.

    One group that was not asked for, by a column, has no name, and its refusal is the command's.
    """
    if [*groups] == [""] or (group_by is None and len(groups) == 1):
        (alone,) = groups.values()
        return {"": work(alone)}, {}
    results, refused = try_each(groups, work)
    if not results:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return results, refused


def split_groups(data: Comparisons, group_by: str | None) -> dict[str, Comparisons]:
    """Return each value of a column, or each task where none is asked for, by itself."""
    from evenhand.data.groups import choose_groups, split_table

    by = choose_groups(data, group_by)
    return {"": data} if by is None else split_table(data, by)


def group_rows(
    data: Ratings, group_by: str | None, factors: Iterable[str] = ()
) -> Mapping[str, RatingRows]:
    """Return ratings by task, criterion and a further column, with other columns beside them."""
    from evenhand.data.groups import group_ratings

    by = None if group_by is None else data.require(group_by)
    columns = dict.fromkeys([*factors, *([] if by is None else [by])])
    return group_ratings(data.rows(factors=list(columns)), by)


# Where a result goes: the terminal or a file, as text, JSON, CSV or LaTeX.

SUFFIXES: Final = {
    ".json": "json",
    ".csv": "csv",
    ".tex": "latex",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    "": "text",
}
FORMS: Final = ("json", "csv", "latex", "markdown")
PICTURES: Final = {".svg": "svg", ".png": "png", ".pdf": "pdf"}
# What an ending that no verb writes asks for, and what does it
INSTEAD: Final = {
    ".html": "; evenhand report writes a page",
    ".tsv": "; .csv has the same rows",
    ".xlsx": "; a spreadsheet opens .csv",
    **dict.fromkeys((".jpg", ".jpeg", ".eps"), "; figures are .svg, .png or .pdf"),
}
# Verbs whose result can be a figure
DRAWING: Final = (
    *("agreement", "bias", "compare", "fit", "judges", "metrics", "plan", "rank", "robustness"),
    *("similarity", "variance"),
)
LOST: Final = "not finite, so null here"


class Result(Protocol):
    """What a verb found, in every form it can be asked for."""

    @property
    def exit_code(self) -> int: ...  # of the command
    def text(self, columns: int) -> str: ...
    def contract(self) -> dict[str, Any]: ...  # what --json prints
    def records(self) -> list[dict[str, Any]]: ...  # the rows of --csv, all with the same keys
    def latex(self) -> str: ...
    def remarks(self) -> list[str]: ...  # what a reader must know and CSV has no place for


MIN_COLUMNS, MAX_COLUMNS = 60, 120


def columns_of_terminal() -> int:
    """Return how many columns to fill: 80 in a pipe, else the terminal's within reason."""
    if not sys.stdout.isatty():
        return PLAIN
    return min(max(shutil.get_terminal_size((PLAIN, 24)).columns, MIN_COLUMNS), MAX_COLUMNS)


@dataclass(frozen=True)
class Output:
    form: str  # text, one of FORMS, or a value of PICTURES
    path: Path | None  # the file, or None for the terminal

    def deliver(self, result: Result) -> None:
        if self.form == "text" and self.path is None:
            click.echo(result.text(columns_of_terminal()), nl=False)
            return
        if self.path is not None and self.form in PICTURES.values():
            path = self.path  # of several groups one file each, with the group in its name
            from evenhand.report.figures.style import name_files, render
            from evenhand.report.plot import DRAWN, find_chart

            groups = getattr(result, "groups", {})
            drawn = {name: part for name, part in groups.items() if type(part).__name__ in DRAWN}
            if not drawn:
                raise UnknownOption(
                    f"-o {path}: this result has no figure; write .csv, .tex, .md or .json"
                )
            files = {name: f"{path.stem}-{file}" for name, file in name_files(drawn).items()}
            places = [path if len(groups) == 1 else path.with_stem(files[name]) for name in drawn]
            charts = map(find_chart, drawn.values())
            pictures = [render(one.draw(), self.form) for one in charts]  # before the first file
            for place, picture in zip(places, pictures, strict=True):
                with refusing_to_write(place):
                    place.write_bytes(picture)
            for written in places:
                click.echo(label("wrote", str(written), PLAIN), err=True)
            return
        rendered = self._render(result)
        if self.path is None:  # machines read UTF-8, whatever the terminal is set to
            click.echo(rendered.encode(), nl=False)
        else:
            write_file(self.path, rendered)
        if self.form == "csv":
            from evenhand.data.exclusions import gather_excluded

            remarks, kept = list(result.remarks()), kept_excluded() or ()
            told = [one.text for one in kept]
            known = {one.code for one in kept}
            for name, part in getattr(result, "groups", {}).items():
                own = (one.text for one in gather_excluded(part) if one.code not in known)
                told += [f"{name}: {text}" if name else text for text in dict.fromkeys(own)]
            for remark in (*remarks, *(one for one in told if one not in remarks)):
                click.echo(label("note", remark, PLAIN), err=True)
        if self.path is not None:
            click.echo(label("wrote", str(self.path), PLAIN), err=True)

    def _render(self, result: Result) -> str:
        excluded = kept_excluded()
        if self.form == "json":
            contract = result.contract()
            if excluded is None:
                return write_json(contract)
            from evenhand.data.exclusions import ONCE

            held = contract.get("excluded", [])
            counted = {one["code"] for one in held if one["code"] in ONCE}
            fresh = (one.to_dict() for one in excluded if one.code not in counted)
            told = [*(one for one in fresh if one not in held), *held]
            return write_json({**contract, "excluded": told})
        if self.form == "csv":
            return write_csv(result.records())
        if self.form == "markdown":
            markdown = getattr(result, "markdown", None)
            if markdown is None:
                raise UnknownOption(
                    "--markdown is not made of this result: take --json, --csv or --latex"
                )
            return str(markdown())
        if self.form == "latex":
            written = result.latex()
            comments = [f"% {' '.join(one.text.split())}\n" for one in excluded or ()]
            return "".join([*(one for one in comments if one not in written), written])
        return click.unstyle(result.text(PLAIN))


def write_file(path: Path, text: str) -> None:
    with refusing_to_write(path):
        path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def refusing_to_write(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
            reason = f"there is no folder '{path.parent}': create it first"
        raise UnknownOption(f"'{path}' cannot be written: {reason}") from None


def refuse_unwritable(path: Path) -> None:
    """Refuse a place that cannot be written, before the work begins; nothing is left there."""
    with refusing_to_write(path):
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            path.open("xb").close()
            path.unlink()


def choose_output(forms: dict[str, bool], path: str | None, inputs: Sequence[str] = ()) -> Output:
    requested = [form for form, wanted in forms.items() if wanted]
    if len(requested) > 1:
        raise UnknownOption(f"--{requested[0]} and --{requested[1]} exclude each other: choose one")
    if path is None:
        return Output(requested[0] if requested else "text", None)
    refuse_overwriting(inputs, path)
    place = Path(path)
    refuse_unwritable(place)
    context = click.get_current_context(silent=True)
    drawing = context is not None and context.command.name in DRAWING
    endings = {**SUFFIXES, **(PICTURES if drawing else {})}
    if requested and place.suffix.lower() in PICTURES:
        raise UnknownOption(
            f"-o {path} is a picture, and --{requested[0]} is none: leave one of them out"
        )
    form = requested[0] if requested else endings.get(place.suffix.lower(), "")
    if not form:
        options = " or ".join(f"--{one}" for one in forms)
        ending = place.suffix.lower()
        hint = INSTEAD.get(ending, "")
        if ending in PICTURES and context is not None:
            hint = f"; {context.command.name} draws no figure"
        known = ", ".join(one for one in endings if one)
        raise UnknownOption(
            f"-o {path}: the ending '{place.suffix}' is none of {known}{hint}; name the file"
            f" otherwise, or add {options}"
        )
    return Output(form, place)


def refuse_overwriting(
    inputs: Sequence[str], path: str, flag: str = "-o", what: str = "the judgments"
) -> None:
    if any(os.path.realpath(one) == os.path.realpath(path) for one in inputs):
        raise UnknownOption(f"{flag} {path} would overwrite {what}: name another file")


def write_json(contract: dict[str, Any]) -> str:
    """Return JSON without NaN or infinity: those become null, and a note says so."""
    lost: list[str] = []
    clean = _finite(contract, "", lost)
    if lost and "findings" in clean:
        found = (Finding("not-finite", f"{name}: {LOST}", "info", {"key": name}) for name in lost)
        clean["findings"] = [*clean["findings"], *describe_findings(found)]
    elif lost:
        clean["notes"] = [*clean.get("notes", []), *(f"{name}: {LOST}" for name in lost)]
    return json.dumps(clean, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _finite(value: Any, name: str, lost: list[str]) -> Any:
    """Copy nested lists and mappings, with null for numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _finite(one, f"{name}.{key}".strip("."), lost) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one, f"{name}[{i}]", lost) for i, one in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        lost.append(name)
        return None
    return value


def write_csv(records: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


# A sign of life on the error stream, where that is a terminal and work takes over a second.

SOON, PACE = 1.0, 0.2  # Seconds until it is shown, and between two drawings
BAR: Final = 24  # Columns of the bar


def write_clock(seconds: float) -> str:
    """Write a time as on a clock: 0:07, 12:30, 1:00:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def is_dumb() -> bool:
    """Whether the terminal says of itself that it cannot move the cursor."""
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


class ProgressDisplay:
    """A context in which long work is shown on a line that is redrawn, with a bar of its steps."""

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self._steps = (0, 0)
        self._began = time.monotonic()
        self._over = Event()
        self._drawer = Thread(target=self._draw, daemon=True)

    def __enter__(self) -> ProgressDisplay:
        if sys.stderr.isatty() and not is_dumb():
            self._drawer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._drawer.ident is not None:
            self._drawer.join()

    def step(self, done: int, total: int) -> None:
        self._steps = (done, total)

    def tell(self, doing: str, done: int, total: int) -> None:
        self.doing, self._steps = doing, (done, total)

    def _draw(self) -> None:
        pause = SOON
        while not self._over.wait(pause):
            spent, (done, total) = time.monotonic() - self._began, self._steps
            cells = BAR * min(done, total) // total if total else 0
            bar = f"{'─' * cells}{'·' * (BAR - cells)}  " if total else ""
            left = ""  # how long the rest takes, at the same pace
            if 0 < done < total:
                left = f"  {write_clock(spent * (total - done) / done)} left"
            text = f"{bar}{write_clock(spent)}{left}"
            columns = shutil.get_terminal_size((PLAIN, 24)).columns - len(text) - 3
            sys.stderr.write(f"\r{cut(self.doing, columns)}  {text}\x1b[K")
            sys.stderr.flush()
            pause = PACE
        if pause != SOON:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def remarks_on(
    data: Comparisons | Rankings | Ratings,
    *noted: str,
    uses: Sequence[str] = (),
    llm_judges: Sequence[str] = (),
) -> list[str]:
    from evenhand.data import exclusions
    from evenhand.data.controls import find_excluded, note_types

    excluded = find_excluded(data, noted, uses)
    keep_excluded(excluded)
    told = exclusions.list_findings((), excluded)
    counted = {one.sentence: said for one, said in zip(excluded, told, strict=True) if one.sentence}
    notes = [counted.get(one, one) for one in data.source.notes]
    notes += note_types(data, llm_judges)
    more = [one for one in told if one not in notes]
    return [*notes, *more, *exclusions.list_idle(data.source.exclusions)]


def write_words(
    files: Sequence[str], flags: Mapping[str, str], values: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return the words of a command that read the same judgments again, without secrets."""
    from evenhand.formats.reading import show_source

    words = [*map(show_source, files)]
    for name in ("task", "where", "layout", "weight", "weights", "system_separator", "sheet"):
        usual = "frequency" if name == "weights" else None
        words += [] if values[name] == usual else [flags[name], values[name]]
    words += [flags["decimal"], values["decimal"]] if values["decimal"] else []
    for name in ("columns", "outcomes"):
        for key, value in values[name]:
            words += [flags[name], f"{key}={value}"]
    for name, points in values["error_weights"]:
        words += [flags["error_weights"], f"{name}={points:g}"]
    words += [flags["skip_bad_rows"]] if values["skip_bad_rows"] else []
    for name in ("missing", "without"):
        words += [word for one in values[name] for word in (flags[name], one)]
    return tuple(words)


# `--explain`: the queries that were pushed to the engine that holds the judgments.

MAX_QUERY: Final = 600  # Characters of a query that are shown
# Columns that Evenhand adds, in words
ADDED_COLUMNS: Final = {
    "evenhand_count": "their number",
    "evenhand_squares": "their squares",
    "evenhand_key": "one whole number of each row",
    "key": "one whole number of each row",
}


def write_account(fetches: Sequence[Fetch]) -> str:
    if not fetches:
        return "explain  no query was run"
    engines = ", ".join(dict.fromkeys(one.engine for one in fetches))
    rows = sum(one.rows for one in fetches if not one.batches)
    streamed = sum(one.rows for one in fetches if one.batches)
    n = f"{len(fetches):,} quer{'y' if len(fetches) == 1 else 'ies'}"
    more = f" and {streamed:,} streamed" if streamed else ""
    lines = [f"explain  {engines}: {n} pushed, {plural(rows, 'row')} collected{more} in all"]
    for number, one in enumerate(fetches, 1):
        how = "collected"
        if one.batches:
            where = "to a temporary file" if one.filed else "and counted"
            how = f"streamed in {plural(one.batches, 'batch', 'batches')} {where}"
        size = f"{plural(one.rows, 'row')} × {plural(len(one.columns), 'column')}"
        ours = [ADDED_COLUMNS[name] for name in one.columns if name in ADDED_COLUMNS]
        theirs = [name for name in one.columns if name not in ADDED_COLUMNS]
        theirs = [name.removeprefix("evenhand_") for name in theirs]
        said = ", ".join(["rows with " + ", ".join(theirs)] * bool(theirs) + ours) or "rows"
        if "evenhand_count" in one.columns:  # by what rows were counted stands before their number
            at = one.columns.index("evenhand_count")
            keys = ", ".join(name.removeprefix("evenhand_") for name in one.columns[:at])
            sums = [name for name in one.columns[at + 1 :] if name not in ADDED_COLUMNS]
            said = f"rows counted by {keys}" if keys else "rows counted"
            said += " with their squares" if "evenhand_squares" in one.columns else ""
            said += f" with {plural(len(sums), 'more column')}" if sums else ""
        lines.append(f"{number:>7}  {said}: {size} {how}")
        # a query is shown as a line; a plan, which is many, as its lines
        text = one.query or "in this process, on the frame as it lies in memory"
        text = " ".join(text.split()) if text.lstrip()[:6].upper() == "SELECT" else text
        text = text if len(text) <= MAX_QUERY else f"{text[: MAX_QUERY - 1]}…"
        lines += [f"         {line}" for line in text.splitlines() if line.strip()]
    return "\n".join(lines)


def keep_account(context: click.Context, param: click.Parameter, value: Any) -> Any:  # noqa: ARG001 - click's signature
    """Keep account of every query of the verb, and print it on the error stream at its end."""
    if value:
        from evenhand.data.query_log import watch_fetches

        fetches = context.with_resource(watch_fetches())
        context.call_on_close(lambda: click.echo(write_account(fetches), err=True))
    return value


def join_conditions(conditions: tuple[str, ...]) -> str | None:
    """Join several conditions into one, so that a refusal's advice adds to what was given."""
    if len(conditions) < 2:
        return next(iter(conditions), None)
    from evenhand.data.conditions import parse_condition

    for condition in conditions:
        parse_condition(condition)
    # A remark at the end of a condition ends with its line.
    return " and ".join(f"({one}\n)" if "--" in one else f"({one})" for one in conditions)


def join_pairs(pairs: Iterable[tuple[str, str]], refusal: str) -> dict[str, str]:
    """Join pairs of a name and a value; a name with two values is refused."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        if joined.setdefault(name, value) != value:
            raise UnknownOption(refusal.format(name, joined[name], value))
    return joined


def read_with_roles(
    source: Any, roles: Mapping[str, str], required: Collection[str], settings: Mapping[str, Any]
) -> tuple[Comparisons | Rankings | Ratings, set[str]]:
    """Read a table with the columns it has of those named; return the roles of the others."""
    from evenhand.formats.reading import read

    left, lacking = dict(roles), set[str]()
    while True:
        try:
            return read(source, columns=left or None, **settings), lacking
        except UnknownColumn as fault:
            lost = {role for role, name in left.items() if name == fault.name}
            if not lost or not lost.isdisjoint(required):
                raise
            lacking |= lost
            left = {role: name for role, name in left.items() if role not in lost}


def group_title(name: str, columns: int) -> list[str]:
    return ["", click.style(f"{cut(name, columns - 2)} ".ljust(columns, "─"), bold=True)]


def part_groups(result: Any) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Return results by group, one without a name where there are no groups, and the refused."""
    return (result.groups, result.refused) if isinstance(result, Grouped) else ({"": result}, {})


ALL: Final = "all groups"  # Heading of what is true of each of several groups
BESIDE: Final = "side by side"  # Heading of what shows all groups


@dataclass(frozen=True, eq=False)
class VerbResult:
    groups: Mapping[str, Any]  # results by group; one without a name where there are no groups
    refused: Mapping[str, str]  # why some groups have none
    read: Sequence[str]  # what was understood of the files, and what was excluded
    columns: tuple[str, ...] = ()  # more columns of the table, as `document` takes them
    side_by_side: Document | None = None  # the groups in one table, which people read after each
    exit_code: int = 0  # of the command
    advice: tuple[Finding, ...] = ()  # what may be done besides, of all groups

    def __post_init__(self) -> None:
        """Let every part carry what was excluded from the judgments that the command read."""
        excluded = kept_excluded()
        if excluded:
            from evenhand.data.exclusions import note_groups

            object.__setattr__(self, "groups", note_groups(self.groups, excluded, once=True))

    @property
    def grouped(self) -> bool:
        return "" not in self.groups

    @cached_property
    def _read(self) -> tuple[Finding, ...]:
        return tuple(
            one
            if one.severity == "warning"
            else Finding(one.code or "read", one, "info", one.values)
            for one in take_findings(self.read)
        )

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The document of each group, without what is said of all of them."""
        return {
            name: replace(one, findings=tuple(f for f in one.findings if f not in self._common))
            for name, one in self._complete.items()
        }

    @cached_property
    def _common(self) -> tuple[Finding, ...]:
        """What each of several groups says in the same words, such as facts of the whole file."""
        first, *others = self._complete.values() or [Document()]
        if not others:
            return ()
        return tuple(f for f in first.shown if all(f in one.findings for one in others))

    @cached_property
    def _complete(self) -> dict[str, Document]:
        """The document of each group, with what a reader must know of the files."""
        read = []
        for one in self._read:
            layout, columns = one.values.get("layout"), one.values.get("columns")
            if one.values.get("renamed", True):  # behind the label that says that it was read
                text = f"{layout}: {columns}" if layout and columns else one
                severity = "warning" if one.severity == "warning" else "read"
                read.append(Finding(one.code, text, severity, one.values))
        documents = {name: one.document(*self.columns) for name, one in self.groups.items()}
        return {
            name: replace(one, findings=(*read, *own, *self.advice))
            for name, one in documents.items()
            for own in [[f for f in one.findings if f not in self.read]]
        }

    def text(self, columns: int) -> str:
        from evenhand.render.text import render_text

        if not self.grouped:
            return render_text(self.documents[""], columns)
        lines: list[str] = []
        for name, document in self.documents.items():
            lines += [*group_title(name, columns), render_text(document, columns).rstrip("\n")]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        for name, one in self._further:
            lines += [*group_title(name, columns), render_text(one, columns).strip("\n")]
        return "\n".join(lines[1:]) + "\n"

    def contract(self) -> dict[str, Any]:
        parts = {name: one.to_dict(*self.columns) for name, one in self.groups.items()}
        read, advice = describe_findings(self._read), describe_findings(self.advice)
        if self.grouped:
            found: dict[str, Any] = {"groups": parts, "refused": dict(self.refused)}
            if self.side_by_side is not None:
                found["side_by_side"] = self.side_by_side.records if len(self.groups) > 1 else []
            return {**found, "findings": [*read, *advice]}
        findings = parts[""].get("findings", [])
        said = {one["text"] for one in findings}
        read = [one for one in read if one["text"] not in said]
        return {**parts[""], "findings": [*read, *findings, *advice]}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of each document, their group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, document in self.documents.items()
            for row in document.records
        ]

    def latex(self) -> str:
        from evenhand.render.latex import comment, label_groups, render_latex

        context = click.get_current_context(silent=True)
        verb = (context.command.name or "") if context is not None else ""
        stems = label_groups([*self.documents, ALL, BESIDE], verb)
        parts = {name: render_latex(one, name, stems[name]) for name, one in self.documents.items()}
        parts |= {name: comment([f"error: {why}"]) for name, why in self.refused.items()}
        further = [(name, render_latex(one, stem=stems[name])) for name, one in self._further]
        return self._join(parts, further, lambda name: comment([name]))

    def markdown(self) -> str:
        from evenhand.render.markup import escape, render_markdown

        parts = {name: render_markdown(one) for name, one in self.documents.items()}
        parts |= {name: f"\n**error** {escape(why)}\n" for name, why in self.refused.items()}
        further = [(name, render_markdown(one)) for name, one in self._further]
        return self._join(parts, further, lambda name: f"## {escape(name)}\n")

    @property
    def _further(self) -> list[tuple[str, Document]]:
        """What is of all groups, where there are several; beside the parts, not one of them."""
        further = [(ALL, Document(findings=self._common))] if self._common else []
        one = self.side_by_side
        return [*further, *([(BESIDE, one)] if one is not None and len(self.groups) > 1 else [])]

    def _join(
        self,
        parts: Mapping[str, str],
        further: Sequence[tuple[str, str]],
        head: Callable[[str], str],
    ) -> str:
        named = [*parts.items(), *further]
        return "\n".join((head(name) if name else "") + part for name, part in named)

    def remarks(self) -> list[str]:
        sentences = [
            f"{name}: {one}" if name else one
            for name, document in self.documents.items()
            for one in (
                *document.answer,
                *([document.basis] if document.basis else []),
                *(one for one in document.shown if one.severity != "read"),  # said once
            )
        ]
        common = [one for one in self._common if one.severity != "read"]
        return [*sentences, *common, *(f"{name}: {why}" for name, why in self.refused.items())]
