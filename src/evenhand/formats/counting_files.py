"""Files counted one by one: what was counted once is kept, so that a new file costs itself alone.

Each file becomes a tally of its own; the tallies add up. With a folder to keep them in, a run that
was interrupted goes on where it stopped, and the day after only the new day is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import narwhals as nw

from evenhand.errors import (
    InvalidJudgments,
    UnknownFormat,
    UnknownOption,
    listing,
    require_option,
)
from evenhand.formats.counted import CountedFile, CountedFiles
from evenhand.formats.kept_tallies import (
    Counts,
    has_counts,
    place_of,
    read_counts,
    write_counts,
)
from evenhand.formats.one_file import (
    OneFile,
    find_each,
    identify,
    measure,
    name_folders,
    open_one,
)
from evenhand.formats.reading import understand
from evenhand.formats.steady_conditions import refuse_unsteady
from evenhand.formats.stores.stored_file import say_changed
from evenhand.formats.table import Wishes
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.exclusions import count_filters
from evenhand.judgments.labels import Outcome
from evenhand.judgments.ratings import Ratings

WAYS: Final = ("judge", "item", "ranking")
# Most judgments of a file that are counted by all factors at once; of more, by each apart
JOINT: Final = 10_000_000
SAID: Final = 3  # Most files whose own notes are said
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class _Way:
    """How each file is counted."""

    wishes: Wishes  # what was said about columns
    layout: str | None  # format by its name, or None
    where: str | None  # SQL condition, or None
    task: str | None  # the one task to keep, or None
    group_by: str | None  # a column told apart besides, or None
    several: bool  # whether there are several files, so that folders' names say something

    def key(self, path: OneFile) -> Mapping[str, Any]:
        """Return all that the tallies of a file depend on."""
        from evenhand import __version__

        folders = name_folders(path) if self.several else []
        wishes = self.wishes
        return {
            "version": __version__,
            "file": identify(path),
            "folders": folders,
            "columns": dict(wishes.columns),
            "outcomes": None if wishes.outcomes is None else dict(wishes.outcomes),
            "weights": wishes.weights,
            "layout": self.layout,
            "where": self.where,
            "task": self.task,
            "group_by": self.group_by,
            "joint": JOINT,
        }

    def open(self, path: OneFile) -> Comparisons:
        """Open a file as comparisons, controls left out."""
        table = open_one(path, among=self.several)
        data = understand(table, self.wishes, layout=self.layout, where=self.where)
        if isinstance(data, Ratings):
            raise UnknownFormat(f"{path} holds ratings: only comparisons and rankings are counted")
        pairs = take_pairs(data)
        if self.task is None:
            return pairs
        pairs.require("task")
        kept = pairs.where(nw.col("task").cast(nw.String) == self.task, recorded=False)
        return pairs.keep_rows(kept.frame, "task", f"by task '{self.task}'")

    def count(self, path: OneFile) -> Counts:
        """Count a file."""
        data = self.open(path)
        ways = tuple(name for name in WAYS if data.has(name))
        apart = () if self.group_by is None else (data.require(self.group_by),)
        if not apart and data.has("task"):
            apart = ("task",)
        n, notes, columns = data.count_judgments(), data.source.notes, dict(data.source.columns)
        filtered = count_filters(data.source.exclusions)
        excluded = (*filtered, *(one for one in data.excluded if one not in filtered))
        if not n:
            return Counts({}, notes, excluded=excluded)
        every = tuple(dict.fromkeys((*apart, *ways)))
        kinds = [(way,) for way in ways] if n > JOINT and len(ways) > 1 and not apart else [every]
        tallies = {names: data.tally(by=names) for names in kinds}
        return Counts(tallies, notes, tuple(data.tasks()), columns, excluded)

    def count_unchanged(self, path: OneFile, key: Mapping[str, Any]) -> Counts:
        """Count a file that is the one of a key; any where there is none, since none is kept."""
        counts = self.count(path)
        if key and self.key(path) != key:
            raise say_changed(str(path))
        return counts


def count_files(
    source: str | Path | Sequence[str | Path],
    *,
    cache: str | Path | None = None,
    format: str | None = None,  # noqa: A002 - as in `read`
    columns: Mapping[str, str] | None = None,
    where: str | None = None,
    task: str | None = None,
    outcomes: Mapping[str, Outcome] | Mapping[int, Outcome] | None = None,
    weights: Literal["frequency", "importance"] = "frequency",
    group_by: str | None = None,
    progress: Progress | None = None,
) -> CountedFiles:
    """Count files one by one, by judge, item, ranking and task where they have them.

    Controls are left out. What the files hold together is what `evenhand.rank` makes of them when
    they are read as one.

    Args:
        source: a path, a pattern, a folder of Parquet files, or a list of them; or their URLs in a
            bucket or on a web server.
        cache: a folder where the tallies of each file are kept; a file that was counted before in
            the same way, and has not changed since, is not read again. It may be deleted any time.
        format: as for `evenhand.read`; so are columns, where (SQL), task, outcomes and weights.
        columns: role → column.
        where: which rows to keep.
        task: keep this task only.
        outcomes: the files' own outcome labels.
        weights: what a weight column means.
        group_by: a column that is told apart besides, for `rank(..., group_by=)`.
        progress: called with bytes done and to do.

    Raises:
        UnknownFormat: a file that is not there, is damaged, changes meanwhile, or has no known
            layout; or files that are not alike.
        UnknownColumn: a column that was asked for is missing.
        UnknownOption: a wish that does not fit, a folder that cannot be written to, or a cache for
            a condition that may change while files do not, such as one that asks for the time.
        InvalidJudgments: a value that cannot be; nothing to count.

    """
    require_option("weights", weights, ("frequency", "importance"))
    if cache == "":
        raise UnknownOption("cache is empty: name a folder, such as tallies, or leave it out")
    if cache is not None and where is not None:
        refuse_unsteady(where)
    paths = find_each(source)
    own = None if outcomes is None else {str(label): one for label, one in outcomes.items()}
    wishes = Wishes(dict(columns or {}), own, weights)
    way = _Way(wishes, format, where, task, group_by, several=len(paths) > 1)
    sizes = [measure(path) for path in paths]
    files: list[CountedFile] = []
    notes: list[str] = []
    done, tell = 0, progress or _tell_nobody
    for path, size in zip(paths, sizes, strict=True):
        tell(done, sum(sizes))
        files.append(_count_one(path, way, None if cache is None else Path(cache), notes))
        done += size
    tell(done, sum(sizes))
    _refuse_unlike(files, task)
    return CountedFiles(tuple(files), (*_gather_notes(files), *notes), group_by)


def _tell_nobody(done: int, total: int) -> None:
    """Take what a progress bar would show."""


def _count_one(path: OneFile, way: _Way, folder: Path | None, notes: list[str]) -> CountedFile:
    """Count a file, or find what was counted before."""
    key = way.key(path) if folder is not None else {}
    place = None if folder is None else place_of(folder, key)
    counts = None
    if place is not None and has_counts(place):
        counts = read_counts(place, key)
        if counts is None:
            notes.append(f"{place} is damaged or no tally of {path}: counted again")
    found = counts is not None
    if counts is None:
        counts = way.count_unchanged(path, key)
        if place is not None:
            write_counts(place, key, counts)
    return _hold(path, counts, way, None if place is None else (place, key), found=found)


def _hold(
    path: OneFile,
    counts: Counts,
    way: _Way,
    kept: tuple[Path, Mapping[str, Any]] | None,
    *,
    found: bool,
) -> CountedFile:
    """Return a counted file, whose tallies stay in their folder if they have one."""
    size = max((len(one.left) for one in counts.tallies.values()), default=0)
    names = tuple(counts.tallies)
    said = (counts.notes, counts.tasks, counts.columns)
    load = partial(_give, counts) if kept is None else partial(_read_again, path, way, kept)
    kept_out = counts.excluded
    return CountedFile(path, names, counts.n_judgments, size, *said, load, found, kept_out)


def _give(counts: Counts) -> Counts:
    """Return tallies that are held in memory."""
    return counts


def _read_again(path: OneFile, way: _Way, kept: tuple[Path, Mapping[str, Any]]) -> Counts:
    """Return tallies from their folder, or count again where somebody cleared it."""
    again = read_counts(*kept)
    return way.count_unchanged(path, kept[1]) if again is None else again


def _refuse_unlike(files: Sequence[CountedFile], task: str | None) -> None:
    """Refuse files that tell different things apart, and files in which nothing counts."""
    counted = [one for one in files if one.names]
    if not counted:
        what = "no judgments" if task is None else f"no judgments of task '{task}'"
        raise InvalidJudgments(
            f"{what} in {listing([str(one.path) for one in files], 3)}: nothing to count; is a"
            " condition too narrow?"
        )
    first = counted[0]
    for other in counted[1:]:
        for one, two in ((first, other), (other, first)):
            lacking = sorted(one.factors - two.factors)
            if lacking:
                raise UnknownFormat(
                    f"{two.path} has no column {lacking[0]}, which {one.path} has: files counted"
                    " together need the same"
                )
        role = next((one for one in first.columns if first.columns[one] != other.columns[one]), "")
        if role:
            raise UnknownFormat(
                f"{role} is '{first.columns[role]}' in {first.path} and '{other.columns[role]}' in"
                f" {other.path}: files counted together need one header"
            )


def _gather_notes(files: Sequence[CountedFile]) -> list[str]:
    """Return what was understood of all files once, and of single files by their names."""
    common = [note for note in files[0].notes if all(note in one.notes for one in files)]
    own = [(one.path, note) for one in files for note in one.notes if note not in common]
    said = [f"{path}: {note}" for path, note in own[:SAID]]
    more = len(own) - SAID
    empty = sum(not one.names for one in files)
    return [
        *common,
        *said,
        *([f"{more:,} more such notes on single files"] if more > 0 else []),
        *([f"{empty:,} of {len(files):,} files hold nothing that counts"] if empty else []),
    ]
