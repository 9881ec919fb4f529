"""From a chart of the figures to one of the report: what is drawn apart from how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from evenhand.report.document import Figure, Row

# What the page decides: it has its own titles, widths and colours
DROPPED: Final = ("$schema", "title", "width", "autosize", "config", "background")


def take_chart(
    chart: Any, name: str, title: str, alt: str, *, table: str = "", wide: bool = False
) -> Figure:
    """Return a chart as a figure of a report."""
    whole = chart.to_dict(validate=False)  # the tests do, which costs most of the time
    shelf = Shelf(whole.pop("datasets", {}))
    spec = shelf.lift(whole)
    dropped = {*DROPPED} - ({"width"} if wide else set())
    kept = {key: value for key, value in spec.items() if key not in dropped}
    return Figure(name, title, alt, kept, dict(shelf.rows), table, wide)


class Shelf:
    """Where the rows of a chart are put while it is taken apart."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        """Begin with the rows that the chart has given names itself."""
        self.rows: dict[str, tuple[Row, ...]] = {}
        self._known = known

    def lift(self, spec: Any) -> Any:
        """Return a specification whose data have names; put the rows aside."""
        if isinstance(spec, list):
            return [self.lift(one) for one in spec]
        if not isinstance(spec, Mapping):
            return spec
        lifted = {key: self.lift(value) for key, value in spec.items() if key != "data"}
        if "data" in spec:
            lifted["data"] = self._name(spec["data"])
        return lifted

    def _name(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give rows a name, the same one to the same rows."""
        rows = self._known.get(data.get("name", ""), data.get("values"))
        if rows is None:  # such as a sequence, which the chart makes itself
            return data
        same = (name for name, known in self.rows.items() if known == tuple(rows))
        name = next(same, f"rows{len(self.rows) + 1}" if self.rows else "rows")
        self.rows[name] = tuple(rows)
        return {"name": name}


@contextmanager
def draw_unchecked() -> Iterator[None]:
    """Draw charts without Altair's checks of every part of them, inside the block."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield


def join_chart(figure: Figure) -> dict[str, Any]:
    """Return the whole Vega-Lite of a figure: with its data and title."""
    datasets = {name: [dict(row) for row in rows] for name, rows in figure.datasets.items()}
    return {**figure.spec, "title": figure.title, "datasets": datasets}
