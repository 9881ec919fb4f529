"""Read judgments: a file, URL, frame or columns go in, a handle that says what it is comes out.

What lies in memory is frames of any library, dicts of columns, rows and data sets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError, NarwhalsError

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import filter_rows
from evenhand.data.engine import (
    count_labels,
    count_rows,
    explained,
    fetch_columns,
    make_table,
    quote,
    quote_name,
)
from evenhand.data.exclusions import Filter, quote_condition
from evenhand.data.joining import SEPARATOR
from evenhand.data.labels import Outcome, is_missing
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.source import find_rows, fold, name_rows
from evenhand.data.tables import LABELS
from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    UnknownColumn,
    UnknownFormat,
    UnknownOption,
    listing,
    require_option,
)
from evenhand.formats.file_heads import (
    is_address,
    is_database,
    is_remote,
    read_address,
    read_web_address,
    show_address,
)
from evenhand.formats.files import connect, open_files, open_inner
from evenhand.formats.layouts import wide
from evenhand.formats.registry import choose, knows, reads_names
from evenhand.formats.roles import FOLDED, check_asked
from evenhand.formats.table import (
    LOOK,
    NESTED,
    THOUSANDS,
    WITH_COMMA,
    InvalidRow,
    Layout,
    ReadOptions,
    Table,
)
from evenhand.formats.texts import say

# Columns of the files of crowd platforms: Answer.preference, INPUT:model_a
_OF_CROWD: Final = re.compile(r"(?i)(input|answer|output|assignment)[.:](.+)")
DEEPEST: Final = 3  # Objects within one another whose values become columns
MOST: Final = 50  # Values of an object that become columns
LONGEST_LIST: Final = 4  # Values of a list, where all have as many, that become columns
_LONGEST = 60  # Characters of a condition that are shown behind the name of a file


def read(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - the word that everybody would try
    columns: Mapping[str, str | Sequence[str]] | None = None,
    where: str | nw.Expr | None = None,
    task: str | None = None,
    outcomes: Mapping[str, Outcome] | Mapping[int, Outcome] | None = None,
    weights: Literal["frequency", "importance"] = "frequency",
    system_separator: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    skip_bad_rows: bool = False,
    missing: str | float | Sequence[str | float] = (),
    error_weights: Mapping[str, float] | None = None,
    without: Sequence[str] = (),
) -> Comparisons | Rankings | Ratings:
    """Open judgments; the rows are read when something is counted.

    Args:
        source: a path, a list of paths or a pattern such as "day*.csv.gz" (CSV with any
            delimiter, JSON Lines, a JSON list, Parquet, .xlsx; CSV and JSON may be packed with
            gzip or Zstandard); or URLs of such files in a bucket or on a web server, such as
            "s3://bucket/votes/*.parquet"; or the URL of a table, such as
            "sc://localhost:15002/main.votes"; or the database of a campaign, such as
            "campaign.db"; or a pandas, Polars, PyArrow, DuckDB, PySpark or Ibis frame, a dict of
            columns, a list of dicts, or a `Dataset` of Hugging Face. A named index of pandas is a
            column.
        format: a name of `evenhand.formats.registry.FORMATS`; None recognises it by the columns.
        columns: role → column, for instance {"judge": "nickname"}; wins over what names say. Of
            a wide table "score", "criterion", "judge" or "system" → columns of scores, one for
            each, for instance {"criterion": ["fluency", "adequacy"]}.
        where: which rows to keep, by the table's own columns: a SQL condition for a file or a
            DuckDB relation, a narwhals expression for any frame.
        task: keep this task only.
        outcomes: the table's own outcome labels, each "left", "tie" or "right"; they come
            before the usual ones. Whole numbers may stand for their decimal text.
        weights: whether a weight column counts judgments or weighs them by importance.
        system_separator: the sign between the systems of an output that was shown once for
            several of them, as "+" in "A+B"; it is compared, or scored, for each of them. None
            takes the sign that the table of a campaign names; else, as "", names as they are.
        sheet: which sheet of a workbook; None takes the only one that holds judgments.
        decimal: the sign before decimals in text, "," or "."; None takes a point, and a comma in a
            file whose fields are parted by semicolons or tabs.
        skip_bad_rows: exclude rows that cannot be read, counted and listed, instead of refusing
            the table.
        missing: values that are no answer, such as 99 or "n.a.", among scores, ranks and outcomes:
            cells that hold one are empty, and counted.
        error_weights: what an error takes from a score by its severity, such as {"critical": 25},
            where scores are made from marked errors (MQM).
        without: judges or systems to exclude, by name; judge=NAME or system=NAME where both have
            the name.

    Returns:
        Comparisons, rankings or ratings; `.source.notes` says what was understood.

    Raises:
        UnknownFormat: a file that is not there, is damaged, or has no known layout.
        UnknownColumn: a needed column, or one that was asked for, is missing.
        UnknownOption: a wish that does not exist or does not fit.
        InvalidJudgments: ranks, weights or scores that are none; no rows; no such task or name.

    >>> battles = {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["model_a", "tie"]}
    >>> data = read(battles)
    >>> data.source.notes[0]
    'read arena battles: left=model_a, right=model_b, outcome=winner'
    >>> data.tally().systems
    ('x', 'y')
    """
    require_option("weights", weights, ("frequency", "importance"))
    if decimal is not None:
        require_option("decimal", decimal, (",", "."))
    given = [missing] if isinstance(missing, str | float | int) else missing
    codes = [word.strip() for one in given for word in str(one).split(",")]
    if not all(codes):
        raise UnknownOption("missing: say which values are no answer, such as 99,n.a.")
    if error_weights:
        from evenhand.formats.records import check_weights

        check_weights(error_weights)
    options = ReadOptions(
        {role: one for role, one in (columns or {}).items() if isinstance(one, str)},
        None if outcomes is None else {str(label).strip(): one for label, one in outcomes.items()},
        weights,
        system_separator,
        decimal,
        skip_bad_rows,
        codes,
        error_weights or {},
        {role: one for role, one in (columns or {}).items() if not isinstance(one, str)},
    )

    def fits(one: Table) -> bool:
        try:
            _choose(*_rename_dotted(replace(one, missing=codes), options, format), format)
        except EvenhandError:
            return False
        return True

    if isinstance(source, str | Path) and is_database(str(source)):
        # a campaign's: what its tables are is known in rooms above this one
        source = import_module("evenhand.web").open_table(str(source), layout=format, task=task)
    table = open_source(source, partial(open_files, sheet=sheet, fits=fits, skip=skip_bad_rows))
    if sheet is not None and not table.notes:
        raise UnknownOption(f"{table.name} is no workbook, so it has no sheet '{sheet}'")
    data = understand(table, options, layout=format, where=where)
    with explained(table.name):
        data = data if task is None else data.select_task(task)
        if system_separator is None:
            data = split_equal(data)
        elif system_separator:
            data = data.split_merged(system_separator)
        data = data.exclude_named([without] if isinstance(without, str) else without)
    chosen = {
        "--from, in Python format=": format,
        "--column, in Python columns=": {*(columns or {})} - {"weight"},
        "--weight, in Python columns=": "weight" in (columns or {}),
        "--outcome, in Python outcomes=": outcomes,
        "--weights, in Python weights=": weights != "frequency",
        "--system-separator, in Python system_separator=": system_separator,
        "--sheet, in Python sheet=": sheet,
        "--decimal, in Python decimal=": decimal,
        "--skip-bad-rows, in Python skip_bad_rows=": skip_bad_rows,
        "--missing, in Python missing=": codes,
        "--error-weight, in Python error_weights=": error_weights,
    }
    choices = tuple(name for name, value in chosen.items() if value)
    return replace(data, source=replace(data.source, choices=choices))


def split_equal(data: Comparisons | Rankings | Ratings) -> Comparisons | Rankings | Ratings:
    """Count outputs that a campaign merged for each of their systems: a column has the sign."""
    if not data.has(SEPARATOR):
        return data
    signs = sorted(filter(None, count_labels(data.frame, SEPARATOR, as_text=True)))
    if len(signs) > 1:
        raise InvalidJudgments(
            f"{data.source.name} has several signs between the systems of one output"
            f" ({listing(signs)}): read each part by itself (--where)"
        )
    return data.split_merged(signs[0]) if signs else data


# Layouts whose scores are made from marked errors
OF_ERRORS: Final = ("mqm", "marked_errors", "mtme_ratings", "mtme_json", "pearmut", "spans")


def understand(
    table: Table, options: ReadOptions, *, layout: str | None, where: str | nw.Expr | None
) -> Comparisons | Rankings | Ratings:
    table = open_inner(table, lambda one: knows(one.header(options), layout))
    nested = tuple(name for name, kind in table.original_types.items() if kind == NESTED)
    names = [*options.columns.values(), *chain(*options.lists.values())]
    parts = [[name] if name in table.columns else name.split(",") for name in names]
    # a column that is not there may stand within objects, as model.name in model
    missing = {part.strip() for part in chain(*parts)} - {*table.columns}
    asked = any(name.startswith(nested) for name in missing)
    if asked or (nested and not knows(table.header(options), layout)):
        table = _open_objects(table, lists=asked)
    table = replace(table, missing=options.missing)
    table, options = _rename_dotted(table, options, layout)
    table = read_decimals(table, options.decimal, options.columns)
    whole = table.frame
    if where is not None:
        # Filter the table by its own columns; its name says so, since rows are numbered after it
        shown = where.strip() if isinstance(where, str) else "an expression"
        shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
        selected = table.with_frame(filter_rows(table.frame, where, table.name))
        table = replace(selected, whole=whole, name=f"{table.name} where {shown}")
    filtered = table.frame
    # Columns with a single quote in place of a double one, which DuckDB is not asked for
    quoted = {name: name.replace('"', "'") for name in table.columns if '"' in name}
    if quoted and table.frame.implementation.is_duckdb():
        table, options = _rename(table, options, quoted)
    try:
        chosen, options = _choose(table, options, layout)
    except (UnknownColumn, UnknownFormat):
        if where is not None and count_rows(filtered.head(1)) == 0:
            raise InvalidJudgments(f"no judgments in {table.name}: no row meets it") from None
        raise
    if options.error_weights and chosen.name not in OF_ERRORS:
        raise UnknownOption(
            f"{table.name} has scores and no marked errors from which they are made: leave out"
            " --error-weight, in Python error_weights"
        )
    table = replace(table, faults=[] if options.skip_bad_rows else None)
    data: Comparisons | Rankings | Ratings | None = None
    with explained(table.name):
        while data is None:  # again without a row that cannot be read, where such are skipped
            try:
                data = chosen.read(table, options)
            except InvalidRow as fault:
                table.skip(fault)
    source = data.source.noting(*table.notes).excluding(*table.skipped, *table.exclude_skipped())
    if where is not None:
        condition = where if isinstance(where, str) else ""
        reason = f"by {quote_condition(where)}"
        others = Filter("where", reason, whole, filtered, source.columns, condition)
        source = replace(source, exclusions=(others, *source.exclusions))
    return replace(data, source=source)


def read_columns(
    columns: Mapping[str, Sequence[Any]], name: str, *, where: str | None = None
) -> Comparisons | Rankings | Ratings:
    return understand(hold_columns(columns, name), ReadOptions(), layout=None, where=where)


_Path: TypeAlias = tuple[str | int, ...]


def _open_objects(table: Table, *, lists: bool) -> Table:
    """Give each value within objects a column, such as annotator.id.

    lists: open short lists too. A place in a list is no role, so that columns are asked for.
    """
    named = [name for name, kind in table.original_types.items() if kind == NESTED]
    looked = fetch_columns(table.frame.select(*named).head(LOOK))
    taken = {name.casefold() for name in table.columns}
    parts: dict[str, dict[str, str]] = {}  # column → columns within it, and what they hold
    types = dict(table.original_types)
    for name, values in looked.items():
        held = [json.loads(one) for one in values.tolist() if one]
        paths = _list_paths(held, DEEPEST, lists=lists)
        inner = {".".join(map(str, (name, *path))): path for path in paths}
        if (
            () in paths
            or len(paths) > MOST
            or len({*map(str.casefold, inner)} - taken) < len(paths)
        ):
            continue
        taken |= {*map(str.casefold, inner)}
        types |= {column: kind for column, path in inner.items() if (kind := paths[path])}
        text = f"case when json_valid({quote_name(name)}) then {quote_name(name)} end"
        parts[name] = {
            column: f"json_extract_string({text}, {quote(_point(path))}) as {quote_name(column)}"
            for column, path in inner.items()
        }
    if not parts:
        return table
    chosen = [
        part
        for name in table.schema.names()
        for part in parts.get(name, {name: quote_name(name)}).values()
    ]
    native: Any = table.frame.to_native()
    return replace(
        table,
        frame=nw.from_native(native.project(", ".join(chosen))),
        original_types={name: kind for name, kind in types.items() if name not in parts},
        mixed={name: kinds for name, kinds in table.mixed.items() if name not in parts},
    )


def _list_paths(values: Sequence[Any], depth: int, *, lists: bool) -> dict[_Path, str]:
    """Return path → what it holds, "" for text and whole numbers, of values of JSON."""
    there = [one for one in values if one is not None]
    lengths = {len(one) if isinstance(one, list) else 0 for one in there}
    keys: list[Any] = []
    if depth and there and all(isinstance(one, dict) for one in there):
        keys = [*dict.fromkeys(key for one in there for key in one)]
        there = [{**dict.fromkeys(keys), **one} for one in there]
    elif lists and depth and len(lengths) == 1 and 1 < max(lengths) <= LONGEST_LIST:
        keys = [*range(max(lengths))]
    if keys:
        parts = {key: [one[key] for one in there] for key in keys}
        inner = {key: _list_paths(part, depth - 1, lists=lists) for key, part in parts.items()}
        return {(key, *path): kind for key in keys for path, kind in inner[key].items()}
    kinds = {*map(type, there)}
    if kinds & {dict, list}:
        return {(): NESTED}
    return {(): "fractions" if float in kinds else "true or false" if bool in kinds else ""}


def _point(path: _Path) -> str:
    """Return a path as JSON Pointer writes it (RFC 6901)."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in path)


