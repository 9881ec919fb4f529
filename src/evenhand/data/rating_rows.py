"""Ratings row by row: labels as codes, scores as numbers.

Agreement, diagnosis, flags and variance components all start from this one reading of a table.
Whether lower scores are better is told by the name of a criterion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from evenhand.data.source import fold
from evenhand.data.tally import Codes, Factor, number_codes, take_entries
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.numerics import Array
from evenhand.render.document import Finding, take_findings

Small = NDArray[np.int8]

ALL_SAME: Final = "all scores are the same"
SPREAD_SCORES: Final = "ask for scores that tell outputs apart"

# What a judgment is: of an output as such; the same output asked again; one whose worth is known
TARGET, REPEAT, CONTROL = 0, 1, 2


@dataclass(frozen=True, eq=False)
class JudgmentRows:
    """What votes and scores have in common, in the order of the table."""

    # names of the tasks, sorted; ("",) where there is no such column. So for all labels.
    tasks: tuple[str, ...]
    judges: tuple[str, ...]  # names of the judges
    # names of the items, each with its task ("fr-en / 17") where there are tasks
    items: tuple[str, ...]
    systems: tuple[str, ...]  # names of the systems
    # (n,) TARGET, REPEAT or CONTROL; None where no column says so (all are targets)
    kind: Small | None = field(default=None, kw_only=True)
    # (n,) how long it took, NaN where unknown; None where no column says so
    seconds: Array | None = field(default=None, kw_only=True)
    # (n,) when it was given, in seconds of any clock; None where no column says so
    moment: Array | None = field(default=None, kw_only=True)
    # what is known of the data, such as how many rows were excluded and why
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        return replace(self, **take_entries(self, rows))


@dataclass(frozen=True, eq=False)
class RatingRows(JudgmentRows):
    """Scores with everything that is known of each."""

    criteria: tuple[str, ...]  # names of the criteria
    task: Codes  # (n,) code of each row's task
    judge: Codes  # (n,) code of its judge
    item: Codes  # (n,) code of its item
    system: Codes  # (n,) code of its system
    criterion: Codes  # (n,) code of its criterion
    score: Array  # (n,) its score, always a finite number
    # (n,) of controls: +1 known good, -1 known bad, 0 unknown; None without kinds
    direction: Small | None = None
    # (n,) score expected of a control, NaN elsewhere; None where no column says so
    expected: Array | None = None
    # further columns that were asked for, such as the input type, by name
    factors: Mapping[str, Factor] = field(default_factory=dict)
    missing: int = 0  # rows without a score, which are left out

    @property
    def answer(self) -> None:
        """No codes of answers: each row is one, unlike pairs of a ranking."""

    @property
    def size(self) -> int:
        return len(self.score)

    @cached_property
    def output(self) -> NDArray[np.int64]:
        """(n,) number of the output that was scored: its item (of a task) and its system."""
        return self.item.astype(np.int64) * len(self.systems) + self.system

    @cached_property
    def unit(self) -> NDArray[np.int64]:
        """(n,) number of what was scored: an output under a criterion. Not dense."""
        return self.output * len(self.criteria) + self.criterion

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        factors = {name: replace(one, codes=one.codes[rows]) for name, one in self.factors.items()}
        return replace(self, **take_entries(self, rows), factors=factors)

    @property
    def repeats(self) -> int:
        return 0 if self.kind is None else int((self.kind == REPEAT).sum())

    @property
    def all_same(self) -> bool:
        parts = self.split(("criterion",)).values()
        return all(part.score.min() == part.score.max() for part in parts)

    def without_controls(self) -> RatingRows:
        """Keep the scores of outputs: repeats are among them."""
        return self if self.kind is None else self.take(self.kind != CONTROL)

    def targets(self) -> RatingRows:
        """Keep the scores of outputs as such: no controls, no second answers."""
        return self if self.kind is None else self.take(self.kind == TARGET)

    def split(self, names: Sequence[str]) -> dict[tuple[str, ...], RatingRows]:
        """Take the rows apart by some of the labels; groups that are there, sorted by name."""
        from evenhand.numerics.cluster_means import number_groups

        if not self.size:
            raise InvalidJudgments("no scores to take apart")
        labels, codes = zip(*(self.labels(name) for name in names), strict=True)
        group = number_groups(*codes)
        sizes = np.bincount(group)
        if len(sizes) < _MAX_GROUPS_IN_TWO_BYTES:
            group = group.astype(np.int16)  # which is sorted by counting
        parts = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])
        return {
            tuple(level[code[rows[0]]] for level, code in zip(labels, codes, strict=True)): (
                self if len(parts) == 1 else self.take(rows)._with_own_notes()
            )
            for rows in parts
        }

    def _with_own_notes(self) -> RatingRows:
        """Drop what was noted of criteria of which no row is left."""
        others = {name for at, name in enumerate(self.criteria) if not (self.criterion == at).any()}
        notes = [
            one
            for one in take_findings(self.notes)
            if one.code != "no-answer-score" or one.values["criterion"] not in others
        ]
        return replace(self, notes=tuple(notes)) if len(notes) < len(self.notes) else self

    def labels(self, name: str) -> tuple[tuple[str, ...], Codes]:
        if name in self.factors:
            factor = self.factors[name]
            return tuple(factor.labels), factor.codes
        plural = "criteria" if name == "criterion" else f"{name}s"
        return getattr(self, plural), getattr(self, name)

    def list_present(self, name: str) -> list[str]:
        labels, codes = self.labels(name)
        return [labels[code] for code in np.unique(codes).tolist()]

    def refuse_several(self, remedies: Mapping[str, str]) -> None:
        """Refuse ratings of several tasks or criteria; remedies: role → what to do instead."""
        for role, remedy in remedies.items():
            if self.has_several(role):
                plural = "criteria" if role == "criterion" else f"{role}s"
                present = listing(self.list_present(role), 5)
                raise InvalidJudgments(f"ratings of several {plural} ({present}): {remedy}")

    def has_several(self, name: str) -> bool:
        codes = self.labels(name)[1]
        return bool((codes != codes[:1]).any())


# Names of columns that say of which document an item is, folded
DOCUMENTS: Final = ("document", "documentid", "docid", "doc", "documentname", "docname")


def find_document(columns: Iterable[str]) -> str | None:
    return next((one for one in columns if fold(one) in DOCUMENTS), None)


def name_document(label: str) -> str:
    """Return a document's name, the first part of doc#system, as Appraise writes it."""
    return label.partition("#")[0]


