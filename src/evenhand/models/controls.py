"""Comparison covariates: what differs between two outputs beside who wrote them, and its effect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Final, cast

import narwhals as nw
import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import rename_columns
from evenhand.data.controls import take_pairs
from evenhand.data.engine import Frame, fetch_columns, is_finite, quote, quote_name
from evenhand.data.rankings import Rankings
from evenhand.data.source import find_rows, fold, name_rows
from evenhand.data.streams import Batch, CodedRows, code_rows
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    listing,
    write_word,
)
from evenhand.formats.grades import is_no_number
from evenhand.formats.table import Table, read_number, refuse_text
from evenhand.models.base import add_reference
from evenhand.models.design import DENSE
from evenhand.models.likelihood import (
    MAX_ETA_STEP,
    Likelihood,
    Local,
    Tie,
    TwoOutcomes,
    expand_blocks,
)
from evenhand.models.log_linear import Fit
from evenhand.models.registry import LogLinearSettings
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.newton import Expansion, Maximum, invert_positive, one_blas_thread
from evenhand.numerics.sampling import RunningSum
from evenhand.render import document as shown
from evenhand.render.document import write_p

# A control is a number x for every comparison, left minus right: the difference in length, or in
# the number of list items. It is said by a column that holds the difference, by two columns whose
# difference it is, or by a SQL expression of columns; `style` stands for those columns of both
# outputs that tell of length and form, each as
#
# x = (left − right) / (left + right + 1)
#
# as in the style control of Chatbot Arena (Li, Angelopoulos & Chiang 2024, Does style matter?; its
# published program standardises x, and adds the 1 so that two empty counts differ by 0).

_VALUE: Final = "evenhand_control_"
_NUMBER: Final = "evenhand_number_"  # A column of text as numbers, for expressions
STYLE: Final = "style"
# Control → what its two columns may be called; the sides are a and b, left and right, or 1 and 2
STYLES: Final[Mapping[str, tuple[str, ...]]] = {
    "length": (
        *("sum_assistant_{}_tokens", "length_{}", "len_{}", "{}_length", "response_length_{}"),
        *("response_{}_length", "output_length_{}", "answer_length_{}", "tokens_{}", "{}_tokens"),
        *("token_count_{}", "num_tokens_{}", "words_{}", "word_count_{}", "num_words_{}"),
        *("chars_{}", "char_count_{}", "num_chars_{}"),
    ),
    "headers": ("header_count_{}", "headers_{}", "num_headers_{}"),
    "lists": ("list_count_{}", "lists_{}", "list_items_{}", "bullets_{}", "num_lists_{}"),
    "bold": ("bold_count_{}", "bold_{}", "num_bold_{}"),
    "markdown": ("markdown_{}", "markdown_count_{}", "num_markdown_{}"),
}
_SIDES: Final = (("a", "b"), ("left", "right"), ("1", "2"))
_SIGNS: Final = re.compile(r"[-+*/%()<>|'\"]")  # Without any of these a word is no expression
_NAMED: Final = re.compile(r"\s*(\w+)\s*=(?![=])(.+)", re.DOTALL)


@dataclass(frozen=True)
class Control:
    name: str  # what it is called in results
    columns: tuple[str, ...]  # the column of differences, or the columns of left and of right
    sql: str = ""  # the SQL expression of these columns, on a table of DuckDB; "" where it is none
    style: bool = False  # whether it is a relative difference, as those of `style`

    @property
    def said(self) -> str:
        """Its name, with what it is made of where that is something else."""
        apart = " − ".join(self.columns)
        made = f"{', '.join(self.columns)}; relative" if self.style else self.sql or apart
        return self.name if made in ("", self.name) else f"{self.name} ({made})"


@dataclass(frozen=True)
class ControlEffect:
    """What a control does to the odds of being preferred, worths being equal."""

    name: str  # the control
    estimate: float  # log-odds per sd of the difference
    stderr: float  # its standard error
    lower: float  # lower end of its interval
    upper: float  # upper end
    p: float  # two-sided p-value
    sd: float  # the sd of the difference, in its own unit
    level: float = 0.95  # nominal level of the interval (proportion)
    rests: str = ""  # why there is no error, in which case `stderr` is infinite; empty otherwise

    @classmethod
    def make(
        cls, control: tuple[str, float], wald: tuple[float, float], level: float, df: float
    ) -> ControlEffect:
        (name, sd), (estimate, stderr) = control, wald
        margin = t_quantile((1 + level) / 2, df) * stderr
        p = t_tail(estimate / stderr, df)
        ends = estimate - margin, estimate + margin
        return cls(name, estimate, stderr, *ends, p, sd, level)

    def without_error(self, reason: str) -> ControlEffect:
        return replace(self, stderr=np.inf, lower=-np.inf, upper=np.inf, p=1.0, rests=reason)

    def to_dict(self) -> dict[str, Any]:
        errors = ("stderr", "lower", "upper", "p")
        known = {name: None if self.rests else getattr(self, name) for name in errors}
        row = {"name": self.name, "estimate": self.estimate, **known, "sd": self.sd}
        row |= {"level": self.level, "per_unit": self.per_unit}
        return row | ({"rests": self.rests} if self.rests else {})

    @property
    def per_unit(self) -> float:
        return self.estimate / self.sd

    @property
    def says(self) -> str:
        if self.rests:
            return (
                f"{self.name}: log-odds {self.estimate:.3f} per sd, {self.per_unit:.4g} per unit;"
                f" sd {self.sd:.4g}; no standard error: {self.rests}"
            )
        verdict = f"{'more' if self.estimate > 0 else 'less'} of it is preferred"
        if self.lower <= 0 <= self.upper:
            verdict = "whether it has an effect is undecided"
        return (
            f"{self.name}: log-odds {self.estimate:.3f} per sd (s.e. {self.stderr:.3f},"
            f" {100 * self.level:g} % {self.lower:.3f} to {self.upper:.3f}, p {write_p(self.p)}),"
            f" {self.per_unit:.4g} per unit; sd {self.sd:.4g}; {verdict}"
        )


def find_control(data: Comparisons, word: str) -> Control:
    """Return the control that a word names: a column, NAME=LEFT,RIGHT, or an expression."""
    if word in data.columns:
        return Control(word, (word,))
    name, sign, pair = word.partition("=")
    text = pair if sign else word
    # every way to take a text for two names: a name may hold a comma
    commas = [at for at, letter in enumerate(text) if letter == ","]
    splits = [(text[:at], text[at + 1 :]) for at in commas]
    known = [split for split in splits if all(side in data.columns for side in split)]
    if not known and word not in data.source.columns.values() and _SIGNS.search(word):
        named = _NAMED.fullmatch(word)
        if "(" in text or not splits:
            name, text = named.groups() if named else (word, word)
            if not data.frame.implementation.is_duckdb():
                raise UnknownOption(
                    f"control '{text.strip()}' is an expression, which needs a file or a DuckDB"
                    " relation: add it to the data frame as a column"
                )
            sql, columns = text.strip(), list[str]()

            def require(column: str) -> str:
                try:
                    columns.append(data.require(column))
                except UnknownColumn as missing:
                    raise UnknownColumn(f"control '{sql}' (--control): {missing}") from None
                return columns[-1]

            rename_columns(sql, require)
            if not columns:
                raise UnknownOption(
                    f"control '{sql}' names no column: it is the same in every comparison"
                )
            return Control(name, tuple(dict.fromkeys(columns)), sql)
    if not sign:
        if known:
            raise UnknownOption(
                f"control '{word}' is two columns without a name: write --control NAME={word}, in"
                f" Python controls=('NAME={word}',)"
            )
        try:
            return Control(word, (data.require(word),))
        except UnknownColumn:
            sides = find_sides(data, word)
            if not sides:
                raise
            given = write_word(f"{word}={','.join(sides)}")
            raise UnknownColumn(
                f"control '{word}' is no column but two, of left and of right: write --control"
                f" {given}, in Python controls=('{given}',)"
            ) from None
    if not name or not splits or not all(splits[0]):
        raise UnknownOption(
            f"control '{word}' is neither COLUMN, which holds the difference of left and right, nor"
            " NAME=LEFT,RIGHT, two columns such as length=length_a,length_b, nor an expression such"
            " as length_a - length_b"
        )
    left, right = (known or splits)[0]
    try:
        return Control(name, (data.require(left), data.require(right)))
    except UnknownColumn as missing:
        raise UnknownColumn(f"control '{word}' (--control): {missing}") from None


def find_sides(data: Comparisons, word: str) -> tuple[str, ...]:
    """Return the columns of left and right that a word names together, such as length, or none."""
    columns = {fold(one): one for one in data.covariates}
    pairs = (tuple(columns.get(fold(f"{word}_{side}"), "") for side in two) for two in _SIDES)
    return next((pair for pair in pairs if all(pair)), ())


def find_style(data: Comparisons) -> tuple[Control, ...]:
    schema, of_duckdb = data.frame.collect_schema(), data.frame.implementation.is_duckdb()
    keys: dict[str, list[str]] = {}  # what is inside columns of objects, on a table of DuckDB
    if of_duckdb:
        for column in data.covariates:
            if isinstance(kind := schema[column], nw.Struct):
                keys[column] = [field.name for field in kind.fields]
        texts = [column for column in data.covariates if schema[column] == nw.String]
        first = fetch_columns(data.frame.select(*texts).head(1)) if texts else {}
        for column in texts:
            for text in first[column].tolist():
                if text and text.lstrip().startswith("{"):
                    with suppress(ValueError):
                        keys[column] = [*json.loads(text)]
    # name, folded → column, and what it is called in it
    places: dict[str, tuple[str, ...]] = {}
    for column, names in keys.items():
        places |= {fold(name): (column, name) for name in names}
    places |= {fold(column): (column,) for column in data.covariates}
    controls = []
    for name, stems in STYLES.items():
        words = ([fold(stem.format(side)) for side in pair] for stem in stems for pair in _SIDES)
        found = next((pair for pair in words if all(one in places for one in pair)), None)
        if found is None:
            continue
        columns, sql = [places[one] for one in found], ""
        if of_duckdb:
            left, right = (_sum_sql(*one, text=schema[one[0]] == nw.String) for one in columns)
            sql = f"({left} - {right}) / ({left} + {right} + 1)"
        shown = tuple(dict.fromkeys(".".join(one) for one in columns))
        controls.append(Control(name, shown, sql, style=True))
    if not controls:
        raise UnknownColumn(
            f"control '{STYLE}' takes what {data.source.name} says of both outputs, such as"
            " length_a and length_b, header_count_a, list_count_a or bold_count_a, and there is"
            f" nothing of it: name two columns (--control NAME=LEFT,RIGHT). It has"
            f" {listing(data.columns)}"
        )
    return tuple(controls)


def _sum_sql(column: str, key: str = "", *, text: bool) -> str:
    """Write a number, or the sum of the counts in an object, such as of headers by their level."""
    value = quote_name(column)
    if text and not key:
        counts = f"try_cast({value} as json)"
    else:
        whole = f"cast({value} as json)" if text else f"to_json({value})"
        counts = f"json_extract({whole}, {quote(f'$.{json.dumps(key)}')})" if key else whole
    number = f"try_cast({counts if key or not text else value} as double)"
    every = f"list_sum(cast(json_extract({counts}, '$.*') as double[]))"
    return f"coalesce({number}, {every})"


def read_controls(
    data: Comparisons,
    words: Sequence[str],
    *,
    by: Sequence[str] = (),
    limits: dict[str, int] | None = None,
) -> tuple[tuple[Control, ...], CodedRows]:
    if data.rankings is not None:
        raise UnknownOption(
            f"{data.source.name} holds rankings, one output a row; controls are differences between"
            " two outputs: give a table of comparisons with a column of differences"
        )
    controls: list[Control] = []
    for word in words:
        styled = word == STYLE and not data.has(STYLE)
        controls += find_style(data) if styled else [find_control(data, word)]
    names = [control.name for control in controls]
    if len(set(names)) < len(names):
        raise UnknownOption(f"controls {listing(names)}: one name is given twice")
    frame = data.frame
    if data.has("weight"):  # whatever stands in rows of weight zero, they do not count
        named = {name for control in controls for name in control.columns}
        sides, counts = named & {*data.columns} - {*data.ROLES}, nw.when(nw.col("weight") != 0)
        counted = [counts.then(nw.col(name)).alias(name) for name in sorted(sides)]
        frame = frame.with_columns(*counted)
    columns = [f"{_VALUE}{at}" for at in range(len(controls))]
    for control, column in zip(controls, columns, strict=True):
        table = Table(frame, data.source.name, data.source.connection)
        if control.sql:
            frame = _evaluate(table, replace(data, frame=frame), control, column)
            continue
        left, *right = (
            read_number(table, side, "control").cast(nw.Float64).alias(column)
            for side in control.columns
        )
        value = left - right[0] if right else left
        if control.style:
            value = value / (left + right[0] + 1.0)
        frame = frame.with_columns(value.alias(column))
    held = replace(data, frame=frame)
    rows = code_rows(held, columns, by=by, limits=limits)
    for control, column, edges in zip(controls, columns, rows.edges, strict=True):
        if not np.isfinite(edges).all():
            raise InvalidJudgments(_say_missing(held, control, column))
    return tuple(controls), rows


def _evaluate(table: Table, data: Comparisons, control: Control, column: str) -> Frame:
    import duckdb

    frame, sql, texts = data.frame, control.sql, dict[str, str]()
    if not control.style:
        for name in control.columns:
            text = table.schema[name] == nw.String
            if text and not find_rows(frame, is_no_number(name), limit=1):
                texts[name] = f"{_NUMBER}{len(texts)}"
        numbers = (
            read_number(table, name, "control", check=False).cast(nw.Float64).alias(alias)
            for name, alias in texts.items()
        )
        frame = frame.with_columns(*numbers) if texts else frame
        sql = rename_columns(sql, lambda name: texts.get(inside := data.require(name), inside))
    without = f" exclude ({', '.join(map(quote_name, texts.values()))})" if texts else ""
    try:
        valued = frame.to_native().project(f"*{without}, cast(({sql}\n) as double) as {column}")
    except duckdb.Error as error:
        from evenhand.data.engine_errors import first_line

        columns = [name for name in control.columns if name not in texts]
        others = [name for name in columns if table.schema.get(name) == nw.String]
        if others and not control.style:  # text that is no number, with its row
            refuse_text(table, others, "control")
        raise UnknownOption(
            f"control '{control.sql}' is no number of each row: {first_line(str(error))}"
        ) from None
    return cast("Frame", nw.from_native(valued))


def _say_missing(data: Comparisons, control: Control, column: str) -> str:
    none = nw.col(column).is_null() | ~is_finite(data.frame, column)
    if data.has("weight"):
        none = none & (nw.col("weight") > 0)
    rows = find_rows(data.frame, none)
    shown = " or ".join(f"'{data.source.named(name)}'" for name in control.columns)
    values = [rows[0].get(name, "") for name in control.columns]
    missing = any(v is None or str(v).strip() == "" or v != v for v in values)  # noqa: PLR0124 - nan
    what = "is missing" if missing else "is not a finite number"
    return (
        f"the value of control '{control.name}' {what} in column {shown} of"
        f" {data.source.name}{name_rows(rows)}: fill it, or leave such rows out (--where)"
    )


# The likelihood of Bradley-Terry models with comparison covariates, summed over rows.
#
# η_c = λ[left_c] − λ[right_c] + δ + Σ_k b_k x_ck / s_k,   x left minus right
#
# log m[left] = μ + η,   log m[tie] = μ + γ,   log m[right] = μ − η
#
# s_k is the sd of x_k over comparisons about zero, √(Σ x² / n): what it is if either output may
# stand left. 2 b_k are log-odds per sd, worths being equal. Style control as Li, Angelopoulos &
# Chiang (2024) proposed for Chatbot Arena is the case without ties, with (left − right)/(left +
# right) as x.
#
# When not to use it: where what is controlled for is part of what makes an output good. A system is
# then not rewarded for answers that are better because they are longer.
#
# Cells no longer suffice. Rows are read once and gone through some at a time, so that memory is
# bounded by the coded rows (which lie in a file where they are many), a batch and the information;
# their sums keep what rounding loses. Parameters come in this order: worths, tie
# parameter, δ, controls, ghosts.


@dataclass(frozen=True, eq=False)
class Part:
    plain: Likelihood  # the likelihood of these rows without controls
    x: Array  # (n, q) standardised differences
    squares: Array  # (n, 3) squared weights, as the tie rule takes them
    batch: Batch  # the rows


@dataclass(frozen=True, eq=False)
class ControlledLikelihood(Likelihood):
    """A design, a tie law, and rows with controls; `counts` are those of pairs."""

    rows: CodedRows = field(kw_only=True)  # the rows, like ones pooled
    scale: Array = field(kw_only=True)  # (q,) sd of each control
    largest: Array = field(kw_only=True)  # (q,) largest |x| of each, in sd
    typical: Array = field(kw_only=True)  # (q,) mean |x| of each, in sd
    rule: LogLinearSettings = field(kw_only=True)  # treats ties

    @property
    def reported(self) -> int:
        return self.n_worths + self.n_ties + self.order_effect + len(self.scale)

    @property
    def before(self) -> int:
        return self.reported - len(self.scale)

    @property
    def cells(self) -> int:
        """Number of free cells, each comparison having cells of its own."""
        each = 1 if isinstance(self.law, TwoOutcomes) else 2
        return each * round(float(self.counts.sum()))

    def slopes(self, beta: Array) -> Array:
        return beta[self.before : self.reported]

    def reach(self, step: Array) -> float:
        """Return how far a step moves η of a typical row and t, in units of MAX_ETA_STEP."""
        return super().reach(step) + float(self.typical @ np.abs(self.slopes(step))) / MAX_ETA_STEP

    def only(self, at: int) -> ControlledLikelihood:
        place = slice(at, at + 1)
        return replace(
            self,
            rows=replace(self.rows, columns=self.rows.columns[place]),
            scale=self.scale[place],
            largest=self.largest[place],
            typical=self.typical[place],
        )

    def split(self, rows: CodedRows | None = None) -> Iterator[Part]:
        for batch in (rows or self.rows).batches(fold=not self.order_effect):
            design = replace(self.design, left=batch.left, right=batch.right)
            counts = np.asfortranarray(self.rule.treat_ties(batch.counts))
            plain = Likelihood(design, self.law, counts, order_effect=self.order_effect)
            squares = counts if batch.squares is None else batch.square_counts
            yield Part(plain, batch.values / self.scale, squares, batch)

    def locate(self, part: Part, beta: Array) -> tuple[Array, Tie]:
        """Return (n,) η of some rows, and the tie parameter."""
        worths, tie, order, _ = self.parts(beta)
        return part.plain.eta(worths, order) + part.x @ self.slopes(beta), tie

    def loglik(self, beta: Array) -> float:
        value = RunningSum.of_shape(())
        for part in self.split():
            value = value.plus(self._expand(part, beta).value.sum())
        return float(value.total)

    def _expand(self, part: Part, beta: Array) -> Local:
        eta, tie = self.locate(part, beta)
        return expand_blocks(self.law, eta, tie, part.plain.counts)

    def expand(self, beta: Array) -> Expansion:
        gradient, information = np.zeros(self.size), np.zeros((self.size, self.size))
        q = self.reported
        sums = [RunningSum.of_shape(shape) for shape in ((), (q,), (q, q))]
        for part in self.split():
            local = self._expand(part, beta)
            terms = local.value.sum(), sum_scores(part, local), sum_row_information(part, local)
            sums = [running.plus(term) for running, term in zip(sums, terms, strict=True)]
        gradient[:q], information[:q, :q] = sums[1].total, sums[2].total
        value = float(sums[0].total) + self._add_ghosts(beta, gradient, information)
        return Expansion(value, gradient, information)


def sum_scores(part: Part, local: Local) -> Array:
    return np.concatenate([part.plain.pull_scores(local), part.x.T @ local.eta])


def sum_row_information(part: Part, local: Local) -> Array:
    plain, x = part.plain, part.x
    m, q = plain.size, x.shape[1]
    information = np.zeros((m + q, m + q))
    information[:m, :m] = plain.pull_information(local)
    none = np.zeros(len(local.eta))
    for at, column in enumerate(x.T, start=m):
        weighed = local.eta_eta * column
        information[m:, at] = x.T @ weighed
        across = replace(local, eta=weighed, tie=local.eta_tie * column, value=none)
        information[:m, at] = information[at, :m] = plain.pull_scores(across)
    return information


# Do controls have estimates, finite and unique?
#
# Aliased: what the other parameters leave of a control is nothing, so that the information has a
# pivot of zero. Its null space is that of the design at any finite point.
#
# Endless: some direction lets no observed outcome fall behind. No linear programme over all rows is
# needed. With H the information and g the gradient where Newton's method stopped, every direction h
# of unit length hᵀHh = 1 has |f'''| ≤ R f'', R being the largest difference of two outcomes' linear
# predictors in one row, so that f' falls below zero further on if g'H⁻¹g R² < 1: then the maximum
# is finite and unique (self-concordance; Bach 2010, Electronic Journal of Statistics 4:384-414,
# lemma 1 and proposition 2). Where estimates run away this can never hold, but g rounds to zero
# there: to √(g'H⁻¹g) is added what summing n rows may have lost, ε n in each place (|x| is at most
# 1 sd on average).

EPSILON: Final = float(np.finfo(np.float64).eps)
# Share of a control's information, beside the other parameters', that is rounding
NO_PIVOT: Final = 1e-9
# Share of the largest step below which a control does not take part in running away
MOVED: Final = 0.1


def check_aliases(
    likelihood: ControlledLikelihood, controls: Sequence[Control], information: Array
) -> None:
    """Refuse controls that other parameters make up, by the information at any point."""
    places = np.arange(likelihood.before, likelihood.reported)
    others = np.delete(np.arange(likelihood.size), places)
    cross = information[np.ix_(others, places)]
    made_up = np.linalg.solve(information[np.ix_(others, others)], cross) if others.size else cross
    left = information[np.ix_(places, places)] - cross.T @ made_up
    total = np.diag(information)[places]
    for i, control in enumerate(controls):
        if left[i, i] <= NO_PIVOT * total[i]:
            with_order = " and the order effect" if likelihood.order_effect else ""
            raise NotIdentified(
                f"control '{control.name}' cannot be distinguished from the systems{with_order}:"
                " it is always the difference of what each system has; leave it out, or use outputs"
                " that differ within a system"
            )
        explained = left[i, :i] @ np.linalg.solve(left[:i, :i], left[:i, i]) if i else 0.0
        if left[i, i] - explained <= NO_PIVOT * total[i]:
            names = listing([earlier.name for earlier in controls[:i]])
            raise NotIdentified(
                f"control '{control.name}' cannot be distinguished from {names} and the systems: it"
                " always goes with them; leave one out"
            )


def check_finite(
    likelihood: ControlledLikelihood, controls: Sequence[Control], peak: Maximum, vcov: Array
) -> None:
    """Refuse a point at which Newton's method only came to rest on a slope without end."""
    step = vcov @ peak.expansion.gradient
    decrement = max(float(peak.expansion.gradient @ step), 0.0)
    errors, p = np.sqrt(np.diag(vcov)), likelihood.n_worths
    lost = EPSILON * float(likelihood.counts.sum()) * float(errors.sum())
    # R: the spread of linear predictors of a row that a direction of unit length makes, at most
    worths = add_reference(vcov, likelihood.design.size, likelihood.design.reference)
    diagonal = np.diag(worths)
    apart = np.sqrt(np.maximum(diagonal[:, None] + diagonal - 2 * worths, 0.0)).max()
    sides = apart + float(likelihood.largest @ likelihood.slopes(errors))
    sides += float(errors[p + likelihood.n_ties]) if likelihood.order_effect else 0.0
    furthest = float(2 * sides) + (float(errors[p]) if likelihood.n_ties else 0.0)
    if (np.sqrt(decrement) + lost) * furthest < 1.0:
        return
    moved = np.abs(likelihood.slopes(step)) * likelihood.largest
    held = moved >= MOVED * moved.max(initial=0.0)
    names = [one.name for one, runs in zip(controls, held, strict=True) if runs]
    raise NotIdentified(refuse_endless(names))


