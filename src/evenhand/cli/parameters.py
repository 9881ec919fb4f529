"""Words that options take: one of a few, `role=column`, `label=outcome`, numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.errors import end, suggest

if TYPE_CHECKING:
    Word = click.ParamType[str]
    Pair = click.ParamType[tuple[str, str]]
    Whole = click.ParamType[tuple[int, ...]]
    Words = click.ParamType[tuple[str, ...]]
else:  # not generic before click 8.3
    Word = Pair = Whole = Words = click.ParamType


_SIZE: Final = re.compile(r"0*[1-9]\d*(\.\d+)? ?[KMGT]i?B", re.IGNORECASE)


class OneOf(Word):
    """One of a few words; a misspelt one is refused with what it may have been."""

    name = "choice"

    def __init__(self, choices: Sequence[str], later: Mapping[str, str] | None = None) -> None:
        self.choices = tuple(choices)
        self.later = later or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word if it is one of the choices."""
        if value in self.later:
            self.fail(self.later[value], param, ctx)
        if value not in self.choices:
            hint = end(suggest(str(value), self.choices))
            self.fail(f"'{value}' is not one of {' | '.join(self.choices)}{hint}", param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Show the choices in the help."""
        return "|".join(self.choices)


class Size(Word):
    """A size of memory, such as 4GB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the size if it is one."""
        if not _SIZE.fullmatch(str(value)):
            self.fail(
                f"'{value}' is no size: write a number and KB, MB, GB or TB, as 4GB", param, ctx
            )
        return str(value)


class SomeOf(Words):
    """Some of a few words, with commas between, such as `svg,pdf`."""

    name = "choices"

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the words, each once, if they are among the choices."""
        if isinstance(value, tuple):
            return value
        one = OneOf(self.choices)
        words = [one.convert(word.strip(), param, ctx) for word in str(value).split(",")]
        return tuple(dict.fromkeys(words))

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Show the choices in the help."""
        return ",".join(self.choices)


class WholeFrom(click.types.IntParamType):
    """A whole number that is not too small."""

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number if it is large enough."""
        number = int(super().convert(value, param, ctx))
        if number < self.least:
            self.fail(f"{number}: a whole number, {self.least} or more", param, ctx)
        return number


SEEDS: Final = WholeFrom(0)


class RoleColumn(Pair):
    """`role=column`, such as `judge=annotator`."""

    name = "role=name"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return role and column."""
        if isinstance(value, tuple):
            return value
        role, sign, column = str(value).partition("=")
        if not (role and sign and column):
            self.fail(f"'{value}' is not role=name, such as judge=annotator", param, ctx)
        return role, column


class CovariateLevel(Pair):
    """`column=level`, such as `native=yes`; a level may hold "=" itself."""

    name = "column=level"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return column and level."""
        if isinstance(value, tuple):
            return value
        column, sign, level = str(value).partition("=")
        if not (column and sign and level):
            self.fail(f"'{value}' is not column=level, such as native=yes", param, ctx)
        return column, level


class LabelOutcome(Pair):
    """`label=outcome`, such as `A is better=left`; a label may hold "=" itself."""

    name = "label=outcome"
    outcomes = ("left", "tie", "right")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return label and outcome."""
        if isinstance(value, tuple):
            return value
        label, _, outcome = str(value).rpartition("=")
        if not label or outcome not in self.outcomes:
            said = f"'{value}' is not label=left, label=tie or label=right, such as 1=left"
            self.fail(said + end(suggest(outcome, self.outcomes) if label else ""), param, ctx)
        return label, outcome


class Numbers(Whole):
    """Whole numbers with commas between, such as `100,200`."""

    name = "numbers"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        if not all(word.isdecimal() for word in words):
            self.fail(f"'{value}' is no list of whole numbers, such as 100,200,400", param, ctx)
        return tuple(map(int, words))
