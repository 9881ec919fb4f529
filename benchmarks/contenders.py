"""Who is measured on what: contenders and cases. Nothing is imported from the libraries here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from benchmarks.limits import Limits
from benchmarks.row import Row

Role = Literal["floor", "ours", "peer"]
OURS = ("evenhand", "duckdb", "numpy")


@dataclass(frozen=True)
class Contender:
    """One line of a table.

    Attributes:
        name: of the line.
        role: floor (nothing that reads the file can do less), ours, or peer.
        module: of `benchmarks.peers`.
        forms: its functions, all tried, the fastest kept.
        gives: what it answers with.
        packages: that it rests on.
        like: module.form whose numbers its own are compared with; of several, the first that has
            any. Empty where there is nothing to compare.
        numbers: names of its own, where it computes fewer than the reference on purpose.

    """

    name: str
    role: Role
    module: str
    forms: tuple[str, ...]
    gives: str
    packages: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


class Case(Protocol):
    """A part of a suite that gives rows."""

    @property
    def name(self) -> str:
        """On what."""

    def measure(self, suite: str, folder: Path, limits: Limits) -> Iterator[Row]:
        """Measure; files are made in the folder and kept."""


@dataclass(frozen=True)
class FileCase:
    """Contenders on one file.

    Attributes:
        name: on what.
        make: makes the file in a folder if it is not there, and returns its path.
        contenders: the first floor is what all are compared with.

    """

    name: str
    make: Callable[[Path], Path]
    contenders: tuple[Contender, ...]

    def measure(self, suite: str, folder: Path, limits: Limits) -> Iterator[Row]:
        """Measure all contenders on the file, in turn."""
        from benchmarks.run import measured

        path = self.make(folder)
        chosen = [one for one in self.contenders if one.role != "peer" or limits.takes(one.name)]
        yield from measured(path, (suite, self.name), chosen, limits)


@dataclass(frozen=True)
class Suite:
    """A part of the bench.

    Attributes:
        name: what it is asked for by.
        about: what is measured, in a line.
        cases: of a full run.
        quick: small ones, of which all suites together take minutes and no hour.

    """

    name: str
    about: str
    cases: tuple[Case, ...]
    quick: tuple[Case, ...]