def refuse_endless(names: Sequence[str]) -> str:
    several = len(names) > 1
    return (
        f"control{'s' * several} {listing(names)}: no finite estimate was found; beside the worths"
        f" of the systems every preference goes one way with {'them' if several else 'it'}. Collect"
        f" comparisons that may contradict this, or leave {'one' if several else 'it'} out"
    )


# From rows with controls to a fit.
#
# The fit without controls, which needs cells only, is where Newton's method starts: it also says in
# words whether worths exist at all, since a direction in which they run away is one beside controls
# too.


@dataclass(frozen=True, eq=False, repr=False)
class ControlledFit(Fit):
    """A fit with comparison covariates; worths are those of outputs alike in all of them."""

    likelihood: ControlledLikelihood
    plain: Fit = field(kw_only=True)  # the fit without controls
    controls: tuple[Control, ...] = field(kw_only=True)  # what was controlled for
    rows: CodedRows = field(kw_only=True)  # the judgments, row by row

    by_row: ClassVar[bool] = True

    @cached_property
    def deviance(self) -> float:
        """Minus twice the log-likelihood (nats): every comparison is a cell of its own."""
        return max(-2 * self.loglik, 0.0)

    def document(self) -> shown.Document:
        document = super().document()
        columns = (
            shown.Column("name", "control", "name"),
            shown.Column("estimate", "log-odds per sd", "three"),
            shown.Column("stderr", "s.e.", "three"),
            shown.Column(("lower", "upper"), "95 % interval", "interval three"),
            shown.Column("p", "p", "p"),
            shown.Column("per_unit", "per unit", ".4g", priority=2),
            shown.Column("sd", "sd", ".4g", priority=2),
        )
        rows = tuple({**vars(one), "per_unit": one.per_unit} for one in self.model_effects)
        table = shown.Table("controls", "Effects of controls", columns, rows)
        return replace(document, parts=(*document.parts, table))

    @property
    def slopes(self) -> Mapping[str, float]:
        """Log-odds per sd of each control."""
        slopes = 2 * self.likelihood.slopes(self.beta)
        return {control.name: float(b) for control, b in zip(self.controls, slopes, strict=True)}

    def effects(
        self, stderr: Array, level: float = 0.95, df: float = np.inf
    ) -> tuple[ControlEffect, ...]:
        """Return what each control does, by (p,) standard errors of `beta` without ghosts."""
        errors = 2 * self.likelihood.slopes(np.concatenate([stderr, self.beta[len(stderr) :]]))
        columns = (self.slopes.items(), errors.tolist(), self.likelihood.scale.tolist())
        return tuple(
            ControlEffect.make((name, sd), (slope, error), level, df)
            for (name, slope), error, sd in zip(*columns, strict=True)
        )

    @cached_property
    def model_effects(self) -> tuple[ControlEffect, ...]:
        """What each control does, with 95 % intervals that assume independent judgments."""
        return self.effects(np.sqrt(np.diag(self.raw_vcov)))

    @cached_property
    def expected(self) -> Array:
        raise NotIdentified("with controls the comparisons of a pair have no common expectation")

    @cached_property
    def pearson(self) -> float:
        """Pearson's X² over single comparisons, Σ (1 / p of what was said − 1)."""
        total, likelihood = 0.0, self.likelihood
        for part in likelihood.split():
            chances = np.exp(likelihood.law.log_chances(*likelihood.locate(part, self.beta)))
            seen = part.plain.counts > 0
            total += float((part.plain.counts[seen] * (1 / chances[seen] - 1)).sum())
        return total

    @cached_property
    def gof_p(self) -> float | None:
        """None: with a cell for every comparison the deviance is no χ²."""
        return None


