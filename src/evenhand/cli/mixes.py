"""`--mix` and `--per`: how much judgments of each kind count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

from evenhand.cli.options import Section, stack
from evenhand.cli.parameters import OneOf
from evenhand.cli.terminal import whole
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judgments.mix import Mix
    from evenhand.judgments.mixing import Mixed

    Word = click.ParamType[tuple[str, dict[str, float]]]
else:  # not generic before click 8.3
    Word = click.ParamType

Shares: TypeAlias = tuple[str, dict[str, float]]  # A column, and the share of each of its levels
EACH = ("judgment", "judge", "item")
CAPS = ("median",)


class ColumnShares(Word):
    """`column=level:share,...`, such as `judge_group=expert:0.8,crowd:0.2`."""

    name = "column=level:share,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Shares:
        """Return the column and its shares; a level may hold ":" itself."""
        if isinstance(value, tuple):
            return value
        column, sign, levels = str(value).partition("=")
        shares: dict[str, float] = {}
        for part in levels.split(","):
            level, colon, share = part.rpartition(":")
            if not (column and sign and level and colon and _is_number(share)):
                self.fail(
                    f"'{value}' is not column=level:share,level:share, such as"
                    " judge_group=expert:0.8,crowd:0.2",
                    param,
                    ctx,
                )
            if level in shares:
                self.fail(f"'{value}' states two shares of '{level}': one will do", param, ctx)
            shares[level] = float(share)
        return column, shares


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Input(Section):
    heading = "What to read"


mix_options = stack(
    click.option(
        "--mix",
        "mixes",
        cls=_Input,
        multiple=True,
        type=ColumnShares(),
        metavar="COLUMN=LEVEL:SHARE,...",
        help="How much judgments with each value of a column count together, such as"
        " judge_group=expert:0.8,crowd:0.2. Repeatable: columns are mixed independently.",
    ),
    click.option(
        "--per",
        cls=_Input,
        type=OneOf(EACH),
        default="judgment",
        show_default=True,
        help="What weighs the same within each value: every judgment, judge or item.",
    ),
    click.option(
        "--judge-cap",
        cls=_Input,
        type=OneOf(CAPS),
        help="Judges above the median load weigh as much as one with it.",
    ),
)


def make_mix(mixes: tuple[Shares, ...], per: str) -> Mix | None:
    """Return the mix that was asked for, or None."""
    if not mixes and per == "judgment":
        return None
    from evenhand.judgments.mix import Mix

    shares: dict[str, dict[str, float]] = {}
    for column, own in mixes:
        if column in shares:
            raise UnknownOption(f"--mix: column {column} is given shares twice: once will do")
        shares[column] = own
    return Mix(shares, "judge" if per == "judge" else "item" if per == "item" else "judgment")


def say_mix(mix: Mixed) -> str:
    """Say what the mix is, and how many judgments it is worth."""
    return f"{mix.said}; {whole(mix.n_judgments):,} judgments weigh like {mix.effective:,.0f}"
