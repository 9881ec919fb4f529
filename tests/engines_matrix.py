"""The same judgments as frames of every engine, for tests that compare each with DuckDB."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import duckdb
import numpy as np
import polars as pl

HERE = ("pandas", "polars", "polars lazy", "pyarrow", "duckdb", "ibis duckdb", "ibis sqlite")
"""Engines that run in this process."""
POSTGRES = "ibis postgres"
"""A database of a server, which sorts text as a language does."""
SPARK = ("pyspark", "spark connect")

Columns = Mapping[str, Sequence[Any]]
NAMES = ("alpha", "it's b", "Ünal", 'D "x"', "back\\slash")
"""A language puts other names first than the order of letters by number does."""


class Places:
    """Makes frames of every engine, and keeps their connections alive."""

    def __init__(
        self, sessions: Mapping[str, Any] | None = None, postgres: str | None = None
    ) -> None:
        self.sessions = sessions or {}
        self.postgres = postgres
        self.duckdb = duckdb.connect()
        self.ibis: dict[str, Any] = {}
        self.made = 0

    def close(self) -> None:
        """Close the connections of databases."""
        for here in self.ibis.values():
            here.disconnect()

    def frame(self, columns: Columns, engine: str) -> Any:
        """The table as a frame of an engine."""
        table = pl.DataFrame(columns)
        if engine.startswith("ibis"):
            return self._ibis(table, engine.removeprefix("ibis "))
        make = {
            "pandas": table.to_pandas,
            "polars": table.clone,
            "polars lazy": table.lazy,
            "pyarrow": table.to_arrow,
            "duckdb": lambda: self.duckdb.from_arrow(table.to_arrow()),
            **{one: partial(self._spark, table, one) for one in SPARK},
        }
        return make[engine]()

    def _spark(self, table: pl.DataFrame, engine: str) -> Any:
        return self.sessions[engine].createDataFrame(table.to_arrow())

    def _ibis(self, table: pl.DataFrame, backend: str) -> Any:
        import ibis

        if backend not in self.ibis:
            address = self.postgres if backend == "postgres" else f"{backend}://"
            self.ibis[backend] = ibis.connect(address)
        self.made += 1
        name, here = f"votes_{self.made}", self.ibis[backend]
        if backend == "duckdb":
            here.con.from_arrow(table.to_arrow()).create(name)
            return here.table(name)
        if backend == "postgres":
            return _copy_table(table, name, here)
        kinds = {pl.String: "text", pl.Int64: "integer", pl.Float64: "real"}
        types = ", ".join(f'"{one}" {kinds[type(table[one].dtype)]}' for one in table.columns)
        here.con.execute(f"create table {name} ({types})")
        places = ", ".join("?" * table.width)
        here.con.executemany(f"insert into {name} values ({places})", table.rows())
        return here.table(name)


def _copy_table(table: pl.DataFrame, name: str, here: Any) -> Any:
    """Copy a table to a PostgreSQL server; the order of its rows is kept while none is changed."""
    kinds = {pl.String: "text", pl.Int64: "bigint", pl.Float64: "float8"}
    types = ", ".join(f'"{one}" {kinds[type(table[one].dtype)]}' for one in table.columns)
    with here.con.cursor() as cursor:
        cursor.execute(f'create table "{name}" ({types})')
        with cursor.copy(f'copy "{name}" from stdin') as copy:
            for row in table.rows():
                copy.write_row(row)
    here.con.commit()
    return here.table(name)


def votes(rows: int = 300, seed: int = 1) -> dict[str, list[Any]]:
    """Comparisons with ties; labels with quotes, accents and whole numbers."""
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, 5, rows)
    right = (left + rng.integers(1, 5, rows)) % 5
    judge = rng.integers(0, 12, rows)
    return {
        "model_a": [NAMES[i] for i in left],
        "model_b": [NAMES[i] for i in right],
        "winner": [
            ("model_a", "tie", "model_b", "tie (bothbad)")[o] for o in rng.integers(0, 4, rows)
        ],
        "judge": [f"j{i}" for i in judge],
        "item": rng.integers(0, 9, rows).tolist(),
        "task": [("de-en", "fr-en")[i] for i in rng.integers(0, 2, rows)],
        "group": [("expert", "crowd")[i] for i in judge % 2],
        "length": np.round(rng.gamma(2.0, 50.0, rows), 3).tolist(),
        "weight": rng.integers(0, 4, rows).tolist(),
    }


def rankings(n: int = 40, seed: int = 2) -> dict[str, list[Any]]:
    """Rankings of four outputs with ties and blanks, one of them blank throughout."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rank = rng.integers(1, 5, (n, 4)).astype(object)
    rank[rng.random((n, 4)) < 0.15] = None
    rank[0] = None
    systems = np.array(NAMES)[np.argsort(rng.random((n, 5)), axis=1)[:, :4]]
    return {
        "ranking": [f"r{i}" for i in range(n) for _ in range(4)],
        "judge": [f"j{i % 7}" for i in range(n) for _ in range(4)],
        "item": [i % 11 for i in range(n) for _ in range(4)],
        "system": systems.reshape(-1).tolist(),
        "rank": rank.reshape(-1).tolist(),
    }


def ratings(seed: int = 3) -> dict[str, list[Any]]:
    """Scores of three judges on twenty outputs, some missing."""
    rng = np.random.Generator(np.random.PCG64(seed))
    score = rng.integers(1, 6, 120).astype(object)
    score[rng.random(120) < 0.1] = None
    return {
        "judge": [f"j{i % 3}" for i in range(120)],
        "item": [i // 3 % 10 for i in range(120)],
        "system": [NAMES[i // 30 % 2] for i in range(120)],
        "criterion": [("fluency", "adequacy")[i // 60] for i in range(120)],
        "score": score.tolist(),
    }
