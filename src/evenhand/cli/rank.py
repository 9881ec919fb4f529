"""`evenhand rank`: which systems are better, and how sure may we be?

`evenhand robustness`, what would change the answer, takes the options of `rank`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import click

import evenhand
from evenhand.cli import options, running
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows
    from evenhand.data.weights import Mix
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.robustness.sensitivity import Robustness

DEFAULT: Final = "bradley-terry"

_reading = options.under("Reading")
_model = options.under("Model")
_certainty = options.under("Uncertainty")
_output = options.under("Output")


class Size(options.Parsed):
    name = "size"

    def parse(self, text: str) -> str:
        if not re.fullmatch(r"0*[1-9]\d*(\.\d+)? ?[KMGT]i?B", text, re.IGNORECASE):
            raise ValueError(f"'{text}' is no size: write a number and KB, MB, GB or TB, as 4GB")
        return text


class Counting(options.Options):
    memory: str | None = _reading(
        "--memory SIZE",
        "Most memory that the engine takes to count, such as 4GB; what is more goes to disk.",
        type=Size(),
    )


class Certainty(options.Cluster):
    interval: str = _certainty(
        "--interval rank-sets|sandwich|model|bootstrap",
        "rank-sets hold all at once; model assumes independent judgments, the others allow for"
        " clusters.",
        default="rank-sets",
    )
    seed: int = options.seed_option(_certainty)


Shares: TypeAlias = tuple[str, dict[str, float]]  # A column, and the share of each of its levels


class ColumnShares(options.Parsed):
    """`column=level:share,...`, such as `judge_group=expert:0.8,crowd:0.2`."""

    name = "column=level:share,..."

    def parse(self, text: str) -> Shares:
        """Return the column and its shares; a level may hold ":" itself."""
        column, _, levels = text.partition("=")
        shares: dict[str, float] = {}
        for part in levels.split(","):
            level, _, share = part.rpartition(":")
            try:
                number = float(share)
            except ValueError:
                level = ""
            if not (column and level):
                raise ValueError(
                    f"'{text}' is not column=level:share,level:share, such as"
                    " judge_group=expert:0.8,crowd:0.2"
                )
            if level in shares:
                raise ValueError(f"'{text}' states two shares of '{level}': one will do")
            shares[level] = number
        return column, shares


class Mixing(options.Options):
    mixes: tuple[Shares, ...] = _reading(
        "--mix COLUMN=LEVEL:SHARE,...",
        "How much judgments with each value of a column count together, such as"
        " judge_group=expert:0.8,crowd:0.2. Repeatable: columns are mixed independently.",
        type=ColumnShares(),
    )
    per: Literal["judgment", "judge", "item"] = _reading(
        "--per judgment|judge|item",
        "What weighs the same within each value: every judgment, judge or item.",
        default="judgment",
    )
    judge_cap: str | None = _reading(
        "--judge-cap",
        "Judges above the median load weigh as much as one with it.",
        type=options.OneOf(("median",)),
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


class RankingModel(options.Options):
    methods: tuple[str, ...] = _model(
        "--method NAME|all",
        "How to rank: bradley-terry (the default), or a rule such as origwmt. Several, or all, are"
        " shown side by side. Repeatable.",
    )
    models: tuple[str, ...] = options.model_option


_sampled = options.under("Item-response models")


class Sampling(options.Options):
    ability_sd: float | None = _sampled(
        "--ability-sd", "irt-gaussian: standard deviation of systems' abilities. Default: 1."
    )
    item_sd: float | None = _sampled(
        "--item-sd", "irt-gaussian: of the qualities of a system's outputs. Default: 0.5."
    )
    noise_sd: float | None = _sampled(
        "--noise-sd", "Of what judges perceive of an output. Default: 1."
    )
    radius: float | None = _sampled(
        "--radius", "Perceived difference up to which nobody prefers anything. Default: 0.4; 0."
    )
    categories: int | None = _sampled(
        "--categories", "irt-categorical: qualities that an output may have, Λ. Default: 8."
    )
    concentration: float | None = _sampled(
        "--concentration", "irt-categorical: α of the Dirichlet prior of qualities. Default: 0.5."
    )
    sweeps: int | None = _sampled(
        "--sweeps", "Sweeps of each chain. Default: 1000; 200 of held-out judgments, as the paper."
    )
    burn_in: int | None = _sampled("--burn-in", "Sweeps of it that are not used.")
    chains: int | None = _sampled("--chains", "Default: 4; 1 of held-out judgments.")

    @property
    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


SETTINGS: Final = options.MODEL_OPTIONS | options.name_settings([Sampling], {})


def choose_model(
    names: Sequence[str], methods: Sequence[str], settings: Mapping[str, Any], given: frozenset[str]
) -> Any:
    from evenhand.models.registry import find_model

    if len(names) > 1:
        raise UnknownOption(
            f"--model is given {len(names)} times ({listing(names)}): a ranking is by one model;"
            " evenhand compare says which predicts best"
        )
    name = names[0] if names else DEFAULT
    if names and methods:
        raise UnknownOption(
            f"--model {name} beside --method {' '.join(methods)}: a ranking is by one of them,"
            " leave the other out"
        )
    entry = find_model(name)
    made = entry.make()
    known = {one.name for one in fields(made)}
    options.refuse_unknown_settings(entry.name, known - entry.settings.keys(), given, SETTINGS)
    chosen = {setting: settings[name] for name, (_, setting) in SETTINGS.items() if name in given}
    if "seed" in known & given:
        chosen["seed"] = click.get_current_context().params["seed"]
    return replace(made, **chosen)


class Verdicts(options.Verdicts):
    llm_method: str = _model(
        "--llm-method worths|ppi++|win-rate",
        "How verdicts are used: worths, or for comparison one of two published methods whose"
        " intervals ignore judges and items.",
        default="worths",
        type=options.OneOf(("worths", "ppi++", "win-rate")),
    )
    llm_weight: float | None = _model(
        "--lambda WEIGHT", "Weight of verdicts, 0 to 1. Default: the one with the smallest errors."
    )

    @property
    def given(self) -> bool:
        return self.llm is not None or bool(self.llm_judges)

    def open(self, reading: options.Reading) -> dict[str, Any]:
        return {**super().open(reading), "llm_weight": self.llm_weight}


class Scales(options.Options):
    elo: bool = _output("--elo", "Also the Elo scale, 1000 on average.")
    worth: bool = _output("--worth", "Also worths, which sum to 1.")
    marginal: bool = _output(
        "--marginal", "Also rank sets of systems by themselves, for one that was chosen beforehand."
    )

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(name for name, wanted in vars(self).items() if wanted)

    def refuse(self, rankings: Iterable[Ranking]) -> None:
        flags = [f"--{name}" for name in self.shown if name != "marginal"]
        for ranking in rankings:
            if self.marginal and ranking.rank_sets is None:
                raise UnknownOption(
                    "--marginal shows a rank set that holds for one system alone, and only"
                    " --interval rank-sets has them: leave one of the two out"
                )
            if flags and not ranking.of_worths:
                raise UnknownOption(
                    f"{' and '.join(flags)} cannot be shown for {ranking.model}: it has no worths,"
                    " whose ratios are odds; leave it out, or take bradley-terry"
                )


class Owners(options.Options):
    owner: str | None = _output(
        "--owner TABLE",
        "Whose systems are: columns system and owner. Of each owner's variants the best is also"
        " shown corrected for having been chosen.",
        reads=True,
    )
    later: str | None = _output(
        "--later FILE",
        "Judgments by other judges, from after the best variants were chosen by FILE: with --owner"
        " both are used.",
        reads=True,
    )

    def add(
        self, rankings: Mapping[str, Ranking], seed: int, rank_later: Callable[[str], Any]
    ) -> Mapping[str, Ranking]:
        if self.owner is None:
            if self.later is not None:
                raise UnknownOption("--later is for the best variants of owners: add --owner TABLE")
            return rankings
        later: Ranking | None = None
        if self.later is not None:
            if len(rankings) > 1:
                raise UnknownOption("--later is for one ranking: choose one task or criterion")
            from evenhand.ranking.ranking import GroupedRankings

            found = rank_later(self.later)
            if isinstance(found, GroupedRankings):
                raise UnknownOption("--later holds several tasks or criteria: give one")
            later = found
        from evenhand.formats.covariates import read_system_covariates
        from evenhand.ranking.best_variant import note_owners

        named = read_system_covariates(self.owner, ("owner",))["owner"]
        owners = {system: str(owner) for system, owner in named.items()}
        shown: dict[str, Ranking] = {}
        for name, one in rankings.items():
            made = one.with_owners(owners, seed, later)
            shown[name] = replace(made, notes=(*made.notes, *note_owners(one.systems, owners)))
        return shown


class Instead(options.Options):
    pair: str | None = _output(
        "--pair A,B",
        "Two systems alone: who is better, how often each is predicted to win, and how many"
        " judgments are still needed.",
    )
    win_rates: bool = _output(
        "--win-rates", "How often each system is predicted to win against each other."
    )

    @property
    def given(self) -> list[str]:
        return ["--pair"] * (self.pair is not None) + ["--win-rates"] * self.win_rates

    def show(
        self, rankings: Mapping[str, Ranking], refused: Mapping[str, str]
    ) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        if self.pair is None:
            rates = self.win_rates
            return {k: one.win_rates() if rates else one for k, one in rankings.items()}, refused
        shown, lacking = {}, {}
        for name, ranking in rankings.items():
            try:
                # a name may hold a comma
                text = self.pair
                commas = [at for at, letter in enumerate(text) if letter == ","]
                splits = [(text[:at].strip(), text[at + 1 :].strip()) for at in commas]
                if not splits:
                    raise UnknownOption(f"--pair '{text}' is not two systems, such as --pair A,B")
                shown[name] = ranking.pair(
                    *next((one for one in splits if {*one} <= {*ranking.systems}), splits[0])
                )
            except InvalidJudgments as fault:
                if len(rankings) == 1:
                    raise
                lacking[name] = str(fault)
        if not shown:
            raise InvalidJudgments(next(iter(lacking.values())))
        return shown, {**refused, **lacking}

    def refuse(self) -> None:
        if len(self.given) > 1:
            raise UnknownOption("--pair and --win-rates exclude each other: choose one")
        for flag in self.given:
            columns = Scales.list_options()
            options.refuse_given(columns, f"is a column of the usual table: leave out {flag}")


@options.verb(
    "evenhand rank battles.parquet",
    "evenhand rank wmt12.RNK_results.csv --task fr-en",
    "evenhand rank wmt12.RNK_results.csv --task en-de --method all",
    "evenhand rank wmt12.RNK_results.csv --task en-de --model plackett-luce",
    "evenhand rank battles.parquet --control length=length_a,length_b",
    "evenhand rank battles.parquet --pair gpt-4,claude-1",
    "evenhand rank votes.csv --mix judge_group=expert:0.8,crowd:0.2 --per judge",
    "evenhand rank votes.csv --column judge=annotator --where \"lang = 'de'\"",
    "evenhand rank scores.csv --criterion adequacy",
    "evenhand rank people.csv --llm verdicts.csv",
    "evenhand rank votes.csv --owner owners.csv",
    doing="ranking",
)
def rank(
    run: options.Run,
    *,
    counting: Counting,
    tables: options.Tables,
    groups: options.Grouping,
    by: RankingModel,
    model: options.ModelOptions,
    sampling: Sampling,
    controls: options.Controls,
    mixing: Mixing,
    scores: options.Scores,
    verdicts: Verdicts,
    sure: Certainty,
    scales: Scales,
    owners: Owners,
    instead: Instead,
) -> running.VerbResult:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    FILE holds comparisons, rankings or ratings, as CSV, JSON Lines or Parquet, or
    is the database of a campaign; several files of one layout are read as one.
    Ratings are adjusted for judges and items; each criterion is ranked by itself.
    """
    if counting.memory is not None:
        from evenhand.formats.files import limit_memory

        limit_memory(counting.memory)
    instead.refuse()
    settings = {**vars(model), **vars(sampling), **vars(controls)}
    certainty = {**vars(sure), **vars(groups)}
    if {*by.methods} - {DEFAULT}:
        tables.refuse(f"--method {' '.join(by.methods)}")
        certainty["criterion"] = scores.criterion
        return _rank_by_methods(
            run, by.methods, settings, certainty, {**scores.settings, "criterion": None}
        )
    from evenhand.data.controls import advise_llm_judges
    from evenhand.data.query_log import watch_rows
    from evenhand.models.registry import RATING_MODELS
    from evenhand.ranking.rank import rank as rank_systems
    from evenhand.ranking.ranking import GroupedRankings

    given = options.given_options()
    with watch_rows(run.patience.step):
        used = (groups.group_by, *(column for column, _ in mixing.mixes))
        of_ratings = bool({*by.models} & RATING_MODELS.keys() | given & {*options.OF_RATINGS})
        kinds = options.kinds_of(ratings=of_ratings)
        data = run.reading.open_either(kinds, llm=verdicts.names, criterion=scores.criterion)
        certainty["interval"] = sure.interval if "interval" in given else None
        if isinstance(data, Ratings):
            options.refuse_of_comparisons(of=Sampling.list_options())
            tables.refuse("rank of ratings")
            certainty |= {"model": by.models[0] if by.models else "adjusted", **scores.settings}
            certainty["criterion"] = None  # it was chosen when the file was opened
        else:
            options.refuse_of_ratings()
            data = tables.join(data, used=used)
            certainty["model"] = choose_model(by.models, by.methods, settings, given)
            certainty |= {"mix": mixing.mix, "judge_cap": mixing.judge_cap}
        certainty |= verdicts.open(run.reading)
        if verdicts.llm_method != "worths":
            return _rank_powered(data, verdicts.llm_method, certainty)
        result = rank_systems(data, progress=run.patience.step, **certainty)
    rankings, refused = running.part_groups(result)
    scales.refuse(rankings.values())
    settings = {name: one for name, one in certainty.items() if name not in OF_VERDICTS}
    rank_later = partial(_rank_later, run.reading, data, settings)
    rankings = owners.add(rankings, sure.seed, rank_later)
    shown, refused = instead.show(rankings, refused)
    beside = None
    if isinstance(result, GroupedRankings) and not instead.win_rates:
        from evenhand.ranking.pairs import tabulate_groups

        beside = tabulate_groups(shown, result.by) if instead.pair else result.document()
    advice = () if verdicts.given else advise_llm_judges(data)
    return running.VerbResult(
        shown, refused, running.remarks_on(data), scales.shown, beside, advice=advice
    )


