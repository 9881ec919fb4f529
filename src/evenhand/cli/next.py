"""`evenhand next`: which pairs of systems, or outputs, to ask judges about next, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from evenhand.cli.options import (
    OneOf,
    group_option,
    is_given,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    split_groups,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.design.next_outputs import ChosenPart
from evenhand.design.next_pairs import NextPairs
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.ratings import Ratings
    from evenhand.data.tally import Tally
    from evenhand.design.policy import Policy
    from evenhand.design.query import Query
    from evenhand.ratings.features import OutputFeatures

QUERIES: Final = ("uncertainty", "density")
OF_PAIRS: Final = {"top_k": "--top-k", "random_share": "--random-share", "start": "--start"}
OF_OUTPUTS: Final = {
    "feature": "--feature",
    "source_text": "--source-text",
    "output_text": "--output-text",
}

_features_option = section("What is known of outputs (ratings)")

feature_options = stack(
    _features_option(
        "--feature",
        multiple=True,
        metavar="COLUMN",
        help="A column that is known before anybody rates: numbers, or categories. Repeatable.",
    ),
    _features_option(
        "--source-text",
        metavar="COLUMN",
        help="The source text: its length, variety of words, punctuation and digits are features.",
    ),
    _features_option(
        "--output-text",
        metavar="COLUMN",
        help="The output's text, likewise; with the source also their lengths and words compared.",
    ),
)


@dataclass(frozen=True)
class Asked:
    features: tuple[str, ...]  # columns
    texts: tuple[str | None, str | None]  # columns of the source text and of the output's, or None
    policy: str | None  # how to choose, or None
    batch: int  # outputs
    seed: int  # of everything random
    replays: int  # how often to replay; 0 for not at all
    group_by: str | None  # a column, or None

    def answer(self, data: Ratings, patience: ProgressDisplay) -> VerbResult:
        from evenhand.data.groups import split_ratings
        from evenhand.design.next_outputs import choose_part, name_features

        refuse_given(OF_PAIRS, "is for comparisons; these are ratings")
        query = self._query()
        features: OutputFeatures = name_features(data, self.features, self.texts)
        by = None if self.group_by is None else data.require(self.group_by)
        parts = split_ratings(data, by)

        def work(part: Ratings) -> ChosenPart:
            replays = (self.replays, patience.step)
            return choose_part(part, features, query, (self.batch, self.seed), replays)

        results, refused = work_on_groups(parts, work, alone=[*parts] == [""])
        return VerbResult(results, refused, remarks_on(data, "repeats", uses=("no-score",)))

    def _query(self) -> Query:
        from evenhand.design.query import Query

        if self.policy not in (None, "random", *QUERIES):
            raise UnknownOption(
                f"--policy {self.policy} is for comparisons; these are ratings: choose"
                f" {' | '.join(QUERIES)} | random"
            )
        if not self.features and self.texts == (None, None):
            raise UnknownOption(
                "these are ratings: name what is known of outputs before anybody rates them, with"
                " --feature COLUMN, --source-text COLUMN or --output-text COLUMN; the next pair"
                " needs comparisons or rankings"
            )
        return Query(self.policy or "uncertainty")


def refuse_for_pairs(policy: str | None, data: Comparisons) -> None:
    refuse_given(OF_OUTPUTS, f"is for ratings; {data.source.name} holds comparisons")
    if policy in QUERIES:
        raise UnknownOption(f"--policy {policy} is for ratings; choose another for pairs")


def refuse_given(options: dict[str, str], why: str) -> None:
    for name, option in options.items():
        if is_given(name):
            raise UnknownOption(f"{option} {why}: leave it out")


POLICIES: Final = ("order", "closest", "voi", "information", "top-k", "random")

_choice_option = section("What to ask")

choice_options = stack(
    _choice_option(
        "--batch", type=int, default=10, help="Pairs, or outputs, that are asked at the same time."
    ),
    _choice_option(
        "--policy",
        type=OneOf((*POLICIES, *QUERIES)),
        help="What chooses. Default: order, whatever tells most about doubtful orders; top-k with"
        " --top-k; for ratings uncertainty, the output whose rating is predicted worst.",
    ),
    _choice_option("--top-k", type=int, help="Only which systems are among the first k matters."),
    _choice_option(
        "--system",
        "systems",
        multiple=True,
        metavar="NAME",
        help="A system that has no judgments yet, of comparisons. Repeatable.",
    ),
    _choice_option(
        "--random-share",
        type=float,
        default=0.3,
        metavar="PROPORTION",
        help="Share of pairs at random after the start-up phase.",
    ),
    _choice_option(
        "--start", type=int, default=5, help="Judgments of every system before a policy chooses."
    ),
    seed_option(_choice_option),
    _choice_option(
        "--savings",
        is_flag=True,
        help="Also replay the policy and random pairs, or outputs, on these judgments: what would"
        " it have saved?",
    ),
    _choice_option("--replays", type=int, default=20, help="How often, with --savings."),
)


@verb(
    "evenhand next votes.csv",
    "evenhand next votes.csv --top-k 3 --batch 40 --csv -o pairs.csv",
    "evenhand next votes.csv --savings",
    "evenhand next scores.csv --feature words --output-text hypothesis",
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
    with ProgressDisplay("choosing") as patience:
        from evenhand.data.ratings import Ratings

        data = reading.open_either()
        if isinstance(data, Ratings):
            refuse_given({"systems": "--system"}, "is for comparisons; these are ratings")
            texts = (source_text, output_text)
            options = Asked(feature, texts, policy, batch, seed, times, group_by)
            result = options.answer(data, patience)
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
    request: tuple[int, int, int, tuple[str, ...]],
    patience: ProgressDisplay,
) -> VerbResult:
    from evenhand.design.policy import Policy

    chosen, (batch, seed, times, systems) = Policy(*settings), request
    tables, alone = split_groups(data, group_by)
    parts = {name: part.tally() for name, part in tables.items()}
    _refuse_known(systems, parts)

    def work(part: Tally) -> NextPairs:
        return _choose(part, chosen, (batch, seed, systems), times, patience)

    results, refused = work_on_groups(parts, work, alone=alone)
    return VerbResult(results, refused, remarks_on(data))


def _refuse_known(systems: tuple[str, ...], parts: dict[str, Tally]) -> None:
    for name in systems:
        if all(name in part.systems for part in parts.values()):
            raise UnknownOption(
                f"--system {name}: it has judgments already. The option adds systems without any,"
                " and leaves none out: leave it out, or choose rows with --where"
            )


def _choose(
    tally: Tally,
    policy: Policy,
    request: tuple[int, int, tuple[str, ...]],
    replays: int,
    patience: ProgressDisplay,
) -> NextPairs:
    from evenhand.design.next_pairs import choose_pairs
    from evenhand.design.savings import measure_savings

    n, seed, systems = request
    if replays and policy.rule == "random":
        raise UnknownOption("--savings compares a policy with random pairs: choose another policy")
    new = [name for name in systems if name not in tally.systems]
    pairs = choose_pairs(tally, policy, n=n, systems=new, seed=seed)
    if not replays:
        return pairs
    meter = measure_savings(tally, policy, replays=replays, seed=seed, tell=patience.step)
    return replace(pairs, savings=meter)
