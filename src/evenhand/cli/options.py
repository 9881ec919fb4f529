"""Options of the verbs: what words they take, how they are declared, and those that verbs share."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from inspect import get_annotations
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import click
from click.core import ParameterSource

from evenhand.cli import running
from evenhand.cli.main import VERBS
from evenhand.errors import (
    MissingOutcomes,
    PaddedLabels,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
)
from evenhand.render.document import plural

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings

    AnyType = click.ParamType[Any]
    Joined = TypeVar("Joined", Comparisons, Ratings)
else:  # not generic before click 8.3
    AnyType = click.ParamType


class Parsed(AnyType):
    """The value of an option as `parse` reads it; its ValueError is a fault of the user."""

    def parse(self, text: str) -> Any:
        raise NotImplementedError

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.parse(value) if isinstance(value, str) else value
        except ValueError as error:
            return self.fail(str(error), param, ctx)


class OneOf(Parsed):
    """One of a few words; a misspelt one is refused with what it may have been."""

    name = "choice"
    between = "|"  # what stands between the words in the help

    def __init__(self, choices: Sequence[str], later: Mapping[str, str] | None = None) -> None:
        self.choices = tuple(choices)
        self.later = later or {}

    def parse(self, text: str) -> str:
        if text in self.later:
            raise ValueError(self.later[text])
        if text not in self.choices:
            hint = sentence_hint(suggest(text, self.choices))
            raise ValueError(f"'{text}' is not one of {' | '.join(self.choices)}{hint}")
        return text

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return self.between.join(self.choices)


class SomeOf(OneOf):
    """Some of a few words, with commas between, such as `svg,pdf`."""

    name = "choices"
    between = ","

    def parse(self, text: str) -> Any:
        words = [super(SomeOf, self).parse(word.strip()) for word in text.split(",")]
        return tuple(dict.fromkeys(words))


class WholeFrom(click.types.IntParamType):
    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(super().convert(value, param, ctx))
        if number < self.least:
            self.fail(f"{number}: a whole number, {self.least} or more", param, ctx)
        return number


SEEDS: Final = WholeFrom(0)


class Named(Parsed):
    """A pair such as `judge=annotator`; what stands behind the first "=" may hold "=" itself."""

    def __init__(self, name: str, example: str) -> None:
        self.name, self.example = name, example

    def parse(self, text: str) -> tuple[str, str]:
        first, sign, second = text.partition("=")
        if not (first and sign and second):
            raise ValueError(f"'{text}' is not {self.name}, such as {self.example}")
        return first, second


ROLE_COLUMN: Final = Named("role=name", "judge=annotator")
COLUMN_LEVEL: Final = Named("column=level", "native=yes")


class Weight(Named):
    def parse(self, text: str) -> Any:
        name, number = super().parse(text)
        try:
            return name, float(number)
        except ValueError:
            raise ValueError(f"'{text}' is not {self.name}, such as {self.example}") from None


SEVERITY_WEIGHT: Final = Weight("severity=points", "critical=25")


class LabelOutcome(Parsed):
    """`label=outcome`, such as `A is better=left`; a label may hold "=" itself."""

    name = "label=outcome"
    outcomes = ("left", "tie", "right")

    def parse(self, text: str) -> tuple[str, str]:
        label, _, outcome = text.rpartition("=")
        if not label or outcome not in self.outcomes:
            hint = sentence_hint(suggest(outcome, self.outcomes) if label else "")
            raise ValueError(
                f"'{text}' is not label=left, label=tie or label=right, such as 1=left{hint}"
            )
        return label, outcome


def split_names(texts: Iterable[str]) -> list[str]:
    """Return the names of an option that may be repeated and may hold several, with commas."""
    return [name.strip() for text in texts for name in text.split(",")]


# The options, spelled once: every verb that takes one takes it under the same name.

Function = TypeVar("Function", bound=Callable[..., Any])

SEED: Final = 20131


class Section(click.Option):
    """An option that stands under a heading in the help."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Refuse another option in place of the value, which click takes for one."""
        names = {name for one in ctx.command.params for name in (*one.opts, *one.secondary_opts)}
        given = value if isinstance(value, tuple | list) else [value]
        fault = ""
        if any(isinstance(one, str) and one in names for one in given):
            fault = f" needs {self.make_metavar(ctx)}"
        cast_value = None if fault else super().type_cast_value(ctx, value)
        # nan is within no range, and click takes it
        if isinstance(self.type, click.FloatRange) and not isfinite(cast_value or 0):
            fault = f": {value} is no number that can be used"
        if fault:
            raise click.BadOptionUsage(self.name or "", f"{self.opts[-1]}{fault}", ctx)
        return cast_value

    def __init__(self, *words: Any, heading: str = "Options", **settings: Any) -> None:
        """Declare it: its default is shown unless told otherwise, and numbers are called NUMBER."""
        settings.setdefault("show_default", settings.get("default") is not None)
        if settings.get("type") in (int, float) or isinstance(settings.get("type"), WholeFrom):
            settings.setdefault("metavar", "NUMBER")
        super().__init__(*words, **settings)
        self.heading = heading


