"""Tables of Spark: of a Connect server (`sc://`), or of a session of this process (`spark://`)."""

from __future__ import annotations

import os
import shutil
import socket
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import narwhals as nw

from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats.addresses import Address
from evenhand.formats.table import Table
from evenhand.judgments.spark import list_faults, say_fault

PORT: Final = 15002  # Where a Connect server listens unless it says otherwise
# Seconds that a server may take to answer: Spark itself would try for minutes
PATIENCE: Final = 10.0
KINDS: Final = {".parquet": "parquet", ".pq": "parquet", ".orc": "orc"}
QUIET: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_LOG: Final = Path(__file__).with_name("log4j2.properties")


def open_table(address: Address) -> Table:
    """Open a table of Spark's catalogue, or a Parquet or ORC path that Spark can read."""
    kind, name = _find_asked(address)
    _refuse_missing(address)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Spark's, about the version of pandas
        try:
            session = _connect(address) if address.scheme == "sc" else _start(address)
            native = session.table(name) if kind == "table" else _read_path(session, name)
            columns = native.columns  # a server looks a table up only now
        except list_faults() as error:
            said = address.clean(say_fault(error))
            raise UnknownFormat(f"'{address}' cannot be read: {said}") from None
    if not columns:
        raise UnknownFormat(f"'{address}' has no columns")
    return Table(nw.from_native(native), str(address))


def _find_asked(address: Address) -> tuple[str, str]:
    """Return "table" or "path", and which; of a server, a table may be its path."""
    table = address.path.strip("/") if address.scheme == "sc" else ""
    if not table:
        return address.require(("table", "path"))
    if address.asked:
        raise UnknownOption(f"'{address}' names two tables: one is read")
    return "table", table


def _refuse_missing(address: Address) -> None:
    """Refuse what cannot run here."""
    needed = ("pyspark", "grpc") if address.scheme == "sc" else ("pyspark",)
    if any(find_spec(name) is None for name in needed):
        raise UnknownFormat(
            f"'{address}' is read by Spark, which is not installed: pip install 'evenhand[spark]'"
            " (in a clone: '.[spark]')"
        )
    if address.scheme == "spark" and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        raise UnknownFormat(
            f"'{address}' runs Spark in this process, which needs Java 17 or newer, and there is"
            " none: install it, or name a Connect server (sc://HOST:PORT/TABLE), which needs none"
        )


def _connect(address: Address) -> Any:
    """Return a session of a Connect server, after a knock at its door."""
    from pyspark.sql.connect.session import SparkSession

    host, _, port = address.place.partition(":")
    if not host or not (port or "0").isdecimal():
        raise UnknownOption(f"'{address}' names no server: write sc://HOST:PORT/TABLE")
    try:
        socket.create_connection((host, int(port or PORT)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise UnknownFormat(
            f"no Spark Connect server answers at {host}:{port or PORT}: {address.clean(error)}"
        ) from None
    settings = [*address.settings]
    if address.user:
        settings.append(("user_id", address.user.split(":", 1)[0]))
    url = f"sc://{host}:{port or PORT}/"
    parts = [url, *(f"{name}={value}" for name, value in settings)]
    return SparkSession.builder.remote(";".join(parts)).getOrCreate()


def _start(address: Address) -> Any:
    """Return a session of this process, on its own cores or on a cluster."""
    from pyspark.sql import SparkSession

    local = address.place.startswith("local")
    master = address.place if local else f"spark://{address.place}"
    if not address.place or address.path.strip("/") or address.user:
        raise UnknownOption(
            f"'{address}' names no Spark: write spark://local?table=NAME or spark://HOST:PORT?…"
        )
    builder = SparkSession.builder.master("local[*]" if master == "local" else master)
    quiet = {**QUIET, "spark.driver.extraJavaOptions": f"-Dlog4j.configurationFile={_LOG.as_uri()}"}
    for name, value in {**quiet, **dict(address.settings)}.items():
        builder = builder.config(name, value)
    return builder.appName("evenhand").getOrCreate()


def _read_path(session: Any, path: str) -> Any:
    kind = KINDS.get(Path(path.rstrip("/*")).suffix.lower(), "parquet")
    return session.read.format(kind).load(path)