def _rename_dotted(
    table: Table, options: ReadOptions, layout: str | None
) -> tuple[Table, ReadOptions]:
    """Write columns with _ in place of a dot, before which DuckDB expects the name of a table.

    Columns of a crowd platform go by the name that they have in its task.
    A layout that is told by such names reads them itself.
    """
    crowd = {name: match[2] for name in table.columns if (match := _OF_CROWD.fullmatch(name))}
    if not any(name.lower().startswith(("answer", "output")) for name in crowd):
        crowd = {}
    dotted = [name for name in table.columns if "." in name or name in crowd]
    plain = not dotted or not table.frame.implementation.is_duckdb()
    if plain or reads_names(table.header(options), layout):
        return table, options
    taken = {name.casefold() for name in table.columns}
    new: dict[str, str] = {}
    for name in dotted:
        written = crowd.get(name, name).replace(".", "_")
        while written.casefold() in taken:
            written += "_"
        taken.add(written.casefold())
        new[name] = written
    note = say("prefixes" if crowd else "dots", columns=[*new.values()])
    names = {} if crowd else {column: name for name, column in new.items()}
    return _rename(replace(table, notes=(*table.notes, note), written=names), options, new)


def _rename(
    table: Table, options: ReadOptions, new: Mapping[str, str]
) -> tuple[Table, ReadOptions]:
    parts = [
        quote_name(name) + (f" as {quote_name(new[name])}" if name in new else "")
        for name in table.schema.names()
    ]
    columns = {
        role: new.get(asked) or ",".join(new.get(one.strip(), one) for one in asked.split(","))
        for role, asked in options.columns.items()
    }
    renamed = replace(
        table,
        frame=nw.from_native(table.frame.to_native().project(", ".join(parts))),
        original_types={new.get(name, name): kind for name, kind in table.original_types.items()},
        mixed={new.get(name, name): kinds for name, kinds in table.mixed.items()},
    )
    return renamed, replace(options, columns=columns)


