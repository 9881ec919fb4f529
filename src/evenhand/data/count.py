"""How a table of comparisons becomes a tally, in the engine that holds it.

Three ways, same result. Few rows are fetched as they are. Where cells (pairs × outcomes × levels)
are few against rows, the engine groups by the labels as they stand. Where they are about as many as
rows, grouping strings is slow: labels become codes, and numpy counts one integer key per row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import coding, engine
from evenhand.data.query_log import note_query, note_rows
from evenhand.data.tables import ComparisonTable
from evenhand.data.tally import Factor, Tally, merge_levels, tally_rows
from evenhand.errors import InvalidJudgments
from evenhand.numerics.graph import find_hashes

if TYPE_CHECKING:
    import duckdb

SAMPLE: Final = 20_000  # Rows looked at to decide between the ways; of fewer, all are fetched
# One row in so many of them, and which share has a cell of its own: about 150,000 cells do so
EVERY, MANY = 4, 0.984


def count_outcomes(data: ComparisonTable, by: tuple[str, ...], limits: Mapping[str, int]) -> Tally:
    return _count(data, limits, _look(data, by))


def count_ways(
    data: ComparisonTable, by: tuple[str, ...], limits: Mapping[str, int], most: float
) -> Tally | Apart:
    """Count by several factors: together, or each by itself."""
    look = _look(data, by)
    rows = None if look.whole is None else len(look.whole["outcome"].codes)  # answers are no more
    few = data.rankings is not None or (rows is not None and rows <= most)
    if look.many and not by[2:] and can_read(data, look.frame):
        counts = _count_codes(data, look, limits, apart=most)
        if counts is not None:
            return counts
    if few or data.count_judgments() <= most:
        return _count(data, limits, look)
    return Apart({name: count_outcomes(data, (name,), limits) for name in by})


@dataclass(frozen=True, eq=False)
class _Look:
    """What is known of a table after a look at its first rows."""

    by: tuple[str, ...]  # the factors
    weighing: coding.Weighing  # how rows count
    frame: engine.Frame  # the rows that count, with labels as text
    every: engine.Frame  # all rows, to number those that are refused
    many: bool = False  # whether most rows open a cell of their own
    first: engine.Columns = field(default_factory=dict)  # the labels of the first rows
    # the same of all rows, as codes, where the first rows are all
    whole: Mapping[str, engine.CodedColumn] | None = None


def _look(data: ComparisonTable, by: tuple[str, ...]) -> _Look:
    if data.rankings is not None:
        data.rankings.check()
    keys, weighing, frame, every = coding.prepare_rows(data, by)
    if weighing.column is not None or data.rankings is not None:
        return _Look(by, weighing, frame, every)
    # Fetch the labels of the first rows: to group few of them is dearer than to fetch them
    if isinstance(frame, nw.DataFrame) and len(frame) < SAMPLE:
        coded = engine.code_columns(frame, keys)
        if coded is not None:
            return _Look(by, weighing, frame, every, whole=coded)
    with engine.one_thread(data.source.connection):
        rows = engine.fetch_columns(frame.select(*keys).head(SAMPLE))
    if len(rows["outcome"]) < SAMPLE:
        return _Look(by, weighing, frame, every, whole=engine.code_values(rows, keys))
    cells = set(zip(*(rows[key][::EVERY].tolist() for key in keys), strict=True))
    return _Look(by, weighing, frame, every, len(cells) > MANY * SAMPLE / EVERY, rows)


def _count(data: ComparisonTable, limits: Mapping[str, int], look: _Look) -> Tally:
    by, weighing = look.by, look.weighing
    keys = [*by, "left", "right", "outcome"]
    # Rows had better stay in Spark and in databases, even one integer of each
    if look.many and not (engine.is_spark(look.frame) or look.frame.implementation.is_ibis()):
        coded = _count_codes(data, look, limits)
        if isinstance(coded, Tally):
            return coded
    cells, sums = look.whole, dict[str, Any]()
    if cells is None:
        sums = engine.count_by(look.frame, keys, *weighing.sums())
        cells = engine.code_values(sums, keys)
    labels = {key: cells[key].labels for key in keys}
    meaning = coding.check_labels(data, look.every, labels)
    if not labels["outcome"]:
        raise coding.explain_empty(data, weighing.zero)
    systems = sorted({*labels["left"], *labels["right"]})
    place = {name: at for at, name in enumerate(systems)}
    left, right = cells["left"].recode(place), cells["right"].recode(place)
    coding.check_opponents(data, look.every, systems, left, right)
    factors = {}
    for name in by:
        levels = sorted(labels[name])
        codes = cells[name].recode({level: at for at, level in enumerate(levels)})
        factors[name] = Factor(tuple(levels), codes, np.zeros(0), len(levels))
    tally = tally_rows(
        systems,
        (left, right, cells["outcome"].recode(meaning)),
        weights=sums[engine.COUNT].astype(np.float64) if sums else None,
        squares=sums.get(engine.SQUARES),
        factors=factors,
    )
    totals = tally.counts.sum(axis=1)
    for name, factor in tally.factors.items():
        loads = np.bincount(factor.codes, weights=totals, minlength=factor.size)
        factors[name] = replace(factor, loads=np.asarray(loads, dtype=np.float64))
    tally = replace(tally, factors=factors)
    return finish_tally(data, tally, limits, zero=weighing.zero)


def _count_codes(
    data: ComparisonTable,
    look: _Look,
    limits: Mapping[str, int],
    *,
    apart: float | None = None,
) -> Tally | Apart | None:
    """Count by integer keys, or by each of two factors in one pass.

    apart: most judgments of which that pass keeps the cells of both factors; None without it.
    None where the engine cannot be handed a table of labels, or cells are too many for arrays.
    """
    # Sides and outcomes are first taken to be those of the first rows: a row with another label
    # finds no code, so that nothing is counted, and then all labels are looked up. Where systems
    # are so many that they are read by their hashes, all of them are counted at once.
    by, frame, names = look.by, look.frame, [*look.by, "left", "right", "outcome"]
    with engine.one_thread(data.source.connection):
        known = {name: engine.count_labels(frame, name) for name in dict.fromkeys((names[0], *by))}
        others = [name for name in names if name not in known]
        known |= {name: dict.fromkeys(look.first[name].tolist(), 0.0) for name in others}
        if can_read(data, frame) and len({*known["left"], *known["right"]}) > LISTED:
            others = [name for name in others if name != "outcome" or len(known[name]) > LISTED]
            known |= {name: engine.count_labels(frame, name) for name in others}
    rows = sum(known[names[0]].values())
    for all_known in (False, True):
        if all_known:
            known |= {
                name: engine.count_labels(frame, name) for name in names[1:] if name not in by
            }
        elif any(None in labels for labels in known.values()):
            continue
        meaning = coding.check_labels(
            data, frame, {name: list(counts) for name, counts in known.items()}
        )
        tables = coding.code_tables(by, known, meaning, limits)
        if apart is None:
            cells = count_cells(data, frame, tables, rows)
            if cells is not None:
                return _read_cells(data, frame, tables, cells, limits)
            continue
        readers = make_readers(data, tables)
        keep = (data.count_judgments() if data.expanded else rows) <= apart
        crossed = readers and count_crossed(data, frame, tables, readers, rows, keep=keep)
        if crossed:
            tallies = {
                name: _read_cells(data, frame, [level, *tables[2:]], cells, limits)
                for name, level, cells in zip(by, tables[:2], crossed[0], strict=True)
            }
            return Apart(tallies, crossed[1])
    return None


def _read_cells(
    data: ComparisonTable,
    frame: engine.Frame,
    tables: Sequence[coding.Coding],
    cells: coding.Cells,
    limits: Mapping[str, int],
) -> Tally:
    # tables: labels and codes of the factors, of both sides and of outcomes, in this order.
    # cells: keys without their outcome digit, and (C, 3) counts.
    *levels, side, _, _ = tables
    pairs, counts = cells
    codes = coding.decode(pairs, [table.size for table in tables[:-1]])
    factors = {level.name: coding.make_factor(level, codes[i]) for i, level in enumerate(levels)}
    wins, ties, losses = (np.ascontiguousarray(counts[:, o], dtype=np.float64) for o in range(3))
    tally = Tally(tuple(side.labels), codes[-2], codes[-1], wins, ties, losses, factors)
    coding.check_opponents(data, frame, tally.systems, tally.left, tally.right)
    return finish_tally(data, tally, limits, zero=0)


def count_cells(
    data: ComparisonTable, frame: engine.Frame, tables: Sequence[coding.Coding], rows: float
) -> coding.Cells | None:
    """Count the rows of each cell: the different keys without their outcome digit, (C, 3) counts.

    None where the engine cannot be handed a table of labels, or some row has another label.
    """
    # tables: labels and codes of the factors, of both sides and of outcomes, in this order.
    cells = prod(table.size for table in tables)
    readers = make_readers(data, tables) if can_read(data, frame) else None
    fits = rows <= coding.STREAMED and cells <= np.iinfo(np.int64).max
    if readers is not None and (fits or cells <= coding.DENSE):
        return count_read(data, frame, tables, readers, rows)
    # Up to `STREAMED` rows one integer leaves the engine per row, which is counted here: that is
    # three times as fast. The engine counts more of them, so that memory does not grow with rows.
    joined = coding.add_key(data, frame, tables)
    if joined is None:
        return None
    keyed = joined.select(nw.col(coding.KEY).alias("key"))
    if rows > coding.STREAMED:
        counted = engine.count_by(keyed, ["key"])
        n = counted[engine.COUNT].astype(np.int64)
        order = np.argsort(counted["key"])
        return coding.widen_keys(counted["key"][order], n[order]) if n.sum() == rows else None
    with engine.one_thread(data.source.connection):
        keys = engine.fetch_columns(keyed)["key"]
    return coding.count_keys(keys, cells) if len(keys) == rows else None


COUNTABLE: Final = 2**53  # Largest whole number up to which sums are exact


def require_countable(data: ComparisonTable, total: float) -> None:
    if not 0 <= total <= COUNTABLE:
        raise InvalidJudgments(
            f"weights in {data.source.name} add up to more than can be counted exactly: divide them"
        )


def finish_tally(
    data: ComparisonTable, tally: Tally, limits: Mapping[str, int], *, zero: int
) -> Tally:
    """Merge levels, and count answers: a ranking is one."""
    require_countable(data, tally.n_comparisons)
    whole = data.expanded or data.mix is not None
    answers = float(data.count_judgments()) if whole else tally.n_comparisons
    factors = {
        name: merge_levels(factor, limits[name], coding.SEED) if name in limits else factor
        for name, factor in tally.factors.items()
    }
    counted = replace(
        tally,
        factors=factors,
        n_judgments=answers,
        zero_weight=zero,
        positions_known=data.positions_known,
        of_rankings=data.rankings is not None,
        unmerged={
            name: partial(data.tally, (name,)) for name, one in factors.items() if one.merged
        },
    )
    fewer = any(factors[name] is not factor for name, factor in tally.factors.items())
    return counted.pool(tuple(factors)) if fewer else counted


# Where all possible cells fit into an array, rows are counted there some at a time, so that memory
# does not grow with them. Two factors are counted in one pass, each by itself; what both together
# say of a row is kept as two small numbers, for those who need the cells of both.
Integers: TypeAlias = NDArray[np.integer[Any]]
# Most cells of two factors × systems: whoever needs the cells sums scores of as many
SCORES: Final = 20_000_000


@dataclass(frozen=True, eq=False)
class CrossedRows:
    """What each row says, and which cell of two factors it belongs to."""

    # (n,) (left · K + right) · 3 + outcome; outcomes are 0 left, 1 tie, 2 right
    answers: Integers
    cells: Integers  # (n,) code of the first factor · size of the second + its code
    size: int  # number of cells
    systems: int  # K


@dataclass(frozen=True, eq=False)
class Apart:
    """The same judgments, counted by each of two factors by itself."""

    tallies: Mapping[str, Tally]  # factor → the tally that tells its levels apart
    # what both together say of each row; None where rows are too many
    crossed: CrossedRows | None = None


def count_read(
    data: ComparisonTable,
    frame: engine.Frame,
    tables: Sequence[coding.Coding],
    readers: Sequence[Reader],
    rows: float,
) -> coding.Cells | None:
    """Count as `count_cells` does, in an array of all possible cells, or of all rows."""
    *levels, left, right, outcome = (table.size for table in tables)
    sizes = [*levels, left * right * outcome]
    dense, counted = prod(sizes) <= coding.DENSE, 0
    most = min([rows, *(_most(table) for table in tables[:-3])])
    sums = np.zeros(prod(sizes) if dense else 0, np.min_scalar_type(int(most)))
    keys = np.empty(0 if dense else int(rows), _key_type(sizes))
    for codes, answers in _read_answers(data, frame, tables, readers, rows):
        batch = _join([*codes, answers], sizes)
        if dense:
            _add(sums, batch)
        else:
            keys[counted : counted + len(batch)] = batch
        counted += len(batch)
    if counted != rows:
        return None
    return coding.find_cells(sums) if dense else coding.count_keys(keys, prod(sizes))


def count_crossed(
    data: ComparisonTable,
    frame: engine.Frame,
    tables: Sequence[coding.Coding],
    readers: Sequence[Reader],
    rows: float,
    *,
    keep: bool,
) -> tuple[list[coding.Cells], CrossedRows | None] | None:
    """Count the rows of each cell by two factors, each by itself, in one pass."""
    # tables: labels and codes of both factors, of both sides and of outcomes, in this order.
    one, two, k, _, _ = (table.size for table in tables)
    if max(one, two) * 3 * k * k > coding.DENSE or one * two * k > SCORES:
        return None
    sums = [
        np.zeros(table.size * 3 * k * k, np.min_scalar_type(int(_most(table))))
        for table in tables[:2]
    ]
    answers_kept = np.empty(int(rows) if keep else 0, np.min_scalar_type(3 * k * k - 1))
    cells_kept = np.empty(len(answers_kept), np.min_scalar_type(one * two - 1))
    counted = 0
    for codes, answers in _read_answers(data, frame, tables, readers, rows):
        for factor_sums, code, size in zip(sums, codes, (one, two), strict=True):
            _add(factor_sums, _join([code, answers], [size, 3 * k * k]))
        if keep:
            place = slice(counted, counted + len(answers))
            answers_kept[place], cells_kept[place] = answers, _join(codes, [one, two])
        counted += len(answers)
    if counted != rows:
        return None
    crossed = CrossedRows(answers_kept, cells_kept, one * two, k) if keep else None
    return [coding.find_cells(factor_sums) for factor_sums in sums], crossed


def _most(level: coding.Coding) -> float:
    """Return the rows of the largest level, or cluster of levels."""
    return float(np.bincount(level.codes, level.loads).max(initial=0))


def _key_type(sizes: Sequence[int]) -> type[np.integer[Any]]:
    return np.int32 if prod(sizes) <= np.iinfo(np.int32).max else np.int64


def _join(codes: Sequence[Integers], sizes: Sequence[int]) -> Integers:
    key = codes[0].astype(_key_type(sizes))
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        key *= size
        key += code
    return key


def _add(sums: Integers, cells: Integers) -> None:
    """Count rows by cell; numpy is fastest where places have its own type."""
    np.add.at(sums, cells.astype(np.intp), sums.dtype.type(1))


# Text that a Parquet file keeps in dictionaries stays in them as long as a query asks for a
# function of one column. So labels leave the engine as their places in a short list, or as some
# bits of their hashes where they are many and none share these bits; numpy looks codes up. That
# costs a third of a join with tables of labels.

# Most labels that are looked for in a list: DuckDB copies it for each few thousand rows
LISTED: Final = 200
# Most bits of a hash that a table of codes is made for: larger ones leave the cache
WIDEST: Final = 23
BUSY: Final = 20_000_000  # Rows from which all processors read, at somewhat more CPU


@dataclass(frozen=True, eq=False)
class Reader:
    name: str  # the column
    expression: str  # SQL that makes a number of a label
    kind: type[np.integer[Any]]  # its numpy type
    # by such a number the code of the label, or by its place among the hashes; None where the
    # number is the code
    codes: Integers | None
    hashes: NDArray[np.uint64] | None = None  # of all labels, where the number is a whole hash
    listed: bool = False  # whether labels are looked for in a list

    def read(self, batch: engine.Batch) -> Integers:
        """Return the (rows,) codes of a batch."""
        numbers = batch.columns[self.name]
        if self.codes is None:
            return cast("Integers", numbers)
        if self.hashes is not None:
            numbers = find_hashes(numbers, self.hashes)
        return self.codes.take(numbers)  # twice as fast as codes[numbers]


def can_read(data: ComparisonTable, frame: engine.Frame) -> bool:
    return data.source.connection is not None and frame.implementation.is_duckdb()


def make_readers(data: ComparisonTable, tables: Sequence[coding.Coding]) -> list[Reader] | None:
    """Choose how each column leaves the engine; None where two labels share a hash, or are odd."""
    # tables: labels and codes of its columns; where they are more than `LISTED`, all labels there
    # are, since a hash does not show that its label is another.
    readers = []
    hashed: dict[tuple[str, ...], NDArray[np.uint64]] = {}  # both sides have the same systems
    for table in tables:
        labels, column = tuple(table.labels), engine.quote_name(table.name)
        # a small table stays in the cache
        codes = table.codes.astype(np.min_scalar_type(table.size - 1))
        if any("\0" in label for label in labels):  # a query cannot hold it
            return None
        if len(labels) <= LISTED:
            # Places in a list begin with 1, and are missing for a label that is not in it
            place = f"list_position([{', '.join(map(engine.quote, labels))}], {column})"
            places = np.concatenate([np.zeros(1, codes.dtype), codes])
            readers.append(Reader(table.name, place, np.int32, places, listed=True))
            continue
        if labels not in hashed:
            connection = cast("duckdb.DuckDBPyConnection", data.source.connection)
            native = engine.make_table(connection, {"label": list(labels)}).to_native()
            query = nw.from_native(native.project('label, hash("label") as number'))
            rows = engine.fetch_columns(cast("engine.Frame", query))
            number = dict(zip(rows["label"].tolist(), rows["number"].tolist(), strict=True))
            hashed[labels] = np.array([number[label] for label in labels], dtype=np.uint64)
        hashes = hashed[labels]
        # As few bits as tell the labels apart, if few do. Two of n hashes share b bits with
        # probability 1 − exp(−n²/2ᵇ⁺¹): with b = 2 log₂ n − 2 one of ten shifts will do.
        fewest = max(8, int(2 * np.log2(len(hashes)) - 1.5))
        for bits, shift in (
            (wide, at) for wide in range(fewest, WIDEST + 1) for at in range(64 - wide)
        ):
            some = (hashes >> np.uint64(shift)) & np.uint64(2**bits - 1)
            if len(np.unique(some)) == len(hashes):
                taken = f"((hash({column}) >> {shift}) & {2**bits - 1})::integer"
                slots = np.zeros(2**bits, dtype=codes.dtype)
                slots[some] = codes
                readers.append(Reader(table.name, taken, np.int32, slots))
                break
        else:
            if len(np.unique(hashes)) < len(hashes):
                return None
            readers.append(Reader(table.name, f"hash({column})", np.uint64, codes, hashes))
    return readers


def _read_answers(
    data: ComparisonTable,
    frame: engine.Frame,
    tables: Sequence[coding.Coding],
    readers: Sequence[Reader],
    rows: float,
) -> Iterator[tuple[list[Integers], Integers]]:
    """Yield codes of each factor, and (left · K + right) · 3 + outcome, some rows at a time.

    Stops at a label that is not known.
    """
    sizes = [table.size for table in tables[-3:]]
    columns, sides = list(readers), readers[-3:]
    joined = all(side.listed for side in sides) and prod(sizes) <= np.iinfo(np.int32).max
    if joined:
        # The engine adds up what it has looked up for each entry of the dictionaries: one number of
        # each row is handed over, and nothing is left to look up.
        terms, scale = [], prod(sizes)
        for side, size in zip(sides, sizes, strict=True):
            scale //= size
            codes = [] if side.codes is None else (side.codes[1:].astype(int) * scale).tolist()
            terms.append(f"list_extract({codes}::integer[], {side.expression})")
        columns[-3:] = [Reader(sides[0].name, " + ".join(terms), np.int32, None)]
    native = cast("duckdb.DuckDBPyRelation", frame.to_native())
    projected = native.project(
        ", ".join(f"{one.expression} as {engine.quote_name(one.name)}" for one in columns)
    )
    kinds = {one.name: one.kind for one in columns}
    total, batches, n = 0, 0, len(readers) - 3
    with engine.one_thread(None if rows > BUSY else data.source.connection):
        for batch in engine.stream_batches(projected, kinds):
            if batch.missing:  # the place of a label that is in no list
                return
            read = [one.read(batch) for one in columns]
            answers = read[n] if joined else _join(read[n:], sizes)
            yield read[:n], answers
            total, batches = total + len(answers), batches + 1
            note_rows(total, int(rows))
    query = cast("engine.Frame", nw.from_native(projected))
    note_query(query, tuple(kinds), total, batches, filed=False)