OF_VERDICTS: Final = ("llm", "llm_judges", "unpaired", "llm_weight")  # settings of `rank`


def _rank_later(reading: options.Reading, data: Any, settings: dict[str, Any], path: str) -> Any:
    """Rank judgments from after a choice, by other judges, as those before were ranked."""
    from evenhand.data.groups import list_judges
    from evenhand.ranking.best_variant import refuse_same_panel
    from evenhand.ranking.rank import rank as rank_systems

    later = reading.open_beside(path)
    refuse_same_panel(list_judges(data), list_judges(later))
    return rank_systems(later, **settings)


def _rank_powered(data: Any, method: str, settings: Mapping[str, Any]) -> running.VerbResult:
    if isinstance(data, Ratings):
        raise UnknownOption(f"--llm-method {method} is for comparisons: leave it out for ratings")
    used = ("llm", "llm_judges", "llm_weight", "unpaired", "llm_method")
    others = (*MODEL, *BOARD, "interval", "cluster", "seed", "group_by")
    only = f"works only without --llm-method {method}: leave it out"
    options.refuse_given([name for name in others if name not in used], only)
    names = ("llm", "llm_judges", "llm_weight", "unpaired", "level")
    taken = {name: settings[name] for name in names}
    result = evenhand.rank_prediction_powered(data, method=method, **taken)
    return running.VerbResult({"": result}, {}, running.remarks_on(data))