def _choose(table: Table, options: ReadOptions, layout: str | None) -> tuple[Layout, ReadOptions]:
    lists = dict(options.lists) | {
        role: [one.strip() for one in name.split(",")]
        for role, name in options.columns.items()
        if "," in name and name not in table.columns
    }
    for role, column in ((role, one) for role, names in lists.items() for one in names):
        check_asked(table.header(ReadOptions({role: column})), [role])
    single = {role: one for role, one in options.columns.items() if role not in lists}
    options = replace(options, columns=single, lists=lists)
    header = table.header(options)
    if not lists:
        return choose(header, layout), options
    columns = lists.get("score")
    sides = [one for side in ("left", "right") for one in header.candidates(side)]
    pairs = columns and len(sides) == 2 and not {*sides} & {*columns}
    chosen = wide.votes if [*lists] == ["outcome"] else wide.pair_scores if pairs else wide.wide
    if layout is not None and layout.replace("-", "_").lower() not in (chosen.name, "ratings"):
        raise UnknownOption(f"{listing([*lists])} of several columns: leave out --from {layout}")
    return chosen, options


# Numbers with a comma before their decimals, and with a point between thousands.

_COMMA: Final = r"^[+-]?\d*,\d+$"
# 1.290 or 1.234.567,5: a point stands between thousands where a comma stands before decimals
_POINTS: Final = r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$"


