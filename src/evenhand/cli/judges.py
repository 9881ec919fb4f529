"""The verbs about judges: `agreement`, `judges`, `bias`, `variance`, `labels` and `replace`."""

from __future__ import annotations

import dataclasses
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli import options
from evenhand.cli.running import (
    VerbResult,
    group_rows,
    part_groups,
    remarks_on,
    split_groups,
    work_on_groups,
)
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows
    from evenhand.judges.diagnosis import Diagnosis
    from evenhand.judges.variance import Judgments, Method, Study
    from evenhand.models.answers import Answers
    from evenhand.models.labels import LabelFit
    from evenhand.models.rating_components import Systems

_measure = options.under("What to measure")
_certainty = options.under("Uncertainty")


class AgreementOptions(options.Options):
    by: tuple[str, ...] = _measure(
        "--by COLUMN",
        "Also for each value of this column, such as an input type. Repeatable; several are"
        " crossed. Default: criterion, if there is one.",
    )
    scale: str | None = options.scale_option(_measure)
    coefficients: tuple[str, ...] = _measure(
        "--coefficient NAME|all",
        "A coefficient or a family, such as alpha, cohen, icc or kappa. Repeatable. Default: the"
        " usual ones for such judgments.",
    )
    mode: str | None = _measure(
        "--mode strict|wmt",
        "Pairwise κ of comparisons: strict (different judges, in any order on the screen) or wmt"
        " (as the organisers of WMT count). Default: both.",
    )
    llm: str | None = _measure(
        "--llm VERDICTS",
        "Verdicts of LLM judges in another file, in place of --llm-judges.",
        reads=True,
    )
    llm_judges: tuple[str, ...] = _measure(
        "--llm-judges NAME,NAME",
        "Judges who are LLMs, compared with people in a separate table. Repeatable. Default:"
        " those marked by judge_type.",
    )
    cluster: str = _certainty("--cluster item|judge", "What intervals resample.", default="item")
    level: float = options.level_option(_certainty)
    seed: int = options.seed_option(_certainty)


@options.verb(
    "evenhand agreement scores.csv --scale 1-5 --by criterion",
    "evenhand agreement scores.csv --by criterion --by input_type",
    "evenhand agreement wmt16.csv --mode wmt",
    doing="comparing",
)
def agreement(
    run: options.Run,
    *,
    groups: options.Grouping,
    criterion: options.Criterion,
    asked: AgreementOptions,
) -> VerbResult:
    """Measure how far judges agree, with each other and with themselves.

    For ratings, comparisons or rankings, with intervals that account for easy
    and hard items. Tasks are kept apart, unless you give --by task; --group-by
    keeps the values of another column apart, such as groups of judges.
    """
    from evenhand.data.groups import choose_criterion
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.judges.agreement import measure_agreement
    from evenhand.judges.agreement_table import GroupedAgreement

    data = run.reading.open(("ratings",) if criterion.criterion is not None else ())
    coefficients = asked.coefficients or ("default",)
    if asked.mode is not None:
        coefficients = (*coefficients, asked.mode)
    if isinstance(data, Ratings):
        if asked.mode is not None:
            raise UnknownOption(
                f"--mode {asked.mode} is about pairwise κ of comparisons, and {data.source.name}"
                " holds ratings: leave it out"
            )
        data = choose_criterion(data, criterion.criterion)
    else:
        options.refuse_of_ratings()
    settings = {**vars(asked), **vars(groups), "coefficients": coefficients}
    del settings["mode"]  # it is among the coefficients
    settings["by"] = asked.by or ("criterion",)
    settings["llm"] = None if asked.llm is None else run.reading.open_beside(asked.llm)
    settings["llm_judges"] = options.split_names(asked.llm_judges)
    result = measure_agreement(data, **settings)
    table = data.comparisons() if isinstance(data, Rankings) else data
    side_by_side = result.document() if isinstance(result, GroupedAgreement) else None
    read = remarks_on(table, "controls", "repeats", llm_judges=settings["llm_judges"])
    return VerbResult(*part_groups(result), read, side_by_side=side_by_side)


METHODS: Final = ("mean-score", "mean-agreement", "easy-items")

_ratings = options.under("What the ratings are")
_outside = options.under("Rules of Hamon et al. (ratings)")
_flags = options.under("Flags")


