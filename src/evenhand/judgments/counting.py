"""How a table of comparisons becomes a tally, in the engine that holds it.

Two ways, same result. Where cells (pairs × outcomes × levels) are few against rows, the engine
groups by the labels as they stand. Where they are about as many as rows, grouping strings is slow:
labels become codes by joins with small tables, and one integer key per row is counted by numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.judgments.checks import check_labels, check_opponents, read_weights
from evenhand.judgments.comparisons import TASK_BOUND, Comparisons
from evenhand.judgments.engine import Frame, fetch_columns, label_frame, one_thread
from evenhand.judgments.tally import Codes, Counts, Factor, Tally, merge_levels, snake

SAMPLE: Final = 200_000
"""Rows looked at to decide between the two ways."""
DENSE: Final = 50_000_000
"""Most cells that are counted in one array."""
SEED: Final = 20131

Labels = dict[str, list[str]]


def count_outcomes(data: Comparisons, by: tuple[str, ...], limits: Mapping[str, int]) -> Tally:
    """Count wins, ties and losses per pair and level; see `Comparisons.tally`."""
    weighing = read_weights(data)
    frame = _bind_to_task(data, by, _name_levels(data, by, weighing.frame))
    keys = [*by, "left", "right", "outcome"]
    if weighing.column is None and _cells_are_many(data, frame, keys):
        coded = _count_codes(data, frame, by, limits)
        if coded is not None:
            return coded
    cells = fetch_columns(frame.group_by(*keys).agg(*weighing.sums()))
    labels = {key: _distinct(cells[key]) for key in keys}
    meaning = check_labels(data, frame, labels)
    if not len(cells["n"]):
        raise InvalidJudgments(f"no judgments in {data.source.name}: nothing to count")
    systems = sorted({*labels["left"], *labels["right"]})
    outcome = _code(cells["outcome"], labels["outcome"], values=meaning)
    left, right = _code(cells["left"], systems), _code(cells["right"], systems)
    check_opponents(data, frame, systems, left, right)
    levels = {name: _code(cells[name], sorted(labels[name])) for name in by}
    n = cells["n"].astype(np.float64)
    squares = cells.get("squares")
    names = {name: sorted(labels[name]) for name in by}
    tally = _widen(systems, left, right, outcome, (n, squares), levels, names)
    return _finish(data, tally, limits, zero=weighing.zero)


def _finish(data: Comparisons, tally: Tally, limits: Mapping[str, int], *, zero: int) -> Tally:
    """Merge levels, and count answers: a ranking is one."""
    from dataclasses import replace

    ranked = data.rankings is not None
    answers = float(data.count_judgments()) if ranked else tally.n_comparisons
    factors = {
        name: merge_levels(factor, limits[name], SEED) if name in limits else factor
        for name, factor in tally.factors.items()
    }
    return replace(
        tally,
        factors=factors,
        n_judgments=answers,
        zero_weight=zero,
        positions_known=data.positions_known,
    )


def _name_levels(data: Comparisons, by: Sequence[str], frame: Frame) -> Frame:
    """Turn levels that are whole numbers, truth values or categories into text.

    Raises:
        InvalidJudgments: levels that are fractions, times or nested values.

    """
    schema = frame.collect_schema()
    named = []
    for name in by:
        dtype = schema[name]
        level = nw.col(name)
        text = level.cast(nw.String)
        if dtype == nw.Boolean:  # engines write it with different capitals
            text = text.str.to_lowercase()
        if dtype in {nw.Boolean, nw.Categorical, nw.Enum} or dtype.is_integer():
            named.append(nw.when(~level.is_null()).then(text).alias(name))
        elif dtype != nw.String:
            raise InvalidJudgments(
                f"column '{data.source.named(name)}' of {data.source.name} holds"
                f" {str(dtype).lower()}: judgments are told apart by text or whole numbers"
            )
    return frame.with_columns(*named) if named else frame


def _bind_to_task(data: Comparisons, by: Sequence[str], frame: Frame) -> Frame:
    """Make items and rankings of different tasks different."""
    bound = [name for name in by if name in TASK_BOUND]
    if not bound or not data.has("task") or "task" in by:
        return frame
    joined = [
        nw.concat_str([nw.col("task"), nw.col(name)], separator=" / ").alias(name)
        for name in bound
    ]
    return frame.with_columns(*joined)


def _cells_are_many(data: Comparisons, frame: Frame, keys: list[str]) -> bool:
    """Look at the first rows: do most of them open a cell of their own?"""
    if data.rankings is not None:
        return False
    cells = frame.head(SAMPLE).group_by(*keys).agg(nw.len().alias("n"))
    sums = fetch_columns(cells.select(nw.len().alias("cells"), nw.col("n").sum().alias("rows")))
    rows = 0 if sums["rows"][0] is None else int(sums["rows"][0])
    return rows == SAMPLE and int(sums["cells"][0]) > rows / 2


def _distinct(column: NDArray[np.object_]) -> list[str]:
    return list(dict.fromkeys(column.tolist()))


def _code(
    column: NDArray[np.object_], labels: Sequence[str], values: Mapping[str, int] | None = None
) -> Codes:
    """Replace labels by their place in the list, or by the values given."""
    index = {label: i for i, label in enumerate(labels)} if values is None else values
    return np.fromiter(map(index.__getitem__, column.tolist()), dtype=np.int32, count=len(column))


def _widen(
    systems: Sequence[str],
    left: Codes,
    right: Codes,
    outcome: Codes,
    sums: tuple[Counts, Counts | None],
    levels: Mapping[str, Codes],
    names: Labels,
) -> Tally:
    """Turn one row per (level, pair, outcome) into one entry per (level, pair)."""
    n, squared = sums
    key = np.zeros(len(left), dtype=np.int64)
    for name, codes in levels.items():
        key = key * max(len(names[name]), 1) + codes
    key = (key * len(systems) + left) * len(systems) + right
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    cell = inverse * 3 + outcome
    counts = np.bincount(cell, weights=n, minlength=3 * len(first)).reshape(-1, 3)
    squares = None
    if squared is not None:
        squares = np.bincount(cell, weights=squared, minlength=3 * len(first)).reshape(-1, 3)
    totals = counts.sum(axis=1)
    factors = {}
    for name, codes in levels.items():
        own = codes[first]
        loads = np.bincount(own, weights=totals, minlength=len(names[name]))
        factors[name] = Factor(tuple(names[name]), own, loads, len(names[name]))
    wins, ties, losses = (np.ascontiguousarray(counts[:, o]) for o in range(3))
    return Tally(
        tuple(systems), left[first], right[first], wins, ties, losses, factors, squares=squares
    )


def _count_codes(
    data: Comparisons, frame: Frame, by: tuple[str, ...], limits: Mapping[str, int]
) -> Tally | None:
    """Count by integer keys; None where the engine cannot be handed a table of labels."""
    columns = [*by, "left", "right", "outcome"]
    counted = {name: _count_labels(frame, name) for name in columns}
    meaning = check_labels(data, frame, {name: list(found) for name, found in counted.items()})
    systems = sorted({*counted["left"], *counted["right"]})
    names = {name: sorted(counted[name]) for name in by}
    loads = {name: np.array([counted[name][x] for x in names[name]], float) for name in by}
    merged = {
        name: "task" not in by and len(names[name]) > limits.get(name, len(names[name]))
        for name in by
    }
    member = {
        name: snake(loads[name], limits[name], SEED)
        if merged[name]
        else np.arange(len(names[name]), dtype=np.int32)
        for name in by
    }
    tables: list[tuple[str, Sequence[str], NDArray[np.int64], int]] = [
        (name, names[name], member[name].astype(np.int64), int(member[name].max()) + 1)
        for name in by
    ]
    k = np.arange(len(systems), dtype=np.int64)
    tables += [("left", systems, k, len(systems)), ("right", systems, k, len(systems))]
    outcomes = list(meaning)
    tables.append(("outcome", outcomes, np.array([meaning[x] for x in outcomes]), 3))
    keys = _fetch_keys(data, frame, tables)
    if keys is None:
        return None
    sizes = [size for *_, size in tables]
    pairs, counts = _count_keys(keys, int(np.prod(np.array(sizes, dtype=object))))
    del keys
    codes = _decode(pairs, sizes[:-1])
    check_opponents(data, frame, systems, codes[-2], codes[-1])
    factors = {
        name: Factor(tuple(names[name]), codes[i], loads[name], sizes[i], merged[name])
        for i, name in enumerate(by)
    }
    wins, ties, losses = (np.ascontiguousarray(counts[:, o], dtype=np.float64) for o in range(3))
    tally = Tally(tuple(systems), codes[-2], codes[-1], wins, ties, losses, factors)
    return _finish(data, tally, limits, zero=0)


def _count_labels(frame: Frame, name: str) -> dict[str, int]:
    """Count rows by label."""
    found = fetch_columns(frame.group_by(name).agg(nw.len().alias("n")))
    return dict(zip(found[name].tolist(), found["n"].tolist(), strict=True))


def _fetch_keys(
    data: Comparisons,
    frame: Frame,
    tables: list[tuple[str, Sequence[str], NDArray[np.int64], int]],
) -> NDArray[np.int32] | NDArray[np.int64] | None:
    """Join every label column with its codes and fetch one integer per row."""
    key: nw.Expr = nw.lit(0).cast(nw.Int64)
    for name, labels, codes, size in tables:
        code = f"evenhand_{name}"
        table = label_frame(frame, {name: labels, code: codes}, data.source.connection)
        if table is None:
            return None
        frame = frame.join(table, on=name, how="inner")  # type: ignore[arg-type]
        key = key * size + nw.col(code).cast(nw.Int64)
    cells = int(np.prod(np.array([size for *_, size in tables], dtype=object)))
    narrow = nw.Int32 if cells < np.iinfo(np.int32).max else nw.Int64
    with one_thread(data.source.connection):
        return fetch_columns(frame.select(key.cast(narrow).alias("key")))["key"]


def _count_keys(
    keys: NDArray[np.int32] | NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different keys without their outcome digit, and (C, 3) counts."""
    if size <= max(DENSE, len(keys)):
        counts = np.bincount(keys, minlength=size).reshape(-1, 3)
        pairs = np.flatnonzero(counts.any(axis=1))
        return pairs, counts[pairs]
    found, n = np.unique(keys.astype(np.int64, copy=False), return_counts=True)
    pairs, inverse = np.unique(found // 3, return_inverse=True)
    wide = np.zeros((len(pairs), 3), dtype=np.int64)
    wide[inverse, found % 3] = n
    return pairs, wide


def _decode(pairs: NDArray[np.int64], sizes: Sequence[int]) -> list[Codes]:
    """Take mixed-radix keys apart, last digit last."""
    digits: list[Codes] = []
    for size in reversed(sizes):
        pairs, digit = np.divmod(pairs, size)
        digits.append(digit.astype(np.int32))
    return digits[::-1]
