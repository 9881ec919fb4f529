"""The options, spelled once: every verb that takes one takes it under the same name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import click

from evenhand.cli.explain import explain_option
from evenhand.cli.kept import keep
from evenhand.cli.parameters import SEEDS, LabelOutcome, OneOf, RoleColumn

Function = TypeVar("Function", bound=Callable[..., None])

TIES: Final = ("davidson", "rao-kupper", "glenn-david", "half-win", "discard", "none")
CLUSTERS: Final = ("judgment", "judge", "item", "ranking", "judge+item")
INTERVALS: Final = ("rank-sets", "sandwich", "model", "bootstrap")
WEIGHTS: Final = ("frequency", "importance")
SEED: Final = 20131


class Section(click.Option):
    """An option with a heading in the help."""

    heading = "Options"


class _Input(Section):
    heading = "What to read"


class _Model(Section):
    heading = "Model"


class _Certainty(Section):
    heading = "Uncertainty"


class _Output(Section):
    heading = "Where the result goes"


class Verb(click.Command):
    """A verb whose help lists its options under headings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a verb's words; whatever is wrong with them is known to be this verb's."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each heading."""
        headings: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                heading = getattr(param, "heading", Section.heading)
                headings.setdefault(heading, []).append(record)
        for heading, records in headings.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def examples(*commands: str) -> str:
    """Return the end of a verb's help: commands, each on a line of its own."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


def stack(*decorators: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Join decorators; options appear in the help in this order."""

    def apply(function: Function) -> Function:
        for decorate in reversed(decorators):
            function = decorate(function)
        return function

    return apply


_shared_input = partial(click.option, cls=_Input, callback=keep, expose_value=False)
# Options that no verb names among its parameters: `take_reading` and `take_output` find them
_shared_output = partial(click.option, cls=_Output, callback=keep, expose_value=False)


def keep_conditions(
    context: click.Context, param: click.Parameter, conditions: tuple[str, ...]
) -> None:
    """Keep several conditions as one, so that a refusal's advice adds to what was given before."""
    if len(conditions) > 1:
        from evenhand.judgments.conditions import parse_condition

        for condition in conditions:
            parse_condition(condition)
    # A remark at the end of a condition ends with its line.
    joined = " and ".join(f"({one}\n)" if "--" in one else f"({one})" for one in conditions)
    keep(context, param, joined if len(conditions) > 1 else next(iter(conditions), None))


def _keep_files(context: click.Context, param: click.Parameter, files: tuple[str, ...]) -> None:
    if "-" in files:
        raise click.BadParameter(
            "'-' (standard input) is not read, since a format is recognised by looking twice:"
            " save the judgments in a file",
            context,
            param,
        )
    keep(context, param, files)


reading_options = stack(
    click.argument(
        "files",
        nargs=-1,
        required=True,
        metavar="FILE...",
        callback=_keep_files,
        expose_value=False,
    ),
    _shared_input("--task", metavar="NAME", help="Only this task, such as one language pair."),
    _shared_input(
        "--where",
        metavar="SQL",
        multiple=True,
        callback=keep_conditions,
        help="Only rows that meet a condition on the file's own columns. Repeatable: rows that meet"
        " them all.",
    ),
    _shared_input(
        "--from",
        "layout",
        metavar="FORMAT",
        help="The file's format, where it is not recognised.",
    ),
    _shared_input(
        "--column",
        "columns",
        multiple=True,
        type=RoleColumn(),
        metavar="ROLE=NAME",
        help="Which column plays a role, such as judge=annotator. Repeatable.",
    ),
    _shared_input("--weight", metavar="COLUMN", help="How many judgments a row stands for."),
    _shared_input(
        "--weights",
        type=OneOf(WEIGHTS),
        default="frequency",
        show_default=True,
        help="What weights are: counts of judgments, or their importance (fractions allowed).",
    ),
    _shared_input(
        "--outcome",
        "outcomes",
        multiple=True,
        type=LabelOutcome(),
        metavar="LABEL=left|tie|right",
        help="What a label of the outcome column means, such as 1=left. Repeatable; adds to the"
        " usual labels.",
    ),
    _shared_input(
        "--merged",
        metavar="SIGN",
        help="The sign between the systems of an output that was shown once for all of them, as +"
        " in A+B: it counts for each.",
    ),
    explain_option,
)