class FlagOptions(options.Options):
    fdr: float = _flags(
        "--fdr PROPORTION",
        "Allowed share of honest judges among the flagged (false discovery rate).",
        default=0.05,
    )
    hamon: bool = _flags(
        "--hamon", "Also the tables and rules of Hamon et al. (2007), for ratings."
    )
    llm_judges: tuple[str, ...] = _flags(
        "--llm-judges NAME,NAME",
        "Judges who are LLMs, and are excluded. Repeatable. Default: those marked by judge_type.",
    )


class DiagnosisOptions(options.Options):
    scale: str | None = options.scale_option(_ratings)
    input_type: str | None = _ratings(
        "--input-type COLUMN", "Kinds of input to show separately, such as speech and text."
    )
    references: tuple[str, ...] = _ratings(
        "--reference-system SYSTEM", "A human reference among the systems, the ceiling. Repeatable."
    )
    easy: str | None = _ratings(
        "--easy FILE",
        "A list of items, one per line, whose outputs are known to be good. Without it, rows of"
        " kind control are used.",
        reads=True,
    )
    version: str = _ratings(
        "--version first|last|both",
        "Which score counts where a judge scored an output again.",
        default="first",
    )
    merge: str | None = _ratings("--merge POINTS", "Also use a coarser scale, such as 1+2,4+5.")
    k: float = _outside(
        "--sd", "Standard deviations from the centre at which a judge is outside.", default=1.0
    )
    ddof: int = _outside(
        "--ddof 0|1",
        "Degrees of freedom subtracted in the standard deviation over judges.",
        default=1,
    )
    reading: str = _outside(
        "--mean-score mean|gap",
        "Use each judge's mean, or its gap to the others' mean on the same outputs.",
        default="mean",
    )
    methods: tuple[str, ...] = _outside(
        "--remove mean-score|mean-agreement|easy-items",
        "Methods that decide who is removed. Default: all three. Repeatable.",
    )
    match: str = _outside("--match any|all", "By how many of them: any, or all.", default="any")
    across: str = _outside(
        "--across each|any|all",
        "Remove under each criterion separately, or everywhere if outside under any or all.",
        default="each",
    )

    def diagnose(self, rows: RatingRows) -> Diagnosis:
        from evenhand.judges.diagnosis import diagnose_judges

        settings = {**vars(self), "easy": self.items(), "methods": self.methods or METHODS}
        return diagnose_judges(rows, **settings)

    def items(self) -> tuple[str, ...]:
        if self.easy is None:
            return ()
        try:
            lines = Path(self.easy).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise UnknownOption(f"--easy {self.easy} cannot be read: {reason}") from None
        items = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
        if not items:
            raise UnknownOption(f"--easy {self.easy} names no item: write one a line")
        return items


@options.verb(
    "evenhand judges votes.csv",
    "evenhand judges scores.csv --scale 1-5 --hamon",
    "evenhand judges scores.csv --scale 1-5 --figures figures",
    doing="screening",
)
def judges(
    run: options.Run,
    *,
    groups: options.Grouping,
    flags: FlagOptions,
    asked: DiagnosisOptions,
    figures: options.Figures,
) -> VerbResult:
    """Flag careless, reversed and position-biased judges, with the evidence.

    At most about one in twenty flags (--fdr) falls on an honest judge. For
    ratings, --hamon adds the diagnosis of Hamon, Mostefa and Arranz (2007):
    agreement, judges outside by three rules, systems scored without them.
    """
    from evenhand.data.controls import leave_out_llm_judges, leave_out_named
    from evenhand.data.rating_rows import require_scale
    from evenhand.data.ratings import Ratings
    from evenhand.judges.screening import note_llm_judges_apart
    from evenhand.ranking.without_judges import examine_comparisons, examine_ratings

    figures.check()
    named = options.split_names(flags.llm_judges)
    data = leave_out_llm_judges(leave_out_named(run.reading.open(), named))
    by, refused = groups.group_by, dict[str, str]()
    if isinstance(data, Ratings):
        by = "task" if by is None and data.has("task") else by
        factors = [one for one in (by, asked.input_type) if one is not None]
        rows = data.keep_asked().rows(factors=factors)
        panels, refused = examine_ratings(
            dataclasses.replace(rows, notes=(*rows.notes, *note_llm_judges_apart(data))),
            asked.diagnose,
            by=by,
            level=flags.fdr,
            scale=require_scale(asked.scale),
        )
    else:
        of_ratings = (*DiagnosisOptions.list_options(), *options.Grouping.list_options(), "hamon")
        why = "is for ratings; these are comparisons, whose judges are screened over all tasks"
        options.refuse_given(
            of_ratings, f"{why}: leave it out, or choose rows with --task or --where"
        )
        panels = {"": examine_comparisons(data, level=flags.fdr)}
    remarks = remarks_on(data)
    if figures.figures is not None:
        from evenhand.report.plot import draw_panel

        diagnosed = {group: one for group, one in panels.items() if one.diagnosis is not None}
        figures.write(diagnosed or panels, draw_panel)
    # options that say how the diagnosis is made ask for it
    made = {*DiagnosisOptions.list_options(), *options.Grouping.list_options()} - {"scale"}
    hamon = flags.hamon or not made.isdisjoint(options.given_options())
    flagged = [one for one in panels.values() if one.screening is not None]
    # flags are over all tasks
    if flagged and not hamon and run.place.form not in ("json", "csv"):
        panels, refused = {"": flagged[0]}, {}
    return VerbResult(panels, refused, remarks, ("hamon",) * hamon)


