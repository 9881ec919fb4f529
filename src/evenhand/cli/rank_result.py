"""A ranking, or one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from evenhand.cli.board import Scales, draw_board
from evenhand.cli.grouped import group_title
from evenhand.cli.kept import kept_excluded
from evenhand.cli.mixes import say_mix
from evenhand.cli.terminal import label
from evenhand.cli.words import block, say_counts, say_ranked_by, sign
from evenhand.ranking.ranking import (
    GroupedRankings,
    Ranking,
    explain_mark,
    title_ranks,
    write_range,
    write_ranks,
)
from evenhand.report.tables.latex import NONE, escape, number, tabular

CHECKS: Final = "not run here: evenhand report FILE says whether to believe it"


@dataclass(frozen=True, eq=False)
class RankResult:
    """What `evenhand rank` found."""

    found: Ranking | GroupedRankings  # a ranking, or one for each group
    read: Sequence[str]  # what was understood of the files, and what was left out
    scales: Scales  # further columns

    def __post_init__(self) -> None:
        """Take out of the notes what is told of the judgments that were read."""
        from evenhand.judgments.exclusions import note_excluded

        object.__setattr__(self, "found", note_excluded(self.found, kept_excluded(), once=True))

    @property
    def groups(self) -> Mapping[str, Ranking]:
        """Rankings by group; one without a name where there are no groups."""
        return {"": self.found} if isinstance(self.found, Ranking) else self.found.groups

    @property
    def refused(self) -> Mapping[str, str]:
        """Why some groups have no ranking."""
        return {} if isinstance(self.found, Ranking) else self.found.refused

    def text(self, columns: int) -> str:
        """Return boards for people."""
        if isinstance(self.found, Ranking):
            lines = _head(self.found)
            lines += block("read", [*self.read, say_counts(self.found)], columns)
            return "\n".join([*lines, *self._draw(self.found, columns), *_point(columns)]) + "\n"
        n, by = len(self.groups) + len(self.refused), self.found.by
        lines = block("read", [*self.read, f"{n} values of {by}, each ranked by itself"], columns)
        for name, ranking in self.groups.items():
            lines += [*group_title(name, columns), *_head(ranking)]
            lines += [label("read", say_counts(ranking), columns), *self._draw(ranking, columns)]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        return "\n".join([*lines, *_point(columns)]) + "\n"

    def _draw(self, ranking: Ranking, columns: int) -> list[str]:
        """Return everything of a ranking but its counts."""
        method = ranking.method
        if ranking.rank_sets is not None:
            how = method.removeprefix("rank sets ")
            method = f"simultaneous {100 * ranking.level:g} % rank sets and intervals, {how}"
        elif ranking.lower is not None:
            own = "pairs decided one at a time"
            method = f"{ranking.rank_interval} {100 * ranking.level:g} % intervals, {own}, {method}"
        method = f"{say_ranked_by(ranking)}; {method}"
        return [
            label("model", method, columns),
            *([] if ranking.mix is None else [label("mix", say_mix(ranking.mix), columns)]),
            "",
            *draw_board(ranking, self.scales, columns),
            *_neighbours(ranking, columns),
            "",
            label("says", ranking.says, columns, colour="green"),
            *block("held", _held(ranking), columns),
            *(label("note", note, columns, colour="yellow") for note in ranking.notes),
            sign(ranking.signature, columns),
        ]

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a ranking, or of groups."""
        contracts = {}
        for name, ranking in self.groups.items():
            contracts[name] = {**ranking.to_dict(), "systems": self.scales.extend(ranking)}
        if isinstance(self.found, Ranking):
            return {**contracts[""], "notes": [*self.read, *self.found.notes]}
        return {"groups": contracts, "refused": dict(self.refused), "notes": list(self.read)}

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each system, its group first if there are groups."""
        grouped = isinstance(self.found, GroupedRankings)
        return [
            {**({"group": name} if grouped else {}), **row}
            for name, ranking in self.groups.items()
            for row in self.scales.extend(ranking)
        ]

    def latex(self) -> str:
        """Return one table for each ranking."""
        return "\n".join(self._tabular(name, one) for name, one in self.groups.items())

    def _tabular(self, name: str, ranking: Ranking) -> str:
        header = [title_ranks(ranking), *["by itself"] * self.scales.marginal, "system"]
        left = "r" * (len(header) - 1) + "l"
        header += [ranking.scale, rf"{100 * ranking.level:g}\,\% interval"]
        header += ["Elo"] * self.scales.elo + ["worth"] * self.scales.worth
        blocks: dict[int, list[list[str]]] = {}
        for row in self.scales.extend(ranking):
            cells = _cells(row, ranking.scale, marginal=self.scales.marginal)
            blocks.setdefault(row["cluster"] or 1, []).append(cells)
        comments = [*([name] if name else []), ranking.signature, *self.remarks_on(ranking)]
        columns = left + "r" * (len(header) - len(left))
        below = [ranking.headline] if ranking.headline else []
        return tabular(columns, header, list(blocks.values()), comments, below)

    def remarks_on(self, ranking: Ranking) -> list[str]:
        """Return what must stand beside one ranking."""
        headline = [ranking.headline] if ranking.headline else []
        return [*headline, *_held(ranking), *explain_mark(ranking), *ranking.notes]

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        said = [
            f"{name}: {remark}" if name else remark
            for name, ranking in self.groups.items()
            for remark in self.remarks_on(ranking)
        ]
        return [*said, *(f"{name} is not ranked: {why}" for name, why in self.refused.items())]


def _head(ranking: Ranking) -> list[str]:
    return [click.style(ranking.headline, bold=True)] if ranking.headline else []


def _point(columns: int) -> list[str]:
    """Return where the checks are that a ranking does not make."""
    return [label("checks", CHECKS, columns)]


def _held(ranking: Ranking) -> tuple[str, ...]:
    """Return what is said of controls."""
    return () if ranking.controlled is None else ranking.controlled.says


def _neighbours(ranking: Ranking, columns: int) -> list[str]:
    """Return differences of neighbours where there are too many systems for intervals."""
    if not ranking.neighbours:
        return []
    said = [
        f"{c.systems[0]} − {c.systems[1]} {c.estimate:.3f} (s.e. {c.stderr:.3f})"
        for c in ranking.neighbours
    ]
    return ["", *block("pairs", said, columns)]


def _cells(row: Mapping[str, Any], scale: str, *, marginal: bool) -> list[str]:
    """Return the cells of a LaTeX row."""
    cells = [write_ranks(row, "--", r"$^\dagger$")]
    cells += [write_range(row["marginal_lower"], row["marginal_upper"], "--")] if marginal else []
    ends = NONE
    if row["lower"] is not None:
        ends = f"[{number(row['lower'], 2)}, {number(row['upper'], 2)}]"
    cells += [escape(row["system"]), number(row[scale.replace("-", "_")], 2), ends]
    cells += [number(row["elo"], 0)] if "elo" in row else []
    return [*cells, number(row["worth"], 3)] if "worth" in row else cells