# `--method`: the same judgments ranked by a rule, or by several side by side.

# Settings of the default ranking alone
MODEL: Final = ("ties", "order_effect", "prior")
RESAMPLED: Final = ("interval", "cluster", "level")  # The same; a bootstrap of rules takes them too
# Settings of how the default ranking is shown by itself
BOARD: Final = (
    *(*Owners.list_options(), *Verdicts.list_options(), "models", *Mixing.list_options()),
    *Sampling.list_options(),
    *(*Scales.list_options(), "control", *Instead.list_options()),
)


def _rank_by_methods(
    run: options.Run,
    names: Sequence[str],
    settings: dict[str, Any],
    certainty: dict[str, Any],
    of_scores: dict[str, Any],
) -> running.VerbResult:
    from evenhand.ranking.methods import METHODS, choose_methods

    criterion = certainty["criterion"]
    asked = bool({*names} & METHODS.keys()) or criterion is not None
    data = run.reading.open_either(options.kinds_of(ratings=asked), criterion=criterion)
    methods = names
    if isinstance(data, Ratings):
        certainty.pop("criterion")
        options.refuse_of_comparisons("methods")
        only = f"works only without --method {' '.join(names)}: leave it out"
        options.refuse_given(BOARD, only)
        certainty |= of_scores
    else:
        methods, resampled = choose_methods(names), certainty["interval"] == "bootstrap"
        given = [name for name in click.get_current_context().params if options.is_given(name)]
        refuse_unused(given, methods, resampled=resampled)
        of_model = {name: settings[name] for name in MODEL}
        certainty["model"] = evenhand.BradleyTerry(**of_model, controls=settings["control"])
    result = evenhand.compare_methods(
        data, methods=methods, progress=run.patience.step, **certainty
    )
    groups, refused = running.part_groups(result)
    if len(methods) == 1 and methods[0] != "all":  # a result of its own
        (method,) = methods
        refused = {k: one.refused[method] for k, one in groups.items() if method in one.refused}
        groups = {k: one.of_method(method) for k, one in groups.items() if k not in refused}
    return running.VerbResult(groups, refused, running.remarks_on(data))