_looked_at = options.under("What is looked at")


class BiasOptions(options.Options):
    controls: tuple[str, ...] = _looked_at(
        "--control COLUMN|NAME=LEFT,RIGHT|SQL|style",
        "Of ratings, a column of numbers whose effect on scores is estimated, such as a length. A"
        " column called position is used by default. Of LLM judges, a difference between two"
        " outputs, as in rank. Repeatable.",
    )
    llm_judges: tuple[str, ...] = _looked_at(
        "--llm-judges NAME,NAME",
        "LLM judges of comparisons, each analysed separately and compared with people: position,"
        " --control, consistency. Repeatable.",
    )
    llm: str | None = _looked_at(
        "--llm VERDICTS",
        "LLM judges' comparisons in another file, in place of --llm-judges.",
        reads=True,
    )
    own: str | None = _looked_at(
        "--own TABLE",
        "A table with columns system and family, and a row for each system and LLM judge: tests"
        " whether LLM judges prefer their own family more than people do.",
        reads=True,
    )


@options.verb(
    "evenhand bias votes.csv",
    "evenhand bias wmt12.RNK_results.csv --task fr-en",
    "evenhand bias scores.csv --criterion adequacy --control words",
    "evenhand bias battles.csv --llm-judges gpt-4 --control style --own own.csv",
    doing="looking",
)
def bias(
    run: options.Run,
    *,
    tables: options.Tables,
    groups: options.Grouping,
    criterion: options.Criterion,
    asked: BiasOptions,
    clusters: options.Cluster,
) -> VerbResult:
    """Estimate the advantage of being shown first, or what moves scores.

    Over all judges, with an interval that accounts for judges and items;
    whether judges differ; and which of them stand out. The file must say which
    output stood first, and pairs must have been shown in both orders. Of
    ratings: how severe judges are, their tastes for systems, drift over time,
    position, judges of their own systems, and --control. With --llm-judges or
    --llm: what moves each LLM judge, and whether it agrees with itself.
    """
    from evenhand.data.controls import join_verdicts
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.bias import choose_columns, find_position_bias, find_rating_bias
    from evenhand.ranking.llm_bias import find_llm_bias

    by, settings = groups.group_by, vars(clusters)
    llm_judges = options.split_names(asked.llm_judges)
    if llm_judges or asked.llm is not None:
        why = "does not apply to LLM judges, whose errors are by item: leave it out"
        options.refuse_given(["criterion", "cluster"], why)
        opened = run.reading.open_either(("comparisons", "rankings"), llm=True)
        if isinstance(opened, Ratings):
            raise UnknownOption(
                f"biases of LLM judges need comparisons; {opened.source.name} holds ratings: leave"
                " out --llm and --llm-judges"
            )
        every, names = opened, tuple(llm_judges)
        if asked.llm is not None:
            every, names = join_verdicts(opened, run.reading.open_beside(asked.llm), names)
        how: Any = {"llm_judges": names, "controls": asked.controls, "own": asked.own}
        parts = split_groups(tables.join(every, used=(by, *asked.controls)), by)
        work = partial(find_llm_bias, **how, level=clusters.level)
        return VerbResult(*work_on_groups(parts, work, by), remarks_on(opened))
    if asked.own is not None:
        raise UnknownOption(
            "--own needs LLM judges: name them (--llm-judges NAME) or give their verdicts (--llm)"
        )
    kinds = options.kinds_of(ratings=criterion.criterion is not None or bool(asked.controls))
    opened = run.reading.open_either(kinds, criterion=criterion.criterion)
    if isinstance(opened, Ratings):
        ratings = tables.join(opened, used=(by, *asked.controls))
        looked_at = choose_columns(ratings, asked.controls)
        rows = group_rows(ratings, by, looked_at)
        of_ratings = partial(find_rating_bias, controls=looked_at, **settings)
        return VerbResult(*work_on_groups(rows, of_ratings, by), remarks_on(ratings))
    options.refuse_of_ratings("controls")
    data = tables.join(opened, used=(by,))
    found = work_on_groups(split_groups(data, by), partial(find_position_bias, **settings), by)
    return VerbResult(*found, remarks_on(data))


