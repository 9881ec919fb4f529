"""What the cases answered: kept in files, one for each section, and compared key by key.

An answer is what a command printed, its exit code, what it said on the error stream, and the files
that it wrote. JSON is kept as the value it is, all else as text. Files are JSON Lines sorted by
name, compressed without a time, so that the same answers are the same bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import zip_longest
from math import isfinite, isnan
from pathlib import Path
from typing import Any, Final, NamedTuple

from corpus.runner import FOLDER, Run, read_json

KEPT: Final = FOLDER / "answers"
RENAMED: Final = FOLDER / "renamed.toml"
RELATIVE: Final = 1e-7
"""How far two numbers may lie apart, by the larger.

Processors round sums in different order, and replicates of a bootstrap divide by small numbers:
critical values differ by 1e-10.
"""
ZERO: Final = 1e-12
"""Numbers no larger than this are zero but for rounding, and have no digits to compare.

Log-worths, shares and scores are of the size of 1, where one rounding is 1e-16: gains, contrasts
and deviances that are zero in exact arithmetic come out as 1e-17 to 2e-13. What is larger is
compared by its digits, so that a p-value of 1e-9 cannot move unseen."""
PROBABILITIES: Final = ("p", "*_p", "p_*", "holm", "fdr")
"""Keys whose numbers have digits however small they are."""
MASKED: Final = "*"
Answer = dict[str, Any]
"""Of one run: `case`, `form`, `words`, `code`, `out`, `err` and, where there are any, `files`."""


@dataclass(frozen=True)
class Mask:
    """What changes by its nature, and is kept as `*`.

    Attributes:
        reason: why.
        key: the last key of the path in JSON, or a column of CSV; a pattern.
        text: a regular expression of what is replaced in words, but for its first group.
        case: a pattern of the names of cases.

    """

    reason: str
    key: str = ""
    text: str = ""
    case: str = "*"


MASKS: Final = (
    Mask("the version is that of the day", text=r"([Ee]venhand )\d+\.\d+\.\d+[\w.+]*"),
    Mask("the same", key="version", case="report/*"),
    Mask("how long a model took", key="seconds", case="compare/*"),
    Mask("the same in its table", text=r"(?m)( )\d+\.\d+ s$", case="compare/*"),
    Mask("what the engine calls a table, drawn anew", text=r"(unnamed_relation_)[0-9a-f]+…?"),
    Mask("the same of a column", text=r"(row_index_)[0-9a-f]+…?"),
    Mask("a log holds moments and keys", text=r"(head +\d+:)[0-9a-f]{64}", case="python/served*"),
    Mask("digits of a board differ by processor", key="sha256", case="watch/state"),
    Mask("the same", key="*sha256", case="python/boards"),
    Mask(
        "the same of what a pilot shows", text=r"(J=\d+ \| sha256 )[0-9a-f]{12}", case="plan/pilot*"
    ),
    Mask(
        "a digest of signatures holds the version",
        text=r"((?:from the pilot|rankings of \d+ groups) \|.* sha256 )[0-9a-f]{12}",
    ),
    Mask("how long a model took", text=r"(?m)( & \$)[\d.]+(?=\$ \\\\$)", case="compare/*"),
    Mask("where the inputs of a run lie", text=r"(is a link to ')[^']*(?=/inputs/)"),
)


class Difference(NamedTuple):
    """What a key was and what it is; None where it is not there."""

    path: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.path}: {_show(self.old)} → {_show(self.new)}"


MISSING: Final = object()
"""What stands in a difference for a key that is not there."""


def _show(value: Any) -> str:
    text = "nothing" if value is MISSING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:200]} ... ({len(text)} characters)"


def answer(run: Run) -> Answer:
    """Return what is kept of a run."""
    name = run.case.name
    value: Answer = {"case": name, "form": run.form, "words": " ".join(run.case.words)}
    out: Any = _number_names(run.out)
    if run.form == "json":
        out = read_json(out)
    masks = [one for one in MASKS if fnmatchcase(name, one.case)]
    if run.form == "csv":
        out = _mask_columns(out, [one for one in masks if one.key])
    value |= {"code": run.code, "out": out, "err": run.err}
    if run.files:
        value["files"] = {file: _read_file(file, held) for file, held in run.files.items()}
    return _mask(value, masks)


def _read_file(name: str, content: bytes) -> Any:
    """Return a file as JSON or as text; of Parquet the rows, since its bytes tell who wrote it."""
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if content[:4] == b"PAR1":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(io.BytesIO(content))
        kinds = {column.name: str(column.type) for column in table.schema}
        return {"columns": kinds, "rows": [list(row.values()) for row in table.to_pylist()]}
    text = _number_names(content.decode("utf-8", "backslashreplace"))
    return read_json(text) if name.endswith((".json", ".jsonl")) else text


def _number_names(text: str) -> str:
    """Name the data of figures `data-1`, `data-2`, ...: their names are digests of all digits."""
    names = dict.fromkeys(re.findall(r"data-[0-9a-f]{32}", text))
    for number, name in enumerate(names, 1):
        text = text.replace(name, f"data-{number}")
    return text


def _mask_columns(text: str, masks: Sequence[Mask]) -> str:
    """Mask whole columns of a table, if it has one that is masked."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    header = rows[0] if rows else []
    columns = [at for at, name in enumerate(header) for one in masks if fnmatchcase(name, one.key)]
    if not columns:
        return text
    for row in rows[1:]:
        for at in columns:
            row[at] = MASKED
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows(rows)
    return table.getvalue()


