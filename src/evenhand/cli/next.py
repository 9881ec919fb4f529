"""`evenhand next`: which pairs of systems, or outputs, to ask judges about next, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli import options
from evenhand.cli.running import VerbResult, remarks_on, split_groups, work_on_groups
from evenhand.data.results import Beside
from evenhand.design.next_pairs import NextPairs
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.ratings import Ratings
    from evenhand.data.tally import Tally

QUERIES: Final = ("uncertainty", "density")
POLICIES: Final = ("order", "closest", "voi", "information", "top-k", "sort", "random")
OF_PAIRS: Final = ("systems", "top_k", "random_share", "start")

_choice = options.under("What to ask")
_features = options.under("What is known of outputs (ratings)")


class Choice(options.Options):
    for_llm: str | None = _choice(
        "--for-llm VERDICTS",
        "LLM judges' verdicts: draw the pairs of outputs that people should judge beside them, for"
        " rank --llm. FILE has people's judgments so far, if any.",
        reads=True,
    )
    llm_judges: tuple[str, ...] = _choice(
        "--llm-judges NAME,NAME",
        "The same where FILE holds the verdicts too: its judges who are LLMs. Repeatable.",
    )
    batch: int = _choice(
        "--batch", "Pairs, or outputs, that are asked at the same time.", default=10
    )
    policy: str | None = _choice(
        "--policy",
        "What chooses. Default: order, whatever tells most about doubtful orders; top-k with"
        " --top-k; for ratings uncertainty, the output whose rating is predicted worst. With"
        " --for-llm random, or uncertainty: more often where verdicts are divided. sort: the"
        " questions of merge insertion, decided by votes.",
        type=options.OneOf((*POLICIES, *QUERIES)),
    )
    top_k: int | None = _choice("--top-k", "Only which systems are among the first k matters.")
    systems: tuple[str, ...] = _choice(
        "--system NAME", "A system that has no judgments yet, of comparisons. Repeatable."
    )
    random_share: float = _choice(
        "--random-share PROPORTION",
        "Share of pairs at random after the start-up phase.",
        default=0.3,
    )
    start: int = _choice("--start", "Judgments of every system before a policy chooses.", default=5)
    seed: int = options.seed_option(_choice)
    savings: bool = _choice(
        "--savings",
        "Also replay the policy and random pairs, or outputs, on these judgments: what would it"
        " have saved?",
    )
    replays: int = _choice("--replays", "How often, with --savings.", default=20)


class Features(options.Options):
    feature: tuple[str, ...] = _features(
        "--feature COLUMN",
        "A column that is known before anybody rates: numbers, or categories. Repeatable.",
    )
    source_text: str | None = _features(
        "--source-text COLUMN",
        "The source text: its length, variety of words, punctuation and digits are features.",
    )
    output_text: str | None = _features(
        "--output-text COLUMN",
        "The output's text, likewise; with the source also their lengths and words compared.",
    )

    @property
    def texts(self) -> tuple[str | None, str | None]:
        return self.source_text, self.output_text


@options.verb(
    "evenhand next votes.csv",
    "evenhand next votes.csv --top-k 3 --batch 40 --csv -o pairs.csv",
    "evenhand next votes.csv --savings",
    "evenhand next scores.csv --feature words --output-text hypothesis",
    "evenhand next people.csv --for-llm verdicts.csv --batch 100 -o pairs.csv",
    doing="choosing",
    needs_files=False,
)
def next_(
    run: options.Run, *, groups: options.Grouping, asked: Choice, known: Features
) -> VerbResult:
    """Choose the next pairs of systems to ask judges about, with reasons.

    Every system gets some judgments first; then a share of the pairs is at
    random, and the others are those whose answers tell most. Each task apart.

    Of ratings: choose the outputs to have rated next, by what is known of them
    (--feature, --source-text, --output-text). Rows without a score are the
    outputs to choose from.

    Beside verdicts of LLM judges (--for-llm): draw the pairs of outputs that
    people should judge, each with a known probability.
    """
    if asked.for_llm is not None or asked.llm_judges:
        return _sample_for_llm(run, asked)
    if not run.reading.files:
        raise click.UsageError("evenhand next needs FILE, or --for-llm VERDICTS")
    if not asked.savings:
        options.refuse_given(["replays"], "does nothing without --savings: leave it out")
    from evenhand.data.ratings import Ratings

    data, by = run.reading.open_either(), groups.group_by
    if isinstance(data, Ratings):
        return _choose_outputs(run, data, by, asked, known)
    why = f"is for ratings; {data.source.name} holds comparisons: leave it out"
    options.refuse_given(Features.list_options(), why)
    if asked.policy in QUERIES:
        raise UnknownOption(f"--policy {asked.policy} is for ratings; choose another for pairs")
    from evenhand.design.next_pairs import choose_pairs, measure_savings
    from evenhand.design.policy import Policy

    rule = asked.policy or ("order" if asked.top_k is None else "top-k")
    if rule == "sort":
        options.refuse_given(["start"], "does nothing with --policy sort: leave it out")
    policy = Policy(rule, asked.random_share, asked.start, asked.top_k)
    parts = {name: part.tally() for name, part in split_groups(data, by).items()}
    for name in asked.systems:
        if all(name in part.systems for part in parts.values()):
            raise UnknownOption(
                f"--system {name}: it has judgments already. The option adds systems without any,"
                " and leaves none out: leave it out, or choose rows with --where"
            )

    def work(tally: Tally) -> NextPairs:
        if asked.savings and asked.replays and rule == "random":
            raise UnknownOption(
                "--savings compares a policy with random pairs: choose another policy"
            )
        new = [name for name in asked.systems if name not in tally.systems]
        pairs = choose_pairs(tally, policy, n=asked.batch, systems=new, seed=asked.seed)
        if not asked.savings or not asked.replays:
            return pairs
        told = {"replays": asked.replays, "seed": asked.seed}
        meter = measure_savings(tally, policy, **told, tell=run.patience.step)
        return replace(pairs, savings=meter)

    return VerbResult(*work_on_groups(parts, work, by), remarks_on(data))


def _sample_for_llm(run: options.Run, asked: Choice) -> VerbResult:
    from evenhand.design.next_for_llm import POLICIES as OF_LLM
    from evenhand.design.next_for_llm import sample_for_llm

    way = "--for-llm" if asked.for_llm is not None else "--llm-judges"
    unused = (*OF_PAIRS, "savings", "replays", "group_by", *Features.list_options())
    options.refuse_given(unused, f"does nothing with {way}: leave it out")
    policy = asked.policy or "random"
    if policy not in OF_LLM:
        raise UnknownOption(f"--policy {policy} is not for {way}: choose {' | '.join(OF_LLM)}")
    if asked.llm_judges and not run.reading.files:
        raise click.UsageError("evenhand next --llm-judges needs FILE")
    names = options.split_names(asked.llm_judges)
    data = run.reading.open_either(llm=names) if run.reading.files else None
    verdicts = None if asked.for_llm is None else run.reading.open_beside(asked.for_llm)
    settings: dict[str, Any] = {"n": asked.batch, "policy": policy, "seed": asked.seed}
    drawn = sample_for_llm(data, verdicts, llm_judges=names, **settings)
    return VerbResult({"": drawn}, {}, [] if data is None else remarks_on(data))


def _choose_outputs(
    run: options.Run, data: Ratings, group_by: str | None, asked: Choice, known: Features
) -> VerbResult:
    from evenhand.data.groups import split_ratings
    from evenhand.design.next_outputs import Query, name_features
    from evenhand.design.query_replay import choose_part

    why = "is for comparisons; these are ratings"
    options.refuse_given(OF_PAIRS, f"{why}: leave it out")
    if asked.policy not in (None, "random", *QUERIES):
        raise UnknownOption(f"--policy {asked.policy} {why}: choose {' | '.join(QUERIES)} | random")
    if not known.feature and known.texts == (None, None):
        raise UnknownOption(
            "these are ratings: name what is known of outputs before anybody rates them, with"
            " --feature COLUMN, --source-text COLUMN or --output-text COLUMN; the next pair"
            " needs comparisons or rankings"
        )
    query = Query(asked.policy or "uncertainty")
    features = name_features(data, known.feature, known.texts)
    by = None if group_by is None else data.require(group_by)
    replays = (asked.replays if asked.savings else 0, run.patience.step)

    def work(part: Ratings) -> Beside:
        return choose_part(part, features, query, (asked.batch, asked.seed), replays)

    found = work_on_groups(split_ratings(data, by), work, None)
    return VerbResult(*found, remarks_on(data, "repeats", uses=("no-score",)))