def label_documents(rows: RatingRows, column: str) -> tuple[tuple[str, ...], Codes]:
    """Return names of documents, sorted, and (n,) the code of each row's; -1 where it has none."""
    labels, codes = rows.labels(column)
    names, place = np.unique([name_document(one) for one in labels], return_inverse=True)
    return tuple(names.tolist()), np.where(codes >= 0, place[codes], -1)


# Several scores of one judge for one output are not independent: what a judge thinks of an output
# is in each of them. Their mean is one score.


def average_repeats(rows: RatingRows) -> tuple[RatingRows, tuple[Finding, ...]]:
    from evenhand.numerics.cluster_means import number_groups

    if rows.judges == ("",) or rows.items == ("",):
        return rows, ()  # scores that look alike may be of other judges or other outputs
    cell = number_groups(rows.judge, rows.item, rows.system)
    present, first, code, counts = np.unique(
        cell, return_index=True, return_inverse=True, return_counts=True
    )
    if len(present) == rows.size:
        return rows, ()
    mean = np.bincount(code.reshape(-1), rows.score) / counts
    note = say("repeated-scores", n=rows.size - len(present), left=len(present), of=rows.size)
    return replace(rows.take(first), score=np.asarray(mean, dtype=np.float64)), (note,)


_MAX_GROUPS_IN_TWO_BYTES = np.iinfo(np.int16).max  # Groups that can be numbered in two bytes