group_option = click.option(
    "--group-by",
    cls=_Input,
    metavar="COLUMN",
    help="Each value of this column apart. Several tasks are kept apart unasked.",
)

method_option = click.option(
    "--method",
    "methods",
    cls=_Model,
    multiple=True,
    metavar="NAME|all",
    help="How to rank: bradley-terry (the default), or a rule such as origwmt. Several, or all, are"
    " shown side by side. Repeatable.",
)

ties_option = click.option(
    "--ties",
    cls=_Model,
    type=OneOf(TIES),
    default="davidson",
    show_default=True,
    help="What a tie says. none: γ = 0 with the tie cells kept.",
)
_ORDER: Final = "Estimate the advantage of being shown first."
order_option = click.option("--order-effect", cls=_Model, is_flag=True, help=_ORDER)
prior_option = click.option(
    "--prior",
    cls=_Model,
    type=float,
    default=0.0,
    metavar="NUMBER",
    help="Pseudo-comparisons of every system with an average one, half won. Default: none.",
)
model_options = stack(
    ties_option,
    order_option,
    click.option(
        "--reference",
        cls=_Model,
        metavar="SYSTEM",
        help="The system whose coefficient is 0. Default: the last by name.",
    ),
    prior_option,
)

control_option = click.option(
    "--control",
    cls=_Model,
    multiple=True,
    metavar="COLUMN|NAME=LEFT,RIGHT",
    help="Hold equal what differs between two outputs, such as length: a column of differences,"
    " left minus right, or a column for each side. Repeatable.",
)

covariate_option = click.option(
    "--judge-covariate",
    "judge_covariates",
    cls=_Model,
    multiple=True,
    metavar="COLUMN",
    help="Judges with different values have worths of their own. Repeatable.",
)

cluster_options = stack(
    click.option(
        "--cluster",
        cls=_Certainty,
        type=OneOf(CLUSTERS),
        help="Judgments that hang together. Default: by judge and item where both are known,"
        " else what there is.",
    ),
    click.option(
        "--level",
        cls=_Certainty,
        type=float,
        default=0.95,
        show_default=True,
        metavar="PROPORTION",
        help="Level of the intervals; of rank sets .999 at most.",
    ),
)

interval_options = stack(
    click.option(
        "--interval",
        cls=_Certainty,
        type=OneOf(INTERVALS),
        default="rank-sets",
        show_default=True,
        help="rank-sets hold all at once; model assumes independent judgments, the others allow"
        " for clusters.",
    ),
    cluster_options,
    click.option(
        "--seed",
        cls=_Certainty,
        type=SEEDS,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of everything random.",
    ),
)

output_options = stack(
    _shared_output(
        "--json",
        "as_json",
        is_flag=True,
        help="JSON, a stable contract.",
    ),
    _shared_output(
        "--csv",
        "as_csv",
        is_flag=True,
        help="CSV, one row a line.",
    ),
    _shared_output(
        "--latex",
        "as_latex",
        is_flag=True,
        help="A LaTeX table (booktabs).",
    ),
    _shared_output(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to a file; .json, .csv and .tex choose the format.",
    ),
)

scale_options = stack(
    click.option("--elo", cls=_Output, is_flag=True, help="Also the Elo scale, 1000 on average."),
    click.option("--worth", cls=_Output, is_flag=True, help="Also worths, which sum to 1."),
    click.option(
        "--marginal",
        cls=_Output,
        is_flag=True,
        help="Also rank sets of systems by themselves, for one that was chosen beforehand.",
    ),
)
