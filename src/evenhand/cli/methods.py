"""`evenhand rank --method`: the same judgments ranked by a rule, or by several side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import click

import evenhand
from evenhand.cli.options import is_given
from evenhand.cli.result import (
    Column,
    GroupedResult,
    draw_parts,
    draw_table,
    group_title,
    rule_clusters,
    split_clusters,
    tabulate,
)
from evenhand.cli.running import ProgressDisplay, remarks_on
from evenhand.cli.terminal import (
    block,
    label,
    plural,
    say_notes,
    say_tally,
    shorten,
    tell_apart,
    whole,
    width,
)
from evenhand.errors import UnknownOption, listing
from evenhand.ranking.methods import Disagreement, MethodTable
from evenhand.ranking.ranking import write_range
from evenhand.ranking.rules import find_rule
from evenhand.report.latex import NONE, comment, escape, escape_control, tabular

if TYPE_CHECKING:
    from evenhand.cli.running import Output, Reading

DEFAULT: Final = "bradley-terry"
# Settings of the default ranking alone
MODEL: Final = ("ties", "order_effect", "prior", "control", "interval", "cluster", "level")
# Settings of how the default ranking is shown by itself
BOARD: Final = ("model", "mixes", "per", "reference", "elo", "worth", "marginal", "control")
OPTIONS: Final = {"mixes": "mix"}  # Parameter → its option, where that has another name


def deliver_methods(context: click.Context, reading: Reading, place: Output) -> None:
    from evenhand.ranking.methods import choose_methods

    given = context.params
    methods = choose_methods(given["methods"])
    option_names = [name for name in given if is_given(name)]
    refuse_unused(option_names, methods)
    with ProgressDisplay("ranking") as patience:
        data = reading.open_comparisons("rank")
        result = evenhand.compare_methods(
            data,
            methods=methods,
            model=evenhand.BradleyTerry(
                ties=given["ties"],
                order_effect=given["order_effect"],
                prior=given["prior"],
                controls=given["control"],
            ),
            interval=given["interval"],
            cluster=given["cluster"],
            level=given["level"],
            seed=given["seed"],
            group_by=given["group_by"],
            progress=patience.step,
        )
        remarks = remarks_on(data)

    # The board of one method, or the table of several
    groups: Mapping[str, MethodTable] = (
        {"": result} if isinstance(result, MethodTable) else result.groups
    )
    by = "" if isinstance(result, MethodTable) else result.by
    kind = BoardResult if len(methods) == 1 else MethodsResult
    place.deliver(kind(groups, {}, remarks, methods=methods, by=by))


def refuse_unused(option_names: Sequence[str], methods: Sequence[str]) -> None:
    from evenhand.ranking.rules import RULES

    rules = [name for name in methods if name != DEFAULT]
    for name in option_names:
        option = f"--{OPTIONS.get(name, name).replace('_', '-')}"
        if name in BOARD:
            raise UnknownOption(
                f"{option} is for the board of {DEFAULT}, not for --method {listing(rules)}: leave"
                " it out"
            )
        if name in MODEL and DEFAULT not in methods:
            raise UnknownOption(
                f"{option} is a setting of {DEFAULT}, and --method {listing(rules)} does not know"
                f" it: leave it out, or add --method {DEFAULT}"
            )
        if name == "seed" and not (DEFAULT in methods or any(RULES[one].seeded for one in rules)):
            raise UnknownOption(f"--seed: --method {listing(rules)} draws nothing: leave it out")


def abbreviate(methods: Sequence[str]) -> Mapping[str, str]:
    """Give every method a head of a few letters, no two alike.

    >>> dict(abbreviate(["bradley-terry", "bojar", "win-rate", "won-rows"]))
    {'bradley-terry': 'BT', 'bojar': 'Boj', 'win-rate': 'WR', 'won-rows': 'WR2'}
    """
    heads: dict[str, str] = {}
    for name in methods:
        words = name.split("-")
        head = "".join(word[0] for word in words).upper()
        head = head if len(words) > 1 else name[:3].capitalize()
        same = sum(one.rstrip("23456789") == head for one in heads.values())
        heads[name] = f"{head}{same + 1}" if same else head
    return heads


Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class TablesResult(GroupedResult[MethodTable]):
    methods: Sequence[str] = ()  # names of the methods
    by: str = ""  # the column that tells the groups apart

    def __post_init__(self) -> None:
        """Add nothing: tables carry what was excluded."""

    @abstractmethod
    def head(self, columns: int) -> str:
        """Return what stands above all tables."""

    def text(self, columns: int) -> str:
        summary = f"{len(self.groups)} values of {self.by}, each ranked by itself"
        summary = summary if self.grouped else say_table(self.groups[""])
        lines = [*block("read", [*self.read, summary], columns), self.head(columns)]
        for name, table in self.groups.items():
            if self.grouped:
                lines += group_title(name, columns)
                lines.append(label("read", say_table(table), columns))
            lines += self.draw(table, columns)
        return "\n".join(lines) + "\n"


class BoardResult(TablesResult):
    @property
    def method(self) -> str:
        return self.methods[0]

    def head(self, columns: int) -> str:
        return label("method", f"{self.method}: {find_rule(self.method).title}", columns)

    def draw(self, part: MethodTable, columns: int) -> list[str]:
        if self.method in part.refused:
            return [label("error", part.refused[self.method], columns, colour="red")]
        return [
            "",
            *draw_rows(part.board(self.method), part.scores[self.method].unit, columns),
            "",
            *say_notes(self._notes(part), columns),
            label("sign", part.signature(self.method), columns),
        ]

    def _notes(self, part: MethodTable) -> list[str]:
        scores = part.scores.get(self.method)
        return [*part.notes, *(() if scores is None else scores.notes)]

    def contract(self) -> dict[str, Any]:
        tables = self.groups.items()
        ranked = {name: one for name, one in tables if self.method in one.scores}
        refused = {name: one.refused[self.method] for name, one in tables if name not in ranked}
        return GroupedResult.contract(replace(self, groups=ranked, refused=refused))

    def describe(self, part: MethodTable) -> dict[str, Any]:
        return {
            "signature": part.signature(self.method),
            "method": self.method,
            "unit": part.scores[self.method].unit,
            "n_judgments": whole(part.n_judgments),
            "n_comparisons": whole(part.n_comparisons),
            "systems": part.board(self.method),
            "notes": self._notes(part),
        }

    def rows(self, part: MethodTable) -> list[dict[str, Any]]:
        return part.board(self.method) if self.method in part.scores else []

    def tabulate(self, part: MethodTable) -> str:
        if self.method not in part.scores:
            return comment([part.refused[self.method]])
        rows = part.board(self.method)
        comments = [part.signature(self.method), *self._notes(part)]
        table = _choose_columns(rows, part.scores[self.method].unit)
        return tabulate(table, split_clusters(rows), comments)

    def say(self, part: MethodTable) -> list[str]:
        return [*self._notes(part), *part.refused.values()]


def say_table(table: MethodTable) -> str:
    return say_tally(table.n_judgments, table.n_comparisons, len(table.systems), table.ties)


def draw_rows(rows: Sequence[Row], unit: str, columns: int) -> list[str]:
    return rule_clusters(
        draw_table(_choose_columns(rows, unit), rows, columns), [row["cluster"] for row in rows]
    )


def _choose_columns(rows: Sequence[Row], unit: str) -> list[Column]:
    """Return the columns of a board; scores that are only places are left out."""
    columns = [Column.number("place", "place"), Column.names("system", "system")]
    counted = all(float(row["score"]).is_integer() for row in rows)
    scores = {unit: ("score", 0 if counted else 4), "s.e.": ("stderr", 4)}
    for title, (key, digits) in scores.items():
        if title != "place" and all(row[key] is not None for row in rows):
            columns.append(Column.number(title, key, f"z.{digits}f", escape(title)))
    if all(row["rank_lower"] is not None for row in rows):
        columns.append(
            Column.number("range", lambda row: write_range(row["rank_lower"], row["rank_upper"]))
        )
    return columns


MIN_NAME: Final = 14  # Columns that names have before methods go to a second block
MAX_DISPUTES: Final = 10  # Disputed pairs that are named; JSON has them all


class MethodsResult(TablesResult):
    @property
    def heads(self) -> Mapping[str, str]:
        return abbreviate(self.methods)

    def head(self, columns: int) -> str:
        pairs = self.heads.items()
        legend = ", ".join(f"{head} {name}".replace(" ", "\u00a0") for name, head in pairs)
        return label("heads", legend, columns).replace("\u00a0", " ")

    def draw(self, part: MethodTable, columns: int) -> list[str]:
        lines = [
            label("error", f"{name} refused: {why}", columns, colour="red")
            for name, why in part.refused.items()
        ]
        if part.scores:
            lines += ["", *draw_places(part, self.heads, columns)]
            lines += ["", *draw_distances(part, self.heads, columns)]
            lines += ["", *block("differ", say_disputes(part, self.heads, columns), columns)]
            lines.append(label("says", part.says, columns, colour="green"))
        lines += say_notes(self._notes(part), columns)
        return [*lines, label("sign", part.signatures, columns)] if part.scores else lines

    def _notes(self, table: MethodTable) -> list[str]:
        method_notes = [
            f"{name}: {note}" for name, one in table.scores.items() for note in one.notes
        ]
        return [*table.notes, *method_notes]

    def contract(self) -> dict[str, Any]:
        contract = super().contract()
        if self.grouped:
            del contract["refused"]  # each table says which of its methods were refused
        return contract

    def describe(self, part: MethodTable) -> dict[str, Any]:
        contract = part.to_dict()
        return contract | {name: whole(contract[name]) for name in ("n_judgments", "n_comparisons")}

    def rows(self, part: MethodTable) -> list[dict[str, Any]]:
        return [{"system": row["system"], **row["places"]} for row in part.rows()]

    def tabulate(self, part: MethodTable) -> str:
        if not part.scores:
            return comment(self.say(part))
        shown = {name: [c.replace("-", "--") for c in texts] for name, texts in part.shown.items()}
        places = [shown.get(name, [NONE] * len(part.systems)) for name in part.methods]
        rows = [list(row) for row in zip(map(escape, part.systems), *places, strict=True)]
        legend = [f"{head}: {name}" for name, head in self.heads.items()]
        header = ["system", *map(escape, self.heads.values())]
        comments = [part.signatures, *legend, *self.say(part)]
        return tabular("l" + "r" * len(self.heads), header, [rows], comments)

    def say(self, part: MethodTable) -> list[str]:
        refused = [f"{name} refused: {why}" for name, why in part.refused.items()]
        return [*refused, *([part.says] if part.scores else []), *self._notes(part)]


def draw_places(table: MethodTable, heads: Mapping[str, str], columns: int) -> list[str]:
    names, name_note = [escape_control(name) for name in table.systems], ""
    cells = [[heads[method], *places] for method, places in table.shown.items()]
    needed = sum(max(map(width, one)) + 1 for one in cells)
    if max(map(width, names)) + needed + 2 > columns:
        names, name_note = shorten(names)
    shown = ["system", *names]
    room = max(min(max(map(width, shown)), MIN_NAME), columns - needed - 2)
    apart = tell_apart(shown, room)
    # A wider gap behind the names
    first = Column(f"{apart['system']} ", lambda at: f"{apart[names[at]]} ")
    places = [Column.number(head, texts.__getitem__) for head, *texts in cells]
    parts = draw_parts([first, *places], range(len(names)), columns, gap=" ")
    lines = [line for part in parts for line in ("", *part)][1:]
    return [*lines, click.style(f" {name_note}", dim=True)] if name_note else lines


def draw_distances(table: MethodTable, heads: Mapping[str, str], columns: int) -> list[str]:
    short = [heads[name] for name in table.scores]
    k = len(table.systems)
    title = f" Kendall distances, of {plural(k * (k - 1) / 2, 'pair')}"
    if not table.distances.any():
        return [click.style(f"{title}: 0 between any two methods", dim=True)]
    rows = [
        (name, *(f"{one:g}" if i < at else "" for i, one in enumerate(row)))
        for at, (name, row) in enumerate(zip(short, table.distances.tolist(), strict=True))
    ]
    others = [Column.number(name, itemgetter(i)) for i, name in enumerate(short[:-1], start=1)]
    lines = [click.style(title, dim=True)]
    for part in draw_parts([Column("", itemgetter(0)), *others], rows, columns - 1, gap=" "):
        # of a further part, whose columns are the last ones, the first rows are empty
        further = len(lines) > 1
        heads_line, *drawn = part
        lines.append(click.unstyle(heads_line))
        pairs = zip(short, drawn, strict=True)
        lines += [line for name, line in pairs if not further or line.strip() != name]
    return lines


def say_disputes(table: MethodTable, heads: Mapping[str, str], columns: int) -> list[str]:
    """Name the pairs that methods order differently, the most disputed first."""
    k = len(table.systems)
    pairs = plural(k * (k - 1) / 2, "pair")
    if len(table.scores) < 2:
        return ["only one method could rank"]
    if not table.disputes:
        order = "the pair" if k == 2 else f"any of {pairs}"
        return [f"nowhere: no two methods order {order} differently"]
    wide = 2 * max(map(width, table.systems)) > columns // 2
    shown = shorten(table.systems)[0] if wide else table.systems
    names = dict(zip(table.systems, shown, strict=True))
    lines = [f"methods differ on {len(table.disputes):,} of {pairs}, most on"]
    lines += [_say_dispute(one, names, heads) for one in table.disputes[:MAX_DISPUTES]]
    more = len(table.disputes) - MAX_DISPUTES
    return [*lines, f"and {plural(more, 'more pair')}"] if more > 0 else lines


def _say_dispute(one: Disagreement, names: Mapping[str, str], heads: Mapping[str, str]) -> str:
    """Say the order that most methods see, and which do not; of equally many, the table's."""
    place = list(names).index
    first, second = one.systems
    most, least = one.first_better, one.second_better
    if (len(least), -place(second)) > (len(most), -place(first)):
        first, second, most, least = second, first, least, most
    order = f"{names[first]} before {names[second]}"
    if len(most) > len(least) and not one.level:
        return f"{order}: all but {_heads(least, heads)}"
    text = f"{order}: {_heads(most, heads)}; after: {_heads(least, heads)}"
    return f"{text}; level: {_heads(one.level, heads)}" if one.level else text


def _heads(methods: Sequence[str], heads: Mapping[str, str]) -> str:
    return " ".join(heads[name] for name in methods)
