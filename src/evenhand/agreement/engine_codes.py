"""Labels of scores become whole numbers in the engine: to group by these costs half of it.

Labels are numbered in their order by the engine itself, so that none leaves it but the names of
levels, and of the items that are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.agreement.engine_rows import MOMENT, NeedsRows, Targets
from evenhand.judgments.byte_order import ORDER, add_order
from evenhand.judgments.engine import COUNT, Frame, fetch_columns
from evenhand.judgments.held_table import hold_table
from evenhand.judgments.row_order import PLACE

NAME: Final = "evenhand_name"
_CODE: Final = "evenhand_code"
_SPACES: Final = [chr(code) for code in range(0x3001) if chr(code).isspace()]


@dataclass(frozen=True)
class PairNames(Sequence[str]):
    """Names of pairs of systems by number: that of the first, times how many there are, and second.

    Attributes:
        systems: names, sorted.

    """

    systems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.systems) ** 2

    def __getitem__(self, number: Any) -> Any:
        """Return one name."""
        first, second = divmod(int(number), len(self.systems))
        return f"{self.systems[first]} | {self.systems[second]}"


@dataclass(frozen=True, eq=False)
class Coded:
    """The scores that count, where they lie, with numbers for labels.

    Attributes:
        targets: the scores, with labels.
        tables: label → a table of the engine with the number of each, and items' full names.
        names: further label, but judges → the names of its levels, by number.

    """

    targets: Targets
    tables: Mapping[str, Frame]
    names: Mapping[str, Sequence[str]]

    @property
    def items(self) -> Frame:
        """The number of each item, and its name with its task."""
        return self.tables["item"].select(nw.col(_CODE).alias("item"), NAME)

    def frame(self, labels: Sequence[str], beside: Sequence[str] = ()) -> Frame:
        """Return one row for each score: numbers of labels, score, moment, place and weight.

        Args:
            labels: the labels.
            beside: further columns.

        """
        frame, known = self.targets.frame, self.targets.numbered
        for name in (one for one in labels if one not in known):
            on = _match(self.targets, name)
            codes = self.tables[name].select(*on, nw.col(_CODE).alias(f"{_CODE}_{name}"))
            frame = frame.join(codes, on=on, how="inner")  # type: ignore[arg-type]
        codes_of = [
            nw.col(name if name in known else f"{_CODE}_{name}").alias(name) for name in labels
        ]
        moment = [MOMENT] if self.targets.timed else []
        place = [PLACE] if self.targets.placed else []
        weight = [] if self.targets.weight is None else [self.targets.weight]
        return frame.select(*codes_of, "score", *beside, *moment, *place, *weight)

    @property
    def keys(self) -> tuple[str, ...]:
        """Labels that tell units apart: an item is one of a task."""
        return tuple(one for one in self.targets.labels if one not in ("judge", "task"))


@contextmanager
def code_targets(targets: Targets) -> Iterator[Coded]:
    """Number the labels; the tables of them are held while the context lasts.

    Raises:
        NeedsRows: a label that is missing or has an outer blank.

    """
    with ExitStack() as stack:
        known = targets.numbered
        words = [name for name in targets.labels if name not in known]
        if targets.aside is not None:
            for name in words:
                check_names(targets.aside, name)
        tables = {name: stack.enter_context(_number(targets, name)) for name in words}
        for name, table in tables.items():
            check_names(table, name)
        names = {
            name: _fetch_names(table, name)
            for name, table in tables.items()
            if name not in ("judge", "item")
        }
        yield Coded(targets, tables, {**names, **known})


@contextmanager
def _number(targets: Targets, name: str) -> Iterator[Frame]:
    """Number the labels of a column in their order; items with their tasks."""
    on = _match(targets, name)
    shown = nw.concat_str([nw.col(one) for one in on], separator=" / ")
    table = targets.frame.group_by(*on).agg(nw.len().alias(COUNT)).with_columns(shown.alias(NAME))
    numbered: Frame = add_order(table, NAME).with_row_index(_CODE, order_by=[ORDER, *on])
    numbered = numbered.drop(ORDER).with_columns(nw.col(_CODE).cast(nw.Int32))
    with hold_table(numbered, targets.connection) as held:
        yield held


def _match(targets: Targets, name: str) -> list[str]:
    """Return the columns by which a label is known."""
    return ["task", "item"] if name == "item" and "task" in targets.labels else [name]


def check_names(table: Frame, name: str) -> None:
    """Leave labels that are missing or have outer blanks to who names their rows.

    Raises:
        NeedsRows: there is one.

    """
    label = nw.col(name)
    first, last = label.str.head(1), label.str.tail(1)
    odd = label.is_null() | (label == "") | first.is_in(_SPACES) | last.is_in(_SPACES)
    if len(fetch_columns(table.filter(odd).select(name).head(1))[name]):
        raise NeedsRows("labels that cannot be are named with their rows")


def _fetch_names(table: Frame, name: str) -> tuple[str, ...]:
    """Fetch the labels of a column, by number."""
    found = fetch_columns(table.select(_CODE, name))
    order = np.argsort(found[_CODE])
    return tuple(found[name][order].tolist())
