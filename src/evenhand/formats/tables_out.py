"""One table to one file: DuckDB copies what it holds, other frames are written row by row."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

import duckdb
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption
from evenhand.judgments.engine import Frame, fetch_columns
from evenhand.judgments.refusals import explain, name_file

_COPY = {
    "csv": "format csv, header true, delimiter ','",
    "tsv": "format csv, header true, delimiter '\t'",
    "jsonl": "format json",
    "parquet": "format parquet, compression zstd",
}


def write_table(frame: Frame, path: Path, format: str, compression: str) -> None:  # noqa: A002
    """Write a frame to a file that is not there yet."""
    if frame.implementation.is_duckdb():
        _copy(frame, path, format, compression)
        return
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if format == "parquet":
        eager.write_parquet(path)
        return
    if compression == "zstd":
        raise UnknownOption("a data frame is packed with gzip (.gz); Zstandard is for files")
    with _open(path, compression) as file:
        if format == "jsonl":
            _write_json(eager, file)
        else:
            _write_csv(eager, file, "\t" if format == "tsv" else ",")


def write_text(pieces: Iterable[str], path: Path, compression: str) -> None:
    """Write text piece by piece to a file that is not there yet."""
    if compression == "zstd":
        raise UnknownOption("a format of another project is packed with gzip (.gz)")
    with _open(path, compression) as file:
        for piece in pieces:
            file.write(piece)


def _copy(frame: Frame, path: Path, format: str, compression: str) -> None:  # noqa: A002
    options = _COPY[format]
    if format != "parquet":
        options += f", compression '{compression}'"
    relation = cast("duckdb.DuckDBPyRelation", frame.to_native())
    name, file = str(path).replace("'", "''"), name_file(relation)
    try:
        relation.query("evenhand_rows", f"copy (from evenhand_rows) to '{name}' ({options})")
    except duckdb.IOException as error:
        # The cause alone: the name in it is that of the part that is renamed when it is whole.
        raise OSError(str(error).splitlines()[0].rpartition(": ")[2].lower()) from None
    except duckdb.Error as error:
        raise explain(error, file) from None


def _open(path: Path, compression: str) -> IO[str]:
    if compression == "gzip":
        return TextIOWrapper(gzip.open(path, "wb"), encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def _write_csv(frame: nw.DataFrame[Any], file: IO[str], delimiter: str) -> None:
    special = re.compile(f'["\r\n{delimiter}]')  # the csv module leaves a lone \r bare

    def quote(value: Any) -> str:
        text = "" if value is None else _text(value)
        return '"' + text.replace('"', '""') + '"' if special.search(text) else text

    for row in (tuple(frame.columns), *_rows(frame)):
        file.write(delimiter.join(map(quote, row)) + "\n")


def _write_json(frame: nw.DataFrame[Any], file: IO[str]) -> None:
    names = frame.columns
    for row in _rows(frame):
        record = dict(zip(names, row, strict=True))
        file.write(json.dumps(record, ensure_ascii=False, default=_text) + "\n")


def _rows(frame: nw.DataFrame[Any]) -> Iterator[tuple[Any, ...]]:
    columns = [_values(column) for column in fetch_columns(frame).values()]
    return zip(*columns, strict=True)


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
    """Write truth values as DuckDB does."""
    return str(value).lower() if isinstance(value, bool) else str(value)