# Most steps of one that a scale can have; with more it has none worth telling apart
STEPS: Final = 10_000

# Numbers that mean "no answer" beside the scores of a short scale, as surveys write them
NO_ANSWERS: Final = frozenset(
    (
        *(-1, -7, -8, -9, -77, -88, -97, -98, -99, -888, -999, -9999),
        *(8, 9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9999),
    )
)
MAX_SHORT: Final = 10  # Highest score of a scale that is short
FAR: Final = 66  # From here on such a number is none of a short scale, however much of it was used
OFTEN: Final = 3  # Scores of each step on average from which a scale is known by its values
SURE: Final = 2.0  # Standard errors by which outputs of score 0 are better than those of score 1


def find_no_answers(counts: Mapping[float, int]) -> list[float]:
    """Return the scores that are codes for "no answer" beside those of a short scale.

    counts: score → how often it was given.
    """
    codes = counts.keys() & NO_ANSWERS
    scores = sorted(counts.keys() - codes)
    if len(scores) < 3 or sum(map(counts.__getitem__, scores)) < OFTEN * len(scores):
        return []
    low, high = scores[0], scores[-1]
    if low < 0 or high > MAX_SHORT or scores != [low + at for at in range(len(scores))]:
        return []
    while high + 1 in counts:  # 8 and 9 may be scores
        high += 1
    # they are codes, and so is -1, beside a whole scale that ends before them
    below = low == 1 or (low == 0 and high > 3)
    near = {one for one in codes if (one > high + 1 if one > 0 else below)} if low <= 1 else set()
    return sorted(one for one in codes if one in near or abs(one) >= FAR)


MAX_POINTS, MIN_POINTS = 101, 4  # Different scores of a scale on which a score can be far
FAR_SCORES: Final = 1000  # One score is few, and so is one of so many
MAX_STEPS: Final = 10  # Steps of the longest scale that is known by its values: 0 or 1 to 10


def find_far(counts: Mapping[float, int]) -> list[float]:
    """Return scores that lie far from all others or off their scale, the farthest out first."""
    ordered, slips = sorted(counts), list[float]()
    while MIN_POINTS <= len(ordered) <= MAX_POINTS:
        both = ordered, ordered[::-1]
        off = [ends[-1] for ends in both if _is_far(ends[-1], ends[:-1], counts)]
        if not off:
            break
        ordered.remove(off[0])  # one slip may hide another: the scale is looked at without it
        slips.append(off[0])
    return slips