def _mask(value: Any, masks: Sequence[Mask], key: str = "") -> Any:
    if any(one.key and fnmatchcase(key, one.key) for one in masks):
        return MASKED
    if isinstance(value, dict):
        return {name: _mask(held, masks, name) for name, held in value.items()}
    if isinstance(value, list):
        return [_mask(held, masks) for held in value]
    if isinstance(value, str):
        for one in masks:
            if one.text:
                value = re.sub(one.text, rf"\g<1>{MASKED}", value)
    return value


def keep(answers: Iterable[Answer], folder: Path = KEPT) -> None:
    """Write the answers of one section after another; others are left as they are."""
    folder.mkdir(exist_ok=True)
    sections: dict[str, list[Answer]] = {}
    for one in sorted(answers, key=_name):
        sections.setdefault(one["case"].partition("/")[0], []).append(one)
    for section, members in sections.items():
        lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in members)
        text = "".join(f"{line}\n" for line in lines)
        path = folder / f"{section}.jsonl.gz"
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def read_kept(folder: Path = KEPT) -> dict[tuple[str, str], Answer]:
    """Read all answers, by case and form."""
    return {
        _name(one): one
        for path in sorted(folder.glob("*.jsonl.gz"))
        for one in map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
    }


def _name(value: Answer) -> tuple[str, str]:
    return value["case"], value["form"]


