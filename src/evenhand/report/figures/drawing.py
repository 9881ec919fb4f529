"""What figures share without being drawn: the files they become, and room for names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from errno import EACCES, ENOTDIR
from itertools import count
from os import W_OK, X_OK, access, strerror
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.report.figures.style import Chart

LETTER: Final = 5.8  # Width of a letter at the size that names have, in pixels; on the safe side
LINE: Final = 12.0  # Height of a name

FORMS: Final = ("svg", "png", "pdf")  # Endings of the files that a figure can become
NAMELESS: Final = "unnamed"  # File of what has no letter or digit in its name


def name_files(names: Iterable[str]) -> dict[str, str]:
    """Write names so that any file system takes them and tells them apart."""
    stems = {name: re.sub(r"[^\w.-]+", "-", name).strip("-.") for name in names}
    files: dict[str, str] = {}
    taken: set[str] = set()
    for name, stem in stems.items():
        tries = (f"{stem or NAMELESS}{f'-{n}' if n > 1 else ''}" for n in count(1))
        files[name] = next(file for file in tries if file.casefold() not in taken)
        taken.add(files[name].casefold())
    return files


def check_folder(folder: Path, what: str) -> None:
    """Refuse a folder that cannot be written to; make nothing."""
    try:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    except OSError as error:
        raise refuse_folder(folder, what, error) from None
    if not there.is_dir():
        raise refuse_folder(folder, what, NotADirectoryError(ENOTDIR, strerror(ENOTDIR)))
    if not access(there, W_OK | X_OK):
        raise refuse_folder(folder, what, PermissionError(EACCES, strerror(EACCES)))


def check_figure_folder(folder: Path, forms: Sequence[str] = ("svg", "png")) -> None:
    """Refuse a folder that figures cannot be written to, before there are any; make nothing."""
    _check_forms(forms)
    check_folder(folder, "figures")


def fill_folder(folder: Path, what: str, files: Mapping[str, bytes]) -> list[Path]:
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
            written.append(folder / name)
    except OSError as error:
        raise refuse_folder(folder, what, error) from None
    return written


def refuse_folder(folder: Path, what: str, error: OSError) -> UnknownOption:
    reason = (error.strerror or str(error)).lower()
    return UnknownOption(f"{what} cannot be written to '{folder}': {reason}")


def write_figures(
    figures: Mapping[str, Chart], folder: Path, forms: Sequence[str] = ("svg", "png")
) -> list[Path]:
    """Write figures into a folder, which is made where it is not there."""
    from evenhand.report.figures.style import render

    _check_forms(forms)
    drawn = {  # all of them before the first is written
        f"{name}.{form}": render(picture, form)
        for name, picture in ((name, chart.draw()) for name, chart in figures.items())
        for form in dict.fromkeys(forms)
    }
    return fill_folder(folder, "figures", drawn)


def _check_forms(forms: Sequence[str]) -> None:
    unknown = [form for form in forms if form not in FORMS]
    if unknown:
        raise UnknownOption(f"no figure as {listing(unknown)}: choose {' | '.join(FORMS)}")


# Names beside points, where they neither cover points nor each other.

GAP: Final = 8.0  # From the middle of a point to its name
POINT: Final = 5.0  # Half of what a point covers


@dataclass(frozen=True)
class Name:
    at: int  # number of the point
    side: str  # "left" or "right" of it


def place_names(
    points: Sequence[tuple[float, float]], names: Sequence[str], width: float
) -> list[Name]:
    """Choose a side for each name; a name without room is left out."""
    # Left, top, right, bottom of what is taken
    taken = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    placed = []
    for at, (name, (x, y)) in enumerate(zip(names, points, strict=True)):
        length = LETTER * len(name)
        for side, start in (("right", x + GAP), ("left", x - GAP - length)):
            end, top, bottom = start + length, y - LINE / 2, y + LINE / 2
            met = any(
                start < right and left < end and top < low and high < bottom
                for i, (left, high, right, low) in enumerate(taken)
                if i != at
            )
            if start >= 0 and end <= width and not met:
                taken.append((start, top, end, bottom))
                placed.append(Name(at, side))
                break
    return placed


def spread(places: Sequence[float], least: float, ends: tuple[float, float]) -> list[float]:
    """Move places apart as little as need be, so that none is nearer to the next than `least`."""
    order = sorted(range(len(places)), key=places.__getitem__)
    free = [places[at] - number * least for number, at in enumerate(order)]
    moved = list(places)
    for number, at in enumerate(order):  # isotonic regression
        best = max(
            min(fmean(free[start:end]) for end in range(number + 1, len(free) + 1))
            for start in range(number + 1)
        )
        last = ends[1] - (len(places) - 1) * least
        moved[at] = max(min(best, last), ends[0]) + number * least
    return moved