_planned = options.under("Design")
_model = options.under("Model")


class VarianceOptions(options.Options):
    judges: int | None = _planned("--judges", "Predict for this many judges.")
    items: int | None = _planned("--items", "Predict for this many items.")
    per_output: float | None = _planned(
        "--per-output", "Ratings: judges per output. Default: as in the data."
    )
    per_judge: float | None = _planned(
        "--per-judge", "Comparisons: how many each judge makes. Default: as in the data."
    )
    stderr: float | None = _planned(
        "--stderr", "Find the judges and items that give this standard error of a difference."
    )
    reliability: float | None = _planned(
        "--reliability PROPORTION",
        "Find the judges and items that give this reliability (generalizability coefficient).",
    )
    criterion: str | None = _model("--criterion NAME", "Only this criterion (ratings).")
    systems: Systems = _model(
        "--systems random|fixed",
        "Ratings: systems are a sample (random), or the only ones of interest (fixed).",
        default="random",
    )
    method: Method | None = _model(
        "--method moments|likelihood",
        "Comparisons: moments (the default), or likelihood for judges' tastes, which takes"
        " seconds.",
    )
    level: float = options.level_option(_model)


@options.verb(
    "evenhand variance scores.csv --reliability .9",
    "evenhand variance scores.csv --criterion adequacy --judges 10 --items 200",
    "evenhand variance votes.csv --stderr .2",
    doing="estimating",
)
def variance(run: options.Run, *, groups: options.Grouping, asked: VarianceOptions) -> VerbResult:
    """Estimate variance components, and how many judges and items are enough.

    Systems, judges, items, tastes and chance; each task and criterion apart. Of
    ratings by restricted likelihood, of comparisons by moments.
    """
    from evenhand.data.controls import leave_out_llm_judges
    from evenhand.data.groups import choose_criterion
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.judges.variance import DesignRequest, estimate_components, study_designs

    data, by = leave_out_llm_judges(run.reading.open()), groups.group_by
    parts: dict[str, Judgments]
    if isinstance(data, Ratings):
        options.refuse_given(["per_judge"], "is of comparisons: for ratings say --per-output")
        data, each = choose_criterion(data, asked.criterion), asked.per_output
        parts = {**group_rows(data, by)}
    else:
        options.refuse_given(["criterion"], "is of ratings; these are comparisons: leave it out")
        options.refuse_given(["per_output"], "is of ratings: for comparisons say --per-judge")
        each = asked.per_judge
        table = data.comparisons() if isinstance(data, Rankings) else data
        parts = {**split_groups(table, by)}
    request = DesignRequest(asked.judges, asked.items, each, asked.stderr, asked.reliability)
    done = count()

    def work(part: Judgments) -> Study:
        if len(parts) > 1:  # one alone has no steps: a bar would stand still
            run.patience.step(next(done), len(parts))
        components = estimate_components(
            part, systems=asked.systems, method=asked.method, level=asked.level
        )
        return study_designs(components, request)

    noted = ("controls",) if isinstance(data, Ratings) else ("controls", "repeats")
    return VerbResult(*work_on_groups(parts, work, by), remarks_on(data, *noted))


_tested = options.under("What is tested")


class ReplaceOptions(options.Options):
    llm: str | None = _tested(
        "--llm VERDICTS",
        "Verdicts of LLM judges in another file, in place of --llm-judges.",
        reads=True,
    )
    llm_judges: tuple[str, ...] = _tested(
        "--llm-judges NAME,NAME",
        "The judges who are LLMs. Default: those whom a column judge_type marks. Repeatable.",
    )
    epsilon: float | None = _tested(
        "--epsilon E",
        "How much less often than a judge the LLM may be closer to the other judges: .2 where these"
        " are experts, .15 where skilled, .1 for crowds.",
    )
    balanced: bool = _tested("--balanced", "All labels count the same, however frequent.")
    score: str | None = _tested(
        "--score rmse|abs|accuracy",
        "How closeness of scores is measured: rmse (the default), abs (distance to the mean of the"
        " others) or accuracy (the same score).",
    )
    by: str | None = _tested(
        "--by COLUMN", "Test each value of this column by itself, such as each domain."
    )


