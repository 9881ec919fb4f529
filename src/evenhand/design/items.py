"""Rows of a table of items: CSV with any usual delimiter, or JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, partial
from math import isfinite
from pathlib import Path
from typing import Any, Final

from evenhand.design.campaign import Item
from evenhand.errors import CampaignError, MissingFile, UnknownFormat, end, suggest

# Which columns of a table of items are outputs of systems, and which are something else.
#
# A column that has no other meaning is a system, unless the campaign says which systems there are
# or the table names them itself. Names that tables of texts usually have, such as src, id and
# notes, are no systems: nobody wants judges to compare an output with a note.

TEXTS: Final = ("source", "reference", "context", "document", "group", "control")
# What a row may say besides outputs by system
KNOWN: Final = ("item", *TEXTS, "expected", "anchor", "outputs", "system", "output")
_USUAL: Final = {
    "item": "id item_id segment_id segment seg_id seg sentence_id sent_id uid index key nr no row",
    "source": "src source_text src_text prompt input question",
    "reference": "ref reference_text ref_text reference_translation",
    "document": "doc doc_id document_id docid",
    "system": "system_id system_name sys",
    "output": "output_text out hypothesis hyp",
    "": "domain genre topic category split lang language language_pair lp date url license"
    " note notes comment comments remark remarks annotator judge rater score rating status",
}
# What usual names of columns mean: one of KNOWN, or "" for what is not judged
USUAL: Final = {word: name for name, words in _USUAL.items() for word in words.split()}
# Headers such as output_A and system1, which are no misspelt `output` or `system`
_OF_SYSTEM: Final = re.compile(r"(?i:system|output)([ _.-].+|\d+|[A-Z])")


def check_columns(where: str, row: Mapping[str, Any], systems: tuple[str, ...]) -> None:
    """Refuse columns that are neither known nor systems.

    Args:
        where: the file and the row.
        row: what it says, without what is ignored.
        systems: the systems, if the campaign says which; other columns are then left out.

    Raises:
        CampaignError: names the file, the row and the column, and what to do.

    >>> check_columns("f, row 2", {"item": "1", "domain": "news", "A": "x"}, ())
    Traceback (most recent call last):
    evenhand.errors.CampaignError: f, row 2: 'domain' would be a system. If it is none, leave it \
