"""`evenhand next`: which pairs of systems to ask judges about next, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import (
    SEED,
    Section,
    Verb,
    examples,
    group_option,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.active.next_pairs import NextPairs
    from evenhand.active.policy import Policy
    from evenhand.judgments import Comparisons

POLICIES: Final = ("order", "closest", "voi", "information", "top-k", "random")
EXAMPLES: Final = (
    "evenhand next votes.csv",
    "evenhand next votes.csv --top-k 3 --batch 40 --csv -o pairs.csv",
    "evenhand next votes.csv --savings",
)


class _Choice(Section):
    heading = "What to ask"


choice_options = stack(
    click.option(
        "--batch",
        cls=_Choice,
        type=int,
        default=10,
        show_default=True,
        metavar="NUMBER",
        help="Pairs that are asked at the same time.",
    ),
    click.option(
        "--policy",
        cls=_Choice,
        type=OneOf(POLICIES),
        help="What chooses. Default: order, whatever tells most about doubtful orders; top-k with"
        " --top-k.",
    ),
    click.option(
        "--top-k",
        cls=_Choice,
        type=int,
        metavar="NUMBER",
        help="Only who is among the first k matters.",
    ),
    click.option(
        "--random-share",
        cls=_Choice,
        type=float,
        default=0.3,
        show_default=True,
        metavar="PROPORTION",
        help="Pairs at random after the start-up phase.",
    ),
    click.option(
        "--start",
        cls=_Choice,
        type=int,
        default=5,
        show_default=True,
        metavar="NUMBER",
        help="Judgments of every system before answers choose.",
    ),
    click.option(
        "--seed",
        cls=_Choice,
        type=int,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of everything random.",
    ),
    click.option(
        "--savings",
        cls=_Choice,
        is_flag=True,
        help="Also replay the policy and random pairs on these judgments: what had it saved?",
    ),
    click.option(
        "--replays",
        cls=_Choice,
        type=int,
        default=20,
        show_default=True,
        metavar="NUMBER",
        help="How often, with --savings.",
    ),
)


@click.command(
    "next",
    cls=Verb,
    short_help="Which pairs to ask about next, and why? What does choosing save?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@choice_options
@output_options
def next_(
    *,
    group_by: str | None,
    batch: int,
    policy: str | None,
    top_k: int | None,
    random_share: float,
    start: int,
    seed: int,
    savings: bool,
    replays: int,
) -> None:
    """Choose the next pairs of systems to ask judges about, with reasons.

    Every system gets some judgments first; then a share of the pairs is at
    random, and the others are those whose answers tell most. Each task apart.
    """
    reading, place = take_reading(), take_output()
    rule = policy or ("order" if top_k is None else "top-k")
    with Patience("choosing") as patience:
        from evenhand.active.policy import Policy

        chosen = Policy(rule, random_share, start, top_k)
        data = reading.open_comparisons("next")
        parts = _split(data, group_by)

        def work(part: Comparisons) -> NextPairs:
            return _choose(part, chosen, (batch, seed), replays if savings else 0, patience)

        alone = group_by is None and len(parts) == 1
        found, refused = work_on_groups(parts, work, alone=alone)
        remarks = remarks_on(data)
    from evenhand.cli.next_result import NextResult

    place.deliver(NextResult(found, refused, remarks))


def _split(data: Comparisons, group_by: str | None) -> dict[str, Comparisons]:
    from evenhand.judgments.groups import choose_groups
    from evenhand.judgments.levels import split_table

    by = choose_groups(data, group_by)
    return {"": data} if by is None else split_table(data, by)


def _choose(
    part: Comparisons,
    policy: Policy,
    asked: tuple[int, int],
    replays: int,
    patience: Patience,
) -> NextPairs:
    """Choose pairs of one group, and replay the policy if that was asked.

    Raises:
        UnknownOption: --savings of what is no policy but random pairs.

    """
    from evenhand.active.next_pairs import choose_pairs
    from evenhand.active.replay import measure_savings

    n, seed = asked
    if replays and policy.rule == "random":
        raise UnknownOption("--savings compares a policy with random pairs: choose another policy")
    tally = part.tally()
    found = choose_pairs(tally, policy, n=n, seed=seed)
    if not replays:
        return found
    meter = measure_savings(tally, policy, replays=replays, seed=seed, tell=patience.step)
    return replace(found, savings=meter)