@options.verb(
    "evenhand replace verdicts.csv --llm-judges gpt --epsilon .1",
    "evenhand replace people.csv --llm verdicts.csv --epsilon .2",
    "evenhand replace scores.csv --llm-judges gpt,claude --epsilon .2",
    "evenhand replace scores.csv --llm-judges gpt --epsilon .1 --by domain",
    doing="testing",
)
def replace(run: options.Run, *, criterion: options.Criterion, asked: ReplaceOptions) -> VerbResult:
    """Test whether an LLM judge may replace a human judge.

    FILE holds judgments of three people or more and of LLM judges on the same
    outputs, or VERDICTS holds the latter. An LLM judge may if it is nearly as
    close to the other judges as a judge is, closer than any constant answer,
    and judges agree beyond chance.
    """
    from evenhand.judges.replacement import replace as test_replacement

    names = options.split_names(asked.llm_judges)
    if asked.epsilon is None:
        raise UnknownOption(
            "say how much less often the LLM may be closer: --epsilon .2 where judges are experts,"
            " .15 where skilled, .1 for crowds"
        )
    data = run.reading.open_systems(llm=names or True, criterion=criterion.criterion)
    llm = None if asked.llm is None else run.reading.open_beside(asked.llm)
    settings = {**vars(criterion), **vars(asked), "llm": llm, "llm_judges": names}
    return VerbResult({"": test_replacement(data, **settings)}, {}, remarks_on(data))


class LabelOptions(options.Options):
    model: str = _model(
        "--model mace|dawid-skene|majority",
        "mace: each judge knows the label or guesses; dawid-skene: an error matrix for each"
        " judge, for judges with many answers; majority: all judges count the same.",
        default="mace",
    )
    ties: str = _model(
        "--ties keep|discard",
        "Keep ties as a label of a pair of outputs, or exclude tied votes.",
        default="keep",
    )
    pool_tasks: bool = _model(
        "--pool-tasks", "Fit all tasks together; a judge has the same reliability in each."
    )
    threshold: float | None = _model(
        "--threshold PROPORTION", "Label only this share of the units, the most certain ones."
    )
    seed: int = options.seed_option(_model, says="Seed of MACE's random starts.")


@options.verb(
    "evenhand labels votes.csv",
    "evenhand labels ratings.csv --model dawid-skene --csv -o labels.csv",
    "evenhand labels votes.csv --pool-tasks --threshold .95 --json",
    doing="labelling",
)
def labels(
    run: options.Run, *, tables: options.Tables, groups: options.Grouping, asked: LabelOptions
) -> VerbResult:
    """Combine the answers of several judges into one label for each output.

    Ratings on a short scale give scores as labels; comparisons and rankings
    give the preferred system or a tie for each pair of outputs. Reliable judges
    count more. Two equally probable labels give none. The file must name
    judges, and items if it holds comparisons.
    """
    from evenhand.data.rankings import Rankings
    from evenhand.models.answers import code_groups

    by, data = groups.group_by, run.reading.open()
    table: Any = data.comparisons() if isinstance(data, Rankings) else data
    table = tables.join(table, used=(by,))
    answers = code_groups(table, by, ties=asked.ties, together=asked.pool_tasks)
    found = work_on_groups(answers, lambda part: _label(part, asked), by)
    return VerbResult(*found, remarks_on(table, "controls"))


def _label(answers: Answers, asked: LabelOptions) -> LabelFit:
    from evenhand.models.dawid_skene import DawidSkene
    from evenhand.models.labels import MajorityVote
    from evenhand.models.mace import MACE

    models: dict[str, MACE | DawidSkene | MajorityVote] = {
        "mace": MACE(seed=asked.seed),
        "dawid-skene": DawidSkene(),
        "majority": MajorityVote(),
    }
    fit = models.pop(asked.model).fit(answers)
    others = {name: fit.compare(other.fit(answers)) for name, other in models.items()}
    certain = fit if asked.threshold is None else fit.keep(asked.threshold)
    return dataclasses.replace(certain, others=others)