out, in a campaign file: ignore = ["domain"]; if it is one, say which there are: systems = \
["domain", ...]
    """
    named = next((one for one in ("outputs", "system", "output") if one in row), "")
    odd: dict[str, str | None] = {}
    for name in row:
        if name in KNOWN or (name in systems and not named):
            continue
        meant = _guess(name)
        if named and not systems:
            odd[name] = meant
        elif name in systems:
            odd[name] = None
        elif meant or (meant == "" and not systems):
            odd[name] = meant
    if odd:
        raise CampaignError(f"{where}: {_refuse(odd, named, chosen=bool(systems))}")


def _refuse(odd: Mapping[str, str | None], named: str, *, chosen: bool) -> str:
    """Return what is wrong with columns, and what to do."""
    one = len(odd) == 1
    *others, last = (f"'{name}'" for name in odd)
    names = f"{', '.join(others)} and {last}" if others else last
    hint = _hint(odd)
    out = f"leave {'it' if one else 'them'} out, in a campaign file: ignore = {_list(odd)}"
    no_column = f"{names} {'is no column' if one else 'are no columns'}"
    if None in odd.values():
        other = f".{hint} If not, " if hint else "; "
        return (
            f"{no_column} of a table with '{named}', which says whose the outputs are{other}{out}"
        )
    if named or chosen:
        return f"{no_column}{f'.{hint} If not' if hint else ''}: {out}"
    return (
        f"{names} would be {'a system' if one else 'systems'}.{hint} If"
        f" {'it is none' if one else 'they are none'}, {out}; if"
        f" {'it is one' if one else 'they are'}, say which there are: systems ="
        f" [{json.dumps(next(iter(odd)), ensure_ascii=False)}, ...]"
    )


def _hint(odd: Mapping[str, str | None]) -> str:
    """Return which columns were meant, "" if none is known."""
    meant = {name: one for name, one in odd.items() if one}
    if len(odd) == 1:
        return "".join(f" Did you mean '{one}'?" for one in meant.values())
    said = ", ".join(f"'{one}' by '{name}'" for name, one in meant.items())
    return f" Did you mean {said}?" if said else ""


def _list(names: Iterable[str]) -> str:
    """Return names as a list of a campaign file."""
    return f"[{', '.join(json.dumps(name, ensure_ascii=False) for name in names)}]"


@cache
def _guess(name: str) -> str | None:
    """Return the column that a name means, "" for one that is not judged, None for a system."""
    folded = name.strip().casefold()
    plain = re.sub(r"[ .-]+", "_", folded)
    if plain in USUAL:
        return USUAL[plain]
    near = get_close_matches(folded, KNOWN, n=1, cutoff=0.8)
    return near[0] if near and not _OF_SYSTEM.fullmatch(name) else None


def choose_outputs(
    where: str, told: Mapping[str, Any], systems: tuple[str, ...]
) -> Mapping[str, Any]:
    """Return the outputs of the systems that are judged; a control keeps its own.

    Raises:
        CampaignError: there are outputs, and none of these systems.

    """
    outputs: Mapping[str, Any] = told["outputs"]
    if not systems or told.get("control") or "expected" in told:
        return outputs
    chosen = {name: one for name, one in outputs.items() if name in systems}
    if outputs and not chosen:
        raise CampaignError(
            f"{where}: item '{told['name']}' has no output of the systems that are judged"
            f" ({', '.join(systems)}), only of {', '.join(map(str, outputs))}"
        )
    return chosen


def check_used(what: str, words: tuple[str, ...], there: set[str], columns: set[str]) -> None:
    """Refuse a name in `systems` or `ignore` that is nowhere in the items."""
    for name in words:
        if name not in there:
            hint = end(suggest(name, sorted(there | columns.difference(KNOWN))))
            kind = "has an output of system" if what == "systems" else "has a column"
            raise CampaignError(f"{what}: no item {kind} '{name}'{hint}")


# Items from rows: a table beside the campaign file, or tables within it.
#
# Two shapes of a table are understood. Wide: a row for each item, with a column for each system;
# every column that has no other meaning is a system, or every one that is named as such. Long: a
# row for each output, with the columns `system` and `output`. In JSON Lines and TOML an item may
# also hold `outputs`, by system.

YES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
# Where a row stands, such as "items.csv, row 3", and what it says
Row = tuple[str, Mapping[str, Any]]


def build_items(
    rows: Iterable[Row], systems: tuple[str, ...] = (), ignore: tuple[str, ...] = ()
) -> tuple[Item, ...]:
    """Make items of rows."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    columns: set[str] = set()
    for where, whole in rows:
        columns.update(whole)
        row = {name: value for name, value in whole.items() if name not in ignore}
        check_columns(where, row, systems)
        told = _read_row(where, row, systems)
        name = told["name"]
        if name not in found:
            found[name] = (where, told)
        elif "system" in row:
            _add(where, found[name], told)
        else:
            raise CampaignError(f"{where}: item '{name}' is there already ({found[name][0]})")
    check_used("ignore", ignore, columns, columns)
    there = {system for _, told in found.values() for system in told["outputs"]}
    check_used("systems", systems, there, columns)
    return tuple(_make(where, told, systems) for where, told in found.values())