def fit_controlled(model: LogLinearSettings, data: object) -> ControlledFit:
    if isinstance(data, Comparisons | Rankings):
        data = take_pairs(data)
    if not isinstance(data, Comparisons):
        raise InvalidJudgments(
            f"controls differ from row to row, and {type(data).__name__.lower()} has no rows of"
            " comparisons: give comparisons"
        )
    controls, rows = read_controls(data, model.controls)
    return fit_rows(model, controls, rows)


def fit_rows(
    model: LogLinearSettings, controls: tuple[Control, ...], rows: CodedRows
) -> ControlledFit:
    tally = rows.tally()
    if len(tally.systems) > DENSE:
        raise UnknownOption(f"controls are for at most {DENSE:,} systems")
    # root mean square, largest and mean |x| of each column, in its own unit
    q = len(rows.columns)
    largest, squares, sums, n = np.zeros(q), np.zeros(q), np.zeros(q), 0.0
    for batch in rows.batches(fold=False):
        largest = np.maximum(largest, np.abs(batch.values).max(axis=0))
        n += float(batch.weights.sum())
    unit = np.where(largest > 0, largest, 1.0)  # so that squares of huge values stay finite
    for batch in rows.batches(fold=False):
        shares = np.abs(batch.values) / unit
        squares += batch.weights @ shares**2
        sums += batch.weights @ shares
    sd, mean = unit * np.sqrt(squares / n), unit * sums / n
    notes = []
    for control, (least, most), deviation in zip(controls, rows.edges, sd, strict=True):
        if not deviation > 0:
            raise NotIdentified(
                f"control '{control.name}' is 0 in every comparison: there is nothing to control"
                " for, leave it out"
            )
        if least == most:
            raise NotIdentified(
                f"control '{control.name}' is {least:g} in every comparison, left minus right:"
                " that is an advantage of standing left; leave it out, or use --order-effect"
            )
        # a column of differences that may be no differences: one that never changes sign
        never = "below" if least >= 0 else "above" if most <= 0 else ""
        if never and len(control.columns) == 1:
            notes.append(say("control-sign", control=control.name, where=never))
    with one_blas_thread():
        plain = replace(model, controls=()).fit(tally)
        likelihood = ControlledLikelihood(
            plain.design,
            plain.likelihood.law,
            plain.likelihood.counts,
            order_effect=model.order_effect,
            prior=model.prior,
            rows=rows.pooled(fold=not model.order_effect),
            scale=sd,
            largest=largest / sd,
            typical=mean / sd,
            rule=model,
        )
        peak = _climb(likelihood, controls, plain)
        vcov = invert_positive(peak.expansion.information)
        check_finite(likelihood, controls, peak, vcov)
    loglik = likelihood.loglik(peak.at) if model.prior else peak.expansion.value
    names = (*plain.names, *(f"control{i + 1}" for i in range(len(controls))))
    if style := [one for one in controls if one.style]:
        taken = [f"{one.name} ({', '.join(one.columns)})" for one in style]
        notes.append(say("style-controls", controls=taken))
    return ControlledFit(
        model=model,
        systems=plain.systems,
        names=names,
        labels=(*plain.labels, *(control.name for control in controls)),
        estimate=peak.at[: likelihood.reported],
        beta=peak.at,
        dense=True,
        inverse=vcov,
        loglik=loglik,
        df=likelihood.cells - len(names),
        n_judgments=plain.n_judgments,
        n_comparisons=plain.n_comparisons,
        steps=peak.steps,
        decrement=peak.decrement,
        notes=(*plain.notes, *notes),
        likelihood=likelihood,
        tally=plain.tally,
        plain=plain,
        controls=controls,
        rows=rows,
    )


