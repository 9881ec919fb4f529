"""Tallies of a file, kept in a folder until the file changes.

One entry is one npz file: named arrays as numpy writes them, and "head", a text in JSON as UTF-8
bytes. No pickle: whatever stands in the folder, reading it runs no code. Of tally number i:

    i.left, i.right               (C,) codes of systems
    i.wins, i.ties, i.losses      (C,) counts
    i.squares                     (C, 3) sums of squared importance weights, if there are
    i.codes.j, i.loads.j          (C,) levels and (levels,) comparisons of its factor number j

Numbers stand in the narrowest type that holds them. The head says what was counted ("key"), what
was understood ("notes", "tasks", "columns"), and of each tally its systems, factors and answers.
Entries are written beside their place and moved there whole, so that an interrupted run leaves no
half of one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import pairwise
from os import urandom
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption
from evenhand.judgments.exclusions import Exclusion, read_exclusion
from evenhand.judgments.tally import Factor, Tally

FORM: Final = "evenhand tallies 4"
Array = NDArray[Any]
Names = tuple[str, ...]
# What a damaged file may raise when it is read
_UNREADABLE: Final = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    OverflowError,
    NotImplementedError,
    BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, eq=False)
class Counts:
    """What was counted in one file."""

    # factors → the tally told apart by them; empty where nothing counts
    tallies: Mapping[Names, Tally]
    notes: Names = ()  # what was understood of the file
    tasks: Names = ()  # names of its tasks
    # role → column of the file, as understood
    columns: Mapping[str, str] = field(default_factory=dict)
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from its judgments

    @property
    def n_judgments(self) -> float:
        """Number of answers."""
        return next((one.n_judgments for one in self.tallies.values()), 0.0)


def place_of(folder: Path, key: Mapping[str, Any]) -> Path:
    """Return where the tallies of a file are kept that was counted in this way."""
    return folder / f"tallies-{sha256(_write(key).encode()).hexdigest()[:32]}.npz"


def write_counts(place: Path, key: Mapping[str, Any], counts: Counts) -> None:
    """Keep tallies."""
    arrays: dict[str, Array] = {}
    heads = [_put(str(i), one, arrays) for i, one in enumerate(counts.tallies.values())]
    said = {"notes": counts.notes, "tasks": counts.tasks, "columns": dict(counts.columns)}
    excluded = [asdict(one) for one in counts.excluded]
    head = {"form": FORM, "key": key, **said, "excluded": excluded, "tallies": heads}
    arrays["head"] = np.frombuffer(_write(head).encode(), dtype=np.uint8)
    unfinished = place.with_name(f"{place.stem}-{urandom(8).hex()}.part")  # pids are shared
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with unfinished.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            unfinished.replace(place)
        finally:
            unfinished.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _say_no_folder(place, error) from None


def has_counts(place: Path) -> bool:
    """Say whether something is kept at a place."""
    try:
        return place.exists()
    except (OSError, ValueError) as error:
        raise _say_no_folder(place, error) from None


def _say_no_folder(place: Path, error: OSError | ValueError) -> UnknownOption:
    said = getattr(error, "strerror", None) or error
    return UnknownOption(
        f"tallies cannot be kept in '{place.parent}': {said}; name another folder, or count"
        " without one"
    )


def read_counts(place: Path, key: Mapping[str, Any]) -> Counts | None:
    """Read tallies that were kept; None where they are damaged, of another form or file."""
    try:
        with place.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            if head["form"] != FORM or _write(head["key"]) != _write(key):
                return None
            found = [_take(str(i), one, arrays) for i, one in enumerate(head["tallies"])]
            columns = {str(role): str(name) for role, name in head["columns"].items()}
            excluded = tuple(read_exclusion(one) for one in head["excluded"])
            notes, tasks = tuple(map(str, head["notes"])), tuple(map(str, head["tasks"]))
    except _UNREADABLE:
        return None
    return Counts({tuple(one.factors): one for one in found}, notes, tasks, columns, excluded)


def _write(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _put(name: str, tally: Tally, arrays: dict[str, Array]) -> dict[str, Any]:
    """Put the arrays of a tally among others; return what is no array."""
    for part in ("left", "right", "wins", "ties", "losses"):
        arrays[f"{name}.{part}"] = _narrow(getattr(tally, part))
    if tally.squares is not None:
        arrays[f"{name}.squares"] = tally.squares
    for j, factor in enumerate(tally.factors.values()):
        arrays[f"{name}.codes.{j}"] = _narrow(factor.codes)
        arrays[f"{name}.loads.{j}"] = _narrow(factor.loads)
    return {
        "systems": tally.systems,
        "factors": [[own, factor.labels] for own, factor in tally.factors.items()],
        "n_judgments": tally.n_judgments,
        "zero_weight": tally.zero_weight,
        "positions_known": tally.positions_known,
        "of_rankings": tally.of_rankings,
        "importance": tally.squares is not None,
    }


def _narrow(values: Array) -> Array:
    """Return numbers in the narrowest type that holds them exactly."""
    if not len(values) or values.min() < 0 or (values % 1 != 0).any():
        return values
    kinds = (np.uint8, np.uint16, np.uint32)
    return next(
        (values.astype(kind) for kind in kinds if values.max() <= np.iinfo(kind).max), values
    )


def _take(name: str, head: Mapping[str, Any], arrays: Mapping[str, Array]) -> Tally:
    """Make a tally of its arrays and its part of the head."""
    systems = _names(head["systems"])
    left, right = (_codes(arrays[f"{name}.{side}"], len(systems)) for side in ("left", "right"))
    n, factors = len(left), {}
    for j, (own, labels) in enumerate(head["factors"]):
        codes = _codes(arrays[f"{name}.codes.{j}"], len(labels))
        loads = _numbers(arrays[f"{name}.loads.{j}"], (len(labels),))
        _check(len(codes) == n)
        factors[str(own)] = Factor(_names(labels), codes, loads, len(labels))
    wins, ties, losses = (
        _numbers(arrays[f"{name}.{part}"], (n,)) for part in ("wins", "ties", "losses")
    )
    _check(len(right) == n)
    squares = _numbers(arrays[f"{name}.squares"], (n, 3)) if head["importance"] else None
    judgments, zero = float(head["n_judgments"]), int(head["zero_weight"])
    _check(0 <= judgments < np.inf and zero >= 0)
    parts = (systems, left, right, wins, ties, losses, factors, judgments, squares, zero)
    known, of_rankings = bool(head["positions_known"]), bool(head["of_rankings"])
    return Tally(*parts, positions_known=known, of_rankings=of_rankings)


def _names(values: Any) -> Names:
    """Return labels, which stand in their order, none twice."""
    names = tuple(values)
    _check(all(type(one) is str for one in names), all(a < b for a, b in pairwise(names)))
    return names


def _codes(values: Array, size: int) -> NDArray[np.int32]:
    _check(values.ndim == 1 and (not len(values) or 0 <= values.min() <= values.max() < size))
    return values.astype(np.int32)


def _numbers(values: Array, shape: tuple[int, ...]) -> NDArray[np.float64]:
    _check(values.shape == shape and bool(np.isfinite(values).all() and (values >= 0).all()))
    return values.astype(np.float64)


def _check(*fit: bool) -> None:
    if not all(fit):
        raise ValueError("the arrays do not belong together")