def refuse_unused(
    option_names: Sequence[str], methods: Sequence[str], *, resampled: bool = False
) -> None:
    from evenhand.ranking.methods import RULES

    rules = [name for name in methods if name != DEFAULT]
    for name in option_names:
        option = options.write_option(name)
        alone = f"{option} works only with {DEFAULT}, not with --method {listing(rules)}"
        if name in BOARD:
            raise UnknownOption(f"{alone}: leave it out")
        if resampled and name in RESAMPLED:
            continue
        if name in RESAMPLED and DEFAULT not in methods:
            needs = "can only be bootstrap" if name == "interval" else "needs --interval bootstrap"
            raise UnknownOption(
                f"{option} with --method {listing(rules)} {needs}; or add --method {DEFAULT}"
            )
        if name in MODEL and DEFAULT not in methods:
            raise UnknownOption(f"{alone}: leave it out, or add --method {DEFAULT}")
        draws = resampled or DEFAULT in methods or any(RULES[one].seeded for one in rules)
        if name == "seed" and not draws:
            raise UnknownOption(f"--seed: --method {listing(rules)} draws nothing: leave it out")


_doubts = options.under("What is asked")


class Doubts(options.Options):
    pairs: tuple[tuple[str, str], ...] = _doubts(
        "--pair BETTER WORSE",
        "Ask what carries this order of two systems. Repeatable. Default: the first system, whom"
        " it is decided to beat, and the borders between clusters.",
        nargs=2,
    )
    after: tuple[int, ...] = _doubts(
        "--after PLACE", "Ask what carries the border after a place. Repeatable.", type=int
    )
    seed: int = options.seed_option(_doubts)


