"""Completion of ratings: what would a judge have said of an output that he was not shown?

    y_jo = μ + a_j + b_o + Z_jo + ε        minimise  ½ Σ_seen (y − μ − a − b − Z)² + τ ‖Z‖_*

over all of μ, a (severity of judges), b (worth of outputs) and Z, a matrix of low rank: tastes that
judges share. The intercepts cost nothing, and are found anew for every Z (numerics/soft_impute.py).

τ is chosen on held-out ratings along τ_max x (.9, .7, .5, .35, .25). Z is used only if it predicts
these better than the intercepts by more than 1.645 standard errors of the paired difference; else
the fit abstains, answers with the intercepts, and says so (choice.py). Intervals are conformal
(conformal.py), from ratings that neither the fit nor the choice of τ has seen.

Sources: Wisniewski (2013), ACL, "On the Predictability of Human Assessment: when Matrix Completion
Meets NLP Evaluation" (the idea); Mazumder, Hastie & Tibshirani (2010), Journal of Machine Learning
Research 11:2287-2322 (the method). Intercepts within the problem, abstention and intervals are
ours.

When not to use it: with one rating per output, whose intercept explains that rating: Z is 0 there,
and completion says what judge + output says, without intervals; and where judges chose what they
rate by something else than its height (for that see missing="by value"). Intervals and errors are
those of missing ratings if what is seen was drawn uniformly over the cells of the matrix. Where
some judges or outputs have many more ratings than others, a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    NotConverged,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    require_seed,
)
from evenhand.judgments.coding import SEED
from evenhand.judgments.grouped import Grouped
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_groups import group_ratings
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.wrong_kind import require_scores
from evenhand.numerics.threads import one_blas_thread
from evenhand.rating.baselines import (
    ADDITIVE,
    COMPLETION,
    MethodError,
    compare_errors,
    errors_of,
    find_errors,
)
from evenhand.rating.choice import Choice, choose_tau
from evenhand.rating.completion import Completion
from evenhand.rating.conformal import MISSING, Missing, find_half_widths
from evenhand.rating.dealt import Dealt, deal
from evenhand.rating.judge_groups import JUDGE, group_judges
from evenhand.rating.matrix import RatingMatrix, make_matrix, refuse_beyond, refuse_equal
from evenhand.rating.remarks import write_notes
from evenhand.rating.solution import Solution, keep_within, solve

Flags = NDArray[np.bool_]

PATH: Final = (0.9, 0.7, 0.5, 0.35, 0.25)
HELD: Final = 0.9
"""Largest share of the ratings that may be held out."""
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class NuclearNorm:
    """Settings of a completion.

    Attributes:
        calibration: share of the seen cells that only intervals and errors are found on; 0 for
            neither, so that everything is learned from.
        validation: share of the seen cells that τ is chosen on.
        level: of the intervals.
        path: τ as shares of the τ at which nothing but intercepts is left, descending.
        group: groups of judges whose intervals are found apart: a column, "judge" for each judge
            alone, or None for one group of all.
        missing: whether missing and held-out ratings come about alike ("at random"), or with odds
            that depend on how high the rating is ("by value").
        clip: ends of the scale: nothing beyond them is predicted; None leaves predictions as they
            are.
        abstain: False uses the low-rank part even where held-out ratings do not speak for it.
        seed: of the draw of held-out cells.

    """

    calibration: float = 0.2
    validation: float = 0.15
    level: float = 0.9
    path: tuple[float, ...] = PATH
    group: str | None = None
    missing: Missing = "at random"
    clip: tuple[float, float] | None = None
    abstain: bool = True
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            UnknownOption: shares that leave nothing, a level or a path that is none.

        """
        require_option("missing", self.missing, MISSING)
        shares = (self.calibration, self.validation)
        if min(shares) < 0 or sum(shares) > HELD:
            raise UnknownOption(
                f"calibration {self.calibration:g} and validation {self.validation:g}: shares of"
                f" the ratings that are held out, from 0, together {HELD:g} or less"
            )
        require_level(self.level, ".9")
        falling = all(a > b for a, b in pairwise(self.path))
        if not self.path or not falling or self.path[-1] <= 0 or self.path[0] > 1:
            raise UnknownOption(f"path {self.path}: shares of τ, descending, above 0 and up to 1")
        require_seed(self.seed)
        if self.clip is not None and not self.clip[0] < self.clip[1]:
            raise UnknownOption(f"clip {self.clip}: the lowest score, then a higher one")

    def fit(self, data: Ratings | RatingRows, *, judges: Sequence[str] = ()) -> Completion:
        """Complete the ratings of one task under one criterion.

        Args:
            data: the ratings.
            judges: further judges, who have rated nothing: as severe as the mean of the others,
                with intervals without bounds.

        Raises:
            InvalidJudgments: several tasks or criteria, a matrix too large for memory, a judge in
                two groups, or scores that are not within `clip`.
            NotIdentified: fewer than two judges or outputs, or ratings that are all the same.
            NotConverged: the gap to the best solution stays too large.

        """
        rows = self._read(data)
        matrix = make_matrix(rows, judges, seed=self.seed)
        refuse_equal(matrix)
        refuse_beyond(rows, self.clip)
        groups = group_judges(rows.targets(), matrix.judges, self.group)
        held, deciding = self._deal(len(matrix.value))
        with one_blas_thread():
            choice = self.choose(matrix.take(~held & ~deciding), matrix.take(deciding))
            dealt = deal(matrix, held)
            found = solve(dealt.learned, choice, self.clip)
        widths = find_half_widths(found.predicted, dealt, groups, (self.level, self.missing))
        tested = groups.code[dealt.comparable.cells.row]
        calibrated = np.bincount(tested, minlength=len(groups.names))
        return Completion(
            self,
            matrix,
            found.predicted,
            widths,
            choice,
            found.tau,
            found.rank,
            found.gap,
            self._compare(dealt, found),
            dict(zip(groups.names, calibrated.tolist(), strict=True)),
            tuple(groups.names[code] for code in groups.code.tolist()),
            (*matrix.notes, *write_notes(dealt, found.predicted, widths, self)),
            self._sign(rows, len(matrix.judges)),
        )

    def fit_groups(self, data: Ratings | RatingRows) -> Grouped[Completion]:
        """Complete each task and criterion by itself; those that cannot be are said with why."""
        found: dict[str, Completion] = {}
        refused: dict[str, str] = {}
        for name, part in group_ratings(self._read(data)).items():
            try:
                found[name] = self.fit(part)
            except (NotIdentified, NotConverged) as refusal:
                refused[name] = str(refusal)
        return Grouped(found, "group", refused)

    def _read(self, data: Ratings | RatingRows) -> RatingRows:
        table = require_scores(data, "ratings are completed, not")
        if isinstance(table, RatingRows):
            return table
        return table.rows(factors=[] if self.group in (None, JUDGE) else [self.group])

    def _deal(self, n: int) -> tuple[Flags, Flags]:
        """Draw the cells for intervals and errors, and those for the choice of τ."""
        order = np.random.default_rng(self.seed).permutation(n)
        tested, deciding = int(n * self.calibration + ROUNDING), int(n * self.validation + ROUNDING)
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        return place < tested, (place >= tested) & (place < tested + deciding)

    def choose(self, seen: RatingMatrix, held: RatingMatrix) -> Choice:
        """Choose τ on held-out cells, or none.

        Args:
            seen: what is learned from.
            held: cells that decide.

        """
        choice = choose_tau(seen, held, self.path)
        if self.abstain or choice.best is None or choice.used:
            return choice
        return replace(choice, used=True, why=f"{choice.why}; used all the same, as asked")

    def _compare(self, dealt: Dealt, found: Solution) -> tuple[MethodError, ...]:
        tested = dealt.comparable
        if not len(tested.value):
            return ()
        row, column = tested.cells.row, tested.cells.column
        intercepts = found.effects.at(row, column)
        errors = {
            **find_errors(dealt.learned, tested),
            ADDITIVE: errors_of(tested.value - keep_within(intercepts, self.clip)),
            COMPLETION: errors_of(tested.value - found.predicted[row, column]),
        }
        item = np.unique(tested.items, return_inverse=True)[1].reshape(-1)
        return compare_errors(errors, {"judge": row, "item": item[column]}, self.level)

    def _sign(self, rows: RatingRows, judges: int) -> str:
        kept = rows.targets()
        clip = "none" if self.clip is None else f"{self.clip[0]:g}-{self.clip[1]:g}"
        parts = (
            f"completion calibration={self.calibration:g} validation={self.validation:g}",
            f"nuclear norm path={'/'.join(f'{one:g}' for one in self.path)} abstain={self.abstain}",
            f"conformal {100 * self.level:.12g} % group={self.group or 'none'}"
            f" missing {self.missing} clip={clip} seed={self.seed}",
        )
        return write_signature(parts, kept.size, digest_ratings(kept), judges=judges)
