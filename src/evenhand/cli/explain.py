"""`--explain`: what was pushed to the engine that holds the judgments, and what left it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.terminal import plural

if TYPE_CHECKING:
    from evenhand.judgments.pushed import Fetch
    from evenhand.judgments.traffic import Traffic

KB: Final = 1000
LONGEST: Final = 600  # Characters of a query that are shown
# Columns that are ours, in words
WORDS: Final = {
    "evenhand_count": "their number",
    "evenhand_squares": "their squares",
    "evenhand_key": "one whole number of each row",
    "key": "one whole number of each row",
}


class _Input(click.Option):
    heading = "What to read"


def _keep_account(context: click.Context, param: click.Parameter, value: Any) -> None:  # noqa: ARG001 - click's signature
    """Keep account of every query of the verb, and print it on the error stream at its end."""
    if not value:
        return
    from evenhand.judgments.pushed import watch_fetches
    from evenhand.judgments.traffic import watch_traffic

    fetches = context.with_resource(watch_fetches())
    traffic = context.with_resource(watch_traffic())
    context.call_on_close(lambda: click.echo(write_account(fetches, traffic), err=True))


explain_option = click.option(
    "--explain",
    cls=_Input,
    is_flag=True,
    callback=_keep_account,
    expose_value=False,
    help="Print the queries that the engine ran, and how much left it.",
)


def write_account(fetches: Sequence[Fetch], traffic: Sequence[Traffic] = ()) -> str:
    """Say which queries ran where, how much each brought back, and what came over the network."""
    kinds = [[one for one in traffic if one.copied == copied] for copied in (False, True)]
    return "\n".join([_write_fetches(fetches), *(_write_traffic(some) for some in kinds if some)])


def _write_traffic(traffic: Sequence[Traffic]) -> str:
    """Say what came of files that lie elsewhere."""
    more = sum(one.files for one in traffic) - traffic[0].files
    size, came = sum(one.size for one in traffic), sum(one.came for one in traffic)
    of = f" of {say_bytes(size)}" if size else ""
    asked = plural(sum(one.requests for one in traffic), "request")
    names = f"{traffic[0].name} and {more:,} more" if more else traffic[0].name
    if traffic[0].copied:
        return f"explain  {names}: copied here, {say_bytes(came)}, and read here"
    return f"explain  {names}: {say_bytes(came)}{of} came in {asked}, columns and footers alone"


def say_bytes(n: int) -> str:
    """Return a number of bytes as people say it.

    >>> say_bytes(831), say_bytes(12_345_678)
    ('831 bytes', '12.3 MB')
    """
    if n < KB:
        return plural(n, "byte")
    return f"{n / KB:.1f} kB" if n < KB**2 else f"{n / KB**2:,.1f} MB"


def _write_fetches(fetches: Sequence[Fetch]) -> str:
    """Say which queries ran where, and how many rows and columns each brought back."""
    if not fetches:
        return "explain  no query was run"
    engines = ", ".join(dict.fromkeys(one.engine for one in fetches))
    rows = sum(one.rows for one in fetches if not one.batches)
    streamed = sum(one.rows for one in fetches if one.batches)
    n = f"{len(fetches):,} quer{'y' if len(fetches) == 1 else 'ies'}"
    more = f" and {streamed:,} streamed" if streamed else ""
    lines = [f"explain  {engines}: {n} pushed, {plural(rows, 'row')} collected{more} in all"]
    said: set[str] = set()
    for number, one in enumerate(fetches, 1):
        lines.append(f"{number:>7}  {_say(one)}: {_say_how(one)}")
        if one.why and one.why not in said:
            said.add(one.why)
            lines.append(f"         row by row: {one.why}")
        lines += [f"         {line}" for line in _shorten(one.query)]
    return "\n".join(lines)


def _say_how(fetch: Fetch) -> str:
    """Say how many rows and columns an answer has, and how they came."""
    columns = plural(len(fetch.columns), "column")
    if fetch.kept:
        return f"a table of {columns}, kept by the engine"
    size = f"{plural(fetch.rows, 'row')} × {columns}"
    if not fetch.batches:
        return f"{size} collected"
    where = "to a temporary file" if fetch.filed else "and counted"
    return f"{size} streamed in {plural(fetch.batches, 'batch', 'batches')} {where}"


def _say(fetch: Fetch) -> str:
    """Say in words what a query asked for."""
    ours = [WORDS[name] for name in fetch.columns if name in WORDS]
    theirs = [re.sub(r"^evenhand_", "", name) for name in fetch.columns if name not in WORDS]
    if "evenhand_count" in fetch.columns:
        return _say_counted(fetch.columns)
    return ", ".join(["rows with " + ", ".join(theirs)] * bool(theirs) + ours) or "rows"


def _say_counted(columns: Sequence[str]) -> str:
    """Say by what rows were counted: columns before their number; others are sums."""
    at = columns.index("evenhand_count")
    keys = ", ".join(re.sub(r"^evenhand_", "", name) for name in columns[:at])
    sums = [name for name in columns[at + 1 :] if name not in WORDS]
    squares = " with their squares" if "evenhand_squares" in columns else ""
    more = f" with {plural(len(sums), 'more column')}" if sums else ""
    return f"rows counted{f' by {keys}' if keys else ''}{squares}{more}"


def _shorten(query: str) -> list[str]:
    """Return a query as a line; a plan, which is many, as its lines."""
    if not query:
        return ["in this process, on the frame as it lies in memory"]
    text = query if query.lstrip()[:6].upper() != "SELECT" else " ".join(query.split())
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return [line for line in text.splitlines() if line.strip()]
