"""What was counted of several files: a tally for each, which add up to one of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from evenhand.errors import UnknownColumn, UnknownOption, listing
from evenhand.formats.kept_tallies import Counts, Names
from evenhand.formats.one_file import OneFile
from evenhand.judgments.adding import add_tallies
from evenhand.judgments.exclusions import Exclusion, add_exclusions
from evenhand.judgments.names import take_names
from evenhand.judgments.tally import Tally

# Most entries of tallies that are held in memory; of more, each file's are read when needed
HELD: Final = 10_000_000


@dataclass(frozen=True, eq=False)
class CountedFile:
    """One file and what was counted in it."""

    path: OneFile  # the file
    names: tuple[Names, ...]  # factors of each of its tallies; none where nothing in it counts
    n_judgments: float  # number of answers
    size: int  # entries of its largest tally
    notes: Names  # what was understood of it
    tasks: Names  # names of its tasks
    columns: Mapping[str, str]  # role → column, as understood
    load: Callable[[], Counts] = field(repr=False)  # returns its tallies
    found: bool = False  # whether they were kept from before
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from its judgments

    @property
    def factors(self) -> frozenset[str]:
        """All that its judgments are told apart by."""
        return frozenset(name for some in self.names for name in some)


@dataclass(frozen=True, eq=False, repr=False)
class CountedFiles:
    """Files whose judgments were counted one by one; `evenhand.rank` takes it like a table.

    Attributes:
        files: the files.
        notes: what was understood of them, and which kept tallies were of no use.
        group_by: the column that is told apart besides, as it was asked for; the first of the
            factors, perhaps by the name of its role.

    """

    files: tuple[CountedFile, ...]
    notes: tuple[str, ...] = ()
    group_by: str | None = None

    @property
    def n_judgments(self) -> float:
        """Number of answers in all files."""
        return sum(one.n_judgments for one in self.files)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks in all files, sorted."""
        return tuple(sorted({task for one in self.files for task in one.tasks}))

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from the judgments of all files."""
        return add_exclusions([one.excluded for one in self.files])

    @cached_property
    def factors(self) -> tuple[str, ...]:
        """What the counts are told apart by."""
        names = next(one.names for one in self.files if one.names)
        return tuple(dict.fromkeys(name for some in names for name in some))

    def tally(self, by: Sequence[str] = (), *, limits: Mapping[str, int] | None = None) -> Tally:
        """Add the tallies of the files, told apart by some factors; as `Comparisons.tally`.

        Raises:
            UnknownColumn: a factor that the files were not counted by.
            UnknownOption: factors together, of files so large that each was counted apart.
            UnknownFormat: a file that changed since it was counted, if its entry is gone.

        """
        by = take_names(by)
        missing = [name for name in by if name not in self.factors]
        if missing:
            raise UnknownColumn(
                f"the files were not counted by {missing[0]}, but by"
                f" {listing(self.factors) or 'nothing'}"
            )
        return add_tallies(_Parts(self.files, by), limits=limits)

    def __repr__(self) -> str:
        found = sum(one.found for one in self.files)
        by = f" by {listing(self.factors)}" if self.factors else ""
        return (
            f"CountedFiles({len(self.files):,} files, {found:,} from before:"
            f" {self.n_judgments:,.0f} judgments{by})"
        )


class _Parts(Sequence[Tally]):
    """The tallies of files by some factors; read when they are needed, held if they are small."""

    def __init__(self, files: Sequence[CountedFile], by: Names) -> None:
        self.files, self.by = [one for one in files if one.names], by
        self.hold = sum(one.size for one in files) <= HELD
        self.held: dict[int, Tally] = {}

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, at: Any) -> Any:
        if at not in self.held:
            part = self._read(self.files[at])
            if not self.hold:
                return part
            self.held[at] = part
        return self.held[at]

    def _read(self, file: CountedFile) -> Tally:
        for names, tally in file.load().tallies.items():
            if set(self.by) <= set(names):
                kept = {name: tally.factor(name) for name in self.by}
                return replace(tally, factors=kept)  # like entries are summed once, with all others
        raise UnknownOption(
            f"{file.path} holds very many judgments, which were counted by"
            f" {' and by '.join(map(listing, file.names))} alone, not by {listing(self.by)}"
            " together: split the file, or ask for one of them"
        )