@dataclass(frozen=True)
class Declaration:
    """An option as a class declares it beside its type; without words it is an argument."""

    words: tuple[str, ...]  # how it is written
    settings: Mapping[str, Any]  # of click.Option
    reads: bool = False  # whether it names files that are read


Declare: TypeAlias = Callable[..., Any]


CHOICES: Final = re.compile(r"[a-z+-]+(\|[a-z+-]+)+")  # A metavar that lists the words


def under(heading: str) -> Declare:
    """Return what declares options of a class: words and metavar, what the help says, settings.

    A metavar such as keep|drop says which words the option takes. What names files that are read
    says so (`reads`): no output may overwrite them.
    """

    def declare(words: str, says: str = "", *, reads: bool = False, **settings: Any) -> Declaration:
        flags = [one for one in words.split() if one.startswith("-")]
        metavar = words.removeprefix(" ".join(flags)).strip()
        named: dict[str, Any] = {"metavar": metavar} if metavar else {}
        if CHOICES.fullmatch(metavar):
            named = {"type": OneOf(metavar.split("|"))}
        told = {"help": says} if says else {}
        return Declaration(tuple(flags), {"heading": heading, **named, **told, **settings}, reads)

    return declare


def argument(metavar: str, *, reads: bool = False, **settings: Any) -> Any:
    return Declaration((), {"metavar": metavar, **settings}, reads)


# What click is told of a parameter by the type that stands beside it
KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "bool": {"is_flag": True},
    **{f"{kind.__name__}{end}": {"type": kind} for kind in (int, float) for end in ("", " | None")},
}


class Options:
    """Options that belong together: a class declares each beside its type, a verb takes them.

    Several values (a tuple, and never None) are an option that may be repeated.

    >>> class Scales(Options):
    ...     elo: bool = under("Output")("--elo", "Also the Elo scale.")
    >>> Scales({"elo": True, "level": 0.9}).elo
    True
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        for name in self.list_options():
            setattr(self, name, values[name])

    @property
    def inputs(self) -> tuple[str, ...]:
        """Files that are read, which no output may overwrite."""
        named = [getattr(self, name) for name, one in self.list_options().items() if one.reads]
        listed = [one if isinstance(one, tuple) else (one,) for one in named]
        return tuple(path for paths in listed for path in paths if path)

    @classmethod
    def flags(cls) -> dict[str, str]:
        """Return how each option is written, by the name of its parameter."""
        return {name: one.words[-1] for name, one in cls.list_options().items() if one.words}

    @classmethod
    def list_options(cls) -> dict[str, Declaration]:
        """Return the options of a class: those of the class that it is made from come first."""
        options = {}
        for owner in reversed(cls.__mro__):
            for name, one in vars(owner).items():
                if isinstance(one, Declaration):
                    kind = str(owner.__annotations__[name])
                    several = kind.startswith("tuple[") and not kind.endswith("None")
                    told = {"multiple": several} if several and one.words else KINDS.get(kind, {})
                    options[name] = replace(one, settings={**told, **one.settings})
        return options


def level_option(
    declare: Declare, *, default: float = 0.95, says: str = "Level of the intervals."
) -> Any:
    return declare("--level", type=float, metavar="PROPORTION", default=default, help=says)


def seed_option(declare: Declare, *, says: str = "Random seed.") -> Any:
    return declare("--seed", type=SEEDS, default=SEED, help=says)


def scale_option(declare: Declare) -> Any:
    return declare(
        "--scale LOW-HIGH",
        "Possible scores: 1-5 (whole steps), 0..1 (no steps) or 1,2,3,5. Default: the scores in"
        " the data.",
    )


# What stands last in the help of a verb, after its own options
_GROUPS: Final = ("Model", "Item-response models", "Uncertainty", "Output", "Reading", "Options")
LAST: Final = {name: place for place, name in enumerate(_GROUPS, 1)}


class Verb(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a verb's words; whatever is wrong with them is known to be this verb's."""
        try:
            *_, given = self.make_parser(ctx).parse_args([*args])
            if sum(one.metavar == "VERDICTS" for one in given) > 1:  # click would take the last
                ctx.fail("one file of verdicts is taken: put all into one, with their judges")
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        headings: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                heading = getattr(param, "heading", "Options")
                headings.setdefault(heading, []).append(record)
        for heading in sorted(headings, key=lambda one: LAST.get(one, 0)):
            with formatter.section(heading):
                formatter.write_dl(headings[heading])


