"""Judgments to a file: our own tables, minimal arena files, or formats of other projects.

What is written is checked first, so that what is written can be read and used. Outcomes are written
as `left | tie | right` whatever the labels were. A file appears whole or not at all. DuckDB copies
what it holds, other frames are written row by row.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Final, cast

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import ANSWER, Frame, count_labels, fetch_columns, name_file
from evenhand.data.engine_errors import explain
from evenhand.data.labels import OUTCOMES, is_both_bad, read_outcome
from evenhand.data.rankings import Rankings
from evenhand.data.source import find_rows, name_rows
from evenhand.errors import UnknownFormat, UnknownOption, require_option
from evenhand.formats.exports import EXPORTS, find_exporter
from evenhand.formats.file_heads import suffix_of
from evenhand.formats.inspection import refuse_unnamed
from evenhand.formats.roles import UNKNOWN_POSITIONS
from evenhand.formats.table import Handle

_COPY = {
    "csv": "format csv, header true, delimiter ','",
    "tsv": "format csv, header true, delimiter '\t'",
    "jsonl": "format json",
    "parquet": "format parquet, compression zstd",
}


def write_table(frame: Frame, path: Path, format: str, compression: str) -> None:  # noqa: A002
    if frame.implementation.is_duckdb():
        options = _COPY[format]
        if format != "parquet":
            options += f", compression '{compression}'"
        relation = cast("duckdb.DuckDBPyRelation", frame.to_native())
        quoted, source = str(path).replace("'", "''"), name_file(relation)
        try:
            relation.query("evenhand_rows", f"copy (from evenhand_rows) to '{quoted}' ({options})")
        except duckdb.IOException as error:
            # The cause alone: the name in it is that of the part that is renamed when it is whole.
            raise OSError(str(error).splitlines()[0].rpartition(": ")[2].lower()) from None
        except duckdb.Error as error:
            raise explain(error, source) from None
        return
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if format == "parquet":
        eager.write_parquet(path)
        return
    if compression == "zstd":
        raise UnknownOption("a data frame is packed with gzip (.gz); Zstandard is for files")
    with _open(path, compression) as file:
        if format == "jsonl":
            names = eager.columns
            for row in _rows(eager):
                record = dict(zip(names, row, strict=True))
                file.write(json.dumps(record, ensure_ascii=False, default=_text) + "\n")
        else:
            delimiter = "\t" if format == "tsv" else ","
            special = re.compile(f'["\r\n{delimiter}]')  # the csv module leaves a lone \r bare

            def quote(value: Any) -> str:
                text = "" if value is None else _text(value)
                return '"' + text.replace('"', '""') + '"' if special.search(text) else text

            for row in (tuple(eager.columns), *_rows(eager)):
                file.write(delimiter.join(map(quote, row)) + "\n")


def _open(path: Path, compression: str) -> IO[str]:
    if compression == "gzip":
        return TextIOWrapper(gzip.open(path, "wb"), encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def _rows(frame: nw.DataFrame[Any]) -> Iterator[tuple[Any, ...]]:
    return zip(*[_values(column) for column in fetch_columns(frame).values()], strict=True)


def _values(column: NDArray[Any]) -> list[Any]:
    """Return Python values: missing ones as None, whole floats as whole numbers."""
    if column.dtype.kind == "M":
        return [None if text == "NaT" else text.replace("T", " ") for text in column.astype(str)]
    if column.dtype.kind != "f":
        return cast("list[Any]", column.tolist())
    whole = bool((np.isnan(column) | (column % 1 == 0)).all())
    convert = int if whole and bool((np.abs(column[~np.isnan(column)]) < 2**53).all()) else float
    return [None if value != value else convert(value) for value in column.tolist()]  # noqa: PLR0124 - nan is the only value that differs from itself


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


FILE_KINDS: Final = ("csv", "tsv", "jsonl", "parquet")
TABLES: Final = ("comparisons", "rankings", "ratings", "arena")
KINDS: Final = (*TABLES, *EXPORTS)

_SUFFIXES: Final = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
}
_BY_SUFFIX: Final = {suffix: kind for kind, names in _SUFFIXES.items() for suffix in names}
_PACKED: Final = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_ARENA: Final = {"left": "model_a", "right": "model_b", "outcome": "winner"}
_BOTH_BAD: Final = "tie (bothbad)"
_ARENA_OUTCOMES: Final = {"left": "model_a", "tie": "tie", "right": "model_b"}


def write(
    data: Handle,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word that `read` uses
    kind: str | None = None,
    force: bool = False,
) -> Path:
    """Write judgments to a file.

    kind: the table to write: "comparisons", "rankings", "ratings" or "arena" (model_a, model_b,
        winner), or an outside format of `EXPORTS`; None keeps what `data` is. Rankings can become
        comparisons.
    """
    target = Path(path).expanduser()
    chosen, compression = _aim(target, format, kind)
    if target.is_file() and not force:
        raise UnknownOption(f"'{target}' is there already: force=True (--force) replaces it")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if kind in EXPORTS:
            if compression == "zstd":
                raise UnknownOption("a format of another project is packed with gzip (.gz)")
            with _open(part, compression) as file:
                file.writelines(find_exporter(kind).export(data))
        else:
            write_table(_frame(data, kind), part, chosen, compression)
        part.replace(target)
    except OSError as error:
        raise UnknownFormat(f"'{path}' cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return target


def _aim(path: Path, format: str | None, kind: str | None) -> tuple[str, str]:  # noqa: A002
    suffix = suffix_of(path)
    if kind is not None:
        require_option("kind", kind, KINDS)
    if kind in EXPORTS:
        # Refuse a name that says something else than a format of another project
        suffixes = find_exporter(kind).suffixes
        if format is not None or suffix not in suffixes:
            clause = f", not {format}" if format is not None else ""
            raise UnknownOption(
                f"{kind} is written to a file that ends in {suffixes[0]}{clause}: '{path}'"
            )
    chosen = kind if kind in EXPORTS else format or _BY_SUFFIX.get(suffix)
    if chosen is None:
        raise UnknownOption(
            f"'{path}' does not say what to write: end it in .csv, .tsv, .jsonl or .parquet, or"
            f" choose a format ({' | '.join(FILE_KINDS)})"
        )
    require_option("format", chosen, FILE_KINDS if kind not in EXPORTS else EXPORTS)
    if kind not in EXPORTS and _BY_SUFFIX.get(suffix, chosen) != chosen:
        raise UnknownOption(
            f"'{path}' says {_BY_SUFFIX[suffix]} by its name, and {chosen} was asked for: end it in"
            f" {_SUFFIXES[chosen][0]}, or leave the format out"
        )
    compression = _PACKED.get(path.suffix.lower(), "none")
    if compression != "none" and chosen == "parquet":
        raise UnknownOption(f"'{path}': Parquet is packed inside, leave out {path.suffix}")
    if path.is_dir():
        raise UnknownOption(f"'{path}' is a folder: name a file in it")
    if not path.parent.is_dir():
        raise UnknownFormat(f"there is no folder '{path.parent}' to write '{path.name}' in")
    return chosen, compression


def _frame(data: Handle, kind: str | None) -> Frame:
    kind_name = type(data).__name__.lower()
    chosen = kind or kind_name
    require_option("kind", chosen, KINDS)
    if isinstance(data, Rankings) and chosen in {"comparisons", "arena"}:
        data, kind_name = data.comparisons(), "comparisons"
    if chosen != kind_name and not (kind_name == "comparisons" and chosen == "arena"):
        raise UnknownOption(f"{kind_name} cannot be written as {chosen}")
    if isinstance(data, Comparisons):
        arena = chosen == "arena"
        taken = [name for name in _ARENA.values() if arena and name in data.columns]
        if taken:
            raise UnknownOption(
                f"column '{taken[0]}' is there already and has no role: rename it first"
            )
        tally = data.tally()  # refuses every value that could not be read again
        if arena and data.has("weight"):
            heavy = find_rows(data.frame, nw.col("weight") != 1)
            if heavy or tally.zero_weight:
                raise UnknownOption(
                    f"{data.source.name} has weights other than 1{name_rows(heavy)}, and arena"
                    " files have no place for weights: write comparisons instead (--to"
                    " comparisons)"
                )
            data = replace(data, frame=data.frame.drop("weight"))
        words = _ARENA_OUTCOMES if arena else {str(outcome): str(outcome) for outcome in OUTCOMES}
        frame = _ordered(data)
        frame = frame.drop(ANSWER) if data.has(ANSWER) else frame
        frame = frame.with_columns(_outcome(data, words).alias("outcome"))
        if data.weights == "frequency" and data.has("weight"):
            frame = _whole(frame, ("weight",))
        if not data.positions_known and not data.has(UNKNOWN_POSITIONS):
            frame = frame.with_columns(nw.lit("true").alias(UNKNOWN_POSITIONS))
        return frame.rename(_ARENA) if arena else frame
    if isinstance(data, Rankings):
        data.check()
        return _whole(_ordered(data), ("rank", "position"))
    refuse_unnamed(data.frame, data.source, ["system", "judge", "item", "criterion", "task"])
    return _ordered(data)


def _outcome(data: Comparisons, words: Mapping[str, str]) -> nw.Expr:
    """Write each of the table's own labels as the common one; arena knows two kinds of tie."""
    labels = count_labels(data.frame, "outcome")
    meaning = {label: read_outcome(label, data.outcome_labels) for label in labels}
    value: nw.Expr = nw.lit(words["tie"])
    for outcome in ("left", "right"):
        words_for_it = [label for label, meant in meaning.items() if meant == outcome]
        if words_for_it:
            chosen = nw.col("outcome").is_in(words_for_it)
            value = nw.when(chosen).then(nw.lit(words[outcome])).otherwise(value)
    bad = [label for label, meant in meaning.items() if meant == "tie" and is_both_bad(label)]
    if bad and words is _ARENA_OUTCOMES:
        value = nw.when(nw.col("outcome").is_in(bad)).then(nw.lit(_BOTH_BAD)).otherwise(value)
    return value


def _ordered(data: Handle) -> Frame:
    first = [role for role in data.ROLES if data.has(role)]
    return data.frame.select(*first, *[name for name in data.columns if name not in first])


def _whole(frame: Frame, roles: Sequence[str]) -> Frame:
    """Write 1, not 1.0, where numbers are whole; pandas has no whole numbers with gaps."""
    if frame.implementation.is_pandas_like():
        return frame
    schema = frame.collect_schema()
    casts = [nw.col(role).cast(nw.Int64) for role in roles if role in schema]
    return frame.with_columns(*casts) if casts else frame
