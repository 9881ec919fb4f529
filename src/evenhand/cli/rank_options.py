"""Options that say by which model and which mix systems are ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
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
from evenhand.errors import UnknownOption, listing
from evenhand.ranking.ranking import (
    GroupedRankings,
    Ranking,
)

if TYPE_CHECKING:
    from evenhand.data.weights import Mix


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


_input_option = section("Reading")

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
                "--marginal shows a rank set that holds for one system alone, and only --interval"
                " rank-sets has them: leave one of the two out"
            )
        if not options or ranking.of_worths:
            continue
        raise UnknownOption(
            f"{' and '.join(options)} cannot be shown for {ranking.model}: it has no worths, whose"
            " ratios are odds; leave it out, or take bradley-terry"
        )
