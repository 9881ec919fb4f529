"""The command `evenhand`: a group of verbs that are imported when they are used."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

import evenhand
from evenhand.cli.refusals import (
    choose_colour,
    plainly,
    say_unforeseen,
    without_pandas,
    write_whatever_they_take,
)
from evenhand.errors import suggest

# Verbs as the help groups them, with their short help: the list of verbs imports none of them
GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Read and rank": {
        "inspect": "What is in a file: judgments, judges, items, systems, ties.",
        "rank": "Rank systems, with intervals and clusters.",
        "gate": "May a new system replace an old one?",
        "report": "Write a report on one page, to read and to cite.",
        "watch": "Follow votes as they come in: what is decided already?",
        "demo": "Show the main steps on published tables.",
        "convert": "Write the judgments in another format.",
    },
    "Judges and metrics": {
        "agreement": "Do judges agree, with each other and with themselves?",
        "judges": "Find careless and biased judges.",
        "variance": "Split the variance into systems, judges, items and chance.",
        "bias": "Is the output on one side preferred for its position?",
        "labels": "Aggregate the labels of several judges.",
        "replace": "May an LLM judge replace a human judge?",
        "metrics": "How well do automatic metrics agree with people?",
    },
    "Collect": {
        "plan": "How many judgments, judges and items are enough?",
        "check": "Check the design of a campaign, or the log of its judgments.",
        "serve": "Collect judgments on the web.",
        "ask": "Let an LLM judge answer the questions of a campaign.",
        "next": "Choose the pairs or outputs to judge next.",
    },
    "Models": {
        "fit": "Estimate the coefficients of a model.",
        "compare": "Compare models: held-out prediction, nested tests.",
        "test": "Is there a preference at all? Sign tests, Friedman's test.",
        "robustness": "What would change the ranking: fewer votes, other choices?",
        "impute": "Predict the ratings that judges did not give.",
        "similarity": "Which judges rate alike, and who scores high?",
    },
}
VERBS: Final = {verb: says for verbs in GROUPS.values() for verb, says in verbs.items()}
# Words that lead to a verb: of the field, and of the first versions
MEANT: Final[Mapping[str, str]] = {
    "leaderboard": "rank",
    "elo": "rank --elo",
    "significance": "test",
    "ship": "gate",
    "mixed": "variance",
    "verify": "check",
    "doubt": "robustness",
    "models": "compare --nested",
    "complete": "impute",
    "alike": "similarity",
}
# Verbs that stand in the file of another one
FILES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("agreement", "variance", "labels", "replace"), "judges"),
    "robustness": "rank",
    "inspect": "convert",
}
_WORDS: Final = "evenhand.words"


class Verbs(click.Group):
    """Verbs by name; whatever they refuse is said in one line."""

    def __call__(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
    ) -> Any:
        """Run as a program; the console script and `python -m evenhand` come here."""
        if standalone_mode:
            sys.excepthook = say_unforeseen
        words = sys.argv[1:] if args is None else args
        ending: AbstractContextManager[None] = nullcontext()
        if standalone_mode and any("://" in word for word in words):  # files may be copied
            from evenhand.cli.refusals import end_orderly

            ending = end_orderly()
        with ending:
            return self.main(args, prog_name, standalone_mode=standalone_mode)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs alone, by their short help; click would import each of them for it."""
        longest = max(map(len, VERBS))
        for group, verbs in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{verb:{longest}}", says) for verb, says in verbs.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module = import_module(f"evenhand.cli.{FILES.get(cmd_name, cmd_name)}")
        verb = getattr(module, f"{cmd_name}_" if hasattr(builtins, cmd_name) else cmd_name)
        return verb if isinstance(verb, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS:
            raise click.UsageError(_no_verb(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before the verb; keep all words for `invoke`."""
        ctx.meta[_WORDS] = tuple(args)
        with plainly(ctx.meta[_WORDS]):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        write_whatever_they_take()
        with plainly(ctx.meta[_WORDS]), without_pandas(ctx.meta[_WORDS]):
            return super().invoke(ctx)


def _no_verb(word: str) -> str:
    if "://" in word:  # an organiser's link holds a secret: it is not said again
        return "an address is not a verb. Try: evenhand watch ADDRESS"
    if Path(word).is_file():
        return f"'{word}' is a file, not a verb. Try: evenhand rank {word}"
    if word in MEANT:
        return f"there is no verb '{word}'. Try: evenhand {MEANT[word]}"
    hint = suggest(word, VERBS) or " `evenhand --help` lists them"
    return f"there is no verb '{word}'.{hint}"


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    subcommand_metavar="VERB ...",
    options_metavar="",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`evenhand VERB --help` lists the options of a verb; try `evenhand demo`.",
)
@click.version_option(evenhand.__version__, message="evenhand %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Rank systems by judgments of their outputs, with honest uncertainty.

    A judgment compares two outputs, orders several, or rates one.
    """
    ctx.color = choose_colour()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