def _is_far(end: float, rest: Sequence[float], counts: Mapping[float, int]) -> bool:
    """Say whether the last value lies off the scale that the others make, the nearest last."""
    if counts[end] > max(1, sum(counts.values()) // FAR_SCORES):
        return False
    if abs(end - rest[-1]) > abs(rest[-1] - rest[0]):  # 55 on 1 to 5
        return True
    # 8, 0 or -1 on 1 to 5: all steps of a usual scale were given, and one value beyond them
    low, high = min(rest), max(rest)
    whole = low in (0, 1) and len(rest) == high - low + 1 and high <= MAX_STEPS
    known = whole and sum(counts[one] for one in rest) >= OFTEN * len(rest)
    below = (end == 0 or end < low == 0) and counts[rest[-1]] >= OFTEN  # may be a scale from there
    return known and (abs(end - rest[-1]) > 1 or below)


def say_no_answer(
    score: float, counts: Mapping[float, int], criterion: str, remedy: Callable[[str], str]
) -> Finding:
    """Warn of a score that seems to mean "no answer".

    remedy: returns what leaves rows with a number out, given the number.
    """
    others = sorted(counts.keys() - {score, *find_no_answers(counts)})
    ends = {"low": others[0], "high": others[-1], "criterion": criterion}
    under = f" ({criterion})" if criterion else ""
    values = {"score": score, "n": counts[score], "remedy": remedy(f"{score:g}")}
    return say("no-answer-score", "warning", of=sum(counts.values()), under=under, **values, **ends)


def note_no_answers(rows: RatingRows, remedy: Callable[[str], str]) -> list[Finding]:
    """Warn of scores that seem to mean "no answer", and were counted as scores.

    A code such as 99 is known by the scale of the others. 0 beside 1 to 5 may be a score: it is
    none where the outputs that got it are better, by their other scores, than those that got 1.
    """
    points, position = _distinct(rows.score)
    if not (NO_ANSWERS | {0}) & {*points.tolist()}:
        return []
    key = rows.criterion.astype(np.int64) * len(points) + position
    cells = np.bincount(key, minlength=len(rows.criteria) * len(points)).reshape(-1, len(points))
    notes = []
    for at, criterion in enumerate(rows.criteria):
        given = np.flatnonzero(cells[at])
        if len(given) > MAX_SHORT + 1 + len(NO_ANSWERS):  # no short scale
            continue
        counts = dict(zip(points[given].tolist(), cells[at][given].tolist(), strict=True))
        codes = find_no_answers(counts)
        scores = sorted(counts.keys() - {*codes})
        short = scores[:2] == [0, 1] and scores[-1] <= MAX_SHORT and scores[-1] == len(scores) - 1
        if short and len(scores) > 3:
            mine = (rows.criterion == at) & ~np.isin(rows.score, codes)
            codes += [0.0] if _is_better(rows.take(mine)) else []
        notes += [say_no_answer(one, counts, criterion, remedy) for one in codes]
    return notes


def _is_better(rows: RatingRows) -> bool:
    """Say whether outputs of score 0 have better other scores, above 0, than those of score 1."""
    from evenhand.numerics.cluster_means import number_groups

    output = number_groups(rows.output)
    counted = (rows.score > 0).astype(np.float64)
    n = np.bincount(output, counted)[output] - counted
    others = np.bincount(output, rows.score)[output] - rows.score
    zero, one = (others[at] / n[at] for at in ((rows.score == k) & (n > 0) for k in (0, 1)))
    if min(len(zero), len(one)) < OFTEN:
        return False
    error = np.sqrt(zero.var(ddof=1) / len(zero) + one.var(ddof=1) / len(one))
    return bool(zero.mean() - one.mean() > SURE * error)


_WHOLE: Final = re.compile(r"\s*([+-]?\d+)\s*-\s*([+-]?\d+)\s*")


MAX_CODES: Final = 5  # Scores off a scale that a remedy names
FEW: Final = 0.1  # Share of scores off a scale up to which a remedy excludes them


@dataclass(frozen=True)
class Scale:
    low: float  # lowest score
    high: float  # highest score
    # all scores that can be given, ascending; None on a scale without steps
    points: tuple[float, ...] | None = None
    declared: bool = False  # whether somebody said so; else it is what was seen

    def check(self, scores: Array, where: Callable[[list[float]], str] = lambda _: "") -> None:
        """Refuse scores that are not on a declared scale; where: names the rows of some scores."""
        off = (scores < self.low) | (scores > self.high)
        if self.points is not None:
            off |= ~np.isin(scores, self.points)
        if self.declared and off.any():
            n, values = int(off.sum()), np.unique(scores[off])
            is_are, them = ("score is", "it") if n == 1 else ("scores are", "them")
            told = _numbers(values)
            way = f"exclude {them} (--missing {','.join(told)}, in Python missing={told})"
            way = f" {way if len(told) <= MAX_CODES else f'leave {them} out'},"
            raise InvalidJudgments(
                f"{n:,} {is_are} not on the scale {self}: {listing(told, 5)}"
                f"{where(values.tolist())}; correct {them},"
                f"{way if n <= FEW * len(scores) else ''} or say what the scale is"
            )

    def __str__(self) -> str:
        """Return the ends, and the points where they are not steps of one."""
        if self.points is None:
            return f"{self.low:g} to {self.high:g} without steps"
        if len(self.points) == self.high - self.low + 1:
            return f"{self.low:g} to {self.high:g}"
        return listing(_numbers(np.array(self.points)))


def read_scale(text: str) -> Scale:
    """Understand "1-5" (steps of one), "0-100", "0..1" (no steps) or "1,2,3,5"."""
    whole = _WHOLE.fullmatch(text)
    mark = "-" if whole else ".." if ".." in text else ","
    try:
        ends = [float(one) for one in (whole.groups() if whole else text.split(mark))]
    except ValueError:
        raise _none(text) from None
    if not np.isfinite(ends).all() or len(ends) < 2 or (mark == ".." and len(ends) > 2):
        raise _none(text)
    points = tuple(sorted(set(ends))) if mark == "," else None
    low, high = (points[0], points[-1]) if points else ends
    if not low < high:
        raise UnknownOption(f"scale '{text}': a low end comes first, then a higher one")
    if mark == "-":
        if high - low > STEPS:
            raise UnknownOption(
                f"scale '{text}' has {high - low:,.0f} steps, more than {STEPS:,}: write"
                f" {low:g}..{high:g} for a scale without steps"
            )
        points = tuple(np.arange(low, high + 1).tolist())
    return Scale(low, high, points, declared=True)


def _none(text: str) -> UnknownOption:
    return UnknownOption(
        f"scale '{text}' is none: write 1-5 for whole steps, 0..1 for no steps, or 1,2,3,5"
    )


def require_scale(scale: Scale | str | None) -> Scale | None:
    if scale is None or isinstance(scale, Scale):
        return scale
    if not isinstance(scale, str):
        raise _none(str(scale))
    return read_scale(scale)


def see_scale(scores: Array) -> Scale:
    """Return the scale that scores seem to have: the different values that occur."""
    if not len(scores):
        raise InvalidJudgments("no scores: no scale can be seen")
    points = np.unique(scores)
    return Scale(float(points[0]), float(points[-1]), tuple(points.tolist()))


def _numbers(values: Array) -> list[str]:
    return [f"{value:g}" for value in values.tolist()]


Numbers = NDArray[np.int64]

_BITS = 63  # A row that fits into so many bits is sorted as one number


def digest_ratings(rows: RatingRows, beside: Sequence[NDArray[Any]] = ()) -> str:
    # Kinds count; times, seconds, factors, and names that no row has do not.
    # beside: (n,) numbers that change the result as well, such as expected scores; NaN is one.
    digest = sha256()
    columns: list[Numbers] = []
    for role in ("task", "judge", "item", "system", "criterion"):
        names, codes = rows.labels(role)
        present, dense = number_codes(codes, len(names))
        digest.update("\x1f".join(names[code] for code in present.tolist()).encode() + b"\x1d")
        columns += [dense] if len(present) > 1 else []
    columns += [] if rows.kind is None else [rows.kind.astype(np.int64)]
    scores, position = _distinct(rows.score + 0.0)
    digest.update(scores.astype("<f8").tobytes())
    for values in beside:
        present_values, dense = np.unique(values, return_inverse=True)
        digest.update(b"\x1e" + present_values.astype("<f8").tobytes())
        columns.append(dense.reshape(-1).astype(np.int64))
    for column in _sort([*columns, position]):
        digest.update(column.astype("<i8", copy=False).tobytes())
    return digest.hexdigest()


def _distinct(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], Numbers]:
    """Return the different scores, ascending, and the number of each row's among them."""
    with np.errstate(invalid="ignore"):  # beyond the range of int64 none is equal below
        whole = scores.astype(np.int64)
    low = int(whole.min(initial=0))
    if int(whole.max(initial=0)) - low < len(scores) and (whole == scores).all():
        present, position = number_codes(whole - low, int(whole.max(initial=0)) - low + 1)
        return (present + low).astype(np.float64), position
    present_scores, position = np.unique(scores, return_inverse=True)
    return present_scores, position.reshape(-1)