def read_decimals(table: Table, decimal: str | None, columns: Mapping[str, str]) -> Table:
    """Write decimals with a point, in columns of numbers whose decimals follow a comma.

    Unasked only where commas part no fields, and cannot part thousands. Points part thousands in
    columns with such decimals, and in other numbers beside them; where the file has none, 1.290
    beside 870 is read as it stands, with a warning. Names of judges, items and so on stay as they
    are.

    columns: role → column, as the caller names them.
    """
    if decimal == "." or (decimal is None and table.delimiter not in (";", "\t")):
        return table
    texts = [name for name, dtype in table.schema.items() if dtype == nw.String]
    # Return the columns that name something: their numbers are no amounts, as preferences may be
    roles = {*LABELS} - {"outcome"}
    words = frozenset().union(*(FOLDED[role] for role in roles))
    own = {column for role, column in columns.items() if role in roles}
    labels = {name for name in texts if name in own or fold(name) in words}
    texts = [name for name in texts if name not in labels]
    if table.frame.implementation.is_duckdb():  # before a dot it expects the name of a table
        texts = [name for name in texts if "." not in name]
    looked = fetch_columns(table.frame.select(*texts).head(LOOK)) if texts else {}
    commas, points = list[str](), list[str]()
    for name, values in looked.items():
        given = [value.strip() for value in values.tolist() if not is_missing(value)]
        apart = [value for value in given if re.match(_POINTS, value)]
        numbers = [value for value in given if WITH_COMMA.fullmatch(value)]
        every = len(numbers) + len(apart) == len(given)
        sure = every and not all(map(THOUSANDS.fullmatch, given))
        if sure or (decimal and 2 * (len(numbers) + len(apart)) > len(given)):
            commas.append(name)
            points += [name] if apart and every else []
        elif every and apart and numbers:
            points.append(name)
    if not commas:
        doubts = []
        for name in points:
            pointed = nw.col(name).str.strip_chars().str.contains(_POINTS)
            rows = find_rows(table.frame, pointed, 3)
            value = str(rows[0][name]).strip()
            said = {"column": name, "value": value, "thousand": value.replace(".", "")}
            doubts.append(say("doubtful-points", "warning", rows=name_rows(rows), **said))
        return replace(table, notes=(*table.notes, *doubts)) if doubts else table
    written = []
    for name in dict.fromkeys((*commas, *points)):
        text = nw.col(name).str.strip_chars()
        plain = text.str.replace_all(".", "", literal=True) if name in points else nw.col(name)
        number = plain.str.replace_all(",", ".", literal=True)
        fits = text.str.contains(_COMMA)
        fits = fits | text.str.contains(_POINTS) if name in points else fits
        written.append(nw.when(fits).then(number).otherwise(nw.col(name)).alias(name))
    notes = [*table.notes, *([] if decimal else [say("decimal-comma", columns=commas)])]
    notes += [say("thousands", columns=points)] if points else []
    return replace(table, frame=table.frame.with_columns(*written), notes=tuple(notes))


