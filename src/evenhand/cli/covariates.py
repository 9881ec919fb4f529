"""Covariates from the command line: tables to join, and columns that worths or ties depend on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import Section, covariate_option, stack
from evenhand.cli.parameters import CovariateLevel
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons


GROUPS: Final[Mapping[str, str]] = {"judge": "--group-by", "item": "--group-by"}
# Role → the option that names a column of its table
COVARIATES: Final[dict[str, str]] = {"judge": "--judge-covariate", "item": "--judge-covariate"}


class _Input(Section):
    heading = "What to read"


class _Model(Section):
    heading = "Model"


join_options = stack(
    click.option(
        "--judges",
        cls=_Input,
        metavar="FILE",
        help="A table with one row for each judge: its columns become columns of the judgments.",
    ),
    click.option(
        "--items", cls=_Input, metavar="FILE", help="The same with one row for each item."
    ),
)

effect_options = stack(
    covariate_option,
    click.option(
        "--item-covariate",
        "item_covariates",
        cls=_Model,
        multiple=True,
        metavar="COLUMN",
        help="The same for items, such as their origin or domain. Repeatable.",
    ),
    click.option(
        "--tie-covariate",
        "tie_covariates",
        cls=_Model,
        multiple=True,
        metavar="COLUMN",
        help="Judges or items with different values have tie parameters of their own. Repeatable.",
    ),
    click.option(
        "--reference-level",
        "levels",
        cls=_Model,
        multiple=True,
        type=CovariateLevel(),
        metavar="COLUMN=LEVEL",
        help="The group that others are compared with. Default: the first by name. Repeatable.",
    ),
    click.option(
        "--systems",
        cls=_Model,
        metavar="FILE",
        help="A table with one row for each system: worths are a sum over its columns.",
    ),
    click.option(
        "--system-covariate",
        "system_covariates",
        cls=_Model,
        multiple=True,
        metavar="COLUMN",
        help="Which columns of --systems; numbers or levels. Default: all. Repeatable.",
    ),
)


@dataclass(frozen=True)
class Effects:
    """What worths and ties are said to depend on."""

    judges: tuple[str, ...] = ()  # columns that describe judges
    items: tuple[str, ...] = ()  # columns that describe items
    ties: tuple[str, ...] = ()  # columns by which tie parameters differ
    levels: tuple[tuple[str, str], ...] = ()  # pairs of a column and its reference level
    systems: str | None = None  # a file that describes systems, or None
    of_systems: tuple[str, ...] = ()  # which of its columns; none for all

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of judgments, or of tables joined to them, that something depends on."""
        return (*self.judges, *self.items, *self.ties)

    def settings(self, data: Comparisons) -> dict[str, Any]:
        """Return the settings of a model asked for, columns by the names they have here."""
        found: dict[str, Any] = {}
        if self.judges or self.items:
            found["judge_covariates"] = tuple(map(data.require, (*self.judges, *self.items)))
        if self.ties:
            found["tie_covariates"] = tuple(map(data.require, self.ties))
        if self.levels:
            found["references"] = _join_levels(self.levels, data)
        if self.of_systems and self.systems is None:
            raise UnknownOption(
                "--system-covariate names columns of a table: name it, --systems FILE"
            )
        if self.systems is not None:
            from evenhand.formats.covariates import read_system_covariates, refuse_missing

            found["system_covariates"] = read_system_covariates(self.systems, self.of_systems)
            refuse_missing(found["system_covariates"], data.tally().systems, self.systems)
        return found


def _join_levels(levels: tuple[tuple[str, str], ...], data: Comparisons) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for column, level in levels:
        name = data.require(column)
        if found.get(name, level) != level:
            raise UnknownOption(
                f"--reference-level: {column} is given two levels, '{found[name]}' and '{level}':"
                " one will do"
            )
        found[name] = level
    return found


def refuse_tables(judges: str | None, items: str | None, asked: str) -> None:
    """Refuse tables of judges or items where nothing is made of them."""
    given = [f"--{name}" for name, path in (("judges", judges), ("items", items)) if path]
    if given:
        raise UnknownOption(f"{' and '.join(given)} cannot be joined for {asked}: leave it out")


def join_tables(
    data: Comparisons,
    judges: str | None,
    items: str | None,
    *,
    used: Collection[str | None],
    options: Mapping[str, str] = GROUPS,
) -> Comparisons:
    """Join what is known of judges and items to comparisons."""
    for role, path in (("judge", judges), ("item", items)):
        if path is not None:
            from evenhand.formats.covariates import open_covariates

            data.require(role)
            table = open_covariates(path, on=role, named=data.source.columns.get(role))
            name, before = Path(path).name, data.columns
            data = data.join(table, on=role, named=name)
            new = [column for column in data.columns if column not in before]
            if new and role in options and not {*new} & {*used}:
                note = _say_unused(new, name, options[role])
                data = replace(data, source=data.source.noting(note))
    return data


def _say_unused(columns: Sequence[str], name: str, option: str) -> str:
    several = len(columns) > 1
    return (
        f"column{'s' * several} {listing(columns)} of {name} {'are' if several else 'is'} not used:"
        f" name one with {option}"
    )
