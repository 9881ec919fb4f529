"""Tables of a database that Ibis reaches: `postgres://host/db?table=schema.votes`."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any, Final

import narwhals as nw

from evenhand.errors import MissingFile, UnknownFormat, end, listing, suggest
from evenhand.formats.addresses import Address
from evenhand.formats.table import Table
from evenhand.judgments.warehouse import list_errors

SHORT_NAMES: Final = {"postgresql": "postgres", "redshift": "postgres"}


def open_table(address: Address) -> Table:
    """Open a table of a database."""
    _, name = address.require(("table",))
    try:
        import ibis
    except ModuleNotFoundError:
        raise UnknownFormat(
            f"'{address}' is read through Ibis, which is not installed: pip install"
            f" 'evenhand[ibis]' 'ibis-framework[{_backend(address)}]' (in a clone '.[ibis]' for the"
            " first)"
        ) from None
    if address.scheme == "sqlite" and not Path(f"{address.place}{address.path}").is_file():
        raise MissingFile(f"there is no SQLite file '{address.place}{address.path}'")
    *spaces, table = name.split(".")
    try:
        backend = ibis.connect(_write_url(address))
        _close_after(backend)
        found = backend.table(table, database=tuple(spaces) or None)
    except ibis.common.exceptions.TableNotFound:
        names = _list_tables(backend)
        hint = suggest(name, names) or (f" It has {listing(names)}" if names else "")
        raise UnknownFormat(f"'{address}': there is no table '{name}'{end(hint)}") from None
    except ImportError:
        raise UnknownFormat(
            f"'{address}' needs a driver that is not installed: pip install"
            f" 'ibis-framework[{_backend(address)}]'"
        ) from None
    except list_errors(OSError, ValueError) as error:
        raise UnknownFormat(f"'{address}' does not answer: {address.clean(error)}") from None
    return Table(nw.from_native(found), str(address))


def _close_after(backend: Any) -> None:
    """Close the connection when nobody holds a table of it any more."""
    close = getattr(getattr(backend, "con", None), "close", None)
    if close is not None:
        weakref.finalize(backend, close)


def _backend(address: Address) -> str:
    """Return Ibis' name of a database."""
    return SHORT_NAMES.get(address.scheme, address.scheme)


def _write_url(address: Address) -> str:
    """Write the URL again as Ibis takes it, without what is asked for."""
    user = f"{address.user}@" if address.user else ""
    settings = "&".join(f"{name}={value}" for name, value in address.settings)
    place = f"{_backend(address)}://{user}{address.place}{address.path}"
    return f"{place}?{settings}" if settings else place


def _list_tables(backend: Any) -> list[str]:
    return sorted(map(str, backend.list_tables()))