def open_source(source: Any, opening: Callable[[Any], Table] = open_files) -> Table:
    """Open a file, a URL, a frame or columns as a table whose columns have no roles yet."""
    if isinstance(source, Table):  # that was opened elsewhere
        return source
    if is_remote(source):
        from evenhand.formats.remote_files import find_remote, open_remote

        return open_remote(find_remote(source), opening)
    if isinstance(source, str) and is_address(source):
        from evenhand.formats.engines import open_address

        return open_address(source)
    named = [source] if isinstance(source, str | Path) else source
    if isinstance(named, list | tuple) and all(isinstance(one, str | Path) for one in named):
        return opening(source)
    if type(source).__module__.partition(".")[0] == "datasets":
        kind = type(source).__name__
        if isinstance(source, Mapping):
            splits = listing([f"data[{split!r}]" for split in source])
            raise UnknownFormat(
                f"a {kind} holds a data set for each split: pass one of them ({splits})"
            )
        if not hasattr(source, "num_rows"):
            raise UnknownFormat(
                f"{kind} is read as it streams: load the data set with streaming=False, or pass"
                " list(data)"
            )
        import pyarrow as pa
        import pyarrow.compute as pc

        table = source.with_format("arrow")[:]
        for name, feature in source.features.items():
            if hasattr(feature, "int2str"):  # labels are numbers there, -1 where there is none
                known = pc.if_else(pc.less(table[name], 0), None, table[name])
                labels = pc.take(pa.array(feature.names), known)
                table = table.set_column(table.column_names.index(name), name, labels)
        return open_frame(table, "data set")
    if isinstance(source, Mapping):
        return open_columns(source)
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        return open_rows(source)
    return open_frame(source)