@dataclass(frozen=True)
class Renamed:
    """What `renamed.toml` declares: its comments say what each table is for."""

    keys: tuple[Mapping[str, str], ...] = ()
    commands: tuple[Mapping[str, str], ...] = ()
    deleted: tuple[Mapping[str, str], ...] = ()
    words: tuple[Mapping[str, str], ...] = ()

    @classmethod
    def read(cls, path: Path = RENAMED) -> Renamed:
        """Read the file; a table or a field that does not exist is refused."""
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        fields = {
            "key": {"old", "new", "case"},
            "command": {"old", "new", "case"},
            "deleted": {"case", "reason"},
            "words": {"key", "case", "reason"},
        }
        for name, tables in told.items():
            for table in tables:
                if unknown := {name} - fields.keys() or table.keys() - fields[name]:
                    message = f"{path.name}: nothing is called {', '.join(unknown)}"
                    raise ValueError(message)
        return cls(
            tuple(told.get("key", ())),
            tuple(told.get("command", ())),
            tuple(told.get("deleted", ())),
            tuple(told.get("words", ())),
        )

    def rewrite(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words of a command as they are today."""
        text = list(words)
        verb = text[0] if text else ""
        for one in self.commands:
            old, new = one["old"].split(), one["new"].split()
            if not fnmatchcase(f"{verb}/", one.get("case", "*").partition("/")[0] + "/"):
                continue
            starts = range(len(text) - len(old) + 1)
            if at := [start for start in starts if text[start : start + len(old)] == old]:
                text[at[0] : at[0] + len(old)] = new
        return tuple(text)

    def is_deleted(self, case: str) -> bool:
        """Say whether a case is gone on purpose."""
        return any(fnmatchcase(case, one["case"]) for one in self.deleted)

    def rename(self, value: Any, case: str, path: tuple[str, ...] = ()) -> Any:
        """Return a value under the names of today."""
        if isinstance(value, list):
            return [self.rename(held, case, path) for held in value]
        if not isinstance(value, dict):
            return value
        names = {name: self.new_name(case, (*path, name)) for name in value}
        return {names[name]: self.rename(held, case, (*path, name)) for name, held in value.items()}

    def new_name(self, case: str, path: tuple[str, ...]) -> str:
        """Return what the last key of a path is called today."""
        for one in self._of(self.keys, case):
            old = tuple(one["old"].split("."))
            if path[-len(old) :] == old:
                return one["new"].rpartition(".")[2]
        return path[-1]

    def is_free(self, case: str, path: Sequence[str]) -> bool:
        """Say whether the words under a path were changed on purpose."""
        names = {one["key"] for one in self._of(self.words, case)}
        return not names.isdisjoint(path)

    def _of(self, tables: Sequence[Mapping[str, str]], case: str) -> Iterator[Mapping[str, str]]:
        return (one for one in tables if fnmatchcase(case, one.get("case", "*")))


NOTHING: Final = Renamed()


def compare(
    old: Answer, new: Answer, renamed: Renamed = NOTHING, *, text: bool = False
) -> list[Difference]:
    """Return where two answers of one case and form differ.

    Args:
        old: as it was kept.
        new: as it is now.
        renamed: what was changed on purpose.
        text: whether text and LaTeX are compared as well.

    """
    comparison = Comparison(old["case"], renamed)
    found = list(comparison.values("exit code", old["code"], new["code"], ()))
    form, one, other = old["form"], old["out"], new["out"]
    if form == "json" and not isinstance(one, str):
        found += comparison.values("", renamed.rename(one, old["case"]), other, ())
    elif form == "csv":
        found += comparison.tables("", one, other)
    elif text or form == "json" or old["code"] or new["code"]:
        found += comparison.lines("", one, other)
    found += comparison.lines("stderr", old["err"], new["err"])
    return found + list(comparison.files(old.get("files", {}), new.get("files", {})))


@dataclass(frozen=True)
class Comparison:
    """Finds what differs in two answers of a case."""

    case: str
    renamed: Renamed = NOTHING

    def values(self, path: str, old: Any, new: Any, keys: tuple[str, ...]) -> Iterator[Difference]:
        """Compare two values of JSON; numbers by their digits, all else exactly."""
        if isinstance(old, dict) and isinstance(new, dict):
            for key in (*old, *(one for one in new if one not in old)):
                step = f"{path}.{key}" if path else key
                yield from self._members(step, old, new, key, keys)
        elif isinstance(old, list) and isinstance(new, list):
            if self._may_differ(keys, *old, *new):
                return
            if len(old) != len(new):
                yield Difference(f"{path or 'list'} (length)", len(old), len(new))
            for at, (one, other) in enumerate(zip(old, new, strict=False)):
                yield from self.values(f"{path}[{at}]", one, other, keys)
        elif not (are_same(old, new, keys[-1] if keys else "") or self._may_differ(keys, old, new)):
            yield Difference(path or "value", old, new)

    def _members(
        self, path: str, old: Mapping[str, Any], new: Mapping[str, Any], key: str, keys: Any
    ) -> Iterator[Difference]:
        if key in old and key in new:
            yield from self.values(path, old[key], new[key], (*keys, key))
        else:
            yield Difference(path, old.get(key, MISSING), new.get(key, MISSING))

    def _may_differ(self, keys: Sequence[str], *values: Any) -> bool:
        """Say whether these are words that were changed on purpose."""
        return all(isinstance(one, str) for one in values) and self.renamed.is_free(self.case, keys)

    def tables(self, path: str, old: str, new: str) -> Iterator[Difference]:
        """Compare two CSV tables cell by cell."""
        rows = [list(csv.reader(io.StringIO(one, newline=""))) for one in (old, new)]
        headers = [one[0] if one else [] for one in rows]
        headers[0] = [self.renamed.new_name(self.case, (name,)) for name in headers[0]]
        start = f"{path}: " if path else ""
        if headers[0] != headers[1]:
            yield Difference(f"{start}columns", *headers)
            return
        if len(rows[0]) != len(rows[1]):
            yield Difference(f"{start}rows", len(rows[0]) - 1, len(rows[1]) - 1)
        for at, (one, other) in enumerate(zip(rows[0][1:], rows[1][1:], strict=False), 1):
            for name, cell, now in zip_longest(headers[0], one, other, fillvalue=""):
                same = cell == now or _are_same_cells(cell, now, name)
                if not (same or self.renamed.is_free(self.case, (name,))):
                    yield Difference(f"{start}row {at}, {name}", cell, now)

    def lines(self, path: str, old: str, new: str) -> Iterator[Difference]:
        """Compare two texts line by line."""
        if self.renamed.is_free(self.case, (path or "text",)):
            return
        start = f"{path} " if path else ""
        lines = (str(one).splitlines() for one in (old, new))  # JSON may have come for words
        pairs = zip_longest(*lines, fillvalue=MISSING)
        for at, (one, other) in enumerate(pairs, 1):
            if one != other:
                yield Difference(f"{start}line {at}", one, other)

    def files(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
        """Compare the files that were written."""
        for name in (*old, *(one for one in new if one not in old)):
            if name not in old or name not in new:
                told = ["a file" if name in held else MISSING for held in (old, new)]
                yield Difference(f"file {name}", *told)
            elif isinstance(old[name], str) and name.endswith(".csv"):
                yield from self.tables(f"file {name}", old[name], new[name])
            elif isinstance(old[name], str):
                yield from self.lines(f"file {name}", old[name], new[name])
            else:
                was = self.renamed.rename(old[name], self.case)
                for one in self.values("", was, new[name], ()):
                    yield Difference(f"file {name}: {one.path}", one.old, one.new)


def are_same(old: Any, new: Any, key: str = "") -> bool:
    """Say whether two single values are the same: of one type, floats to their last digits."""
    if type(old) is not type(new):
        return False
    if not isinstance(old, float) or old == new or (isnan(old) and isnan(new)):
        return bool(old == new) or isinstance(old, float)
    size = max(abs(old), abs(new))
    if size <= ZERO and not any(fnmatchcase(key, one) for one in PROBABILITIES):
        return True
    return isfinite(size) and abs(old - new) <= RELATIVE * size


def _are_same_cells(old: str, new: str, key: str) -> bool:
    """Say whether two cells hold one number that is not whole."""
    try:
        whole = old.lstrip("-").isdigit() or new.lstrip("-").isdigit()
        return not whole and are_same(float(old), float(new), key)
    except ValueError:
        return False