def _sort(columns: list[Numbers]) -> list[Numbers]:
    """Sort rows by all columns, as one number per row where that fits."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) <= _BITS:
        key = columns[0].astype(np.int64)
        for column, width in zip(columns[1:], widths[1:], strict=True):
            key <<= width
            key |= column
        key.sort()
        return [np.array(widths), key]
    order = np.lexsort(columns[::-1])
    return [np.array(widths), *(column[order] for column in columns)]


# Words of metrics of which lower is better
LOWER_METRICS: Final = frozenset(
    (
        *("ter", "hter", "sacreter", "chrter", "wer", "cer", "cder"),
        *("metricx", "perplexity", "ppl"),
    )
)

# Words in the name of a criterion that say that lower scores are better
_HARMS: Final = frozenset(
    (
        *("toxicity", "toxic", "hallucination", "hallucinations", "hallucinated", "harm", "harms"),
        *("harmful", "harmfulness", "offensiveness", "offensive", "incoherence", "disfluency"),
        *("ungrammaticality",),
    )
)
LOWER_WORDS: Final = (
    LOWER_METRICS
    | _HARMS
    | {"penalty", "penalties", "error", "errors", "mistake", "mistakes", "omissions", "additions"}
)
# Words beside those that turn them, as in non-toxicity and free of errors
_NEGATIONS: Final = frozenset(
    ("non", "not", "free", "lack", "absence", "avoidance", "avoids", "avoided", "without", "anti")
)
# Metrics whose names are words of other names ("bleu per segment", "character"), so that they
# stand alone or before a reference: position-independent error rate, CharacTER
LOWER_NAMES: Final = re.compile(r"(m?per|character)([\W_]+(ref|src)\w*)?", re.IGNORECASE)
# Other error rates, with TER in capitals behind another name, and a loss
LOWER_ENDS: Final = re.compile(r"[^\W\d_]*[a-z]TER|[Ll]oss|LOSS")


def reads_lower(name: str, level: float, *, metric: bool = False) -> bool:
    """Say whether lower scores are better, by the name of a criterion or a metric.

    level: lowest score of people, mean of a metric; below 0 stand penalties that are taken off,
    where higher is better.

    >>> reads_lower("mqm_penalty", 0.0), reads_lower("mqm_penalty", -25.0), reads_lower("da", 0.0)
    (True, False, False)
    >>> [reads_lower(name, 0.0) for name in ("toxicity", "non-toxicity", "no errors", "error-free")]
    [True, False, True, False]
    >>> [reads_lower(name, 1.0, metric=True) for name in ("myTER", "val_loss", "FILTER", "gloss")]
    [True, True, False, False]
    """
    if level < 0:
        return False
    words = re.findall(r"[^\W\d_]+", name)
    folded = [*map(str.casefold, words)]
    no_harm = any(one == "no" and other in _HARMS for one, other in pairwise(folded))
    if not LOWER_WORDS.isdisjoint(folded):
        return not (no_harm or not _NEGATIONS.isdisjoint(folded))
    return metric and bool(LOWER_NAMES.fullmatch(name) or any(map(LOWER_ENDS.fullmatch, words)))


def reads_lower_of(rows: RatingRows) -> bool:
    return reads_lower(rows.criteria[int(rows.criterion[0])], float(rows.score.min()))


def turn_mixed(rows: RatingRows) -> Array:
    """Return (n,) −1 where lower scores are better and under other criteria higher ones, else 1."""
    signs = sign_scores(rows) if len(rows.criteria) > 1 else np.ones(rows.size)
    return signs if signs.max(initial=-1.0) > 0 else np.ones(rows.size)


def sign_scores(rows: RatingRows) -> Array:
    """Return (n,) 1 where higher scores are better, −1 where lower ones are, by the criterion."""
    signs = np.ones(len(rows.criteria))
    for part in rows.split(("criterion",)).values():
        if reads_lower_of(part):
            signs[part.criterion[0]] = -1.0
    return signs[rows.criterion]
