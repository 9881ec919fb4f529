"""Options that say by which model and which mix systems are ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import click

from evenhand.cli.options import (
    MODEL_OPTIONS,
    OneOf,
    Options,
    Parsed,
    refuse_unknown_settings,
    under,
)
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.data.weights import Mix
    from evenhand.ranking.ranking import Ranking


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


_input_option = under("Reading")


class Mixing(Options):
    mixes: tuple[Shares, ...] = _input_option(
        "--mix COLUMN=LEVEL:SHARE,...",
        "How much judgments with each value of a column count together, such as"
        " judge_group=expert:0.8,crowd:0.2. Repeatable: columns are mixed independently.",
        type=ColumnShares(),
    )
    per: Literal["judgment", "judge", "item"] = _input_option(
        "--per",
        "What weighs the same within each value: every judgment, judge or item.",
        type=OneOf(WEIGHED_ALIKE),
        default="judgment",
    )
    judge_cap: str | None = _input_option(
        "--judge-cap",
        "Judges above the median load weigh as much as one with it.",
        type=OneOf(CAPS),
    )

    @property
    def mix(self) -> Mix | None:
        if not self.mixes and self.per == "judgment":
            return None
        from evenhand.data.weights import Mix

        shares: dict[str, dict[str, float]] = {}
        for column, column_shares in self.mixes:
            if column in shares:
                raise UnknownOption(f"--mix: column {column} is given shares twice: once will do")
            shares[column] = column_shares
        return Mix(shares, self.per)


# `evenhand rank --model NAME`: the model that ranks, with the options that it has.

DEFAULT: Final = "bradley-terry"


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


class RankingModel(Options):
    methods: tuple[str, ...] = under("Model")(
        "--method NAME|all",
        "How to rank: bradley-terry (the default), or a rule such as origwmt. Several, or all, are"
        " shown side by side. Repeatable.",
    )
    model: str | None = under("Model")(
        "--model NAME",
        "What ranks: bradley-terry (the default) or another model, such as random-judges,"
        " plackett-luce or irt-gaussian.",
        multiple=True,
        callback=_take_one,
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
    chosen = {
        setting: settings[name] for name, (_, setting) in MODEL_OPTIONS.items() if name in given
    }
    if "seed" in known & given:
        chosen["seed"] = click.get_current_context().params["seed"]
    return replace(made, **chosen)


class Scales(Options):
    """What is shown of each system besides."""

    elo: bool = under("Output")("--elo", "Also the Elo scale, 1000 on average.")
    worth: bool = under("Output")("--worth", "Also worths, which sum to 1.")
    marginal: bool = under("Output")(
        "--marginal",
        "Also rank sets of systems by themselves, for one that was chosen beforehand.",
    )

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(name for name, wanted in vars(self).items() if wanted)

    def refuse(self, rankings: Iterable[Ranking]) -> None:
        """Refuse scales of worths where the model has none, and sets where there are none."""
        options = [f"--{name}" for name in self.shown if name != "marginal"]
        for ranking in rankings:
            if self.marginal and ranking.rank_sets is None:
                raise UnknownOption(
                    "--marginal shows a rank set that holds for one system alone, and only"
                    " --interval rank-sets has them: leave one of the two out"
                )
            if not options or ranking.of_worths:
                continue
            raise UnknownOption(
                f"{' and '.join(options)} cannot be shown for {ranking.model}: it has no worths,"
                " whose ratios are odds; leave it out, or take bradley-terry"
            )