def _work_again(work: Callable[[], Any], taken: Sequence[Options]) -> Any:
    """Do the work, and once more where a long table has faults far down that can be mended."""
    readings = [one for one in taken if isinstance(one, Reading)]
    try:
        return work()
    except (MissingOutcomes, PaddedLabels):
        if not readings:
            raise
        for one in readings:
            one.thorough = True  # all of it is looked at
        return work()


def verb(
    *commands: str, doing: str = "", needs_files: bool = True
) -> Callable[[Function], click.Command]:
    """Return what makes a verb of a function, whose parameters are classes of options.

    A verb that takes a `Run` reads judgments, works on them and returns what it found.

    doing: what the sign of life says meanwhile, "" where the verb shows its own.
    """

    def declare(function: Function) -> click.Command:
        name = function.__name__.rstrip("_")
        hints = get_annotations(function, eval_str=True)
        kinds: dict[str, type[Options]] = {
            one: kind
            for one, kind in hints.items()
            if isinstance(kind, type) and issubclass(kind, Options)
        }
        reads = Run in hints.values()
        declared: dict[str, Declaration] = {}
        around: list[type[Options]] = [Reading, Placing] if reads else []
        for taken_kind in (*around[:1], *kinds.values(), *around[1:]):
            declared |= taken_kind.list_options()

        if not needs_files:
            files = {**declared["files"].settings, "metavar": "[FILE...]", "required": False}
            declared["files"] = Declaration((), files)

        @wraps(function)
        def work(**settings: Any) -> None:
            taken = {one: kind(settings) for one, kind in kinds.items()}
            if not reads:
                _work_again(lambda: function(**taken), [*taken.values()])
                return
            reading = Reading(settings)
            inputs = [path for one in (reading, *taken.values()) for path in one.inputs]
            run = Run(reading, Placing(settings).choose(*inputs), running.ProgressDisplay(doing))
            with run.patience if doing else nullcontext():
                result = _work_again(lambda: function(run, **taken), [reading])
            if result is not None:
                run.place.deliver(result)
                if result.exit_code:
                    click.get_current_context().exit(result.exit_code)

        params = [
            (Section if one.words else click.Argument)((parameter, *one.words), **one.settings)
            for parameter, one in declared.items()
        ]
        return click.command(
            name,
            Verb,
            params=params,
            short_help=VERBS[name],
            epilog="\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands),
        )(work)

    return declare


_input_option = under("Reading")
_model_option = under("Model")
_certainty_option = under("Uncertainty")
_output_option = under("Output")


STANDARD_INPUT: Final = "standard input"  # What the file "-" is called in messages
# Options that are settings of `evenhand.read` as they are
OF_READ: Final = (
    *("weights", "where", "task", "system_separator", "sheet", "decimal", "skip_bad_rows"),
    *("missing", "without"),
)