def _climb(likelihood: ControlledLikelihood, controls: tuple[Control, ...], plain: Fit) -> Maximum:
    start = _start(likelihood, plain)
    check_aliases(likelihood, controls, likelihood.expand(start).information)
    try:
        return likelihood.maximise(start)
    except NotConverged as stop:
        endless = []  # controls that run away alone
        for at, control in enumerate(controls):
            one = likelihood.only(at)
            try:
                one.maximise(_start(one, plain))
            except NotConverged:
                endless.append(control.name)
        names = endless or [one.name for one in controls]
        raise NotIdentified(refuse_endless(names)) from stop


def _start(likelihood: ControlledLikelihood, plain: Fit) -> Array:
    at = likelihood.before
    return np.concatenate([plain.beta[:at], np.zeros(len(likelihood.scale)), plain.beta[at:]])


MAX_MOVES_SHOWN: Final = 6  # Most systems that are named for having changed place


@dataclass(frozen=True)
class Controlled:
    effects: tuple[ControlEffect, ...]  # each control's, with intervals as for systems
    # system → place without controls and with them, where the two differ
    moved: Mapping[str, tuple[int, int]]

    @property
    def says(self) -> tuple[str, ...]:
        moves = "no system stands in another place than without controls"
        if self.moved:
            steps = [f"{name} {old} → {new}" for name, (old, new) in self.moved.items()]
            rest = len(steps) - MAX_MOVES_SHOWN
            more = f" and {rest} more" if rest > 0 else ""
            moves = f"places without and with controls: {', '.join(steps[:MAX_MOVES_SHOWN])}{more}"
        return (*(effect.says for effect in self.effects), moves)

    def to_dict(self) -> dict[str, Any]:
        return {
            "controls": [effect.to_dict() for effect in self.effects],
            "moved": [
                {"system": name, "without": old, "with": new}
                for name, (old, new) in self.moved.items()
            ],
        }