# A word of a command that is a URL, perhaps behind the name of an option
_WORD: Final = re.compile(r"(?:--?[\w-]+=)?([a-z][a-z0-9+.-]*://.+)", re.IGNORECASE | re.DOTALL)


def show_source(text: str) -> str:
    """Return the name of a file as it is; a URL without user, password, signature, settings."""
    if "://" not in text:
        return text
    try:
        if text.lower().startswith(("http://", "https://")):
            return read_web_address(text)[1]
        if is_remote(text):
            address = read_address(re.split("[?;&]", text)[0])
            return f"{address.scheme}://{address.place.rpartition('@')[2]}{address.path}"
        return str(read_address(text)) if is_address(text) else show_address(text)
    except UnknownOption:
        return show_address(text)


def hide_settings(text: str, words: tuple[str, ...]) -> str:
    for url in (match[1] for match in map(_WORD.fullmatch, words) if match):
        for spelled in (url, str(Path(url))):  # a path has no two slashes
            text = text.replace(spelled, show_source(url))
        if url.lower().startswith("http") and url.partition("?")[2]:  # of its last part alone
            text = text.replace(f"?{url.partition('?')[2]}", "")
    return text


_NAMES: Final = count()  # Numbers of tables in the engine


def open_frame(source: Any, what: str = "data frame") -> Table:
    """Wrap a data frame as it is; nothing is copied, and what is lazy stays lazy."""
    native = nw.to_native(source, pass_through=True)
    # not by its attributes: a frame of Spark Connect has every one, as a column
    if nw.dependencies.is_pandas_like_dataframe(native):
        named = [name for name in native.index.names if name is not None]
        for name in [name for name in named if name in native.columns]:
            column = native[name]  # a frame where there are several
            if column.ndim == 1 and column.tolist() != native.index.get_level_values(name).tolist():
                raise UnknownFormat(
                    f"the data frame has an index and a column called '{name}', and they differ:"
                    " rename one"
                )
            named.remove(name)
        source = native.reset_index(level=named) if named else native
    try:
        frame = nw.from_native(source)
        names = list(frame.collect_schema().names())
    except TypeError:
        raise UnknownFormat(
            f"{type(source).__name__} is neither a file name nor a data frame: pass a path, a list"
            " of paths, a pandas, Polars, PyArrow, DuckDB, PySpark or Ibis frame, a dict of"
            " columns, a list of dicts, or a Dataset of Hugging Face"
        ) from None
    except DuplicateError as error:
        raise UnknownFormat(
            f"the {what} has a column twice: {' '.join(str(error).split())}"
        ) from None
    except (NarwhalsError, OSError) as error:  # a lazy frame of Polars opens its files only now
        from evenhand.data.engine_errors import explain_polars

        raise explain_polars(error) from None
    _refuse_unnamed(names, what)
    if isinstance(frame, nw.DataFrame) and not len(frame):
        raise InvalidJudgments(f"the {what} has columns but no rows")
    return Table(frame, what)


