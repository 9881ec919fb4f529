"""Where a result goes: the terminal or a file, as text, JSON, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import click

from evenhand.cli.kept import kept, kept_excluded, reads_judgments
from evenhand.cli.terminal import PLAIN, columns_of_terminal, label
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judgments.exclusions import Exclusion

SUFFIXES: Final = {".json": "json", ".csv": "csv", ".tex": "latex", ".txt": "text", "": "text"}
LOST: Final = "not finite, so null here"


class Result(Protocol):
    """What a verb found, in every form it can be asked for."""

    def text(self, columns: int) -> str:
        """Return it for people, so many columns wide."""

    def contract(self) -> dict[str, Any]:
        """Return what --json prints."""

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of --csv, all with the same keys."""

    def latex(self) -> str:
        """Return what --latex prints."""

    def remarks(self) -> list[str]:
        """Return what a reader must know and CSV has no place for."""


@dataclass(frozen=True)
class Output:
    """Where a result goes."""

    form: str  # text, json, csv or latex
    path: Path | None  # the file, or None for the terminal

    def deliver(self, result: Result) -> None:
        """Print or write a result."""
        if self.form == "text" and self.path is None:
            click.echo(result.text(columns_of_terminal()), nl=False)
            return
        rendered = self._render(result, PLAIN)
        if self.path is None:  # machines read UTF-8, whatever the terminal is set to
            click.echo(rendered.encode(), nl=False)
        else:
            write_file(self.path, rendered)
        for remark in _list_remarks(result) if self.form == "csv" else ():
            click.echo(label("note", remark, PLAIN), err=True)
        if self.path is not None:
            click.echo(label("wrote", str(self.path), PLAIN), err=True)

    def _render(self, result: Result, columns: int) -> str:
        excluded = kept_excluded()
        if self.form == "json":
            return write_json(_add_excluded(result.contract(), excluded))
        if self.form == "csv":
            return write_csv(result.records())
        if self.form == "latex":
            comments = [f"% {' '.join(one.text.split())}\n" for one in excluded]
            return "".join([*comments, result.latex()])
        return click.unstyle(result.text(columns))


def _list_remarks(result: Result) -> list[str]:
    """Return what a CSV file has no place for, with what was excluded."""
    remarks = list(result.remarks())
    return [*remarks, *(one.text for one in kept_excluded() if one.text not in remarks)]


def _add_excluded(contract: dict[str, Any], excluded: Sequence[Exclusion]) -> dict[str, Any]:
    """Add to a contract what was excluded, unless it says more itself."""
    if not reads_judgments():
        return contract
    described = [one.to_dict() for one in excluded]
    held = contract.get("excluded", [])
    return {**contract, "excluded": [*(one for one in described if one not in held), *held]}


def write_file(path: Path, text: str) -> None:
    """Write a text file."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnknownOption(f"'{path}' cannot be written: {reason}") from None


def refuse_unwritable(path: Path) -> None:
    """Refuse a place that cannot be written, before the work begins; nothing is left there."""
    try:
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            path.open("xb").close()
            path.unlink()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnknownOption(f"'{path}' cannot be written: {reason}") from None


def take_output(*inputs: str | None) -> Output:
    """Return where the words of the command say that the result goes."""
    forms = {form: kept(f"as_{form}") for form in ("json", "csv", "latex")}
    return choose_output(forms, kept("output"), (*kept("files"), *filter(None, inputs)))


def choose_output(forms: dict[str, bool], path: str | None, inputs: Sequence[str] = ()) -> Output:
    """Decide on form and place."""
    asked = [form for form, wanted in forms.items() if wanted]
    if len(asked) > 1:
        raise UnknownOption(f"--{asked[0]} and --{asked[1]} exclude each other: choose one")
    if path is None:
        return Output(asked[0] if asked else "text", None)
    refuse_overwriting(inputs, path)
    place = Path(path)
    refuse_unwritable(place)
    form = asked[0] if asked else SUFFIXES.get(place.suffix.lower(), "")
    if not form:
        options = " or ".join(f"--{one}" for one in forms)
        raise UnknownOption(f"-o {path}: the ending '{place.suffix}' says no format; add {options}")
    return Output(form, place)


def refuse_overwriting(inputs: Sequence[str], path: str) -> None:
    """Refuse to write over what is read."""
    if any(os.path.realpath(one) == os.path.realpath(path) for one in inputs):
        raise UnknownOption(f"-o {path} would overwrite the judgments: name another file")


def write_json(contract: dict[str, Any]) -> str:
    """Return JSON without NaN or infinity: those become null, and a note says so."""
    lost: list[str] = []
    clean = _finite(contract, "", lost)
    if lost:
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
    r"""Return a header and a line for each record; what is not known is empty.

    >>> write_csv([{"system": "a,b", "cluster": None}])
    'system,cluster\n"a,b",\n'
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()