class Reading(Options):
    """What is read, and how; all files are of one layout."""

    thorough = False  # whether missing outcomes and blanks around labels are looked for in all rows

    files: tuple[str, ...] = argument("FILE...", reads=True, nargs=-1, required=True)
    task: str | None = _input_option("--task NAME", "Only this task, such as one language pair.")
    where: str | None = _input_option(
        "--where SQL",
        "Only rows that meet a condition on the file's own columns. Repeatable: rows that meet"
        " them all.",
        multiple=True,
        callback=lambda _context, _option, conditions: running.join_conditions(conditions),
    )
    without: tuple[str, ...] = _input_option(
        "--without NAME,NAME",
        "Without these judges or systems; judge=NAME or system=NAME where both have the name;"
        " metric=NAME,NAME of metrics. Repeatable.",
    )
    layout: str | None = _input_option(
        "--from FORMAT", "The file's format, where it is not recognised."
    )
    columns: tuple[tuple[str, str], ...] = _input_option(
        "--column ROLE=NAME",
        "Which column plays a role, such as judge=annotator. Repeatable.",
        type=ROLE_COLUMN,
    )
    weight: str | None = _input_option("--weight COLUMN", "How many judgments a row represents.")
    weights: Literal["frequency", "importance"] = _input_option(
        "--weights frequency|importance",
        "What weights are: counts of judgments, or their importance (fractions allowed).",
        default="frequency",
    )
    outcomes: tuple[tuple[str, str], ...] = _input_option(
        "--outcome LABEL=left|tie|right",
        "What a label of the outcome column means, such as 1=left. Repeatable; adds to the usual"
        " labels.",
        type=LabelOutcome(),
    )
    system_separator: str | None = _input_option(
        "--system-separator SIGN",
        "The sign between the systems of an output that was shown once for all of them, as + in"
        " A+B: it counts for each.",
    )
    sheet: str | None = _input_option(
        "--sheet NAME", "Which sheet of a workbook. Default: the only one that holds judgments."
    )
    decimal: str | None = _input_option(
        "--decimal",
        "The sign before decimals. Default: a point; a comma where it is sure in a file of"
        " semicolons or tabs.",
        type=OneOf((".", ",")),
    )
    skip_bad_rows: bool = _input_option(
        "--skip-bad-rows",
        "Exclude rows that cannot be read, counted and listed, and read the others.",
    )
    missing: tuple[str, ...] = _input_option(
        "--missing VALUE,VALUE",
        "Values that are no answer, such as 99,n.a.: scores, ranks and outcomes that hold one are"
        " empty, and counted. Repeatable.",
    )
    error_weights: tuple[tuple[str, float], ...] = _input_option(
        "--error-weight SEVERITY=POINTS",
        "Of marked errors (MQM), what one takes from the score, such as critical=25. Repeatable.",
        type=SEVERITY_WEIGHT,
    )
    explain: bool = _input_option(
        "--explain",
        "Print the queries that the engine ran, and how many rows they returned.",
        callback=running.keep_account,
    )

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.meanings: Mapping[str, Any] = running.join_pairs(
            self.outcomes, "--outcome: label '{}' cannot be both {} and {}"
        )
        weight = [("weight", self.weight)] if self.weight else []
        self.roles = running.join_pairs(
            [*self.columns, *weight], "role '{}' is given two columns, '{}' and '{}': one will do"
        )
        # columns may be in one of two files only
        self.beside = any(values.get(name) for name in ("llm", "for_llm", "later"))
        self.lacking: set[str] = set()  # roles whose column the first file does not have

    @property
    def words(self) -> tuple[str, ...]:
        """What stands behind a verb to read the same judgments, without secrets."""
        there = [one for one in self.columns if one[0] not in self.lacking]
        weight = None if "weight" in self.lacking else self.weight
        return running.write_words(
            self.files, self.flags(), {**vars(self), "columns": there, "weight": weight}
        )

    @property
    def words_beside(self) -> tuple[str, ...]:
        """What stands behind another file to read it: columns that FILE does not have."""
        lost = [f"{role}={name}" for role, name in self.roles.items() if role in self.lacking]
        return tuple(word for one in lost for word in ("--column", one))

    @cached_property
    def is_database(self) -> bool:
        """Whether this is a whole database, as that of a campaign is, which may go on."""
        from evenhand.formats.file_heads import is_database

        return len(self.files) == 1 and is_database(self.files[0])

    @cached_property
    def standard_input(self) -> str:
        """A file of what stands on standard input: a format is recognised by looking twice."""
        from evenhand.formats.file_heads import Copies

        copies = Copies()
        content = sys.stdin.buffer.read()
        copies.keep_with(self)
        return str(copies.write(STANDARD_INPUT, STANDARD_INPUT, content))

    def open(self, kinds: Sequence[str] = ()) -> Comparisons | Rankings | Ratings:
        """Open the files; of a campaign's database a table of one of these kinds, if it has any."""
        from evenhand.data.comparisons import Comparisons
        from evenhand.data.query_log import call_copy

        files = [self.standard_input if one == "-" else one for one in self.files]
        if "-" in self.files:  # in another process the copy has no other name yet
            call_copy(self.standard_input, STANDARD_INPUT)
        source: Any = files[0] if len(files) == 1 else files
        if self.is_database:
            from evenhand.web.downloads import open_table

            source = open_table(source, kinds, layout=self.layout, task=self.task)
        settings = {name: getattr(self, name) for name in OF_READ}
        settings |= {"format": self.layout, "outcomes": self.meanings or None}
        settings |= {"error_weights": dict(self.error_weights)}
        required = () if self.beside else self.roles
        data, self.lacking = running.read_with_roles(source, self.roles, required, settings)
        data = replace(data, source=replace(data.source, words=self.words))
        data = data.strip_labels() if self.thorough else data
        if self.thorough and isinstance(data, Comparisons):
            return data.exclude_unanswered()
        return data

    def open_beside(self, path: str) -> Comparisons | Rankings | Ratings:
        """Open another file whose labels and columns are as in FILE, or columns its own."""
        required = self.lacking if self.files else self.roles
        settings = {"outcomes": self.meanings or None, "missing": self.missing}
        data, _ = running.read_with_roles(path, self.roles, required, settings)
        return replace(data, source=replace(data.source, words=(path, *self.words_beside)))

    def open_systems(
        self,
        kinds: Sequence[str] = (),
        *,
        llm: bool | Sequence[str] = False,
        criterion: str | None = None,
    ) -> Comparisons | Rankings | Ratings:
        """Open the files and leave out controls and judges marked as LLMs.

        llm: whether LLM judges stay, or the names of those who do.
        criterion: of ratings, the one whose ratings are read; controls are those among them.
        """
        from evenhand.data.controls import keep_all_judges, leave_out_controls, leave_out_llm_judges
        from evenhand.data.groups import choose_criterion
        from evenhand.data.ratings import Ratings

        data = self.open(kinds)
        data = choose_criterion(data, criterion) if isinstance(data, Ratings) else data
        named = [] if isinstance(llm, bool) else llm
        return leave_out_controls(
            keep_all_judges(data) if llm is True else leave_out_llm_judges(data, named)
        )

    def open_comparisons(self, verb: str) -> Comparisons:
        from evenhand.data.controls import require_systems, take_pairs
        from evenhand.data.ratings import Ratings

        data = self.open(("comparisons", "rankings"))
        require_systems(data)
        if isinstance(data, Ratings):
            raise UnknownFormat(
                f"{data.source.name} holds ratings, and {verb} needs comparisons or rankings:"
                f" evenhand rank {shlex.join(self.files)} ranks them"
            )
        return take_pairs(data)

    def open_ratings(self, verb: str, criterion: str | None) -> Ratings:
        from evenhand.data.ratings import Ratings

        data = self.open_systems(("ratings",), criterion=criterion)
        if not isinstance(data, Ratings):
            held = type(data).__name__.lower()
            raise UnknownFormat(
                f"{data.source.name} holds {held}, and {verb} needs ratings, one score of one"
                " output a row: evenhand inspect says what is in it"
            )
        return data

    def open_either(
        self,
        kinds: Sequence[str] = (),
        *,
        llm: bool | Sequence[str] = False,
        criterion: str | None = None,
    ) -> Comparisons | Ratings:
        """Open the files as `open_systems` does, and expand rankings; `kinds` as of `open`."""
        from evenhand.data.rankings import Rankings

        data = self.open_systems(kinds, llm=llm, criterion=criterion)
        return data.comparisons() if isinstance(data, Rankings) else data


