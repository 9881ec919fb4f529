"""`evenhand next`: which pairs of systems, or outputs, to ask judges about next, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.next_outputs import (
    QUERIES,
    Asked,
    feature_options,
    refuse_for_pairs,
    refuse_given,
)
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
from evenhand.cli.parameters import SEEDS, OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.cli.next_outputs_result import NextOutputsResult
    from evenhand.cli.next_result import NextResult
    from evenhand.design.next_pairs import NextPairs
    from evenhand.design.policy import Policy
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.tally import Tally

POLICIES: Final = ("order", "closest", "voi", "information", "top-k", "random")
EXAMPLES: Final = (
    "evenhand next votes.csv",
    "evenhand next votes.csv --top-k 3 --batch 40 --csv -o pairs.csv",
    "evenhand next votes.csv --savings",
    "evenhand next scores.csv --feature words --output-text hypothesis",
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
        help="Pairs, or outputs, that are asked at the same time.",
    ),
    click.option(
        "--policy",
        cls=_Choice,
        type=OneOf((*POLICIES, *QUERIES)),
        help="What chooses. Default: order, whatever tells most about doubtful orders; top-k with"
        " --top-k; of ratings uncertainty, the output whose rating is foreseen worst.",
    ),
    click.option(
        "--top-k",
        cls=_Choice,
        type=int,
        metavar="NUMBER",
        help="Only who is among the first k matters.",
    ),
    click.option(
        "--system",
        "systems",
        cls=_Choice,
        multiple=True,
        metavar="NAME",
        help="A system that has no judgments yet, of comparisons. Repeatable.",
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
        type=SEEDS,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of everything random.",
    ),
    click.option(
        "--savings",
        cls=_Choice,
        is_flag=True,
        help="Also replay the policy and random pairs, or outputs, on these judgments: what had it"
        " saved?",
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
@feature_options
@output_options
def next_(
    *,
    group_by: str | None,
    batch: int,
    policy: str | None,
    top_k: int | None,
    systems: tuple[str, ...],
    random_share: float,
    start: int,
    seed: int,
    savings: bool,
    replays: int,
    feature: tuple[str, ...],
    source_text: str | None,
    output_text: str | None,
) -> None:
    """Choose the next pairs of systems to ask judges about, with reasons.

    Every system gets some judgments first; then a share of the pairs is at
    random, and the others are those whose answers tell most. Each task apart.

    Of ratings: choose the outputs to have rated next, by what is known of them
    (--feature, --source-text, --output-text). Rows without a score are the
    outputs to choose from.
    """
    reading, place = take_reading(), take_output()
    if not savings:
        refuse_given({"replays": "--replays"}, "does nothing without --savings")
    times = replays if savings else 0
    with Patience("choosing") as patience:
        from evenhand.judgments.ratings import Ratings

        data = reading.open_either()
        result: NextResult | NextOutputsResult
        if isinstance(data, Ratings):
            refuse_given({"systems": "--system"}, "is for comparisons; these are ratings")
            texts = (source_text, output_text)
            asked = Asked(feature, texts, policy, batch, seed, times, group_by)
            result = asked.answer(data, patience)
        else:
            refuse_for_pairs(policy, data)
            rule = policy or ("order" if top_k is None else "top-k")
            settings = (rule, random_share, start, top_k)
            result = _answer(data, group_by, settings, (batch, seed, times, systems), patience)
    place.deliver(result)


def _answer(
    data: Comparisons,
    group_by: str | None,
    settings: tuple[str, float, int, int | None],
    asked: tuple[int, int, int, tuple[str, ...]],
    patience: Patience,
) -> NextResult:
    """Choose pairs of every group."""
    from evenhand.cli.next_result import NextResult
    from evenhand.design.policy import Policy

    chosen, (batch, seed, times, systems) = Policy(*settings), asked
    parts = {name: part.tally() for name, part in _split(data, group_by).items()}
    _refuse_known(systems, parts)

    def work(part: Tally) -> NextPairs:
        return _choose(part, chosen, (batch, seed, systems), times, patience)

    alone = group_by is None and len(parts) == 1
    found, refused = work_on_groups(parts, work, alone=alone)
    return NextResult(found, refused, remarks_on(data))


def _split(data: Comparisons, group_by: str | None) -> dict[str, Comparisons]:
    from evenhand.judgments.groups import choose_groups
    from evenhand.judgments.levels import split_table

    by = choose_groups(data, group_by)
    return {"": data} if by is None else split_table(data, by)


def _refuse_known(systems: tuple[str, ...], parts: dict[str, Tally]) -> None:
    """Refuse systems that are new nowhere."""
    for name in systems:
        if all(name in part.systems for part in parts.values()):
            raise UnknownOption(
                f"--system {name}: it has judgments already. The option adds systems without any,"
                " and leaves none out: leave it out, or choose rows with --where"
            )


def _choose(
    tally: Tally,
    policy: Policy,
    asked: tuple[int, int, tuple[str, ...]],
    replays: int,
    patience: Patience,
) -> NextPairs:
    """Choose pairs of one group, and replay the policy if that was asked."""
    from evenhand.design.next_pairs import choose_pairs
    from evenhand.design.savings import measure_savings

    n, seed, systems = asked
    if replays and policy.rule == "random":
        raise UnknownOption("--savings compares a policy with random pairs: choose another policy")
    new = [name for name in systems if name not in tally.systems]
    found = choose_pairs(tally, policy, n=n, systems=new, seed=seed)
    if not replays:
        return found
    meter = measure_savings(tally, policy, replays=replays, seed=seed, tell=patience.step)
    return replace(found, savings=meter)