@options.verb(
    "evenhand robustness votes.csv",
    "evenhand robustness votes.csv --pair opus lark",
    "evenhand robustness votes.csv --ties discard --judge-cap median",
    "evenhand robustness wmt12.RNK_results.csv --task en-de --after 3",
    doing="checking",
)
def robustness(
    run: options.Run,
    *,
    groups: options.Grouping,
    doubts: Doubts,
    model: options.ModelOptions,
    mixing: Mixing,
    scores: options.Scores,
    clusters: options.Cluster,
) -> running.VerbResult:
    """Check whether the ranking is robust, and to what.

    The ranking under each reasonable choice; how few votes, judges and items
    carry each conclusion, and whose they are; and whether preferences are
    cyclic (intransitive) beyond noise. Each task by itself; of ratings each
    criterion too. The options of `evenhand rank` change the ranking that is
    checked.
    """
    from evenhand.data.controls import leave_out_controls
    from evenhand.data.groups import choose_criterion
    from evenhand.data.rankings import Rankings
    from evenhand.models.means import Adjusted
    from evenhand.ranking.inference import Settings
    from evenhand.ranking.robustness.sensitivity import check_ratings, check_robustness

    by = groups.group_by
    settings: dict[str, Any] = {
        **vars(doubts),
        "model": choose_model((), (), vars(model), options.given_options()),
        "mix": mixing.mix,
        "judge_cap": mixing.judge_cap,
        **vars(clusters),
    }
    # with controls, which say whom to exclude
    opened = run.reading.open(options.PAIRS)
    if isinstance(opened, Ratings):
        options.refuse_of_comparisons()
        table = leave_out_controls(choose_criterion(opened, scores.criterion))
        of = {name: scores.settings[name] for name in ("lower_is_better", "references")}
        asked = Settings(Adjusted(), "rank-sets", **vars(clusters), seed=doubts.seed, **of)

        def work(part: RatingRows) -> Robustness:
            return check_ratings(part, asked, doubts.pairs)

        checked = running.work_on_groups(running.group_rows(table, by), work, by)
        return running.VerbResult(*checked, running.remarks_on(table))
    options.refuse_of_ratings()
    data = opened.comparisons() if isinstance(opened, Rankings) else opened
    parts, check = running.split_groups(data, by), partial(check_robustness, **settings)
    results = running.work_on_groups(parts, check, by)
    return running.VerbResult(*results, running.remarks_on(data, "controls"))