@dataclass(frozen=True)
class Run:
    """A verb at work: what it reads, where its result goes, and its sign of life."""

    reading: Reading
    place: running.Output
    patience: running.ProgressDisplay


class Grouping(Options):
    group_by: str | None = _input_option(
        "--group-by COLUMN",
        "Analyse each value of this column separately. Tasks are always separate.",
    )


model_option: Final = _model_option(
    "--model NAME",
    "What ranks: bradley-terry (the default) or another model, such as random-judges,"
    " plackett-luce or irt-gaussian; of ratings adjusted (the default), mean, z, mixed or ordinal.",
)


class ModelOptions(Options):
    ties: str = _model_option(
        "--ties davidson|rao-kupper|glenn-david|half-win|discard|none",
        "How ties are modelled. none: γ = 0 with the tie cells kept.",
        default="davidson",
    )
    order_effect: bool = _model_option(
        "--order-effect", "Estimate the advantage of being shown first."
    )
    prior: float = _model_option(
        "--prior",
        "Pseudo-comparisons of every system with an average one, half won. Default: none.",
        default=0.0,
        show_default=False,
    )


class Controls(Options):
    control: tuple[str, ...] = _model_option(
        "--control COLUMN|NAME=LEFT,RIGHT|SQL|style",
        "Hold equal what differs between two outputs, such as length: a column of differences,"
        " left minus right, a column for each side, or a SQL expression of columns; style takes the"
        " columns of length, headers, lists, bold type and markdown that are there. Repeatable.",
    )


