"""Very many judgments on the command line: files counted one by one, and a limit on memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.kept import keep, keep_excluded, kept
from evenhand.cli.options import Section, stack
from evenhand.cli.parameters import Size
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.cli.patience import Patience
    from evenhand.cli.reading import Reading
    from evenhand.formats.counted import CountedFiles


class _Input(Section):
    heading = "What to read"


def _limit_engine(_context: click.Context, _param: click.Parameter, memory: str | None) -> None:
    """Limit the memory of the engine, where that is asked."""
    if memory is not None:
        from evenhand.formats.files.opening import limit_memory

        limit_memory(memory)


counting_options = stack(
    click.option(
        "--cache",
        cls=_Input,
        callback=keep,
        expose_value=False,
        metavar="FOLDER",
        help="Count each file by itself and keep the counts in this folder: a file that was"
        " counted before is not read again.",
    ),
    click.option(
        "--memory",
        cls=_Input,
        type=Size(),
        callback=_limit_engine,
        expose_value=False,
        metavar="SIZE",
        help="Most memory that the engine takes to count, such as 4GB; what is more goes to disk.",
    ),
)


def asks_for_cache() -> bool:
    """Say whether files are to be counted one by one."""
    return kept("cache") is not None


def refuse_beside_cache(*given: tuple[str, Any]) -> None:
    """Refuse what needs the judgments themselves, where counts of files are kept."""
    if not asks_for_cache():
        return
    for option, value in (*given, ("--merged", kept("merged"))):
        if value:
            raise UnknownOption(
                f"{option} needs the judgments themselves, and --cache keeps counts of them: leave"
                " one of the two out"
            )


def count_reading(reading: Reading, group_by: str | None, patience: Patience) -> CountedFiles:
    """Count the files of the command line one by one, with a bar over their bytes."""
    import evenhand

    patience.tell("counting files")
    wishes, files = reading.wishes, reading.files
    found = evenhand.count_files(
        files[0] if len(files) == 1 else list(files),
        cache=kept("cache"),
        format=reading.layout,
        columns=wishes.columns or None,
        where=reading.where,
        task=reading.task,
        outcomes=wishes.outcomes,
        weights=wishes.weights,
        group_by=group_by,
        progress=patience.step,
    )
    patience.tell("ranking")
    return found


def remarks_on_files(data: CountedFiles) -> Sequence[str]:
    """Return what was understood of the files, and how many were counted now."""
    now = sum(not one.found for one in data.files)
    from evenhand.judgments.exclusions import list_texts

    keep_excluded(data.excluded)
    counted = f"counted {now:,} of {len(data.files):,} files, the others before"
    return [*data.notes, *list_texts(data.excluded, data.notes), counted]