def _read_row(where: str, row: Mapping[str, Any], systems: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of an item."""
    name = row.get("item")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name.strip():
        raise CampaignError(f"{where}: the item has no name; it needs a column item")
    told: dict[str, Any] = {"name": name, "outputs": _read_outputs(where, row, systems)}
    for key in TEXTS:
        if row.get(key) not in (None, ""):
            told[key] = row[key]
    if row.get("expected") not in (None, ""):
        told["expected"] = row["expected"]
    if row.get("anchor") not in (None, ""):
        told["anchor"] = _read_anchor(where, row["anchor"])
    return told


def _read_outputs(where: str, row: Mapping[str, Any], systems: tuple[str, ...]) -> dict[str, Any]:
    """Return outputs by system; an empty cell, or one of blanks alone, is no output."""
    if "outputs" in row:
        found = row["outputs"]
        if not isinstance(found, Mapping):
            raise CampaignError(f"{where}: outputs are texts by system, not {found!r:.60}")
    else:
        found = {
            name: one
            for name, one in row.items()
            if name not in KNOWN and (not systems or name in systems)
        }
    if "system" in row:
        system = row["system"]
        if not isinstance(system, str) or not system or "output" not in row:
            raise CampaignError(f"{where}: a row with a system needs its name and its output")
        if system in found:
            raise CampaignError(f"{where}: item '{row['item']}' has two outputs of '{system}'")
        found = {**found, system: row["output"]}
    elif row.get("output"):
        raise CampaignError(f"{where}: whose output is it? Add a column system")
    return {name: one for name, one in found.items() if not _is_blank(one)}


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _read_expected(value: Any, outputs: Mapping[str, Any]) -> Any:
    """Return a number where a text is one, and one output is judged; of several it is a system."""
    if not isinstance(value, str) or len(outputs) > 1:
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return number if isfinite(number) else value


def _read_anchor(where: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    told = YES.get(str(value).strip().casefold())
    if told is None:
        raise CampaignError(f"{where}: anchor cannot be {value!r}: yes or no")
    return told


def _add(where: str, first: tuple[str, dict[str, Any]], told: dict[str, Any]) -> None:
    """Add the output of another row to an item; what both say of the item must be the same."""
    place, kept = first
    for key, value in told.items():
        if key not in ("name", "outputs") and kept.setdefault(key, value) != value:
            raise CampaignError(
                f"{where}: {key} of item '{told['name']}' is another than before ({place})"
            )
    for system, output in told["outputs"].items():
        if system in kept["outputs"]:
            raise CampaignError(f"{where}: item '{told['name']}' has two outputs of '{system}'")
        kept["outputs"][system] = output


def _make(where: str, told: Mapping[str, Any], systems: tuple[str, ...]) -> Item:
    """Make an item."""
    outputs = choose_outputs(where, told, systems)
    rest = {key: told[key] for key in (*TEXTS, "expected", "anchor") if key in told}
    if "expected" in rest:
        rest["expected"] = _read_expected(rest["expected"], outputs)
    try:
        return Item(told["name"], outputs, **rest)
    except CampaignError as error:
        raise CampaignError(f"{where}: {error}") from None


TABLES: Final = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson")
DELIMITERS: Final = "\t;,|"
_SEPARATOR: Final = re.compile(r"sep=(.)\r?\n")  # What Excel is told in the first line of a table
WORKBOOKS: Final = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
WORKBOOK_STARTS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
SAVE_AS: Final = "save it again as 'CSV UTF-8' (in Excel), or as CSV with the encoding UTF-8"
LONGEST: Final = 10_000_000  # Most characters of a cell


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8."""
    if "\0" in str(path):
        raise MissingFile(f"there is no file {str(path)!r}")
    try:
        held = path.read_bytes()
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnknownFormat(f"'{path}' cannot be read: {reason}") from None
    if held.startswith(WORKBOOK_STARTS) or path.suffix.lower() in WORKBOOKS:
        raise UnknownFormat(f"'{path}' is a workbook, and no table of text: {SAVE_AS}")
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = held[: error.start]
        row = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        wide = held.startswith((b"\xff\xfe", b"\xfe\xff"))
        what = "UTF-16" if wide else "perhaps Windows-1252, as Excel writes it"
        raise UnknownFormat(
            f"'{path}' is no text in UTF-8 (line {row:,}, character {column:,}; {what}): {SAVE_AS}"
        ) from None


def read_rows(path: Path) -> list[Row]:
    """Read a table; the header of a CSV file is its row 1, and lines of JSON count from 1."""
    text = read_text(path)
    jsonl = path.suffix.lower() in (".jsonl", ".ndjson")
    rows = list(_read_json(path, text) if jsonl else _read_csv(path, text))
    if not rows:
        raise UnknownFormat(f"'{path}' holds no items")
    return rows


def _read_json(path: Path, text: str) -> Iterator[Row]:
    """Read lines of JSON; a line ends where JSON lets it end, and at no other mark of Unicode."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path.name}, row {number}"
        try:
            row = json.loads(
                line,
                object_pairs_hook=partial(_refuse_twice, where),
                parse_constant=partial(_refuse_constant, where),
            )
        except json.JSONDecodeError as error:
            raise CampaignError(f"{where}: this is no JSON: {error.msg}") from None
        except ValueError:
            raise CampaignError(f"{where}: a number has thousands of digits") from None
        except RecursionError:
            raise CampaignError(f"{where}: lists stand in lists too deep to be read") from None
        if not isinstance(row, dict):
            raise CampaignError(f"{where}: a row is an object in braces")
        yield where, row


def _refuse_constant(where: str, name: str) -> None:
    raise CampaignError(f"{where}: {name} is no number")


def _refuse_twice(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that is given twice, of which JSON would keep the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise CampaignError(f"{where}: a name is given twice in {', '.join(k for k, _ in pairs)}")
    return found


def _read_csv(path: Path, text: str) -> Iterator[Row]:
    said = _SEPARATOR.match(text)
    first = text.partition("\n")[0]
    delimiter = said[1] if said else max(DELIMITERS, key=first.count)
    header: list[str] = []
    for number, cells in enumerate(_cut(path, text, delimiter), start=1):
        where = f"{path.name}, row {number}"
        if said and number == 1:
            continue
        if not header:
            header = _read_header(where, cells)
        elif any(cells):
            if len(cells) != len(header):
                raise CampaignError(
                    f"{where}: {len(cells)} cells, and the header has {len(header)}"
                )
            yield where, _name_cells(path, header, cells)


def _cut(path: Path, text: str, delimiter: str) -> list[list[str]]:
    """Cut a table into cells.

    Fields in quotes may hold the delimiter and line breaks. Tables with tabs are often written
    without any quoting: where quotes lead to no table, they are signs like any other.
    """
    csv.field_size_limit(LONGEST)
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows.extend(reader)
    except csv.Error as error:
        if delimiter != "\t":
            raise CampaignError(f"{path.name}, row {len(rows) + 1}: {error}") from None
        rows = []
    if delimiter == "\t" and len({len(cells) for cells in rows if any(cells)}) != 1:
        plain = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE
        )
        try:
            rows = list(plain)
        except csv.Error as error:
            raise CampaignError(f"{path.name}: {error}") from None
    return rows


def _read_header(where: str, cells: list[str]) -> list[str]:
    """Return the names of columns, "" for columns after the last that has one."""
    names = [one.strip() for one in cells]
    last = max((at for at, name in enumerate(names) if name), default=0)
    for at, name in enumerate(names[: last + 1]):
        if not name:
            raise CampaignError(f"{where}: column {at + 1} has no name")
        if name in names[:at]:
            raise CampaignError(f"{where}: two columns are called '{name}'")
    return names


def _name_cells(path: Path, header: list[str], cells: list[str]) -> dict[str, str]:
    """Return the cells of a row by columns; columns that are wholly empty, as Excel leaves, go."""
    for at, (name, cell) in enumerate(zip(header, cells, strict=True), start=1):
        if cell and not name:
            raise CampaignError(f"{path.name}, row 1: column {at} has no name")
    return {name: cell for name, cell in zip(header, cells, strict=True) if name}