class Criterion(Options):
    criterion: str | None = _model_option(
        "--criterion NAME", "Of ratings, only this criterion. Default: each by itself."
    )


class Scores(Options):
    criterion: str | None = Criterion.criterion
    better: str | None = _model_option(
        "--better higher|lower",
        "Of ratings, which scores are better. Default: higher, unless the criterion's name says"
        " errors, penalties or harm (toxicity, hallucination), or is of a metric such as TER.",
    )
    rank_references: bool = _model_option(
        "--rank-references",
        "Of ratings, rank systems that are human references by their names, such as ref-A, too.",
    )

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "criterion": self.criterion,
            "lower_is_better": None if self.better is None else self.better == "lower",
            "references": () if self.rank_references else None,
        }


class Verdicts(Options):
    llm: str | None = _model_option(
        "--llm VERDICTS",
        "LLM judges' verdicts on these items and many more. They make what people's judgments say"
        " more precise, even if biased; people's items must be a random sample.",
        reads=True,
    )
    llm_judges: tuple[str, ...] = _model_option(
        "--llm-judges NAME,NAME",
        "The judges in FILE who are LLMs, where it holds both. Repeatable.",
    )
    unpaired: str | None = _model_option(
        "--unpaired drop|keep",
        "Judgments of people on outputs without a verdict: drop or keep them. Default: refuse"
        " them.",
    )

    @property
    def names(self) -> list[str]:
        return split_names(self.llm_judges)

    def open(self, reading: Reading) -> dict[str, Any]:
        """Return them as functions take them; labels and columns are as in FILE."""
        llm = None if self.llm is None else reading.open_beside(self.llm)
        return {"llm": llm, "llm_judges": self.names, "unpaired": self.unpaired}


class Cluster(Options):
    cluster: str | None = _certainty_option(
        "--cluster judgment|judge|item|ranking|judge+item",
        "Judgments that are correlated. Default: by judge and item where both are known,"
        " else what there is.",
    )
    level: float = level_option(
        _certainty_option, says="Level of the intervals; of rank sets .999 at most."
    )


class Placing(Options):
    as_json: bool = _output_option("--json", "JSON, a stable contract.")
    as_csv: bool = _output_option("--csv", "CSV, one row a line.")
    as_latex: bool = _output_option("--latex", "A LaTeX table (booktabs).")
    as_markdown: bool = _output_option("--markdown", "Markdown.")
    output: str | None = _output_option(
        "-o --output FILE",
        "Write to a file; .json, .csv, .tex and .md choose the format; .svg, .png and .pdf draw the"
        " figure of a verb that has one.",
    )

    def choose(self, *inputs: str | None) -> running.Output:
        forms = {form: bool(getattr(self, f"as_{form}")) for form in running.FORMS}
        return running.choose_output(forms, self.output, tuple(filter(None, inputs)))


