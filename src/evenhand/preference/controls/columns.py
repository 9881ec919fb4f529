"""Comparison covariates: what differs between two outputs beside who wrote them.

A control is a number x for every comparison, left minus right: the difference in length, or in the
number of list items. It is said by a column that holds the difference, or by two columns whose
difference it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing
from evenhand.formats.numbers import read_number
from evenhand.formats.table import Table
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import Frame, is_finite
from evenhand.judgments.row_reading import code_rows
from evenhand.judgments.source import find_rows, name_rows
from evenhand.judgments.streaming import CodedRows
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.preference.coefficients import format_p

TIES: Final = ("davidson", "half-win", "discard", "none")
"""Treatments of ties that controls are fitted beside."""
_VALUE: Final = "evenhand_control_"


@dataclass(frozen=True)
class Control:
    """A comparison covariate.

    Attributes:
        name: what it is called in results.
        columns: the column of differences, or the columns of left and of right.

    """

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class ControlEffect:
    """What a control does to the odds of being preferred, worths being equal.

    Attributes:
        name: the control.
        estimate: log-odds per sd of the difference.
        stderr: its standard error.
        lower: lower end of its interval.
        upper: upper end.
        p: two-sided p-value.
        sd: the sd of the difference, in its own unit.
        level: nominal level of the interval (proportion).
        rests: why there is no error, in which case `stderr` is infinite; empty otherwise.

    """

    name: str
    estimate: float
    stderr: float
    lower: float
    upper: float
    p: float
    sd: float
    level: float = 0.95
    rests: str = ""

    @classmethod
    def make(
        cls, control: tuple[str, float], found: tuple[float, float], level: float, df: float
    ) -> ControlEffect:
        """Return an effect with its interval.

        Args:
            control: name and sd.
            found: log-odds per sd, and standard error.
            level: nominal level of the interval (proportion).
            df: degrees of freedom of the t distribution; infinite for the normal.

        """
        (name, sd), (estimate, stderr) = control, found
        margin = t_quantile((1 + level) / 2, df) * stderr
        p = t_tail(estimate / stderr, df)
        ends = estimate - margin, estimate + margin
        return cls(name, estimate, stderr, *ends, p, sd, level)

    def without_error(self, reason: str) -> ControlEffect:
        """Return the estimate alone, with the reason why nothing is said of its error."""
        alone = replace(self, stderr=np.inf, lower=-np.inf, upper=np.inf)
        return replace(alone, p=1.0, rests=reason)

    @property
    def per_unit(self) -> float:
        """Log-odds per unit of the column."""
        return self.estimate / self.sd

    @property
    def says(self) -> str:
        """The effect in a line, and whether there is one.

        >>> print(ControlEffect.make(("length", 50.0), (0.4, 0.1), 0.95, np.inf).says)
        length: log-odds 0.400 per sd (s.e. 0.100, 95 % 0.204 to 0.596, p <.0001), 0.008 per unit; \
