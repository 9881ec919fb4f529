"""What `evenhand rank` found, and the options that say by which model and which mix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from evenhand.cli.options import (
    MODEL_OPTIONS,
    OneOf,
    Parsed,
    refuse_unknown_settings,
    section,
    stack,
)
from evenhand.cli.result import GroupedResult, group_title, rule_clusters, split_clusters
from evenhand.cli.terminal import (
    align,
    bar,
    block,
    label,
    pad,
    say_counts,
    say_end,
    say_ranked_by,
    shorten,
    tell_apart,
    whole,
    width,
)
from evenhand.errors import UnknownOption, listing
from evenhand.ranking.ranking import (
    NO_VALUE,
    GroupedRankings,
    Ranking,
    explain_mark,
    title_ranks,
    write_range,
    write_ranks,
)
from evenhand.report.latex import NONE, escape, escape_control, number, tabular

if TYPE_CHECKING:
    from evenhand.data.tables import Mixed
    from evenhand.data.weights import Mix


# How long a bar may be, and how many columns a name must have before it is
BARS: Final = ((24, 24), (20, 20), (14, 16), (10, 10))
MIN_NAME: Final = 6  # Columns that a name needs beside the last column
GAP: Final = "  "


@dataclass(frozen=True)
class Scales:
    """Columns that are shown only when asked for."""

    elo: bool = False  # log-worths on the Elo scale
    worth: bool = False  # worths, which sum to 1
    marginal: bool = False  # the rank set of each system by itself

    def extend(self, ranking: Ranking) -> list[dict[str, Any]]:
        rows = ranking.rows()
        for row, elo, worth in zip(rows, ranking.elo(), ranking.worths(), strict=True):
            row.update({"elo": float(elo)} if self.elo else {})
            row.update({"worth": float(worth)} if self.worth else {})
            row.update({count: whole(row[count]) for count in ("wins", "ties", "losses")})
        return rows


def draw_board(ranking: Ranking, scales: Scales, columns: int) -> list[str]:
    """Return the lines of a board, titles first, a rule between clusters.

    Where there is little room names are cut first, then the bar goes, then `better than`, at last
    the interval; the other numbers stay.
    """
    rows = scales.extend(ranking)
    ranks, (estimates, *more) = _ranks(ranking, scales, rows), _numbers(ranking, scales, rows)
    ends = _intervals(ranking)
    counts = [row["better_than"] for row in rows]
    beaten = ["" if count is None else f"{count} of {len(rows) - 1}" for count in counts]
    better = _stand_right(["better than", *beaten])
    room = columns - 1 - _taken(ranks[0], (estimates[0], ends[0], *(one[0] for one in more)))
    names, taken = _name_systems(ranking, room - _taken((better[0],)))
    longest = max(map(width, names))
    if ranking.lower is None or room - _taken((better[0],)) < min(longest, MIN_NAME):
        better = [""] * len(better)
    room -= _taken((better[0],))
    if room < min(longest, MIN_NAME):
        room, ends = room + _taken((ends[0],)), [""] * len(ends)
    bars = _bars(ranking, room, longest)
    room -= _taken((bars[0],))
    shown = tell_apart(names, room)
    cells = zip(estimates, ends, *more, bars, better, strict=True)
    lines = []
    for name, row_ranks, rest in zip(names, ranks, cells, strict=True):
        named = pad(shown[name], min(longest, room))
        lines.append(" " + GAP.join((*row_ranks, named, *filter(None, rest))))
    below = [*taken, *explain_mark(ranking)]
    lines[0] = click.style(lines[0], dim=True)
    clusters = [row["cluster"] for row in rows]
    return [*rule_clusters(lines, clusters), *(f" {line}" for line in below)]


def _name_systems(ranking: Ranking, room: int) -> tuple[list[str], list[str]]:
    """Return the title and the names; what all share is cut where they are too long."""
    names, taken = list(map(escape_control, ranking.systems)), ""
    if max(map(width, names)) > room - BARS[-1][0] - len(GAP):
        names, taken = shorten(names)
    return ["system", *names], [taken] if taken else []


def _taken(*parts: Sequence[str]) -> int:
    """Return the columns that cells take, each with a gap before it."""
    return sum(width(cell) + len(GAP) for part in parts for cell in part if cell)


def _ranks(
    ranking: Ranking, scales: Scales, rows: Sequence[dict[str, Any]]
) -> list[tuple[str, ...]]:
    columns = [[title_ranks(ranking), *map(write_ranks, rows)]]
    if scales.marginal:
        marginal_ranks = [write_range(row["marginal_lower"], row["marginal_upper"]) for row in rows]
        columns.append(["by itself", *marginal_ranks])
    return [tuple(row) for row in align(list(zip(*columns, strict=True)), left=(0, 1))]


def _numbers(ranking: Ranking, scales: Scales, rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    estimates = [f"{row[ranking.scale.replace('-', '_')]:z.2f}" for row in rows]
    columns = [[ranking.scale, *estimates]]
    columns += [["Elo", *(f"{row['elo']:.0f}" for row in rows)]] if scales.elo else []
    columns += [["worth", *(f"{row['worth']:.3f}" for row in rows)]] if scales.worth else []
    return [_stand_right(column) for column in columns]


def _stand_right(column: Sequence[str]) -> list[str]:
    return [cell for (cell,) in align([(cell,) for cell in column], left=())]


def _intervals(ranking: Ranking) -> list[str]:
    """Return the title and the ends of each interval; empty texts where no system has one."""
    if ranking.lower is None or ranking.upper is None:
        return [""] * (len(ranking.systems) + 1)
    known = ranking.bounded.tolist()
    ends = zip(ranking.lower, ranking.upper, known, strict=True)
    drawn = [
        (f"{low:z.2f}", f"{high:z.2f}") if bounded else ("", "") for low, high, bounded in ends
    ]
    pairs = zip(align(drawn, left=()), known, strict=True)
    cells = [f"{low} to {high}" if bounded else NO_VALUE for (low, high), bounded in pairs]
    return _stand_right([f"{100 * ranking.level:g} % interval", *cells])


def _bars(ranking: Ranking, room: int, longest: int) -> list[str]:
    """Return the ends of the scale, then a bar for each interval; empty texts where none fits."""
    known = ranking.bounded
    fits = (cells for cells, name in BARS if room - cells - len(GAP) >= min(longest, name))
    cells = next(fits, 0)
    if ranking.lower is None or ranking.upper is None or not known.any() or not cells:
        return [""] * (len(ranking.systems) + 1)
    scale = (float(ranking.lower[known].min()), float(ranking.upper[known].max()))
    left, right = f"{scale[0]:z.1f}", f"{scale[1]:z.1f}"
    drawn = [left + pad(right, cells - len(left), right=True)]
    rows = zip(ranking.lower, ranking.estimate, ranking.upper, known.tolist(), strict=True)
    for low, middle, high, bounded in rows:
        line = (
            bar((float(low), float(middle), float(high)), scale, cells) if bounded else " " * cells
        )
        drawn.append(click.style(line, fg="cyan"))
    return drawn


# `--mix` and `--per`: how much judgments of each kind count.

Shares: TypeAlias = tuple[str, dict[str, float]]  # A column, and the share of each of its levels
WEIGHED_ALIKE: Final = ("judgment", "judge", "item")
CAPS: Final = ("median",)


class ColumnShares(Parsed):
    """`column=level:share,...`, such as `judge_group=expert:0.8,crowd:0.2`."""

    name = "column=level:share,..."

    def parse(self, text: str) -> Shares:
        """Return the column and its shares; a level may hold ":" itself."""
        column, sign, levels = text.partition("=")
        shares: dict[str, float] = {}
        for part in levels.split(","):
            level, colon, share = part.rpartition(":")
            if not (column and sign and level and colon and _is_number(share)):
                raise ValueError(
                    f"'{text}' is not column=level:share,level:share, such as"
                    " judge_group=expert:0.8,crowd:0.2"
                )
            if level in shares:
                raise ValueError(f"'{text}' states two shares of '{level}': one will do")
            shares[level] = float(share)
        return column, shares


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_input_option = section("What to read")

mix_options = stack(
    _input_option(
        "--mix",
        "mixes",
        multiple=True,
        type=ColumnShares(),
        metavar="COLUMN=LEVEL:SHARE,...",
        help="How much judgments with each value of a column count together, such as"
        " judge_group=expert:0.8,crowd:0.2. Repeatable: columns are mixed independently.",
    ),
    _input_option(
        "--per",
        type=OneOf(WEIGHED_ALIKE),
        default="judgment",
        help="What weighs the same within each value: every judgment, judge or item.",
    ),
    _input_option(
        "--judge-cap",
        type=OneOf(CAPS),
        help="Judges above the median load weigh as much as one with it.",
    ),
)


def make_mix(mixes: tuple[Shares, ...], per: str) -> Mix | None:
    if not mixes and per == "judgment":
        return None
    from evenhand.data.weights import Mix

    shares: dict[str, dict[str, float]] = {}
    for column, column_shares in mixes:
        if column in shares:
            raise UnknownOption(f"--mix: column {column} is given shares twice: once will do")
        shares[column] = column_shares
    return Mix(shares, "judge" if per == "judge" else "item" if per == "item" else "judgment")


def say_mix(mix: Mixed) -> str:
    return f"{mix.said}; {whole(mix.n_judgments):,} judgments weigh like {mix.effective:,.0f}"


CHECKS: Final = "not run here: evenhand report FILE says whether to believe it"


@dataclass(frozen=True, eq=False)
class RankResult(GroupedResult[Ranking]):
    scales: Scales = field(default_factory=Scales)  # further columns
    by: str = ""  # the column that tells the groups apart
    lacking = "is not ranked"

    def text(self, columns: int) -> str:
        checks = label("checks", CHECKS, columns)
        if not self.grouped:
            ranking = self.groups[""]
            lines = _head(ranking)
            lines += block("read", [*self.read, say_counts(ranking)], columns)
            return "\n".join([*lines, *self.draw(ranking, columns), checks]) + "\n"
        n = len(self.groups) + len(self.refused)
        each = f"{n} values of {self.by}, each ranked by itself"
        lines = block("read", [*self.read, each], columns)
        for name, ranking in self.groups.items():
            lines += [*group_title(name, columns), *_head(ranking)]
            lines += [label("read", say_counts(ranking), columns), *self.draw(ranking, columns)]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        return "\n".join([*lines, checks]) + "\n"

    def draw(self, part: Ranking, columns: int) -> list[str]:
        ranking, method = part, part.method
        if ranking.rank_sets is not None:
            how = method.removeprefix("rank sets ")
            method = f"simultaneous {100 * ranking.level:g} % rank sets and intervals, {how}"
        elif ranking.lower is not None:
            rule = "pairs decided one at a time"
            method = (
                f"{ranking.rank_interval} {100 * ranking.level:g} % intervals, {rule}, {method}"
            )
        method = f"{say_ranked_by(ranking)}; {method}"
        # Differences of neighbours, where there are too many systems for intervals
        pairs = [
            f"{c.systems[0]} − {c.systems[1]} {c.estimate:.3f} (s.e. {c.stderr:.3f})"
            for c in ranking.neighbours
        ]
        return [
            label("model", method, columns),
            *([] if ranking.mix is None else [label("mix", say_mix(ranking.mix), columns)]),
            "",
            *draw_board(ranking, self.scales, columns),
            *(["", *block("pairs", pairs, columns)] if pairs else []),
            "",
            label("says", ranking.says, columns, colour="green"),
            *block("held", _held(ranking), columns),
            *say_end(ranking.notes, ranking.signature, columns),
        ]

    def describe(self, part: Ranking) -> dict[str, Any]:
        return {**part.to_dict(), "systems": self.scales.extend(part)}

    def rows(self, part: Ranking) -> list[dict[str, Any]]:
        return self.scales.extend(part)

    def tabulate(self, part: Ranking) -> str:
        ranking = part
        header = [title_ranks(ranking), *["by itself"] * self.scales.marginal, "system"]
        left = "r" * (len(header) - 1) + "l"
        header += [ranking.scale, rf"{100 * ranking.level:g}\,\% interval"]
        header += ["Elo"] * self.scales.elo + ["worth"] * self.scales.worth
        blocks = [
            [_cells(row, ranking.scale, marginal=self.scales.marginal) for row in rows]
            for rows in split_clusters(self.scales.extend(ranking))
        ]
        comments = [ranking.signature, *self.say(ranking)]
        columns = left + "r" * (len(header) - len(left))
        below = [ranking.headline] if ranking.headline else []
        return tabular(columns, header, blocks, comments, below)

    def say(self, part: Ranking) -> list[str]:
        return [*filter(None, [part.headline]), *_held(part), *explain_mark(part), *part.notes]


def _head(ranking: Ranking) -> list[str]:
    return [click.style(ranking.headline, bold=True)] if ranking.headline else []


def _held(ranking: Ranking) -> tuple[str, ...]:
    return () if ranking.controlled is None else ranking.controlled.says


def _cells(row: Mapping[str, Any], scale: str, *, marginal: bool) -> list[str]:
    cells = [write_ranks(row, "--", r"$^\dagger$")]
    cells += [write_range(row["marginal_lower"], row["marginal_upper"], "--")] if marginal else []
    ends = NONE
    if row["lower"] is not None:
        ends = f"[{number(row['lower'], 2)}, {number(row['upper'], 2)}]"
    cells += [escape(row["system"]), number(row[scale.replace("-", "_")], 2), ends]
    cells += [number(row["elo"], 0)] if "elo" in row else []
    return [*cells, number(row["worth"], 3)] if "worth" in row else cells


# `evenhand rank --model NAME`: the model that ranks, with the options that it has.

DEFAULT: Final = "bradley-terry"
_model_option = section("Model")


def _take_one(
    _context: click.Context, _option: click.Parameter, names: tuple[str, ...]
) -> str | None:
    """Return the one model, or None for the default."""
    if len(names) > 1:
        raise UnknownOption(
            f"--model is given {len(names)} times ({listing(names)}): a ranking is by one model;"
            " evenhand compare says which predicts best"
        )
    return names[0] if names else None


model_option = _model_option(
    "--model",
    multiple=True,
    callback=_take_one,
    metavar="NAME",
    help="What ranks: bradley-terry (the default) or another model, such as random-judges,"
    " plackett-luce or irt-gaussian.",
)


def choose_model(
    name: str | None, methods: Sequence[str], settings: Mapping[str, Any], given: frozenset[str]
) -> Any:
    from evenhand.models.registry import find_model

    if name is not None and methods:
        raise UnknownOption(
            f"--model {name} beside --method {' '.join(methods)}: a ranking is by one of them,"
            " leave the other out"
        )
    entry = find_model(name or DEFAULT)
    made = entry.make()
    known = {one.name for one in fields(made)}
    refuse_unknown_settings(entry.name, known - entry.settings.keys(), given)
    names = (setting for name, (_, setting) in MODEL_OPTIONS.items() if name in given)
    chosen = {setting: settings[setting] for setting in names}
    if "seed" in known & given:
        chosen["seed"] = click.get_current_context().params["seed"]
    return replace(made, **chosen)


def refuse_scales(
    result: Ranking | GroupedRankings, *, elo: bool, worth: bool, marginal: bool = False
) -> None:
    """Refuse scales of worths where the model has none, and sets where there are none."""
    rankings = [result] if isinstance(result, Ranking) else list(result.groups.values())
    options = [f"--{name}" for name, wanted in (("elo", elo), ("worth", worth)) if wanted]
    for ranking in rankings:
        if marginal and ranking.rank_sets is None:
            raise UnknownOption(
                "--marginal shows the rank set of each system by itself, and only --interval"
                " rank-sets has them: leave one of the two out"
            )
        if not options or ranking.of_worths:
            continue
        raise UnknownOption(
            f"{' and '.join(options)} cannot be shown for {ranking.model}: it has no worths, whose"
            " ratios are odds; leave it out, or take bradley-terry"
        )