FIGURE_FORMS: Final = ("svg", "png")  # unless told otherwise


class Figures(Options):
    figures: str | None = _output_option("--figures FOLDER", "Draw figures into a folder.")
    forms: tuple[str, ...] | None = _output_option(
        "--figures-as",
        "Forms of the figures, with commas between. Default: svg,png.",
        type=SomeOf(("svg", "png", "pdf")),
    )

    def check(self) -> None:
        if self.figures is not None:
            from evenhand.report.figures.style import check_figure_folder as check_folder

            check_folder(Path(self.figures), self.forms or FIGURE_FORMS)
        elif self.forms:
            raise UnknownOption("--figures-as says how to draw: say where to with --figures FOLDER")

    def write(
        self, parts: Mapping[str, Any], draw: Callable[[Any], Mapping[str, Any]] = dict
    ) -> None:
        """Draw into the folder, if one was asked for, and say so on the error stream."""
        if self.figures is None:
            return
        from evenhand.render.text import PLAIN, label
        from evenhand.report.figures import style

        groups = {name: draw(part) for name, part in parts.items()}
        files = style.name_files(filter(None, groups))
        figures = {
            f"{files[group]}-{name}" if group else name: figure
            for group, drawn in groups.items()
            for name, figure in drawn.items()
        }
        written = style.write_figures(figures, Path(self.figures), self.forms or FIGURE_FORMS)
        said = f"{plural(len(written), 'figure')} to {self.figures}"
        click.echo(label("wrote", said, PLAIN), err=True)


def is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def write_option(name: str) -> str:
    """Return an option of the verb that runs as people write it, by the name of its parameter."""
    params = click.get_current_context().command.params
    return next(max(one.opts, key=len) for one in params if one.name == name)


def refuse_given(names: Iterable[str], why: str) -> None:
    for name in names:
        if is_given(name):
            raise UnknownOption(f"{write_option(name)} {why}")


# What means nothing for ratings, and what nothing for comparisons, by the names of parameters
OF_COMPARISONS: Final = (
    *("ties", "order_effect", "reference", "prior", "control", "mixes", "per", "judge_cap"),
    *("methods", "elo", "worth", "memory", "after", "judge_covariates", "item_covariates"),
    *("tie_covariates", "levels", "systems", "system_covariates"),
)
OF_RATINGS: Final = ("criterion", "better", "rank_references")
PAIRS: Final = ("comparisons", "rankings")


def kinds_of(*, ratings: bool) -> tuple[str, ...]:
    """Return which table of a campaign's database to take, where it has several."""
    return ("ratings",) if ratings else PAIRS


def refuse_of_comparisons(*but: str, of: Iterable[str] = ()) -> None:
    names = [name for name in (*OF_COMPARISONS, *of) if name not in but]
    refuse_given(names, "is of comparisons; these are ratings: leave it out")


def refuse_of_ratings(*more: str) -> None:
    refuse_given((*OF_RATINGS, *more), "is of ratings; these are comparisons: leave it out")


def given_options() -> frozenset[str]:
    return frozenset(filter(is_given, click.get_current_context().params))