sd 50; more of it is preferred
        """
        if self.rests:
            return (
                f"{self.name}: log-odds {self.estimate:.3f} per sd, {self.per_unit:.4g} per unit;"
                f" sd {self.sd:.4g}; no standard error: {self.rests}"
            )
        return (
            f"{self.name}: log-odds {self.estimate:.3f} per sd (s.e. {self.stderr:.3f},"
            f" {100 * self.level:g} % {self.lower:.3f} to {self.upper:.3f}, p {format_p(self.p)}),"
            f" {self.per_unit:.4g} per unit; sd {self.sd:.4g}; {self._say_found()}"
        )

    def _say_found(self) -> str:
        if self.lower <= 0 <= self.upper:
            return "whether it has an effect cannot be told"
        return f"{'more' if self.estimate > 0 else 'less'} of it is preferred"


class Settings(Protocol):
    """What must be known of a model to tell whether controls fit it."""

    @property
    def ties(self) -> str:
        """Treatment of ties."""

    @property
    def controls(self) -> tuple[str, ...]:
        """The controls, in words."""

    @property
    def covariates(self) -> tuple[str, ...]:
        """Judge and tie covariates."""

    @property
    def system_covariates(self) -> Mapping[str, Mapping[str, float | str]]:
        """Covariates of systems."""


def check_controls(model: Settings) -> None:
    """Refuse settings of a model that do not go with controls.

    Raises:
        UnknownOption: names the setting.

    """
    if model.ties not in TIES:
        raise UnknownOption(
            f"controls are fitted with ties {' | '.join(TIES)}, not with {model.ties}"
        )
    if model.covariates:
        raise UnknownOption(
            "controls and covariates of judges cannot be fitted at once: leave out"
            f" {listing(model.covariates)}, or fit each group apart (--group-by"
            f" {model.covariates[0]})"
        )
    if model.system_covariates:
        raise UnknownOption(
            "controls are fitted beside free worths of systems: leave out system covariates"
            f" {listing(list(model.system_covariates))}"
        )


def find_control(data: Comparisons, word: str) -> Control:
    """Return the control that a word names: COLUMN, or NAME=LEFT,RIGHT.

    A word that is a column is that column, whatever signs it holds.

    Raises:
        UnknownColumn: a column that is not there.
        UnknownOption: a word of another form.

    """
    if word in data.columns:
        return Control(word, (word,))
    name, sign, pair = word.partition("=")
    splits = _split_sides(pair if sign else word)
    if not sign:
        if any(all(side in data.columns for side in split) for split in splits):
            raise UnknownOption(
                f"control '{word}' is two columns without a name: write --control NAME={word}, in"
                f" Python controls=('NAME={word}',)"
            )
        return Control(word, (data.require(word),))
    if not name or not splits or not all(splits[0]):
        raise UnknownOption(
            f"control '{word}' is neither COLUMN, which holds the difference of left and right, nor"
            " NAME=LEFT,RIGHT, two columns such as length=length_a,length_b"
        )
    known = [split for split in splits if all(side in data.columns for side in split)]
    left, right = (known or splits)[0]
    try:
        return Control(name, (data.require(left), data.require(right)))
    except UnknownColumn as missing:
        raise UnknownColumn(f"control '{word}' (--control): {missing}") from None


def _split_sides(pair: str) -> list[tuple[str, str]]:
    """Return every way to take a text for two names; a name may hold a comma."""
    commas = [at for at, letter in enumerate(pair) if letter == ","]
    return [(pair[:at], pair[at + 1 :]) for at in commas]


def read_controls(
    data: Comparisons,
    words: Sequence[str],
    *,
    by: Sequence[str] = (),
    limits: dict[str, int] | None = None,
) -> tuple[tuple[Control, ...], CodedRows]:
    """Read the rows of a table with the values of controls.

    Args:
        data: comparisons, one a row.
        words: the controls, each COLUMN or NAME=LEFT,RIGHT.
        by: roles whose levels are kept.
        limits: most clusters of a factor.

    Raises:
        InvalidJudgments: a value that is missing or no finite number, with up to five rows named.
        UnknownColumn: a column that is not there.
        UnknownOption: a word that names no control, or rankings, whose rows are single outputs.

    """
    if data.rankings is not None:
        raise UnknownOption(
            f"{data.source.name} holds rankings, one output a row; controls are differences between"
            " two outputs: give a table of comparisons with a column of differences"
        )
    controls = tuple(find_control(data, word) for word in words)
    names = [control.name for control in controls]
    if len(set(names)) < len(names):
        raise UnknownOption(f"controls {listing(names)}: one name is given twice")
    frame = _blank_uncounted(data, controls)
    table = Table(frame, data.source.name, data.source.connection)
    values = [_difference(table, one, at).alias(f"{_VALUE}{at}") for at, one in enumerate(controls)]
    held = replace(data, frame=frame.with_columns(*values))
    columns = [f"{_VALUE}{at}" for at in range(len(controls))]
    rows = code_rows(held, columns, by=by, limits=limits)
    for control, column, edges in zip(controls, columns, rows.edges, strict=True):
        if not np.isfinite(edges).all():
            raise InvalidJudgments(_say_missing(held, control, column))
    return controls, rows


def _blank_uncounted(data: Comparisons, controls: Sequence[Control]) -> Frame:
    """Blank the controls of rows of weight zero: whatever stands there, these rows do not count."""
    names = {name for control in controls for name in control.columns} - {"weight"}
    if not data.has("weight"):
        return data.frame
    counts = nw.col("weight") != 0
    return data.frame.with_columns(
        *(nw.when(counts).then(nw.col(name)).alias(name) for name in sorted(names))
    )


def _difference(table: Table, control: Control, at: int) -> nw.Expr:
    sides = [
        read_number(table, column, "control").cast(nw.Float64).alias(f"{_VALUE}{at}")
        for column in control.columns
    ]
    return sides[0] if len(sides) == 1 else sides[0] - sides[1]


def _say_missing(data: Comparisons, control: Control, column: str) -> str:
    """Name the rows whose value is missing or infinite."""
    value = nw.col(column)
    none = value.is_null() | ~is_finite(data.frame, column)
    if data.has("weight"):
        none = none & (nw.col("weight") > 0)
    rows = find_rows(data.frame, none)
    shown = " or ".join(f"'{data.source.named(name)}'" for name in control.columns)
    every = [rows[0][name] for name in control.columns]
    what = "is not a finite number" if all(map(_is_given, every)) else "is missing"
    return (
        f"the value of control '{control.name}' {what} in column {shown} of"
        f" {data.source.name}{name_rows(rows)}: fill it, or leave such rows out (--where)"
    )


def _is_given(value: object) -> bool:
    return value is not None and str(value).strip() != "" and value == value  # noqa: PLR0124 - nan is the only value that differs from itself
