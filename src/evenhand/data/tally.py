"""The tally: counts of outcomes per pair of systems, all that a log-linear model needs.

Stored as coordinate arrays (one entry per pair that was compared, in the direction it was shown),
never as a K × K table. Factors say to which judge, item, ranking, task or covariate level the
counts of an entry belong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from hashlib import sha256
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.numerics.graph import Graph, weak_components

_LARGEST: Final = 2**62


def join_codes(digits: Sequence[tuple[NDArray[np.int32], int]]) -> NDArray[np.int64]:
    """Return one number per entry for several codes, ordered as they are, the first foremost.

    digits: codes of each entry, 0 to size − 1, and their size.
    """
    key, span = digits[0][0].astype(np.int64), digits[0][1]
    for codes, size in digits[1:]:
        if span * size > _LARGEST:  # would not fit: number the combinations seen so far
            _, key = np.unique(key, return_inverse=True)
            span = len(key)
        key *= size
        key += codes
        span *= size
    return key


_START: Final = 16  # So many rows for each code are looked at before the rest is


def number_codes(codes: NDArray[Any], size: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the codes that occur, ascending, and the number of each row's among them."""
    # codes: (n,) codes below a size.
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[codes[: _START * size]] = True  # few codes have mostly all been seen by then
    if not occurs.all():
        occurs[codes] = True
    if occurs.all():
        return np.arange(size), codes
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def first_of_each(key: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first position of each different key, in key order, and each entry's group."""
    # The two are one array where every key is alone and in its place.
    if (key[1:] > key[:-1]).all():
        alone = np.arange(len(key))
        return alone, alone
    span = int(key.max()) + 1
    if span > 4 * len(key):
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        return first, inverse
    seen = np.zeros(span, dtype=np.bool_)  # keys that fill their range need no sorting
    seen[key] = True
    inverse = (np.cumsum(seen) - 1).take(key)
    first = np.empty(int(np.count_nonzero(seen)), dtype=np.int64)
    first[inverse[::-1]] = np.arange(len(key) - 1, -1, -1)
    return first, inverse


def take_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names that were given as a list, or one name by itself."""
    return (names,) if isinstance(names, str) else tuple(names)


@cache
def _list_fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def take_entries(table: Any, rows: NDArray[Any]) -> dict[str, Any]:
    """Return the arrays among the fields of a dataclass, with some entries, the same of each."""
    names = _list_fields(table.__class__)
    return {n: one[rows] for n in names if isinstance(one := getattr(table, n), np.ndarray)}


Codes = NDArray[np.int32]
Counts = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Factor:
    """A way to tell judgments apart: by judge, item, ranking, task or a covariate."""

    labels: tuple[str, ...]  # the levels, sorted
    codes: Codes  # (C,) level of each entry of the tally; a cluster of levels where `merged`
    loads: Counts  # (levels,) comparisons of each level
    size: int  # number of different codes
    merged: bool = False  # whether levels were merged into fewer clusters
    # (levels,) cluster of each level where they were merged, if it is known
    clusters: Codes | None = None

    @classmethod
    def of(cls, labels: Sequence[str], codes: NDArray[np.integer]) -> Factor:
        """Return the levels that occur, each entry counting once."""
        present, code = number_codes(codes, len(labels))
        every = len(present) == len(labels)
        names = tuple(labels) if every else tuple(labels[at] for at in present.tolist())
        loads = np.bincount(code).astype(np.float64)
        return cls(names, code.astype(np.int32), loads, len(names))

    @property
    def effective(self) -> float:
        """Effective number of levels, (Σ n)² / Σ n²: equal loads give them all."""
        return float(self.loads.sum() ** 2 / (self.loads**2).sum())


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of outcomes in coordinate form.

    Attributes:
        systems: the K systems, sorted by name.
        left: (C,) code of the system shown first.
        right: (C,) code of the other.
        wins: (C,) how often left was preferred.
        ties: (C,) how often neither was.
        losses: (C,) how often right was preferred.
        factors: by name; each gives every entry a level.
        n_judgments: answers (a ranking is one answer, however many comparisons it holds).
        squares: (C, 3) sums of squared importance weights, or None for frequencies.
        zero_weight: rows excluded since their weight is zero.
        positions_known: whether left really stood first.
        unmerged: factor whose levels were merged → what counts by its levels themselves.
        of_rankings: whether answers are rankings, even where each holds one comparison.
    """

    systems: tuple[str, ...]
    left: Codes
    right: Codes
    wins: Counts
    ties: Counts
    losses: Counts
    factors: Mapping[str, Factor] = field(default_factory=dict)
    n_judgments: float = 0.0
    squares: NDArray[np.float64] | None = None
    zero_weight: int = 0
    positions_known: bool = True
    unmerged: Mapping[str, Callable[[], Tally]] = field(default_factory=dict)
    of_rankings: bool = False

    @cached_property
    def n_comparisons(self) -> float:
        """Number of comparisons, the sum of all counts."""
        return float(self.wins.sum() + self.ties.sum() + self.losses.sum())

    @property
    def of_pairs(self) -> bool:
        """Whether each answer is one comparison; sums of weights differ by their order."""
        return self.n_judgments >= self.n_comparisons * (1 - 1e-9)

    def between(self, first: str, second: str) -> tuple[float, float, float]:
        """Return how often the first of two systems won against the other, tied and lost."""
        one, other = self.systems.index(first), self.systems.index(second)
        as_left = (self.left == one) & (self.right == other)
        as_right = (self.left == other) & (self.right == one)
        wins = self.wins[as_left].sum() + self.losses[as_right].sum()
        losses = self.losses[as_left].sum() + self.wins[as_right].sum()
        return float(wins), float(self.ties[as_left | as_right].sum()), float(losses)

    def count_effective(self, first: str, second: str) -> float:
        """Return how many comparisons of two systems there are; with weights (Σ w)² / Σ w²."""
        n = sum(self.between(first, second))
        if self.squares is None:
            return n
        codes = [self.systems.index(first), self.systems.index(second)]
        direct = np.isin(self.left, codes) & np.isin(self.right, codes)
        return float(n**2 / self.squares[direct].sum())

    def find_groups(self) -> NDArray[np.intp]:
        """Return (K,) the group of each system: those that some chain of comparisons links."""
        seen = self.counts.sum(axis=1) > 0
        left, right = self.left[seen].astype(np.intp), self.right[seen].astype(np.intp)
        return weak_components(Graph(len(self.systems), left, right))

    @property
    def counts(self) -> NDArray[np.float64]:
        """(C, 3) wins, ties and losses of the left system."""
        return np.stack([self.wins, self.ties, self.losses]).T

    def factor(self, name: str) -> Factor:
        """Return a factor by name.

        Raises:
            UnknownColumn: the tally was not made by it.
        """
        if name not in self.factors:
            raise UnknownColumn(
                f"the tally does not distinguish {name}: make it with by=['{name}']"
            )
        return self.factors[name]

    def whole_factor(self, name: str) -> Factor:
        """Return a factor by name; refuse one whose levels were merged."""
        if (factor := self.factor(name)).merged:
            raise UnknownOption(f"the levels of {name} were merged: tally without a limit for it")
        return factor

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Keep some entries, in the order of `rows`; systems and levels stay as they are."""
        factors = {name: replace(f, codes=f.codes[rows]) for name, f in self.factors.items()}
        return replace(self, **take_entries(self, rows), factors=factors)

    def pool(self, keep: Sequence[str] = ()) -> Tally:
        """Sum over all factors but those kept; entries of one pair become one."""
        names = take_names(keep)
        if names in self._pooled:
            return self._pooled[names] or self
        kept = {name: self.factor(name) for name in names}
        k = len(self.systems)
        digits = [(factor.codes, factor.size) for factor in kept.values()]
        first, inverse = first_of_each(join_codes([*digits, (self.left, k), (self.right, k)]))
        summed: dict[str, Any] = {}
        if first is not inverse:

            def sums(values: Counts) -> Counts:
                return np.asarray(np.bincount(inverse, weights=values, minlength=len(first)), float)

            squares = self.squares
            if squares is not None:
                squares = np.stack([sums(squares[:, o]) for o in range(3)], axis=1)
            summed = {name: sums(getattr(self, name)) for name in ("wins", "ties", "losses")}
            summed |= {"left": self.left[first], "right": self.right[first], "squares": squares}
        summed["factors"] = {name: replace(f, codes=f.codes[first]) for name, f in kept.items()}
        summed["unmerged"] = {name: one for name, one in self.unmerged.items() if name in kept}
        pooled = replace(self, **summed)
        pooled._pooled[names] = None  # itself, but no circle: what is let go is freed at once
        if not names or len(pooled.left) == len(self.left):  # pairs alone, or what is held anyway
            self._pooled[names] = pooled
        return pooled

    @cached_property
    def _pooled(self) -> dict[tuple[str, ...], Tally | None]:
        """What `pool` has summed already: of millions of entries each sum is dear."""
        return {}

    def fold(self) -> Tally:
        """Forget who was shown first: entries of one pair and level become one, by name order.

        What is folded no longer knows positions, so that no order effect can be fitted to it.
        """
        swap = self.left > self.right
        turned = replace(
            self,
            left=np.where(swap, self.right, self.left),
            right=np.where(swap, self.left, self.right),
            wins=np.where(swap, self.losses, self.wins),
            losses=np.where(swap, self.wins, self.losses),
            squares=None
            if self.squares is None
            else np.where(swap[:, None], self.squares[:, ::-1], self.squares),
            positions_known=False,
        )
        return turned.pool(tuple(self.factors))

    def split(self, name: str) -> dict[str, Tally]:
        """Take a factor apart: one tally per level, with the systems and levels seen there.

        Raises:
            UnknownColumn: the tally was not made by it.
            UnknownOption: its levels were merged and can no longer be distinguished.
        """
        factor = self.whole_factor(name)
        order = np.argsort(factor.codes, kind="stable")
        borders = np.searchsorted(factor.codes[order], np.arange(factor.size + 1))
        others = [other for other in self.factors if other != name]
        return {
            label: self._part(order[borders[i] : borders[i + 1]], others)
            for i, label in enumerate(factor.labels)
        }

    def _part(self, rows: NDArray[np.int64], others: Sequence[str]) -> Tally:
        left, right = self.left[rows], self.right[rows]
        used = np.unique(np.concatenate([left, right]))
        part = replace(
            replace(self, factors={}, unmerged={}).take(rows),
            systems=tuple(self.systems[i] for i in used),
            left=np.searchsorted(used, left).astype(np.int32),
            right=np.searchsorted(used, right).astype(np.int32),
        )
        totals = part.wins + part.ties + part.losses
        factors = {other: keep_levels(self.factors[other], rows, totals) for other in others}
        return replace(part, factors=factors, n_judgments=float(totals.sum()))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the pooled counts by name: the same for the same judgments on any engine."""
        return self.digest_by(())

    def digest_by(self, names: Sequence[str]) -> str:
        """Return the SHA-256 of the counts, distinguished by the levels of some factors.

        Entries by factors may be millions, so their numbers go in as few bytes as hold them;
        without factors codes take four bytes and counts eight.

        Raises:
            UnknownColumn: the tally was not made by one of them.
        """
        pooled = self.pool(names)
        factors = [pooled.factors[name] for name in names]
        digest = sha256("\x1f".join(pooled.systems).encode())
        for factor in factors:
            digest.update("\x1f".join(["", *factor.labels]).encode())
        sizes = [*(factor.size for factor in factors), len(pooled.systems), len(pooled.systems)]
        codes = [*(factor.codes for factor in factors), pooled.left, pooled.right]
        for one, size in zip(codes, sizes, strict=True):
            kind = _narrowest(size) if names else "<i4"
            digest.update(np.ascontiguousarray(one, dtype=kind).data)
        # Where some counts are no whole numbers, all are rounded to 30 bits: sums differ by their
        # order in the rest
        columns = pooled.wins, pooled.ties, pooled.losses
        blocks = [slice(at, at + BLOCK) for at in range(0, len(pooled.wins), BLOCK)]
        whole = all((one[part] == np.floor(one[part])).all() for one in columns for part in blocks)
        most = max(float(one.max(initial=0)) for one in columns)
        kind = _narrowest(most + 1) if names and whole else "<f8"
        for block in blocks:
            some = np.stack([one[block] for one in columns], axis=1)
            if not whole:
                part, power = np.frexp(some)
                some = np.ldexp(np.round(part * 2**30) / 2**30, power)
            digest.update(some.astype(kind).data)
        return digest.hexdigest()


def tally_rows(
    systems: Sequence[str],
    codes: tuple[Codes, Codes, NDArray[np.integer]],
    *,
    weights: Counts | None = None,
    squares: Counts | None = None,
    factors: Mapping[str, Factor] | None = None,
) -> Tally:
    """Count rows of one outcome each; those of one pair, in one direction and level, are one entry.

    systems: names behind the codes, of which some may be in no row.
    codes: (n,) of the left system, of the right one, and 0 left, 1 tie, 2 right.
    weights: (n,) how often each row counts; None where each counts once.
    squares: (n,) sums of squared importance weights, or None for frequencies.
    factors: levels with the (n,) code of each row; loads stay as they are.
    """
    left, right, outcome = codes
    levels = factors or {}
    digits = [(level.codes, level.size) for level in levels.values()]
    key = join_codes([*digits, (left, len(systems)), (right, len(systems))])
    first, inverse = first_of_each(key)
    cells = inverse * 3 + outcome

    def widened(values: Counts | None) -> Counts:
        wide = np.bincount(cells, weights=values, minlength=3 * len(first))
        return np.asarray(wide.reshape(-1, 3), dtype=np.float64)

    wins, ties, losses = np.ascontiguousarray(widened(weights).T)
    return Tally(
        tuple(systems),
        left[first],
        right[first],
        wins,
        ties,
        losses,
        {name: replace(level, codes=level.codes[first]) for name, level in levels.items()},
        squares=None if squares is None else widened(squares),
    )


def keep_levels(
    factor: Factor, rows: NDArray[np.int64] | NDArray[np.bool_], totals: Counts
) -> Factor:
    used, codes = np.unique(factor.codes[rows], return_inverse=True)
    merged = factor.merged
    return Factor(
        labels=tuple(f"cluster {i + 1}" if merged else factor.labels[i] for i in used.tolist()),
        codes=codes.astype(np.int32),
        loads=np.asarray(np.bincount(codes, weights=totals, minlength=len(used)), float),
        size=len(used),
        merged=merged,
    )


def merge_levels(factor: Factor, limit: int, seed: int) -> Factor:
    """Merge the levels of a factor into at most `limit` clusters of about equal load."""
    # Levels go to clusters in a snake by load, equal loads in random order: clusters of clusters
    # are clusters, so that inference by them stays valid. Labels and loads remain those of the
    # levels.
    if factor.merged or factor.size <= limit:
        return factor
    member = snake(factor.loads, limit, seed)
    return replace(factor, codes=member[factor.codes], size=limit, merged=True, clusters=member)


def snake(loads: Counts, limit: int, seed: int) -> Codes:
    """Assign levels to `limit` clusters, heaviest first, to and fro."""
    chance = np.random.Generator(np.random.PCG64(seed)).permutation(len(loads))
    order = chance[np.argsort(-loads[chance], kind="stable")]
    turn, place = np.divmod(np.arange(len(loads)), limit)
    member = np.empty(len(loads), dtype=np.int32)
    member[order] = np.where(turn % 2 == 0, place, limit - 1 - place)
    return member


BLOCK: Final = 20_000  # Entries that are read at a time: they stay in the cache
_KINDS: Final = {"<u1": 2**8, "<u2": 2**16, "<u4": 2**32}


def _narrowest(size: float) -> str:
    """Return the narrowest type for whole numbers below a size; a double beyond four bytes."""
    return next((kind for kind, limit in _KINDS.items() if size <= limit), "<f8")
