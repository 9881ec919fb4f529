"""Judgments in a stated mix, or with a cap on judges, before they are ranked."""

from __future__ import annotations

from evenhand.errors import UnknownOption
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.judge_cap import JudgeCap
from evenhand.judgments.mix import Mix


def weigh(table: Comparisons, mix: Mix | JudgeCap) -> Comparisons:
    """Return the judgments in the mix that was stated.

    Raises:
        UnknownOption: a mix that is none.

    """
    if not isinstance(mix, Mix | JudgeCap):
        raise UnknownOption(
            f"a mix cannot be {mix!r}: state one as"
            " evenhand.Mix({'judge_group': {'expert': 0.8, 'crowd': 0.2}})"
        )
    return mix.weigh(table)


def refuse_mixed(by: str) -> None:
    """Refuse a mix that was made over all groups together, which is none in any of them.

    Raises:
        UnknownOption: says how to mix each.

    """
    raise UnknownOption(
        f"these judgments were mixed over every {by} together: give the mix to"
        " rank(data, mix=...), which makes it in each"
    )