def name_settings(
    kinds: Iterable[type[Options]], renamed: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Return by parameter how an option is written, and the setting of a model that it is."""
    flags = {name: flag for kind in kinds for name, flag in kind.flags().items()}
    return {name: (flag, renamed.get(name, name)) for name, flag in flags.items()}


MODEL_OPTIONS: Final = name_settings((ModelOptions, Controls), {"control": "controls"})


def refuse_unknown_settings(
    model: str,
    known: Collection[str],
    given: frozenset[str],
    options: Mapping[str, tuple[str, str]] = MODEL_OPTIONS,
) -> None:
    offered = click.get_current_context().params  # a verb may lack options that a model has
    for name in sorted(given & options.keys()):
        option, setting = options[name]
        if setting not in known:
            others = [
                options[one][0] for one in options if one in offered and options[one][1] in known
            ]
            has = f"it has {listing(others)}" if others else "it has no such options"
            raise UnknownOption(f"{option} does not apply to {model}: {has}")


# Covariates from the command line: tables to join, and columns that worths or ties depend on.

# Role → the option that names a column of its table
GROUPS: Final[Mapping[str, str]] = dict.fromkeys(("judge", "item"), "--group-by")
COVARIATES: Final = dict.fromkeys(("judge", "item"), "--judge-covariate")


class Tables(Options):
    judges: str | None = _input_option(
        "--judges FILE",
        "A table with one row for each judge: its columns become columns of the judgments.",
        reads=True,
    )
    items: str | None = _input_option(
        "--items FILE", "The same with one row for each item.", reads=True
    )

    def refuse(self, purpose: str) -> None:
        given = [f"--{name}" for name in ("judges", "items") if getattr(self, name)]
        if given:
            raise UnknownOption(
                f"{' and '.join(given)} cannot be joined for {purpose}: leave it out"
            )

    def join(
        self, data: Joined, *, used: Collection[str | None], options: Mapping[str, str] = GROUPS
    ) -> Joined:
        for role, path in (("judge", self.judges), ("item", self.items)):
            if path is not None:
                from evenhand.formats.covariates import open_covariates

                data.require(role)
                table = open_covariates(path, on=role, named=data.source.columns.get(role))
                name, before = Path(path).name, data.columns
                data = data.join(table, on=role, named=name)
                new: list[str] = [column for column in data.columns if column not in before]
                if new and role in options and not {*new} & {*used}:
                    columns, verb = ("columns", "are") if len(new) > 1 else ("column", "is")
                    note = (
                        f"{columns} {listing(new)} of {name} {verb} not used: name one with"
                        f" {options[role]}"
                    )
                    data = replace(data, source=data.source.noting(note))
        return data


class Effects(Options):
    judge_covariates: tuple[str, ...] = _model_option(
        "--judge-covariate COLUMN",
        "Judges with different values have worths of their own. Repeatable.",
    )
    item_covariates: tuple[str, ...] = _model_option(
        "--item-covariate COLUMN", "The same for items, such as their origin or domain. Repeatable."
    )
    tie_covariates: tuple[str, ...] = _model_option(
        "--tie-covariate COLUMN",
        "Judges or items with different values have tie parameters of their own. Repeatable.",
    )
    levels: tuple[tuple[str, str], ...] = _model_option(
        "--reference-level COLUMN=LEVEL",
        "The group that others are compared with. Default: the first by name. Repeatable.",
        type=COLUMN_LEVEL,
    )
    systems: str | None = _model_option(
        "--systems FILE",
        "A table with one row for each system: worths are a sum over its columns.",
        reads=True,
    )
    system_covariates: tuple[str, ...] = _model_option(
        "--system-covariate COLUMN",
        "Which columns of --systems; numbers or levels. Default: all. Repeatable.",
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of judgments, or of tables joined to them, that something depends on."""
        return (*self.judge_covariates, *self.item_covariates, *self.tie_covariates)

    def settings(self, data: Comparisons) -> dict[str, Any]:
        """Return the settings of a model asked for, columns by the names they have here."""
        settings: dict[str, Any] = {}
        if covariates := (*self.judge_covariates, *self.item_covariates):
            settings["judge_covariates"] = tuple(map(data.require, covariates))
        if self.tie_covariates:
            settings["tie_covariates"] = tuple(map(data.require, self.tie_covariates))
        if self.levels:
            references: dict[str, str] = {}
            for column, level in self.levels:
                name = data.require(column)
                if references.setdefault(name, level) != level:
                    raise UnknownOption(
                        f"--reference-level: {column} is given two levels, '{references[name]}' and"
                        f" '{level}': one will do"
                    )
            settings["references"] = references
        if self.system_covariates and self.systems is None:
            raise UnknownOption(
                "--system-covariate names columns of a table: name it, --systems FILE"
            )
        if self.systems is not None:
            from evenhand.formats.covariates import read_system_covariates, refuse_missing

            table = read_system_covariates(self.systems, self.system_covariates)
            settings["system_covariates"] = table
            refuse_missing(table, data.tally().systems, self.systems)
        return settings
