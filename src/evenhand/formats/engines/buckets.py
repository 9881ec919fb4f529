"""Parquet in a bucket: `s3://bucket/votes/*.parquet`, read by DuckDB's extension httpfs.

Only footers and the columns that are counted travel. Keys come from the environment, under the
names that Amazon's tools use, so that none stands in a URL.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

import duckdb
import narwhals as nw

from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.formats.addresses import Address
from evenhand.formats.table import Table
from evenhand.judgments.engine import quote

KINDS: Final = {"s3": "s3", "gs": "gcs", "gcs": "gcs", "r2": "r2"}
KEYS: Final = {
    "key_id": "AWS_ACCESS_KEY_ID",
    "secret": "AWS_SECRET_ACCESS_KEY",
    "session_token": "AWS_SESSION_TOKEN",
    "region": "AWS_REGION",
    "endpoint": "AWS_ENDPOINT_URL",
}
"""Setting of DuckDB → variable of the environment."""


def open_table(address: Address) -> Table:
    """Open Parquet files of a bucket.

    Raises:
        UnknownFormat: httpfs is not installed, the bucket does not answer, or holds no such file.
        UnknownOption: settings in the URL, or files of another kind.

    """
    if address.settings or address.user or address.asked:
        raise UnknownOption(
            f"'{address}' says too much: keys of a bucket are taken from the environment"
            f" ({', '.join(KEYS.values())}), not from the URL"
        )
    if not address.path.endswith((".parquet", ".pq")):
        raise UnknownOption(f"'{address}' is no Parquet: of a bucket, *.parquet is read")
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    load_reader(connection, address)
    secret = write_secret(KINDS[address.scheme], os.environ)
    try:
        if secret:
            connection.execute(secret)
        relation = connection.read_parquet(str(address))
    except duckdb.Error as error:
        raise UnknownFormat(f"'{address}' cannot be read: {_clean(address, error)}") from None
    return Table(nw.from_native(relation), str(address), connection)


def load_reader(connection: duckdb.DuckDBPyConnection, address: Address) -> None:
    """Load DuckDB's extension for files elsewhere.

    Raises:
        UnknownFormat: it is not installed; Evenhand installs nothing by itself.

    """
    try:
        connection.execute("load httpfs")
    except duckdb.Error:
        raise UnknownFormat(
            f"'{address}' lies in a bucket, and DuckDB's extension httpfs, which reads it, is not"
            " installed here: install it once, with a connection to the internet, by"
            " python -c 'import duckdb; duckdb.install_extension(\"httpfs\")', or download the file"
        ) from None


def write_secret(kind: str, environment: Mapping[str, str]) -> str:
    """Return the statement that hands DuckDB the keys of the environment; "" where there are none.

    Args:
        kind: of the bucket, as DuckDB calls it.
        environment: variables.

    >>> write_secret("s3", {"AWS_ACCESS_KEY_ID": "AK", "AWS_ENDPOINT_URL": "http://localhost:9"})
    "create secret (type s3, key_id 'AK', endpoint 'localhost:9', url_style 'path', use_ssl false)"
    """
    given = {name: environment[key] for name, key in KEYS.items() if environment.get(key)}
    if not given:
        return ""
    parts = [f"type {kind}"]
    for name, value in given.items():
        host = value.split("://", 1)[-1] if name == "endpoint" else value
        parts.append(f"{name} {quote(host)}")
    if "endpoint" in given:
        parts.append("url_style 'path'")
        parts.append(f"use_ssl {'false' if given['endpoint'].startswith('http://') else 'true'}")
    return f"create secret ({', '.join(parts)})"


def _clean(address: Address, error: duckdb.Error) -> str:
    """Return what DuckDB says without the keys of the environment."""
    text = address.clean(error)
    for name in ("key_id", "secret", "session_token"):
        value = os.environ.get(KEYS[name])
        text = text.replace(value, "***") if value else text
    return text