def _refuse_unnamed(names: Sequence[Any], what: str) -> None:
    unnamed = [name for name in names if not isinstance(name, str)]
    if unnamed:
        raise UnknownFormat(
            f"column name {unnamed[0]} of the {what} is no text but"
            f" {type(unnamed[0]).__name__}: columns need names"
        )


def open_columns(columns: Mapping[Any, Any], what: str = "dict") -> Table:
    """Put a dict of columns into a table: lists, arrays or series, all as long."""
    _refuse_unnamed([*columns], what)
    if all(map(_is_plain, columns.values())) and len({*map(len, columns.values())} - {0}) == 1:
        # Put arrays into DuckDB as they are; blanks are missing
        connection = connect()
        name = f"evenhand_arrays_{next(_NAMES)}"
        blank = [quote_name(one) for one, values in columns.items() if values.dtype == object]
        unblanked = ", ".join(f"nullif({one}, '') as {one}" for one in blank)
        chosen = f"* replace ({unblanked})" if blank else "*"
        connection.register(f"{name}_given", dict(columns))
        connection.execute(f"create temp table {name} as select {chosen} from {name}_given")
        connection.unregister(f"{name}_given")
        return Table(nw.from_native(connection.table(name)), what, connection)
    held: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if isinstance(values, str | Mapping) or not hasattr(values, "__len__"):
            raise UnknownFormat(
                f"'{name}' of the {what} is {type(values).__name__}, no column: give a list with"
                " one value a row"
            )
        held[name] = values.tolist() if hasattr(values, "tolist") else [*values]
    lengths = {len(values): name for name, values in held.items()}
    if len(lengths) > 1:
        (short, one), *_, (long, other) = sorted(lengths.items())
        raise UnknownFormat(
            f"columns of the {what} differ in length: '{one}' has {short:,} values and '{other}'"
            f" {long:,}"
        )
    if not max(lengths, default=0):
        raise InvalidJudgments(f"the {what} has no rows")
    table = hold_columns(held, what)
    typed = [
        f"{quoted}::{_find_type(values)} as {quoted}"
        for quoted, values in ((quote_name(name), values) for name, values in held.items())
    ]
    return table.with_frame(nw.from_native(table.frame.to_native().project(", ".join(typed))))


def _is_plain(values: Any) -> bool:
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return False
    text = values.dtype == object and {*map(type, values)} <= {str, type(None)}
    return text or values.dtype in (np.int64, np.float64)


def _find_type(values: Sequence[Any]) -> str:
    known = [value for value in values if type(value).__name__ not in _MISSING_TYPES]
    kinds = {*map(type, known)}
    if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return "BIGINT" if max(map(abs, known)) < 2**63 else "VARCHAR"
    numbers = all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds)
    return "DOUBLE" if kinds and numbers else "VARCHAR"


_MISSING_TYPES: Final = ("NoneType", "NAType", "NaTType")


def open_rows(rows: Sequence[Any]) -> Table:
    """Put a list of dicts, one a judgment, into a table; what a row lacks is missing there."""
    for at, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise UnknownFormat(
                f"row {at:,} of the list is no dict but {type(row).__name__}: give a list of dicts,"
                " one a judgment, or a list of paths"
            )
    names = dict.fromkeys(name for row in rows for name in row)
    return open_columns({name: [row.get(name) for row in rows] for name in names}, "list")


def hold_columns(columns: Mapping[str, Sequence[Any]], name: str) -> Table:
    """Return columns that lie in memory as the table of a CSV file of them; blanks are missing."""
    connection = connect()
    texts = {column: [*map(_write_cell, values)] for column, values in columns.items()}
    return Table(make_table(connection, texts), name, connection)


def _write_cell(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    text = str(value)
    return None if text in _MISSING else text


_MISSING: Final = ("None", "nan", "NaN", "<NA>", "NaT")  # how missing values of any library print
