"""Judgments row by row, as codes and numbers, for models whose cells are as many as rows.

Whoever sums over rows takes them in batches, so that what is in between stays small: ten million
rows with three columns of counts take 160 MB. More rows lie in temporary files, without a name
where the system allows that: nothing is left of them, whatever becomes of the process.

Tallies add up: what was counted day by day is one tally, cell for cell that of all judgments.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from math import prod
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, Final, TypeAlias
from weakref import finalize

import narwhals as nw
import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.data import coding
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.count import COUNTABLE, require_countable
from evenhand.data.engine import can_stream, count_labels, count_rows, one_thread
from evenhand.data.tally import Codes, Counts, Factor, Tally, join_codes, merge_levels, tally_rows
from evenhand.errors import InvalidJudgments, UnknownFormat, UnknownOption, listing


class OpenFile:
    """A temporary file, which is closed when nobody refers to it any more."""

    def __init__(self) -> None:
        self.file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by the line below
        finalize(self, _close, self.file)

    def write(self, values: NDArray[Any], rows: int) -> None:
        """Add numbers at the end, which are those of the rows after so many."""
        try:
            self.file.write(values.view(np.uint8).data)
            self.file.flush()
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise UnknownOption(
                f"no room for the rows in {gettempdir()}: it was full after {rows:,} of them; set"
                " TMPDIR to a folder with more room"
            ) from None

    def read(self, start: int, into: NDArray[Any]) -> None:
        self.file.seek(start * into.dtype.itemsize)
        self.file.readinto(into.view(np.uint8))  # type: ignore[attr-defined]


def _close(file: IO[bytes]) -> None:
    """Close a file of which nothing is needed any more, be it that the disk has no room for it."""
    with suppress(OSError):
        file.close()


@dataclass(frozen=True, eq=False)
class FiledColumn:
    file: OpenFile  # holds the numbers and nothing else
    dtype: np.dtype[Any]  # what they are
    size: int  # how many they are
    squared: bool = False  # whether each is squared when it is read

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        start, stop, _ = rows.indices(self.size)
        values = np.empty(max(stop - start, 0), dtype=self.dtype)
        self.file.read(start, values)
        return values * values if self.squared else values

    @property
    def squares(self) -> FiledColumn:
        return replace(self, squared=True)


# Numbers that can be sliced, in memory or in a file
Column: TypeAlias = "NDArray[Any] | FiledColumn"


def write_columns(
    batches: Iterable[Mapping[str, NDArray[Any]]], kinds: Mapping[str, DTypeLike]
) -> dict[str, FiledColumn]:
    files = {name: OpenFile() for name in kinds}
    size = 0
    for batch in batches:
        for name, kind in kinds.items():
            files[name].write(np.ascontiguousarray(batch[name], dtype=kind), size)
        size += len(next(iter(batch.values()), ()))
    return {name: FiledColumn(files[name], np.dtype(kind), size) for name, kind in kinds.items()}


Keys = NDArray[np.int64] | NDArray[np.int32]
Edges = tuple[float, float]
BATCH: Final = 2**18  # Rows taken at once
DISCRETE: Final = 2_000  # Most different values of a column that is taken for a count of something
SAMPLE: Final = 20_000  # Rows looked at to see whether a column is
# Share of the rows that are left when like rows become one, above which that is not worth it
SMALLER: Final = 0.5


@dataclass(frozen=True, eq=False)
class Batch:
    left: Codes  # (n,) code of the system that stands left
    right: Codes  # (n,) code of the other
    outcome: Codes  # (n,) 0 left, 1 tie, 2 right
    values: NDArray[np.float64]  # (n, q) columns of values, left minus right
    weights: Counts  # (n,) how often each row counts
    squares: Counts | None  # (n,) sums of squared importance weights, or None for frequencies
    codes: Mapping[str, Codes]  # factor → (n,) level

    @property
    def counts(self) -> Counts:
        """(n, 3) how often left was preferred, neither was, right was; column by column."""
        return _spread(self.outcome, self.weights)

    @property
    def square_counts(self) -> Counts:
        return _spread(self.outcome, self.weights if self.squares is None else self.squares)

    def folded(self) -> Batch:
        """Turn rows so that the first system by name stands left."""
        turn = self.left > self.right
        return replace(
            self,
            left=np.where(turn, self.right, self.left),
            right=np.where(turn, self.left, self.right),
            outcome=np.where(turn, 2 - self.outcome, self.outcome),
            values=np.where(turn[:, None], -self.values, self.values),
        )


def _spread(outcome: Codes, weights: Counts) -> Counts:
    counts = np.zeros((len(outcome), 3), order="F")
    counts[np.arange(len(outcome)), outcome] = weights
    return counts


@dataclass(frozen=True, eq=False)
class CodedRows:
    systems: tuple[str, ...]  # names of the K systems, sorted
    keys: Column  # (N,) levels, left, right and outcome as digits of one number, outcome last
    # (N,) values each, left minus right; single precision where that is exact
    columns: tuple[Column, ...]
    weights: Column | None = None  # (N,) how often each row counts; None where each counts once
    squares: Column | None = None  # (N,) squared importance weights, or None for frequencies
    # factor → its labels, loads and size; codes stand in the keys
    levels: Mapping[str, Factor] = field(default_factory=dict)
    positions_known: bool = True  # whether left really stood first
    zero_weight: int = 0  # rows left out since their weight is zero
    # number of answers, where one can be several rows; None where each row is one
    answers: float | None = None

    @property
    def size(self) -> int:
        return len(self.keys)

    @cached_property
    def edges(self) -> tuple[Edges, ...]:
        """Smallest and largest value of each column; NaN where one is missing."""
        edges = []
        for column in self.columns:
            ends = np.array([(part.min(), part.max()) for part in slices(column)]).reshape(-1, 2)
            least, most = ends[:, 0].min(initial=np.inf), ends[:, 1].max(initial=-np.inf)
            edges.append((float(least), float(most)))
        return tuple(edges)

    def batches(self, *, fold: bool) -> Iterator[Batch]:
        """Go through the rows, some at a time; folded, with the first system by name at left."""
        sizes = [factor.size for factor in self.levels.values()]
        k = len(self.systems)
        for start in range(0, self.size, BATCH):
            rows = slice(start, start + BATCH)
            *codes, left, right, outcome = coding.decode(self.keys[rows], [*sizes, k, k, 3])
            n = len(left)
            values = np.empty((n, len(self.columns)), order="F")
            for at, column in enumerate(self.columns):
                values[:, at] = column[rows]
            batch = Batch(
                left=left,
                right=right,
                outcome=outcome,
                values=values,
                weights=np.ones(n) if self.weights is None else self.weights[rows],
                squares=None if self.squares is None else self.squares[rows],
                codes=dict(zip(self.levels, codes, strict=True)),
            )
            yield batch.folded() if fold else batch

    def tally(self, by: Sequence[str] = ()) -> Tally:
        sizes = [*(self.levels[name].size for name in by), *(len(self.systems),) * 2, 3]
        batches = self.batches(fold=False)
        if prod(sizes) <= coding.DENSE:
            sums = np.zeros((1 if self.squares is None else 2, prod(sizes)))
            for batch in batches:
                codes = [*(batch.codes[name] for name in by), batch.left, batch.right]
                digits = zip([*codes, batch.outcome], sizes, strict=True)
                _add(sums, join_codes(list(digits)), batch)
            held = np.flatnonzero(sums[0])  # most cells of many judges are empty
            *levels, left, right, outcome = coding.decode(held, sizes)
            squares = None if self.squares is None else sums[1][held]
            named = dict(zip(by, levels, strict=True))
            cells = Batch(left, right, outcome, np.zeros((0, 0)), sums[0][held], squares, named)
            batches = iter([cells])
        total = sum_tallies(
            tally_rows(
                self.systems,
                (batch.left, batch.right, batch.outcome),
                weights=batch.weights,
                squares=batch.squares,
                factors={name: replace(self.levels[name], codes=batch.codes[name]) for name in by},
            )
            for batch in batches
        )
        counts = total.counts
        return replace(
            total,
            n_judgments=float(counts[counts > 0].sum()) if self.answers is None else self.answers,
            zero_weight=self.zero_weight,
            positions_known=self.positions_known,
        )

    def pooled(self, *, fold: bool) -> CodedRows:
        """Make rows with the same pair, outcome and values one, where that makes them far fewer."""
        # Levels are forgotten. Style counts take few values, so that ten million rows become some
        # hundred thousand; a length has too many.
        k, kinds = len(self.systems), [_distinct(column) for column in self.columns]
        known = [kind for kind in kinds if kind is not None]
        span = prod(2 * len(kind) for kind in known) * 3 * k * k
        if len(known) < len(kinds) or span > coding.DENSE:
            return self
        distinct = [np.unique(np.concatenate([kind, -kind])) for kind in known] if fold else known
        spans = [len(kind) for kind in distinct]
        sums = np.zeros((1 if self.squares is None else 2, prod([*spans, 3 * k * k])))
        for batch in self.batches(fold=fold):
            digits = [
                (np.searchsorted(kind, values).astype(np.int32), len(kind))
                for kind, values in zip(distinct, batch.values.T, strict=True)
            ]
            pair = [(batch.left, k), (batch.right, k), (batch.outcome, 3)]
            _add(sums, join_codes([*digits, *pair]), batch)
        held = np.flatnonzero(sums[0])
        if len(held) > SMALLER * self.size:
            return self
        *codes, _ = coding.decode(held, [*spans, 3 * k * k])
        return replace(
            self,
            keys=held % (3 * k * k),
            columns=tuple(kind[code] for kind, code in zip(distinct, codes, strict=True)),
            weights=sums[0][held],
            squares=None if self.squares is None else sums[1][held],
            levels={},
        )


def _add(sums: Counts, place: NDArray[np.int64], batch: Batch) -> None:
    """Add weights, and squared weights if any, of rows to (1 or 2, cells) sums."""
    sums[0] += np.bincount(place, batch.weights, sums.shape[1])
    if batch.squares is not None:
        sums[1] += np.bincount(place, batch.squares, sums.shape[1])


def slices(column: Column) -> Iterator[NDArray[Any]]:
    return (column[start : start + BATCH] for start in range(0, len(column), BATCH))


def _distinct(column: Column) -> NDArray[np.float64] | None:
    if len(np.unique(column[:SAMPLE])) > DISCRETE:
        return None
    values = np.zeros(0)
    for part in slices(column):
        values = np.union1d(values, np.unique(part))
        if len(values) > DISCRETE:
            return None
    return values


# A digest that is the same for the same rows in any order, from one pass: each row becomes two
# 64-bit numbers, and these are summed. It keeps nobody from making two files with one digest on
# purpose.
Words = NDArray[np.uint64]
# Where the two numbers start: the first digits of π
LANES: Final = (0x243F6A8885A308D3, 0x13198A2E03707344)
_ADDED: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTORS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


def digest_rows(rows: CodedRows) -> str:
    # Levels of judges and items are left out, as in the digest of counts.
    weights = rows.weights
    whole = weights is None or not any((part % 1).any() for part in slices(weights))
    sums = [np.uint64(0) for _ in LANES]
    with np.errstate(over="ignore"):
        for batch in rows.batches(fold=False):
            left, right, outcome = (
                codes.astype(np.uint64) for codes in (batch.left, batch.right, batch.outcome)
            )
            for at, lane in enumerate(LANES):
                state = np.full(len(left), lane, dtype=np.uint64)
                for codes in (left, right, outcome):
                    state = spread_bits(state ^ codes)
                for values in batch.values.T:
                    state = spread_bits(state ^ _bits(values))
                # whole weights count a row as often as it stands there
                if whole:
                    state *= batch.weights.astype(np.uint64)
                else:
                    state = spread_bits(state ^ _bits(batch.weights))
                sums[at] += state.sum(dtype=np.uint64)
    digest = sha256("\x1f".join(rows.systems).encode())
    digest.update(np.array(sums, dtype="<u8").tobytes())
    return digest.hexdigest()


def _bits(values: NDArray[np.float64]) -> Words:
    """Return the bits of numbers; of −0 those of 0."""
    return np.ascontiguousarray(values + 0.0).view(np.uint64)


def spread_bits(state: Words) -> Words:
    """Spread every bit over all others (splitmix64; Steele, Lea & Flood 2014, OOPSLA)."""
    state = state + _ADDED
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
        state = (state ^ (state >> shift)) * factor
    return state ^ (state >> _SHIFTS[-1])


# Most rows that are held in memory, where the engine can hand them out in batches
HELD: Final = 4_000_000


def code_rows(
    data: Comparisons,
    columns: Sequence[str],
    *,
    by: Sequence[str] = (),
    limits: Mapping[str, int] | None = None,
) -> CodedRows:
    # columns: numeric columns of its frame; missing values become NaN.
    by = tuple(data.require(name) for name in by)
    keys, weighing, frame, every = coding.prepare_rows(data, by)
    weight = None if weighing.column is None else nw.col(weighing.column)
    with one_thread(data.source.connection):
        counted = {name: count_labels(frame, name, weight) for name in keys}
    meaning = coding.check_labels(
        data, every, {name: list(counts) for name, counts in counted.items()}
    )
    if not meaning:
        raise coding.explain_empty(data, weighing.zero)
    require_countable(data, sum(counted["outcome"].values()))
    tables = coding.code_tables(by, counted, meaning, limits or {})
    expected = None  # the number of rows, whatever they weigh
    if can_stream(frame):
        every_row = weight is None
        expected = sum(counted["outcome"].values()) if every_row else float(count_rows(frame))
    filed = expected is not None and expected > HELD
    wide = [*columns, *([weighing.column] if weighing.column else [])]
    batches = coding.read_keys(data, frame, tables, wide, in_batches=filed)
    if filed:
        kinds: dict[str, DTypeLike] = dict.fromkeys(wide, np.float64)
        kinds["key"] = np.int32 if coding.fits_narrow(tables) else np.int64
        with one_thread(data.source.connection):
            found: dict[str, Column] = {**write_columns(batches, kinds)}
    else:
        held = next(batches)
        values = {name: held[name].astype(np.float64, copy=False) for name in wide}
        found = {**values, **{name: _narrow(values[name]) for name in columns}}
        found["key"] = held["key"]
    weights = None if weighing.column is None else found[weighing.column]
    squares: Column | None = None
    if weights is not None and weighing.importance:
        squares = weights.squares if isinstance(weights, FiledColumn) else weights**2
    none = np.zeros(0, dtype=np.int32)
    rows = CodedRows(
        systems=tuple(tables[-2].labels),
        keys=found["key"],
        columns=tuple(found[name] for name in columns),
        weights=weights,
        squares=squares,
        levels={one.name: coding.make_factor(one, none) for one in tables[:-3]},
        positions_known=data.positions_known,
        zero_weight=weighing.zero,
        answers=float(data.count_judgments()) if data.expanded else None,
    )
    if expected not in (None, rows.size):
        raise UnknownFormat(
            f"{data.source.name} was changed while it was read: {expected:,.0f} rows were counted,"
            f" {rows.size:,} read; read a copy of it"
        )
    for batch in rows.batches(fold=False):
        coding.check_opponents(data, every, rows.systems, batch.left, batch.right)
    return rows


def _narrow(wide: NDArray[np.float64]) -> NDArray[np.floating[Any]]:
    """Keep values in single precision where nothing is lost, as with lengths and counts."""
    with np.errstate(over="ignore"):  # what is too large for it is not kept so
        half = wide.astype(np.float32)
    return half if np.array_equal(half, wide, equal_nan=True) else wide


# Entries that are gathered before they are summed: small tallies are not sorted one by one
PENDING: Final = 2**20


def add_tallies(tallies: Iterable[Tally], *, limits: Mapping[str, int] | None = None) -> Tally:
    """Add tallies of the same kind: systems and levels of factors are united, cells summed.

    Args:
        tallies: at least one, all made by the same factors. A sequence is gone through twice and
            need not be in memory at once.
        limits: most clusters of a factor, as for `Comparisons.tally`; where the levels of all
            tallies together are more, they are merged.

    Returns:
        The tally of all their judgments. An answer of several comparisons (a ranking) must lie
        whole in one of them.

    Raises:
        UnknownOption: none is given, one is given twice, or they cannot be added: by other factors,
            with and without positions, with counts and importance weights, or with levels that were
            merged.
        InvalidJudgments: one ranking in two tallies; or more judgments than can be counted exactly.

    >>> one, two = np.array([0], np.int32), np.array([1], np.int32)
    >>> n = np.array([3.0])
    >>> monday = Tally(("lark", "wren"), one, two, n, 0 * n, n, n_judgments=6)
    >>> tuesday = Tally(("finch", "wren"), one, two, n, n, 0 * n, n_judgments=6)
    >>> both = add_tallies([monday, tuesday])
    >>> both.systems, both.n_judgments, both.wins.tolist()
    (('finch', 'lark', 'wren'), 12.0, [3.0, 3.0])
    """
    parts = tallies if isinstance(tallies, Sequence) else tuple(tallies)
    if isinstance(parts, list | tuple) and len({id(part) for part in parts}) < len(parts):
        raise UnknownOption("one tally is given twice: its judgments would count twice")
    whole = sum_tallies(_recode(parts, limits or {}))
    if not 0 <= whole.n_comparisons <= COUNTABLE:
        raise InvalidJudgments("these tallies add up to more than can be counted exactly")
    merged = [name for name, one in whole.factors.items() if one.merged]
    return replace(whole, unmerged={name: partial(_add_by, parts, name) for name in merged})


def _recode(parts: Sequence[Tally], limits: Mapping[str, int]) -> Iterator[Tally]:
    """Yield tallies in the codes of all their systems and levels; refuse what cannot be added."""
    # Each says of how many judgments and rows of weight 0 all of them are.
    first: Tally | None = None
    names: set[str] = set()
    loads: dict[str, dict[str, float]] = {}
    judgments, zero = 0.0, 0
    for part in parts:
        if first is None:
            first = part
            loads = {name: {} for name in part.factors}
        _refuse_other_kind(first, part)
        counted = {} if part.of_pairs and not part.of_rankings else loads.get("ranking", {})
        twice = [one for one in part.factors["ranking"].labels if one in counted] if counted else []
        if twice:  # of a ranking a part was counted before: it would be two answers
            raise InvalidJudgments(
                f"ranking '{twice[0]}' stands in two of the tallies, and a ranking is one answer:"
                " count such tables together, or give the rankings of each names of their own"
            )
        names.update(part.systems)
        for name, by_label in loads.items():
            factor = part.factors[name]
            for label, load in zip(factor.labels, factor.loads.tolist(), strict=True):
                by_label[label] = by_label.get(label, 0.0) + load
        judgments, zero = judgments + part.n_judgments, zero + part.zero_weight
    if first is None:
        raise UnknownOption("no tally was given: name at least one")
    levels = {}
    for name, by_label in loads.items():
        labels = tuple(sorted(by_label))
        counts = np.array([by_label[label] for label in labels], dtype=np.float64)
        whole = Factor(labels, np.arange(len(labels), dtype=np.int32), counts, len(labels))
        levels[name] = merge_levels(whole, limits[name], SEED) if name in limits else whole
    systems = tuple(sorted(names))
    for part in parts:
        place = _places(part.systems, systems)
        factors = {}
        for name, level in levels.items():
            codes = _places(part.factors[name].labels, level.labels)[part.factors[name].codes]
            codes = codes if level.clusters is None else level.clusters[codes]
            factors[name] = replace(level, codes=codes)
        yield replace(
            part,
            systems=systems,
            left=place[part.left],
            right=place[part.right],
            factors=factors,
            n_judgments=judgments,
            zero_weight=zero,
            unmerged={},
        )


def _refuse_other_kind(first: Tally, part: Tally) -> None:
    if set(first.factors) != set(part.factors):
        one, two = (listing(sorted(tally.factors)) or "nothing" for tally in (first, part))
        raise UnknownOption(
            f"tallies by {one} and by {two} cannot be added: count both by the same factors, or"
            " pool what one of them does not have"
        )
    merged = [name for name in part.factors if first.factors[name].merged]
    merged += [name for name, factor in part.factors.items() if factor.merged]
    if merged:
        raise UnknownOption(
            f"the levels of {merged[0]} were merged and can no longer be distinguished: add"
            " tallies without a limit for it, and give the limit to add_tallies"
        )
    if first.positions_known != part.positions_known:
        raise UnknownOption(
            "one tally knows which output stood first and another does not: fold() the one that"
            " knows, or count without positions"
        )
    if (first.squares is None) != (part.squares is None):
        raise UnknownOption(
            "one tally counts judgments and another sums importance weights: read both with the"
            " same weights"
        )


def _places(labels: Sequence[str], every: Sequence[str]) -> Codes:
    if labels is every or tuple(labels) == tuple(every):
        return np.arange(len(labels), dtype=np.int32)
    index = dict(zip(every, range(len(every)), strict=True))
    return np.fromiter(map(index.__getitem__, labels), dtype=np.int32, count=len(labels))


def sum_tallies(parts: Iterable[Tally]) -> Tally:
    """Add tallies of the same systems and levels, one at least; few of them are held at a time."""
    total: list[Tally] = []
    pending: list[Tally] = []
    for part in parts:
        pending.append(part)
        held = sum(len(one.left) for one in total)
        if sum(len(one.left) for one in pending) > max(held, PENDING):
            total, pending = [_sum([*total, *pending])], []
    return _sum([*total, *pending])


def _sum(parts: Sequence[Tally]) -> Tally:
    first = parts[0]
    names = ["left", "right", "wins", "ties", "losses"]
    names += [] if first.squares is None else ["squares"]
    entries: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in names
    }
    factors = {
        name: replace(one, codes=np.concatenate([part.factors[name].codes for part in parts]))
        for name, one in first.factors.items()
    }
    return replace(first, factors=factors, **entries).pool(tuple(factors))


def _add_by(parts: Sequence[Tally], name: str) -> Tally:
    return add_tallies([part.pool((name,)) for part in parts])
